//! `carom baseline`: what a scenario did, in a file, and whether it still does.

pub mod report;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use carom::baseline::{Baseline, BaselineOptions, Comparison};
use carom::hybrid::Simulated;
use carom::record::RunStatus;
use carom::scenario::Scenario;
use clap::{Args, Subcommand};
use indicatif::ProgressBar;

use super::arguments::Shared;

use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::progress::runs_bar;
use super::terminal::{exit, interrupt};

/// Record what a scenario does, and verify later that it still does
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct BaselineCommand {
    #[command(subcommand)]
    action: Action,
}

const EXAMPLE: &str = "\
Example:
  carom baseline record robots/trex/drop.toml --out drop.baseline.toml
  carom baseline verify drop.baseline.toml --set controller.stiffness=1.05";

#[derive(Debug, Subcommand)]
enum Action {
    Record(Record),
    Verify(Verify),
}

/// Run a scenario and write its events, metrics and series into one file
#[derive(Debug, Args)]
#[command(after_help = RECORD_EXAMPLE)]
pub struct Record {
    /// Scenario file (TOML)
    scenario: PathBuf,

    /// The baseline file (TOML), for version control
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Override one key of the scenario, for example impact.order=index; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    #[command(flatten)]
    robust: Robust,
}

const RECORD_EXAMPLE: &str = "\
Example:
  carom baseline record robots/trex/drop.toml --out drop.baseline.toml
  carom baseline record drop.toml --out drop.baseline.toml --set 'baseline.metrics={tilt=\"max(abs(q_base.pitch))\"}'
  carom baseline record drop.toml --out drop.baseline.toml --set 'baseline.robust.orders=[\"index\"]' --jobs 4

A scenario's table [baseline] holds samples (rows of the series), tolerance, metrics (name = expression over the columns
of series.csv, effort_JOINT, work_positive_J, slip_CONTACT_m, the fields of summary.json as summary.NAME, mass_kg and
weight_N) and robust (orders, seeds, draws, seed, and [[baseline.robust.perturb]] with key, uniform or normal, relative).
Exit codes: 0 done, 2 bad input (nothing is written), 3 the run stopped early (what it did is recorded and marked) or FILE cannot be written.";

/// Run the scenario that a baseline was recorded from and compare: inputs, events in their order, metrics, series, bands
#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLE)]
pub struct Verify {
    /// The baseline file
    file: PathBuf,

    /// Override one key of its scenario, for example controller.stiffness=1.05; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    /// Write a JUnit report for a continuous integration server
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Accept what differs: say it and write it into the baseline; tolerances stay
    #[arg(long)]
    update: bool,

    /// Run the copy of the scenario in the baseline, not the scenario's file
    #[arg(long)]
    frozen: bool,

    /// Compare bits, not values with their tolerances
    #[arg(long)]
    exact: bool,

    /// Leave the robust runs out
    #[arg(long)]
    skip_robust: bool,

    #[command(flatten)]
    robust: Robust,
}

const VERIFY_EXAMPLE: &str = "\
Example:
  carom baseline verify drop.baseline.toml
  carom baseline verify drop.baseline.toml --set controller.stiffness=1.05 --junit report.xml
  carom baseline verify drop.baseline.toml --update

The scenario is read from where it was when it was recorded, seen from the baseline's file. What changed in it, in the
robot and in the gait is told by file and key; metrics and series that differ are told in the order of their size against
their tolerance. The first differing event is named with both sides, and whether it was an ambiguous impact. Where a run
is chaotic, it is compared up to the ambiguous impact or the branch that rounding decides, and beyond that by the
distribution of its robust runs, if it has some. A change of files alone is told and is no difference.
Exit codes: 0 no difference (or updated), 1 something differs by more than its tolerance, 2 bad input, 3 a file cannot be written.";

/// How robust runs are carried out.
#[derive(Debug, Args)]
struct Robust {
    /// Threads of robust runs [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Go on with the robust runs that an interrupted call has finished
    #[arg(long)]
    resume: bool,
}

impl BaselineCommand {
    /// Records or verifies.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        match &self.action {
            Action::Record(record) => record.run(shared),
            Action::Verify(verify) => verify.run(shared),
        }
    }
}

impl Record {
    fn run(&self, shared: &Shared) -> CommandResult {
        let scenario = Scenario::read(&self.scenario, &self.overrides)?;
        check_folder(&self.out)?;
        check_replaced(&self.out)?;
        let finished = beside(&self.out, ".runs")?;
        let many = scenario.baseline.robust.is_some();
        interrupt::hold_file(&self.out)?;
        advise(many);
        let baseline = self.robust.carry_out(many, &finished, shared, |options| {
            Ok(Baseline::record_file(
                &self.scenario,
                &self.overrides,
                options,
            )?)
        })?;
        let _writing = interrupt::writing();
        baseline.write(&self.out).map_err(exit::not_written)?;
        let _ = fs::remove_file(&finished);
        if shared.json {
            exit::answer(&report::recorded_json(&baseline, &self.out)?)?;
        } else {
            exit::answer(&report::recorded(&baseline, &self.out))?;
        }
        if let Some(reason) = &baseline.reason {
            exit::complain(&format!("the run stopped early: {reason}"));
        }
        Ok(match baseline.status {
            RunStatus::Completed => ExitStatus::Done,
            _ => ExitStatus::StoppedEarly,
        })
    }
}

