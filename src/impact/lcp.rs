//! Linear complementarity: find z ≥ 0 with w = q + M z ≥ 0 and zᵀw = 0, by Lemke's method.
//!
//! Lemke's method adds one artificial variable z₀ with a *covering vector* d > 0,
//! w = q + M z + d z₀, and follows the path of almost complementary bases until z₀ leaves. It ends at
//! a solution for every copositive LCP of [HP] (Proposition 2, Theorem 6). When the LCP has several
//! solutions, d decides which of them is met: a fixed d always meets the same one.
//!
//! The implementation keeps the condensed dictionary of Murty (*Linear Complementarity, Linear and
//! Nonlinear Programming*, 1988, ch. 2): basic variables as affine functions of the non-basic ones,
//! n rows of n + 2 numbers. Ties of the ratio test are broken lexicographically, that is, as if q
//! were q + (ε, ε², …, εⁿ) for an infinitesimal ε; the coefficients of the powers of ε can be read
//! off the columns of the non-basic w, so they cost no storage and cycling is impossible.
//!
//! | symbol | here |
//! |---|---|
//! | M, q | the arguments of [`Lemke::set_matrix`], [`Lemke::solve`], n × n and n |
//! | d | `covering`, n, positive |
//! | w, z, z₀ | variables number 0…n−1, n…2n−1, 2n of the dictionary |

use nalgebra::DMatrix;

/// How Lemke's method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LcpStatus {
    /// A solution was found.
    Solved,
    /// The path left to infinity: no solution is found from this covering vector.
    Ray,
    /// The pivot budget was used up.
    PivotLimit,
}

/// What one call of [`Lemke::solve`] did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LcpReport {
    /// How the method ended.
    pub status: LcpStatus,
    /// Number of pivots.
    pub pivots: usize,
    /// max_i |min(z_i, w_i)| / max |q|, recomputed from M and q with every row of the LCP divided by
    /// its largest entry of M: the certificate of the returned z. Infinite unless solved.
    pub residual: f64,
}

/// Elements of a column smaller than this (rows have unit size) are not pivoted on.
const SMALLEST_PIVOT: f64 = 1e-11;
/// Ratios this close (relative to the ratio, and absolutely in units of max |q|) count as tied.
const TIE: (f64, f64) = (1e-12, 1e-15);
/// Residual above which the solution is refined with the inverse that the dictionary holds.
const REFINE_ABOVE: f64 = 1e-14;

/// Lemke's method with its workspace. Allocates only when a larger problem arrives.
#[derive(Debug, Clone, Default)]
pub struct Lemke {
    n: usize,
    /// Row-scaled M in dictionary layout: column 0 is q, 1…n are z, n + 1 is d.
    template: Vec<f64>,
    table: Vec<f64>,
    row_scale: Vec<f64>,
    pivot_row: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Where a variable stands: its row when basic, n + its column otherwise.
    place: Vec<usize>,
    slack: Vec<f64>,
    tied: Vec<usize>,
}

