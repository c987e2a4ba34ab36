//! The moment of a crossing, on the step's own equation.
//!
//! Where the cubic of the trial says that a gap closes, the step's equation is solved again, from the trial's mean velocity,
//! and secant steps of gap and time together reach the located tolerance in two or three solves. A gap bends where contacts
//! change their modes: what secants miss is found in a [`Bracket`].

use super::bracket::Bracket;
use super::location::{Crossing, Watched};
use crate::discrete::StepError;
use crate::hybrid::StepCubic;
use crate::hybrid::node::Node;
use crate::hybrid::simulation::Simulation;

/// Steps solved while one crossing is located.
const LOCATION_TRIALS: usize = 68;
/// So many of them by secants, which bends lead astray; then chords until so many, which jumps of a gap lead nowhere; the
/// others halve. Where nothing is known to be closed secants go on until then: what creeps along an open gap leads nowhere either.
const SECANTS: usize = 4;
const CHORDS: usize = 20;
/// A gap that changes so many times as fast as at both ends of the step jumps, and there is nothing to be halved.
const JUMP: f64 = 1e4;
/// What the others halve a step to, with room: a share of it that is shorter is no time.
const NARROW: f64 = 1e-14;
/// Share by which the slope after the first trial may differ from that of the step's cubic: what differs by more has a bend.
const BENT: f64 = 0.1;
/// Share of an open moment from which it is solved again when it is closed as solved from later ones.
const APPROACHED: f64 = 0.9;
/// How often a moment that is closed either way is followed back.
const FOLLOWED: usize = 3;
/// Trials on the way to a crossing, one after the other, at which its place is not there: nor will it be where they lead. The last of
/// them is not below zero: what is has sunk in.
const ABSENT: usize = 3;
/// Coordinates that change by less than this share of a gap do not explain that it closes: their levers are shorter.
const UNMOVED: f64 = 1e-3;

/// What comes of a bracket whose ends were brought together.
enum Narrowed {
    /// What is watched is zero at this moment, which the step was solved for last.
    Found(f64),
    /// It does not pass zero.
    Nothing,
    /// There is no moment between its ends.
    Between,
}

impl Crossing {
    /// The speed beyond which what is watched jumps.
    fn fastest(&self) -> f64 {
        JUMP * self.rate.abs().max(self.start_rate.abs())
    }
}

impl Simulation {
    /// Solves the step at the moment at which the gap of a crossing is zero, looked for in a trial of
    /// `tau`, and leaves it in `arrival`; `None` when the gap does not close.
    pub(in crate::hybrid::simulation) fn locate(
        &mut self,
        crossing: &Crossing,
        tau: f64,
    ) -> Result<Option<f64>, StepError> {
        let aim = self.aim(crossing);
        let start = self.value_at(crossing, &self.node) - aim;
        let closed = crossing.descent.below * tau;
        // Where the cubic's minimum is the only sign of a crossing it must be looked at.
        let mut bracket = Bracket::new(0.0, start, closed, crossing.descent.below == 1.0);
        if crossing.watched == Watched::Gap {
            bracket = bracket.leaving(start, crossing.start_rate);
        }
        let mut time = crossing.descent.at * tau;
        let fastest = crossing.fastest();
        let mut solved = tau;
        // Where the robot is at the last moment known to be closed.
        self.path.copy_from_slice(&self.arrival.q);
        let mut followed = 0;
        let (open, gap) = loop {
            match self.bring_together(crossing, &mut bracket, [time, tau], &mut solved)? {
                Narrowed::Found(time) => return Ok(Some(time)),
                Narrowed::Nothing => return Ok(None),
                Narrowed::Between => {}
            }
            // The last moment known to be open.
            let open = bracket.open();
            if open == 0.0 {
                break (open, self.node.gap(&self.contacts, crossing.contact));
            }
            let mut gap = self.value_after(crossing, open, &mut solved)?;
            let watches_gap = crossing.watched == Watched::Gap;
            let closed_gap = self.settings.closed_gap;
            if watches_gap && gap < -closed_gap {
                // Solved from the closed side it is closed as well: friction has several solutions. The motion comes from the
                // open side.
                self.value_after(crossing, APPROACHED * open, &mut solved)?;
                gap = self.value_after(crossing, open, &mut solved)?;
            }
            if !watches_gap || gap >= -closed_gap || followed == FOLLOWED {
                break (open, gap);
            }
            // Another solution, which closes before.
            followed += 1;
            self.path.copy_from_slice(&self.arrival.q);
            bracket = Bracket::new(0.0, start, open, true).leaving(start, crossing.start_rate);
            bracket.narrow(open, gap - aim);
            time = bracket.chord();
        };
        // As near as moments can be, and still apart: the nearest point jumps to another place, which nothing reaches. Where
        // friction has several solutions it may be the robot that jumps, from one of them to another: then it strikes.
        let narrowed = bracket.width() <= NARROW * tau || bracket.jumps(fastest);
        let q = if open > 0.0 {
            &self.arrival.q
        } else {
            &self.state.q
        };
        let mut ways = q.iter().zip(&self.path).map(|(a, b)| (a - b).abs());
        let jumps =
            narrowed && gap > self.settings.closed_gap && ways.all(|way| way < UNMOVED * gap);
        Ok((crossing.watched != Watched::Gap || !jumps).then_some(open))
    }

