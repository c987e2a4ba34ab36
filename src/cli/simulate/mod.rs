//! `carom simulate`: a scenario in, a folder of results out.

pub mod batch;
mod live;
pub mod locomotion_report;
pub mod report;

use std::error::Error;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carom::files::{OutputFolder, RUN_OUTPUT};
use carom::record::{EndedRun, Recorder, Run, RunEnd, RunStatus, RunTables, SavedRun, Summary};
use carom::scenario::starter::Starter;
use carom::scenario::{Experiment, Scenario};
use carom::study::granular::GranularScenario;
use carom::study::{BranchError, BranchTree, write_branches};
use carom::views::plots::draw_plots;
use carom::views::replay::write_replay;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::arguments::Shared;
use super::granular;
use super::robot_options::{RobotOptions, is_robot_file};
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::{exit, interrupt};
use batch::BatchOptions;
use live::LiveServer;

/// Run a scenario and write its results into a folder
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Simulate {
    /// Scenario file (TOML), or a robot's file (URDF, xacro) for the scenario that `carom init` would write
    scenario: PathBuf,

    /// Folder of the results [default: out/NAME, where the scenario is NAME.toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Override one key of the scenario, for example impact.order=index; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    /// Also write formats of other programs: mcap, parquet; instead of the scenario's output.export
    #[arg(long, value_name = "FORMAT,...", value_delimiter = ',')]
    export: Vec<String>,

    /// Go on with the run whose state is in the folder, to the same bytes as if it had not stopped
    #[arg(long)]
    resume: bool,

    /// Stop at this time (s), to be resumed later; exit code 3
    #[arg(long, value_name = "T")]
    until: Option<f64>,

    /// Show the run in a browser of this machine as it goes: prints an address of the loopback interface
    #[arg(long, conflicts_with = "batch")]
    live: bool,

    #[command(flatten)]
    robot: RobotOptions,

    #[command(flatten)]
    batch: BatchOptions,
}

/// Makes what the scenario wants from the tables of a run.
fn artefacts(experiment: &Experiment, run: &EndedRun) -> Result<(), Box<dyn Error>> {
    let output = &experiment.scenario.output;
    if output.plots || output.replay {
        let tables = RunTables::read(run.folder())?;
        if output.plots {
            draw_plots(experiment, &tables, run.folder())?;
        }
        if output.replay {
            write_replay(experiment, &tables, run.folder(), &run.summary, false)?;
        }
    }
    for format in &output.export {
        format.write(experiment, run.folder())?;
    }
    Ok(())
}

const EXAMPLE: &str = "\
Example:
  carom simulate robots/trex/drop.toml
  carom simulate robots/ball/bounce.toml --out out/soft --set contact.restitution=0.3
  carom simulate robots/chain/chain4.toml --until 50
  carom simulate robots/chain/chain4.toml --resume
  carom simulate robots/rhex/stand.toml --export mcap,parquet
  carom simulate robots/disks/stack.toml --batch 1000 --jobs 1,2,4

