//! Parameters of the law.

use super::NAME;
use crate::impact::ImpactError;

/// How the impulse of a single contact is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrongeSolver {
    /// Quadrature and closed forms: exact to round-off.
    Exact,
    /// Euler's method with a fixed step to the end, no closed forms (NI of \[JW\] Table 1).
    NumericalIntegration,
    /// Euler's method with a fixed step, closed forms after events s and l (FS).
    FixedStep,
    /// Euler's method with the step (36) of \[JW\], closed forms after events s and l (VS).
    VariableStep,
}

impl StrongeSolver {
    /// The name on the command line: `exact`, `ni`, `fs`, `vs`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::NumericalIntegration => "ni",
            Self::FixedStep => "fs",
            Self::VariableStep => "vs",
        }
    }
}

/// Everything that can be set by name, but the sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Settings {
    pub solver: StrongeSolver,
    /// |sin| of the angle between γ and γ' below which the paper's event l happens.
    pub tolerance_l: f64,
    /// Sliding speed below which the paper's event s happens \[m/s\].
    pub tolerance_s: f64,
    /// Step of NI and FS \[N s\]; `None`: a hundredth of the frictionless impulse.
    pub step: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solver: StrongeSolver::Exact,
            tolerance_l: 0.035,
            tolerance_s: 0.012,
            step: None,
        }
    }
}

impl Settings {
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        let wrong = |reason: String| ImpactError::Parameter {
            law: NAME,
            parameter: name.to_string(),
            reason,
        };
        let number = |least: &str| match value.trim().parse::<f64>() {
            Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
            _ => Err(wrong(format!("\"{value}\" is not {least}"))),
        };
        match name {
            "solver" => {
                self.solver = match value.trim() {
                    "exact" => StrongeSolver::Exact,
                    "ni" => StrongeSolver::NumericalIntegration,
                    "fs" => StrongeSolver::FixedStep,
                    "vs" => StrongeSolver::VariableStep,
                    _ => {
                        return Err(wrong(format!("\"{value}\" is none of exact, ni, fs, vs")));
                    }
                }
            }
            "tolerance_l" => {
                self.tolerance_l = number("a sine, a number of at least 0 and at most 1")?;
                if self.tolerance_l > 1.0 {
                    return Err(wrong(format!("{value} is no sine, it must be at most 1")));
                }
            }
            "tolerance_s" => self.tolerance_s = number("a speed in m/s of at least 0")?,
            "step" if value.trim() == "auto" => self.step = None,
            "step" => {
                let step = number("a positive impulse in N s, or auto")?;
                if step == 0.0 {
                    return Err(wrong("a step of 0 never ends, give a positive one".into()));
                }
                self.step = Some(step);
            }
            _ => {
                return Err(wrong(
                    "there is no such parameter; there are solver, step, tolerance_l, tolerance_s, sequence"
                        .into(),
                ));
            }
        }
        Ok(())
    }
}
