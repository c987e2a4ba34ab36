//! From a problem to a design: the nearest root, the best compromise, and why not.

use nalgebra::DVector;

use super::compromise::Compromise;
use super::nearest::Found;
use super::residuals::Residuals;
use crate::design::progress::Watch;
use crate::design::quantity::Role;
use crate::design::{DesignError, DesignProblem};

/// Least weight of the distance against what is softly kept.
const LEAST_STAY: f64 = 1e-12;

/// Newton steps of a compromise before another way is tried.
const NEWTON_STEPS: usize = 60;

/// What is asked of the solver.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// The nearest root; the best compromise where there is none.
    #[default]
    Auto,
    /// The nearest root, or an error.
    Nearest,
    /// The best compromise.
    Compromise,
}

/// How a compromise is found.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Weighing {
    /// Newton steps to the nearest root with wishes as further variables; Gauss-Newton where they do not converge.
    #[default]
    Newton,
    /// Augmented Lagrangian over bounded Gauss-Newton with Levenberg-Marquardt damping.
    GaussNewton,
    /// Augmented Lagrangian over L-BFGS, bounds by substitution.
    LBfgs,
}

/// Settings of the solvers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DesignSettings {
    /// Root or compromise.
    pub method: Method,
    /// Largest gap \[m\] and error of a cosine at a root.
    pub tolerance: f64,
    /// Step, in units of the scales, below which the distance counts as stationary.
    pub stationarity: f64,
    /// Newton steps before giving up.
    pub max_iterations: usize,
    /// Weight of the squared distance to the start against what is softly kept and in a compromise.
    pub stay: f64,
    /// How a compromise is found.
    pub weighing: Weighing,
}

impl Default for DesignSettings {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            tolerance: 1e-12,
            stationarity: 1e-7,
            max_iterations: 200,
            stay: 1e-8,
            weighing: Weighing::Newton,
        }
    }
}

/// How a design ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesignStatus {
    /// Every gap and cosine is at its target; no such design near it is nearer to the start, or better in what
    /// is softly kept.
    Converged,
    /// Gaps are closed, the cosines are a least-squares compromise.
    Compromise,
}

/// A design.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignSolution {
    /// Root or compromise.
    pub status: DesignStatus,
    /// Values of all variables.
    pub variables: Vec<f64>,
    /// Newton steps until every gap and cosine was at its target; all steps of a compromise.
    pub iterations: usize,
    /// Further steps along the set of such designs to the one nearest to the start.
    pub refinements: usize,
    /// Distance to the start in units of the scales.
    pub distance: f64,
    /// Values of all variables after each step of the nearest-root iteration, the start first.
    pub path: Vec<Vec<f64>>,
    /// Variables that stand at a bound.
    pub at_bounds: Vec<String>,
    /// Rank of the wanted cosines' derivatives along motions that keep the gaps closed.
    pub rank: usize,
    /// Number of wanted cosines.
    pub wanted: usize,
    /// Why the targets are not reached; `None` at a root.
    pub reason: Option<DesignError>,
}

impl DesignProblem {
    /// The design nearest to the start.
    ///
    /// # Errors
    /// Gaps that cannot close, quantities that nothing free changes, a robot that cannot be built; with
    /// [`Method::Nearest`] also cosines that cannot reach their targets.
    pub fn solve(&self, settings: &DesignSettings) -> Result<DesignSolution, DesignError> {
        self.solve_from(&self.start(), settings, &|_| {})
    }

    /// The design nearest to the start of the problem that is found by iterating from `x`; `watch` hears of
    /// every step.
    ///
    /// # Errors
    /// As [`DesignProblem::solve`].
    pub fn solve_from(
        &self,
        x: &[f64],
        settings: &DesignSettings,
        watch: Watch<'_>,
    ) -> Result<DesignSolution, DesignError> {
        let anchor = DVector::zeros(x.len());
        let begin = self.influence(&self.scaled(x), settings)?;
        let constraints = || Residuals::constraints(self);
        if settings.method == Method::Compromise {
            return self.weighed(&anchor, begin, settings, None, watch);
        }
        let wanted = Residuals::wanted(self);
        let found = self.nearest(wanted, &anchor, &begin, settings, watch)?;
        if found.root {
            return self.kept_softly(&anchor, found, settings, watch);
        }
        let reason = self.unreachable(&found, settings);
        // If the constraints alone cannot be met there is no stance to compromise on.
        let closed = self.nearest(constraints(), &anchor, &begin, settings, watch)?;
        if !closed.root {
            return Err(self.unreachable_constraints(&closed, &begin, settings, watch));
        }
        if settings.method == Method::Nearest {
            return Err(reason);
        }
        let from = if found.worst.residual < 1.0 {
            found.z
        } else {
            closed.z
        };
        self.weighed(&anchor, from, settings, Some(reason), watch)
    }

