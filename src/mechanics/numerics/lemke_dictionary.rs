//! The condensed dictionary of Lemke's method: pivots and the lexicographic ratio test.
//!
//! Row i reads: basic variable i = column 0 + Σ_c (entry i, c) × (non-basic variable of column c).
//! Variables are numbered w = 0…n−1, z = n…2n−1, z₀ = 2n.

/// Four numbers that are worked on together.
type Lane = [f64; 4];

/// Elements of a column smaller than this (rows have unit size) are not pivoted on.
const SMALLEST_PIVOT: f64 = 1e-11;
/// Ratios this close (relative to the ratio, and absolutely in units of max |q|) count as tied.
const TIE: (f64, f64) = (1e-12, 1e-15);

/// n rows of n + 2 numbers, padded to whole lanes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    n: usize,
    /// Lanes of a row.
    width: usize,
    rows: Vec<Lane>,
    pivot_row: Vec<Lane>,
    /// Variable of each row.
    pub(crate) basic: Vec<usize>,
    /// Variable of each column (column 0 has none).
    pub(crate) nonbasic: Vec<usize>,
    /// Where a variable stands: its row when basic, n + its column otherwise.
    place: Vec<usize>,
    ratios: Vec<f64>,
    tied: Vec<usize>,
}

impl Dictionary {
    /// Makes room for n rows, all zero.
    pub(crate) fn resize(&mut self, n: usize) {
        self.n = n;
        self.width = (n + 2).div_ceil(4);
        self.rows.clear();
        self.rows.resize(n * self.width, [0.0; 4]);
        self.pivot_row.resize(self.width, [0.0; 4]);
        self.basic.resize(n, 0);
        self.nonbasic.resize(n + 2, 0);
        self.place.resize(2 * n + 1, 0);
        self.ratios.resize(n, 0.0);
        self.tied.clear();
        self.tied.reserve(n);
    }

    /// Takes over the numbers of another dictionary of the same size, with w basic.
    pub(crate) fn restart(&mut self, from: &Self) {
        self.rows.copy_from_slice(&from.rows);
        for i in 0..self.n {
            self.basic[i] = i;
            self.nonbasic[1 + i] = self.n + i;
            self.place[i] = i;
            self.place[self.n + i] = self.n + 1 + i;
        }
        self.nonbasic[self.n + 1] = 2 * self.n;
        self.place[2 * self.n] = 2 * self.n + 1;
    }

    /// Entry of row `i`, column `c`.
    pub(crate) fn get(&self, i: usize, c: usize) -> f64 {
        self.rows.as_flattened()[4 * i * self.width + c]
    }