impl Lemke {
    /// An empty solver.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// n of the matrix in force.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Sets M (n × n, `entry(i, j)`), for any number of [`Lemke::solve`].
    pub fn set_matrix(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) {
        self.n = n;
        let stride = n + 2;
        self.template.clear();
        self.template.resize(n * stride, 0.0);
        self.row_scale.clear();
        for i in 0..n {
            let row = &mut self.template[i * stride..(i + 1) * stride];
            let mut largest: f64 = 0.0;
            for j in 0..n {
                row[1 + j] = entry(i, j);
                largest = largest.max(row[1 + j].abs());
            }
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= scale);
            self.row_scale.push(scale);
        }
        self.table.resize(n * stride, 0.0);
        self.pivot_row.resize(stride, 0.0);
        self.slack.resize(n, 0.0);
        self.basic.resize(n, 0);
        self.nonbasic.resize(stride, 0);
        self.place.resize(2 * n + 1, 0);
        self.tied.clear();
        self.tied.reserve(n);
    }

    /// Solves for q (n) with the covering vector d (n, positive) and writes z (n). Rows of the LCP are
    /// divided by their largest entry of M first; d belongs to the divided rows.
    ///
    /// Without [`LcpStatus::Solved`] z is not meaningful. NaN in the data ends in
    /// [`LcpStatus::Ray`] or with an infinite residual, never in a solution.
    pub fn solve(&mut self, q: &[f64], covering: &[f64], z: &mut [f64]) -> LcpReport {
        let n = self.n;
        let stride = n + 2;
        let mut scale: f64 = 0.0;
        let mut least: f64 = 0.0;
        for i in 0..n {
            self.slack[i] = q[i] * self.row_scale[i];
            scale = scale.max(self.slack[i].abs());
            least = least.min(self.slack[i]);
        }
        z[..n].fill(0.0);
        if least == 0.0 && q.iter().all(|x| x.is_finite()) {
            return solved(0, 0.0);
        }
        self.table.copy_from_slice(&self.template);
        for i in 0..n {
            let row = &mut self.table[i * stride..(i + 1) * stride];
            row[0] = self.slack[i] / scale;
            row[n + 1] = covering[i];
            self.basic[i] = i;
            self.nonbasic[1 + i] = n + i;
            self.place[i] = i;
            self.place[n + i] = n + 1 + i;
        }
        self.nonbasic[n + 1] = 2 * n;
        self.place[2 * n] = n + n + 1;

        // z₀ enters at the row that is most negative per unit of d; all rows become non-negative.
        let mut entering = n + 1;
        let mut row = self.first_row();
        let mut pivots = 0;
        loop {
            let leaving = self.basic[row];
            self.pivot(row, entering);
            pivots += 1;
            if leaving == 2 * n {
                return self.finish(pivots, scale, z);
            }
            let driving = if leaving < n {
                leaving + n
            } else {
                leaving - n
            };
            entering = self.place[driving] - n;
            match self.leaving_row(entering) {
                Some(next) if pivots < 64 * n => row = next,
                Some(_) => return failed(LcpStatus::PivotLimit, pivots),
                None => return failed(LcpStatus::Ray, pivots),
            }
        }
    }

    fn first_row(&mut self) -> usize {
        let (n, stride) = (self.n, self.n + 2);
        let mut least = f64::INFINITY;
        for i in 0..n {
            least = least.min(self.table[i * stride] / self.table[i * stride + n + 1]);
        }
        self.tied.clear();
        for i in 0..n {
            let value = self.table[i * stride] / self.table[i * stride + n + 1];
            if value <= least + TIE.0 * least.abs() {
                self.tied.push(i);
            }
        }
        // Each tied row carries its own power of ε; the highest index carries the smallest.
        self.tied.last().copied().unwrap_or(0)
    }

    /// Ratio test for the column `entering`; `None` when it is a ray.
    fn leaving_row(&mut self, entering: usize) -> Option<usize> {
        let (n, stride) = (self.n, self.n + 2);
        let mut least = f64::INFINITY;
        for i in 0..n {
            let a = self.table[i * stride + entering];
            if a < -SMALLEST_PIVOT {
                least = least.min(self.table[i * stride] / -a);
            }
        }
        if !least.is_finite() {
            return None;
        }
        let limit = least + TIE.0 * least.abs() + TIE.1;
        self.tied.clear();
        for i in 0..n {
            let a = self.table[i * stride + entering];
            if a < -SMALLEST_PIVOT && self.table[i * stride] / -a <= limit {
                // Letting z₀ go ends the path at a solution of the unperturbed problem.
                if self.basic[i] == 2 * n {
                    return Some(i);
                }
                self.tied.push(i);
            }
        }
        let mut power = 0;
        while self.tied.len() > 1 && power < n {
            self.keep_lexicographic_least(entering, power);
            power += 1;
        }
        self.tied.first().copied()
    }

    /// Keeps those tied rows whose coefficient of ε^(power + 1) per unit of pivot is least.
    fn keep_lexicographic_least(&mut self, entering: usize, power: usize) {
        let (n, stride) = (self.n, self.n + 2);
        let place = self.place[power];
        let table = &self.table;
        let coefficient = |i: usize| {
            let ratio = -1.0 / table[i * stride + entering];
            if place >= n {
                -table[i * stride + place - n] * ratio
            } else if place == i {
                ratio
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
    fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.n + 2;
        let inverse = 1.0 / self.table[row * stride + column];
        let pivot_row = &mut self.pivot_row[..stride];
        for (p, a) in pivot_row.iter_mut().zip(&self.table[row * stride..]) {
            *p = -*a * inverse;
        }
        pivot_row[column] = inverse;
        for (i, line) in self.table.chunks_exact_mut(stride).enumerate() {
            let factor = line[column];
            if i == row || factor == 0.0 {
                continue;
            }
            line[column] = 0.0;
            for (a, p) in line.iter_mut().zip(pivot_row.iter()) {
                *a += factor * *p;
            }
        }
        self.table[row * stride..(row + 1) * stride].copy_from_slice(pivot_row);
        let (out, into) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = into;
        self.nonbasic[column] = out;
        self.place[into] = row;
        self.place[out] = self.n + column;
    }

    /// Reads z off the final dictionary, refines it and certifies it.
    fn finish(&mut self, pivots: usize, scale: f64, z: &mut [f64]) -> LcpReport {
        let (n, stride) = (self.n, self.n + 2);
        for i in 0..n {
            if self.basic[i] >= n {
                z[self.basic[i] - n] = self.table[i * stride];
            }
        }
        // `slack` holds the row-scaled q until now.
        self.pivot_row[..n].copy_from_slice(&self.slack[..n]);
        let mut residual = f64::INFINITY;
        for attempt in 0..3 {
            residual = self.certify(scale, z);
            if residual <= REFINE_ABOVE || attempt == 2 {
                break;
            }
            // The columns of the non-basic w are columns of the inverse of the basis.
            for i in 0..n {
                if self.basic[i] < n {
                    continue;
                }
                let mut correction = 0.0;
                for c in 1..stride {
                    if self.nonbasic[c] < n {
                        correction -= self.table[i * stride + c] * self.slack[self.nonbasic[c]];
                    }
                }
                z[self.basic[i] - n] += correction;
            }
        }
        for x in z[..n].iter_mut() {
            *x = x.max(0.0) * scale;
        }
        if residual.is_nan() {
            residual = f64::INFINITY;
        }
        LcpReport {
            status: LcpStatus::Solved,
            pivots,
            residual,
        }
    }

    /// Writes w into `slack` (in units of max |q|) and returns the natural residual.
    fn certify(&mut self, scale: f64, z: &[f64]) -> f64 {
        let (n, stride) = (self.n, self.n + 2);
        let mut residual: f64 = 0.0;
        for i in 0..n {
            let row = &self.template[i * stride + 1..i * stride + 1 + n];
            let mut w = self.pivot_row[i] / scale;
            for (a, x) in row.iter().zip(z) {
                w += a * x;
            }
            self.slack[i] = w;
            let natural = if w < z[i] { w } else { z[i] };
            // `max` would drop a NaN.
            if natural.abs() > residual || natural.is_nan() {
                residual = natural.abs();
            }
        }
        residual
    }
}

fn solved(pivots: usize, residual: f64) -> LcpReport {
    LcpReport {
        status: LcpStatus::Solved,
        pivots,
        residual,
    }
}

fn failed(status: LcpStatus, pivots: usize) -> LcpReport {
    LcpReport {
        status,
        pivots,
        residual: f64::INFINITY,
    }
}

/// max_i |min(z_i, (q + M z)_i)|: zero exactly at the solutions of the LCP. M n × n, q and z n.
#[must_use]
pub fn natural_residual(matrix: &DMatrix<f64>, q: &[f64], z: &[f64]) -> f64 {
    let mut residual: f64 = 0.0;
    for i in 0..q.len() {
        let w = q[i] + (0..z.len()).map(|j| matrix[(i, j)] * z[j]).sum::<f64>();
        let natural = if w < z[i] { w } else { z[i] };
        if natural.abs() > residual || natural.is_nan() {
            residual = natural.abs();
        }
    }
    residual
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(matrix: &DMatrix<f64>, q: &[f64], d: &[f64]) -> (LcpReport, Vec<f64>) {
        let mut lemke = Lemke::new();
        lemke.set_matrix(q.len(), |i, j| matrix[(i, j)]);
        let mut z = vec![0.0; q.len()];
        (lemke.solve(q, d, &mut z), z)
    }

    #[test]
    fn a_p_matrix_has_its_one_solution() {
        // M = [[2, 1], [1, 2]], q = (−5, −6): both positive, z = M⁻¹(5, 6) = (4/3, 7/3).
        let m = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
        let (report, z) = solve(&m, &[-5.0, -6.0], &[1.0, 1.0]);
        assert_eq!(report.status, LcpStatus::Solved);
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-14 && (z[1] - 7.0 / 3.0).abs() < 1e-14);
        assert!(natural_residual(&m, &[-5.0, -6.0], &z) < 1e-14);
    }

    #[test]
    fn a_problem_without_solution_ends_on_a_ray() {
        let m = DMatrix::from_row_slice(1, 1, &[-1.0]);
        let (report, _) = solve(&m, &[-1.0], &[1.0]);
        assert_eq!(report.status, LcpStatus::Ray);
        assert!(report.residual.is_infinite());
    }

    #[test]
    fn the_covering_vector_selects_among_several_solutions() {
        // z₁ + 2 z₂ ≥ 1, 2 z₁ + z₂ ≥ 1: solutions (1, 0), (0, 1), (1/3, 1/3).
        let m = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
        let q = [-1.0, -1.0];
        let mut met = [false; 3];
        for d in [[1.0, 3.0], [3.0, 1.0], [1.0, 1.2], [1.2, 1.0]] {
            let (report, z) = solve(&m, &q, &d);
            assert_eq!(report.status, LcpStatus::Solved);
            for (k, s) in [[1.0, 0.0], [0.0, 1.0], [1.0 / 3.0; 2]].iter().enumerate() {
                met[k] |= (z[0] - s[0]).abs() + (z[1] - s[1]).abs() < 1e-14;
            }
        }
        assert!(met[0] && met[1], "{met:?}");
    }

    #[test]
    fn degenerate_ties_do_not_cycle() {
        // A cyclic P-matrix: every ratio of every step is tied.
        let m = DMatrix::from_row_slice(3, 3, &[1., 2., 0., 0., 1., 2., 2., 0., 1.]);
        let (report, z) = solve(&m, &[-1.0, -1.0, -1.0], &[1.0, 1.0, 1.0]);
        assert_eq!(report.status, LcpStatus::Solved);
        assert!(z.iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-14), "{z:?}");
    }

    #[test]
    fn not_a_number_is_never_a_solution() {
        let m = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 1.0]);
        for q in [[f64::NAN, 1.0], [f64::NAN, -1.0], [-1.0, f64::NAN]] {
            let (report, _) = solve(&m, &q, &[1.0, 1.0]);
            assert!(report.residual.is_infinite() || report.status != LcpStatus::Solved);
        }
    }
}
