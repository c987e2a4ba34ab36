//! One piece of a step: the flow tried to the end or to the first event, and what it makes the present
//! state.

mod acceptance;
mod encounters;
mod trial;
mod whirl;

pub(super) use trial::departure;

use super::Simulation;
use super::crossings::{Crossing, Watched};
use super::derivative::{Ends, FlowPassage, Passage};
use crate::discrete::StepError;
use crate::hybrid::{SimulationError, StepSummary};

/// Events of one piece that may be located one before the other.
const ROUNDS: usize = 40;
/// Halvings of a piece in which something has gone into something else without an event.
const LOOKS: usize = 6;
/// A contact that opens and closes again has not opened where its way is no longer than this \[m\]: gaps round by as much.
const LEAST_FLIGHT: f64 = 1e-16;
/// Share of a step that is none: at a thousand metres a second what gaps are located to is a thousand of them.
const NO_TIME: f64 = 1e-12;
/// Times the length of a piece that the next one is tried at, at most, where pieces are short for what passes quickly.
pub(super) const GROWTH: f64 = 2.0;

impl Simulation {
    /// Advances until `limit` or the first event; returns the time that passed.
    pub(super) fn advance_piece(
        &mut self,
        limit: f64,
        whole: bool,
        summary: &mut StepSummary,
        impacts: &mut usize,
    ) -> Result<f64, SimulationError> {
        self.flow.begin();
        let mut tau = self
            .next_release(limit)
            .min(self.piece_length)
            .min(self.longest_while_relaxing());
        let whole = whole && tau == limit;
        self.guess(whole)?;
        let mut halvings = 0;
        let mut jumping = None;
        // Also while an event is located a trial step can fail: then the whole piece is halved.
        let (tau, located) = loop {
            let tried = self.attempt_piece(tau).and_then(|piece| {
                let gains = self.check_gain(piece.0)?;
                Ok((piece, gains))
            });
            let whirls = match &tried {
                Ok(((_, located), _)) => self.whirling(*located),
                Err(_) => None,
            };
            match tried {
                // What opened and closed within the piece shows in a shorter one, and what only a long one gives is gone.
                Ok((_, gains)) if halvings < LOOKS && (gains || self.has_gone_in()) => {
                    halvings += 1;
                    tau *= 0.5;
                    self.guess(false)?;
                }
                Ok((piece, _)) => {
                    let Some(held) = whirls else {
                        break piece;
                    };
                    let is_shortest = piece.0 <= self.shortest(&held);
                    let settles = *impacts == 0 && self.settles(&held, piece.0)?;
                    if (is_shortest || settles) && self.sweep(&held, settles, impacts)? {
                        return Ok(0.0);
                    }
                    if is_shortest {
                        jumping = Some(held);
                        break piece;
                    }
                    halvings += 1;
                    tau = self.shorter(piece.0, &held);
                    self.piece_length = tau;
                    self.guess(false)?;
                }
                Err(SimulationError::Step { source, .. })
                    if halvings < self.settings.solver.max_halvings && shorter_helps(&source) =>
                {
                    halvings += 1;
                    tau *= 0.5;
                    self.guess(false)?;
                }
                // What no shorter step solves is what no finite force does: a disc is flat at once, or friction jams.
                Err(SimulationError::Step {
                    source: StepError::ContactsNotConverged { .. },
                    ..
                }) if self.resolve_fall(impacts)? || self.resolve_sliding(impacts)? => {
                    return Ok(0.0);
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
        let tau = if located.is_some_and(|crossing| self.is_no_flight(&crossing, tau)) {
            0.0
        } else {
            tau
        };
        if self.resolve_jam(tau, impacts)? {
            return Ok(0.0);
        }
        summary.halvings += halvings;
        summary.newton_iterations = summary
            .newton_iterations
            .max(self.arrival.report.iterations);
        if tau > 0.0 {
            self.passed.clear();
            self.relax(tau);
            if self.piece_length.is_finite() {
                self.piece_length = self.next_length(tau);
            }
            self.record_piece(tau, limit, located);
            // An arc that does not lie has no side: its ends are contacts of their own.
            let disc = jumping.filter(|held| held.side.is_some());
            let smoothly = located.is_none();
            let is_whole = whole && smoothly && halvings == 0;
            self.accept(is_whole, smoothly, tau, jumping.is_some())?;
            if let Some(Crossing {
                contact,
                watched: Watched::Seam(_),
                ..
            }) = located
            {
                self.pass_seam(contact);
            } else if let Some(disc) = disc {
                self.pass_seam(disc.contact);
            }
            if let Some(Crossing {
                contact,
                watched: Watched::Force,
                ..
            }) = located
            {
                self.let_go(contact, self.state.time + tau);
            }
        } else if let Some(crossing) = located {
            match crossing.watched {
                Watched::Force => self.let_go(crossing.contact, self.state.time),
                Watched::Seam(_) => {
                    let again = self.passed.contains(&crossing.contact);
                    self.passed.push(crossing.contact);
                    // What ends here although it passed jumps to another place.
                    if again {
                        self.let_go(crossing.contact, self.state.time);
                    } else {
                        self.pass_seam(crossing.contact);
                    }
                }
                // The gap closes at once although it was opening: the contact rests.
                _ => {
                    let face = self.face_taken(crossing.contact);
                    self.hold_over(crossing.contact, face, 0.0);
                }
            }
        }
        Ok(tau)
    }

    /// Whether a contact that was closed, and opening or let go, has closed again before its gap could tell, or a place comes to its
    /// end by rounding.
    fn is_no_flight(&self, crossing: &Crossing, tau: f64) -> bool {
        if matches!(crossing.watched, Watched::Seam(_)) {
            return tau <= NO_TIME * self.settings.time_step;
        }
        let way = tau * crossing.start_rate;
        crossing.watched == Watched::Gap
            && way.abs() < LEAST_FLIGHT
            && !self.strikes(crossing.contact, crossing.start_rate)
            && self.node.gap(&self.contacts, crossing.contact) < LEAST_FLIGHT
    }

    /// Where the lowest point of a disc that was flat goes down from the first moment on, wherever it turned out to be: the part of
    /// the piece after which it is as deep as closed contacts may be.
    fn until_sunk(&self, crossing: &Crossing, tau: f64) -> Option<f64> {
        let i = crossing.contact;
        let closed = self.settings.closed_gap;
        let depth = -self.trial.gap(&self.contacts, i);
        let moments = [&self.node, &self.trial].map(|node| &node.kinematics);
        let face = self.contacts.face(moments[0], i);
        // One that is held was not flat: its lowest point is known, whichever piece it is over.
        let is_held = self.working.iter().any(|held| {
            let turns = held.side.is_some_and(|side| !side.is_fixed);
            turns && self.contacts.are_siblings(held.contact, i)
        });
        let sinks = crossing.watched == Watched::Gap
            && !is_held
            && depth > closed
            && self.node.gap(&self.contacts, i).abs() <= closed
            && self.contacts.turn(moments, i, face).is_some();
        sinks.then(|| tau * 0.5 * closed / depth)
    }

    fn record_piece(&mut self, tau: f64, limit: f64, located: Option<Crossing>) {
        self.record(|sim| {
            let (state, arrival) = (&sim.state, &sim.arrival);
            Passage::Flow(Box::new(FlowPassage {
                time: state.time,
                first_impact: state.first_impact,
                q: state.q.clone(),
                p: state.p.clone(),
                held: [sim.working.clone(), arrival.held.clone()],
                joints: [state.joints.clone(), arrival.joints.clone()],
                mean_velocity: arrival.mean_velocity.clone(),
                composed: arrival.composed,
                tau,
                applied: sim.applied.clone(),
                end_momentum: arrival.p.clone(),
                ends: match located {
                    Some(crossing) => Ends::Event(crossing.contact, crossing.watched),
                    None if tau == limit => Ends::Clock,
                    None => Ends::Anywhere,
                },
            }))
        });
    }

    /// Tries to advance by `tau`: to its end or to the first event. The result is in `arrival`, complete.
    fn attempt_piece(&mut self, mut tau: f64) -> Result<(f64, Option<Crossing>), SimulationError> {
        let time = self.state.time;
        let step_error = |source| SimulationError::Step {
            time,
            halvings: 0,
            source,
        };
        self.working.clear();
        self.working.extend_from_slice(&self.state.held);
        let located = 2.0 * self.located();
        for held in &mut self.working {
            let kinematics = &self.node.kinematics;
            // What went over an edge and is over a face again.
            let over =
                |face: &_| self.contacts.seam_over(kinematics, held.contact, *face) > located;
            let again = || self.contacts.face(kinematics, held.contact).filter(over);
            held.face = held.face.or_else(again);
            held.side = self.contacts.side(kinematics, held.contact, held.face);
        }
        let mut located = None;
        loop {
            // Another trial may reach what the last one missed.
            self.dismissed.clear();
            self.took_turns = false;
            self.try_advance(tau).map_err(step_error)?;
            self.complete(tau).map_err(step_error)?;
            self.check_motion(tau)?;
            // A contact is taken up at most once, and a located moment only moves forward in the order of
            // events: this ends.
            for round in 0.. {
                self.check_stop()?;
                // Roundings could make two coincident events take turns for ever: then they are one.
                if round > ROUNDS {
                    self.took_turns = true;
                    break;
                }
                self.find_crossings(tau)?;
                let dismissed = &self.dismissed;
                self.crossings
                    .retain(|c| !dismissed.iter().any(|d| d.excuses(c)));
                let Some(mut first) = self.first_strike() else {
                    break;
                };
                if self.take_up_slow(Some(first.descent.at)) {
                    break;
                }
                let moment = match first.watched {
                    Watched::Slip(_) | Watched::Rate(_) => {
                        let located = self.locate_switch(&first, tau);
                        first = located.map_or(first, |(_, switch)| switch);
                        located.map(|(moment, _)| moment)
                    }
                    Watched::Force => self.locate_release(&first, tau).map_err(step_error)?,
                    Watched::Seam(_) if first.descent.at == 0.0 => Some(0.0),
                    _ => self.locate(&first, tau).map_err(step_error)?,
                };
                let is_absent = moment.is_some_and(|moment| {
                    !self.is_there(&first) || moment == 0.0 && self.comes_from_elsewhere(&first)
                });
                let instead = moment
                    .filter(|_| is_absent)
                    .and_then(|tau| self.there_instead(&first, tau));
                let moment = moment.filter(|_| !is_absent || instead.is_some());
                first = instead.unwrap_or(first);
                match moment {
                    None => {
                        self.dismissed.push(first);
                        if let Some(shorter) = self.until_sunk(&first, tau) {
                            tau = shorter;
                            located = None;
                            self.try_advance(tau).map_err(step_error)?;
                            self.complete(tau).map_err(step_error)?;
                            continue;
                        }
                    }
                    Some(moment) => {
                        tau = moment;
                        located = Some(first);
                        self.solver_counts.located_events += 1;
                    }
                }
                if tau == 0.0 {
                    return Ok((tau, located));
                }
                let there = moment.is_some();
                if first.is_switch() && there {
                    // Whatever the step does with the slip that is left is the end of the slide.
                    self.dismissed.push(first);
                    if self.slides_straight() {
                        continue;
                    }
                }
                if !there || first.is_switch() {
                    self.try_advance(tau).map_err(step_error)?;
                }
                self.complete(tau).map_err(step_error)?;
            }
            if self.working.len() == self.arrival.held.len() && !self.take_up_slow(None) {
                return Ok((tau, located));
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
            | StepError::ContactsGain { .. }
            | StepError::NoMotion { .. }
            | StepError::NotFinite { .. }
            | StepError::SingularJacobian
    )
}
