//! Line figures as SVG.

pub mod plane_figure;

use std::error::Error;

use carom::views::plots::{PALETTE, with_dark_colours};
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;

/// A chart over two axes of numbers.
pub type Chart<'a, 'b, X, Y> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>;

/// A figure of named lines over one pair of axes, zero included on the vertical one.
///
/// # Errors
/// There is nothing to draw, or the drawing library fails.
pub fn lines(
    title: &str,
    axes: [&str; 2],
    series: &[(String, Vec<[f64; 2]>)],
) -> Result<String, Box<dyn Error>> {
    let points = || series.iter().flat_map(|(_, p)| p);
    let range = |k: usize| {
        points().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| {
            (a.min(p[k]), b.max(p[k]))
        })
    };
    let ((left, right), (low, high)) = (range(0), range(1));
    if !(left.is_finite() && right > left) {
        return Err(format!("figure \"{title}\" has nothing to draw").into());
    }
    let (low, high) = (low.min(0.0), if high > low { high } else { low + 1.0 });
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (860, 520)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20))
            .margin(14)
            .x_label_area_size(46)
            .y_label_area_size(70)
            .build_cartesian_2d(left..right, low..high * 1.05)?;
        chart
            .configure_mesh()
            .x_desc(axes[0])
            .y_desc(axes[1])
            .light_line_style(WHITE)
            .draw()?;
        for (i, (name, points)) in series.iter().enumerate() {
            draw_curve(&mut chart, i, name, points.iter().map(|p| (p[0], p[1])))?;
        }
        draw_legend(&mut chart)?;
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

/// Draws curve number i in its colour, with its name for the legend.
pub fn draw_curve<X: Ranged<ValueType = f64>, Y: Ranged<ValueType = f64>>(
    chart: &mut Chart<'_, '_, X, Y>,
    i: usize,
    name: &str,
    points: impl Iterator<Item = (f64, f64)>,
) -> Result<(), Box<dyn Error>> {
    let style = PALETTE[i % PALETTE.len()].stroke_width(2);
    chart
        .draw_series(LineSeries::new(points, style))?
        .label(name)
        .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], style));
    Ok(())
}

/// Draws the names of everything that was drawn with one.
pub fn draw_legend<'a, 'b: 'a, X: Ranged, Y: Ranged>(
    chart: &mut Chart<'a, 'b, X, Y>,
) -> Result<(), Box<dyn Error>> {
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
