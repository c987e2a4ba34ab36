//! A contact closes when it would alone, however many others are far.

use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{Event, Simulation};
use carom::model::sample::Uniform;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{Matrix3, Vector3};

const STEEL: Material = Material {
    friction: 0.3,
    restitution: 0.7,
};

/// A block with an arm that turns.
fn model() -> Model {
    let link = |name: &str| {
        let turn = Matrix3::from_diagonal(&Vector3::new(0.02, 0.05, 0.06));
        Link::new(name).inertial(1.0, Vector3::zeros(), turn)
    };
    let joint = Joint::revolute("elbow", "block", "arm");
    ModelBuilder::new("thrown")
        .base(Base::Floating)
        .link(link("block"))
        .link(link("arm"))
        .joint(
            joint
                .origin([0.4, 0.0, 0.0], [0.0; 3])
                .axis([0.0, 1.0, 0.0]),
        )
        .build()
        .unwrap()
}

/// A slope, and a board of 2 mm in the air.
fn world() -> Vec<Terrain> {
    vec![
        Terrain::plane("slope", [0.0; 3], [0.1, 0.2, 1.0], STEEL),
        Terrain::step("board", [-4.0, 0.5, 1.0], [4.0, 4.0, 1.002], STEEL),
    ]
}

/// Points and balls in a cube of 0.8 m on both bodies.
fn sites(model: &Model, random: &mut Uniform) -> Vec<Site> {
    let site = |i: usize| {
        let link = ["block", "arm"][i % 2];
        let (center, radius) = (random.vector(0.4), random.between(-0.05, 0.05).max(0.0));
        Site::sphere(model, &format!("s{i}"), link, center, radius, STEEL).unwrap()
    };
    (0..60).map(site).collect()
}

/// The first impact of a body that is thrown and spins.
fn first_impact(model: &Arc<Model>, sites: Vec<Site>, v: &[f64]) -> Option<Event> {
    let contacts = Contacts::new(model, sites, world(), &[], Combination::Average).unwrap();
    let mut q = model.neutral_configuration();
    q[2] = 2.5;
    let mut simulation = Simulation::builder(Arc::clone(model))
        .contacts(contacts)
        .time_step(5e-3)
        .state(&q, v)
        .build()
        .unwrap();
    for _ in 0..400 {
        simulation.step(&vec![0.0; model.dof()]).unwrap();
        if let Some(event) = simulation.take_events().into_iter().next() {
            return Some(event);
        }
    }
    None
}

#[test]
fn of_many_sites_on_a_body_that_spins_the_one_that_strikes_does_so_as_if_it_were_alone() {
    let model = Arc::new(model());
    let mut on = [0; 2];
    for seed in 0..30 {
        let mut random = Uniform::new(seed);
        let sites = sites(&model, &mut random);
        // Up to 30 rad/s and 4 m/s: the way in a step is many times the gaps in which it ends.
        let mut v: Vec<f64> = random.vector(4.0).to_vec();
        v.extend(random.vector(30.0));
        v.push(random.between(-20.0, 20.0));
        let event = first_impact(&model, sites.clone(), &v).unwrap();
        assert!(event.impact.is_some());
        let [struck] = event.contacts[..] else {
            panic!("{seed}: {:?}", event.contacts);
        };
        // Sites in order, both pieces of terrain of each.
        let (site, terrain) = (struck / 2, struck % 2);
        on[terrain] += 1;
        let alone = first_impact(&model, vec![sites[site].clone()], &v).unwrap();
        assert_eq!(alone.contacts, [terrain], "{seed}");
        // A strike is located to a gap of 1e-12 m, and one that is slower than 1e-3 m/s is none: 1e-9 s. Nothing moves faster
        // than 100 (m, rad) in a second.
        assert!((alone.time - event.time).abs() < 1e-9, "{seed}");
        let way = alone.q.iter().zip(&event.q).map(|(a, b)| (a - b).abs());
        assert!(way.fold(0.0, f64::max) < 1e-7, "{seed}");
    }
    assert!(on.iter().all(|n| *n > 3), "{on:?}");
}
