//! Impulses of contacts and of joints with dry friction at one end of a step.
//!
//! One method: modes are guessed, their linear equations solved exactly, and all conditions checked. What differs is where it begins.
//!
//! 1. The first guess is the branch that the motion is on: the modes of the instant before. While all of
//!    them stick, impulses are those of least norm; where these leave a cone, redundant contacts go on to press against
//!    each other as much as the cones need, and where that is not enough as those of least norm within the cones do (page of
//!    `cone_sharing`). What solves nearly the same problem is its own guess.
//! 2. Where these do not fit, the natural map tells the next guess (semismooth [Newton](super::newton)
//!    steps), from the last impulses or those of the guess, whichever leave less. What redundant contacts press against each
//!    other in the solution is then taken away as far as its modes allow (`sharing`).
//! 3. Where that goes in circles, or redundant contacts press against each other, proximal steps make each map regular: the same
//!    Newton steps, with impulses held near the last ones.
//! 4. Where friction couples strongly to the normal direction, a contact that presses may be open just as well (Painlevé): they
//!    start with each one opened in turn.
//! 5. Where that does not end either, they start from the solution with polygons in place of discs of friction, whose problem is
//!    linear and solved by Lemke's method.
//! 6. A few planar contacts have few combinations of modes: all are tried, which is exact.
//!
//! Groups that do not hang together are problems of their own (`islands`).

mod facets;
mod guesses;
mod islands;
mod modes;
mod proximal;
mod sharing;
mod stuck;

use self::facets::Facets;
use self::islands::Part;
use super::cone_sharing::ConeSharing;
use super::enumeration::every_combination;
use super::mode_system::Branch;
use super::natural_map::{kinetic_residual, residuals};
use super::newton::{Newton, Setting};
use super::{Delassus, FrictionCounts, FrictionProblem, FrictionResiduals, FrictionRule, HeldMode};
use crate::numerics::largest;

/// Residuals below this share of the largest free velocity are rounding.
const EXACT: f64 = 1e-11;
/// The same beside what redundant contacts may leave.
const NEGLIGIBLE: f64 = 1e-4;
/// Residuals below this share that no longer fall are taken: redundant contacts cannot all be closed to
/// the last digit of b.
pub(crate) const SETTLED: f64 = 1e-9;
/// ε beside the mean diagonal entry of G.
const EPSILON: f64 = 1e-6;
/// A firmer one.
const FIRM: f64 = 1e-4;

/// Solutions of mode equations that a problem may cost beyond the first Newton steps when these satisfy its
/// tolerance and only the last digit is wanted: to find that it cannot be had takes two thousand.
const BUDGET: usize = 300;

/// A problem as Newton steps see it, and what may be left of it.
struct Aim<'a> {
    setting: Setting<'a>,
    /// Mean diagonal entry of G.
    mean: f64,
    tolerance: f64,
}

/// Solves frictional problems. Owns its memory.
#[derive(Debug, Clone, Default)]
pub struct FrictionSolver {
    /// How problems were solved.
    pub counts: FrictionCounts,
    newton: Newton,
    facets: Facets,
    least_norm: bool,
    refuses_least_norm: bool,
    stiffness: Vec<[f64; 2]>,
    stuck: Vec<usize>,
    branches: Vec<Branch>,
    /// Those of the modes of the instant before.
    guessed: Vec<Branch>,
    /// Those of the last solution, if Newton steps found it.
    found: Vec<Branch>,
    /// Those whose loads were shared last, in this problem or the ones that it continues.
    shared: Vec<Branch>,
    velocity: Vec<f64>,
    free: Vec<f64>,
    last: Vec<f64>,
    last_velocity: Vec<f64>,
    aside: Vec<f64>,
    best: Vec<f64>,
    /// What `best` leaves of the conditions.
    left: f64,
    /// Those that let something go which may press as well.
    opened: Vec<f64>,
    anchor: Vec<f64>,
    cones: ConeSharing,
    /// One for each island.
    parts: Vec<Part>,
}

impl FrictionSolver {
    /// Whether the impulses found last are those of least norm.
    #[must_use]
    pub fn is_least_norm(&self) -> bool {
        self.least_norm
    }

    /// Whether those of least norm do not satisfy the conditions found last, or were not asked for.
    #[must_use]
    pub fn refuses_least_norm(&self) -> bool {
        self.refuses_least_norm
    }

