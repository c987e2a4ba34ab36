//! The return map: from a state on the section to the next one there, on the simulation itself.

mod chart;
mod crossing;
mod exact;
mod prescribed;
mod section;
mod stride;
mod swap;

pub(super) use chart::{Chart, HEADING};
pub(super) use exact::{differentiated, directions, on_chart};
pub(super) use prescribed::{check as check_prescribed, is_hidden};
pub(crate) use stride::Stride;

use std::f64::consts::TAU;

use nalgebra::DMatrix;

use super::OrbitError;
use crate::hybrid::{
    CapturedImpact, Event, RunError, Simulation, SimulationError, State, Unwatched,
};
use crate::model::JointKind;
use crate::scenario::{Experiment, OrbitEntry};
use section::Section;
use swap::Swap;

/// A return sooner than this share of a step is the start itself.
const SOON: f64 = 1e-3;

/// The map of one period.
pub(super) struct ReturnMap {
    simulation: Simulation,
    section: Section,
    swap: Swap,
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
        let swap = Swap::new(experiment, entry)?;
        Ok(Self {
            simulation: experiment
                .simulation()?
                .with_controller(experiment.controller()?),
            section: Section::new(experiment, entry)?,
            swap,
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
        let swaps = !self.swap.is_empty();
        // What changes nothing but the place goes on as it is.
        let rounds = if swaps { self.strides } else { 1 };
        let returns = if swaps { 1 } else { self.strides };
        for _ in 0..rounds {
            let mut stride = self.stride((0.0, &q, &v), None, returns, None)?;
            self.carry(true)?;
            self.unwind(&q, &mut stride.q);
            self.swap.apply(&mut stride);
            (q, v) = (stride.q.clone(), stride.v.clone());
            whole = Some(match whole {
                None => stride,
                Some(before) => before.followed_by(stride),
            });
        }
        whole.ok_or(OrbitError::NoReturn { time: 0.0 })
    }

    /// How often a period comes back to the section at once; `None` where it is cut there, to change places.
    pub(super) fn returns(&self) -> Option<usize> {
        let swaps = !self.swap.is_empty();
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
            self.swap.apply(&mut stride);
        }
        Ok(stride)
    }

    /// Where the motion from a state is after its period and after as long again, its clock going on; `None` where joints
    /// change places. The period is that of the first return.
    pub(super) fn repeated(&mut self, q: &[f64], v: &[f64]) -> Result<Option<Stride>, OrbitError> {
        if !self.swap.is_empty() {
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

    pub(super) fn simulation(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Entries of (δq, δv) that change places.
    pub(super) fn swapped_rows(&self) -> Vec<[usize; 2]> {
        self.swap.rows(self.simulation.model().dof())
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
