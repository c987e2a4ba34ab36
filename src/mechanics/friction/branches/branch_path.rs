//! Whether one solution goes over into another continuously: the branch that a motion is on, followed.
//!
//! The conditions of one instant and those of the next are joined by b(t) = (1 − t) b₀ + t b₁ on the Delassus matrix
//! of the second, b₀ being the free velocities for which the first solution solves it. With given modes the solution
//! is affine in t, so the path is a chain of straight pieces (in space, where sliding directions turn, nearly
//! straight ones that Newton steps correct). A piece ends where a contact comes to the edge of its mode: its normal
//! impulse or its slip reaches zero, its friction the edge of the cone, an open contact approaches. Just beyond there
//! is either a solution close by, and the path goes on with other modes, or there is none: the branch has turned
//! back in t, that is, it has ended.

use nalgebra::DMatrix;

use crate::friction::mode_system::Branch;
use crate::friction::natural_map::Point;
use crate::friction::newton::{Newton, Setting};
use crate::friction::{DelassusMatrix, FrictionProblem, FrictionRule};
use crate::numerics::{add_columns, largest};

/// Solutions of mode equations along one path: one that asks for more is not followed to its end.
const WORK: usize = 60;
/// What a solution may leave of its conditions beside the largest free velocity.
const TOLERANCE: f64 = 1e-9;
/// Residuals below this share of it are rounding.
const EXACT: f64 = 1e-11;
/// How far beyond the end of a piece the next one is looked for, as a share of the whole path.
const BEYOND: f64 = 1e-6;
/// A change over [`BEYOND`] by more than this share of what impulses do is a jump: a thousand times as much as the
/// path changes over its whole length.
const JUMP: f64 = 1e-3;
/// How much farther it is looked for where a piece has no length, at most, and the change there beside the way.
const STALLED: f64 = 4.0;
const FARTHEST: f64 = 1.0 / 32.0;
const FASTEST: f64 = 4.0;
/// What Newton steps may correct of a piece in space, beside its length.
const CORRECTED: f64 = 0.25;
/// Shorter pieces each time when they correct more.
const SHORTER: f64 = 0.25;
/// A change of the motion, or of what impulses do, by less than this share of the latter is no jump: the path need not
/// be followed.
const SMALL: f64 = 0.02;
/// Pieces of a path at most: every contact may change its mode some times.
const PIECES: usize = 32;
/// ε beside the mean diagonal entry of G.
const EPSILON: f64 = 1e-6;

/// Impulses and velocities of the rows (both r).
#[derive(Clone, Copy)]
pub(crate) struct Solution<'a> {
    pub impulse: &'a [f64],
    pub velocity: &'a [f64],
}

/// Follows branches; owns its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct BranchPath {
    newton: Newton,
    branches: Vec<Branch>,
    first: Vec<f64>,
    free: Vec<f64>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    end: Vec<f64>,
    end_velocity: Vec<f64>,
    target: Vec<f64>,
    target_velocity: Vec<f64>,
    chord: Vec<f64>,
    scale: Vec<f64>,
}

impl BranchPath {
    /// Whether the branch of the solution `before` goes on to the problem and arrives at its solution `after`. A
    /// path that could not be followed does not.
    pub(crate) fn goes_over(
        &mut self,
        matrix: &DelassusMatrix,
        problem: &FrictionProblem<'_>,
        before: Solution<'_>,
        after: Solution<'_>,
    ) -> bool {
        if barely_moves(matrix, problem, before, after) {
            return true;
        }
        self.begin(&matrix.entries, before);
        if self.is_near(problem.free, before.velocity, after.velocity) {
            return true;
        }
        let speed = largest(problem.free).max(largest(&self.first));
        let tolerance = (TOLERANCE * speed).max(problem.resolution);
        let entries = &matrix.entries;
        let epsilon = EPSILON * entries.diagonal().sum() / entries.nrows().max(1) as f64;
        let setting = Setting {
            delassus: entries,
            // Factors of other pieces would lead Newton steps to other ends of the path.
            generation: 0,
            free: &[],
            groups: &matrix.groups,
            rules: problem.rules,
            stiffness: &matrix.stiffness,
            exact: EXACT * speed,
            enough: tolerance,
            proximal: None,
            shares: false,
        };
        self.newton.budget = Some(WORK);
        let arrived = self.follow(&setting, problem.free, epsilon, tolerance);
        arrived && {
            let size = self.apart(problem.free, after.velocity);
            let size = size.max(self.apart(&self.first, before.velocity));
            self.apart(&self.velocity, after.velocity) <= JUMP * size
        }
    }

