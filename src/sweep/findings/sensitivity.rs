//! How much of the variance of a metric comes from each key: Sobol indices.
//!
//! From a design of Saltelli, with f_A, f_B and f_AB of the draws A, B and A with one key of B:
//!
//! ```text
//! first order  S = E[(f_B − m)(f_AB − f_A)] / V          total  T = E[(f_A − f_AB)²] / 2 V
//! ```
//!
//! (Saltelli et al. 2010, table 2, b and f). From random draws or a Latin hypercube as they are, with the runs in the order of a key's values and y'
//! that of the next one: S = (E[y y'] − m²) / V (Gamboa et al. 2022, but that the last run has no next one: of a few runs
//! the step from the largest to the smallest value would decide); neighbours in a key of a Sobol sequence are not
//! independent in the others, and it is refused. Errors are standard deviations of the ratios of means,
//! linearised; of a Sobol sequence or a Latin hypercube, which are more even than chance, they are upper bounds in
//! practice.

use serde::{Deserialize, Serialize};

/// Indices of one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyIndex {
    /// The key.
    pub key: String,
    /// Share of the variance that comes from the key alone.
    pub first_order: f64,
    /// Standard deviation of this estimate.
    pub first_order_error: f64,
    /// Share of the variance that comes from the key alone and with others; null without a design of Saltelli.
    pub total: Option<f64>,
    /// Standard deviation of this estimate.
    pub total_error: Option<f64>,
}

/// Mean of `ratio(U, v) = mean(U) / mean(v)` and its standard deviation.
fn ratio(pairs: &[(f64, f64)]) -> (f64, f64) {
    let n = pairs.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (above, below) = (mean(&|p| p.0), mean(&|p| p.1));
    let value = above / below;
    let left = mean(&|p| (p.0 - value * p.1).powi(2));
    (value, (left / n).sqrt() / below.abs())
}

/// Indices from a design of Saltelli over `keys`: `values` of all runs in their order. Draws of which one run has no value
/// are left out; `None` if fewer than two are left, or nothing varies.
pub(super) fn by_design(keys: &[String], values: &[f64]) -> Option<Vec<KeyIndex>> {
    let each = keys.len() + 2;
    let draws = values.chunks_exact(each);
    let draws: Vec<&[f64]> = draws.filter(|d| d.iter().all(|x| x.is_finite())).collect();
    let n = draws.len() as f64;
    let mean = draws.iter().map(|d| 0.5 * (d[0] + d[1])).sum::<f64>() / n;
    let spread = |d: &[f64]| 0.5 * ((d[0] - mean).powi(2) + (d[1] - mean).powi(2));
    let variance = draws.iter().map(|d| spread(d)).sum::<f64>();
    if draws.len() < 2 || variance <= 0.0 {
        return None;
    }
    let indices = keys.iter().enumerate().map(|(l, key)| {
        let pairs = |of: &dyn Fn(&[f64]) -> f64| -> Vec<(f64, f64)> {
            draws.iter().map(|d| (of(d), spread(d))).collect()
        };
        let (first, first_error) = ratio(&pairs(&|d| (d[1] - mean) * (d[l + 2] - d[0])));
        let (total, total_error) = ratio(&pairs(&|d| 0.5 * (d[0] - d[l + 2]).powi(2)));
        KeyIndex {
            key: key.clone(),
            first_order: first,
            first_order_error: first_error,
            total: Some(total),
            total_error: Some(total_error),
        }
    });
    Some(indices.collect())
}

