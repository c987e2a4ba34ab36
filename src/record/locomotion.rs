//! How a robot got along: speed, heading, cost, and what its legs did on the ground.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::statistics::position;
use crate::contact::Contacts;
use crate::hybrid::{Event, LARGEST_COUNT, Simulation};
use crate::impact::Verdict;
use crate::model::{Base, Model};
use crate::scenario::LocomotionEntry;

/// The part `locomotion` of `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(
    non_snake_case,
    reason = "the unit is part of the field's name in the file"
)]
pub struct LocomotionSummary {
    /// Length of the time that was looked at \[s\].
    pub time_s: f64,
    /// Way of the base (of a fixed robot: its centre of mass) along the wanted direction \[m\].
    pub distance_forward_m: f64,
    /// The same in lengths of the body.
    pub distance_body_lengths: f64,
    /// Mean speed along the wanted direction \[m/s\].
    pub forward_speed_m_per_s: f64,
    /// Angle between the way and the wanted direction seen from above, counter-clockwise \[rad\].
    pub heading_error_rad: f64,
    /// Largest turn of the body about the vertical away from its first heading \[rad\]; a base that
    /// floats has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_yaw_rad: Option<f64>,
    /// Mean of the positive mechanical power of all joints \[W\].
    pub mean_positive_power_W: f64,
    /// Mean positive power over weight times forward speed; absent when the robot did not advance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specific_resistance: Option<f64>,
    /// Mean number of steps of a leg.
    pub strides: f64,
    /// Impacts in this time.
    pub impacts: u64,
    /// Impacts per stride; absent without a stride.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impacts_per_stride: Option<f64>,
    /// Share of the impacts that are known to have more than one outcome; absent without impacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ambiguous_share: Option<f64>,
    /// Share of the impacts of which the law cannot tell; absent without impacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided_share: Option<f64>,
    /// Largest ξ of these impacts.
    pub max_indeterminacy: f64,
    /// The legs, in the order of the scenario.
    pub legs: Vec<LegSummary>,
}

/// What one leg did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LegSummary {
    /// Its link.
    pub link: String,
    /// Share of the time in which it was on the ground.
    pub duty_factor: f64,
    /// How often it came down after a swing.
    pub steps: u64,
}

impl LocomotionEntry {
    /// For each leg its contacts with the terrain, whose smallest gap is how high the leg is.
    pub(crate) fn ground_contacts(&self, model: &Model, contacts: &Contacts) -> Vec<Vec<usize>> {
        let of_leg = |name: &String| {
            let Some(leg) = model.link(name).ok().and_then(|link| link.body) else {
                return Vec::new();
            };
            let on_leg = |body| is_part_of(model, body, leg);
            (0..contacts.len())
                .filter(|&i| touches_ground(contacts, i, on_leg))
                .collect()
        };
        self.legs.iter().map(of_leg).collect()
    }
}

/// What is gathered over the steps of a run, saved with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LocomotionStatistics {
    begun: Option<Moment>,
    last: Option<Moment>,
    yaw: Option<f64>,
    turned: f64,
    largest_turn: f64,
    steps: u64,
    impacts: u64,
    ambiguous: u64,
    undecided: u64,
    largest_indeterminacy: f64,
    legs: Vec<LegRecord>,
}

/// Where the robot is, and what it has spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moment {
    time: f64,
    position: [f64; 3],
    work: f64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LegRecord {
    on_ground: u64,
    swinging: bool,
    touches: u64,
}

impl LocomotionStatistics {
    /// Whether saved numbers can be those of a run with so many legs.
    pub(crate) fn is_of(&self, legs: usize) -> bool {
        let moments = [self.begun, self.last].into_iter().flatten();
        let finite = moments
            .flat_map(|m| m.position.into_iter().chain([m.time, m.work]))
            .chain(self.yaw)
            .chain([self.turned, self.largest_turn, self.largest_indeterminacy])
            .all(f64::is_finite);
        let counts = [self.steps, self.impacts, self.ambiguous, self.undecided];
        let of_legs = self
            .legs
            .iter()
            .flat_map(|leg| [leg.on_ground, leg.touches]);
        let mut counts = counts.into_iter().chain(of_legs);
        self.legs.len() == legs && finite && counts.all(|n| n <= LARGEST_COUNT)
    }

    /// Statistics of a run that begins.
    pub fn new(entry: &LocomotionEntry, simulation: &Simulation) -> Self {
        let mut statistics = Self {
            begun: None,
            last: None,
            yaw: yaw(simulation),
            turned: 0.0,
            largest_turn: 0.0,
            steps: 0,
            impacts: 0,
            ambiguous: 0,
            undecided: 0,
            largest_indeterminacy: 0.0,
            legs: vec![LegRecord::default(); entry.legs.len()],
        };
        if entry.from <= 0.0 {
            statistics.begun = Some(moment(simulation));
        }
        statistics
    }

    /// Takes in events.
    pub fn events(&mut self, entry: &LocomotionEntry, events: &[Event]) {
        let until = entry.until.unwrap_or(f64::INFINITY);
        for event in events {
            let Some(impact) = &event.impact else {
                continue;
            };
            if event.time >= entry.from && event.time <= until {
                self.impacts += 1;
                let verdict = impact.uniqueness.verdict();
                self.ambiguous += u64::from(verdict == Verdict::Ambiguous);
                self.undecided += u64::from(verdict == Verdict::Undecided);
                let xi = impact.uniqueness.indeterminacy();
                self.largest_indeterminacy = self.largest_indeterminacy.max(xi);
            }
        }
    }

