//! Parameters of the law and the velocity-dependent coefficient of restitution.

use super::NAME;
use crate::impact::ImpactError;
use crate::impact::parameters::{parse_switch, unknown_parameter};

/// Parameters of [`Plus`](super::Plus). The defaults are those of \[USD\] Table A1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlusParameters {
    /// Approach speed below which a contact does not rebound \[m/s\]. Default 0.01.
    pub v_capture: f64,
    /// Approach speed from which the coefficient of restitution has its minimum, the contact's `restitution`
    /// \[m/s\]. Default 0.1.
    pub v_plastic: f64,
    /// Sliding speed below which a contact may roll \[m/s\]. Default 0.1.
    pub v_transition: f64,
    /// Largest turn of a sliding direction in one interval \[rad\], in (0, π/2). Default 0.01.
    pub theta_max: f64,
    /// Shortest interval, as a fraction of what is left of the round, in (0, 1]. Default 1e-6 (the paper gives none).
    pub alpha_min: f64,
    /// Whether contacts join one after the other as they are driven together. Without it every contact takes part
    /// in one compression and one expansion, with the restitution of the fastest approach: the model that the
    /// paper contrasts its own with (Fig. 14, row C). Default true.
    pub propagation: bool,
    /// Relative size of round-off: velocities below `tolerance` times the largest contact velocity before the
    /// impact are zero, impulses accordingly. Default 1e-10.
    pub tolerance: f64,
    /// Rounds after which the impact counts as not terminated. Default 10 000.
    pub max_rounds: usize,
    /// Intervals after which the impact counts as not terminated. Default 100 000.
    pub max_intervals: usize,
}

impl Default for PlusParameters {
    fn default() -> Self {
        Self {
            v_capture: 0.01,
            v_plastic: 0.1,
            v_transition: 0.1,
            theta_max: 0.01,
            alpha_min: 1e-6,
            propagation: true,
            tolerance: 1e-10,
            max_rounds: 10_000,
            max_intervals: 100_000,
        }
    }
}

impl PlusParameters {
    /// The names that [`Self::set`] knows.
    pub const NAMES: &[&str] = &[
        "v_capture",
        "v_plastic",
        "v_transition",
        "theta_max",
        "alpha_min",
        "propagation",
        "tolerance",
        "max_rounds",
        "max_intervals",
    ];

    /// The coefficient of restitution of \[USD\] Fig. 2: 0 below `v_capture`; from there it falls linearly, on
    /// the line from 1 at rest, to `minimum` at `v_plastic`, and stays there.
    ///
    /// `approach` is −v_z \[m/s\].
    #[must_use]
    pub fn restitution(&self, minimum: f64, approach: f64) -> f64 {
        if approach < self.v_capture {
            0.0
        } else if approach >= self.v_plastic {
            minimum
        } else {
            1.0 - (1.0 - minimum) * approach / self.v_plastic
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for the first that is out of range.
    pub fn validate(&self) -> Result<(), ImpactError> {
        let speeds = [
            ("v_capture", self.v_capture),
            ("v_plastic", self.v_plastic),
            ("v_transition", self.v_transition),
        ];
        for (name, value) in speeds {
            if !(value.is_finite() && value >= 0.0) {
                return Err(out_of_range(name, value, "a speed in m/s, at least 0"));
            }
        }
        if !(self.theta_max > 0.0 && self.theta_max < std::f64::consts::FRAC_PI_2) {
            let range = "an angle in rad, above 0 and below pi/2";
            return Err(out_of_range("theta_max", self.theta_max, range));
        }
        if !(self.alpha_min > 0.0 && self.alpha_min <= 1.0) {
            return Err(out_of_range(
                "alpha_min",
                self.alpha_min,
                "above 0 and at most 1",
            ));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1e-2) {
            return Err(out_of_range(
                "tolerance",
                self.tolerance,
                "above 0 and below 0.01",
            ));
        }
        Ok(())
    }

    /// Sets one parameter by name, from text.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for an unknown name, text that is not a number, or a value out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        let mut changed = *self;
        match name {
            "v_capture" => changed.v_capture = number(name, value)?,
            "v_plastic" => changed.v_plastic = number(name, value)?,
            "v_transition" => changed.v_transition = number(name, value)?,
            "theta_max" => changed.theta_max = number(name, value)?,
            "alpha_min" => changed.alpha_min = number(name, value)?,
            "propagation" => changed.propagation = parse_switch(NAME, name, value)?,
            "tolerance" => changed.tolerance = number(name, value)?,
            "max_rounds" => changed.max_rounds = number(name, value)?,
            "max_intervals" => changed.max_intervals = number(name, value)?,
            _ => return Err(unknown_parameter(NAME, name, Self::NAMES)),
        }
        changed.validate()?;
        *self = changed;
        Ok(())
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, ImpactError> {
    value
        .trim()
        .parse()
        .map_err(|_| parameter(name, format!("\"{value}\" is not a number of its kind")))
}

fn out_of_range(name: &str, value: f64, range: &str) -> ImpactError {
    parameter(name, format!("is {value}, it must be {range}"))
}

fn parameter(name: &str, reason: String) -> ImpactError {
    ImpactError::Parameter {
        law: NAME,
        parameter: name.to_string(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitution_follows_the_curve() {
        let p = PlusParameters::default();
        // Zero below capture, on the line through (0, 1) and (v_plastic, e_min), then e_min.
        for (approach, expected) in [
            (0.0, 0.0),
            (0.00999, 0.0),
            (0.01, 1.0 - 0.6 * 0.1),
            (0.05, 1.0 - 0.6 * 0.5),
            (0.1, 0.4),
            (8.0, 0.4),
        ] {
            let e = p.restitution(0.4, approach);
            assert!((e - expected).abs() < 1e-15, "{approach}: {e}");
        }
        // A plastic speed of zero means e_min at every speed above capture.
        let constant = PlusParameters {
            v_plastic: 0.0,
            v_capture: 0.0,
            ..p
        };
        assert_eq!(constant.restitution(0.4, 0.0), 0.4);
    }

    #[test]
    fn parameters_are_set_by_name_and_checked() {
        let mut p = PlusParameters::default();
        p.set("theta_max", "0.25").unwrap();
        p.set("max_rounds", "7").unwrap();
        assert_eq!((p.theta_max, p.max_rounds), (0.25, 7));
        let before = p;
        for (name, value) in [
            ("theta_max", "0"),
            ("theta_max", "1.6"),
            ("theta_max", "NaN"),
            ("alpha_min", "0"),
            ("alpha_min", "1.5"),
            ("tolerance", "-1"),
            ("v_capture", "-0.1"),
            ("v_plastic", "inf"),
            ("v_transition", "fast"),
            ("max_intervals", "2.5"),
            ("theta", "0.1"),
        ] {
            let error = p.set(name, value).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        assert_eq!(p, before);
    }
}
