//! The return map: from a state on the section to the next one there, on the simulation itself.

use std::f64::consts::TAU;

use nalgebra::{DMatrix, DVector, RowDVector};

use super::section::Section;
use super::{OrbitError, prescribed};
use crate::hybrid::{
    CapturedImpact, Event, EventKind, RunError, Simulation, SimulationError, State, Unwatched,
    WorkLedger,
};
use crate::model::JointKind;
use crate::scenario::{Experiment, OrbitEntry, ScenarioError};

/// A crossing is located to this share of a step.
const SHARPNESS: f64 = 1e-13;
/// A return sooner than this share of a step is the start itself.
const SOON: f64 = 1e-3;
/// Bisections and secants towards a crossing.
const TRIALS: usize = 80;
/// Differences of a coordinate along a change of configuration: linear but for a turning base.
const NUDGE: f64 = 1e-5;

/// A motion from the section to the section.
#[derive(Debug, Clone)]
pub(crate) struct Stride {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// How long it took \[s\].
    pub time: f64,
    /// With their moments from the start \[s\]; contacts and coordinates as they are called on the way.
    pub events: Vec<Event>,
    pub work: WorkLedger,
    /// Deepest gap of a contact that was inactive \[m\], with its number.
    pub scuffing: Option<(usize, f64)>,
}

/// The map of one period.
pub(super) struct ReturnMap {
    simulation: Simulation,
    section: Section,
    /// Pairs of entries of q and of v that change places.
    swapped_q: Vec<[usize; 2]>,
    swapped_v: Vec<[usize; 2]>,
    strides: usize,
    longest: f64,
    /// Changes of the start, carried along while motions are differentiated.
    pub(super) carried: Option<DMatrix<f64>>,
}

impl ReturnMap {
    /// The map of an experiment's orbit.
    pub fn new(experiment: &Experiment, entry: &OrbitEntry) -> Result<Self, OrbitError> {
        if experiment.stop.is_raised() {
            return Err(SimulationError::Stopped { time: 0.0 }.into());
        }
        prescribed::check(experiment, entry)?;
        let model = &experiment.model;
        let contacts = &experiment.contacts;
        let contact = |name: &str| (0..contacts.len()).find(|&i| contacts.name(i) == name);
        let (mut swapped_q, mut swapped_v) = (Vec::new(), Vec::new());
        for pair in &entry.symmetry.swap {
            let refused = |reason: String| {
                ScenarioError::value(&experiment.file, "orbit.symmetry.swap", reason)
            };
            let [a, b] = pair;
            if a == b {
                let reason =
                    format!("\"{a}\" changes places with itself; name two, or remove the pair");
                return Err(refused(reason).into());
            }
            if pair.iter().all(|name| contact(name).is_some()) {
                continue;
            }
            let joint = |name: &str| {
                let found = model.joint(name);
                found.map_err(|error| {
                    refused(format!("{error}; a pair names two joints or two contacts"))
                })
            };
            let bodies = [joint(&pair[0])?, joint(&pair[1])?].map(|j| &model.bodies()[j.body]);
            if bodies[0].kind != bodies[1].kind {
                let reason = format!(
                    "\"{a}\" and \"{b}\" are joints of different kinds, which cannot change places; pair those that move alike"
                );
                return Err(refused(reason).into());
            }
            swapped_q.push(bodies.map(|body| body.q_index));
            swapped_v.push(bodies.map(|body| body.v_index));
        }
        Ok(Self {
            simulation: experiment
                .simulation()?
                .with_controller(experiment.controller()?),
            section: Section::new(experiment, entry)?,
            swapped_q,
            swapped_v,
            strides: entry.strides,
            longest: experiment.scenario.duration,
            carried: None,
        })
    }

    /// Contacts that are held at the start from a state, and how fast they slide there \[m/s\].
    pub fn held(&mut self, q: &[f64], v: &[f64]) -> Result<Vec<(usize, f64)>, OrbitError> {
        self.begin((0.0, q, v), None)?;
        self.held_now()
    }

