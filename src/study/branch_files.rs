//! The files of a branching run: a series and events for every branch, the distances between
//! branches, and the tree.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{BranchError, BranchTree, BranchWatcher, Metric, run_branches};
use crate::files::{create_anew, write_whole};
use crate::hybrid::{Event, Simulation};
use crate::record::{EventLine, HeldInterval, SeriesRow, events_header, series_header};
use crate::scenario::Experiment;
use crate::stop::StopFlag;

/// Follows every outcome of an experiment and writes into `folder`: `branches.json` (the tree) and
/// `branches/series_<n>.csv`, `branches/events_<n>.csv`, `branches/distance.csv` (normalised momentum
/// distance of each branch from branch 0 over time, \[SM\] Fig. 8; empty where a branch does not run). The tree comes last.
/// A file of these names is replaced; those of more branches that an older run left are removed by
/// [`OutputFolder::clear`](crate::files::OutputFolder::clear).
///
/// `stop` may be set at any time: the branches end before their next step, and there is no tree.
///
/// # Errors
/// A start that is refused, [`BranchError::Interrupted`], or files that cannot be written.
pub fn write_branches(
    experiment: &Experiment,
    steps: u64,
    folder: &Path,
    stop: &StopFlag,
) -> Result<BranchTree, BranchError> {
    let inside = folder.join("branches");
    fs::create_dir_all(&inside)?;
    let mut files = BranchFiles {
        experiment,
        folder: inside.clone(),
        branches: Vec::new(),
        distances: Vec::new(),
        metric: Metric::new(&experiment.model),
        stop,
    };
    let tree = run_branches(experiment, steps, &mut files)?;
    for branch in &mut files.branches {
        branch.series.flush()?;
        branch.events.flush()?;
    }
    let count = tree.branches.len();
    let other = |e: crate::files::OutputFileError| io::Error::other(e.to_string());
    write_whole(&inside.join("distance.csv"), |out| {
        let names: Vec<String> = (1..count).map(|i| format!("distance_{i}")).collect();
        writeln!(
            out,
            "{}",
            [vec!["time_s".to_string()], names].concat().join(",")
        )?;
        for (time, row) in &files.distances {
            let cells = (1..count).map(|i| {
                row.iter()
                    .find(|(id, _)| *id == i)
                    .map_or(String::new(), |(_, d)| format!("{d:?}"))
            });
            let line: Vec<String> = [format!("{time:?}")].into_iter().chain(cells).collect();
            writeln!(out, "{}", line.join(","))?;
        }
        Ok(())
    })
    .map_err(other)?;
    let text = serde_json::to_string_pretty(&tree).map_err(io::Error::other)?;
    write_whole(&folder.join("branches.json"), |out| writeln!(out, "{text}")).map_err(other)?;
    Ok(tree)
}

struct BranchFile {
    series: BufWriter<fs::File>,
    events: BufWriter<fs::File>,
    interval: HeldInterval,
    row: SeriesRow,
    event_row: EventLine,
}

/// Distances of running branches from branch 0.
type DistanceRow = Vec<(usize, f64)>;

struct BranchFiles<'a> {
    experiment: &'a Experiment,
    folder: PathBuf,
    branches: Vec<BranchFile>,
    distances: Vec<(f64, DistanceRow)>,
    metric: Metric,
    stop: &'a StopFlag,
}

impl BranchWatcher for BranchFiles<'_> {
    fn begin(&mut self, branch: usize, fork: Option<&Event>) -> io::Result<()> {
        let (model, contacts) = (&self.experiment.model, &self.experiment.contacts);
        let create = |name: String| create_anew(&self.folder.join(name)).map(BufWriter::new);
        let mut series = create(format!("series_{branch}.csv"))?;
        series.write_all(&series_header(self.experiment)?)?;
        let mut events = create(format!("events_{branch}.csv"))?;
        events.write_all(&events_header(model, contacts)?)?;
        if let Some(event) = fork {
            events.write_all(EventLine::new(contacts).text(contacts, event))?;
        }
        let time = fork.map_or(0.0, |event| event.time);
        let interval = HeldInterval::new(contacts, time);
        // All branches are measured from the start of the first.
        let start = self.branches.first().and_then(|first| first.row.start());
        self.branches.push(BranchFile {
            series,
            events,
            interval,
            row: SeriesRow::measured_from(start).with_efforts(self.experiment),
            event_row: EventLine::new(&self.experiment.contacts),
        });
        Ok(())
    }

    fn events(&mut self, branch: usize, events: &[Event]) -> io::Result<()> {
        for event in events {
            let file = &mut self.branches[branch];
            let row = file.event_row.text(&self.experiment.contacts, event);
            file.events.write_all(row)?;
        }
        Ok(())
    }

    fn step(&mut self, branch: usize, simulation: &Simulation) {
        self.branches[branch].interval.step(simulation);
    }

    fn row(&mut self, running: &mut [(usize, &mut Simulation)]) -> io::Result<()> {
        for (branch, simulation) in running.iter_mut() {
            let file = &mut self.branches[*branch];
            let row = file.row.text(simulation, &mut file.interval);
            file.series.write_all(row.map_err(io::Error::other)?)?;
        }
        if let [(_, first), others @ ..] = running {
            let (time, state) = (first.time(), first.state());
            let distances = others
                .iter()
                .map(|(id, s)| {
                    (
                        *id,
                        self.metric
                            .momentum_distance(&state.q, &state.p, &s.state().p),
                    )
                })
                .collect();
            self.distances.push((time, distances));
        }
        Ok(())
    }

    fn wants_to_stop(&self) -> bool {
        self.stop.is_raised()
    }
}
