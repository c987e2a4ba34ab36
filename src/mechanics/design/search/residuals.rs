//! A selection of quantities as residuals over scaled variables: what the solvers iterate on.

use argmin::core::{Error, Jacobian, Operator};
use nalgebra::{DMatrix, DVector};

use super::nearest_in_box::Bounds;
use crate::design::quantity::Role;
use crate::design::{DesignError, DesignProblem};

/// Quantities with their targets. Variables are z = (x − x_start)/s, so that the start is 0 and a
/// distance is a Euclidean one.
#[derive(Clone)]
pub(crate) struct Residuals<'a> {
    pub(crate) problem: &'a DesignProblem,
    /// Index of a quantity and its target.
    pub(crate) rows: Vec<(usize, f64)>,
    /// Weighed quantities: each is a further variable t with the row r − r* − t/f. As t counts in the distance like
    /// any variable, the nearest root weighs f²(r − r*)² against the squared distance.
    pub(crate) slack: Vec<Slack>,
}

/// One weighed quantity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slack {
    pub(crate) quantity: usize,
    /// r*.
    pub(crate) target: f64,
    /// f.
    factor: f64,
}

impl<'a> Residuals<'a> {
    /// What must be at a value: gaps that close, masses and lengths that are kept.
    pub(crate) fn constraints(problem: &'a DesignProblem) -> Self {
        Self::of(problem, |role| match role {
            Role::Constraint(target) => Some(target),
            _ => None,
        })
    }

    /// The same and what is wanted: cosines and indeterminacies.
    pub(crate) fn wanted(problem: &'a DesignProblem) -> Self {
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
            slack: Vec::new(),
        }
    }

    /// The same rows, and the quantities that have a weight `by` their role; `distance` is the weight of the squared
    /// distance to the start.
    pub(crate) fn weighing(self, distance: f64, by: impl Fn(Role) -> Option<(f64, f64)>) -> Self {
        let quantities = self.problem.quantities().iter().enumerate();
        let slack = quantities.filter_map(|(i, quantity)| {
            let (target, weight) = by(quantity.role())?;
            Some(Slack {
                quantity: i,
                target,
                factor: (weight / distance).sqrt(),
            })
        });
        Self {
            slack: slack.collect(),
            ..self
        }
    }

    /// z with the further variables at what they stand for.
    pub(crate) fn extended(&self, z: &DVector<f64>) -> Result<DVector<f64>, DesignError> {
        let values = self.problem.values(&self.problem.unscaled(z))?;
        let slack = self
            .slack
            .iter()
            .map(|s| s.factor * (values[s.quantity] - s.target));
        let all = z.iter().copied().chain(slack);
        Ok(DVector::from_iterator(z.len() + self.slack.len(), all))
    }

    /// Bounds of all variables; the further ones have none.
    pub(crate) fn bounds(&self) -> Bounds {
        let Bounds { lower, upper } = self.problem.scaled_bounds();
        let length = lower.len() + self.slack.len();
        Bounds {
            lower: lower.resize_vertically(length, f64::NEG_INFINITY),
            upper: upper.resize_vertically(length, f64::INFINITY),
        }
    }

    pub(crate) fn values(&self, z: &DVector<f64>) -> Result<DVector<f64>, DesignError> {
        let values = self.problem.values(&self.problem.unscaled(z))?;
        let n = self.problem.variables().len();
        let rows = self.rows.iter().map(|&(i, target)| values[i] - target);
        let slack = self.slack.iter().enumerate();
        let slack = slack.map(|(k, s)| values[s.quantity] - s.target - z[n + k] / s.factor);
        let count = self.rows.len() + self.slack.len();
        Ok(DVector::from_iterator(count, rows.chain(slack)))
    }

    pub(crate) fn derivatives(&self, z: &DVector<f64>) -> Result<DMatrix<f64>, DesignError> {
        let all = self.problem.scaled_linearization(z)?.1;
        let (n, m) = (all.ncols(), self.rows.len());
        let mut rows = DMatrix::zeros(m + self.slack.len(), n + self.slack.len());
        for (k, (i, _)) in self.rows.iter().enumerate() {
            rows.view_mut((k, 0), (1, n)).copy_from(&all.row(*i));
        }
        for (k, s) in self.slack.iter().enumerate() {
            rows.view_mut((m + k, 0), (1, n))
                .copy_from(&all.row(s.quantity));
            rows[(m + k, n + k)] = -1.0 / s.factor;
        }
        Ok(rows)
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
    pub(crate) fn unscaled(&self, z: &DVector<f64>) -> Vec<f64> {
        let pairs = self.variables().iter().zip(z.iter());
        pairs
            .map(|(v, z)| (v.start + v.scale * z).clamp(v.lower, v.upper))
            .collect()
    }

    /// z = (x − x_start)/s.
    pub(crate) fn scaled(&self, x: &[f64]) -> DVector<f64> {
        let pairs = self.variables().iter().zip(x);
        DVector::from_iterator(x.len(), pairs.map(|(v, x)| (x - v.start) / v.scale))
    }

    pub(crate) fn scaled_bounds(&self) -> Bounds {
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
    pub(crate) fn scaled_linearization(
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
pub(crate) fn typed(error: Error) -> DesignError {
    let text = error.to_string();
    error.downcast().unwrap_or(DesignError::NotFinite {
        quantity: text,
        point: "the iteration".to_string(),
    })
}
