//! Energy of the 4-link chain over 100 s, and where it is after 2 s.

use carom::dynamics::{ArticulatedFactor, Kinematics, gravity_energy};

use crate::step_cases::{FreeCase, chain_at_rest};

const DURATION: f64 = 100.0;

/// Between two looks at the energy [s].
const SAMPLING: f64 = 0.02;

/// Prints the largest energy error, its mean over the last tenth, both as a share of m g L of one link, the processor
/// time of the run without looking, and the configuration after 2 s.
pub fn report(order: u32, step: f64, tolerance: f64) {
    let start = || chain_at_rest(4, step, order).with_tolerance(tolerance);
    let total = (DURATION / step).round() as usize;
    let every = (SAMPLING / step).round() as usize;
    let (mut case, mut iterations) = (start(), 0);
    let before = processor_time();
    for _ in 0..total {
        iterations += case.advance().iterations;
    }
    let processor = processor_time() - before;

    let mut case = start();
    let mut meter = Meter::new(&case);
    let first = meter.energy(&case);
    let unit = case.model.gravity().norm();
    let (mut largest, mut late, mut count) = (0.0_f64, 0.0, 0.0);
    let mut early = Vec::new();
    for i in 1..=total {
        case.advance();
        if i % every == 0 {
            let error = (meter.energy(&case) - first) / unit;
            largest = largest.max(error.abs());
            if 10 * i > 9 * total {
                late += error;
                count += 1.0;
            }
        }
        if i == (2.0 / step).round() as usize {
            early.clone_from(&case.q);
        }
    }
    println!(
        r#"{{"order": {order}, "step_s": {step}, "tolerance": {tolerance:e}, "processor_s": {processor:.4}, "largest": {largest:e}, "late_mean": {:e}, "iterations_mean": {:.3}, "q_2s": {early:?}}}"#,
        late / count,
        iterations as f64 / total as f64,
    );
}

/// Time on a processor so far [s], which other programs do not disturb, to some milliseconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    let nanoseconds = text.split_whitespace().next().and_then(|x| x.parse().ok());
    1e-9 * nanoseconds.unwrap_or(f64::NAN)
}

struct Meter {
    kinematics: Kinematics<f64>,
    factor: ArticulatedFactor<f64>,
    velocity: Vec<f64>,
}

impl Meter {
    fn new(case: &FreeCase) -> Self {
        Self {
            kinematics: Kinematics::new(&case.model),
            factor: ArticulatedFactor::new(&case.model),
            velocity: vec![0.0; case.model.dof()],
        }
    }

    /// ½ pᵀM⁻¹p + V [J].
    fn energy(&mut self, case: &FreeCase) -> f64 {
        self.kinematics.update_placements(&case.model, &case.q);
        self.factor
            .factor(&case.model, &self.kinematics)
            .expect("a mass matrix");
        self.factor
            .solve(&case.model, &self.kinematics, &case.p, &mut self.velocity);
        let kinetic: f64 = case
            .p
            .iter()
            .zip(&self.velocity)
            .map(|(p, v)| 0.5 * p * v)
            .sum();
        kinetic + gravity_energy(&case.model, &self.kinematics)
    }
}
