//! What momenta and velocities have to do with each other at one state: δp = M δv + ∂(M v)/∂q δq.

use nalgebra::DMatrix;

use crate::discrete::midpoint::MidpointJacobian;
use crate::dynamics::{ArticulatedFactor, Kinematics, SingularMass};
use crate::model::Model;

/// The mass matrix at (q, p), factored, and the slope of the momentum.
pub(crate) struct StateInertia {
    /// Placements and twists there.
    pub kinematics: Kinematics<f64>,
    factor: ArticulatedFactor<f64>,
    /// M and ∂(M v)/∂q.
    pub parts: MidpointJacobian,
}

impl StateInertia {
    /// At a configuration and momentum.
    pub fn new(model: &Model, q: &[f64], p: &[f64]) -> Result<Self, SingularMass> {
        let mut kinematics = Kinematics::new(model);
        let mut factor = ArticulatedFactor::new(model);
        let mut parts = MidpointJacobian::new(model);
        let mut v = vec![0.0; p.len()];
        kinematics.update_placements(model, q);
        factor.factor(model, &kinematics)?;
        factor.solve(model, &kinematics, p, &mut v);
        kinematics.update_twists(model, &v);
        parts.update_inertial(model, &kinematics);
        Ok(Self {
            kinematics,
            factor,
            parts,
        })
    }

    /// M⁻¹ x (n).
    pub fn solve(&mut self, model: &Model, x: &[f64], out: &mut [f64]) {
        self.factor.solve(model, &self.kinematics, x, out);
    }

    /// M⁻¹ p, n numbers.
    pub fn velocity(&mut self, model: &Model, p: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; p.len()];
        self.solve(model, p, &mut v);
        v
    }

    /// Columns (δq, δv), 2n numbers each, become (δq, δp).
    pub fn replace_velocities(&self, columns: &mut DMatrix<f64>) {
        let n = self.parts.mass.nrows();
        let changed = &self.parts.mass * columns.rows(n, n)
            + &self.parts.momentum_configuration * columns.rows(0, n);
        columns.rows_mut(n, n).copy_from(&changed);
    }

    /// Columns (δq, δp), 2n numbers each, become (δq, δv).
    pub fn replace_momenta(&mut self, model: &Model, columns: &mut DMatrix<f64>) {
        let n = self.parts.mass.nrows();
        let moved = &self.parts.momentum_configuration * columns.rows(0, n);
        let mut rest = columns.rows(n, n) - moved;
        let mut column = vec![0.0; n];
        for mut rest in rest.column_iter_mut() {
            column.copy_from_slice(rest.as_slice());
            self.solve(model, &column, rest.as_mut_slice());
        }
        columns.rows_mut(n, n).copy_from(&rest);
    }
}
