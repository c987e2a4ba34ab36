//! One interval: the linear system of Table 1 for given sets, and the step length.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | A | [`Compliance`] | Delassus matrix G, r × r |
//! | v | [`Interval::velocity`] | contact velocities at the start of the interval, r |
//! | π | [`Interval::impulse`] | impulse of the whole interval, before α, r |
//! | ŝ | [`Interval::direction`] | direction that friction opposes, at the tangent rows, r |
//! | π_z^(exp) | [`Interval::expansion`] | expansion impulse still to be applied, m |
//!
//! Friction of a point with a known direction is eliminated, π_xy = −μ π_z ŝ, and the unknown that
//! stays is √(1 + μ²) π_z: the norm of the unknowns is the norm of π, so that the minimum-norm
//! solution of the small system is that of the whole one, while every row left is a velocity and
//! the answer does not depend on units.

use crate::impact::ContactRows;
use crate::numerics::LeastSquares;

/// Part of the impact a contact takes in a round (\[USD\] §3b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlusPhase {
    /// Driven to zero normal velocity.
    Compressing,
    /// Applies the expansion impulse earned by its compression in the round before.
    Expanding,
    /// Does not take part in this round.
    Observing,
}

/// What a contact does in the tangent plane during an interval (\[USD\] Table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlusMode {
    /// No impulse: an observer, or a compressing contact whose constraint was released.
    Inactive,
    /// The contact has no tangent rows.
    Frictionless,
    /// Friction opposes the sliding velocity at the start of the interval.
    Sliding,
    /// The sliding velocity is driven to zero.
    Rolling,
    /// Friction opposes the sliding velocity at the end of the interval.
    ImpendingSlip,
}

/// The Delassus matrix and the contacts, read only.
#[derive(Clone, Copy)]
pub(super) struct Compliance<'a> {
    /// Column-major and symmetric: column i is row i.
    pub(super) entries: &'a [f64],
    pub(super) contacts: &'a [ContactRows],
}

impl Compliance<'_> {
    /// Row i of A.
    pub(super) fn row(&self, i: usize, r: usize) -> &[f64] {
        &self.entries[i * r..(i + 1) * r]
    }

    /// A_i π.
    pub(super) fn product(&self, i: usize, impulse: &[f64]) -> f64 {
        self.row(i, impulse.len())
            .iter()
            .zip(impulse)
            .map(|(a, p)| a * p)
            .sum()
    }
}

/// Sizes of round-off, in the units of the problem.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scales {
    /// Largest diagonal entry of A \[1/kg\].
    pub(super) compliance: f64,
    /// Largest contact velocity at the start \[m/s\].
    pub(super) velocity: f64,
    /// Velocities below this are zero \[m/s\].
    pub(super) velocity_tolerance: f64,
    /// Impulses below this are zero \[N s\].
    pub(super) impulse_tolerance: f64,
}

/// Writes the impulse (r) of a contact on its friction cone, against a direction at its tangent rows.
pub(super) fn put_on_cone(
    impulse: &mut [f64],
    contact: &ContactRows,
    normal: f64,
    direction: &[f64],
) {
    impulse[contact.normal] = normal;
    for t in contact.tangent_rows() {
        impulse[t] = -contact.friction * normal * direction[t];
    }
}

/// State and scratch of the interval being solved.
#[derive(Debug, Clone, Default)]
pub(super) struct Interval {
    pub(super) velocity: Vec<f64>,
    pub(super) impulse: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) expansion: Vec<f64>,
    pub(super) phase: Vec<PlusPhase>,
    pub(super) mode: Vec<PlusMode>,
    pub(super) scales: Scales,
    pub(super) system: LeastSquares,
    /// Contact and row of each unknown; the equation of the same index is that row's.
    pub(super) unknowns: Vec<(usize, usize)>,
    pub(super) trial: Vec<f64>,
    pub(super) residual: Vec<f64>,
    /// Directions and impulse from which the search for slip directions starts.
    pub(super) guess: Vec<f64>,
    pub(super) start: Vec<f64>,
    /// ε of regularised friction in that search \[m/s\].
    pub(super) softness: f64,
}

impl Interval {
    /// Starts an impact with the given contact velocities, m contacts.
    pub(super) fn begin(&mut self, velocity: &[f64], m: usize, scales: Scales) {
        let r = velocity.len();
        self.velocity.clear();
        self.velocity.extend_from_slice(velocity);
        for buffer in [
            &mut self.impulse,
            &mut self.direction,
            &mut self.trial,
            &mut self.guess,
            &mut self.start,
        ] {
            buffer.clear();
            buffer.resize(r, 0.0);
        }
        self.expansion.clear();
        self.expansion.resize(m, 0.0);
        self.phase.clear();
        self.phase.resize(m, PlusPhase::Observing);
        self.mode.clear();
        self.mode.resize(m, PlusMode::Inactive);
        // No system of the impact has more unknowns than there are rows.
        self.system.reset(r);
        self.unknowns.clear();
        self.unknowns.reserve(r);
        self.residual.clear();
        self.residual.reserve(r);
        self.scales = scales;
    }

