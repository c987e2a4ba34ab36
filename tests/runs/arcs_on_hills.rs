//! Arcs that come to lie on bent ground, which they touch in several points between their ends, and with these.

use carom::contact::SmoothSurface;
use carom::scenario::{Experiment, Scenario};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::discs_on_hills::hills;
use crate::loose::energy;

const LEG: &str = r#"<robot name="leg"><link name="leg"><inertial><mass value="1"/>
    <inertia ixx="2e-3" iyy="3e-3" izz="2e-3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;

/// A leg in the plane of its own x and y, thrown.
struct Throw {
    position: [f64; 3],
    /// x, y, z, w
    turn: [f64; 4],
    twist: [f64; 6],
    friction: f64,
    radius: f64,
    ends: [f64; 2],
}

/// Of 700 points of the arc none is in the hills, whose rounding and what closed contacts are closed to are 1e-9 m; and there is no more
/// energy than before: of 3 J pieces in which a lowest point runs by at most 1/8 along the arc miss (1/8)³ at most.
#[test]
fn legs_that_lie_on_hills_are_not_in_them() {
    for Throw {
        position,
        turn: [x, y, z, w],
        twist,
        friction,
        radius,
        ends: [start, end],
    } in [
        Throw {
            position: [-0.106, -0.061, 0.3],
            turn: [0.98694575, -0.13807586, 0.08210512, 0.01148669],
            twist: [-0.4, 0.18, 0.0, -2.58, 1.82, 2.33],
            friction: 0.3,
            radius: 0.057,
            ends: [-0.148, 2.515],
        },
        Throw {
            position: [-0.285, 0.022, 0.3],
            turn: [0.99883470, -0.04497793, -0.01748139, -0.00078719],
            twist: [-0.79, -0.88, 0.0, 0.02, -0.42, 2.45],
            friction: 0.8,
            radius: 0.057,
            ends: [-0.194, 2.404],
        },
        Throw {
            position: [0.007, 0.048, 0.3],
            turn: [0.99837544, 0.00099838, -0.05696911, 0.00005697],
            twist: [-0.09, 0.53, 0.0, -1.39, 0.38, -2.28],
            friction: 0.0,
            radius: 0.069,
            ends: [-0.205, 3.036],
        },
        Throw {
            position: [0.094, 0.159, 0.3],
            turn: [0.98712665, -0.00641641, -0.15980842, -0.00103877],
            twist: [-0.6, 0.32, 0.0, -1.86, 1.09, -0.23],
            friction: 0.3,
            radius: 0.058,
            ends: [-0.101, 3.368],
        },
    ] {
        let text = format!(
            "time_step = 1e-3\nduration = 1.0\nrobot = {{ file = \"leg.urdf\", base = \"floating\" }}\n\
             impact = {{ law = \"max-dissipation\" }}\n\
             [initial.base]\nposition = {position:?}\nquaternion = [{x:?}, {y:?}, {z:?}, {w:?}]\ntwist = {twist:?}\n\
             [contact]\nfriction = {friction:?}\n\
             site = [{{ name = \"leg\", link = \"leg\", kind = \"arc\", axes = [[1, 0, 0], [0, 1, 0]], radius = {radius:?}, \
             start = {start:?}, end = {end:?} }}]\n\
             [[terrain]]\nkind = \"height-field\"\nname = \"hills\"\nsize = [4.0, 4.0]\norigin = [-2.0, -2.0]\n\
             cell = 0.05\nexpression = \"0.05*sin(4*x)*cos(3*y)\"\n"
        );
        let scenario = Scenario::parse("leg.toml", &text, &[]).expect("it is a scenario");
        let experiment = Experiment::with_robot("leg.toml", scenario, LEG);
        let mut simulation = (experiment.expect("it can be made").simulation()).expect("it starts");
        let field = hills(0.05);
        let mut before = energy(&mut simulation);
        let mut several = false;
        for step in 0..1000 {
            simulation.advance().expect("it goes on");
            let now = energy(&mut simulation);
            assert!(now < before + 6e-3, "{position:?} {step}: {before} {now}");
            before = now;
            let state = simulation.state();
            several |= state.held.len() > 1;
            let q = &state.q;
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]));
            let gaps = (0..=700).map(|k| {
                let (s, c) = (start + (end - start) * f64::from(k) / 700.0).sin_cos();
                let point = turn * (Vector3::new(c, s, 0.0) * radius);
                field
                    .proximity(&(point + Vector3::new(q[0], q[1], q[2])))
                    .distance
            });
            let gap = gaps.fold(f64::INFINITY, f64::min);
            assert!(gap > -1e-8, "{position:?} {step}: {gap}");
        }
        assert!(several, "{position:?}");
    }
}
