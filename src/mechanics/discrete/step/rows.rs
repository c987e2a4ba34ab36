//! The rows of a step: laid out when the held contacts change, written at its start, middle and end.

use super::end::velocity_resolution;
use super::{StepInput, Stepper};
use crate::discrete::StepError;
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::dynamics::Support;
use crate::friction::{FrictionRows, HeldMode};
use crate::model::Model;

/// When in the step rows are taken.
#[derive(Clone, Copy)]
pub(super) enum Moment {
    Start,
    Middle,
    End,
}

/// Takes the second from the first.
pub(super) fn subtract(from: &mut [f64], x: &[f64]) {
    for (from, x) in from.iter_mut().zip(x) {
        *from -= x;
    }
}

impl Stepper {
    /// Lays out the rows of the held contacts and of the joints with dry friction, and writes those at the
    /// start. Where the last step of the same contacts ended at q₀ they are at hand.
    pub(super) fn begin(&mut self, input: &StepInput<'_>, held: &[HeldContact]) {
        // Where terrain moves by itself rows belong to their time as well.
        let is_now = |time: f64| !input.contacts.is_shaken() || time == self.time;
        let begins_at_end = self.end_configuration == input.q0 && is_now(self.end_time);
        let begins_again = self.start_configuration == input.q0 && is_now(self.start_time);
        let names = held.iter().map(|h| (h.contact, h.face));
        let same = self.laid_out
            && names.clone().eq(self.held.iter().copied())
            && self.rubbing == self.locks.with_rows;
        self.resolution = velocity_resolution(input.whole);
        self.half_duration = if self.two_sided {
            0.5 * input.h
        } else {
            0.5 * input.h.abs()
        };
        self.take_matrices(begins_at_end, same);
        if same {
            self.update_joint_limits(held.len());
        } else {
            self.held.clear();
            self.held.extend(names);
            self.lay_out(input, held);
            self.laid_out = true;
            self.trial_length = 0.0;
        }
        if same && begins_at_end {
            std::mem::swap(&mut self.start, &mut self.end);
            let [start, _, end] = &mut self.drives;
            std::mem::swap(start, end);
            self.start_gaps.clear();
            self.start_gaps
                .extend(self.end_frames.iter().map(|frame| frame.gap));
        } else if !(same && begins_again) {
            self.place_at_start(input);
            self.fill(input, held, Moment::Start);
        }
        self.end_configuration.clear();
        self.start_configuration.clear();
        self.start_configuration.extend_from_slice(input.q0);
        self.start_time = self.time;
    }

    /// Brings robot and terrain to the start of the step.
    pub(super) fn place_at_start(&mut self, input: &StepInput<'_>) {
        self.kinematics.clock.time = self.time;
        self.kinematics.update_placements(input.model, input.q0);
    }

    fn update_joint_limits(&mut self, contacts: usize) {
        let half = self.half_duration;
        let limits = || self.locks.rubbing().map(|j| half * j.friction);
        self.delassus.set_joint_limits(contacts, limits());
        self.matrices.set_joint_limits(contacts, limits());
    }

    /// Lays out the rows of the held contacts and of the joints that have rows.
    pub(super) fn lay_out(&mut self, input: &StepInput<'_>, held: &[HeldContact]) {
        let (model, contacts) = (input.model, input.contacts);
        self.rubbing.clone_from(&self.locks.with_rows);
        self.factored_length = 0.0;
        let count = held.len() + self.rubbing.len();
        if self.supports.len() < count {
            self.supports.resize(count, Support::default());
        }
        self.delassus.clear(model.dof());
        let (own, rubbing) = self.supports[..count].split_at_mut(held.len());
        for (h, support) in held.iter().zip(own) {
            support.update(model, contacts.bodies(h.contact));
            self.springs.widen(model, support);
            let friction = contacts.friction(h.contact);
            let tangents = contacts.rough_tangent_count(h.contact);
            let rows = FrictionRows::contact(0, tangents, friction);
            self.delassus.push(rows, support.coordinates(), None);
        }
        for (joint, support) in self.locks.rubbing().zip(rubbing) {
            support.update(model, [Some(joint.body), None]);
            self.springs.widen(model, support);
            let rows = FrictionRows::joint(0, 0.0);
            self.delassus
                .push(rows, support.coordinates(), Some(joint.at));
        }
        let bodies = |h: &HeldContact| contacts.bodies(h.contact);
        let mut later = held.iter().enumerate();
        self.shares_bodies =
            later.any(|(i, h)| held[..i].iter().any(|own| bodies(own) == bodies(h)));
        self.delassus.allocate();
        self.matrices.lay_out(&self.delassus);
        self.update_joint_limits(held.len());
        let layout = self.delassus.layout();
        for block in [&mut self.start, &mut self.middle, &mut self.end] {
            block.resize(layout);
        }
        for rows in [
            &mut self.free,
            &mut self.targets,
            &mut self.negative,
            &mut self.rates,
            &mut self.mean_rates,
            &mut self.impulse,
        ] {
            rows.resize(layout.rows(), 0.0);
        }
        // Rows of joints keep these: what the surface of a contact that had their place moved at is none of theirs. Those of contacts
        // are theirs also where a joint is released at the end of a step.
        let of_contacts = layout.groups()[held.len()..].first().map(|rubs| rubs.row);
        for rows in &mut self.drives {
            rows.truncate(of_contacts.unwrap_or(layout.rows()));
            rows.resize(layout.rows(), 0.0);
        }
        self.modes.resize(count, HeldMode::Stick);
        self.slip_speeds.resize(count, 0.0);
        for (i, joint) in self.locks.rubbing().enumerate() {
            for block in [&mut self.start, &mut self.middle, &mut self.end] {
                let own = block.block_mut(layout, held.len() + i);
                let coordinates = self.supports[held.len() + i].coordinates();
                for (entry, at) in own.iter_mut().zip(coordinates) {
                    *entry = f64::from(u8::from(*at == joint.at));
                }
            }
        }
    }

