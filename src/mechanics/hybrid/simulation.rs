//! The simulation: steps, events inside them, impacts, held contacts.
//!
//! A whole step of h is cut at every event. In each piece the flow (q, p, τ) ↦ (q, p) is tried to
//! the end; if a gap closes on the way, the earliest crossing is located on the flow itself, the
//! piece ends there on the feasible side, and the impact law acts on p. Contacts that come to rest
//! are held closed and leave when they pull or open.

mod beginning;
mod branches;
mod crossings;
mod depth;
mod derivative;
mod impacts;
mod jam;
mod latches;
mod linearize;
mod piece;
mod relaxation;
mod resting;
mod stepping;

use std::sync::Arc;

pub use derivative::{Parameter, RunDerivative, RunGradient};
pub use impacts::{CapturedImpact, Fork};
pub use linearize::LinearizeError;

use super::flow::{Arrival, Flow};
use super::node::Node;
use super::{Event, SimulationError, SimulationSettings, SolverCounts, State, WorkLedger};
use crate::stop::StopFlag;
use crossings::Crossing;
use linearize::LastStep;
use relaxation::Relaxation;

use crate::contact::{Contacts, OverlapSearch, Tilt};
use crate::control::{Controller, Drive, Observation};
use crate::discrete::held::HeldContact;
use crate::dynamics::Kinematics;
use crate::impact::ImpactLaw;
use crate::model::Model;

/// What one whole step took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepSummary {
    /// Newton iterations of the hardest piece.
    pub newton_iterations: usize,
    /// How often a piece was halved because it did not converge.
    pub halvings: usize,
    /// Pieces that the step was cut into.
    pub pieces: usize,
}

/// Energies at one moment \[J\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energies {
    /// Kinetic.
    pub kinetic: f64,
    /// Of gravity and springs.
    pub potential: f64,
    /// Work done so far.
    pub work: WorkLedger,
}

impl Energies {
    /// Kinetic plus potential minus all work: constant up to the scheme's oscillation.
    #[must_use]
    pub fn balance(&self) -> f64 {
        self.kinetic + self.potential - self.work.total()
    }
}

/// A robot in a world, in time; made by [`Simulation::builder`].
pub struct Simulation {
    model: Arc<Model>,
    contacts: Arc<Contacts>,
    law: Box<dyn ImpactLaw>,
    /// Seed of the law's random choices, one draw an impact.
    seed: Option<u64>,
    settings: SimulationSettings,
    state: State,
    flow: Flow,
    node: Node,
    node_has_velocity: bool,
    reported_gaps: Vec<f64>,
    /// Whether they are those of the present configuration.
    gaps_reported: bool,
    reported_forces: Vec<[f64; 3]>,
    trial: Node,
    trial_has_velocity: bool,
    arrival: Arrival,
    /// Another trial, beside the one that may be taken.
    probe: Arrival,
    /// The contacts in the conditions of the piece at hand.
    working: Vec<HeldContact>,
    /// Contacts that may close in the trial.
    near: Vec<usize>,
    overlap_search: OverlapSearch,
    crossings: Vec<Crossing>,
    /// Normal forces of what is held at a moment that is looked at \[N\].
    normal_forces: Vec<f64>,
    /// Crossings of the piece at hand that turned out to be none.
    dismissed: Vec<Crossing>,
    /// Contacts that passed an edge at the present moment: not again before time goes on. Twice what was let go there, whose
    /// place ends nowhere any more.
    passed: Vec<usize>,
    /// Contacts that were held and that a law which did not come to an end left approaching at the present moment.
    unfinished: Vec<usize>,
    /// Whether two events of the last trial took turns: two solutions of friction, each with the event of the other.
    took_turns: bool,
    /// How long pieces of the present step may be at first: those before ran round a rim. Infinite where none did.
    piece_length: f64,
    /// The contact of a disc that falls flat at the present moment, and how it lies.
    fallen: Option<(usize, Tilt)>,
    /// A configuration inside a step, and the placements there.
    path: Vec<f64>,
    probe_kinematics: Kinematics<f64>,
    /// What ends it from outside.
    stop: StopFlag,
    /// Who is asked for efforts.
    controller: Option<Box<dyn Controller>>,
    /// Efforts that follow the motion inside a step.
    drive: Option<Arc<dyn Drive>>,
    relaxation: Relaxation,
    solver_counts: SolverCounts,
    events: Vec<Event>,
    /// Alternatives of impacts since the last call of `take_forks`, when they are followed.
    forks: Option<Vec<Fork>>,
    /// Forces applied in the present step (n).
    applied: Vec<f64>,
    /// The controller's efforts for the next one.
    efforts: Vec<f64>,
    /// Whether a step has begun and not ended.
    in_step: bool,
    /// Where the next step ends before its end \[s\].
    cut: Option<f64>,
    /// Whether the first impact is kept, and what it was.
    capturing: bool,
    captured: Option<CapturedImpact>,
    /// Impulses of held contacts over the present step.
    held_impulses: Vec<[f64; 3]>,
    /// The contacts whose impulses may differ from zero, each once.
    pressed: Vec<usize>,
    /// Whether what happens at the start has been seen to.
    started: bool,
    /// Where the simulation began, and whether it had started there.
    origin: (State, bool),
    /// What was done since [`Simulation::start_recording`].
    recording: Option<Vec<derivative::Passage>>,
    /// What can be said of the last step as a whole.
    last_step: LastStep,
}

