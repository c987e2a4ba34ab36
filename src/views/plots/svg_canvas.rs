//! Lines, areas and texts as SVG, with places to a hundredth of a pixel.

use std::fmt::Write;

use plotters::style::RGBColor;

use super::svg_theme::{PALETTE, with_dark_colours};

/// Width of a letter over the size of its font, on the safe side for sans-serif fonts.
const LETTER: f64 = 0.6;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub color: RGBColor,
    /// From 0 to 1.
    pub opacity: f64,
    /// In pixels.
    pub width: f64,
    /// Whether it is dashed.
    pub dashed: bool,
}

/// Where a text stands beside its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// How a text is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lettering {
    /// Font size in pixels.
    pub size: f64,
    /// Where it stands.
    pub anchor: Anchor,
    /// Whether it is bold.
    pub bold: bool,
    /// Whether it is lighter than other texts.
    pub muted: bool,
    /// Whether it reads upwards.
    pub upwards: bool,
}

impl Stroke {
    /// A solid line in a colour of the palette; beyond the palette its colours come again, dashed.
    #[must_use]
    pub fn curve(i: usize) -> Self {
        Self {
            color: PALETTE[i % PALETTE.len()],
            opacity: 1.0,
            width: 1.8,
            dashed: i >= PALETTE.len(),
        }
    }

    /// A thin dark line of some opacity.
    #[must_use]
    pub fn faint(opacity: f64) -> Self {
        Self {
            color: RGBColor(0, 0, 0),
            opacity,
            width: 1.0,
            dashed: false,
        }
    }
}

impl Lettering {
    /// Plain text of a size.
    #[must_use]
    pub fn plain(size: f64, anchor: Anchor) -> Self {
        Self {
            size,
            anchor,
            bold: false,
            muted: false,
            upwards: false,
        }
    }
}

/// About how wide a text is, in pixels; rather more than less.
#[must_use]
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    LETTER * size * text.chars().count() as f64
}

/// A picture that is written from back to front; lengths are in pixels, y goes down.
#[derive(Debug, Clone)]
pub struct SvgCanvas {
    text: String,
}

