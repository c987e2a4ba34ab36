//! One free step: root finding on the discrete Euler-Lagrange equation.
//!
//! The unknown is the mean velocity v̄; the residual is r(v̄) = P − (h/2)F − p₀ (in the form of
//! [`Midpoint::start_momentum`](crate::discrete::midpoint::Midpoint::start_momentum)). A quasi-Newton iteration solves
//! with M(q̄) by articulated bodies in O(n) (\[LLPS\]); where it contracts slowly, exact Newton steps
//! take over, solved in O(n) as well.
//!
//! The residual is measured in the norm √Σ rᵢ²/Dᵢ, Dᵢ the articulated inertia of joint i: it does
//! not depend on units. It is compared with the larger of the momentum p₀, the impulse h F and the
//! impulse that gravity gives the whole robot in the step.

use super::damping::diverges;
use super::start::STALL;
use super::{StepInput, Stepper};
use crate::discrete::{StepError, StepReport};
use crate::dynamics::{ArticulatedFactor, SingularMass};
use crate::model::{JointKind, Model};
use crate::numerics::largest;

/// Quasi-Newton steps that contract less than this are replaced by exact Newton steps.
const SLOW_CONTRACTION: f64 = 0.05;

/// How the discrete Euler-Lagrange equation is solved.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StepSettings {
    /// Residual tolerance relative to the momentum scale.
    pub tolerance: f64,
    /// Iterations before the step counts as failed.
    pub max_iterations: usize,
    /// How often a failed step is halved before the failure is final.
    pub max_halvings: usize,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_iterations: 40,
            max_halvings: 14,
        }
    }
}

impl Stepper {
    /// Finds `v` and `q1` of a step without rows.
    pub(super) fn solve_free(
        &mut self,
        input: &StepInput<'_>,
        v: &mut [f64],
        q1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        let StepInput { model, p0, h, .. } = *input;
        self.history.clear();
        let damped = self.damping.active;
        let mut exact = damped;
        let mut report = StepReport::default();
        self.forget_limits(input);
        loop {
            self.evaluate(input, v);
            self.midpoint
                .start_momentum(model, v, h, &mut self.residual);
            for (r, p) in self.residual.iter_mut().zip(p0) {
                *r -= p;
            }
            self.remaining.copy_from_slice(&self.residual);
            let residual = self.measure_free(input, v, exact)?;
            if !residual.is_finite() && !damped {
                let met = [v, p0, &self.residual];
                return Err(StepError::not_finite(h, model, &met));
            }
            self.history.push(residual);
            report.residual = residual;
            if !self.bridges && (residual <= self.settings.tolerance || self.is_stalled(input)) {
                break;
            }
            if self.history.len() > self.settings.max_iterations
                || (!damped && diverges(report.iterations, residual))
            {
                let spare = std::mem::take(&mut self.damping.spare);
                return Err(StepError::NotConverged {
                    step: h,
                    history: std::mem::replace(&mut self.history, spare),
                });
            }
            if let [.., before, now] = self.history[..] {
                exact |= now > SLOW_CONTRACTION * before;
            }
            report.iterations += 1;
            report.exact_iterations += usize::from(exact);
            let size = if damped { self.size_left(model) } else { 0.0 };
            if damped && !self.bridges && self.damping.cut_back(size, v) {
                continue;
            }
            self.correct_free(input, v, exact)?;
            let below_rounding = v
                .iter()
                .zip(&self.correction)
                .all(|(x, d)| d.abs() <= 4.0 * f64::EPSILON * x.abs());
            if below_rounding && !self.bridges {
                break;
            }
            if damped {
                self.damping.correct(size, &self.correction, v);
                continue;
            }
            for (x, d) in v.iter_mut().zip(&self.correction) {
                *x -= d;
            }
        }
        model.integrate(input.q0, v, h, q1);
        Ok(report)
    }

    /// The residual beside the momentum scale. A stiff spring between points makes forces of its rounding: then
    /// the size of the quasi-Newton correction is measured, not the force.
    fn measure_free(
        &mut self,
        input: &StepInput<'_>,
        v: &[f64],
        exact: bool,
    ) -> Result<f64, SingularMass> {
        let first = self.history.is_empty();
        if self.springs.is_empty() {
            if first {
                self.factor_quasi_newton(input)?;
            }
            return Ok(self.relative_residual(input.model, input.p0, input.h));
        }
        if first || !exact {
            self.factor_quasi_newton(input)?;
        }
        self.correct_by_quasi_newton(input);
        Ok(self.relative_size(input, v))
    }

