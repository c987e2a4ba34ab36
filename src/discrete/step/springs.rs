//! Springs between points in the quasi-Newton matrix: J = M + Σ v vᵀ, one rank-one update after the other.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | A | (factor) | M with the load of joints, factorised as L D Lᵀ along the tree |
//! | v | `rows` | √w u of [`point_spring_load`], three a spring, n numbers each |
//! | z, β | `answers`, `shares` | J⁻¹ v with the rows before v in J, and 1/(1 + v·z) |
//! | y, γ | `halves`, `cuts` | D^(−1/2) L⁻¹ v after the cuts before it, and (1 − 1/√(1 + y·y))/(y·y) |
//!
//! J⁻¹ x is A⁻¹ x less β (v·x) z, row after row. The rows C of contacts need a factor of C J⁻¹ Cᵀ: every row of
//! C L⁻ᵀ D^(−1/2) less its γ (·y) y, row after row, for (I + y yᵀ)^(−1/2) = I − γ y yᵀ. No weight is inverted,
//! so springs may be soft, missing or stiff beyond measure, and redundant.

use crate::dynamics::{
    ArticulatedFactor, Kinematics, POINT_SPRING_ROWS, Support, point_spring_load,
};
use crate::model::Model;
use crate::numerics::{add_scaled, dot};

/// The updates of one factor, with memory for one model.
#[derive(Debug, Clone)]
pub(super) struct PointSprings {
    n: usize,
    rows: Vec<f64>,
    weights: Vec<f64>,
    answers: Vec<f64>,
    shares: Vec<f64>,
    halves: Vec<f64>,
    cuts: Vec<f64>,
    /// All bodies that springs pull at.
    support: Support,
    /// Rows of one spring for the columns of `support`, before and after half a solve.
    before: Vec<f64>,
    after: Vec<f64>,
}

impl PointSprings {
    /// Memory for one model.
    pub(super) fn new(model: &Model) -> Self {
        let count = POINT_SPRING_ROWS * model.point_springs().len();
        let n = model.dof();
        let mut support = Support::default();
        for body in bodies(model) {
            support.include(model, body);
        }
        let wide = POINT_SPRING_ROWS * support.coordinates().len();
        Self {
            n,
            rows: vec![0.0; n * count],
            weights: vec![0.0; count],
            answers: vec![0.0; n * count],
            shares: vec![0.0; count],
            halves: vec![0.0; n * count],
            cuts: vec![0.0; count],
            support,
            before: vec![0.0; wide],
            after: vec![0.0; wide],
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Adds what springs couple with each other to the support of a contact or a joint.
    pub(super) fn widen(&self, model: &Model, support: &mut Support) {
        for body in bodies(model) {
            support.include(model, body);
        }
    }

    /// Takes the springs at `kinematics` into the matrix of a step of `h` beside what `factor` has.
    pub(super) fn update(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<f64>,
        factor: &mut ArticulatedFactor<f64>,
        h: f64,
    ) {
        if self.is_empty() {
            return;
        }
        point_spring_load(model, kinematics, h, &mut self.rows, &mut self.weights);
        let n = self.n;
        for (at, weight) in self.weights.iter().enumerate() {
            let row = &mut self.rows[at * n..(at + 1) * n];
            let root = weight.sqrt();
            row.iter_mut().for_each(|x| *x *= root);
            let (known, rest) = self.answers.split_at_mut(at * n);
            let answer = &mut rest[..n];
            factor.solve(model, kinematics, row, answer);
            subtract_updates(&self.rows, known, &self.shares, answer);
            self.shares[at] = 1.0 / (1.0 + dot(&self.rows[at * n..(at + 1) * n], answer));
        }
    }

    /// x ← J⁻¹ A x for an x that A has been solved for.
    pub(super) fn relax(&self, x: &mut [f64]) {
        subtract_updates(&self.rows, &self.answers, &self.shares, x);
    }

    /// Prepares [`PointSprings::cut`] for the last update.
    pub(super) fn update_cuts(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<f64>,
        factor: &mut ArticulatedFactor<f64>,
    ) {
        const R: usize = POINT_SPRING_ROWS;
        let n = self.n;
        for first in (0..self.weights.len()).step_by(R) {
            let columns = self.before.chunks_exact_mut(R);
            for (column, at) in columns.zip(self.support.coordinates()) {
                for (k, entry) in column.iter_mut().enumerate() {
                    *entry = self.rows[(first + k) * n + at];
                }
            }
            let (before, after) = (&self.before, &mut self.after);
            factor.half_solve::<R>(model, kinematics, &self.support, before, after);
            for row in first..first + R {
                let (known, rest) = self.halves.split_at_mut(row * n);
                let half = &mut rest[..n];
                half.fill(0.0);
                let entries = self.after.iter().skip(row - first).step_by(R);
                for (at, x) in self.support.coordinates().iter().zip(entries) {
                    half[*at] = *x;
                }
                for (y, cut) in known.chunks_exact(n).zip(&self.cuts) {
                    let along = dot(y, half);
                    add_scaled(half, -cut * along, y);
                }
                let size = dot(half, half);
                // (1 − 1/√(1 + s))/s without cancellation.
                let root = (1.0 + size).sqrt();
                self.cuts[row] = 1.0 / (root * (1.0 + root));
            }
        }
    }

    /// Takes the springs into half solved `rows`, column after column of `height` entries for the columns of
    /// `support`, which [`PointSprings::widen`] has made to contain those of all springs.
    pub(super) fn cut(&self, support: &Support, height: usize, rows: &mut [f64]) {
        let coordinates = support.coordinates();
        for (y, cut) in self.halves.chunks_exact(self.n.max(1)).zip(&self.cuts) {
            for k in 0..height {
                let own = rows.iter().skip(k).step_by(height);
                let along: f64 = coordinates.iter().zip(own).map(|(c, x)| y[*c] * x).sum();
                let own = rows.iter_mut().skip(k).step_by(height);
                for (c, x) in coordinates.iter().zip(own) {
                    *x -= cut * along * y[*c];
                }
            }
        }
    }
}

/// The bodies that springs pull at.
fn bodies(model: &Model) -> impl Iterator<Item = usize> {
    let springs = model.point_springs().iter();
    springs.flat_map(|spring| spring.bodies).flatten()
}

/// x less β (v·x) z for as many rows as there are answers.
fn subtract_updates(rows: &[f64], answers: &[f64], shares: &[f64], x: &mut [f64]) {
    let n = x.len().max(1);
    let updates = rows.chunks_exact(n).zip(answers.chunks_exact(n));
    for ((row, answer), share) in updates.zip(shares) {
        let along = share * dot(row, x);
        add_scaled(x, -along, answer);
    }
}
