//! Curves over time on axes of their own, many of them side by side.

use super::legend::{
    AREA_OPACITY, LEGEND_ROW, LegendRow, SMALL, draw_legend, fitting, legend_rows,
};
use super::svg_canvas::{Anchor, Lettering, Stroke, SvgCanvas, text_width};
use super::ticks::Ticks;

/// Width of every picture in pixels.
pub(crate) const WIDTH: f64 = 960.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 14.0;
const TITLE: f64 = 24.0;
const TIME_AXIS: f64 = 40.0;
const HEADING: f64 = 36.0;

/// How a curve looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A line in colour i.
    Line(usize),
    /// The area between the curve and zero, in colour i.
    Area(usize),
}

/// One curve.
pub(crate) struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub look: Look,
}

/// Curves on common axes.
#[derive(Default)]
pub(crate) struct Panel {
    pub title: String,
    /// What else there is to say, at the right of the title.
    pub note: String,
    /// What the vertical axis shows, with its unit.
    pub axis: String,
    /// The vertical axis spans at least this, so that rounding is not drawn as motion.
    pub least_span: f64,
    /// Whether the vertical axis shows zero: where quantities are read from it.
    pub zero: bool,
    pub curves: Vec<Curve>,
    /// Heights of dashed lines, which are drawn where the curves come near them.
    pub bounds: Vec<f64>,
}

/// Panels in columns under one heading.
pub(crate) struct Figure {
    /// Empty where the only panel says it.
    pub heading: String,
    pub columns: usize,
    pub panels: Vec<Panel>,
    /// Whether the names of curves stand once, under the heading: all panels have the same curves, or fewer.
    pub common_legend: bool,
    /// Whose names those are.
    pub legend_of: usize,
}

impl Figure {
    /// A panel below the other, each with its legend.
    pub fn stacked(panels: Vec<Panel>) -> Self {
        Self {
            heading: String::new(),
            columns: 1,
            panels,
            common_legend: false,
            legend_of: 0,
        }
    }

    /// The picture over the times from `t0` to `t1`.
    pub fn draw(&self, (t0, t1): (f64, f64)) -> String {
        let width = WIDTH / self.columns as f64;
        let plot_height = match self.columns {
            1 => 190.0,
            2 => 120.0,
            _ => 92.0,
        };
        let names = |panel: &Panel| -> Vec<(String, Look)> {
            let curves = panel.curves.iter();
            curves.map(|c| (c.name.clone(), c.look)).collect()
        };
        let common = match self.panels.get(self.legend_of) {
            Some(panel) if self.common_legend => legend_rows(&names(panel), WIDTH - LEFT - RIGHT),
            _ => Vec::new(),
        };
        let own: Vec<Vec<LegendRow>> = (self.panels.iter())
            .map(
                |panel| match panel.curves.len() > 1 && !self.common_legend {
                    true => legend_rows(&names(panel), width - LEFT - RIGHT),
                    false => Vec::new(),
                },
            )
            .collect();
        let rows: Vec<f64> = (own.chunks(self.columns))
            .map(|row| {
                let legend = row.iter().map(Vec::len).max().unwrap_or(0) as f64;
                TITLE + LEGEND_ROW * legend + plot_height + TIME_AXIS
            })
            .collect();
        let top = if self.heading.is_empty() {
            8.0
        } else {
            HEADING
        } + LEGEND_ROW * common.len() as f64;
        let mut canvas = SvgCanvas::new(WIDTH, top + rows.iter().sum::<f64>() + 4.0);
        if !self.heading.is_empty() {
            let how = Lettering {
                bold: true,
                ..Lettering::plain(17.0, Anchor::Start)
            };
            canvas.text((LEFT, 20.0), &self.heading, how);
        }
        draw_legend(&mut canvas, &common, (LEFT, HEADING + 4.0));
        let mut y = top;
        for (r, height) in rows.iter().enumerate() {
            for c in 0..self.columns {
                let k = r * self.columns + c;
                if let (Some(panel), Some(legend)) = (self.panels.get(k), own.get(k)) {
                    let frame = Frame {
                        left: c as f64 * width + LEFT,
                        right: (c + 1) as f64 * width - RIGHT,
                        top: y + height - plot_height - TIME_AXIS,
                        bottom: y + height - TIME_AXIS,
                        times: (t0, t1),
                        values: panel.range(),
                    };
                    let title_at = frame.top - LEGEND_ROW * legend.len() as f64 - 12.0;
                    panel.draw(&mut canvas, &frame, title_at, self.columns);
                    draw_legend(&mut canvas, legend, (frame.left, title_at + 19.0));
                }
            }
            y += height;
        }
        canvas.finish()
    }
}

/// Where a panel's axes are and what they span.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    times: (f64, f64),
    values: (f64, f64),
}

impl Frame {
    fn x(&self, time: f64) -> f64 {
        let (from, to) = self.times;
        self.left + (time - from) / (to - from) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        self.bottom - (value - low) / (high - low) * (self.bottom - self.top)
    }
}