impl SvgCanvas {
    /// A white picture.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        let mut canvas = Self {
            text: format!(
                "<svg width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" xmlns=\"http://www.w3.org/2000/svg\">\n",
                w = width.ceil(),
                h = height.ceil(),
            ),
        };
        canvas.rectangle(
            [0.0, 0.0, width.ceil(), height.ceil()],
            RGBColor(255, 255, 255),
            1.0,
        );
        canvas
    }

    /// A rectangle (left, top, width, height).
    pub fn rectangle(&mut self, [x, y, w, h]: [f64; 4], color: RGBColor, opacity: f64) {
        let _ = write!(self.text, "<rect x=\"");
        for (value, next) in [
            (x, "\" y=\""),
            (y, "\" width=\""),
            (w, "\" height=\""),
            (h, "\""),
        ] {
            self.number(value);
            self.text.push_str(next);
        }
        let _ = write!(self.text, " fill=\"{}\"", hex(color));
        self.opacity(opacity);
        self.text.push_str("/>\n");
    }

    /// A line through points; nothing for fewer than two.
    pub fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, stroke: Stroke) {
        let before = self.text.len();
        self.text.push_str("<polyline points=\"");
        if self.points(points) < 2 {
            self.text.truncate(before);
            return;
        }
        let _ = write!(
            self.text,
            "\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
            hex(stroke.color),
            stroke.width
        );
        if stroke.dashed {
            self.text.push_str(" stroke-dasharray=\"7 4\"");
        }
        self.opacity(stroke.opacity);
        self.text.push_str("/>\n");
    }

    /// A filled outline; its edge, if it has one, is drawn in the same colour.
    pub fn polygon(
        &mut self,
        points: impl IntoIterator<Item = (f64, f64)>,
        color: RGBColor,
        opacity: f64,
        edge: Option<f64>,
    ) {
        self.text.push_str("<polygon points=\"");
        self.points(points);
        let _ = write!(self.text, "\" fill=\"{}\"", hex(color));
        if let Some(width) = edge {
            let _ = write!(
                self.text,
                " stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
                hex(color)
            );
        }
        self.opacity(opacity);
        self.text.push_str("/>\n");
    }

    /// Several outlines, filled as one: where they overlap it is no darker.
    pub fn outlines(
        &mut self,
        outlines: impl IntoIterator<Item = Vec<(f64, f64)>>,
        color: RGBColor,
        opacity: f64,
    ) {
        self.text.push_str("<path d=\"");
        for outline in outlines {
            self.text.push('M');
            self.points(outline);
            self.text.push('Z');
        }
        let _ = write!(self.text, "\" fill=\"{}\"", hex(color));
        self.opacity(opacity);
        self.text.push_str("/>\n");
    }

    /// A circle.
    pub fn circle(
        &mut self,
        (x, y): (f64, f64),
        radius: f64,
        fill: RGBColor,
        edge: Option<Stroke>,
    ) {
        self.text.push_str("<circle cx=\"");
        for (value, next) in [(x, "\" cy=\""), (y, "\" r=\""), (radius, "\"")] {
            self.number(value);
            self.text.push_str(next);
        }
        let _ = write!(self.text, " fill=\"{}\"", hex(fill));
        if let Some(edge) = edge {
            let (color, width) = (hex(edge.color), edge.width);
            let _ = write!(self.text, " stroke=\"{color}\" stroke-width=\"{width}\"");
        }
        self.text.push_str("/>\n");
    }

    /// A text whose middle is at the height of its place.
    pub fn text(&mut self, (x, y): (f64, f64), text: &str, how: Lettering) {
        self.text.push_str("<text x=\"");
        self.number(x);
        self.text.push_str("\" y=\"");
        self.number(y);
        let anchor = match how.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = write!(
            self.text,
            "\" dy=\"0.35em\" text-anchor=\"{anchor}\" font-family=\"sans-serif\" font-size=\"{}\" fill=\"#000000\"",
            how.size
        );
        if how.bold {
            self.text.push_str(" font-weight=\"600\"");
        }
        if how.upwards {
            let _ = write!(self.text, " transform=\"rotate(-90 {x:.2} {y:.2})\"");
        }
        self.opacity(if how.muted { 0.66 } else { 1.0 });
        let escaped = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let _ = writeln!(self.text, ">{escaped}</text>");
    }

    /// The whole picture, light and dark.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        with_dark_colours(&self.text)
    }

    /// Writes points and counts them.
    fn points(&mut self, points: impl IntoIterator<Item = (f64, f64)>) -> usize {
        let mut count = 0;
        for (x, y) in points {
            if count > 0 {
                self.text.push(' ');
            }
            self.number(x);
            self.text.push(',');
            self.number(y);
            count += 1;
        }
        count
    }

    fn number(&mut self, x: f64) {
        let _ = write!(self.text, "{x:.2}");
        let kept = self.text.trim_end_matches('0').trim_end_matches('.').len();
        self.text.truncate(kept);
    }

    fn opacity(&mut self, opacity: f64) {
        if opacity < 1.0 {
            let _ = write!(self.text, " opacity=\"{opacity}\"");
        }
    }
}

fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_parts_of_pixels_and_texts_their_signs() {
        let mut canvas = SvgCanvas::new(10.0, 10.0);
        canvas.line([(1.0, 2.0), (1.254, 100.5)], Stroke::curve(0));
        canvas.line([(1.0, 2.0)], Stroke::curve(0));
        canvas.text((3.0, 0.0), "a<b & c", Lettering::plain(12.0, Anchor::Start));
        let svg = canvas.finish();
        assert!(svg.contains("points=\"1,2 1.25,100.5\""), "{svg}");
        assert_eq!(svg.matches("<polyline").count(), 1);
        assert!(svg.contains(">a&lt;b &amp; c</text>"));
        assert!(svg.contains("x=\"3\" y=\"0\""), "{svg}");
    }
}
