//! Designs: answers as JSON.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::design::{
    DesignError, DesignSolution, StartRecord, Swarm, best_start, solve_numbered, solve_start,
};
use crate::python::background::stoppable;
use crate::python::exchange::{Answered, raise, settings, source};
use crate::stop::StopFlag;
use crate::study::design::{BeforeAfter, DesignStudy, DesignStudyError, DropEvidence};
use crate::study::orbit_design::{
    OrbitDesign, OrbitDesignError, OrbitDesignFile, OrbitDesignStudy,
};

/// Solves a design file: the report, the tuned robot as URDF, and of a design on a periodic orbit its scenario.
///
/// # Errors
/// A file that is wrong, a problem without an answer.
#[pyfunction]
#[pyo3(signature = (file, set))]
pub fn design(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyDict>>,
) -> Answered<(String, String, Option<String>)> {
    let path: PathBuf = source::path(file, "a design")?;
    let set = settings::overrides(set)?;
    if OrbitDesignFile::is_one(&path) {
        let found = stoppable(py, |stop| solved_on_orbit(&path, &set, stop))??;
        let scenario = found.experiment.resolved().to_toml();
        let scenario = scenario.map_err(|error| raise("DesignError", error.to_string()))?;
        let robot = found.experiment.robot_text().to_string();
        return Ok((written(&found.report)?, robot, Some(scenario)));
    }
    let (report, robot) = stoppable(py, |stop| solved(&path, &set, stop))??;
    Ok((written(&report)?, robot, None))
}

fn written(report: &impl Serialize) -> Answered<String> {
    serde_json::to_string(report).map_err(|error| raise("DesignError", error.to_string()))
}

fn solved_on_orbit(
    path: &Path,
    set: &[String],
    stop: &StopFlag,
) -> Result<OrbitDesign, OrbitDesignError> {
    let mut study = OrbitDesignStudy::read(path, set)?;
    study.family.stop = stop.clone();
    study.solve(&|_| {})
}

type Report = crate::study::design::DesignReport;

fn solved(
    path: &Path,
    set: &[String],
    stop: &StopFlag,
) -> Result<(Report, String), DesignStudyError> {
    let mut study = DesignStudy::read(path, set)?;
    study.problem.stop = stop.clone();
    let failed = |error| study.failed(error);
    let (records, solution) = search(&study).map_err(failed)?;
    let mut report = study.report(&solution, records)?;
    let runs = [study.problem.start(), solution.variables.clone()]
        .map(|x| study.drop_in_both_orders(&x).transpose());
    if let [Some(before), Some(after)] = &runs {
        report.drop = Some(BeforeAfter {
            before: DropEvidence::new(before),
            after: DropEvidence::new(after),
        });
    }
    let own = &solution.variables[..study.problem.parameter_count()];
    let text = study.robot.text(own);
    let text = text.map_err(crate::scenario::ScenarioError::from)?;
    Ok((report, text))
}

/// The search that the file asks for: from its start, from several, or by a swarm.
fn search(study: &DesignStudy) -> Result<(Vec<StartRecord>, DesignSolution), DesignError> {
    let (problem, solver) = (&study.problem, &study.design.solver);
    let settings = &solver.settings();
    let watch = |_| {};
    if let Some((particles, generations)) = solver.swarm() {
        let mut swarm = Swarm::new(problem, settings, particles, solver.seed)?;
        while swarm.generation() < generations {
            swarm.advance(problem, settings)?;
        }
        let here = solve_numbered(problem, settings, 0, problem.start(), &watch);
        let there = solve_numbered(problem, settings, 1, swarm.best(problem), &watch);
        let records = vec![here.0, there.0];
        let first = best_start(&records).is_none_or(|record| record.start == 0);
        return Ok((records, if first { here.1 } else { there.1 }?));
    }
    if solver.starts() == 1 {
        let solution = problem.solve_from(&problem.start(), settings, &watch)?;
        return Ok((Vec::new(), solution));
    }
    let solve = |start| solve_start(problem, settings, solver.seed, start, &watch);
    let records: Vec<StartRecord> = (0..solver.starts()).map(|start| solve(start).0).collect();
    let best = best_start(&records).map_or(0, |record| record.start);
    // Again from the best start: the same bits as the first time.
    Ok((records, solve(best).1?))
}
