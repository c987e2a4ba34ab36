//! `carom report`: results of several runs side by side in one page.

use std::path::PathBuf;

use carom::record::FinishedRun;
use carom::views::RunComparison;
use carom::views::page::{PageParts, write_page};
use clap::Args;
use serde::Serialize;

use super::arguments::Shared;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::{exit, interrupt};

/// Compare the results of several runs in one page
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Report {
    /// Folders that `carom simulate` wrote; the first one is what the others are compared with
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// The page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
}

const EXAMPLE: &str = "\
Example:
  carom simulate robots/trex/straight.toml --out out/first
  carom simulate robots/trex/straight.toml --out out/second --set impact.order=least-violated
  carom report out/first out/second --out comparison.html

The page needs nothing but a browser. It shows the keys of the scenarios that differ, what differs in the summaries by
more than rounding (wall times and hashes are left out), energies and chosen series over each other, and the events side by side with the first one that differs.
Exit codes: 0 done (whether the runs differ or not), 2 a folder is not one of results, 3 the page cannot be written.";

const PARTS: PageParts = PageParts {
    style: include_str!("report/style.css"),
    body: include_str!("report/body.html"),
    scripts: &[
        include_str!("report/tables.js"),
        include_str!("report/main.js"),
    ],
};

/// Values of the summaries that are printed; the page has all.
const MOST_LINES: usize = 16;

/// What `--json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    page: &'a std::path::Path,
    runs: Vec<RunAnswer<'a>>,
}

#[derive(Serialize)]
struct RunAnswer<'a> {
    folder: &'a str,
    events: usize,
    first_difference: Option<usize>,
}

impl Report {
    /// Reads the folders and writes the page.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let runs = self
            .folders
            .iter()
            .map(|folder| FinishedRun::read(folder))
            .collect::<Result<Vec<_>, _>>()?;
        let comparison = RunComparison::new(&runs);
        let title = format!("Comparison of {} runs", runs.len());
        let _writing = interrupt::writing();
        write_page(&self.out, &title, &PARTS, &comparison).map_err(exit::not_written)?;
        if shared.json {
            let answer = Answer {
                page: &self.out,
                runs: (comparison.runs.iter())
                    .map(|run| RunAnswer {
                        folder: &run.name,
                        events: run.event_count,
                        first_difference: run.first_difference,
                    })
                    .collect(),
            };
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&self.text(&comparison))?;
        }
        Ok(ExitStatus::Done)
    }

    fn text(&self, comparison: &RunComparison) -> String {
        let mut text = format!("{}: {} runs\n", self.out.display(), comparison.runs.len());
        let first = &comparison.runs[0];
        for run in &comparison.runs[1..] {
            let line = match run.first_difference {
                None => format!(
                    "{}: the same {} events as {}\n",
                    run.name, run.event_count, first.name
                ),
                Some(i) => format!(
                    "{}: differs from {} in event {} of {}\n",
                    run.name,
                    first.name,
                    i + 1,
                    run.event_count
                ),
            };
            text.push_str(&line);
        }
        let differing = || comparison.summary.iter().filter(|entry| entry.differs);
        for entry in differing().take(MOST_LINES) {
            let values: Vec<String> = entry.values.iter().map(ToString::to_string).collect();
            text.push_str(&format!("  {}: {}\n", entry.name, values.join(", ")));
        }
        let left = differing().count().saturating_sub(MOST_LINES);
        if left > 0 {
            text.push_str(&format!("  and {left} more values, all in the page\n"));
        }
        text
    }
}
