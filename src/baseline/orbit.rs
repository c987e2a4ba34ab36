//! The periodic orbit of a scenario as numbers that metrics may name, `orbit.period_s` for example.

use crate::metric::{Expression, Names, Quantity};
use crate::record::Trace;
use crate::scenario::{Experiment, ScenarioError};
use crate::study::orbit::{Differentiability, Orbit, OrbitError, find_orbit};

/// What expressions may name, in the order of [`OrbitNumbers`].
const NAMES: [&str; 7] = [
    "orbit.found",
    "orbit.period_s",
    "orbit.largest_multiplier",
    "orbit.stable",
    "orbit.differentiability",
    "orbit.cost_of_transport",
    "orbit.energy_lost_J",
];

/// The numbers of an orbit: whether it was found, the period, the largest modulus, whether it is stable, 2 for a
/// differentiable, 1 for a piecewise and 0 for a discontinuous return map, cost of transport, energy lost. What an orbit
/// does not have is no number.
pub(super) struct OrbitNumbers([f64; 7]);

/// Whether an expression is about the orbit.
pub(super) fn is_about_orbit(expression: &Expression) -> bool {
    NAMES.iter().any(|name| expression.names(name))
}

impl OrbitNumbers {
    /// Looks for the orbit of an experiment from its initial state.
    pub fn find(experiment: &Experiment) -> Result<Self, ScenarioError> {
        match find_orbit(experiment, 0) {
            Ok(orbit) if orbit.found => Ok(Self::of(&orbit)),
            Err(OrbitError::Scenario(error)) => Err(error),
            // A motion that does not come back is as far from the orbit as a search that ends elsewhere.
            _ => Ok(Self(std::array::from_fn(|k| [0.0, f64::NAN][k.min(1)]))),
        }
    }

    fn of(orbit: &Orbit) -> Self {
        let unknown = f64::NAN;
        let stable = orbit
            .stable
            .map_or(unknown, |stable| f64::from(u8::from(stable)));
        let kind = match orbit.differentiability {
            Some(Differentiability::Differentiable) => 2.0,
            Some(Differentiability::Piecewise) => 1.0,
            Some(Differentiability::Discontinuous) => 0.0,
            None => unknown,
        };
        Self([
            1.0,
            orbit.period_s,
            orbit.largest_multiplier().unwrap_or(unknown),
            stable,
            kind,
            orbit.cost_of_transport.unwrap_or(unknown),
            orbit.energy_lost_J,
        ])
    }
}

/// A run with the orbit of its scenario, where a metric asks for it.
pub(super) struct RunAndOrbit<'a> {
    pub run: &'a Trace,
    pub orbit: Option<OrbitNumbers>,
}

impl Names for RunAndOrbit<'_> {
    fn value(&self, name: &str) -> Option<Quantity> {
        let known = NAMES.iter().position(|own| *own == name);
        match (known, &self.orbit) {
            (Some(k), Some(orbit)) => Some(Quantity::Number(orbit.0[k])),
            _ => self.run.value(name),
        }
    }

    fn names(&self) -> Vec<String> {
        let own = self.orbit.as_ref().map_or(&[][..], |_| &NAMES);
        let own = own.iter().map(|name| (*name).to_string());
        self.run.names().into_iter().chain(own).collect()
    }

    fn times(&self) -> &[f64] {
        self.run.times()
    }
}
