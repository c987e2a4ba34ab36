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
    /// Added to the diagonal.
    turning: f64,
}

/// Memory for the equations.
#[derive(Debug, Clone, Default)]
pub(super) struct ModeSystem {
    unknowns: Vec<Unknown>,
    /// k × k, row after row, then its factors.
    matrix: Vec<f64>,
    /// Which row came where.
    order: Vec<usize>,
    total: Vec<f64>,
    scratch: Vec<f64>,
    /// G times the pushes, column after column of r.
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
}

impl ModeSystem {
    /// Writes the impulses (r) that satisfy the equations; false when they are singular.
    pub fn solve(&mut self, equations: &ModeEquations<'_>, impulse: &mut [f64]) -> bool {
        let r = impulse.len();
        self.choose(equations, impulse);
        let k = self.unknowns.len();
        // Velocities with the impulses that are known.
        self.right.clear();
        self.right.extend_from_slice(equations.free);
        for (i, &x) in impulse.iter().enumerate() {
            if x != 0.0 {
                add_scaled(
                    &mut self.right,
                    x,
                    &equations.delassus.as_slice()[i * r..(i + 1) * r],
                );
            }
        }
        self.response.clear();
        self.response.resize(k * r, 0.0);
        let columns = self.response.chunks_exact_mut(r.max(1));
        for (unknown, column) in self.unknowns.iter().zip(columns) {
            for (i, &push) in unknown.push[..unknown.height].iter().enumerate() {
                if push != 0.0 {
                    let at = unknown.row + i;
                    let entries = &equations.delassus.as_slice()[at * r..(at + 1) * r];
                    add_scaled(column, push, entries);
                    column[at] += equations.epsilon * push;
                }
            }
        }
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for (i, (unknown, line)) in self
            .unknowns
            .iter()
            .zip(self.matrix.chunks_exact_mut(k.max(1)))
            .enumerate()
        {
            let rows = unknown.row..unknown.row + unknown.height;
            let test = &unknown.test[..unknown.height];
            for (j, entry) in line.iter_mut().enumerate() {
                let column = &self.response[j * r..(j + 1) * r];
                *entry = inner(test, &column[rows.clone()]);
            }
            line[i] += unknown.turning;
        }
        if !factorise(&mut self.matrix, k, &mut self.order) {
            return false;
        }
        self.total.clear();
        self.total.resize(k, 0.0);
        // What the regularisation has left is solved for again: then it moves no solution.
        for pass in 0..=REFINEMENTS {
            self.solution.clear();
            for unknown in &self.unknowns {
                let rows = unknown.row..unknown.row + unknown.height;
                let test = &unknown.test[..unknown.height];
                let own = if pass == 0 {
                    equations.epsilon * inner(test, &equations.anchor[rows.clone()])
                } else {
                    0.0
                };
                self.solution.push(own - inner(test, &self.right[rows]));
            }
            if pass > 0 {
                for ((x, unknown), total) in self
                    .solution
                    .iter_mut()
                    .zip(&self.unknowns)
                    .zip(&self.total)
                {
                    *x -= unknown.turning * total;
                }
            }
            substitute(
                &self.matrix,
                k,
                &self.order,
                &mut self.solution,
                &mut self.scratch,
            );
            for (j, ((unknown, total), x)) in self
                .unknowns
                .iter()
                .zip(&mut self.total)
                .zip(&self.solution)
                .enumerate()
            {
                *total += x;
                add_scaled(&mut self.right, *x, &self.response[j * r..(j + 1) * r]);
                for (i, push) in unknown.push[..unknown.height].iter().enumerate() {
                    impulse[unknown.row + i] += push * x;
                    // The response has ε in it, the velocity has not.
                    self.right[unknown.row + i] -= equations.epsilon * push * x;
                }
            }
        }
        impulse.iter().all(|x| x.is_finite())
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
