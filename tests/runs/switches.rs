//! Changes of mode inside a step: slides that reverse or stop, and contacts that let go, against closed forms.

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{EventKind, Simulation, SimulationSettings, Unwatched};
use carom::impact::MaxDissipation;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{Matrix3, Vector3};

const GRAVITY: f64 = 9.81;
/// Steps \[s\], each half of the one before.
const STEPS: [f64; 3] = [4e-3, 2e-3, 1e-3];

/// Where the friction acts on the block that a spring pulls.
#[derive(Debug, Clone, Copy)]
enum Friction {
    Floor,
    Joint,
}

const CARRIAGE: f64 = 0.5;
const BLOCK: f64 = 1.5;
const MASS: f64 = CARRIAGE + BLOCK;

/// A carriage on a rail along x, with a spring to x = 0, and on it a block that a slide along z lets rest on the floor:
/// only the weight of the block presses. The friction is `force` \[N\].
fn spring_block(place: Friction, stiffness: f64, force: f64) -> (Model, Contacts) {
    let rail = Joint::prismatic("x", "ground", "carriage").axis([1.0, 0.0, 0.0]);
    let (rail, floor) = match place {
        Friction::Joint => (rail.friction(force), 0.0),
        Friction::Floor => (rail, force / (BLOCK * GRAVITY)),
    };
    let model = ModelBuilder::new("block")
        .base(Base::Fixed)
        .link(Link::new("ground"))
        .link(Link::new("carriage").solid_box(CARRIAGE, [0.1; 3], Vector3::zeros()))
        .link(Link::new("block").solid_box(BLOCK, [0.1; 3], Vector3::zeros()))
        .joint(rail)
        .joint(Joint::prismatic("z", "carriage", "block").axis([0.0, 0.0, 1.0]))
        .joint_spring("x", 0.0, stiffness, 0.0)
        .build()
        .unwrap();
    let material = Material::new(floor, 0.0);
    let site = Site::point(&model, "foot", "block", [0.0; 3], material).unwrap();
    let ground = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts =
        Contacts::new(&model, vec![site], vec![ground], &[], Combination::Minimum).unwrap();
    (model, contacts)
}

fn simulation((model, contacts): (Model, Contacts), h: f64, q: &[f64], v: &[f64]) -> Simulation {
    Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .time_step(h)
        .state(q, v)
        .build()
        .unwrap()
}

/// Place and velocity at time t of a mass on a spring that starts at rest at `x`, where the spring is stronger than
/// the friction: about ±d = ±f/k in turn, each half swing 2 d shorter than the one before, until the spring cannot
/// move it any more.
fn swing(x: f64, omega: f64, d: f64, t: f64) -> (f64, f64) {
    let half = std::f64::consts::PI / omega;
    let (mut x, mut t) = (x, t);
    while x.abs() > d {
        let center = d * x.signum();
        if t < half {
            let phase = omega * t;
            return (
                center + (x - center) * phase.cos(),
                -(x - center) * omega * phase.sin(),
            );
        }
        x = 2.0 * center - x;
        t -= half;
    }
    (x, 0.0)
}

/// Largest error of place \[m\] and velocity \[m/s\] at the ends of the steps.
fn worst(sim: &mut Simulation, duration: f64, exact: impl Fn(f64) -> (f64, f64)) -> [f64; 2] {
    let mut worst = [0.0_f64; 2];
    let steps = (duration / sim.settings().time_step).round() as usize;
    for _ in 0..steps {
        sim.step(&[0.0; 2]).unwrap();
        let (x, v) = exact(sim.time());
        worst[0] = worst[0].max((sim.state().q[0] - x).abs());
        worst[1] = worst[1].max((sim.velocity().unwrap()[0] - v).abs());
    }
    worst
}

