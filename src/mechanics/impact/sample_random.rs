//! Random numbers of one sample: a generator seeded by (seed, sample number), so that a sample is the
//! same whichever thread draws it and however many are drawn.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of random words: a generator, or a recorded run of one.
#[doc(hidden)]
pub trait RandomWords {
    /// The next 64 bits.
    fn word(&mut self) -> u64;

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number in [2^−octaves, 1), each octave with the same probability and uniform inside.
    fn octaves(&mut self, octaves: u64) -> f64 {
        let product = u128::from(self.word()) * u128::from(octaves);
        let octave = (product >> 64) as u64;
        let mantissa = product as u64 >> 12;
        f64::from_bits((1022 - octave) << 52 | mantissa)
    }
}

/// Generator of one sample.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct SampleRandom(Xoshiro256PlusPlus);

impl SampleRandom {
    /// The generator of sample `index` under `seed`. The pair is mixed before the four words of state
    /// are filled by SplitMix64, so that neighbouring samples share no word.
    #[doc(hidden)]
    pub fn new(seed: u64, index: u64) -> Self {
        let key = mix(mix(seed.wrapping_add(0xA076_1D64_78BD_642F)) ^ index);
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }
}

impl RandomWords for SampleRandom {
    fn word(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// A bijection of the 64-bit words that spreads every bit (MurmurHash3's finaliser).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octaves_are_equally_likely() {
        let mut random = SampleRandom::new(5, 5);
        let mut counts = [0_u32; 3];
        for _ in 0..30_000 {
            let d = random.octaves(3);
            assert!((0.125..1.0).contains(&d));
            counts[(-d.log2()).floor() as usize] += 1;
        }
        // Mean 10⁴, deviation 82; five of them.
        assert!(
            counts.iter().all(|c| c.abs_diff(10_000) < 410),
            "{counts:?}"
        );
    }

    #[test]
    fn samples_are_reproducible_uniform_and_uncorrelated() {
        let draw = |seed, index| SampleRandom::new(seed, index).uniform();
        assert_eq!(draw(1, 7).to_bits(), draw(1, 7).to_bits());
        let n = 100_000_u64;
        let first: Vec<f64> = (0..n).map(|i| draw(3, i)).collect();
        let mean = first.iter().sum::<f64>() / n as f64;
        // Standard deviations: mean 1/√(12 n) = 9.1e-4, neighbour product 1/(12 √n) = 2.6e-4; five of each.
        assert!((mean - 0.5).abs() < 4.6e-3, "{mean}");
        let pairs = first.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5));
        let correlation = pairs.sum::<f64>() / (n - 1) as f64;
        assert!(correlation.abs() < 1.4e-3, "{correlation}");
        let seeds = (0..n).map(|s| (draw(s, 0) - 0.5) * (draw(s, 1) - 0.5));
        let correlation = seeds.sum::<f64>() / n as f64;
        assert!(correlation.abs() < 1.4e-3, "{correlation}");
    }
}