impl Verify {
    fn run(&self, shared: &Shared) -> CommandResult {
        let recorded = if self.frozen {
            Baseline::read_frozen(&self.file, &self.overrides)?
        } else {
            Baseline::read(&self.file, &self.overrides)?
        };
        if let Some(report) = &self.junit {
            check_folder(report)?;
            if fs::canonicalize(report).ok() == fs::canonicalize(&self.file).ok() {
                let file = self.file.display();
                return Err(format!("--junit {file}: this is the baseline itself").into());
            }
        }
        let finished = beside(&self.file, ".verify-runs")?;
        let many = recorded.runs_robust() && !self.skip_robust;
        if many || self.update {
            interrupt::hold_file(&self.file)?;
        }
        advise(many);
        let mut now = self.robust.carry_out(many, &finished, shared, |options| {
            let skip_robust = self.skip_robust;
            Ok(recorded.rerun(&BaselineOptions {
                skip_robust,
                ..*options
            })?)
        })?;
        let exact = BaselineOptions {
            exact: self.exact,
            ..BaselineOptions::default()
        };
        let comparison = Comparison::with_options(&recorded, &now, &exact);
        let _writing = interrupt::writing();
        if let Some(report) = &self.junit {
            exit::write_text(report, &comparison.junit())?;
        }
        let updated = self.update && now.text(Path::new(""))? != recorded.text(Path::new(""))?;
        if updated {
            now.accept();
            now.write(&self.file).map_err(exit::not_written)?;
        }
        let _ = fs::remove_file(&finished);
        if shared.json {
            exit::answer(&report::verified_json(&comparison, &now, updated)?)?;
        } else {
            exit::answer(&report::verified(&comparison, &now, updated, many))?;
        }
        Ok(if comparison.same || self.update {
            ExitStatus::Done
        } else {
            ExitStatus::CheckFailed
        })
    }
}

impl Robust {
    /// Runs with the options of the command line, a progress bar if there are many runs, and a file of
    /// finished runs.
    fn carry_out(
        &self,
        many: bool,
        finished: &Path,
        shared: &Shared,
        run: impl FnOnce(&BaselineOptions<'_>) -> Result<Baseline, Box<dyn Error>>,
    ) -> Result<Baseline, Box<dyn Error>> {
        let bar = if many {
            runs_bar(None, shared)
        } else {
            ProgressBar::hidden()
        };
        let progress = |done: u64, all: u64| {
            // Runs of an interrupted call take no time; they are no measure for what is left.
            if bar.length() != Some(all) {
                bar.set_length(all);
                bar.set_position(done);
                bar.reset_eta();
            }
            bar.set_position(done);
        };
        let throughput = |simulated: Simulated, wall_time: f64| {
            if !shared.quiet && simulated.steps > 0 {
                exit::note(&format!(
                    "{} steps in {wall_time:.1} s: {:.0} a second, {:.1} times real time",
                    simulated.steps,
                    simulated.steps as f64 / wall_time,
                    simulated.time / wall_time
                ));
            }
        };
        let baseline = run(&BaselineOptions {
            jobs: self.jobs.map(usize::from),
            finished_runs: many.then_some(finished),
            resume: self.resume,
            progress: Some(&progress),
            throughput: Some(&throughput),
            ..BaselineOptions::default()
        });
        bar.finish_and_clear();
        baseline
    }
}

/// Refuses a file in a folder that does not exist before anything is run.
fn check_folder(file: &Path) -> Result<(), String> {
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(format!(
            "{}: there is no folder {}; make it first",
            file.display(),
            folder.display()
        )),
        _ => Ok(()),
    }
}

/// Refuses to replace a file that is no baseline: a mistyped name costs nothing then. What is not a plain file is not
/// replaced but written to.
fn check_replaced(file: &Path) -> Result<(), String> {
    if !file.is_file() {
        return Ok(());
    }
    let text = fs::read_to_string(file).unwrap_or_else(|_| "no text".to_string());
    let table: Option<toml::Table> = text.parse().ok();
    let is_baseline = |table: toml::Table| {
        table.get("format").is_some_and(toml::Value::is_integer) && table.contains_key("scenario")
    };
    if text.is_empty() || table.is_some_and(is_baseline) {
        return Ok(());
    }
    Err(format!(
        "{}: this file is no baseline, and recording would replace it; choose another --out, or remove the file first",
        file.display()
    ))
}

/// Tells an interrupted user what is left of the runs.
fn advise(many: bool) {
    interrupt::advise(if many {
        "; no baseline was written, the finished runs are kept: go on with --resume"
    } else {
        "; nothing was written"
    });
}

/// A hidden file beside another one.
fn beside(file: &Path, ending: &str) -> Result<PathBuf, String> {
    let name = file
        .file_name()
        .ok_or_else(|| format!("{}: this is not the name of a file", file.display()))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(ending);
    Ok(file.with_file_name(hidden))
}
