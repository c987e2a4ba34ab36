//! The simulated drop of a design file: the robot of the design under its controller, as a scenario.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::study::{DesignStudy, DesignStudyError};
use crate::design::{Approach, DesignError, order_indeterminacy};
use crate::model::{Base, Model};
use crate::scenario::{ControllerEntry, Experiment, Scenario, ScenarioError, SpringEntry, joints};

/// How the drop that proves a design is simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DropEntry {
    /// The stance that falls: one with a `drop_height`; the first one when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"landing")]
    pub stance: Option<String>,
    /// Nominal step \[s\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub time_step: f64,
    /// Length of the run \[s\]; the fall and 0.3 s when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.5)]
    pub duration: Option<f64>,
    /// Springs and dampers; a joint spring without `rest` is at rest in the stance.
    pub spring: Vec<SpringEntry>,
    /// Who drives the joints.
    pub controller: ControllerEntry,
}

impl Default for DropEntry {
    fn default() -> Self {
        Self {
            stance: None,
            time_step: 1e-3,
            duration: None,
            spring: Vec::new(),
            controller: ControllerEntry::None,
        }
    }
}

/// Length of a run beyond the fall, where the file names none \[s\].
const AFTER: f64 = 0.3;

impl DesignStudy {
    /// Index and height of the stance that falls; `None` when no stance has a `drop_height`.
    pub(crate) fn falling_stance(&self) -> Option<(usize, f64)> {
        let wanted = self.design.drop.as_ref().and_then(|d| d.stance.as_ref());
        let stances = self.problem.stances().iter().enumerate();
        let mut falling = stances.filter_map(|(s, stance)| match stance.approach {
            Some(Approach::Fall(height)) => Some((s, height)),
            _ => None,
        });
        falling.find(|(s, _)| wanted.is_none_or(|name| *name == self.problem.stances()[*s].name))
    }

    /// Checks the drop's entries on the starting robot.
    pub(crate) fn check_drop(&self) -> Result<(), DesignStudyError> {
        let Some(entry) = &self.design.drop else {
            return Ok(());
        };
        let Some((s, height)) = self.falling_stance() else {
            let which = entry.stance.as_ref().map_or_else(
                || "no stance has a drop_height".to_string(),
                |name| format!("there is no stance \"{name}\" with a drop_height"),
            );
            let reason = format!("{which}, so nothing falls; give one or remove the table");
            return Err(ScenarioError::value(&self.file, "drop", reason).into());
        };
        let x = self.problem.start();
        let model = self.problem.robot(&x).map_err(|e| self.failed(e))?.model;
        let q = self.problem.configuration(&model, &x, s);
        self.drop_from(&x, &model, q, height)?;
        Ok(())
    }

    /// The drop of the robot at `x`, and ξ of its landing. The gaps of the stance are closed first, by the free
    /// coordinates, so that the contacts strike together. `None` when no stance drops.
    ///
    /// # Errors
    /// Gaps that do not close, entries of the drop that do not fit the robot.
    pub fn drop_experiment(
        &self,
        x: &[f64],
    ) -> Result<Option<(Experiment, f64)>, DesignStudyError> {
        let Some((s, height)) = self.falling_stance() else {
            return Ok(None);
        };
        let failed = |e: DesignError| self.failed(e);
        let robot = self.problem.robot(x).map_err(failed)?;
        let settings = self.design.solver.settings();
        let q = self
            .problem
            .touching_configuration(x, s, &settings)
            .map_err(failed)?;
        let impact = self.problem.impact(&robot, &q, s).map_err(failed)?;
        let xi = order_indeterminacy(&impact).map_err(failed)?;
        let experiment = self.drop_from(x, &robot.model, q, height)?;
        Ok(Some((experiment, xi)))
    }

    /// A scenario that starts at rest `height` above configuration `q`.
    fn drop_from(
        &self,
        x: &[f64],
        model: &Model,
        mut q: Vec<f64>,
        height: f64,
    ) -> Result<Experiment, DesignStudyError> {
        let entry = self.design.drop.clone().unwrap_or_default();
        let mut springs = entry.spring;
        for spring in &mut springs {
            if let (Some(joint), None) = (&spring.joint, spring.rest) {
                let body = joints(model).find(|b| b.joint == *joint);
                spring.rest = body.map(|b| q[b.q_index]);
            }
        }
        let gravity = *model.gravity();
        let up = gravity * (-height / gravity.norm());
        match model.base() {
            Base::Planar => {
                q[0] += up.x;
                q[1] += up.z;
            }
            Base::Floating => {
                for k in 0..3 {
                    q[k] += up[k];
                }
            }
            Base::Fixed => {}
        }
        let fall = (2.0 * height / gravity.norm()).sqrt();
        let design = &self.design;
        let document = DropScenario {
            description: format!("{}: the drop", design.description),
            time_step: entry.time_step,
            duration: entry.duration.unwrap_or(fall + AFTER),
            robot: &design.robot,
            initial: Initial {
                base: base_of(model, &q),
                joints: joints(model)
                    .map(|b| (b.joint.clone(), q[b.q_index]))
                    .collect(),
            },
            contact: &design.contact,
            terrain: &design.terrain,
            spring: springs,
            controller: entry.controller,
        };
        let text = toml::to_string(&document)
            .map_err(|e| ScenarioError::value(&self.file, "drop", e.to_string()))?;
        let scenario = Scenario::parse(&self.file, &text, &[])?;
        let count = self.problem.parameter_count();
        let robot = self.robot.text(&x[..count]).map_err(ScenarioError::from)?;
        let mut experiment = Experiment::with_robot(&self.file, scenario, &robot)?;
        experiment.stop = self.problem.stop.clone();
        Ok(experiment)
    }
}

/// The entries of a scenario that a drop sets; all others keep their defaults.
#[derive(Serialize)]
struct DropScenario<'a> {
    description: String,
    time_step: f64,
    duration: f64,
    robot: &'a crate::scenario::RobotEntry,
    initial: Initial,
    contact: &'a crate::scenario::ContactEntry,
    terrain: &'a [crate::scenario::TerrainEntry],
    spring: Vec<SpringEntry>,
    controller: ControllerEntry,
}

#[derive(Serialize)]
struct Initial {
    base: BTreeMap<&'static str, toml::Value>,
    joints: BTreeMap<String, f64>,
}

/// The base's place as a scenario states it.
fn base_of(model: &Model, q: &[f64]) -> BTreeMap<&'static str, toml::Value> {
    let list = |x: &[f64]| toml::Value::Array(x.iter().map(|x| toml::Value::Float(*x)).collect());
    match model.base() {
        Base::Fixed => BTreeMap::new(),
        Base::Planar => ["x", "z", "pitch"]
            .into_iter()
            .zip(q)
            .map(|(name, x)| (name, toml::Value::Float(*x)))
            .collect(),
        Base::Floating => {
            BTreeMap::from([("position", list(&q[..3])), ("quaternion", list(&q[3..7]))])
        }
    }
}
