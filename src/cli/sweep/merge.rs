//! `carom sweep merge`: the table of all parts, and what it comes to.

use std::path::{Path, PathBuf};

use carom::sweep::{MANIFEST, Manifest, Progress, SweepError, SweepPicture, collect_parts, merge};
use clap::Args;

use super::super::arguments::Shared;
use super::super::terminal::exit::{CommandResult, ExitStatus};
use super::super::terminal::{exit, interrupt};
use super::{ended, page, report};

/// Name of the page.
const PAGE: &str = "sweep.html";

/// Make the table, the summary and the page from the parts of a sweep
#[derive(Debug, Args)]
pub struct Merge {
    /// Folder of the sweep
    folder: PathBuf,

    /// Folders of other machines whose parts are brought into it first
    from: Vec<PathBuf>,

    /// Also write runs.parquet
    #[arg(long)]
    parquet: bool,
}

impl Merge {
    /// Brings parts together, and makes what they come to if none is missing.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        if self.from.is_empty() {
            Manifest::read(&self.folder)?;
        }
        interrupt::hold_folder_of(&self.folder.join(MANIFEST))?;
        for from in &self.from {
            collect_parts(&self.folder, from).map_err(ended)?;
        }
        finish(&self.folder, None, self.parquet, shared)
    }
}

/// Merges, and says what all runs came to; `beside` is where the sweep file lies, if that is known.
pub fn finish(
    folder: &Path,
    beside: Option<&Path>,
    parquet: bool,
    shared: &Shared,
) -> CommandResult {
    let summary = match merge(folder, parquet) {
        Err(error @ SweepError::Incomplete { .. }) => {
            exit::complain(&error);
            return Ok(ExitStatus::StoppedEarly);
        }
        other => other.map_err(ended)?,
    };
    let manifest = Progress::read(folder)?.manifest;
    let picture = SweepPicture::new(folder, &manifest, summary)?;
    let _writing = interrupt::writing();
    page::write(&folder.join(PAGE), &picture, &manifest).map_err(exit::not_written)?;
    let summary = picture.summary;
    if shared.json {
        exit::answer(&format!("{}\n", serde_json::to_string(&summary)?))?;
    } else {
        exit::answer(&report::report(&summary, &manifest, folder, beside))?;
    }
    Ok(ExitStatus::Done)
}