/// The first-order index of one key from independent draws: its values and those of the metric, run by run. `None` if
/// fewer than three runs have both, or nothing varies.
pub(super) fn by_ranks(key: &str, places: &[f64], values: &[f64]) -> Option<KeyIndex> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.retain(|i| values[*i].is_finite() && places[*i].is_finite());
    order.sort_by(|a, b| places[*a].total_cmp(&places[*b]).then(a.cmp(b)));
    let n = order.len();
    if n < 3 {
        return None;
    }
    let mean = order.iter().map(|i| values[*i]).sum::<f64>() / n as f64;
    let y: Vec<f64> = order.iter().map(|i| values[*i] - mean).collect();
    let pairs = y.windows(2);
    let pairs = pairs.map(|y| (y[0] * y[1], 0.5 * (y[0] * y[0] + y[1] * y[1])));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    if pairs.iter().map(|p| p.1).sum::<f64>() <= 0.0 {
        return None;
    }
    let (value, error) = ratio(&pairs);
    // Neighbours share a run: what is left of one goes with what is left of the next.
    let left: Vec<f64> = pairs.iter().map(|p| p.0 - value * p.1).collect();
    let own: f64 = left.iter().map(|x| x * x).sum();
    let shared: f64 = left.windows(2).map(|x| x[0] * x[1]).sum();
    Some(KeyIndex {
        key: key.to_string(),
        first_order: value,
        first_order_error: error
            * (1.0 + 2.0 * (shared / own.max(f64::MIN_POSITIVE)).max(0.0)).sqrt(),
        total: None,
        total_error: None,
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sweep::draws::UnitDraws;
    use crate::sweep::file::PlanKind;

    /// sin x₁ + 7 sin² x₂ + x₃⁴ sin x₁ / 10 on [−π, π]³, and its indices by integration (Ishigami and Homma 1990).
    fn ishigami(u: &[f64]) -> f64 {
        let x = |d: usize| PI * (2.0 * u[d] - 1.0);
        x(0).sin() + 7.0 * x(1).sin().powi(2) + 0.1 * x(2).powi(4) * x(0).sin()
    }

    const FIRST: [f64; 3] = [0.313_905_191_147_811_4, 0.442_411_144_790_040_9, 0.0];
    const TOTAL: [f64; 3] = [
        0.557_588_855_209_959,
        0.442_411_144_790_040_9,
        0.243_683_664_062_147_7,
    ];

    fn design(kind: PlanKind, draws: u64) -> Vec<f64> {
        let unit = UnitDraws::new(kind, Some(2), 6, draws).unwrap();
        let runs = (0..draws).flat_map(|j| {
            let both = unit.point(j, 6);
            let of = |from_b: &dyn Fn(usize) -> bool| {
                let u: Vec<f64> = (0..3)
                    .map(|d| both[if from_b(d) { 3 + d } else { d }])
                    .collect();
                ishigami(&u)
            };
            let mut row = vec![of(&|_| false), of(&|_| true)];
            row.extend((0..3).map(|l| of(&|d| d == l)));
            row
        });
        runs.collect()
    }

    /// Independent draws keep within five of their own deviations (once in two million), which themselves are known to
    /// a tenth; more even ones keep so too.
    #[test]
    fn indices_of_the_ishigami_function_are_met() {
        let keys = ["a", "b", "c"].map(String::from);
        for kind in [PlanKind::Random, PlanKind::Sobol, PlanKind::LatinHypercube] {
            let told = by_design(&keys, &design(kind, 8192)).unwrap();
            for (l, index) in told.iter().enumerate() {
                let first = (index.first_order - FIRST[l]).abs();
                assert!(first < 5.5 * index.first_order_error, "{kind:?} {index:?}");
                let total = (index.total.unwrap() - TOTAL[l]).abs();
                assert!(
                    total < 5.5 * index.total_error.unwrap(),
                    "{kind:?} {index:?}"
                );
                // So that the bounds above say something.
                assert!(index.first_order_error < 0.03 && index.total_error.unwrap() < 0.02);
            }
        }
    }

    /// y = 2 x₁ + x₂ of uniform numbers: 4/5 and 1/5; a third key that is nothing has none.
    #[test]
    fn ranks_find_the_shares_of_a_sum() {
        let n = 8192;
        for kind in [PlanKind::Random, PlanKind::LatinHypercube] {
            let unit = UnitDraws::new(kind, Some(4), 3, n).unwrap();
            let points: Vec<Vec<f64>> = (0..n).map(|i| unit.point(i, 3)).collect();
            let y: Vec<f64> = points.iter().map(|p| 2.0 * p[0] + p[1]).collect();
            for (d, share) in [0.8, 0.2, 0.0].into_iter().enumerate() {
                let places: Vec<f64> = points.iter().map(|p| p[d]).collect();
                let index = by_ranks("x", &places, &y).unwrap();
                let off = (index.first_order - share).abs();
                assert!(
                    off < 5.5 * index.first_order_error,
                    "{kind:?} {d}: {index:?}"
                );
                assert!(index.first_order_error < 0.03);
            }
        }
    }

    #[test]
    fn draws_without_all_of_their_runs_are_left_out() {
        let keys = ["a", "b", "c"].map(String::from);
        let mut values = design(PlanKind::Random, 100);
        let fewer = values[10..].to_vec();
        values[3] = f64::NAN;
        values[7] = f64::NAN;
        assert_eq!(by_design(&keys, &values), by_design(&keys, &fewer));
        assert_eq!(by_design(&keys, &[1.0; 20]), None);
    }
}