    /// What is watched comes to this where it is located: no farther above zero than coordinates are known, and below it at the end of
    /// a place beyond which another one goes on, which is there then.
    fn aim(&self, crossing: &Crossing) -> f64 {
        let tolerance = 0.5 * self.located();
        let is_seam = matches!(crossing.watched, Watched::Seam(_));
        if is_seam && (self.contacts).goes_on_beyond(&self.node.kinematics, crossing.contact) {
            -tolerance
        } else {
            tolerance
        }
    }

    /// How far from zero a gap is that was closed at the start and opening: a joint that friction stops on its way out of its stop
    /// stays exactly there, which is as closed as it was.
    fn left_at(&self, crossing: &Crossing, start: f64) -> f64 {
        let leaves = crossing.watched == Watched::Gap && crossing.start_rate > 0.0;
        let is_closed = start.abs() <= 0.5 * self.settings.closed_gap;
        if leaves && is_closed {
            start.abs() + self.located()
        } else {
            0.0
        }
    }

    /// Brings the ends of a bracket together, from a `time` in a trial of `tau` on.
    fn bring_together(
        &mut self,
        crossing: &Crossing,
        bracket: &mut Bracket,
        [mut time, tau]: [f64; 2],
        solved: &mut f64,
    ) -> Result<Narrowed, StepError> {
        let (aim, tolerance) = (self.aim(crossing), 0.5 * self.located());
        let mut rate = crossing.rate;
        let fastest = crossing.fastest();
        let ends = [&self.node, &self.trial].map(|node| self.value_at(crossing, node) - aim);
        let left_at = self.left_at(crossing, ends[0] + aim);
        let mut last: Option<(f64, f64)> = None;
        let mut absent = 0;
        for trial in 0..LOCATION_TRIALS {
            if time <= NARROW * tau
                || bracket.is_shut()
                || trial >= CHORDS && bracket.jumps(fastest)
            {
                break;
            }
            let gap = self.value_after(crossing, time, solved)? - aim;
            absent = if self.is_there(crossing) {
                0
            } else {
                absent + 1
            };
            if absent >= ABSENT && gap >= -self.settings.closed_gap {
                return Ok(Narrowed::Nothing);
            }
            let gap = if bracket.still_rises(time, gap) {
                gap.max(f64::MIN_POSITIVE)
            } else if gap.abs() <= tolerance.max(left_at) {
                return Ok(Narrowed::Found(time));
            } else {
                gap
            };
            bracket.narrow(time, gap);
            if gap <= 0.0 {
                self.path.copy_from_slice(&self.arrival.q);
            }
            let mut bends = false;
            let slope = match last {
                Some((t, g)) => (gap - g) / (time - t),
                None => {
                    let through = (time / tau, gap);
                    let slope =
                        StepCubic::slope_through(ends, crossing.start_rate * tau, through) / tau;
                    let is_near = (slope - rate).abs() <= BENT * rate.abs();
                    bends = !is_near;
                    if is_near { slope } else { rate }
                }
            };
            if slope < 0.0 {
                rate = slope;
            }
            last = Some((time, gap));
            let next = time - gap / rate;
            let most = if bracket.closed_is_certain {
                SECANTS
            } else {
                CHORDS
            };
            time = if bends && bracket.is_under_parabola() {
                bracket.chord()
            } else if bracket.holds(next) && trial < most {
                next
            } else if bracket.closed_is_certain {
                if trial < CHORDS {
                    bracket.chord()
                } else {
                    bracket.middle()
                }
            } else {
                // The minimum is not below zero after all.
                let closed = bracket.closed();
                let gap = self.value_after(crossing, closed, solved)? - aim;
                if gap <= 0.0 {
                    bracket.narrow(closed, gap);
                    self.path.copy_from_slice(&self.arrival.q);
                } else if crossing.ends_below {
                    *bracket = Bracket::new(closed, gap, tau, true);
                } else {
                    return Ok(Narrowed::Nothing);
                }
                bracket.middle()
            };
        }
        Ok(Narrowed::Between)
    }

    /// Starting values of the mean velocity over a share of the time that was solved last: it leaves from
    /// the present velocity in proportion to the time.
    pub(super) fn scale_guess(&mut self, share: f64) {
        let velocity = &self.node.velocity;
        for block in self.arrival.mean_velocity.chunks_mut(velocity.len().max(1)) {
            for (v, start) in block.iter_mut().zip(velocity) {
                *v = start + share * (*v - start);
            }
        }
    }

    /// What is watched after the flow has run for `tau`; the step is left in `arrival`, which holds that of
    /// the time `solved` on entry.
    fn value_after(
        &mut self,
        crossing: &Crossing,
        tau: f64,
        solved: &mut f64,
    ) -> Result<f64, StepError> {
        self.scale_guess(tau / *solved);
        *solved = tau;
        self.try_advance(tau)?;
        self.solver_counts.event_solves += 1;
        self.trial.kinematics.clock.time = self.state.time + tau;
        self.trial
            .kinematics
            .update_placements(&self.model, &self.arrival.q);
        Ok(self.value_at(crossing, &self.trial))
    }

    /// What is watched where a node stands: it has the placements there.
    fn value_at(&self, crossing: &Crossing, node: &Node) -> f64 {
        let i = crossing.contact;
        match crossing.watched {
            Watched::Seam(sign) => {
                let held = self.arrival.held.iter().find(|h| h.contact == i);
                held.map_or(0.0, |held| sign * self.seam(node, held))
            }
            _ => self.contacts.mechanical_gap(&node.kinematics, i),
        }
    }
}
