//! The linear equations of given modes.
//!
//! | mode | unknowns | equations |
//! |---|---|---|
//! | stick | λ, τ | a_n = 0, a_t = 0 |
//! | slide, friction along d | λ and y, τ = μ λ d + y e | a_n = 0, a·e + c y = 0 |
//! | slide of a joint | none, τ = limit·d | |
//! | open | none | |
//!
//! e is d turned by a right angle, and c = k_t (‖z_t‖ − ρ)/ρ is how hard the friction resists being
//! turned: with it the solution is a Newton step of the natural map; d is the direction of z_t. A
//! proximal term ε(Λ − Λ*) makes equations of redundant contacts regular without moving what they
//! determine.
//!
//! Of impulses that redundant contacts may share in many ways those near the anchor are found, or, where it is asked for, those
//! of least norm (`load_sharing`).
//!
//! Factors are kept: while G stays the same, other right-hand sides of the same modes, and directions that
//! have turned a little, are solved with them, and what they leave is solved for again.

mod redundancy;

use nalgebra::DMatrix;

use super::factored_equations::Factored;
use super::load_sharing::LoadSharing;
use super::mode_unknown::{Unknown, push_columns};
use super::{FrictionRows, FrictionRule};
use crate::numerics::{GeneralFactor, SymmetricFactor, add_columns, add_scaled, larger, make_room};

/// Solves at most: each leaves ε beside G of what was left, or less than [`CONTRACTION`] with the factors of
/// nearly the same equations.
const PASSES: usize = 6;
const CONTRACTION: f64 = 0.1;
/// Solves with the factors of other equations before own ones are made.
const BORROWED_PASSES: usize = 3;
/// How often loads are shared anew: the first time leaves ε beside what it moves, and what mends that has a little of any share.
const SHARINGS: usize = 3;
/// What sharing a load may leave of the equations beside what was left before.
const SHARED: f64 = 2.0;
/// What shrinks less than this cannot be solved: redundant contacts contradict each other.
const STALLED: f64 = 0.5;
/// The branch of the map that a group is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Branch {
    Open,
    Stick,
    /// Direction of the friction impulse and resistance c against turning.
    Slide([f64; 2], f64),
}

/// Memory for the equations.
#[derive(Debug, Clone, Default)]
pub(super) struct ModeSystem {
    unknowns: Vec<Unknown>,
    /// k × k, column after column.
    matrix: Vec<f64>,
    /// Its factors, of which those of a symmetric one count or the others.
    symmetric: SymmetricFactor,
    general: GeneralFactor,
    is_symmetric: bool,
    /// What the factors are of.
    factored: Factored,
    /// G times one push (r).
    response: Vec<f64>,
    solution: Vec<f64>,
    /// What ε leaves of the equations.
    left: Vec<f64>,
    sharing: LoadSharing,
    /// The unknowns that nothing resists, with their tests in place of their pushes.
    tests: Vec<Unknown>,
    /// Impulses of the last pass (r).
    change: Vec<f64>,
}

/// Equations of the modes at hand.
pub(super) struct ModeEquations<'a> {
    pub delassus: &'a DMatrix<f64>,
    /// Number of this matrix: another one has another number; 0 for one without a number.
    pub generation: u64,
    pub free: &'a [f64],
    pub groups: &'a [FrictionRows],
    pub rules: &'a [FrictionRule],
    pub branches: &'a [Branch],
    pub epsilon: f64,
    /// Smallest entry of the diagonal of G that a slide meets.
    pub stiffness: f64,
    pub anchor: &'a [f64],
    /// Whether ε is only there to make the equations regular.
    pub refined: bool,
    /// Whether of all solutions that of least norm is wanted, else one that is near the anchor.
    pub shares: bool,
    /// What the solution may leave of its equations \[m/s\].
    pub exact: f64,
}

