//! Looks at every step of a run: energy, penetration, creep.
//!
//! **Energy.** What a run may gain is kinetic plus potential energy less the actuators' work, E. The midpoint scheme keeps
//! a nearby energy H̃ = E + O(h²) where nothing dissipates, and where something does, H̃ falls. Backward error analysis gives
//! the difference as h²/24 times second derivatives of the energy along the motion (Hairer, Lubich and Wanner, *Geometric
//! Numerical Integration*, IX.3): for a body of mass m, h² m a²/24 with its acceleration a. That of the joints' rates gives
//! h² v̇ᵀM v̇/24, that of turning h² 2 ω² T/24 with the body's kinetic energy T and the fastest turn ω of the links that
//! carry it. So |H̃ − E| ≤ h² (v̇ᵀM v̇ + Σ 2 ω² T)/24 at every step, some 1e-4 of m g times the height of the fall, and E
//! may rise above its running minimum by twice the largest of these. An event may turn one such difference into a lasting
//! one: each step with events adds twice the difference of the step before it. A rise beyond that is a gain that the
//! scheme does not explain.
//!
//! **Penetration.** Contacts count as closed below 1e-9 m: no gap may be below −1e-9 m at the end of a step.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use carom::dynamics::Kinematics;
use carom::hybrid::{Event, Simulation, SimulationError, State, StepSummary, Watcher};
use carom::model::Model;
use carom::scenario::Experiment;

/// Rounding of energies and of solved steps, as a share of the largest energy.
const ROUNDING: f64 = 1e-9;
/// Speeds below this are rest [rad/s or m/s].
const REST: f64 = 1e-3;
/// How long a robot must have been at rest at the end for its creep to count [s].
const RESTING_TIME: f64 = 0.2;

/// Looks at every step.
pub struct Observer {
    pub begun: Instant,
    limit: Duration,
    time_step: f64,
    kinematics: Kinematics<f64>,
    /// Fastest turn of every body and those that carry it [rad/s].
    turns: Vec<f64>,
    momentum: Vec<f64>,
    velocity: Vec<f64>,
    lowest: f64,
    pub rise: f64,
    /// Largest |H̃ − E| of a step, that of the last step without events, and what events may have added.
    swing: f64,
    last_swing: f64,
    added: f64,
    largest_energy: f64,
    pub deepest: f64,
    base: [f64; 3],
    /// Way of the base since everything came to rest, step by step [m].
    ways: Vec<f64>,
    pub events: usize,
    pub out_of_time: bool,
}

impl Observer {
    pub fn new(limit: Duration, experiment: &Experiment) -> Self {
        Self {
            begun: Instant::now(),
            limit,
            time_step: experiment.scenario.time_step,
            kinematics: Kinematics::new(&experiment.model),
            turns: vec![0.0; experiment.model.bodies().len()],
            momentum: Vec::new(),
            velocity: Vec::new(),
            lowest: f64::INFINITY,
            rise: 0.0,
            swing: 0.0,
            last_swing: 0.0,
            added: 0.0,
            largest_energy: 0.0,
            deepest: 0.0,
            base: [0.0; 3],
            ways: Vec::new(),
            events: 0,
            out_of_time: false,
        }
    }

    fn look(&mut self, simulation: &mut Simulation, events: usize) -> Result<(), SimulationError> {
        let energies = simulation.energies()?;
        let energy = energies.kinetic + energies.potential - energies.work.actuators;
        self.lowest = self.lowest.min(energy);
        // Neither `max` sees what is not a number.
        self.rise = if energy.is_finite() {
            self.rise.max(energy - self.lowest)
        } else {
            f64::INFINITY
        };
        self.largest_energy = self.largest_energy.max(energy.abs()).max(energies.kinetic);
        for gap in simulation.gaps() {
            let depth = if gap.is_nan() { f64::INFINITY } else { -gap };
            self.deepest = self.deepest.max(depth);
        }
        let velocity = simulation.velocity()?.to_vec();
        let state = simulation.state();
        if events > 0 {
            self.added += 2.0 * self.last_swing;
        } else if !self.velocity.is_empty() {
            let changes = state.p.iter().zip(&self.momentum);
            let changes = changes.zip(velocity.iter().zip(&self.velocity));
            let accelerated: f64 = changes.map(|((p, p0), (v, v0))| (p - p0) * (v - v0)).sum();
            let turned = self.time_step.powi(2) * self.turned(simulation.model(), state, &velocity);
            self.last_swing = (accelerated.abs() + turned) / 24.0;
            self.swing = self.swing.max(self.last_swing);
        }
        let base = [state.q[0], state.q[1], state.q[2]];
        if velocity.iter().all(|x| x.abs() < REST) {
            let step = base.iter().zip(&self.base).map(|(x, y)| (x - y).powi(2));
            let before = self.ways.last().copied();
            self.ways
                .push(before.map_or(0.0, |way| way + step.sum::<f64>().sqrt()));
        } else {
            self.ways.clear();
        }
        self.base = base;
        self.momentum.clone_from(&state.p);
        self.velocity = velocity;
        Ok(())
    }

    /// Σ 2 ω² T over the bodies [J/s²].
    fn turned(&mut self, model: &Model, state: &State, velocity: &[f64]) -> f64 {
        self.kinematics.update_placements(model, &state.q);
        self.kinematics.update_twists(model, velocity);
        let mut sum = 0.0;
        for (i, body) in model.bodies().iter().enumerate() {
            let twist = &self.kinematics.twist[i];
            let carried = body.parent.map_or(0.0, |parent| self.turns[parent]);
            self.turns[i] = twist.angular.norm().max(carried);
            sum += self.turns[i].powi(2) * body.inertia.momentum(twist).dot(twist);
        }
        sum
    }

    /// Way of the base over the last 0.2 s, if everything was at rest [m].
    pub fn creep(&self) -> Option<f64> {
        let steps = (RESTING_TIME / self.time_step).round() as usize;
        let last = self.ways.len().checked_sub(1)?;
        Some(self.ways[last] - self.ways[last.checked_sub(steps)?])
    }

    /// How far the energy may rise [J].
    pub fn bound(&self) -> f64 {
        2.0 * self.swing + self.added + ROUNDING * self.largest_energy
    }
}

impl Watcher<SimulationError> for Observer {
    fn start(&mut self, simulation: &mut Simulation) -> Result<(), SimulationError> {
        self.look(simulation, 0)
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        _summary: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, SimulationError> {
        self.events += events.len();
        self.look(simulation, events.len())?;
        if self.begun.elapsed() > self.limit {
            self.out_of_time = true;
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }
}
