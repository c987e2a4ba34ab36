//! `replay.html`: a run to look at in any browser.

use std::error::Error;
use std::path::Path;

use carom::record::Summary;
use carom::scenario::Experiment;
use carom::views::replay::Replay;

use super::page::{PageParts, write_page};

const FILE: &str = "replay.html";

/// The page.
pub const PARTS: PageParts = PageParts {
    style: include_str!("replay/style.css"),
    body: include_str!("replay/body.html"),
    scripts: &[
        include_str!("replay/kinematics.js"),
        include_str!("replay/camera.js"),
        include_str!("replay/geometry.js"),
        include_str!("replay/solids.js"),
        include_str!("replay/heights.js"),
        include_str!("replay/scene.js"),
        include_str!("replay/arrows.js"),
        include_str!("replay/overlays.js"),
        include_str!("replay/player.js"),
        include_str!("replay/phases.js"),
        include_str!("replay/events.js"),
        include_str!("replay/keys.js"),
        include_str!("replay/main.js"),
    ],
};

/// What a page of a run that goes on has besides; a page that is kept asks nobody for anything.
pub const LIVE_SCRIPT: &str = include_str!("replay/live.js");

/// Writes the replay of the run in `folder`, which came to `summary`; one that `repeats` begins again where it ends.
///
/// # Errors
/// A file of the run is missing or damaged, or the page cannot be written.
pub fn write_replay(
    experiment: &Experiment,
    folder: &Path,
    summary: &Summary,
    repeats: bool,
) -> Result<(), Box<dyn Error>> {
    let mut replay = Replay::read(experiment, folder, summary)?;
    replay.repeats = repeats;
    let title = match replay.summary.description.as_str() {
        "" => &replay.robot,
        description => description,
    };
    write_page(&folder.join(FILE), title, &PARTS, &replay)?;
    Ok(())
}