/// In 2.8 s the block turns four times where the spring is stronger than friction, and then stops for good. The
/// frequency of the midpoint rule is short by (ωh)²/12 of itself, so with moments of reversal that are exact the error is
/// below A ωt (ωh)²/12 for the amplitude A; a reversal that is one of the step's own is late by up to h/2 and makes
/// an error of the velocity of 2 f/m h/2, a hundred times as much at 1 ms.
#[test]
fn slides_that_reverse_leave_a_spring_and_block_of_order_two() {
    let (stiffness, force, start, duration) = (60.0, 2.5, 0.5, 2.8);
    let omega = (stiffness / MASS).sqrt();
    for place in [Friction::Floor, Friction::Joint] {
        let errors = STEPS.map(|h| {
            let robot = spring_block(place, stiffness, force);
            let mut sim = simulation(robot, h, &[start, 0.0], &[0.0; 2]);
            let found = worst(&mut sim, duration, |t| {
                swing(start, omega, force / stiffness, t)
            });
            let most = start * omega * duration * (omega * h).powi(2) / 12.0;
            println!(
                "{place:?} {h}: {found:?} {most:e} {:?}",
                sim.solver_counts()
            );
            assert!(found[0] < most && found[1] < omega * most, "{place:?} {h}");
            found
        });
        for pair in errors.windows(2) {
            let ratios = [0, 1].map(|k| pair[0][k] / pair[1][k]);
            assert!(
                ratios.iter().all(|r| (3.6..4.4).contains(r)),
                "{place:?}: {ratios:?}"
            );
        }
    }
}

/// A block on several corners at once slides up a slope, turns back at any share of a step, and slides down: all corners turn at
/// one moment. What is left of a slip at the located moment, a ten thousandth of a step's worth, changes the velocity by what
/// friction jumps by in that time; a turn at the ends of steps is wrong by up to a whole step's.
#[test]
fn a_block_on_several_corners_turns_back_on_a_slope() {
    let (slope, friction, h) = (0.4_f64, 0.2, 1e-3);
    let (along, across) = (GRAVITY * slope.sin(), GRAVITY * slope.cos());
    let (up, down) = (along + friction * across, along - friction * across);
    let material = Material::new(friction, 0.0);
    let feet: [&[[f64; 2]]; 3] = [
        &[[0.2, 0.0], [-0.2, 0.0]],
        &[[0.2, 0.1], [0.2, -0.1], [-0.2, 0.0]],
        &[[0.2, 0.1], [0.2, -0.1], [-0.2, 0.1], [-0.2, -0.1]],
    ];
    for feet in feet {
        let model = ModelBuilder::new("block")
            .base(Base::Floating)
            .gravity([-along, 0.0, -across])
            .link(Link::new("block").solid_box(2.0, [0.4, 0.2, 0.02], Vector3::zeros()))
            .build()
            .unwrap();
        let site = |(i, at): (usize, &[f64; 2])| {
            let at = [at[0], at[1], -0.01];
            Site::point(&model, &format!("foot{i}"), "block", at, material).unwrap()
        };
        let sites = feet.iter().enumerate().map(site).collect();
        let ground = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
        let contacts =
            Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).unwrap();
        for share in [0.03, 0.1, 0.2, 0.5, 0.9] {
            let turn = (200.0 + share) * h;
            let mut sim = Simulation::builder(model.clone())
                .contacts(contacts.clone())
                .law(MaxDissipation::default())
                .time_step(h)
                .position("base.z", 0.01)
                .rate("base.vx", up * turn)
                .build()
                .unwrap();
            sim.run_until(0.8, &mut Unwatched).unwrap();
            let late = sim.time() - turn;
            let exact = 0.5 * up * turn * turn - 0.5 * down * late * late;
            let error = (sim.state().q[0] - exact).abs();
            let bound = 1e-4 * h * (up - down) * late;
            assert!(
                error < bound,
                "{} corners, {share}: {error:e} beside {bound:e}",
                feet.len()
            );
        }
    }
}

