//! One free step: root finding on the discrete Euler-Lagrange equation.
//!
//! The unknown is the mean velocity v̄; the residual is r(v̄) = P − (h/2)F − p₀ (in the form of
//! [`Midpoint::start_momentum`](crate::discrete::Midpoint::start_momentum)). A quasi-Newton iteration solves
//! with M(q̄) by articulated bodies in O(n) (\[LLPS\]); where it contracts slowly, exact Newton steps
//! take over, solved in O(n) as well.
//!
//! The residual is measured in the norm √Σ rᵢ²/Dᵢ, Dᵢ the articulated inertia of joint i: it does
//! not depend on units. It is compared with the larger of the momentum p₀, the impulse h F and the
//! impulse that gravity gives the whole robot in the step.

use super::{StepInput, Stepper};
use crate::discrete::{StepError, StepReport};
use crate::dynamics::{ArticulatedFactor, SingularMass};
use crate::model::{JointKind, Model};

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
            max_halvings: 6,
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
        let mut exact = false;
        let mut report = StepReport::default();
        loop {
            self.evaluate(input, v);
            self.midpoint
                .start_momentum(model, v, h, &mut self.residual);
            for (r, p) in self.residual.iter_mut().zip(p0) {
                *r -= p;
            }
            if self.history.is_empty() {
                self.refactor(model)?;
            }
            let residual = self.relative_residual(model, p0, h);
            if !residual.is_finite() {
                return Err(StepError::NotFinite { step: h });
            }
            self.history.push(residual);
            report.residual = residual;
            if residual <= self.settings.tolerance {
                break;
            }
            if self.history.len() > self.settings.max_iterations {
                return Err(StepError::NotConverged {
                    step: h,
                    history: self.history.clone(),
                });
            }
            if let [.., before, now] = self.history[..] {
                exact |= now > SLOW_CONTRACTION * before;
            }
            if exact {
                report.exact_iterations += 1;
                self.solve_exactly(input, v, false)?;
            } else {
                if self.history.len() > 1 {
                    self.refactor(model)?;
                }
                self.factor.solve(
                    model,
                    &self.midpoint.kinematics,
                    &self.residual,
                    &mut self.correction,
                );
            }
            report.iterations += 1;
            let below_rounding = v
                .iter()
                .zip(&self.correction)
                .all(|(x, d)| d.abs() <= 4.0 * f64::EPSILON * x.abs());
            if below_rounding {
                break;
            }
            for (x, d) in v.iter_mut().zip(&self.correction) {
                *x -= d;
            }
        }
        self.remaining.copy_from_slice(&self.residual);
        model.integrate(input.q0, v, h, q1);
        Ok(report)
    }

    /// Correction by the exact Newton matrix, of the residual or of what impulses leave of it.
    pub(super) fn solve_exactly(
        &mut self,
        input: &StepInput<'_>,
        v: &[f64],
        remaining: bool,
    ) -> Result<(), StepError> {
        let right = if remaining {
            &self.remaining
        } else {
            &self.residual
        };
        let regular = self.exact.solve(
            input.model,
            &self.midpoint,
            v,
            input.h,
            &self.load,
            right,
            &mut self.correction,
        );
        if regular {
            Ok(())
        } else {
            Err(StepError::SingularJacobian)
        }
    }

    fn refactor(&mut self, model: &Model) -> Result<(), SingularMass> {
        self.factor
            .factor_loaded(model, &self.midpoint.kinematics, Some(&self.load))
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