impl ModeSystem {
    /// Writes the impulses (r) that satisfy the equations and the velocities with them; false when they are
    /// singular.
    pub fn solve(
        &mut self,
        equations: &ModeEquations<'_>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> bool {
        self.choose(equations, impulse);
        for unknown in &self.unknowns {
            let x = unknown.tested(equations.anchor);
            unknown.add(x, impulse);
        }
        let g = equations.delassus.as_slice();
        let r = impulse.len();
        // Other modes need other memory, whenever they come.
        self.response.clear();
        self.response.reserve(r);
        self.sharing.reserve(r);
        make_room(&mut self.tests, r);
        make_room(&mut self.factored.diagonal, r);
        make_room(&mut self.left, r);
        velocity.copy_from_slice(equations.free);
        add_columns(velocity, g, impulse);
        let (generation, epsilon) = (equations.generation, equations.epsilon);
        let stiffness = equations.stiffness;
        let mut fresh = !self
            .factored
            .serves(generation, epsilon, stiffness, &self.unknowns);
        if fresh && !self.factorise(equations, r) {
            return false;
        }
        let mut last = f64::INFINITY;
        let mut pass = 0;
        let mut sharings = 0;
        loop {
            let left = self.update_missing(equations, impulse, velocity);
            if !left.is_finite() {
                self.factored.generation = 0;
                return false;
            }
            // What ε has left, or the factors of other equations, is solved for again.
            let stalls = fresh && pass > 1 && left >= STALLED * last;
            if pass == PASSES || (pass > 0 && left <= equations.exact) || stalls {
                if !equations.shares || !self.share(g, impulse, velocity) {
                    return true;
                }
                // What they contradict each other by stays.
                let enough = SHARED * left.max(equations.exact);
                sharings += 1;
                if sharings == SHARINGS
                    || self.update_missing(equations, impulse, velocity) <= enough
                {
                    return true;
                }
                (pass, last) = (0, f64::INFINITY);
                continue;
            }
            if !fresh && pass > 0 && (left > CONTRACTION * last || pass == BORROWED_PASSES) {
                fresh = true;
                pass = 0;
                if !self.factorise(equations, r) {
                    return false;
                }
            }
            last = left;
            let twice = fresh && pass == 0 && equations.refined;
            self.apply(g, twice, impulse, velocity);
            pass += 1;
        }
    }

    /// Writes what is missing in the equations into `solution`; returns its largest entry.
    fn update_missing(
        &mut self,
        equations: &ModeEquations<'_>,
        impulse: &[f64],
        velocity: &[f64],
    ) -> f64 {
        let mut left = 0.0_f64;
        self.solution.clear();
        for unknown in &self.unknowns {
            let mut missing = unknown.tested(velocity);
            if unknown.turning != 0.0 {
                missing += unknown.turning * unknown.tested(impulse);
            }
            if !equations.refined {
                let moved = unknown.tested(impulse) - unknown.tested(equations.anchor);
                missing += equations.epsilon * moved;
            }
            left = larger(left, missing.abs());
            self.solution.push(-missing);
        }
        left
    }

    /// Adds the solution for the right-hand side in `solution` to impulses, and what it changes to velocities (r); `twice` with
    /// that for what ε leaves of it, which is known without a product where the factors are those of the equations themselves.
    fn apply(&mut self, g: &[f64], twice: bool, impulse: &mut [f64], velocity: &mut [f64]) {
        let mut solution = std::mem::take(&mut self.solution);
        self.substitute(&mut solution);
        if twice {
            // Each push tests itself by one and the others of its group by nothing.
            let mut left = std::mem::take(&mut self.left);
            left.clear();
            left.extend(solution.iter().map(|x| self.factored.epsilon * x));
            self.substitute(&mut left);
            for (x, more) in solution.iter_mut().zip(&left) {
                *x += more;
            }
            self.left = left;
        }
        self.solution = solution;
        self.add_solution(g, impulse, velocity);
    }

    /// Adds `solution` to impulses, and what it changes to velocities (r).
    fn add_solution(&mut self, g: &[f64], impulse: &mut [f64], velocity: &mut [f64]) {
        self.change.clear();
        self.change.resize(impulse.len(), 0.0);
        for (unknown, &x) in self.unknowns.iter().zip(&self.solution) {
            unknown.add(x, &mut self.change);
        }
        add_scaled(impulse, 1.0, &self.change);
        add_columns(velocity, g, &self.change);
    }

