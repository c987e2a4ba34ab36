//! The robots of a design file: plain URDF texts by parameter values.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::file::{DesignFile, ParameterEntry};
use crate::design::{Robot, RobotFamily, Variable};
use crate::files::did_you_mean;
use crate::model::urdf;
use crate::model::urdf::LoadOptions;
use crate::model::urdf::text::{Change, UrdfEntry, declared_arguments, edited};
use crate::model::{Model, ModelError};
use crate::scenario::{ContactEntry, RobotEntry, ScenarioError, TerrainEntry};

/// A robot file with free parameters. The model is always built from the plain text that is written in the end.
#[derive(Debug, Clone)]
pub struct ParametricRobot {
    robot: RobotEntry,
    parameters: Vec<ParameterEntry>,
    contact: ContactEntry,
    terrain: Vec<TerrainEntry>,
    file: String,
    /// The plain text, when no parameter is a xacro argument.
    fixed_text: Option<String>,
    /// The last robots built: solvers, maps and reports come back to the same parameters, and to expand a file
    /// costs more than all mechanics of a step.
    built: Arc<Mutex<VecDeque<BuiltRobot>>>,
}

/// The bits of the parameters, and the robot.
type BuiltRobot = (Vec<u64>, Robot);

/// Robots remembered.
const REMEMBERED: usize = 32;

impl ParametricRobot {
    /// Checks that every parameter is an argument of the robot file or acts on entries of it, and returns the
    /// variables with their starts.
    ///
    /// # Errors
    /// The parameter and what is wrong with it.
    pub fn new(file: &str, design: &DesignFile) -> Result<(Self, Vec<Variable>), ScenarioError> {
        if let Some(key) = design.robot.scene_key() {
            let reason =
                "a design has one robot, and where it stands is said by its poses; remove it";
            return Err(ScenarioError::value(file, format!("robot.{key}"), reason));
        }
        let declared = declared_arguments(&design.robot.file)?;
        let mut variables = Vec::new();
        let mut any_argument = false;
        for (i, parameter) in design.parameter.iter().enumerate() {
            let place = format!("parameter[{i}] \"{}\"", parameter.name);
            let wrong = |reason: String| ScenarioError::value(file, &place, reason);
            let mut start = parameter.start;
            if parameter.acts.is_empty() {
                any_argument = true;
                let default = declared.get(&parameter.name).ok_or_else(|| {
                    wrong(format!(
                        "{} has no xacro argument of this name{}; declare it by <xacro:arg name=\"{}\"/>, or say by acts = [...] what it changes",
                        design.robot.file.display(),
                        did_you_mean(&parameter.name, declared.keys().map(String::as_str)),
                        parameter.name
                    ))
                })?;
                let given = design
                    .robot
                    .arguments
                    .get(&parameter.name)
                    .or(default.as_ref());
                start = start.or_else(|| given.and_then(|text| text.trim().parse().ok()));
            }
            let start = start.ok_or_else(|| {
                wrong("it has no start, and no default that is a number; give start".to_string())
            })?;
            variables.push(Variable {
                name: parameter.name.clone(),
                start,
                lower: parameter.lower.unwrap_or(f64::NEG_INFINITY),
                upper: parameter.upper.unwrap_or(f64::INFINITY),
                scale: parameter.scale,
            });
            for act in &parameter.acts {
                let kinds = [act.joint.is_some(), act.link.is_some()];
                let ways = [act.set, act.add, act.multiply];
                if kinds.iter().filter(|k| **k).count() != 1
                    || ways.iter().flatten().count() != 1
                    || ways.iter().flatten().any(|k| !k.is_finite())
                {
                    return Err(wrong(
                        "each of its acts needs one of joint and link, and one of set, add and multiply"
                            .to_string(),
                    ));
                }
            }
        }
        let mut robot = Self {
            robot: design.robot.clone(),
            parameters: design.parameter.clone(),
            contact: design.contact.clone(),
            terrain: design.terrain.clone(),
            file: file.to_string(),
            fixed_text: None,
            built: Arc::default(),
        };
        if !any_argument {
            robot.fixed_text = Some(robot.expanded(&[])?);
        }
        Ok((robot, variables))
    }

