//! `carom sweep status`: which runs of a sweep are missing.

use std::path::PathBuf;

use carom::sweep::Progress;
use clap::{Args, value_parser};
use serde::Serialize;

use super::super::arguments::Shared;
use super::super::terminal::exit;
use super::super::terminal::exit::{CommandResult, ExitStatus};

/// Say which runs of a sweep are missing
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing is missing, 2 bad input or a damaged part, 3 runs are missing."
)]
pub struct Status {
    /// Folder of the sweep
    folder: PathBuf,

    /// Also say which of N shards have runs that are missing
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
    of: Option<u64>,
}

/// Ranges that are listed for a person.
const MOST_RANGES: usize = 20;

#[derive(Serialize)]
struct Answer {
    runs: u64,
    parts: usize,
    missing: u64,
    /// First run and the one after the last of each range.
    ranges: Vec<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<Vec<u64>>,
}

impl Status {
    /// Looks at the folder.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let progress = Progress::read(&self.folder)?;
        progress.check_parts(&self.folder)?;
        let answer = Answer {
            runs: progress.manifest.runs,
            parts: progress.parts.len(),
            missing: progress.open_runs(),
            ranges: (progress.missing.iter())
                .map(|r| [r.start, r.end])
                .collect(),
            shards: self.of.map(|of| progress.open_shards(of)),
        };
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&text(&answer, self.of))?;
        }
        Ok(if answer.missing == 0 {
            ExitStatus::Done
        } else {
            ExitStatus::StoppedEarly
        })
    }
}

fn text(answer: &Answer, of: Option<u64>) -> String {
    let mut text = format!(
        "{} of {} runs are there, in {} parts\n",
        answer.runs - answer.missing,
        answer.runs,
        answer.parts
    );
    for [first, end] in answer.ranges.iter().take(MOST_RANGES) {
        text += &format!("missing: runs {first} to {}\n", end - 1);
    }
    let left = answer.ranges.len().saturating_sub(MOST_RANGES);
    if left > 0 {
        text += &format!("and {left} more ranges, all with --json\n");
    }
    if let (Some(of), Some(shards)) = (of, &answer.shards) {
        let list: Vec<String> = shards.iter().map(u64::to_string).collect();
        text += &format!("open of {of} shards: {}\n", list.join(","));
    }
    text
}
