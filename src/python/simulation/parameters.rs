//! Derivatives of what a simulation did by numbers of its scenario.

use nalgebra::DMatrix;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use toml::Table;

use super::derivatives::{Matrix, Vector, array, check};
use super::stepping::Stepping;
use crate::hybrid::Parameter;
use crate::laws::LawRegistry;
use crate::python::exchange::{Answered, argument, matrix, vector, wrong_type};
use crate::python::making::Recipe;
use crate::scenario::{Experiment, ExperimentCache, Scenario, ScenarioError, number_at};

/// Width of a parameter of which none is given, beside its value.
const WIDTH: f64 = 1e-3;

/// The derivative of the recorded run by parameters.
pub(super) fn derivative<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    stepping: &mut Stepping,
    parameters: &Bound<'py, PyAny>,
) -> Answered<Matrix<'py>> {
    check(stepping)?;
    let wanted = read(parameters)?;
    let engine = &mut stepping.engine;
    let found = py.detach(|| -> Answered<_> {
        let mut parameters = made(recipe, &wanted)?;
        let none = DMatrix::zeros(2 * engine.model().dof(), 0);
        Ok(engine.recorded_derivative_by(&none, &mut parameters)?)
    })?;
    Ok(matrix(py, &found.transition))
}

/// The gradient of a number by the start, the forces and parameters of the recorded run.
#[allow(
    clippy::type_complexity,
    reason = "three arrays, as Python unpacks them"
)]
pub(super) fn gradient<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    stepping: &mut Stepping,
    objective: &Bound<'py, PyAny>,
    parameters: &Bound<'py, PyAny>,
) -> Answered<(Vector<'py>, Matrix<'py>, Vector<'py>)> {
    check(stepping)?;
    let objective = vector(objective, "objective", 2 * stepping.engine.model().dof())?;
    let wanted = read(parameters)?;
    let engine = &mut stepping.engine;
    let found = py.detach(|| -> Answered<_> {
        let mut parameters = made(recipe, &wanted)?;
        Ok(engine.recorded_gradient_by(&objective, &mut parameters)?)
    })?;
    Ok((
        array(py, &found.start),
        matrix(py, &found.forces.transpose()),
        array(py, &found.parameters),
    ))
}

/// Keys with their widths, where those are given.
fn read(given: &Bound<'_, PyAny>) -> Answered<Vec<(String, Option<f64>)>> {
    if given.is_instance_of::<PyString>() {
        return Err(wrong_type(
            "parameters: a list of keys, or a mapping from keys to widths; put the key into a list",
        ));
    }
    let Ok(widths) = given.cast::<PyMapping>() else {
        let keys = given.try_iter()?;
        return keys.map(|key| Ok((key?.extract()?, None))).collect();
    };
    let mut all = Vec::new();
    for item in widths.items()? {
        let (key, width): (String, f64) = item.extract()?;
        if !(width.is_finite() && width > 0.0) {
            return Err(argument(format!(
                "parameters: the width of {key} is {width}, it must be positive and finite"
            )));
        }
        all.push((key, Some(width)));
    }
    Ok(all)
}

/// The parameters with these keys of the scenario.
fn made(recipe: &Recipe, wanted: &[(String, Option<f64>)]) -> Answered<Vec<Parameter>> {
    let experiment = recipe.experiment.as_deref().ok_or_else(|| {
        argument("parameters are keys of a scenario, and this simulation is made from a model")
    })?;
    let file = &experiment.file;
    let refused = |place: &str, reason: String| ScenarioError::value(file, place, reason);
    let text = experiment.scenario.to_toml();
    let text = text.map_err(|error| refused("parameters", error.to_string()))?;
    let table: Table = toml::from_str(&text).map_err(|e| refused("parameters", e.to_string()))?;
    let (laws, cache) = (LawRegistry::standard(), ExperimentCache::default());
    let one = |(key, width): &(String, Option<f64>)| -> Answered<Parameter> {
        let value = number_at(&table, key).ok_or_else(|| {
            let reason = "the scenario says no number there; write it there, or into settings";
            refused(key, reason.into())
        })?;
        let width = width.unwrap_or(WIDTH * value.abs());
        if width == 0.0 {
            return Err(argument(format!(
                "parameters: {key} is 0, which says no width; give one, {{\"{key}\": width}}"
            )));
        }
        let parameter = Parameter::new(width, |change| {
            let moved = format!("{key}={:e}", value + change);
            let scenario = Scenario::parse(file, &text, &[moved])?;
            let beside = Experiment::cached(file, scenario, &laws, &cache)?;
            let (q, v) = (beside.q.clone(), beside.v.clone());
            Recipe::of(beside).simulation(&q, &v, None, true)
        });
        Ok(parameter?)
    };
    wanted.iter().map(one).collect()
}
