//! Capsules and cylinders that touch by their sides: over edges and corners of terrain, across each other and across boxes.

use carom::hybrid::Simulation;
use carom::scenario::{Experiment, Scenario};

const GROUND: &str = "[[terrain]]\nkind = \"plane\"\nname = \"ground\"\n";

/// A ridge of stone along y, 0.2 m high and 0.1 m wide.
const RIDGE: &str = "[[terrain]]\nkind = \"box\"\nname = \"ridge\"\nmin = [-0.05, -1.0, 0.0]\nmax = [0.05, 1.0, 0.2]\n";

fn experiment(friction: f64, restitution: f64, tables: &str) -> Experiment {
    let text = format!(
        "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"none.urdf\"\n[impact]\nlaw = \"max-dissipation\"\n[contact]\n\
         friction = {friction:?}\nrestitution = {restitution:?}\n{tables}"
    );
    let scenario = Scenario::parse("sides.toml", &text, &[]).unwrap();
    let none = "<robot name=\"none\"><link name=\"nothing\"/></robot>";
    Experiment::with_robot("sides.toml", scenario, none).unwrap()
}

/// A rod of one kilogram, 1 m long between its ends and 0.1 m thick.
fn rod(kind: &str, name: &str, position: [f64; 3], rpy: [f64; 3]) -> String {
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"{kind}\"\nmass = 1.0\nradius = 0.05\nlength = 1.0\nposition = {position:?}\n\
         rpy = {rpy:?}\n"
    )
}

const ALONG_X: [f64; 3] = [0.0, std::f64::consts::FRAC_PI_2, 0.0];
const ALONG_Y: [f64; 3] = [std::f64::consts::FRAC_PI_2, 0.0, 0.0];

fn energy(simulation: &mut Simulation) -> f64 {
    let energies = simulation.energies().unwrap();
    energies.kinetic + energies.potential
}

fn deepest(simulation: &Simulation) -> f64 {
    let (contacts, kinematics) = (simulation.contacts(), simulation.kinematics());
    let there = (0..contacts.len()).filter(|&i| contacts.is_present(kinematics, i));
    there.fold(0.0, |deepest: f64, i| {
        deepest.min(contacts.gap(kinematics, i))
    })
}

/// Runs, energy never rising by more than a step misses of what turns (θ³ at 10 rad/s and a millisecond: 1e-6 of 5 J), and says
/// how deep anything was in anything.
fn run(simulation: &mut Simulation, steps: usize, what: &str) -> f64 {
    let (mut now, mut depth) = (energy(simulation), 0.0_f64);
    for k in 0..steps {
        simulation
            .advance()
            .unwrap_or_else(|error| panic!("{what}, step {k}: {error}"));
        let next = energy(simulation);
        assert!(next < now + 1e-5, "{what}, step {k}: {now} {next}");
        now = next;
        depth = depth.min(deepest(simulation));
    }
    depth
}

#[test]
fn a_rod_rests_across_a_ridge() {
    for kind in ["capsule", "cylinder"] {
        for height in [0.25, 0.35] {
            // Its middle over the ridge: on both edges, 0.2 + 0.05 high.
            let tables = format!(
                "{}{RIDGE}{GROUND}",
                rod(kind, "rod", [0.01, 0.0, height], ALONG_X)
            );
            let mut simulation = experiment(0.5, 0.0, &tables).simulation().unwrap();
            let depth = run(&mut simulation, 600, kind);
            let q = &simulation.state().q;
            assert!((q[2] - 0.25).abs() < 1e-9, "{kind} {height}: {q:?}");
            assert!(depth > -1e-9, "{kind} {height}: {depth:e}");
        }
    }
}

#[test]
fn two_rods_lie_across_each_other() {
    for kinds in [
        ["capsule", "capsule"],
        ["capsule", "cylinder"],
        ["cylinder", "cylinder"],
    ] {
        let rods = [
            rod(kinds[0], "a", [0.0, 0.3, 0.05], ALONG_X),
            rod(kinds[0], "b", [0.0, -0.3, 0.05], ALONG_X),
            rod(kinds[1], "c", [0.02, 0.05, 0.25], ALONG_Y),
        ];
        let tables = format!("{}{GROUND}", rods.concat());
        let mut simulation = experiment(0.5, 0.0, &tables).simulation().unwrap();
        let depth = run(&mut simulation, 600, kinds[1]);
        let q = &simulation.state().q;
        assert!(
            (q[16] - 0.15).abs() < 1e-9 && depth > -1e-9,
            "{kinds:?}: {q:?} {depth:e}"
        );
    }
}

/// Beside stairs that cover each other's faces in part, a ball sees the gap of the last face jump where the cover begins.
#[test]
fn a_ball_that_falls_beside_stairs_meets_nothing_but_the_ground() {
    let stairs: String = (0..3)
        .map(|k| {
            let (x, top) = (0.3 * f64::from(k), 0.12 * f64::from(k + 1));
            format!(
                "[[terrain]]\nkind = \"box\"\nname = \"step{k}\"\nmin = [{:?}, -0.6, 0.0]\nmax = [{x:?}, 0.6, {top:?}]\n",
                x - 0.3
            )
        })
        .collect();
    let ball = "[[object]]\nname = \"ball\"\nkind = \"sphere\"\nmass = 1.0\nradius = 0.07\nposition = [-0.47, 0.63, 0.4]\n";
    let mut simulation = experiment(0.5, 0.0, &format!("{ball}{stairs}{GROUND}"))
        .simulation()
        .unwrap();
    let depth = run(&mut simulation, 400, "ball");
    let q = &simulation.state().q;
    assert!(
        (q[2] - 0.07).abs() < 1e-9 && depth > -1e-9,
        "{q:?} {depth:e}"
    );
    assert!(
        (q[0] + 0.47).abs().max((q[1] - 0.63).abs()) < 1e-12,
        "{q:?}"
    );
}
