//! From a design file to a design problem, and from its solution to a report.

use std::path::Path;

use thiserror::Error;

use super::design_file::{DesignFile, StanceEntry};
use super::design_robot::ParametricRobot;
use super::nearest_name::did_you_mean;
use super::robot_state::RobotState;
use super::{ScenarioError, StateError};
use crate::design::{
    Approach, CosineTarget, DesignError, DesignProblem, Stance, Variable, coordinate_names,
    coordinates,
};
use crate::model::{Base, Model};

/// Why a design file leads to no design.
#[derive(Debug, Error)]
pub enum DesignStudyError {
    /// The file, or a file it names, is wrong.
    #[error(transparent)]
    File(#[from] ScenarioError),
    /// The problem is wrong or has no answer.
    #[error("{file}: {error}")]
    Design {
        /// The design file.
        file: String,
        /// Why.
        error: DesignError,
    },
}

/// A design file with its robots and its problem.
pub struct DesignStudy {
    /// The file's contents.
    pub design: DesignFile,
    /// What messages call the file.
    pub file: String,
    /// The robots.
    pub robot: ParametricRobot,
    /// The problem.
    pub problem: DesignProblem,
}

impl DesignStudy {
    /// Reads a design file and everything it names.
    ///
    /// # Errors
    /// The first thing that is wrong, by its place.
    pub fn read(path: &Path) -> Result<Self, DesignStudyError> {
        let file = path.display().to_string();
        Self::new(&file, DesignFile::read(path)?)
    }

    /// The same from a parsed file; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`DesignStudy::read`].
    pub fn new(file: &str, design: DesignFile) -> Result<Self, DesignStudyError> {
        let failed = |error| DesignStudyError::Design {
            file: file.to_string(),
            error,
        };
        let (robot, parameters) = ParametricRobot::new(file, &design)?;
        for parameter in &parameters {
            parameter.check().map_err(failed)?;
        }
        let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
        let text = robot.text(&start).map_err(ScenarioError::from)?;
        let model = robot.model(&text).map_err(ScenarioError::from)?;
        let mut stances = Vec::new();
        for (i, entry) in design.stance.iter().enumerate() {
            let at = format!("stance[{i}] \"{}\"", entry.name);
            stances.push(stance(file, &at, entry, &model)?);
            if design.stance[..i].iter().any(|s| s.name == entry.name) {
                let reason = "two stances have this name; names must be unique";
                return Err(wrong(file, &at, reason.to_string()).into());
            }
        }
        let family = Box::new(robot.clone());
        let problem = DesignProblem::new(family, parameters, stances).map_err(failed)?;
        Ok(Self {
            design,
            file: file.to_string(),
            robot,
            problem,
        })
    }

    /// An error of the problem, with the file's name.
    #[must_use]
    pub fn failed(&self, error: DesignError) -> DesignStudyError {
        DesignStudyError::Design {
            file: self.file.clone(),
            error,
        }
    }
}

fn wrong(file: &str, place: &str, reason: String) -> ScenarioError {
    ScenarioError::Value {
        file: file.to_string(),
        place: place.to_string(),
        reason,
    }
}

/// A stance entry on the robot with the starting parameters.
fn stance(
    file: &str,
    at: &str,
    entry: &StanceEntry,
    model: &Model,
) -> Result<Stance, ScenarioError> {
    let state = state_of(file, at, entry, model)?;
    let (q, v) = state;
    let names = coordinate_names(model);
    let mut free = Vec::new();
    for (k, coordinate) in entry.free.iter().enumerate() {
        let place = format!("{at}: free[{k}]");
        let index = names.iter().position(|n| *n == coordinate.name);
        let index = index.ok_or_else(|| {
            let known = did_you_mean(&coordinate.name, names.iter().map(String::as_str));
            let reason = format!(
                "the robot has no coordinate \"{}\"{known}; it has {}",
                coordinate.name,
                names.join(", ")
            );
            wrong(file, &place, reason)
        })?;
        if free.iter().any(|(i, _)| *i == index) {
            let reason = format!("coordinate \"{}\" is freed twice", coordinate.name);
            return Err(wrong(file, &place, reason));
        }
        let variable = Variable {
            name: coordinate.name.clone(),
            start: 0.0,
            lower: coordinate.lower.unwrap_or(f64::NEG_INFINITY),
            upper: coordinate.upper.unwrap_or(f64::INFINITY),
            scale: coordinate.scale,
        };
        free.push((index, variable));
    }
    let moves = v.iter().any(|x| *x != 0.0);
    let approach = match entry.drop_height {
        Some(_) if moves => {
            let reason = "drop_height and velocities exclude each other; remove one";
            return Err(wrong(file, at, reason.to_string()));
        }
        Some(_) if model.base() == Base::Fixed => {
            let reason = "a robot on a fixed base cannot drop; give velocities";
            return Err(wrong(file, at, reason.to_string()));
        }
        Some(height) => Some(Approach::Fall(height)),
        None => moves.then_some(Approach::Velocity(v)),
    };
    let touching: Vec<&str> = entry.touch.iter().map(String::as_str).collect();
    let mut stance = Stance::orthogonal(&entry.name, coordinates(model, &q), &touching);
    stance.free = free;
    stance.approach = approach;
    stance.clearance = entry.clearance;
    if !entry.target.is_empty() {
        stance.targets = targets(file, at, entry)?;
    }
    Ok(stance)
}

fn targets(file: &str, at: &str, entry: &StanceEntry) -> Result<Vec<CosineTarget>, ScenarioError> {
    let mut targets = Vec::new();
    for (k, target) in entry.target.iter().enumerate() {
        let place = format!("{at}: target[{k}]");
        let [a, b] = &target.contacts;
        let mut wanted = match (target.order, target.cosine) {
            (Some(_), Some(_)) => {
                let reason = "order and cosine exclude each other; remove one";
                return Err(wrong(file, &place, reason.to_string()));
            }
            (Some(m), None) if m < 2 => {
                let reason = format!("order is {m}, it must be at least 2");
                return Err(wrong(file, &place, reason));
            }
            (m, None) => CosineTarget::of_order([a, b], m.unwrap_or(2)),
            (None, Some(cosine)) => CosineTarget {
                cosine,
                ..CosineTarget::of_order([a, b], 2)
            },
        };
        wanted.weight = target.weight;
        targets.push(wanted);
    }
    Ok(targets)
}

/// Configuration and velocity of a stance; the reader of state files checks both.
fn state_of(
    file: &str,
    at: &str,
    entry: &StanceEntry,
    model: &Model,
) -> Result<(Vec<f64>, Vec<f64>), ScenarioError> {
    let mut document = serde_json::json!({
        "joints": entry.joints,
        "velocities": entry.velocities,
    });
    if !entry.base.is_empty() {
        document["base"] =
            serde_json::to_value(&entry.base).map_err(|e| wrong(file, at, e.to_string()))?;
    }
    let failed = |error: StateError| {
        let message = error.to_string();
        let reason = message
            .split_once(": ")
            .map_or(message.as_str(), |(_, rest)| rest);
        wrong(file, at, reason.to_string())
    };
    RobotState::parse(file, &document.to_string())
        .map_err(failed)?
        .of(model)
        .map_err(failed)
}
