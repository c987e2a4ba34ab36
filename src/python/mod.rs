//! The Python package: classes and functions over the other rooms (feature `python`).
//!
//! `python/Cargo.toml` makes the module `carom._carom` of it, `python/carom` is what Python itself adds: names, stubs,
//! results as dataclasses, environments of Gymnasium, a plugin of pytest. Classes have the documentation of the stubs,
//! `python/carom/_carom.pyi`, which a test compares.
//!
//! # What is declared
//!
//! * **Arrays stay live.** `q`, `v`, gaps and forces of a simulation are arrays that are made once; every step writes the
//!   numbers into them, as far as somebody asked for them. They are read-only and keep their numbers alive themselves.
//! * **No abort.** Whatever is passed in, the answer is an exception: of `carom.errors` with the text of the library, or
//!   `TypeError`. What a controller raises comes out of the call that stepped.
//! * **The interpreter is free** while a simulation runs, a batch is rolled out or something is looked for; Ctrl-C is seen every
//!   50 ms, and ends the work before the exception comes out.
//! * **The same bits** as in Rust. A batch does not depend on the number of threads, nor on the place of a row in it.
//!
//! # Limits
//!
//! A controller in Python costs its own time and the interpreter's lock; in a batch there is none, controls are arrays.
//! One simulation is used by one thread at a time; another one gets `BusyError`.

#![allow(
    missing_docs,
    rustdoc::broken_intra_doc_links,
    reason = "what stands here is for readers of Python, where [m] is a unit and a name can be enough"
)]

mod background;
mod contacts;
mod controller;
mod event;
mod exchange;
mod making;
mod model;
mod pause;
mod rollout;
mod run;
mod simulation;
mod studies;

use pyo3::prelude::*;

/// Adds everything to the compiled part of the package.
///
/// # Errors
/// Those of Python.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<contacts::Contacts>()?;
    module.add_class::<event::Event>()?;
    module.add_class::<event::State>()?;
    module.add_class::<controller::Observation>()?;
    module.add_class::<run::Tables>()?;
    module.add_function(wrap_pyfunction!(rollout::rollout, module)?)?;
    module.add_function(wrap_pyfunction!(studies::impact, module)?)?;
    module.add_function(wrap_pyfunction!(studies::compare, module)?)?;
    module.add_function(wrap_pyfunction!(studies::orbit, module)?)?;
    module.add_function(wrap_pyfunction!(studies::find_orbits, module)?)?;
    module.add_function(wrap_pyfunction!(studies::scan_orbit, module)?)?;
    module.add_function(wrap_pyfunction!(studies::orbit_basin, module)?)?;
    module.add_function(wrap_pyfunction!(studies::design, module)?)?;
    module.add_function(wrap_pyfunction!(studies::record_baseline, module)?)?;
    module.add_function(wrap_pyfunction!(studies::verify_baseline, module)?)?;
    module.add_function(wrap_pyfunction!(run::simulate, module)?)?;
    Ok(())
}
