//! Touches that are too slow to be impacts, and the energy that stopping them takes.

use std::convert::Infallible;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{Simulation, SimulationSettings, Unwatched};
use carom::model::{Joint, Link, ModelBuilder};
use carom::record::Run;
use nalgebra::{Matrix3, Vector3};

use crate::shipped::experiment;

/// One step of h = 1 ms of 1 kg that comes down on a table from a height φ with a speed v: energy before and after it, what the
/// touch took, and whether the mass is held.
fn touch(height: f64, speed: f64) -> ([f64; 2], f64, bool) {
    let keys = [
        format!("initial.joints.z={height}"),
        format!("initial.velocities.z={}", -speed),
        "contact.capture_speed=0.1".to_string(),
        "controller.joint.0.feed_forward.sine.amplitude=0".to_string(),
        "stepper.order=2".to_string(),
    ];
    let experiment = experiment("ball/table.toml", &keys.each_ref().map(String::as_str));
    let mut run = Run::new(&experiment).unwrap();
    let energy = |run: &mut Run| {
        let energies = run.simulation().energies().unwrap();
        energies.kinetic + energies.potential
    };
    let before = energy(&mut run);
    run.advance::<Infallible>(1, &mut Unwatched).unwrap();
    let after = energy(&mut run);
    let state = run.state();
    ([before, after], state.work.captured, !state.held.is_empty())
}

/// The impulses of the step are m (v − φ/h) + h m g/2 and m φ/h + h m g/2. What they take is the kinetic energy with which the
/// mass arrives, m v²/2 + m g φ, wherever in the step it does.
#[test]
fn a_slow_touch_takes_what_it_arrives_with() {
    let (h, g) = (1e-3, 9.81);
    for speed in [1e-3, 5e-3, 2e-2] {
        for share in [0.1, 0.3, 0.5, 0.7, 0.9] {
            let height = share * h * speed;
            let ([before, after], captured, held) = touch(height, speed);
            assert!(held);
            let expected = -0.5 * speed * speed - g * height;
            // Rounding of energies and impulses of up to 1e-2.
            assert!((captured - expected).abs() < 1e-15, "{captured} {expected}");
            assert!((after - before - captured).abs() < 1e-15);
        }
    }
}

/// What leaves so slowly that its weight keeps it takes its kinetic energy along.
#[test]
fn what_leaves_too_slowly_to_return_as_an_impact_is_stopped() {
    for speed in [1e-4, 5e-4, 2e-3] {
        let ([before, after], captured, held) = touch(0.0, -speed);
        assert!(held);
        assert!((captured + 0.5 * speed * speed).abs() < 1e-15, "{captured}");
        assert!((after - before - captured).abs() < 1e-15);
    }
}

/// A bead of 2 kg over a plane with a friction of 0.7 that falls along `across`, of two unit vectors in the plane of the motion; its
/// height and its velocity along them, the second into the plane.
fn bead([across, up]: [[f64; 2]; 2], height: f64, [slip, down]: [f64; 2]) -> Simulation {
    let point = Link::new("bead").inertial(2.0, Vector3::zeros(), Matrix3::identity());
    let model = ModelBuilder::new("bead")
        .link(Link::new("world"))
        .link(Link::new("slide"))
        .link(point)
        .joint(Joint::prismatic("x", "world", "slide").axis([1.0, 0.0, 0.0]))
        .joint(Joint::prismatic("z", "slide", "bead").axis([0.0, 0.0, 1.0]))
        .build()
        .unwrap();
    let rough = Material::new(0.7, 0.0);
    let site = Site::point(&model, "bead", "bead", [0.0; 3], rough).unwrap();
    let table = Terrain::plane("table", [0.0; 3], [up[0], 0.0, up[1]], rough);
    let contacts = Contacts::new(&model, vec![site], vec![table], &[], Combination::Minimum);
    let settings = SimulationSettings {
        capture_speed: 0.1,
        ..SimulationSettings::default()
    };
    Simulation::builder(model)
        .contacts(contacts.unwrap())
        .settings(settings)
        .position("x", height * up[0])
        .position("z", height * up[1])
        .rate("x", slip * across[0] - down * up[0])
        .rate("z", slip * across[1] - down * up[1])
        .build()
        .unwrap()
}

/// What comes down slantwise stops in both directions: friction takes m u²/2 and what gravity does on the way, and so the touch. What
/// slides to its end within a step leaves the same, and what goes on sliding what is missing of it. On level ground each impulse on
/// the mean slip of its half would do as well; on the slope it misses 1e-5 J.
#[test]
fn friction_takes_what_it_stops() {
    let g = 9.81;
    for slope in [0.0_f64, 0.3] {
        let (sine, cosine) = slope.sin_cos();
        let (across, up) = ([cosine, -sine], [sine, cosine]);
        for (slip, down, height) in [
            (0.01, 0.02, 1e-5),
            (-0.015, 0.05, 3e-5),
            (0.003, 0.0, 0.0),
            (0.06, 0.05, 1e-5),
        ] {
            let mut simulation = bead([across, up], height, [slip, down]);
            simulation.step(&[0.0; 2]).unwrap();
            let energies = simulation.energies().unwrap();
            assert_eq!(simulation.state().impacts, 0);
            assert_eq!(simulation.state().held.len(), 1);
            let along = |x: &[f64]| x[0] * across[0] + x[1] * across[1];
            let way = along(&simulation.state().q);
            let left = along(simulation.velocity().unwrap());
            assert_eq!(left.abs() > 1e-12, slip == 0.06, "{left:e}");
            let friction = left * left - slip * slip - 2.0 * g * sine * way;
            let captured = -down * down - 2.0 * g * cosine * height;
            // Rounding of impulses of up to 0.2 N s times these speeds.
            let [found, taken] = [energies.work.dissipative, energies.work.captured];
            assert!((found - friction).abs() < 1e-15, "{found} {friction}");
            assert!((taken - captured).abs() < 1e-15, "{taken} {captured}");
        }
    }
}

/// What oscillates within steps is none of it: in the first second of the tripod that changes the energy by 0.4 mJ in one step
/// with a touch, a hundred times as much as stopping 8 kg at 1 mm/s takes.
#[test]
fn touches_of_a_gait_only_take() {
    let experiment = experiment("rhex/tripod.toml", &[]);
    let mut run = Run::new(&experiment).unwrap();
    let mut before = 0.0;
    let mut touches = 0;
    for step in 1..=1000 {
        run.advance::<Infallible>(step, &mut Unwatched).unwrap();
        let captured = run.state().work.captured;
        assert!(captured <= before, "step {step}: {}", captured - before);
        touches += usize::from(captured < before);
        before = captured;
    }
    assert!(touches > 3, "{touches}");
}
