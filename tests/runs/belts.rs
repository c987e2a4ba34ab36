//! What lands on surfaces that move.

use std::path::Path;

use carom::scenario::{Experiment, Scenario};

use crate::loose::{experiment, random};

/// Boxes that tumble onto a belt, four corners at once in the end, go along with it: friction brings them to its velocity.
#[test]
fn boxes_that_tumble_onto_a_belt_go_along_with_it() {
    let mut x = random(11);
    for drop in 0..24 {
        let belt = [0.7 * x(), 0.7 * x(), 0.0];
        let tables = format!(
            "[[terrain]]\nkind = \"plane\"\nname = \"belt\"\nmotion = {{ velocity = {belt:?} }}\n\
             [[object]]\nname = \"box\"\nkind = \"box\"\nsize = [0.15, 0.13, 0.1]\nmass = 1.0\nposition = [0.0, 0.0, 0.13]\n\
             rpy = {:?}\nspin = {:?}\n",
            [3.0 * x(), 1.5 * x(), 3.0 * x()],
            [4.0 * x(), 4.0 * x(), 4.0 * x()]
        );
        let mut simulation = experiment(0.6, &tables).simulation().unwrap();
        for step in 0..2000 {
            simulation
                .advance()
                .unwrap_or_else(|error| panic!("{drop}, step {step}: {error}"));
        }
        let velocity = simulation.velocity().unwrap();
        // In the frame of the box, whichever face it lies on.
        let speed = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [along, turn] = [speed(&velocity[..3]), speed(&velocity[3..6])];
        assert!(
            (along - speed(&belt)).abs() < 1e-6,
            "{drop}: {velocity:?} {belt:?}"
        );
        assert!(turn < 1e-6, "{drop}: {velocity:?}");
    }
}

/// A body of 1 kg on four small balls, with its square of the radius of gyration about the vertical axis.
const SLED: &str = r#"<robot name="sled"><link name="sled">
  <inertial><mass value="1"/><inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0.05 0.05 -0.04"/><geometry><sphere radius="0.01"/></geometry></collision>
  <collision><origin xyz="0.05 -0.05 -0.04"/><geometry><sphere radius="0.01"/></geometry></collision>
  <collision><origin xyz="-0.05 0.05 -0.04"/><geometry><sphere radius="0.01"/></geometry></collision>
  <collision><origin xyz="-0.05 -0.05 -0.04"/><geometry><sphere radius="0.01"/></geometry></collision>
</link></robot>"#;

/// A sled that falls across two belts which run apart, slowly turned by little friction: no motion of it goes along with both.
/// Its feet at y = ±a are rubbed along ±x by μ m g/2 on each side as long as it has been falling, with the impulse of its
/// impact, so that I ω = −a μ m g t, however feet share the weight of a side.
#[test]
fn a_sled_that_falls_across_two_belts_is_turned_by_both() {
    let [arm, friction, time] = [0.05_f64, 1e-3, 0.1];
    let belt = |name: &str, [low, high]: [f64; 2], speed: f64| {
        format!(
            "[[terrain]]\nkind = \"box\"\nname = \"{name}\"\nmin = [-2.0, {low:?}, -0.1]\nmax = [2.0, {high:?}, 0.0]\n\
             motion = {{ velocity = [{speed:?}, 0.0, 0.0] }}\n"
        )
    };
    let text = format!(
        "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"sled.urdf\"\nbase = \"floating\"\n[initial.base]\n\
         position = [0.0, 0.0, 0.07]\n[impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = {friction:?}\n\
         restitution = 0.0\ncollisions = [\"sphere\"]\n{}{}",
        belt("left", [0.001, 1.0], 0.3),
        belt("right", [-1.0, -0.001], -0.3)
    );
    let scenario = Scenario::parse("sled.toml", &text, &[]).unwrap();
    let experiment = Experiment::with_robot("sled.toml", scenario, SLED).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    let start = simulation.energies().unwrap().balance();
    for step in 0..100 {
        simulation
            .advance()
            .unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
    let rate = simulation.velocity().unwrap()[5];
    let expected = -arm * friction * 9.81 * time / 0.002;
    // Feet move along y as well, and are held back by the share ω a/0.3 of their friction at most.
    let across = (expected * arm / 0.3).abs();
    let missing = 1.0 - rate / expected;
    assert!((0.0..across).contains(&missing), "{rate} {expected}");
    // Of the surfaces' heavy coordinate 1e9 times the digits of the energy of a body that moves at 0.3 m/s are lost.
    let balance = simulation.energies().unwrap().balance();
    assert!((balance - start).abs() < 1e-7, "{balance} {start}");
}

/// A robot with dry joints that moves along with a belt, and falls on it, does what it does on ground at rest: in the frame of the
/// belt nothing is different. From the first touches on roundings and the moments of events differ, by 2e-9 rad, and the impacts of
/// the fall let that grow to 1e-6; a speed that is not of the frame makes 1e-2.
#[test]
fn a_robot_with_dry_joints_falls_on_a_belt_as_on_ground_at_rest() {
    let [mut still, mut moving] = [
        ["[0.2,0.1,0.0,0.1,0.2,0.3]", "[0.0,0.0,0.0]"],
        ["[0.7,-0.2,0.0,0.1,0.2,0.3]", "[0.5,-0.3,0.0]"],
    ]
    .map(|[twist, belt]| {
        let settings = [
            format!("initial.base.twist={twist}"),
            format!("terrain.0.motion={{velocity={belt}}}"),
            "robot.joint.*.friction=0.4".to_string(),
        ];
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/collapse.toml");
        let scenario = Scenario::read(&path, &settings).unwrap();
        let experiment = Experiment::new("collapse.toml", scenario).unwrap();
        experiment.simulation().unwrap()
    });
    let mut touched = false;
    for step in 0..400 {
        let at = [&mut still, &mut moving].map(|simulation| {
            simulation.advance().unwrap();
            simulation.state().q[7..].to_vec()
        });
        touched |= !still.state().held.is_empty();
        for (a, b) in at[0].iter().zip(&at[1]) {
            assert!((a - b).abs() < 1e-5, "step {step}: {a} {b}");
        }
    }
    assert!(touched);
}
