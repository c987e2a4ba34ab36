//! Boxes that touch by their edges, and corners and edges of terrain that touch boxes: what stands, what it weighs, what tips
//! over, and impacts of textbooks.

use carom::contact::{
    CollisionKind, Combination, Contacts, Material, collision_sites, collision_surfaces,
};
use carom::dynamics::{Kinematics, spatial_momentum};
use carom::hybrid::{Simulation, Unwatched};
use carom::impact::Propagative;
use carom::model::{Geometry, Link, Model};
use carom::scenario::{Experiment, Scenario};
use carom::spatial::Pose;
use nalgebra::{UnitQuaternion, Vector3};

use crate::cans::can;
use crate::loose::{
    GROUND, RISE, by_law, deepest, energy, experiment, random, run, stepped, stone, turn,
};

const WEIGHT: f64 = 9.81;

/// A box of one kilogram.
fn object(name: &str, size: [f64; 3], position: [f64; 3], rpy: [f64; 3], rest: &str) -> String {
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"box\"\nmass = 1.0\nsize = {size:?}\nposition = {position:?}\nrpy = {rpy:?}\n\
         {rest}\n"
    )
}

fn cube(name: &str, position: [f64; 3], rpy: [f64; 3]) -> String {
    object(name, [0.2; 3], position, rpy, "")
}

/// A contact that opens within a step, and not at a located moment, presses up to a step too long: the weight of both boxes
/// over what they fall in that time, 2 g · g h².
const SWITCH: f64 = 2.0 * WEIGHT * WEIGHT * 1e-6;

#[test]
fn a_box_stands_on_a_box_shifted_along_both_edges_or_turned() {
    for friction in [0.0, 0.5] {
        for (place, turn) in [
            ([0.03, 0.02], 0.0),
            ([0.0, 0.0], std::f64::consts::FRAC_PI_4),
            ([0.02, -0.03], 0.4),
            ([-0.05, 0.01], 2.0),
        ] {
            let boxes = [
                cube("a", [0.0, 0.0, 0.1], [0.0; 3]),
                cube("b", [place[0], place[1], 0.3], [0.0, 0.0, turn]),
            ];
            let tables = format!("{}{GROUND}", boxes.concat());
            let mut simulation = experiment(friction, &tables).simulation().unwrap();
            let [change, depth] = run(&mut simulation, 300);
            let q = &simulation.state().q;
            let what = format!("{friction} {place:?} {turn}: {q:?} {change:e} {depth:e}");
            assert!(
                (q[2] - 0.1).abs() < 1e-9 && (q[9] - 0.3).abs() < 1e-9,
                "{what}"
            );
            let way = (q[7] - place[0]).abs().max((q[8] - place[1]).abs());
            assert!(way < 1e-8, "{what}");
            // What held gaps may be, by the weight.
            assert!(change.abs() < 1e-8 && depth > -1e-9, "{what}");
        }
    }
}

#[test]
fn three_boxes_stand_on_each_other() {
    let boxes = [
        cube("a", [0.0, 0.0, 0.1], [0.0; 3]),
        cube("b", [0.03, 0.02, 0.3], [0.0; 3]),
        cube("c", [0.06, 0.0, 0.5], [0.0, 0.0, 0.3]),
    ];
    let tables = format!("{}{GROUND}", boxes.concat());
    let mut simulation = experiment(0.5, &tables).simulation().unwrap();
    let [_, depth] = run(&mut simulation, 300);
    let q = &simulation.state().q;
    assert!(
        (q[9] - 0.3).abs() < 1e-9 && (q[16] - 0.5).abs() < 1e-9,
        "{q:?}"
    );
    assert!(depth > -1e-9, "{depth:e}");
}

/// Normal forces of the last step on each piece of terrain.
fn loads(simulation: &Simulation) -> Vec<f64> {
    let contacts = simulation.contacts();
    let mut loads = vec![0.0; contacts.terrains().len()];
    for (i, impulse) in simulation.held_impulses().iter().enumerate() {
        if let Some(piece) = contacts.terrain_of(i) {
            loads[piece] += impulse[0] / 1e-3;
        }
    }
    loads
}