impl Panel {
    /// Range of all curves, and of bounds that they come near, with some air around it.
    fn range(&self) -> (f64, f64) {
        let values = self.curves.iter().flat_map(|curve| &curve.points);
        let (mut low, mut high) = values
            .map(|point| point.1)
            .filter(|x| x.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
                (a.min(x), b.max(x))
            });
        if low > high {
            return (-1.0, 1.0);
        }
        if self.zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        // A bound that would leave the curves less than a third of the height is only named.
        let reach = 2.0 * (high - low);
        let near = self
            .bounds
            .iter()
            .filter(|x| **x >= low - reach && **x <= high + reach);
        (low, high) = near.fold((low, high), |(a, b), x| (a.min(*x), b.max(*x)));
        // A curve that does not move is drawn in the middle of a readable range.
        let air = (0.06 * (high - low))
            .max(1e-12 * low.abs().max(high.abs()))
            .max(0.5 * (self.least_span - (high - low)));
        match air > 0.0 {
            true => (low - air, high + air),
            false => (-1.0, 1.0),
        }
    }

    fn draw(&self, canvas: &mut SvgCanvas, frame: &Frame, title_at: f64, columns: usize) {
        let title = Lettering {
            bold: true,
            ..Lettering::plain(
                match columns {
                    1 => 15.0,
                    2 => 13.0,
                    _ => 12.0,
                },
                Anchor::Start,
            )
        };
        // A long name is cut in its middle: names differ at their ends.
        let note_width = text_width(&self.note, 11.0);
        let room = frame.right - frame.left - note_width - 6.0;
        canvas.text(
            (frame.left, title_at),
            &fitting(&self.title, room, title.size),
            title,
        );
        let note = Lettering {
            muted: true,
            ..Lettering::plain(11.0, Anchor::End)
        };
        if !self.note.is_empty() {
            canvas.text((frame.right, title_at), &self.note, note);
        }
        self.draw_axes(canvas, frame, columns);
        let (low, high) = frame.values;
        for bound in self.bounds.iter().filter(|x| **x >= low && **x <= high) {
            let ends = [frame.left, frame.right].map(|x| (x, frame.y(*bound)));
            canvas.line(ends, bound_stroke());
        }
        for curve in &self.curves {
            let places = curve.points.iter().map(|(t, x)| (frame.x(*t), frame.y(*x)));
            match curve.look {
                Look::Line(i) => canvas.line(places, Stroke::curve(i)),
                Look::Area(i) => {
                    let zero = frame.y(0.0_f64.clamp(low, high));
                    let ends = |point: Option<&(f64, f64)>| point.map(|(t, _)| (frame.x(*t), zero));
                    let outline = (ends(curve.points.first()).into_iter())
                        .chain(places)
                        .chain(ends(curve.points.last()));
                    canvas.polygon(outline, Stroke::curve(i).color, AREA_OPACITY, None);
                }
            }
        }
    }

    fn draw_axes(&self, canvas: &mut SvgCanvas, frame: &Frame, columns: usize) {
        let small = Lettering {
            muted: true,
            ..Lettering::plain(SMALL, Anchor::End)
        };
        let lines = ((frame.bottom - frame.top) / 26.0).clamp(3.0, 7.0);
        let ticks = Ticks::new(frame.values, lines as usize);
        for (value, text) in ticks.iter() {
            let y = frame.y(value);
            let zero = value.abs() <= 1e-9 * (frame.values.1 - frame.values.0);
            let stroke = Stroke::faint(if zero { 0.5 } else { 0.12 });
            canvas.line([(frame.left, y), (frame.right, y)], stroke);
            canvas.text((frame.left - 6.0, y), &text, small);
        }
        let count = (frame.right - frame.left) / 70.0;
        let times = Ticks::new(frame.times, count.max(2.0) as usize);
        for (time, text) in times.iter() {
            let x = frame.x(time);
            canvas.line([(x, frame.top), (x, frame.bottom)], Stroke::faint(0.12));
            let how = Lettering {
                anchor: Anchor::Middle,
                ..small
            };
            canvas.text((x, frame.bottom + 10.0), &text, how);
        }
        canvas.text((frame.right, frame.bottom + 25.0), "time (s)", small);
        let middle = 0.5 * (frame.top + frame.bottom);
        let how = Lettering {
            anchor: Anchor::Middle,
            upwards: true,
            ..small
        };
        let left = frame.left - if columns == 1 { 54.0 } else { 52.0 };
        canvas.text((left, middle), &self.axis, how);
    }
}

fn bound_stroke() -> Stroke {
    Stroke {
        width: 1.2,
        dashed: true,
        opacity: 0.75,
        ..Stroke::curve(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_as_many_rows_as_they_need() {
        let names: Vec<(String, Look)> = (0..40)
            .map(|i| (format!("left_joint_number_{i}"), Look::Line(i)))
            .collect();
        let rows = legend_rows(&names, 880.0);
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 40);
        for row in &rows {
            for pair in row.windows(2) {
                let end = pair[0].0 + 30.0 + text_width(&pair[0].1, SMALL);
                assert!(end <= pair[1].0, "{pair:?}");
            }
            let last = &row[row.len() - 1];
            assert!(last.0 + 30.0 + text_width(&last.1, SMALL) <= 880.0);
        }
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(
            fitting("left_ankle_roll_link_3", 1000.0, 12.0),
            "left_ankle_roll_link_3"
        );
        let short = fitting("left_ankle_roll_link_3", 80.0, 12.0);
        assert!(
            short.starts_with("lef") && short.ends_with("link_3"),
            "{short}"
        );
    }

    #[test]
    fn bounds_far_from_the_curves_do_not_flatten_them() {
        let panel = |bound: f64| Panel {
            curves: vec![Curve {
                name: String::new(),
                points: vec![(0.0, 0.0), (1.0, 10.0)],
                look: Look::Line(0),
            }],
            bounds: vec![bound],
            ..Panel::default()
        };
        assert!(panel(25.0).range().1 > 25.0);
        assert!(panel(31.0).range().1 < 11.0);
    }
}
