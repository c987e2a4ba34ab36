//! A ball with restitution 0.7 falls from 1 m: its flights shrink by 0.7 and end at a moment that a
//! geometric series predicts.

use std::ops::ControlFlow;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{Event, EventKind, Simulation};
use carom::model::{Base, Link, ModelBuilder};
use nalgebra::Vector3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = ModelBuilder::new("ball")
        .base(Base::Floating)
        .link(Link::new("ball").solid_sphere(1.0, 0.1, Vector3::zeros()))
        .build()?;
    let rubber = Material::new(0.0, 0.7);
    let site = Site::sphere(&model, "ball", "ball", [0.0; 3], 0.1, rubber)?;
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
    let contacts = Contacts::new(&model, vec![site], vec![floor], &[], Combination::Minimum)?;

    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .position("base.z", 1.1)
        .build()?;
    let mut events = Vec::new();
    let mut log = |_: &mut Simulation, new: &[Event]| {
        events.extend_from_slice(new);
        ControlFlow::Continue(())
    };
    simulation.run_until(4.0, &mut log)?;

    let impacts: Vec<f64> = events
        .iter()
        .filter(|e| e.kind == EventKind::Impact)
        .map(|e| e.time)
        .collect();
    let ratio = (impacts[3] - impacts[2]) / (impacts[2] - impacts[1]);
    let rest = events
        .iter()
        .find(|e| e.kind == EventKind::Hold)
        .map_or(f64::NAN, |e| e.time);
    let fall = (2.0 / 9.81_f64).sqrt();
    println!(
        "{} impacts, flight times shrink by {ratio:.9}; at rest after {rest:.4} s (series: {:.4} s)",
        impacts.len(),
        fall * (1.0 + 2.0 * 0.7 / 0.3),
    );
    Ok(())
}
