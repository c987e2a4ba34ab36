//! What a run of a scenario writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ExportFormat;

/// What is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputEntry {
    /// Steps between rows of the series.
    #[schemars(range(min = 1))]
    pub every: u64,
    /// How many contacts may have columns in the tables. Where there are more, points of rims and corners go without first,
    /// then nearest points over boxes.
    #[schemars(range(min = 1))]
    pub contacts: usize,
    /// Whether pictures are drawn.
    pub plots: bool,
    /// Whether `replay.html` is written.
    pub replay: bool,
    /// Formats of other programs, beside CSV.
    #[schemars(extend("examples" = [["mcap"]]))]
    pub export: Vec<ExportFormat>,
}

impl Default for OutputEntry {
    fn default() -> Self {
        Self {
            every: 10,
            contacts: 4096,
            plots: true,
            replay: true,
            export: Vec::new(),
        }
    }
}
