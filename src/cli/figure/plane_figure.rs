//! Figures in a plane of two quantities: points, curves, outlines and marked places, as SVG.

use std::error::Error;

use carom::views::plots::{PALETTE, with_dark_colours};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Chart;

const SIZE: (u32, u32) = (820, 560);
const LEGEND: u32 = 200;
const LABELS: (&str, u32) = ("sans-serif", 14);
/// Room of the axis labels and margins around the plane, in pixels.
const FRAME: (f64, f64) = (110.0, 110.0);

/// How the points of a layer are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Joined in order.
    Line,
    /// Joined in order by dashes.
    Dashed,
    /// Small dots.
    Dots,
    /// A closed outline with a faint filling.
    Outline,
    /// Hollow circles.
    Circles,
    /// Crosses.
    Crosses,
    /// Hollow squares.
    Squares,
    /// Triangles.
    Triangles,
}

/// Points that belong together.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Name in the legend; none to leave it out.
    pub name: Option<String>,
    /// Place in the palette.
    pub colour: usize,
    /// How they are drawn.
    pub shape: Shape,
    /// Where they are.
    pub points: Vec<[f64; 2]>,
}

/// A figure with one pair of axes.
#[derive(Debug, Clone, Default)]
pub struct PlaneFigure {
    /// Title.
    pub title: String,
    /// What the axes show, with units.
    pub axes: [String; 2],
    /// Whether both axes have one scale.
    pub equal: bool,
    /// What is drawn, in order.
    pub layers: Vec<Layer>,
    /// Short texts beside places.
    pub notes: Vec<(String, [f64; 2])>,
}

impl Layer {
    /// A layer with a name in the legend.
    pub fn named(name: &str, colour: usize, shape: Shape, points: Vec<[f64; 2]>) -> Self {
        Self {
            name: Some(name.to_string()),
            colour,
            shape,
            points,
        }
    }
}

impl PlaneFigure {
    /// The figure as SVG.
    ///
    /// # Errors
    /// There is nothing to draw, or the drawing library fails.
    pub fn draw(&self) -> Result<String, Box<dyn Error>> {
        let [x, y] = self.ranges()?;
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            area.fill(&WHITE)?;
            let (left, right) = area.split_horizontally(SIZE.0 - LEGEND);
            let mut chart = ChartBuilder::on(&left)
                .caption(&self.title, ("sans-serif", 17))
                .margin(14)
                .x_label_area_size(46)
                .y_label_area_size(82)
                .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
            chart
                .configure_mesh()
                .light_line_style(WHITE.mix(0.0))
                .bold_line_style(BLACK.mix(0.1))
                .x_desc(&self.axes[0])
                .y_desc(&self.axes[1])
                .x_labels(7)
                .x_label_formatter(&|v| tick(*v, x))
                .y_label_formatter(&|v| tick(*v, y))
                .label_style(LABELS)
                .axis_desc_style(LABELS)
                .draw()?;
            let zero = BLACK.mix(0.45).stroke_width(1);
            for (inside, ends) in [
                (y.0 < 0.0 && y.1 > 0.0, [(x.0, 0.0), (x.1, 0.0)]),
                (x.0 < 0.0 && x.1 > 0.0, [(0.0, y.0), (0.0, y.1)]),
            ] {
                if inside {
                    chart.draw_series(LineSeries::new(ends, zero))?;
                }
            }
            for layer in &self.layers {
                draw_layer(&mut chart, layer)?;
            }
            for (text, place) in &self.notes {
                let style = LABELS
                    .into_text_style(&left)
                    .pos(Pos::new(HPos::Left, VPos::Bottom));
                chart.draw_series([EmptyElement::at((place[0], place[1]))
                    + Text::new(text.clone(), (6, -5), style)])?;
            }
            draw_legend(&right, &self.layers)?;
            area.present()?;
        }
        Ok(with_dark_colours(&svg))
    }

    /// Ranges of both axes with air around everything drawn.
    fn ranges(&self) -> Result<[(f64, f64); 2], Box<dyn Error>> {
        let mut ranges = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for point in self.layers.iter().flat_map(|l| &l.points) {
            for (range, x) in ranges.iter_mut().zip(point) {
                *range = (range.0.min(*x), range.1.max(*x));
            }
        }
        if ranges.iter().any(|(low, high)| !(high - low).is_finite()) {
            return Err(format!("figure \"{}\" has nothing to draw", self.title).into());
        }
        let widest = ranges.iter().fold(0.0_f64, |m, r| m.max(r.1 - r.0));
        for range in &mut ranges {
            // Of axes with different units the one says nothing of the other.
            let own = 1e-6 * range.0.abs().max(range.1.abs());
            let least = match (self.equal, widest > 0.0) {
                (true, true) => 0.05 * widest,
                (false, _) if own > 0.0 => own,
                _ => 1.0,
            };
            let air = (0.08 * (range.1 - range.0)).max(0.5 * (least - (range.1 - range.0)));
            *range = (range.0 - air, range.1 + air);
        }
        if self.equal {
            let pixels = [
                f64::from(SIZE.0 - LEGEND) - FRAME.0,
                f64::from(SIZE.1) - FRAME.1,
            ];
            let scale = (0..2).fold(0.0_f64, |m, k| {
                m.max((ranges[k].1 - ranges[k].0) / pixels[k])
            });
            for (range, pixels) in ranges.iter_mut().zip(pixels) {
                let (middle, half) = (0.5 * (range.0 + range.1), 0.5 * scale * pixels);
                *range = (middle - half, middle + half);
            }
        }
        Ok(ranges)
    }
}