    /// Whether the residual no longer shrinks because it is rounding of stiff springs.
    fn is_stalled(&self, input: &StepInput<'_>) -> bool {
        match self.history[..] {
            [.., before_last, _, now] => {
                now >= 0.5 * before_last
                    && !self.springs.is_empty()
                    && (now < STALL || self.moves_springs_by_rounding(input))
            }
            _ => false,
        }
    }

    /// Whether the correction at hand moves coordinates by their rounding only. A stiff spring makes a force of
    /// that, which can be larger than the momentum of a robot at rest.
    pub(super) fn moves_springs_by_rounding(&self, input: &StepInput<'_>) -> bool {
        let rounding = 4.0 * f64::EPSILON * largest(input.q0).max(1.0);
        !self.springs.is_empty() && input.h.abs() * largest(&self.correction) <= rounding
    }

    fn correct_free(
        &mut self,
        input: &StepInput<'_>,
        v: &[f64],
        exact: bool,
    ) -> Result<(), StepError> {
        if exact {
            return self.solve_exactly(input, v);
        }
        if !self.springs.is_empty() {
            // What the residual was measured by is the correction.
            return Ok(());
        }
        if self.history.len() > 1 {
            self.factor_quasi_newton(input)?;
        }
        self.correct_by_quasi_newton(input);
        Ok(())
    }

    /// Correction of what impulses leave of the residual by the quasi-Newton matrix at hand.
    pub(super) fn correct_by_quasi_newton(&mut self, input: &StepInput<'_>) {
        self.factor.solve(
            input.model,
            &self.midpoint.kinematics,
            &self.remaining,
            &mut self.correction,
        );
        self.springs.relax(&mut self.correction);
    }

    /// Correction by the exact Newton matrix of what impulses leave of the residual.
    pub(super) fn solve_exactly(
        &mut self,
        input: &StepInput<'_>,
        v: &[f64],
    ) -> Result<(), StepError> {
        let StepInput { model, h, .. } = *input;
        let (midpoint, load) = (&self.midpoint, &self.load);
        if !self.exact_is_factored {
            if !self.exact.factor(model, midpoint, v, h, load) {
                return Err(StepError::SingularJacobian);
            }
            self.exact_is_factored = true;
        }
        let (remaining, correction) = (&self.remaining, &mut self.correction);
        if self
            .exact
            .solve(model, midpoint, v, h, remaining, correction)
        {
            Ok(())
        } else {
            Err(StepError::SingularJacobian)
        }
    }

    /// Factorises the quasi-Newton matrix at the midpoint at hand.
    pub(super) fn factor_quasi_newton(
        &mut self,
        input: &StepInput<'_>,
    ) -> Result<(), SingularMass> {
        let (model, kinematics) = (input.model, &self.midpoint.kinematics);
        self.factored_load.clear();
        self.factored_load.extend_from_slice(&self.load);
        self.locks.load(&mut self.factored_load);
        let load = Some(&self.factored_load[..]);
        self.factor.factor_loaded(model, kinematics, load)?;
        self.springs
            .update(model, kinematics, &mut self.factor, input.h);
        Ok(())
    }

    /// Residual over the momentum scale, both in the norm √Σ xᵢ²/Dᵢ.
    fn relative_residual(&self, model: &Model, p0: &[f64], h: f64) -> f64 {
        let (mut r2, mut p2, mut f2) = (0.0, 0.0, 0.0);
        self.factor.for_each_inverse_diagonal(model, |i, d| {
            r2 += self.residual[i] * self.residual[i] * d;
            p2 += p0[i] * p0[i] * d;
            f2 += self.midpoint.force[i] * self.midpoint.force[i] * d;
        });
        if r2 == 0.0 {
            return 0.0;
        }
        let gravity2 = model.gravity().norm_squared() * model.mass();
        let scale2 = p2.max(h * h * f2).max(h * h * gravity2);
        (r2 / scale2).sqrt()
    }
}

/// Articulated inertia along the coordinates of a floating body are its diagonal entries.
impl ArticulatedFactor<f64> {
    pub(super) fn for_each_inverse_diagonal(
        &self,
        model: &Model,
        mut visit: impl FnMut(usize, f64),
    ) {
        for (i, body) in model.bodies().iter().enumerate() {
            if body.kind == JointKind::Floating {
                let diagonal = self.floating_diagonal(i);
                for (k, d) in diagonal.into_iter().enumerate() {
                    visit(body.v_index + k, 1.0 / d);
                }
            } else {
                visit(body.v_index, self.inverse_inertia(i));
            }
        }
    }
}
