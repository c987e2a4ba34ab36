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

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector, Vector3};

    use super::*;
    use crate::dynamics::mass_matrix;
    use crate::model::sample::Uniform;
    use crate::model::{Base, Joint, Link, ModelBuilder};

    const H: f64 = 0.01;

    /// A trunk with three arms; springs between two of them, and one of them twice.
    fn tied(base: Base, stiffness: f64) -> Model {
        let body = |name: &str| Link::new(name).solid_box(0.4, [0.2, 0.3, 0.4], Vector3::x() * 0.1);
        let mut builder = ModelBuilder::new("tied").base(base).link(body("trunk"));
        for (i, arm) in ["a", "b", "c"].into_iter().enumerate() {
            let x = 0.2 * i as f64;
            builder = builder
                .link(body(arm))
                .joint(Joint::revolute(arm, "trunk", arm).origin([x, 0.1, 0.0], [0.3, x, 0.2]));
        }
        let points = [[0.1, 0.2, 0.3], [0.4, 0.0, 0.1]];
        builder
            .point_spring([Some("a"), Some("b")], points, 0.0, stiffness, 2.0)
            .point_spring([Some("a"), Some("b")], points, 0.1, stiffness, 0.0)
            .point_spring([None, Some("a")], points, 9.0, 30.0, 0.0)
            .build()
            .expect("a valid model")
    }

    /// Both forms of J⁻¹ against a dense inverse, also for redundant springs far stiffer than the masses.
    #[test]
    fn updates_invert_the_sum_of_mass_and_springs() {
        let mut random = Uniform::new(41);
        for base in [Base::Fixed, Base::Planar, Base::Floating] {
            for stiffness in [0.0, 100.0, 1e7] {
                let model = tied(base, stiffness);
                let n = model.dof();
                let mut draw =
                    || -> Vec<f64> { (0..n).map(|_| random.between(-1.0, 1.0)).collect() };
                let (turn, x) = (draw(), draw());
                let mut q = model.neutral_configuration();
                model.integrate(&model.neutral_configuration(), &turn, 1.0, &mut q);
                let mut kinematics = Kinematics::new(&model);
                kinematics.update_placements(&model, &q);
                let mut factor = ArticulatedFactor::new(&model);
                factor.factor(&model, &kinematics).expect("a regular mass");
                let mut springs = PointSprings::new(&model);
                springs.update(&model, &kinematics, &mut factor, H);
                springs.update_cuts(&model, &kinematics, &mut factor);

                let rows = DMatrix::from_row_slice(springs.weights.len(), n, &springs.rows);
                let matrix = mass_matrix(&model, &kinematics) + rows.transpose() * &rows;
                let singular = matrix.singular_values();
                let inverse = matrix.cholesky().expect("positive").inverse();
                // Rounding times the condition, of the inverse beside it as well.
                let bound = 1e-14 * singular[0] / singular[n - 1] * inverse.amax();

                let mut out = vec![0.0; n];
                factor.solve(&model, &kinematics, &x, &mut out);
                springs.relax(&mut out);
                let expected = &inverse * DVector::from_column_slice(&x);
                assert!((DVector::from_vec(out) - expected).amax() <= bound * n as f64);

                // One row for each coordinate: Y Yᵀ is the inverse.
                let mut support = Support::new(&model, [Some(model.bodies().len() - 1), None]);
                springs.widen(&model, &mut support);
                for body in 0..model.bodies().len() {
                    support.include(&model, body);
                }
                assert_eq!(support.coordinates(), (0..n).collect::<Vec<_>>());
                let mut factor_rows = DMatrix::zeros(n, n);
                for i in 0..n {
                    let mut unit = vec![0.0; n];
                    unit[i] = 1.0;
                    let mut y = vec![0.0; n];
                    factor.half_solve::<1>(&model, &kinematics, &support, &unit, &mut y);
                    springs.cut(&support, 1, &mut y);
                    factor_rows.set_row(i, &DVector::from_vec(y).transpose());
                }
                let found = &factor_rows * factor_rows.transpose();
                assert!((found - inverse).amax() <= bound, "{base:?} {stiffness}");
            }
        }
    }
}
