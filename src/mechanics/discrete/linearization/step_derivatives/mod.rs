//! First derivatives of a free step: of (q₁, p₁) by (q₀, p₀), the applied forces u and h.
//!
//! The step solves p₀(v̄, q₀, u, h) = p₀, so with the symbols of [`StepLinearization`]
//!
//! ```text
//! δv̄ = J⁻¹ (δp₀ − K δq₀ + R₀ δu − s δh),
//! δq₁ = A₁ δq₀ + H₁ δv̄ + b₁ δh,      δp₁ = E δv̄ + G δq₀ + R₁ δu + e δh.
//! ```

use nalgebra::{DMatrix, DVector};

use super::step_linearization::StepLinearization;
use crate::discrete::StepError;
use crate::discrete::midpoint::Midpoint;
use crate::model::Model;
use crate::numerics::{DenseInverse, add_product};

/// Derivatives of one free step; owns its memory (products of matrices of more than 19 coordinates pack
/// their factors into fresh memory). Rows are those of the result, columns those of the
/// argument; configurations change by n numbers, for a floating body its body twist.
#[derive(Debug, Clone)]
pub struct StepDerivatives {
    /// ∂q₁/∂q₀, n × n.
    pub configuration_by_configuration: DMatrix<f64>,
    /// ∂q₁/∂p₀, n × n.
    pub configuration_by_momentum: DMatrix<f64>,
    /// ∂q₁/∂u, n × n, u the generalized forces applied during the step.
    pub configuration_by_force: DMatrix<f64>,
    /// ∂q₁/∂h, n.
    pub configuration_by_time: DVector<f64>,
    /// ∂p₁/∂q₀, n × n.
    pub momentum_by_configuration: DMatrix<f64>,
    /// ∂p₁/∂p₀, n × n.
    pub momentum_by_momentum: DMatrix<f64>,
    /// ∂p₁/∂u, n × n.
    pub momentum_by_force: DMatrix<f64>,
    /// ∂p₁/∂h, n.
    pub momentum_by_time: DVector<f64>,
    linear: StepLinearization,
    solver: DenseInverse,
    /// J⁻¹ and its products with −K and −s: how v̄ changes.
    inverse: DMatrix<f64>,
    mean_by_configuration: DMatrix<f64>,
    mean_by_time: DVector<f64>,
}

impl StepDerivatives {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let n = model.dof();
        let square = || DMatrix::zeros(n, n);
        let column = || DVector::zeros(n);
        Self {
            configuration_by_configuration: square(),
            configuration_by_momentum: square(),
            configuration_by_force: square(),
            configuration_by_time: column(),
            momentum_by_configuration: square(),
            momentum_by_momentum: square(),
            momentum_by_force: square(),
            momentum_by_time: column(),
            linear: StepLinearization::new(model),
            solver: DenseInverse::new(n),
            inverse: square(),
            mean_by_configuration: square(),
            mean_by_time: column(),
        }
    }

    /// Differentiates the step of length `h` whose solution is the mean velocity `v` (n) and whose
    /// evaluated middle is `midpoint`: those of a
    /// [`Stepper`](crate::discrete::Stepper) after a free step.
    ///
    /// # Errors
    /// [`StepError::SingularJacobian`] when the step's equation does not determine v̄.
    pub fn update(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
    ) -> Result<(), StepError> {
        self.linear.update(model, midpoint, v, h);
        if !self.solver.invert(&self.linear.newton, &mut self.inverse) {
            return Err(StepError::SingularJacobian);
        }
        self.differentiate_mean();
        self.differentiate_configuration();
        self.differentiate_momentum();
        Ok(())
    }

    fn differentiate_mean(&mut self) {
        let n = self.inverse.nrows();
        let inverse = self.inverse.as_slice();
        let known = self.linear.start_by_configuration.as_slice();
        let target = self.mean_by_configuration.as_mut_slice();
        target.fill(0.0);
        add_product(n, -1.0, inverse, known, target);
        let known = self.linear.start_by_time.as_slice();
        let target = self.mean_by_time.as_mut_slice();
        target.fill(0.0);
        add_product(n, -1.0, inverse, known, target);
    }

    fn differentiate_configuration(&mut self) {
        let n = self.inverse.nrows();
        let [by_start, by_velocity] = [&self.linear.end_by_start, &self.linear.end_by_velocity];
        let target = self.configuration_by_momentum.as_mut_slice();
        target.copy_from_slice(self.inverse.as_slice());
        by_velocity.multiply_left(n, target);
        let target = self.configuration_by_force.as_mut_slice();
        target.copy_from_slice(self.configuration_by_momentum.as_slice());
        self.linear.by_force[0].multiply_right(n, target);
        let target = self.configuration_by_configuration.as_mut_slice();
        target.copy_from_slice(self.mean_by_configuration.as_slice());
        by_velocity.multiply_left(n, target);
        by_start.add_to(n, target);
        let target = self.configuration_by_time.as_mut_slice();
        target.copy_from_slice(self.mean_by_time.as_slice());
        by_velocity.multiply_left(n, target);
        for (x, b) in target.iter_mut().zip(&self.linear.end_place_by_time) {
            *x += b;
        }
    }

    fn differentiate_momentum(&mut self) {
        let n = self.inverse.nrows();
        let end = self.linear.end.as_slice();
        let target = self.momentum_by_momentum.as_mut_slice();
        target.fill(0.0);
        add_product(n, 1.0, end, self.inverse.as_slice(), target);
        let [start_force, end_force] = &self.linear.by_force;
        let target = self.momentum_by_force.as_mut_slice();
        target.copy_from_slice(self.momentum_by_momentum.as_slice());
        start_force.multiply_right(n, target);
        end_force.add_to(n, target);
        let target = self.momentum_by_configuration.as_mut_slice();
        target.copy_from_slice(self.linear.end_by_configuration.as_slice());
        add_product(n, 1.0, end, self.mean_by_configuration.as_slice(), target);
        let target = self.momentum_by_time.as_mut_slice();
        target.copy_from_slice(self.linear.end_by_time.as_slice());
        add_product(n, 1.0, end, self.mean_by_time.as_slice(), target);
    }
}

#[cfg(test)]
mod tests;
