//! The first moment inside a piece at which a gap closes.
//!
//! The trial to the end of the piece is solved already; every gap is nearly the cubic of its values and
//! rates at both ends. The earliest root of these cubics is where the event is looked for.

use crate::contact::BoxFace;
use crate::discrete::held::HeldContact;
use crate::hybrid::node::Node;
use crate::hybrid::simulation::Simulation;
use crate::hybrid::{Descent, SimulationError, State, StepCubic};
use crate::model::LARGEST_COORDINATE;

/// A located gap is between zero and this \[m\], beside coordinates of order one: some thousand roundings, far
/// below any tolerance a user sees.
const LOCATED: f64 = 1e-12;
/// Steps along a way through something thin.
const PASSAGE_STEPS: usize = 600;
/// Smallest of them as a share of the way: what is thinner may be passed through.
const PASSAGE: f64 = 2e-3;

/// What passes zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::hybrid::simulation) enum Watched {
    /// The gap of a contact outside of the conditions.
    Gap,
    /// The seam of a held one, times its sign at the start.
    Seam(f64),
    /// The slip of a held contact along this direction, that in which it slides at the start.
    Slip([f64; 2]),
    /// The rate of a joint with dry friction times its sign at the start.
    Rate(f64),
    /// The normal force of a contact that a composed step holds.
    Force,
}

/// What happens within the trial: a contact closes, its place ends, a slide ends.
#[derive(Debug, Clone, Copy)]
pub(in crate::hybrid::simulation) struct Crossing {
    /// The contact, or the place among the joints with dry friction of [`Watched::Rate`].
    pub contact: usize,
    pub watched: Watched,
    pub descent: Descent,
    /// Whether it is negative at the end of the trial.
    pub ends_below: bool,
    /// Gap rate at the crossing \[m/s\], negative.
    pub rate: f64,
    /// Gap rate at the start \[m/s\].
    pub start_rate: f64,
}

impl Crossing {
    /// Whether both are crossings of the same quantity.
    pub fn is_same(&self, other: &Self) -> bool {
        self.contact == other.contact
            && std::mem::discriminant(&self.watched) == std::mem::discriminant(&other.watched)
    }

    /// Whether it says of another crossing that it is none: what did not end below before and does in a new trial, solved with
    /// other modes, is another one.
    pub fn excuses(&self, other: &Self) -> bool {
        self.is_same(other) && (self.ends_below || !other.ends_below)
    }

    /// Whether it is where the place of a contact ends, or what it is held by.
    pub fn is_seam_of(&self, contact: usize) -> bool {
        self.contact == contact && matches!(self.watched, Watched::Seam(_))
    }

    /// Whether it is a slide that ends.
    pub fn is_switch(&self) -> bool {
        matches!(self.watched, Watched::Slip(_) | Watched::Rate(_))
    }
}

impl Simulation {
    /// What a gap is located to: [`LOCATED`], more where coordinates are so large that they round by more.
    pub(in crate::hybrid::simulation) fn located(&self) -> f64 {
        LOCATED * self.state.q.iter().fold(1.0_f64, |m, x| m.max(x.abs()))
    }

