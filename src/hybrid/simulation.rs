//! The simulation: steps, events inside them, impacts, held contacts.
//!
//! A whole step of h is cut at every event. In each piece the flow (q, p, τ) ↦ (q, p) is tried to
//! the end; if a gap closes on the way, the earliest crossing is located on the flow itself, the
//! piece ends there on the feasible side, and the impact law acts on p. Contacts that come to rest
//! are held closed and leave when they pull or open.

use std::sync::Arc;

use super::collision::{Alternative, Collision, all_outcomes, collide, collide_plastically, pose};
use super::crossing::GapCubic;
use super::flow::{Arrival, Flow};
use super::node::Node;
use super::{Event, EventKind, SimulationError, SimulationSettings, State, WorkLedger};
use crate::contact::Contacts;
use crate::discrete::{HeldContact, HeldMode, StepError};
use crate::dynamics::{Kinematics, LagrangianTerms};
use crate::impact::{ImpactLaw, ImpactProblem};
use crate::model::Model;

/// A gap below this counts as touching when a crossing is located [m]: a hundred roundings of a
/// coordinate of order one, far below any tolerance a user sees.
const LOCATED: f64 = 1e-12;
/// Trial evaluations of the flow while one crossing is located.
const LOCATION_TRIALS: usize = 200;
/// A gap may close and open again inside a step only if it is smaller than the way that this speed
/// \[m/s\] covers in the step, or than the way it changed by.
const DIP_SPEED: f64 = 20.0;

/// A contact whose gap closes, with a bracket (open side, closed side) of the moment \[s\].
type Crossing = (usize, (f64, f64));

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
        self.kinetic + self.potential
            - self.work.actuators
            - self.work.dissipative
            - self.work.impacts
    }
}

/// A robot in a world, in time.
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
    trial: Node,
    arrival: Arrival,
    probe: Arrival,
    events: Vec<Event>,
    /// Alternatives of impacts since the last call of `take_forks`, when they are followed.
    forks: Option<Vec<Fork>>,
    /// Forces applied in the present step; empty between steps.
    applied: Vec<f64>,
    /// Whether the first impact is kept, and what it was.
    capturing: bool,
    captured: Option<CapturedImpact>,
    /// Impulses of held contacts over the present step.
    held_impulses: Vec<[f64; 3]>,
}

/// An impact of a run as a problem for any law.
#[derive(Debug, Clone)]
pub struct CapturedImpact {
    /// When it happens \[s\].
    pub time: f64,
    /// With tangents and friction.
    pub with_friction: ImpactProblem,
    /// Normals alone, for laws without friction.
    pub without_friction: ImpactProblem,
}

