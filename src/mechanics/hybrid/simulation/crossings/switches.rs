//! Changes of mode inside a piece: slides that end, and contacts that let go.
//!
//! **Slides.** The moment at which a slide ends: the slip of a held contact, or the rate of a joint with dry
//! friction, along its direction at the start comes to zero.
//!
//! There friction jumps. A step across that moment acts with one friction on both sides of it: its velocity is
//! wrong by the jump times a share of the step, and the run is of order one. So the piece ends there, like at a
//! strike.
//!
//! The trial that obeys the conditions of friction says no more than that slides have ended: it stops what
//! would turn back. What passes zero smoothly are the slips of the same step with the friction of all of these
//! kept as it was ([`Stepper::keeps_sliding`](crate::discrete::Stepper)), and up to the moment at which the first does
//! both steps are the same. With one of them kept and not the others, as the corners of a block that turns back as a
//! whole, the kept one would be held by its neighbours.
//!
//! **Releases.** The impulses of a held contact over a piece say its normal force at the middle to second order, not
//! at the ends. A force that falls steadily over three pieces is drawn out to zero, and the next piece ends where
//! that is; if the contact is open from there on it was let go there. The moment is wrong by O(h²), plus the time in
//! which the opening grows to a speed that a step can tell from none. The state is wrong by O(h²) with and without.
//!
//! **What is not located.** A contact that sticks starts to slide at a friction that is the same on both sides, so a
//! step across that moment loses no order. Slides below the
//! [`switch_threshold`](crate::hybrid::SimulationSettings::switch_threshold), and, where that is not zero, those that have
//! lasted for fewer than [`SETTLED`] steps, as those of a foot that chatters, end where the conditions of the step end them: a stop is then short by at most a h²/8, a reversal leaves a velocity
//! wrong by at most what friction changes in the step. A slide of fixed length is located as h tends to zero.

use super::location::{Crossing, Watched};
use crate::discrete::StepError;
use crate::discrete::held::{HeldContact, rubbing_joints};
use crate::friction::HeldMode;
use crate::hybrid::Descent;
use crate::hybrid::flow::all_stick;
use crate::hybrid::simulation::Simulation;

/// What is left of a slip, as a share of that at the start. The largest slip that can end in a step is its
/// acceleration times the step: this share of it is left of the error of not locating at all, and less for short steps,
/// in which slips are nearly straight lines.
const LOCATED: f64 = 1e-4;
/// Slides that are faster than rest by less than this factor are the rounding of rest.
const NO_SLIDE: f64 = 10.0;
/// Sine of an angle that is none.
const STRAIGHT: f64 = 1e-9;
/// Moments nearer than this share of a step are not told apart.
const NEAR: f64 = 0.02;
/// A force whose rate has changed by no more than this share of itself since the step before falls steadily.
const STEADY: f64 = 0.5;
/// A slide that has lasted for fewer steps than these cannot be told from the chatter of a light foot.
const SETTLED: u32 = 8;
/// Steps solved while one switch is located.
const TRIALS: usize = 12;

impl Simulation {
    /// Slides of contacts and joints that end before `tau`.
    pub(super) fn find_switches(&mut self, tau: f64) {
        if self.arrival.composed {
            return;
        }
        let first = self.crossings.len();
        let locates_all = self.settings.switch_threshold == 0.0;
        let settled = if locates_all { 0 } else { SETTLED };
        let rest = NO_SLIDE * self.settings.rest_speed;
        let mut power = 0.0;
        for (k, held) in self.arrival.held.iter().enumerate() {
            let i = held.contact;
            let slides = self.state.held.iter().find(|h| h.contact == i);
            if slides.is_none_or(|h| h.slides < settled) {
                continue;
            }
            let start = self.start_slip(i);
            let speed = start[0].hypot(start[1]);
            let friction = self.contacts.friction(i) * held.impulse()[0] / tau;
            if friction <= 0.0 || speed <= rest || held.modes.contains(&HeldMode::Open) {
                continue;
            }
            let direction = start.map(|x| x / speed);
            let along = held
                .modes
                .map(|mode| HeldMode::Slide(direction).goes_on_in(mode));
            if along == [true; 2] {
                continue;
            }
            let middle = along_direction(self.flow.middle_slip(k), direction);
            let place = expected_place(along[0], speed, middle);
            let watched = Watched::Slip(direction);
            self.crossings.push(switch(i, watched, place, speed));
            power += friction * speed;
        }
        let rubbing = rubbing_joints(&self.model);
        for (k, (joint, (_, _, friction))) in self.arrival.joints.iter().zip(rubbing).enumerate() {
            let rate = self.start_rate(k);
            let is_new = self.state.joints[k].slides < settled;
            if friction <= 0.0 || is_new || rate.abs() <= rest {
                continue;
            }
            let sign = rate.signum();
            let along = joint
                .modes
                .map(|mode| HeldMode::Slide([sign, 0.0]).goes_on_in(mode));
            if along == [true; 2] {
                continue;
            }
            let middle = sign * self.flow.middle_slip(self.arrival.held.len() + k)[0];
            let place = expected_place(along[0], rate.abs(), middle);
            self.crossings
                .push(switch(k, Watched::Rate(sign), place, rate.abs()));
            power += friction * rate.abs();
        }
        for at in (first..self.crossings.len()).rev() {
            if !self.matters(power, &self.crossings[at]) {
                self.crossings.remove(at);
            }
        }
    }