#[test]
fn a_plank_over_two_stones_stays_and_weighs_half_on_each() {
    // Narrower than the stones and wider, along them and turned.
    for (width, turn) in [(0.1, 0.0), (0.3, 0.0), (0.1, 0.2), (0.3, 0.2)] {
        let tables = [
            object(
                "plank",
                [1.0, width, 0.04],
                [0.0, 0.0, 0.22],
                [0.0, 0.0, turn],
                "",
            ),
            stone("left", [-0.4, -0.1, 0.0], [-0.2, 0.1, 0.2]),
            stone("right", [0.2, -0.1, 0.0], [0.4, 0.1, 0.2]),
            GROUND.to_string(),
        ];
        let mut simulation = experiment(0.5, &tables.concat()).simulation().unwrap();
        let [change, depth] = run(&mut simulation, 200);
        let q = &simulation.state().q;
        assert!((q[2] - 0.22).abs() < 1e-9, "{width} {turn}: {q:?}");
        assert!(change.abs() < 1e-8 && depth > -1e-9, "{change:e} {depth:e}");
        let loads = loads(&simulation);
        for load in &loads[..2] {
            assert!(
                (load - 0.5 * WEIGHT).abs() < 1e-5,
                "{width} {turn}: {loads:?}"
            );
        }
        assert_eq!(loads[2], 0.0);
    }
}

#[test]
fn a_box_lies_on_a_beam_and_on_a_corner_of_a_step() {
    // On a beam that none of its corners is over; on a stone of which one corner is under it.
    for (name, min, max, place) in [
        ("beam", [-0.3, -0.1, 0.0], [0.3, 0.1, 0.2], [0.0, 0.0]),
        ("stone", [-0.03, -0.03, 0.0], [0.03, 0.03, 0.2], [0.0, 0.0]),
        ("step", [-0.3, -0.3, 0.0], [0.05, 0.05, 0.2], [0.0, 0.0]),
    ] {
        let tables = [
            object(
                "b",
                [0.2, 0.6, 0.2],
                [place[0], place[1], 0.301],
                [0.0; 3],
                "",
            ),
            stone(name, min, max),
            GROUND.to_string(),
        ];
        let mut simulation = experiment(0.5, &tables.concat()).simulation().unwrap();
        let [_, depth] = run(&mut simulation, 300);
        let q = &simulation.state().q;
        assert!((q[2] - 0.3).abs() < 1e-8, "{name}: {q:?}");
        assert!(depth > -1e-8, "{name} {depth:e}");
    }
}

#[test]
fn a_box_whose_centre_is_beyond_the_edge_tips_over() {
    let boxes = [
        object("a", [0.2; 3], [0.0, 0.0, 0.1], [0.0; 3], ""),
        cube("b", [0.11, 0.02, 0.3], [0.0; 3]),
    ];
    let tables = format!("{}{GROUND}", boxes.concat());
    let mut simulation = experiment(0.5, &tables).simulation().unwrap();
    run(&mut simulation, 100);
    let q = &simulation.state().q;
    // It begins to turn about the edge at 0.1 with the angular acceleration m g d/(I + m (d² + 0.1²)): after 0.1 s, to the
    // order in which the angle grows, by half of that times the time squared; gravity's lever grows with the angle.
    let lever: f64 = 0.01;
    let inertia = 0.04 / 6.0 + lever * lever + 0.01;
    let rate = (WEIGHT * 0.1 / inertia).sqrt();
    let angle = lever / 0.1 * ((rate * 0.1).cosh() - 1.0);
    let turned = 2.0 * q[11].atan2(q[13]);
    assert!(
        (turned / angle - 1.0).abs() < 0.05,
        "{turned} {angle} {q:?}"
    );
    run(&mut simulation, 700);
    let q = &simulation.state().q;
    assert!(q[9] < 0.25, "{q:?}");
}

