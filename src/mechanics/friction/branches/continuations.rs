//! How many motions satisfy the conditions of held contacts at one instant.
//!
//! Every solution of a frictional problem belongs to a combination of modes (stick, slide, open), and modes given,
//! the equations are linear. So solutions are looked for from combinations: first the given one, then all that
//! differ from it in one group, in two, and so on, whole rounds as long as a budget lasts. For planar contacts with
//! independent rows all rounds together are every solution. Contacts in space may slide in any direction: Newton
//! steps start from eight of them, and what they find is a lower bound.
//!
//! Impulses of redundant contacts are not unique although the motion is, so solutions are compared by what their
//! impulses do, GΛ, in the kinetic metric: row i beside √G_ii. A continuation may be an impact without collision:
//! its impulses do not vanish with the length of the step.
//!
//! One solution is certain where G is positive definite and
//!
//! ```text
//! Σ_i μ_i √(‖G_tt,i‖ (G⁻¹)_nn,i) < 1,
//! ```
//!
//! the sum over contacts, ‖G_tt,i‖ the largest eigenvalue of the block of the tangents of contact i. Proof: let δ
//! and δa = Gδ be the differences of two solutions. Complementarity gives δλ_n δa_n ≤ 0, maximum dissipation on
//! discs of radius μλ_n + limit gives δτ·δa_t ≤ −(ρ − ρ′)(|a_t| − |a′_t|) ≤ μ |δλ_n| |δa_t|; summed,
//! δᵀGδ ≤ Σ μ |δλ_n| |δa_t|. With u = G^½ δ, |δa_t| ≤ √‖G_tt‖ ‖u‖ and |δλ_n| ≤ √(G⁻¹)_nn ‖u‖, so u = 0. That there
//! is a solution at all holds for every positive definite G (Klarbring and Pang, 1998).

use nalgebra::DMatrix;

use crate::friction::enumeration::{FIXED, choices, is_in_space};
use crate::friction::mode_system::Branch;
use crate::friction::newton::{Newton, Setting};
use crate::friction::{
    Delassus, DelassusMatrix, FrictionProblem, FrictionRows, FrictionRule, HeldMode,
};
use crate::numerics::largest;

/// What a solution may leave of its conditions beside the largest free velocity.
const TOLERANCE: f64 = 1e-9;
/// The same as a share of velocities that cannot be told from zero.
const NEGLIGIBLE: f64 = 1e-5;
/// Solutions whose impulses do the same to this share, or to this share of the largest free velocity, are one
/// motion: where rows are independent and modes give the solution exactly, and where they are not and it is known to
/// what [`TOLERANCE`] leaves, as much larger as redundant contacts are ill-conditioned.
const SAME: [f64; 2] = [1e-6, 1e-10];
const SAME_NEARLY: [f64; 2] = [1e-3, 1e-7];
/// ε beside the mean diagonal entry of G, where rows are independent and where they are not.
const EPSILON: f64 = 1e-13;
const EPSILON_REDUNDANT: f64 = 1e-6;
/// Newton steps from one combination.
const WORK: usize = 6;
/// Rows whose pivot beside their diagonal entry of G is below this depend on others.
const DEPENDENT: f64 = 1e-10;

/// How many solutions with different motions a frictional problem has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Continuations {
    /// Solutions found.
    pub found: usize,
    /// Whether there are no others: every combination of modes of planar contacts with independent rows was tried,
    /// or the problem has one solution for certain. Else `found` is a lower bound.
    pub complete: bool,
}

/// Counts the solutions of a problem whose motions differ. `modes` (one a group) are where the search begins: those
/// of a known solution, or any. At most `budget` combinations of modes are tried.
///
/// The answer depends on numbers only: not on the order of the groups as long as the budget allows all
/// combinations or whole rounds, nor on units. A problem with [`FrictionRule::TwoSided`] is one of equations: it has
/// one motion.
#[must_use]
pub fn count_solutions(
    delassus: &mut Delassus,
    problem: &FrictionProblem<'_>,
    modes: &[HeldMode],
    budget: usize,
) -> Continuations {
    let matrix = DelassusMatrix::of(delassus);
    count_solutions_around(&matrix, problem, modes, &|_| true, budget)
}

