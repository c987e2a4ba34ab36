//! Factors L U of small matrices, tile after tile without exchanges of rows while no entry of U is large, else with
//! exchanges, and solutions with them.
//!
//! The diagonal of U is one, not that of L: where rows hang together up to a small ε on the diagonal, as those of redundant
//! contacts do, a pivot of about ε has a row of that size beside it, and a column of any size below.

use super::pivoted_factor::{factorise, substitute};
use super::tiles::{
    EDGE, Line, Tile, cut, cut_vector, join_vector, substitute_lower, subtract, subtract_columns,
    subtract_product,
};

/// The largest entry of U without an exchange: it costs three digits of sixteen, which those who solve refine.
const LARGEST: f64 = 1e3;

/// The factors of a matrix, in memory that grows to the largest one seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct GeneralFactor {
    /// Size of the matrix, and tiles along an edge.
    k: usize,
    n: usize,
    /// n × n, L with an inverted diagonal, U above its unit one.
    tiles: Vec<Tile>,
    lines: Vec<Line>,
    /// The factors with exchanges, k × k, and which row came where; empty when there are none.
    exchanged: Vec<f64>,
    order: Vec<usize>,
    scratch: Vec<f64>,
}

impl GeneralFactor {
    /// Factorises a k × k matrix, column after column; false when it is singular.
    pub(crate) fn factor(&mut self, matrix: &[f64], k: usize) -> bool {
        (self.k, self.n) = (k, k.div_ceil(EDGE));
        self.order.clear();
        cut(matrix, k, 1.0, &mut self.tiles);
        if self.factor_in_order() {
            return true;
        }
        self.exchanged.clear();
        self.exchanged.extend_from_slice(&matrix[..k * k]);
        factorise(&mut self.exchanged, k, &mut self.order)
    }

    /// False where an entry of U would be large, or no number.
    fn factor_in_order(&mut self) -> bool {
        let n = self.n;
        for j in 0..n {
            let (known, own) = self.tiles.split_at_mut(j * n);
            let own = &mut own[..n];
            for i in 0..n {
                let (above, rest) = own.split_at_mut(i);
                let tile = &mut rest[0];
                for (before, u) in known.chunks_exact(n).zip(above.iter()) {
                    subtract_product(tile, &before[i], u);
                }
                let is_small = if i < j {
                    for line in tile.iter_mut() {
                        solve_lower(&known[i * n + i], line);
                    }
                    tile.as_flattened().iter().all(|x| x.abs() <= LARGEST)
                } else if i == j {
                    factor_tile(tile)
                } else {
                    divide_by_upper(tile, &above[j]);
                    true
                };
                if !is_small {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a pivot is at most that of `least` (k), as far as can be told: an exchange of rows may spread a small one over two.
    pub(crate) fn has_pivot_below(&self, least: impl Iterator<Item = f64>) -> bool {
        let diagonal = self.tiles.iter().step_by(self.n + 1);
        let inverses = diagonal.flat_map(|tile| (0..EDGE).map(|j| tile[j][j]));
        !self.order.is_empty() || inverses.zip(least).any(|(x, least)| x.abs() * least >= 1.0)
    }

    /// x ← A⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if !self.order.is_empty() {
            return substitute(&self.exchanged, self.k, &self.order, x, &mut self.scratch);
        }
        let (n, lines) = (self.n, &mut self.lines);
        cut_vector(x, lines);
        substitute_lower(&self.tiles, n, lines, solve_lower);
        for (j, column) in self.tiles.chunks_exact(n.max(1)).enumerate().rev() {
            let (rest, known) = lines[..=j].split_at_mut(j);
            solve_upper(&column[j], &mut known[0]);
            for (line, tile) in rest.iter_mut().zip(column) {
                subtract_columns(line, tile, &known[0]);
            }
        }
        join_vector(lines, x);
    }
}

/// A becomes L, whose diagonal is inverted, and U; false where an entry of U would be large.
fn factor_tile(tile: &mut Tile) -> bool {
    for j in 0..EDGE {
        let (known, own) = tile.split_at_mut(j);
        let own = &mut own[0];
        for (p, before) in known.iter().enumerate() {
            own[p] *= before[p];
            if own[p].abs() > LARGEST {
                return false;
            }
            for i in p + 1..EDGE {
                own[i] -= own[p] * before[i];
            }
        }
        own[j] = 1.0 / own[j];
        if !own[j].is_finite() {
            return false;
        }
    }
    true
}

/// X ← X U⁻¹.
fn divide_by_upper(x: &mut Tile, u: &Tile) {
    for j in 0..EDGE {
        let (known, own) = x.split_at_mut(j);
        for (p, before) in known.iter().enumerate() {
            subtract(&mut own[0], before, u[j][p]);
        }
    }
}

/// x ← L⁻¹ x.
#[inline(always)]
fn solve_lower(l: &Tile, x: &mut Line) {
    for j in 0..EDGE {
        x[j] *= l[j][j];
        for i in j + 1..EDGE {
            x[i] -= l[j][i] * x[j];
        }
    }
}

/// x ← U⁻¹ x.
#[inline(always)]
fn solve_upper(u: &Tile, x: &mut Line) {
    for j in (0..EDGE).rev() {
        for i in 0..j {
            x[i] -= u[j][i] * x[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::GeneralFactor;

    /// Roundings of k sums of numbers of order one, times a condition number that stays below 1e4.
    fn check(factor: &mut GeneralFactor, matrix: &DMatrix<f64>) {
        let k = matrix.nrows();
        let wanted = DVector::from_fn(k, |i, _| (i as f64).cos());
        let mut x = wanted.clone();
        assert!(factor.factor(matrix.as_slice(), k));
        factor.solve(x.as_mut_slice());
        assert!((matrix * x - wanted).amax() <= 1e-11, "{k}");
    }

    #[test]
    fn factors_solve_their_equations() {
        let mut factor = GeneralFactor::default();
        for k in (2..20).rev() {
            let mut matrix = DMatrix::from_fn(k, k, |i, j| (1.0 + 7.3 * (i * k + j) as f64).sin());
            for i in 0..k {
                matrix[(i, i)] = 0.0;
                matrix[(i, (i + 1) % k)] += 3.0;
            }
            // What is large stands beside the diagonal, or on it.
            check(&mut factor, &matrix);
            assert!(!factor.order.is_empty(), "{k}");
            let turned = DMatrix::from_fn(k, k, |i, j| matrix[(i, (j + 1) % k)]);
            check(&mut factor, &turned);
            assert!(factor.order.is_empty(), "{k}");
        }
        // Two rows are one but for ε: the pivot of the second is ε, as all that is beside it.
        let redundant =
            DMatrix::from_row_slice(3, 3, &[2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 0.5, 3.0, 1.0])
                + DMatrix::identity(3, 3) * 1e-6;
        assert!(factor.factor(redundant.as_slice(), 3) && factor.order.is_empty());
        let wanted = &redundant * DVector::from_element(3, 1.0);
        let mut x = wanted.clone();
        factor.solve(x.as_mut_slice());
        // Some roundings of sums of three numbers of order one.
        assert!((&redundant * x - wanted).amax() <= 1e-14);
        assert!(!factor.factor(&[1.0, 2.0, 2.0, 4.0], 2));
        assert!(!factor.factor(&[f64::NAN], 1));
    }
}
