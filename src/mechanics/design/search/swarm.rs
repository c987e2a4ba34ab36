//! A global stage by particle swarm (argmin's, after Zambrano-Bigiarini 2013): it looks for a region of good
//! designs, from which the local solvers go on.
//!
//! A particle costs ½ε‖z‖² + ½Σ w r²: r are the residuals of constraints (w = 10⁶, so that 1 mm of a gap counts like a
//! distance of 1) and of wishes (the same weight where a root is asked for, with ε = 1; their own weights and ε of
//! the settings in a compromise). A swarm is a value: stored after a generation and read back it goes on to
//! the same bits.

use argmin::core::{CostFunction, Error, PopulationState, Problem, Solver, State};
use argmin::solver::particleswarm::{Particle, ParticleSwarm};
use argmin_random::Xoshiro256PlusPlus;
use argmin_random::rand_core::SeedableRng;
use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use super::residuals::typed;
use crate::design::quantity::Role;
use crate::design::{DesignError, DesignProblem, DesignSettings, Method};

type Member = Particle<DVector<f64>, f64>;

/// Weight of what must be.
const CONSTRAINT: f64 = 1e6;

/// Cost of a place where there is no robot; finite, so that text can hold it.
const NO_ROBOT: f64 = 1e30;

/// Particles, their velocities and memories, and the generator's state.
#[derive(Clone, Serialize, Deserialize)]
pub struct Swarm {
    generation: u64,
    solver: ParticleSwarm<DVector<f64>, f64, Xoshiro256PlusPlus>,
    best: Member,
    particles: Vec<Member>,
}

/// The cost of a particle.
struct Cost<'a> {
    problem: &'a DesignProblem,
    settings: &'a DesignSettings,
}

impl CostFunction for Cost<'_> {
    type Param = DVector<f64>;
    type Output = f64;

    fn cost(&self, z: &DVector<f64>) -> Result<f64, Error> {
        let Ok(values) = self.problem.values(&self.problem.unscaled(z)) else {
            return Ok(NO_ROBOT);
        };
        let weighed = self.settings.method == Method::Compromise;
        let stay = if weighed { self.settings.stay } else { 1.0 };
        let rows = self.problem.quantities().iter().zip(values.iter());
        let rows = rows.map(|(quantity, value)| match quantity.role() {
            Role::Constraint(target) => CONSTRAINT * (value - target).powi(2),
            Role::AtLeast(least) => CONSTRAINT * (value - least).min(0.0).powi(2),
            Role::Wanted { target, weight } => {
                let weight = if weighed { weight } else { CONSTRAINT };
                weight * (value - target).powi(2)
            }
            Role::Soft(weight) => weight * value.powi(2),
        });
        let cost: f64 = 0.5 * (stay * z.norm_squared() + rows.sum::<f64>());
        Ok(if cost.is_finite() { cost } else { NO_ROBOT })
    }
}

impl Swarm {
    /// A swarm drawn uniformly within the bounds (an infinite bound: two scales from the start), with one particle
    /// at rest at the problem's start.
    ///
    /// # Errors
    /// What the swarm's solver says.
    pub fn new(
        problem: &DesignProblem,
        settings: &DesignSettings,
        particles: usize,
        seed: u64,
    ) -> Result<Self, DesignError> {
        let side = |pick: fn((f64, f64)) -> f64| {
            let x: Vec<f64> = problem
                .variables()
                .iter()
                .map(|v| pick(v.search_range()))
                .collect();
            problem.scaled(&x)
        };
        let bounds = (side(|r| r.0), side(|r| r.1));
        let mut solver = ParticleSwarm::new(bounds, particles.max(1))
            .with_rng_generator(Xoshiro256PlusPlus::seed_from_u64(seed));
        let cost = Cost { problem, settings };
        let rest = DVector::zeros(problem.variables().len());
        let start = Particle::new(rest.clone(), cost.cost(&rest).map_err(typed)?, rest);
        let state = PopulationState::new();
        let (mut state, _) = solver.init(&mut Problem::new(cost), state).map_err(typed)?;
        let mut drawn = state.take_population().unwrap_or_default();
        // They are sorted by cost; the start takes the place of the worst.
        drawn.pop();
        drawn.push(start.clone());
        let best = drawn.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
        Ok(Self {
            generation: 0,
            solver,
            best: best.unwrap_or(&start).clone(),
            particles: drawn,
        })
    }

    /// Generations done.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The least cost seen.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.best.cost
    }

    /// The place of least cost seen: values of all variables.
    #[must_use]
    pub fn best(&self, problem: &DesignProblem) -> Vec<f64> {
        problem.unscaled(&self.best.position)
    }

    /// One generation.
    ///
    /// # Errors
    /// What the swarm's solver says.
    pub fn advance(
        &mut self,
        problem: &DesignProblem,
        settings: &DesignSettings,
    ) -> Result<(), DesignError> {
        let state = PopulationState::new()
            .individual(self.best.clone())
            .cost(self.best.cost)
            .population(std::mem::take(&mut self.particles));
        let mut cost = Problem::new(Cost { problem, settings });
        let (mut state, _) = self.solver.next_iter(&mut cost, state).map_err(typed)?;
        self.particles = state.take_population().unwrap_or_default();
        if let Some(best) = state.take_individual() {
            self.best = best;
        }
        self.generation += 1;
        Ok(())
    }
}
