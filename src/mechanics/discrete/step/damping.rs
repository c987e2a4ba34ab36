//! Corrections that are cut back: the second attempt at a step whose whole corrections do not converge.
//!
//! A correction that does not make what is left smaller, in the metric of the quasi-Newton matrix, is halved
//! until it does (Deuflhard, *Newton Methods for Nonlinear Problems*, §3.3: the metric of the corrections, not of
//! the residuals, so that a stiff spring which turns does not hold it up). The first attempt never looks here, so
//! a step that converges without it costs nothing more and has the same bits.

use super::{StepInput, Stepper};
use crate::discrete::{StepError, StepReport};
use crate::model::Model;
use crate::numerics::dot;

/// A share of the correction must take this part of it away.
const DECREASE: f64 = 0.25;
/// A correction is not cut further than to this share: then the metric is at fault.
const LEAST_SHARE: f64 = 1e-3;
/// Iterations after which one looks whether the first attempt leads anywhere.
const TRUST: usize = 8;

/// Corrections larger than the whole momentum, after so many of them, are those of a diverging iteration.
pub(super) fn diverges(iteration: usize, relative: f64) -> bool {
    iteration >= TRUST && relative > 1.0
}

/// The state of a damped iteration, with memory for one model.
#[derive(Debug, Clone)]
pub(super) struct Damping {
    /// Whether this is the second attempt.
    pub active: bool,
    /// The mean velocity that an attempt begins with.
    start: Vec<f64>,
    /// The last accepted mean velocity, what is left there, and the correction of it.
    base: Vec<f64>,
    size: f64,
    direction: Vec<f64>,
    share: f64,
    probe: Vec<f64>,
    /// Memory for the residuals of the second attempt while the error of the first has its own.
    pub spare: Vec<f64>,
}

impl Damping {
    /// Memory for n coordinates and so many iterations.
    pub(super) fn new(n: usize, iterations: usize) -> Self {
        Self {
            active: false,
            start: vec![0.0; n],
            base: vec![0.0; n],
            size: f64::INFINITY,
            direction: vec![0.0; n],
            share: 1.0,
            probe: vec![0.0; n],
            spare: Vec::with_capacity(iterations + 1),
        }
    }

    /// The first attempt begins at `v`.
    pub(super) fn begin(&mut self, v: &[f64]) {
        self.active = false;
        self.start.copy_from_slice(v);
    }

    /// The second attempt begins there too.
    pub(super) fn restart(&mut self, v: &mut [f64]) {
        self.active = true;
        self.size = f64::INFINITY;
        self.share = 1.0;
        v.copy_from_slice(&self.start);
    }

    /// Takes half of the last correction back where what is left, `size`, has not become smaller; true if it did.
    pub(super) fn cut_back(&mut self, size: f64, v: &mut [f64]) -> bool {
        // A size that is no number is not enough either.
        let enough = size <= (1.0 - DECREASE * self.share) * self.size;
        if enough || self.size.is_infinite() || self.share < LEAST_SHARE {
            return false;
        }
        self.share *= 0.5;
        self.place(v);
        true
    }

    /// Accepts `v`, where `size` is left, and applies a share of its `correction`.
    pub(super) fn correct(&mut self, size: f64, correction: &[f64], v: &mut [f64]) {
        self.size = size;
        self.base.copy_from_slice(v);
        self.direction.copy_from_slice(correction);
        self.share = (2.0 * self.share).min(1.0);
        self.place(v);
    }

    fn place(&self, v: &mut [f64]) {
        for ((v, base), d) in v.iter_mut().zip(&self.base).zip(&self.direction) {
            *v = base - self.share * d;
        }
    }
}

impl Stepper {
    /// Size of the correction in the kinetic metric beside the largest of momentum, impulse of all forces
    /// and of gravity.
    pub(super) fn relative_size(&self, input: &StepInput<'_>, v: &[f64]) -> f64 {
        let size2 = dot(&self.remaining, &self.correction);
        let scale2 = self.momentum_scale(input, v);
        if scale2 > 0.0 {
            return (size2.abs() / scale2.max(f64::MIN_POSITIVE)).sqrt();
        }
        // Nothing moves and nothing pulls at a starting value that is zero: then what comes in counts.
        let mut start2 = 0.0;
        self.factor.for_each_inverse_diagonal(input.model, |i, d| {
            start2 += input.p0[i] * input.p0[i] * d;
        });
        (size2.abs() / start2.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// The square of the largest of momentum, impulse of all forces and of gravity in the kinetic metric.
    pub(super) fn momentum_scale(&self, input: &StepInput<'_>, v: &[f64]) -> f64 {
        let h2 = input.h * input.h;
        let momentum2 = dot(&self.midpoint.momentum, v);
        let mut force2 = 0.0;
        self.factor.for_each_inverse_diagonal(input.model, |i, d| {
            force2 += self.midpoint.force[i] * self.midpoint.force[i] * d;
        });
        let gravity2 = input.model.gravity().norm_squared() * input.model.mass();
        momentum2.max(h2 * gravity2).max(h2 * force2)
    }

    /// Makes an `attempt` from the mean velocity `v` (n), and where whole corrections do not converge a second one
    /// from there with damped corrections.
    ///
    /// # Errors
    /// That of the first attempt when both fail.
    pub(super) fn settle(
        &mut self,
        v: &mut [f64],
        mut attempt: impl FnMut(&mut Self, &mut [f64]) -> Result<StepReport, StepError>,
    ) -> Result<StepReport, StepError> {
        self.damping.begin(v);
        let error = match attempt(self, v) {
            Err(error) if damping_may_help(&error) => error,
            other => return other,
        };
        self.damping.restart(v);
        let second = attempt(self, v);
        self.damping.active = false;
        match second {
            Ok(mut report) => {
                report.iterations += iterations(&error);
                if let StepError::NotConverged { history, .. } = error {
                    self.damping.spare = history;
                }
                Ok(report)
            }
            Err(_) => Err(error),
        }
    }

    /// What impulses leave of the residual, in the metric of the quasi-Newton matrix.
    pub(super) fn size_left(&mut self, model: &Model) -> f64 {
        let (kinematics, probe) = (&self.midpoint.kinematics, &mut self.damping.probe);
        self.factor.solve(model, kinematics, &self.remaining, probe);
        self.springs.relax(probe);
        dot(&self.remaining, probe).abs().sqrt()
    }
}

/// Where the conditions of contact and friction cannot be met together no shorter correction meets them.
fn damping_may_help(error: &StepError) -> bool {
    match error {
        StepError::NotConverged { .. }
        | StepError::NotFinite { .. }
        | StepError::SingularJacobian => true,
        StepError::ContactsNotConverged { violation, .. } => *violation <= 1.0,
        StepError::Size { .. }
        | StepError::SingularMass(_)
        | StepError::ContactsGain { .. }
        | StepError::NoMotion { .. } => false,
    }
}

/// Corrections that a failed attempt has made, as far as it tells.
fn iterations(error: &StepError) -> usize {
    match error {
        StepError::NotConverged { history, .. } => history.len().saturating_sub(1),
        StepError::ContactsNotConverged { iterations, .. } => *iterations,
        _ => 0,
    }
}
