//! Cylinders that fall on the flat of an end: the strike at that moment, the energy on the way there.

use carom::contact::{CollisionKind, Combination, Contacts, Material, Terrain, collision_sites};
use carom::hybrid::{
    EventKind, RunError, Simulation, SimulationError, SimulationSettings, Unwatched,
};
use carom::impact::MaxDissipation;
use carom::model::{Geometry, Link, Model};
use carom::spatial::Pose;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::loose::energy;

const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;

/// A cylinder of 1 kg over terrain, turned by roll and pitch, with its lowest point `height` above z = 0.
fn cylinder(
    length: f64,
    [roll, pitch]: [f64; 2],
    height: f64,
    friction: f64,
    terrain: Terrain,
) -> Simulation {
    let geometry = Geometry::Cylinder(RADIUS, length);
    let link = Link::new("cylinder")
        .solid(1.0, &geometry)
        .shape(Pose::identity(), geometry, true);
    let model = Model::loose("cylinder", link)
        .unwrap()
        .with_gravity(Vector3::new(0.0, 0.0, -GRAVITY));
    let sites = collision_sites(&model, &CollisionKind::ALL, Material::new(friction, 0.0));
    let contacts = Contacts::new(&model, sites, vec![terrain], &[], Combination::Minimum).unwrap();
    let turn = UnitQuaternion::from_euler_angles(roll, pitch, 0.0);
    let axis = turn * Vector3::z();
    let lowest = RADIUS * axis.x.hypot(axis.y) + 0.5 * length * axis.z.abs();
    let mut builder = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .settings(SimulationSettings::default())
        .position("cylinder.z", lowest + height);
    for (name, x) in ["qx", "qy", "qz", "qw"].iter().zip(turn.coords.iter()) {
        builder = builder.position(&format!("cylinder.{name}"), *x);
    }
    builder.build().unwrap()
}

fn floor() -> Terrain {
    Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], Material::new(10.0, 0.0))
}

/// Without friction and in a plane a cylinder that stands on its edge turns about the point of contact, u = R ω there,
/// until its other side strikes with 2 R ω. Where I < m R² both sides press in that strike and all motion ends; else the
/// first side lifts off and ω goes on by (I − m R²)/(I + m R²) of what it was (an impulse at the other side that stops it
/// there: m Δv = P, I Δω = −P R).
#[test]
fn what_a_flat_fall_leaves_is_that_of_one_strike_of_both_sides() {
    for length in [0.2, 0.6] {
        let inertia = (3.0 * RADIUS * RADIUS + length * length) / 12.0;
        let square = RADIUS * RADIUS;
        let left = ((inertia - square) / (inertia + square)).max(0.0).powi(2);
        let mut simulation = cylinder(length, [0.2, 0.0], 0.0, 0.0, floor());
        let struck = loop {
            simulation.advance().unwrap();
            let events = simulation.take_events();
            if let Some(event) = events.into_iter().find(|e| e.kind == EventKind::Impact) {
                break event.impact.unwrap();
            }
        };
        let share = struck.energy_after / struck.energy_before;
        // The strike is located to a tilt of 1e-11 and the law solved to 1e-10.
        assert!((share - left).abs() < 1e-8, "{length}: {share} {left}");
    }
}

/// A cylinder that is let fall comes to lie on its end, m g L/2, and has never more energy than before: steps of order
/// two miss at most some h² ω² of it (h ω = 1e-2 while it falls).
#[test]
fn cylinders_that_fall_on_their_ends_lie_there_in_the_end() {
    for turns in [
        [0.5, 0.0],
        [0.5, 0.3],
        [0.03, 0.001],
        [0.05, 1e-6],
        [0.1, 0.003],
    ] {
        for friction in [0.0, 1.0] {
            let mut simulation = cylinder(0.2, turns, 0.2, friction, floor());
            let mut before = energy(&mut simulation);
            for _ in 0..1000 {
                simulation.advance().unwrap();
                let now = energy(&mut simulation);
                assert!(
                    now < before + 1e-4,
                    "{turns:?} {friction}: {before} becomes {now}"
                );
                before = now;
            }
            let lying = GRAVITY * 0.1;
            assert!(
                (before - lying).abs() < 1e-3,
                "{turns:?} {friction}: {before}"
            );
        }
    }
}

