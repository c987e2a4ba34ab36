//! Steps allocate nothing after the first one.

use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::discrete::linearization::{HeldDerivatives, StepDerivatives};
use carom::hybrid::{Simulation, SimulationSettings};
use carom::impact::Propagative;
use carom::model::sample::chain;
use carom::model::{Base, Joint, Link, ModelBuilder};
use carom::scenario::{Experiment, Scenario};
use nalgebra::Vector3;

use crate::counting::allocations;
use crate::step_cases::{
    FreeCase, StandingCase, chain_at_rest, falling_trex, hexapod_at_rest, scenario,
};

/// Allocations of `steps` steps after the first `warm` ones.
fn counted(warm: usize, steps: usize, mut step: impl FnMut()) -> usize {
    let start = allocations();
    for _ in 0..warm {
        step();
    }
    let before = allocations();
    for _ in 0..steps {
        step();
    }
    assert!(warm > 0 && start <= before);
    allocations() - before
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let memory = std::hint::black_box(vec![0_u8; 100]);
    assert_eq!(allocations() - before, 1);
    drop(memory);
}

#[test]
fn free_steps() {
    let mut cases: [FreeCase; 4] = [
        chain_at_rest(8, 1e-3, 2),
        chain_at_rest(4, 2e-3, 6),
        hexapod_at_rest(),
        falling_trex(),
    ];
    for case in &mut cases {
        let count = counted(1, 50, || {
            case.advance();
        });
        assert_eq!(count, 0);
    }
}

#[test]
fn derivatives_of_free_steps() {
    for mut case in [chain_at_rest(8, 1e-3, 2), hexapod_at_rest()] {
        let mut derivatives = StepDerivatives::new(&case.model);
        let count = counted(1, 10, || {
            case.advance();
            case.differentiate(&mut derivatives);
        });
        assert_eq!(count, 0);
    }
}

#[test]
fn exact_newton_iterations() {
    let mut case = chain_at_rest(64, 1e-2, 2);
    let mut exact = 0;
    let count = counted(20, 30, || exact += case.advance().exact_iterations);
    assert!(exact > 0, "the motion is fast enough for exact iterations");
    assert_eq!(count, 0);
}

/// Free, with damped second attempts among them, and on a contact.
#[test]
fn stiff_springs_between_points() {
    let ball = |name: &str| Link::new(name).solid_sphere(0.1, 0.05, Vector3::zeros());
    let model = |rest: f64, damping: f64| {
        let mut builder = ModelBuilder::new("pair")
            .base(Base::Floating)
            .link(ball("a"));
        for (parent, link, axis) in [
            ("a", "x", [1.0, 0.0, 0.0]),
            ("x", "y", [0.0, 1.0, 0.0]),
            ("y", "z", [0.0, 0.0, 1.0]),
        ] {
            builder = builder
                .link(ball(link))
                .joint(Joint::prismatic(link, parent, link).axis(axis));
        }
        builder
            .point_spring([Some("a"), Some("z")], [[0.0; 3]; 2], rest, 1e7, damping)
            .build()
            .unwrap()
    };
    // A damper has no direction at length zero, and turns round in one step beside it.
    let loose = model(0.0, 2e3);
    let mut q = loose.neutral_configuration();
    q[7] = 1e-3;
    q[8] = -4e-4;
    let mut free = FreeCase::at_rest(loose, q, 1e-3, 2);
    let count = counted(3, 300, || {
        free.advance();
    });
    assert_eq!(count, 0, "free");

    let model = model(0.3, 0.0);
    let rubber = Material::new(0.5, 0.0);
    let foot = Site::point(&model, "foot", "a", [0.0, 0.0, -0.05], rubber).unwrap();
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
    let contacts = Contacts::new(&model, vec![foot], vec![floor], &[], Combination::Minimum);
    let mut standing = Simulation::builder(model)
        .contacts(contacts.unwrap())
        .position("base.z", 0.05)
        .position("x", 0.3)
        .build()
        .unwrap();
    let efforts = [0.0; 9];
    // The first slide, and the first that stops inside a step, are part of the warm-up.
    let count = counted(60, 50, || {
        standing.step(&efforts).unwrap();
    });
    assert_eq!(standing.state().held.len(), 1);
    assert_eq!(count, 0, "standing");
}

#[test]
fn held_contacts() {
    let mut standing = StandingCase::new();
    let count = counted(1, 50, || {
        standing.advance();
    });
    assert_eq!(count, 0);

    let mut sliding = StandingCase::sliding();
    let mut slid = 0;
    let count = counted(1, 30, || {
        sliding.advance();
        slid += usize::from(sliding.slides());
    });
    assert!(slid > 10, "it slid in {slid} steps of 30");
    assert_eq!(count, 0);
}

#[test]
fn derivatives_of_steps_with_held_contacts() {
    for mut case in [StandingCase::new(), StandingCase::sliding()] {
        let mut derivatives = HeldDerivatives::new(&case.model);
        let count = counted(1, 10, || {
            case.advance();
            case.differentiate(&mut derivatives);
        });
        assert_eq!(count, 0);
    }
}

