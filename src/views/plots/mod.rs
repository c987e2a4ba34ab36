//! Pictures of a finished run, drawn from its tables: SVG, text as text, no fonts of the system.
//!
//! [`draw_plots`] draws `plots/*.svg` of a run. [`SvgCanvas`] is what it draws on, in points of the page (1/96 in) from the
//! upper left corner, for pictures of one's own. Source: none.
//!
//! # Example
//!
//! ```
//! use carom::views::plots::{Anchor, Lettering, Stroke, SvgCanvas};
//!
//! let mut canvas = SvgCanvas::new(200.0, 100.0);
//! canvas.line([(10.0, 90.0), (100.0, 10.0), (190.0, 90.0)], Stroke::curve(0));
//! canvas.text((100.0, 95.0), "time [s]", Lettering::plain(11.0, Anchor::Middle));
//! let svg = canvas.finish();
//! assert!(svg.starts_with("<svg") && svg.contains("time [s]"));
//! ```

mod cell_map;
mod contact_plots;
mod data;
mod legend;
mod motion_plots;
mod panel;
mod phases;
mod svg_canvas;
mod svg_theme;
mod ticks;

pub use cell_map::CellMap;
pub use svg_canvas::{Anchor, Lettering, Stroke, SvgCanvas};
pub use svg_theme::{PALETTE, with_dark_colours};
pub use ticks::Ticks;

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::files::{OutputFileError, write_whole};
use crate::record::RunTables;
use crate::scenario::Experiment;
use data::ContactPhases;
pub(crate) use panel::{Curve, Figure, Look, Panel};

/// Why a picture cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputFileError),
    /// The folder cannot be made.
    #[error("{}: {source}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Draws the pictures of a run with these tables into `folder/plots`, each if the robot has what it shows, and returns the files: `energy.svg`,
/// `base.svg`, `joints.svg`, `efforts.svg`, `gaps.svg`, `forces.svg`, `feet.svg` and `contacts.svg`. Pictures of an earlier
/// run are removed.
///
/// # Errors
/// A file cannot be written.
pub fn draw_plots(
    experiment: &Experiment,
    tables: &RunTables,
    folder: &Path,
) -> Result<Vec<PathBuf>, PlotError> {
    let RunTables { series, events } = tables;
    let plots = folder.join("plots");
    fs::create_dir_all(&plots).map_err(|source| PlotError::Folder {
        path: plots.clone(),
        source,
    })?;
    let times = time_range(series.times());
    let phases = ContactPhases::new(events, experiment, series.last_time());
    let phases = (!phases.names.is_empty()).then(|| phases::draw_phases(times, &phases));
    let figures = [
        ("energy", Some(motion_plots::energy(series))),
        ("base", motion_plots::base(experiment, series)),
        ("joints", motion_plots::joint_positions(experiment, series)),
        ("efforts", motion_plots::joint_efforts(experiment, series)),
        ("gaps", contact_plots::gaps(experiment, series)),
        ("forces", contact_plots::forces(experiment, series)),
        ("feet", contact_plots::feet(experiment, series)),
    ];
    let mut files = Vec::new();
    for (name, figure) in figures {
        let picture = figure.map(|figure| figure.draw(times));
        files.extend(put(&plots, name, picture)?);
    }
    files.extend(put(&plots, "contacts", phases)?);
    Ok(files)
}

pub(crate) fn put(
    folder: &Path,
    plot: &str,
    picture: Option<String>,
) -> Result<Option<PathBuf>, PlotError> {
    let path = folder.join(format!("{plot}.svg"));
    match picture {
        Some(text) => {
            write_whole(&path, |w| w.write_all(text.as_bytes()))?;
            Ok(Some(path))
        }
        None => match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(PlotError::Folder { path, source })
            }
            _ => Ok(None),
        },
    }
}

fn time_range(times: &[f64]) -> (f64, f64) {
    match (times.first(), times.last()) {
        (Some(a), Some(b)) if b > a => (*a, *b),
        (Some(a), _) => (*a, a + 1.0),
        _ => (0.0, 1.0),
    }
}