/// As [`count_solutions`]; contacts in space begin in other modes only where they `may_change`: the others come to
/// theirs by Newton steps.
pub(crate) fn count_solutions_around(
    delassus: &DelassusMatrix,
    problem: &FrictionProblem<'_>,
    modes: &[HeldMode],
    may_change: &dyn Fn(usize) -> bool,
    budget: usize,
) -> Continuations {
    let one = Continuations {
        found: 1,
        complete: true,
    };
    if problem.rules.contains(&FrictionRule::TwoSided) {
        return one;
    }
    let (matrix, groups) = (&delassus.entries, &delassus.groups[..]);
    let given = |r: &FrictionRule| matches!(r, FrictionRule::Along(_));
    let inverse = (matrix.clone().cholesky())
        .filter(|c| {
            (0..matrix.nrows()).all(|i| is_independent(c.l_dirty()[(i, i)], matrix[(i, i)]))
        })
        .map(|c| c.inverse());
    if let Some(inverse) = &inverse
        && !problem.rules.iter().any(given)
        && friction_is_weak(matrix, inverse, groups)
    {
        return one;
    }
    let speed = largest(problem.free);
    let tolerance = (TOLERANCE * speed).max(NEGLIGIBLE * problem.resolution);
    let setting = Setting {
        delassus: matrix,
        generation: 0,
        free: problem.free,
        groups,
        rules: problem.rules,
        stiffness: &delassus.stiffness,
        exact: 1e-2 * tolerance,
        enough: tolerance,
        proximal: None,
        shares: false,
    };
    let mut search = Search::new(setting, modes, problem.resolution, tolerance);
    if inverse.is_some() {
        search.epsilon *= EPSILON;
    } else {
        search.epsilon *= EPSILON_REDUNDANT;
        search.same = SAME_NEARLY;
    }
    if search.in_space {
        for (group, others) in search.others.iter_mut().enumerate() {
            if !may_change(group) {
                others.clear();
            }
        }
    }
    let all = search.search(budget);
    let planar = !search.in_space;
    Continuations {
        found: search.effects.len(),
        complete: all && planar && inverse.is_some(),
    }
}

fn is_independent(pivot: f64, diagonal: f64) -> bool {
    pivot * pivot > DEPENDENT * diagonal
}

/// The sufficient condition for one solution.
fn friction_is_weak(g: &DMatrix<f64>, inverse: &DMatrix<f64>, groups: &[FrictionRows]) -> bool {
    let rubbing = groups.iter().filter(|c| c.normal && c.rubs());
    let sum: f64 = rubbing
        .map(|c| {
            let (s, t) = (c.tangent(0), c.tangent(c.tangents - 1));
            let (a, b, d) = (g[(s, s)], g[(s, t)], g[(t, t)]);
            let largest = if c.tangents == 1 {
                a
            } else {
                0.5 * (a + d) + (0.5 * (a - d)).hypot(b)
            };
            c.friction * (largest * inverse[(c.row, c.row)]).sqrt()
        })
        .sum();
    sum < 1.0
}

/// A search over combinations of modes.
struct Search<'a> {
    setting: Setting<'a>,
    in_space: bool,
    /// Where it begins, and what each group may do instead.
    center: Vec<Branch>,
    others: Vec<Vec<Branch>>,
    branches: Vec<Branch>,
    newton: Newton,
    epsilon: f64,
    tolerance: f64,
    same: [f64; 2],
    resolution: f64,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    /// √G_ii, r.
    scale: Vec<f64>,
    /// GΛ of each solution in the kinetic metric.
    effects: Vec<Vec<f64>>,
}

impl<'a> Search<'a> {
    fn new(setting: Setting<'a>, modes: &[HeldMode], resolution: f64, tolerance: f64) -> Self {
        let all = || setting.groups.iter().zip(setting.rules);
        let r = setting.free.len();
        let (center, others) = all()
            .zip(modes)
            .map(|((group, rule), mode)| around(group, rule, mode))
            .unzip();
        let diagonal = |i: usize| setting.delassus[(i, i)];
        let in_space = all().any(|(g, rule)| is_in_space(g, rule));
        Self {
            in_space,
            same: if in_space { SAME_NEARLY } else { SAME },
            center,
            others,
            branches: Vec::new(),
            newton: Newton::default(),
            epsilon: (0..r).map(diagonal).sum::<f64>() / r.max(1) as f64,
            tolerance,
            resolution,
            impulse: vec![0.0; r],
            velocity: vec![0.0; r],
            scale: (0..r)
                .map(|i| diagonal(i).sqrt().max(f64::MIN_POSITIVE))
                .collect(),
            effects: Vec::new(),
            setting,
        }
    }

