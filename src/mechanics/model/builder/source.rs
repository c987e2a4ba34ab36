//! Where a robot under construction was read from.

use std::collections::BTreeMap;

use crate::model::ModelError;

/// The file a robot was read from, so that errors found later still name the place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::model) struct Source {
    pub(in crate::model) path: String,
    /// Lines of links and joints by kind (`link`, `joint`) and name.
    pub(in crate::model) lines: BTreeMap<(&'static str, String), usize>,
}

impl Source {
    pub(super) fn locate(&self, error: ModelError) -> ModelError {
        let line = error
            .subject()
            .and_then(|(kind, name)| self.lines.get(&(kind, name.to_string())).copied());
        error.in_file(&self.path, line)
    }
}
