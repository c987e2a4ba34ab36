//! Linear complementarity: find z ≥ 0 with w = q + M z ≥ 0 and zᵀw = 0, by Lemke's method.
//!
//! Lemke's method adds one artificial variable z₀ with a *covering vector* d > 0,
//! w = q + M z + d z₀, and follows the path of almost complementary bases until z₀ leaves. It ends at
//! a solution for every copositive LCP of \[HP\] (Proposition 2, Theorem 6). When the LCP has several
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

use super::lemke_dictionary::Dictionary;

/// How Lemke's method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// Residual above which the solution is refined with the inverse that the dictionary holds.
const REFINE_ABOVE: f64 = 1e-14;

/// Lemke's method with its workspace. Allocates only when a larger problem arrives.
#[derive(Debug, Clone, Default)]
pub struct Lemke {
    n: usize,
    /// Row-scaled M in dictionary layout: column 0 is q, 1…n are z, n + 1 is d.
    template: Dictionary,
    dictionary: Dictionary,
    row_scale: Vec<f64>,
    /// Row-scaled q.
    vector: Vec<f64>,
    /// w of the last solution, in units of max |q|.
    slack: Vec<f64>,
    /// max |q| when the dictionary stands at a solution.
    solved_scale: Option<f64>,
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
        self.fill_matrix(n, |i, row| {
            for (j, a) in row.iter_mut().enumerate() {
                *a = entry(i, j);
            }
        });
    }

    /// Sets M row by row: `fill(i, row)` writes row i over zeros.
    pub(crate) fn fill_matrix(&mut self, n: usize, mut fill: impl FnMut(usize, &mut [f64])) {
        self.n = n;
        self.solved_scale = None;
        self.template.resize(n);
        self.dictionary.resize(n);
        self.row_scale.clear();
        for i in 0..n {
            let row = &mut self.template.row_mut(i)[1..=n];
            fill(i, row);
            let largest = row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= scale);
            self.row_scale.push(scale);
        }
        self.vector.resize(n, 0.0);
        self.slack.resize(n, 0.0);
    }

    /// Solves for q (n) with the covering vector d (n, positive) and writes z (n). Rows of the LCP are
    /// divided by their largest entry of M first; d belongs to the divided rows.
    ///
    /// Without [`LcpStatus::Solved`] z is not meaningful. NaN in the data ends in
    /// [`LcpStatus::Ray`] or with an infinite residual, never in a solution.
    pub fn solve(&mut self, q: &[f64], covering: &[f64], z: &mut [f64]) -> LcpReport {
        self.solve_within(64 * self.n, q, covering, z)
    }

    /// The same with so many pivots at most.
    pub(crate) fn solve_within(
        &mut self,
        most: usize,
        q: &[f64],
        covering: &[f64],
        z: &mut [f64],
    ) -> LcpReport {
        let n = self.n;
        self.solved_scale = None;
        let (mut scale, mut least): (f64, f64) = (0.0, 0.0);
        let mut finite = true;
        for i in 0..n {
            let x = q[i] * self.row_scale[i];
            self.vector[i] = x;
            scale = scale.max(x.abs());
            least = least.min(x);
            finite &= x.is_finite();
        }
        z[..n].fill(0.0);
        if !finite {
            return failed(LcpStatus::Ray, 0);
        }
        if least == 0.0 {
            return LcpReport {
                status: LcpStatus::Solved,
                pivots: 0,
                residual: 0.0,
            };
        }
        self.dictionary.restart(&self.template);
        let inverse = 1.0 / scale;
        for i in 0..n {
            self.vector[i] *= inverse;
            let row = self.dictionary.row_mut(i);
            row[0] = self.vector[i];
            row[n + 1] = covering[i];
        }

        let row = self.dictionary.first_row();
        self.follow(row, most, scale, z)
    }

    /// From the solution that the last [`Lemke::solve`] found, follows the path of another covering
    /// vector (n, positive) to a further solution, and writes it into z.
    ///
    /// The paths that start far away only ever end at solutions of one orientation: of stick, slip and
    /// lift they meet two and never the one between. The path through a known solution that leads
    /// elsewhere than far away ends at one of the other orientation. [`LcpStatus::Ray`] when it leads
    /// far away (always, if the solution is the only one); z is then left alone.
    pub fn another_solution(&mut self, covering: &[f64], z: &mut [f64]) -> LcpReport {
        let Some(scale) = self.solved_scale.take() else {
            return failed(LcpStatus::Ray, 0);
        };
        self.dictionary.set_covering(covering);
        let entering = self.dictionary.column_of(2 * self.n);
        match self.dictionary.leaving_row(entering) {
            Some(row) => self.follow(row, 64 * self.n, scale, z),
            None => failed(LcpStatus::Ray, 0),
        }
    }

    /// z₀ enters at `row`; then the complement of what left enters, until z₀ leaves.
    fn follow(&mut self, mut row: usize, most: usize, scale: f64, z: &mut [f64]) -> LcpReport {
        let n = self.n;
        let mut entering = self.dictionary.column_of(2 * n);
        let mut pivots = 0;
        loop {
            let leaving = self.dictionary.basic[row];
            self.dictionary.pivot(row, entering);
            pivots += 1;
            if leaving == 2 * n {
                self.solved_scale = Some(scale);
                return self.finish(pivots, scale, z);
            }
            let driving = if leaving < n {
                leaving + n
            } else {
                leaving - n
            };
            entering = self.dictionary.column_of(driving);
            match self.dictionary.leaving_row(entering) {
                Some(next) if pivots < most => row = next,
                Some(_) => return failed(LcpStatus::PivotLimit, pivots),
                None => return failed(LcpStatus::Ray, pivots),
            }
        }
    }

    /// Reads z off the final dictionary, refines it and certifies it.
    fn finish(&mut self, pivots: usize, scale: f64, z: &mut [f64]) -> LcpReport {
        let n = self.n;
        z[..n].fill(0.0);
        for i in 0..n {
            if self.dictionary.basic[i] >= n {
                z[self.dictionary.basic[i] - n] = self.dictionary.get(i, 0);
            }
        }
        let mut residual = self.certify(z);
        for _ in 0..2 {
            if residual <= REFINE_ABOVE {
                break;
            }
            self.refine(z);
            residual = self.certify(z);
        }
        for x in z[..n].iter_mut() {
            *x = x.max(0.0) * scale;
        }
        LcpReport {
            status: LcpStatus::Solved,
            pivots,
            residual: if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            },
        }
    }

    /// Removes what is left of the non-basic w: their columns are columns of the inverse of the basis.
    fn refine(&self, z: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            if self.dictionary.basic[i] < n {
                continue;
            }
            let mut correction = 0.0;
            for (entry, &variable) in self
                .dictionary
                .row(i)
                .iter()
                .zip(&self.dictionary.nonbasic)
                .skip(1)
            {
                if variable < n {
                    correction -= entry * self.slack[variable];
                }
            }
            z[self.dictionary.basic[i] - n] += correction;
        }
    }

    /// Writes w into `slack` and returns the natural residual, both in units of max |q|.
    fn certify(&mut self, z: &[f64]) -> f64 {
        let n = self.n;
        let mut residual: f64 = 0.0;
        for i in 0..n {
            let row = &self.template.row(i)[1..=n];
            let w = row
                .iter()
                .zip(z)
                .fold(self.vector[i], |sum, (a, x)| sum + a * x);
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

fn failed(status: LcpStatus, pivots: usize) -> LcpReport {
    LcpReport {
        status,
        pivots,
        residual: f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;
    use proptest::prelude::*;

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
        assert!(report.residual < 1e-14);
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
        for d in [[1.0, 3.0], [3.0, 1.0], [1.0, 1.2], [1.2, 1.0], [2.0, 3.0]] {
            let (report, z) = solve(&m, &q, &d);
            assert_eq!(report.status, LcpStatus::Solved);
            for (k, s) in [[1.0, 0.0], [0.0, 1.0], [1.0 / 3.0; 2]].iter().enumerate() {
                met[k] |= (z[0] - s[0]).abs() + (z[1] - s[1]).abs() < 1e-14;
            }
        }
        assert!(met[0] && met[1] && !met[2], "{met:?}");

        // The third has the other orientation: it is reached from one of the first two.
        let mut lemke = Lemke::new();
        lemke.set_matrix(2, |i, j| m[(i, j)]);
        let mut z = [0.0; 2];
        lemke.solve(&q, &[1.0, 3.0], &mut z);
        let report = lemke.another_solution(&[3.0, 1.0], &mut z);
        assert_eq!(report.status, LcpStatus::Solved);
        assert!(
            (z[0] - 1.0 / 3.0).abs() + (z[1] - 1.0 / 3.0).abs() < 1e-14,
            "{z:?}"
        );
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Positive definite plus skew-symmetric: one solution, whatever q.
        #[test]
        fn a_definite_matrix_is_solved_whatever_its_skew_part(
            entries in prop::collection::vec(-1.0_f64..1.0, 25),
            skew in prop::collection::vec(-1.0_f64..1.0, 25),
            q in prop::collection::vec(-1.0_f64..1.0, 5),
            d in prop::collection::vec(0.1_f64..1.0, 5),
        ) {
            let a = DMatrix::from_vec(5, 5, entries);
            let s = DMatrix::from_vec(5, 5, skew);
            let m = &a * a.transpose() + DMatrix::identity(5, 5) * 0.1 + &s - s.transpose();
            let (report, z) = solve(&m, &q, &d);
            let (other, again) = solve(&m, &q, &[1.0; 5]);
            prop_assert_eq!((report.status, other.status), (LcpStatus::Solved, LcpStatus::Solved));
            prop_assert!(report.residual < 1e-10 && other.residual < 1e-10);
            for (x, y) in z.iter().zip(&again) {
                // Condition number of the system below 1e4.
                prop_assert!((x - y).abs() < 1e-10, "{} {}", x, y);
            }
        }
    }
}
