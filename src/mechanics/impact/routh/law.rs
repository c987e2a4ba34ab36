//! Set-valued Routh impacts: normal impulses grow at arbitrary relative rates (\[HP\] §3, §5).
//!
//! Each increment draws a largest normal impulse λ_n,max uniformly from h \[0, 1\]^m and takes the
//! contact LCP (75): every contact either carries its whole allowance or stops approaching, with
//! Coulomb friction at the end of the increment. Increments follow until no contact closes
//! (Algorithm 1, with at most `max_steps` LCPs as in the published program; the printed loop allows
//! one more). Many samples approximate the set of possible outcomes (Algorithm 2). All impacts are
//! inelastic; coefficients of restitution are not used.
//!
//! Existence: always (Theorem 6). Uniqueness: no, that is the point. Energy: never increases
//! (Theorem 7). Friction: Coulomb, linearised for spatial contacts (inscribed pyramid of `facets`
//! facets: the friction of a sliding contact is up to 1 − cos(π/F) too small, 7.6 % for F = 8).
//! Order: contacts are treated alike; relabelling them permutes the set (not single samples).
//!
//! An increment's LCP may have several solutions (compass gait, RAMone: Assumption 6 fails). A fixed
//! pivoting rule then returns always the same one and the set loses the others, so the covering
//! vector of Lemke's method is drawn anew for every LCP, and some paths are followed on from the
//! first solution; [`LcpSelection`](crate::impact::lcp::LcpSelection) offers the other choices.
//!
//! Samples that still close after the last step are not in the set (as in the published program);
//! they are counted. Algorithm 2's final step of size ε/(3ψ) for them is taken when
//! [`RouthSettings::approximation`] sets ε.
//!
//! Extents grow slowly with the number of samples where a corner of the set is rare. So they are given for
//! one probability ([`RouthSettings::extent_samples`]), whatever the number of samples, and beside them stands
//! how far a directed search gets. Fractions and means are over the uniform samples alone.
//!
//! | symbol | here |
//! |---|---|
//! | h | [`RouthSettings::step`] |
//! | N | [`RouthSettings::max_steps`] |
//! | M | [`RouthSettings::samples`] |
//! | ε, ψ | [`RouthSettings::approximation`], [`termination_constant`] |

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use serde::Serialize;

use super::SetSummary;
use super::contact_set::{PostImpactSet, SampleBlock};
use super::extent_refinement::refine_extent;
use super::sampler::{Increments, RouthSampler, SampleStatus};
use super::settings::{NAME, RouthSettings};
use crate::impact::lcp::{PROPERTIES, add_new, restitution_notes};
use crate::impact::sample_random::SampleRandom;
use crate::impact::verdict::{Doubt, Ground};
use crate::impact::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport, LawDetails,
    LawProperties, LawSettings, Outcome, Resolution, Uniqueness, indeterminacy,
};

/// Samples that one task draws: fixed, so that the work does not depend on the number of threads.
const BLOCK: usize = 256;

/// ψ = σ_max(M⁻¹J̄ᵀ) m (1 + max μ) + 1 of Algorithm 2, with J̄ the stacked normals and facet rows.
#[must_use]
pub fn termination_constant(problem: &ImpactProblem, facets: usize) -> f64 {
    let space = problem.contact_space();
    let mut columns: Vec<DVector<f64>> = Vec::new();
    let mut friction: f64 = 0.0;
    for contact in &space.contacts {
        let column = |i: usize| problem.response().column(i).into_owned();
        columns.push(column(contact.normal));
        friction = friction.max(contact.friction);
        let t = contact.normal + 1;
        match contact.tangents {
            0 => {}
            1 => columns.extend([column(t), -column(t)]),
            _ => columns.extend((0..facets).map(|k| {
                let angle = std::f64::consts::TAU * k as f64 / facets as f64;
                column(t) * angle.cos() + column(t + 1) * angle.sin()
            })),
        }
    }
    if columns.is_empty() {
        return 1.0;
    }
    let largest = DMatrix::from_columns(&columns).singular_values().max();
    largest * space.len() as f64 * (1.0 + friction) + 1.0
}

