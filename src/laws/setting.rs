//! One setting of a law as a user wrote it.

use super::draft::instead_of;
use super::{LawDraft, LawEntry};
use crate::impact::settings::KeyValues;

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
        entry.exhaustive().map(|(key, value)| Self {
            written: "--all".to_string(),
            name: key.name.to_string(),
            value: value.to_string(),
        })
    }

    /// Whether the law has this key.
    #[must_use]
    pub fn is_known_to(&self, entry: &LawEntry) -> bool {
        entry.key(&self.name).is_some()
    }

    /// The message that the law has no such key.
    #[must_use]
    pub fn unknown_to(&self, entry: &LawEntry) -> String {
        format!(
            "{}: law \"{}\" has no such parameter{}",
            self.written,
            entry.name,
            instead_of(entry, &self.name)
        )
    }

    /// The contacts that the setting names one by one, if its key takes contacts.
    #[must_use]
    pub fn named_contacts(&self, entry: &LawEntry) -> Option<impl Iterator<Item = &str>> {
        let key = entry.key(&self.name)?;
        let value = self.value.trim();
        let named = key.values == KeyValues::Contacts && key.lists_all != Some(value);
        named.then(|| value.split(',').map(str::trim))
    }

    /// Sets the key.
    ///
    /// # Errors
    /// The law does not have it, or the value is none of its values.
    pub fn give_to(&self, draft: &mut LawDraft) -> Result<(), String> {
        draft
            .set(&self.name, &self.value)
            .map_err(|error| format!("{}: {error}", self.written))
    }
}