    /// The first moment before `limit` at which the normal force of a held contact is expected to reach zero, else
    /// `limit`. The force in the middle of the last piece and its rate are known to second order, so the moment is,
    /// and a piece that ends there without a release is a piece like any other.
    pub(in crate::hybrid::simulation) fn next_release(&self, limit: f64) -> f64 {
        // Composed steps locate the force itself.
        if self.settings.order > 2 && all_stick(&self.state.held) {
            return limit;
        }
        // What lies so near is the present moment.
        let near = NEAR * self.settings.time_step;
        let moments = self.state.held.iter().filter_map(|h| self.leaves_after(h));
        moments.filter(|m| *m > near).fold(limit, f64::min)
    }

    /// Whether a held contact was expected to leave in the first half of a piece of `tau`: in the middle of that
    /// there is no force that presses.
    pub(in crate::hybrid::simulation) fn was_to_leave(&self, held: &HeldContact, tau: f64) -> bool {
        self.leaves_after(held)
            .is_some_and(|after| after <= 0.5 * tau)
    }

    /// Time from the end of its last piece after which the normal force of a contact reaches zero \[s\], negative when
    /// that has been; `None` when it does not fall.
    fn leaves_after(&self, held: &HeldContact) -> Option<f64> {
        let weight = self.model.gravity().norm() * self.lighter_mass(held.contact);
        // What friction can hold with the force counts, where that is more.
        let share = self.settings.switch_threshold / self.contacts.friction(held.contact).max(1.0);
        let least = share * weight / self.settings.time_step;
        let force = held.normal_force().filter(|force| *force > 0.0)?;
        // After an impact the motion is another one.
        let falls = held.slip.is_some()
            && held.force_rate < -least
            && held.force_bend.abs() <= STEADY * held.force_rate.abs();
        falls.then(|| -force / held.force_rate - 0.5 * held.duration)
    }

    /// Mass of the robot or object that a contact moves, of two the lighter one \[kg\].
    fn lighter_mass(&self, contact: usize) -> f64 {
        let bodies = self.contacts.bodies(contact).into_iter().flatten();
        let masses = bodies.map(|body| self.model.tree_mass(body));
        masses.fold(f64::INFINITY, f64::min)
    }

    /// Whether the end of a slide is looked for, where the friction of all that end in the trial takes so much `power` \[W\]: of
    /// the corners of a block each takes its share only.
    fn matters(&self, power: f64, switch: &Crossing) -> bool {
        let settings = &self.settings;
        let gravity = self.model.gravity().norm();
        let mass = match switch.watched {
            Watched::Rate(_) => {
                let joint = rubbing_joints(&self.model).nth(switch.contact);
                joint.map_or(0.0, |(body, ..)| self.model.tree_mass(body))
            }
            _ => self.lighter_mass(switch.contact),
        };
        power > settings.switch_threshold * mass * gravity * gravity * settings.time_step
    }

    /// Slip of a held contact at the present moment.
    fn start_slip(&self, contact: usize) -> [f64; 2] {
        let mut held = self.state.held.iter();
        let known = held.find(|h| h.contact == contact).and_then(|h| h.slip);
        known.unwrap_or_else(|| self.node.slip(&self.contacts, contact))
    }

    /// Rate of a joint with dry friction at the present moment.
    fn start_rate(&self, joint: usize) -> f64 {
        self.state.joints[joint].rate.unwrap_or_else(|| {
            let index = rubbing_joints(&self.model).nth(joint);
            index.map_or(0.0, |(_, at, _)| self.node.velocity[at])
        })
    }

