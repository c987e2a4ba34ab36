//! Finding a point that was seen before, up to a tolerance.

use std::collections::HashMap;

/// Buckets of points along one fixed generic direction. Points within the tolerance of each other lie in the
/// same or in neighbouring buckets, so three look-ups find all candidates. The map is only ever
/// looked up, never iterated: results depend on insertion order alone.
#[derive(Debug, Clone)]
pub(crate) struct NearPoints {
    weights: Vec<f64>,
    cell: f64,
    buckets: HashMap<i64, Vec<u32>>,
}

impl NearPoints {
    /// For points of `dimension` whose entries differ by at most `tolerance` when they are the same.
    pub(crate) fn new(dimension: usize, tolerance: f64) -> Self {
        // Fractions of multiples of the golden ratio: fixed, and in no simple relation.
        let weights: Vec<f64> = (1..=dimension)
            .map(|i| 0.5 + (i as f64 * 0.618_033_988_749_894_9).fract())
            .collect();
        let cell = tolerance * weights.iter().sum::<f64>().max(1.0);
        Self {
            weights,
            cell: cell.max(f64::MIN_POSITIVE),
            buckets: HashMap::new(),
        }
    }

    fn key(&self, point: &[f64]) -> i64 {
        let along: f64 = self.weights.iter().zip(point).map(|(w, x)| w * x).sum();
        (along / self.cell).floor() as i64
    }

    /// The first inserted identifier near `point` that `same` accepts.
    pub(crate) fn find(&self, point: &[f64], same: impl Fn(u32) -> bool) -> Option<u32> {
        let key = self.key(point);
        [key.saturating_sub(1), key, key.saturating_add(1)]
            .iter()
            .filter_map(|k| self.buckets.get(k))
            .flatten()
            .copied()
            .find(|&id| same(id))
    }

    /// Remembers `point` as `id`.
    pub(crate) fn insert(&mut self, point: &[f64], id: u32) {
        let key = self.key(point);
        self.buckets.entry(key).or_default().push(id);
    }
}
