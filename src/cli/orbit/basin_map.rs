//! The basin map: a cell for every motion, in the colour of the orbit that it goes to.

use std::fmt::Write;

use carom::study::orbit::{Basin, BasinEnd};
use carom::views::plots::{Anchor, Lettering, PALETTE, Stroke, SvgCanvas, Ticks};
use plotters::style::RGBColor;

const SIZE: (f64, f64) = (820.0, 600.0);
const LEFT: f64 = 84.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// Room of the legend.
const LEGEND: f64 = 190.0;
const FALLS: RGBColor = RGBColor(206, 206, 206);

fn colour(end: BasinEnd) -> RGBColor {
    match end {
        BasinEnd::Orbit(k) => PALETTE[k % (PALETTE.len() - 1)],
        BasinEnd::Falls => FALLS,
        BasinEnd::Undecided => RGBColor(255, 255, 255),
    }
}

fn word(end: BasinEnd) -> String {
    match end {
        BasinEnd::Orbit(k) => format!("to orbit {k}"),
        BasinEnd::Falls => "falls".to_string(),
        BasinEnd::Undecided => "undecided".to_string(),
    }
}

/// A row a motion: both coordinates, the orbit's number, `falls` or `undecided`, and the periods until that was known.
pub fn csv(basin: &Basin) -> String {
    let mut text = format!("{},{},end,periods\n", basin.axes[0], basin.axes[1]);
    let ends = basin.ends.iter().zip(&basin.periods).enumerate();
    let columns = basin.values[0].len();
    for (i, (end, periods)) in ends {
        let (x, y) = (basin.values[0][i % columns], basin.values[1][i / columns]);
        let end = match end {
            BasinEnd::Orbit(k) => k.to_string(),
            other => word(*other),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x},{y},{end},{periods}");
    }
    text
}

/// The map; `units` are those of the axes.
pub fn draw(basin: &Basin, units: [&str; 2]) -> String {
    let mut canvas = SvgCanvas::new(SIZE.0, SIZE.1);
    let bold = Lettering {
        bold: true,
        ..Lettering::plain(16.0, Anchor::Start)
    };
    canvas.text((LEFT, 24.0), "Where motions go", bold);
    let (right, bottom) = (SIZE.0 - LEGEND, SIZE.1 - BOTTOM);
    let ranges = basin.values.each_ref().map(|values| {
        let (from, to) = (values[0], values[values.len() - 1]);
        let half = 0.5 * (to - from) / (values.len() - 1) as f64;
        let ends = [from - half, to + half];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    });
    let share = |k: usize, v: f64| (v - ranges[k].0) / (ranges[k].1 - ranges[k].0);
    let x = |v: f64| LEFT + share(0, v) * (right - LEFT);
    let y = |v: f64| bottom - share(1, v) * (bottom - TOP);
    let [columns, rows] = basin.values.each_ref().map(Vec::len);
    let size = [
        (right - LEFT) / columns as f64,
        (bottom - TOP) / rows as f64,
    ];
    for (i, end) in basin.ends.iter().enumerate() {
        let (a, b) = (basin.values[0][i % columns], basin.values[1][i / columns]);
        // A little larger than a cell: no gaps between neighbours.
        let [left, top] = [x(a) - 0.5 * size[0], y(b) - 0.5 * size[1]];
        let place = [left, top, size[0] + 0.5, size[1] + 0.5];
        canvas.rectangle(place, colour(*end), 1.0);
    }
    let frame = Stroke::faint(0.6);
    let corners = [
        (LEFT, TOP),
        (right, TOP),
        (right, bottom),
        (LEFT, bottom),
        (LEFT, TOP),
    ];
    canvas.line(corners, frame);
    let label = Lettering::plain(13.0, Anchor::Middle);
    let ticks = Ticks::new(ranges[0], 6);
    for (value, text) in ticks.iter() {
        canvas.line([(x(value), bottom), (x(value), bottom + 5.0)], frame);
        canvas.text((x(value), bottom + 15.0), &text, label);
    }
    let ticks = Ticks::new(ranges[1], 6);
    let before = Lettering::plain(13.0, Anchor::End);
    for (value, text) in ticks.iter() {
        canvas.line([(LEFT - 5.0, y(value)), (LEFT, y(value))], frame);
        canvas.text((LEFT - 8.0, y(value)), &text, before);
    }
    let [a, b] = [0, 1].map(|k| format!("{} [{}]", basin.axes[k], units[k]));
    canvas.text((0.5 * (LEFT + right), SIZE.1 - 14.0), &a, label);
    let upwards = Lettering {
        upwards: true,
        ..label
    };
    canvas.text((18.0, 0.5 * (TOP + bottom)), &b, upwards);
    if (0..2).all(|k| (0.0..=1.0).contains(&share(k, basin.orbit[k]))) {
        let ring = Stroke {
            width: 2.0,
            ..Stroke::faint(1.0)
        };
        let place = (x(basin.orbit[0]), y(basin.orbit[1]));
        canvas.circle(place, 5.0, RGBColor(255, 255, 255), Some(ring));
    }
    let mut ends: Vec<BasinEnd> = Vec::new();
    for end in &basin.ends {
        if !ends.contains(end) {
            ends.push(*end);
        }
    }
    ends.sort_by_key(|end| match end {
        BasinEnd::Orbit(k) => *k,
        BasinEnd::Falls => usize::MAX - 1,
        BasinEnd::Undecided => usize::MAX,
    });
    let beside = Lettering::plain(13.0, Anchor::Start);
    for (i, end) in ends.iter().enumerate() {
        let height = TOP + 12.0 + 24.0 * i as f64;
        let [left, top] = [right + 16.0, height - 7.0];
        canvas.rectangle([left, top, 14.0, 14.0], colour(*end), 1.0);
        let edge = [
            (left, top),
            (left + 14.0, top),
            (left + 14.0, top + 14.0),
            (left, top + 14.0),
            (left, top),
        ];
        canvas.line(edge, frame);
        canvas.text((right + 38.0, height), &word(*end), beside);
    }
    let height = TOP + 12.0 + 24.0 * ends.len() as f64;
    let ring = Stroke {
        width: 2.0,
        ..Stroke::faint(1.0)
    };
    canvas.circle(
        (right + 23.0, height),
        5.0,
        RGBColor(255, 255, 255),
        Some(ring),
    );
    canvas.text((right + 38.0, height), "orbit 0", beside);
    canvas.finish()
}
