//! Pictures of a granular run: the series over time, and the mean speed over the channel.

use std::path::{Path, PathBuf};

use super::GranularRun;
use crate::comparison::granular::ChannelSample;
use crate::views::plots::{CellMap, Curve, Figure, Look, Panel, PlotError, put};

/// Draws `series.svg` and `profile.svg` into `folder/plots` and returns the files, or removes those of an
/// earlier run when the scenario wants no plots.
///
/// # Errors
/// A file cannot be written.
pub fn draw_granular_plots(run: &GranularRun, folder: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let plots = folder.join("plots");
    let wanted = run.scenario.output.plots;
    if wanted {
        std::fs::create_dir_all(&plots).map_err(|source| PlotError::Folder {
            path: plots.clone(),
            source,
        })?;
    }
    let mut files = Vec::new();
    files.extend(put(&plots, "series", wanted.then(|| series_picture(run)))?);
    files.extend(put(
        &plots,
        "profile",
        wanted.then(|| profile_picture(run)),
    )?);
    Ok(files)
}

/// A quantity of the series: its axis and its value in a sample.
type Quantity = (&'static str, fn(&ChannelSample) -> f64);

fn series_picture(run: &GranularRun) -> String {
    let quantities: [Quantity; 4] = [
        ("particles", |s| s.particles as f64),
        (
            "contacts per particle",
            ChannelSample::contacts_per_particle,
        ),
        ("penetration (µm)", |s| 1e6 * s.penetration_m),
        ("kinetic energy (J)", |s| s.kinetic_energy),
    ];
    let samples = &run.report.samples;
    let end = samples.last().map_or(1.0, |s| s.time_s);
    let panels = quantities
        .into_iter()
        .enumerate()
        .map(|(k, (axis, value))| Panel {
            axis: axis.to_string(),
            zero: true,
            curves: vec![Curve {
                name: axis.to_string(),
                points: samples.iter().map(|s| (s.time_s, value(s))).collect(),
                look: Look::Line(k),
            }],
            ..Panel::default()
        });
    Figure::stacked(panels.collect()).draw((0.0, end))
}

fn profile_picture(run: &GranularRun) -> String {
    let [length, width, _] = run.scenario.channel.size;
    let profile = &run.report.profile;
    let columns = profile.speed.first().map_or(0, Vec::len);
    let cells = profile.speed.iter().zip(&profile.particles);
    let values = cells.flat_map(|(speeds, particles)| {
        let cells = speeds.iter().zip(particles);
        cells.map(|(speed, particles)| (*particles > 0).then_some(*speed))
    });
    let map = CellMap {
        title: "Mean speed of the particles at the end, seen from above".to_string(),
        axes: ["x (m)".to_string(), "y (m)".to_string()],
        ranges: [(0.0, length), (0.0, width)],
        cells: [columns, profile.speed.len()],
        values: values.collect(),
        shown: Some((0.0, run.report.peak_speed_m_s.max(f64::MIN_POSITIVE))),
        quantity: "speed (m/s)".to_string(),
        ..CellMap::default()
    };
    map.draw(960.0, 520.0)
}
