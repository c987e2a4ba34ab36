//! Which periodic orbit of a scenario is looked for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::ScenarioError;

/// The table `[orbit]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrbitEntry {
    /// Where the orbit is cut: one of `impact`, `period` and `crossing`.
    pub(crate) section: SectionEntry,
    /// What a period may exchange and by what it may advance.
    #[serde(default)]
    pub symmetry: SymmetryEntry,
    /// Returns to the section in one period.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 64))]
    pub strides: usize,
    /// Keys of the scenario, as many as `wanted` has, whose values are found with the orbit, from those that they have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["controller.joint.hip.stiffness"]]))]
    pub free: Vec<String>,
    /// What the orbit is to have: `speed_m_s`, `period_s`, `cost_of_transport`, `energy_lost_J`, `energy_supplied_J`,
    /// `largest_multiplier`, and `advance_` before the name of a coordinate that drifts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"speed_m_s": 0.5}]))]
    pub wanted: BTreeMap<String, f64>,
    /// Segments that a period is cut into while an orbit is looked for. One at first when absent, and several where that finds
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256), example = 8)]
    pub shooting: Option<usize>,
    /// How far starts are drawn from the state, by coordinate of the section (`q_knee`, `v_knee`) \[rad, m, rad/s, m/s\]; of
    /// others 0.3 times their size, which counts as 0.1 at least.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"v_left_knee": 0.5}]))]
    pub spread: BTreeMap<String, f64>,
}

/// Where an orbit is cut.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SectionEntry {
    /// Just after this contact strikes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"foot_left")]
    pub impact: Option<String>,
    /// Every so often: the period of a force, a schedule or a gait \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.6)]
    pub period: Option<f64>,
    /// Where this coordinate (`q_hip`, `v_hip`, with or without what stands before the underscore for a position) passes
    /// `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"q_hip")]
    pub crossing: Option<String>,
    /// The value that `crossing` passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.0)]
    pub value: Option<f64>,
    /// On its way up or down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"rising")]
    pub(crate) direction: Option<CrossingDirection>,
}

/// On which way a coordinate passes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CrossingDirection {
    /// Upwards.
    Rising,
    /// Downwards.
    Falling,
}

/// What a period may exchange and by what it may advance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SymmetryEntry {
    /// Pairs of joints and pairs of contacts that change places at the end of every stride.
    #[schemars(example = vec![vec!["hip_left", "hip_right"]])]
    pub swap: Vec<[String; 2]>,
    /// Coordinates that may advance, along which nothing changes: as `base.x`.
    #[schemars(example = vec!["base.x"])]
    pub drift: Vec<String>,
}

fn one() -> usize {
    1
}

impl OrbitEntry {
    /// Ranges, and that there is one section; `file` is what messages call the scenario.
    pub(crate) fn check(&self, file: &str) -> Result<(), ScenarioError> {
        let wrong = |place: &str, reason: &str| Err(ScenarioError::value(file, place, reason));
        let section = &self.section;
        section.kind(file)?;
        if section.crossing.is_none() && (section.value.is_some() || section.direction.is_some()) {
            return wrong(
                "orbit.section",
                "value and direction belong to a crossing; remove them",
            );
        }
        if section.value.is_some_and(|x| !x.is_finite()) {
            return wrong("orbit.section.value", "it must be a finite number");
        }
        if section.period.is_some_and(|t| !(t.is_finite() && t > 0.0)) {
            return wrong(
                "orbit.section.period",
                "it must be a positive number of seconds",
            );
        }
        if self.free.len() != self.wanted.len() {
            let reason = format!(
                "{} keys are free and {} numbers wanted; give as many of the ones as of the others",
                self.free.len(),
                self.wanted.len()
            );
            return wrong("orbit.free", &reason);
        }
        if let Some((name, _)) = self.wanted.iter().find(|(_, x)| !x.is_finite()) {
            return wrong(
                &format!("orbit.wanted.{name}"),
                "it must be a finite number",
            );
        }
        for (name, width) in &self.spread {
            if !(width.is_finite() && *width >= 0.0) {
                let place = format!("orbit.spread.{name}");
                return wrong(&place, "it must be a number, at least 0");
            }
        }
        if self.shooting.is_some_and(|n| !(1..=256).contains(&n)) {
            return wrong("orbit.shooting", "it must be between 1 and 256");
        }
        if self.shooting.is_some_and(|n| n > 1)
            && self.strides > 1
            && !self.symmetry.swap.is_empty()
        {
            return wrong(
                "orbit.shooting",
                "a period in which places change several times is not cut; remove it, or set strides = 1",
            );
        }
        if !(1..=64).contains(&self.strides) {
            return wrong("orbit.strides", "it must be between 1 and 64");
        }
        Ok(())
    }
}

/// The one thing that a section is at.
pub(crate) enum SectionKind<'a> {
    Impact(&'a str),
    Period(f64),
    Crossing(&'a str),
}

impl SectionEntry {
    /// What it is at; `file` is what messages call the scenario.
    pub(crate) fn kind(&self, file: &str) -> Result<SectionKind<'_>, ScenarioError> {
        match (&self.impact, self.period, &self.crossing) {
            (Some(contact), None, None) => Ok(SectionKind::Impact(contact)),
            (None, Some(period), None) => Ok(SectionKind::Period(period)),
            (None, None, Some(coordinate)) => Ok(SectionKind::Crossing(coordinate)),
            _ => {
                let reason =
                    "give one of impact = \"contact\", period = seconds, crossing = \"coordinate\"";
                Err(ScenarioError::value(file, "orbit.section", reason))
            }
        }
    }
}