/// Signed distance of two boxes, by the planes that may separate them: normals of faces, and of pairs of edges.
fn apart(first: &(Pose<f64>, [f64; 3]), second: &(Pose<f64>, [f64; 3])) -> f64 {
    let axes = |of: &(Pose<f64>, [f64; 3])| [0, 1, 2].map(|k| of.0.rotation.column(k).into_owned());
    let [a, b] = [axes(first), axes(second)];
    let crossed = a.iter().flat_map(|u| b.iter().map(|w| u.cross(w)));
    let crossed: Vec<Vector3<f64>> = crossed.filter(|n| n.norm() > 1e-3).collect();
    let half = |of: &(Pose<f64>, [f64; 3]), n: &Vector3<f64>| {
        let parts = axes(of).into_iter().zip(of.1);
        parts
            .map(|(axis, size)| 0.5 * size * axis.dot(n).abs())
            .sum::<f64>()
    };
    let all = a.into_iter().chain(b).chain(crossed).map(|n| n.normalize());
    let along = all.map(|n| {
        let way = n.dot(&(first.0.translation - second.0.translation)).abs();
        way - half(first, &n) - half(second, &n)
    });
    along.fold(f64::NEG_INFINITY, f64::max)
}

fn placed(simulation: &Simulation, name: &str, size: [f64; 3]) -> (Pose<f64>, [f64; 3]) {
    let link = simulation.model().link(name).unwrap();
    let body = &simulation.kinematics().world[link.body.unwrap()];
    (body.compose(&link.pose), size)
}

#[test]
fn a_box_slides_on_a_level_from_stone_to_stone() {
    for (turn, beside) in [(0.0, 0.03), (0.3, 0.0), (0.0, 0.0), (1.1, 0.02)] {
        let velocity = "velocity = [0.7, 0.05, 0.0]";
        let tables = [
            object(
                "b",
                [0.2; 3],
                [0.0, beside, 0.3],
                [0.0, 0.0, turn],
                velocity,
            ),
            stone("one", [-0.15, -0.12, 0.0], [0.15, 0.1, 0.2]),
            stone("two", [0.17, -0.05, 0.0], [0.6, 0.12, 0.2]),
            GROUND.to_string(),
        ];
        let mut simulation = experiment(0.0, &tables.concat()).simulation().unwrap();
        let [change, depth] = run(&mut simulation, 500);
        let q = &simulation.state().q;
        let way = [q[0] - 0.35, q[1] - beside - 0.025, q[2] - 0.3];
        // Nothing slows it down: the solver's tolerance over 500 steps.
        assert!(way.iter().all(|x| x.abs() < 1e-8), "{turn}: {q:?}");
        assert!(change.abs() < 1e-8 && depth > -1e-9, "{change:e} {depth:e}");
        assert_eq!(simulation.state().impacts, 0, "{turn}");
    }
}

#[test]
fn a_box_that_slides_off_a_box_falls() {
    for (speed, way) in [([0.6, 0.2], 0.0), ([0.5, 0.5], 0.3), ([-0.4, 0.7], 0.0)] {
        let velocity = format!("velocity = [{:?}, {:?}, 0.0]", speed[0], speed[1]);
        let boxes = [
            object("b", [0.2; 3], [0.03, 0.02, 0.2], [0.0, 0.0, way], &velocity),
            stone("a", [-0.1, -0.1, 0.0], [0.1, 0.1, 0.1]),
            GROUND.to_string(),
        ];
        let mut simulation = experiment(0.0, &boxes.concat()).simulation().unwrap();
        let [change, depth] = run(&mut simulation, 60);
        // Nothing is lost on the way over edges and corners, and nothing sinks.
        let q = &simulation.state().q;
        assert!(
            change.abs() < 1e-8 && depth > -1e-9,
            "{speed:?} {change:e} {depth:e}"
        );
        assert!((q[2] - 0.2).abs() < 1e-8, "{speed:?} {q:?}");
        run(&mut simulation, 700);
        assert!(
            simulation.state().q[2] < 0.19,
            "{speed:?} {:?}",
            simulation.state().q
        );
    }
}

