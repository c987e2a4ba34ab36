//! The Sobol sequence in the order of the Gray code: point i is the exclusive or of the directions at the bits of
//! i ⊕ (i ≫ 1).

use super::sobol_directions::DIRECTIONS;

/// Binary digits of a coordinate.
const BITS: usize = 32;
/// Keys that a Sobol sequence has directions for.
pub(crate) const MOST_DIMENSIONS: usize = DIRECTIONS.len() + 1;

/// Directions of the first dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Sobol {
    directions: Vec<[u32; BITS]>,
}

impl Sobol {
    /// A sequence of at most [`MOST_DIMENSIONS`] dimensions.
    pub fn new(dimensions: usize) -> Self {
        // The first dimension is the radical inverse in base 2.
        let mut directions = vec![std::array::from_fn(|bit| 1 << (BITS - 1 - bit))];
        directions.extend(DIRECTIONS.iter().map(|(inner, first)| of(*inner, first)));
        directions.truncate(dimensions);
        Self { directions }
    }

    /// Coordinate `dimension` of point `index`, as 32 binary digits behind the point.
    pub fn digits(&self, index: u64, dimension: usize) -> u32 {
        let gray = index ^ (index >> 1);
        let directions = &self.directions[dimension];
        let set = (0..BITS).filter(|bit| gray >> bit & 1 == 1);
        set.fold(0, |digits, bit| digits ^ directions[bit])
    }
}

/// m_k = 2 a₁ m_{k−1} ⊕ … ⊕ 2^{s−1} a_{s−1} m_{k−s+1} ⊕ 2^s m_{k−s} ⊕ m_{k−s}, shifted to the left end.
fn of(inner: u32, first: &[u32]) -> [u32; BITS] {
    let s = first.len();
    let mut directions = [0; BITS];
    for (k, m) in first.iter().enumerate() {
        directions[k] = m << (BITS - 1 - k);
    }
    for k in s..BITS {
        let last = directions[k - s];
        directions[k] = last ^ (last >> s);
        for j in 1..s {
            if inner >> (s - 1 - j) & 1 == 1 {
                directions[k] ^= directions[k - j];
            }
        }
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(sobol: &Sobol, index: u64, dimension: usize) -> f64 {
        f64::from(sobol.digits(index, dimension)) / 2_f64.powi(32)
    }

    /// The first points of the first six dimensions as Joe and Kuo (2008) print them.
    #[test]
    fn first_points_are_those_that_were_published() {
        let sobol = Sobol::new(6);
        let published = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25, 0.25, 0.75, 0.75],
            [0.25, 0.75, 0.75, 0.75, 0.25, 0.25],
            [0.375, 0.375, 0.625, 0.875, 0.375, 0.125],
            [0.875, 0.875, 0.125, 0.375, 0.875, 0.625],
            [0.625, 0.125, 0.875, 0.625, 0.625, 0.875],
            [0.125, 0.625, 0.375, 0.125, 0.125, 0.375],
        ];
        for (i, expected) in published.iter().enumerate() {
            let found: Vec<f64> = (0..6).map(|d| point(&sobol, i as u64, d)).collect();
            assert_eq!(&found[..], expected, "point {i}");
        }
        // Of later dimensions, computed by scipy.stats.qmc.Sobol (scramble=False).
        let far = Sobol::new(MOST_DIMENSIONS);
        let found = [5, 20, 60, 100, 127].map(|d| point(&far, 37, d));
        assert_eq!(found, [0.296875, 0.953125, 0.078125, 0.359375, 0.671875]);
    }

    /// The first dimension is the digits of the Gray code turned round, and in every dimension each of 2^m intervals
    /// holds one of the first 2^m points.
    #[test]
    fn intervals_hold_one_point_each() {
        let sobol = Sobol::new(MOST_DIMENSIONS);
        for i in 0..4096_u64 {
            let gray = (i ^ (i >> 1)) as u32;
            assert_eq!(sobol.digits(i, 0), gray.reverse_bits());
        }
        for dimension in 0..MOST_DIMENSIONS {
            for m in [1, 5, 10] {
                let mut seen = vec![false; 1 << m];
                for i in 0..1_u64 << m {
                    let place = sobol.digits(i, dimension) as usize >> (BITS - m);
                    assert!(!seen[place], "dimension {dimension}, {m} digits");
                    seen[place] = true;
                }
            }
        }
    }
}
