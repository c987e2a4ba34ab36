//! What is made small or large, among the orbits that are as wanted.
//!
//! Of every point of the box the nearest design is asked: that costs some orbits more than a penalty would, and what is asked
//! only exists there (an orbit whose return map jumps has no multipliers). Downhill simplex (argmin): the largest multiplier
//! has kinks where two of them meet, and a point without an orbit is only a bad one.

use std::cell::{Cell, RefCell};

use argmin::core::{CostFunction, Error, Executor, IterState};
use argmin::solver::neldermead::NelderMead;
use nalgebra::DVector;

use super::OrbitDesignError;
use super::file::{Maximised, Minimised, OrbitStance};
use crate::impact::Verdict;
use crate::study::orbit::{Differentiability, Orbit, OrbitEvent};

/// What a point without an orbit counts.
const NONE: f64 = 1e9;
/// Standard deviation of the values at the corners at which the simplex has come to rest.
const REST: f64 = 1e-11;
/// First edges, in units of the scales.
const EDGE: f64 = 0.1;

impl OrbitStance {
    /// What is asked, in words; `None` if nothing is.
    #[must_use]
    pub fn objective_name(&self) -> Option<&'static str> {
        match (self.minimise, self.maximise) {
            (Some(Minimised::CostOfTransport), _) => Some("cost of transport"),
            (Some(Minimised::LargestMultiplier), _) => Some("largest multiplier"),
            (None, Some(Maximised::Speed)) => Some("speed [m/s]"),
            (None, None) => None,
        }
    }

    /// Its value on an orbit, where it has one.
    #[must_use]
    pub fn objective(&self, orbit: &Orbit) -> Option<f64> {
        match (self.minimise, self.maximise) {
            (Some(Minimised::CostOfTransport), _) => orbit.cost_of_transport,
            (Some(Minimised::LargestMultiplier), _) => orbit.largest_multiplier(),
            (None, Some(Maximised::Speed)) => orbit.speed(),
            (None, None) => None,
        }
    }

    /// What the search makes small; `None` where the orbit is refused.
    pub(super) fn cost(&self, orbit: &Orbit) -> Option<f64> {
        let several = |event: &OrbitEvent| {
            event
                .unique
                .is_some_and(|verdict| verdict != Verdict::Unique)
        };
        let refused = self.unique
            && (orbit.events.iter().any(several)
                || orbit.differentiability == Some(Differentiability::Discontinuous));
        if !orbit.found || refused {
            return None;
        }
        let value = self.objective(orbit)?;
        Some(if self.maximise.is_some() {
            -value
        } else {
            value
        })
    }
}

/// A point with what it costs.
type Best = RefCell<Option<(f64, DVector<f64>)>>;

struct Asked<'a, F> {
    cost: F,
    lower: &'a DVector<f64>,
    upper: &'a DVector<f64>,
    left: Cell<usize>,
    best: &'a Best,
}

impl<F> CostFunction for Asked<'_, F>
where
    F: Fn(&DVector<f64>) -> Result<(DVector<f64>, Option<f64>), OrbitDesignError>,
{
    type Param = DVector<f64>;
    type Output = f64;

    fn cost(&self, z: &DVector<f64>) -> Result<f64, Error> {
        let inside = z.zip_zip_map(self.lower, self.upper, f64::clamp);
        let outside = (z - &inside).norm();
        if self.left.get() == 0 {
            return Ok(NONE);
        }
        self.left.set(self.left.get() - 1);
        // A point that has no design is no error of the search.
        let Ok((design, Some(cost))) = (self.cost)(&inside) else {
            return Ok(NONE);
        };
        let mut best = self.best.borrow_mut();
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            *best = Some((cost, design));
        }
        Ok(cost + outside)
    }
}

/// The design of least cost within bounds; `cost` says the design that belongs to a point and what it costs. `None` where
/// none has a cost.
pub(super) fn least<F>(
    cost: F,
    from: &DVector<f64>,
    (lower, upper): (&DVector<f64>, &DVector<f64>),
    evaluations: usize,
) -> Option<DVector<f64>>
where
    F: Fn(&DVector<f64>) -> Result<(DVector<f64>, Option<f64>), OrbitDesignError>,
{
    let best: Best = RefCell::new(None);
    let mut corners = vec![from.clone()];
    for k in 0..from.len() {
        let mut corner = from.clone();
        let edge = if corner[k] + EDGE <= upper[k] {
            EDGE
        } else {
            -EDGE
        };
        corner[k] += edge;
        corners.push(corner);
    }
    let asked = Asked {
        cost,
        lower,
        upper,
        left: Cell::new(evaluations),
        best: &best,
    };
    let solver = NelderMead::new(corners).with_sd_tolerance(REST).ok()?;
    let ran = Executor::new(asked, solver)
        .configure(|state: IterState<DVector<f64>, (), (), (), (), f64>| {
            state.max_iters(evaluations as u64)
        })
        .ctrlc(false)
        .run();
    // A simplex that fails leaves the best point it has seen.
    drop(ran);
    best.into_inner().map(|(_, design)| design)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::dvector;

    /// (z0 − 1)² + (z1 + 3)² in 0 ≤ z0 ≤ 0.5, z1 ≥ −1: least in the corner (0.5, −1).
    #[test]
    fn the_least_point_of_a_box_is_at_its_corner() {
        let cost = |z: &DVector<f64>| {
            let value = (z[0] - 1.0).powi(2) + (z[1] + 3.0).powi(2);
            Ok((z.clone(), Some(value)))
        };
        let (lower, upper) = (dvector![0.0, -1.0], dvector![0.5, f64::INFINITY]);
        let found = least(cost, &dvector![0.2, 0.0], (&lower, &upper), 400).unwrap();
        assert!((found - dvector![0.5, -1.0]).amax() < 1e-4);
        let none = |z: &DVector<f64>| Ok((z.clone(), None));
        assert!(least(none, &dvector![0.2, 0.0], (&lower, &upper), 10).is_none());
    }
}
