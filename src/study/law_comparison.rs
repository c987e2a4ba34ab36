//! Every law of a registry on one problem, side by side.

use std::convert::Infallible;
use std::ops::ControlFlow;

use serde::Serialize;
use thiserror::Error;

use crate::files::brief;
use crate::hybrid::{CapturedImpact, Event, Simulation, StepSummary, Watcher};
use crate::impact::settings::KeyRole;
use crate::impact::{ImpactError, ImpactProblem};
use crate::laws::{ImpactAnswer, LawDraft, LawEntry, LawRegistry, LawSetting, answer};
use crate::record::{Run, RunEnd};
use crate::scenario::{Experiment, ImpactEntry, ScenarioError};

/// Samples of a law that draws a set, where the settings name no other number.
const SAMPLES: &str = "4096";

/// All laws on one problem.
#[derive(Debug, Serialize)]
pub struct LawComparison {
    /// What was compared.
    pub name: String,
    /// One entry a law, in the order of the registry.
    pub laws: Vec<ComparedLaw>,
}

/// One law on the problem.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ComparedLaw {
    /// It answered.
    Applied {
        /// True.
        applicable: bool,
        /// What it says.
        #[serde(flatten)]
        answer: Box<ImpactAnswer>,
    },
    /// It does not cover the problem.
    NotApplied {
        /// Its name.
        law: &'static str,
        /// False.
        applicable: bool,
        /// Why.
        reason: String,
    },
}

/// Why the first impact of a run cannot be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FirstImpactError {
    /// The run cannot start.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// It failed before.
    #[error("the run stopped before its first impact: {0}")]
    Stopped(String),
    /// Nothing struck.
    #[error("there is no impact in this run")]
    None,
}

impl LawComparison {
    /// Solves a problem by every law. A setting is given to each law that has it.
    ///
    /// # Errors
    /// A setting out of range, in words.
    pub fn of_problem(
        laws: &LawRegistry,
        settings: &[LawSetting],
        name: &str,
        problem: &ImpactProblem,
    ) -> Result<Self, String> {
        Self::with(laws, |_| settings.to_vec(), name, |_| problem)
    }

    /// The same for an impact of a run; laws without friction solve it without.
    ///
    /// # Errors
    /// As [`LawComparison::of_problem`].
    pub fn of_impact(
        laws: &LawRegistry,
        settings: &[LawSetting],
        name: &str,
        impact: &CapturedImpact,
    ) -> Result<Self, String> {
        Self::of_impact_by(laws, |_| settings.to_vec(), name, impact)
    }

    /// The same for an impact of a scenario, whose own law has the parameters, the order and the seed that the scenario
    /// gives it; `settings` count before them.
    ///
    /// # Errors
    /// As [`LawComparison::of_problem`].
    pub fn of_scenario(
        laws: &LawRegistry,
        settings: &[LawSetting],
        name: &str,
        scenario: &ImpactEntry,
        impact: &CapturedImpact,
    ) -> Result<Self, String> {
        let of = |entry: &LawEntry| {
            let mut all = Vec::new();
            if entry.name == scenario.law {
                all = scenario.settings(laws);
                all.retain(|own| settings.iter().all(|given| given.name != own.name));
            }
            all.extend_from_slice(settings);
            all
        };
        Self::of_impact_by(laws, of, name, impact)
    }

    fn of_impact_by(
        laws: &LawRegistry,
        settings: impl Fn(&LawEntry) -> Vec<LawSetting>,
        name: &str,
        impact: &CapturedImpact,
    ) -> Result<Self, String> {
        let caught = (!impact.caught.is_empty()).then(|| {
            format!(
                "{name}; {}, which a latch catches, is no part of the problem: {} J are lost to it before",
                impact.caught.join(", "),
                brief(impact.caught_energy)
            )
        });
        let name = caught.as_deref().unwrap_or(name);
        Self::with(laws, settings, name, |entry| match entry.build() {
            Ok(law) if !law.properties().friction => &impact.without_friction,
            _ => &impact.with_friction,
        })
    }

    fn with<'p>(
        laws: &LawRegistry,
        settings: impl Fn(&LawEntry) -> Vec<LawSetting>,
        name: &str,
        problem: impl Fn(&LawEntry) -> &'p ImpactProblem,
    ) -> Result<Self, String> {
        let entries = laws.entries().iter();
        let compared = entries.map(|entry| apply(entry, &settings(entry), name, problem(entry)));
        Ok(Self {
            name: name.to_string(),
            laws: compared.collect::<Result<_, _>>()?,
        })
    }
}

/// Runs an experiment to its first impact.
///
/// # Errors
/// A start that is refused, a run that stops before, or no impact.
pub fn first_impact(experiment: &Experiment) -> Result<CapturedImpact, FirstImpactError> {
    let mut run = Run::new(experiment)?.capturing_first_impact();
    let Ok(end) = run.complete(&mut UntilImpact);
    match (run.simulation().captured_impact(), end) {
        (Some(impact), _) => Ok(impact.clone()),
        (None, RunEnd::Failed(error)) => Err(FirstImpactError::Stopped(error.to_string())),
        (None, _) => Err(FirstImpactError::None),
    }
}

/// Stops a run at its first impact.
struct UntilImpact;

impl Watcher<Infallible> for UntilImpact {
    fn step(
        &mut self,
        simulation: &mut Simulation,
        _: &StepSummary,
        _: &[Event],
    ) -> Result<ControlFlow<()>, Infallible> {
        Ok(match simulation.captured_impact() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        })
    }
}

/// One law on the problem, telling as much as it can: a law that declines to list every outcome of
/// so large a problem gives the outcome of its default order.
fn apply(
    entry: &LawEntry,
    settings: &[LawSetting],
    name: &str,
    problem: &ImpactProblem,
) -> Result<ComparedLaw, String> {
    let draft = || {
        let mut draft = entry.draft();
        // What the samples show is enough beside the other laws.
        let brief = draft.set_role(KeyRole::Refinement, "0");
        brief.map_err(|e| e.to_string())?;
        let mut known = settings.iter().filter(|s| s.is_known_to(entry));
        known.try_for_each(|s| s.give_to(&mut draft))?;
        Ok::<_, String>(draft)
    };
    let tell = |draft: &LawDraft| answer(&mut *draft.build()?, name, problem);
    let mut told = None;
    if let Some(all) = exhaustive(entry, settings) {
        let mut every = draft()?;
        all.give_to(&mut every)?;
        told = tell(&every).ok();
    }
    let one = draft()?;
    let told = told.map_or_else(|| tell(&one), Ok);
    Ok(match told {
        Ok(answer) => ComparedLaw::Applied {
            applicable: true,
            answer: Box::new(answer),
        },
        Err(error) => ComparedLaw::NotApplied {
            law: entry.name,
            applicable: false,
            reason: match error {
                ImpactError::Unsupported { reason, .. } => reason,
                other => other.to_string(),
            },
        },
    })
}

/// The setting that lists every outcome, or a set of samples, unless the user has set it.
fn exhaustive(entry: &LawEntry, settings: &[LawSetting]) -> Option<LawSetting> {
    let samples = || {
        entry.key_of(KeyRole::Samples).map(|key| LawSetting {
            written: "--samples".to_string(),
            name: key.name.to_string(),
            value: SAMPLES.to_string(),
        })
    };
    LawSetting::exhaustive(entry)
        .or_else(samples)
        .filter(|all| settings.iter().all(|given| given.name != all.name))
}
