//! The runs of a robust baseline, in parallel, each kept on disk as soon as it is finished.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::baseline::differences::parting;
use crate::baseline::{BaselineError, BaselineOptions};
use crate::files::create_anew;
use crate::hybrid::{Simulated, run_batch};
use crate::metric::Expression;
use crate::record::{NamedEvent, Trace};
use crate::scenario::{Experiment, RobustEntry, digest};
use crate::study::RobustPlan;

/// What one run of a robust baseline came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobustRun {
    /// Its number; run 0 is the scenario itself.
    pub index: u64,
    /// What `--set` needs to run it alone.
    pub overrides: Vec<String>,
    /// Why it stopped early, if it did.
    pub stopped: Option<String>,
    /// The metrics in the order of their names; none where the run has no number.
    pub metrics: Vec<Option<f64>>,
    /// Where its events part from those of run 0.
    pub parting: Option<Parting>,
}

/// The first event of a run that is another one than in run 0, or has other numbers although nothing was
/// perturbed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parting {
    /// Number of the event, from 1.
    pub event: usize,
    /// The event of run 0; none when it has no more.
    pub nominal: Option<NamedEvent>,
    /// The event of this run.
    pub here: Option<NamedEvent>,
}

/// All runs in the order of their numbers.
pub(crate) struct RobustRuns {
    pub runs: Vec<RobustRun>,
    /// Variants of order and seed of every draw.
    pub variants: u64,
}