    /// Lists in `crossings` the contacts outside of the trial's conditions whose gaps close before `tau`.
    /// `trial` stands at `tau`.
    pub(in crate::hybrid::simulation) fn find_crossings(
        &mut self,
        tau: f64,
    ) -> Result<(), SimulationError> {
        self.crossings.clear();
        let depth = self.located();
        self.velocity()?;
        self.trial_velocity()?;
        self.list_near(tau);
        for k in 0..self.near.len() {
            let i = self.near[k];
            if self.arrival.held.iter().any(|h| h.contact == i) {
                continue;
            }
            let mut values = [&self.node, &self.trial].map(|node| node.gap(&self.contacts, i));
            let mut rates = [
                self.node.rate(&self.contacts, i),
                self.trial.rate(&self.contacts, i),
            ];
            // What touches, as at a located moment, has gone in nowhere.
            let left = (values[1] < -depth).then(|| self.face_left(i)).flatten();
            // Not in the box: it only came over another face.
            let passes = left.is_some() && values[1] >= -self.settings.closed_gap;
            if let Some(left) = left {
                // What passes an edge at the start goes in over the other face later on, if at all.
                let face = self.face_taken(i).unwrap_or(left);
                let end = usize::from(face == left);
                let kinematics = &[&self.node, &self.trial][end].kinematics;
                let frame = self.contacts.frame_over(kinematics, i, face);
                (values[end], rates[end]) = (frame.gap, frame.rate(kinematics));
            }
            // Both tangents stay above zero: so does the gap, but for accelerations that the other
            // end would show.
            if values[1] > 0.0
                && values[0] + rates[0].min(0.0) * tau > 0.0
                && values[1] - rates[1].max(0.0) * tau > 0.0
            {
                continue;
            }
            if self.comes_along(i, values, rates[1]) {
                continue;
            }
            if self.is_latched(i) {
                continue;
            }
            // A held one that comes in from beside is handed over where its own part of the rim ends.
            if self.contacts.may_be_passed(i) && self.is_run_to(i) {
                continue;
            }
            if let Some(inactive) = self.contacts.inactivity(i)
                && (values[0] < -self.settings.closed_gap
                    || (inactive.holds(&self.state.q) && inactive.holds(&self.arrival.q)))
            {
                continue;
            }
            if !self.may_close(i, values[0]) || self.contacts.leans_beside(&self.node.kinematics, i)
            {
                continue;
            }
            // A contact that was let go begins where it was held, which may be below zero by what it was closed to.
            let depth = if self.state.leaving.contains(&i) {
                depth - 2.0 * values[0].min(0.0)
            } else {
                depth
            };
            let cubic = StepCubic::new(values, rates, tau);
            let mut descent = cubic.first_descent(depth);
            // Where only the cubic is below zero, between both ends, it may be so elsewhere than what it stands for.
            let may_pass = !self.contacts.is_smooth(i) && descent.is_none_or(|d| d.below < 1.0);
            if may_pass {
                let own = descent.filter(|_| !self.begins_as_another(i, values[0]));
                descent = self.passage(i, rates, tau).or(own);
            }
            let Some(descent) = descent else {
                continue;
            };
            let crossing = Crossing {
                contact: i,
                watched: Watched::Gap,
                descent,
                ends_below: values[1] < -depth,
                rate: descent.slope / tau,
                start_rate: rates[0],
            };
            if !passes || self.is_event(&crossing) && !self.passes_edge(&self.node, i) {
                self.crossings.push(crossing);
            }
        }
        self.find_seams(tau, depth);
        self.find_switches(tau);
        self.find_releases(tau)
            .map_err(|source| SimulationError::Step {
                time: self.state.time,
                halvings: 0,
                source,
            })
    }

    /// Whether a contact that others covered at the start, by so much that it was closed there, has come along them: it is outside at the
    /// end, or touches there and no more, or, of a ball, is as far below the same face that it has come over from beside.
    fn comes_along(&self, contact: usize, gaps: [f64; 2], rate: f64) -> bool {
        let closed = self.settings.closed_gap;
        if gaps[0] >= -closed || self.node.is_present(&self.contacts, contact) {
            return false;
        }
        let depth = self.located();
        if gaps[1] > depth || gaps[1] >= -depth && !self.strikes(contact, rate) {
            return true;
        }
        let [before, after] = [&self.node, &self.trial].map(|node| &node.kinematics);
        let face = self.contacts.face(before, contact);
        gaps[1] < -closed
            && face.is_some()
            && face == self.contacts.face(after, contact)
            && self.contacts.tilt(before, contact, face).is_none()
    }

    /// Whether a contact that is not there at the start has a gap there which is that of another place, closed: what the cubic makes of that
    /// and of its own rate at the end is no way of either.
    fn begins_as_another(&self, contact: usize, gap: f64) -> bool {
        gap.abs() <= self.settings.closed_gap && !self.node.is_present(&self.contacts, contact)
    }

    fn is_run_to(&self, i: usize) -> bool {
        let mut held = self.arrival.held.iter();
        held.any(|held| {
            let from = (held.contact, held.side);
            (self.contacts).has_run_to(&self.trial.kinematics, from, i)
        })
    }

    /// The face that contact i was over at the start, where the trial has led it into a box from which another is nearer:
    /// beside an edge it went in through this one.
    fn face_left(&self, contact: usize) -> Option<BoxFace> {
        if self.contacts.is_smooth(contact) {
            return None;
        }
        let [before, after] =
            [&self.node, &self.trial].map(|node| self.contacts.face(&node.kinematics, contact));
        before.filter(|_| before != after)
    }

    /// Held contacts whose places end, or whose gaps change their curvature, before `tau`.
    fn find_seams(&mut self, tau: f64, depth: f64) {
        for held in &self.arrival.held {
            let i = held.contact;
            let nodes = [&self.node, &self.trial];
            let over =
                |node: &Node, face| (self.contacts).edge_over(&node.kinematics, i, face, held.side);
            let edge = held.face.map(|face| nodes.map(|node| over(node, face)));
            let (at, sign, slope) = match edge {
                // At the edge now, where a step or the event of another contact has led it, and past it then: it passes at
                // once.
                Some([start, end])
                    if start <= depth && end < -depth && !self.passed.contains(&i) =>
                {
                    (0.0, 1.0, end - start)
                }
                _ => {
                    let [start, end] = nodes.map(|node| self.seam(node, held));
                    let jumped = self.passed.iter().filter(|&&k| k == i).count() > 1;
                    let stays = start.abs() <= depth || start.signum() * end >= -depth;
                    if jumped || stays || !start.is_finite() || !end.is_finite() {
                        continue;
                    }
                    (start / (start - end), start.signum(), -(start - end).abs())
                }
            };
            self.crossings.push(Crossing {
                contact: i,
                watched: Watched::Seam(sign),
                descent: Descent {
                    at,
                    below: 1.0,
                    slope,
                },
                ends_below: true,
                rate: slope / tau,
                start_rate: slope / tau,
            });
        }
    }

