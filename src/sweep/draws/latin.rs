//! Latin hypercubes whose points are known by their number alone.

/// Rounds of the network: four make a permutation that simple statistics do not tell from a random one (Luby and Rackoff 1988).
const ROUNDS: u64 = 6;

/// The stratum of run `index` of `count`: for every key of the pair (seed, dimension) a permutation of 0 … count − 1.
///
/// A Feistel network permutes the numbers of an even number of bits, of which those below `count` are a part; a walk
/// along its cycle from one of them returns to that part, in fewer than four steps on average.
pub(crate) fn stratum(seed: u64, dimension: u64, index: u64, count: u64) -> u64 {
    let bits = u64::BITS - (count.max(2) - 1).leading_zeros();
    let half = bits.div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut x = index;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..ROUNDS {
            let mixed = spread(seed ^ spread(dimension ^ spread(right << 3 | round)));
            (left, right) = (right, left ^ (mixed & mask));
        }
        x = left << half | right;
        if x < count {
            return x;
        }
    }
}

/// A bijection of the 64-bit words that spreads every bit (the finaliser of SplitMix64).
fn spread(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stratum_has_one_run() {
        for count in [1, 2, 3, 7, 64, 1000, 4097] {
            for (seed, dimension) in [(0, 0), (0, 1), (7, 0), (u64::MAX, 30)] {
                let mut runs: Vec<u64> = (0..count)
                    .map(|i| stratum(seed, dimension, i, count))
                    .collect();
                runs.sort_unstable();
                assert!(runs.into_iter().eq(0..count), "{count} runs, seed {seed}");
            }
        }
    }

    /// Of independent permutations of n the correlation has the variance 1/(n − 1): five deviations.
    #[test]
    fn keys_and_seeds_are_not_correlated() {
        let n = 4096_u64;
        let of = |seed, dimension| -> Vec<f64> {
            (0..n)
                .map(|i| stratum(seed, dimension, i, n) as f64)
                .collect()
        };
        let run: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let columns = [run, of(1, 0), of(1, 1), of(2, 0)];
        let mean = (n - 1) as f64 / 2.0;
        let variance = (n * n - 1) as f64 / 12.0;
        for (i, a) in columns.iter().enumerate() {
            for b in &columns[..i] {
                let pairs = a.iter().zip(b);
                let product: f64 = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum();
                let correlation = product / n as f64 / variance;
                assert!(correlation.abs() < 5.0 / ((n - 1) as f64).sqrt());
            }
        }
    }
}
