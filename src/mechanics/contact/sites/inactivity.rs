use std::fmt;
use std::sync::Arc;

/// A condition on the configuration q under which a site touches nothing: the swing foot of a walker without knees passes
/// through the ground, as the literature on such walkers lets it. What is below the surface when the condition ends comes
/// out before it can touch.
#[derive(Clone)]
pub struct Inactivity {
    text: String,
    holds: Arc<Predicate>,
}

type Predicate = dyn Fn(&[f64]) -> bool + Send + Sync;

impl Inactivity {
    /// A condition, and the text that tells it from others.
    #[must_use]
    pub fn new(text: &str, holds: impl Fn(&[f64]) -> bool + Send + Sync + 'static) -> Self {
        Self {
            text: text.to_string(),
            holds: Arc::new(holds),
        }
    }

    /// Whether it holds at the configuration q.
    #[must_use]
    pub fn holds(&self, q: &[f64]) -> bool {
        (self.holds)(q)
    }

    /// The condition in words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Inactivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Inactivity").field(&self.text).finish()
    }
}

impl PartialEq for Inactivity {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
