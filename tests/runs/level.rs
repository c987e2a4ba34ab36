//! Upright bodies on one floor: their lower ends and corners are on a level, and rounding says which face of the other is nearer.

use carom::hybrid::Simulation;
use carom::scenario::{Experiment, Scenario};

use crate::loose::{GROUND, experiment};

/// A body of one kilogram that stands on the floor, 0.2 m wide.
fn standing(name: &str, kind: &str, x: f64, height: f64, rest: &str) -> String {
    let shape = match kind {
        "box" => format!("size = [0.2, 0.2, {height}]"),
        _ => format!("radius = 0.1\nlength = {height}"),
    };
    let middle = 0.5 * height;
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"{kind}\"\nmass = 1.0\n{shape}\nposition = [{x}, 0.0, {middle}]\n{rest}\n"
    )
}

/// One slides into the other without friction: both go on together at half of its speed, at a distance of both half widths.
#[test]
fn what_slides_into_an_upright_body_pushes_it() {
    for pushed in ["box", "cylinder"] {
        for (pushing, turn) in [("box", 0.0), ("cylinder", 0.0), ("cylinder", 0.3)] {
            for height in [0.2, 0.15] {
                let rest = format!("velocity = [-2.0, 0.0, 0.0]\nrpy = [0.0, 0.0, {turn}]");
                let tables = [
                    standing("pushed", pushed, 0.0, height, ""),
                    standing("pushing", pushing, 0.5, height, &rest),
                    GROUND.to_string(),
                ];
                let mut simulation = experiment(0.0, &tables.concat()).simulation().unwrap();
                advance(&mut simulation, 400);
                let (q, v) = (simulation.state().q.clone(), simulation.velocity().unwrap());
                let what = format!("{pushing} on {pushed} of {height}: {q:?} {v:?}");
                let speeds = [v[0].hypot(v[1]), v[6].hypot(v[7])];
                // Held gaps are closed to 1e-9 m, and stay so over a millisecond.
                let is_half = |speed: &f64| (speed - 1.0).abs() < 1e-6;
                assert!(speeds.iter().all(is_half), "{what}");
                assert!((q[7] - q[0] - 0.2).abs() < 1e-9, "{what}");
            }
        }
    }
}

fn advance(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
}

/// Two fingers of one height on rails, a long way beside the origins of their links, that close at 10 m/s.
fn fingers(shapes: [&str; 2], turn: f64) -> Experiment {
    let finger = |name: &str, shape: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"0.1\"/><inertia ixx=\"1e-4\" ixy=\"0\" ixz=\"0\" iyy=\"1e-4\" iyz=\"0\" izz=\"1e-4\"/></inertial><collision><origin xyz=\"0 0 0.05\"/><geometry>{shape}</geometry></collision></link>"
        )
    };
    let rail = |child: &str, x: f64, turn: f64| {
        let (s, c) = turn.sin_cos();
        let towards = -x.signum();
        format!(
            "<joint name=\"{child}_rail\" type=\"prismatic\"><parent link=\"palm\"/><child link=\"{child}\"/><origin xyz=\"{x} 0 0\" rpy=\"0 0 {turn}\"/><axis xyz=\"{} {} 0\"/><limit lower=\"0\" upper=\"0.05\" effort=\"9\" velocity=\"9\"/></joint>",
            towards * c,
            -towards * s
        )
    };
    let robot = [
        "<robot name=\"gripper\"><link name=\"palm\"/>".to_string(),
        finger("left", shapes[0]),
        finger("right", shapes[1]),
        rail("left", -0.05, 0.0),
        rail("right", 0.05, turn),
        "</robot>".to_string(),
    ];
    let text = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"gripper.urdf\"\nbase = \"fixed\"\n[initial.velocities]\nleft_rail = 5.0\nright_rail = 5.0\n[impact]\nlaw = \"plastic\"\n[contact]\nself = true\n";
    let scenario = Scenario::parse("gripper.toml", text, &[]).unwrap();
    Experiment::with_robot("gripper.toml", scenario, &robot.concat()).unwrap()
}

#[test]
fn fingers_of_one_height_close_on_each_other() {
    let (block, can) = (
        "<box size=\"0.025 0.025 0.055\"/>",
        "<cylinder radius=\"0.0125\" length=\"0.055\"/>",
    );
    // How far the right one reaches to the left of its middle: with a corner where it is turned.
    let (s, c) = 0.3_f64.sin_cos();
    for (shapes, turn, reach) in [
        ([block, block], 0.0, 0.0125),
        ([block, block], 0.3, 0.0125 * (c + s)),
        ([block, can], 0.3, 0.0125),
        ([can, block], 0.0, 0.0125),
        ([can, can], 0.3, 0.0125),
    ] {
        let mut simulation = fingers(shapes, turn).simulation().unwrap();
        advance(&mut simulation, 50);
        let q = &simulation.state().q;
        let apart = 0.1 - q[0] - q[1];
        let expected = 0.0125 + reach;
        assert!(
            (apart - expected).abs() < 1e-9,
            "{shapes:?} {apart} {expected}"
        );
    }
}
