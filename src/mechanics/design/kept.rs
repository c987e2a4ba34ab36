//! Masses and lengths that a design keeps.

use super::quantity::Keep;
use super::{DesignError, DesignProblem, KeptQuantity, Quantity, Robot};

impl DesignProblem {
    /// Keeps masses or lengths, as constraints or softly.
    ///
    /// # Errors
    /// A value or weight that makes no sense, by what is kept.
    pub fn keeping(mut self, kept: Vec<Keep>) -> Result<Self, DesignError> {
        for keep in kept {
            let x = self.start();
            let start = self.kept_value(&self.robot(&x)?, &keep.what, &x);
            let value = keep.value.unwrap_or(start);
            let what = keep.what;
            let quantity = Quantity::Kept {
                what: what.clone(),
                value,
                weight: keep.weight,
            };
            let wrong = |reason: String| DesignError::Kept {
                what: self.describe(&quantity),
                reason,
            };
            if let KeptQuantity::Length(parameters) = &what
                && (parameters.is_empty() || parameters.iter().any(|k| *k >= self.parameter_count))
            {
                return Err(wrong("a length is a sum of parameters".to_string()));
            }
            if !(value > 0.0 && value.is_finite()) {
                return Err(wrong(format!(
                    "the value to keep is {value}, it must be positive"
                )));
            }
            if let Some(weight) = keep.weight.filter(|w| !(*w > 0.0 && w.is_finite())) {
                return Err(wrong(format!(
                    "its weight is {weight}, it must be positive"
                )));
            }
            self.quantities.push(quantity);
        }
        Ok(self)
    }

    /// The mass \[kg\] or length \[m\] of the robot at `x`.
    pub(super) fn kept_value(&self, robot: &Robot, what: &KeptQuantity, x: &[f64]) -> f64 {
        match what {
            KeptQuantity::Mass => robot.model.mass(),
            KeptQuantity::Length(parameters) => parameters.iter().filter_map(|k| x.get(*k)).sum(),
        }
    }
}
