//! Values and derivatives of all quantities of a design problem.
//!
//! By coordinates the derivatives are exact (dual numbers through the kinematics, the mass matrix and
//! the contact geometry that the simulation uses). Parameters enter only through the robot that they
//! build, so derivatives by parameters are central differences of the built robot with step 6e-6 of
//! the variable's scale; where one side cannot be built, second-order one-sided differences.

use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;
use rayon::prelude::*;

use super::configuration;
use super::orthogonality::contact_gram;
use super::{DesignError, DesignProblem, Quantity, Robot};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

/// Step of differences in units of the variable's scale: balances h² against rounding/h.
const DIFFERENCE: f64 = 6e-6;

/// Values of all quantities (rows) and their derivatives by all variables (columns).
#[derive(Debug, Clone, PartialEq)]
pub struct Linearization {
    /// One entry a quantity.
    pub values: DVector<f64>,
    /// Quantities × variables, in the variables' own units.
    pub jacobian: DMatrix<f64>,
}

impl DesignProblem {
    /// Gaps and cosines at `x`, in the order of [`DesignProblem::quantities`].
    ///
    /// # Errors
    /// No such robot, or numbers that overflow.
    pub fn values(&self, x: &[f64]) -> Result<DVector<f64>, DesignError> {
        let robot = self.robot(x)?;
        self.values_of(&robot, x)
    }

    fn values_of(&self, robot: &Robot, x: &[f64]) -> Result<DVector<f64>, DesignError> {
        let mut values = Vec::with_capacity(self.quantities().len());
        for stance in 0..self.stances().len() {
            self.stance_values(robot, &self.coordinates(x, stance), stance, &mut values, x)?;
        }
        for quantity in self.quantities() {
            if let Quantity::Kept { what, value, .. } = quantity {
                values.push(self.kept_value(robot, what, x) / value - 1.0);
            }
        }
        let values = DVector::from_vec(values);
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(DesignError::NotFinite {
                quantity: self.describe(&self.quantities()[at]),
                point: self.describe_point(x),
            });
        }
        Ok(values)
    }

    /// Appends the quantities of one stance.
    fn stance_values<T: Scalar>(
        &self,
        robot: &Robot,
        coordinates: &[T],
        stance: usize,
        out: &mut Vec<T>,
        x: &[f64],
    ) -> Result<(), DesignError> {
        let model = &robot.model;
        let mut kinematics = Kinematics::new(model);
        let q = configuration(model, coordinates);
        kinematics.update_placements(model, &q);
        let gram = contact_gram(model, &robot.contacts, &kinematics, self.touching(stance));
        let gram = gram.ok_or_else(|| DesignError::NotFinite {
            quantity: "the kinetic metric (a singular mass matrix or a normal without motion)"
                .to_string(),
            point: self.describe_point(x),
        })?;
        for quantity in self.quantities() {
            match quantity {
                Quantity::Gap {
                    stance: s, contact, ..
                } if *s == stance => out.push(robot.contacts.gap(&kinematics, *contact)),
                Quantity::Cosine {
                    stance: s, pair, ..
                } if *s == stance => out.push(gram.cosines[*pair]),
                Quantity::Indeterminacy {
                    stance: s,
                    motion,
                    pair,
                    ..
                } if *s == stance => {
                    let v = self.stances()[stance].minimised[*motion]
                        .0
                        .velocity(model, &q);
                    out.push(gram.two_reflections(*pair, &v));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Values and derivatives at `x`.
    ///
    /// # Errors
    /// As [`DesignProblem::values`].
    pub fn linearize(&self, x: &[f64]) -> Result<Linearization, DesignError> {
        let robot = self.robot(x)?;
        let values = self.values_of(&robot, x)?;
        let mut jacobian = DMatrix::zeros(values.len(), x.len());
        // Columns come back in order, whatever the number of threads.
        let columns: Vec<_> = (0..self.parameter_count())
            .into_par_iter()
            .map(|k| self.parameter_column(x, k, &values))
            .collect();
        for (k, column) in columns.into_iter().enumerate() {
            jacobian.set_column(k, &column?);
        }
        let mut row = 0;
        for (s, stance) in self.stances().iter().enumerate() {
            let plain = self.coordinates(x, s);
            let mut c: Vec<Dual64> = plain.iter().map(|&c| Dual64::from(c)).collect();
            let rows = self.quantities().iter().filter(|q| q.stance() == Some(s));
            let rows = rows.count();
            for (k, (index, _)) in stance.free.iter().enumerate() {
                c[*index].eps = 1.0;
                let mut column = Vec::new();
                self.stance_values(&robot, &c, s, &mut column, x)?;
                c[*index].eps = 0.0;
                for (i, value) in column.iter().enumerate() {
                    jacobian[(row + i, self.resolved[s].first_variable + k)] = value.eps;
                }
            }
            row += rows;
        }
        Ok(Linearization { values, jacobian })
    }

    fn parameter_column(
        &self,
        x: &[f64],
        k: usize,
        here: &DVector<f64>,
    ) -> Result<DVector<f64>, DesignError> {
        let h = DIFFERENCE * self.variables()[k].scale;
        let moved = |steps: f64| {
            let mut y = x.to_vec();
            y[k] += steps * h;
            self.values(&y).map(|values| (values, y[k] - x[k]))
        };
        match (moved(1.0), moved(-1.0)) {
            (Ok((up, to)), Ok((down, from))) => Ok((up - down) / (to - from)),
            (Ok((near, _)), Err(_)) => one_sided(here, &near, &moved(2.0)?.0, h),
            (Err(_), Ok((near, _))) => one_sided(here, &near, &moved(-2.0)?.0, -h),
            (Err(error), Err(_)) => Err(error),
        }
    }
}

/// (4 f(h) − 3 f(0) − f(2h)) / 2h.
fn one_sided(
    here: &DVector<f64>,
    near: &DVector<f64>,
    far: &DVector<f64>,
    h: f64,
) -> Result<DVector<f64>, DesignError> {
    Ok((near * 4.0 - here * 3.0 - far) / (2.0 * h))
}
