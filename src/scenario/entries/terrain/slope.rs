//! A slope: a plane that rises in a direction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MotionEntry, TerrainKind, check_angle};
use crate::contact::{Material, Terrain};

/// A plane that rises in a direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlopeEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// A point of it \[m\].
    #[serde(default)]
    pub start: [f64; 3],
    /// Angle to the horizontal \[rad\], between −π/2 and π/2.
    #[schemars(example = 0.1)]
    pub angle: f64,
    /// Angle from x towards y of the direction in which it rises \[rad\].
    #[serde(default)]
    pub direction: f64,
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

impl TerrainKind for SlopeEntry {
    fn motion(&self) -> Option<MotionEntry> {
        self.motion
    }

    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        check_angle(self.angle)?;
        let (sine, cosine) = self.angle.sin_cos();
        let (across, along) = self.direction.sin_cos();
        let normal = [-sine * along, -sine * across, cosine];
        Ok(vec![Terrain::plane(
            &self.name, self.start, normal, material,
        )])
    }
}
