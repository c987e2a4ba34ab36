//! How far the states of two branches are apart.

use crate::dynamics::{ArticulatedFactor, Kinematics};
use crate::hybrid::Simulation;
use crate::model::Model;
use crate::numerics::dot_in_order;

/// Distances between momenta in the kinetic metric of one of them.
pub struct Metric {
    kinematics: Kinematics<f64>,
    factor: ArticulatedFactor<f64>,
    model: Model,
    difference: Vec<f64>,
    raised: Vec<f64>,
}

impl Metric {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            kinematics: Kinematics::new(model),
            factor: ArticulatedFactor::new(model),
            model: model.clone(),
            difference: vec![0.0; model.dof()],
            raised: vec![0.0; model.dof()],
        }
    }

    /// ‖p_a − p_b‖/‖p_a‖ at the configuration of `a` (\[SM\] Fig. 8); the absolute distance when a is
    /// at rest, `NaN` where the mass matrix is singular.
    #[must_use]
    pub fn momentum_distance(&mut self, q: &[f64], a: &[f64], b: &[f64]) -> f64 {
        self.kinematics.update_placements(&self.model, q);
        if self.factor.factor(&self.model, &self.kinematics).is_err() {
            return f64::NAN;
        }
        for ((d, x), y) in self.difference.iter_mut().zip(a).zip(b) {
            *d = x - y;
        }
        self.factor.solve(
            &self.model,
            &self.kinematics,
            &self.difference,
            &mut self.raised,
        );
        let apart = dot_in_order(&self.difference, &self.raised).max(0.0).sqrt();
        self.factor
            .solve(&self.model, &self.kinematics, a, &mut self.raised);
        let size = dot_in_order(a, &self.raised).max(0.0).sqrt();
        if size > 0.0 { apart / size } else { apart }
    }

    /// Whether two simulations are in one state: momenta within `tolerance` of ‖p‖, coordinates
    /// within `tolerance`, the same contacts held.
    pub(crate) fn agree(&mut self, a: &Simulation, b: &Simulation, tolerance: f64) -> bool {
        let (x, y) = (a.state(), b.state());
        let held = |s: &Simulation| s.state().held.iter().map(|h| h.contact).collect::<Vec<_>>();
        x.q.iter()
            .zip(&y.q)
            .all(|(p, q)| (p - q).abs() <= tolerance)
            && held(a) == held(b)
            && self.momentum_distance(&x.q, &x.p, &y.p) <= tolerance
    }
}
