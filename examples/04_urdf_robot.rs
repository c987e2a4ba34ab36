//! A robot from a URDF file in free fall: whatever its joints do, its centre of mass falls as a stone
//! does.

use std::path::Path;
use std::sync::Arc;

use carom::dynamics::center_of_mass;
use carom::hybrid::{Simulation, Unwatched};
use carom::model::Base;
use carom::model::urdf::{LoadOptions, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/anymal_b/anymal.urdf");
    let model = Arc::new(
        load(&file, &LoadOptions::default())?
            .base(Base::Floating)
            .build()?,
    );
    let q = model.neutral_configuration();
    let mut v = vec![0.0; model.dof()];
    // The joints start with different speeds, so that the legs flail.
    for (i, rate) in v.iter_mut().enumerate().skip(6) {
        *rate = (i as f64).sin() * 3.0;
    }
    let mut simulation = Simulation::builder(model.clone()).state(&q, &v).build()?;
    let start = center_of_mass(&model, simulation.kinematics());
    simulation.advance()?;
    let first = center_of_mass(&model, simulation.kinematics());
    let launch = (first.z - start.z + 0.5 * 9.81 * 1e-6) / 1e-3;
    simulation.run_until(1.0, &mut Unwatched)?;
    let end = center_of_mass(&model, simulation.kinematics());
    println!(
        "{}: {:.3} kg, {} degrees of freedom; its centre of mass fell {:.6} m, a stone {:.6} m",
        model.name(),
        model.mass(),
        model.dof(),
        start.z - end.z,
        0.5 * 9.81 - launch,
    );
    Ok(())
}
