//! Values on a grid of two quantities as colours, with a bar that says what they mean.

use plotters::style::RGBColor;

use super::svg_canvas::{Anchor, Lettering, Stroke, SvgCanvas};
use super::ticks::Ticks;

const LEFT: f64 = 74.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;
/// Room of the bar and its numbers.
const BAR: f64 = 150.0;
const BANDS: usize = 128;

/// What a line over the cells looks like.
const CONTOUR: Stroke = Stroke {
    color: RGBColor(220, 30, 30),
    opacity: 1.0,
    width: 2.0,
    dashed: false,
};

/// A map with axes, lines over it and a marked place.
#[derive(Debug, Clone, Default)]
pub struct CellMap {
    /// Title.
    pub title: String,
    /// What the axes show, with units.
    pub axes: [String; 2],
    /// From where to where the cells reach along both axes.
    pub ranges: [(f64, f64); 2],
    /// Cells along both axes.
    pub cells: [usize; 2],
    /// Values, the first axis running first; cells without one stay empty.
    pub values: Vec<Option<f64>>,
    /// Range of the colours; that of the values where it is `None`.
    pub shown: Option<(f64, f64)>,
    /// What the colours show, with its unit.
    pub quantity: String,
    /// Straight pieces of lines over the cells.
    pub lines: Vec<[(f64, f64); 2]>,
    /// A place with a ring around it.
    pub mark: Option<(f64, f64)>,
}

