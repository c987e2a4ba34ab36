//! The outer loop of the law: rounds of compression and expansion (Algorithm 2).
//!
//! The printed listing omits the call of Algorithm 1 and accumulates wrongly. Per interval, with
//! step = α π:
//!
//! ```text
//! total += step,   π_z^(exp) ← (1 − α) π_z^(exp),   acc_k += e_k step_z   for k compressing,   v += A step
//! ```
//!
//! A round ends with the interval that reaches α = 1, if nothing only presses on in it. The next one expands what was accumulated,
//! and the impact ends when nothing approaches and nothing is left to expand.

use super::PlusSettings;
use super::interval::{Compliance, Interval, PlusMode, PlusPhase, Scales};
use crate::impact::{ContactSpace, ImpactStatus};

/// Sees every interval after it was applied.
pub(super) trait Observer {
    fn interval(&mut self, round: usize, alpha: f64, interval: &Interval, step: &[f64]);
}

/// Sees nothing.
impl Observer for () {
    fn interval(&mut self, _: usize, _: f64, _: &Interval, _: &[f64]) {}
}

/// What a resolution took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effort {
    pub(super) status: ImpactStatus,
    pub(super) rounds: usize,
    pub(super) intervals: usize,
}

/// State and scratch of one impact. Grows to the largest problem seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Impact {
    interval: Interval,
    /// π^(total), r.
    total: Vec<f64>,
    /// α π of the last interval, r.
    step: Vec<f64>,
    /// π_z^(acc), m.
    accumulated: Vec<f64>,
    /// e of the round, m.
    restitution: Vec<f64>,
}

impl Impact {
    /// π^(total) of the last run, r.
    pub(super) fn total(&self) -> &[f64] {
        &self.total
    }

    /// Runs the impact from the velocities of `space`.
    pub(super) fn run(
        &mut self,
        space: &ContactSpace,
        parameters: &PlusSettings,
        observer: &mut impl Observer,
    ) -> Effort {
        let a = Compliance {
            entries: space.delassus.as_slice(),
            contacts: &space.contacts,
        };
        let scales = self.start(space, parameters);
        let turn = parameters.theta_max.tan();
        let slow = parameters.v_transition.max(scales.velocity_tolerance);
        let mut effort = Effort {
            status: ImpactStatus::Resolved,
            rounds: 0,
            intervals: 0,
        };
        while self.begin_round(a, parameters) {
            if effort.rounds == parameters.max_rounds {
                effort.status = ImpactStatus::NotTerminated;
                return effort;
            }
            effort.rounds += 1;
            let mut acted = false;
            loop {
                if effort.intervals == parameters.max_intervals {
                    effort.status = ImpactStatus::NotTerminated;
                    return effort;
                }
                effort.intervals += 1;
                self.interval.select(a, slow);
                let presses_on = self.interval.press_on(a, slow);
                let alpha = self
                    .interval
                    .step_length(a, slow, turn, parameters.alpha_min);
                acted |= self.apply(a, alpha);
                observer.interval(effort.rounds, alpha, &self.interval, &self.step);
                // What presses on has not been compressed.
                if alpha >= 1.0 && !presses_on {
                    break;
                }
            }
            if !acted {
                // Nothing more can be done for the points that still approach.
                effort.status = ImpactStatus::NotTerminated;
                return effort;
            }
        }
        effort
    }

    fn start(&mut self, space: &ContactSpace, parameters: &PlusSettings) -> Scales {
        let r = space.rows();
        let m = space.len();
        for (buffer, size) in [
            (&mut self.total, r),
            (&mut self.step, r),
            (&mut self.accumulated, m),
            (&mut self.restitution, m),
        ] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        let compliance = (0..r)
            .map(|i| space.delassus[(i, i)])
            .fold(f64::MIN_POSITIVE, f64::max);
        let velocity = space.velocity.amax();
        let scales = Scales {
            compliance,
            velocity,
            velocity_tolerance: parameters.tolerance * velocity,
            impulse_tolerance: parameters.tolerance * velocity / compliance,
        };
        self.interval.begin(space.velocity.as_slice(), m, scales);
        scales
    }

    /// Classifies the contacts for the next round. False when the impact is over.
    fn begin_round(&mut self, a: Compliance, parameters: &PlusSettings) -> bool {
        let scales = self.interval.scales;
        let mut active = false;
        let normals = a.contacts.iter().map(|c| self.interval.velocity[c.normal]);
        let fastest = normals.fold(0.0_f64, |most, v| most.max(-v));
        let all_compress = !parameters.propagation && fastest > scales.velocity_tolerance;
        for (k, contact) in a.contacts.iter().enumerate() {
            let earned = std::mem::take(&mut self.accumulated[k]);
            let approach = -self.interval.velocity[contact.normal];
            self.restitution[k] = 0.0;
            self.interval.expansion[k] = 0.0;
            self.interval.phase[k] = if earned > scales.impulse_tolerance {
                self.interval.expansion[k] = earned;
                active = true;
                PlusPhase::Expanding
            } else if approach > scales.velocity_tolerance {
                self.restitution[k] = parameters.restitution(contact.restitution, approach);
                active = true;
                PlusPhase::Compressing
            } else if all_compress {
                active = true;
                PlusPhase::Compressing
            } else {
                PlusPhase::Observing
            };
            if all_compress && self.interval.phase[k] == PlusPhase::Compressing {
                self.restitution[k] = parameters.restitution(contact.restitution, fastest);
            }
        }
        active
    }

    /// Applies the fraction α of the interval. Returns whether an impulse acted.
    fn apply(&mut self, a: Compliance, alpha: f64) -> bool {
        let interval = &mut self.interval;
        for (step, impulse) in self.step.iter_mut().zip(&interval.impulse) {
            *step = alpha * impulse;
        }
        for (total, step) in self.total.iter_mut().zip(&self.step) {
            *total += step;
        }
        for i in 0..self.step.len() {
            interval.velocity[i] += a.product(i, &self.step);
        }
        for (k, contact) in a.contacts.iter().enumerate() {
            interval.expansion[k] *= 1.0 - alpha;
            if interval.phase[k] == PlusPhase::Compressing && interval.mode[k] != PlusMode::Inactive
            {
                self.accumulated[k] += self.restitution[k] * self.step[contact.normal];
            }
        }
        self.step
            .iter()
            .any(|step| step.abs() > interval.scales.impulse_tolerance)
    }
}
