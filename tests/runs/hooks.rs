//! Arcs that hook over an edge while an end of them is held.

use carom::hybrid::Unwatched;
use carom::scenario::{Experiment, Scenario};

const ROBOT: &str = r#"<robot name="hook"><link name="base"/>
    <link name="slide"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="hook"><inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="slide"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="10" velocity="10"/></joint>
    <joint name="z" type="prismatic"><parent link="slide"/><child link="hook"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="10"/></joint></robot>"#;
/// Masses that move along x and z \[kg\].
const MASSES: [f64; 2] = [1.1, 1.0];
/// Of the arc, and how far its centre is inside of the side of the stone \[m\].
const RADIUS: f64 = 0.085;
const BESIDE: f64 = 0.05;

/// Its lower end, held by the side of a stone against which a spring presses it, slides down until its middle is on the edge. There
/// the impact is a projection in the kinetic metric, along the line from the edge to the centre.
#[test]
fn an_arc_slides_down_the_side_of_a_stone_until_it_hooks_over_the_edge() {
    let start = -(BESIDE / RADIUS).acos();
    let scenario = format!(
        "time_step = 1e-5\nduration = 0.3\nspring = [{{ joint = \"x\", stiffness = 100.0, rest = -0.15 }}]\n\
         robot = {{ file = \"hook.urdf\" }}\ninitial = {{ joints = {{ x = -{BESIDE}, z = -{BESIDE} }} }}\n\
         impact = {{ law = \"plastic\" }}\n[contact]\nfriction = 0.0\n\
         site = [{{ name = \"hook\", link = \"hook\", kind = \"arc\", axes = [[1, 0, 0], [0, 0, 1]], radius = {RADIUS}, \
         start = {start:?}, end = 1.8 }}]\n\
         [[terrain]]\nkind = \"box\"\nname = \"stone\"\nmin = [-1.0, -1.0, -1.0]\nmax = [0.0, 1.0, 0.0]\n"
    );
    let scenario = Scenario::parse("hook.toml", &scenario, &[]).expect("it is a scenario");
    let experiment = Experiment::with_robot("hook.toml", scenario, ROBOT);
    let mut simulation = experiment
        .expect("it can be made")
        .simulation()
        .expect("it starts");
    let lowest = -(RADIUS * RADIUS - BESIDE * BESIDE).sqrt();
    let gravity = 9.81;
    let touch = (2.0 * (-BESIDE - lowest) / gravity).sqrt();
    let mut at = |time: f64| {
        simulation
            .run_until(time, &mut Unwatched)
            .expect("it goes on");
        let state = simulation.state();
        (
            state.time,
            [state.q[0], state.q[1]],
            [state.p[0], state.p[1]],
        )
    };
    // A parabola, for which the midpoint rule is exact; steps are solved to 1e-10 of their momentum.
    let (time, q, _) = at(touch - 2e-5);
    assert!(time < touch);
    let fallen = -BESIDE - 0.5 * gravity * time * time;
    assert!((q[1] - fallen).abs() < 1e-9, "{q:?}, {fallen}");
    // The end is off after that: n·v is gone, of what is left the spring and gravity change no more than this in so short a time.
    let (time, _, p) = at(touch);
    let normal = [BESIDE / RADIUS, -lowest / RADIUS];
    let inverse = normal[0] * normal[0] / MASSES[0] + normal[1] * normal[1] / MASSES[1];
    let speed = -gravity * touch;
    let impulse = -normal[1] * speed / inverse;
    let slack = (time - touch) * (MASSES[0] * gravity + 100.0 * 0.15);
    assert!((p[0] - impulse * normal[0]).abs() < slack, "{p:?}");
    let along_z = MASSES[1] * speed + impulse * normal[1];
    assert!((p[1] - along_z).abs() < slack, "{p:?}");
    // Hung on the edge, or lifted from it: closed contacts are closed to 1e-9 m.
    let (_, q, _) = at(0.3);
    assert!(q[0].hypot(q[1]) - RADIUS <= 1e-9, "{q:?}");
}
