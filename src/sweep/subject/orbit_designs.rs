//! Designs of one file whose stance is a periodic orbit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::answers::{Answer, input};
use super::orbits::{OrbitTrials, failed};
use super::{Runs, SweepInput, named};
use crate::metric::Names;
use crate::scenario::ScenarioError;
use crate::stop::StopFlag;
use crate::study::orbit_design::{OrbitDesignError, OrbitDesignReport, OrbitDesignStudy};
use crate::sweep::error::SweepError;
use crate::sweep::outcome::{Outcome, SweepStatus};
use crate::sweep::plan::Plan;

/// A design file with a table `[orbit]`.
pub(super) struct OrbitDesigns {
    path: PathBuf,
    set: Vec<String>,
    /// The design of a run that may be able to start.
    probe: OrbitDesignStudy,
    trials: OrbitTrials,
    inputs: Vec<SweepInput>,
    fingerprint: String,
}

impl OrbitDesigns {
    /// The designs of a file with `set`; `start` are the keys of one run of the plan that may be able to start.
    pub fn new(
        path: &Path,
        set: &[String],
        start: &[String],
        plan: &Plan,
    ) -> Result<Self, SweepError> {
        let probe = read(path, set, start)?;
        let text = std::fs::read(path).map_err(SweepError::reading(path))?;
        let scenario = &probe.design.orbit.scenario;
        let motion = std::fs::read(scenario).map_err(SweepError::reading(scenario))?;
        let variables = probe.family.variables().iter();
        let begin: Vec<f64> = variables.map(|variable| variable.start).collect();
        let experiment = probe.family.experiment(&begin).map_err(refused(path))?;
        let mut inputs = vec![
            input("design", path, &text),
            input("scenario", scenario, &motion),
        ];
        let robots = experiment.robot_files();
        inputs.extend(robots.map(|(name, robot)| input("robot", name.as_ref(), robot.as_bytes())));
        let contents = toml::to_string(&probe.design).unwrap_or_default();
        Ok(Self {
            fingerprint: format!("{contents} {}", experiment.hash().unwrap_or_default()),
            path: path.to_path_buf(),
            set: set.to_vec(),
            probe,
            trials: OrbitTrials::new(plan),
            inputs,
        })
    }
}

fn read(path: &Path, set: &[String], keys: &[String]) -> Result<OrbitDesignStudy, SweepError> {
    let all = [set, keys].concat();
    OrbitDesignStudy::read(path, &all).map_err(refused(path))
}

fn refused(path: &Path) -> impl Fn(OrbitDesignError) -> SweepError {
    let file = path.display().to_string();
    move |error| match error {
        OrbitDesignError::File(error) => error.into(),
        error => ScenarioError::value(&file, "orbit", error.to_string()).into(),
    }
}

fn numbers(report: &OrbitDesignReport) -> Answer {
    let sides = [&report.orbit.before, &report.orbit.after];
    let [before, after] = sides.map(|orbit| orbit.largest_multiplier().unwrap_or(f64::NAN));
    Answer::new("design", report)
        .with("design.orbit.before.largest_multiplier", before)
        .with("design.orbit.after.largest_multiplier", after)
}

impl Runs for OrbitDesigns {
    fn default_metrics(&self) -> BTreeMap<String, String> {
        named(&[
            ("distance", "design.distance"),
            ("iterations", "design.iterations"),
            ("period_s", "design.orbit.after.period_s"),
            (
                "largest_multiplier",
                "design.orbit.after.largest_multiplier",
            ),
            ("stable", "design.orbit.after.stable"),
            ("cost_of_transport", "design.orbit.after.cost_of_transport"),
        ])
    }

    fn inputs(&self) -> Vec<SweepInput> {
        self.inputs.clone()
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn check(&self, overrides: &[String]) -> Result<(), SweepError> {
        read(&self.path, &self.set, overrides).map(|_| ())
    }

    /// Those that every report of the design has, without a search; or those of the first of the trials that is reached.
    fn names(&self, whole: bool) -> Result<Box<dyn Names>, SweepError> {
        if !whole {
            let report = self.probe.unknown().map_err(refused(&self.path))?;
            return Ok(Box::new(numbers(&report)));
        }
        let found = self.trials.first(|keys| {
            let study = read(&self.path, &self.set, keys).ok()?;
            let design = study.solve(&|_| {}).ok()?;
            design.reached.then_some(design.report)
        });
        let report =
            found.map_err(|reason| ScenarioError::value(&self.probe.file, "orbit", reason))?;
        Ok(Box::new(numbers(&report)))
    }

    fn run(
        &self,
        overrides: &[String],
        stop: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome {
        let mut study = match read(&self.path, &self.set, overrides) {
            Ok(study) => study,
            Err(error) => return Outcome::refused(&error),
        };
        study.family.stop = stop.clone();
        match study.solve(&|_| {}) {
            Ok(design) if design.reached => Outcome::completed(evaluate(&numbers(&design.report))),
            Ok(design) => {
                let left = design.report.residual;
                let reason = format!(
                    "{}: {left:e} is left of gaps and cosines",
                    design.report.status
                );
                Outcome::failed(SweepStatus::NotFound, &reason)
            }
            Err(OrbitDesignError::Orbit(error)) => failed(&error),
            Err(error @ (OrbitDesignError::File(_) | OrbitDesignError::NothingWanted { .. })) => {
                Outcome::refused(&error)
            }
            Err(error) => Outcome::failed(SweepStatus::NotFound, &error.to_string()),
        }
    }
}