    /// Runs rounds; true when they were all.
    fn search(&mut self, budget: usize) -> bool {
        let mut left = budget;
        for round in 0..=self.center.len() {
            // Elementary symmetric polynomial of the numbers of alternatives.
            let mut counts = vec![0_usize; round + 1];
            counts[0] = 1;
            for others in &self.others {
                for k in (1..=round).rev() {
                    counts[k] =
                        counts[k].saturating_add(counts[k - 1].saturating_mul(others.len()));
                }
            }
            if counts[round] > left {
                return false;
            }
            left -= counts[round];
            self.branches.clone_from(&self.center);
            self.change(round, 0);
        }
        true
    }

    /// Tries all combinations that change `count` more of the groups from `first` on.
    fn change(&mut self, count: usize, first: usize) {
        if count == 0 {
            self.attempt();
            return;
        }
        for group in first..=self.center.len() - count {
            for k in 0..self.others[group].len() {
                self.branches[group] = self.others[group][k];
                self.change(count - 1, group + 1);
            }
            self.branches[group] = self.center[group];
        }
    }

    /// Solves from the modes at hand and keeps a motion that is new.
    fn attempt(&mut self) {
        self.impulse.fill(0.0);
        self.newton.budget = Some(WORK);
        let (setting, epsilon) = (&self.setting, self.epsilon);
        let (impulse, velocity) = (&mut self.impulse, &mut self.velocity);
        if !(self.newton).solve_branches(setting, &self.branches, epsilon, impulse, velocity) {
            return;
        }
        let left = if self.in_space {
            self.newton.solve(setting, epsilon, impulse, velocity)
        } else {
            setting.residual(impulse, velocity).0
        };
        if left > self.tolerance {
            return;
        }
        let rows = self.velocity.iter().zip(setting.free).zip(&self.scale);
        let effect: Vec<f64> = rows.map(|((a, b), s)| (a - b) / s).collect();
        let [same, uncertain] = self.same;
        let floor = (setting.free.iter().zip(&self.scale))
            .map(|(b, s)| (uncertain * b.abs()).max(self.resolution) / s)
            .fold(0.0_f64, f64::max);
        let known = self.effects.iter().any(|other| {
            let apart = effect.iter().zip(other).map(|(a, b)| (a - b).abs());
            let size = largest(&effect).max(largest(other));
            apart.fold(0.0, f64::max) <= (same * size).max(floor)
        });
        if !known {
            self.effects.push(effect);
        }
    }
}

/// The branch of a mode, and all others that the group may be on.
fn around(group: &FrictionRows, rule: &FrictionRule, mode: &HeldMode) -> (Branch, Vec<Branch>) {
    let along = [Branch::Slide([0.0; 2], 0.0), Branch::Open];
    let choices = match rule {
        FrictionRule::Along(_) if group.normal => &along,
        FrictionRule::Along(_) => &along[..1],
        _ => choices(group, rule),
    };
    let turning = if is_in_space(group, rule) { FIXED } else { 0.0 };
    let wanted = match (rule, mode) {
        (_, HeldMode::Open) => Branch::Open,
        (FrictionRule::Along(_), _) => along[0],
        (_, HeldMode::Stick) => Branch::Stick,
        (_, HeldMode::Slide(s)) => Branch::Slide(s.map(|s| -s), turning),
    };
    // A slide in space in a direction of its own stands beside all choices.
    let own = match wanted {
        Branch::Slide(..) if is_in_space(group, rule) => wanted,
        _ if choices.contains(&wanted) => wanted,
        _ => choices[0],
    };
    let others = choices.iter().copied().filter(|c| *c != own);
    (own, others.collect())
}
