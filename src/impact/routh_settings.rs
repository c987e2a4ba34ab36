//! Settings of the set-valued Routh law.

use super::friction_lcp::LcpSelection;
use super::lcp_law_support::{DEFAULT_FACETS, parse, parse_facets, unknown};
use super::routh_sampler::Increments;
use super::{ContactSpace, ImpactError};

pub(crate) const NAME: &str = "routh";
/// Samples that a set may hold when the number comes as text: some gigabytes.
const MOST_SAMPLES: usize = 1 << 26;

/// Settings of the Routh law.
#[derive(Debug, Clone, PartialEq)]
pub struct RouthSettings {
    /// Samples of a set, M. 0: [`ImpactLaw::resolve`](super::ImpactLaw::resolve) gives one outcome and no set.
    pub samples: usize,
    /// Largest normal impulse of an increment, h \[N s\]; by default the largest impulse that a
    /// contact alone would need to stop.
    pub step: Option<f64>,
    /// Most LCPs of one sample, N.
    pub max_steps: usize,
    /// Seed. A sample depends on it and on its number only.
    pub seed: u64,
    /// Threads of [`sample_set`](super::sample_set); 0 takes one per core. Results do not depend on it.
    pub jobs: usize,
    /// Facets of the friction pyramid of spatial contacts, even, 4 … 64.
    pub facets: usize,
    /// Which of several LCP solutions is taken.
    pub selection: LcpSelection,
    /// ε of Algorithm 2 [m/s]: samples that did not terminate get one more step of ε/(3ψ).
    pub approximation: Option<f64>,
    /// N: the extents are the velocities beyond which one in N trajectories gets on a side, estimated by
    /// multilevel splitting from a set of fewer samples. The default, 2^22, is what 2^20 samples (the paper's
    /// number) stay inside of on a side with probability exp(−1/4) = 0.78. 0 for the extents of the samples alone.
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
    /// The parameters that a text can set.
    pub const PARAMETERS: &'static [&'static str] = &[
        "samples",
        "step",
        "max_steps",
        "seed",
        "jobs",
        "facets",
        "selection",
        "approximation",
        "extent_samples",
    ];

    pub(crate) fn increments(&self, space: &ContactSpace, forced: Option<f64>) -> Increments {
        Increments {
            step: self.step.unwrap_or_else(|| default_step(space)),
            max_steps: self.max_steps,
            selection: self.selection,
            forced,
        }
    }

    /// Sets a setting by name, from text.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a name that is not known or a value out of range.
    pub fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        match name {
            "samples" => {
                self.samples = parse(NAME, name, value, "a whole number up to 2^26", |n| {
                    *n <= MOST_SAMPLES
                })?
            }
            "step" => {
                let step = parse(NAME, name, value, "a positive number (N s)", positive)?;
                self.step = Some(step);
            }
            "max_steps" => {
                self.max_steps = parse(NAME, name, value, "a whole number from 1", |n| *n > 0)?;
            }
            "seed" => self.seed = parse(NAME, name, value, "a whole number", |_| true)?,
            "jobs" => {
                self.jobs = parse(NAME, name, value, "a whole number up to 1024", |n| {
                    *n <= 1024
                })?;
            }
            "facets" => self.facets = parse_facets(NAME, value)?,
            "selection" => {
                self.selection = match value.trim() {
                    "random" => LcpSelection::RandomCovering,
                    "fixed" => LcpSelection::FixedCovering,
                    "all" => LcpSelection::Enumeration,
                    _ => {
                        return Err(ImpactError::Parameter {
                            law: NAME,
                            parameter: name.to_string(),
                            reason: format!("\"{value}\" is not random, fixed or all"),
                        });
                    }
                }
            }
            "approximation" => {
                let e = parse(NAME, name, value, "a positive number (m/s)", positive)?;
                self.approximation = Some(e);
            }
            "extent_samples" => {
                self.extent_samples = parse(NAME, name, value, "a whole number up to 2^30", |n| {
                    *n <= 1 << 30
                })?;
            }
            _ => return Err(unknown(NAME, name, Self::PARAMETERS)),
        }
        Ok(())
    }
}

/// max_i |a_n,i| / G_nn,i over the closing contacts \[N s\].
fn default_step(space: &ContactSpace) -> f64 {
    let stop = |n: usize| -space.velocity[n] / space.delassus[(n, n)];
    let contacts = space.contacts.iter();
    contacts.fold(0.0, |h: f64, c| h.max(stop(c.normal)))
}
