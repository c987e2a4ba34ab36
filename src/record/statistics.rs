//! What a run amounts to in numbers, and its summary file.

use serde::{Deserialize, Serialize};

use super::LocomotionSummary;
use super::summary::{
    EnergySummary, HeldSummary, ImpactSummary, NewtonSummary, RunStatus, SolverSummary, Summary,
};
use crate::dynamics::center_of_mass;
use crate::hybrid::{
    Energies, Event, EventKind, EventNote, LARGEST_COUNT, Simulation, SimulationError,
    SolverCounts, StepSummary,
};
use crate::impact::Verdict;
use crate::model::Base;
use crate::scenario::Scenario;

/// An energy balance that misses by this share of the largest energy of the run is lost.
const LOST: f64 = 0.1;

/// Numbers gathered over all steps, saved with a run that is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStatistics {
    initial_energy: f64,
    initial_balance: f64,
    largest_residual: f64,
    /// Largest kinetic energy and work of any kind.
    largest_energy: f64,
    initial_point: [f64; 2],
    reflections: u64,
    ambiguous: u64,
    undecided: u64,
    capped: u64,
    by_other_law: u64,
    zeno: u64,
    not_terminated: u64,
    branches: u64,
    solver_earlier: SolverCounts,
    solver: SolverCounts,
    largest_indeterminacy: f64,
    deepest_gap: f64,
    /// What that was, where it is deeper than held contacts may be.
    #[serde(default)]
    deepest_place: Option<String>,
    newton_total: u64,
    newton_most: u64,
    halvings: u64,
    held: u64,
    released: u64,
}