impl Simulation {
    /// The first impact, once it has happened.
    #[must_use]
    pub fn captured_impact(&self) -> Option<&CapturedImpact> {
        self.captured.as_ref()
    }

    /// Other outcomes of the impacts since the last call.
    pub fn take_forks(&mut self) -> Vec<Fork> {
        self.forks.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The robot.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// All contacts it can make.
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SimulationSettings {
        &self.settings
    }

    /// The state, to be saved.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How much solving the simulation took since it was made.
    #[must_use]
    pub fn solver_counts(&self) -> SolverCounts {
        let friction = self.flow.friction_counts();
        let by_method = [
            ("stick", friction.stuck),
            ("newton", friction.newton),
            ("proximal", friction.proximal),
            ("polygons", friction.polygons),
            ("enumeration", friction.enumerated),
            ("unsolved", friction.unsolved),
        ];
        let mut counts = self.solver_counts.clone();
        counts.friction = by_method.map(|(name, n)| (name.into(), n)).to_vec();
        counts
    }

    /// Time \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Gap of each contact \[m\], as [`Contacts::gap`] reports it.
    #[must_use]
    pub fn gaps(&mut self) -> &[f64] {
        self.update_gaps();
        &self.reported_gaps
    }

    #[doc(hidden)]
    pub fn update_gaps(&mut self) {
        if self.gaps_reported {
            return;
        }
        let mut gaps = std::mem::take(&mut self.reported_gaps);
        gaps.clear();
        gaps.extend((0..self.contacts.len()).map(|i| self.reported_gap(i)));
        self.reported_gaps = gaps;
        self.gaps_reported = true;
    }

    /// One of [`Simulation::gaps`].
    #[doc(hidden)]
    pub fn reported_gap(&self, contact: usize) -> f64 {
        if self.gaps_reported {
            return self.reported_gaps[contact];
        }
        let node = &self.node;
        let mechanical = || node.gap(&self.contacts, contact);
        let contacts = &self.contacts;
        contacts.gap_beside(&node.kinematics, contact, mechanical)
    }

    /// Whether one of [`Simulation::gaps`] is certainly larger than `length` \[m\], which is not negative; cheap.
    #[doc(hidden)]
    pub fn is_gap_beyond(&self, contact: usize, length: f64) -> bool {
        let group = self.contacts.group(contact);
        group.is_some_and(|group| self.node.is_beyond(group, length))
    }

    /// The gaps of the last call of [`Simulation::gaps`].
    #[must_use]
    #[doc(hidden)]
    pub fn known_gaps(&self) -> &[f64] {
        &self.reported_gaps
    }

    /// Placements of all bodies now.
    #[must_use]
    pub fn kinematics(&self) -> &Kinematics<f64> {
        &self.node.kinematics
    }

    /// Velocity M⁻¹p now, n.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn velocity(&mut self) -> Result<&[f64], SimulationError> {
        if !self.node_has_velocity {
            self.node.update_velocity(&self.model, &self.state.p)?;
            self.node_has_velocity = true;
        }
        Ok(&self.node.velocity)
    }

