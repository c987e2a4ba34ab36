//! One setting of a law as a user wrote it.

use super::LawEntry;
use super::nearest_name::did_you_mean;
use crate::impact::ImpactLaw;

/// One setting of a law and the words it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LawSetting {
    /// As the user wrote it, for messages: `--samples`, `--param theta_max`.
    pub written: String,
    /// The law's name for it.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl LawSetting {
    /// The setting that lists every outcome, if the law has one.
    #[must_use]
    pub fn exhaustive(entry: &LawEntry) -> Option<Self> {
        entry.exhaustive.map(|(name, value)| Self {
            written: "--all".to_string(),
            name: name.to_string(),
            value: value.to_string(),
        })
    }

    /// Whether the law has this parameter.
    #[must_use]
    pub fn is_known_to(&self, entry: &LawEntry) -> bool {
        entry.parameters.contains(&self.name.as_str())
    }

    /// The message that the law has no such parameter.
    #[must_use]
    pub fn unknown_to(&self, entry: &LawEntry) -> String {
        format!(
            "{}: law \"{}\" has no such parameter{}; it has {}",
            self.written,
            entry.name,
            did_you_mean(&self.name, entry.parameters.iter().copied()),
            entry.parameters.join(", ")
        )
    }

    /// Sets the parameter.
    ///
    /// # Errors
    /// The value is out of range.
    pub fn give_to(&self, law: &mut dyn ImpactLaw) -> Result<(), String> {
        law.set_parameter(&self.name, &self.value)
            .map_err(|error| format!("{}: {error}", self.written))
    }
}
