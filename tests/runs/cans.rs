//! Cylinders on cylinders: rims over sides, ends and rims.

use carom::dynamics::spatial_momentum;
use carom::hybrid::Simulation;
use nalgebra::Vector3;

use crate::loose::{
    GROUND, RISE, deepest, energy, experiment, random, stepped, stepped_in_little_weight, turn,
    under,
};

/// Radius and half of the length \[m\].
type Size = [f64; 2];

pub fn can(name: &str, [radius, half]: Size, position: [f64; 3], rpy: [f64; 3]) -> String {
    let length = 2.0 * half;
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"cylinder\"\nmass = 1.0\nradius = {radius:?}\nlength = {length:?}\n\
         position = {position:?}\nrpy = {rpy:?}\n"
    )
}

/// How deep a point of the rims of the second of two cylinders at poses is in the first.
fn depth([first, second]: [&[f64]; 2], [[radius, half], [own, own_half]]: [Size; 2]) -> f64 {
    let place = |q: &[f64]| Vector3::new(q[0], q[1], q[2]);
    let back = turn(first).inverse();
    let between = back * (place(second) - place(first));
    if between.norm() > radius.hypot(half) + own.hypot(own_half) {
        return 0.0;
    }
    let turned = (back * turn(second)).to_rotation_matrix();
    let depths = (0..1440).map(|k| {
        let (s, c) = (f64::from(k / 2) * std::f64::consts::TAU / 720.0).sin_cos();
        let end = if k % 2 == 0 { own_half } else { -own_half };
        let x = turned * Vector3::new(own * c, own * s, end) + between;
        (radius - x.x.hypot(x.y)).min(half - x.z.abs())
    });
    depths.fold(0.0, f64::max)
}

