//! A law that is being set up from texts: the one place where the settings of every law are read.

use std::sync::Arc;

use super::LawEntry;
use crate::files::did_you_mean;
use crate::impact::settings::{KeyRole, LawKey};
use crate::impact::{ImpactError, ImpactLaw, LawSettings};

/// Settings of a law as they are being read, and the law that they make.
///
/// ```
/// use carom::laws::LawRegistry;
///
/// let laws = LawRegistry::standard();
/// let mut draft = laws.get("plus")?.draft();
/// draft.set("theta_max", "0.25")?;
/// assert!(draft.set("theta_max", "2").is_err());
/// let error = draft.set("theta_mx", "0.1").unwrap_err().to_string();
/// assert!(error.contains("did you mean \"theta_max\"?"), "{error}");
/// assert_eq!(draft.build()?.name(), "plus");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LawDraft {
    entry: LawEntry,
    settings: Box<dyn Reading>,
}

impl LawDraft {
    pub(crate) fn new(entry: LawEntry, settings: Box<dyn Reading>) -> Self {
        Self { entry, settings }
    }

    /// Sets a key from a text. Of two keys that set the same, the last one counts.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a key that the law does not have (naming those it has), or a text that is no
    /// value of the key.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ImpactError> {
        match self.entry.keys().iter().position(|key| key.name == name) {
            Some(key) => self.settings.write(key, text),
            None => Err(ImpactError::Parameter {
                law: self.entry.name,
                parameter: name.to_string(),
                reason: format!("is not known{}", instead_of(&self.entry, name)),
            }),
        }
    }

    /// Sets the key of a role, if the law has one.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a text that is no value of the key.
    pub fn set_role(&mut self, role: KeyRole, text: &str) -> Result<(), ImpactError> {
        match self.entry.key_of(role).map(|key| key.name) {
            Some(name) => self.set(name, text),
            None => Ok(()),
        }
    }

    /// The law.
    ///
    /// # Errors
    /// Those of the law's constructor.
    pub fn build(&self) -> Result<Box<dyn ImpactLaw>, ImpactError> {
        self.settings.build()
    }
}

/// The key nearest to one that a law does not have, and those that it has.
pub(crate) fn instead_of(entry: &LawEntry, name: &str) -> String {
    let known: Vec<&str> = entry.keys().iter().map(|key| key.name).collect();
    let suggestion = did_you_mean(name, known.iter().copied());
    match known.as_slice() {
        [] => "; it has none".to_string(),
        known => format!("{suggestion}; it has {}", known.join(", ")),
    }
}

/// Settings whose type is known to the law alone.
pub(crate) trait Reading: Send {
    fn write(&mut self, key: usize, text: &str) -> Result<(), ImpactError>;
    fn build(&self) -> Result<Box<dyn ImpactLaw>, ImpactError>;
}

/// Settings of one type and the constructor that takes them.
pub(crate) struct Typed<S, F> {
    pub(crate) settings: S,
    pub(crate) make: Arc<F>,
}

impl<S, L, F> Reading for Typed<S, F>
where
    S: LawSettings,
    L: ImpactLaw,
    F: Fn(S) -> Result<L, ImpactError> + Send + Sync,
{
    fn write(&mut self, key: usize, text: &str) -> Result<(), ImpactError> {
        S::KEYS[key].write(&mut self.settings, text)
    }

    fn build(&self) -> Result<Box<dyn ImpactLaw>, ImpactError> {
        Ok(Box::new((self.make)(self.settings.clone())?))
    }
}

/// The keys of settings as lists show them.
pub(crate) fn described<S: LawSettings>() -> Arc<[LawKey]> {
    S::KEYS.iter().map(|key| key.describe()).collect()
}