#[test]
fn edges_that_strike_across_each_other_leave_as_the_textbook_says() {
    let solid = |name: &str| {
        let geometry = Geometry::Box([0.2; 3]);
        let link = Link::new(name).solid(1.0, &geometry);
        Model::loose(name, link.shape(Pose::identity(), geometry, true)).unwrap()
    };
    let edge = 0.1 * std::f64::consts::SQRT_2;
    let half = std::f64::consts::FRAC_PI_8;
    for (restitution, place) in [
        (0.0, [0.0, 0.0]),
        (1.0, [0.0, 0.0]),
        (0.0, [0.03, -0.05]),
        (1.0, [0.03, -0.05]),
        (0.5, [-0.02, 0.06]),
    ] {
        let model = solid("below").beside(solid("above")).unwrap();
        let model = model.with_gravity(Vector3::zeros());
        let material = Material::new(0.0, restitution);
        let sites = collision_sites(&model, &CollisionKind::ALL, material);
        let surfaces = collision_surfaces(&model, &CollisionKind::ALL, material);
        let contacts = Contacts::new(&model, sites, vec![], &[], Combination::Minimum)
            .and_then(|c| c.with_carried(surfaces, |_, _| true, Combination::Minimum))
            .unwrap();
        // The upper edge of the lower box runs along y, the lower one of the upper box along x.
        let mut simulation = Simulation::builder(model)
            .contacts(contacts)
            .law(Propagative::default())
            .time_step(1e-3)
            .position("below.qy", half.sin())
            .position("below.qw", half.cos())
            .position("above.qx", half.sin())
            .position("above.qw", half.cos())
            .position("above.x", place[0])
            .position("above.y", place[1])
            .position("above.z", 2.0 * edge + 0.01)
            .rate("above.vy", -half.sin() * half.cos() * 2.0)
            .rate(
                "above.vz",
                half.sin() * half.sin() - half.cos() * half.cos(),
            )
            .build()
            .unwrap();
        let momentum = |simulation: &mut Simulation| {
            simulation.velocity().unwrap();
            spatial_momentum(simulation.model(), simulation.kinematics())
        };
        let before = momentum(&mut simulation);
        assert!((before.linear - Vector3::new(0.0, 0.0, -1.0)).norm() < 1e-12);
        for _ in 0..20 {
            simulation.advance().unwrap();
        }
        assert_eq!(simulation.state().impacts, 1, "{restitution} {place:?}");
        let after = momentum(&mut simulation);
        let change =
            (after.linear - before.linear).norm() + (after.angular - before.angular).norm();
        assert!(change < 1e-12, "{change:e}");
        // A cube turns alike about all axes: m a²/6. The levers are across the edges.
        let inertia = 0.04 / 6.0;
        let levers = place[0] * place[0] + place[1] * place[1];
        let effective = 1.0 / (2.0 + levers / inertia);
        let impulse = (1.0 + restitution) * effective;
        let events = simulation.take_events();
        let struck: f64 = events
            .iter()
            .filter_map(|event| event.impact.as_ref())
            .flat_map(|impact| impact.impulses.iter().map(|x| x[0]))
            .sum();
        assert!((struck - impulse).abs() < 1e-10, "{struck} {impulse}");
    }
}

