//! Long work beside the interpreter: it is free meanwhile, and Ctrl-C ends the work.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use super::exchange::{Answered, Exception, raise};
use crate::stop::StopFlag;

/// Time between two looks at signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Does work on another thread and waits for it. Where a signal raises, the flag tells the work to stop, and the exception
/// comes out when it has.
///
/// # Errors
/// What a handler of signals raises.
pub fn stoppable<T: Send>(py: Python<'_>, work: impl FnOnce(&StopFlag) -> T + Send) -> Answered<T> {
    let stop = StopFlag::default();
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
                    Ok(answer) => return signalled.map(|()| answer).map_err(Exception::from),
                    Err(RecvTimeoutError::Timeout) if signalled.is_ok() => {
                        signalled = Python::attach(|py| py.check_signals());
                        if signalled.is_err() {
                            stop.raise();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(raise("CaromError", "the work ended without an answer"));
                    }
                }
            }
        })
    })
}
