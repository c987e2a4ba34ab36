//! A start for Newton steps that does not depend on guesses: the problem with discs of friction replaced by polygons,
//! solved by Lemke's method.
//!
//! Friction is a sum of impulses β_k ≥ 0 along the corners d_k of a polygon, σ the speed at which it slips (Stewart and
//! Trinkle 1996):
//!
//! ```text
//! 0 ≤ λ ⊥ a_n ≥ 0,    0 ≤ β_k ⊥ d_k·a_t + σ ≥ 0,    0 ≤ σ ⊥ μλ + ℓ − Σ β_k ≥ 0
//! ```
//!
//! The matrix of this linear complementarity problem is copositive, so that the path of the method ends at a solution
//! wherever contacts can be kept apart at all. In the plane it is the problem itself.

use std::f64::consts::TAU;

use super::{Aim, EPSILON, FrictionSolver};
use crate::friction::newton::Setting;
use crate::friction::{FrictionRows, FrictionRule};
use crate::numerics::{LcpStatus, Lemke};

/// A variable of the linear problem.
#[derive(Debug, Clone, Copy)]
enum Variable {
    /// λ of a group.
    Normal(usize),
    /// β of a group along this corner.
    Corner(usize, [f64; 2]),
    /// σ of a group.
    Slip(usize),
}

/// Entries of the dictionary that a problem may cost to pivot, a hundredth of a second: that of fifty contacts takes minutes to
/// end without a solution.
const WORK: usize = 10_000_000;

/// Corners of polygons, and how far they are turned, as shares of the angle between two: few corners take less, many come
/// nearer.
const POLYGONS: [(usize, f64); 3] = [(8, 0.0), (8, 0.5), (32, 0.0)];

/// The linear problem with its workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Facets {
    lemke: Lemke,
    variables: Vec<Variable>,
    constants: Vec<f64>,
    covering: Vec<f64>,
    solution: Vec<f64>,
    /// Velocities of the rows by a unit of each impulse, r each.
    responses: Vec<f64>,
}

impl FrictionSolver {
    /// Newton steps, then proximal ones, from the solutions with polygons.
    pub(super) fn try_polygons(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) {
        let setting = &aim.setting;
        let epsilon = EPSILON * aim.mean;
        for polygon in POLYGONS {
            if !self.facets.solve(setting, polygon, impulse) {
                continue;
            }
            self.anchor.clear();
            self.anchor.extend_from_slice(impulse);
            setting.velocity(impulse, &mut self.velocity);
            let left = (self.newton).solve(setting, epsilon, impulse, &mut self.velocity);
            self.keep(left, impulse);
            if self.left > aim.tolerance {
                impulse.copy_from_slice(&self.anchor);
                let left = self.proximal_steps(aim, impulse);
                self.keep(left, impulse);
            }
            if self.left <= aim.tolerance {
                self.counts.polygons += 1;
                break;
            }
        }
    }
}

impl Facets {
    /// Writes impulses that solve the problem with polygons of so many corners, whose first lies a share of the way to the
    /// second; false where the method finds none.
    pub(super) fn solve(
        &mut self,
        setting: &Setting<'_>,
        polygon: (usize, f64),
        impulse: &mut [f64],
    ) -> bool {
        self.list_variables(setting, polygon);
        self.list_responses(setting);
        let (variables, responses) = (&self.variables, &self.responses);
        let r = setting.free.len();
        let entry = |i: usize, j: usize| match (variables[i], variables[j]) {
            (Variable::Slip(a), Variable::Corner(b, _)) => -f64::from(u8::from(a == b)),
            (Variable::Slip(a), Variable::Normal(b)) => {
                f64::from(u8::from(a == b)) * setting.groups[a].friction
            }
            (Variable::Corner(a, _), Variable::Slip(b)) => {
                f64::from(u8::from(a == b)) * setting.stiffness[a][1]
            }
            (Variable::Normal(_) | Variable::Slip(_), Variable::Slip(_)) => 0.0,
            (row, _) => along(setting.groups, row, &responses[j * r..(j + 1) * r]),
        };
        let n = variables.len();
        self.lemke.set_matrix(n, entry);
        self.covering.clear();
        self.covering.resize(n, 1.0);
        self.solution.clear();
        self.solution.resize(n, 0.0);
        let most = WORK / (n * n).max(1);
        let report =
            (self.lemke).solve_within(most, &self.constants, &self.covering, &mut self.solution);
        if report.status != LcpStatus::Solved {
            return false;
        }
        impulse.fill(0.0);
        for (variable, &size) in self.variables.iter().zip(&self.solution) {
            match *variable {
                Variable::Normal(i) => impulse[setting.groups[i].row] += size,
                Variable::Corner(i, corner) => {
                    let group = &setting.groups[i];
                    for (t, share) in corner.iter().enumerate().take(group.tangents) {
                        impulse[group.tangent(t)] += share * size;
                    }
                }
                Variable::Slip(_) => {}
            }
        }
        true
    }

    fn list_variables(&mut self, setting: &Setting<'_>, (corners, turn): (usize, f64)) {
        self.variables.clear();
        self.constants.clear();
        let rules = setting.groups.iter().zip(setting.rules);
        for (i, (group, rule)) in rules.enumerate() {
            if *rule == FrictionRule::Off {
                continue;
            }
            if group.normal {
                self.variables.push(Variable::Normal(i));
                self.constants.push(setting.free[group.row]);
            }
            if !group.rubs() {
                continue;
            }
            let corners = if group.tangents == 1 { 2 } else { corners };
            for k in 0..corners {
                let corner = if group.tangents == 1 {
                    [1.0 - 2.0 * k as f64, 0.0]
                } else {
                    let (sine, cosine) = (TAU * (k as f64 + turn) / corners as f64).sin_cos();
                    [cosine, sine]
                };
                let variable = Variable::Corner(i, corner);
                self.variables.push(variable);
                self.constants
                    .push(along(setting.groups, variable, setting.free));
            }
            self.variables.push(Variable::Slip(i));
            self.constants.push(group.limit);
        }
    }

    fn list_responses(&mut self, setting: &Setting<'_>) {
        let r = setting.free.len();
        self.responses.clear();
        self.responses.resize(self.variables.len() * r, 0.0);
        let rows = self.responses.chunks_exact_mut(r.max(1));
        for (variable, response) in self.variables.iter().zip(rows) {
            for (row, out) in response.iter_mut().enumerate() {
                let column = &setting.delassus.as_slice()[row * r..(row + 1) * r];
                *out = along(setting.groups, *variable, column);
            }
        }
    }
}

/// The entry of `x` (r) along a variable's row; none along a slip.
fn along(groups: &[FrictionRows], variable: Variable, x: &[f64]) -> f64 {
    match variable {
        Variable::Normal(i) => x[groups[i].row],
        Variable::Corner(i, corner) => {
            let tangential = groups[i].tangential(x);
            corner[0] * tangential[0] + corner[1] * tangential[1]
        }
        Variable::Slip(_) => 0.0,
    }
}