/// A constant force leaves the midpoint rule exact, so where the moment of stopping is located nothing is left but what
/// the location leaves of the slip: 1e-6 of at most a h, over one step. A stop that is one of the step's own misses
/// the place by up to a h²/8.
#[test]
fn a_thrown_block_stops_where_and_when_it_must() {
    let (force, speed) = (5.0, 1.3);
    let a = force / MASS;
    for place in [Friction::Floor, Friction::Joint] {
        for h in STEPS {
            let mut sim = simulation(spring_block(place, 0.0, force), h, &[0.0; 2], &[speed, 0.0]);
            let stop = speed / a;
            let found = worst(&mut sim, 0.6, |t| {
                let t = t.min(stop);
                (speed * t - 0.5 * a * t * t, speed - a * t)
            });
            println!("{place:?} {h}: {found:?}");
            assert!(
                found[0] < 1e-6 * a * h * h + 1e-14,
                "{place:?} {h}: {found:?}"
            );
            assert!(found[1] < 1e-6 * a * h, "{place:?} {h}: {found:?}");
        }
    }
}

const HILL: f64 = 0.4;
const BEAD: f64 = 0.1;

/// A bead that slides without friction on a round hill.
fn bead_on_a_hill() -> (Model, Contacts) {
    let bead = Link::new("bead").inertial(1.0, Vector3::zeros(), Matrix3::identity() * 1e-3);
    let model = ModelBuilder::new("bead")
        .base(Base::Fixed)
        .link(Link::new("ground"))
        .link(Link::new("slide"))
        .link(bead)
        .joint(Joint::prismatic("x", "ground", "slide").axis([1.0, 0.0, 0.0]))
        .joint(Joint::prismatic("z", "slide", "bead").axis([0.0, 0.0, 1.0]))
        .build()
        .unwrap();
    let smooth = Material::new(0.0, 0.0);
    let sites = vec![
        Site::sphere(&model, "hill", "ground", [0.0; 3], HILL, smooth).unwrap(),
        Site::sphere(&model, "bead", "bead", [0.0; 3], BEAD, smooth).unwrap(),
    ];
    let pair = [["hill".to_string(), "bead".to_string()]];
    let contacts = Contacts::new(&model, sites, vec![], &pair, Combination::Minimum).unwrap();
    (model, contacts)
}

/// From rest at the angle θ₀ a bead leaves where cos θ = (2/3) cos θ₀; the time is the integral of dθ/ω along the way.
struct Leaving {
    /// \[s\].
    time: f64,
    angle: f64,
    /// Angular rate there \[rad/s\].
    rate: f64,
}

const START: f64 = 0.2;
const LENGTH: f64 = HILL + BEAD;

fn leaving() -> Leaving {
    let angle = (2.0 / 3.0 * START.cos()).acos();
    let rate = |angle: f64| (2.0 * GRAVITY / LENGTH * (START.cos() - angle.cos())).sqrt();
    // θ = θ₀ + u² takes the root out of the integrand; Simpson's rule.
    let (n, top) = (4000, (angle - START).sqrt());
    let integrand = |u: f64| {
        if u == 0.0 {
            2.0 / (2.0 * GRAVITY / LENGTH * START.sin()).sqrt()
        } else {
            2.0 * u / rate(START + u * u)
        }
    };
    let d = top / f64::from(n);
    let weights = |i| match i {
        0 => 1.0,
        i if i == n => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=n)
        .map(|i| weights(i) * integrand(d * f64::from(i)))
        .sum();
    Leaving {
        time: sum * d / 3.0,
        angle,
        rate: rate(angle),
    }
}

