//! Designs of one file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::answers::{Answer, input};
use super::{Runs, SweepInput, named};
use crate::design::{DesignStatus, best_start, solve_start};
use crate::metric::Names;
use crate::scenario::ScenarioError;
use crate::stop::StopFlag;
use crate::study::design::{DesignFile, DesignReport, DesignStudy};
use crate::sweep::error::SweepError;
use crate::sweep::outcome::{Outcome, SweepStatus};

/// A design file.
pub(super) struct Designs {
    path: PathBuf,
    set: Vec<String>,
    start: Vec<String>,
    inputs: Vec<SweepInput>,
    contents: String,
}

impl Designs {
    pub fn new(path: &Path, set: &[String], start: &[String]) -> Result<Self, SweepError> {
        let overrides = [set, start].concat();
        let design = DesignFile::read(path, &overrides)?;
        let study = DesignStudy::new(&path.display().to_string(), design)?;
        if study.design.solver.swarm().is_some() {
            let reason = "a sweep solves a design from its starting points; remove the swarm, or raise solver.starts";
            return Err(ScenarioError::value(&study.file, "solver.global", reason).into());
        }
        let text = std::fs::read(path).map_err(SweepError::reading(path))?;
        let robot = study.problem.start();
        let robot = study.robot.text(&robot[..study.problem.parameter_count()]);
        let robot = robot.map_err(ScenarioError::from)?;
        Ok(Self {
            inputs: vec![
                input("design", path, &text),
                input("robot", &study.design.robot.file, robot.as_bytes()),
            ],
            contents: toml::to_string(&study.design).unwrap_or_default(),
            path: path.to_path_buf(),
            set: set.to_vec(),
            start: start.to_vec(),
        })
    }

    fn study(&self, overrides: &[String]) -> Result<DesignStudy, SweepError> {
        let all = [self.set.as_slice(), overrides].concat();
        Ok(DesignStudy::read(&self.path, &all)?)
    }

    fn solve(&self, study: &DesignStudy) -> Result<DesignReport, String> {
        let solver = &study.design.solver;
        let settings = solver.settings();
        let solve = |start| solve_start(&study.problem, &settings, solver.seed, start, &|_| {});
        let (records, mut solved): (Vec<_>, Vec<_>) = (0..solver.starts()).map(solve).unzip();
        let best = best_start(&records).map_or(0, |record| record.start);
        let solution = solved
            .swap_remove(best as usize)
            .map_err(|e| e.to_string())?;
        study.report(&solution, records).map_err(|e| e.to_string())
    }
}

impl Runs for Designs {
    fn default_metrics(&self) -> BTreeMap<String, String> {
        named(&[
            ("distance", "design.distance"),
            ("iterations", "design.iterations"),
            ("xi", "design.xi.after"),
            ("margin", "design.margin.after"),
            ("mass_kg", "design.mass_kg.after"),
        ])
    }

    fn inputs(&self) -> Vec<SweepInput> {
        self.inputs.clone()
    }

    fn fingerprint(&self) -> String {
        self.contents.clone()
    }

    fn check(&self, overrides: &[String]) -> Result<(), SweepError> {
        self.study(overrides).map(|_| ())
    }

    fn names(&self, _: bool) -> Result<Box<dyn Names>, SweepError> {
        let study = self.study(&self.start)?;
        let report = self.solve(&study);
        let report = report.map_err(|e| ScenarioError::value(&study.file, "stance", e))?;
        Ok(Box::new(Answer::new("design", &report)))
    }

    fn run(
        &self,
        overrides: &[String],
        stop: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome {
        let mut study = match self.study(overrides) {
            Ok(study) => study,
            Err(error) => return Outcome::refused(&error),
        };
        study.problem.stop = stop.clone();
        match self.solve(&study) {
            Err(reason) => Outcome::failed(SweepStatus::NotFound, &reason),
            Ok(report) if report.status == DesignStatus::Converged => {
                Outcome::completed(evaluate(&Answer::new("design", &report)))
            }
            Ok(report) => {
                let reason = report
                    .reason
                    .unwrap_or_else(|| "the targets are not reached".into());
                Outcome::failed(SweepStatus::NotFound, &reason)
            }
        }
    }
}
