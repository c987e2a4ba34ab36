//! How a simulation begins: from a configuration and velocity, or from a saved state.

use std::sync::Arc;

use crate::contact::{Contacts, OverlapSearch};
use crate::control::Controller;
use crate::discrete::Predictor;
use crate::discrete::held::HeldJoint;
use crate::dynamics::{Kinematics, LagrangianTerms, inertialess_coordinate};
use crate::hybrid::flow::{Arrival, Flow};
use crate::hybrid::node::Node;
use crate::hybrid::simulation::latches::{bring_latched_to_rest, check_latches, starting_joints};
use crate::hybrid::simulation::relaxation::Relaxation;
use crate::hybrid::simulation::{LastStep, Simulation};
use crate::hybrid::{SimulationError, SimulationSettings, SolverCounts, State, WorkLedger};
use crate::impact::ImpactLaw;
use crate::model::Model;
use crate::stop::StopFlag;

impl Simulation {
    /// A simulation that starts at configuration `q` with velocity `v` (n).
    ///
    /// # Errors
    /// States of the wrong size or with numbers that are not finite, joints outside of their limits,
    /// contacts below the surface, settings out of range, a singular mass matrix.
    pub fn new(
        model: Arc<Model>,
        contacts: Arc<Contacts>,
        law: Box<dyn ImpactLaw>,
        settings: SimulationSettings,
        q: &[f64],
        v: &[f64],
    ) -> Result<Self, SimulationError> {
        settings.validate()?;
        model.check_configuration(q)?;
        model.check_velocity(v)?;
        check_limits(&model, q, settings.closed_gap)?;
        let joints = starting_joints(&model, &contacts);
        let state = starting_state(&model, q, v, joints);
        let mut simulation = Self::from_state(model, contacts, law, settings, state)?;
        check_clear(&simulation.contacts, &simulation.node, &settings, q)?;
        check_latches(&simulation.model, &simulation.contacts, &settings, q, v)?;
        simulation.started = false;
        simulation.origin.1 = false;
        Ok(simulation)
    }

    /// A simulation that goes on from a saved state, to the same bits as if it had not stopped.
    ///
    /// # Errors
    /// Settings out of range, a state that does not fit the model, a singular mass matrix.
    pub fn from_state(
        model: Arc<Model>,
        contacts: Arc<Contacts>,
        law: Box<dyn ImpactLaw>,
        settings: SimulationSettings,
        state: State,
    ) -> Result<Self, SimulationError> {
        settings.validate()?;
        state.check(&model, &contacts)?;
        let flow = Flow::new(&model, settings.solver, settings.order);
        let block = vec![0.0; model.dof() * flow.stage_count()];
        // What may end a piece: gaps, seams and slides of contacts, and joints that rub.
        let watched = 3 * contacts.len() + model.dof();
        let arrival = || Arrival {
            mean_velocity: block.clone(),
            ..Arrival::default()
        };
        let mut simulation = Self {
            node: Node::new(&model, &contacts, &settings),
            trial: Node::new(&model, &contacts, &settings),
            node_has_velocity: false,
            arrival: arrival(),
            probe: Arrival::default(),
            working: Vec::new(),
            near: Vec::with_capacity(contacts.len()),
            overlap_search: OverlapSearch::with_room(contacts.len()),
            crossings: Vec::with_capacity(watched),
            normal_forces: Vec::new(),
            recording: None,
            dismissed: Vec::with_capacity(watched),
            passed: Vec::new(),
            unfinished: Vec::new(),
            took_turns: false,
            piece_length: f64::INFINITY,
            fallen: None,
            path: vec![0.0; model.configuration_len()],
            probe_kinematics: Kinematics::new(&model),
            reported_gaps: Vec::new(),
            gaps_reported: false,
            reported_forces: Vec::new(),
            efforts: vec![0.0; model.dof()],
            in_step: false,
            stop: StopFlag::default(),
            cut: None,
            controller: None,
            drive: None,
            relaxation: Relaxation::new(&model),
            trial_has_velocity: false,
            solver_counts: SolverCounts::default(),
            events: Vec::new(),
            forks: None,
            capturing: false,
            captured: None,
            applied: vec![0.0; model.dof()],
            held_impulses: vec![[0.0; 3]; contacts.len()],
            pressed: Vec::with_capacity(contacts.len()),
            seed: None,
            started: true,
            origin: (state.clone(), true),
            last_step: LastStep::None,
            model,
            contacts,
            law,
            settings,
            state,
            flow,
        };
        let State { q, time, .. } = &simulation.state;
        let node = &mut simulation.node;
        node.update_gaps_at(&simulation.model, &simulation.contacts, q, *time);
        let kinematics = &simulation.node.kinematics;
        if let Some(at) = inertialess_coordinate(&simulation.model, kinematics) {
            let coordinate = simulation.model.coordinate_names()[at].clone();
            return Err(SimulationError::NoInertia { coordinate });
        }
        let node = &mut simulation.node;
        node.take_velocity(&simulation.model, &simulation.state)?;
        simulation.node_has_velocity = true;
        Ok(simulation)
    }

