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

use nalgebra::DMatrix;

use super::{FrictionRows, FrictionRule};
use crate::numerics::dot;

/// Solves after the first one.
const REFINEMENTS: usize = 3;

/// The branch of the map that a group is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Branch {
    Open,
    Stick,
    /// Direction of the friction impulse and resistance c against turning.
    Slide([f64; 2], f64),
}

/// One unknown: its push on up to three rows from `row` on, and the test of its equation.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    row: usize,
    height: usize,
    push: [f64; 3],
    test: [f64; 3],
    /// Which row alone it pushes, and which alone it tests.
    unit: Option<usize>,
    test_unit: Option<usize>,
    /// Added to the diagonal.
    turning: f64,
}

impl Unknown {
    /// Its test of r numbers.
    fn tested(&self, x: &[f64]) -> f64 {
        match self.test_unit {
            Some(at) => x[self.row + at],
            None => {
                let rows = &x[self.row..self.row + self.height];
                rows.iter().zip(&self.test).map(|(x, t)| x * t).sum()
            }
        }
    }
}

/// The only entry of a unit vector.
fn only_entry(x: &[f64; 3]) -> Option<usize> {
    let mut entries = (0..3).filter(|&i| x[i] != 0.0);
    let first = entries.next()?;
    (entries.next().is_none() && x[first] == 1.0).then_some(first)
}

/// Memory for the equations.
#[derive(Debug, Clone, Default)]
pub(super) struct ModeSystem {
    unknowns: Vec<Unknown>,
    /// k × k, row after row, then its factors.
    matrix: Vec<f64>,
    /// Which row came where.
    order: Vec<usize>,
    /// Impulses of the last pass (r).
    change: Vec<f64>,
    scratch: Vec<f64>,
    /// G times one push (r).
    response: Vec<f64>,
    right: Vec<f64>,
    solution: Vec<f64>,
}

/// Equations of the modes at hand.
pub(super) struct ModeEquations<'a> {
    pub delassus: &'a DMatrix<f64>,
    pub free: &'a [f64],
    pub groups: &'a [FrictionRows],
    pub rules: &'a [FrictionRule],
    pub branches: &'a [Branch],
    pub epsilon: f64,
    pub anchor: &'a [f64],
    /// Whether ε is only there to make the equations regular.
    pub refined: bool,
}

impl ModeSystem {
    /// Writes the impulses (r) that satisfy the equations; false when they are singular.
    pub fn solve(&mut self, equations: &ModeEquations<'_>, impulse: &mut [f64]) -> bool {
        let r = impulse.len();
        self.choose(equations, impulse);
        let k = self.unknowns.len();
        let g = equations.delassus.as_slice();
        // Velocities with the impulses that are known.
        self.right.clear();
        self.right.extend_from_slice(equations.free);
        for (i, &x) in impulse.iter().enumerate() {
            if x != 0.0 {
                add_scaled(&mut self.right, x, &g[i * r..(i + 1) * r]);
            }
        }
        self.fill(g, r, equations.epsilon);
        if !factorise(&mut self.matrix, k, &mut self.order) {
            return false;
        }
        self.solution.clear();
        for unknown in &self.unknowns {
            let anchored = equations.epsilon * unknown.tested(equations.anchor);
            self.solution.push(anchored - unknown.tested(&self.right));
        }
        // What the regularisation has left is solved for again: then it moves no solution.
        self.change.clear();
        self.change.extend(equations.anchor.iter().map(|x| -x));
        let passes = if equations.refined { REFINEMENTS } else { 0 };
        for pass in 0..=passes {
            if pass > 0 {
                for (x, unknown) in self.solution.iter_mut().zip(&self.unknowns) {
                    *x = equations.epsilon * unknown.tested(&self.change);
                }
                self.change.fill(0.0);
            }
            substitute(
                &self.matrix,
                k,
                &self.order,
                &mut self.solution,
                &mut self.scratch,
            );
            for (unknown, x) in self.unknowns.iter().zip(&self.solution) {
                for (i, push) in unknown.push[..unknown.height].iter().enumerate() {
                    impulse[unknown.row + i] += push * x;
                    self.change[unknown.row + i] += push * x;
                }
            }
        }
        impulse.iter().all(|x| x.is_finite())
    }

