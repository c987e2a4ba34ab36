//! Long work beside the interpreter: it is free meanwhile, and Ctrl-C is seen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use super::errors::raise;

/// Time between two looks at signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Does work on another thread and waits for it. Where a signal raises, the work is told by its argument to stop, and the
/// exception comes out when it has.
///
/// # Errors
/// What a handler of signals raises.
pub fn stoppable<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = channel();
            let stop = &stop;
            scope.spawn(move || {
                // Nobody who waits has gone.
                let _ = done.send(work(stop));
            });
            let mut signalled = Ok(());
            loop {
                match wait.recv_timeout(INTERVAL) {
                    Ok(answer) => return signalled.map(|()| answer),
                    Err(RecvTimeoutError::Timeout) if signalled.is_ok() => {
                        signalled = Python::attach(|py| py.check_signals());
                        stop.store(signalled.is_err(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Err(lost()),
                }
            }
        })
    })
}

/// Does work that cannot be told to stop: where a signal raises, the exception comes out at once, and what was begun ends
/// by itself, its answer unread.
///
/// # Errors
/// What a handler of signals raises.
pub fn abandonable<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    py.detach(|| {
        let (done, wait) = channel();
        thread::spawn(move || {
            let _ = done.send(work());
        });
        loop {
            match wait.recv_timeout(INTERVAL) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => return Err(lost()),
            }
        }
    })
}

fn lost() -> PyErr {
    raise("CaromError", "the work ended without an answer")
}
