//! The table `[baseline]` of a scenario: what `carom baseline` stores and compares. Runs do not read it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a baseline of the scenario holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BaselineEntry {
    /// Rows of the stored series, about.
    pub samples: u64,
    /// Tolerance of what is recorded: this share of the value of a metric, of the largest magnitude of a column (and at
    /// least of a hundredth of the largest in any column of its kind), of the largest impulse. Counts are exact. 0
    /// compares bits.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
    /// Metrics beside the default ones: name and expression.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"height_m": "max(q_base_z)"}]))]
    pub metrics: BTreeMap<String, String>,
    /// Whether the periodic orbit of `[orbit]` is kept: its period, largest multiplier, stability, differentiability and
    /// cost of transport.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(example = true)]
    pub orbit: bool,
    /// Runs under other orders and perturbations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robust: Option<RobustEntry>,
}

impl Default for BaselineEntry {
    fn default() -> Self {
        Self {
            samples: 100,
            tolerance: 1e-6,
            metrics: BTreeMap::new(),
            orbit: false,
            robust: None,
        }
    }
}

impl BaselineEntry {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Runs under other orders of impact, other seeds and perturbed values: every variant of orders and
/// seeds, under every draw of the perturbations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RobustEntry {
    /// Orders of impact tried beside the scenario's own.
    #[schemars(extend("examples" = [["index", "least-violated"]]))]
    pub orders: Vec<String>,
    /// Seeds tried beside the scenario's own: each is a run with the order `random`, or with another
    /// seed of a law that draws at random.
    pub seeds: u64,
    /// Draws of the perturbations beside the unperturbed run.
    pub draws: u64,
    /// Seed of the perturbations.
    pub seed: u64,
    /// What is perturbed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) perturb: Vec<PerturbEntry>,
}

/// One perturbed number of the scenario: exactly one of `uniform` and `normal`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["uniform"]}, {"required": ["normal"]}]))]
pub(crate) struct PerturbEntry {
    /// Key of the number, as `--set` takes it: `initial.joints.hip`, `contact.friction`,
    /// `robot.mass_scale.tail`.
    #[schemars(example = &"contact.friction")]
    pub key: String,
    /// Half the width of a uniform distribution about the scenario's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.05)]
    pub uniform: Option<f64>,
    /// Standard deviation of a normal distribution about the scenario's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.01)]
    pub normal: Option<f64>,
    /// Whether the width is a share of the value.
    #[serde(default)]
    pub relative: bool,
}
