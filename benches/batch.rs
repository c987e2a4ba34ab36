//! Many simulations at once: 64 six-legged robots fall on their feet, 160 steps of 1 ms each. Identifiers are stable:
//! `batch/hexapod/<threads>`. One element is one step of one robot.

use std::error::Error;
use std::sync::Arc;

use carom::hybrid::{Simulated, Simulation, run_batch};
use carom::impact::Plastic;
use carom::model::sample::Uniform;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use step_cases::hexapod_on_point_feet;

#[path = "support/step_cases.rs"]
mod step_cases;

const ROBOTS: usize = 64;
const STEPS: usize = 160;

fn hexapods(criterion: &mut Criterion) {
    let (model, contacts) = hexapod_on_point_feet();
    let (model, contacts) = (Arc::new(model), Arc::new(contacts));
    let rest = vec![0.0; model.dof()];
    let fall = |index: usize| -> Result<Simulated, Box<dyn Error + Send + Sync>> {
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
        for _ in 0..STEPS {
            simulation.step(&rest)?;
        }
        Ok(Simulated::from(simulation.state()))
    };
    let mut group = criterion.benchmark_group("batch/hexapod");
    group.throughput(Throughput::Elements((ROBOTS * STEPS) as u64));
    for threads in [1, 2, 4] {
        group.bench_function(BenchmarkId::from_parameter(threads), |b| {
            b.iter(|| {
                run_batch(
                    ROBOTS,
                    Some(threads),
                    |index| -> Result<_, Box<dyn Error + Send + Sync>> { Ok(((), fall(index)?)) },
                )
                .expect("the robots fall")
            });
        });
    }
    group.finish();
}

criterion_group!(batch, hexapods);
criterion_main!(batch);