    /// The first moment at which one of the slides that end in a trial of `tau`, listed in `crossings`, does, and which; `None`
    /// when none does, or when nobody can say. `first` is expected to be the one.
    pub(in crate::hybrid::simulation) fn locate_switch(
        &mut self,
        first: &Crossing,
        tau: f64,
    ) -> Option<(f64, Crossing)> {
        let aim = 0.5 * LOCATED;
        let (mut before, mut after) = (0.0, None);
        let mut last = (0.0, 1.0);
        let mut time = first.descent.at * tau;
        let mut solved = tau;
        for _ in 0..TRIALS {
            let (left, switch) = self.kept_slip(time, &mut solved).ok()??;
            // Before its end a slide that is kept is the one that friction makes.
            if (0.0..=LOCATED).contains(&left) {
                return Some((time, switch));
            }
            if left > aim {
                before = time;
            } else {
                after = Some(time);
            }
            let slope = (left - last.1) / (time - last.0);
            last = (time, left);
            let next = time + (aim - left) / slope;
            let falls = slope < 0.0;
            time = match after {
                Some(after) if falls && next > before && next < after => next,
                Some(after) => 0.5 * (before + after),
                // The slide has not ended yet at the end of the piece.
                None if time == tau => return None,
                None if falls => next.min(tau),
                None => tau,
            };
        }
        None
    }

    /// Whether the friction that was kept for a located switch is the one that acts: against the slips at the middle.
    pub(in crate::hybrid::simulation) fn slides_straight(&self) -> bool {
        self.crossings.iter().all(|switch| {
            let Watched::Slip(direction) = switch.watched else {
                return true;
            };
            let mut held = self.arrival.held.iter();
            let Some(group) = held.position(|h| h.contact == switch.contact) else {
                return false;
            };
            let middle = self.flow.middle_slip(group);
            let across = direction[0] * middle[1] - direction[1] * middle[0];
            across.abs() <= STRAIGHT * along_direction(middle, direction)
        })
    }

    /// The smallest slip after `tau` along its direction, as a share of that at the start, and whose it is, if the friction of
    /// all slides that end in the trial goes on; the step is left in `arrival`, which holds that of the time `solved` on entry.
    fn kept_slip(
        &mut self,
        tau: f64,
        solved: &mut f64,
    ) -> Result<Option<(f64, Crossing)>, StepError> {
        self.scale_guess(tau / *solved);
        *solved = tau;
        self.solver_counts.event_solves += 1;
        let (held, kept) = (&self.working, self.flow.kept_slides());
        kept.extend(self.crossings.iter().filter_map(|c| match c.watched {
            Watched::Rate(sign) => Some((held.len() + c.contact, [sign, 0.0])),
            Watched::Slip(direction) => {
                let own = held.iter().position(|h| h.contact == c.contact);
                own.map(|own| (own, direction))
            }
            _ => None,
        }));
        let done = match self.try_advance(tau) {
            Ok(()) => self.complete(tau),
            failed => failed,
        };
        self.flow.kept_slides().clear();
        done?;
        let left = self.crossings.iter().filter_map(|c| {
            let (slip, direction) = match c.watched {
                Watched::Rate(sign) => {
                    let rate = self.arrival.joints[c.contact].rate;
                    ([rate.unwrap_or_default(), 0.0], [sign, 0.0])
                }
                Watched::Slip(direction) => {
                    let mut held = self.arrival.held.iter();
                    let own = held.find(|h| h.contact == c.contact)?;
                    (own.slip.unwrap_or_default(), direction)
                }
                _ => return None,
            };
            Some((along_direction(slip, direction) / -c.start_rate, *c))
        });
        Ok(left.min_by(|a, b| a.0.total_cmp(&b.0)))
    }
}

fn along_direction(slip: [f64; 2], direction: [f64; 2]) -> f64 {
    slip[0] * direction[0] + slip[1] * direction[1]
}

/// Share of the trial after which a slide of `speed` ends. Where it went on over the middle, the slip there belongs
/// to it; else it ended in the first half.
fn expected_place(over_middle: bool, speed: f64, middle: f64) -> f64 {
    if over_middle && middle < speed {
        (0.5 * speed / (speed - middle)).clamp(0.5, 1.0)
    } else {
        0.25
    }
}

fn switch(contact: usize, watched: Watched, place: f64, speed: f64) -> Crossing {
    Crossing {
        contact,
        watched,
        descent: Descent {
            at: place,
            below: 1.0,
            slope: -speed / place,
        },
        ends_below: true,
        rate: -speed,
        start_rate: -speed,
    }
}