    /// Lets a law that draws at random draw from this seed, one independent draw an impact.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Lets a flag end it from outside: once it is raised, there is no next step.
    #[must_use]
    pub fn stopped_by(mut self, stop: StopFlag) -> Self {
        self.stop = stop;
        self
    }

    /// The same simulation under a controller of its own, in place of what it had.
    #[must_use]
    pub fn with_controller(mut self, mut controller: Box<dyn Controller>) -> Self {
        self.drive = controller.drive();
        controller.take_up(&mut self.state.held_efforts.iter());
        self.controller = Some(controller);
        self
    }

    /// Takes over the part of a controller that acts inside the steps, if it has one.
    #[must_use]
    pub fn driven_by(mut self, controller: &dyn Controller) -> Self {
        self.drive = controller.drive();
        self
    }

    /// Keeps the other outcomes of every impact of the propagative law as [`Fork`](crate::hybrid::Fork)s, the first one
    /// being taken.
    #[must_use]
    pub fn following_all_outcomes(mut self) -> Self {
        self.forks = Some(Vec::new());
        self
    }

    /// Keeps the first impact as a problem that any law can solve.
    #[must_use]
    pub fn capturing_first_impact(mut self) -> Self {
        self.capturing = true;
        self
    }
}

/// The state of a simulation that starts at `q` with `v` (n), with what latches hold as `joints` say.
pub(super) fn starting_state(model: &Model, q: &[f64], v: &[f64], joints: Vec<HeldJoint>) -> State {
    let mut v = v.to_vec();
    bring_latched_to_rest(model, &joints, &mut v);
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, &v);
    let mut terms = LagrangianTerms::new(model);
    terms.update(model, &kinematics);
    State {
        step: 0,
        time: 0.0,
        q: q.to_vec(),
        p: terms.momentum,
        velocity: Vec::new(),
        held: Vec::new(),
        leaving: Vec::new(),
        joints,
        strikes: Vec::new(),
        first_impact: None,
        impacts: 0,
        captures: 0,
        work: WorkLedger::default(),
        predictor: Predictor::default(),
        relaxing: Some(0.0),
        held_efforts: Vec::new(),
    }
}

/// Whether all contacts are above the surface at the gaps of `node`.
pub(super) fn check_clear(
    contacts: &Contacts,
    node: &Node,
    settings: &SimulationSettings,
    q: &[f64],
) -> Result<(), SimulationError> {
    let inactive = |i: usize| contacts.inactivity(i).is_some_and(|it| it.holds(q));
    // Also of what is certainly not closed: it may be deep.
    let deep = |i: &usize| node.gap(contacts, *i) < -settings.closed_gap;
    let deepest = (node.near_contacts(contacts))
        .filter(|i| deep(i) && !inactive(*i) && node.is_present(contacts, *i))
        .map(|i| (node.gap(contacts, i), i))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    if let Some((gap, i)) = deepest {
        return Err(SimulationError::Penetration {
            contact: contacts.name(i).to_string(),
            depth: -gap,
        });
    }
    // Where faces of boxes lie in one plane, or one shape goes through another, nothing of either is deep in the other.
    let largest = contacts
        .overlaps(&node.kinematics, settings.closed_gap)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    match largest.and_then(|(i, overlap)| Some((contacts.edged_names(i)?, overlap))) {
        None => Ok(()),
        Some((shapes, overlap)) => Err(SimulationError::Overlap {
            shapes: shapes.map(str::to_string),
            overlap,
        }),
    }
}

/// Whether joints are within their limits, up to what a held one may be off.
pub(super) fn check_limits(model: &Model, q: &[f64], off: f64) -> Result<(), SimulationError> {
    for body in model.bodies() {
        if let (Some((lower, upper)), Some(&position)) = (body.limits.position, q.get(body.q_index))
            && (position < lower - off || position > upper + off)
        {
            return Err(SimulationError::LimitViolated {
                joint: body.joint.clone(),
                position,
                lower,
                upper,
            });
        }
    }
    Ok(())
}