    /// Whether the contact's friction impulse is −μ π_z ŝ with the stored ŝ.
    pub(super) fn has_fixed_direction(&self, contact: usize) -> bool {
        matches!(
            self.mode[contact],
            PlusMode::Sliding | PlusMode::ImpendingSlip | PlusMode::Frictionless
        )
    }

    /// Minimum-norm impulse for the current sets and directions: (2.3), (2.4), (2.7), (2.8).
    pub(super) fn solve_linear(&mut self, a: Compliance) {
        self.impulse.fill(0.0);
        self.unknowns.clear();
        for (k, contact) in a.contacts.iter().enumerate() {
            if self.mode[k] == PlusMode::Inactive {
                continue;
            }
            if self.phase[k] == PlusPhase::Compressing {
                self.unknowns.push((k, contact.normal));
            } else {
                let normal = self.expansion[k];
                if self.has_fixed_direction(k) {
                    put_on_cone(&mut self.impulse, contact, normal, &self.direction);
                } else {
                    self.impulse[contact.normal] = normal;
                }
            }
            if self.mode[k] == PlusMode::Rolling {
                self.unknowns.extend(contact.tangent_rows().map(|t| (k, t)));
            }
        }
        let n = self.unknowns.len();
        if n == 0 {
            return;
        }
        self.system.reset(n);
        for i in 0..n {
            let row = self.unknowns[i].1;
            self.system.rhs_mut()[i] = -self.velocity[row] - a.product(row, &self.impulse);
        }
        for j in 0..n {
            self.assemble_column(a, j, self.has_fixed_direction(self.unknowns[j].0));
        }
        self.system.solve();
        for j in 0..n {
            let (k, row) = self.unknowns[j];
            let value = self.system.solution()[j];
            if self.has_fixed_direction(k) {
                let normal = value * self.normal_share(a, k);
                put_on_cone(&mut self.impulse, &a.contacts[k], normal, &self.direction);
            } else {
                self.impulse[row] = value;
            }
        }
    }

    /// 1/√(1 + μ²|ŝ|²): the normal part of a unit impulse on the friction cone.
    pub(super) fn normal_share(&self, a: Compliance, k: usize) -> f64 {
        let contact = &a.contacts[k];
        let squared: f64 = contact
            .tangent_rows()
            .map(|t| self.direction[t] * self.direction[t])
            .sum();
        1.0 / (1.0 + contact.friction * contact.friction * squared).sqrt()
    }

    /// Velocity answer of every equation's row to unknown j. `on_cone`: the unknown is an impulse
    /// along the friction cone at the stored direction; otherwise along its row.
    pub(super) fn assemble_column(&mut self, a: Compliance, j: usize, on_cone: bool) {
        let r = self.velocity.len();
        let (k, row) = self.unknowns[j];
        let contact = &a.contacts[k];
        let share = if on_cone {
            self.normal_share(a, k)
        } else {
            1.0
        };
        let column = self.system.column_mut(j);
        for (entry, &(_, i)) in column.iter_mut().zip(&self.unknowns) {
            let a_i = a.row(i, r);
            let mut value = a_i[row];
            if on_cone {
                for t in contact.tangent_rows() {
                    value -= contact.friction * self.direction[t] * a_i[t];
                }
            }
            *entry = value * share;
        }
    }

    /// The fraction α ∈ (0, 1] of the interval to apply, (2.12) to (2.14) for every sliding point. `turn` is tan θ_max.
    pub(super) fn step_length(
        &self,
        a: Compliance,
        v_transition: f64,
        turn: f64,
        alpha_min: f64,
    ) -> f64 {
        // Steps this close to the end of the round are the end of the round.
        const WHOLE: f64 = 1.0 - 1.5e-8;
        let mut alpha: f64 = 1.0;
        for (k, contact) in a.contacts.iter().enumerate() {
            if self.mode[k] != PlusMode::Sliding {
                continue;
            }
            let mut v = [0.0; 2];
            let mut w = [0.0; 2];
            for (i, t) in contact.tangent_rows().enumerate() {
                v[i] = self.velocity[t];
                w[i] = a.product(t, &self.impulse);
            }
            let slow_at = |step: f64| {
                let (x, y) = (v[0] + step * w[0], v[1] + step * w[1]);
                (x * x + y * y).sqrt() < v_transition
            };
            if slow_at(1.0) {
                continue;
            }
            let along = v[0] * w[0] + v[1] * w[1];
            let change = w[0] * w[0] + w[1] * w[1];
            let closest = if change > 0.0 {
                (-along / change).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let limit = if slow_at(closest) {
                closest.max(alpha_min) // (2.13)
            } else {
                // (2.14) in closed form: tan of the angle between v and v + α w equals tan θ_max.
                let denominator = (v[0] * w[1] - v[1] * w[0]).abs() - turn * along;
                if denominator > 0.0 {
                    let squared = v[0] * v[0] + v[1] * v[1];
                    (turn * squared / denominator).clamp(alpha_min, 1.0)
                } else {
                    1.0
                }
            };
            alpha = alpha.min(limit);
        }
        if alpha > WHOLE { 1.0 } else { alpha }
    }
}
