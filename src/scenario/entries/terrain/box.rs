//! A box.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MotionEntry, TerrainKind};
use crate::contact::{Material, Terrain};

/// Axis-aligned box: a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// Lowest corner \[m\].
    #[schemars(example = vec![0.5, -1.0, 0.0])]
    pub min: [f64; 3],
    /// Highest corner \[m\].
    #[schemars(example = vec![0.8, 1.0, 0.1])]
    pub max: [f64; 3],
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
    /// How it moves; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = MotionEntry::EXAMPLE)]
    pub motion: Option<MotionEntry>,
}

impl TerrainKind for BoxEntry {
    fn motion(&self) -> Option<MotionEntry> {
        self.motion
    }

    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        let Self { name, min, max, .. } = self;
        Ok(vec![Terrain::step(name, *min, *max, material)])
    }
}
