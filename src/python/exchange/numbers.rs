//! Numbers from Python: arrays, lists, anything that NumPy makes an array of.

use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::errors::{Answered, argument, wrong_type};

/// Copies `count` numbers of a one-dimensional array into `out`, which it replaces. Numbers that are not finite pass: what
/// takes them says so by name.
///
/// # Errors
/// Another shape, or something that is not real numbers.
pub fn read_vector(
    given: &Bound<'_, PyAny>,
    what: &str,
    count: usize,
    out: &mut Vec<f64>,
) -> Answered<()> {
    out.clear();
    if let Ok(array) = given.cast_exact::<PyArray1<f64>>()
        && let Ok(array) = array.try_readonly()
        && let Ok(values) = array.as_slice()
    {
        out.extend_from_slice(values);
    } else {
        let (shape, values) = read_array(given, what)?;
        if shape.len() != 1 {
            return Err(argument(format!(
                "{what}: its shape is {}, it must be ({count},)",
                tuple(&shape)
            )));
        }
        *out = values;
    }
    if out.len() == count {
        Ok(())
    } else {
        Err(argument(format!(
            "{what}: its shape is ({},), it must be ({count},)",
            out.len()
        )))
    }
}

/// The same as a vector of its own.
///
/// # Errors
/// As [`read_vector`].
pub fn vector(given: &Bound<'_, PyAny>, what: &str, count: usize) -> Answered<Vec<f64>> {
    let mut out = Vec::new();
    read_vector(given, what, count, &mut out)?;
    Ok(out)
}

/// The shape of an array of any dimension and its numbers by rows.
///
/// # Errors
/// Something that is not real numbers, or rows of different lengths.
pub fn read_array(given: &Bound<'_, PyAny>, what: &str) -> Answered<(Vec<usize>, Vec<f64>)> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (given,)).map_err(|error| {
        let reason = error.value(py).to_string();
        argument(format!("{what}: is no array: {reason}"))
    })?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !["f", "i", "u"].contains(&kind.as_str()) {
        return Err(wrong_type(format!(
            "{what}: its type is {dtype}, it must be real numbers"
        )));
    }
    let array = numpy.call_method1("ascontiguousarray", (&array, "float64"))?;
    // What is made contiguous has at least one dimension.
    let array = array.cast::<PyArrayDyn<f64>>()?;
    let values = array.try_readonly().map_err(|e| argument(e.to_string()))?;
    let values = values.as_slice().map_err(|e| argument(e.to_string()))?;
    Ok((array.shape().to_vec(), values.to_vec()))
}

/// A shape as Python writes it.
pub fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        many => {
            let words: Vec<String> = many.iter().map(usize::to_string).collect();
            format!("({})", words.join(", "))
        }
    }
}

/// A matrix as an array by rows.
pub fn matrix<'py>(py: Python<'py>, m: &DMatrix<f64>) -> Bound<'py, PyArray2<f64>> {
    let by_rows = numpy::ndarray::Array2::from_shape_fn(m.shape(), |at| m[at]);
    PyArray2::from_owned_array(py, by_rows)
}
