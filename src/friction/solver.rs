//! Impulses of contacts and of joints with dry friction at one end of a step.
//!
//! One method: modes are guessed, their linear equations solved exactly, and all conditions checked.
//!
//! 1. The first guess is the branch that the motion is on: the modes of the instant before. While all of
//!    them stick, impulses are those of least norm.
//! 2. Where these do not fit, the natural map tells the next guess (semismooth [Newton](super::newton)
//!    steps), first from the last impulses.
//! 3. Where that goes in circles, sweeps of block Gauss-Seidel come near a solution whose modes are then
//!    guessed again.
//! 4. Where redundant contacts press against each other, proximal steps make each map regular.
//! 5. A few planar contacts have few combinations of modes: all are tried, which is exact.

use super::enumeration::every_combination;
use super::mode_system::Branch;
use super::natural_map::residuals;
use super::newton::{Newton, Setting};
use super::sweeps::sweep;
use super::{
    Delassus, FrictionCounts, FrictionProblem, FrictionResiduals, FrictionRows, FrictionRule,
    HeldMode,
};
use crate::numerics::largest;

/// Residuals below this share of the largest free velocity are rounding.
const EXACT: f64 = 1e-11;
/// The same beside what redundant contacts may leave.
const NEGLIGIBLE: f64 = 1e-5;
/// Residuals below this share that no longer fall are taken: redundant contacts cannot all be closed to
/// the last digit of b.
const SETTLED: f64 = 1e-9;
/// ε beside the mean diagonal entry of G.
const EPSILON: f64 = 1e-6;
/// Rounds of sweeps with Newton steps after each; the sweeps double.
const ROUNDS: usize = 4;
const SWEEPS: usize = 10;
/// Larger ε of every other round.
const FIRM: f64 = 1e-4;

/// Solutions of mode equations that a problem may cost beyond the first Newton steps when these satisfy its
/// tolerance and only the last digit is wanted: to find that it cannot be had takes two thousand.
const BUDGET: usize = 300;

/// Proximal steps, and their first, smallest and largest ε beside the mean diagonal entry of G.
const STAGES: usize = 40;
const FIRST_PROXIMAL: f64 = 1e-4;
const LEAST_PROXIMAL: f64 = 1e-8;
const LARGEST_PROXIMAL: f64 = 1e3;

