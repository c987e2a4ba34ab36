//! From a scenario to a simulation and its controller.

use std::sync::Arc;

use super::{
    BodyPair, ControllerEntry, ExperimentCache, Scenario, ScenarioError, check_restitution,
    unused_friction,
};
use crate::contact::Contacts;
use crate::control::Controller;
use crate::discrete::StepSettings;
use crate::hybrid::{Simulation, SimulationSettings, State};
use crate::impact::ImpactLaw;
use crate::laws::LawRegistry;
use crate::model::urdf::parse;
use crate::model::{Base, Model, ModelBuilder};
use crate::stop::StopFlag;

/// Everything that a run needs, made from a scenario and shared between runs of it.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The scenario.
    pub scenario: Scenario,
    /// What messages call the scenario.
    pub file: String,
    /// The robot.
    pub model: Arc<Model>,
    /// The text of its plain URDF.
    pub robot_text: Arc<str>,
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
        let described = cache.described(&scenario.robot)?;
        let text = described.text.clone();
        Self::assembled(file, scenario, &described.builder, text, laws, cache)
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
        let name = scenario.robot.file.display().to_string();
        let described = parse(robot_text, &name)?;
        let laws = LawRegistry::standard();
        let cache = ExperimentCache::default();
        Self::assembled(file, scenario, &described, robot_text.into(), &laws, &cache)
    }

    fn assembled(
        file: &str,
        mut scenario: Scenario,
        described: &ModelBuilder,
        robot_text: Arc<str>,
        laws: &LawRegistry,
        cache: &ExperimentCache,
    ) -> Result<Self, ScenarioError> {
        if let ControllerEntry::Gait(entry) = &mut scenario.controller {
            *entry = cache.gait(file, entry)?;
        }
        scenario.robot.joint = scenario.robot.spelled_joints(file, described)?;
        for (i, piece) in scenario.terrain.iter_mut().enumerate() {
            let place = format!("terrain[{i}] \"{}\"", piece.name());
            piece.read_heights(file, &place, cache)?;
        }
        let (robot, springs) = (&scenario.robot, &scenario.spring);
        let build = || robot.model(file, described.clone(), springs);
        let mut model = cache.model(robot, springs, build)?;
        let (mut q, mut v) = scenario.initial.state(file, &model)?;
        for (i, object) in scenario.object.iter().enumerate() {
            let place = format!("object[{i}] \"{}\"", object.name);
            let body = object.model(file, &place)?;
            let beside = Arc::unwrap_or_clone(model)
                .beside(body)
                .map_err(|error| ScenarioError::from(error).located(file, &place))?;
            model = Arc::new(beside);
            let (pose, twist) = object.state();
            q.extend(pose);
            v.extend(twist);
        }
        let limit_restitution = scenario.robot.limit_restitution(file, &model)?;
        let (contact, contact_remarks) =
            scenario
                .contact
                .resolved_from(file, &model, !scenario.object.is_empty(), cache)?;
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
            robot_text,
            contacts,
            limit_restitution,
            q,
            v,
            laws: laws.clone(),
            body_pairs,
            stop: StopFlag::default(),
            contact_remarks,
        };
        check_restitution(file, experiment.law()?.as_ref(), &experiment.contacts)?;
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
        let falls = self.model.base() != Base::Fixed && !self.scenario.terrain.is_empty();
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
        let controller = &self.scenario.controller;
        controller
            .build(&self.model, &self.contacts, &self.q)
            .map_err(|error| self.located(error, "controller"))
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