    /// Takes in a completed step; `legs` are the contacts of [`LocomotionEntry::ground_contacts`].
    pub fn step(&mut self, entry: &LocomotionEntry, legs: &[Vec<usize>], simulation: &Simulation) {
        let time = simulation.time();
        let half = 0.5 * simulation.settings().time_step;
        if time < entry.from - half || time > entry.until.unwrap_or(f64::INFINITY) + half {
            return;
        }
        let now = moment(simulation);
        if self.begun.is_none() {
            self.begun = Some(now);
            self.yaw = yaw(simulation);
        } else {
            self.steps += 1;
        }
        self.last = Some(now);
        if let (Some(before), Some(now)) = (self.yaw, yaw(simulation)) {
            let turn = now - before;
            self.turned += turn.sin().atan2(turn.cos());
            self.largest_turn = self.largest_turn.max(self.turned.abs());
            self.yaw = Some(now);
        }
        let closed_gap = simulation.settings().closed_gap;
        let decisive = closed_gap.max(entry.clearance);
        for (record, contacts) in self.legs.iter_mut().zip(legs) {
            // How high a leg is beyond that makes no difference.
            let near = contacts
                .iter()
                .filter(|&&i| !simulation.is_gap_beyond(i, decisive));
            let gaps = near.map(|&i| simulation.reported_gap(i));
            let height = gaps.fold(f64::INFINITY, f64::min);
            if height <= closed_gap {
                record.on_ground += 1;
                record.touches += u64::from(record.swinging);
                record.swinging = false;
            } else if height > entry.clearance {
                record.swinging = true;
            }
        }
    }

    /// The summary of the run as it stands; `None` before its time begins.
    pub fn summary(&self, entry: &LocomotionEntry, model: &Model) -> Option<LocomotionSummary> {
        let (begun, last) = (self.begun?, self.last?);
        let time = last.time - begun.time;
        let forward = Vector3::from(entry.forward).normalize();
        let way = Vector3::from(last.position) - Vector3::from(begun.position);
        let distance = way.dot(&forward);
        let speed = if time > 0.0 { distance / time } else { 0.0 };
        let power = if time > 0.0 {
            (last.work - begun.work) / time
        } else {
            0.0
        };
        let weight = robot_mass(model) * model.gravity().norm();
        let strides =
            self.legs.iter().map(|l| l.touches as f64).sum::<f64>() / self.legs.len() as f64;
        Some(LocomotionSummary {
            time_s: time,
            distance_forward_m: distance,
            distance_body_lengths: distance / entry.body_length,
            forward_speed_m_per_s: speed,
            heading_error_rad: heading_error(&forward, &way),
            max_yaw_rad: self.yaw.map(|_| self.largest_turn),
            mean_positive_power_W: power,
            specific_resistance: (speed > 0.0 && weight > 0.0).then(|| power / (weight * speed)),
            strides,
            impacts: self.impacts,
            impacts_per_stride: (strides > 0.0).then(|| self.impacts as f64 / strides),
            ambiguous_share: (self.impacts > 0)
                .then(|| self.ambiguous as f64 / self.impacts as f64),
            undecided_share: (self.impacts > 0)
                .then(|| self.undecided as f64 / self.impacts as f64),
            max_indeterminacy: self.largest_indeterminacy,
            legs: entry
                .legs
                .iter()
                .zip(&self.legs)
                .map(|(link, record)| LegSummary {
                    link: link.clone(),
                    duty_factor: record.on_ground as f64 / self.steps.max(1) as f64,
                    steps: record.touches,
                })
                .collect(),
        })
    }
}

/// Mass of what walks: without that of what is beside it \[kg\].
fn robot_mass(model: &Model) -> f64 {
    let own = model
        .trees()
        .first()
        .map_or(0..0, |tree| tree.bodies.clone());
    own.map(|body| model.bodies()[body].inertia.mass).sum()
}

fn moment(simulation: &Simulation) -> Moment {
    Moment {
        time: simulation.time(),
        position: position(simulation),
        work: simulation.state().work.actuators_positive,
    }
}

/// Direction of the base's x axis seen from above \[rad\].
fn yaw(simulation: &Simulation) -> Option<f64> {
    if simulation.model().base() != Base::Floating {
        return None;
    }
    let rotation = simulation.kinematics().world.first()?.rotation;
    Some(rotation[(1, 0)].atan2(rotation[(0, 0)]))
}

/// Angle from the wanted direction to the way, both seen from above.
fn heading_error(forward: &Vector3<f64>, way: &Vector3<f64>) -> f64 {
    let cross = forward.x * way.y - forward.y * way.x;
    let dot = forward.x * way.x + forward.y * way.y;
    cross.atan2(dot)
}

/// Whether contact i is the nearest place, to a piece of terrain, of a site on a body that is wanted.
fn touches_ground(contacts: &Contacts, i: usize, wanted: impl Fn(usize) -> bool) -> bool {
    match contacts.bodies(i) {
        [Some(body), None] => contacts.is_nearest_place(i) && !contacts.is_limit(i) && wanted(body),
        _ => false,
    }
}

fn is_part_of(model: &Model, body: usize, leg: usize) -> bool {
    let mut at = Some(body);
    while let Some(b) = at {
        if b == leg {
            return true;
        }
        at = model.bodies()[b].parent;
    }
    false
}
