//! From a scenario to a simulation and its controller.

use std::sync::Arc;

use super::cache::Described;
use super::overview::contact_remarks;
use super::scene::Scene;
use super::{
    BodyPair, ControllerEntry, ExperimentCache, LatchEntry, Scenario, ScenarioError,
    check_restitution, unused_friction,
};
use crate::contact::Contacts;
use crate::control::{Controller, Together};
use crate::discrete::StepSettings;
use crate::hybrid::{Simulation, SimulationSettings, State};
use crate::impact::ImpactLaw;
use crate::laws::LawRegistry;
use crate::model::urdf::parse;
use crate::model::{Base, Model};
use crate::stop::StopFlag;

/// Everything that a run needs, made from a scenario and shared between runs of it.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The scenario.
    pub scenario: Scenario,
    /// What messages call the scenario.
    pub file: String,
    /// The robots, then the objects.
    pub model: Arc<Model>,
    /// The text of each robot's plain URDF.
    pub robot_texts: Vec<Arc<str>>,
    /// Its contacts.
    pub contacts: Arc<Contacts>,
    /// Restitution of the position limits of each body's joint, in the order of [`Model::bodies`];
    /// `None` when limits are switched off (`[robot] limits = false`), and then the model has none.
    pub limit_restitution: Option<Vec<f64>>,
    /// Initial configuration.
    pub q: Vec<f64>,
    /// Initial velocity, n.
    pub v: Vec<f64>,
    /// The laws that `impact.law` may name.
    pub laws: LawRegistry,
    /// Bodies that touch bodies, and those that were excluded; none where only terrain is touched.
    pub body_pairs: Vec<BodyPair>,
    /// What ends its simulations at their next step; nothing, unless somebody sets it.
    pub stop: StopFlag,
    /// What could not be had of the robot's collision shapes.
    contact_remarks: Vec<String>,
}

impl Experiment {
    /// Loads the robot and resolves all names of a scenario; `file` is what messages call it.
    ///
    /// # Errors
    /// The first thing that is wrong, by its place.
    pub fn new(file: &str, scenario: Scenario) -> Result<Self, ScenarioError> {
        Self::with_laws(file, scenario, &LawRegistry::standard())
    }

    /// The same where `impact.law` names a law of `laws`: those of this library and of one's own, or others alone.
    ///
    /// # Errors
    /// As [`Experiment::new`].
    pub fn with_laws(
        file: &str,
        scenario: Scenario,
        laws: &LawRegistry,
    ) -> Result<Self, ScenarioError> {
        Self::cached(file, scenario, laws, &ExperimentCache::default())
    }

    /// The same, where what was read and built before is taken from a cache.
    ///
    /// # Errors
    /// As [`Experiment::new`].
    pub fn cached(
        file: &str,
        scenario: Scenario,
        laws: &LawRegistry,
        cache: &ExperimentCache,
    ) -> Result<Self, ScenarioError> {
        let described = scenario.robot.iter().map(|entry| cache.described(entry));
        let described = described.collect::<Result<Vec<_>, _>>()?;
        Self::assembled(file, scenario, &described, laws, cache)
    }

    /// The same with the robot's plain URDF at hand: the scenario's file is only its name.
    ///
    /// # Errors
    /// As [`Experiment::new`].
    pub fn with_robot(
        file: &str,
        scenario: Scenario,
        robot_text: &str,
    ) -> Result<Self, ScenarioError> {
        Self::with_robots(file, scenario, &[robot_text])
    }