    /// Contacts that are held at present, and how fast they slide \[m/s\].
    pub(super) fn held_now(&mut self) -> Result<Vec<(usize, f64)>, OrbitError> {
        let held = self.simulation.state().held.iter().map(|h| h.contact);
        let mut held: Vec<usize> = held.chain(self.simulation.latched_stops()).collect();
        held.sort_unstable();
        // The twists of the kinematics are those of the velocity.
        self.simulation.velocity()?;
        let kinematics = self.simulation.kinematics();
        let slip = |i: usize| {
            let frame = self.simulation.contacts().frame(kinematics, i);
            let [first, second] = frame.slip(kinematics);
            let rough = self.simulation.contacts().friction(i) > 0.0;
            if rough {
                first.hypot(second)
            } else {
                f64::INFINITY
            }
        };
        Ok(held.iter().map(|&i| (i, slip(i))).collect())
    }

    /// The state at the next return after a whole period.
    pub fn apply(&mut self, q: &[f64], v: &[f64]) -> Result<Stride, OrbitError> {
        let mut whole: Option<Stride> = None;
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        let swaps = !self.swapped_q.is_empty();
        // What changes nothing but the place goes on as it is.
        let rounds = if swaps { self.strides } else { 1 };
        let returns = if swaps { 1 } else { self.strides };
        for _ in 0..rounds {
            let mut stride = self.stride((0.0, &q, &v), None, returns, None)?;
            self.carry(true)?;
            self.unwind(&q, &mut stride.q);
            self.swap(&mut stride);
            (q, v) = (stride.q.clone(), stride.v.clone());
            whole = Some(match whole {
                None => stride,
                Some(before) => before.followed_by(stride),
            });
        }
        whole.ok_or(OrbitError::NoReturn { time: 0.0 })
    }

    fn swap(&self, stride: &mut Stride) {
        for [a, b] in &self.swapped_q {
            stride.q.swap(*a, *b);
        }
        for [a, b] in &self.swapped_v {
            stride.v.swap(*a, *b);
        }
    }

    /// How often a period comes back to the section at once; `None` where it is cut there, to change places.
    pub(super) fn returns(&self) -> Option<usize> {
        let swaps = !self.swapped_q.is_empty();
        (!swaps || self.strides == 1).then_some(self.strides)
    }

    /// The motion from a state at a time \[s\], of a whole step, where contacts are held as they are in `like`: to another
    /// such time, or through the section for the last of `returns` times and with its places changed.
    pub(super) fn part(
        &mut self,
        from: (f64, &[f64], &[f64]),
        like: Option<&State>,
        until: Option<f64>,
        returns: usize,
    ) -> Result<Stride, OrbitError> {
        let mut stride = self.stride(from, like, returns, until)?;
        self.carry(until.is_none())?;
        if until.is_none() {
            self.swap(&mut stride);
        }
        Ok(stride)
    }

    /// Where the motion from a state is after its period and after as long again, its clock going on; `None` where joints
    /// change places. The period is that of the first return.
    pub(super) fn repeated(&mut self, q: &[f64], v: &[f64]) -> Result<Option<Stride>, OrbitError> {
        if !self.swapped_q.is_empty() {
            return Ok(None);
        }
        let first = self.stride((0.0, q, v), None, self.strides, None)?;
        let h = self.simulation.settings().time_step;
        let end = 2.0 * first.time;
        while self.simulation.time() < end - 1e-9 * h {
            if self.simulation.time() + h > end - 1e-9 * h {
                self.simulation.cut_next_step(end);
            }
            self.simulation.advance()?;
        }
        self.simulation.take_events();
        let v = self.simulation.velocity()?.to_vec();
        let mut again = Stride {
            q: self.simulation.state().q.clone(),
            v,
            ..first
        };
        self.unwind(q, &mut again.q);
        Ok(Some(again))
    }

    /// Joints that turn on and on have come to where they were after whole turns.
    fn unwind(&self, from: &[f64], to: &mut [f64]) {
        for body in self.simulation.model().bodies() {
            if body.kind == JointKind::Revolute && body.limits.position.is_none() {
                let turns = (to[body.q_index] - from[body.q_index]) / TAU;
                to[body.q_index] -= TAU * turns.round();
            }
        }
    }

    fn begin(
        &mut self,
        (time, q, v): (f64, &[f64], &[f64]),
        like: Option<&State>,
    ) -> Result<Vec<Event>, OrbitError> {
        self.simulation.reset()?;
        match like {
            None => self.simulation.set_state_at(time, q, v)?,
            Some(like) => self.simulation.set_state_like(time, (q, v), like)?,
        }
        if self.carried.is_some() {
            self.simulation.start_recording();
        }
        self.simulation.begin();
        self.simulation.settle()?;
        Ok(self.simulation.take_events())
    }

