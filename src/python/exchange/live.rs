//! Arrays that show a simulation while it goes on.
//!
//! A simulation moves its own numbers about, so what NumPy looks at are cells of fixed places that are written after
//! every step: numbers that nobody asked for are not. The cells live as long as the last array that shows them, also
//! when the simulation is gone; arrays are read-only. They are written with the interpreter held, so that Python never
//! sees half of a step.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use numpy::npyffi::{NPY_ARRAY_WRITEABLE, PyArrayObject};
use numpy::{PyArrayDyn, PyUntypedArrayMethods, ndarray};
use pyo3::prelude::*;

use super::errors::Answered;

/// Numbers at a fixed place, the base of the arrays that show them: each by its bits, so that NumPy, which may read
/// without the interpreter, finds the old number or the new one.
#[pyclass(frozen, module = "carom._carom")]
pub struct Cells(Box<[AtomicU64]>);

/// Cells and the array that shows them.
pub struct LiveArray {
    cells: Py<Cells>,
    array: Py<PyAny>,
    wanted: AtomicBool,
}

impl LiveArray {
    /// Zeros of a shape; `wanted` from the start, or once somebody asks.
    ///
    /// # Errors
    /// Those of NumPy.
    pub fn new(py: Python<'_>, shape: &[usize], wanted: bool) -> Answered<Self> {
        let count = shape.iter().product();
        let zeros = (0..count).map(|_| AtomicU64::new(0.0_f64.to_bits()));
        let cells = Bound::new(py, Cells(zeros.collect()))?;
        let first = cells.get().0.as_ptr().cast::<f64>();
        // SAFETY: `first` is the start of `count` numbers that neither move nor go while `cells` lives; the view is
        // used for its address and shape alone.
        let array = unsafe {
            let view = ndarray::ArrayView::from_shape_ptr(ndarray::IxDyn(shape), first);
            PyArrayDyn::borrow_from_array(&view, cells.clone().into_any())
        };
        let object: *mut PyArrayObject = array.as_array_ptr();
        // SAFETY: the array is new and nobody else's.
        unsafe { (*object).flags &= !NPY_ARRAY_WRITEABLE };
        Ok(Self {
            cells: cells.unbind(),
            array: array.into_any().unbind(),
            wanted: AtomicBool::new(wanted),
        })
    }

    /// Whether somebody has asked for the array.
    pub fn wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Notes that somebody asks for it.
    pub fn want(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// The array.
    pub fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array.bind(py).clone()
    }

    /// Shows other numbers.
    pub fn write(&self, _held: Python<'_>, values: impl IntoIterator<Item = f64>) {
        for (cell, value) in self.cells.get().0.iter().zip(values) {
            cell.store(value.to_bits(), Ordering::Relaxed);
        }
    }
}
