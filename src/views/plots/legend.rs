//! Names of curves beside a plot.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Area, Drawn, PALETTE};

/// A line in the colour of each curve and its name.
pub(crate) fn draw_legend<'a>(area: &Area<'_>, names: impl Iterator<Item = &'a str>) -> Drawn {
    let names: Vec<&str> = names.collect();
    let pitch = (240 / names.len().max(1) as i32).clamp(12, 20);
    let size = (pitch - 4).clamp(9, 14);
    for (i, name) in names.iter().enumerate() {
        let y = 46 + pitch * i as i32;
        let style = PALETTE[i % PALETTE.len()].stroke_width(2);
        let parts: &[(i32, i32)] = if i < PALETTE.len() {
            &[(2, 26)]
        } else {
            &[(2, 10), (14, 22)]
        };
        for &(from, to) in parts {
            area.draw(&PathElement::new(vec![(from, y), (to, y)], style))
                .map_err(|e| e.to_string())?;
        }
        let anchor = Pos::new(HPos::Left, VPos::Center);
        let style = ("sans-serif", size).into_text_style(area).pos(anchor);
        area.draw(&Text::new(name.to_string(), (32, y), style))
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}
