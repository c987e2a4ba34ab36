//! A thousand six-legged robots fall from different attitudes, on one core and on all: the same results, and how much is
//! simulated in a second.

use std::error::Error;
use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{Batch, Simulated, Simulation, Unwatched, run_batch};
use carom::impact::Plastic;
use carom::model::sample::{Uniform, hexapod};

/// Heights of the bodies after 0.16 s [m].
fn fall_together(jobs: Option<usize>) -> Result<Batch<f64>, Box<dyn Error + Send + Sync>> {
    let model = Arc::new(hexapod()?);
    let rubber = Material::new(0.8, 0.0);
    let feet: Vec<Site> = model
        .links()
        .iter()
        .filter(|link| link.name != "body")
        .map(|leg| Site::point(&model, &leg.name, &leg.name, [0.0, 0.0, -0.17], rubber))
        .collect::<Result<_, _>>()?;
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
    let contacts = Arc::new(Contacts::new(
        &model,
        feet,
        vec![floor],
        &[],
        Combination::Minimum,
    )?);
    let rest = vec![0.0; model.dof()];
    run_batch(1000, jobs, |index| {
        // The seed is the index: the draw is the same on whatever core it happens.
        let mut random = Uniform::new(index as u64);
        let mut q = model.neutral_configuration();
        q[2] = 0.3;
        for angle in &mut q[7..] {
            *angle = random.between(-0.2, 0.2);
        }
        let mut simulation = Simulation::builder(model.clone())
            .contacts(contacts.clone())
            .law(Plastic::default())
            .state(&q, &rest)
            .build()?;
        simulation.run_until(0.16, &mut Unwatched)?;
        let state = simulation.state();
        Ok((state.q[2], Simulated::from(state)))
    })
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let one = fall_together(Some(1))?;
    let all = fall_together(None)?;
    for (cores, batch) in [("one core", &one), ("all cores", &all)] {
        println!(
            "{cores}: {:.0} steps a second, {:.0} times real time",
            batch.steps_per_second(),
            batch.real_time_factor()
        );
    }
    println!("the results are the same: {}", one.results == all.results);
    Ok(())
}
