//! What simulations are made from: an experiment, or a robot with contacts and a law that are given as tables.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::de::DeserializeOwned;

use super::exchange::settings::table;
use super::exchange::{Answered, argument, raise};
use super::model::Model as PyModel;
use crate::contact::Contacts;
use crate::hybrid::{Simulation, SimulationError, SimulationSettings};
use crate::laws::LawRegistry;
use crate::model::Model;
use crate::scenario::{
    ContactEntry, Experiment, ExperimentCache, ImpactEntry, ScenarioError, TerrainEntry,
    check_restitution,
};

/// What messages call the arguments.
const ARGUMENTS: &str = "simulation";

/// What a simulation is made of, but for its state.
#[derive(Clone)]
pub struct Recipe {
    pub model: Arc<Model>,
    pub contacts: Arc<Contacts>,
    /// The scenario, where there is one.
    pub experiment: Option<Arc<Experiment>>,
    impact: ImpactEntry,
    settings: SimulationSettings,
}

/// What is said of a simulation without a scenario, beside its robot.
pub struct Parts<'a, 'py> {
    /// The tables `contact` and `terrain` of a scenario in one.
    pub contacts: Option<&'a Bound<'py, PyDict>>,
    /// Name of a law, or the table `impact`.
    pub law: Option<&'a Bound<'py, PyAny>>,
    /// \[s\].
    pub time_step: Option<f64>,
}

impl Recipe {
    /// From a scenario in whatever form with settings, or from a [`Model`](PyModel) with parts.
    ///
    /// # Errors
    /// What is wrong with them, or both together.
    pub fn new(
        source: &Bound<'_, PyAny>,
        settings: Option<&Bound<'_, PyDict>>,
        parts: &Parts<'_, '_>,
    ) -> Answered<Self> {
        if let Ok(model) = source.cast::<PyModel>() {
            if settings.is_some() {
                return Err(argument(
                    "settings are for scenarios; a model takes contacts, law and time_step",
                ));
            }
            return parts.with(&model.get().0);
        }
        if parts.contacts.is_some() || parts.law.is_some() || parts.time_step.is_some() {
            return Err(argument(
                "contacts, law and time_step are for a model; a scenario says them itself, and settings change it",
            ));
        }
        Ok(Self::of(super::exchange::source::experiment(
            source, settings,
        )?))
    }

    /// Of an experiment.
    pub fn of(experiment: Experiment) -> Self {
        Self {
            model: experiment.model.clone(),
            contacts: experiment.contacts.clone(),
            impact: experiment.scenario.impact.clone(),
            settings: experiment.settings(),
            experiment: Some(Arc::new(experiment)),
        }
    }

    /// Where it starts if nobody says it: configuration and velocity.
    pub fn start(&self) -> (Vec<f64>, Vec<f64>) {
        match &self.experiment {
            Some(experiment) => (experiment.q.clone(), experiment.v.clone()),
            None => (
                self.model.neutral_configuration(),
                vec![0.0; self.model.dof()],
            ),
        }
    }

    /// A simulation from a state, under the controller of the scenario if it has one.
    ///
    /// # Errors
    /// A state that the robot cannot start from.
    pub fn simulation(
        &self,
        q: &[f64],
        v: &[f64],
        seed: Option<u64>,
        controlled: bool,
    ) -> Result<Simulation, ScenarioError> {
        let q = self.model.normalized_configuration(q)?;
        let law = match &self.experiment {
            Some(experiment) => experiment.law()?,
            None => self
                .impact
                .build(ARGUMENTS, &self.contacts, &LawRegistry::standard())?,
        };
        let (model, contacts) = (self.model.clone(), self.contacts.clone());
        let made = Simulation::new(model, contacts, law, self.settings, &q, v)?;
        let made = made.with_seed(seed.unwrap_or(self.impact.seed));
        Ok(match &self.experiment {
            Some(experiment) if controlled => made.with_controller(experiment.controller()?),
            _ => made,
        })
    }
}

impl Parts<'_, '_> {
    fn with(&self, model: &Arc<Model>) -> Answered<Recipe> {
        let mut settings = SimulationSettings::default();
        let mut listed = Contacts::none(model);
        let mut written = Vec::new();
        if let Some(given) = self.contacts {
            let mut all = table(given)?;
            let terrain = all.remove("terrain");
            let terrain = terrain.unwrap_or(toml::Value::Array(Vec::new()));
            let mut terrain: Vec<TerrainEntry> = read(terrain, "contacts: terrain")?;
            let cache = ExperimentCache::default();
            for (i, piece) in terrain.iter_mut().enumerate() {
                let place = format!("terrain[{i}] \"{}\"", piece.name());
                piece.read_heights(ARGUMENTS, &place, &cache)?;
            }
            let entry: ContactEntry = read(toml::Value::Table(all), "contacts")?;
            let (contact, _) = entry.resolved(ARGUMENTS, model, false)?;
            // Whether links overlap must not depend on where a row of a batch starts.
            let neutral = model.neutral_configuration();
            (listed, _) = contact.build_scene(ARGUMENTS, &terrain, &[], model, &neutral)?;
            settings.capture_speed = contact.capture_speed;
            written = contact.written_restitutions(&terrain, &[]);
        }
        let limited = listed.with_joint_limits(model, |_| 0.0);
        let contacts = Arc::new(limited.map_err(ScenarioError::from)?);
        let mut impact = ImpactEntry::default();
        if let Some(law) = self.law {
            if let Ok(name) = law.cast::<PyString>() {
                impact.law = name.to_str()?.to_string();
            } else {
                impact = read(toml::Value::Table(table(law.cast::<PyDict>()?)?), "law")?;
            }
        }
        let law = impact.build(ARGUMENTS, &contacts, &LawRegistry::standard())?;
        check_restitution(ARGUMENTS, law.as_ref(), &contacts, &written)?;
        settings.simultaneity = impact.simultaneity;
        settings.zeno_time = impact.zeno_time;
        settings.verdict_budget = impact.verdict_budget;
        settings.time_step = self.time_step.unwrap_or(settings.time_step);
        Ok(Recipe {
            model: model.clone(),
            contacts,
            experiment: None,
            impact,
            settings,
        })
    }
}

/// A step as a run takes it: what happens at the start without time passing comes first. `applied` are n forces.
///
/// # Errors
/// Those of the step.
pub fn step(simulation: &mut Simulation, applied: Option<&[f64]>) -> Result<(), SimulationError> {
    if simulation.begin() {
        simulation.settle()?;
    }
    match applied {
        Some(applied) => simulation.step(applied).map(drop),
        None => simulation.advance().map(drop),
    }
}

/// A table as what a scenario has there.
fn read<T: DeserializeOwned>(given: toml::Value, what: &str) -> Answered<T> {
    let wrong = |error: toml::de::Error| format!("{what}: {}", error.message());
    let read = given.try_into();
    read.map_err(|error| raise("ScenarioError", wrong(error)))
}
