//! Whether a saved state is one of a robot with its contacts: every index, length and number of it.

use super::state::Strikes;
use super::{SimulationError, State};
use crate::contact::Contacts;
use crate::discrete::held::{HeldContact, HeldJoint, rubbing_joints};
use crate::friction::HeldMode;
use crate::model::Model;

/// Counts beyond this are no counts: sums of them would not fit their numbers.
pub const LARGEST_COUNT: u64 = 1 << 53;

type Wrong = (String, String);

impl State {
    /// Whether the state is one of `model` with `contacts`.
    ///
    /// # Errors
    /// [`SimulationError::SavedState`] for the first length, index or number that cannot be.
    pub fn check(&self, model: &Model, contacts: &Contacts) -> Result<(), SimulationError> {
        self.find_wrong(model, contacts)
            .map_err(|(place, reason)| SimulationError::SavedState { place, reason })
    }

    fn find_wrong(&self, model: &Model, contacts: &Contacts) -> Result<(), Wrong> {
        length(
            "q",
            self.q.len(),
            model.configuration_len(),
            "entries of a configuration",
        )?;
        length("p", self.p.len(), model.dof(), "coordinates")?;
        let rubbing = HeldJoint::of(model).len();
        length(
            "joints",
            self.joints.len(),
            rubbing,
            "joints with dry friction or a latch",
        )?;
        model
            .check_configuration(&self.q)
            .map_err(|error| ("q".to_string(), error.to_string()))?;
        finite("p", &self.p)?;
        if !self.velocity.is_empty() {
            let size = self.velocity.len();
            length("velocity", size, model.dof(), "coordinates")?;
            finite("velocity", &self.velocity)?;
        }
        count("step", self.step)?;
        count("impacts", self.impacts)?;
        count("captures", self.captures)?;
        moment("time", self.time)?;
        if let Some(time) = self.first_impact {
            moment("first_impact", time)?;
        }
        if let Some(time) = self.relaxing {
            moment("relaxing", time)?;
        }
        for (i, held) in self.held_efforts.iter().enumerate() {
            count(&format!("held_efforts[{i}].sample"), held.sample)?;
            let place = format!("held_efforts[{i}].efforts");
            length(&place, held.efforts.len(), model.dof(), "coordinates")?;
            finite(&place, &held.efforts)?;
        }
        let work = &self.work;
        let parts = [
            work.actuators,
            work.actuators_positive,
            work.dissipative,
            work.surfaces,
            work.impacts,
            work.captured,
        ];
        finite("work", &parts)?;
        for (i, strikes) in self.strikes.iter().enumerate() {
            let place = format!("strikes[{i}]");
            if strikes.contact >= contacts.len() {
                let reason = format!("there are {} contacts", contacts.len());
                return Err((format!("{place}.contact"), reason));
            }
            if strikes.known > strikes.times.len() {
                let reason = format!("known is {}, at most 3 are kept", strikes.known);
                return Err((place, reason));
            }
            finite(&place, &strikes.times)?;
            finite(&place, &strikes.speeds)?;
        }
        let ascending = |pair: &[Strikes]| pair[0].contact < pair[1].contact;
        if let Some(i) = self.strikes.windows(2).position(|pair| !ascending(pair)) {
            let reason = "contacts stand in ascending order, each once".to_string();
            return Err((format!("strikes[{}].contact", i + 1), reason));
        }
        for (i, held) in self.held.iter().enumerate() {
            check_held(&format!("held[{i}]"), held, contacts)?;
        }
        let ascending = |pair: &[HeldContact]| pair[0].contact < pair[1].contact;
        if let Some(i) = self.held.windows(2).position(|pair| !ascending(pair)) {
            let reason = "contacts stand in ascending order, each once".to_string();
            return Err((format!("held[{}].contact", i + 1), reason));
        }
        if let Some(i) = self.leaving.iter().position(|&j| j >= contacts.len()) {
            let reason = format!("there are {} contacts", contacts.len());
            return Err((format!("leaving[{i}]"), reason));
        }
        for (i, joint) in self.joints.iter().enumerate() {
            let place = format!("joints[{i}]");
            finite(&place, &joint.impulses)?;
            finite(&place, &[joint.jump, joint.rate.unwrap_or(0.0)])?;
            moment(&format!("{place}.duration"), joint.duration)?;
            check_modes(&place, &joint.modes)?;
            let at = rubbing_joints(model).nth(i).map(|(_, at, _)| at);
            let mut latches = contacts.latches().iter();
            if joint.latched && !latches.any(|latch| Some(latch.limit.coordinate) == at) {
                let reason = "the joint has no latch".to_string();
                return Err((format!("{place}.latched"), reason));
            }
        }
        self.predictor.entries().try_for_each(|difference| {
            finite("predictor", difference)?;
            if difference.len().is_multiple_of(model.dof().max(1)) {
                return Ok(());
            }
            let reason = format!(
                "{} entries for {} coordinates",
                difference.len(),
                model.dof()
            );
            Err(("predictor".to_string(), reason))
        })
    }
}

fn check_held(place: &str, held: &HeldContact, contacts: &Contacts) -> Result<(), Wrong> {
    if held.contact >= contacts.len() {
        let reason = format!(
            "it is {}, there are {} contacts",
            held.contact,
            contacts.len()
        );
        return Err((format!("{place}.contact"), reason));
    }
    if held
        .face
        .is_some_and(|face| !contacts.has_face(held.contact, face))
    {
        let reason = "the contact is with no box that has this face".to_string();
        return Err((format!("{place}.face"), reason));
    }
    check_modes(place, &held.modes)?;
    finite(place, &held.start_impulse)?;
    finite(place, &held.end_impulse)?;
    for difference in held.jumps.entries() {
        finite(place, difference)?;
    }
    finite(place, &held.slip.unwrap_or_default())?;
    finite(
        place,
        &[
            held.gap,
            held.normal_velocity,
            held.force_rate,
            held.force_bend,
            held.approach,
        ],
    )?;
    moment(&format!("{place}.duration"), held.duration)
}

fn check_modes(place: &str, modes: &[HeldMode; 2]) -> Result<(), Wrong> {
    for mode in modes {
        let HeldMode::Slide(direction) = mode else {
            continue;
        };
        let off = (direction[0].hypot(direction[1]) - 1.0).abs();
        if off.is_nan() || off >= 1e-6 {
            let reason = format!("a slide goes along a direction of length 1, not {direction:?}");
            return Err((format!("{place}.modes"), reason));
        }
    }
    Ok(())
}

fn length(place: &str, found: usize, expected: usize, of: &str) -> Result<(), Wrong> {
    if found == expected {
        return Ok(());
    }
    let reason = format!("it has {found} entries, there are {expected} {of}");
    Err((place.to_string(), reason))
}

fn finite(place: &str, x: &[f64]) -> Result<(), Wrong> {
    match x.iter().find(|x| !x.is_finite()) {
        Some(x) => Err((place.to_string(), format!("{x} is not a finite number"))),
        None => Ok(()),
    }
}

fn count(place: &str, x: u64) -> Result<(), Wrong> {
    if x <= LARGEST_COUNT {
        return Ok(());
    }
    Err((place.to_string(), format!("{x} is no count of a run")))
}

fn moment(place: &str, x: f64) -> Result<(), Wrong> {
    if x.is_finite() && x >= 0.0 {
        return Ok(());
    }
    let reason = format!("it is {x}, it must be finite and at least 0");
    Err((place.to_string(), reason))
}
