//! The proof on the simulated robot: the same drop with two orders of reflection, before and after.

use std::sync::Arc;

use serde::Serialize;

use super::design_study::{DesignStudy, DesignStudyError};
use super::momentum_distance::{DistanceCurve, DistanceSample, Parting, momentum_distance};
use crate::control::Passive;
use crate::design::{Approach, DesignError, order_indeterminacy};
use crate::hybrid::{Simulation, SimulationSettings};
use crate::impact::{Propagative, ReflectionOrder};
use crate::model::Base;

/// What a drop in both orders showed, as `design.json` holds it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropEvidence {
    /// ξ of the landing with its gaps closed; null when it did not take place.
    pub xi_closed: Option<f64>,
    /// The first event after which the two orders are apart; null when they stay together.
    pub parting: Option<Parting>,
    /// Largest distance of the two momenta over ‖p‖ within the run.
    pub largest_distance: Option<f64>,
    /// The same up to the second impact event: what the landing alone does.
    pub distance_after_landing: Option<f64>,
    /// Why the run ended early or did not take place.
    pub stopped: Option<String>,
}

impl DropEvidence {
    /// The summary of a curve, or of why there is none.
    #[must_use]
    pub fn new(run: &Result<(f64, DistanceCurve), DesignStudyError>) -> Self {
        match run {
            Ok((xi, curve)) => {
                let distances = || curve.samples.iter().map(|s| s.distance);
                let landed = |s: &&DistanceSample| {
                    curve.second_impact_s.is_none_or(|second| s.time_s < second)
                };
                let before_second = curve.samples.iter().take_while(landed).map(|s| s.distance);
                Self {
                    xi_closed: Some(*xi),
                    parting: curve.parting.clone(),
                    largest_distance: Some(distances().fold(0.0, f64::max)),
                    distance_after_landing: Some(before_second.fold(0.0, f64::max)),
                    stopped: curve.stopped.clone(),
                }
            }
            Err(error) => Self {
                xi_closed: None,
                parting: None,
                largest_distance: None,
                distance_after_landing: None,
                stopped: Some(error.to_string()),
            },
        }
    }
}

/// Length of a run beyond the fall \[s\].
const AFTER: f64 = 0.3;

/// Nominal step of the runs \[s\].
const STEP: f64 = 1e-3;

impl DesignStudy {
    /// Drops the robot at `x` into its first stance with a `drop_height`, once with the most and once
    /// with the least violated contact first, joints passive; `None` when no stance drops. The gaps are closed
    /// first, by the free coordinates, so that the contacts strike together. Returns ξ of that landing and the
    /// distance of the two runs over time.
    ///
    /// # Errors
    /// Gaps that do not close, a state the simulation refuses.
    pub fn drop_in_both_orders(
        &self,
        x: &[f64],
    ) -> Result<Option<(f64, DistanceCurve)>, DesignStudyError> {
        let falls = |(s, stance): (usize, &crate::design::Stance)| match stance.approach {
            Some(Approach::Fall(height)) => Some((s, height)),
            _ => None,
        };
        let Some((s, height)) = self.problem.stances().iter().enumerate().find_map(falls) else {
            return Ok(None);
        };
        let failed = |e| self.failed(e);
        let robot = self.problem.robot(x).map_err(failed)?;
        let settings = self.design.solver.settings();
        let mut q = self
            .problem
            .touching_configuration(x, s, &settings)
            .map_err(failed)?;
        let impact = self.problem.impact(&robot, &q, s).map_err(failed)?;
        let xi = order_indeterminacy(&impact).map_err(failed)?;
        let gravity = *robot.model.gravity();
        let up = gravity * (-height / gravity.norm());
        match robot.model.base() {
            Base::Planar => {
                q[0] += up.x;
                q[1] += up.z;
            }
            Base::Floating => {
                for k in 0..3 {
                    q[k] += up[k];
                }
            }
            Base::Fixed => {}
        }
        let at_rest = vec![0.0; robot.model.dof()];
        let (model, contacts) = (Arc::new(robot.model), Arc::new(robot.contacts));
        let start = |order| {
            let law = Box::new(Propagative::with_order(order));
            let settings = SimulationSettings {
                time_step: STEP,
                ..SimulationSettings::default()
            };
            let (model, contacts) = (model.clone(), contacts.clone());
            Simulation::new(model, contacts, law, settings, &q, &at_rest).map_err(|error| {
                self.failed(DesignError::Stance {
                    stance: self.problem.stances()[s].name.clone(),
                    reason: format!("it cannot be dropped: {error}"),
                })
            })
        };
        let mut most = start(ReflectionOrder::MostViolated)?;
        let mut least = start(ReflectionOrder::LeastViolated)?;
        let fall = (2.0 * height / gravity.norm()).sqrt();
        let steps = ((fall + AFTER) / STEP).ceil() as u64;
        let curve = momentum_distance([&mut most, &mut least], [&mut Passive, &mut Passive], steps);
        Ok(Some((xi, curve)))
    }
}