    /// Among the roots near `found`, the one that weighs best what is to be kept softly and the distance to the
    /// start; `found` itself when nothing is to be kept so.
    fn kept_softly(
        &self,
        anchor: &DVector<f64>,
        found: Found,
        settings: &DesignSettings,
        watch: Watch<'_>,
    ) -> Result<DesignSolution, DesignError> {
        let is_soft = |q: &crate::design::Quantity| matches!(q.role(), Role::Soft(_));
        if !self.quantities().iter().any(is_soft) {
            return self.solution(DesignStatus::Converged, found, None);
        }
        let rows =
            Residuals::wanted(self).weighing(settings.stay.max(LEAST_STAY), |role| match role {
                Role::Soft(weight) => Some((0.0, weight)),
                _ => None,
            });
        let mut kept = self.nearest(rows, anchor, &found.z, settings, watch)?;
        if !kept.root {
            return Err(self.unreachable(&kept, settings));
        }
        kept.total += found.total;
        kept.iterations = found.iterations;
        kept.path.splice(0..0, found.path);
        self.solution(DesignStatus::Converged, kept, None)
    }

    /// The compromise of all wishes, from `from`.
    fn weighed(
        &self,
        anchor: &DVector<f64>,
        from: DVector<f64>,
        settings: &DesignSettings,
        reason: Option<DesignError>,
        watch: Watch<'_>,
    ) -> Result<DesignSolution, DesignError> {
        let (z, steps) = match self.weighed_by_newton(anchor, &from, settings, watch)? {
            Some(found) => (found.z, found.total),
            None => {
                let compromise = Compromise {
                    problem: self,
                    anchor,
                    stay: settings.stay,
                    weighing: settings.weighing,
                };
                compromise.solve(from, watch)?
            }
        };
        // From the compromise as anchor: the smallest change that meets the constraints to round-off.
        let constraints = Residuals::constraints(self);
        let mut closed = self.nearest(constraints, &z, &z, settings, watch)?;
        if !closed.root {
            return Err(self.unreachable_constraints(&closed, &z, settings, watch));
        }
        closed.iterations += steps;
        closed.total += steps;
        let residual = Residuals::wanted(self).values(&closed.z)?;
        let status = if residual.amax() <= settings.tolerance {
            DesignStatus::Converged
        } else {
            DesignStatus::Compromise
        };
        self.solution(status, closed, reason)
    }

    /// The compromise as the nearest root with all wishes as further variables; `None` where another way is asked for
    /// or this one does not come to an end.
    fn weighed_by_newton(
        &self,
        anchor: &DVector<f64>,
        from: &DVector<f64>,
        settings: &DesignSettings,
        watch: Watch<'_>,
    ) -> Result<Option<Found>, DesignError> {
        if settings.weighing != Weighing::Newton {
            return Ok(None);
        }
        let rows =
            Residuals::constraints(self).weighing(
                settings.stay.max(LEAST_STAY),
                |role| match role {
                    Role::Wanted { target, weight } => Some((target, weight)),
                    Role::Soft(weight) => Some((0.0, weight)),
                    _ => None,
                },
            );
        let limited = DesignSettings {
            max_iterations: settings.max_iterations.min(NEWTON_STEPS),
            ..*settings
        };
        let found = self.nearest(rows, anchor, from, &limited, watch)?;
        let ended = found.root && !found.stalled && found.total < limited.max_iterations;
        Ok(ended.then_some(found))
    }

    fn solution(
        &self,
        status: DesignStatus,
        found: Found,
        reason: Option<DesignError>,
    ) -> Result<DesignSolution, DesignError> {
        let (rank, wanted) = self.rank(&found.z)?;
        Ok(DesignSolution {
            status,
            variables: self.unscaled(&found.z),
            iterations: found.iterations,
            refinements: found.total - found.iterations,
            distance: found.z.norm(),
            path: found.path,
            at_bounds: self.at_bounds(&found.z),
            rank,
            wanted,
            reason: (status == DesignStatus::Compromise)
                .then_some(reason)
                .flatten(),
        })
    }
}
