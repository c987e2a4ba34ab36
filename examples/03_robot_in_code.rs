//! A four-legged robot built in code stands on springy hips: the forces under its feet carry its
//! weight, and nothing creeps.

use std::ops::ControlFlow;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{Event, Simulation};
use carom::impact::Plastic;
use carom::model::{Base, Joint, Link, ModelBuilder};
use nalgebra::Vector3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let down = Vector3::new(0.0, 0.0, -0.3);
    let mut builder = ModelBuilder::new("stander")
        .base(Base::Floating)
        .link(Link::new("body").solid_box(6.0, [0.5, 0.3, 0.1], Vector3::zeros()));
    let hips = [
        ("fl", 0.2, 0.15),
        ("fr", 0.2, -0.15),
        ("rl", -0.2, 0.15),
        ("rr", -0.2, -0.15),
    ];
    for (name, x, y) in hips {
        let hip = format!("hip_{name}");
        builder = builder
            .link(Link::new(name).rod(0.2, Vector3::zeros(), down))
            .joint(
                Joint::revolute(&hip, "body", name)
                    .origin([x, y, 0.0], [0.0; 3])
                    .axis([0.0, 1.0, 0.0]),
            )
            .joint_spring(&hip, 0.0, 60.0, 2.0);
    }
    let model = builder.build()?;
    let rubber = Material::new(0.8, 0.0);
    let feet = hips
        .iter()
        .map(|(name, ..)| Site::point(&model, &format!("foot_{name}"), name, down.into(), rubber))
        .collect::<Result<Vec<_>, _>>()?;
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], rubber);
    let contacts = Contacts::new(&model, feet, vec![ground], &[], Combination::Minimum)?;

    let weight = model.mass() * 9.81;
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(Plastic::default())
        .position("base.z", 0.3)
        .build()?;
    let mut height = Vec::new();
    let mut watcher = |simulation: &mut Simulation, _: &[Event]| {
        height.push(simulation.state().q[2]);
        ControlFlow::Continue(())
    };
    simulation.run_until(4.0, &mut watcher)?;
    let force: f64 = simulation.observe()?.forces.iter().map(|f| f[0]).sum();
    let creep = (height[height.len() - 1] - height[height.len() / 2]).abs();
    println!(
        "weight {weight:.6} N, carried by the feet {force:.6} N; creep over 2 s {creep:.1e} m"
    );
    Ok(())
}
