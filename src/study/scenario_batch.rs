//! Many simulations of one scenario at once, of which only the ends are kept.
//!
//! Run i has the seed `impact.seed` + i where something is drawn from it, and draw i of the perturbations of
//! `[baseline.robust]`. Run 0 is the scenario itself.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::robust_plan::RobustPlan;
use crate::hybrid::{Batch, BatchError, Simulated, Unwatched, run_batch};
use crate::record::{Run, RunEnd};
use crate::scenario::{Experiment, RobustEntry, ScenarioError, hexadecimal};

/// How one run of a batch ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchEnd {
    /// Its number.
    pub index: u64,
    /// What `--set` needs to run it alone.
    pub overrides: Vec<String>,
    /// Why it stopped early, if it did.
    pub stopped: Option<String>,
    /// Whole steps done.
    pub steps: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// Impacts on its way.
    pub impacts: u64,
    /// Configuration after the last step; empty if the run could not start.
    pub q: Vec<f64>,
    /// Velocity at the end, n; empty if the run stopped early.
    pub v: Vec<f64>,
}

/// A number of runs of one scenario.
pub struct ScenarioBatch<'a> {
    experiment: &'a Experiment,
    plan: RobustPlan,
    count: u64,
    perturbed: bool,
    draws: bool,
}

impl<'a> ScenarioBatch<'a> {
    /// `count` runs, at least one.
    ///
    /// # Errors
    /// No run at all, a scenario that cannot start or follows every order of impacts, perturbations that do not fit.
    pub fn new(experiment: &'a Experiment, count: u64) -> Result<Self, ScenarioError> {
        let scenario = &experiment.scenario;
        let value =
            |place: &str, reason: &str| ScenarioError::value(&experiment.file, place, reason);
        if scenario.impact.order == "all" {
            let reason = "a run of a batch follows one order; name most-violated, least-violated, index or random";
            return Err(value("impact.order", reason));
        }
        if count == 0 {
            return Err(value("batch", "it has 0 runs, it must have at least 1"));
        }
        let robust = scenario.baseline.robust.clone().unwrap_or_default();
        let perturbed = !robust.perturb.is_empty();
        let entry = RobustEntry {
            draws: if perturbed { count - 1 } else { 0 },
            perturb: if count > 1 {
                robust.perturb
            } else {
                Vec::new()
            },
            seed: robust.seed,
            ..RobustEntry::default()
        };
        Run::new(experiment)?;
        Ok(Self {
            experiment,
            plan: RobustPlan::new(experiment, &entry)?,
            count,
            perturbed,
            draws: experiment.law()?.draws_at_random(),
        })
    }

    /// Runs all on `jobs` threads or on all cores; `progress` is told how many are done. A run that stops early is a
    /// result that says so.
    ///
    /// # Errors
    /// No such number of threads.
    pub fn run(
        &self,
        jobs: Option<usize>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Batch<BatchEnd>, BatchError> {
        let done = AtomicU64::new(0);
        run_batch(self.count as usize, jobs, |i| {
            let end = self.one(i as u64);
            let simulated = Simulated {
                steps: end.steps,
                time: end.time,
            };
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok((end, simulated))
        })
    }

    fn overrides(&self, index: u64) -> Vec<String> {
        let mut overrides = self.plan.overrides(index);
        if self.draws && index > 0 {
            overrides.push(format!("impact.seed={}", self.seed(index)));
        }
        overrides
    }

    fn seed(&self, index: u64) -> u64 {
        self.experiment.scenario.impact.seed.wrapping_add(index)
    }

    /// The scenario of a run; the robot is read again only where it may differ.
    fn experiment(&self, index: u64, overrides: &[String]) -> Result<Experiment, ScenarioError> {
        if self.perturbed && index > 0 {
            return self.plan.build(overrides);
        }
        let mut experiment = self.experiment.clone();
        experiment.scenario.impact.seed = self.seed(index);
        Ok(experiment)
    }

    fn one(&self, index: u64) -> BatchEnd {
        let overrides = self.overrides(index);
        let started = self
            .experiment(index, &overrides)
            .and_then(|experiment| Run::new(&experiment));
        let mut end = BatchEnd {
            index,
            overrides,
            stopped: None,
            steps: 0,
            time: 0.0,
            impacts: 0,
            q: Vec::new(),
            v: Vec::new(),
        };
        let mut run = match started {
            Ok(run) => run,
            // A perturbed state that the robot cannot start from is a result, not an error.
            Err(error) => {
                end.stopped = Some(error.to_string());
                return end;
            }
        };
        let Ok(ended) = run.complete(&mut Unwatched);
        let state = match ended {
            RunEnd::Failed(_) => run.state().clone(),
            _ => run.simulation().state().clone(),
        };
        (end.steps, end.time, end.impacts) = (state.step, state.time, state.impacts);
        end.q.clone_from(&state.q);
        if let RunEnd::Failed(error) = ended {
            end.stopped = Some(error.to_string());
            return end;
        }
        match run.simulation().velocity() {
            Ok(velocity) => end.v.extend_from_slice(velocity),
            Err(error) => end.stopped = Some(error.to_string()),
        }
        end
    }
}

/// SHA-256 of the ends in their order, every number by its bits, and how many different ends there are.
#[must_use]
pub fn end_digest(ends: &[BatchEnd]) -> (String, usize) {
    let mut all = Sha256::new();
    let mut distinct = BTreeSet::new();
    for end in ends {
        let mut one = Sha256::new();
        one.update(end.steps.to_le_bytes());
        one.update(end.stopped.as_deref().unwrap_or_default());
        for x in end.q.iter().chain(&end.v) {
            one.update(x.to_bits().to_le_bytes());
        }
        let one: [u8; 32] = one.finalize().into();
        all.update(one);
        distinct.insert(one);
    }
    (hexadecimal(all), distinct.len())
}
