//! Dictionaries of Python as tables of TOML, and settings as `--set` writes them.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

use super::errors::{Answered, argument, wrong_type};

/// A value may be this many lists and tables deep; one that holds itself has no end.
const DEEPEST: usize = 32;

/// A dictionary as a table.
///
/// # Errors
/// Keys that are no texts, values that TOML does not have.
pub fn table(given: &Bound<'_, PyDict>) -> Answered<Table> {
    table_within(given, DEEPEST)
}

fn table_within(given: &Bound<'_, PyDict>, deeper: usize) -> Answered<Table> {
    let mut table = Table::new();
    for (key, value) in given {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(wrong_type("keys of a table must be texts"));
        };
        // A key that is None is one that is not there.
        if !value.is_none() {
            table.insert(key.to_str()?.to_string(), value_within(&value, deeper)?);
        }
    }
    Ok(table)
}

fn value_within(given: &Bound<'_, PyAny>, deeper: usize) -> Answered<Value> {
    if deeper == 0 {
        return Err(argument(format!(
            "a value is more than {DEEPEST} lists and tables deep"
        )));
    }
    if let Ok(flag) = given.cast::<PyBool>() {
        return Ok(Value::Boolean(flag.is_true()));
    }
    if given.is_instance_of::<PyInt>() {
        let whole = given.extract::<i64>();
        return whole.map(Value::Integer).map_err(|_| {
            argument(format!(
                "{given} is too large: a whole number has 63 bits and a sign"
            ))
        });
    }
    if let Ok(number) = given.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_string()));
    }
    if let Ok(inner) = given.cast::<PyDict>() {
        return Ok(Value::Table(table_within(inner, deeper - 1)?));
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let entries = given.try_iter()?;
        let entries = entries.map(|entry| value_within(&entry?, deeper - 1));
        return Ok(Value::Array(entries.collect::<Answered<_>>()?));
    }
    // Numbers and arrays of NumPy.
    if given.hasattr("dtype")? {
        return value_within(&given.call_method0("tolist")?, deeper - 1);
    }
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(Value::String(path.display().to_string()));
    }
    Err(wrong_type(format!(
        "a value of type {} has no place in a scenario: it must be a number, a truth value, a text, a path, a list or a dictionary",
        given.get_type().name()?
    )))
}

/// Settings `{key: value}` as `key=value`.
///
/// # Errors
/// As [`table`].
pub fn overrides(settings: Option<&Bound<'_, PyDict>>) -> Answered<Vec<String>> {
    let Some(settings) = settings else {
        return Ok(Vec::new());
    };
    let mut all = Vec::with_capacity(settings.len());
    for (key, value) in settings {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(wrong_type("keys of settings must be texts"));
        };
        let value = value_within(&value, DEEPEST)?;
        all.push(format!("{}={value}", key.to_str()?));
    }
    Ok(all)
}
