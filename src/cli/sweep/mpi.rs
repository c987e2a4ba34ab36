//! `carom sweep --mpi`: rank 0 hands out ranges of runs, the others run them and write their parts.
//!
//! A rank asks for work by a message of one number, how many runs it has done since it asked last (or [`FAILED`]), and
//! is answered by a range, which is empty when nothing is left. Rank 0 computes nothing: so it answers at once, and the
//! others work as fast as they are. A rank that dies takes the whole command with it, as MPI has it; the parts that were
//! whole are there for the next one.

use std::path::Path;
use std::time::Duration;

use carom::sweep::{Sweep, SweepError, SweepOptions};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

use super::super::arguments::Shared;
use super::super::terminal::exit::{CommandResult, ExitStatus};
use super::super::terminal::progress::runs_bar;
use super::super::terminal::{exit, interrupt};
use super::{merge, stopped};

/// Sent in place of a number of runs by a rank that cannot go on.
const FAILED: u64 = u64::MAX;
/// How long rank 0 sleeps between looks for messages: it takes no core from those who work.
const PAUSE: Duration = Duration::from_millis(1);

/// Runs what is missing on all ranks and merges on rank 0.
pub fn run(
    sweep: &Sweep,
    beside: Option<&Path>,
    out: &Path,
    parquet: bool,
    shared: &Shared,
) -> CommandResult {
    let Some(universe) = mpi::initialize() else {
        return Err("--mpi: MPI cannot be started".into());
    };
    let world = universe.world();
    if world.size() < 2 {
        let reason = "--mpi: rank 0 hands out work to others, and there are none; start with mpirun -n 2 or more";
        return Err(reason.into());
    }
    if world.rank() > 0 {
        return Ok(work(&world, sweep, out));
    }
    let handed = hand_out(&world, sweep, out, shared);
    if handed? == ExitStatus::Done {
        return merge::finish(out, beside, parquet, shared);
    }
    Ok(stopped(
        "; parts that are whole are kept: the same command goes on",
    ))
}

/// Rank 0: gives every range of runs that is missing to whoever asks next.
fn hand_out(
    world: &SimpleCommunicator,
    sweep: &Sweep,
    out: &Path,
    shared: &Shared,
) -> CommandResult {
    let prepared = sweep.settle(out).and_then(|()| sweep.open_parts(out));
    // Whoever waits for an answer is told that there is nothing where this goes wrong.
    let (parts, wrong) = match prepared {
        Ok(parts) => (parts, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let runs = sweep.plan().runs();
    let open: u64 = parts.iter().map(|range| range.end - range.start).sum();
    let bar = runs_bar(Some(runs), shared);
    bar.set_position(runs - open);
    let mut waiting = parts.into_iter();
    let mut working = world.size() - 1;
    let mut failed = false;
    while working > 0 {
        let Some((message, status)) = world.any_process().immediate_matched_probe() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let (told, _) = message.matched_receive::<u64>();
        if told == FAILED {
            failed = true;
        } else {
            bar.inc(told);
        }
        let stop = failed || interrupt::received().is_some();
        let next = if stop { None } else { waiting.next() };
        let next = next.map_or([0, 0], |range| [range.start, range.end]);
        if next == [0, 0] {
            working -= 1;
        }
        world.process_at_rank(status.source_rank()).send(&next[..]);
    }
    bar.finish_and_clear();
    match wrong {
        Some(error) => Err(error.into()),
        None if failed => Err("a rank could not go on; its message stands above".into()),
        None if interrupt::received().is_some() => Ok(ExitStatus::StoppedEarly),
        None => Ok(ExitStatus::Done),
    }
}

/// Another rank: asks for runs, does them, asks again.
fn work(world: &SimpleCommunicator, sweep: &Sweep, out: &Path) -> ExitStatus {
    let root = world.process_at_rank(0);
    let options = SweepOptions {
        jobs: Some(1),
        progress: None,
        stop: Some(interrupt::stop()),
    };
    let mut done = 0_u64;
    let mut status = ExitStatus::Done;
    loop {
        root.send(&done);
        let (next, _) = root.receive_vec::<u64>();
        let &[first, end] = &next[..] else {
            return status;
        };
        if first == end {
            return status;
        }
        done = match sweep.run_range(out, first..end, &options) {
            Ok(_) => end - first,
            Err(SweepError::Stopped) => {
                status = ExitStatus::StoppedEarly;
                0
            }
            Err(error) => {
                status = exit::ended_with(&*ended(error));
                FAILED
            }
        };
    }
}
