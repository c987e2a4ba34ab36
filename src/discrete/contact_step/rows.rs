//! The rows of a step: laid out when the held contacts change, written at its start, middle and end.

use super::{ContactStepper, HeldContact, HeldMode, StepError};
use crate::contact::Contacts;
use crate::dynamics::Support;
use crate::model::Model;

/// When in the step rows are taken.
#[derive(Clone, Copy)]
pub(super) enum Moment {
    Start,
    Middle,
    End,
}

impl ContactStepper {
    /// Lays out the rows of the held contacts and writes those at the start. Where the last step of the
    /// same contacts ended at q₀ they are at hand.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        held: &[HeldContact],
        q0: &[f64],
    ) {
        let names = held.iter().map(|h| h.contact);
        let same = names.clone().eq(self.held.iter().copied());
        if !same {
            self.held.clear();
            self.held.extend(names);
            self.resize(model, contacts, held);
        }
        if same && self.end_configuration == q0 {
            std::mem::swap(&mut self.start, &mut self.end);
        } else {
            self.kinematics.update_placements(model, q0);
            self.fill(model, contacts, held, Moment::Start);
        }
        self.end_configuration.clear();
    }

    fn resize(&mut self, model: &Model, contacts: &Contacts, held: &[HeldContact]) {
        if self.supports.len() < held.len() {
            self.supports.resize(held.len(), Support::default());
        }
        self.delassus.clear(model.dof());
        for (h, support) in held.iter().zip(&mut self.supports) {
            support.update(model, contacts.bodies(h.contact));
            let friction = contacts.friction(h.contact);
            let tangents = if friction > 0.0 {
                contacts.tangent_count(h.contact)
            } else {
                0
            };
            let coordinates = support.coordinates();
            self.delassus.push(tangents, friction, coordinates);
        }
        self.delassus.allocate();
        let layout = self.delassus.layout();
        for block in [&mut self.start, &mut self.middle, &mut self.end] {
            block.resize(layout);
        }
        for rows in [
            &mut self.free,
            &mut self.rates,
            &mut self.mean_rates,
            &mut self.impulse,
        ] {
            rows.resize(layout.rows(), 0.0);
        }
        self.modes.resize(held.len(), HeldMode::Stick);
    }

    /// Writes the rows of the held contacts. At the start `kinematics` stands there; at the end the frames
    /// are those of the last iteration.
    pub(super) fn fill(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        held: &[HeldContact],
        moment: Moment,
    ) {
        let (rows, kinematics) = match moment {
            Moment::Start => (&mut self.start, &self.kinematics),
            Moment::Middle => (&mut self.middle, &self.midpoint.kinematics),
            Moment::End => (&mut self.end, &self.kinematics),
        };
        let layout = self.delassus.layout();
        for (i, (h, support)) in held.iter().zip(&self.supports).enumerate() {
            let tangents = layout.contacts()[i].tangents;
            let out = rows.block_mut(layout, i);
            let frame = match moment {
                Moment::End => self.end_frames[i],
                _ => contacts.frame(kinematics, h.contact),
            };
            frame.support_rows(model, kinematics, support, tangents, out);
        }
    }

    /// Sliding velocities at the start where the last step does not say them. `kinematics` stands at
    /// q₀ and `start` holds its rows.
    pub(super) fn update_slip(
        &mut self,
        model: &Model,
        held: &mut [HeldContact],
        p0: &[f64],
    ) -> Result<(), StepError> {
        let contacts = self.delassus.contacts();
        let mut both = held.iter().zip(contacts);
        if !both.any(|(h, rows)| rows.tangents > 0 && h.slip.is_none()) {
            return Ok(());
        }
        self.factor.factor(model, &self.kinematics)?;
        self.factor
            .solve(model, &self.kinematics, p0, &mut self.correction);
        let layout = self.delassus.layout();
        self.start
            .product(layout, &self.correction, &mut self.rates);
        for (h, rows) in held.iter_mut().zip(layout.contacts()) {
            h.slip = Some(rows.tangential(&self.rates));
        }
        Ok(())
    }

    /// The factor Y of the Delassus matrix of the middle (or end) rows with the factor of M at hand: half
    /// a solve for each row, along its contact's support only.
    pub(super) fn update_delassus(&mut self, model: &Model, at_end: bool) {
        let (rows, kinematics) = if at_end {
            (&self.end, &self.kinematics)
        } else {
            (&self.middle, &self.midpoint.kinematics)
        };
        for (i, support) in self.supports[..self.modes.len()].iter().enumerate() {
            let tangents = self.delassus.contacts()[i].tangents;
            let x = rows.block(self.delassus.layout(), i);
            let y = self.delassus.factor_rows_mut(i);
            let factor = &mut self.factor;
            match tangents {
                0 => factor.half_solve::<1>(model, kinematics, support, x, y),
                1 => factor.half_solve::<2>(model, kinematics, support, x, y),
                _ => factor.half_solve::<3>(model, kinematics, support, x, y),
            }
        }
    }
}
