//! Pictures of a finished run, drawn from its tables: SVG, text as text, no fonts of the system.

#[cfg(feature = "cli")]
mod data;
#[cfg(feature = "cli")]
mod legend;
#[cfg(feature = "cli")]
mod phases;
#[cfg(feature = "cli")]
mod svg_theme;

#[cfg(feature = "cli")]
pub use svg_theme::{PALETTE, with_dark_colours};

use std::path::{Path, PathBuf};
use std::{fs, io};

use plotters::coord::Shift;
use plotters::prelude::*;
use thiserror::Error;

use crate::files::{OutputFileError, write_whole};
use crate::record::{EventRow, RunFileError, RunSeries};
use crate::scenario::{Experiment, joints};
use data::{ContactPhases, thinned};
use legend::draw_legend;
use phases::{PHASE_ROW, draw_phases};

use crate::model::{Base, JointKind};

/// Why a picture cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// A table of the run cannot be read.
    #[error(transparent)]
    Table(#[from] RunFileError),
    /// The picture cannot be made.
    #[error("plot \"{plot}\": {reason}")]
    Drawing {
        /// Name of the plot.
        plot: &'static str,
        /// What the library says.
        reason: String,
    },
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

pub(crate) const WIDTH: u32 = 960;
const PANEL_HEIGHT: u32 = 320;
pub(crate) const LEGEND_WIDTH: u32 = 190;
pub(crate) const LABELS: (&str, u32) = ("sans-serif", 14);

/// Gaps and heights below this are rounding in a picture \[m\].
const LEAST_GAP_SPAN: f64 = 1e-6;
/// Joint positions below this are rounding in a picture \[rad or m\].
const LEAST_JOINT_SPAN: f64 = 1e-6;

/// One curve.
struct Curve<'a> {
    name: String,
    values: &'a [f64],
    /// Taken off all values: their first one, where only the change matters.
    offset: f64,
}

/// Curves on common axes.
struct Panel<'a> {
    title: String,
    axis: &'static str,
    /// The vertical axis spans at least this, so that rounding is not drawn as motion.
    least_span: f64,
    /// Whether the vertical axis shows zero: where quantities are read from it.
    zero: bool,
    curves: Vec<Curve<'a>>,
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), String>;

/// Draws `energy.svg`, `gaps.svg`, `joints.svg` and `contacts.svg` into `folder/plots`, each if the
/// robot has what it shows, and returns the files. Pictures of an earlier run are removed.
///
/// # Errors
/// A table is missing or damaged, or a file cannot be written.
pub fn draw_plots(experiment: &Experiment, folder: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let series = RunSeries::read(&folder.join("series.csv"))?;
    let events = EventRow::read(&folder.join("events.csv"))?;
    let phases = ContactPhases::new(&events, experiment, series.last_time());
    let plots = folder.join("plots");
    fs::create_dir_all(&plots).map_err(|source| PlotError::Folder {
        path: plots.clone(),
        source,
    })?;
    let panels = [
        ("energy", energy_panels(&series)),
        ("gaps", gap_panels(experiment, &series)),
        ("joints", joint_panels(experiment, &series)),
    ];
    let mut files = Vec::new();
    for (plot, panels) in panels {
        let picture = if panels.is_empty() {
            None
        } else {
            let height = PANEL_HEIGHT * panels.len() as u32;
            Some(picture(plot, height, |area| {
                let areas = area.split_evenly((panels.len(), 1));
                panels
                    .iter()
                    .zip(&areas)
                    .try_for_each(|(panel, area)| draw_panel(area, series.times(), panel))
            })?)
        };
        files.extend(put(&plots, plot, picture)?);
    }
    let picture = if phases.names.is_empty() {
        None
    } else {
        let height = 100 + PHASE_ROW * phases.names.len() as u32;
        Some(picture("contacts", height, |area| {
            draw_phases(area, series.last_time(), &phases)
        })?)
    };
    files.extend(put(&plots, "contacts", picture)?);
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

pub(crate) fn picture(
    plot: &'static str,
    height: u32,
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE)
            .map_err(|e| e.to_string())
            .and_then(|()| draw(&area))
            .and_then(|()| area.present().map_err(|e| e.to_string()))
            .map_err(|reason| PlotError::Drawing { plot, reason })?;
    }
    Ok(with_dark_colours(&text))
}

fn energy_panels(series: &RunSeries) -> Vec<Panel<'_>> {
    let curve = |column: &str, name: &str| {
        series.column(column).map(|values| Curve {
            name: name.to_string(),
            values,
            offset: 0.0,
        })
    };
    let terms = [
        ("kinetic_J", "kinetic"),
        ("potential_J", "potential"),
        ("work_actuators_J", "work of actuators"),
        ("work_dissipative_J", "work of dissipation"),
        ("work_impacts_J", "change in impacts"),
        ("work_captured_J", "change in captures"),
        ("work_surfaces_J", "work of moving surfaces"),
    ];
    let balance = series.column("energy_residual_J").map(|values| Curve {
        name: "balance".to_string(),
        offset: values.first().copied().unwrap_or_default(),
        values,
    });
    vec![
        Panel {
            title: "Energy".to_string(),
            axis: "energy (J)",
            least_span: 0.0,
            zero: true,
            curves: terms
                .into_iter()
                .filter_map(|(column, name)| curve(column, name))
                .collect(),
        },
        Panel {
            title: "Kinetic and potential energy less all work, change since the start".to_string(),
            axis: "energy (J)",
            least_span: 0.0,
            zero: true,
            curves: balance.into_iter().collect(),
        },
    ]
}