    /// The same with the plain URDF of each of several robots at hand.
    ///
    /// # Errors
    /// As [`Experiment::new`]; not as many texts as robots.
    pub fn with_robots(
        file: &str,
        scenario: Scenario,
        robot_texts: &[&str],
    ) -> Result<Self, ScenarioError> {
        let (given, wanted) = (robot_texts.len(), scenario.robot.len());
        if given != wanted {
            let reason =
                format!("the scenario has {wanted} robots, and there are {given} descriptions");
            return Err(ScenarioError::value(file, "robot", reason));
        }
        let described = scenario.robot.iter().zip(robot_texts).map(|(entry, text)| {
            let name = entry.file.display().to_string();
            Ok(Arc::new(Described {
                builder: parse(text, &name)?,
                text: (*text).into(),
            }))
        });
        let described = described.collect::<Result<Vec<_>, ScenarioError>>()?;
        let laws = LawRegistry::standard();
        Self::assembled(
            file,
            scenario,
            &described,
            &laws,
            &ExperimentCache::default(),
        )
    }

    fn assembled(
        file: &str,
        mut scenario: Scenario,
        described: &[Arc<Described>],
        laws: &LawRegistry,
        cache: &ExperimentCache,
    ) -> Result<Self, ScenarioError> {
        scenario.robot.check(file)?;
        if let ControllerEntry::Gait(entry) = &mut scenario.controller {
            *entry = cache.gait(file, entry)?;
        }
        for (i, piece) in scenario.terrain.iter_mut().enumerate() {
            let place = format!("terrain[{i}] \"{}\"", piece.name());
            piece.read_heights(file, &place, cache)?;
        }
        let Scene {
            model,
            q,
            v,
            limit_restitution,
        } = Scene::new(file, &mut scenario, described, cache)?;
        let several = model.trees().len() > 1;
        let (contact, mut remarks) = scenario
            .contact
            .resolved_from(file, &model, several, cache)?;
        scenario.contact = contact;
        let (mut contacts, body_pairs) =
            scenario
                .contact
                .build_scene(file, &scenario.terrain, &scenario.object, &model, &q)?;
        if let Some(restitution) = &limit_restitution {
            let of_joint = |joint: &str| {
                let bodies = model.bodies().iter().zip(restitution);
                bodies
                    .filter(|(body, _)| body.joint == joint)
                    .map(|(_, restitution)| *restitution)
                    .next()
                    .unwrap_or(0.0)
            };
            contacts = contacts
                .with_joint_limits(&model, of_joint)
                .map_err(|error| ScenarioError::from(error).located(file, "robot"))?;
        }
        let (model, contacts) = LatchEntry::add(&scenario.latch, file, model, contacts)?;
        let contacts = contacts.with_columns_of_at_most(scenario.output.contacts);
        remarks.extend(contact_remarks(
            &scenario.contact,
            &model,
            &body_pairs,
            &contacts,
        ));
        let contacts = Arc::new(contacts);
        let controller = scenario.controller.spelled_out(&model);
        scenario.controller =
            controller.map_err(|e| ScenarioError::from(e).located(file, "controller"))?;
        if let Some(entry) = &scenario.locomotion {
            entry.check(file, &model)?;
        }
        let experiment = Self {
            scenario,
            file: file.to_string(),
            model,
            robot_texts: described.iter().map(|own| own.text.clone()).collect(),
            contacts,
            limit_restitution,
            q,
            v,
            laws: laws.clone(),
            body_pairs,
            stop: StopFlag::default(),
            contact_remarks: remarks,
        };
        let Scenario {
            contact,
            terrain,
            object,
            robot,
            ..
        } = &experiment.scenario;
        let mut written = contact.written_restitutions(terrain, object);
        written.extend(robot.written_restitutions());
        let law = experiment.law()?;
        check_restitution(file, law.as_ref(), &experiment.contacts, &written)?;
        experiment.controller()?;
        Ok(experiment)
    }

    /// The impact law with its parameters.
    ///
    /// # Errors
    /// An unknown law, a parameter that it does not take.
    pub fn law(&self) -> Result<Box<dyn ImpactLaw>, ScenarioError> {
        let impact = &self.scenario.impact;
        impact.build(&self.file, &self.contacts, &self.laws)
    }

