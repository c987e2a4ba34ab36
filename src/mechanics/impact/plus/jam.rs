//! Contacts that approach and for which Algorithm 1 finds no impulse at all.
//!
//! # Jams
//!
//! Friction drives contacts that slide into their surfaces against their own normal impulses, A_zz ≤ μ A_zt ŝ, and no
//! compression stops them. Each presses on with π_z (1, −μ ŝ) until it would stop sliding alone,
//!
//! ```text
//! π_z = ‖v_xy‖/d,        d = ŝᵀ(μ A_xy,xy ŝ − A_xy,z)
//! ```
//!
//! which is positive: μ d > μ A_zt ŝ − A_zz ≥ 0, because (1, −μ ŝ) A (1, −μ ŝ)ᵀ > 0.
//!
//! # Slow slips
//!
//! A contact that may roll (slip below `v_transition`) and needs more friction for it than it has is about to slip. Near the border
//! of the cone the slip that is left is short, its direction turns within a step of Newton's method, which then ends where the
//! normal impulse pulls. The contact alone has all its Coulomb solutions in closed form ([`for_each_solution`]): it takes that of
//! sticking, or that whose friction is nearest to what rolling would need. Where it has none it slides as it does, and is compressed
//! or jams.

use nalgebra::{Vector2, Vector3};

use super::interval::{Compliance, Interval, PlusMode, PlusPhase, put_on_cone};
use crate::impact::dissipation::{ContactBlock, CoulombKind, for_each_solution};

impl Interval {
    /// Where no impulse acts, gives those that approach these impulses, or as much of them as parts none of them from what it
    /// presses on. Returns whether there are any.
    pub(super) fn press_on(&mut self, a: Compliance, v_transition: f64) -> bool {
        let acts = |impulse: &f64| impulse.abs() > self.scales.impulse_tolerance;
        if self.impulse.iter().any(acts) {
            return false;
        }
        // What is left of rounding.
        self.impulse.fill(0.0);
        let mut any = false;
        for (k, contact) in a.contacts.iter().enumerate() {
            let approaches = self.velocity[contact.normal] < -self.scales.velocity_tolerance;
            if self.phase[k] == PlusPhase::Compressing && approaches {
                let slow = self.slip_speed(contact) < v_transition;
                any |= slow && self.stop_alone(a, k) || self.slide_on(a, k);
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

    /// Gives contact k the impulse of a Coulomb solution that stops its approach, as if it were alone. Returns whether it has one.
    fn stop_alone(&mut self, a: Compliance, k: usize) -> bool {
        let contact = &a.contacts[k];
        let r = self.velocity.len();
        let entry = |row, other: usize| a.row(row, r)[other];
        let block = ContactBlock::of_rows(contact, entry, |row| self.velocity[row]);
        let rolling = block.padded().cholesky();
        let needed = rolling.map(|a| a.solve(&-block.velocity));
        let needed = needed.map_or(Vector2::zeros(), |x| Vector2::new(x[1], x[2]));
        let mut best: Option<(f64, Vector3<f64>, PlusMode)> = None;
        for_each_solution(&block, |solution| {
            let x = solution.impulse;
            let friction = Vector2::new(x[1], x[2]);
            let (nearness, mode) = match solution.kind {
                CoulombKind::Stick => (f64::INFINITY, PlusMode::Rolling),
                CoulombKind::Frictionless => (0.0, PlusMode::Frictionless),
                CoulombKind::Slide => (
                    friction.dot(&needed) / friction.norm(),
                    PlusMode::ImpendingSlip,
                ),
                CoulombKind::NoImpulse | CoulombKind::SlideFamily => return,
            };
            if best.is_none_or(|(nearest, ..)| nearness > nearest) {
                best = Some((nearness, x, mode));
            }
        });
        let Some((_, x, mode)) = best else {
            return false;
        };
        self.mode[k] = mode;
        for (i, row) in contact.rows().enumerate() {
            self.impulse[row] = x[i];
        }
        if mode == PlusMode::ImpendingSlip {
            let friction = x[1].hypot(x[2]);
            for (i, t) in contact.tangent_rows().enumerate() {
                self.direction[t] = -x[1 + i] / friction;
            }
        }
        true
    }

    /// Lets contact k press on, as it slides, until it has stopped sliding or approaching. Returns whether it slides and can.
    fn slide_on(&mut self, a: Compliance, k: usize) -> bool {
        let contact = &a.contacts[k];
        let slip = self.slip_speed(contact);
        if slip <= self.scales.velocity_tolerance {
            return false;
        }
        self.oppose_slip(contact, slip);
        self.trial.fill(0.0);
        put_on_cone(&mut self.trial, contact, 1.0, &self.direction);
        let slowed: f64 = (contact.tangent_rows())
            .map(|t| -self.direction[t] * a.product(t, &self.trial))
            .sum();
        let raised = a.product(contact.normal, &self.trial);
        let until = |rate: f64, speed: f64| {
            if rate > 0.0 {
                speed / rate
            } else {
                f64::INFINITY
            }
        };
        let normal = until(slowed, slip).min(until(raised, -self.velocity[contact.normal]));
        if !normal.is_finite() {
            return false;
        }
        put_on_cone(&mut self.impulse, contact, normal, &self.direction);
        self.mode[k] = PlusMode::Sliding;
        true
    }
}