The folder then holds scenario.toml and robot.urdf (running this scenario again gives the same bits), series.csv,
events.csv, summary.json, plots/*.svg, replay.html (open it in any browser), and state.json, from which an interrupted run is resumed; when it is
resumed, only duration, output.plots, output.replay and output.export may change.
A batch writes nothing, or with --out the table batch.csv: of every run what --set repeats it, how it ended and where.
Run i has the seed impact.seed + i where something is drawn, and draw i of the perturbations [[baseline.robust.perturb]].
SIGINT (Ctrl-C) and SIGTERM end a run after its present step, saved, to go on with --resume.
Exit codes: 0 done, 2 bad input (nothing is written), 3 stopped early (what was computed is written, status \"stopped\") or an output cannot be written,
130 and 143 the same by SIGINT and SIGTERM.";

impl Simulate {
    /// Reads, runs, writes and reports.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let name = self.scenario.display().to_string();
        let robot = is_robot_file(&self.scenario);
        if let (false, Some(word)) = (robot, self.robot.words().first()) {
            return Err(format!(
                "{word} is for a robot's file; {name} is a scenario and says it itself"
            )
            .into());
        }
        if !robot
            && let Some(particles) = GranularScenario::read(&self.scenario, &self.all_overrides())?
        {
            if self.batch.count.is_some() {
                return Err(format!(
                    "{name}: a \"time-stepping\" run is not made in batches; leave out --batch"
                )
                .into());
            }
            if self.resume || self.until.is_some() {
                return Err(format!(
                    "{name}: a \"time-stepping\" run goes from start to end; leave out --resume and --until"
                )
                .into());
            }
            return granular::simulate(&self.scenario, particles, &self.folder()?, shared);
        }
        let scenario = if robot {
            self.starter(&name, shared)?
        } else {
            Scenario::read(&self.scenario, &self.all_overrides())?
        };
        let sources = [vec![self.scenario.clone()], scenario.paths()].concat();
        for format in &scenario.output.export {
            format.available()?;
        }
        let experiment = Experiment::new(&name, scenario)?;
        if let Some(count) = self.batch.count {
            return self
                .batch
                .run(count, &experiment, self.out.as_deref(), shared);
        }
        if !shared.quiet {
            let turns = experiment.model.singular_turns();
            let known = experiment.untouchable().into_iter().chain(turns);
            known.for_each(|warning| exit::note(&warning));
        }
        let path = self.folder()?;
        let last = self.last_step(&experiment)?;
        let bar = progress_bar(last.unwrap_or(experiment.scenario.steps()), shared);
        let watch = bar.clone();
        let progress = move |step| {
            watch.set_position(step);
            if interrupt::stop().is_raised() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let (run, recorder) = if self.resume {
            let folder = OutputFolder::hold(&path, &RUN_OUTPUT)?;
            let saved = SavedRun::read(&path, &experiment)?;
            if last.is_some_and(|last| saved.state.step > last)
                || saved.state.step > experiment.scenario.steps()
            {
                return Err(format!(
                    "{}: the run in {} is at {} s already",
                    name,
                    path.display(),
                    saved.state.time
                )
                .into());
            }
            bar.set_position(saved.state.step);
            interrupt::polite();
            let run = Run::resumed(&experiment, saved.state.clone())?;
            let recorder = Recorder::resume(&experiment, folder, &saved, progress)?;
            (run, recorder)
        } else {
            let run = Run::new(&experiment)?;
            let folder = OutputFolder::hold(&path, &RUN_OUTPUT)?;
            folder.check(sources)?;
            interrupt::polite();
            (run, Recorder::create(&experiment, folder, progress)?)
        };
        let written = path.display().to_string();
        let done = self.carry_out(&experiment, (run, recorder), last, &path, shared);
        bar.finish_and_clear();
        // The input was good; what is written is what could be.
        done.or_else(|error| {
            exit::complain(&format!(
                "{error}; what was computed before is in {written}"
            ));
            Ok(ExitStatus::StoppedEarly)
        })
    }

    /// Runs to `last`, or to the end, and writes what belongs to the run.
    fn carry_out(
        &self,
        experiment: &Experiment,
        (mut run, mut recorder): (Run, Recorder<'_>),
        last: Option<u64>,
        path: &Path,
        shared: &Shared,
    ) -> CommandResult {
        let live = match self.live {
            true => {
                let server = LiveServer::start(experiment, path)
                    .map_err(|error| format!("--live: no address to listen on: {error}"))?;
                exit::note(&format!("the run is shown at {}", server.address()));
                Some(server)
            }
            false => None,
        };
        let end = match last {
            None => run.complete(&mut recorder)?,
            Some(last) => run.advance(last, &mut recorder)?,
        };
        // A controller that is ended by the same signal fails before anybody looks.
        let mut signal = interrupt::received().filter(|_| end != RunEnd::Reached);
        let reason = match (end, signal) {
            (_, Some(signal)) => Some(format!("stopped by {}", signal.name())),
            (RunEnd::Failed(error), None) => Some(error.to_string()),
            (RunEnd::Reached, None) if last.is_none() => None,
            (_, None) => Some("asked to stop by --until".to_string()),
        };
        let boundary = run.state().clone();
        let mut ended = recorder.finish(run.simulation(), &boundary, reason)?;
        if let Some(server) = live {
            server.finish();
        }
        if signal.is_none() && experiment.scenario.impact.order == "all" {
            match write_branches(experiment, boundary.step, path, interrupt::stop()) {
                Ok(tree) if shared.quiet => drop(tree),
                Ok(tree) => exit::note(&branch_note(&tree)),
                Err(BranchError::Interrupted) => {
                    signal = interrupt::received();
                    ended.stop("stopped before every branch was followed to its end");
                }
                Err(error) => return Err(error.into()),
            }
        }
        if signal.is_none() {
            artefacts(experiment, &ended)?;
        }
        let summary = ended.publish()?;
        let status = report(&summary, experiment, path, shared)?;
        let Some(signal) = signal else {
            return Ok(status);
        };
        if !shared.quiet {
            exit::note_command("go on with", &self.resume_command(path));
        }
        Ok(ExitStatus::Interrupted(signal))
    }

    /// The scenario that `carom init` would write for a robot's file.
    fn starter(&self, name: &str, shared: &Shared) -> Result<Scenario, Box<dyn Error>> {
        let starter = Starter::new(&self.scenario, None, &self.robot.starter_options())?;
        let scenario = starter.scenario(name, &self.all_overrides())?;
        if !shared.quiet {
            exit::note(&format!(
                "{}: {}; `carom init {name}` writes it as a scenario",
                starter.robot,
                starter.choices()
            ));
        }
        Ok(scenario)
    }

    /// What a user types to go on with the run in `folder`.
    fn resume_command(&self, folder: &Path) -> String {
        let mut words = vec!["carom".to_string(), "simulate".to_string()];
        words.push(self.scenario.display().to_string());
        words.extend(["--out".to_string(), folder.display().to_string()]);
        words.extend(self.robot.words());
        for entry in self.all_overrides() {
            words.extend(["--set".to_string(), entry]);
        }
        words.push("--resume".to_string());
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+".contains(c);
        let quoted = words.iter().map(|word| {
            if !word.is_empty() && word.chars().all(plain) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        });
        quoted.collect::<Vec<_>>().join(" ")
    }

    /// The overrides; `--export` is one of them in other words.
    fn all_overrides(&self) -> Vec<String> {
        let mut overrides = self.overrides.clone();
        if !self.export.is_empty() {
            overrides.push(format!("output.export={:?}", self.export));
        }
        overrides
    }

    fn folder(&self) -> Result<PathBuf, Box<dyn Error>> {
        if let Some(folder) = &self.out {
            return Ok(folder.clone());
        }
        let name = self
            .scenario
            .file_stem()
            .ok_or("the scenario has no file name; say --out DIR")?;
        Ok(Path::new("out").join(name))
    }

    /// Number of whole steps since time zero at which this call ends; none where it goes to the end.
    fn last_step(&self, experiment: &Experiment) -> Result<Option<u64>, String> {
        let Some(until) = self.until else {
            return Ok(None);
        };
        if !(until.is_finite() && until >= 0.0) {
            return Err(format!(
                "--until is {until}, it must be a time in seconds, at least 0"
            ));
        }
        let scenario = &experiment.scenario;
        let last = (until / scenario.time_step).round() as u64;
        let before_the_end = last < scenario.steps()
            || (last == scenario.steps()
                && until < scenario.duration
                && scenario.end_between_steps().is_some());
        Ok(before_the_end.then_some(last))
    }
}

/// The tree of branches in a sentence.
fn branch_note(tree: &BranchTree) -> String {
    let merged = tree
        .branches
        .iter()
        .filter(|b| b.merged_into.is_some())
        .count();
    let left_out = if tree.complete {
        "every outcome was followed".to_string()
    } else {
        format!(
            "{} outcomes were not followed; raise impact.branch_budget or impact.verdict_budget",
            tree.not_followed
        )
    };
    format!(
        "{} branches, {merged} of them merged again; {left_out} (branches.json)",
        tree.branches.len()
    )
}

fn progress_bar(steps: u64, shared: &Shared) -> ProgressBar {
    if shared.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template(
        "{wide_bar} {percent:>3} %  {pos}/{len} steps  {per_sec}  {eta} left",
    ) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn report(
    summary: &Summary,
    experiment: &Experiment,
    folder: &Path,
    shared: &Shared,
) -> CommandResult {
    if shared.json {
        exit::answer(&format!("{}\n", serde_json::to_string(summary)?))?;
    } else {
        exit::answer(&report::report(summary, experiment, folder))?;
    }
    if let Some(reason) = &summary.reason {
        exit::complain(&format!(
            "stopped early: {reason}; what was computed is in {}",
            folder.display()
        ));
    }
    Ok(match summary.status {
        RunStatus::Completed => ExitStatus::Done,
        _ => ExitStatus::StoppedEarly,
    })
}
