use thiserror::Error;

/// Why a granular system could not be set up.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GranularError {
    /// A setting or property is out of its range, or not a number.
    #[error("{name} is {value}, it must be {range}")]
    OutOfRange {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The admissible range, in words.
        range: &'static str,
    },
}

impl GranularError {
    /// Accepts a finite value for which the condition holds.
    pub(crate) fn check(
        name: &'static str,
        value: f64,
        holds: bool,
        range: &'static str,
    ) -> Result<(), Self> {
        if holds && value.is_finite() {
            return Ok(());
        }
        Err(Self::OutOfRange { name, value, range })
    }
}