/// Solves frictional problems. Owns its memory.
#[derive(Debug, Clone, Default)]
pub struct FrictionSolver {
    /// How problems were solved.
    pub counts: FrictionCounts,
    newton: Newton,
    least_norm: bool,
    refuses_least_norm: bool,
    stiffness: Vec<[f64; 2]>,
    stuck: Vec<usize>,
    branches: Vec<Branch>,
    velocity: Vec<f64>,
    free: Vec<f64>,
    last: Vec<f64>,
    swept: Vec<f64>,
    best: Vec<f64>,
    anchor: Vec<f64>,
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
        self.counts.problems += 1;
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
            return left;
        }
        self.search(delassus, problem, speed, modes, impulse);
        self.classify(delassus, problem, modes, impulse);
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

    /// Least-norm impulses of any sign and size that hold every contact and every joint that does not slide.
    fn hold(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> FrictionResiduals {
        self.stuck.clear();
        self.swept.clear();
        self.swept.resize(impulse.len(), 0.0);
        for (group, mode) in delassus.groups().iter().zip(modes) {
            self.stuck.push(match mode {
                HeldMode::Slide(s) if !group.normal => {
                    self.swept[group.row] = -group.limit * s[0];
                    0
                }
                _ => {
                    *mode = HeldMode::Stick;
                    group.stuck_rows()
                }
            });
        }
        self.free.resize(impulse.len(), 0.0);
        delassus.velocity(problem.free, &self.swept, &mut self.free);
        let velocity = &mut self.velocity;
        let error = delassus.stop(&self.stuck, &self.free, speed, impulse, velocity);
        for (x, known) in impulse.iter_mut().zip(&self.swept) {
            *x += known;
        }
        self.least_norm = true;
        self.refuses_least_norm = false;
        self.counts.stuck += 1;
        FrictionResiduals {
            normal: error,
            ..FrictionResiduals::default()
        }
    }

    /// Least-norm impulses when no contact slides in the guess; friction of sliding joints is known.
    fn stay_stuck(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        modes: &[HeldMode],
        impulse: &mut [f64],
    ) -> Option<FrictionResiduals> {
        self.stuck.clear();
        let mut known = false;
        self.swept.clear();
        self.swept.resize(impulse.len(), 0.0);
        for ((group, rule), mode) in delassus.groups().iter().zip(problem.rules).zip(modes) {
            let rows = match (rule, mode) {
                (FrictionRule::Off, _) | (_, HeldMode::Open) => 0,
                (FrictionRule::Along(s), _) | (_, HeldMode::Slide(s)) => {
                    if group.normal {
                        return None;
                    }
                    self.swept[group.row] = -group.limit * s[0];
                    known = true;
                    0
                }
                (_, HeldMode::Stick) => group.stuck_rows(),
            };
            self.stuck.push(rows);
        }
        let mut free = std::mem::take(&mut self.free);
        free.resize(impulse.len(), 0.0);
        if known {
            delassus.velocity(problem.free, &self.swept, &mut free);
        } else {
            free.copy_from_slice(problem.free);
        }
        delassus.stop(&self.stuck, &free, speed, impulse, &mut self.velocity);
        self.free = free;
        if known {
            for (x, known) in impulse.iter_mut().zip(&self.swept) {
                *x += known;
            }
        }
        Some(residuals(
            delassus.groups(),
            problem.rules,
            &self.stiffness,
            impulse,
            &self.velocity,
        ))
    }

    /// Steps 2 to 5; `velocity` is that with the best impulses found.
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
        };
        let r = matrix.nrows();
        let mean = (0..r).map(|i| matrix[(i, i)]).sum::<f64>() / r.max(1) as f64;
        let mut best = f64::INFINITY;
        let mut keep = |left: f64, impulse: &[f64], kept: &mut Vec<f64>| {
            if left < best {
                best = left;
                kept.clear();
                kept.extend_from_slice(impulse);
            }
            best <= tolerance
        };
        self.newton.budget = None;
        // From the modes of the instant before, then from what pressing without slip would need.
        for attempt in 0..3 {
            impulse.copy_from_slice(&self.last);
            setting.velocity(impulse, &mut self.velocity);
            if attempt == 0 {
                guess(
                    setting.groups,
                    modes,
                    &self.last,
                    &stiffness,
                    &self.velocity,
                    &mut self.branches,
                );
            } else {
                stick_all(setting.groups, attempt == 2, &mut self.branches);
            }
            let branches = std::mem::take(&mut self.branches);
            let started = self.newton.solve_branches(
                &setting,
                &branches,
                EPSILON * mean,
                impulse,
                &mut self.velocity,
            );
            self.branches = branches;
            if !started {
                continue;
            }
            let left = self
                .newton
                .solve(&setting, EPSILON * mean, impulse, &mut self.velocity);
            if keep(left, impulse, &mut self.best) {
                self.counts.newton += 1;
                break;
            }
        }
        // A given direction of friction may have no solution: then the one who gave it has to take it back.
        let given = problem
            .rules
            .iter()
            .any(|r| matches!(r, FrictionRule::Along(_)));
        if best <= Self::tolerance(problem) {
            self.newton.budget = Some(BUDGET);
        }
        if best > tolerance && !given {
            impulse.copy_from_slice(&self.last);
            setting.velocity(impulse, &mut self.velocity);
            for round in 0..ROUNDS {
                sweep(
                    SWEEPS << round,
                    setting.delassus,
                    setting.groups,
                    setting.rules,
                    impulse,
                    &mut self.velocity,
                );
                self.swept.clear();
                self.swept.extend_from_slice(impulse);
                let epsilon = if round % 2 == 0 { EPSILON } else { FIRM };
                let left = self
                    .newton
                    .solve(&setting, epsilon * mean, impulse, &mut self.velocity);
                if left < best {
                    best = left;
                    self.best.clear();
                    self.best.extend_from_slice(impulse);
                }
                if best <= tolerance {
                    self.counts.sweeps += 1;
                    break;
                }
                impulse.copy_from_slice(&self.swept);
                setting.velocity(impulse, &mut self.velocity);
            }
        }
        if best > tolerance && !given {
            // From the last impulses, then from the best.
            for from_best in [false, true] {
                impulse.copy_from_slice(if from_best { &self.best } else { &self.last });
                let left = self.proximal_steps(&setting, mean, tolerance, impulse);
                if left < best {
                    best = left;
                    self.best.clear();
                    self.best.extend_from_slice(impulse);
                }
                if best <= tolerance {
                    break;
                }
            }
            self.counts.proximal += u64::from(best <= tolerance);
        }
        if best > tolerance
            && !given
            && every_combination(
                &setting,
                &mut self.newton,
                tolerance,
                EPSILON * mean,
                impulse,
                &mut self.velocity,
            )
        {
            self.counts.enumerated += 1;
        } else {
            self.counts.unsolved += u64::from(best > tolerance);
            if best.is_finite() {
                impulse.copy_from_slice(&self.best);
            }
            setting.velocity(impulse, &mut self.velocity);
        }
        self.stiffness = stiffness;
    }

    /// Proximal steps from `impulse`, each solved by Newton's method: with a large ε every step has a
    /// regular map, and their fixed points are the solutions. Returns the largest |F| of the best
    /// impulses.
    fn proximal_steps(
        &mut self,
        setting: &Setting<'_>,
        mean: f64,
        tolerance: f64,
        impulse: &mut [f64],
    ) -> f64 {
        let mut epsilon = FIRST_PROXIMAL;
        let mut best = f64::INFINITY;
        for _ in 0..STAGES {
            let mut anchor = std::mem::take(&mut self.anchor);
            anchor.clear();
            anchor.extend_from_slice(impulse);
            let stage = Setting {
                enough: 0.0,
                proximal: Some((epsilon * mean, &anchor)),
                ..*setting
            };
            stage.velocity(impulse, &mut self.velocity);
            let left = self.newton.solve(&stage, 0.0, impulse, &mut self.velocity);
            let solved = left <= 100.0 * setting.exact;
            if !solved {
                impulse.copy_from_slice(&anchor);
            }
            self.anchor = anchor;
            if !solved {
                epsilon *= 30.0;
                if epsilon > LARGEST_PROXIMAL || self.newton.budget == Some(0) {
                    break;
                }
                continue;
            }
            setting.velocity(impulse, &mut self.velocity);
            let (violation, _) = setting.residual(impulse, &self.velocity);
            let falls = violation < 0.5 * best;
            if violation < best {
                best = violation;
                self.swept.clear();
                self.swept.extend_from_slice(impulse);
            }
            if best <= setting.exact || (best <= tolerance && !falls) {
                break;
            }
            epsilon = (0.1 * epsilon).max(LEAST_PROXIMAL);
        }
        if best.is_finite() {
            impulse.copy_from_slice(&self.swept);
        }
        best
    }

    /// The modes of a solution.
    fn classify(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        modes: &mut [HeldMode],
        impulse: &[f64],
    ) {
        let generation = delassus.generation();
        let (matrix, groups) = delassus.matrix();
        let setting = Setting {
            delassus: matrix,
            generation,
            free: problem.free,
            groups,
            rules: problem.rules,
            stiffness: &self.stiffness,
            exact: 0.0,
            enough: 0.0,
            proximal: None,
        };
        setting.branches(impulse, &self.velocity, &mut self.branches);
        for ((branch, group), mode) in self.branches.iter().zip(groups).zip(modes) {
            *mode = match branch {
                Branch::Open => HeldMode::Open,
                Branch::Stick => HeldMode::Stick,
                Branch::Slide(d, _) => {
                    let slip = group.tangential(&self.velocity);
                    let speed = slip[0].hypot(slip[1]);
                    let against = slip[0] * d[0] + slip[1] * d[1];
                    // On the edge of the cone without slip the mode is either.
                    if speed > 0.0 && against < 0.0 {
                        HeldMode::Slide(slip.map(|x| x / speed))
                    } else {
                        HeldMode::Slide(d.map(|x| -x))
                    }
                }
            };
        }
    }
}

