//! One impact by one law, and by all of them: answers as JSON, which the package makes dataclasses of.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::impact::ImpactLaw;
use crate::laws::{ImpactFile, LawEntry, LawRegistry, LawSetting, answer};
use crate::python::exchange::{Answered, raise, source};
use crate::study::{LawComparison, first_impact};

/// Problems from a file, or from their text.
fn problems(file: &Bound<'_, PyAny>, text: Option<&str>) -> Answered<ImpactFile> {
    let path: PathBuf = source::path(file, "a problem")?;
    Ok(match text {
        Some(text) => ImpactFile::parse(&path.display().to_string(), text)?,
        None => ImpactFile::read(&path)?,
    })
}

/// Settings as the laws read them. An order that names contacts is a sequence.
fn settings(given: Vec<(String, String)>) -> Vec<LawSetting> {
    let each = given.into_iter().map(|(name, value)| LawSetting {
        written: name.clone(),
        name: match name.as_str() {
            "order" if value.contains(',') => "sequence".to_string(),
            _ => name,
        },
        value,
    });
    each.collect()
}

/// The law with its settings.
fn law(entry: &LawEntry, all: bool, settings: &[LawSetting]) -> Result<Box<dyn ImpactLaw>, String> {
    let mut draft = entry.draft();
    if all {
        let every = LawSetting::exhaustive(entry)
            .ok_or_else(|| format!("all: law \"{}\" has nothing to enumerate", entry.name))?;
        every.give_to(&mut draft)?;
    }
    for setting in settings {
        if !setting.is_known_to(entry) {
            return Err(setting.unknown_to(entry));
        }
        setting.give_to(&mut draft)?;
    }
    draft.build().map_err(|error| error.to_string())
}

/// Solves the problems of a file.
///
/// # Errors
/// A file or settings that are wrong; a problem of its own that cannot be solved. In an array each fails alone.
#[pyfunction]
pub fn impact(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    text: Option<&str>,
    law_name: &str,
    all: bool,
    given: Vec<(String, String)>,
) -> Answered<String> {
    let laws = LawRegistry::standard();
    let entry = laws.get(law_name)?;
    let settings = settings(given);
    let mut law = law(entry, all, &settings).map_err(|text| raise("ImpactError", text))?;
    let file = problems(file, text)?;
    let answers = py.detach(|| {
        let solved = file.problems.iter().map(|named| {
            let solved = match &named.problem {
                Ok(problem) => answer(law.as_mut(), &named.name, problem)
                    .map_err(|error| error.to_string())
                    .and_then(|answer| serde_json::to_value(&answer).map_err(|e| e.to_string())),
                Err(error) => Err(error.to_string()),
            };
            solved.unwrap_or_else(|error| json!({"name": named.name, "error": error}))
        });
        solved.collect::<Vec<Value>>()
    });
    if let ([only], false) = (&answers[..], file.is_array) {
        if let Some(error) = only.get("error").and_then(Value::as_str) {
            return Err(raise("ImpactError", format!("{}: {error}", file.file)));
        }
        return Ok(only.to_string());
    }
    Ok(Value::Array(answers).to_string())
}

/// Solves one problem by every law, or the first impact of a scenario.
///
/// # Errors
/// As [`impact`]; a run without an impact.
#[pyfunction]
#[pyo3(signature = (given, text, scenario, set, settings_of_laws))]
pub fn compare(
    py: Python<'_>,
    given: &Bound<'_, PyAny>,
    text: Option<&str>,
    scenario: bool,
    set: Option<&Bound<'_, PyDict>>,
    settings_of_laws: Vec<(String, String)>,
) -> Answered<String> {
    let laws = LawRegistry::standard();
    let settings = settings(settings_of_laws);
    let compared = if scenario {
        let experiment = source::experiment(given, set)?;
        py.detach(|| {
            let impact = first_impact(&experiment)?;
            let own = &experiment.scenario.impact;
            let name = format!("{}, its first impact", experiment.file);
            LawComparison::of_scenario(&laws, &settings, &name, own, &impact)
                .map_err(|text| raise("ImpactError", text))
        })?
    } else {
        let file = problems(given, text)?;
        let [named] = &file.problems[..] else {
            let text = format!(
                "{}: laws are compared on one problem, not on several",
                file.file
            );
            return Err(raise("ImpactError", text));
        };
        let problem = named.problem.as_ref();
        let problem = problem.map_err(|error| raise("ImpactError", error.to_string()))?;
        py.detach(|| LawComparison::of_problem(&laws, &settings, &named.name, problem))
            .map_err(|text| raise("ImpactError", text))?
    };
    serde_json::to_string(&compared).map_err(|error| raise("ImpactError", error.to_string()))
}