    fn stride(
        &mut self,
        from: (f64, &[f64], &[f64]),
        like: Option<&State>,
        returns: usize,
        until: Option<f64>,
    ) -> Result<Stride, OrbitError> {
        let mut events = self.begin(from, like)?;
        let mut scuffing: Option<(usize, f64)> = None;
        let mut left = returns;
        let mut last = from.0;
        let end = match self.section {
            Section::Period(period) => until.or(Some(period * returns as f64)),
            _ => until,
        };
        loop {
            let before = self.simulation.state().clone();
            let recorded = self.simulation.recorded();
            if before.time > self.longest && end.is_none() {
                return Err(OrbitError::NoReturn { time: before.time });
            }
            let h = self.simulation.settings().time_step;
            if let Some(end) = end.filter(|end| before.time + h > end - 1e-9 * h) {
                self.simulation.cut_next_step(end);
            }
            self.simulation.advance()?;
            let mut new = self.simulation.take_events();
            self.note_scuffing(&mut scuffing);
            let arrived = match end {
                Some(end) => self.simulation.time() >= end - 1e-9 * h,
                None => match self.moment(&before, &new)? {
                    None => false,
                    Some(moment) => {
                        if moment - last > SOON * h {
                            left -= 1;
                            last = moment;
                        }
                        // What is looked for next is looked for from here on.
                        if moment > before.time {
                            self.simulation.restore(before)?;
                            self.simulation.rewind_recording(recorded);
                            self.simulation.cut_next_step(moment);
                            self.simulation.advance()?;
                            new = self.simulation.take_events();
                        }
                        left == 0
                    }
                },
            };
            events.extend(new);
            if arrived {
                break;
            }
        }
        if until.is_none() && matches!(self.section, Section::Impact(_)) {
            self.simulation.end_recording_with_impact();
        }
        let v = self.simulation.velocity()?.to_vec();
        let state = self.simulation.state();
        Ok(Stride {
            q: state.q.clone(),
            v,
            time: state.time,
            events,
            work: state.work,
            scuffing,
        })
    }

    /// The moment of the step just done at which it passed the section; the simulation stands anywhere afterwards.
    fn moment(&mut self, before: &State, events: &[Event]) -> Result<Option<f64>, OrbitError> {
        match self.section {
            Section::Period(_) => Ok(None),
            Section::Impact(contact) => {
                let struck = |event: &&Event| {
                    let place = event.contacts.iter().position(|&c| c == contact);
                    let impulses = event.impact.as_ref().map(|impact| &impact.impulses);
                    matches!(event.kind, EventKind::Impact | EventKind::Limit)
                        && place.zip(impulses).is_some_and(|(k, all)| all[k][0] > 0.0)
                };
                Ok(events.iter().find(struck).map(|event| event.time))
            }
            Section::Crossing {
                position,
                at,
                value,
                rising,
            } => {
                let sign = if rising { 1.0 } else { -1.0 };
                let height = |simulation: &mut Simulation| -> Result<f64, OrbitError> {
                    let x = if position {
                        simulation.state().q[at]
                    } else {
                        simulation.velocity()?[at]
                    };
                    Ok(sign * (x - value))
                };
                let after = self.simulation.state().clone();
                let end = height(&mut self.simulation)?;
                self.simulation.restore(before.clone())?;
                let start = height(&mut self.simulation)?;
                if !(start < 0.0 && end >= 0.0) {
                    self.simulation.restore(after)?;
                    return Ok(None);
                }
                let h = self.simulation.settings().time_step;
                let (mut low, mut high) = ((before.time, start), (after.time, end));
                for trial in 0..TRIALS {
                    if high.0 - low.0 <= SHARPNESS * h || high.1 == 0.0 {
                        break;
                    }
                    let secant = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
                    let inside = secant > low.0 && secant < high.0;
                    // A bisection now and then, so that both ends come nearer.
                    let time = if inside && trial % 4 != 3 {
                        secant
                    } else {
                        0.5 * (low.0 + high.0)
                    };
                    self.simulation.restore(before.clone())?;
                    self.simulation.cut_next_step(time);
                    self.simulation.advance()?;
                    let there = height(&mut self.simulation)?;
                    if there >= 0.0 {
                        high = (time, there);
                    } else {
                        low = (time, there);
                    }
                }
                self.simulation.take_events();
                Ok(Some(high.0))
            }
        }
    }

