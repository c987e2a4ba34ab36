//! The exact Newton matrix where joints share coordinates: dense, from the derivatives of the step.
//!
//! The linearisation of the step has J = ∂p₀/∂v̄ with all passive forces of joints; what servos add to its diagonal is the
//! rest of the load.

use nalgebra::DMatrix;

use super::Midpoint;
use crate::discrete::linearization::StepLinearization;
use crate::dynamics::passive_load;
use crate::model::Model;
use crate::numerics::{DenseInverse, add_product};

/// J and its inverse, with memory for one model.
#[derive(Debug, Clone)]
pub(crate) struct SharedNewton {
    linear: StepLinearization,
    factor: DenseInverse,
    inverse: DMatrix<f64>,
    passive: Vec<f64>,
}

impl SharedNewton {
    /// Memory for one model.
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.dof();
        Self {
            linear: StepLinearization::new(model),
            factor: DenseInverse::new(n),
            inverse: DMatrix::zeros(n, n),
            passive: vec![0.0; n],
        }
    }

    /// Inverts J with the `load` (n) of joints, dampers, springs and servos together. False when it is singular.
    pub(crate) fn factor(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
        load: &[f64],
    ) -> bool {
        self.linear.update(model, midpoint, v, h);
        passive_load(model, h, &mut self.passive);
        let matrix = &mut self.linear.newton;
        for (i, (load, passive)) in load.iter().zip(&self.passive).enumerate() {
            matrix[(i, i)] += load - passive;
        }
        self.factor.invert(matrix, &mut self.inverse)
    }

    /// Writes J⁻¹ `residual` to `out` (both n).
    pub(crate) fn solve(&self, residual: &[f64], out: &mut [f64]) -> bool {
        out.fill(0.0);
        add_product(out.len(), 1.0, self.inverse.as_slice(), residual, out);
        out.iter().all(|x| x.is_finite())
    }
}