/// A pile of two boxes that fall on a narrow wall and on each other: however they turn, they do not come into each other, nor
/// into the wall.
#[test]
fn turned_boxes_fall_on_each_other_in_all_ways_and_never_gain() {
    let size = [0.2, 0.15, 0.3];
    for k in 0..10 {
        let turn = |i: usize| [0.7 * (k + i) as f64, 0.4 + 0.3 * k as f64, 1.1 * i as f64];
        let tables = [
            cube("a", [0.0, 0.0, 0.2], turn(1)),
            object("b", size, [0.03, 0.02, 0.65], turn(2), ""),
            stone("wall", [-0.05, -0.5, -0.3], [0.05, 0.5, -0.01]),
            GROUND.replace("name", "point = [0.0, 0.0, -0.3]\nname"),
        ];
        let mut simulation = experiment(0.4, &tables.concat()).simulation().unwrap();
        let wall = Pose::new(nalgebra::Matrix3::identity(), [0.0, 0.0, -0.155].into());
        let wall = (wall, [0.1, 1.0, 0.29]);
        for step in 0..800 {
            let before = energy(&mut simulation);
            simulation.advance().unwrap();
            let switched = !simulation.take_events().is_empty();
            let allowed = if switched { SWITCH } else { RISE };
            let after = energy(&mut simulation);
            assert!(after < before + allowed, "{k}: {step} {before} {after}");
            let [a, b] = [("a", [0.2; 3]), ("b", size)].map(|(n, s)| placed(&simulation, n, s));
            let nearest = apart(&a, &b).min(apart(&a, &wall)).min(apart(&b, &wall));
            assert!(nearest > -1e-6, "{k}: {step} {nearest:e}");
        }
    }
}

/// A corner that rises past the level of the step below, up to which another box covers the side of the step beside it; edges
/// that cross only within a step of a box that turns.
#[test]
fn corners_and_edges_that_pass_each_other_within_a_step_go_into_nothing() {
    let step = |name: &str, min: [f64; 3], max: [f64; 3]| (name.to_string(), min, max);
    let cases = [
        (
            "propagative",
            0.5,
            0.5,
            [0.2, 0.1, 0.3],
            [-0.029_210_966_430_706_75, 0.0, 0.355_145_462_502_312_9],
            [
                0.069_589_518_419_098_76,
                -0.020_646_842_030_242_14,
                0.228_958_726_593_443_18,
            ],
            [-0.299_938_012_577_109_3, 0.0, 0.350_164_263_166_397_76],
            [
                -6.928_901_431_109_152,
                -3.986_209_043_120_188,
                -0.216_179_411_854_461_55,
            ],
            vec![
                step("low", [-0.1, -0.5, 0.0], [0.1, 0.5, 0.2]),
                step("high", [0.1, -0.5, 0.0], [0.3, 0.5, 0.3]),
            ],
        ),
        (
            "max-dissipation",
            1.0,
            0.0,
            [
                0.239_439_960_578_104_6,
                0.298_335_289_804_759_3,
                0.233_837_300_495_230_88,
            ],
            [
                0.182_046_910_603_662_9,
                -0.059_349_214_594_988_375,
                0.544_173_662_016_432_6,
            ],
            [
                -2.430_587_047_500_009_3,
                -1.723_434_683_148_337_6,
                -2.627_021_452_783_71,
            ],
            [
                0.179_155_524_546_604,
                -0.056_421_730_877_593_27,
                -0.620_578_915_352_761_2,
            ],
            [
                -0.222_967_671_945_008_27,
                0.180_584_675_689_194_9,
                0.227_867_240_431_728_04,
            ],
            vec![
                step("low", [-0.5, -0.5, 0.0], [-0.02, 0.5, 0.2]),
                step("high", [0.05, -0.5, 0.0], [0.5, 0.5, 0.25]),
            ],
        ),
    ];
    for (law, friction, restitution, size, position, rpy, velocity, spin, stones) in cases {
        let motion = format!("velocity = {velocity:?}\nspin = {spin:?}");
        let tables = format!(
            "[contact]\nfriction = {friction:?}\n{}{}{}{GROUND}",
            if law == "propagative" {
                format!("restitution = {restitution:?}\n")
            } else {
                String::new()
            },
            object("a", size, position, rpy, &motion),
            stones
                .iter()
                .map(|(name, min, max)| stone(name, *min, *max))
                .collect::<String>(),
        );
        let mut simulation = by_law(law, &tables).simulation().unwrap();
        let start = energy(&mut simulation);
        for k in 0..600 {
            simulation.advance().unwrap();
            let own = placed(&simulation, "a", size);
            for (name, min, max) in &stones {
                let [min, max] = [min, max].map(|x| Vector3::from(*x));
                let place = Pose::new(nalgebra::Matrix3::identity(), (min + max) * 0.5);
                let gap = apart(&own, &(place, (max - min).into()));
                assert!(gap > -1e-6, "{law} {k} {name}: {gap:e}");
            }
            let now = energy(&mut simulation);
            assert!(now < start + 1e-4 * start.abs(), "{law} {k}: {start} {now}");
        }
    }
}

