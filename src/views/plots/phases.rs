//! The picture of the contacts' phases over time: held intervals as bars, impacts as ticks.

use plotters::style::RGBColor;

use super::data::ContactPhases;
use super::legend::fitting;
use super::panel::WIDTH;
use super::svg_canvas::{Anchor, Lettering, Stroke, SvgCanvas, text_width};
use super::svg_theme::PALETTE;
use super::ticks::Ticks;

const ROW: f64 = 26.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 44.0;
const RIGHT: f64 = 14.0;
const LETTERS: f64 = 13.0;
/// Names take at most this share of the width.
const MOST_NAME: f64 = 0.3;

/// Contacts of which all have a row; of more, those that something happened at.
const MOST_IDLE: usize = 12;

/// When each contact was held, and when it took part in an impact.
pub(crate) fn draw_phases((start, end): (f64, f64), phases: &ContactPhases) -> String {
    let busy = |i: &usize| {
        phases.held.iter().any(|held| held.0 == *i) || phases.impacts.iter().any(|hit| hit.0 == *i)
    };
    let all = phases.names.len();
    let shown: Vec<usize> = (0..all).filter(|i| all <= MOST_IDLE || busy(i)).collect();
    let rows = shown.len() as f64;
    let names = || shown.iter().map(|i| &phases.names[*i]);
    let longest = names().fold(0.0, |m: f64, name| m.max(text_width(name, LETTERS)));
    let left = 16.0 + longest.min(MOST_NAME * WIDTH);
    let height = TOP + ROW * rows + BOTTOM;
    let mut canvas = SvgCanvas::new(WIDTH, height);
    let bold = Lettering {
        bold: true,
        ..Lettering::plain(17.0, Anchor::Start)
    };
    let title = match all - shown.len() {
        0 => "Contacts".to_string(),
        idle => format!("Contacts; {idle} others touched nothing"),
    };
    canvas.text((left, 18.0), &title, bold);
    draw_legend(&mut canvas, left);
    let x = |time: f64| left + (time - start) / (end - start) * (WIDTH - RIGHT - left);
    let base = TOP + ROW * rows;
    let muted = Lettering {
        muted: true,
        ..Lettering::plain(12.0, Anchor::Middle)
    };
    for (time, text) in Ticks::new((start, end), 10).iter() {
        canvas.line([(x(time), TOP), (x(time), base)], Stroke::faint(0.12));
        canvas.text((x(time), base + 11.0), &text, muted);
    }
    let how = Lettering {
        anchor: Anchor::End,
        ..muted
    };
    canvas.text((WIDTH - RIGHT, base + 28.0), "time (s)", how);
    let middle = |contact: usize| {
        let row = shown.iter().position(|i| *i == contact).unwrap_or(0);
        TOP + ROW * (row as f64 + 0.5)
    };
    for (contact, name) in shown.iter().zip(names()) {
        let y = middle(*contact);
        canvas.line([(left, y), (WIDTH - RIGHT, y)], Stroke::faint(0.08));
        let name = fitting(name, left - 16.0, LETTERS);
        canvas.text(
            (left - 8.0, y),
            &name,
            Lettering::plain(LETTERS, Anchor::End),
        );
    }
    for (row, from, to) in &phases.held {
        let width = (x(*to) - x(*from)).max(0.5);
        canvas.rectangle([x(*from), middle(*row) - 6.0, width, 12.0], HELD, 1.0);
    }
    // Not told by the colour alone: what was not unique has a diamond, above all ticks.
    for doubtful in [false, true] {
        for (row, time, _) in phases.impacts.iter().filter(|impact| impact.2 == doubtful) {
            draw_impact(&mut canvas, (x(*time), middle(*row)), doubtful);
        }
    }
    canvas.finish()
}

const HELD: RGBColor = PALETTE[2];

fn draw_impact(canvas: &mut SvgCanvas, (x, y): (f64, f64), doubtful: bool) {
    let color = if doubtful { PALETTE[1] } else { PALETTE[6] };
    let stroke = Stroke {
        color,
        width: 1.2,
        ..Stroke::curve(0)
    };
    canvas.line([(x, y - 10.0), (x, y + 10.0)], stroke);
    if doubtful {
        let corners = [(x, y - 5.0), (x + 5.0, y), (x, y + 5.0), (x - 5.0, y)];
        canvas.polygon(corners, color, 1.0, None);
    }
}

fn draw_legend(canvas: &mut SvgCanvas, left: f64) {
    let y = 42.0;
    canvas.rectangle([left, y - 6.0, 22.0, 12.0], HELD, 1.0);
    draw_impact(canvas, (left + 89.0, y), false);
    draw_impact(canvas, (left + 179.0, y), true);
    for (x, text) in [
        (28.0, "held"),
        (100.0, "impact"),
        (190.0, "impact not known to be unique"),
    ] {
        canvas.text((left + x, y), text, Lettering::plain(12.0, Anchor::Start));
    }
}