fn draw_layer(
    chart: &mut Chart<'_, '_, RangedCoordf64, RangedCoordf64>,
    layer: &Layer,
) -> Result<(), Box<dyn Error>> {
    let colour = PALETTE[layer.colour % PALETTE.len()];
    let points = || layer.points.iter().map(|p| (p[0], p[1]));
    match layer.shape {
        Shape::Line => {
            chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
        }
        Shape::Dashed => {
            chart.draw_series(DashedLineSeries::new(
                points(),
                7,
                5,
                colour.stroke_width(1),
            ))?;
        }
        Shape::Dots => {
            let dot = colour.mix(0.45).filled();
            chart.draw_series(points().map(|p| Circle::new(p, 2, dot)))?;
        }
        Shape::Outline => {
            let corners: Vec<(f64, f64)> = points().collect();
            if corners.len() > 2 {
                chart.draw_series([Polygon::new(corners.clone(), colour.mix(0.12).filled())])?;
            }
            let closed = corners.iter().chain(corners.first()).copied();
            chart.draw_series(LineSeries::new(closed, colour.stroke_width(2)))?;
        }
        Shape::Circles => {
            chart.draw_series(points().map(|p| Circle::new(p, 5, colour.stroke_width(2))))?;
        }
        Shape::Crosses => {
            chart.draw_series(points().map(|p| Cross::new(p, 6, colour.stroke_width(2))))?;
        }
        Shape::Squares => {
            let corners = [(-6, -6), (6, -6), (6, 6), (-6, 6), (-6, -6)].to_vec();
            chart.draw_series(points().map(|p| {
                EmptyElement::at(p) + PathElement::new(corners.clone(), colour.stroke_width(2))
            }))?;
        }
        Shape::Triangles => {
            chart.draw_series(
                points().map(|p| TriangleMarker::new(p, 7, colour.stroke_width(2).filled())),
            )?;
        }
    }
    Ok(())
}

fn draw_legend(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    layers: &[Layer],
) -> Result<(), Box<dyn Error>> {
    let named = layers.iter().filter_map(|l| Some((l.name.as_ref()?, l)));
    for (i, (name, layer)) in named.enumerate() {
        let y = 60 + 22 * i as i32;
        let colour = PALETTE[layer.colour % PALETTE.len()];
        let line = colour.stroke_width(2);
        match layer.shape {
            Shape::Line | Shape::Outline => {
                area.draw(&PathElement::new(vec![(2, y), (24, y)], line))?;
            }
            Shape::Dashed => {
                for ends in [(2, 9), (15, 22)] {
                    area.draw(&PathElement::new(vec![(ends.0, y), (ends.1, y)], line))?;
                }
            }
            Shape::Dots => area.draw(&Circle::new((13, y), 2, colour.filled()))?,
            Shape::Circles => area.draw(&Circle::new((13, y), 5, line))?,
            Shape::Crosses => area.draw(&Cross::new((13, y), 6, line))?,
            Shape::Squares => {
                let corners = [(7, -6), (19, -6), (19, 6), (7, 6), (7, -6)];
                let square = corners.map(|(dx, dy)| (dx, y + dy)).to_vec();
                area.draw(&PathElement::new(square, line))?;
            }
            Shape::Triangles => area.draw(&TriangleMarker::new((13, y), 7, line.filled()))?,
        }
        let anchor = Pos::new(HPos::Left, VPos::Center);
        let style = LABELS.into_text_style(area).pos(anchor);
        area.draw(&Text::new(name.clone(), (32, y), style))?;
    }
    Ok(())
}

/// A tick's number, short; what is rounding beside the range is zero.
fn tick(x: f64, range: (f64, f64)) -> String {
    let span = range.1 - range.0;
    if x.abs() <= 1e-9 * span {
        return "0".to_string();
    }
    if !(1e-3..1e5).contains(&x.abs()) {
        return format!("{x:.1e}");
    }
    let decimals = (1.0 - (span / 10.0).log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}
