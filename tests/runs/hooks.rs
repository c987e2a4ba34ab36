//! Arcs that hook over an edge while an end of them is held, and over what is round.

use carom::hybrid::Unwatched;
use carom::scenario::{Experiment, Scenario};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use crate::loose::random;

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

/// A capsule anywhere beside a fixed arc, within its bend and outside: the gap is the least distance of 20001 points of the arc, of which
/// one is within δ = 1.6e-5 m of the nearest, so that they are farther by δ² (1/r + 1/R)/2 < 1e-8 m at most.
#[test]
fn the_gap_beside_a_capsule_is_that_of_the_nearest_point() {
    const ARC: [f64; 3] = [0.2, -0.72, 2.38];
    let [radius, start, end] = ARC;
    let robot = r#"<robot name="hoop"><link name="hoop"/></robot>"#;
    let mut next = random(5);
    let mut within = 0;
    for length in [0.0, 0.2] {
        for _ in 0..60 {
            let [x, y, z] = [0.25 * next(), 0.1 * next(), 0.25 * next()];
            let [roll, pitch] = [3.0 * next(), 1.5 * next()];
            let body = if length > 0.0 {
                format!("kind = \"capsule\", length = {length:?}")
            } else {
                "kind = \"sphere\"".to_string()
            };
            let text = format!(
                "time_step = 1e-3\nduration = 0.1\nrobot = {{ file = \"hoop.urdf\", gravity = [0.0, 0.0, 0.0] }}\n\
                 impact = {{ law = \"plastic\" }}\n\
                 object = [{{ name = \"o\", {body}, radius = 0.03, mass = 1.0, position = [{x:?}, {y:?}, {z:?}], \
                 rpy = [{roll:?}, {pitch:?}, 0.0] }}]\n[contact]\nfriction = 0.0\n\
                 site = [{{ name = \"s\", link = \"hoop\", kind = \"arc\", radius = {radius:?}, axes = [[1, 0, 0], [0, 0, 1]], \
                 start = {start:?}, end = {end:?} }}]\n"
            );
            let scenario = Scenario::parse("hoop.toml", &text, &[]).expect("it is a scenario");
            let experiment = Experiment::with_robot("hoop.toml", scenario, robot);
            // Some are in each other.
            let Ok(simulation) = experiment.expect("it can be made").simulation() else {
                continue;
            };
            let contacts = simulation.contacts();
            let nearest = (0..contacts.len()).find(|i| contacts.name(*i) == "s@o");
            let found = contacts.gap(simulation.kinematics(), nearest.expect("it is listed"));
            let center = Vector3::new(x, y, z);
            let axis = Rotation3::from_euler_angles(roll, pitch, 0.0) * Vector3::z();
            let distances = (0..=20_000).map(|k| {
                let (s, c) = (start + (end - start) * f64::from(k) / 20_000.0).sin_cos();
                let between = Vector3::new(radius * c, 0.0, radius * s) - center;
                let along = between.dot(&axis).clamp(-0.5 * length, 0.5 * length);
                (between - axis * along).norm() - 0.03
            });
            let least = distances.fold(f64::INFINITY, f64::min);
            assert!(
                (found - least).abs() < 1e-8,
                "{center} {roll} {pitch}: {found} {least}"
            );
            within += usize::from(center.norm() < radius);
        }
    }
    assert!(within > 20, "{within}");
}

/// Of all contacts that are there at the start \[m\].
fn least_gap(experiment: &Experiment) -> f64 {
    let simulation = experiment.simulation().expect("it starts");
    let (contacts, kinematics) = (simulation.contacts(), simulation.kinematics());
    let gaps = (0..contacts.len())
        .filter(|i| contacts.is_present(kinematics, *i))
        .map(|i| contacts.gap(kinematics, i));
    gaps.fold(f64::INFINITY, f64::min)
}

