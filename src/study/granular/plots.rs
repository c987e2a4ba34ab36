//! Pictures of a granular run: the series over time, and the mean speed over the channel.

use std::path::{Path, PathBuf};

use plotters::prelude::*;

use super::GranularRun;
use crate::comparison::granular::ChannelSample;
use crate::views::plots::{Area, Drawn, LABELS, PALETTE, PlotError, WIDTH, picture, put, tick};

const PANEL_HEIGHT: u32 = 220;

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
    let series = wanted
        .then(|| picture("series", 4 * PANEL_HEIGHT, |area| draw_series(run, area)))
        .transpose()?;
    let profile = wanted
        .then(|| picture("profile", 520, |area| draw_profile(run, area)))
        .transpose()?;
    let mut files = Vec::new();
    files.extend(put(&plots, "series", series)?);
    files.extend(put(&plots, "profile", profile)?);
    Ok(files)
}

/// A quantity of the series: its axis and its value in a sample.
type Quantity = (&'static str, fn(&ChannelSample) -> f64);

fn draw_series(run: &GranularRun, area: &Area<'_>) -> Drawn {
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
    for (k, ((axis, value), area)) in quantities
        .iter()
        .zip(area.split_evenly((quantities.len(), 1)))
        .enumerate()
    {
        let top = samples.iter().map(value).fold(0.0, f64::max);
        let top = if top > 0.0 { 1.05 * top } else { 1.0 };
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..end, 0.0..top)
            .map_err(|e| e.to_string())?;
        chart
            .configure_mesh()
            .light_line_style(WHITE.mix(0.0))
            .bold_line_style(BLACK.mix(0.12))
            .x_desc("time (s)")
            .y_desc(*axis)
            .y_labels(6)
            .x_label_formatter(&|x| tick(x, (0.0, end)))
            .y_label_formatter(&|x| tick(x, (0.0, top)))
            .label_style(LABELS)
            .axis_desc_style(LABELS)
            .draw()
            .map_err(|e| e.to_string())?;
        let line = samples.iter().map(|s| (s.time_s, value(s)));
        chart
            .draw_series(LineSeries::new(line, PALETTE[k].stroke_width(2)))
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Dark blue to yellow with rising lightness, so that it reads in grey and for every colour vision.
fn shade(share: f64) -> RGBColor {
    const STOPS: [[f64; 3]; 4] = [
        [0.0, 34.0, 78.0],
        [87.0, 93.0, 109.0],
        [165.0, 156.0, 116.0],
        [253.0, 231.0, 55.0],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let i = (place as usize).min(STOPS.len() - 2);
    let mix = |k: usize| {
        let (a, b) = (STOPS[i][k], STOPS[i + 1][k]);
        (a + (b - a) * (place - i as f64)).round() as u8
    };
    RGBColor(mix(0), mix(1), mix(2))
}

fn draw_profile(run: &GranularRun, area: &Area<'_>) -> Drawn {
    let [length, width, _] = run.scenario.channel.size;
    let profile = &run.report.profile;
    let top = run.report.peak_speed_m_s.max(f64::MIN_POSITIVE);
    let (left, right) = area.split_horizontally(WIDTH - 130);
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .caption(
            "Mean speed of the particles at the end, seen from above",
            ("sans-serif", 17),
        )
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d(0.0..length, 0.0..width)
        .map_err(|e| e.to_string())?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("x (m)")
        .y_desc("y (m)")
        .x_label_formatter(&|x| tick(x, (0.0, length)))
        .y_label_formatter(&|y| tick(y, (0.0, width)))
        .label_style(LABELS)
        .axis_desc_style(LABELS)
        .draw()
        .map_err(|e| e.to_string())?;
    let ny = profile.speed.len() as f64;
    let cells = profile.speed.iter().enumerate().flat_map(|(j, row)| {
        let nx = row.len() as f64;
        let (dx, dy) = (length / nx, width / ny);
        row.iter().enumerate().filter_map(move |(i, speed)| {
            let occupied = profile.particles[j][i] > 0;
            let (x, y) = (i as f64 * dx, j as f64 * dy);
            occupied
                .then(|| Rectangle::new([(x, y), (x + dx, y + dy)], shade(speed / top).filled()))
        })
    });
    chart.draw_series(cells).map_err(|e| e.to_string())?;
    let mut scale = ChartBuilder::on(&right)
        .margin(12)
        .margin_top(40)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..1.0, 0.0..top)
        .map_err(|e| e.to_string())?;
    scale
        .configure_mesh()
        .disable_mesh()
        .disable_x_axis()
        .y_desc("speed (m/s)")
        .y_label_formatter(&|y| tick(y, (0.0, top)))
        .label_style(LABELS)
        .axis_desc_style(LABELS)
        .draw()
        .map_err(|e| e.to_string())?;
    const BANDS: usize = 64;
    let bands = (0..BANDS).map(|i| {
        let at = |k: usize| k as f64 / BANDS as f64;
        let corners = [(0.0, top * at(i)), (1.0, top * at(i + 1))];
        Rectangle::new(corners, shade(at(i)).filled())
    });
    scale.draw_series(bands).map_err(|e| e.to_string())?;
    Ok(())
}
