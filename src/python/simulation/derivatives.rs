//! Derivatives of what a simulation did, as arrays.

use nalgebra::{DMatrix, DVector};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::stepping::Stepping;
use crate::hybrid::{LinearizeError, Simulation as Engine};
use crate::python::exchange::{Answered, argument, matrix, read_array, tuple, vector};

pub(super) type Vector<'py> = Bound<'py, PyArray1<f64>>;
pub(super) type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// The last step as a linear system.
pub(super) fn linearized<'py>(py: Python<'py>, engine: &Engine) -> Answered<Bound<'py, PyDict>> {
    let step = engine.linearize()?;
    let reduced = step.reduced();
    let all = PyDict::new(py);
    all.set_item("A", matrix(py, &step.transition))?;
    all.set_item("B", matrix(py, &step.input))?;
    all.set_item("inputs", step.input_coordinates)?;
    all.set_item("reduced_A", matrix(py, &reduced.transition))?;
    all.set_item("reduced_B", matrix(py, &reduced.input))?;
    all.set_item("lift", matrix(py, &reduced.lift))?;
    Ok(all)
}

/// What was recorded belongs to the present state.
pub(super) fn check(stepping: &Stepping) -> Result<(), LinearizeError> {
    if stepping.recorded {
        Ok(())
    } else {
        Err(LinearizeError::NoRecording)
    }
}

pub(super) fn array<'py>(py: Python<'py>, values: &DVector<f64>) -> Vector<'py> {
    PyArray1::from_slice(py, values.as_slice())
}

/// The derivative of the recorded run along directions.
#[allow(
    clippy::type_complexity,
    reason = "three arrays, as Python unpacks them"
)]
pub(super) fn derivative<'py>(
    py: Python<'py>,
    stepping: &mut Stepping,
    directions: Option<&Bound<'py, PyAny>>,
) -> Answered<(Matrix<'py>, Vector<'py>, Option<Vector<'py>>)> {
    check(stepping)?;
    let rows = 2 * stepping.engine.model().dof();
    let directions = match directions {
        None => DMatrix::identity(rows, rows),
        Some(given) => {
            let (shape, values) = read_array(given, "directions")?;
            match shape[..] {
                [own, columns] if own == rows => DMatrix::from_row_slice(rows, columns, &values),
                _ => {
                    return Err(argument(format!(
                        "directions: its shape is {}, it must be ({rows}, m): changes (dq, dv), one a column",
                        tuple(&shape)
                    )));
                }
            }
        }
    };
    let engine = &mut stepping.engine;
    let found = py.detach(|| engine.recorded_derivative(&directions))?;
    Ok((
        matrix(py, &found.transition),
        array(py, &found.end_time.transpose()),
        found.rate.map(|rate| array(py, &rate)),
    ))
}

/// The gradient of a number by the start and the forces of the recorded run.
pub(super) fn gradient<'py>(
    py: Python<'py>,
    stepping: &mut Stepping,
    objective: &Bound<'py, PyAny>,
) -> Answered<(Vector<'py>, Matrix<'py>)> {
    check(stepping)?;
    let objective = vector(objective, "objective", 2 * stepping.engine.model().dof())?;
    let engine = &mut stepping.engine;
    let found = py.detach(|| engine.recorded_gradient(&objective))?;
    Ok((
        array(py, &found.start),
        matrix(py, &found.forces.transpose()),
    ))
}