/// A can anywhere beside a fixed arc, within its bend and outside: the least gap of the contacts that are there is the least distance of
/// 20001 points from it, the nearest of which is farther by as much as above at most. Where the arc is parallel to a rim that is nearest
/// to it nothing is across both, and no contact is there: they do not touch so.
#[test]
fn the_least_gap_beside_a_can_is_that_of_the_nearest_point() {
    let robot = r#"<robot name="hoop"><link name="hoop"/></robot>"#;
    let mut next = random(6);
    let (radius, can, half) = (0.2, 0.03, 0.05);
    let (mut within, mut parallel, mut all) = (0, 0, 0);
    for k in 0..400 {
        let [x, y, z] = [0.25 * next(), 0.1 * next(), 0.25 * next()];
        let [roll, pitch] = [3.0 * next(), 1.5 * next()];
        let [start, end] = if k % 2 == 0 {
            [-0.72, 2.38]
        } else {
            [-3.0, 0.1]
        };
        let thickness = if k % 3 == 0 { 0.004 } else { 0.0 };
        let text = format!(
            "time_step = 1e-3\nduration = 0.1\nrobot = {{ file = \"hoop.urdf\", gravity = [0.0, 0.0, 0.0] }}\n\
             impact = {{ law = \"plastic\" }}\n\
             object = [{{ name = \"o\", kind = \"cylinder\", length = {:?}, radius = {can}, mass = 1.0, \
             position = [{x:?}, {y:?}, {z:?}], rpy = [{roll:?}, {pitch:?}, 0.0] }}]\n[contact]\nfriction = 0.0\n\
             site = [{{ name = \"s\", link = \"hoop\", kind = \"arc\", radius = {radius:?}, axes = [[1, 0, 0], [0, 0, 1]], \
             start = {start:?}, end = {end:?}, thickness = {thickness:?} }}]\n",
            2.0 * half
        );
        let scenario = Scenario::parse("hoop.toml", &text, &[]).expect("it is a scenario");
        let experiment = Experiment::with_robot("hoop.toml", scenario, robot);
        let center = Vector3::new(x, y, z);
        let out = Rotation3::from_euler_angles(roll, pitch, 0.0).inverse();
        let distances = (0..=20_000).map(|k| {
            let (s, c) = (start + (end - start) * f64::from(k) / 20_000.0).sin_cos();
            let seen = out * (Vector3::new(radius * c, 0.0, radius * s) - center);
            let [side, end] = [seen.xy().norm() - can, seen.z.abs() - half];
            let outside = side.max(0.0).hypot(end.max(0.0));
            outside + side.max(end).min(0.0) - thickness
        });
        let least = distances.fold(f64::INFINITY, f64::min);
        if least < 0.0 {
            continue;
        }
        let found = least_gap(&experiment.expect("it can be made"));
        assert!(found > least - 1e-8, "{k}: {found} {least}");
        parallel += usize::from(found > least + 1e-8);
        within += usize::from(center.norm() < radius);
        all += 1;
    }
    assert!(all > 200 && within > 50, "{within} of {all}");
    // Tangents within 0.02 rad of each other, either way round.
    assert!(parallel * 50 < all, "{parallel} of {all}");
}

/// A thick arc anywhere beside a box: the least gap of the contacts that are there is the least distance of 20001 points from the box, as
/// above. Half of them nearly along an edge, over which thin arcs have no nearest point.
#[test]
fn the_least_gap_of_a_tube_beside_a_box_is_that_of_the_nearest_point() {
    let robot = r#"<robot name="hoop"><link name="hoop"><inertial><mass value="1"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    let mut next = random(7);
    let [radius, start, end] = [0.1_f64, -3.0, 0.1];
    let mut all = 0;
    for k in 0..400 {
        let thickness = if k % 2 == 0 { 0.01 } else { 0.001 };
        let turn = if k % 4 < 2 { 1e-3 } else { 1.0 };
        let [roll, pitch, yaw] = [turn * next(), 2.0 * next(), turn * next()];
        let [x, y, z] = [0.3 * next(), 0.015 * next(), radius + 0.02 * next()];
        let turned = Rotation3::from_euler_angles(roll, pitch, yaw);
        let q = UnitQuaternion::from_rotation_matrix(&turned);
        let text = format!(
            "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"hoop.urdf\"\nbase = \"floating\"\n\
             [initial.base]\nposition = [{x:?}, {y:?}, {z:?}]\nquaternion = [{:?}, {:?}, {:?}, {:?}]\n\
             [impact]\nlaw = \"plastic\"\n[contact]\nfriction = 0.0\n\
             site = [{{ name = \"s\", link = \"hoop\", kind = \"arc\", radius = {radius:?}, axes = [[1, 0, 0], [0, 0, 1]], \
             start = {start:?}, end = {end:?}, thickness = {thickness:?} }}]\n\
             [[terrain]]\nkind = \"box\"\nname = \"b\"\nmin = [-0.3, -0.3, -0.1]\nmax = [0.3, 0.0, 0.0]\n",
            q.i, q.j, q.k, q.w
        );
        let scenario = Scenario::parse("hoop.toml", &text, &[]).expect("it is a scenario");
        let experiment = Experiment::with_robot("hoop.toml", scenario, robot);
        let distances = (0..=20_000).map(|k| {
            let (s, c) = (start + (end - start) * f64::from(k) / 20_000.0).sin_cos();
            let place = Vector3::new(x, y, z) + turned * Vector3::new(radius * c, 0.0, radius * s);
            let middle = Vector3::new(0.0, -0.15, -0.05);
            let beyond = (place - middle).abs() - Vector3::new(0.3, 0.15, 0.05);
            beyond.sup(&Vector3::zeros()).norm() + beyond.max().min(0.0) - thickness
        });
        let least = distances.fold(f64::INFINITY, f64::min);
        if least < 0.0 {
            continue;
        }
        let found = least_gap(&experiment.expect("it can be made"));
        // The nearest of the points is within 8e-6 m, and what it is over as near as the tube is thick at least.
        assert!((found - least).abs() < 4e-8, "{k}: {found} {least}");
        all += 1;
    }
    assert!(all > 150, "{all}");
}
