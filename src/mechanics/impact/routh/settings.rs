//! Settings of the set-valued Routh law.

use super::extent_refinement::FEWEST_REFINED;
use super::sampler::Increments;
use crate::impact::lcp::{DEFAULT_FACETS, LcpSelection, facets_key};
use crate::impact::settings::{KeyRole, NumberRange, SettingKey};
use crate::impact::{ContactSpace, LawSettings};

pub(crate) const NAME: &str = "routh";
/// Samples that a set may hold: some gigabytes.
const MOST_SAMPLES: u64 = 1 << 26;

/// Settings of [`Routh`](crate::impact::Routh) (\[HP\] §5).
#[derive(Debug, Clone, PartialEq)]
pub struct RouthSettings {
    /// Samples of a set, M, up to 2^26. Key `samples`. 0: [`ImpactLaw::resolve`](crate::impact::ImpactLaw::resolve) gives one outcome and no set.
    pub samples: usize,
    /// Largest normal impulse of an increment, h \[N s\]; by default the largest impulse that a
    /// contact alone would need to stop. Key `step`.
    pub step: Option<f64>,
    /// Most LCPs of one sample, N, at least 1. Default 100. Key `max_steps`.
    pub max_steps: usize,
    /// Seed. A sample depends on it and on its number only. Key `seed`.
    pub seed: u64,
    /// Threads of [`sample_set`](super::sample_set); 0 takes one per core. Results do not depend on it. Key `jobs`.
    pub jobs: usize,
    /// Facets of the friction pyramid of spatial contacts, even, 4 … 64. Default 8. Key `facets`.
    pub facets: usize,
    /// Which of several LCP solutions is taken. Key `selection`.
    pub selection: LcpSelection,
    /// ε of Algorithm 2 \[m/s\]: samples that did not terminate get one more step of ε/(3ψ). Key `approximation`.
    pub approximation: Option<f64>,
    /// N: the extents are the velocities beyond which one in N trajectories gets on a side, estimated by
    /// multilevel splitting from a set of fewer samples. The default, 2^22, is what 2^20 samples (the paper's
    /// number) stay inside of on a side with probability exp(−1/4) = 0.78. 0 for the extents of the samples alone, which
    /// sets of fewer than 256 samples have in any case: the splitting starts from the 64 largest of four times as many.
    /// Key `extent_samples`.
    pub extent_samples: usize,
    /// Keep the contact impulses of every sample (for [`PostImpactSet::write_csv`](super::PostImpactSet::write_csv)).
    pub keep_impulses: bool,
}

impl Default for RouthSettings {
    fn default() -> Self {
        Self {
            samples: 0,
            step: None,
            max_steps: 100,
            seed: 0,
            jobs: 0,
            facets: DEFAULT_FACETS,
            selection: LcpSelection::default(),
            approximation: None,
            extent_samples: 1 << 22,
            keep_impulses: false,
        }
    }
}

impl RouthSettings {
    /// Samples that the extents stand for; 0 without refinement.
    pub(crate) fn refined_samples(&self) -> usize {
        if self.samples < FEWEST_REFINED {
            0
        } else {
            self.extent_samples
        }
    }

    pub(crate) fn increments(&self, space: &ContactSpace, forced: Option<f64>) -> Increments {
        Increments {
            step: self.step.unwrap_or_else(|| default_step(space)),
            max_steps: self.max_steps,
            selection: self.selection,
            forced,
        }
    }
}

type Key = SettingKey<RouthSettings>;

impl LawSettings for RouthSettings {
    const LAW: &'static str = NAME;
    const SUMMARY: &'static str =
        "the set of outcomes when impulses grow at arbitrary rates (Halm & Posa)";

    const KEYS: &'static [Key] = &[
        Key::count("samples", "samples of the set", [0, MOST_SAMPLES], |s| {
            &mut s.samples
        })
        .with_role(KeyRole::Samples),
        Key::open_number(
            "step",
            "largest normal impulse of an increment",
            NumberRange::above(0.0),
            "auto",
            |s| &mut s.step,
        )
        .in_unit("N s"),
        Key::count(
            "max_steps",
            "most increments of a sample",
            [1, u64::MAX],
            |s| &mut s.max_steps,
        ),
        Key::seed("seed of the samples", |s| &mut s.seed),
        Key::count("jobs", "threads, 0 for one a core", [0, 1024], |s| {
            &mut s.jobs
        }),
        facets_key(|s| &mut s.facets),
        Key::word(
            "selection",
            "which of several solutions of an increment is taken",
            &LcpSelection::NAMES,
            |s| s.selection.name(),
            |s, i| s.selection = LcpSelection::ALL[i],
        ),
        Key::open_number(
            "approximation",
            "speed that samples may keep when they stop",
            NumberRange::above(0.0),
            "none",
            |s| &mut s.approximation,
        )
        .in_unit("m/s"),
        Key::count(
            "extent_samples",
            "samples that the extents stand for, 0 for those that were drawn",
            [0, 1 << 30],
            |s| &mut s.extent_samples,
        )
        .with_role(KeyRole::Refinement),
    ];
}

/// max_i |a_n,i| / G_nn,i over the closing contacts \[N s\].
fn default_step(space: &ContactSpace) -> f64 {
    let stop = |n: usize| -space.velocity[n] / space.delassus[(n, n)];
    let contacts = space.contacts.iter();
    contacts.fold(0.0, |h: f64, c| h.max(stop(c.normal)))
}