    /// b₀, and the path's first point.
    fn begin(&mut self, matrix: &DMatrix<f64>, before: Solution<'_>) {
        let r = matrix.nrows();
        for buffer in [
            &mut self.first,
            &mut self.free,
            &mut self.impulse,
            &mut self.velocity,
            &mut self.end,
            &mut self.end_velocity,
            &mut self.target,
            &mut self.target_velocity,
            &mut self.chord,
        ] {
            buffer.clear();
            buffer.resize(r, 0.0);
        }
        self.impulse.copy_from_slice(before.impulse);
        self.velocity.copy_from_slice(before.velocity);
        add_columns(&mut self.first, matrix.as_slice(), before.impulse);
        for (b, a) in self.first.iter_mut().zip(before.velocity) {
            *b = a - *b;
        }
        self.scale.clear();
        let diagonal = (0..r).map(|i| matrix[(i, i)]);
        self.scale
            .extend(diagonal.map(|g| g.sqrt().max(f64::MIN_POSITIVE)));
    }

    /// Whether impulses do nearly the same at both ends of the path, GΛ = a − b.
    fn is_near(&self, last: &[f64], before: &[f64], after: &[f64]) -> bool {
        let size = self.apart(&self.first, before).max(self.apart(last, after));
        let rows = (self.first.iter().zip(before)).zip(last.iter().zip(after));
        let changes = rows.zip(&self.scale);
        changes
            .map(|(((b0, a0), (b1, a1)), s)| ((a0 - b0) - (a1 - b1)).abs() / s)
            .all(|change| change <= SMALL * size)
    }

    /// Follows the path to `last`; false where it ends.
    fn follow(
        &mut self,
        setting: &Setting<'_>,
        last: &[f64],
        epsilon: f64,
        tolerance: f64,
    ) -> bool {
        self.end.copy_from_slice(&self.impulse);
        self.end_velocity.copy_from_slice(&self.velocity);
        // Directions of slip that the instant before took from elsewhere.
        if !self.correct(setting, last, 0.0, epsilon, tolerance) {
            return false;
        }
        self.step();
        let size = self.apart(&self.first, &self.velocity);
        let size = size.max(self.apart(&self.first, last));
        let mut at = 0.0;
        let mut beyond = BEYOND;
        for _ in 0..PIECES {
            let (reached, inside) = self.piece(setting, last, at, epsilon, tolerance);
            if !inside {
                return false;
            }
            if reached >= 1.0 {
                return true;
            }
            // Redundant contacts hand their loads on to each other all along an edge.
            beyond = if reached - at < beyond {
                (STALLED * beyond).min(FARTHEST)
            } else {
                BEYOND
            };
            at = reached;
            let next = (at + beyond).min(1.0);
            self.end.copy_from_slice(&self.impulse);
            let found = self.correct(setting, last, next, epsilon, tolerance);
            let allowed = JUMP.max(FASTEST * beyond) * size;
            if found && self.apart(&self.velocity, &self.end_velocity) <= allowed {
                self.step();
                at = next;
            } else if beyond > BEYOND {
                beyond = BEYOND;
            } else {
                return false;
            }
        }
        false
    }

    /// Goes on with the modes at hand from `at` to where they end, at most to 1. Returns where that is, and whether it
    /// could.
    fn piece(
        &mut self,
        setting: &Setting<'_>,
        last: &[f64],
        at: f64,
        epsilon: f64,
        tolerance: f64,
    ) -> (f64, bool) {
        self.set_free(last, at);
        let here = Setting {
            free: &self.free,
            ..*setting
        };
        here.branches(&self.impulse, &self.velocity, &mut self.branches);
        let there = Setting {
            free: last,
            ..*setting
        };
        self.end.copy_from_slice(&self.impulse);
        let (end, velocity) = (&mut self.end, &mut self.end_velocity);
        if !(self.newton).solve_branches(&there, &self.branches, epsilon, end, velocity) {
            return (at, false);
        }
        let mut share = self.share_inside(setting);
        self.target.copy_from_slice(&self.end);
        self.target_velocity.copy_from_slice(&self.end_velocity);
        // Where there is nothing to go the piece ends where it begins.
        while share > 0.0 {
            let reached = at + share * (1.0 - at);
            self.end.copy_from_slice(&self.target);
            self.chord.copy_from_slice(&self.target_velocity);
            between(share, &self.impulse, &mut self.end);
            between(share, &self.velocity, &mut self.chord);
            let length = self.apart(&self.velocity, &self.chord);
            let corrected = self.correct(setting, last, reached, epsilon, tolerance);
            let moved = self.apart(&self.chord, &self.end_velocity);
            let size = self.apart(last, &self.chord);
            if corrected && moved <= (CORRECTED * length).max(JUMP * size) {
                self.step();
                return (reached, true);
            }
            if share * (1.0 - at) < BEYOND {
                return (at, false);
            }
            share *= SHORTER;
        }
        (at, true)
    }

