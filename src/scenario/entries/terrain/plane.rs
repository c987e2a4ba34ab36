//! A plane.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MotionEntry, TerrainKind};
use crate::contact::{Material, Terrain};

/// Half-space below a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaneEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// A point of the plane \[m\].
    #[serde(default)]
    pub point: [f64; 3],
    /// Outward normal, of any length.
    #[serde(default = "upward")]
    pub normal: [f64; 3],
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

fn upward() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

impl PlaneEntry {
    /// Level at height zero.
    pub(super) fn level(name: &str) -> Self {
        Self {
            name: name.to_string(),
            point: [0.0; 3],
            normal: upward(),
            friction: None,
            restitution: None,
            motion: None,
        }
    }
}

impl TerrainKind for PlaneEntry {
    fn motion(&self) -> Option<MotionEntry> {
        self.motion
    }

    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        let Self {
            name,
            point,
            normal,
            ..
        } = self;
        Ok(vec![Terrain::plane(name, *point, *normal, material)])
    }
}
