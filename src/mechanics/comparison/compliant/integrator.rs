//! Adaptive integration of dy/dt = f(t, y) up to a time or an event.
//!
//! The driver is common; a [`Method`] makes one step and estimates its error: [`DormandPrince`](super::DormandPrince)
//! for smooth problems, [`Radau`](super::Radau) for stiff ones.

use nalgebra::DMatrix;
use thiserror::Error;

/// A system of ordinary differential equations.
pub trait System {
    /// Number of components of y.
    fn dimension(&self) -> usize;

    /// f(t, y), written into `rates`.
    fn derivative(&self, time: f64, state: &[f64], rates: &mut [f64]);

    /// ∂f/∂y, written into `jacobian`. Only stiff methods ask for it. By default forward differences, which miss
    /// features of f that are narrower than 1e-8 of a component.
    fn jacobian(&self, time: f64, state: &[f64], jacobian: &mut DMatrix<f64>) {
        let n = self.dimension();
        let mut base = vec![0.0; n];
        let mut moved = vec![0.0; n];
        let mut at = state.to_vec();
        self.derivative(time, state, &mut base);
        for j in 0..n {
            let step = f64::EPSILON.sqrt() * state[j].abs().max(1e-6);
            at[j] = state[j] + step;
            self.derivative(time, &at, &mut moved);
            let step = at[j] - state[j];
            at[j] = state[j];
            for i in 0..n {
                jacobian[(i, j)] = (moved[i] - base[i]) / step;
            }
        }
    }
}

/// Local error accepted in component i of a step: `absolute + relative |y_i|`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Part proportional to the component.
    pub relative: f64,
    /// Part in the component's own unit.
    pub absolute: f64,
}

impl Tolerances {
    /// Root mean square of the errors over what is accepted; at most 1 for an acceptable step.
    #[must_use]
    pub fn norm(&self, error: &[f64], before: &[f64], after: &[f64]) -> f64 {
        let sum: f64 = error
            .iter()
            .zip(before.iter().zip(after))
            .map(|(e, (a, b))| {
                let accepted = self.absolute + self.relative * a.abs().max(b.abs());
                (e / accepted).powi(2)
            })
            .sum();
        (sum / error.len().max(1) as f64).sqrt()
    }
}

/// A one-step method with an error estimate.
pub trait Method {
    /// Power of h in the error estimate.
    const ERROR_ORDER: f64;

    /// One step of length h from `state`, written into `next`. Returns the norm of the estimated error; infinity
    /// (or NaN) when the step failed and must be repeated with a shorter one.
    fn step(
        &mut self,
        system: &impl System,
        tolerances: &Tolerances,
        time: f64,
        state: &[f64],
        h: f64,
        next: &mut [f64],
    ) -> f64;
}

/// Where an integration ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Integrated {
    /// Time of the end.
    pub time: f64,
    /// y there.
    pub state: Vec<f64>,
    /// Whether the event ended it, rather than the final time.
    pub event: bool,
    /// Accepted steps.
    pub steps: usize,
    /// Rejected steps.
    pub rejected: usize,
}

/// Why an integration failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum IntegrationError {
    /// The step became too short to change the time.
    #[error(
        "the step length fell to {step:e} at time {time}; f is discontinuous there or the tolerance is out of reach"
    )]
    StepTooShort {
        /// Time reached.
        time: f64,
        /// Step length refused.
        step: f64,
    },
    /// The budget of steps ran out.
    #[error("{steps} steps were not enough to pass time {time}")]
    TooManySteps {
        /// Time reached.
        time: f64,
        /// Steps taken and refused.
        steps: usize,
    },
}

const MAX_STEPS: usize = 10_000_000;

/// Integrates from `start` at time `from` until `to`, or until `event(t, y)` rises from below zero to
/// zero or above between two steps; the crossing is found to rounding in t by repeating the last step with shorter lengths.
///
/// # Errors
/// [`IntegrationError`] when the steps become too short or too many.
pub fn integrate(
    system: &impl System,
    method: &mut impl Method,
    tolerances: &Tolerances,
    (from, to): (f64, f64),
    start: &[f64],
    mut event: impl FnMut(f64, &[f64]) -> f64,
) -> Result<Integrated, IntegrationError> {
    let mut time = from;
    let mut state = start.to_vec();
    let mut next = state.clone();
    let mut h = 1e-6 * (to - from);
    let mut level = event(time, &state);
    let (mut steps, mut rejected) = (0, 0);
    while time < to {
        if steps + rejected >= MAX_STEPS {
            return Err(IntegrationError::TooManySteps {
                time,
                steps: steps + rejected,
            });
        }
        let last = h >= to - time;
        if last {
            h = to - time;
        }
        if time + h <= time {
            return Err(IntegrationError::StepTooShort { time, step: h });
        }
        let error = method.step(system, tolerances, time, &state, h, &mut next);
        if error.is_nan() || error > 1.0 {
            rejected += 1;
            let shrink = 0.9 * error.powf(-1.0 / method_order(method));
            h *= if error.is_finite() {
                shrink.clamp(0.1, 0.9)
            } else {
                0.25
            };
            continue;
        }
        steps += 1;
        let next_level = event(time + h, &next);
        if level < 0.0 && next_level >= 0.0 {
            let length = locate(h, |h| {
                method.step(system, tolerances, time, &state, h, &mut next);
                event(time + h, &next)
            });
            method.step(system, tolerances, time, &state, length, &mut next);
            return Ok(Integrated {
                time: time + length,
                state: next,
                event: true,
                steps,
                rejected,
            });
        }
        level = next_level;
        time = if last { to } else { time + h };
        std::mem::swap(&mut state, &mut next);
        let grow = 0.9 * error.max(1e-12).powf(-1.0 / method_order(method));
        h *= grow.clamp(0.2, 5.0);
    }
    Ok(Integrated {
        time,
        state,
        event: false,
        steps,
        rejected,
    })
}

fn method_order<M: Method>(_: &M) -> f64 {
    M::ERROR_ORDER
}

/// Shortest step (to rounding) after which the level is not negative; it is negative after none and not after h.
fn locate(h: f64, mut level: impl FnMut(f64) -> f64) -> f64 {
    let (mut below, mut above) = (0.0, h);
    loop {
        let middle = 0.5 * (below + above);
        if middle <= below || middle >= above || above - below < 1e-15 * h {
            return above;
        }
        if level(middle) < 0.0 {
            below = middle;
        } else {
            above = middle;
        }
    }
}
