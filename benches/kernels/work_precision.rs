//! What a long motion without friction costs, how far its energy strays, and how far it goes astray itself.

use carom::dynamics::{ArticulatedFactor, Kinematics, gravity_energy};

use crate::step_cases::{FreeCase, chain_at_rest, tumbling_hexapod};

/// Of every motion [s].
const DURATION: f64 = 100.0;

/// Between two looks at the energy [s].
const SAMPLING: f64 = 0.02;

/// When the configuration is looked at [s]: later, the motions are chaotic.
const EARLY: f64 = 2.0;

/// Prints the processor time of a run without looks, the largest energy error, its mean over the last tenth, and the
/// configuration after 2 s. False if there is no such motion.
///
/// Energy errors of the chain are shares of m g L of one link, those of the robot of its kinetic energy. `offset` [rad]
/// is added to the first joint at the start, so that the luck of one chaotic motion can be told from the method.
pub fn report(motion: &str, offset: f64, order: u32, step: f64, tolerance: f64) -> bool {
    let (start, first_joint) = match motion {
        "chain" => (chain_at_rest(4, step, order), 0),
        "hexapod" => (tumbling_hexapod(step, order), 7),
        _ => return false,
    };
    let mut start = start.with_tolerance(tolerance);
    start.q[first_joint] += offset;
    let total = (DURATION / step).round() as usize;
    let every = (SAMPLING / step).round() as usize;
    let (mut case, mut iterations) = (start.clone(), 0);
    let before = processor_time();
    for _ in 0..total {
        iterations += case.advance().iterations;
    }
    let processor = processor_time() - before;

    let mut case = start;
    let mut meter = Meter::new(&case);
    let first = meter.energy(&case);
    let unit = match motion {
        "chain" => case.model.gravity().norm(),
        _ => first,
    };
    let (mut largest, mut late, mut count) = (0.0_f64, 0.0, 0.0);
    let mut configuration = Vec::new();
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
        if i == (EARLY / step).round() as usize {
            configuration.clone_from(&case.q);
        }
    }
    println!(
        r#"{{"processor_s": {processor:.4}, "largest": {largest:e}, "late_mean": {:e}, "iterations_mean": {:.3}, "configuration": {configuration:?}}}"#,
        late / count,
        iterations as f64 / total as f64,
    );
    true
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