impl RunStatistics {
    /// Statistics that begin at the initial state.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn new(simulation: &mut Simulation) -> Result<Self, SimulationError> {
        let energies = simulation.energies()?;
        let [x, y, _] = position(simulation);
        let mut statistics = Self {
            initial_energy: total(&energies),
            initial_balance: energies.balance(),
            largest_residual: 0.0,
            largest_energy: 0.0,
            initial_point: [x, y],
            reflections: 0,
            ambiguous: 0,
            undecided: 0,
            capped: 0,
            by_other_law: 0,
            zeno: 0,
            not_terminated: 0,
            branches: 0,
            solver_earlier: SolverCounts::default(),
            solver: SolverCounts::default(),
            largest_indeterminacy: 0.0,
            deepest_gap: 0.0,
            deepest_place: None,
            newton_total: 0,
            newton_most: 0,
            halvings: 0,
            held: 0,
            released: 0,
        };
        statistics.look(simulation)?;
        Ok(statistics)
    }

    /// Energy less all work at the start \[J\].
    pub(crate) fn initial_balance(&self) -> f64 {
        self.initial_balance
    }

    /// Takes in events.
    pub fn events(&mut self, events: &[Event]) {
        for event in events {
            match event.kind {
                EventKind::Hold => self.held += 1,
                EventKind::Release => self.released += 1,
                EventKind::Branch => self.branches += 1,
                _ => {}
            }
            if let Some(impact) = &event.impact {
                let found = impact.uniqueness;
                self.reflections += impact.sequence.len() as u64;
                self.ambiguous += u64::from(found.verdict() == Verdict::Ambiguous);
                self.undecided += u64::from(found.verdict() == Verdict::Undecided);
                self.capped += u64::from(found.capped());
                self.by_other_law += u64::from(impact.by_other_law);
                self.zeno += u64::from(event.note == Some(EventNote::Zeno));
                self.not_terminated += u64::from(event.note == Some(EventNote::NotTerminated));
                self.largest_indeterminacy = self.largest_indeterminacy.max(found.indeterminacy());
            }
        }
    }

    /// Takes in a completed step.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn step(
        &mut self,
        simulation: &mut Simulation,
        summary: &StepSummary,
    ) -> Result<(), SimulationError> {
        let iterations = summary.newton_iterations as u64;
        self.newton_total += iterations;
        self.newton_most = self.newton_most.max(iterations);
        self.halvings += summary.halvings as u64;
        self.look(simulation)
    }

    /// Whether saved numbers can be those of a run.
    pub(crate) fn is_sound(&self) -> bool {
        let solver = |counts: &SolverCounts| {
            let friction = counts.friction.iter().map(|(_, n)| *n);
            let own = [
                counts.step_solves,
                counts.located_events,
                counts.event_solves,
            ];
            friction.chain(own).all(|n| n <= LARGEST_COUNT)
        };
        let counts = [
            self.reflections,
            self.ambiguous,
            self.undecided,
            self.capped,
            self.by_other_law,
            self.zeno,
            self.not_terminated,
            self.branches,
            self.newton_total,
            self.newton_most,
            self.halvings,
            self.held,
            self.released,
        ];
        let numbers = [
            self.initial_energy,
            self.initial_balance,
            self.largest_residual,
            self.largest_energy,
            self.initial_point[0],
            self.initial_point[1],
            self.largest_indeterminacy,
            self.deepest_gap,
        ];
        counts.iter().all(|n| *n <= LARGEST_COUNT)
            && numbers.iter().all(|x| x.is_finite())
            && solver(&self.solver)
            && solver(&self.solver_earlier)
    }

    /// The same for a run that goes on: its simulation counts solves from zero.
    #[must_use]
    pub fn taken_up(mut self) -> Self {
        self.solver_earlier.add(&std::mem::take(&mut self.solver));
        self
    }

    fn look(&mut self, simulation: &mut Simulation) -> Result<(), SimulationError> {
        let energies = simulation.energies()?;
        let residual = energies.balance() - self.initial_balance;
        // The largest of numbers does not show that one of them is none.
        if !residual.is_finite() {
            return Err(SimulationError::NotFinite {
                time: simulation.time(),
                what: "the energy".to_string(),
            });
        }
        self.largest_residual = self.largest_residual.max(residual.abs());
        let work = &energies.work;
        // A small part of the potential energy stands for the rounding of a robot at rest.
        let rounding = 1e-6 * energies.potential;
        // What is slower than at rest is no motion.
        let rest = simulation.model().mass() * simulation.settings().rest_speed.powi(2);
        let others = [
            work.actuators,
            work.dissipative,
            work.impacts,
            rounding,
            rest,
        ];
        let most = others.iter().fold(energies.kinetic, |m, w| m.max(w.abs()));
        self.largest_energy = self.largest_energy.max(most);
        if let Some(deepest) = simulation.deepest(-self.deepest_gap) {
            self.deepest_gap = -deepest.depth;
            if deepest.depth > simulation.settings().closed_gap {
                self.deepest_place = Some(simulation.depth_name(&deepest));
            }
        }
        self.solver = simulation.solver_counts();
        Ok(())
    }

    /// What there is to say about an energy balance that is no balance any more.
    fn lost_balance(&self) -> Option<String> {
        (self.largest_residual > LOST * self.largest_energy).then(|| {
            format!(
                "the energy balance misses by {:.2e} J beside energies of at most {:.2e} J: these motions are too fast for the time \
                 step, as where a controller is not stable; a smaller time_step, softer gains or armature help",
                self.largest_residual,
                self.largest_energy
            )
        })
    }

    /// The summary of the run as it stands.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn summary(
        &self,
        simulation: &mut Simulation,
        end: RunConclusion<'_>,
    ) -> Result<Summary, SimulationError> {
        let energies = simulation.energies()?;
        let [x, y, _] = position(simulation);
        let state = simulation.state();
        let time = state.time;
        // A run that completed between two steps ended with a shorter one.
        let steps = state.step + u64::from(end.reason.is_none() && !simulation.is_between_steps());
        Ok(Summary {
            status: match end.reason {
                None => RunStatus::Completed,
                Some(_) => RunStatus::Stopped,
            },
            reason: end.reason,
            remarks: end.remarks.into_iter().chain(self.lost_balance()).collect(),
            description: end.scenario.description.clone(),
            steps,
            time_s: time,
            duration_s: end.scenario.duration,
            wall_time_s: end.wall_time,
            real_time_factor: if end.wall_time > 0.0 {
                time / end.wall_time
            } else {
                0.0
            },
            energy: EnergySummary {
                initial_J: self.initial_energy,
                final_J: total(&energies),
                max_residual_J: self.largest_residual,
            },
            impacts: ImpactSummary {
                count: state.impacts,
                reflections: self.reflections,
                ambiguous: self.ambiguous,
                undecided: self.undecided,
                capped: self.capped,
                max_indeterminacy: self.largest_indeterminacy,
                by_other_law: self.by_other_law,
                zeno: self.zeno,
                not_terminated: self.not_terminated,
                captured: state.captures,
            },
            held: HeldSummary {
                holds: self.held,
                releases: self.released,
                branches: self.branches,
            },
            max_penetration_m: 0.0 - self.deepest_gap,
            deepest_contact: self.deepest_place.clone(),
            newton: NewtonSummary {
                iterations_mean: self.newton_total as f64 / (steps.max(1)) as f64,
                iterations_max: self.newton_most,
                halvings: self.halvings,
            },
            solver: {
                let mut all = self.solver_earlier.clone();
                all.add(&self.solver);
                SolverSummary::from(&all)
            },
            distance_m: (simulation.model().base() != Base::Fixed)
                .then(|| (x - self.initial_point[0]).hypot(y - self.initial_point[1])),
            locomotion: end.locomotion,
            law: end.scenario.impact.law.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            scenario_hash: end.scenario_hash,
        })
    }
}

/// What the statistics do not know about the end of a run.
#[derive(Debug, Clone)]
pub struct RunConclusion<'a> {
    /// Why it stopped; without a reason it is complete.
    pub reason: Option<String>,
    /// What a reader of the results should know.
    pub remarks: Vec<String>,
    /// What was run.
    pub scenario: &'a Scenario,
    /// How the robot got along.
    pub locomotion: Option<LocomotionSummary>,
    /// Time it took \[s\].
    pub wall_time: f64,
    /// Hash of the scenario.
    pub scenario_hash: String,
}

fn total(energies: &Energies) -> f64 {
    energies.kinetic + energies.potential
}

/// Where a robot is: its base, or the centre of mass of a fixed one \[m\].
pub fn position(simulation: &Simulation) -> [f64; 3] {
    let (model, q) = (simulation.model(), &simulation.state().q);
    match model.base() {
        Base::Fixed => center_of_mass(model, simulation.kinematics()).into(),
        Base::Planar => [q[0], 0.0, q[1]],
        Base::Floating => [q[0], q[1], q[2]],
    }
}
