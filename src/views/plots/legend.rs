//! What curves are called, in rows above them.

use super::panel::Look;
use super::svg_canvas::{Anchor, Lettering, Stroke, SvgCanvas, text_width};

/// Height of a row.
pub(super) const LEGEND_ROW: f64 = 18.0;
/// Size of its letters.
pub(super) const SMALL: f64 = 12.0;
/// Of the areas below curves.
pub(super) const AREA_OPACITY: f64 = 0.25;

/// A text, with its middle left out where it is wider than its room.
pub(super) fn fitting(text: &str, room: f64, size: f64) -> String {
    let most = (room / text_width("x", size)).max(3.0) as usize;
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_string();
    }
    let head = (most - 1) / 3;
    let tail = most - 1 - head;
    let shown = letters[..head]
        .iter()
        .chain(&['…'])
        .chain(&letters[letters.len() - tail..]);
    shown.collect()
}

/// Names beside each other: place from the left, name, look.
pub(super) type LegendRow = Vec<(f64, String, Look)>;

/// As many rows as the names need.
pub(super) fn legend_rows(names: &[(String, Look)], width: f64) -> Vec<LegendRow> {
    let mut rows: Vec<LegendRow> = Vec::new();
    let mut used = f64::INFINITY;
    for (name, look) in names {
        let name = fitting(name, width - 30.0, SMALL);
        let wide = 30.0 + text_width(&name, SMALL) + 14.0;
        if used + wide > width + 14.0 {
            rows.push(Vec::new());
            used = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((used, name, *look));
        }
        used += wide;
    }
    rows
}

/// Samples of the looks, each with its name.
pub(super) fn draw_legend(canvas: &mut SvgCanvas, rows: &[LegendRow], (left, top): (f64, f64)) {
    for (r, row) in rows.iter().enumerate() {
        let y = top + LEGEND_ROW * r as f64;
        for (x, name, look) in row {
            let from = left + x;
            let ends = [(from, y), (from + 22.0, y)];
            match look {
                Look::Line(i) => canvas.line(ends, Stroke::curve(*i)),
                Look::Area(i) => {
                    let color = Stroke::curve(*i).color;
                    canvas.rectangle([from, y - 5.0, 22.0, 10.0], color, AREA_OPACITY);
                }
            }
            canvas.text(
                (from + 28.0, y),
                name,
                Lettering::plain(SMALL, Anchor::Start),
            );
        }
    }
}