    /// Writes the rows of the held contacts; those of joints never change. At the start `kinematics`
    /// stands there; at the end the frames are those of the last iteration.
    pub(super) fn fill(&mut self, input: &StepInput<'_>, held: &[HeldContact], moment: Moment) {
        let (rows, kinematics) = match moment {
            Moment::Start => (&mut self.start, &self.kinematics),
            Moment::Middle => (&mut self.middle, &self.midpoint.kinematics),
            Moment::End => (&mut self.end, &self.kinematics),
        };
        if matches!(moment, Moment::Start) {
            self.start_gaps.clear();
        }
        let layout = self.delassus.layout();
        for (i, (h, support)) in held.iter().zip(&self.supports).enumerate() {
            let tangents = layout.groups()[i].tangents;
            let out = rows.block_mut(layout, i);
            let frame = match moment {
                Moment::End => self.end_frames[i],
                _ => input.contacts.held_frame(kinematics, h.contact, h.place()),
            };
            if matches!(moment, Moment::Start) {
                self.start_gaps.push(frame.gap);
            }
            frame.support_rows(input.model, kinematics, support, tangents, out);
            if input.contacts.has_moving_surface() {
                let first = layout.groups()[i].row;
                let drives = &mut self.drives[moment as usize][first..=first + tangents];
                for (own, drive) in drives.iter_mut().zip(frame.drives()) {
                    *own = drive;
                }
            }
        }
    }

    /// Velocities at the start where the last step does not say them. `start` holds its rows.
    pub(super) fn update_slip(
        &mut self,
        input: &StepInput<'_>,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
    ) -> Result<(), StepError> {
        let known =
            held.iter().all(|h| h.slip.is_some()) && joints.iter().all(|j| j.rate.is_some());
        if known {
            return Ok(());
        }
        if self.trial_length == 0.0 {
            self.place_at_start(input);
            if !self.matrices.at_start[0] {
                self.factor_with_locks(input.model)?;
                self.matrices.at_start = [true, false];
            }
            self.factor.solve(
                input.model,
                &self.kinematics,
                input.p0,
                &mut self.start_velocity,
            );
        }
        let layout = self.delassus.layout();
        self.start
            .product(layout, &self.start_velocity, &mut self.rates);
        if input.contacts.has_moving_surface() {
            subtract(&mut self.rates, &self.drives[Moment::Start as usize]);
        }
        let (contacts, rubbing) = layout.groups().split_at(held.len());
        for (h, rows) in held.iter_mut().zip(contacts) {
            h.slip = Some(rows.tangential(&self.rates));
            h.normal_velocity = self.rates[rows.row];
        }
        for (&i, rows) in self.locks.with_rows.iter().zip(rubbing) {
            joints[i].rate = Some(self.rates[rows.row]);
        }
        Ok(())
    }

    /// The factor Y of the Delassus matrix of the rows of a moment with the factor of M at hand: half
    /// a solve for each row, along its support only. In the middle springs between points are part of M.
    pub(super) fn update_delassus(&mut self, model: &Model, moment: Moment) {
        let (rows, kinematics) = match moment {
            Moment::Start => (&self.start, &self.kinematics),
            Moment::Middle => (&self.middle, &self.midpoint.kinematics),
            Moment::End => (&self.end, &self.kinematics),
        };
        let with_springs = matches!(moment, Moment::Middle) && !self.springs.is_empty();
        if with_springs {
            self.springs
                .update_cuts(model, kinematics, &mut self.factor);
        }
        for (i, support) in self.supports[..self.modes.len()].iter().enumerate() {
            let height = self.delassus.groups()[i].height();
            let x = rows.block(self.delassus.layout(), i);
            let y = self.delassus.factor_rows_mut(i);
            let factor = &mut self.factor;
            match height {
                1 => factor.half_solve::<1>(model, kinematics, support, x, y),
                2 => factor.half_solve::<2>(model, kinematics, support, x, y),
                _ => factor.half_solve::<3>(model, kinematics, support, x, y),
            }
            if with_springs {
                self.springs.cut(support, height, y);
            }
        }
    }
}