/// Draws `settings.samples` samples of the post-impact set (Algorithm 2), in parallel. The result is
/// the same to the bit for every number of threads.
///
/// # Errors
/// The threads could not be started.
pub fn sample_set(
    problem: &ImpactProblem,
    settings: &RouthSettings,
) -> Result<PostImpactSet, ImpactError> {
    let clock = std::time::Instant::now();
    let space = problem.contact_space();
    let forced = settings
        .approximation
        .map(|e| e / (3.0 * termination_constant(problem, settings.facets)));
    let increments = settings.increments(space, forced);
    let mut sampler = RouthSampler::default();
    sampler.load(space, settings.facets)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.jobs)
        .build()
        .map_err(|e| ImpactError::Parameter {
            law: NAME,
            parameter: "jobs".to_string(),
            reason: format!("{} threads could not be started: {e}", settings.jobs),
        })?;
    let blocks: Vec<SampleBlock> = pool.install(|| {
        (0..settings.samples.div_ceil(BLOCK))
            .into_par_iter()
            .map_init(
                || sampler.clone(),
                |sampler, block| {
                    let first = block * BLOCK;
                    let last = (first + BLOCK).min(settings.samples);
                    draw_block(sampler, settings, &increments, first..last)
                },
            )
            .collect()
    });
    let mut set = PostImpactSet::new(problem, settings.seed, increments.step, &blocks);
    let wanted = settings.refined_samples();
    let extremes: Vec<_> = pool.install(|| {
        (0..2 * space.rows())
            .into_par_iter()
            .map_init(
                || sampler.clone(),
                |sampler, i| refine_extent(sampler, &increments, &set, i / 2, i % 2 == 1, wanted),
            )
            .collect()
    });
    set.set_extremes(extremes.into_iter().flatten().collect(), wanted);
    set.wall_time_s = clock.elapsed().as_secs_f64();
    Ok(set)
}

fn draw_block(
    sampler: &mut RouthSampler,
    settings: &RouthSettings,
    increments: &Increments,
    range: std::ops::Range<usize>,
) -> SampleBlock {
    let r = sampler.space.rows();
    let count = range.len();
    let kept = if settings.keep_impulses { count * r } else { 0 };
    let mut block = SampleBlock {
        velocities: vec![0.0; count * r],
        impulses: vec![0.0; kept],
        lcps: Vec::with_capacity(count),
        status: Vec::with_capacity(count),
    };
    for (i, index) in range.enumerate() {
        let mut random = SampleRandom::new(settings.seed, index as u64);
        let (status, lcps) = sampler.draw(increments, &mut random);
        sampler.write_velocity(&mut block.velocities[i * r..(i + 1) * r]);
        if settings.keep_impulses {
            sampler.write_impulse(&mut block.impulses[i * r..(i + 1) * r]);
        }
        block.lcps.push(lcps as u32);
        block.status.push(status);
    }
    block
}

/// What the law reports about an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouthOutcome {
    /// Number of the sample; `None` for one that a directed search found.
    pub sample: Option<u64>,
    /// LCPs that it took; absent for the extreme samples of a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lcps: Option<usize>,
}

/// What the law reports about a problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouthReport {
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The set of outcomes, when samples were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetSummary>,
}

/// The law as a simulation uses it: every impulse is the next sample of its seed.
#[derive(Debug, Clone, Default)]
pub struct Routh {
    settings: RouthSettings,
    next_sample: u64,
    sampler: RouthSampler,
}

