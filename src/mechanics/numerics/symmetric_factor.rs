//! Cholesky factors L Lᵀ of small symmetric positive matrices, tile after tile, and solutions with them.

use super::make_room;
use super::tiles::{
    EDGE, Line, Tile, cut, cut_vector, join_vector, substitute_lower, subtract,
    subtract_product_transposed, subtract_rows,
};

/// The factor of a matrix, in memory that grows to the largest one seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymmetricFactor {
    /// Tiles along an edge.
    n: usize,
    /// n × n, of which the lower triangle counts; the diagonal of L is inverted.
    tiles: Vec<Tile>,
    lines: Vec<Line>,
}

impl SymmetricFactor {
    /// Makes room for a k × k matrix.
    pub(crate) fn reserve(&mut self, k: usize) {
        let n = k.div_ceil(EDGE);
        make_room(&mut self.tiles, n * n);
        make_room(&mut self.lines, n);
    }

    /// Factorises the k × k matrix whose lower triangle is given column after column; false when a pivot is at most
    /// `least`, which is not negative, or not finite. What is after such a pivot has cost little.
    pub(crate) fn factor(&mut self, matrix: &[f64], k: usize, least: f64) -> bool {
        self.n = k.div_ceil(EDGE);
        let n = self.n;
        cut(matrix, k, 1.0 + 2.0 * least, &mut self.tiles);
        for j in 0..n {
            let (known, own) = self.tiles.split_at_mut(j * n);
            let own = &mut own[..n];
            for i in j..n {
                for before in known.chunks_exact(n) {
                    subtract_product_transposed(&mut own[i], &before[i], &before[j]);
                }
                if i > j {
                    let (above, below) = own.split_at_mut(i);
                    divide_by_transposed(&mut below[0], &above[j]);
                } else if !factor_tile(&mut own[j], least) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a pivot is at most that of `least` (k).
    pub(crate) fn has_pivot_below(&self, least: impl Iterator<Item = f64>) -> bool {
        let diagonal = self.tiles.iter().step_by(self.n + 1);
        let inverses = diagonal.flat_map(|tile| (0..EDGE).map(|j| tile[j][j]));
        inverses.zip(least).any(|(x, least)| x * x * least >= 1.0)
    }

    /// x ← A⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let (n, lines) = (self.n, &mut self.lines);
        cut_vector(x, lines);
        substitute_lower(&self.tiles, n, lines, solve_lower);
        for (j, column) in self.tiles.chunks_exact(n.max(1)).enumerate().rev() {
            let (own, known) = lines[j..].split_at_mut(1);
            for (line, tile) in known.iter().zip(&column[j + 1..]) {
                subtract_rows(&mut own[0], tile, line);
            }
            solve_upper(&column[j], &mut own[0]);
        }
        join_vector(lines, x);
    }
}

/// The lower triangle becomes that of L with an inverted diagonal; false at a pivot that is too small.
fn factor_tile(tile: &mut Tile, least: f64) -> bool {
    for j in 0..EDGE {
        let (known, own) = tile.split_at_mut(j);
        let own = &mut own[0];
        for before in known {
            subtract(own, before, before[j]);
        }
        let pivot = own[j];
        if !(pivot > least && pivot.is_finite()) {
            return false;
        }
        let inverse = 1.0 / pivot.sqrt();
        for entry in own.iter_mut() {
            *entry *= inverse;
        }
        own[j] = inverse;
    }
    true
}

/// X ← X L⁻ᵀ.
fn divide_by_transposed(x: &mut Tile, l: &Tile) {
    for j in 0..EDGE {
        let (known, own) = x.split_at_mut(j);
        let own = &mut own[0];
        for (before, l) in known.iter().zip(l) {
            subtract(own, before, l[j]);
        }
        for entry in own {
            *entry *= l[j][j];
        }
    }
}

/// x ← L⁻¹ x.
fn solve_lower(l: &Tile, x: &mut Line) {
    for j in 0..EDGE {
        x[j] *= l[j][j];
        for i in j + 1..EDGE {
            x[i] -= l[j][i] * x[j];
        }
    }
}

/// x ← L⁻ᵀ x.
fn solve_upper(l: &Tile, x: &mut Line) {
    for j in (0..EDGE).rev() {
        for i in j + 1..EDGE {
            x[j] -= l[j][i] * x[i];
        }
        x[j] *= l[j][j];
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::SymmetricFactor;

    fn positive(k: usize) -> DMatrix<f64> {
        let root = DMatrix::from_fn(k, k, |i, j| (1.0 + 7.3 * (i * k + j) as f64).sin());
        &root * root.transpose() + DMatrix::identity(k, k) * 0.1
    }

    /// Roundings of k sums of numbers of order k, times a condition number that stays below 1e4.
    #[test]
    fn factors_solve_their_equations() {
        let mut factor = SymmetricFactor::default();
        // Larger ones first: what they leave behind must not matter.
        for k in (0..20).rev() {
            let mut matrix = positive(k);
            let wanted = DVector::from_fn(k, |i, _| (i as f64).cos());
            let mut x = wanted.clone();
            // What is above the diagonal is not read.
            let mut given = matrix.clone();
            given.fill_upper_triangle(f64::NAN, 1);
            assert!(factor.factor(given.as_slice(), k, 1e-3));
            factor.solve(x.as_mut_slice());
            assert!((&matrix * x - &wanted).amax() <= 1e-11, "{k}");
            matrix *= 1e9;
            assert!(factor.factor(matrix.as_slice(), k, 1e6));
        }
    }

    #[test]
    fn a_small_pivot_is_refused_wherever_it_stands() {
        let mut factor = SymmetricFactor::default();
        for k in 1..10 {
            for at in 0..k {
                let mut matrix = positive(k);
                // Its pivot is its entry less what the others have of it.
                matrix[(at, at)] = -1.0;
                assert!(!factor.factor(matrix.as_slice(), k, 0.0));
            }
        }
        let twice = DMatrix::from_element(2, 2, 1.0) + DMatrix::identity(2, 2) * 1e-7;
        assert!(!factor.factor(twice.as_slice(), 2, 1e-6));
        assert!(factor.factor(twice.as_slice(), 2, 1e-8));
    }
}
