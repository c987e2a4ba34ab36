//! The active-set heuristic of Algorithm 1: assume every constraint, release the most violated.
//!
//! The printed listing releases one point at a time. Points whose violations are equal to
//! round-off are released together here: otherwise the choice among them would depend on the order
//! in which contacts are listed and a symmetric impact would end asymmetric.

use super::interval::{Compliance, Interval, PlusMode, PlusPhase};

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
                let speed = norm(contact.tangent_rows().map(|t| self.velocity[t]));
                if speed < v_transition {
                    PlusMode::Rolling
                } else {
                    for t in contact.tangent_rows() {
                        self.direction[t] = self.velocity[t] / speed;
                    }
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

    /// Where no constraint is left although contacts that slide approach, friction drives each of them into its surface
    /// against its own normal impulse: A_zz ≤ μ A_zt ŝ. Each is given the impulse on its cone by which it would stop
    /// sliding alone, or as much of it as parts none from what it presses on: what parts would be given energy.
    /// Returns whether there are any.
    ///
    /// There is one: μ ŝᵀ(μ A_tt ŝ − A_tz) > μ A_zt ŝ − A_zz ≥ 0, because (1, −μ ŝ) A (1, −μ ŝ)ᵀ > 0.
    pub(super) fn press_on(&mut self, a: Compliance, v_transition: f64) -> bool {
        let acts = |impulse: &f64| impulse.abs() > self.scales.impulse_tolerance;
        if self.impulse.iter().any(acts) {
            return false;
        }
        let r = self.velocity.len();
        let mut any = false;
        for (k, contact) in a.contacts.iter().enumerate() {
            let approaches = self.velocity[contact.normal] < -self.scales.velocity_tolerance;
            if self.phase[k] != PlusPhase::Compressing || !approaches {
                continue;
            }
            let speed = norm(contact.tangent_rows().map(|t| self.velocity[t]));
            if speed < v_transition {
                continue;
            }
            for t in contact.tangent_rows() {
                self.direction[t] = self.velocity[t] / speed;
            }
            let slowed = contact.tangent_rows().map(|t| {
                let row = a.row(t, r);
                let friction = contact.tangent_rows().map(|u| row[u] * self.direction[u]);
                self.direction[t] * (contact.friction * friction.sum::<f64>() - row[contact.normal])
            });
            let slowed: f64 = slowed.sum();
            if slowed <= 0.0 {
                continue;
            }
            self.mode[k] = PlusMode::Sliding;
            let normal = speed / slowed;
            self.impulse[contact.normal] = normal;
            for t in contact.tangent_rows() {
                self.impulse[t] = -contact.friction * normal * self.direction[t];
            }
            any = true;
        }
        let mut share: f64 = 1.0;
        for contact in a.contacts {
            let change = a.product(contact.normal, &self.impulse);
            if self.impulse[contact.normal] > 0.0 && change > 0.0 {
                share = share.min(-self.velocity[contact.normal] / change);
            }
        }
        self.impulse
            .iter_mut()
            .for_each(|impulse| *impulse *= share);
        any
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
        let speed = norm(contact.tangent_rows().map(|t| self.velocity[t]));
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