/// Errors of a run with steps of h: of the one moment of release \[s\], and of the place some time later \[m\].
fn errors_of_leaving(leaving: &Leaving, h: f64, order: u32) -> (f64, f64) {
    let duration = 0.64;
    let flight = duration - leaving.time;
    assert!(flight > 0.05);
    let (s, c) = leaving.angle.sin_cos();
    let exact = [
        LENGTH * (s + leaving.rate * c * flight),
        LENGTH * (c - leaving.rate * s * flight) - 0.5 * GRAVITY * flight * flight,
    ];
    let (model, contacts) = bead_on_a_hill();
    let mut sim = Simulation::builder(model)
        .contacts(contacts)
        .settings(SimulationSettings {
            order,
            time_step: h,
            ..SimulationSettings::default()
        })
        .state(&[LENGTH * START.sin(), LENGTH * START.cos()], &[0.0; 2])
        .build()
        .unwrap();
    for _ in 0..(duration / h).round() as usize {
        sim.step(&[0.0; 2]).unwrap();
    }
    let events = sim.take_events();
    let releases = events.iter().filter(|e| e.kind == EventKind::Release);
    let releases: Vec<f64> = releases.map(|e| e.time).collect();
    assert_eq!(releases.len(), 1, "{releases:?}");
    let q = &sim.state().q;
    let missed = (q[0] - exact[0]).hypot(q[1] - exact[1]);
    println!("{h}: {releases:?} {} {missed:e}", leaving.time);
    ((releases[0] - leaving.time).abs(), missed)
}

/// The force N = m g (3 cos θ − 2 cos θ₀) is foreseen by a line through the middles of the last two steps,
/// at most 3/2 and 5/2 of a step before: so the moment is late by less than |N″/N′| (15/8) h². A speed below 5e-7 m/s
/// is no opening to a step of 1 ms (half of the gap that a held contact may have, in a step), and where such a
/// remainder is left of the step the contact leaves at its end. Released at any time in the step instead it would miss
/// the moment by h/2.
#[test]
fn a_bead_leaves_a_hill_at_the_moment_at_which_nothing_presses() {
    let leaving = leaving();
    let (s, c) = leaving.angle.sin_cos();
    let force_rate = 3.0 * s * leaving.rate;
    let bend = 3.0 * (c * leaving.rate * leaving.rate + s * GRAVITY / LENGTH * s);
    let errors = STEPS.map(|h| (h, errors_of_leaving(&leaving, h, 2)));
    let late = bend / force_rate * 15.0 / 8.0;
    for pair in errors.windows(2) {
        let ratio = pair[0].1.1 / pair[1].1.1;
        assert!((3.6..4.4).contains(&ratio), "{errors:?}");
    }
    for (h, (error, missed)) in errors {
        let unseen = (2.0 * 5e-10 / h / (GRAVITY * force_rate)).sqrt();
        // The motion up to there is late by its own error.
        let most = late * h * h + unseen + missed / (LENGTH * leaving.rate);
        assert!(error < most && most < 0.25 * h, "{h}: {error:e} {most:e}");
    }
}

/// A composed flow goes on through the moment, which is located on it: no step of order two is left. The slope of order
/// six is 64; 32 is what a step of order five would show. The moment is late by what the motion is, by the 1e-9 h to
/// which it is located, and by the force that is taken over ε = h/1000 to both sides: ε² N‴/(6 N′), and N‴/N′ is about
/// (g/l) of a falling pendulum.
#[test]
fn at_order_six_a_bead_leaves_the_hill_to_that_order() {
    let leaving = leaving();
    let errors = [64e-3, 32e-3, 16e-3].map(|h| (h, errors_of_leaving(&leaving, h, 6)));
    for pair in errors.windows(2) {
        assert!(pair[0].1.1 > 32.0 * pair[1].1.1, "{errors:?}");
    }
    for (h, (error, missed)) in errors {
        let force = (1e-3 * h).powi(2) * GRAVITY / LENGTH;
        let most = missed / (LENGTH * leaving.rate) + 1e-9 * h + force;
        assert!(error < most, "{h}: {error:e} {most:e}");
    }
}

