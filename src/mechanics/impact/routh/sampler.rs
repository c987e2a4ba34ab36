//! Algorithm 1 of [HP]: one trajectory of randomly sized increments.

use crate::impact::lcp::{FrictionLcp, LcpSelection, LinearizedContacts, ModeProblem};
use crate::impact::sample_random::RandomWords;
use crate::impact::{ContactSpace, ImpactError};

/// Draws of the allowances of one increment whose LCP is not solved to its residual, as where roundings make all paths end on
/// rays: impulses may grow in any proportion.
const DRAWS: usize = 16;

/// How one sample ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleStatus {
    /// No contact closes any more.
    Terminated,
    /// It closed after the last step, and the small forced step of Algorithm 2 ended it.
    Forced,
    /// A contact still closes after the last step. Not part of the set.
    NotTerminated,
    /// An LCP could not be solved to its residual. Not part of the set.
    Unsolved,
}

impl SampleStatus {
    /// Whether the sample belongs to the post-impact set.
    #[must_use]
    pub fn in_set(self) -> bool {
        matches!(self, Self::Terminated | Self::Forced)
    }
}

/// What Algorithm 1 runs with, besides the problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Increments {
    /// h \[N s\].
    pub(crate) step: f64,
    pub(crate) max_steps: usize,
    pub(crate) selection: LcpSelection,
    /// Normal impulse of the forced last step \[N s\], if there is one.
    pub(crate) forced: Option<f64>,
}

/// Sampler with its workspace: the result of the last sample is in `velocity` and `impulse`.
#[derive(Debug, Clone, Default)]
pub(crate) struct RouthSampler {
    pub(crate) space: LinearizedContacts,
    lcp: FrictionLcp,
    allowance: Vec<f64>,
    increment: Vec<f64>,
    before: Vec<f64>,
    lambda: Vec<f64>,
    velocity: Vec<f64>,
}

impl RouthSampler {
    /// Prepares for a problem. Allocates only when it is larger than any before.
    pub(crate) fn load(&mut self, space: &ContactSpace, facets: usize) -> Result<(), ImpactError> {
        self.space.load(space, facets)?;
        self.lcp.load(&self.space, true);
        let r = self.space.rows();
        for buffer in [
            &mut self.increment,
            &mut self.before,
            &mut self.lambda,
            &mut self.velocity,
        ] {
            buffer.clear();
            buffer.resize(r, 0.0);
        }
        self.allowance.resize(self.space.contacts.len(), 0.0);
        Ok(())
    }

    /// Runs Algorithm 1 once; returns how it ended and the number of LCPs.
    pub(crate) fn draw(
        &mut self,
        with: &Increments,
        random: &mut impl RandomWords,
    ) -> (SampleStatus, usize) {
        self.velocity.copy_from_slice(&self.space.velocity);
        self.lambda.fill(0.0);
        for count in 0..with.max_steps {
            if !self.space.colliding(&self.velocity) {
                return (SampleStatus::Terminated, count);
            }
            let solved = (0..DRAWS).any(|_| {
                for i in 0..self.allowance.len() {
                    self.allowance[i] = self.allowance_unit(i) * with.step * random.uniform();
                }
                self.advance(with.selection, random)
            });
            if !solved {
                return (SampleStatus::Unsolved, count + 1);
            }
        }
        if !self.space.colliding(&self.velocity) {
            return (SampleStatus::Terminated, with.max_steps);
        }
        if let Some(step) = with.forced {
            for i in 0..self.allowance.len() {
                self.allowance[i] = self.allowance_unit(i) * step;
            }
            if self.advance(with.selection, random) && !self.space.colliding(&self.velocity) {
                return (SampleStatus::Forced, with.max_steps + 1);
            }
        }
        (SampleStatus::NotTerminated, with.max_steps)
    }

    /// One N s of contact i in scaled impulse.
    fn allowance_unit(&self, i: usize) -> f64 {
        1.0 / (self.space.scale[self.space.contacts[i].normal] * self.space.unit)
    }

    fn advance(&mut self, selection: LcpSelection, random: &mut impl RandomWords) -> bool {
        self.before.copy_from_slice(&self.velocity);
        let problem = ModeProblem {
            space: &self.space,
            before: &self.before,
            allowance: Some(&self.allowance),
        };
        let report = self
            .lcp
            .solve(&problem, selection, random, &mut self.increment);
        if !report.solved {
            return false;
        }
        self.space
            .velocity_after(&self.before, &self.increment, &mut self.velocity);
        for (sum, x) in self.lambda.iter_mut().zip(&self.increment) {
            *sum += x;
        }
        true
    }

    /// Contact velocities after the last sample \[m/s\], r.
    pub(crate) fn write_velocity(&self, out: &mut [f64]) {
        for (i, o) in out.iter_mut().enumerate() {
            *o = self.row_velocity(i);
        }
    }

    /// Velocity of one row after the last sample \[m/s\].
    pub(crate) fn row_velocity(&self, row: usize) -> f64 {
        self.velocity[row] * self.space.unit / self.space.scale[row]
    }

    /// Contact impulses of the last sample \[N s\], r.
    pub(crate) fn write_impulse(&self, out: &mut [f64]) {
        self.space.unscale_impulse(&self.lambda, out);
    }
}
