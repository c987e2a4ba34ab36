//! Errors as exceptions: the classes of `carom.errors`, with the texts of the library.

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

/// An exception of a class of `carom.errors`.
pub fn raise(class: &str, text: impl Into<String>) -> PyErr {
    let text = text.into();
    Python::attach(|py| {
        let class = py
            .import("carom.errors")
            .and_then(|module| module.getattr(class))
            .and_then(|class| Ok(class.cast_into::<PyType>()?));
        match class {
            Ok(class) => PyErr::from_type(class, (text,)),
            Err(error) => error,
        }
    })
}

/// An argument of the wrong shape, or with a number that it cannot be.
pub fn argument(text: impl Into<String>) -> PyErr {
    raise("ArgumentError", text)
}

/// Which class an error of the library is.
macro_rules! raised_as {
    ($($error:ty => $class:literal),+ $(,)?) => {
        $(impl From<$error> for PyErr {
            fn from(error: $error) -> Self {
                raise($class, error.to_string())
            }
        })+
    };
}

impl From<ScenarioError> for PyErr {
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
