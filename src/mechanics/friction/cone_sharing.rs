//! How redundant contacts that all stick share what they carry within their cones: by the impulses of least norm of those.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | x | | impulses of the rows that stick |
//! | N | `null` | orthonormal null vectors of their Delassus matrix: what N y adds to x moves nothing |
//! | K, P | | the cones of friction and the intervals of dry joints, a little narrower; projection on them |
//! | ε | [`STAGES`] | |
//!
//! ```text
//! least over y of   ½ ε ‖x‖² + ½ ‖x − P x‖²,     x = x₀ + N y
//! ```
//!
//! is strictly convex and differentiable, with the gradient Nᵀ(ε x + x − P x): Newton steps with the derivative of P and halvings find
//! it. For ε → 0 that is the impulse of least norm in K, of which there is one if there is any: it depends neither on what was before nor
//! on how anything is turned, and it is there as long as everything can stick.

use nalgebra::DMatrix;

use super::FrictionRows;
use crate::numerics::{SemidefiniteFactor, SymmetricFactor, add_scaled, dot, make_room};

/// Share of a cone's radius that impulses keep to: at the edge rounding would decide whether they slide.
pub(super) const WITHIN: f64 = 1.0 - 1e-6;
/// What the norm weighs beside the distance from the cones, less and less: along a bent cone a step is not longer than its third root.
/// The last is far below what cones are narrowed by.
const STAGES: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-9];
/// Newton steps of a stage, and halvings of one, at most.
const STEPS: usize = 50;
const HALVINGS: usize = 30;
/// What a step promises is rounding below this share of what is left.
const SETTLED: f64 = 1e-12;
/// Newton steps of the last stage alone, from the last impulses: mostly these are what is looked for.
const FEW: usize = 5;
/// Share of the fall that the slope promises which a step has to bring.
const DESCENT: f64 = 1e-4;

/// A group that sticks, in the rows that do.
#[derive(Debug, Clone, Copy)]
struct Sticking {
    first: usize,
    rows: usize,
    group: FrictionRows,
}

impl Sticking {
    /// The nearest impulse that it may have, and the derivative of that.
    fn project(&self, x: &[f64]) -> ([f64; 3], [[f64; 3]; 3]) {
        let normal = usize::from(self.group.normal);
        let tangent = |t: usize| x.get(normal + t).copied().unwrap_or(0.0);
        let pull = [tangent(0), tangent(1)];
        let size = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
        let (mut near, mut slope) = ([0.0; 3], [[0.0; 3]; 3]);
        near[..self.rows].copy_from_slice(&x[..self.rows]);
        for (k, row) in slope.iter_mut().enumerate().take(self.rows) {
            row[k] = 1.0;
        }
        // Of the tangents where they keep their direction u and have the length `left` in place of `size`, which grows by `grown`.
        let shorten = |slope: &mut [[f64; 3]; 3], left: f64, grown: f64| {
            for i in 0..2 {
                for j in 0..2 {
                    let along = pull[i] * pull[j] / (size * size);
                    let across = f64::from(i == j) - along;
                    slope[normal + i][normal + j] = grown * along + left / size * across;
                }
            }
        };
        if !self.group.normal {
            let most = WITHIN * self.group.limit.max(0.0);
            if size > most {
                slope = [[0.0; 3]; 3];
                shorten(&mut slope, most, 0.0);
                for (near, x) in near.iter_mut().zip(x) {
                    *near = x * (most / size);
                }
            }
            return (near, slope);
        }
        let pressing = x[0];
        if self.rows == 1 {
            if pressing < 0.0 {
                return ([0.0; 3], [[0.0; 3]; 3]);
            }
            return (near, slope);
        }
        let friction = WITHIN * self.group.friction;
        if size <= friction * pressing {
            return (near, slope);
        }
        if friction * size <= -pressing {
            return ([0.0; 3], [[0.0; 3]; 3]);
        }
        let share = 1.0 / (1.0 + friction * friction);
        let pressed = (pressing + friction * size) * share;
        near[0] = pressed;
        slope = [[0.0; 3]; 3];
        slope[0][0] = share;
        shorten(&mut slope, friction * pressed, friction * friction * share);
        for t in 0..2 {
            near[1 + t] = friction * pressed * pull[t] / size;
            slope[0][1 + t] = friction * share * pull[t] / size;
            slope[1 + t][0] = slope[0][1 + t];
        }
        (near, slope)
    }
}