/// A toe that comes down beside an edge, passes it by a hair, and is drawn into the side by a weight of 1 g before the step
/// ends: what presses on it presses across the side, without friction, so that it comes down as fast as ever.
#[test]
fn a_corner_that_passes_an_edge_may_go_into_the_other_face_later() {
    let point = "<robot name=\"point\"><link name=\"body\"><inertial><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link></robot>";
    let ledge = stone("ledge", [-1.0, -1.0, -1.0], [1.0, 0.0, 0.0]);
    let fall = |above: f64, beside: f64, down: f64, away: f64| {
        let text = format!(
            "time_step = 2e-3\nduration = 0.02\n[robot]\nfile = \"point.urdf\"\nbase = \"floating\"\n\
             gravity = [0.0, {:?}, 0.0]\n[initial.base]\nposition = [0.0, {:?}, {:?}]\n\
             twist = [0.0, {away:?}, {:?}, 0.0, 0.0, 0.0]\n[impact]\nlaw = \"plastic\"\n[contact]\nfriction = 0.0\n\
             [[contact.site]]\nname = \"toe\"\nlink = \"body\"\nkind = \"point\"\nposition = [0.0, -0.1, -0.1]\n{ledge}",
            -WEIGHT,
            0.1 + beside,
            0.1 + above,
            -down
        );
        let scenario = Scenario::parse("point.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("point.toml", scenario, point).unwrap();
        let mut simulation = experiment.simulation().unwrap();
        let start = simulation.state().q[2];
        simulation.run_until(0.02, &mut Unwatched).unwrap();
        assert!(deepest(&simulation) > -1e-9);
        // Roundings of the height, and of ten steps each solved to 1e-10 of the momentum.
        let missed = simulation.state().q[2] - (start - 0.02 * down);
        assert!(
            missed.abs() < 1e-10,
            "{above:e} {beside:e} {down} {away}: {missed:e}"
        );
    };
    for [above, beside] in [
        [2e-13, 4e-13],
        [2e-13, 1e-10],
        [8e-13, 8e-13],
        [8e-13, 5e-9],
    ] {
        for down in [0.1, 0.5, 2.0] {
            for away in [1e-4, 1e-3, 2e-3] {
                fall(above, beside, down, away);
            }
        }
    }
}

/// Three dominoes of one width in a row: the upper corners of one lie on the border of the face of the next, from which a
/// rounding would turn them to its sides, between which nothing holds. All fall, without a gain of energy.
#[test]
fn aligned_dominoes_fall_on_each_other() {
    let size = [0.03, 0.1, 0.2];
    let (s, c) = 0.3_f64.sin_cos();
    let leaning = [0.1 * s - 0.015 * c + 0.015, 0.0, 0.1 * c + 0.015 * s + 1e-6];
    let dominoes = [
        object("first", size, leaning, [0.0, 0.3, 0.0], ""),
        object("second", size, [0.1, 0.0, 0.1], [0.0; 3], ""),
        object("third", size, [0.2, 0.0, 0.1], [0.0; 3], ""),
    ];
    let tables = format!("{}{GROUND}", dominoes.concat());
    let mut simulation = experiment(0.2, &tables).simulation().unwrap();
    let [_, depth] = run(&mut simulation, 700);
    assert!(depth > -1e-9, "{depth}");
    let q = &simulation.state().q;
    // Their axes lean by more than half a radian: cos 0.5 is 1 - 2 (x² + y²) of the quaternion.
    for own in q.chunks(7) {
        let upright = 1.0 - 2.0 * (own[3] * own[3] + own[4] * own[4]);
        assert!(upright < 0.5_f64.cos(), "{own:?}");
    }
    let counts = simulation.solver_counts();
    let unsolved = counts
        .friction
        .iter()
        .find(|(name, _)| name.as_ref() == "unsolved");
    assert!(unsolved.is_some_and(|(_, count)| *count == 0), "{counts:?}");
}

/// A ball that comes down beside the border of a stair is over its top when the step begins and over its edge when it touches that:
/// one strike, located as any other. Over the top it is beyond the edge and below the plane of the face by then.
#[test]
fn a_ball_that_strikes_an_edge_from_over_the_face_is_located_once() {
    let (radius, height, fall, start) = (0.05, 0.06, 3.0, 0.3);
    let time = ((fall * fall + 2.0 * WEIGHT * (start - radius - height)).sqrt() - fall) / WEIGHT;
    for speed in [0.5, 0.9, 1.3, 1.8, 2.4] {
        for beyond in [5e-4, 1e-3, 2e-3, 3e-3] {
            let from = 0.1 + beyond - speed * time;
            let tables = format!(
                "{}[contact]\nfriction = 0.5\n[[object]]\nname = \"ball\"\nkind = \"sphere\"\nmass = 0.5\nradius = {radius:?}\n\
                 position = [{from:?}, 0.0, {start:?}]\nvelocity = [{speed:?}, 0.0, {:?}]\n",
                stone("stair", [-0.9, -0.3, -0.1], [0.1, 0.3, height]),
                -fall
            );
            let mut simulation = stepped(4e-3, &tables).simulation().unwrap();
            for _ in 0..20 {
                simulation.advance().unwrap();
            }
            let counts = simulation.solver_counts();
            let what = format!("{speed} {beyond}: {counts:?}");
            assert_eq!(simulation.state().impacts, 1, "{what}");
            // The cubic's root, which the edge bends away from, and secant steps from there.
            assert_eq!(counts.located_events, 1, "{what}");
            assert!(counts.event_solves <= 4, "{what}");
        }
    }
}

/// Boxes of one height and in one line have corners in each other's borders, a wall that is thinner than a box is in no corner of it, and of a rod through a disc neither side nor ends are in the other; what touches, to a nanometre, is
/// no overlap.
#[test]
fn shapes_that_overlap_at_the_start_are_refused() {
    let wall = stone("wall", [1.0, -0.01, 0.0], [2.0, 0.01, 0.5]);
    let start = |first: String, second: String| {
        let tables = format!("{GROUND}{wall}{first}{second}");
        let scene = experiment(0.5, &tables);
        scene
            .simulation()
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let first = || cube("first", [0.0, 0.0, 0.1], [0.0; 3]);
    let second = |at| cube("second", at, [0.0; 3]);
    let disc = || can("first", [0.1, 0.025], [0.0, 0.0, 0.5], [0.0; 3]);
    let rod = |at| can("second", [0.03, 0.2], at, [0.0; 3]);
    for (bodies, words) in [
        (
            [first(), second([0.1, 0.0, 0.1])],
            ["second_box_0@first", "is 1e-1 m below"],
        ),
        (
            [first(), second([0.0, 0.199, 0.1])],
            ["first_box_2@second", "e-3 m below"],
        ),
        (
            [first(), second([1.5, 0.0, 0.1])],
            ["\"second\" and \"wall\"", "overlap by 1.1e-1 m"],
        ),
        // The rod comes out sideways after 0.03 + 0.1 − 0.01 m, or along itself after 0.225 m.
        (
            [disc(), rod([0.01, 0.0, 0.5])],
            ["\"first\" and \"second\"", "overlap by 1.2"],
        ),
    ] {
        let [first, second] = bodies;
        let error = start(first, second).unwrap_err();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    for at in [
        [0.2, 0.1, 0.1],
        [0.1, 0.0, 0.3],
        [0.0, 0.2 - 1e-10, 0.1],
        [0.9, 0.0, 0.1],
    ] {
        assert_eq!(start(first(), second(at)), Ok(()), "{at:?}");
    }
    for at in [
        [0.13, 0.0, 0.5],
        [0.078, 0.104, 0.5],
        [0.0, 0.0, 0.725 - 1e-10],
    ] {
        assert_eq!(start(disc(), rod(at)), Ok(()), "{at:?}");
    }
}

/// Plates and rods, near each other but apart (by the fifteen axes along which two boxes come apart): no two of their edges are in each
/// other. Along the normal of some they are, by centimetres, which is not where these boxes would touch. Two plates of a run in which such a
/// pair struck, and random ones.
#[test]
fn edges_of_boxes_that_are_apart_are_not_in_each_other() {
    let sizes = [
        [0.02, 0.026, 0.25],
        [0.0134, 0.2552, 0.2137],
        [0.154, 0.1915, 0.0201],
    ];
    let plates = [
        [
            -0.1461069, -0.0402606, -0.0059147, 0.1932766, 0.0489278, 0.9060129, 0.3733508,
        ],
        [
            -0.0077739, 0.0253824, -0.0153215, 0.7201801, -0.2978513, 0.4599209, 0.4255561,
        ],
    ];
    let mut x = random(5);
    for pair in [[0, 1], [0, 2], [1, 2]] {
        let [one, two] = pair.map(|k| sizes[k]);
        let boxes = [
            object("one", one, [0.0, 0.0, 5.0], [0.0; 3], ""),
            object("two", two, [1.0, 0.0, 5.0], [0.0; 3], ""),
        ];
        let scene = experiment(0.5, &boxes.concat());
        let contacts = &scene.contacts;
        let mut kinematics = Kinematics::<f64>::new(&scene.model);
        let mut apart = 0;
        for case in 0..5_000 {
            let mut q = scene.q.clone();
            for (k, reach) in [(0, 0.0), (7, 0.12)] {
                let place = Vector3::new(reach * x(), reach * x(), 5.0 + reach * x());
                let turn = UnitQuaternion::from_scaled_axis(Vector3::new(x(), x(), x()) * 3.0);
                q[k..k + 3].copy_from_slice(place.as_slice());
                q[k + 3..k + 7].copy_from_slice(turn.coords.as_slice());
            }
            if case == 0 && pair == [1, 2] {
                q = plates.concat();
            }
            kinematics.update_placements(&scene.model, &q);
            let distance = apart_by([&q[..7], &q[7..14]], [one, two]);
            if !(0.0..0.02).contains(&distance) {
                continue;
            }
            apart += 1;
            for i in 0..contacts.len() {
                let gap = contacts.gap(&kinematics, i);
                let name = contacts.name(i);
                assert!(
                    gap >= -1e-6 || !contacts.is_present(&kinematics, i),
                    "{name} {case}: {gap} at a distance of {distance}"
                );
            }
        }
        assert!(apart > 100, "{pair:?}: {apart}");
    }
}

/// The most that two boxes at poses are apart along one of the axes of either or across two of them \[m\].
fn apart_by(poses: [&[f64]; 2], sizes: [[f64; 3]; 2]) -> f64 {
    let turns = poses.map(|q| turn(q).to_rotation_matrix().into_inner());
    let between = Vector3::from_fn(|k, _| poses[1][k] - poses[0][k]);
    let own = turns
        .iter()
        .flat_map(|turn| [0, 1, 2].map(|k| turn.column(k).into_owned()));
    let across = (0..9).map(|k| turns[0].column(k / 3).cross(&turns[1].column(k % 3)));
    let axes = own.chain(across).filter_map(|n| n.try_normalize(1e-9));
    let along = |n: Vector3<f64>| {
        let reach = |k: usize| {
            (0..3)
                .map(|i| 0.5 * sizes[k][i] * turns[k].column(i).dot(&n).abs())
                .sum::<f64>()
        };
        between.dot(&n).abs() - reach(0) - reach(1)
    };
    axes.map(along).fold(f64::NEG_INFINITY, f64::max)
}
