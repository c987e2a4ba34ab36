//! Finding a point that was seen before, up to a tolerance.

/// Marks the end of a chain.
const NONE: u32 = u32::MAX;

/// Buckets of points along one fixed generic direction. Points within the tolerance of each other lie in the
/// same or in neighbouring buckets, so three look-ups find all candidates. Identifiers are 0, 1, 2, … in the order in
/// which points are added, and the first that is accepted is found: results depend on that order alone.
#[derive(Debug, Clone)]
pub(crate) struct NearPoints {
    weights: Vec<f64>,
    per_cell: f64,
    /// The last point of each chain; as many chains as a power of two.
    heads: Vec<u32>,
    /// Of each point: its bucket, and the point before it in its chain.
    entries: Vec<(i64, u32)>,
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
            per_cell: cell.max(f64::MIN_POSITIVE).recip(),
            heads: vec![NONE; 16],
            entries: Vec::new(),
        }
    }

    /// The bucket of a point.
    pub(crate) fn bucket(&self, point: &[f64]) -> i64 {
        let along: f64 = self.weights.iter().zip(point).map(|(w, x)| w * x).sum();
        (along * self.per_cell).floor() as i64
    }

    /// The chain of a bucket: the high bits of a product with an odd number near 2⁶⁴ over the golden ratio.
    fn chain(&self, bucket: i64) -> usize {
        let mixed = (bucket as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - self.heads.len().trailing_zeros())) as usize
    }

    /// The first point in or beside `bucket` that `same` accepts, bucket after bucket.
    pub(crate) fn find(&self, bucket: i64, same: impl Fn(u32) -> bool) -> Option<u32> {
        [bucket.saturating_sub(1), bucket, bucket.saturating_add(1)]
            .into_iter()
            .find_map(|bucket| {
                let mut first = None;
                let mut at = self.heads[self.chain(bucket)];
                while at != NONE {
                    let (its, before) = self.entries[at as usize];
                    if its == bucket && same(at) {
                        first = Some(at);
                    }
                    at = before;
                }
                first
            })
    }

    /// Remembers the next point by its bucket.
    pub(crate) fn insert(&mut self, bucket: i64) {
        if self.entries.len() == self.heads.len() {
            self.grow();
        }
        self.entries.push((bucket, NONE));
        self.link(self.entries.len() - 1);
    }

    fn link(&mut self, id: usize) {
        let chain = self.chain(self.entries[id].0);
        self.entries[id].1 = std::mem::replace(&mut self.heads[chain], id as u32);
    }

    fn grow(&mut self) {
        let chains = 2 * self.heads.len();
        self.heads.clear();
        self.heads.resize(chains, NONE);
        for id in 0..self.entries.len() {
            self.link(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line, each three times within the tolerance: found under the first of them, and not before
    /// they were added.
    #[test]
    fn finds_the_first_of_points_that_agree() {
        let tolerance = 1e-6;
        let points: Vec<[f64; 2]> = (0..3000)
            .map(|i| [f64::from(i % 1000) - 500.0, 0.3e-6 * f64::from(i / 1000)])
            .collect();
        let mut near = NearPoints::new(2, tolerance);
        for (i, point) in points.iter().enumerate() {
            let same = |id: u32| {
                let other = &points[id as usize];
                (0..2).all(|k| (other[k] - point[k]).abs() <= tolerance)
            };
            let bucket = near.bucket(point);
            let known = (i >= 1000).then_some(i as u32 % 1000);
            assert_eq!(near.find(bucket, same), known);
            near.insert(bucket);
        }
    }
}
