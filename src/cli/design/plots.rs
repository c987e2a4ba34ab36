//! Curves of a design: wishes along the way, convergence, and the distance of two orders ([SM] Fig. 8).

use std::error::Error;
use std::ops::Range;

use carom::design::{DesignSolution, Quantity};
use carom::study::DistanceCurve;
use carom::study::design::DesignStudy;
use carom::views::plots::with_dark_colours;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::super::figure::{draw_curve, draw_legend};
use super::pictures::stance_picture;

const SIZE: (u32, u32) = (860, 560);

/// Points along the straight way from the start to the design.
const WAY: usize = 40;

/// Curves with their names.
type Curves = Vec<(String, Vec<(f64, f64)>)>;

/// File names and SVG texts.
pub fn draw(
    study: &DesignStudy,
    solution: &DesignSolution,
) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut plots = vec![
        ("cosine_path.svg".to_string(), path(study, solution)?),
        ("convergence.svg".to_string(), convergence(study, solution)?),
    ];
    for (s, stance) in study.problem.stances().iter().enumerate() {
        let safe: String = stance
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let picture = stance_picture(study, solution, s)?;
        plots.push((format!("stance_{safe}.svg"), picture));
    }
    Ok(plots)
}

/// Range of values with a margin.
pub fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return 0.0..1.0;
    }
    let margin = 0.08 * (high - low).max(1e-12);
    low - margin..high + margin
}

/// Cosines and indeterminacies along the straight way from the start to the design.
fn path(study: &DesignStudy, solution: &DesignSolution) -> Result<String, Box<dyn Error>> {
    let problem = &study.problem;
    let start = problem.start();
    let wished =
        |q: &Quantity| matches!(q, Quantity::Cosine { .. } | Quantity::Indeterminacy { .. });
    let quantities = problem.quantities();
    let mut curves: Curves = quantities
        .iter()
        .filter(|q| wished(q))
        .map(|q| (problem.describe(q), Vec::new()))
        .collect();
    for i in 0..=WAY {
        let s = i as f64 / WAY as f64;
        let between = start.iter().zip(&solution.variables);
        let x: Vec<f64> = between.map(|(a, b)| a + s * (b - a)).collect();
        // A robot between two robots may not exist.
        let Ok(values) = problem.values(&x) else {
            continue;
        };
        let values = quantities.iter().zip(values.iter());
        let wanted = values.filter(|(q, _)| wished(q));
        for ((_, value), (_, curve)) in wanted.zip(&mut curves) {
            curve.push((s, *value));
        }
    }
    let y = range(curves.iter().flat_map(|c| &c.1).map(|p| p.1).chain([0.0]));
    let axes = ["way from the start (0) to the design (1)", "value"];
    chart(
        "Wishes on the way to the design",
        axes,
        0.0..1.0,
        y,
        &curves,
    )
}

/// Largest residual of what must or should be at a value, by steps.
fn convergence(study: &DesignStudy, solution: &DesignSolution) -> Result<String, Box<dyn Error>> {
    let problem = &study.problem;
    let residual = |(i, x): (usize, &Vec<f64>)| {
        let values = problem.values(x).ok()?;
        let pairs = problem.quantities().iter().zip(values.iter());
        let missing = pairs.filter_map(|(q, value)| Some((value - q.target()?).abs()));
        Some((i as f64, missing.fold(0.0, f64::max).max(1e-18)))
    };
    let path = solution.path.iter().enumerate();
    let points: Vec<(f64, f64)> = path.filter_map(residual).collect();
    let last = solution.path.len().saturating_sub(1).max(1) as f64;
    let y = decades(points.iter().map(|p| p.1));
    chart(
        "Convergence",
        ["step", "largest residual (gaps in m, cosines)"],
        0.0..last,
        y.log_scale(),
        &[("largest residual".to_string(), points)],
    )
}

/// Distance of two orders of reflection over time, start and design ([SM] Fig. 8).
pub fn momentum_distance(
    before: &DistanceCurve,
    after: &DistanceCurve,
) -> Result<String, Box<dyn Error>> {
    let curves: Curves = [("start", before), ("design", after)]
        .into_iter()
        .map(|(name, curve)| {
            let samples = curve.samples.iter().filter(|s| s.distance.is_finite());
            let points = samples.map(|s| (s.time_s, s.distance.max(1e-18))).collect();
            (name.to_string(), points)
        })
        .collect();
    let points = || curves.iter().flat_map(|c| &c.1);
    let end = points().map(|p| p.0).fold(1e-3, f64::max);
    chart(
        "Distance of two orders of reflection",
        ["time [s]", "distance of the momenta over their norm"],
        0.0..end,
        decades(points().map(|p| p.1)).log_scale(),
        &curves,
    )
}

/// Whole decades around positive values.
fn decades(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), v| {
        (a.min(v), b.max(v))
    });
    if high <= 0.0 {
        return 1e-1..1.0;
    }
    let low = 10.0_f64.powf(low.log10().floor());
    let high = 10.0_f64.powf(high.log10().ceil());
    low..if high > low { high } else { 10.0 * low }
}

/// Named curves over one pair of axes.
fn chart<Y>(
    title: &str,
    axes: [&str; 2],
    x: Range<f64>,
    y: Y,
    curves: &[(String, Vec<(f64, f64)>)],
) -> Result<String, Box<dyn Error>>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(84)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(axes[0])
            .y_desc(axes[1])
            .y_label_formatter(&|v| format!("{v:.0e}"))
            .light_line_style(WHITE)
            .draw()?;
        for (i, (name, points)) in curves.iter().enumerate() {
            draw_curve(&mut chart, i, name, points.iter().copied())?;
        }
        if curves.len() > 1 {
            draw_legend(&mut chart)?;
        }
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

/// The distances as numbers.
pub fn momentum_distance_csv(before: &DistanceCurve, after: &DistanceCurve) -> String {
    let mut text = "design,time_s,distance\n".to_string();
    for (name, curve) in [("before", before), ("after", after)] {
        for sample in &curve.samples {
            text.push_str(&format!("{name},{},{}\n", sample.time_s, sample.distance));
        }
    }
    text
}