    /// The share of the way to `end` over which every group stays in its mode.
    fn share_inside(&self, setting: &Setting<'_>) -> f64 {
        let all = setting.groups.iter().zip(setting.rules);
        let all = all.zip(setting.stiffness).zip(&self.branches);
        all.map(|(((group, rule), k), branch)| {
            if *rule == FrictionRule::Off {
                return 1.0;
            }
            let from = Point::of(group, *k, &self.impulse, &self.velocity);
            let to = Point::of(group, *k, &self.end, &self.end_velocity);
            let pressing = if group.normal {
                let sign = if *branch == Branch::Open { -1.0 } else { 1.0 };
                zero_between(sign * from.z[0], sign * to.z[0])
            } else {
                1.0
            };
            if *branch == Branch::Open || !group.rubs() || matches!(rule, FrictionRule::Along(_)) {
                return pressing;
            }
            // Beyond the end of pressing the radius is not linear any more.
            let radius = |p: &Point| {
                k[1] * (group.friction * if group.normal { p.z[0] / k[0] } else { 0.0 }
                    + group.limit)
            };
            let edge = match branch {
                Branch::Slide(d, _) => {
                    let beyond = |p: &Point| p.z[1] * d[0] + p.z[2] * d[1] - radius(p);
                    zero_between(beyond(&from), beyond(&to))
                }
                _ => leaves_cone(
                    [from.z[1], from.z[2], radius(&from)],
                    [to.z[1], to.z[2], radius(&to)],
                ),
            };
            pressing.min(edge)
        })
        .fold(1.0, f64::min)
    }

    fn set_free(&mut self, last: &[f64], at: f64) {
        self.free.copy_from_slice(last);
        between(at, &self.first, &mut self.free);
    }

    /// Brings `end` to a solution of the problem at `at`; false when it cannot.
    fn correct(
        &mut self,
        setting: &Setting<'_>,
        last: &[f64],
        at: f64,
        epsilon: f64,
        tolerance: f64,
    ) -> bool {
        self.set_free(last, at);
        let here = Setting {
            free: &self.free,
            ..*setting
        };
        here.velocity(&self.end, &mut self.end_velocity);
        let left = (self.newton).solve(&here, epsilon, &mut self.end, &mut self.end_velocity);
        left <= tolerance
    }

    /// The path has come to `end`.
    fn step(&mut self) {
        self.impulse.copy_from_slice(&self.end);
        self.velocity.copy_from_slice(&self.end_velocity);
    }

    /// Largest difference in the kinetic metric.
    fn apart(&self, a: &[f64], b: &[f64]) -> f64 {
        let rows = a.iter().zip(b).zip(&self.scale);
        rows.fold(0.0, |m, ((a, b), s)| m.max((a - b).abs() / s))
    }
}

/// Whether the motion changes by less than [`SMALL`] of what impulses do: a jump of the solution is one of the motion.
/// This needs no product with G.
fn barely_moves(
    matrix: &DelassusMatrix,
    problem: &FrictionProblem<'_>,
    before: Solution<'_>,
    after: Solution<'_>,
) -> bool {
    let (mut change, mut size) = (0.0_f64, 0.0_f64);
    for (group, k) in matrix.groups.iter().zip(&matrix.stiffness) {
        for row in group.row..group.row + group.height() {
            let normal = group.normal && row == group.row;
            let root = k[usize::from(!normal)].sqrt();
            let now = after.velocity[row];
            change = change.max((now - before.velocity[row]).abs() / root);
            size = size.max((now - problem.free[row]).abs() / root);
        }
    }
    change <= SMALL * size
}

/// Where between `from` and `to` a quantity that is not negative in its mode becomes so, at most 1.
fn zero_between(from: f64, to: f64) -> f64 {
    if to >= 0.0 {
        1.0
    } else {
        let from = from.max(0.0);
        from / (from - to)
    }
}

/// Where (x, y, radius), linear, leaves the cone x² + y² ≤ radius², at most 1.
fn leaves_cone(from: [f64; 3], to: [f64; 3]) -> f64 {
    let product = |a: [f64; 3], b: [f64; 3]| a[2] * b[2] - a[0] * b[0] - a[1] * b[1];
    if to[2] >= 0.0 && product(to, to) >= 0.0 {
        return 1.0;
    }
    let d = [0, 1, 2].map(|i| to[i] - from[i]);
    let (a, b, c) = (
        product(d, d),
        product(from, d),
        product(from, from).max(0.0),
    );
    // c + 2bs + as² = 0, of whose roots the first one from 0 on is sought.
    let root = (b * b - a * c).max(0.0).sqrt();
    let share = if b > 0.0 && a < 0.0 {
        (b + root) / -a
    } else {
        c / (root - b).max(f64::MIN_POSITIVE)
    };
    share.clamp(0.0, 1.0)
}

/// x ← from + share (x − from).
fn between(share: f64, from: &[f64], x: &mut [f64]) {
    for (x, from) in x.iter_mut().zip(from) {
        *x = from + share * (*x - from);
    }
}