    /// The matrix of the equations, ε included.
    fn fill(&mut self, g: &[f64], r: usize, epsilon: f64) {
        let k = self.unknowns.len();
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for (j, unknown) in self.unknowns.iter().enumerate() {
            let column: &[f64] = match unknown.unit {
                Some(at) => {
                    let at = unknown.row + at;
                    &g[at * r..(at + 1) * r]
                }
                None => {
                    self.response.clear();
                    self.response.resize(r, 0.0);
                    for (i, &push) in unknown.push[..unknown.height].iter().enumerate() {
                        if push != 0.0 {
                            let at = unknown.row + i;
                            add_scaled(&mut self.response, push, &g[at * r..(at + 1) * r]);
                        }
                    }
                    &self.response
                }
            };
            for (i, tested) in self.unknowns.iter().enumerate() {
                self.matrix[i * k + j] = match tested.test_unit {
                    Some(at) => column[tested.row + at],
                    None => tested.tested(column),
                };
            }
            self.matrix[j * k + j] += unknown.turning;
        }
        for i in 0..k {
            for j in 0..k {
                let (a, b) = (&self.unknowns[i], &self.unknowns[j]);
                if a.row == b.row {
                    let overlap = inner(&a.test[..a.height], &b.push[..b.height]);
                    self.matrix[i * k + j] += epsilon * overlap;
                }
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
            let mut add = |push: [f64; 3], test: [f64; 3], turning: f64| {
                self.unknowns.push(Unknown {
                    row: group.row,
                    height,
                    push,
                    test,
                    unit: only_entry(&push),
                    test_unit: only_entry(&test),
                    turning,
                });
            };
            match (rule, *branch) {
                (FrictionRule::Off, _) | (_, Branch::Open) => {}
                (_, Branch::Stick) => {
                    let stuck = if group.rubs() { height } else { first };
                    for at in 0..stuck {
                        add(unit(at), unit(at), 0.0);
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
                        add(push, unit(0), 0.0);
                    }
                    for t in 0..group.tangents {
                        impulse[group.tangent(t)] = group.limit * d[t];
                    }
                    if group.tangents == 2 && *rule == FrictionRule::Coulomb {
                        let mut across = [0.0; 3];
                        across[first] = -d[1];
                        across[first + 1] = d[0];
                        add(across, across, turning);
                    }
                }
            }
        }
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    dot(a, b)
}

fn add_scaled(out: &mut [f64], factor: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += factor * x;
    }
}

/// LU factors of a k × k matrix in its place, row after row, with row pivoting; false when it is singular.
fn factorise(matrix: &mut [f64], k: usize, order: &mut Vec<usize>) -> bool {
    order.clear();
    order.extend(0..k);
    for column in 0..k {
        let mut pivot = column;
        for row in column + 1..k {
            if matrix[row * k + column].abs() > matrix[pivot * k + column].abs() {
                pivot = row;
            }
        }
        let size = matrix[pivot * k + column];
        if size == 0.0 || !size.is_finite() {
            return false;
        }
        if pivot != column {
            order.swap(pivot, column);
            for j in 0..k {
                matrix.swap(pivot * k + j, column * k + j);
            }
        }
        let (above, below) = matrix.split_at_mut((column + 1) * k);
        let line = &above[column * k + column..];
        let inverse = 1.0 / line[0];
        for other in below.chunks_exact_mut(k) {
            let factor = other[column] * inverse;
            other[column] = factor;
            if factor != 0.0 {
                for (x, y) in other[column + 1..].iter_mut().zip(&line[1..]) {
                    *x -= factor * y;
                }
            }
        }
    }
    true
}

/// Solves with the factors; `x` holds the right-hand side on entry.
fn substitute(lu: &[f64], k: usize, order: &[usize], x: &mut [f64], scratch: &mut Vec<f64>) {
    scratch.clear();
    scratch.extend(order.iter().map(|&i| x[i]));
    for row in 0..k {
        let line = &lu[row * k..row * k + row];
        let known = inner(line, &scratch[..row]);
        scratch[row] -= known;
    }
    for row in (0..k).rev() {
        let line = &lu[row * k..(row + 1) * k];
        let known = inner(&line[row + 1..], &scratch[row + 1..]);
        scratch[row] = (scratch[row] - known) / line[row];
    }
    x.copy_from_slice(scratch);
}
