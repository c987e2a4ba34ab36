//! Numbers between 0 and 1 of every run and key, and what a key makes of them.

mod distribution;
mod latin;
mod normal;
mod sobol;
mod sobol_directions;

use super::file::PlanKind;
use crate::impact::{RandomWords, SampleRandom};
pub(super) use distribution::Distribution;
use sobol::{MOST_DIMENSIONS, Sobol};

/// Draws in the unit cube: coordinate d of draw i is a pure function of the seed, i and d.
#[derive(Debug, Clone)]
pub(super) enum UnitDraws {
    /// A digitally shifted Sobol sequence, in the middle of its smallest cells.
    Sobol { sobol: Sobol, shift: Vec<u32> },
    /// One draw in each of `count` strata of every dimension.
    LatinHypercube { seed: u64, count: u64 },
    /// Independent.
    Random { seed: u64 },
}

impl UnitDraws {
    /// `count` draws of some dimensions.
    ///
    /// # Errors
    /// Too many dimensions, or a plan that draws nothing.
    pub fn new(
        kind: PlanKind,
        seed: Option<u64>,
        dimensions: usize,
        count: u64,
    ) -> Result<Self, String> {
        match kind {
            PlanKind::Sobol if dimensions > MOST_DIMENSIONS => Err(format!(
                "a Sobol sequence has directions for {MOST_DIMENSIONS} dimensions, this plan needs {dimensions}; use \
                 latin-hypercube or random"
            )),
            PlanKind::Sobol => {
                let shift = |seed| {
                    let mut random = SampleRandom::new(seed, 0);
                    let words = (0..dimensions).map(|_| (random.word() >> 32) as u32);
                    words.collect()
                };
                Ok(Self::Sobol {
                    sobol: Sobol::new(dimensions),
                    shift: seed.map_or_else(|| vec![0; dimensions], shift),
                })
            }
            PlanKind::LatinHypercube => Ok(Self::LatinHypercube {
                seed: seed.unwrap_or(1),
                count,
            }),
            PlanKind::Random => Ok(Self::Random {
                seed: seed.unwrap_or(1),
            }),
            PlanKind::Grid | PlanKind::List => {
                Err(format!("a plan of kind {} draws nothing", kind.word()))
            }
        }
    }

    /// The coordinates of draw `index`, each inside (0, 1).
    pub fn point(&self, index: u64, dimensions: usize) -> Vec<f64> {
        match self {
            Self::Sobol { sobol, shift } => (0..dimensions)
                .map(|d| {
                    let digits = sobol.digits(index, d) ^ shift[d];
                    (f64::from(digits) + 0.5) / 2_f64.powi(32)
                })
                .collect(),
            Self::LatinHypercube { seed, count } => {
                let mut random = SampleRandom::new(*seed, index);
                (0..dimensions)
                    .map(|d| {
                        let stratum = latin::stratum(*seed, d as u64, index, *count);
                        (stratum as f64 + inside(&mut random)) / *count as f64
                    })
                    .collect()
            }
            Self::Random { seed } => {
                let mut random = SampleRandom::new(*seed, index);
                (0..dimensions).map(|_| inside(&mut random)).collect()
            }
        }
    }
}

/// Uniform in (0, 1): the middle of one of 2⁵² cells.
fn inside(random: &mut SampleRandom) -> f64 {
    ((random.word() >> 12) as f64 + 0.5) / 2_f64.powi(52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latin_hypercube_has_one_draw_a_stratum() {
        let count = 200;
        let draws = UnitDraws::new(PlanKind::LatinHypercube, Some(5), 3, count).unwrap();
        let points: Vec<Vec<f64>> = (0..count).map(|i| draws.point(i, 3)).collect();
        for d in 0..3 {
            let mut strata: Vec<u64> = (points.iter())
                .map(|p| (p[d] * count as f64) as u64)
                .collect();
            strata.sort_unstable();
            assert!(strata.into_iter().eq(0..count));
        }
    }

    /// A key that is added leaves the draws of those before it.
    #[test]
    fn further_dimensions_change_nothing_of_the_first() {
        for kind in [PlanKind::Sobol, PlanKind::LatinHypercube, PlanKind::Random] {
            for seed in [None, Some(3)] {
                let few = UnitDraws::new(kind, seed, 2, 50).unwrap();
                let more = UnitDraws::new(kind, seed, 5, 50).unwrap();
                for i in 0..50 {
                    assert_eq!(few.point(i, 2), more.point(i, 5)[..2], "{kind:?}");
                    assert!(more.point(i, 5).iter().all(|u| 0.0 < *u && *u < 1.0));
                }
            }
        }
    }
}
