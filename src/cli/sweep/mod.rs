//! `carom sweep`: one subject run many times with other keys, whole or in parts.

mod merge;
#[cfg(feature = "mpi")]
mod mpi;
mod page;
mod report;
mod status;

use std::error::Error;
use std::path::{Path, PathBuf};

use carom::sweep::{MANIFEST, Sweep, SweepError, SweepOptions};
use clap::{Args, Subcommand, value_parser};
use serde::Serialize;

use super::arguments::Shared;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::progress::runs_bar;
use super::terminal::{exit, interrupt};

/// Run a scenario, impact, design or orbit over a grid, a list or draws of its keys, on one machine or on many
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLE)]
pub struct SweepCommand {
    #[command(subcommand)]
    action: Option<Action>,

    /// Sweep file (TOML)
    #[arg(required = true)]
    file: Option<PathBuf>,

    /// Folder for the parts and what they come to [default: out/NAME-sweep, where the file is NAME.sweep.toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Override one key of the sweep file, for example plan.runs=100; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    /// Run part k of n alone, counted from 1, and write it whole or not at all
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<(u64, u64)>,

    /// Threads [default: all cores]; rows do not depend on it
    #[arg(long, alias = "threads", value_name = "J", value_parser = value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Also write runs.parquet
    #[arg(long)]
    parquet: bool,

    /// Divide the runs between the ranks of mpirun; needs a build with the feature mpi
    #[arg(long, conflicts_with_all = ["shard", "jobs"])]
    mpi: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    Merge(merge::Merge),
    Status(status::Status),
}

const EXAMPLE: &str = "\
Example:
  carom sweep robots/trex/drops.sweep.toml --set plan.runs=100
  carom sweep robots/trex/drops.sweep.toml --out out/drops --shard 3/7
  carom sweep status out/drops --of 7
  carom sweep merge out/drops
  mpirun -n 4 carom sweep robots/trex/drops.sweep.toml --mpi

Without --shard it goes on where it stopped, and merges when all is there: runs.csv, summary.json, sweep.html. A run that
fails is a row that says so.
Exit codes: 0 done, 2 bad input, 3 runs are missing or a file cannot be written, 130 and 143 stopped by SIGINT and SIGTERM (whole parts are kept).";

/// What `--shard` says.
fn shard(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "expected K/N with 1 <= K <= N, for example 3/7".to_string();
    let (k, n) = text.split_once('/').ok_or_else(wrong)?;
    match (k.trim().parse(), n.trim().parse()) {
        (Ok(k), Ok(n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(wrong()),
    }
}

/// What one shard came to, as JSON.
#[derive(Serialize)]
struct ShardAnswer {
    shard: [u64; 2],
    runs: [u64; 2],
    /// None where all of its runs were there already.
    part: Option<PathBuf>,
}

impl SweepCommand {
    /// Runs a sweep, a part of one, or what is done with parts.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        match &self.action {
            Some(Action::Merge(merge)) => merge.run(shared),
            Some(Action::Status(status)) => status.run(shared),
            None => self.sweep(shared),
        }
    }

    fn sweep(&self, shared: &Shared) -> CommandResult {
        let Some(file) = &self.file else {
            return Err("name a sweep file".into());
        };
        let sweep = Sweep::read(file, &self.overrides)?;
        let out = self.out.clone().unwrap_or_else(|| default_folder(file));
        interrupt::polite();
        if self.mpi {
            #[cfg(feature = "mpi")]
            return mpi::run(&sweep, file.parent(), &out, self.parquet, shared);
            #[cfg(not(feature = "mpi"))]
            return Err("--mpi: this build has no MPI; build it with --features mpi".into());
        }
        match self.shard {
            Some((k, of)) => self.shard(&sweep, &out, k, of, shared),
            None => self.whole(&sweep, file, &out, shared),
        }
    }

    fn shard(&self, sweep: &Sweep, out: &Path, k: u64, of: u64, shared: &Shared) -> CommandResult {
        let range = carom::sweep::shard(sweep.plan().runs(), k, of);
        let bar = runs_bar(Some(range.end - range.start), shared);
        let progress = |done| bar.set_position(done);
        let ran = sweep.run_shard(out, k, of, &self.options(&progress));
        bar.finish_and_clear();
        let part = match ran {
            Err(SweepError::Stopped) => return Ok(stopped("; nothing of the part was written")),
            other => other.map_err(ended)?,
        };
        if shared.json {
            let answer = ShardAnswer {
                shard: [k, of],
                runs: [range.start, range.end],
                part,
            };
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            let what = part.map_or_else(
                || "all of its runs are there already".to_string(),
                |path| path.display().to_string(),
            );
            exit::answer(&format!("part {k} of {of}: {what}\n"))?;
        }
        Ok(ExitStatus::Done)
    }

    fn whole(&self, sweep: &Sweep, file: &Path, out: &Path, shared: &Shared) -> CommandResult {
        interrupt::hold_folder_of(&out.join(MANIFEST))?;
        sweep.settle(out).map_err(ended)?;
        let parts = sweep.open_parts(out)?;
        let open: u64 = parts.iter().map(|range| range.end - range.start).sum();
        let runs = sweep.plan().runs();
        if open < runs && !shared.quiet {
            exit::note(&format!("{} of {runs} runs are there already", runs - open));
        }
        let bar = runs_bar(Some(runs), shared);
        bar.set_position(runs - open);
        bar.reset_eta();
        let progress = |done| bar.set_position(runs - open + done);
        let ran = sweep.run_missing(out, &self.options(&progress));
        bar.finish_and_clear();
        if let Err(SweepError::Stopped) = ran {
            return Ok(stopped(
                "; parts that are whole are kept: the same command goes on",
            ));
        }
        ran.map_err(ended)?;
        merge::finish(out, file.parent(), self.parquet, shared)
    }

    fn options<'a>(&self, progress: &'a (dyn Fn(u64) + Sync)) -> SweepOptions<'a> {
        SweepOptions {
            jobs: self.jobs.map(usize::from),
            progress: Some(progress),
            stop: Some(interrupt::stop()),
        }
    }
}

/// An error of the sweep as the command returns it.
fn ended(error: SweepError) -> Box<dyn Error> {
    match error {
        SweepError::Output(error) => exit::not_written(error).into(),
        other => other.into(),
    }
}

/// How the command ends that a signal has stopped.
fn stopped(advice: &str) -> ExitStatus {
    match interrupt::received() {
        Some(signal) => {
            exit::complain(&format!("stopped by {}{advice}", signal.name()));
            ExitStatus::Interrupted(signal)
        }
        None => ExitStatus::StoppedEarly,
    }
}

/// `out/NAME-sweep` of a file NAME.sweep.toml.
fn default_folder(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_suffix(".sweep").unwrap_or(&stem);
    Path::new("out").join(format!("{name}-sweep"))
}