    pub(super) fn simulation(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Entries of (δq, δv) that change places.
    pub(super) fn swapped_rows(&self) -> Vec<[usize; 2]> {
        let n = self.simulation.model().dof();
        let rates = self.swapped_v.iter().map(|pair| pair.map(|k| n + k));
        self.swapped_v.iter().copied().chain(rates).collect()
    }

    /// Where a crossing ends the motion: how what is crossed changes along `ends` (2n × m) at a fixed time, and by the time
    /// at the rate of the flow there.
    pub(super) fn slopes_of_crossing(
        &mut self,
        ends: &DMatrix<f64>,
        rate: Option<&DVector<f64>>,
    ) -> Result<Option<(RowDVector<f64>, f64)>, OrbitError> {
        let Section::Crossing { position, at, .. } = self.section else {
            return Ok(None);
        };
        let model = self.simulation.model();
        let q = &self.simulation.state().q;
        let slope = |direction: &[f64]| {
            let (turn, push) = direction.split_at(model.dof());
            if !position {
                return push[at];
            }
            let size = turn.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
            let e = NUDGE / size;
            let ends = [e, -e].map(|e| {
                let mut moved = q.clone();
                model.integrate(q, turn, e, &mut moved);
                moved[at]
            });
            (ends[0] - ends[1]) / (2.0 * e)
        };
        let slopes = ends.column_iter().map(|c| slope(c.as_slice()));
        let slopes = RowDVector::from_iterator(ends.ncols(), slopes);
        Ok(rate.map(|rate| (slopes, slope(rate.as_slice()))))
    }

    fn note_scuffing(&mut self, deepest: &mut Option<(usize, f64)>) {
        let contacts = self.simulation.contacts();
        if (0..contacts.len()).all(|i| contacts.inactivity(i).is_none()) {
            return;
        }
        self.simulation.update_gaps();
        let contacts = self.simulation.contacts();
        for (i, &gap) in self.simulation.known_gaps().iter().enumerate() {
            let deeper = gap < deepest.map_or(0.0, |(_, depth)| depth);
            if deeper && contacts.inactivity(i).is_some() {
                *deepest = Some((i, gap));
            }
        }
    }

    /// Runs from a state to the end of the whole step before `time` \[s\], keeping the next impact as a problem.
    pub fn capture_at(
        &mut self,
        experiment: &Experiment,
        (q, v): (&[f64], &[f64]),
        time: f64,
    ) -> Result<Option<CapturedImpact>, OrbitError> {
        self.begin((0.0, q, v), None)?;
        let h = self.simulation.settings().time_step;
        let steps = (time / h).floor() as u64;
        // One step early where the impact is at the very beginning of one.
        let steps = steps.saturating_sub(u64::from(time - steps as f64 * h < 1e-6 * h));
        let ran = self.simulation.run_steps(steps, &mut Unwatched);
        if let Err(RunError::Simulation(error)) = ran {
            return Err(error.into());
        }
        let state = self.simulation.state().clone();
        let mut second = experiment
            .simulation()?
            .with_controller(experiment.controller()?)
            .capturing_first_impact();
        second.restore(state)?;
        for _ in 0..2 {
            second.advance()?;
            if let Some(captured) = second.captured_impact() {
                return Ok(Some(captured.clone()));
            }
        }
        Ok(None)
    }
}

impl Stride {
    fn followed_by(mut self, mut next: Self) -> Self {
        for event in &mut next.events {
            event.time += self.time;
        }
        self.events.append(&mut next.events);
        let deeper = |a: Option<(usize, f64)>, b: Option<(usize, f64)>| match (a, b) {
            (Some(a), Some(b)) => Some(if b.1 < a.1 { b } else { a }),
            (a, b) => a.or(b),
        };
        Self {
            time: self.time + next.time,
            events: self.events,
            work: self.work + next.work,
            scuffing: deeper(self.scuffing, next.scuffing),
            ..next
        }
    }
}
