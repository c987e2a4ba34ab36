use super::DesignError;

/// How far from the start an unbounded variable is searched, in scales.
const SPREAD: f64 = 2.0;

/// A free number of a design.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Name, unique in the problem; free coordinates are named by the problem.
    pub name: String,
    /// Value at the start.
    pub start: f64,
    /// Least value, possibly −∞.
    pub lower: f64,
    /// Largest value, possibly ∞.
    pub upper: f64,
    /// The change that counts as 1 in distances, positive.
    pub scale: f64,
}

impl Variable {
    /// Without bounds.
    #[must_use]
    pub fn new(name: &str, start: f64, scale: f64) -> Self {
        Self {
            name: name.to_string(),
            start,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            scale,
        }
    }

    /// Sets both bounds.
    #[must_use]
    pub fn within(mut self, lower: f64, upper: f64) -> Self {
        self.lower = lower;
        self.upper = upper;
        self
    }

    /// Where a global search looks for it: within the bounds, two scales from the start without one.
    #[must_use]
    pub fn search_range(&self) -> (f64, f64) {
        let or = |bound: f64, side: f64| {
            if bound.is_finite() {
                bound
            } else {
                self.start + side * SPREAD * self.scale
            }
        };
        (or(self.lower, -1.0), or(self.upper, 1.0))
    }

    /// Whether bounds, start and scale make sense.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), DesignError> {
        let wrong = |reason: String| {
            Err(DesignError::Variable {
                variable: self.name.clone(),
                reason,
            })
        };
        if !self.start.is_finite() {
            return wrong(format!("its start is {}, it must be finite", self.start));
        }
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            return wrong(format!("its scale is {}, it must be positive", self.scale));
        }
        if self.lower.is_nan() || self.upper.is_nan() || self.lower > self.upper {
            return wrong(format!(
                "its bounds contradict each other: {} to {} (joint limits included)",
                self.lower, self.upper
            ));
        }
        if !(self.lower <= self.start && self.start <= self.upper) {
            return wrong(format!(
                "its start {} lies outside its bounds {} to {} (joint limits included)",
                self.start, self.lower, self.upper
            ));
        }
        Ok(())
    }
}