    /// Velocities with the impulses that were found last (r).
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Finds `impulse` (r) and `modes` (one a group); both hold a starting guess on entry. Returns what is
    /// left of the conditions: [`FrictionResiduals::UNKNOWN`], with no impulses, when a free velocity
    /// is not finite; more than [`FrictionSolver::tolerance`] when no solution was found.
    pub fn solve(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> FrictionResiduals {
        let speed = largest(problem.free);
        self.velocity.resize(problem.free.len(), 0.0);
        if !speed.is_finite() {
            impulse.fill(0.0);
            self.velocity.copy_from_slice(problem.free);
            return FrictionResiduals::UNKNOWN;
        }
        if let Some(left) = self.solve_islands(delassus, problem, modes, impulse) {
            return left;
        }
        self.counts.problems += 1;
        if !problem.continued {
            self.shared.clear();
        }
        if problem.rules.contains(&FrictionRule::TwoSided) {
            return self.hold(delassus, problem, speed, modes, impulse);
        }
        self.stiffness.clear();
        self.stiffness.extend_from_slice(delassus.stiffness());
        let tolerance = Self::tolerance(problem);
        self.last.clear();
        self.last.extend_from_slice(impulse);
        let stuck = (!problem.near)
            .then(|| self.stay_stuck(delassus, problem, speed, modes, impulse))
            .flatten();
        let left = stuck.filter(|left| left.largest() <= tolerance);
        self.least_norm = left.is_some();
        self.refuses_least_norm = problem.near || (stuck.is_some() && left.is_none());
        if let Some(left) = left {
            self.counts.stuck += 1;
            self.found.clear();
            return left;
        }
        let mut beside = (problem.near || stuck.is_some())
            .then(|| self.stay_beside(delassus, problem, speed, modes, stuck.is_some(), impulse))
            .flatten();
        if beside.is_some_and(|left| left.largest() > tolerance) {
            beside = self.stay_in_cones(delassus, problem, speed, impulse);
        }
        if let Some(left) = beside.filter(|left| left.largest() <= tolerance) {
            self.counts.stuck += 1;
            self.found.clear();
            return left;
        }
        impulse.copy_from_slice(&self.last);
        self.search(delassus, problem, speed, modes, impulse);
        self.classify(delassus, problem, modes, impulse);
        self.found.clone_from(&self.branches);
        self.residuals(delassus, problem, impulse)
    }

    /// What given impulses (r) leave of the conditions, none of them two-sided; [`FrictionSolver::velocity`] is that with them
    /// afterwards.
    pub(crate) fn check(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        impulse: &[f64],
    ) -> FrictionResiduals {
        self.velocity.resize(problem.free.len(), 0.0);
        delassus.velocity(problem.free, impulse, &mut self.velocity);
        self.stiffness.clear();
        self.stiffness.extend_from_slice(delassus.stiffness());
        self.residuals(delassus, problem, impulse)
    }

    /// The same of impulses whose velocities are known: the largest \[m/s\], and its square in the kinetic metric.
    pub(crate) fn check_velocity(
        &mut self,
        delassus: &mut Delassus,
        rules: &[FrictionRule],
        impulse: &[f64],
        velocity: &[f64],
    ) -> (f64, f64) {
        self.velocity.clear();
        self.velocity.extend_from_slice(velocity);
        self.stiffness.clear();
        self.stiffness.extend_from_slice(delassus.stiffness());
        kinetic_residual(
            delassus.groups(),
            rules,
            &self.stiffness,
            [impulse, velocity],
        )
    }

    /// What impulses leave of the conditions with the velocities and stiffnesses at hand.
    fn residuals(
        &self,
        delassus: &Delassus,
        problem: &FrictionProblem<'_>,
        impulse: &[f64],
    ) -> FrictionResiduals {
        residuals(
            delassus.groups(),
            problem.rules,
            &self.stiffness,
            impulse,
            &self.velocity,
        )
    }

    /// What a solution may leave of the conditions \[m/s\].
    #[must_use]
    pub fn tolerance(problem: &FrictionProblem<'_>) -> f64 {
        (SETTLED * largest(problem.free))
            .max(problem.resolution)
            .max(problem.wanted)
    }

    /// Steps 2 to 6; `velocity` is that with the best impulses found.
    fn search(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        modes: &[HeldMode],
        impulse: &mut [f64],
    ) {
        let tolerance = if problem.thorough {
            (SETTLED * speed).max(problem.wanted)
        } else {
            Self::tolerance(problem)
        };
        let stiffness = std::mem::take(&mut self.stiffness);
        let generation = delassus.generation();
        let (matrix, groups) = delassus.matrix();
        let setting = Setting {
            delassus: matrix,
            generation,
            free: problem.free,
            groups,
            rules: problem.rules,
            stiffness: &stiffness,
            exact: (EXACT * speed)
                .max(problem.wanted)
                .max(NEGLIGIBLE * problem.resolution),
            enough: if problem.thorough { 0.0 } else { tolerance },
            proximal: None,
            shares: false,
        };
        let r = matrix.nrows();
        let mean = (0..r).map(|i| matrix[(i, i)]).sum::<f64>() / r.max(1) as f64;
        let aim = Aim {
            setting,
            mean,
            tolerance,
        };
        self.left = f64::INFINITY;
        self.newton.budget = None;
        let guessed = self.try_guesses(&aim, problem, modes, impulse);
        self.counts.newton += u64::from(guessed);
        if guessed && self.left <= tolerance {
            self.share_loads(&aim, problem.continued, impulse);
            self.stiffness = stiffness;
            return;
        }
        // A given direction of friction may have no solution: then the one who gave it has to take it back.
        let given = problem
            .rules
            .iter()
            .any(|r| matches!(r, FrictionRule::Along(_)));
        if self.left <= Self::tolerance(problem) {
            self.newton.budget = Some(BUDGET);
        }
        if self.left > tolerance && !given {
            self.try_proximal_steps(&aim, impulse);
        }
        if self.left > tolerance && !given {
            self.try_opening(&aim, impulse);
        }
        if self.left > Self::tolerance(problem) && !given {
            self.try_polygons(&aim, impulse);
        }
        let setting = &aim.setting;
        if self.left > tolerance
            && !given
            && every_combination(
                setting,
                &mut self.newton,
                tolerance,
                EPSILON * mean,
                impulse,
                &mut self.velocity,
            )
        {
            self.counts.enumerated += 1;
        } else {
            self.counts.unsolved += u64::from(self.left > tolerance);
            if self.left.is_finite() {
                impulse.copy_from_slice(&self.best);
            }
            setting.velocity(impulse, &mut self.velocity);
        }
        self.stiffness = stiffness;
    }

    /// Remembers impulses that leave less than all before.
    fn keep(&mut self, left: f64, impulse: &[f64]) {
        if left < self.left {
            self.left = left;
            self.best.clear();
            self.best.extend_from_slice(impulse);
        }
    }
}
