//! A sweep that runs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::error::SweepError;
use super::file::SweepFile;
use super::manifest::Manifest;
use super::plan::Plan;
use super::subject::Subject;
use super::table::{Progress, row, shard, write_part};
use crate::hybrid::{Simulated, run_batch};
use crate::stop::StopFlag;

/// Parts of a sweep that does not say how large they are.
const USUAL_PARTS: u64 = 100;
/// The most runs of such a part.
const LARGEST_PART: u64 = 1000;

/// How runs are done.
#[derive(Default, Clone, Copy)]
pub struct SweepOptions<'a> {
    /// Threads; all cores when absent. The rows do not depend on it.
    pub jobs: Option<usize>,
    /// Told how many runs are done.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Ends the runs at hand in the middle, and begins no other; of a part that is not whole nothing is kept.
    pub stop: Option<&'a StopFlag>,
}

/// A sweep file with its subject: run i is a pure function of what it was made from, and of i.
pub struct Sweep {
    plan: Plan,
    subject: Subject,
    manifest: Manifest,
    part: u64,
}

impl Sweep {
    /// Reads a sweep file, with overrides `key=value`, and its subject, and checks keys and metrics.
    ///
    /// # Errors
    /// The first thing that is wrong, by its place.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SweepError> {
        let file = SweepFile::read(path, overrides)?;
        Self::new(path, &file)
    }

    /// The sweep of a file that was read from `path`.
    ///
    /// # Errors
    /// As [`Sweep::read`].
    pub fn new(path: &Path, file: &SweepFile) -> Result<Self, SweepError> {
        let name = path.display().to_string();
        let folder = path.parent().unwrap_or(Path::new(""));
        let plan = Plan::new(&name, folder, file)?;
        file.analysis.check(&name)?;
        let subject = Subject::new(&name, folder, file, &plan)?;
        let beside = folder.join(&file.subject);
        let beside = beside.parent().unwrap_or(Path::new(""));
        let manifest = Manifest::new(file, &plan, &subject, beside);
        let usual = plan.runs().div_ceil(USUAL_PARTS).clamp(1, LARGEST_PART);
        Ok(Self {
            part: file.plan.part.unwrap_or(usual).max(1),
            plan,
            subject,
            manifest,
        })
    }

    /// What it is, without its rows.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Makes a folder that of this sweep.
    ///
    /// # Errors
    /// It is that of another one.
    pub fn settle(&self, folder: &Path) -> Result<(), SweepError> {
        self.manifest.settle(folder)
    }

    /// The row of a run.
    #[must_use]
    pub fn row(&self, index: u64) -> Vec<u8> {
        self.stoppable_row(index, &StopFlag::default())
    }

    /// The row of a run that a flag may end, and then it says nothing.
    fn stoppable_row(&self, index: u64, stop: &StopFlag) -> Vec<u8> {
        let outcome = self.subject.run(&self.plan.overrides(index), stop);
        let metrics = self.manifest.metrics.len();
        row(index, &self.plan.values(index), &outcome, metrics)
    }

    /// Runs shard `k` of `of`, counted from 1, and writes its part, unless all of its runs are there already.
    ///
    /// # Errors
    /// The folder is that of another sweep; it cannot be written; it was asked to stop, and then nothing is written.
    pub fn run_shard(
        &self,
        folder: &Path,
        k: u64,
        of: u64,
        options: &SweepOptions<'_>,
    ) -> Result<Option<PathBuf>, SweepError> {
        self.settle(folder)?;
        let range = shard(self.manifest.runs, k, of);
        if range.is_empty() || !Progress::read(folder)?.open_shards(of).contains(&k) {
            return Ok(None);
        }
        self.run_range(folder, range, options).map(Some)
    }

    /// Runs some runs that follow each other and writes their part.
    ///
    /// # Errors
    /// As [`Sweep::run_shard`].
    pub fn run_range(
        &self,
        folder: &Path,
        range: Range<u64>,
        options: &SweepOptions<'_>,
    ) -> Result<PathBuf, SweepError> {
        let mut written = self.run_parts(folder, std::slice::from_ref(&range), options)?;
        written
            .pop()
            .ok_or_else(|| SweepError::folder(folder, format!("{range:?} has no runs")))
    }

    /// Ranges of runs that are not there yet, each as long as a part is.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open_parts(&self, folder: &Path) -> Result<Vec<Range<u64>>, SweepError> {
        let mut ranges = Vec::new();
        for gap in Progress::read(folder)?.missing {
            let mut first = gap.start;
            while first < gap.end {
                // Parts end at multiples of their length, whatever was done before.
                let end = (first / self.part + 1) * self.part;
                ranges.push(first..end.min(gap.end));
                first = end;
            }
        }
        Ok(ranges)
    }

    /// Runs all that is missing, part after part.
    ///
    /// # Errors
    /// As [`Sweep::run_shard`], but that the parts that were whole are kept.
    pub fn run_missing(&self, folder: &Path, options: &SweepOptions<'_>) -> Result<(), SweepError> {
        self.settle(folder)?;
        let ranges = self.open_parts(folder)?;
        self.run_parts(folder, &ranges, options).map(|_| ())
    }

    fn run_parts(
        &self,
        folder: &Path,
        ranges: &[Range<u64>],
        options: &SweepOptions<'_>,
    ) -> Result<Vec<PathBuf>, SweepError> {
        let done = AtomicU64::new(0);
        let stop = options.stop.cloned().unwrap_or_default();
        let one = |index: u64| {
            if stop.is_raised() {
                return Err(SweepError::Stopped);
            }
            let row = self.stoppable_row(index, &stop);
            if stop.is_raised() {
                return Err(SweepError::Stopped);
            }
            if let Some(told) = options.progress {
                told(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
            Ok(row)
        };
        let batch = run_batch(ranges.len(), options.jobs, |i| {
            let range = ranges[i].clone();
            // Runs of one part are shared between the threads too: the last part keeps all of them busy.
            let rows = range.clone().into_par_iter().map(one);
            let rows: Vec<Vec<u8>> = rows.collect::<Result<_, SweepError>>()?;
            let path = write_part(folder, &self.manifest.fingerprint, range, &rows)?;
            Ok::<_, SweepError>((path, Simulated::default()))
        })?;
        Ok(batch.results)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_raised_flag_ends_the_run_at_hand_and_nothing_is_written() {
        let folder = std::env::temp_dir().join(format!("carom-stopped-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("long.sweep.toml");
        let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/chain/chain4.toml");
        let text = format!(
            "subject = {scenario:?}\nset = [\"duration=1e6\"]\ndefault_metrics = false\n\
             plan = {{ kind = \"sobol\", runs = 2 }}\nmetrics = {{ steps = \"summary.steps\" }}\n\
             vary = [{{ key = \"robot.mass_scale.link1\", uniform = [0.9, 1.1] }}]\n"
        );
        std::fs::write(&file, text).unwrap();
        let sweep = Sweep::read(&file, &[]).unwrap();
        let stop = StopFlag::default();
        let raising = stop.clone();
        let begun = Instant::now();
        let late = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            raising.raise();
        });
        let options = SweepOptions {
            stop: Some(&stop),
            ..SweepOptions::default()
        };
        let ended = sweep.run_missing(&folder.join("out"), &options);
        late.join().unwrap();
        assert!(matches!(ended, Err(SweepError::Stopped)));
        // 10^9 steps take minutes at the least.
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_eq!(Progress::read(&folder.join("out")).unwrap().open_runs(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
