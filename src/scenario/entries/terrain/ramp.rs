//! A ramp: heights that rise from one level to another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Heading, MotionEntry, TerrainKind, check_angle, check_positive};
use crate::contact::{HeightField, Material, Terrain};

/// Cells along the rounding of a ramp.
const ROUNDING_CELLS: f64 = 16.0;
/// Of these, so many are bent beside the heights that are, by what is made of them.
const BENT_BESIDE: f64 = 4.0;

/// Ground that is level, rises at an angle over a length, and is level again; both bends are rounded. It takes the
/// place of a floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RampEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// Where it begins to rise \[m\]; z is the level before it.
    #[serde(default)]
    pub start: [f64; 3],
    /// Angle to the horizontal \[rad\], between −π/2 and π/2; negative goes down.
    #[schemars(example = 0.1)]
    pub angle: f64,
    /// Length on the map over which it rises \[m\].
    #[schemars(example = 2.0)]
    pub length: f64,
    /// Direction in which it rises.
    #[serde(default)]
    pub direction: Heading,
    /// Length on the map over which each bend is rounded \[m\], at most `length`.
    #[serde(default = "rounding")]
    pub rounding: f64,
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

fn rounding() -> f64 {
    0.1
}

impl TerrainKind for RampEntry {
    fn motion(&self) -> Option<MotionEntry> {
        self.motion
    }

    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        check_angle(self.angle)?;
        check_positive(&[("length", self.length), ("rounding", self.rounding)])?;
        if self.rounding > self.length {
            return Err(format!(
                "rounding is {}, it must be at most the length {}",
                self.rounding, self.length
            ));
        }
        let (axis, sign) = self.direction.axis();
        let [steps, reach] = [self.rounding / ROUNDING_CELLS, 0.5 * self.rounding];
        let nodes = ((self.length + 4.0 * reach) / steps).ceil() as usize + 1;
        let cell = (self.length + 4.0 * reach) / (nodes - 1) as f64;
        // From one rounding before the ramp to one beyond, whichever way it goes.
        let first = match sign > 0.0 {
            true => self.start[axis] - 2.0 * reach,
            false => self.start[axis] - self.length - 2.0 * reach,
        };
        let bend = self.rounding * (1.0 - BENT_BESIDE / ROUNDING_CELLS);
        let height = |x: f64| {
            let along = sign * (x - self.start[axis]);
            let risen = rounded_ramp(along, bend) - rounded_ramp(along - self.length, bend);
            self.start[2] + self.angle.tan() * risen
        };
        let mut origin = [self.start[0] - 1.0, self.start[1] - 1.0];
        let mut cells = [2.0; 2];
        let mut counts = [2; 2];
        (origin[axis], cells[axis], counts[axis]) = (first, cell, nodes);
        let place = |x: f64, y: f64| if axis == 0 { x } else { y };
        let field = HeightField::near_function(origin, cells, counts, |x, y| height(place(x, y)));
        let field = field.map_err(|error| error.to_string())?;
        Ok(vec![Terrain::heights(&self.name, field, material)])
    }
}

/// max(s, 0), with the bend at 0 made a parabola over a length.
fn rounded_ramp(s: f64, rounding: f64) -> f64 {
    let into = s + 0.5 * rounding;
    if into <= 0.0 {
        0.0
    } else if into >= rounding {
        s
    } else {
        0.5 * into * into / rounding
    }
}
