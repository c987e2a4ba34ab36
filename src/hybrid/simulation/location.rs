//! The first moment inside a piece at which a gap closes, found on the flow itself.

use super::Simulation;
use crate::discrete::StepError;
use crate::hybrid::SimulationError;
use crate::hybrid::crossing::GapCubic;

/// A gap below this counts as touching when a crossing is located [m]: a hundred roundings of a
/// coordinate of order one, far below any tolerance a user sees.
const LOCATED: f64 = 1e-12;
/// Trial evaluations of the flow while one crossing is located.
const LOCATION_TRIALS: usize = 200;
/// A gap may close and open again inside a step only if it is smaller than the way that this speed
/// \[m/s\] covers in the step, or than the way it changed by.
const DIP_SPEED: f64 = 20.0;

/// A contact whose gap closes, with a bracket (open side, closed side) of the moment \[s\].
type Crossing = (usize, (f64, f64));

impl Simulation {
    /// Finds a contact whose gap closes before `tau`, with a bracket (open side, closed side) of its
    /// crossing. `trial` stands at `tau`.
    pub(super) fn find_crossing(
        &mut self,
        applied: &[f64],
        tau: f64,
    ) -> Result<Option<Crossing>, SimulationError> {
        let mut trial_has_velocity = false;
        for i in 0..self.contacts.len() {
            if self.state.held.iter().any(|h| h.contact == i) {
                continue;
            }
            let gaps = [self.node.gaps[i], self.trial.gaps[i]];
            let crossed = gaps[1] < -LOCATED;
            let reach = (DIP_SPEED * tau).max(3.0 * (gaps[1] - gaps[0]).abs());
            if !crossed && gaps[0].min(gaps[1]) > reach {
                continue;
            }
            if !self.contacts.is_present(&self.trial.kinematics, i) {
                continue;
            }
            if crossed && gaps[0] > LOCATED {
                return Ok(Some((i, (0.0, tau))));
            }
            self.velocity()?;
            if !trial_has_velocity {
                self.trial.update_velocity(&self.model, &self.arrival.p)?;
                trial_has_velocity = true;
            }
            let rates = [
                self.node.rate(&self.model, &self.contacts, i),
                self.trial.rate(&self.model, &self.contacts, i),
            ];
            let cubic = GapCubic::new(gaps, rates, tau);
            let time = self.state.time;
            let as_step_error = |source| SimulationError::Step {
                time,
                halvings: 0,
                source,
            };
            if crossed {
                // The gap is closed at the start and opens first: find a moment when it is open.
                let mut s = cubic.interior_maximum().unwrap_or(0.5);
                for _ in 0..60 {
                    if self.gap_at(applied, i, s * tau).map_err(as_step_error)? > LOCATED {
                        return Ok(Some((i, (s * tau, tau))));
                    }
                    s *= 0.5;
                }
                return Ok(Some((i, (0.0, 0.0))));
            }
            let Some(s) = cubic.interior_minimum() else {
                continue;
            };
            let shallow = 0.05 * gaps[0].min(gaps[1]) + self.settings.closed_gap;
            if cubic.value(s) < shallow
                && self.gap_at(applied, i, s * tau).map_err(as_step_error)? < -LOCATED
            {
                if gaps[0] > LOCATED {
                    return Ok(Some((i, (0.0, s * tau))));
                }
                let top = cubic
                    .interior_maximum()
                    .filter(|m| *m < s)
                    .unwrap_or(0.5 * s);
                if self.gap_at(applied, i, top * tau).map_err(as_step_error)? > LOCATED {
                    return Ok(Some((i, (top * tau, s * tau))));
                }
            }
        }
        Ok(None)
    }

    /// Gap of a contact after the flow has run for `tau`.
    fn gap_at(&mut self, applied: &[f64], contact: usize, tau: f64) -> Result<f64, StepError> {
        self.probe
            .mean_velocity
            .copy_from_slice(&self.arrival.mean_velocity);
        self.try_flow(applied, tau, true)?;
        self.trial
            .kinematics
            .update_placements(&self.model, &self.probe.q);
        let gap = self.contacts.gap(&self.trial.kinematics, contact);
        // `trial` keeps describing `arrival`.
        self.trial
            .kinematics
            .update_placements(&self.model, &self.arrival.q);
        Ok(gap)
    }

    /// Locates the crossing of one gap inside a bracket by the Illinois variant of the secant rule
    /// and leaves the flow's result at the located time, on the open side, in `arrival`.
    pub(super) fn locate(
        &mut self,
        applied: &[f64],
        contact: usize,
        bracket: (f64, f64),
    ) -> Result<f64, StepError> {
        let (mut open, mut closed) = bracket;
        if closed == 0.0 {
            return Ok(0.0);
        }
        let mut gap_open = if open == 0.0 {
            self.node.gaps[contact]
        } else {
            self.gap_at(applied, contact, open)?
        };
        let mut gap_closed = self.gap_at(applied, contact, closed)?;
        let (mut weight_open, mut weight_closed) = (gap_open, gap_closed);
        for _ in 0..LOCATION_TRIALS {
            if gap_open <= LOCATED || closed - open <= 2.0 * f64::EPSILON * closed {
                break;
            }
            let secant = open + (closed - open) * weight_open / (weight_open - weight_closed);
            let inside = secant > open && secant < closed;
            let tau = if inside {
                secant
            } else {
                0.5 * (open + closed)
            };
            let gap = self.gap_at(applied, contact, tau)?;
            if gap >= 0.0 {
                (open, gap_open, weight_open) = (tau, gap, gap);
                weight_closed *= 0.5;
            } else {
                (closed, gap_closed, weight_closed) = (tau, gap, gap);
                weight_open *= 0.5;
                // A crossing that is overshot by less than the tolerance is approached from it.
                if gap_closed > -LOCATED {
                    weight_closed = gap_closed - 0.5 * LOCATED;
                }
            }
        }
        self.gap_at(applied, contact, open)?;
        std::mem::swap(&mut self.arrival, &mut self.probe);
        Ok(open)
    }
}
