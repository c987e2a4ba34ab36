//! The class `Contacts`.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::simulation::Simulation;
use crate::python::exchange::Answered;

/// The contacts that a simulation can make, in its order.
#[pyclass(frozen, module = "carom")]
pub struct Contacts(pub Py<Simulation>);

#[pymethods]
impl Contacts {
    fn __len__(&self) -> usize {
        self.0.get().recipe.contacts.len()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        let listed = &self.0.get().recipe.contacts;
        (0..listed.len())
            .map(|i| listed.name(i).to_string())
            .collect()
    }

    /// Coefficients, shape (ncontact,).
    #[getter]
    fn friction<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let listed = &self.0.get().recipe.contacts;
        PyArray1::from_iter(py, (0..listed.len()).map(|i| listed.friction(i)))
    }

    /// Coefficients, shape (ncontact,).
    #[getter]
    fn restitution<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let listed = &self.0.get().recipe.contacts;
        PyArray1::from_iter(py, (0..listed.len()).map(|i| listed.restitution(i)))
    }

    /// Gap of every contact [m], positive when apart: shape (ncontact,). Stays live.
    #[getter]
    fn gaps<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyAny>> {
        let simulation = self.0.get();
        simulation.shown(py, &simulation.gaps)
    }

    /// Force of every held contact, mean over the last step: normal, then tangents [N], shape (ncontact, 3). Impulses
    /// of impacts are in the events. Stays live.
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyAny>> {
        let simulation = self.0.get();
        simulation.shown(py, &simulation.forces)
    }

    /// Contacts that are held closed.
    #[getter]
    fn held(&self) -> Answered<Vec<String>> {
        let simulation = self.0.get();
        let state = simulation.saved()?;
        let held = state.held.iter();
        Ok(held
            .map(|held| simulation.recipe.contacts.name(held.contact).to_string())
            .collect())
    }
}