/// A ball rolls off the edge of a table at friction that never lets it slip: about the edge, (I + m R²) (ω² − ω₀²)/2 =
/// m g R (1 − cos θ), until nothing presses, ω² = (g/R) cos θ. From there on it keeps its spin. In small steps the normal force hardly
/// changes from one to the next, but what friction can hold with it does: let go at the end of a step the ball would turn back by what
/// friction holds in the rest of it, with a spin of 1e-3 rad/s too much. What is left is of order two.
#[test]
fn a_ball_that_rolls_off_an_edge_keeps_the_spin_it_leaves_with() {
    let (radius, start) = (0.1, 3.0_f64);
    let k = 1.4;
    let cos = (1.0 + 0.5 * k * radius * start * start / GRAVITY) / (1.0 + 0.5 * k);
    let spin = (GRAVITY * cos / radius).sqrt();
    let material = Material::new(1e5, 0.0);
    let shape = carom::model::Geometry::Sphere(radius);
    let model = Model::loose("ball", Link::new("ball").solid(1.0, &shape)).unwrap();
    let model = model.with_gravity(Vector3::new(0.0, 0.0, -GRAVITY));
    let site = Site::sphere(&model, "ball", "ball", [0.0; 3], radius, material).unwrap();
    let table = Terrain::step("table", [-1.0; 3], [0.0, 1.0, 0.0], material);
    let contacts =
        Contacts::new(&model, vec![site], vec![table], &[], Combination::Minimum).unwrap();
    let errors = [1.25e-4, 6.25e-5].map(|h| {
        let mut sim = Simulation::builder(model.clone())
            .contacts(contacts.clone())
            .law(MaxDissipation::default())
            .time_step(h)
            .position("ball.x", -0.003)
            .position("ball.z", radius)
            .rate("ball.vx", start * radius)
            .rate("ball.wy", start)
            .build()
            .unwrap();
        let mut releases = 0;
        while sim.time() < 0.3 {
            sim.advance().unwrap();
            let events = sim.take_events();
            releases += events
                .iter()
                .filter(|e| e.kind == EventKind::Release)
                .count();
        }
        assert_eq!(releases, 1, "{h}");
        let found = sim.velocity().unwrap()[4];
        println!("{h}: {found} {spin}");
        (found - spin).abs()
    });
    let most = 4.0 * spin * (spin * 6.25e-5_f64).powi(2);
    assert!(errors[1] < most, "{errors:?} {most:e}");
    assert!((3.0..5.0).contains(&(errors[0] / errors[1])), "{errors:?}");
}

/// A block on a slope that is a little steeper than its friction holds slides, x = g (sin a − μ cos a) t²/2, also in steps in which it
/// gains less than 1e-7 m/s.
#[test]
fn a_slope_a_little_too_steep_holds_nothing_in_small_steps() {
    let (friction, over) = (0.3_f64, 2e-4);
    let slope = friction.atan() + over;
    let material = Material::new(friction, 0.0);
    let model = ModelBuilder::new("block")
        .base(Base::Floating)
        .gravity([-GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()])
        .link(Link::new("block").solid_box(1.0, [0.2, 0.2, 0.1], Vector3::zeros()))
        .build()
        .unwrap();
    let site = |(i, at): (usize, [f64; 2])| {
        let at = [at[0], at[1], -0.05];
        Site::point(&model, &format!("foot{i}"), "block", at, material).unwrap()
    };
    let corners = [[0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, -0.1]];
    let sites = corners.into_iter().enumerate().map(site).collect();
    let ground = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).unwrap();
    let duration = 0.25;
    let way = 0.5 * GRAVITY * (slope.sin() - friction * slope.cos()) * duration * duration;
    for h in [1e-3, 2.5e-4, 1.25e-4] {
        let mut sim = Simulation::builder(model.clone())
            .contacts(contacts.clone())
            .law(MaxDissipation::default())
            .time_step(h)
            .position("base.z", 0.05)
            .build()
            .unwrap();
        sim.run_until(duration, &mut Unwatched).unwrap();
        let slid = -sim.state().q[0];
        assert!((slid / way - 1.0).abs() < 1e-3, "{h}: {slid:e} {way:e}");
    }
}
