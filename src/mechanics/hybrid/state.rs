use serde::{Deserialize, Deserializer, Serialize};

use crate::control::HeldEfforts;
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::discrete::{Predictor, StepWork};

/// Work done since the start of a run \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkLedger {
    /// By actuators, on the system.
    pub actuators: f64,
    /// The positive part of it: what each coordinate's effort put in while it drove, without what it
    /// took back while it braked.
    pub actuators_positive: f64,
    /// By dampers, joint friction and contact friction; ≤ 0.
    pub dissipative: f64,
    /// By surfaces that move, in steps and in impacts.
    #[serde(default)]
    pub surfaces: f64,
    /// Change of kinetic energy in impacts, less what surfaces that move do in them; ≤ 0 for laws that do not add
    /// energy.
    pub impacts: f64,
    /// Change of energy where contacts were captured: too slow to be impacts, the step brings them to rest; ≤ 0.
    #[serde(default)]
    pub captured: f64,
}

impl WorkLedger {
    /// All work together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.actuators + self.dissipative + self.surfaces + self.impacts + self.captured
    }

    /// Adds the work of a step.
    pub(super) fn add(&mut self, work: &StepWork) {
        self.actuators += work.actuators;
        self.actuators_positive += work.actuators_positive;
        self.dissipative += work.dissipative;
        self.surfaces += work.surfaces;
    }
}

impl std::ops::Add for WorkLedger {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            actuators: self.actuators + other.actuators,
            actuators_positive: self.actuators_positive + other.actuators_positive,
            dissipative: self.dissipative + other.dissipative,
            surfaces: self.surfaces + other.surfaces,
            impacts: self.impacts + other.impacts,
            captured: self.captured + other.captured,
        }
    }
}

/// The last strikes of one contact: moments \[s\] and approach speeds \[m/s\], the last one first, as many as
/// tell whether they accumulate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Strikes {
    /// The contact.
    pub contact: usize,
    /// How many are known, up to three.
    pub known: usize,
    /// Moments \[s\].
    pub times: [f64; 3],
    /// Approach speeds \[m/s\].
    pub speeds: [f64; 3],
}

impl Strikes {
    /// Takes in a strike.
    pub(super) fn record(&mut self, time: f64, speed: f64) {
        self.times = [time, self.times[0], self.times[1]];
        self.speeds = [speed, self.speeds[0], self.speeds[1]];
        self.known = (self.known + 1).min(3);
    }

    /// Time until infinitely many further strikes have happened \[s\]. None is left where the last two flights were over
    /// within `brief` \[s\] and no higher than a contact that is `closed` \[m\]; else it is what is left when intervals and
    /// speeds fall by a common ratio that `restitution` explains. Where flights are hardly higher than gaps are `located`
    /// to \[m\], the strikes are found on their way down by a share of it, and each gains the speed of that. Then speeds and
    /// intervals fall ever more slowly, and it is the restitution that says how much is left, not what was measured.
    pub(super) fn remaining(
        &self,
        restitution: f64,
        located: f64,
        [brief, closed]: [f64; 2],
    ) -> Option<f64> {
        if self.known < 3 {
            return None;
        }
        let [a, b, c] = self.times;
        let interval = a - b;
        // Under a constant pull a flight is as high as a quarter of what its speed covers.
        let flights = [(interval, self.speeds[0]), (b - c, self.speeds[1])];
        let is_none = |&(time, speed)| 0.0 < time && time < brief && 0.25 * time * speed <= closed;
        if flights.iter().all(is_none) {
            return Some(0.0);
        }
        if restitution >= 1.0 {
            return None;
        }
        let by_time = interval / (b - c);
        let by_speed = self.speeds[0] / self.speeds[1];
        // The located moments, and the speeds there, are wrong by what a gap takes to close: a share of short intervals.
        let slack = 1e-3 + 2.0 * located / (self.speeds[0] * interval);
        let most = restitution.max(f64::EPSILON) * (1.0 + slack);
        let fall = self.speeds[1] < self.speeds[2] && by_time < 1.0;
        let ratio = by_time.min(restitution);
        (fall && by_time <= most && by_speed <= most).then(|| interval * ratio / (1.0 - ratio))
    }
}

