//! A small XML tree that remembers lines, for messages that name the place.

use std::collections::BTreeSet;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deeper nesting than any robot description has; bounds the recursion over the tree.
const MAX_DEPTH: usize = 64;

/// One element.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// Line of the start tag, from 1.
    pub(crate) line: usize,
    /// Bytes of the whole element.
    pub(crate) range: Range<usize>,
    /// Bytes of the start tag.
    pub(crate) start_tag: Range<usize>,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    /// Text directly inside, all pieces one after the other.
    pub(crate) text: String,
}

/// The text is not well-formed XML.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct XmlError {
    pub(crate) line: usize,
    pub(crate) reason: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }

    /// The prefixes of all names of the element and of those below it.
    pub(crate) fn collect_prefixes<'a>(&'a self, prefixes: &mut BTreeSet<&'a str>) {
        let attributes = self.attributes.iter().map(|(name, _)| name.as_str());
        let names = attributes.chain(std::iter::once(self.name.as_str()));
        prefixes.extend(
            names
                .filter_map(|name| name.split_once(':'))
                .map(|(p, _)| p),
        );
        for child in &self.children {
            child.collect_prefixes(prefixes);
        }
    }

    /// Whether the element or one below it satisfies the predicate.
    pub(crate) fn any(&self, predicate: &dyn Fn(&Element) -> bool) -> bool {
        predicate(self) || self.children.iter().any(|c| c.any(predicate))
    }
}

/// Parses a document into its root element.
pub(crate) fn parse(text: &str) -> Result<Element, XmlError> {
    let mut reader = Reader::from_str(text);
    let mut lines = LineCounter {
        text,
        at: 0,
        line: 1,
    };
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let before = reader.buffer_position() as usize;
        let line = lines.line_at(before);
        let event = reader.read_event().map_err(|error| XmlError {
            line: lines.line_at(reader.error_position() as usize),
            reason: error.to_string(),
        })?;
        let after = reader.buffer_position() as usize;
        let closed = match event {
            Event::Start(tag) => {
                open.push(element(&tag, line, before..after)?);
                if open.len() > MAX_DEPTH {
                    let reason = format!("elements are nested more than {MAX_DEPTH} deep");
                    return Err(XmlError { line, reason });
                }
                None
            }
            Event::Empty(tag) => Some(element(&tag, line, before..after)?),
            Event::End(_) => open.pop().map(|mut element| {
                element.range.end = after;
                element
            }),
            Event::Text(text) => {
                if let (Some(parent), Ok(text)) = (open.last_mut(), text.decode()) {
                    parent.text.push_str(&text);
                }
                None
            }
            Event::GeneralRef(reference) => {
                if let (Some(parent), Ok(Some(sign))) =
                    (open.last_mut(), reference.resolve_char_ref())
                {
                    parent.text.push(sign);
                }
                None
            }
            Event::Eof => break,
            _ => None,
        };
        if let Some(element) = closed {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None if root.is_none() => root = Some(element),
                None => {
                    let reason = format!("a second root element <{}>", element.name);
                    return Err(XmlError {
                        line: element.line,
                        reason,
                    });
                }
            }
        }
    }
    if let Some(element) = open.last() {
        let reason = format!("<{}> is never closed", element.name);
        return Err(XmlError {
            line: element.line,
            reason,
        });
    }
    root.ok_or_else(|| XmlError {
        line: 1,
        reason: "there is no XML element in it".to_string(),
    })
}

fn element(tag: &BytesStart<'_>, line: usize, range: Range<usize>) -> Result<Element, XmlError> {
    let mut element = Element {
        name: String::from_utf8_lossy(tag.name().as_ref()).into_owned(),
        line,
        start_tag: range.clone(),
        range,
        ..Element::default()
    };
    for attribute in tag.attributes() {
        let broken = |reason: String| XmlError {
            line,
            reason: format!("<{}>: {reason}", element.name),
        };
        let attribute = attribute.map_err(|error| broken(error.to_string()))?;
        let value = attribute
            .decode_and_unescape_value(tag.decoder())
            .map_err(|error| broken(error.to_string()))?;
        let key = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        element.attributes.push((key, value.into_owned()));
    }
    Ok(element)
}

/// Line numbers of growing byte offsets.
struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn line_at(&mut self, offset: usize) -> usize {
        let offset = offset.clamp(self.at, self.text.len());
        let passed = &self.text.as_bytes()[self.at..offset];
        self.line += passed.iter().filter(|b| **b == b'\n').count();
        self.at = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_their_line_and_their_bytes() {
        let text = "<?xml version=\"1.0\"?>\n<a x='1 &lt; 2'>\n  <!-- <c/> -->\n  <b/>\n</a>\n";
        let root = parse(text).unwrap();
        assert_eq!((root.name.as_str(), root.line), ("a", 2));
        assert_eq!(root.attribute("x"), Some("1 < 2"));
        let b = root.child("b").unwrap();
        assert_eq!(b.line, 4);
        assert_eq!(&text[b.range.clone()], "<b/>");
        assert_eq!(&text[root.start_tag.clone()], "<a x='1 &lt; 2'>");
        assert!(text[root.range.clone()].ends_with("</a>"));
    }

    #[test]
    fn broken_texts_are_errors_with_a_line() {
        let deep = "<a>".repeat(100_000);
        for (text, line, part) in [
            ("", 1, "no XML element"),
            ("hello", 1, "no XML element"),
            ("<a>\n<b>\n</a>", 3, "</"),
            ("<a>\n<b>", 2, "never closed"),
            ("<a/>\n<b/>", 2, "second root"),
            ("<a>\n<b x=1/></a>", 2, "<b>"),
            ("<a>\n<b x='1' x='2'/></a>", 2, "<b>"),
            ("<a", 1, ""),
            (&deep, 1, "nested"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:.20}: {error:?}");
            assert!(error.reason.contains(part), "{error:?}");
        }
    }
}
