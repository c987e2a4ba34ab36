//! `carom simulate --batch`: many runs of one scenario at once, and how fast that goes.

use std::path::Path;

use carom::files::write_whole;
use carom::hybrid::{Batch, Simulated};
use carom::model::Model;
use carom::scenario::Experiment;
use carom::study::{BatchEnd, ScenarioBatch, end_digest};
use clap::builder::RangedU64ValueParser;
use clap::{Args, value_parser};
use serde::Serialize;

use super::super::arguments::Shared;
use super::super::terminal::exit::{CommandResult, ExitStatus};
use super::super::terminal::progress::runs_bar;
use super::super::terminal::text::{number, table};
use super::super::terminal::{exit, interrupt};
use super::report::{row, short};

/// Runs that one batch may have: their ends are kept in memory.
const MOST_RUNS: u64 = 1_000_000;

/// Name of the table of ends.
const TABLE: &str = "batch.csv";

#[derive(Debug, Args)]
pub struct BatchOptions {
    /// Run the scenario N times at once, with other seeds and perturbations, and tell the throughput
    #[arg(
        id = "batch", long = "batch", value_name = "N",
        value_parser = RangedU64ValueParser::<u64>::new().range(1..=MOST_RUNS),
        conflicts_with_all = ["resume", "until", "export"]
    )]
    pub count: Option<u64>,

    /// Threads of a batch [default: all cores]; of several numbers each is tried, the results are the same
    #[arg(
        long, alias = "threads", value_name = "J,...", value_delimiter = ',',
        value_parser = value_parser!(u16).range(1..=1024), requires = "batch"
    )]
    jobs: Vec<u16>,
}

/// The batch on one number of threads.
#[derive(Serialize)]
struct Throughput {
    threads: usize,
    wall_time_s: f64,
    steps_per_s: f64,
    real_time_factor: f64,
    /// Over that of the first number of threads.
    speedup: f64,
}

/// What a batch came to, as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    scenario: &'a str,
    scenario_hash: String,
    runs: usize,
    completed: usize,
    stopped: Vec<&'a BatchEnd>,
    steps: u64,
    time_s: f64,
    impacts: u64,
    distinct_ends: usize,
    end_digest: String,
    throughput: Vec<Throughput>,
}

impl BatchOptions {
    /// Runs the batch on every number of threads and reports.
    pub fn run(
        &self,
        count: u64,
        experiment: &Experiment,
        out: Option<&Path>,
        shared: &Shared,
    ) -> CommandResult {
        let plan = ScenarioBatch::new(experiment, count)?;
        if let Some(folder) = out {
            interrupt::hold_folder_of(&folder.join(TABLE))?;
        }
        interrupt::advise("; nothing was written");
        let jobs: Vec<Option<usize>> = match &self.jobs[..] {
            [] => vec![None],
            some => some.iter().map(|&j| Some(usize::from(j))).collect(),
        };
        let bar = runs_bar(Some(count * jobs.len() as u64), shared);
        let mut throughput: Vec<Throughput> = Vec::new();
        let mut first: Option<(Vec<BatchEnd>, Simulated, String, usize)> = None;
        for jobs in jobs {
            let before = count * throughput.len() as u64;
            let batch = plan.run(jobs, &|done| bar.set_position(before + done))?;
            throughput.push(Throughput::new(&batch, throughput.first()));
            let (digest, distinct) = end_digest(&batch.results);
            match &first {
                None => first = Some((batch.results, batch.simulated, digest, distinct)),
                Some((_, _, expected, _)) if *expected != digest => {
                    bar.finish_and_clear();
                    exit::complain(&format!(
                        "the ends of the runs depend on the number of threads: digest {expected} on {}, {digest} on {}",
                        throughput[0].threads, batch.threads
                    ));
                    return Ok(ExitStatus::CheckFailed);
                }
                Some(_) => {}
            }
        }
        bar.finish_and_clear();
        let Some((ends, simulated, digest, distinct)) = first else {
            return Err("no number of threads is given".into());
        };
        if count > 1 && distinct == 1 && !shared.quiet {
            exit::note(
                "all runs ended the same; [[baseline.robust.perturb]] says what is to differ between them",
            );
        }
        let _writing = interrupt::writing();
        if let Some(folder) = out {
            write_table(folder, &experiment.model, &ends)?;
        }
        let stopped: Vec<&BatchEnd> = ends.iter().filter(|e| e.stopped.is_some()).collect();
        let early = stopped.len();
        let complaint = stopped.first().map(|end| {
            format!(
                "{early} of {count} runs stopped early, the first is run {}: {}",
                end.index,
                end.stopped.as_deref().unwrap_or_default()
            )
        });
        let answer = Answer {
            scenario: &experiment.file,
            scenario_hash: experiment.hash()?,
            runs: ends.len(),
            completed: ends.len() - early,
            stopped,
            steps: simulated.steps,
            time_s: simulated.time,
            impacts: ends.iter().map(|e| e.impacts).sum(),
            distinct_ends: distinct,
            end_digest: digest,
            throughput,
        };
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&report(&answer, experiment, out))?;
        }
        if let Some(complaint) = complaint {
            exit::complain(&complaint);
            return Ok(ExitStatus::StoppedEarly);
        }
        Ok(ExitStatus::Done)
    }
}

