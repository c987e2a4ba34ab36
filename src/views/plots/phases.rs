//! The picture of the contacts' phases over time: held intervals as bars, impacts as ticks.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::PALETTE;
use super::data::ContactPhases;
use super::{Area, Drawn, LABELS, LEGEND_WIDTH, WIDTH, tick};

/// Height of one contact's row.
pub(crate) const PHASE_ROW: u32 = 34;

/// When each contact was held, and when it took part in an impact.
pub(crate) fn draw_phases(area: &Area<'_>, end: f64, phases: &ContactPhases) -> Drawn {
    let rows = phases.names.len();
    let (left, right) = area.split_horizontally(WIDTH - LEGEND_WIDTH);
    let end = if end > 0.0 { end } else { 1.0 };
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .caption("Contacts", ("sans-serif", 17))
        .x_label_area_size(44)
        .y_label_area_size(130)
        .build_cartesian_2d(0.0..end, 0.0..rows as f64)
        .map_err(|e| e.to_string())?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(WHITE.mix(0.0))
        .bold_line_style(BLACK.mix(0.12))
        .y_labels(0)
        .x_desc("time (s)")
        .x_label_formatter(&|x| tick(x, (0.0, end)))
        .label_style(LABELS)
        .axis_desc_style(LABELS)
        .draw()
        .map_err(|e| e.to_string())?;
    let held = PALETTE[2];
    let colour = |ambiguous: bool| if ambiguous { PALETTE[1] } else { PALETTE[6] };
    // The first contact stands at the top.
    let middle = |row: usize| (rows - row) as f64 - 0.5;
    let bars = phases.held.iter().map(|(row, from, to)| {
        let y = middle(*row);
        Rectangle::new([(*from, y - 0.25), (*to, y + 0.25)], held.filled())
    });
    chart.draw_series(bars).map_err(|e| e.to_string())?;
    let ticks = phases.impacts.iter().map(|(row, time, ambiguous)| {
        let y = middle(*row);
        PathElement::new(
            vec![(*time, y - 0.38), (*time, y + 0.38)],
            colour(*ambiguous).stroke_width(1),
        )
    });
    chart.draw_series(ticks).map_err(|e| e.to_string())?;
    // Not told by the colour alone: diamonds lie on the ticks, above all of them.
    let ambiguous = phases.impacts.iter().filter(|(_, _, ambiguous)| *ambiguous);
    let diamonds = ambiguous
        .map(|(row, time, _)| EmptyElement::at((*time, middle(*row))) + diamond(colour(true)));
    chart.draw_series(diamonds).map_err(|e| e.to_string())?;
    let anchor = Pos::new(HPos::Right, VPos::Center);
    let style = LABELS.into_text_style(area).pos(anchor);
    for (row, name) in phases.names.iter().enumerate() {
        let (x, y) = chart.plotting_area().map_coordinate(&(0.0, middle(row)));
        left.draw(&Text::new(name.clone(), (x - 8, y), style.clone()))
            .map_err(|e| e.to_string())?;
    }
    draw_phase_legend(&right, held, colour)
}

fn diamond(colour: RGBColor) -> Polygon<(i32, i32)> {
    Polygon::new(vec![(0, -5), (5, 0), (0, 5), (-5, 0)], colour.filled())
}

fn draw_phase_legend(area: &Area<'_>, held: RGBColor, colour: impl Fn(bool) -> RGBColor) -> Drawn {
    let anchor = Pos::new(HPos::Left, VPos::Center);
    let style = LABELS.into_text_style(area).pos(anchor);
    let text = |name: &str, y: i32| {
        area.draw(&Text::new(name.to_string(), (32, y), style.clone()))
            .map_err(|e| e.to_string())
    };
    area.draw(&Rectangle::new([(2, 40), (26, 52)], held.filled()))
        .map_err(|e| e.to_string())?;
    text("held", 46)?;
    for (y, name, ambiguous) in [
        (66, "impact", false),
        (86, "impact not known to be unique", true),
    ] {
        area.draw(&PathElement::new(
            vec![(14, y - 8), (14, y + 8)],
            colour(ambiguous).stroke_width(2),
        ))
        .map_err(|e| e.to_string())?;
        text(name, y)?;
    }
    area.draw(&(EmptyElement::at((14, 86)) + diamond(colour(true))))
        .map_err(|e| e.to_string())
}