/// Branches of remembered modes; how hard friction resists being turned follows from impulses and slip.
fn guess(
    groups: &[FrictionRows],
    modes: &[HeldMode],
    impulse: &[f64],
    stiffness: &[[f64; 2]],
    velocity: &[f64],
    out: &mut Vec<Branch>,
) {
    out.clear();
    let all = groups.iter().zip(modes).zip(stiffness);
    out.extend(all.map(|((group, mode), k)| match mode {
        HeldMode::Open => Branch::Open,
        HeldMode::Stick => Branch::Stick,
        HeldMode::Slide(s) => {
            let slip = group.tangential(velocity);
            let along = (slip[0] * s[0] + slip[1] * s[1]).max(0.0);
            let radius = group.radius(group.normal_of(impulse));
            let turning = along / radius.max(1e-12 * along / k[1]).max(f64::MIN_POSITIVE);
            Branch::Slide(s.map(|s| -s), turning)
        }
    }));
}

/// Every group sticks, or every contact is open and every joint sticks.
fn stick_all(groups: &[FrictionRows], open: bool, out: &mut Vec<Branch>) {
    out.clear();
    out.extend(groups.iter().map(|g| {
        if open && g.normal {
            Branch::Open
        } else {
            Branch::Stick
        }
    }));
}