impl Throughput {
    fn new(batch: &Batch<BatchEnd>, first: Option<&Self>) -> Self {
        let steps_per_s = batch.steps_per_second();
        Self {
            threads: batch.threads,
            wall_time_s: batch.wall_time,
            steps_per_s,
            real_time_factor: batch.real_time_factor(),
            speedup: first.map_or(1.0, |first| steps_per_s / first.steps_per_s),
        }
    }
}

/// What the batch came to, for a person.
fn report(answer: &Answer<'_>, experiment: &Experiment, out: Option<&Path>) -> String {
    let mut rows = vec![
        row(
            "runs",
            match answer.stopped.len() {
                0 => format!("{}, all completed", answer.runs),
                early => format!("{}, {early} of them stopped early", answer.runs),
            },
        ),
        row(
            "simulated",
            format!(
                "{} s in {} steps, with {} impacts",
                number(answer.time_s, 1.0),
                answer.steps,
                answer.impacts
            ),
        ),
        row(
            "ends",
            format!(
                "{} different, SHA-256 {}",
                answer.distinct_ends, answer.end_digest
            ),
        ),
    ];
    if let Some(folder) = out {
        rows.push(row("file", folder.join(TABLE).display().to_string()));
    }
    let mut speeds = vec![
        [
            "threads",
            "wall time [s]",
            "steps/s",
            "real time",
            "speedup",
        ]
        .map(str::to_string)
        .to_vec(),
    ];
    speeds.extend(answer.throughput.iter().map(|t| {
        vec![
            t.threads.to_string(),
            short(t.wall_time_s),
            format!("{:.0}", t.steps_per_s),
            format!("{} times", short(t.real_time_factor)),
            short(t.speedup),
        ]
    }));
    let scenario = &experiment.scenario;
    let title = match scenario.description.as_str() {
        "" => experiment.model.name(),
        description => description,
    };
    format!("{title}\n{}\n{}", table(&rows), table(&speeds))
}

/// One row a run: what repeats it, how it ended, where it was.
fn write_table(
    folder: &Path,
    model: &Model,
    ends: &[BatchEnd],
) -> Result<(), Box<dyn std::error::Error>> {
    let (positions, velocities) = (model.configuration_names(), model.coordinate_names());
    let mut names: Vec<String> = ["run", "set", "stopped", "steps", "time_s", "impacts"]
        .map(str::to_string)
        .to_vec();
    names.extend(positions.iter().map(|n| format!("q_{n}")));
    names.extend(velocities.iter().map(|n| format!("v_{n}")));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&names)?;
    for end in ends {
        let mut cells = vec![
            end.index.to_string(),
            end.overrides.join(" "),
            end.stopped.clone().unwrap_or_default(),
            end.steps.to_string(),
            format!("{:?}", end.time),
            end.impacts.to_string(),
        ];
        for (values, names) in [(&end.q, &positions), (&end.v, &velocities)] {
            cells.extend(values.iter().map(|x| format!("{x:?}")));
            cells.extend((values.len()..names.len()).map(|_| String::new()));
        }
        writer.write_record(&cells)?;
    }
    let text = writer.into_inner().map_err(|e| e.into_error())?;
    write_whole(&folder.join(TABLE), |file| file.write_all(&text)).map_err(exit::not_written)?;
    Ok(())
}