    /// What a reader of this experiment's results should know: the warnings of the robot's file, and what the law does not
    /// use.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let law = self.law().ok();
        let unused = law.and_then(|law| unused_friction(law.as_ref(), &self.contacts));
        self.model
            .warnings()
            .iter()
            .chain(&self.contact_remarks)
            .cloned()
            .chain(self.untouchable())
            .chain(unused)
            .collect()
    }

    /// What is said of a robot that moves freely above terrain that it cannot touch: it falls through.
    #[must_use]
    pub fn untouchable(&self) -> Option<String> {
        let touching = (0..self.contacts.len()).any(|i| !self.contacts.is_limit(i));
        let mut robots = self.model.trees().iter().take(self.scenario.robot.len());
        let moves = robots.any(|tree| tree.base != Base::Fixed);
        let falls = moves && !self.scenario.terrain.is_empty();
        (falls && !touching).then(|| {
            "nothing of the robot can touch the terrain, and it falls through; give its links collision shapes, or \
             declare [[contact.site]]"
                .to_string()
        })
    }

    /// An error at a place of the scenario.
    fn located(&self, error: impl Into<ScenarioError>, place: &str) -> ScenarioError {
        error.into().located(&self.file, place)
    }

    /// The controller.
    ///
    /// # Errors
    /// A joint that does not exist, a number out of range.
    pub fn controller(&self) -> Result<Box<dyn Controller>, ScenarioError> {
        let build = |entry: &ControllerEntry, place: &str| {
            let made = entry.build(&self.model, &self.contacts, &self.q);
            made.map_err(|error| self.located(error, place))
        };
        let robots = &self.scenario.robot;
        let mut driven = Vec::new();
        for (i, robot) in robots
            .iter()
            .enumerate()
            .filter(|(_, r)| !r.controller.is_none())
        {
            let entry = robot.controller.renamed(|own| robot.in_scene(own));
            let place = format!("{}.controller", robots.place(i));
            driven.push(build(&entry, &place)?);
        }
        if driven.is_empty() {
            return build(&self.scenario.controller, "controller");
        }
        let together = Together::new(driven);
        Ok(Box::new(together.map_err(|e| self.located(e, "robot"))?))
    }

    /// The text of the plain URDF of the only robot, or of the first of several.
    #[must_use]
    pub fn robot_text(&self) -> &str {
        self.robot_texts.first().map_or("", |text| text)
    }

    /// Settings of the simulation.
    #[must_use]
    pub fn settings(&self) -> SimulationSettings {
        let Scenario {
            stepper,
            impact,
            contact,
            time_step,
            ..
        } = &self.scenario;
        SimulationSettings {
            time_step: *time_step,
            solver: StepSettings {
                tolerance: stepper.tolerance,
                max_iterations: stepper.max_iterations,
                max_halvings: stepper.max_halvings,
            },
            order: stepper.order,
            switch_threshold: stepper.switch_threshold,
            simultaneity: impact.simultaneity,
            capture_speed: contact.capture_speed,
            zeno_time: impact.zeno_time,
            verdict_budget: impact.verdict_budget,
            ..SimulationSettings::default()
        }
    }

    /// A simulation at time zero.
    ///
    /// # Errors
    /// A state that the robot cannot start from.
    pub fn simulation(&self) -> Result<Simulation, ScenarioError> {
        let simulation = Simulation::new(
            self.model.clone(),
            self.contacts.clone(),
            self.law()?,
            self.settings(),
            &self.q,
            &self.v,
        )
        .map_err(|error| self.located(error, "initial"))?;
        Ok(simulation
            .with_seed(self.scenario.impact.seed)
            .stopped_by(self.stop.clone()))
    }

    /// A simulation that goes on from a saved state.
    ///
    /// # Errors
    /// A state of another robot.
    pub fn resumed(&self, state: State) -> Result<Simulation, ScenarioError> {
        let simulation = Simulation::from_state(
            self.model.clone(),
            self.contacts.clone(),
            self.law()?,
            self.settings(),
            state,
        )
        .map_err(|error| self.located(error, "initial"))?;
        Ok(simulation
            .with_seed(self.scenario.impact.seed)
            .stopped_by(self.stop.clone()))
    }
}