/// Everything that the future of a run depends on. Saved and restored, it continues to the same bits.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Number of whole time steps done.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Momentum, n.
    pub p: Vec<f64>,
    /// Velocity at the end of the last step, n, where joints with dry friction may have been locked in it: M⁻¹p but for rounding.
    /// Empty elsewhere, where it is that to the last bit; not asked where it is not that of `p`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocity: Vec<f64>,
    /// Contacts that are held closed, in ascending order.
    pub held: Vec<HeldContact>,
    /// Contacts that were let go when they began to pull, until they have opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaving: Vec<usize>,
    /// Joints with dry friction, in the order of the joints.
    pub joints: Vec<HeldJoint>,
    /// The last strikes of each contact that has struck, in ascending order.
    #[serde(deserialize_with = "of_contacts")]
    pub strikes: Vec<Strikes>,
    /// Time of the first impact of the run \[s\].
    pub first_impact: Option<f64>,
    /// Number of impacts so far.
    pub impacts: u64,
    /// Number of contacts captured so far.
    #[serde(default)]
    pub captures: u64,
    /// Work done so far.
    pub work: WorkLedger,
    /// Mean velocities of the last whole steps, one block of n a stage: starting values of the next.
    pub predictor: Predictor,
    /// The longest piece of a step \[s\] while dampers that are faster than a step bring a jump of velocities to rest; zero before
    /// the first step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaxing: Option<f64>,
    /// What sampled controllers hold until they are asked again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_efforts: Vec<HeldEfforts>,
}

/// Derived but for `clone_from`, which keeps its memory: a run remembers the state of every step.
impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            q: self.q.clone(),
            p: self.p.clone(),
            velocity: self.velocity.clone(),
            held: self.held.clone(),
            leaving: self.leaving.clone(),
            joints: self.joints.clone(),
            strikes: self.strikes.clone(),
            predictor: self.predictor.clone(),
            held_efforts: self.held_efforts.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, source: &Self) {
        let Self {
            step,
            time,
            q,
            p,
            velocity,
            held,
            leaving,
            joints,
            strikes,
            first_impact,
            impacts,
            captures,
            work,
            predictor,
            relaxing,
            held_efforts,
        } = source;
        self.q.clone_from(q);
        self.p.clone_from(p);
        self.velocity.clone_from(velocity);
        self.held.clone_from(held);
        self.leaving.clone_from(leaving);
        self.joints.clone_from(joints);
        self.strikes.clone_from(strikes);
        self.predictor.clone_from(predictor);
        self.held_efforts.clone_from(held_efforts);
        self.step = *step;
        self.time = *time;
        self.first_impact = *first_impact;
        self.impacts = *impacts;
        self.captures = *captures;
        self.work = *work;
        self.relaxing = *relaxing;
    }
}

/// Strikes as they are written, and as they were when every contact had an entry in its place.
fn of_contacts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Strikes>, D::Error> {
    #[derive(Deserialize)]
    struct Entry {
        contact: Option<usize>,
        known: usize,
        times: [f64; 3],
        speeds: [f64; 3],
    }
    let entries = Vec::<Entry>::deserialize(deserializer)?.into_iter();
    let strikes = entries.enumerate().map(|(place, entry)| Strikes {
        contact: entry.contact.unwrap_or(place),
        known: entry.known,
        times: entry.times,
        speeds: entry.speeds,
    });
    Ok(strikes.filter(|strikes| strikes.known > 0).collect())
}

impl State {
    /// The last strikes of a contact.
    pub(super) fn strikes_of(&mut self, contact: usize) -> &mut Strikes {
        let place = self
            .strikes
            .binary_search_by_key(&contact, |strikes| strikes.contact);
        let place = place.unwrap_or_else(|place| {
            let first = Strikes {
                contact,
                ..Strikes::default()
            };
            self.strikes.insert(place, first);
            place
        });
        &mut self.strikes[place]
    }

    /// Takes over the momentum after an impact that changed the kinetic energy by `energy` \[J\], `surfaces` of it by
    /// surfaces that move.
    pub(super) fn take_impact(&mut self, momentum: &[f64], energy: f64, surfaces: f64) {
        self.p.copy_from_slice(momentum);
        self.impacts += 1;
        self.work.impacts += energy - surfaces;
        self.work.surfaces += surfaces;
        self.predictor.clear();
        for held in &mut self.held {
            held.slip = None;
            held.middle_slip = [0.0; 2];
        }
        for joint in self.joints.iter_mut().filter(|joint| !joint.latched) {
            joint.rate = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Strikes, of_contacts};

    #[test]
    fn strikes_are_read_with_their_contacts_and_by_their_places() {
        let own = r#"[{"contact": 3, "known": 1, "times": [0.5, 0, 0], "speeds": [2, 0, 0]}]"#;
        let none = r#"{"known": 0, "times": [0, 0, 0], "speeds": [0, 0, 0]}"#;
        let third = r#"{"known": 1, "times": [0.5, 0, 0], "speeds": [2, 0, 0]}"#;
        let placed = format!("[{none}, {none}, {none}, {third}]");
        let expected = Strikes {
            contact: 3,
            known: 1,
            times: [0.5, 0.0, 0.0],
            speeds: [2.0, 0.0, 0.0],
        };
        for text in [own, &placed] {
            let read = of_contacts(&mut serde_json::Deserializer::from_str(text)).unwrap();
            assert_eq!(read, [expected]);
        }
    }
}
