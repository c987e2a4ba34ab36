//! Every solution of a small LCP, by trying all complementary patterns.
//!
//! A pattern says which of z_i, w_i may be positive; its solutions are those of the square system
//! M_αα z_α = −q_α that satisfy z_α ≥ 0 and w ≥ 0. A singular system may have a polyhedron of
//! solutions: one point of it is returned and marked. Cost 2ⁿ eliminations, so n ≤ 20.

use nalgebra::DMatrix;

use super::lemke::natural_residual;
use super::linear_family::LinearFamily;
use super::linear_program::SlackProgram;

/// One solution of an LCP with its certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct LcpSolution {
    /// z, n.
    pub z: Vec<f64>,
    /// max_i |min(z_i, w_i)|, computed from M and q.
    pub residual: f64,
    /// False when z is one point of a polyhedron of solutions with the same pattern.
    pub isolated: bool,
}

/// Largest n that [`enumerate_lcp`] accepts.
pub const LARGEST_ENUMERATION: usize = 20;

/// All solutions of w = q + M z ≥ 0, z ≥ 0, zᵀw = 0, distinct to 1e-9 (1 + max |z|); `None` for
/// n > [`LARGEST_ENUMERATION`] or data that are not finite. Inequalities may be violated by
/// 1e-10 (1 + max |z|): scale the problem to entries of order one first.
#[must_use]
pub fn enumerate_lcp(matrix: &DMatrix<f64>, q: &[f64]) -> Option<Vec<LcpSolution>> {
    let n = q.len();
    if n > LARGEST_ENUMERATION || !matrix.iter().chain(q).all(|x| x.is_finite()) {
        return None;
    }
    let mut solutions: Vec<LcpSolution> = Vec::new();
    let mut family = LinearFamily::default();
    let mut program = SlackProgram::default();
    for pattern in 0_u32..1 << n {
        let alpha: Vec<usize> = (0..n).filter(|i| pattern >> i & 1 == 1).collect();
        let Some(solution) = solve_pattern(matrix, q, &alpha, &mut family, &mut program) else {
            continue;
        };
        let size = 1.0 + solution.z.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let known = solutions.iter().any(|s| {
            let differs = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9 * size;
            !s.z.iter().zip(&solution.z).any(differs)
        });
        if !known {
            solutions.push(solution);
        }
    }
    Some(solutions)
}

fn solve_pattern(
    matrix: &DMatrix<f64>,
    q: &[f64],
    alpha: &[usize],
    family: &mut LinearFamily,
    program: &mut SlackProgram,
) -> Option<LcpSolution> {
    let (n, k) = (q.len(), alpha.len());
    family.reset(k);
    for (i, &row) in alpha.iter().enumerate() {
        for (j, &column) in alpha.iter().enumerate() {
            family.matrix[i * k + j] = matrix[(row, column)];
        }
        family.rhs[i] = -q[row];
    }
    if !family.solve() {
        return None;
    }
    let spread = |x: &[f64]| {
        let mut z = vec![0.0; n];
        alpha.iter().zip(x).for_each(|(&i, &x)| z[i] = x);
        z
    };
    let mut z = spread(&family.particular);
    let nullity = family.nullity;
    if nullity > 0 && slacks(matrix, q, &z, alpha).iter().any(|&s| s < 0.0) {
        let c = slacks(matrix, q, &z, alpha);
        let mut slope = vec![0.0; n * nullity];
        for (j, vector) in family.null.chunks_exact(k).enumerate() {
            let direction = slacks(matrix, &vec![0.0; n], &spread(vector), alpha);
            for i in 0..n {
                slope[i * nullity + j] = direction[i];
            }
        }
        let mut s = vec![0.0; nullity];
        program.deepest(nullity, &c, &slope, &mut s);
        for (vector, s) in family.null.chunks_exact(k).zip(&s) {
            spread(vector)
                .iter()
                .zip(&mut z)
                .for_each(|(d, z)| *z += s * d);
        }
    }
    let size = 1.0 + z.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let residual = natural_residual(matrix, q, &z);
    (residual <= 1e-10 * size).then_some(LcpSolution {
        z,
        residual,
        isolated: nullity == 0,
    })
}

/// z_i for the variables of the pattern and w_i for the others: what must be non-negative.
fn slacks(matrix: &DMatrix<f64>, q: &[f64], z: &[f64], alpha: &[usize]) -> Vec<f64> {
    (0..z.len())
        .map(|i| {
            if alpha.contains(&i) {
                z[i]
            } else {
                q[i] + (0..z.len()).map(|j| matrix[(i, j)] * z[j]).sum::<f64>()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::lcp::lemke::{LcpStatus, Lemke};
    use proptest::prelude::*;

    #[test]
    fn three_solutions_of_a_small_problem() {
        let m = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
        let found = enumerate_lcp(&m, &[-1.0, -1.0]).unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|s| s.isolated && s.residual < 1e-15));
    }

    #[test]
    fn a_polyhedron_of_solutions_is_marked() {
        // z₁ + z₂ = 1 in both rows: a segment, found once inside and at its two ends.
        let m = DMatrix::from_element(2, 2, 1.0);
        let found = enumerate_lcp(&m, &[-1.0, -1.0]).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found.iter().filter(|s| !s.isolated).count(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Lemke's method on a copositive-plus matrix finds one of the enumerated solutions.
        #[test]
        fn lemke_agrees_with_enumeration(
            entries in prop::collection::vec(-1.0_f64..1.0, 25),
            skew in prop::collection::vec(-1.0_f64..1.0, 25),
            q in prop::collection::vec(-1.0_f64..1.0, 5),
            d in prop::collection::vec(0.1_f64..1.0, 5),
        ) {
            // Positive definite plus skew-symmetric: one solution, whatever q.
            let a = DMatrix::from_vec(5, 5, entries);
            let s = DMatrix::from_vec(5, 5, skew);
            let m = &a * a.transpose() + DMatrix::identity(5, 5) * 0.1 + &s - s.transpose();
            let mut lemke = Lemke::new();
            lemke.set_matrix(5, |i, j| m[(i, j)]);
            let mut z = vec![0.0; 5];
            let report = lemke.solve(&q, &d, &mut z);
            prop_assert_eq!(report.status, LcpStatus::Solved);
            let all = enumerate_lcp(&m, &q).unwrap();
            prop_assert_eq!(all.len(), 1);
            for (x, y) in z.iter().zip(&all[0].z) {
                // Condition number of the system below 1e4.
                prop_assert!((x - y).abs() < 1e-10, "{} {}", x, y);
            }
        }
    }
}
