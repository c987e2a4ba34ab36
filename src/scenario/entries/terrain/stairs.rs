//! Stairs: a flight of boxes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Heading, TerrainKind, check_count, check_positive};
use crate::contact::{Material, Terrain};

/// A flight of steps that rise in a direction; the last one is a landing if it is given a length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StairsEntry {
    /// Name; the steps are `<name>.1`, `<name>.2`, …
    #[schemars(example = &"hills")]
    pub name: String,
    /// Foot of the first riser, in the middle of its width \[m\].
    #[serde(default)]
    pub start: [f64; 3],
    /// Number of steps.
    #[schemars(example = 5)]
    pub count: usize,
    /// Height of a step \[m\].
    #[schemars(example = 0.1)]
    pub rise: f64,
    /// Depth of a step \[m\].
    #[schemars(example = 0.3)]
    pub run: f64,
    /// Width of the flight \[m\].
    #[schemars(example = 1.0)]
    pub width: f64,
    /// Length of the last step \[m\]; `run` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1.5)]
    pub landing: Option<f64>,
    /// Direction in which it rises.
    #[serde(default)]
    pub direction: Heading,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
}

impl TerrainKind for StairsEntry {
    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        check_count(self.count)?;
        check_positive(&[
            ("rise", self.rise),
            ("run", self.run),
            ("width", self.width),
            ("landing", self.landing.unwrap_or(self.run)),
        ])?;
        let (axis, sign) = self.direction.axis();
        let step = |k: usize| {
            let begin = k as f64 * self.run;
            let last = k + 1 == self.count;
            let depth = self.landing.filter(|_| last).unwrap_or(self.run);
            let mut ends = [self.start; 2];
            for (end, along) in ends.iter_mut().zip([begin, begin + depth]) {
                end[axis] += sign * along;
            }
            let mut min = self.start;
            let mut max = self.start;
            min[axis] = ends[0][axis].min(ends[1][axis]);
            max[axis] = ends[0][axis].max(ends[1][axis]);
            min[1 - axis] -= 0.5 * self.width;
            max[1 - axis] += 0.5 * self.width;
            max[2] += (k + 1) as f64 * self.rise;
            Terrain::step(&format!("{}.{}", self.name, k + 1), min, max, material)
        };
        Ok((0..self.count).map(step).collect())
    }
}
