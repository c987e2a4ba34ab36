//! Solves one combination of friction modes, singular systems included.
//!
//! Redundant contacts make the system singular although the velocity is unique (a block that sticks
//! at two corners can share its friction in many ways): then the impulse is the one of least norm if
//! that satisfies the inequalities, otherwise the one deepest inside them. If the null space moves a
//! velocity the solutions are a continuum, and its extreme points can be asked for.

use super::friction_modes::{Mode, ModeProblem, ModeSystem, append_slacks};
use super::linear_family::LinearFamily;
use super::linear_program::SlackProgram;
use crate::numerics::dot_in_order;

/// Inequalities may be violated by this much, relative to 1 + the largest impulse and velocity.
const FEASIBLE: f64 = 1e-10;
/// A unit null vector moves the velocity when a contact velocity changes by more than this.
const MOVES: f64 = 1e-8;

/// How the system of a mode combination turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModeResult {
    /// No solution with these modes.
    Empty,
    /// One velocity (`lambda`, `velocity`); the impulse is unique or not.
    Point {
        /// False when a continuum of impulses gives this velocity.
        impulse_unique: bool,
    },
    /// A continuum of velocities. `lambda`, `velocity` is the point that is deepest inside.
    Continuum,
}

/// Solver of mode combinations with its workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModeSolver {
    /// Impulse of the last solution, r.
    pub(crate) lambda: Vec<f64>,
    /// Velocity after it, r.
    pub(crate) velocity: Vec<f64>,
    /// Largest violation of an equation or inequality by the last solution.
    pub(crate) residual: f64,
    system: ModeSystem,
    responses: Vec<f64>,
    family: LinearFamily,
    program: SlackProgram,
    slacks: Vec<f64>,
    slope: Vec<f64>,
    gradient: Vec<f64>,
    point: Vec<f64>,
    direction: (Vec<f64>, Vec<f64>),
}

impl ModeSolver {
    /// Solves for the modes `modes[i]` of the contacts.
    pub(crate) fn solve(&mut self, problem: &ModeProblem, modes: &[Mode]) -> ModeResult {
        let space = problem.space;
        let r = space.rows();
        self.system.assemble(problem, modes);
        self.lambda.clear();
        self.lambda.extend(&self.system.fixed);
        self.velocity.resize(r, 0.0);
        space.velocity_after(problem.before, &self.lambda, &mut self.velocity);
        self.assemble_family(problem, r);
        if !self.family.solve() {
            return ModeResult::Empty;
        }
        for (x, column) in self
            .family
            .particular
            .iter()
            .zip(self.system.columns.chunks_exact(r.max(1)))
        {
            add(&mut self.lambda, *x, column);
        }
        if self.family.nullity > 0 {
            return self.solve_singular(problem, modes);
        }
        if self.measure(problem, modes) {
            ModeResult::Point {
                impulse_unique: true,
            }
        } else {
            ModeResult::Empty
        }
    }

    fn assemble_family(&mut self, problem: &ModeProblem, r: usize) {
        let ModeSystem {
            columns, equations, ..
        } = &self.system;
        let k = columns.len() / r.max(1);
        self.family.reset(k);
        self.responses.resize(r, 0.0);
        for (j, column) in columns.chunks_exact(r.max(1)).enumerate() {
            for (i, g) in self.responses.iter_mut().enumerate() {
                *g = dot_in_order(&problem.space.delassus[i * r..(i + 1) * r], column);
            }
            for (i, equation) in equations.chunks_exact(r.max(1)).enumerate() {
                self.family.matrix[i * k + j] = dot_in_order(equation, &self.responses);
            }
        }
        for (i, equation) in equations.chunks_exact(r.max(1)).enumerate() {
            self.family.rhs[i] = -dot_in_order(equation, &self.velocity);
        }
    }

    fn solve_singular(&mut self, problem: &ModeProblem, modes: &[Mode]) -> ModeResult {
        let moves = self.null_slopes(problem, modes);
        let feasible = self.measure(problem, modes);
        if !feasible || moves {
            let nullity = self.family.nullity;
            self.point.resize(nullity, 0.0);
            let depth = self
                .program
                .deepest(nullity, &self.slacks, &self.slope, &mut self.point);
            if depth.is_nan() || depth < -self.tolerance() {
                return ModeResult::Empty;
            }
            self.shift();
            if !self.measure(problem, modes) {
                return ModeResult::Empty;
            }
        }
        if moves {
            ModeResult::Continuum
        } else {
            ModeResult::Point {
                impulse_unique: false,
            }
        }
    }

