//! Stepping stones: boxes in rows and columns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TerrainKind, check_count, check_positive};
use crate::contact::{Material, Terrain};
use crate::model::sample::Uniform;

/// Boxes of one size in rows and columns, their tops at random heights around a level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SteppingStonesEntry {
    /// Name; the stones are `<name>.1`, `<name>.2`, …, along x first.
    #[schemars(example = &"hills")]
    pub name: String,
    /// Middle of the top of the first stone, without its variation \[m\].
    #[serde(default)]
    pub start: [f64; 3],
    /// Number of stones along x and y.
    #[schemars(example = vec![6, 3])]
    pub count: [usize; 2],
    /// Edge lengths of a stone \[m\].
    #[schemars(example = vec![0.25, 0.25, 0.3])]
    pub size: [f64; 3],
    /// Distances between neighbouring stones along x and y \[m\], at least 0.
    #[serde(default)]
    pub gap: [f64; 2],
    /// How far a top may be above or below the level \[m\], drawn evenly.
    #[serde(default)]
    pub variation: f64,
    /// Seed of the draw.
    #[serde(default)]
    pub seed: u64,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
}

impl TerrainKind for SteppingStonesEntry {
    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        let [columns, rows] = self.count;
        let count = columns.saturating_mul(rows);
        check_count(count)?;
        let [x, y, z] = self.size;
        check_positive(&[("size[0]", x), ("size[1]", y), ("size[2]", z)])?;
        let at_least_zero = |x: f64| x.is_finite() && x >= 0.0;
        if !(self.gap.into_iter().all(at_least_zero) && at_least_zero(self.variation)) {
            return Err("gap and variation must be finite and at least 0".to_string());
        }
        let mut random = Uniform::new(self.seed);
        let mut stone = |k: usize| {
            let [i, j] = [k % columns, k / columns].map(|i| i as f64);
            let middle = [
                self.start[0] + i * (x + self.gap[0]),
                self.start[1] + j * (y + self.gap[1]),
            ];
            let top = self.start[2] + random.between(-self.variation, self.variation);
            Terrain::step(
                &format!("{}.{}", self.name, k + 1),
                [middle[0] - 0.5 * x, middle[1] - 0.5 * y, top - z],
                [middle[0] + 0.5 * x, middle[1] + 0.5 * y, top],
                material,
            )
        };
        Ok((0..count).map(&mut stone).collect())
    }
}
