//! Maps of cosines and indeterminacy over two variables: CSV and pictures with contours of the targets.

use std::fmt::Write;

use carom::design::{DesignMap, MapAxis, MapPoint, Quantity};
use carom::study::design::DesignStudy;
use carom::views::plots::CellMap;

const SIZE: (f64, f64) = (820.0, 620.0);

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
pub fn draw(study: &DesignStudy, map: &DesignMap, x: &[f64]) -> Vec<(String, String)> {
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
        let svg = picture(
            map,
            mark,
            (title, "cosine"),
            &cosine(k),
            &[(&cosine(k), *target)],
        );
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
        let title = "Indeterminacy; lines where the cosines are as wanted";
        plots.push((
            "map_xi.svg".to_string(),
            picture(map, mark, (title, "log₁₀ ξ"), &log, &contours),
        ));
    }
    plots
}

type Contour<'a> = (&'a dyn Fn(&MapPoint) -> Option<f64>, f64);

fn picture(
    map: &DesignMap,
    mark: (f64, f64),
    (title, quantity): (&str, &str),
    shade: &dyn Fn(&MapPoint) -> Option<f64>,
    contours: &[Contour<'_>],
) -> String {
    let [a, b] = &map.axes;
    let (columns, rows) = (a.points, b.points);
    let at = |i: usize, j: usize| map.points[j * columns + i].as_ref();
    let mut lines = Vec::new();
    for (value, target) in contours {
        let level = |i: usize, j: usize| Some(at(i, j).and_then(*value)? - target);
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let crossings = crossings(
                    &corners.map(|(i, j)| level(i, j).map(|v| ((a.value(i), b.value(j)), v))),
                );
                lines.extend(crossings.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
            }
        }
    }
    // Cells are centred at the points.
    let range = |axis: &MapAxis| {
        let half = 0.5 * (axis.value(1) - axis.value(0));
        (axis.from - half, axis.to + half)
    };
    let picture = CellMap {
        title: title.to_string(),
        axes: [a.variable.clone(), b.variable.clone()],
        ranges: [range(a), range(b)],
        cells: [columns, rows],
        values: (map.points.iter())
            .map(|point| point.as_ref().and_then(shade))
            .collect(),
        shown: None,
        quantity: quantity.to_string(),
        lines,
        mark: Some(mark),
    };
    picture.draw(SIZE.0, SIZE.1)
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
