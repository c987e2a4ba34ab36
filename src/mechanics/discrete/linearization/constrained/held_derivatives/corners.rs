//! Slips of points that several contacts hold, and how these change.

use super::HeldDerivatives;
use crate::discrete::held::CornerDisplacement;
use crate::discrete::linearization::HeldStep;
use crate::numerics::{add_scaled, dot};

impl HeldDerivatives {
    /// Adds to the conditions of slips how the displacement of their point changes, where others hold it too: these are flat there, and
    /// their normals constant.
    pub(super) fn displace_conditions(
        &mut self,
        slot: usize,
        tangents: usize,
        h: f64,
        by_time: &mut [f64; 3],
    ) {
        let [_, middle, end] = &self.places;
        let linear = &self.linear;
        let n = linear.newton.nrows();
        for j in 0..self.end_frames.len() {
            let only = |k: usize| f64::from(u8::from(k == j));
            let corner = CornerDisplacement::of(&self.end_frames, &self.start_gaps, slot, only);
            let Some(corner) = corner else {
                return;
            };
            let [by_velocity, by_start, turned] = &mut self.beyond;
            let (gap, rate) = (end.row(j, 0), middle.rate(j, 0));
            let time = dot(gap, linear.end_place_by_time.as_slice()) / h
                - dot(rate, linear.middle_by_time.as_slice());
            for (out, ends, middles) in [
                (
                    &mut *by_velocity,
                    &linear.end_by_velocity,
                    &linear.middle_by_velocity,
                ),
                (
                    &mut *by_start,
                    &linear.end_by_start,
                    &linear.middle_by_start,
                ),
            ] {
                out.copy_from_slice(gap);
                ends.multiply_left_transposed(n, out);
                turned.copy_from_slice(rate);
                middles.multiply_left_transposed(n, turned);
                for (x, turned) in out.iter_mut().zip(turned.iter()) {
                    *x = *x / h - turned;
                }
            }
            for (x, row) in by_velocity.iter_mut().zip(middle.row(j, 0)) {
                *x -= row;
            }
            for k in 1..=tangents {
                let weight = corner.along(&self.end_frames[slot].tangents[k - 1]);
                add_scaled(&mut self.conditions[k], weight, by_velocity);
                add_scaled(&mut self.conditions_by_configuration[k], weight, by_start);
                by_time[k] += weight * time;
            }
        }
    }

    /// Slip of a contact that friction opposes.
    pub(super) fn middle_slip(&self, slot: usize, step: &HeldStep<'_>) -> [f64; 2] {
        let middle = &self.places[1];
        let (v, h) = (step.mean_velocity, step.time_step);
        let mut slip = middle.slip(slot, v);
        let tangents = step.tangents(&step.held[slot]);
        let beyond = |j: usize| self.end_frames[j].gap / h - dot(middle.row(j, 0), v);
        let frames = &self.end_frames;
        if let Some(corner) = CornerDisplacement::of(frames, &self.start_gaps, slot, beyond) {
            corner.add_to_slip(&frames[slot].tangents, &mut slip[..tangents]);
        }
        slip
    }
}
