//! Jams: friction drives contacts that slide into their surfaces against their own normal impulses, A_zz ≤ μ A_zt ŝ, and no
//! compression stops them, so that Algorithm 1 gives no impulse at all.
//!
//! Each presses on with π_z (1, −μ ŝ) until it would stop sliding alone,
//!
//! ```text
//! π_z = ‖v_xy‖/d,        d = ŝᵀ(μ A_xy,xy ŝ − A_xy,z)
//! ```
//!
//! which is positive: μ d > μ A_zt ŝ − A_zz ≥ 0, because (1, −μ ŝ) A (1, −μ ŝ)ᵀ > 0.

use super::interval::{Compliance, Interval, PlusMode, PlusPhase, put_on_cone};

impl Interval {
    /// Where no impulse acts, gives those that slide and approach these impulses, or as much of them as parts none of them from what it
    /// presses on. Returns whether there are any.
    pub(super) fn press_on(&mut self, a: Compliance, v_transition: f64) -> bool {
        let acts = |impulse: &f64| impulse.abs() > self.scales.impulse_tolerance;
        if self.impulse.iter().any(acts) {
            return false;
        }
        let mut any = false;
        for (k, contact) in a.contacts.iter().enumerate() {
            let approaches = self.velocity[contact.normal] < -self.scales.velocity_tolerance;
            if self.phase[k] != PlusPhase::Compressing || !approaches {
                continue;
            }
            let slip = self.slip_speed(contact);
            if slip < v_transition {
                continue;
            }
            self.oppose_slip(contact, slip);
            self.trial.fill(0.0);
            put_on_cone(&mut self.trial, contact, 1.0, &self.direction);
            let slowed: f64 = (contact.tangent_rows())
                .map(|t| -self.direction[t] * a.product(t, &self.trial))
                .sum();
            if slowed > 0.0 {
                if !any {
                    // What is left of rounding.
                    self.impulse.fill(0.0);
                }
                put_on_cone(&mut self.impulse, contact, slip / slowed, &self.direction);
                self.mode[k] = PlusMode::Sliding;
                any = true;
            }
        }
        if !any {
            return false;
        }
        let mut share: f64 = 1.0;
        for contact in a.contacts {
            let change = a.product(contact.normal, &self.impulse);
            if self.impulse[contact.normal] > 0.0 && change > 0.0 {
                share = share.min(-self.velocity[contact.normal] / change);
            }
        }
        for impulse in &mut self.impulse {
            *impulse *= share;
        }
        true
    }
}