/// What is known at some impulses.
#[derive(Debug, Clone, Default)]
struct Slopes {
    /// ε x + x − P x.
    pull: Vec<f64>,
    /// The derivative of P of each group.
    projections: Vec<[[f64; 3]; 3]>,
}

/// What came of a Newton step.
enum Progress {
    Improved,
    /// There is nothing to improve.
    Settled,
    /// No step along it is lower.
    Stuck,
}

/// Memory for it.
#[derive(Debug, Clone, Default)]
pub(super) struct ConeSharing {
    factor: SemidefiniteFactor,
    matrix: Vec<f64>,
    groups: Vec<Sticking>,
    rows: Vec<usize>,
    /// The null vectors one after the other, for the matrix of this number and these rows.
    null: Vec<f64>,
    generation: Option<u64>,
    stuck: Vec<usize>,
    impulse: Vec<f64>,
    trial: Vec<f64>,
    known: Slopes,
    bent: Vec<f64>,
    hessian: Vec<f64>,
    step: Vec<f64>,
    newton: SymmetricFactor,
}

impl ConeSharing {
    /// Makes room for problems of r rows.
    fn reserve(&mut self, r: usize) {
        self.factor.reserve(r);
        self.newton.reserve(r);
        for (buffer, size) in [
            (&mut self.matrix, r * r),
            (&mut self.null, r * r),
            (&mut self.hessian, r * r),
            (&mut self.impulse, r),
            (&mut self.trial, r),
            (&mut self.known.pull, r),
            (&mut self.bent, r),
            (&mut self.step, r),
        ] {
            make_room(buffer, size);
        }
        make_room(&mut self.rows, r);
        make_room(&mut self.groups, r);
        make_room(&mut self.known.projections, r);
        make_room(&mut self.stuck, r);
    }

    /// Finds in which ways the first `stuck` rows of each group may share what they carry; whether there is any.
    pub fn find(
        &mut self,
        (matrix, groups): (&DMatrix<f64>, &[FrictionRows]),
        stuck: &[usize],
        generation: u64,
    ) -> bool {
        if self.generation == Some(generation) && self.stuck == stuck {
            return !self.null.is_empty();
        }
        let r = matrix.nrows();
        self.reserve(r);
        self.generation = Some(generation);
        self.stuck.clear();
        self.stuck.extend_from_slice(stuck);
        self.rows.clear();
        self.groups.clear();
        for (group, &rows) in groups.iter().zip(stuck).filter(|(_, rows)| **rows > 0) {
            let (first, group) = (self.rows.len(), *group);
            self.groups.push(Sticking { first, rows, group });
            self.rows.extend(group.row..group.row + rows);
        }
        let k = self.rows.len();
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for (i, &column) in self.rows.iter().enumerate() {
            for (j, &row) in self.rows.iter().enumerate().skip(i) {
                self.matrix[i * k + j] = matrix[(row, column)];
            }
        }
        self.null.clear();
        for null in self.factor.null_vectors(&self.matrix, k) {
            self.null.extend_from_slice(null);
        }
        !self.null.is_empty()
    }

    /// Replaces impulses (r) by those of least norm in the cones that move what they move, or by the nearest to the cones.
    pub fn settle(&mut self, impulse: &mut [f64]) {
        self.impulse.clear();
        self.impulse
            .extend(self.rows.iter().map(|&row| impulse[row]));
        if !self.improve_often(STAGES[STAGES.len() - 1], FEW) {
            for epsilon in STAGES {
                self.improve_often(epsilon, STEPS);
            }
        }
        for (&row, x) in self.rows.iter().zip(&self.impulse) {
            impulse[row] = *x;
        }
    }