/// Only events allocate: what they write down is kept.
#[test]
fn simulation_steps_without_events() {
    let model = Arc::new(chain(8).unwrap());
    let none = Contacts::new(&model, vec![], vec![], &[], Combination::Minimum).unwrap();
    let rest = vec![0.0; 8];
    let mut simulation = Simulation::new(
        model,
        Arc::new(none),
        Box::new(Propagative::default()),
        SimulationSettings::default(),
        &rest,
        &rest,
    )
    .unwrap();
    let count = counted(4, 50, || {
        simulation.step(&rest).unwrap();
    });
    assert_eq!(count, 0, "chain");

    // It falls for 0.18 s.
    let mut falling = scenario("robots/trex/drop.toml").simulation().unwrap();
    let efforts = vec![0.0; falling.model().dof()];
    let count = counted(4, 100, || {
        falling.step(&efforts).unwrap();
    });
    assert_eq!(count, 0, "falling");

    let mut standing = scenario("robots/rhex/stand.toml").simulation().unwrap();
    let efforts = vec![0.0; standing.model().dof()];
    let count = counted(4, 20, || {
        standing.step(&efforts).unwrap();
        standing.take_events();
    });
    assert_eq!(standing.state().held.len(), 6);
    assert_eq!(count, 0, "standing");
}

/// A scenario of loose objects.
fn loose(text: &str) -> Simulation {
    let scenario = Scenario::parse("loose.toml", text, &[]).unwrap();
    let none = "<robot name=\"none\"><link name=\"nothing\"/></robot>";
    let experiment = Experiment::with_robot("loose.toml", scenario, none).unwrap();
    experiment.simulation().unwrap()
}

/// A box on a box, shifted along both edges, and one across stones that end on the level of others: crossings of edges, and
/// what of the terrain's edges is there.
#[test]
fn boxes_that_touch_by_their_edges() {
    let object = |name: &str, size: [f64; 3], position: [f64; 3]| {
        format!(
            "[[object]]\nname = \"{name}\"\nkind = \"box\"\nmass = 1.0\nsize = {size:?}\nposition = {position:?}\n"
        )
    };
    let stone = |name: &str, min: [f64; 3], max: [f64; 3]| {
        format!("[[terrain]]\nkind = \"box\"\nname = \"{name}\"\nmin = {min:?}\nmax = {max:?}\n")
    };
    let tables = [
        object("low", [0.2; 3], [2.0, 0.0, 0.1]),
        object("high", [0.2; 3], [2.03, 0.02, 0.3]),
        object("plank", [1.0, 0.1, 0.04], [0.0, 0.0, 0.22]),
        stone("left", [-0.4, -0.1, 0.0], [-0.3, 0.1, 0.2]),
        stone("beside", [-0.3, -0.1, 0.0], [-0.2, 0.1, 0.2]),
        stone("right", [0.2, -0.1, 0.0], [0.4, 0.1, 0.2]),
    ];
    let text = format!(
        "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"none.urdf\"\n[contact]\nfriction = 0.5\nrestitution = 0.0\n{}\
         [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n",
        tables.concat()
    );
    let mut simulation = loose(&text);
    let efforts = vec![0.0; simulation.model().dof()];
    let count = counted(4, 50, || {
        simulation.step(&efforts).unwrap();
        simulation.take_events();
    });
    // Two crossings of the two boxes; eight of the plank's long edges with the ends of three tops of stones, of which two are
    // one.
    let contacts = simulation.contacts();
    let held = simulation.state().held.iter();
    let crossings = held.filter(|held| !contacts.is_listed(held.contact));
    assert_eq!(crossings.count(), 10);
    assert_eq!(count, 0);
}

/// A rod flies along the edge of a table, its end so near to it that whether it is in the table is looked for in all directions.
#[test]
fn a_rod_that_passes_along_an_edge() {
    let text = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"none.urdf\"\ngravity = [0.0, 0.0, 0.0]\n\
                [[terrain]]\nkind = \"box\"\nname = \"table\"\nmin = [0.0, -1.0, 0.0]\nmax = [1.0, 1.0, 1.0]\n\
                [[object]]\nname = \"rod\"\nkind = \"capsule\"\nmass = 0.5\nradius = 0.05\nlength = 0.3\n\
                position = [-0.15577870225616738, 0.0, 0.9550259613398555]\nrpy = [0.0, 0.9773843811168245, 0.0]\n\
                velocity = [0.0, 0.01, 0.0]\n";
    let mut simulation = loose(text);
    let efforts = vec![0.0; simulation.model().dof()];
    let count = counted(4, 50, || {
        simulation.step(&efforts).unwrap();
    });
    // 10 micrometres beside it.
    let near = simulation
        .gaps()
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    assert!((0.0..2e-5).contains(&near), "{near}");
    assert_eq!(count, 0);
}