impl Routh {
    /// A law with these settings, at sample 0.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: RouthSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &RouthSettings {
        &self.settings
    }

    /// Number of the sample that the next impulse draws: with the seed, the whole state of the law.
    #[must_use]
    pub fn next_sample(&self) -> u64 {
        self.next_sample
    }

    /// Resumes at a sample number saved from [`Routh::next_sample`].
    pub fn set_next_sample(&mut self, next: u64) {
        self.next_sample = next;
    }

    fn draw(
        &mut self,
        space: &ContactSpace,
        sample: u64,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.sampler.load(space, self.settings.facets)?;
        let increments = self.settings.increments(space, None);
        let mut random = SampleRandom::new(self.settings.seed, sample);
        let (status, steps) = self.sampler.draw(&increments, &mut random);
        self.sampler.write_impulse(impulse.as_mut_slice());
        let status = match status {
            SampleStatus::Terminated | SampleStatus::Forced => ImpactStatus::Resolved,
            SampleStatus::NotTerminated => ImpactStatus::NotTerminated,
            SampleStatus::Unsolved => {
                return Err(ImpactError::NotConverged {
                    law: NAME,
                    residual: f64::INFINITY,
                    iterations: steps,
                });
            }
        };
        Ok(ImpulseReport { status, steps })
    }

    fn outcome(&mut self, problem: &ImpactProblem, sample: u64) -> Result<Outcome, ImpactError> {
        let space = problem.contact_space();
        let mut impulse = DVector::zeros(space.rows());
        let report = self.draw(space, sample, &mut impulse)?;
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.status = report.status;
        outcome.details = LawDetails::of(RouthOutcome {
            sample: Some(sample),
            lcps: Some(report.steps),
        });
        Ok(outcome)
    }

    /// The extreme samples of a set as outcomes, without repetition.
    fn extreme_outcomes(problem: &ImpactProblem, set: &PostImpactSet) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for extreme in set.extremes() {
            let impulse = DVector::from_column_slice(&extreme.impulse);
            let mut outcome = Outcome::from_impulse(problem, &impulse);
            outcome.details = LawDetails::of(RouthOutcome {
                sample: extreme.sample.map(|sample| sample as u64),
                lcps: None,
            });
            add_new(&mut outcomes, problem, outcome);
        }
        outcomes
    }
}

impl ImpactLaw for Routh {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        PROPERTIES
    }

    fn lists_alternatives(&self) -> bool {
        self.settings.samples > 0
    }

    fn draws_at_random(&self) -> bool {
        true
    }

    /// A new seed begins at its sample 0.
    fn reseed(&mut self, seed: u64) {
        self.settings.seed = seed;
        self.next_sample = 0;
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let sample = self.next_sample;
        self.next_sample += 1;
        self.draw(space, sample, impulse)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let mut report = RouthReport {
            notes: restitution_notes(problem),
            set: None,
        };
        let mut status = ImpactStatus::Resolved;
        let outcomes = if self.settings.samples == 0 {
            let sample = self.next_sample;
            self.next_sample += 1;
            let outcome = self.outcome(problem, sample)?;
            status = outcome.status;
            vec![outcome]
        } else {
            let set = sample_set(problem, &self.settings)?;
            report.set = Some(set.summary());
            if set.in_set() < set.len() {
                status = ImpactStatus::NotTerminated;
            }
            let mut outcomes = Self::extreme_outcomes(problem, &set);
            if outcomes.is_empty() {
                // No sample is in the set: what the first one came to, marked as it ended.
                outcomes.push(self.outcome(problem, 0)?);
            }
            outcomes
        };
        let space = problem.contact_space();
        let single = match status {
            ImpactStatus::Resolved if space.len() <= 1 && space.is_frictionless() => {
                Uniqueness::unique(Ground::Function)
            }
            ImpactStatus::Resolved => Uniqueness::undecided(Doubt::OneDraw),
            _ => Uniqueness::undecided(Doubt::NotTerminated),
        };
        Ok(Resolution {
            law: NAME,
            uniqueness: Uniqueness::counted(
                outcomes.len(),
                false,
                indeterminacy(problem, &outcomes),
                single,
            ),
            certificate: None,
            outcomes,
            status,
            details: LawDetails::of(report),
        })
    }
}