/// Another outcome of an impact: where a run would be that had taken it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// The state right after the impact.
    pub state: State,
    /// The impact as this branch saw it.
    pub event: Event,
    /// Forces applied over the step that the impact cut, n; empty when it happened between steps.
    pub applied: Vec<f64>,
}

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
        check_state(&model, q, v)?;
        let mut kinematics = Kinematics::new(&model);
        kinematics.update_placements(&model, q);
        kinematics.update_twists(&model, v);
        let mut terms = LagrangianTerms::new(&model);
        terms.update(&model, &kinematics);
        let state = State {
            step: 0,
            time: 0.0,
            q: q.to_vec(),
            p: terms.momentum,
            held: Vec::new(),
            last_impact: vec![None; contacts.len()],
            first_impact: None,
            impacts: 0,
            work: WorkLedger::default(),
            predictor: Vec::new(),
        };
        let simulation = Self::from_state(model, contacts, law, settings, state)?;
        let deepest = (0..simulation.contacts.len())
            .map(|i| (simulation.node.gaps[i], i))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match deepest {
            Some((gap, i)) if gap < -settings.closed_gap => Err(SimulationError::Penetration {
                contact: simulation.contacts.name(i).to_string(),
                depth: -gap,
            }),
            _ => Ok(simulation),
        }
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
        if state.q.len() != model.configuration_len()
            || state.p.len() != model.dof()
            || state.last_impact.len() != contacts.len()
        {
            return Err(SimulationError::InitialState {
                place: "saved state".to_string(),
                reason: "it belongs to another robot or other contacts".to_string(),
            });
        }
        let flow = Flow::new(&model, settings.solver, settings.order);
        let block = vec![0.0; model.dof() * flow.stage_count()];
        let arrival = || Arrival {
            mean_velocity: block.clone(),
            ..Arrival::default()
        };
        let mut simulation = Self {
            node: Node::new(&model, &contacts),
            trial: Node::new(&model, &contacts),
            node_has_velocity: false,
            arrival: arrival(),
            probe: arrival(),
            events: Vec::new(),
            forks: None,
            capturing: false,
            captured: None,
            applied: Vec::new(),
            held_impulses: vec![[0.0; 3]; contacts.len()],
            seed: None,
            model,
            contacts,
            law,
            settings,
            state,
            flow,
        };
        simulation
            .node
            .update_gaps(&simulation.model, &simulation.contacts, &simulation.state.q);
        simulation.velocity()?;
        Ok(simulation)
    }

    /// Lets a law that draws at random draw from this seed, one independent draw an impact.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Keeps the other outcomes of every impact of the propagative law as [`Fork`]s, the first one
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

    /// Time \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Gap of each contact \[m\].
    #[must_use]
    pub fn gaps(&self) -> &[f64] {
        &self.node.gaps
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
    pub(crate) fn known_velocity(&self) -> &[f64] {
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

    /// Advances by one nominal time step under the constant generalized forces `applied` (n).
    ///
    /// # Errors
    /// Forces that are not finite, steps or impacts without a solution. The state is then that of
    /// the last completed piece.
    pub fn step(&mut self, applied: &[f64]) -> Result<StepSummary, SimulationError> {
        if let Some(i) = applied.iter().position(|x| !x.is_finite()) {
            return Err(SimulationError::Effort {
                time: self.state.time,
                coordinate: self.model.coordinate_names()[i].clone(),
                value: applied[i],
            });
        }
        let h = self.settings.time_step;
        let start = self.state.step as f64 * h;
        // A fork begins inside a step.
        let mut done = (self.state.time - start).max(0.0);
        let mut impacts = 0;
        let mut summary = StepSummary::default();
        self.applied.clear();
        self.applied.extend_from_slice(applied);
        self.held_impulses.fill([0.0; 3]);
        while done < h {
            self.settle_contacts(&mut impacts)?;
            let whole = done == 0.0;
            let tau = self.advance_piece(applied, h - done, whole, &mut summary)?;
            // The rest of a step that is shorter than a rounding of h is no step.
            done = if h - (done + tau) < 1e-14 * h {
                h
            } else {
                done + tau
            };
            self.state.time = start + done;
            summary.pieces += 1;
        }
        self.state.step += 1;
        self.state.time = self.state.step as f64 * h;
        self.applied.clear();
        self.settle_contacts(&mut impacts)?;
        self.forget_law_velocity(impacts);
        Ok(summary)
    }

    /// Advances until `limit` or the first event; returns the time that passed.
    fn advance_piece(
        &mut self,
        applied: &[f64],
        limit: f64,
        whole: bool,
        summary: &mut StepSummary,
    ) -> Result<f64, SimulationError> {
        self.guess(whole)?;
        let mut tau = limit;
        let mut halvings = 0;
        // Also while a crossing is located a trial step can fail: then the whole piece is halved.
        let (tau, located) = loop {
            match self.attempt_piece(applied, tau) {
                Ok(piece) => break piece,
                Err(SimulationError::Step { source, .. })
                    if halvings < self.settings.solver.max_halvings && shorter_helps(&source) =>
                {
                    halvings += 1;
                    tau *= 0.5;
                    self.guess(false)?;
                }
                Err(SimulationError::Step { time, source, .. }) => {
                    return Err(SimulationError::Step {
                        time,
                        halvings,
                        source,
                    });
                }
                Err(other) => return Err(other),
            }
        };
        summary.halvings += halvings;
        summary.newton_iterations = summary
            .newton_iterations
            .max(self.arrival.report.iterations);
        if tau > 0.0 {
            self.accept(whole && located.is_none() && halvings == 0, tau);
        } else if let Some(contact) = located {
            // The gap closes at once although it was opening: the contact rests.
            self.hold(contact);
        }
        Ok(tau)
    }

    /// Tries to advance by `tau`: to its end or to the first crossing, which is then named. The
    /// result is in `arrival`.
    fn attempt_piece(
        &mut self,
        applied: &[f64],
        mut tau: f64,
    ) -> Result<(f64, Option<usize>), SimulationError> {
        let time = self.state.time;
        let step_error = |source| SimulationError::Step {
            time,
            halvings: 0,
            source,
        };
        self.try_flow(applied, tau, false).map_err(step_error)?;
        self.trial
            .update_gaps(&self.model, &self.contacts, &self.arrival.q);
        let mut located = None;
        while let Some((contact, bracket)) = self.find_crossing(applied, tau)? {
            tau = self.locate(applied, contact, bracket).map_err(step_error)?;
            self.trial
                .update_gaps(&self.model, &self.contacts, &self.arrival.q);
            located = Some(contact);
            if tau == 0.0 {
                break;
            }
        }
        Ok((tau, located))
    }

    /// Runs the flow for `tau` from the present state into `arrival` (or `probe`).
    fn try_flow(&mut self, applied: &[f64], tau: f64, probe: bool) -> Result<(), StepError> {
        let arrival = if probe {
            &mut self.probe
        } else {
            &mut self.arrival
        };
        self.flow.advance(
            &self.model,
            &self.contacts,
            &self.state.held,
            &self.state.q,
            &self.state.p,
            applied,
            tau,
            arrival,
        )
    }

    /// Starting values of the mean velocity: extrapolated from the last whole steps, or the present
    /// velocity.
    fn guess(&mut self, whole: bool) -> Result<(), SimulationError> {
        let n = self.model.dof();
        let guess = &mut self.arrival.mean_velocity;
        let usable = whole
            && self
                .state
                .predictor
                .first()
                .is_some_and(|a| a.len() == guess.len());
        if usable {
            match self.state.predictor.as_slice() {
                [a, b, c, ..] => {
                    for (i, x) in guess.iter_mut().enumerate() {
                        *x = 3.0 * (a[i] - b[i]) + c[i];
                    }
                }
                [a, b] => {
                    for (i, x) in guess.iter_mut().enumerate() {
                        *x = 2.0 * a[i] - b[i];
                    }
                }
                [a] => guess.copy_from_slice(a),
                [] => {}
            }
            return Ok(());
        }
        self.velocity()?;
        for block in self.arrival.mean_velocity.chunks_mut(n.max(1)) {
            block.copy_from_slice(&self.node.velocity);
        }
        Ok(())
    }

    /// Finds a contact whose gap closes before `tau`, with a bracket (open side, closed side) of its
    /// crossing. `trial` stands at `tau`.
    fn find_crossing(
        &mut self,
        applied: &[f64],
        tau: f64,
    ) -> Result<Option<Crossing>, SimulationError> {
        let mut trial_has_velocity = false;
        for i in 0..self.contacts.len() {
            if self.state.held.iter().any(|h| h.contact == i) {
                continue;
            }
            let gaps = [self.node.gaps[i], self.trial.gaps[i]];
            let crossed = gaps[1] < -LOCATED;
            let reach = (DIP_SPEED * tau).max(3.0 * (gaps[1] - gaps[0]).abs());
            if !crossed && gaps[0].min(gaps[1]) > reach {
                continue;
            }
            if crossed && gaps[0] > LOCATED {
                return Ok(Some((i, (0.0, tau))));
            }
            self.velocity()?;
            if !trial_has_velocity {
                self.trial.update_velocity(&self.model, &self.arrival.p)?;
                trial_has_velocity = true;
            }
            let rates = [
                self.node.rate(&self.model, &self.contacts, i),
                self.trial.rate(&self.model, &self.contacts, i),
            ];
            let cubic = GapCubic::new(gaps, rates, tau);
            let time = self.state.time;
            let as_step_error = |source| SimulationError::Step {
                time,
                halvings: 0,
                source,
            };
            if crossed {
                // The gap is closed at the start and opens first: find a moment when it is open.
                let mut s = cubic.interior_maximum().unwrap_or(0.5);
                for _ in 0..60 {
                    if self.gap_at(applied, i, s * tau).map_err(as_step_error)? > LOCATED {
                        return Ok(Some((i, (s * tau, tau))));
                    }
                    s *= 0.5;
                }
                return Ok(Some((i, (0.0, 0.0))));
            }
            let Some(s) = cubic.interior_minimum() else {
                continue;
            };
            let shallow = 0.05 * gaps[0].min(gaps[1]) + self.settings.closed_gap;
            if cubic.value(s) < shallow
                && self.gap_at(applied, i, s * tau).map_err(as_step_error)? < -LOCATED
            {
                if gaps[0] > LOCATED {
                    return Ok(Some((i, (0.0, s * tau))));
                }
                let top = cubic
                    .interior_maximum()
                    .filter(|m| *m < s)
                    .unwrap_or(0.5 * s);
                if self.gap_at(applied, i, top * tau).map_err(as_step_error)? > LOCATED {
                    return Ok(Some((i, (top * tau, s * tau))));
                }
            }
        }
        Ok(None)
    }

    /// Gap of a contact after the flow has run for `tau`.
    fn gap_at(&mut self, applied: &[f64], contact: usize, tau: f64) -> Result<f64, StepError> {
        self.probe
            .mean_velocity
            .copy_from_slice(&self.arrival.mean_velocity);
        self.try_flow(applied, tau, true)?;
        self.trial
            .kinematics
            .update_placements(&self.model, &self.probe.q);
        let gap = self.contacts.gap(&self.trial.kinematics, contact);
        // `trial` keeps describing `arrival`.
        self.trial
            .kinematics
            .update_placements(&self.model, &self.arrival.q);
        Ok(gap)
    }

    /// Locates the crossing of one gap inside a bracket by the Illinois variant of the secant rule
    /// and leaves the flow's result at the located time, on the open side, in `arrival`.
    fn locate(
        &mut self,
        applied: &[f64],
        contact: usize,
        bracket: (f64, f64),
    ) -> Result<f64, StepError> {
        let (mut open, mut closed) = bracket;
        if closed == 0.0 {
            return Ok(0.0);
        }
        let mut gap_open = if open == 0.0 {
            self.node.gaps[contact]
        } else {
            self.gap_at(applied, contact, open)?
        };
        let mut gap_closed = self.gap_at(applied, contact, closed)?;
        let (mut weight_open, mut weight_closed) = (gap_open, gap_closed);
        for _ in 0..LOCATION_TRIALS {
            if gap_open <= LOCATED || closed - open <= 2.0 * f64::EPSILON * closed {
                break;
            }
            let secant = open + (closed - open) * weight_open / (weight_open - weight_closed);
            let inside = secant > open && secant < closed;
            let tau = if inside {
                secant
            } else {
                0.5 * (open + closed)
            };
            let gap = self.gap_at(applied, contact, tau)?;
            if gap >= 0.0 {
                (open, gap_open, weight_open) = (tau, gap, gap);
                weight_closed *= 0.5;
            } else {
                (closed, gap_closed, weight_closed) = (tau, gap, gap);
                weight_open *= 0.5;
                // A crossing that is overshot by less than the tolerance is approached from it.
                if gap_closed > -LOCATED {
                    weight_closed = gap_closed - 0.5 * LOCATED;
                }
            }
        }
        self.gap_at(applied, contact, open)?;
        std::mem::swap(&mut self.arrival, &mut self.probe);
        Ok(open)
    }

    /// Makes the arrival the present state.
    fn accept(&mut self, whole: bool, tau: f64) {
        std::mem::swap(&mut self.state.q, &mut self.arrival.q);
        std::mem::swap(&mut self.state.p, &mut self.arrival.p);
        std::mem::swap(&mut self.state.held, &mut self.arrival.held);
        std::mem::swap(&mut self.node, &mut self.trial);
        self.node_has_velocity = false;
        self.state.work.actuators += self.arrival.actuator_work;
        self.state.work.dissipative += self.arrival.dissipative_work;
        if whole {
            let mut oldest = if self.state.predictor.len() < 3 {
                Vec::with_capacity(self.arrival.mean_velocity.len())
            } else {
                self.state.predictor.pop().unwrap_or_default()
            };
            oldest.clear();
            oldest.extend_from_slice(&self.arrival.mean_velocity);
            self.state.predictor.insert(0, oldest);
        } else {
            self.state.predictor.clear();
        }
        for held in &self.state.held {
            let sum = &mut self.held_impulses[held.contact];
            for (sum, impulse) in sum.iter_mut().zip(held.impulse()) {
                *sum += impulse;
            }
        }
        self.release_opened(self.state.time + tau);
    }

    /// Lets go of held contacts that opened or that carry nothing while they open.
    fn release_opened(&mut self, time: f64) {
        let opened = |h: &HeldContact, s: &SimulationSettings| {
            h.gap > s.closed_gap
                || (h.modes == [HeldMode::Open; 2] && h.normal_velocity > s.rest_speed)
        };
        let mut i = 0;
        while i < self.state.held.len() {
            if opened(&self.state.held[i], &self.settings) {
                let contact = self.state.held.remove(i).contact;
                self.state.predictor.clear();
                self.push(time, EventKind::Release, contact);
            } else {
                i += 1;
            }
        }
    }

    fn push(&mut self, time: f64, kind: EventKind, contact: usize) {
        self.events.push(Event {
            time,
            kind,
            contacts: vec![contact],
            impact: None,
        });
    }

    /// Holds a contact from now on.
    fn hold(&mut self, contact: usize) {
        let at = self.state.held.partition_point(|h| h.contact < contact);
        self.state.held.insert(at, HeldContact::new(contact));
        self.state.predictor.clear();
        self.push(self.state.time, EventKind::Hold, contact);
    }

    fn is_held(&self, contact: usize) -> bool {
        self.state.held.iter().any(|h| h.contact == contact)
    }

    /// Impacts closed contacts that approach, and holds those that rest, until none is left.
    fn settle_contacts(&mut self, impacts: &mut usize) -> Result<(), SimulationError> {
        loop {
            let s = self.settings;
            let touching =
                |sim: &Self, i: usize| sim.node.gaps[i] <= s.simultaneity && !sim.is_held(i);
            if !(0..self.contacts.len()).any(|i| touching(self, i)) {
                return Ok(());
            }
            self.velocity()?;
            let mut striking = Vec::new();
            for i in 0..self.contacts.len() {
                if !touching(self, i) {
                    continue;
                }
                let rate = self.node.rate(&self.model, &self.contacts, i);
                if rate < -s.rest_speed {
                    striking.push(i);
                } else if rate <= s.rest_speed && self.node.gaps[i] <= s.closed_gap {
                    self.hold(i);
                }
            }
            if striking.is_empty() {
                return Ok(());
            }
            *impacts += 1;
            if *impacts > s.max_impacts_per_step {
                return Err(SimulationError::TooManyImpacts {
                    time: self.state.time,
                    count: *impacts,
                });
            }
            self.impact(&striking)?;
        }
    }

    /// Resolves the impact of all closed contacts, `striking` being those that approach.
    fn impact(&mut self, striking: &[usize]) -> Result<(), SimulationError> {
        let s = self.settings;
        let time = self.state.time;
        let closed: Vec<usize> = (0..self.contacts.len())
            .filter(|&i| self.node.gaps[i] <= s.simultaneity || self.is_held(i))
            .collect();
        if self.captured.is_none() && self.capturing {
            self.captured = Some(self.pose_closed(&closed)?);
        }
        let chattering = s.zeno
            && striking
                .iter()
                .any(|&i| self.state.last_impact[i].is_some_and(|last| time - last < s.time_step));
        let collision = if chattering {
            collide_plastically(
                &self.model,
                &self.contacts,
                &self.node,
                &self.state.p,
                &closed,
            )
        } else {
            self.draw_seed();
            collide(
                self.law.as_mut(),
                &self.model,
                &self.contacts,
                &self.node,
                &self.state.p,
                &closed,
                s.verdict_budget,
            )
        };
        let collision = collision.map_err(|source| SimulationError::Impact {
            time,
            contacts: closed
                .iter()
                .map(|&i| self.contacts.name(i).to_string())
                .collect(),
            source,
        })?;
        for &i in striking {
            self.state.last_impact[i] = Some(time);
        }
        self.state.first_impact.get_or_insert(time);
        let alternatives = match &self.forks {
            Some(_) if !chattering => self.alternatives(&closed, &collision)?,
            _ => Vec::new(),
        };
        let before = (!alternatives.is_empty()).then(|| self.state.clone());
        self.apply(&collision);
        if let (Some(before), Some(forks)) = (before, &mut self.forks) {
            forks.extend(
                alternatives
                    .into_iter()
                    .map(|a| a.fork(&before, &self.applied)),
            );
        }
        self.reclassify(&closed, striking);
        Ok(())
    }

    /// The impact of closed contacts as a problem, with and without friction.
    fn pose_closed(&self, closed: &[usize]) -> Result<CapturedImpact, SimulationError> {
        let posed = |friction: bool| {
            pose(
                &self.model,
                &self.contacts,
                &self.node,
                &self.state.p,
                closed,
                friction,
                true,
            )
            .map(|(problem, _)| problem)
            .map_err(|source| SimulationError::Impact {
                time: self.state.time,
                contacts: closed
                    .iter()
                    .map(|&i| self.contacts.name(i).to_string())
                    .collect(),
                source,
            })
        };
        Ok(CapturedImpact {
            time: self.state.time,
            with_friction: posed(true)?,
            without_friction: posed(false)?,
        })
    }

    /// Outcomes of the propagative law other than the one that was taken.
    fn alternatives(
        &self,
        closed: &[usize],
        taken: &Collision,
    ) -> Result<Vec<Alternative>, SimulationError> {
        all_outcomes(
            &self.model,
            &self.contacts,
            &self.node,
            &self.state.p,
            closed,
            taken,
            self.settings.verdict_budget,
        )
        .map_err(|source| SimulationError::Impact {
            time: self.state.time,
            contacts: closed
                .iter()
                .map(|&i| self.contacts.name(i).to_string())
                .collect(),
            source,
        })
    }

    /// One independent draw an impact for laws that draw at random.
    fn draw_seed(&mut self) {
        if let Some(seed) = self.seed {
            // SplitMix64 of seed and impact number.
            let mut z = seed.wrapping_add(
                self.state
                    .impacts
                    .wrapping_add(1)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15),
            );
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            let draw = z ^ (z >> 31);
            // Laws without a seed decline it, which changes nothing.
            let _ = self.law.set_parameter("seed", &draw.to_string());
        }
    }

    /// Makes the law's outcome the present momentum and records the event.
    fn apply(&mut self, collision: &Collision) {
        let Some(outcome) = collision.resolution.outcomes.first() else {
            return;
        };
        let record = collision.record(outcome, &self.node.velocity);
        let energy = outcome.energy.after - outcome.energy.before;
        self.state.take_impact(outcome.momentum.as_slice(), energy);
        self.node
            .velocity
            .copy_from_slice(outcome.velocity.as_slice());
        self.node_has_velocity = true;
        self.events.push(Event {
            time: self.state.time,
            kind: EventKind::Impact,
            contacts: collision.contacts.clone(),
            impact: Some(record),
        });
    }

    /// Holds closed contacts that the impact left at rest and releases those that it opened.
    fn reclassify(&mut self, closed: &[usize], striking: &[usize]) {
        let speed = striking
            .iter()
            .map(|&i| self.node.rate(&self.model, &self.contacts, i).abs())
            .fold(0.0, f64::max);
        let rest = self.settings.rest_speed + 1e-10 * speed;
        for &i in closed {
            let rate = self.node.rate(&self.model, &self.contacts, i);
            let held = self.is_held(i);
            if held && rate > rest {
                self.state.held.retain(|h| h.contact != i);
                self.push(self.state.time, EventKind::Release, i);
            } else if !held && rate.abs() <= rest {
                self.hold(i);
            }
        }
    }
}

/// Whether a failed step may succeed over a shorter time.
fn shorter_helps(error: &StepError) -> bool {
    matches!(
        error,
        StepError::NotConverged { .. }
            | StepError::ContactsNotConverged { .. }
            | StepError::NotFinite { .. }
            | StepError::SingularJacobian
    )
}

fn check_state(model: &Model, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
    let initial = |place: &str, reason: String| SimulationError::InitialState {
        place: place.to_string(),
        reason,
    };
    for (place, x, names) in [
        ("q", q, model.configuration_names()),
        ("v", v, model.coordinate_names()),
    ] {
        if x.len() != names.len() {
            let reason = format!("it has {} entries, the robot has {}", x.len(), names.len());
            return Err(initial(place, reason));
        }
        if let Some((value, name)) = x.iter().zip(names).find(|(x, _)| !x.is_finite()) {
            return Err(initial(name, format!("{value} is not a finite number")));
        }
    }
    for body in model.bodies() {
        if let (Some((lower, upper)), Some(&position)) = (body.limits.position, q.get(body.q_index))
            && (position < lower || position > upper)
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
