//! The linear part of steps in which bodies that move hold each other.

use carom::contact::{
    CollisionKind, Combination, Contacts, Material, Terrain, collision_sites, collision_surfaces,
};
use carom::hybrid::{Simulation, SimulationSettings, Unwatched};
use carom::impact::MaxDissipation;
use carom::model::{Geometry, Link, Model};
use carom::spatial::Pose;

use super::linear_part::{TIGHT, check_linear_part};

fn solid(name: &str, mass: f64, geometry: Geometry) -> Model {
    let link = Link::new(name)
        .solid(mass, &geometry)
        .shape(Pose::identity(), geometry, true);
    Model::loose(name, link).unwrap()
}

/// A ball on a free solid on the floor, by the heights of their centres.
fn ball_on(below: Geometry, [half, height]: [f64; 2], friction: f64) -> Simulation {
    let model = solid("below", 4.0, below)
        .beside(solid("ball", 1.0, Geometry::Sphere(0.1)))
        .unwrap();
    let material = Material::new(friction, 0.0);
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    let sites = collision_sites(&model, &CollisionKind::ALL, material);
    let surfaces = collision_surfaces(&model, &CollisionKind::ALL, material);
    let contacts = Contacts::new(&model, sites, vec![floor], &[], Combination::Minimum)
        .unwrap()
        .with_carried(surfaces, |_, _| true, Combination::Minimum)
        .unwrap();
    Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .settings(SimulationSettings {
            time_step: 1e-3,
            solver: TIGHT,
            ..SimulationSettings::default()
        })
        .position("below.z", half)
        .position("ball.z", height)
        .position("ball.x", 0.02)
        .rate("ball.vy", 0.3)
        .rate("ball.wz", 1.0)
        .build()
        .unwrap()
}

#[test]
fn two_free_bodies_in_flight_have_the_linear_part_of_their_steps() {
    let model = solid("a", 1.0, Geometry::Box([0.1, 0.2, 0.3]))
        .beside(solid("b", 2.0, Geometry::Capsule(0.1, 0.3)))
        .unwrap();
    let v: Vec<f64> = (0..12).map(|i| (1.7 * f64::from(i)).sin()).collect();
    let mut q = model.neutral_configuration();
    model.integrate(&q.clone(), &v, 0.7, &mut q);
    let mut simulation = Simulation::builder(model)
        .settings(SimulationSettings {
            time_step: 5e-3,
            solver: TIGHT,
            ..SimulationSettings::default()
        })
        .state(&q, &v)
        .build()
        .unwrap();
    simulation.run_until(0.02, &mut Unwatched).unwrap();
    let pushed: Vec<f64> = (0..12).map(|i| (0.9 * f64::from(i)).cos()).collect();
    check_linear_part(&mut simulation, &pushed);
}

#[test]
fn a_ball_that_slides_over_a_free_solid_has_the_linear_part_of_its_step() {
    // The ball is 2 cm beside the middle.
    let beside = (0.3_f64.powi(2) - 0.02_f64.powi(2)).sqrt();
    for (below, heights) in [
        (Geometry::Box([1.0, 1.0, 0.4]), [0.2, 0.5]),
        (Geometry::Sphere(0.2), [0.2, 0.2 + beside]),
    ] {
        let mut simulation = ball_on(below, heights, 0.0);
        simulation.run_until(0.01, &mut Unwatched).unwrap();
        assert!(simulation.state().held.len() > 1);
        check_linear_part(&mut simulation, &[0.0; 12]);
    }
}

#[test]
fn a_ball_that_rolls_on_a_free_box_has_the_linear_part_of_its_step() {
    let mut simulation = ball_on(Geometry::Box([1.0, 1.0, 0.4]), [0.2, 0.5], 0.8);
    simulation.run_until(0.2, &mut Unwatched).unwrap();
    check_linear_part(&mut simulation, &[0.0; 12]);
}