    /// Factors of the matrix at hand; false when it is singular.
    fn factorise(&mut self, equations: &ModeEquations<'_>, r: usize) -> bool {
        let (g, epsilon) = (equations.delassus.as_slice(), equations.epsilon);
        let k = self.unknowns.len();
        self.sharing.is_found = false;
        self.is_symmetric = self.unknowns.iter().all(Unknown::is_plain);
        if self.is_symmetric {
            self.fill(g, r, epsilon, true);
            self.is_symmetric = self.symmetric.factor(&self.matrix, k, 0.0);
        }
        let mut regular = self.is_symmetric;
        if !regular {
            self.fill(g, r, epsilon, false);
            regular = self.general.factor(&self.matrix, k);
        }
        self.factored.generation = if regular { equations.generation } else { 0 };
        self.factored.epsilon = equations.epsilon;
        self.factored.unknowns.clone_from(&self.unknowns);
        self.factored.diagonal.clear();
        let diagonal = self.matrix.iter().step_by(k + 1);
        self.factored.diagonal.extend(diagonal);
        regular
    }

    /// x ← (A + ε)⁻¹ x.
    fn substitute(&mut self, x: &mut [f64]) {
        if self.is_symmetric {
            self.symmetric.solve(x);
        } else {
            self.general.solve(x);
        }
    }

    /// The matrix of the equations, ε included, column after column; of a symmetric one the lower triangle.
    fn fill(&mut self, g: &[f64], r: usize, epsilon: f64, symmetric: bool) {
        let k = self.unknowns.len();
        self.matrix.resize(k * k, 0.0);
        // The first unknown of the group at hand.
        let mut first = 0;
        for (j, pushed) in self.unknowns.iter().enumerate() {
            let line = &mut self.matrix[j * k..(j + 1) * k];
            // Velocities of all rows after a unit push.
            let response: &[f64] = match pushed.unit {
                Some(at) => &g[at * r..(at + 1) * r],
                None => {
                    let columns = &g[pushed.row * r..(pushed.row + pushed.height) * r];
                    push_columns(pushed.push, columns, r, &mut self.response);
                    &self.response
                }
            };
            let from = if symmetric { j } else { 0 };
            for (entry, unknown) in line[from..].iter_mut().zip(&self.unknowns[from..]) {
                *entry = unknown.tested(response);
            }
            line[j] += pushed.turning;
            // Unknowns of one group are neighbours.
            if self.unknowns[first].row != pushed.row {
                first = j;
            }
            let from = from.max(first);
            let own = line[from..].iter_mut().zip(&self.unknowns[from..]);
            for (entry, unknown) in own.take_while(|(_, own)| own.row == pushed.row) {
                let [a, b, c] = unknown.test;
                *entry += epsilon * (a * pushed.push[0] + b * pushed.push[1] + c * pushed.push[2]);
            }
        }
    }

    /// Lists the unknowns and writes the impulses that are known.
    fn choose(&mut self, equations: &ModeEquations<'_>, impulse: &mut [f64]) {
        self.unknowns.clear();
        impulse.fill(0.0);
        let all = equations.groups.iter().zip(equations.rules);
        for ((group, rule), branch) in all.zip(equations.branches) {
            let height = group.height();
            let first = usize::from(group.normal);
            let unit = |at: usize| {
                let mut out = [0.0; 3];
                out[at] = 1.0;
                out
            };
            let mut add = |push, test, units: [Option<usize>; 2], turning| {
                let [unit, test_unit] = units.map(|at| at.map(|at| group.row + at));
                self.unknowns.push(Unknown {
                    row: group.row,
                    height,
                    push,
                    test,
                    unit,
                    test_unit,
                    turning,
                });
            };
            match (rule, *branch) {
                (FrictionRule::Off, _) | (_, Branch::Open) => {}
                (_, Branch::Stick) => {
                    let stuck = if group.rubs() { height } else { first };
                    for at in 0..stuck {
                        add(unit(at), unit(at), [Some(at); 2], 0.0);
                    }
                }
                (rule, Branch::Slide(d, turning)) => {
                    let d = match rule {
                        FrictionRule::Along(s) => s.map(|s| -s),
                        _ => d,
                    };
                    if group.normal {
                        let mut push = unit(0);
                        for t in 0..group.tangents {
                            push[1 + t] = group.friction * d[t];
                        }
                        add(push, unit(0), [None, Some(0)], 0.0);
                    }
                    for t in 0..group.tangents {
                        impulse[group.tangent(t)] = group.limit * d[t];
                    }
                    if group.tangents == 2 && *rule == FrictionRule::Coulomb {
                        let mut across = [0.0; 3];
                        across[first] = -d[1];
                        across[first + 1] = d[0];
                        add(across, across, [None; 2], turning);
                    }
                }
            }
        }
    }
}