    /// The velocity of the last call of [`Simulation::velocity`], n.
    #[must_use]
    #[doc(hidden)]
    pub fn known_velocity(&self) -> &[f64] {
        &self.node.velocity
    }

    /// Energies now.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn energies(&mut self) -> Result<Energies, SimulationError> {
        self.velocity()?;
        Ok(Energies {
            kinetic: self.node.kinetic_energy(&self.state.p),
            potential: self.node.potential_energy(&self.model, &self.state.q),
            work: self.state.work,
        })
    }

    /// Events since the last call, in order.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Impulse of each contact while it was held, over the last call of [`Simulation::step`]: normal,
    /// then tangents \[N s\]. Impulses of impacts are in the events.
    #[must_use]
    pub fn held_impulses(&self) -> &[[f64; 3]] {
        &self.held_impulses
    }

    /// Resolves what happens at the present moment without time passing: impacts of closed contacts
    /// that approach, holding of contacts at rest. A run calls it once before its first step, so
    /// that a robot may start in the middle of an impact.
    ///
    /// # Errors
    /// Those of an impact.
    pub fn settle(&mut self) -> Result<(), SimulationError> {
        let mut impacts = 0;
        self.settle_contacts(&mut impacts)?;
        self.forget_law_velocity(impacts);
        Ok(())
    }

    /// After an impact the velocity is the law's; a run that goes on from the saved momentum only
    /// has M⁻¹p, which differs by rounding. So at the end of a step it is M⁻¹p for both.
    fn forget_law_velocity(&mut self, impacts: usize) {
        if impacts > 0 {
            self.node_has_velocity = false;
        }
    }

    /// The contacts that were held in the last call of [`Simulation::step`].
    #[doc(hidden)]
    pub fn pressed(&self) -> &[usize] {
        &self.pressed
    }

    /// What a controller sees at the present moment.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn observe(&mut self) -> Result<Observation<'_>, SimulationError> {
        self.velocity()?;
        self.update_gaps();
        let h = self.settings.time_step;
        self.reported_forces.clear();
        let forces = self.held_impulses.iter().map(|own| own.map(|x| x / h));
        self.reported_forces.extend(forces);
        Ok(self.seen(&self.reported_gaps, &self.reported_forces))
    }

    /// The same without contacts.
    fn observe_robot(&mut self) -> Result<Observation<'_>, SimulationError> {
        self.velocity()?;
        Ok(self.seen(&[], &[]))
    }

    /// The present moment, at which the velocity is known.
    fn seen<'a>(&'a self, gaps: &'a [f64], forces: &'a [[f64; 3]]) -> Observation<'a> {
        Observation {
            time: self.state.time,
            time_step: self.settings.time_step,
            q: &self.state.q,
            v: &self.node.velocity,
            first_impact: self.state.first_impact,
            gaps,
            forces,
            model: &self.model,
        }
    }

    /// Efforts of the actuators in the middle of the last piece of the last step, n \[N m or N\]: those
    /// applied and those that act inside the step.
    #[must_use]
    pub fn efforts(&self) -> &[f64] {
        self.flow.efforts()
    }
}
