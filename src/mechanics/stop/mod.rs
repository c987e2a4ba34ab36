//! Long work that is told from outside to end: by a signal, by another thread.
//!
//! A [`StopFlag`] is given to the work before it begins (`BaselineOptions::stop`, `SweepOptions::stop`, the field `stop` of an
//! `Experiment` and of a `DesignProblem`). Once it is raised, every simulation ends at the beginning of its next step and
//! every search at its next evaluation, each with the error that says so, and nothing more is written.
//!
//! # Limits
//!
//! What has begun ends first: a step with its impacts, a robot that is read, a derivative of a run.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::hybrid::{Simulation, SimulationError};
//! use carom::stop::StopFlag;
//!
//! let stop = StopFlag::default();
//! let chain = carom::model::sample::chain(2)?;
//! let mut simulation = Simulation::builder(chain).build()?.stopped_by(stop.clone());
//! simulation.advance()?;
//! std::thread::spawn(move || stop.raise()).join().map_err(|_| "the thread is gone")?;
//! assert!(matches!(simulation.advance(), Err(SimulationError::Stopped { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends the work that it was given to. Clones are one flag, and it stays raised.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks all that have a clone to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to end.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
