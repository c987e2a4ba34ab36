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
    /// k × (k + 1), row after row, the last column the right-hand side.
    matrix: Vec<f64>,
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
        let width = k + 1;
        self.matrix.clear();
        self.matrix.resize(k * width, 0.0);
        for (i, (unknown, line)) in self
            .unknowns
            .iter()
            .zip(self.matrix.chunks_exact_mut(width))
            .enumerate()
        {
            let rows = unknown.row..unknown.row + unknown.height;
            let test = &unknown.test[..unknown.height];
            for (j, entry) in line[..k].iter_mut().enumerate() {
                let column = &self.response[j * r..(j + 1) * r];
                *entry = inner(test, &column[rows.clone()]);
            }
            line[i] += unknown.turning;
            line[k] = equations.epsilon * inner(test, &equations.anchor[rows.clone()])
                - inner(test, &self.right[rows]);
        }
        if !eliminate(&mut self.matrix, k, &mut self.solution) {
            return false;
        }
        for (unknown, x) in self.unknowns.iter().zip(&self.solution) {
            for (i, push) in unknown.push[..unknown.height].iter().enumerate() {
                impulse[unknown.row + i] += push * x;
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
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn add_scaled(out: &mut [f64], factor: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += factor * x;
    }
}

/// Gaussian elimination with row pivoting of k rows of k + 1 numbers.
fn eliminate(matrix: &mut [f64], k: usize, solution: &mut Vec<f64>) -> bool {
    let width = k + 1;
    for column in 0..k {
        let mut pivot = column;
        for row in column + 1..k {
            if matrix[row * width + column].abs() > matrix[pivot * width + column].abs() {
                pivot = row;
            }
        }
        let size = matrix[pivot * width + column];
        if size == 0.0 || !size.is_finite() {
            return false;
        }
        if pivot != column {
            for j in column..width {
                matrix.swap(pivot * width + j, column * width + j);
            }
        }
        let (above, below) = matrix.split_at_mut((column + 1) * width);
        let line = &above[column * width + column..];
        for other in below.chunks_exact_mut(width) {
            let factor = other[column] / line[0];
            if factor != 0.0 {
                for (x, y) in other[column..].iter_mut().zip(line) {
                    *x -= factor * y;
                }
            }
        }
    }
    solution.clear();
    solution.resize(k, 0.0);
    for row in (0..k).rev() {
        let line = &matrix[row * width..(row + 1) * width];
        let known = inner(&line[row + 1..k], &solution[row + 1..]);
        solution[row] = (line[k] - known) / line[row];
    }
    true
}
