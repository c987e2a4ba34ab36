//! `replay.html`: a run to look at in any browser.

use std::error::Error;
use std::path::Path;

use super::Replay;
use crate::record::{RunTables, Summary};
use crate::scenario::Experiment;
use crate::views::page::{PageParts, write_page};

const FILE: &str = "replay.html";

/// What the page is made of.
pub const REPLAY_PAGE: PageParts = PageParts {
    style: include_str!("../../cli/replay/style.css"),
    body: include_str!("../../cli/replay/body.html"),
    scripts: &[
        include_str!("../../cli/replay/kinematics.js"),
        include_str!("../../cli/replay/camera.js"),
        include_str!("../../cli/replay/geometry.js"),
        include_str!("../../cli/replay/solids.js"),
        include_str!("../../cli/replay/heights.js"),
        include_str!("../../cli/replay/scene.js"),
        include_str!("../../cli/replay/arrows.js"),
        include_str!("../../cli/replay/overlays.js"),
        include_str!("../../cli/replay/player.js"),
        include_str!("../../cli/replay/phases.js"),
        include_str!("../../cli/replay/events.js"),
        include_str!("../../cli/replay/keys.js"),
        include_str!("../../cli/replay/main.js"),
    ],
};

/// Writes the replay of a run with these tables, which came to `summary`, into `folder`; one that `repeats` begins again where it ends.
///
/// # Errors
/// The page cannot be written.
pub fn write_replay(
    experiment: &Experiment,
    tables: &RunTables,
    folder: &Path,
    summary: &Summary,
    repeats: bool,
) -> Result<(), Box<dyn Error>> {
    let mut replay = Replay::new(experiment, tables, summary);
    replay.repeats = repeats;
    let title = match replay.summary.description.as_str() {
        "" => &replay.robot,
        description => description,
    };
    write_page(&folder.join(FILE), title, &REPLAY_PAGE, &replay)?;
    Ok(())
}
