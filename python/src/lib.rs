//! The module `carom._carom`: what the room `python` of the library holds.

use pyo3::prelude::*;

/// The compiled part of the package `carom`.
#[pymodule]
fn _carom(module: &Bound<'_, PyModule>) -> PyResult<()> {
    carom::python::add_to(module)
}