    /// Names and units of the parameters.
    pub fn units(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters
            .iter()
            .map(|p| (p.name.as_str(), p.unit.as_str()))
    }

    fn expanded(&self, arguments: &[(String, String)]) -> Result<String, ModelError> {
        let mut all: Vec<(String, String)> = Vec::new();
        for (name, value) in self.robot.arguments.iter() {
            if arguments.iter().all(|(n, _)| n != name) {
                all.push((name.clone(), value.clone()));
            }
        }
        all.extend(arguments.iter().cloned());
        let packages = self.robot.packages.iter();
        let options = LoadOptions {
            packages: packages.map(|(k, v)| (k.clone(), v.clone())).collect(),
            xacro_arguments: all,
            environment: self.robot.allow_env,
        };
        urdf::load_with_text(&self.robot.file, &options).map(|(_, text)| text)
    }

    /// The plain URDF of the robot with these parameters.
    ///
    /// # Errors
    /// A xacro file that does not expand, entries that do not exist.
    pub fn text(&self, values: &[f64]) -> Result<String, ModelError> {
        let pairs = || self.parameters.iter().zip(values);
        let text = match &self.fixed_text {
            Some(text) => text.clone(),
            None => {
                let arguments: Vec<(String, String)> = pairs()
                    .filter(|(p, _)| p.acts.is_empty())
                    .map(|(p, value)| (p.name.clone(), number(*value)))
                    .collect();
                self.expanded(&arguments)?
            }
        };
        let mut changes = Vec::new();
        for (parameter, &value) in pairs() {
            for act in &parameter.acts {
                let (kind, name) = match (&act.joint, &act.link) {
                    (Some(name), _) => ("joint", name),
                    (None, Some(name)) => ("link", name),
                    (None, None) => continue,
                };
                let Some(change) = Change::by(value, act.set, act.add, act.multiply) else {
                    continue;
                };
                let entry = UrdfEntry {
                    kind,
                    name: name.clone(),
                    field: act.entry.clone(),
                };
                changes.push((entry, change));
            }
        }
        if changes.is_empty() {
            return Ok(text);
        }
        edited(&text, &self.robot.file.display().to_string(), &changes)
    }

    /// The model of a plain text, on the design's base and in its gravity.
    ///
    /// # Errors
    /// [`ModelError`].
    pub fn model(&self, text: &str) -> Result<Model, ModelError> {
        let file = self.robot.file.display().to_string();
        urdf::parse(text, &file)?
            .base(self.robot.base)
            .mimic(self.robot.mimic)
            .gravity(self.robot.gravity)
            .build()
    }

    fn build(&self, values: &[f64]) -> Result<Robot, ScenarioError> {
        let model = self.model(&self.text(values)?)?;
        let (contact, _) = self.contact.resolved(&self.file, &model, false)?;
        let contacts = contact.build(&self.file, &self.terrain, &model)?;
        Ok(Robot { model, contacts })
    }
}

impl RobotFamily for ParametricRobot {
    fn robot(&self, parameters: &[f64]) -> Result<Robot, String> {
        let key: Vec<u64> = parameters.iter().map(|x| x.to_bits()).collect();
        // A thread that panicked elsewhere leaves whole entries.
        let built = || self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, robot)) = built().iter().find(|(k, _)| *k == key) {
            return Ok(robot.clone());
        }
        let robot = self.build(parameters).map_err(|error| error.to_string())?;
        let mut built = built();
        if built.len() >= REMEMBERED {
            built.pop_front();
        }
        built.push_back((key, robot.clone()));
        Ok(robot)
    }
}

/// A number as text that reads back as the same number, and as one with a fraction: xacro divides whole numbers
/// like Python 2.
fn number(value: f64) -> String {
    format!("{value:?}")
}
