//! Maps of cosines and indeterminacy over two variables: CSV and pictures with contours of the targets.

use std::error::Error;
use std::fmt::Write;

use carom::design::{DesignMap, MapAxis, MapPoint, Quantity};
use carom::study::design::DesignStudy;
use carom::views::plots::with_dark_colours;
use plotters::prelude::*;

const SIZE: (u32, u32) = (760, 640);

/// One row a point: the two variables, each cosine, ξ; empty where the gaps cannot be closed.
pub fn csv(map: &DesignMap) -> String {
    let cosines = map
        .points
        .iter()
        .flatten()
        .map(|p| p.cosines.len())
        .max()
        .unwrap_or(0);
    let mut text = format!("{},{}", map.axes[0].variable, map.axes[1].variable);
    for i in 0..cosines {
        let _ = write!(text, ",cosine_{i}");
    }
    text.push_str(",xi\n");
    let columns = map.axes[0].points;
    for (i, point) in map.points.iter().enumerate() {
        let (x, y) = (
            map.axes[0].value(i % columns),
            map.axes[1].value(i / columns),
        );
        let _ = write!(text, "{x},{y}");
        for k in 0..cosines {
            let cosine = point.as_ref().and_then(|p| p.cosines.get(k));
            let _ = write!(
                text,
                ",{}",
                cosine.map_or(String::new(), ToString::to_string)
            );
        }
        let xi = point.as_ref().and_then(|p| p.xi);
        let _ = writeln!(text, ",{}", xi.map_or(String::new(), |xi| xi.to_string()));
    }
    text
}

/// Decades of ξ that the colours tell apart: at the design itself it is rounding, which would outshine all else.
const DECADES: f64 = 4.0;

/// File names and SVG texts: one a wanted cosine, one for ξ; the design, all variables at `x`, is marked.
pub fn draw(
    study: &DesignStudy,
    map: &DesignMap,
    x: &[f64],
) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let place = |axis: &MapAxis| {
        let variables = study.problem.variables().iter();
        let named = variables.zip(x).find(|(v, _)| v.name == axis.variable);
        named.map_or(f64::NAN, |(_, x)| *x)
    };
    let mark = (place(&map.axes[0]), place(&map.axes[1]));
    let wanted = study.problem.quantities().iter().filter_map(|q| match q {
        Quantity::Cosine { target, .. } => Some((study.problem.describe(q), *target)),
        _ => None,
    });
    let mut plots = Vec::new();
    let wanted: Vec<(String, f64)> = wanted.collect();
    let cosine = |k: usize| move |p: &MapPoint| p.cosines.get(k).copied();
    for (k, (title, target)) in wanted.iter().enumerate() {
        let svg = picture(map, mark, title, &cosine(k), &[(&cosine(k), *target)])?;
        plots.push((format!("map_cosine_{k}.svg"), svg));
    }
    if map.points.iter().flatten().any(|p| p.xi.is_some()) {
        let all = map.points.iter().flatten().filter_map(|p| p.xi);
        let least = all.fold(1e-16, f64::max).log10() - DECADES;
        let log = |p: &MapPoint| p.xi.map(|xi| xi.max(1e-300).log10().max(least));
        let contours: Vec<_> = wanted
            .iter()
            .enumerate()
            .map(|(k, w)| (cosine(k), w.1))
            .collect();
        let contours: Vec<Contour<'_>> = contours
            .iter()
            .map(|(f, target)| (f as &dyn Fn(&MapPoint) -> Option<f64>, *target))
            .collect();
        let title = "log10 of the indeterminacy xi; lines where the cosines are as wanted";
        plots.push((
            "map_xi.svg".to_string(),
            picture(map, mark, title, &log, &contours)?,
        ));
    }
    Ok(plots)
}

type Contour<'a> = (&'a dyn Fn(&MapPoint) -> Option<f64>, f64);

fn picture(
    map: &DesignMap,
    mark: (f64, f64),
    title: &str,
    shade: &dyn Fn(&MapPoint) -> Option<f64>,
    contours: &[Contour<'_>],
) -> Result<String, Box<dyn Error>> {
    let [a, b] = &map.axes;
    let (columns, rows) = (a.points, b.points);
    let at = |i: usize, j: usize| map.points[j * columns + i].as_ref();
    let values: Vec<f64> = map.points.iter().flatten().filter_map(shade).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (dx, dy) = (a.value(1) - a.value(0), b.value(1) - b.value(0));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(70)
            .build_cartesian_2d(
                a.from - 0.5 * dx..a.to + 0.5 * dx,
                b.from - 0.5 * dy..b.to + 0.5 * dy,
            )?;
        chart
            .configure_mesh()
            .x_desc(format!(
                "{} (colours from {low:.2e} to {high:.2e})",
                a.variable
            ))
            .y_desc(b.variable.as_str())
            .disable_mesh()
            .draw()?;
        let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
        chart.draw_series(cells.filter_map(|(i, j)| {
            let value = at(i, j).and_then(shade)?;
            let level = if high > low {
                (value - low) / (high - low)
            } else {
                0.5
            };
            let shade = |from: f64, to: f64| (from + (to - from) * level) as u8;
            let color = RGBColor(shade(30.0, 250.0), shade(60.0, 225.0), shade(130.0, 150.0));
            let (x, y) = (a.value(i), b.value(j));
            let corners = [(x - 0.5 * dx, y - 0.5 * dy), (x + 0.5 * dx, y + 0.5 * dy)];
            Some(Rectangle::new(corners, color.filled()))
        }))?;
        for (value, target) in contours {
            let level = |i: usize, j: usize| Some(at(i, j).and_then(*value)? - target);
            for j in 0..rows - 1 {
                for i in 0..columns - 1 {
                    let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                    let crossings = crossings(
                        &corners.map(|(i, j)| level(i, j).map(|v| ((a.value(i), b.value(j)), v))),
                    );
                    for pair in crossings.chunks_exact(2) {
                        let line = LineSeries::new(pair.iter().copied(), RED.stroke_width(2));
                        chart.draw_series(line)?;
                    }
                }
            }
        }
        let ring = |size, colour: RGBColor| Circle::new(mark, size, colour.stroke_width(2));
        chart.draw_series([ring(7, BLACK), ring(9, WHITE)])?;
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

/// A corner of a cell with the value there.
type Corner = Option<((f64, f64), f64)>;

/// Where a level crosses the edges of a cell (marching squares); none when a corner is unknown.
fn crossings(corners: &[Corner; 4]) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for k in 0..4 {
        let (Some((p, u)), Some((q, v))) = (corners[k], corners[(k + 1) % 4]) else {
            return Vec::new();
        };
        if (u < 0.0) != (v < 0.0) {
            let s = u / (u - v);
            points.push((p.0 + s * (q.0 - p.0), p.1 + s * (q.1 - p.1)));
        }
    }
    points
}
