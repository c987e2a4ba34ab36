//! What only one law reports: a struct of that law, told apart by its type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// What only one law reports about an outcome, or about a problem as a whole; nothing unless the law says something.
///
/// A law, also one of a program's own, has structs for what it reports. Whoever knows the law asks for the struct;
/// whoever writes answers takes the fields by name.
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::impact::LawDetails;
/// use carom::impact::plus::PlusDetails;
///
/// let details = LawDetails::of(PlusDetails { rounds: 2, intervals: 116 });
/// assert_eq!(details.get::<PlusDetails>().map(|d| d.intervals), Some(116));
/// assert_eq!(details.fields()["rounds"], 2);
/// assert!(LawDetails::none().fields().is_empty());
/// ```
#[derive(Clone, Default)]
pub struct LawDetails(Option<Arc<dyn Details>>);

/// A report whose type is known to the law alone.
trait Details: Send + Sync + fmt::Debug {
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &dyn Details) -> bool;
    fn to_json(&self) -> Value;
}

impl<T: Serialize + PartialEq + fmt::Debug + Send + Sync + 'static> Details for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn Details) -> bool {
        other.as_any().downcast_ref::<T>() == Some(self)
    }

    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl LawDetails {
    /// Nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// What a law reports: a struct whose fields have names.
    #[must_use]
    pub fn of<T: Serialize + PartialEq + fmt::Debug + Send + Sync + 'static>(report: T) -> Self {
        Self(Some(Arc::new(report)))
    }

    /// The report, if it is of this type.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_deref()?.as_any().downcast_ref()
    }

    /// Its fields by name, as they stand in an answer.
    #[must_use]
    pub fn fields(&self) -> Map<String, Value> {
        match self.0.as_deref().map(Details::to_json) {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

impl fmt::Debug for LawDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(report) => report.fmt(f),
            None => f.write_str("none"),
        }
    }
}

impl PartialEq for LawDetails {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(another)) => one.equals(&**another),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Serialize for LawDetails {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().serialize(serializer)
    }
}