/// A can comes down on a log that lies on the ground, on its rim or on its flat end, and falls off to the side or stays: neither
/// rim of either is ever in the other, and no energy comes from anywhere.
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
        for step in 0..1000 {
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

/// Momentum and angular momentum about the origin \[kg m/s, kg m²/s\].
fn momenta(simulation: &mut Simulation) -> [Vector3<f64>; 2] {
    simulation.velocity().unwrap();
    let total = spatial_momentum(simulation.model(), simulation.kinematics());
    [total.linear, total.angular]
}

/// Discs that fly at each other in long steps: what of them touches is there in the middle of a step and at neither end of it, and
/// the gaps at both ends are of other places. They went through each other without an event.
#[test]
fn discs_that_touch_within_a_step_only_strike() {
    // Radius, half of the length, place, turns, velocity, spin.
    type Disc = (Size, [[f64; 3]; 4]);
    let pairs: [[Disc; 2]; 2] = [
        [
            (
                [0.087, 0.0095],
                [
                    [0.25, 0.005, 2.96],
                    [0.013, 2.74, 0.38],
                    [-1.5, 0.008, 0.116],
                    [-1.18, -5.4, 8.14],
                ],
            ),
            (
                [0.08, 0.014],
                [
                    [-0.25, 0.038, 3.0],
                    [0.098, -2.61, -1.96],
                    [1.5, 0.109, 0.091],
                    [2.94, -8.7, 5.38],
                ],
            ),
        ],
        [
            (
                [0.129, 0.009],
                [
                    [0.25, -0.035, 3.05],
                    [1.79, 0.75, 2.42],
                    [-1.5, 0.05, -0.19],
                    [6.24, 2.47, 8.69],
                ],
            ),
            (
                [0.085, 0.015],
                [
                    [-0.25, 0.022, 2.98],
                    [0.28, -2.8, -1.18],
                    [1.5, 0.101, -0.071],
                    [-4.18, 10.45, 9.94],
                ],
            ),
        ],
    ];
    for (run, pair) in pairs.into_iter().enumerate() {
        let names = ["one", "two"];
        let tables = names
            .iter()
            .zip(pair)
            .map(|(name, (size, [place, turns, speed, spin]))| {
                let disc = can(name, size, place, turns);
                format!("{disc}velocity = {speed:?}\nspin = {spin:?}\n")
            });
        let tables: String = tables.collect();
        let mut simulation = stepped(8e-3, &tables).simulation().unwrap();
        let sizes = pair.map(|(size, _)| size);
        for step in 0..40 {
            simulation.advance().unwrap();
            let q = &simulation.state().q;
            let [one, two] = [&q[..7], &q[7..14]];
            let deepest = depth([one, two], sizes).max(depth([two, one], [sizes[1], sizes[0]]));
            assert!(deepest < 1e-9, "{run} {step}: {deepest}");
        }
        assert!(simulation.state().impacts > 0, "{run}");
    }
}

/// Two cans fly at each other and turn, without gravity: mostly rim strikes rim. They keep the momenta of both, and are never in each
/// other.
#[test]
fn cans_that_fly_at_each_other_are_never_in_each_other() {
    let mut x = random(17);
    let mut rims = 0;
    for run in 0..24 {
        let sizes: [Size; 2] = [0, 1].map(|_| [0.1 + 0.05 * x(), 0.06 + 0.05 * x()]);
        let mut tables = String::new();
        for (k, size) in sizes.into_iter().enumerate() {
            let side = if k == 0 { 1.0 } else { -1.0 };
            let place = [0.3 * side, 0.05 * x(), 0.05 * x()];
            tables += &can(
                ["one", "two"][k],
                size,
                place,
                [3.0 * x(), 3.0 * x(), 3.0 * x()],
            );
            let speed = [-1.5 * side, 0.2 * x(), 0.2 * x()];
            let spin = [6.0 * x(), 6.0 * x(), 6.0 * x()];
            tables += &format!("velocity = {speed:?}\nspin = {spin:?}\n");
        }
        let mut simulation = under(0.0, 0.3, &tables).simulation().unwrap();
        let before = momenta(&mut simulation);
        let mut highest = energy(&mut simulation);
        let mut rolled = false;
        for step in 0..400 {
            simulation.advance().unwrap();
            let now = energy(&mut simulation);
            let state = simulation.state();
            let mut held = (state.held.iter())
                .map(|held| simulation.contacts().name(held.contact).to_string());
            // Where sides that are nearly parallel touch runs along them by a part of their length in a step.
            let rolls = held.any(|name| name == "one:side@two:side");
            if rolls || rolled {
                highest = now;
            }
            rolled = rolls;
            // Each turns at up to 10 rad/s.
            assert!(now < highest + RISE, "{run} {step}: {highest} {now}");
            highest = highest.min(now);
            let [one, two] = [&state.q[..7], &state.q[7..14]];
            let deepest = depth([one, two], sizes).max(depth([two, one], [sizes[1], sizes[0]]));
            assert!(deepest < 1e-9, "{run} {step}: {deepest}");
        }
        let events = simulation.take_events();
        let names = events.iter().flat_map(|event| &event.contacts);
        let mut names = names.map(|i| simulation.contacts().name(*i));
        rims += usize::from(names.any(|name| name.contains("_rim_")));
        let after = momenta(&mut simulation);
        for (before, after) in before.iter().zip(&after) {
            // Roundings, and what the step leaves of its conditions.
            assert!((before - after).norm() < 1e-9, "{run}: {before} {after}");
        }
    }
    assert!(rims >= 6, "{rims}");
}

/// Cans of one size on each other, of which the upper one is pushed across: their rims are flush at first and run over each other. It
/// stops where friction stops it, and is as high as both.
#[test]
fn a_can_that_is_pushed_slides_over_the_rim_of_the_one_below() {
    let size = [0.1, 0.01];
    for push in [[0.3_f64, 0.0], [0.3, 0.2], [0.1, 0.0666]] {
        let lower = can("lower", size, [0.0, 0.0, 0.01], [0.0; 3]);
        let upper = can("upper", size, [0.0, 0.0, 0.03], [0.0; 3]);
        let [along, across] = push;
        let upper = upper + &format!("velocity = [{along:?}, {across:?}, 0.0]\n");
        let mut simulation = experiment(0.3, &[GROUND, &lower, &upper].concat())
            .simulation()
            .unwrap();
        for _ in 0..200 {
            simulation.advance().unwrap();
        }
        // v²/2μg, the lower one being held by twice the friction. A stop that is not located misses μgh²/8, 4e-7 m.
        let speed: f64 = along.hypot(across);
        let way = speed * speed / (2.0 * 0.3 * 9.81);
        let q = &simulation.state().q;
        let share = [along / speed, across / speed].map(|part| part * way);
        assert!((q[7] - share[0]).abs() < 1e-6, "{} {share:?}", q[7]);
        assert!((q[8] - share[1]).abs() < 1e-6, "{} {share:?}", q[8]);
        assert!((q[9] - 0.03).abs() < 1e-9, "{}", q[9]);
        assert!(q[0].hypot(q[1]) < 1e-9);
    }
}

/// A small can whose middle is over the end of a large one stays, though it reaches over the rim of that.
#[test]
fn a_can_that_reaches_over_the_rim_of_another_stays() {
    let lower = can("lower", [0.2, 0.01], [0.0, 0.0, 0.01], [0.0; 3]);
    let upper = can("upper", [0.1, 0.01], [0.19, 0.02, 0.031], [0.0; 3]);
    let mut simulation = experiment(0.5, &[GROUND, &lower, &upper].concat())
        .simulation()
        .unwrap();
    for _ in 0..500 {
        simulation.advance().unwrap();
    }
    let q = &simulation.state().q;
    assert!((q[9] - 0.03).abs() < 1e-9, "{}", q[9]);
    assert!(q[10].hypot(q[11]) < 1e-9);
}

/// A plate that spins flat against a bar, of which it comes to lack a sliver: at both ends of a chord that is 0.1 mm long. What is held
/// there goes on smoothly past the end of the chord, which a step cannot do without.
#[test]
fn a_plate_on_a_bar_slides_off_its_edge() {
    let scene = r#"
[contact]
friction = 0.777
[[object]]
name = "bar"
kind = "box"
mass = 2.1858
position = [0.4674, 0.0425, 0.0404]
size = [0.027, 0.0226, 0.1282]
velocity = [-2.223, 0.22, -0.044]
spin = [14.04, 0.807, 7.543]
[[object]]
name = "plate"
kind = "cylinder"
mass = 4.3541
position = [-0.2283, 0.4428, -0.015]
radius = 0.1512
length = 0.017
rpy = [-3.0856, -1.849, 0.1365]
velocity = [1.314, -2.361, 0.086]
spin = [1.462, -9.158, -9.614]
[[object]]
name = "ball"
kind = "sphere"
mass = 0.2778
position = [-0.2359, -0.4533, -0.0141]
radius = 0.14298
rpy = [-0.3849, -0.8955, 0.6888]
velocity = [1.093, 1.971, 0.038]
spin = [-11.06, 13.793, 18.474]
"#;
    let mut simulation = stepped_in_little_weight(0.004, scene).simulation().unwrap();
    for step in 0..80 {
        simulation
            .advance()
            .unwrap_or_else(|error| panic!("step {step}: {error}"));
        let depth = deepest(&simulation);
        assert!(depth >= -1e-9, "step {step}: {depth}");
    }
}
