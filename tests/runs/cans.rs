//! Cylinders on cylinders: rims over sides and ends.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::loose::{GROUND, RISE, energy, experiment};

/// Radius and half of the length \[m\].
type Size = [f64; 2];

fn can(name: &str, [radius, half]: Size, position: [f64; 3], rpy: [f64; 3]) -> String {
    let length = 2.0 * half;
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"cylinder\"\nmass = 1.0\nradius = {radius:?}\nlength = {length:?}\n\
         position = {position:?}\nrpy = {rpy:?}\n"
    )
}

/// How deep a point of the rims of the second of two cylinders at poses is in the first.
fn depth([first, second]: [&[f64]; 2], [[radius, half], [own, own_half]]: [Size; 2]) -> f64 {
    let turn = |q: &[f64]| UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]));
    let place = |q: &[f64]| Vector3::new(q[0], q[1], q[2]);
    let depths = (0..1440).map(|k| {
        let (s, c) = (f64::from(k / 2) * std::f64::consts::TAU / 720.0).sin_cos();
        let end = if k % 2 == 0 { own_half } else { -own_half };
        let x = turn(second) * Vector3::new(own * c, own * s, end) + place(second);
        let x = turn(first).inverse() * (x - place(first));
        (radius - x.x.hypot(x.y)).min(half - x.z.abs())
    });
    depths.fold(0.0, f64::max)
}

/// A can comes down on a log that lies on the ground, on its rim or on its flat end, and falls off to the side or stays: neither
/// rim of either is ever in the other, and no energy comes from anywhere. What is looked at ends where its rim may come over that of
/// the other, which no contact is of.
#[test]
fn a_can_that_falls_on_a_log_is_not_in_it() {
    let sizes = [[0.05, 0.15], [0.05, 0.05]];
    for (place, turns) in [
        ([0.02, 0.0], [0.3, 0.4]),
        ([0.0, 0.02], [0.0, 0.0]),
        ([0.01, 0.0], [0.05, 0.2]),
    ] {
        let log = can(
            "log",
            sizes[0],
            [0.0, 0.0, 0.05],
            [std::f64::consts::FRAC_PI_2, 0.0, 0.0],
        );
        let own = can(
            "can",
            sizes[1],
            [place[0], place[1], 0.25],
            [turns[0], turns[1], 0.0],
        );
        let tables = [GROUND, &log, &own].concat();
        let mut simulation = experiment(0.4, &tables).simulation().unwrap();
        let mut before = energy(&mut simulation);
        let mut touched = false;
        for step in 0..500 {
            simulation.advance().unwrap();
            let now = energy(&mut simulation);
            assert!(now < before + RISE, "{place:?} {step}: {before} {now}");
            before = now;
            let state = simulation.state();
            let names = state
                .held
                .iter()
                .map(|held| simulation.contacts().name(held.contact));
            touched |= names.into_iter().any(|name| name.contains(":side@log"));
            let [log, can] = [&state.q[..7], &state.q[7..14]];
            let deepest = depth([log, can], sizes).max(depth([can, log], [sizes[1], sizes[0]]));
            assert!(deepest < 1e-9, "{place:?} {step}: {deepest}");
        }
        assert!(touched, "{place:?}");
    }
}

/// A can on a can along the same axis lies on it: flat, and as high as both.
#[test]
fn a_can_stands_on_a_can() {
    let size = [0.05, 0.05];
    let lower = can("lower", size, [0.0, 0.0, 0.05], [0.0; 3]);
    let upper = can("upper", size, [0.0, 0.0, 0.16], [0.0; 3]);
    let mut simulation = experiment(0.4, &[GROUND, &lower, &upper].concat())
        .simulation()
        .unwrap();
    for _ in 0..300 {
        simulation.advance().unwrap();
    }
    let q = &simulation.state().q;
    assert!((q[9] - 0.15).abs() < 1e-9, "{}", q[9]);
    assert!(q[10].hypot(q[11]) < 1e-9);
}