/// Runs all that is not finished yet. The result does not depend on the number of threads.
pub(crate) fn run_robust(
    experiment: &Experiment,
    entry: &RobustEntry,
    expressions: &[(String, Expression)],
    nominal: &Trace,
    options: &BaselineOptions<'_>,
) -> Result<RobustRuns, BaselineError> {
    let plan = RobustPlan::new(experiment, entry)?;
    let fingerprint = fingerprint(experiment, entry, expressions)?;
    let mut runs = vec![None; plan.len() as usize];
    let kept = match options.finished_runs {
        None => None,
        Some(path) => Some(FinishedRuns::open(
            path,
            &fingerprint,
            options.resume,
            &mut runs,
        )?),
    };
    let metrics = |trace: &Trace| -> Vec<Option<f64>> {
        let values = expressions.iter().map(|(_, e)| e.evaluate(trace).ok());
        values.map(|x| x.filter(|x| x.is_finite())).collect()
    };
    let one = |index: u64| {
        let overrides = plan.overrides(index);
        // Unperturbed runs agree to the bit until an impact has another outcome.
        let same: &dyn Fn(&NamedEvent, &NamedEvent) -> bool = if index < plan.variants() {
            &NamedEvent::eq
        } else {
            &NamedEvent::same_kind_of
        };
        let traced = if index == 0 {
            Ok(nominal.clone())
        } else {
            plan.build(&overrides).and_then(|experiment| {
                let controller = options.controller.map(|make| make(&experiment));
                Trace::run(&experiment, controller)
            })
        };
        let failed = |reason: String| RobustRun {
            index,
            overrides: overrides.clone(),
            stopped: Some(reason),
            metrics: vec![None; expressions.len()],
            parting: None,
        };
        let simulated = traced.as_ref().map_or_else(
            |_| Simulated::default(),
            |trace| Simulated {
                steps: trace.summary.steps,
                time: trace.summary.time_s,
            },
        );
        let run = match traced {
            // A perturbed state that the robot cannot start from is a result, not an error.
            Err(error) => failed(error.to_string()),
            Ok(trace) => match &trace.summary.reason {
                Some(reason) => failed(reason.clone()),
                None => RobustRun {
                    index,
                    stopped: None,
                    metrics: metrics(&trace),
                    parting: parting(&nominal.events, &trace.events, same).map(|i| Parting {
                        event: i + 1,
                        nominal: nominal.events.get(i).cloned(),
                        here: trace.events.get(i).cloned(),
                    }),
                    overrides,
                },
            },
        };
        (run, simulated)
    };
    let open: Vec<u64> = (0..plan.len())
        .filter(|i| runs[*i as usize].is_none())
        .collect();
    let done = AtomicU64::new(plan.len() - open.len() as u64);
    let tell = |done: u64| {
        if let Some(progress) = options.progress {
            progress(done, plan.len());
        }
    };
    tell(done.load(Ordering::Relaxed));
    let batch = run_batch(open.len(), options.jobs, |i| {
        let (run, simulated) = one(open[i]);
        options.check_stop()?;
        if let Some(kept) = &kept {
            kept.keep(&run)?;
        }
        tell(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok::<_, BaselineError>((run, simulated))
    })?;
    if let Some(told) = options.throughput {
        told(batch.simulated, batch.wall_time);
    }
    for run in batch.results {
        let place = run.index as usize;
        runs[place] = Some(run);
    }
    Ok(RobustRuns {
        runs: runs.into_iter().flatten().collect(),
        variants: plan.variants(),
    })
}

/// Names what is run: scenario, robot, perturbations, metrics, version.
fn fingerprint(
    experiment: &Experiment,
    entry: &RobustEntry,
    expressions: &[(String, Expression)],
) -> Result<String, BaselineError> {
    let mut text = format!("{}\n", env!("CARGO_PKG_VERSION"));
    text.push_str(&experiment.hash()?);
    text.push_str(&toml::to_string(entry)?);
    for (name, expression) in expressions {
        text.push_str(&format!("{name:?} {:?}\n", expression.text()));
    }
    Ok(digest(&text, ""))
}

/// The file of finished runs: the fingerprint, then one line a run, in the order in which they ended.
struct FinishedRuns<'a> {
    path: &'a Path,
    file: Mutex<File>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Heading {
    fingerprint: String,
}

impl<'a> FinishedRuns<'a> {
    /// Opens the file; with `resume` the runs in it are put into their places in `runs`, and what a
    /// killed process left of a last line is cut off.
    fn open(
        path: &'a Path,
        fingerprint: &str,
        resume: bool,
        runs: &mut [Option<RobustRun>],
    ) -> Result<Self, BaselineError> {
        let refuse = |reason: String| BaselineError::FinishedRuns {
            file: path.to_path_buf(),
            reason,
        };
        let failed = |e: std::io::Error| refuse(format!("cannot be used: {e}"));
        if resume && path.exists() {
            let mut file = File::options()
                .read(true)
                .write(true)
                .open(path)
                .map_err(failed)?;
            let mut reader = BufReader::new(&mut file);
            let mut line = String::new();
            let mut whole = reader.read_line(&mut line).map_err(failed)? as u64;
            let heading: Option<Heading> = serde_json::from_str(&line).ok();
            if heading.is_none_or(|h| h.fingerprint != fingerprint) {
                return Err(refuse(
                    "holds runs of another scenario, robot, set of metrics or version; start without --resume"
                        .to_string(),
                ));
            }
            loop {
                line.clear();
                // What a killed process left need not be text.
                let length = reader.read_line(&mut line).unwrap_or(0);
                let run: Option<RobustRun> = serde_json::from_str(&line)
                    .ok()
                    .filter(|_| line.ends_with('\n'));
                let Some(run) = run else { break };
                whole += length as u64;
                if let Some(place) = runs.get_mut(run.index as usize) {
                    *place = Some(run);
                }
            }
            file.set_len(whole).map_err(failed)?;
            file.seek(SeekFrom::End(0)).map_err(failed)?;
            return Ok(Self {
                path,
                file: Mutex::new(file),
            });
        }
        let kept = Self {
            path,
            file: Mutex::new(create_anew(path).map_err(failed)?),
        };
        kept.append(&Heading {
            fingerprint: fingerprint.to_string(),
        })?;
        Ok(kept)
    }

    fn keep(&self, run: &RobustRun) -> Result<(), BaselineError> {
        self.append(run)
    }

    fn append(&self, value: &impl Serialize) -> Result<(), BaselineError> {
        let failed = |reason: String| BaselineError::FinishedRuns {
            file: self.path.to_path_buf(),
            reason: format!("cannot be written: {reason}"),
        };
        let mut line = serde_json::to_vec(value).map_err(|e| failed(e.to_string()))?;
        line.push(b'\n');
        // A thread that panicked while it wrote has left a line that is cut off when it is read.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)
            .and_then(|()| file.flush())
            .map_err(|e| failed(e.to_string()))
    }
}
