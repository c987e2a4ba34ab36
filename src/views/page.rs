//! Self-contained pages: one file with its styles, scripts and data, that asks no network for anything.
//!
//! # Example
//!
//! ```
//! use carom::views::page::{PageParts, page_text};
//!
//! let parts = PageParts {
//!     style: "p { margin: 0; }",
//!     body: "<p id=\"count\"></p>",
//!     scripts: &["document.getElementById('count').textContent = 'one';"],
//! };
//! let mut page = Vec::new();
//! page_text(&mut page, "Counts", &parts, &[1, 2, 3], &[])?;
//! assert!(String::from_utf8(page)?.contains("<title>Counts</title>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{self, Write};
use std::path::Path;

use crate::files::{OutputFileError, write_whole};
use serde::Serialize;

/// Styles and scripts that all pages share.
const SHARED_STYLE: &str = include_str!("../cli/page/theme.css");
const SHARED_SCRIPTS: [&str; 5] = [
    include_str!("../cli/page/data.js"),
    include_str!("../cli/page/format.js"),
    include_str!("../cli/page/theme.js"),
    include_str!("../cli/page/plot.js"),
    include_str!("../cli/page/chooser.js"),
];

/// What one kind of page is made of.
pub struct PageParts {
    /// Styles, after the shared ones.
    pub style: &'static str,
    /// The elements of the body.
    pub body: &'static str,
    /// Scripts, after the shared ones, in one scope.
    pub scripts: &'static [&'static str],
}

/// Nothing is loaded from anywhere: also what a name in the data smuggles in does not run.
const POLICY: &str = "script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// Writes a page whose scripts find `data` in the element `data`.
///
/// # Errors
/// The file cannot be written.
pub fn write_page(
    path: &Path,
    title: &str,
    parts: &PageParts,
    data: &impl Serialize,
) -> Result<(), OutputFileError> {
    write_whole(path, |out| page_text(out, title, parts, data, &[]))
}

/// Writes the text of a page. With scripts `more`, which come before its own, it may ask who serves it for data.
///
/// # Errors
/// What `out` says.
pub fn page_text(
    out: &mut dyn Write,
    title: &str,
    parts: &PageParts,
    data: &impl Serialize,
    more: &[&str],
) -> io::Result<()> {
    let title = escape_text(title);
    let allowed = if more.is_empty() {
        ""
    } else {
        "connect-src 'self'; "
    };
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {allowed}{POLICY}\">\n\
             <title>{title}</title>\n<style>\n{SHARED_STYLE}{}</style>\n</head>\n<body>\n{}",
        parts.style, parts.body
    )?;
    out.write_all(b"<script type=\"application/json\" id=\"data\">")?;
    write_data(out, data)?;
    out.write_all(b"</script>\n<script>\n\"use strict\";\n(() => {\n")?;
    for script in SHARED_SCRIPTS.iter().chain(more).chain(parts.scripts) {
        out.write_all(script.as_bytes())?;
    }
    out.write_all(b"})();\n</script>\n</body>\n</html>\n")
}

/// Text between tags.
fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// JSON in which no name can end the element that it stands in: `<` occurs in strings alone, where
/// it may be written by its number.
fn write_data(out: &mut dyn Write, data: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(data)?;
    out.write_all(text.replace('<', "\\u003c").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{escape_text, write_data};

    #[test]
    fn names_cannot_leave_their_element() {
        let name = "</script><script>alert(1)</script><!--";
        let mut text = Vec::new();
        write_data(&mut text, &name).unwrap();
        assert!(!text.contains(&b'<'));
        assert_eq!(serde_json::from_slice::<String>(&text).unwrap(), name);
        assert_eq!(escape_text("a<b>&c"), "a&lt;b&gt;&amp;c");
    }
}
