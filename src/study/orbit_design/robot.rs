//! The robots of a design: experiments by parameter values.

use toml::Table;

use super::OrbitDesignError;
use super::file::OrbitDesignFile;
use crate::design::Variable;
use crate::files::read_bounded_text;
use crate::model::urdf::text::{Change, UrdfEntry, edited};
use crate::scenario::{Experiment, Scenario, ScenarioError, apply_overrides, number_at};
use crate::stop::StopFlag;

/// Experiments by parameter values: the scenario with numbers changed, and the robot's text with numbers changed.
pub struct ParametricScenario {
    design: OrbitDesignFile,
    /// What messages call the scenario.
    file: String,
    /// The scenario's keys, overridden.
    keys: Table,
    variables: Vec<Variable>,
    /// Ends motions of its robots, and so the work on them.
    pub stop: StopFlag,
}

impl ParametricScenario {
    /// Reads the scenario and checks that every parameter finds its numbers.
    ///
    /// # Errors
    /// The parameter and what is wrong with it.
    pub fn new(name: &str, design: &OrbitDesignFile) -> Result<Self, OrbitDesignError> {
        let path = &design.orbit.scenario;
        let file = path.display().to_string();
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
        // Read as a scenario first: its messages point into its file.
        Scenario::read(path, &design.orbit.set)?;
        let mut keys: Table =
            toml::from_str(&text).map_err(|e| ScenarioError::from_toml(&file, &text, &e))?;
        apply_overrides(&mut keys, &design.orbit.set)?;
        let variables = design.parameter.iter().map(|p| Variable {
            name: p.name.clone(),
            start: p.start,
            lower: p.lower.unwrap_or(f64::NEG_INFINITY),
            upper: p.upper.unwrap_or(f64::INFINITY),
            scale: p.scale,
        });
        let family = Self {
            design: design.clone(),
            file,
            keys,
            variables: variables.collect(),
            stop: StopFlag::default(),
        };
        for (i, parameter) in design.parameter.iter().enumerate() {
            let place = format!("parameter[{i}] \"{}\"", parameter.name);
            for key in parameter.acts.iter().filter_map(|act| act.key.as_ref()) {
                if number_at(&family.keys, key).is_none() {
                    let scenario = &family.file;
                    let reason = format!("{scenario} says no number as {key}; write it there");
                    return Err(ScenarioError::value(name, &place, reason).into());
                }
            }
        }
        Ok(family)
    }

    /// Its parameters.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Units of the parameters, in their order.
    pub fn units(&self) -> impl Iterator<Item = &str> {
        self.design.parameter.iter().map(|p| p.unit.as_str())
    }

    /// The experiment at these values of the parameters.
    ///
    /// # Errors
    /// A scenario or robot that these numbers do not make.
    pub fn experiment(&self, values: &[f64]) -> Result<Experiment, OrbitDesignError> {
        let mut numbers: Vec<(&str, f64)> = Vec::new();
        let mut changes = Vec::new();
        let parameters = self.design.parameter.iter().zip(values);
        for (act, x) in parameters.flat_map(|(p, x)| p.acts.iter().map(move |act| (act, *x))) {
            let change = Change::by(x, act.set, act.add, act.multiply).unwrap_or(Change::Set(x));
            if let Some(key) = &act.key {
                let known = numbers.iter().position(|(k, _)| k == key);
                let at = known.unwrap_or_else(|| {
                    numbers.push((key, number_at(&self.keys, key).unwrap_or(0.0)));
                    numbers.len() - 1
                });
                numbers[at].1 = change.of(numbers[at].1);
                continue;
            }
            let named = [("joint", &act.joint), ("link", &act.link)];
            let named = named
                .into_iter()
                .find_map(|(kind, name)| Some((kind, name.clone()?)));
            if let (Some((kind, name)), Some(field)) = (named, act.entry.clone()) {
                changes.push((UrdfEntry { kind, name, field }, change));
            }
        }
        let mut experiment = self.changed(&numbers, &changes)?;
        experiment.stop = self.stop.clone();
        Ok(experiment)
    }

    /// The experiment with numbers of the scenario and of the robot's text changed.
    fn changed(
        &self,
        numbers: &[(&str, f64)],
        changes: &[(UrdfEntry, Change)],
    ) -> Result<Experiment, OrbitDesignError> {
        let numbers = numbers.iter().map(|(key, x)| format!("{key}={x:?}"));
        let overrides: Vec<String> = self
            .design
            .orbit
            .set
            .iter()
            .cloned()
            .chain(numbers)
            .collect();
        let scenario = Scenario::read(&self.design.orbit.scenario, &overrides)?;
        if changes.is_empty() {
            return Ok(Experiment::new(&self.file, scenario)?);
        }
        if scenario.robot.len() > 1 {
            let reason = "joints and links are changed in the file of one robot, and its scenario has several; change keys";
            return Err(ScenarioError::value(&self.file, "orbit.scenario", reason).into());
        }
        let entry = scenario.robot.first();
        let (_, text) = entry.load()?;
        let robot = entry.file.display().to_string();
        let text = edited(&text, &robot, changes).map_err(ScenarioError::from)?;
        Ok(Experiment::with_robot(&self.file, scenario, &text)?)
    }
}
