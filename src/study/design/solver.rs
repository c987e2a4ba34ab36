//! How a design file is solved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::design::{DesignSettings, Method, Weighing};

/// The global stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Global {
    /// Local solutions from `starts` points.
    #[default]
    MultiStart,
    /// Local solutions from the start and from the best place that a swarm found.
    ParticleSwarm,
}

/// How it is solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverEntry {
    /// `auto`, `nearest` or `compromise`.
    pub method: Method,
    /// Largest gap \[m\] and error of a cosine at a root.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Step, in units of the scales, below which the distance counts as stationary.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stationarity: f64,
    /// Newton steps before giving up.
    #[schemars(range(min = 1))]
    pub max_iterations: usize,
    /// Weight of the squared distance to the start in a compromise.
    #[schemars(range(min = 0))]
    pub stay: f64,
    /// How a compromise is found: `newton`, or `gauss-newton` or `l-bfgs` in an augmented Lagrangian.
    pub compromise: Weighing,
    /// `multi-start` or `particle-swarm`.
    pub global: Global,
    /// Number of starting points, 1 when absent; the first is the start itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), example = 8)]
    pub starts: Option<u64>,
    /// Particles of the swarm, 40 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2), example = 40)]
    pub particles: Option<usize>,
    /// Generations of the swarm, 60 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), example = 60)]
    pub generations: Option<u64>,
    /// Seed of starting points and particles.
    pub seed: u64,
}

impl Default for SolverEntry {
    fn default() -> Self {
        let DesignSettings {
            method,
            tolerance,
            stationarity,
            max_iterations,
            stay,
            weighing,
        } = DesignSettings::default();
        Self {
            method,
            tolerance,
            stationarity,
            max_iterations,
            stay,
            compromise: weighing,
            global: Global::MultiStart,
            starts: None,
            particles: None,
            generations: None,
            seed: 0,
        }
    }
}

impl SolverEntry {
    /// As the library's settings.
    #[must_use]
    pub fn settings(&self) -> DesignSettings {
        DesignSettings {
            method: self.method,
            tolerance: self.tolerance,
            stationarity: self.stationarity,
            max_iterations: self.max_iterations,
            stay: self.stay,
            weighing: self.compromise,
        }
    }

    /// Number of starting points.
    #[must_use]
    pub fn starts(&self) -> u64 {
        self.starts.unwrap_or(1)
    }

    /// Particles and generations of the swarm; `None` without one.
    #[must_use]
    pub fn swarm(&self) -> Option<(usize, u64)> {
        (self.global == Global::ParticleSwarm)
            .then(|| (self.particles.unwrap_or(40), self.generations.unwrap_or(60)))
    }

    /// Key and reason of the first value that makes no sense.
    pub(crate) fn defect(&self) -> Option<(&'static str, String)> {
        for (place, x) in [
            ("solver.tolerance", self.tolerance),
            ("solver.stationarity", self.stationarity),
        ] {
            if !(x.is_finite() && x > 0.0) {
                return Some((place, format!("it is {x}, it must be positive")));
            }
        }
        if !(self.stay.is_finite() && self.stay >= 0.0) {
            let reason = format!("it is {}, it must be at least 0", self.stay);
            return Some(("solver.stay", reason));
        }
        let swarm = self.global == Global::ParticleSwarm;
        for (place, given, least, of_swarm) in [
            (
                "solver.max_iterations",
                Some(self.max_iterations as u64),
                1,
                swarm,
            ),
            ("solver.starts", self.starts, 1, false),
            (
                "solver.particles",
                self.particles.map(|n| n as u64),
                2,
                true,
            ),
            ("solver.generations", self.generations, 1, true),
        ] {
            let Some(count) = given else { continue };
            if of_swarm != swarm {
                let which = if of_swarm {
                    "particle-swarm"
                } else {
                    "multi-start"
                };
                let reason = format!("only global = \"{which}\" uses it; remove the key");
                return Some((place, reason));
            }
            if count < least {
                return Some((place, format!("it is {count}, it must be at least {least}")));
            }
        }
        None
    }
}
