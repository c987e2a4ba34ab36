//! A selection of quantities as residuals over scaled variables: what the solvers iterate on.

use argmin::core::{Error, Jacobian, Operator};
use nalgebra::{DMatrix, DVector};

use super::nearest_in_box::Bounds;
use super::quantity::Role;
use super::{DesignError, DesignProblem};

/// Quantities with their targets. Variables are z = (x − x_start)/s, so that the start is 0 and a
/// distance is a Euclidean one.
#[derive(Clone)]
pub(super) struct Residuals<'a> {
    pub(super) problem: &'a DesignProblem,
    /// Index of a quantity and its target.
    pub(super) rows: Vec<(usize, f64)>,
}

impl<'a> Residuals<'a> {
    /// What must be at a value: gaps that close, masses and lengths that are kept.
    pub(super) fn constraints(problem: &'a DesignProblem) -> Self {
        Self::of(problem, |role| match role {
            Role::Constraint(target) => Some(target),
            _ => None,
        })
    }

    /// The same and what is wanted: cosines and indeterminacies.
    pub(super) fn wanted(problem: &'a DesignProblem) -> Self {
        Self::of(problem, |role| match role {
            Role::Constraint(target) | Role::Wanted { target, .. } => Some(target),
            _ => None,
        })
    }

    fn of(problem: &'a DesignProblem, target: impl Fn(Role) -> Option<f64>) -> Self {
        let quantities = problem.quantities().iter().enumerate();
        Self {
            problem,
            rows: quantities
                .filter_map(|(i, quantity)| Some((i, target(quantity.role())?)))
                .collect(),
        }
    }

    pub(super) fn values(&self, z: &DVector<f64>) -> Result<DVector<f64>, DesignError> {
        let values = self.problem.values(&self.problem.unscaled(z))?;
        Ok(self.select(&values))
    }

    fn select(&self, values: &DVector<f64>) -> DVector<f64> {
        DVector::from_iterator(
            self.rows.len(),
            self.rows.iter().map(|&(i, target)| values[i] - target),
        )
    }

    pub(super) fn derivatives(&self, z: &DVector<f64>) -> Result<DMatrix<f64>, DesignError> {
        let all = self.problem.scaled_linearization(z)?.1;
        Ok(all.select_rows(self.rows.iter().map(|(i, _)| i)))
    }
}

impl Operator for Residuals<'_> {
    type Param = DVector<f64>;
    type Output = DVector<f64>;

    fn apply(&self, z: &DVector<f64>) -> Result<DVector<f64>, Error> {
        Ok(self.values(z)?)
    }
}

impl Jacobian for Residuals<'_> {
    type Param = DVector<f64>;
    type Jacobian = DMatrix<f64>;

    fn jacobian(&self, z: &DVector<f64>) -> Result<DMatrix<f64>, Error> {
        Ok(self.derivatives(z)?)
    }
}

impl DesignProblem {
    /// x = x_start + s z, exactly at a bound where z is at its bound.
    pub(super) fn unscaled(&self, z: &DVector<f64>) -> Vec<f64> {
        let pairs = self.variables().iter().zip(z.iter());
        pairs
            .map(|(v, z)| (v.start + v.scale * z).clamp(v.lower, v.upper))
            .collect()
    }

    /// z = (x − x_start)/s.
    pub(super) fn scaled(&self, x: &[f64]) -> DVector<f64> {
        let pairs = self.variables().iter().zip(x);
        DVector::from_iterator(x.len(), pairs.map(|(v, x)| (x - v.start) / v.scale))
    }

    pub(super) fn scaled_bounds(&self) -> Bounds {
        let lower = self
            .variables()
            .iter()
            .map(|v| (v.lower - v.start) / v.scale);
        let upper = self
            .variables()
            .iter()
            .map(|v| (v.upper - v.start) / v.scale);
        Bounds {
            lower: DVector::from_iterator(self.variables().len(), lower),
            upper: DVector::from_iterator(self.variables().len(), upper),
        }
    }

    /// Values, and derivatives by z.
    pub(super) fn scaled_linearization(
        &self,
        z: &DVector<f64>,
    ) -> Result<(DVector<f64>, DMatrix<f64>), DesignError> {
        let mut linear = self.linearize(&self.unscaled(z))?;
        for (mut column, v) in linear.jacobian.column_iter_mut().zip(self.variables()) {
            column *= v.scale;
        }
        Ok((linear.values, linear.jacobian))
    }
}

/// The typed error inside one of the executor's.
pub(super) fn typed(error: Error) -> DesignError {
    let text = error.to_string();
    error.downcast().unwrap_or(DesignError::NotFinite {
        quantity: text,
        point: "the iteration".to_string(),
    })
}
