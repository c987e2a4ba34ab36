//! Every solution of a contact LCP, by trying all combinations of friction modes.

use super::friction_modes::{Mode, ModeProblem, mode, mode_count, mode_name};
use super::mode_solver::{ModeResult, ModeSolver};

/// Velocities closer than this (scaled, largest entry) are one solution.
const DISTINCT: f64 = 1e-9;

/// One solution in scaled space.
#[derive(Debug, Clone)]
pub(crate) struct ModeSolution {
    pub(crate) lambda: Vec<f64>,
    pub(crate) velocity: Vec<f64>,
    /// Every combination of modes that gives this velocity.
    pub(crate) modes: Vec<Vec<Mode>>,
    /// Largest violation of the conditions.
    pub(crate) residual: f64,
    /// False when a continuum of impulses gives this velocity.
    pub(crate) impulse_unique: bool,
    /// True for the extreme points of a continuum of velocities.
    pub(crate) in_continuum: bool,
}

/// Solver with its workspace and the solutions of the last call.
#[derive(Debug, Clone, Default)]
pub(crate) struct SolutionEnumeration {
    pub(crate) solutions: Vec<ModeSolution>,
    solver: ModeSolver,
    counts: Vec<usize>,
    index: Vec<usize>,
    modes: Vec<Mode>,
}

impl SolutionEnumeration {
    /// Number of mode combinations of the problem (saturating).
    pub(crate) fn combinations(problem: &ModeProblem) -> usize {
        let bounded = problem.allowance.is_some();
        let contacts = problem.space.contacts.iter();
        contacts.fold(1_usize, |n, c| n.saturating_mul(mode_count(c, bounded)))
    }

    /// Finds every solution. The caller checks [`SolutionEnumeration::combinations`] first.
    pub(crate) fn run(&mut self, problem: &ModeProblem) {
        let contacts = &problem.space.contacts;
        let bounded = problem.allowance.is_some();
        self.solutions.clear();
        self.counts.clear();
        self.counts
            .extend(contacts.iter().map(|c| mode_count(c, bounded)));
        self.index.clear();
        self.index.resize(contacts.len(), 0);
        loop {
            self.modes.clear();
            let chosen = contacts.iter().zip(&self.index);
            self.modes.extend(chosen.map(|(c, &i)| mode(c, i)));
            self.examine(problem);
            let mut place = 0;
            while place < contacts.len() {
                self.index[place] += 1;
                if self.index[place] < self.counts[place] {
                    break;
                }
                self.index[place] = 0;
                place += 1;
            }
            if place == contacts.len() {
                return;
            }
        }
    }

    fn examine(&mut self, problem: &ModeProblem) {
        match self.solver.solve(problem, &self.modes) {
            ModeResult::Empty => {}
            ModeResult::Point { impulse_unique } => self.keep(impulse_unique, false),
            ModeResult::Continuum => {
                for row in 0..problem.space.rows() {
                    for sign in [1.0, -1.0] {
                        let modes = &self.modes;
                        if self.solver.move_to_extreme(problem, modes, row, sign) {
                            self.keep(false, true);
                        }
                    }
                }
            }
        }
    }

    fn keep(&mut self, impulse_unique: bool, in_continuum: bool) {
        let velocity = &self.solver.velocity;
        let near = |s: &&mut ModeSolution| {
            let pairs = s.velocity.iter().zip(velocity);
            pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) <= DISTINCT
        };
        if let Some(known) = self.solutions.iter_mut().find(near) {
            if !known.modes.contains(&self.modes) {
                known.modes.push(self.modes.clone());
            }
            known.impulse_unique &= impulse_unique;
            known.in_continuum &= in_continuum;
            if self.solver.residual < known.residual {
                known.lambda.clone_from(&self.solver.lambda);
                known.velocity.clone_from(&self.solver.velocity);
                known.residual = self.solver.residual;
            }
            return;
        }
        self.solutions.push(ModeSolution {
            lambda: self.solver.lambda.clone(),
            velocity: self.solver.velocity.clone(),
            modes: vec![self.modes.clone()],
            residual: self.solver.residual,
            impulse_unique,
            in_continuum,
        });
    }
}

/// The modes of a solution as words, one list per combination.
pub(crate) fn mode_words(problem: &ModeProblem, solution: &ModeSolution) -> Vec<Vec<String>> {
    let words = |modes: &Vec<Mode>| {
        let contacts = problem.space.contacts.iter();
        contacts.zip(modes).map(|(c, &m)| mode_name(c, m)).collect()
    };
    solution.modes.iter().map(words).collect()
}