fn gap_panels<'a>(experiment: &Experiment, series: &'a RunSeries) -> Vec<Panel<'a>> {
    let height = match experiment.model.base() {
        Base::Fixed => None,
        Base::Planar | Base::Floating => series.column("q_base.z"),
    };
    let contacts = &experiment.contacts;
    let gaps: Vec<Curve<'_>> = (0..contacts.len())
        .filter_map(|i| {
            let values = series.column(&format!("gap_{}_m", contacts.name(i)))?;
            Some(Curve {
                name: contacts.name(i).to_string(),
                values,
                offset: 0.0,
            })
        })
        .collect();
    let mut panels = Vec::new();
    if let Some(values) = height {
        panels.push(Panel {
            title: "Height of the base".to_string(),
            axis: "height (m)",
            least_span: LEAST_GAP_SPAN,
            zero: true,
            curves: vec![Curve {
                name: "base".to_string(),
                values,
                offset: 0.0,
            }],
        });
    }
    if !gaps.is_empty() {
        panels.push(Panel {
            title: "Gaps of the contacts".to_string(),
            axis: "gap (m)",
            least_span: LEAST_GAP_SPAN,
            zero: true,
            curves: gaps,
        });
    }
    panels
}

fn joint_panels<'a>(experiment: &Experiment, series: &'a RunSeries) -> Vec<Panel<'a>> {
    let of = |prismatic: bool| -> Vec<Curve<'a>> {
        joints(&experiment.model)
            .filter(|body| (body.kind == JointKind::Prismatic) == prismatic)
            .filter_map(|body| {
                let values = series.column(&format!("q_{}", body.joint))?;
                Some(Curve {
                    name: body.joint.clone(),
                    values,
                    offset: 0.0,
                })
            })
            .collect()
    };
    [
        ("Joint angles", "angle (rad)", of(false)),
        ("Joint positions", "position (m)", of(true)),
    ]
    .into_iter()
    .filter(|(_, _, curves)| !curves.is_empty())
    .map(|(title, axis, curves)| Panel {
        title: title.to_string(),
        axis,
        least_span: LEAST_JOINT_SPAN,
        zero: false,
        curves,
    })
    .collect()
}

/// A tick's number, short; what is rounding beside the range is zero.
pub(crate) fn tick(x: &f64, range: (f64, f64)) -> String {
    if x.abs() <= 1e-9 * (range.1 - range.0) {
        return "0".to_string();
    }
    // One notation for the whole axis.
    let largest = range.0.abs().max(range.1.abs());
    if !(5e-3..1e5).contains(&largest) {
        let text = format!("{x:.2e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{mantissa}e{exponent}");
    }
    let text = format!("{x:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Range of all curves with some air around it.
fn range(panel: &Panel<'_>) -> (f64, f64) {
    let (low, high) = panel
        .curves
        .iter()
        .flat_map(|curve| curve.values.iter().map(|x| x - curve.offset))
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(x), b.max(x))
        });
    if low > high {
        return (-1.0, 1.0);
    }
    let (low, high) = if panel.zero {
        (low.min(0.0), high.max(0.0))
    } else {
        (low, high)
    };
    // A curve that does not move is drawn in the middle of a readable range.
    let air = (0.05 * (high - low))
        .max(1e-12 * low.abs().max(high.abs()))
        .max(0.5 * (panel.least_span - (high - low)));
    if air > 0.0 {
        (low - air, high + air)
    } else {
        (-1.0, 1.0)
    }
}

fn time_range(times: &[f64]) -> (f64, f64) {
    match (times.first(), times.last()) {
        (Some(a), Some(b)) if b > a => (*a, *b),
        (Some(a), _) => (*a, a + 1.0),
        _ => (0.0, 1.0),
    }
}

fn draw_panel(area: &Area<'_>, times: &[f64], panel: &Panel<'_>) -> Drawn {
    let (left, right) = area.split_horizontally(WIDTH - LEGEND_WIDTH);
    let (t0, t1) = time_range(times);
    let (low, high) = range(panel);
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .caption(&panel.title, ("sans-serif", 17))
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d(t0..t1, low..high)
        .map_err(|e| e.to_string())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .bold_line_style(BLACK.mix(0.12))
        .x_desc("time (s)")
        .y_desc(panel.axis)
        .x_label_formatter(&|x| tick(x, (t0, t1)))
        .y_label_formatter(&|x| tick(x, (low, high)))
        .label_style(LABELS)
        .axis_desc_style(LABELS)
        .draw()
        .map_err(|e| e.to_string())?;
    if low < 0.0 && high > 0.0 {
        let zero = LineSeries::new([(t0, 0.0), (t1, 0.0)], BLACK.mix(0.45));
        chart.draw_series(zero).map_err(|e| e.to_string())?;
    }
    for (i, curve) in panel.curves.iter().enumerate() {
        let points = thinned(times, curve.values, curve.offset);
        let style = PALETTE[i % PALETTE.len()].stroke_width(2);
        if i < PALETTE.len() {
            chart.draw_series(LineSeries::new(points, style))
        } else {
            // The colours are used up: dashes tell the rest apart.
            chart.draw_series(DashedLineSeries::new(points, 8, 4, style))
        }
        .map_err(|e| e.to_string())?;
    }
    draw_legend(&right, panel.curves.iter().map(|c| c.name.as_str()))
}