    /// So many Newton steps at most; whether nothing is left to do.
    fn improve_often(&mut self, epsilon: f64, steps: usize) -> bool {
        for _ in 0..steps {
            match self.improve(epsilon) {
                Progress::Improved => {}
                Progress::Settled => return true,
                Progress::Stuck => return false,
            }
        }
        false
    }

    /// A Newton step.
    fn improve(&mut self, epsilon: f64) -> Progress {
        let k = self.rows.len();
        let d = self.null.len() / k;
        let value = weigh(&self.groups, epsilon, &self.impulse, Some(&mut self.known));
        self.step.clear();
        let slopes = self.null.chunks_exact(k).map(|n| -dot(n, &self.known.pull));
        self.step.extend(slopes);
        self.hessian.clear();
        self.hessian.resize(d * d, 0.0);
        for j in 0..d {
            let own = &self.null[j * k..(j + 1) * k];
            self.bent.clear();
            self.bent.extend(own.iter().map(|x| (1.0 + epsilon) * x));
            for (sticking, slope) in self.groups.iter().zip(&self.known.projections) {
                let rows = sticking.first..sticking.first + sticking.rows;
                for (bent, slope) in self.bent[rows.clone()].iter_mut().zip(slope) {
                    let along = own[rows.clone()].iter().zip(slope);
                    *bent -= along.map(|(x, slope)| x * slope).sum::<f64>();
                }
            }
            for i in j..d {
                self.hessian[j * d + i] = dot(&self.null[i * k..(i + 1) * k], &self.bent);
            }
        }
        if !self.newton.factor(&self.hessian, d, 0.0) {
            return Progress::Stuck;
        }
        self.trial.clear();
        self.trial.extend_from_slice(&self.step);
        self.newton.solve(&mut self.step);
        let fall = -dot(&self.step, &self.trial);
        let goes_on = fall < -SETTLED * value;
        if !goes_on {
            return Progress::Settled;
        }
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            self.trial.clear();
            self.trial.extend_from_slice(&self.impulse);
            for (own, step) in self.null.chunks_exact(k).zip(&self.step) {
                add_scaled(&mut self.trial, share * step, own);
            }
            if weigh(&self.groups, epsilon, &self.trial, None) <= value + DESCENT * share * fall {
                std::mem::swap(&mut self.impulse, &mut self.trial);
                return Progress::Improved;
            }
            share *= 0.5;
        }
        Progress::Stuck
    }
}

/// ½ ε ‖x‖² + ½ ‖x − P x‖², and ε x + x − P x with the derivatives of P where they are asked for.
fn weigh(groups: &[Sticking], epsilon: f64, x: &[f64], known: Option<&mut Slopes>) -> f64 {
    let mut value = epsilon * dot(x, x);
    let mut beyond = |own: &Sticking, near: &[f64; 3]| {
        let x = &x[own.first..own.first + own.rows];
        let apart = x.iter().zip(near).map(|(x, near)| x - near);
        value += apart.map(|beyond| beyond * beyond).sum::<f64>();
    };
    match known {
        None => {
            for own in groups {
                let (near, _) = own.project(&x[own.first..own.first + own.rows]);
                beyond(own, &near);
            }
        }
        Some(Slopes { pull, projections }) => {
            pull.clear();
            projections.clear();
            for own in groups {
                let x = &x[own.first..own.first + own.rows];
                let (near, slope) = own.project(x);
                beyond(own, &near);
                projections.push(slope);
                let apart = x.iter().zip(near);
                pull.extend(apart.map(|(x, near)| epsilon * x + x - near));
            }
        }
    }
    0.5 * value
}

#[cfg(test)]
mod tests;