impl CellMap {
    /// The picture of a size in pixels.
    #[must_use]
    pub fn draw(&self, width: f64, height: f64) -> String {
        let mut canvas = SvgCanvas::new(width, height);
        let bold = Lettering {
            bold: true,
            ..Lettering::plain(16.0, Anchor::Start)
        };
        canvas.text((LEFT, 22.0), &self.title, bold);
        let (right, bottom) = (width - BAR, height - BOTTOM);
        let x = |v: f64| {
            let (a, b) = self.ranges[0];
            LEFT + (v - a) / (b - a) * (right - LEFT)
        };
        let y = |v: f64| {
            let (a, b) = self.ranges[1];
            bottom - (v - a) / (b - a) * (bottom - TOP)
        };
        let known = || {
            self.values
                .iter()
                .flatten()
                .copied()
                .filter(|x| x.is_finite())
        };
        let (low, high) = self.shown.unwrap_or_else(|| {
            (
                known().fold(f64::INFINITY, f64::min),
                known().fold(f64::NEG_INFINITY, f64::max),
            )
        });
        let share = |value: f64| {
            if high > low {
                (value - low) / (high - low)
            } else {
                0.5
            }
        };
        let [columns, rows] = self.cells;
        let size = [
            (right - LEFT) / columns.max(1) as f64,
            (bottom - TOP) / rows.max(1) as f64,
        ];
        for (k, value) in self.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let (i, j) = ((k % columns.max(1)) as f64, (k / columns.max(1)) as f64);
            // A little larger than a cell: no gaps between neighbours.
            let place = [
                LEFT + i * size[0],
                bottom - (j + 1.0) * size[1],
                size[0] + 0.8,
                size[1] + 0.8,
            ];
            canvas.rectangle(place, shade(share(*value)), 1.0);
        }
        for [a, b] in &self.lines {
            canvas.line([(x(a.0), y(a.1)), (x(b.0), y(b.1))], CONTOUR);
        }
        if let Some((a, b)) = self.mark {
            for (radius, color) in [(9.0, RGBColor(255, 255, 255)), (7.0, RGBColor(0, 0, 0))] {
                let stroke = Stroke {
                    color,
                    width: 2.0,
                    ..Stroke::curve(0)
                };
                let ring = (0..=48).map(|i| {
                    let (s, c) = (std::f64::consts::TAU * f64::from(i) / 48.0).sin_cos();
                    (x(a) + radius * c, y(b) + radius * s)
                });
                canvas.line(ring, stroke);
            }
        }
        let frame = [
            (LEFT, TOP),
            (right, TOP),
            (right, bottom),
            (LEFT, bottom),
            (LEFT, TOP),
        ];
        canvas.line(frame, Stroke::faint(0.5));
        self.draw_axes(&mut canvas, (right, bottom), x, y);
        if low <= high {
            self.draw_bar(&mut canvas, (right + 24.0, bottom), (low, high));
        }
        canvas.finish()
    }

    fn draw_axes(
        &self,
        canvas: &mut SvgCanvas,
        (right, bottom): (f64, f64),
        x: impl Fn(f64) -> f64,
        y: impl Fn(f64) -> f64,
    ) {
        let small = Lettering {
            muted: true,
            ..Lettering::plain(12.0, Anchor::End)
        };
        let centred = Lettering {
            anchor: Anchor::Middle,
            ..small
        };
        for (value, text) in Ticks::new(self.ranges[0], 7).iter() {
            canvas.line(
                [(x(value), bottom), (x(value), bottom + 4.0)],
                Stroke::faint(0.5),
            );
            canvas.text((x(value), bottom + 13.0), &text, centred);
        }
        for (value, text) in Ticks::new(self.ranges[1], 7).iter() {
            canvas.line(
                [(LEFT - 4.0, y(value)), (LEFT, y(value))],
                Stroke::faint(0.5),
            );
            canvas.text((LEFT - 8.0, y(value)), &text, small);
        }
        canvas.text(
            (0.5 * (LEFT + right), bottom + 34.0),
            &self.axes[0],
            centred,
        );
        let upwards = Lettering {
            upwards: true,
            ..centred
        };
        canvas.text((14.0, 0.5 * (TOP + bottom)), &self.axes[1], upwards);
    }

    fn draw_bar(
        &self,
        canvas: &mut SvgCanvas,
        (left, bottom): (f64, f64),
        (low, high): (f64, f64),
    ) {
        let height = bottom - TOP;
        for k in 0..BANDS {
            let share = (k as f64 + 0.5) / BANDS as f64;
            let band = height / BANDS as f64;
            let top = bottom - (k + 1) as f64 * band;
            canvas.rectangle([left, top, 18.0, band + 0.8], shade(share), 1.0);
        }
        let muted = Lettering {
            muted: true,
            ..Lettering::plain(12.0, Anchor::Start)
        };
        if high > low {
            for (value, text) in Ticks::new((low, high), 6).iter() {
                let y = bottom - (value - low) / (high - low) * height;
                canvas.line([(left + 18.0, y), (left + 22.0, y)], Stroke::faint(0.5));
                canvas.text((left + 26.0, y), &text, muted);
            }
        } else {
            canvas.text(
                (left + 26.0, bottom - 0.5 * height),
                &format!("{low:.4}"),
                muted,
            );
        }
        let upwards = Lettering {
            anchor: Anchor::Middle,
            upwards: true,
            ..muted
        };
        canvas.text(
            (left + 68.0, bottom - 0.5 * height),
            &self.quantity,
            upwards,
        );
    }
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

#[cfg(test)]
mod tests {
    use super::CellMap;

    #[test]
    fn colours_have_a_bar_and_unknown_cells_stay_empty() {
        let map = CellMap {
            ranges: [(0.0, 2.0), (0.0, 1.0)],
            cells: [2, 1],
            values: vec![Some(3.0), None],
            shown: Some((0.0, 6.0)),
            quantity: "speed (m/s)".to_string(),
            ..CellMap::default()
        };
        let with_one = map.draw(600.0, 400.0).matches("<rect").count();
        let empty = CellMap {
            values: vec![None, None],
            ..map.clone()
        };
        assert_eq!(
            with_one,
            1 + empty.draw(600.0, 400.0).matches("<rect").count()
        );
        let svg = map.draw(600.0, 400.0);
        assert!(
            svg.contains("speed (m/s)") && svg.contains(">6</text>"),
            "{svg}"
        );
    }
}
