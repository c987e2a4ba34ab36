//! The classes `Event` and `State`.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::exchange::{Answered, raise};
use crate::contact::Contacts;
use crate::hybrid;
use crate::impact::Verdict;

/// A change of the contacts at one moment.
#[pyclass(frozen, module = "carom")]
pub struct Event {
    event: hybrid::Event,
    contacts: Arc<Contacts>,
}

impl Event {
    pub fn new(event: hybrid::Event, contacts: Arc<Contacts>) -> Self {
        Self { event, contacts }
    }
}

/// Whether the outcome of an event is unique; none where it has none, or the law cannot tell.
pub fn unique(event: &hybrid::Event) -> Option<bool> {
    match (&event.impact, event.continuations) {
        (Some(impact), _) => match impact.uniqueness.verdict() {
            Verdict::Unique => Some(true),
            Verdict::Ambiguous => Some(false),
            Verdict::Undecided => None,
        },
        (None, Some(_)) => Some(false),
        (None, None) => None,
    }
}

#[pymethods]
impl Event {
    /// [s].
    #[getter]
    fn time(&self) -> f64 {
        self.event.time
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.event.kind.word()
    }

    /// Contacts that took part: for an impact all closed ones that its bodies have, directly or by others.
    #[getter]
    fn contacts(&self) -> Vec<String> {
        self.contacts.names_of(&self.event.contacts)
    }

    /// Configuration at that moment, shape (nq,).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.event.q)
    }

    /// Law that resolved an impact.
    #[getter]
    fn law(&self) -> Option<&'static str> {
        self.event.impact.as_ref().map(|impact| impact.law)
    }

    /// Order in which the contacts acted; empty where the law has none.
    #[getter]
    fn sequence(&self) -> Vec<String> {
        let impact = self.event.impact.as_ref();
        impact.map_or_else(Vec::new, |impact| self.contacts.names_of(&impact.sequence))
    }

    /// Of each contact of an impact: normal, then tangents [N s], shape (len(contacts), 3).
    #[getter]
    fn impulses<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        let impact = self.event.impact.as_ref()?;
        let shape = (impact.impulses.len(), 3);
        let values = numpy::ndarray::Array2::from_shape_fn(shape, |(i, k)| impact.impulses[i][k]);
        Some(PyArray2::from_owned_array(py, values))
    }

    /// Kinetic energy before and after an impact [J].
    #[getter]
    fn energy(&self) -> Option<(f64, f64)> {
        let impact = self.event.impact.as_ref()?;
        Some((impact.energy_before, impact.energy_after))
    }

    /// Whether the outcome is the only one; None where the law cannot tell, and for holds and releases.
    #[getter]
    fn unique(&self) -> Option<bool> {
        unique(&self.event)
    }

    /// Distinct outcomes that are known; continuations of a branch.
    #[getter]
    fn outcomes(&self) -> usize {
        let known = |impact: &hybrid::ImpactRecord| impact.uniqueness.outcomes();
        let impact = self.event.impact.as_ref();
        impact.map_or(self.event.continuations.unwrap_or(0), known)
    }

    /// xi: largest distance of two outcomes over the momentum before, in the kinetic metric.
    #[getter]
    fn indeterminacy(&self) -> f64 {
        let impact = self.event.impact.as_ref();
        impact.map_or(0.0, |impact| impact.uniqueness.indeterminacy())
    }

    /// Shape (nv,).
    #[getter]
    fn velocity_before<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let impact = self.event.impact.as_ref()?;
        Some(PyArray1::from_slice(py, &impact.velocity_before))
    }

    /// Shape (nv,).
    #[getter]
    fn velocity_after<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let impact = self.event.impact.as_ref()?;
        Some(PyArray1::from_slice(py, &impact.velocity_after))
    }

    /// What a contact does from a hold on.
    #[getter]
    fn mode(&self) -> Option<&'static str> {
        self.event.mode.map(hybrid::HoldMode::word)
    }

    /// Why the event is not what the law alone would have done, in a word.
    #[getter]
    fn note(&self) -> Option<&'static str> {
        self.event.note.map(hybrid::EventNote::word)
    }

    /// The same in words.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.event.reason.as_deref()
    }

    /// All of it by name.
    fn to_dict<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("time", self.time())?;
        all.set_item("kind", self.kind())?;
        all.set_item("contacts", self.contacts())?;
        all.set_item("q", self.q(py))?;
        all.set_item("law", self.law())?;
        all.set_item("sequence", self.sequence())?;
        all.set_item("impulses", self.impulses(py))?;
        all.set_item("energy", self.energy())?;
        all.set_item("unique", self.unique())?;
        all.set_item("outcomes", self.outcomes())?;
        all.set_item("indeterminacy", self.indeterminacy())?;
        all.set_item("mode", self.mode())?;
        all.set_item("note", self.note())?;
        all.set_item("reason", self.reason())?;
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let verdict = match self.unique() {
            Some(true) => ", unique",
            Some(false) => ", ambiguous",
            None => "",
        };
        format!(
            "<carom.Event {} of {} at {} s{verdict}>",
            self.kind(),
            self.contacts().join(", "),
            self.time()
        )
    }
}

/// Everything that the future of a simulation depends on. Pickled, copied and taken up again, it goes on to the same
/// bits.
#[pyclass(frozen, module = "carom")]
pub struct State(pub hybrid::State);

#[pymethods]
impl State {
    /// [s].
    #[getter]
    fn time(&self) -> f64 {
        self.0.time
    }

    /// Whole steps done.
    #[getter]
    fn step(&self) -> u64 {
        self.0.step
    }

    /// Configuration, shape (nq,).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.q)
    }

    /// Momentum M v, shape (nv,).
    #[getter]
    fn p<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.p)
    }

    /// Impacts so far.
    #[getter]
    fn impacts(&self) -> u64 {
        self.0.impacts
    }

    /// Reads what `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Answered<Self> {
        serde_json::from_slice(bytes)
            .map(Self)
            .map_err(|error| raise("StateError", format!("saved state: {error}")))
    }

    /// The state as text that reads back to the same bits.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyBytes>> {
        let text = serde_json::to_vec(&self.0)
            .map_err(|error| raise("StateError", format!("saved state: {error}")))?;
        Ok(PyBytes::new(py, &text))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> Answered<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        let make = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((make, (slf.get().to_bytes(py)?,)))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __richcmp__(&self, other: &Self, operation: CompareOp, py: Python<'_>) -> Py<PyAny> {
        let same = self.0 == other.0;
        let answer = match operation {
            CompareOp::Eq => same,
            CompareOp::Ne => !same,
            _ => return py.NotImplemented(),
        };
        pyo3::types::PyBool::new(py, answer)
            .to_owned()
            .into_any()
            .unbind()
    }

    fn __repr__(&self) -> String {
        format!("<carom.State at {} s>", self.0.time)
    }
}
