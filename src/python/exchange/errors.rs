//! Errors as exceptions: the classes of `carom.errors`, with the texts of the library.

use std::fmt;

use pyo3::CastError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::baseline::BaselineError;
use crate::files::{FolderError, OutputFileError};
use crate::hybrid::{BatchError, BuildError, LinearizeError, SimulationError};
use crate::impact::ImpactError;
use crate::laws::{ImpactFileError, ProblemError, UnknownLawError};
use crate::model::ModelError;
use crate::record::{RecordError, RunFileError};
use crate::scenario::ScenarioError;
use crate::study::FirstImpactError;
use crate::study::design::DesignStudyError;
use crate::study::orbit::OrbitError;
use crate::study::orbit_design::OrbitDesignError;

/// An exception, made of an error of the library or raised by Python.
#[derive(Debug)]
pub struct Exception(PyErr);

/// What a function of the package answers.
pub type Answered<T> = Result<T, Exception>;

impl From<PyErr> for Exception {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<CastError<'_, '_>> for Exception {
    fn from(error: CastError<'_, '_>) -> Self {
        Self(error.into())
    }
}

impl From<Exception> for PyErr {
    fn from(raised: Exception) -> Self {
        raised.0
    }
}

/// An exception of a class of `carom.errors`.
pub fn raise(class: &str, text: impl Into<String>) -> Exception {
    let text = text.into();
    Python::attach(|py| {
        let class = py
            .import("carom.errors")
            .and_then(|module| module.getattr(class))
            .and_then(|class| Ok(class.cast_into::<PyType>()?));
        match class {
            Ok(class) => Exception(PyErr::from_type(class, (text,))),
            Err(error) => Exception(error),
        }
    })
}

/// An argument of the wrong shape, or with a number that it cannot be.
pub fn argument(text: impl Into<String>) -> Exception {
    raise("ArgumentError", text)
}

/// An argument of another type than is taken.
pub fn wrong_type(text: impl Into<String>) -> Exception {
    Exception(PyTypeError::new_err(text.into()))
}

/// Which class an error of the library is.
macro_rules! raised_as {
    ($($error:ty => $class:literal),+ $(,)?) => {
        $(impl From<$error> for Exception {
            fn from(error: $error) -> Self {
                raise($class, error.to_string())
            }
        })+
    };
}

impl From<ScenarioError> for Exception {
    fn from(error: ScenarioError) -> Self {
        let class = match &error {
            ScenarioError::Model(_) => "ModelError",
            ScenarioError::Simulation(_) => "SimulationError",
            _ => "ScenarioError",
        };
        raise(class, error.to_string())
    }
}

raised_as! {
    BaselineError => "BaselineError",
    BatchError => "SimulationError",
    BuildError => "SimulationError",
    DesignStudyError => "DesignError",
    FirstImpactError => "SimulationError",
    FolderError => "RunError",
    ImpactError => "ImpactError",
    ImpactFileError => "ImpactError",
    LinearizeError => "SimulationError",
    ModelError => "ModelError",
    OrbitDesignError => "DesignError",
    OrbitError => "OrbitError",
    OutputFileError => "RunError",
    ProblemError => "ImpactError",
    RecordError => "RunError",
    RunFileError => "RunError",
    SimulationError => "SimulationError",
    UnknownLawError => "ImpactError",
}
