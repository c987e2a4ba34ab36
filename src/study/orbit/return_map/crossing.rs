//! The moment at which a motion passes the section, and how what is crossed changes there.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::ReturnMap;
use super::section::Section;
use crate::hybrid::{Event, EventKind, Simulation, State};
use crate::study::orbit::OrbitError;

/// A crossing is located to this share of a step.
const SHARPNESS: f64 = 1e-13;
/// Bisections and secants towards a crossing.
const TRIALS: usize = 80;
/// Differences of a coordinate along a change of configuration: linear but for a turning base.
const NUDGE: f64 = 1e-5;

impl ReturnMap {
    /// The moment of the step just done at which it passed the section; the simulation stands anywhere afterwards.
    pub(super) fn moment(
        &mut self,
        before: &State,
        events: &[Event],
    ) -> Result<Option<f64>, OrbitError> {
        match self.section {
            Section::Period(_) => Ok(None),
            Section::Impact(contact) => {
                let struck = |event: &&Event| {
                    let place = event.contacts.iter().position(|&c| c == contact);
                    let impulses = event.impact.as_ref().map(|impact| &impact.impulses);
                    matches!(event.kind, EventKind::Impact | EventKind::Limit)
                        && place.zip(impulses).is_some_and(|(k, all)| all[k][0] > 0.0)
                };
                Ok(events.iter().find(struck).map(|event| event.time))
            }
            Section::Crossing {
                position,
                at,
                value,
                rising,
            } => {
                let sign = if rising { 1.0 } else { -1.0 };
                let height = |simulation: &mut Simulation| -> Result<f64, OrbitError> {
                    let x = if position {
                        simulation.state().q[at]
                    } else {
                        simulation.velocity()?[at]
                    };
                    Ok(sign * (x - value))
                };
                let after = self.simulation.state().clone();
                let end = height(&mut self.simulation)?;
                self.simulation.restore(before.clone())?;
                let start = height(&mut self.simulation)?;
                if !(start < 0.0 && end >= 0.0) {
                    self.simulation.restore(after)?;
                    return Ok(None);
                }
                let h = self.simulation.settings().time_step;
                let (mut low, mut high) = ((before.time, start), (after.time, end));
                for trial in 0..TRIALS {
                    if high.0 - low.0 <= SHARPNESS * h || high.1 == 0.0 {
                        break;
                    }
                    let secant = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
                    let inside = secant > low.0 && secant < high.0;
                    // A bisection now and then, so that both ends come nearer.
                    let time = if inside && trial % 4 != 3 {
                        secant
                    } else {
                        0.5 * (low.0 + high.0)
                    };
                    self.simulation.restore(before.clone())?;
                    self.simulation.cut_next_step(time);
                    self.simulation.advance()?;
                    let there = height(&mut self.simulation)?;
                    if there >= 0.0 {
                        high = (time, there);
                    } else {
                        low = (time, there);
                    }
                }
                self.simulation.take_events();
                Ok(Some(high.0))
            }
        }
    }

    /// Where a crossing ends the motion: how what is crossed changes along `ends` (2n × m) at a fixed time, and by the time
    /// at the rate of the flow there.
    pub(in crate::study::orbit) fn slopes_of_crossing(
        &mut self,
        ends: &DMatrix<f64>,
        rate: Option<&DVector<f64>>,
    ) -> Result<Option<(RowDVector<f64>, f64)>, OrbitError> {
        let Section::Crossing { position, at, .. } = self.section else {
            return Ok(None);
        };
        let model = self.simulation.model();
        let q = &self.simulation.state().q;
        let slope = |direction: &[f64]| {
            let (turn, push) = direction.split_at(model.dof());
            if !position {
                return push[at];
            }
            let size = turn.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
            let e = NUDGE / size;
            let ends = [e, -e].map(|e| {
                let mut moved = q.clone();
                model.integrate(q, turn, e, &mut moved);
                moved[at]
            });
            (ends[0] - ends[1]) / (2.0 * e)
        };
        let slopes = ends.column_iter().map(|c| slope(c.as_slice()));
        let slopes = RowDVector::from_iterator(ends.ncols(), slopes);
        Ok(rate.map(|rate| (slopes, slope(rate.as_slice()))))
    }
}
