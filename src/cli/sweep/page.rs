//! `sweep.html`: the distributions of a sweep to look at.

use std::path::Path;

use carom::files::OutputFileError;
use carom::sweep::{Manifest, MetricStatistics, SweepPicture};
use serde::Serialize;

use super::report::again;
use carom::views::page::{PageParts, write_page};

const PARTS: PageParts = PageParts {
    style: include_str!("style.css"),
    body: include_str!("body.html"),
    scripts: &[include_str!("figures.js"), include_str!("main.js")],
};

#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    picture: &'a SweepPicture,
    /// Of each metric, the commands of its worst runs.
    commands: Vec<Vec<String>>,
    /// The commands of the failed runs that are told.
    failed_commands: Vec<String>,
}

/// Writes the page.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    path: &Path,
    picture: &SweepPicture,
    manifest: &Manifest,
) -> Result<(), OutputFileError> {
    let commands = |metric: &MetricStatistics| -> Vec<String> {
        let worst = metric.worst.iter();
        worst.map(|run| again(manifest, &run.set)).collect()
    };
    let data = Data {
        picture,
        commands: picture.summary.metrics.iter().map(commands).collect(),
        failed_commands: (picture.summary.failed.iter())
            .map(|run| again(manifest, &run.set))
            .collect(),
    };
    let title = match manifest.description.as_str() {
        "" => format!("Sweep of {}", manifest.subject),
        description => description.to_string(),
    };
    write_page(path, &title, &PARTS, &data)
}
