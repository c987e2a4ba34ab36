//! Many independent simulations at once, on all cores.

use std::time::Instant;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use thiserror::Error;

use super::State;

/// How much was simulated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Simulated {
    /// Steps.
    pub steps: u64,
    /// Time in the simulation \[s\].
    pub time: f64,
}

/// All that led to this state from time zero.
impl From<&State> for Simulated {
    fn from(state: &State) -> Self {
        Self {
            steps: state.step,
            time: state.time,
        }
    }
}

/// What a batch came to. Everything but `threads` and `wall_time` is the same for any number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch<R> {
    /// The results in the order of their indices.
    pub results: Vec<R>,
    /// What all simulations did together.
    pub simulated: Simulated,
    /// Threads that it ran on.
    pub threads: usize,
    /// Time that the batch took \[s\].
    pub wall_time: f64,
}

impl<R> Batch<R> {
    /// Steps of all simulations together in a second \[1/s\].
    #[must_use]
    pub fn steps_per_second(&self) -> f64 {
        self.simulated.steps as f64 / self.wall_time
    }

    /// Time in all simulations together over the time that it took.
    #[must_use]
    pub fn real_time_factor(&self) -> f64 {
        self.simulated.time / self.wall_time
    }
}

/// The threads of a batch cannot be started.
#[derive(Debug, Error)]
#[error("the threads cannot be started: {0}; a smaller number of jobs helps")]
pub struct BatchError(#[from] rayon::ThreadPoolBuildError);

/// Calls `run` for every index below `count`, on `jobs` threads or on all cores. `run` makes its own simulation and says
/// what it found and how much it simulated; what it draws at random it draws from a seed that depends on the index alone.
///
/// # Errors
/// [`BatchError`] if the system has no such number of threads. An error of `run` ends the batch early; of several, which
/// one is returned depends on the threads. A simulation that may stop without ending the batch says so in its result.
pub fn run_batch<R: Send, E: From<BatchError> + Send>(
    count: usize,
    jobs: Option<usize>,
    run: impl Fn(usize) -> Result<(R, Simulated), E> + Sync,
) -> Result<Batch<R>, E> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .build()
        .map_err(BatchError::from)?;
    let start = Instant::now();
    let all: Vec<(R, Simulated)> = pool.install(|| {
        let runs = (0..count).into_par_iter().map(&run);
        runs.collect::<Result<_, E>>()
    })?;
    let wall_time = start.elapsed().as_secs_f64();
    // In the order of the indices, so that the sum has the same bits for any number of threads.
    let simulated = all
        .iter()
        .fold(Simulated::default(), |sum, (_, one)| Simulated {
            steps: sum.steps + one.steps,
            time: sum.time + one.time,
        });
    Ok(Batch {
        results: all.into_iter().map(|(result, _)| result).collect(),
        simulated,
        threads: pool.current_num_threads(),
        wall_time,
    })
}