    pub(in crate::hybrid::simulation) fn seam(&self, node: &Node, held: &HeldContact) -> f64 {
        let (kinematics, i) = (&node.kinematics, held.contact);
        let own = match held.face {
            Some(face) => self.contacts.seam_beside(kinematics, i, face, held.side),
            None => self.contacts.seam(kinematics, i),
        };
        own.min(self.contacts.side_seam(kinematics, i, held.place()))
    }

    /// Where a contact may pass through something thin within the trial although its gap is open at both
    /// ends: along the way of the mean velocity no step is longer than the gap.
    fn passage(&mut self, contact: usize, rates: [f64; 2], tau: f64) -> Option<Descent> {
        let [start, end] = [&self.node, &self.trial].map(|node| {
            let frame = self.contacts.frame(&node.kinematics, contact);
            frame.bodies.map(|body| {
                let side = usize::from(body != frame.bodies[0]);
                let own = node.kinematics.point_velocity(body, &frame.points[side]);
                own + frame.piece_velocity * side as f64
            })
        });
        // Twice: the way turns and quickens within the step.
        let speed = 2.0
            * (start[0].norm() + start[1].norm())
                .max(rates[0].abs())
                .max(rates[1].abs());
        let n = self.model.dof();
        // A straight way leaves the bent one by an eighth of what bends it.
        let bent = (end[0] - start[0]).norm() + (end[1] - start[1]).norm();
        let depth = self.located() + 0.125 * bent * tau;
        let mut s = 0.0;
        for _ in 0..PASSAGE_STEPS {
            let v = &self.arrival.mean_velocity[..n];
            self.model
                .integrate(&self.state.q, v, s * tau, &mut self.path);
            self.probe_kinematics.clock.time = self.state.time + s * tau;
            self.probe_kinematics
                .update_placements(&self.model, &self.path);
            let gap = self
                .contacts
                .mechanical_gap(&self.probe_kinematics, contact);
            if gap < -depth && self.contacts.is_passable(&self.probe_kinematics, contact) {
                return Some(Descent {
                    at: (s - PASSAGE).max(0.0),
                    below: s,
                    slope: rates[0].min(-0.5 * speed) * tau,
                });
            }
            s += (gap / (speed * tau)).max(PASSAGE);
            if s >= 1.0 {
                break;
            }
        }
        None
    }

    /// Whether a touch with this rate \[m/s\] is an event of its own. What a latch catches is one at any speed.
    pub(in crate::hybrid::simulation) fn strikes(&self, contact: usize, rate: f64) -> bool {
        let catches = self.contacts.latches().iter().any(|l| l.stop == contact);
        rate < -if catches {
            self.settings.rest_speed
        } else {
            self.slow_speed(contact)
        }
    }

    /// Touches slower than this \[m/s\] are no events of their own; where a law keeps their energy all are.
    pub(in crate::hybrid::simulation) fn slow_speed(&self, contact: usize) -> f64 {
        let law = self.law.properties();
        let bounces = law.restitution || law.conserves_energy;
        if bounces && self.contacts.restitution(contact) >= 1.0 {
            self.settings.rest_speed
        } else {
            self.settings.capture_speed.max(self.settings.rest_speed)
        }
    }
}

impl State {
    /// Largest of the coordinates and speeds that a run may reach: beyond them nothing is known to the
    /// digits that contacts need.
    pub(in crate::hybrid::simulation) const LARGEST: f64 = LARGEST_COORDINATE;
}

#[cfg(test)]
mod tests {
    use super::{Crossing, Watched};
    use crate::hybrid::Descent;

    #[test]
    fn a_gap_that_ends_below_in_a_new_trial_is_another_crossing() {
        let crossing = |contact, ends_below| Crossing {
            contact,
            watched: Watched::Gap,
            descent: Descent {
                at: 0.2,
                below: 0.6,
                slope: -1e-5,
            },
            ends_below,
            rate: -0.01,
            start_rate: -0.02,
        };
        assert!(crossing(3, false).excuses(&crossing(3, false)));
        assert!(crossing(3, true).excuses(&crossing(3, true)));
        assert!(crossing(3, true).excuses(&crossing(3, false)));
        assert!(!crossing(3, false).excuses(&crossing(3, true)));
        assert!(!crossing(3, true).excuses(&crossing(4, true)));
    }
}
