use thiserror::Error;

/// Why an impact problem could not be posed or solved.
///
/// Outcomes that are not errors (ambiguous, not terminated, capped) are data: see
/// [`ImpactStatus`](super::ImpactStatus).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// A vector or matrix has the wrong size.
    #[error("{place} has {found} entries, expected {expected}")]
    Dimension {
        /// What has the wrong size, for example `contacts[1] \"BC\": normal`.
        place: String,
        /// The size that the mass matrix implies.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error("{place} is not finite ({value})")]
    NotFinite {
        /// Where the number stands.
        place: String,
        /// The number.
        value: f64,
    },
    /// A number lies outside of its range.
    #[error("{place} is {value}, it must be {range}")]
    OutOfRange {
        /// Where the number stands.
        place: String,
        /// The number.
        value: f64,
        /// The admissible range, in words.
        range: &'static str,
    },
    /// The mass matrix is not symmetric.
    #[error(
        "mass_matrix is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ by {difference:e}"
    )]
    NotSymmetric {
        /// Row of the worst entry.
        row: usize,
        /// Column of the worst entry.
        column: usize,
        /// Its distance from the mirrored entry.
        difference: f64,
    },
    /// The mass matrix is not positive definite.
    #[error("mass_matrix is not positive definite (smallest eigenvalue {smallest_eigenvalue:e})")]
    NotPositiveDefinite {
        /// The smallest eigenvalue.
        smallest_eigenvalue: f64,
    },
    /// A contact normal (or tangent) has zero length, so the contact cannot transmit an impulse.
    #[error("contact \"{contact}\": the {row} has zero length")]
    ZeroRow {
        /// Name of the contact.
        contact: String,
        /// `normal` or `tangent`.
        row: &'static str,
    },
    /// Two contacts have one name, so an answer could not say which is meant.
    #[error("two contacts are named \"{name}\"; give every contact its own name")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A non-trivial non-negative combination of the normals vanishes: no motion separates all of
    /// them, and reflections need not terminate.
    #[error(
        "the contacts {} are wedged: a non-negative combination of their normals vanishes, so no motion separates them all and termination is not guaranteed; remove one of them from the impact",
        .contacts.join(", ")
    )]
    Wedged {
        /// Names of the contacts whose normals take part in the combination.
        contacts: Vec<String>,
    },
    /// The law does not cover this problem.
    #[error("law \"{law}\" cannot treat this impact: {reason}")]
    Unsupported {
        /// The law's name.
        law: &'static str,
        /// What it cannot treat and what would be accepted.
        reason: String,
    },
    /// A parameter of a law is unknown or outside of its range.
    #[error("law \"{law}\": parameter {parameter}: {reason}")]
    Parameter {
        /// The law's name.
        law: &'static str,
        /// The parameter's name.
        parameter: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The law answered without any outcome.
    #[error("law \"{law}\" has no outcome for this impact; choose another law")]
    NoOutcome {
        /// The law's name.
        law: &'static str,
    },
    /// An iteration did not reach its tolerance.
    #[error("law \"{law}\" did not converge: residual {residual:e} after {iterations} iterations")]
    NotConverged {
        /// The law's name.
        law: &'static str,
        /// Residual at the end.
        residual: f64,
        /// Iterations spent.
        iterations: usize,
    },
}

pub(super) fn check_size(place: &str, expected: usize, found: usize) -> Result<(), ImpactError> {
    if expected == found {
        return Ok(());
    }
    Err(ImpactError::Dimension {
        place: place.to_string(),
        expected,
        found,
    })
}

pub(super) fn check_finite(place: &str, numbers: &[f64]) -> Result<(), ImpactError> {
    match numbers.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(ImpactError::NotFinite {
            place: place.to_string(),
            value,
        }),
    }
}
