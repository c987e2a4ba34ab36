//! Latches of a scenario.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::{Contacts, LatchDeclaration, LimitEnd};
use crate::model::Model;
use crate::scenario::ScenarioError;

/// A latch, `[[latch]]`: a joint that strikes a limit stays there until another contact strikes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LatchEntry {
    /// Name of the joint.
    #[schemars(example = &"knee_left")]
    pub joint: String,
    /// The limit at which it is caught, whatever its restitution.
    pub at: LimitEnd,
    /// Contacts, or sites, shapes and pieces of terrain with all contacts of theirs, whose impacts let the joint go; none
    /// where it stays caught.
    #[serde(default)]
    #[schemars(extend("examples" = [["foot_right"]]))]
    pub release: Vec<String>,
    /// Whether it holds the joint at the start, where that must rest at its limit.
    #[serde(default)]
    pub engaged: bool,
}

impl LatchEntry {
    /// The model that knows which of its joints latch, and the contacts with the latches.
    pub(crate) fn add(
        entries: &[Self],
        file: &str,
        mut model: Arc<Model>,
        mut contacts: Contacts,
    ) -> Result<(Arc<Model>, Contacts), ScenarioError> {
        for (i, entry) in entries.iter().enumerate() {
            let place = format!("latch[{i}]");
            let located = |error: ScenarioError| error.located(file, &place);
            let latching = Arc::unwrap_or_clone(model).with_latch(&entry.joint);
            model = Arc::new(latching.map_err(|error| located(error.into()))?);
            let declared = LatchDeclaration {
                joint: entry.joint.clone(),
                at: entry.at,
                release: entry.release.clone(),
                engaged: entry.engaged,
            };
            let latched = contacts.with_latches(&model, &[declared]);
            contacts = latched.map_err(|error| located(error.into()))?;
        }
        Ok((model, contacts))
    }
}