/// Without friction nothing takes energy between strikes, however fast the lowest point of a thin disc runs round its rim
/// on the way past being flat: it turns by an eighth of a radian a piece at most, of which the midpoint rule misses a
/// twelfth of the square, 1.3e-3 of the energy that the floor turns round.
#[test]
fn a_disc_whose_lowest_point_runs_round_keeps_its_energy() {
    let mut fastest: f64 = 0.0;
    for (roll_rate, pitch_rate) in [(-5.0, 1.0), (-5.0, 0.5), (-4.0, 0.2), (-6.0, -0.4)] {
        let mut simulation = cylinder(0.02, [0.3, 0.0], 0.1, 0.0, floor());
        let q = simulation.state().q.clone();
        simulation
            .set_state(&q, &[0.0, 0.0, 0.0, roll_rate, pitch_rate, 0.0])
            .unwrap();
        let mut known = energy(&mut simulation);
        let scale = known;
        let mut direction: Option<Vector3<f64>> = None;
        for _ in 0..500 {
            simulation.advance().unwrap();
            let now = energy(&mut simulation);
            let events = simulation.take_events();
            if events.iter().any(|e| e.kind == EventKind::Impact) {
                known = now;
            }
            let error = (now - known).abs() / scale;
            assert!(error < 1.5e-3, "{roll_rate} {pitch_rate}: {error}");
            let q = &simulation.state().q;
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]));
            let tilt = (turn * Vector3::z()).cross(&Vector3::z());
            if let Some(before) = direction.replace(tilt) {
                fastest = fastest.max(before.angle(&tilt));
            }
        }
    }
    // What this is about: half a radian in a step and more.
    assert!(fastest > 0.5, "{fastest}");
}

/// A cylinder that stands on a box tips over its edge, which no contact of its flat end follows: that is told, and no run
/// goes on with energy from nothing.
#[test]
fn no_cylinder_gains_energy_at_an_edge() {
    let smooth = Material::new(0.0, 0.0);
    let table = Terrain::step("table", [-0.5, -0.5, -0.2], [0.1, 0.5, 0.0], smooth);
    let mut simulation = cylinder(0.2, [0.0, 0.0], 0.0, 0.0, table);
    let q = simulation.state().q.clone();
    simulation
        .set_state(&q, &[0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
        .unwrap();
    let start = energy(&mut simulation);
    match simulation.run_until(1.0, &mut Unwatched) {
        Ok(_) | Err(RunError::Simulation(SimulationError::Step { .. })) => {}
        Err(other) => panic!("{other}"),
    }
    assert!(energy(&mut simulation) < start + 1e-4);
}

/// A sphere whose centre is over a thin box, and whose lowest point is below it, is in the box.
#[test]
fn a_start_deeper_than_a_box_is_thick_is_refused() {
    let geometry = Geometry::Sphere(0.1);
    let link = Link::new("ball")
        .solid(1.0, &geometry)
        .shape(Pose::identity(), geometry, true);
    let model = Model::loose("ball", link).unwrap();
    let sites = collision_sites(&model, &CollisionKind::ALL, Material::new(0.5, 0.0));
    let board = Terrain::step(
        "board",
        [-0.5, -0.5, -0.05],
        [0.5, 0.5, 0.0],
        Material::new(0.5, 0.0),
    );
    let contacts = Contacts::new(&model, sites, vec![board], &[], Combination::Minimum).unwrap();
    let built = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .position("ball.z", 0.04)
        .build();
    let error = built.err().unwrap().to_string();
    assert!(error.contains("below the surface"), "{error}");
}
