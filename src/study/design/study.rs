//! From a design file to a design problem, and from its solution to a report.

use std::path::Path;

use thiserror::Error;

use super::file::{DesignFile, KeepEntry, KeepKind, StanceEntry};
use super::robot::ParametricRobot;
use crate::design::{
    Approach, CosineTarget, DesignError, DesignProblem, Keep, KeptQuantity, Stance, Variable,
    coordinate_names, coordinates,
};
use crate::files::did_you_mean;
use crate::model::{Base, Model};
use crate::scenario::{InitialEntry, ScenarioError};
use crate::study::wanted_cosine::wanted_cosine;

/// Why a design file leads to no design.
#[derive(Debug, Error)]
#[non_exhaustive]
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
    /// Name of the robot.
    pub robot_name: String,
    /// The robots.
    pub robot: ParametricRobot,
    /// The problem.
    pub problem: DesignProblem,
}

impl DesignStudy {
    /// Reads a design file, with overrides `key=value`, and everything it names.
    ///
    /// # Errors
    /// The first thing that is wrong, by its place.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, DesignStudyError> {
        let file = path.display().to_string();
        Self::new(&file, DesignFile::read(path, overrides)?)
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
                return Err(ScenarioError::value(file, &at, reason).into());
            }
        }
        let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
        let kept = kept(file, &design.keep, &names)?;
        let family = Box::new(robot.clone());
        let problem = DesignProblem::new(family, parameters, stances)
            .and_then(|problem| problem.keeping(kept))
            .map_err(failed)?;
        let study = Self {
            design,
            file: file.to_string(),
            robot_name: model.name().to_string(),
            robot,
            problem,
        };
        study.check_drop()?;
        Ok(study)
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

fn kept(file: &str, entries: &[KeepEntry], names: &[&str]) -> Result<Vec<Keep>, ScenarioError> {
    let mut kept = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let place = format!("keep[{i}]");
        let mut indices = Vec::new();
        for name in &entry.parameters {
            let index = names.iter().position(|n| n == name).ok_or_else(|| {
                let known = did_you_mean(name, names.iter().copied());
                let reason = format!(
                    "there is no parameter \"{name}\"{known}; there are {}",
                    names.join(", ")
                );
                ScenarioError::value(file, &place, reason)
            })?;
            indices.push(index);
        }
        let what = match entry.quantity {
            KeepKind::Mass if !indices.is_empty() => {
                let reason = "a mass is that of the whole robot; remove parameters";
                return Err(ScenarioError::value(file, &place, reason));
            }
            KeepKind::Mass => KeptQuantity::Mass,
            KeepKind::Length if indices.is_empty() => {
                let reason = "a length is a sum of parameters; name them in parameters";
                return Err(ScenarioError::value(file, &place, reason));
            }
            KeepKind::Length => KeptQuantity::Length(indices),
        };
        kept.push(Keep {
            what,
            value: entry.value,
            weight: entry.weight,
        });
    }
    Ok(kept)
}

/// A stance entry on the robot with the starting parameters.
fn stance(
    file: &str,
    at: &str,
    entry: &StanceEntry,
    model: &Model,
) -> Result<Stance, ScenarioError> {
    let state = InitialEntry {
        base: entry.base.clone(),
        joints: entry.joints.clone(),
        velocities: entry.velocities.clone(),
    };
    let (q, v) = state.state_at(file, at, model)?;
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
            ScenarioError::value(file, &place, reason)
        })?;
        if free.iter().any(|(i, _)| *i == index) {
            let reason = format!("coordinate \"{}\" is freed twice", coordinate.name);
            return Err(ScenarioError::value(file, &place, reason));
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
    let approach = approach_of(file, at, entry.drop_height, v, model)?;
    let mut minimised = Vec::new();
    for (k, motion) in entry.minimise.iter().enumerate() {
        let place = format!("{at}: minimise[{k}]");
        let mut moving = state.clone();
        moving
            .base
            .retain(|key, _| !["vx", "vz", "wpitch", "twist"].contains(&key.as_str()));
        moving.base.extend(motion.base.clone());
        moving.velocities.clone_from(&motion.velocities);
        let (_, v) = moving.state_at(file, &place, model)?;
        let motion_of =
            approach_of(file, &place, motion.drop_height, v, model)?.ok_or_else(|| {
                let reason = "it is at rest; give drop_height, base rates or velocities";
                ScenarioError::value(file, &place, reason)
            })?;
        minimised.push((motion_of, motion.weight));
    }
    let touching: Vec<&str> = entry.touch.iter().map(String::as_str).collect();
    let mut stance = Stance::orthogonal(&entry.name, coordinates(model, &q), &touching);
    stance.free = free;
    stance.approach = approach;
    stance.clearance = entry.clearance;
    stance.clearances = entry
        .clearances
        .iter()
        .map(|(name, least)| (name.clone(), *least))
        .collect();
    if !(entry.target.is_empty() && minimised.is_empty()) {
        stance.targets = targets(file, at, entry)?;
    }
    stance.minimised = minimised;
    Ok(stance)
}

/// The motion before an impact; `None` at rest.
fn approach_of(
    file: &str,
    at: &str,
    drop_height: Option<f64>,
    v: Vec<f64>,
    model: &Model,
) -> Result<Option<Approach>, ScenarioError> {
    let moves = v.iter().any(|x| *x != 0.0);
    match drop_height {
        Some(_) if moves => {
            let reason = "drop_height and velocities exclude each other; remove one";
            Err(ScenarioError::value(file, at, reason))
        }
        Some(_) if model.base() == Base::Fixed => {
            let reason = "a robot on a fixed base cannot drop; give velocities";
            Err(ScenarioError::value(file, at, reason))
        }
        Some(height) => Ok(Some(Approach::Fall(height))),
        None => Ok(moves.then_some(Approach::Velocity(v))),
    }
}

fn targets(file: &str, at: &str, entry: &StanceEntry) -> Result<Vec<CosineTarget>, ScenarioError> {
    let mut targets = Vec::new();
    for (k, target) in entry.target.iter().enumerate() {
        let place = format!("{at}: target[{k}]");
        let cosine = wanted_cosine(target.order, target.cosine)
            .map_err(|reason| ScenarioError::value(file, &place, reason))?;
        targets.push(CosineTarget {
            contacts: target.contacts.clone(),
            cosine,
            weight: target.weight,
        });
    }
    Ok(targets)
}