    /// Row `i` without its padding.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.rows.as_flattened()[4 * i * self.width..][..self.n + 2]
    }

    /// Row `i` without its padding.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.rows.as_flattened_mut()[4 * i * self.width..][..self.n + 2]
    }

    /// Column in which a non-basic variable stands.
    pub(crate) fn column_of(&self, variable: usize) -> usize {
        self.place[variable] - self.n
    }

    /// Gives the column of z₀, which is not basic, the covering vector d. A unit of z₀ is d added to q,
    /// and a unit of q_k is minus a unit of w_k.
    pub(crate) fn set_covering(&mut self, covering: &[f64]) {
        let n = self.n;
        let column = self.column_of(2 * n);
        for i in 0..n {
            let mut entry = match self.basic[i] {
                k if k < n => covering[k],
                _ => 0.0,
            };
            for (a, &variable) in self.row(i).iter().zip(&self.nonbasic).skip(1) {
                if variable < n {
                    entry -= a * covering[variable];
                }
            }
            self.row_mut(i)[column] = entry;
        }
    }

    /// The row where z₀ enters: the most negative one per unit of d.
    pub(crate) fn first_row(&self) -> usize {
        let ratio = |i: usize| self.get(i, 0) / self.get(i, self.n + 1);
        let least = (0..self.n).map(ratio).fold(f64::INFINITY, f64::min);
        let tied = |&i: &usize| ratio(i) <= least + TIE.0 * least.abs();
        // Row i carries ε^(i + 1): of tied rows the last is least.
        (0..self.n).rev().find(tied).unwrap_or(0)
    }

    /// Ratio test for the column `entering`; `None` when it is a ray.
    pub(crate) fn leaving_row(&mut self, entering: usize) -> Option<usize> {
        let stride = 4 * self.width;
        let mut least = f64::INFINITY;
        for (ratio, row) in self
            .ratios
            .iter_mut()
            .zip(self.rows.as_flattened().chunks_exact(stride))
        {
            let a = row[entering];
            *ratio = if a < -SMALLEST_PIVOT {
                row[0] / -a
            } else {
                f64::INFINITY
            };
            least = if *ratio < least { *ratio } else { least };
        }
        if !least.is_finite() {
            return None;
        }
        let limit = least + TIE.0 * least.abs() + TIE.1;
        self.tied.clear();
        for (i, ratio) in self.ratios.iter().enumerate() {
            if *ratio <= limit {
                // Letting z₀ go ends the path at a solution of the unperturbed problem.
                if self.basic[i] == 2 * self.n {
                    return Some(i);
                }
                self.tied.push(i);
            }
        }
        let mut power = 0;
        while self.tied.len() > 1 && power < self.n {
            self.keep_lexicographic_least(entering, power);
            power += 1;
        }
        self.tied.first().copied()
    }

    /// Keeps those tied rows whose coefficient of ε^(power + 1) per unit of pivot is least. The
    /// coefficient of ε^(k + 1) in a row is minus its entry in the column of w_k.
    fn keep_lexicographic_least(&mut self, entering: usize, power: usize) {
        let (n, stride) = (self.n, 4 * self.width);
        let place = self.place[power];
        let numbers = self.rows.as_flattened();
        let coefficient = |i: usize| {
            let inverse = -1.0 / numbers[i * stride + entering];
            if place >= n {
                -numbers[i * stride + place - n] * inverse
            } else if place == i {
                inverse
            } else {
                0.0
            }
        };
        let least = self
            .tied
            .iter()
            .map(|&i| coefficient(i))
            .fold(f64::INFINITY, f64::min);
        let limit = least + TIE.0 * least.abs() + TIE.1;
        self.tied.retain(|&i| coefficient(i) <= limit);
    }

    /// Exchanges the basic variable of `row` with the non-basic one of `column`.
    pub(crate) fn pivot(&mut self, row: usize, column: usize) {
        let inverse = 1.0 / self.get(row, column);
        let width = self.width;
        for (p, lane) in self.pivot_row.iter_mut().zip(&self.rows[row * width..]) {
            *p = lane.map(|a| -a * inverse);
        }
        self.pivot_row.as_flattened_mut()[column] = inverse;
        // The usual sizes with their loops unrolled: 1–2 and 5–6 planar contacts.
        match width {
            2 => self.eliminate::<2>(row, column),
            3 => self.eliminate::<3>(row, column),
            4 => self.eliminate::<4>(row, column),
            5 => self.eliminate::<5>(row, column),
            6 => self.eliminate::<6>(row, column),
            7 => self.eliminate::<7>(row, column),
            8 => self.eliminate::<8>(row, column),
            _ => self.eliminate_any(row, column),
        }
        let (out, into) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = into;
        self.nonbasic[column] = out;
        self.place[into] = row;
        self.place[out] = self.n + column;
    }

    fn eliminate<const W: usize>(&mut self, row: usize, column: usize) {
        let mut pivot_row = [[0.0; 4]; W];
        pivot_row.copy_from_slice(&self.pivot_row);
        for (i, line) in self.rows.as_chunks_mut::<W>().0.iter_mut().enumerate() {
            let factor = line[column / 4][column % 4];
            if i == row || factor == 0.0 {
                continue;
            }
            line[column / 4][column % 4] = 0.0;
            for (a, p) in line.iter_mut().zip(&pivot_row) {
                for k in 0..4 {
                    a[k] += factor * p[k];
                }
            }
        }
        self.rows.as_chunks_mut::<W>().0[row] = pivot_row;
    }

    fn eliminate_any(&mut self, row: usize, column: usize) {
        let width = self.width;
        for (i, line) in self.rows.chunks_exact_mut(width).enumerate() {
            let factor = line[column / 4][column % 4];
            if i == row || factor == 0.0 {
                continue;
            }
            line[column / 4][column % 4] = 0.0;
            for (a, p) in line.iter_mut().zip(&self.pivot_row) {
                for k in 0..4 {
                    a[k] += factor * p[k];
                }
            }
        }
        self.rows[row * width..(row + 1) * width].copy_from_slice(&self.pivot_row);
    }
}