    /// After [`ModeResult::Continuum`]: moves the solution to where `sign` × (velocity of `row`) is
    /// largest in it. False when the continuum is unbounded that way.
    pub(crate) fn move_to_extreme(
        &mut self,
        problem: &ModeProblem,
        modes: &[Mode],
        row: usize,
        sign: f64,
    ) -> bool {
        let nullity = self.family.nullity;
        self.gradient.clear();
        for j in 0..nullity {
            self.null_direction(problem, j);
            self.gradient.push(sign * self.direction.1[row]);
        }
        self.measure(problem, modes)
            && self.program.extreme(
                nullity,
                &self.slacks,
                &self.slope,
                &self.gradient,
                &mut self.point,
            )
            && {
                self.shift();
                self.measure(problem, modes)
            }
    }

    fn tolerance(&self) -> f64 {
        let size = |x: &[f64]| x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        FEASIBLE * (1.0 + size(&self.lambda) + size(&self.velocity))
    }

    /// lambda += Σ point_j × (null vector j).
    fn shift(&mut self) {
        let k = self.family.particular.len();
        let r = self.lambda.len();
        for (j, s) in self.point.iter().enumerate() {
            for (i, column) in self.system.columns.chunks_exact(r.max(1)).enumerate() {
                add(&mut self.lambda, s * self.family.null[j * k + i], column);
            }
        }
    }

    /// Impulse and velocity of null vector j, into `direction`.
    fn null_direction(&mut self, problem: &ModeProblem, j: usize) {
        let r = self.lambda.len();
        let k = self.family.particular.len();
        let (impulse, velocity) = (&mut self.direction.0, &mut self.direction.1);
        impulse.clear();
        impulse.resize(r, 0.0);
        velocity.clear();
        for (i, column) in self.system.columns.chunks_exact(r.max(1)).enumerate() {
            add(impulse, self.family.null[j * k + i], column);
        }
        let rows = problem.space.delassus.chunks_exact(r.max(1));
        velocity.extend(rows.map(|row| dot_in_order(row, impulse)));
    }

    /// Slopes of the slacks along the null space (row-major); true when it moves a velocity.
    fn null_slopes(&mut self, problem: &ModeProblem, modes: &[Mode]) -> bool {
        let nullity = self.family.nullity;
        let mut moves = false;
        for j in 0..nullity {
            self.null_direction(problem, j);
            let (impulse, velocity) = (&self.direction.0, &self.direction.1);
            moves |= velocity.iter().any(|v| v.abs() > MOVES);
            self.slacks.clear();
            append_slacks(problem, modes, 0.0, impulse, velocity, &mut self.slacks);
            self.slope.resize(self.slacks.len() * nullity, 0.0);
            for (i, slack) in self.slacks.iter().enumerate() {
                self.slope[i * nullity + j] = *slack;
            }
        }
        moves
    }

    /// Velocity, slacks and residual of the present impulse; true when it satisfies everything.
    fn measure(&mut self, problem: &ModeProblem, modes: &[Mode]) -> bool {
        problem
            .space
            .velocity_after(problem.before, &self.lambda, &mut self.velocity);
        let (lambda, velocity) = (&self.lambda, &self.velocity);
        self.slacks.clear();
        append_slacks(problem, modes, 1.0, lambda, velocity, &mut self.slacks);
        self.residual = 0.0;
        for equation in self.system.equations.chunks_exact(lambda.len().max(1)) {
            self.residual = self.residual.max(dot_in_order(equation, velocity).abs());
        }
        for slack in &self.slacks {
            self.residual = self.residual.max(-slack);
        }
        let finite = lambda.iter().chain(velocity).all(|x| x.is_finite());
        finite && self.residual <= self.tolerance()
    }
}

/// a += s b.
fn add(a: &mut [f64], s: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += s * y;
    }
}
