//! The active-set heuristic of Algorithm 1: assume every constraint, release the most violated.
//!
//! The printed listing releases one point at a time. Points whose violations are equal to
//! round-off are released together here: otherwise the choice among them would depend on the order
//! in which contacts are listed and a symmetric impact would end asymmetric.

use super::interval::{Compliance, Interval, PlusMode, PlusPhase};
use crate::impact::ContactRows;

/// Violations this close (in units of the impulse tolerance) are equal.
const TIE: f64 = 100.0;

impl Interval {
    /// Sets of the interval, its impulse for the whole step.
    pub(super) fn select(&mut self, a: Compliance, v_transition: f64) {
        for (k, contact) in a.contacts.iter().enumerate() {
            self.mode[k] = if self.phase[k] == PlusPhase::Observing {
                PlusMode::Inactive
            } else if contact.tangents == 0 {
                PlusMode::Frictionless
            } else {
                let speed = self.slip_speed(contact);
                if speed < v_transition {
                    PlusMode::Rolling
                } else {
                    self.oppose_slip(contact, speed);
                    PlusMode::Sliding
                }
            };
        }
        loop {
            self.solve(a);
            let worst = (0..a.contacts.len())
                .map(|k| self.violation(a, k))
                .fold(0.0, f64::max);
            if worst <= self.scales.impulse_tolerance {
                return;
            }
            let released = worst - TIE * self.scales.impulse_tolerance;
            for k in 0..a.contacts.len() {
                let violation = self.violation(a, k);
                if violation > 0.0 && violation >= released {
                    self.release(a, k);
                }
            }
        }
    }

    pub(super) fn slip_speed(&self, contact: &ContactRows) -> f64 {
        norm(contact.tangent_rows().map(|t| self.velocity[t]))
    }

    /// Friction opposes the sliding velocity, which is not zero.
    pub(super) fn oppose_slip(&mut self, contact: &ContactRows, speed: f64) {
        for t in contact.tangent_rows() {
            self.direction[t] = self.velocity[t] / speed;
        }
    }

    /// How far the contact's impulse lies outside of the friction cone, or pulls \[N s\].
    fn violation(&self, a: Compliance, k: usize) -> f64 {
        let contact = &a.contacts[k];
        let normal = self.impulse[contact.normal];
        let mut violation: f64 = 0.0;
        if self.mode[k] == PlusMode::Rolling {
            let friction = norm(contact.tangent_rows().map(|t| self.impulse[t]));
            violation = friction - contact.friction * normal;
        }
        if self.phase[k] == PlusPhase::Compressing && self.mode[k] != PlusMode::Inactive {
            violation = violation.max(-normal);
        }
        violation
    }

    /// A rolling contact starts to slip against its rejected rolling impulse; any other one
    /// gives no impulse in this interval.
    fn release(&mut self, a: Compliance, k: usize) {
        if self.mode[k] != PlusMode::Rolling {
            self.mode[k] = PlusMode::Inactive;
            return;
        }
        self.mode[k] = PlusMode::ImpendingSlip;
        let contact = &a.contacts[k];
        let friction = norm(contact.tangent_rows().map(|t| self.impulse[t]));
        let speed = self.slip_speed(contact);
        for t in contact.tangent_rows() {
            self.direction[t] = if friction > self.scales.impulse_tolerance {
                -self.impulse[t] / friction
            } else if speed > 0.0 {
                self.velocity[t] / speed
            } else {
                0.0
            };
        }
    }
}

fn norm(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}
