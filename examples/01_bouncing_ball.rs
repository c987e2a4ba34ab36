//! A ball with restitution 0.7 falls from 1 m: its flights shrink by 0.7 and end at a moment that a
//! geometric series predicts.

use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{EventKind, Simulation, SimulationSettings};
use carom::impact::Propagative;
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

    let mut q = model.neutral_configuration();
    q[2] = 1.1;
    let n = model.dof();
    let mut simulation = Simulation::new(
        Arc::new(model),
        Arc::new(contacts),
        Box::new(Propagative::default()),
        SimulationSettings::default(),
        &q,
        &vec![0.0; n],
    )?;
    while simulation.time() < 4.0 {
        simulation.step(&vec![0.0; n])?;
    }

    let events = simulation.take_events();
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
