//! Pictures that are drawn dark on white and follow a reader who prefers light on dark.

use plotters::style::RGBColor;

/// Seven colours that people with any colour vision can tell apart (Okabe and Ito).
pub const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// What each colour of a picture becomes on a dark ground: lighter, and still told apart by people with
/// any colour vision.
const ON_DARK: [(&str, &str); 8] = [
    ("#FFFFFF", "#13161A"),
    ("#000000", "#E9ECEF"),
    ("#0072B2", "#56B4E9"),
    ("#D55E00", "#F07B3F"),
    ("#009E73", "#2BBF93"),
    ("#CC79A7", "#DE9AC0"),
    ("#E69F00", "#E6A91E"),
    ("#56B4E9", "#F0E442"),
];

/// Adds a style sheet that recolours an SVG picture where dark pages are preferred. Without one, and
/// in programs that know none, it stays as it is.
#[must_use]
pub fn with_dark_colours(svg: &str) -> String {
    let Some(start) = svg
        .find("<svg")
        .and_then(|svg_tag| svg[svg_tag..].find('>').map(|end| svg_tag + end + 1))
    else {
        return svg.to_string();
    };
    let mut rules = String::new();
    for (light, dark) in ON_DARK {
        for property in ["fill", "stroke"] {
            rules.push_str(&format!("[{property}=\"{light}\"]{{{property}:{dark}}}\n"));
        }
    }
    format!(
        "{}\n<style>\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n</style>{}",
        &svg[..start],
        &svg[start..]
    )
}

#[cfg(test)]
mod tests {
    use super::with_dark_colours;

    #[test]
    fn the_style_stands_first_in_the_picture() {
        let svg = "<svg width=\"1\">\n<rect fill=\"#FFFFFF\"/>\n</svg>\n";
        let themed = with_dark_colours(svg);
        assert!(themed.starts_with("<svg width=\"1\">\n<style>"));
        assert!(themed.ends_with("</style>\n<rect fill=\"#FFFFFF\"/>\n</svg>\n"));
        assert_eq!(with_dark_colours("no picture"), "no picture");
    }
}
