//! Where something stands in a JSON text: the path of keys and indices, line and column.
//!
//! `serde_json` says line and column; a person who wrote the file by program knows the path. This
//! scanner finds one from the other without parsing values, so it also works on texts that are not
//! quite JSON, such as those with `NaN` in them.

use std::fmt;
use std::ops::Range;

/// Path from the root of a document to a value: `[1].contacts[0].normal`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonPath(Vec<PathStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    Index(usize),
}

impl JsonPath {
    /// The last key on the path (indices after it are passed over).
    pub fn last_key(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Index(_) => None,
        })
    }

    /// The keys on the path, without the indices.
    pub fn keys(&self) -> Vec<&str> {
        self.0
            .iter()
            .filter_map(|step| match step {
                PathStep::Key(key) => Some(key.as_str()),
                PathStep::Index(_) => None,
            })
            .collect()
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if i == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Byte offset of the end of column `column` (bytes, from 1, as `serde_json` counts) of line `line`.
pub fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (start + column).min(text.len())
}

/// Path of the value that is being read after the first `offset` bytes.
pub fn path_at(text: &str, offset: usize) -> JsonPath {
    let mut stack: Vec<PathStep> = Vec::new();
    let bytes = &text.as_bytes()[..offset.min(text.len())];
    let mut position = 0;
    let mut key_expected = false;
    while position < bytes.len() {
        match bytes[position] {
            b'"' => {
                let end = end_of_string(bytes, position);
                if key_expected && let Some(PathStep::Key(key)) = stack.last_mut() {
                    // A cut-off or badly encoded key is shown as far as it can be read.
                    let inner = &bytes[position + 1..end.saturating_sub(1).max(position + 1)];
                    *key = String::from_utf8_lossy(inner).into_owned();
                    key_expected = false;
                }
                position = end;
                continue;
            }
            b'{' => {
                stack.push(PathStep::Key(String::new()));
                key_expected = true;
            }
            b'[' => stack.push(PathStep::Index(0)),
            b'}' | b']' => {
                stack.pop();
                key_expected = false;
            }
            b',' => match stack.last_mut() {
                Some(PathStep::Index(index)) => *index += 1,
                Some(PathStep::Key(_)) => key_expected = true,
                None => {}
            },
            _ => {}
        }
        position += 1;
    }
    // An object that was opened, or a comma, before its next key: the place is the object itself.
    if key_expected && matches!(stack.last(), Some(PathStep::Key(_))) {
        stack.pop();
    }
    JsonPath(stack)
}

/// The bare word or number around the byte before `offset`: `NaN`, `1e999`, `-Infinity`.
pub fn token_at(text: &str, offset: usize) -> &str {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let offset = (0..=offset.min(text.len()))
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0);
    let start = text[..offset].rfind(|c| !is_token(c)).map_or(0, |i| {
        i + text[i..].chars().next().map_or(1, char::len_utf8)
    });
    let end = text[offset..]
        .find(|c| !is_token(c))
        .map_or(text.len(), |i| offset + i);
    &text[start..end]
}

/// Byte ranges of the elements when the text is one array with balanced brackets, else `None`.
pub fn array_elements(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let open = text.find(|c: char| !c.is_ascii_whitespace())?;
    if bytes[open] != b'[' {
        return None;
    }
    let mut elements = Vec::new();
    let mut start = open + 1;
    let mut depth = 0_usize;
    let mut position = open;
    let close = loop {
        match bytes.get(position)? {
            b'"' => {
                position = end_of_string(bytes, position);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    break position;
                }
            }
            b',' if depth == 1 => {
                elements.push(start..position);
                start = position + 1;
            }
            _ => {}
        }
        position += 1;
    };
    if bytes[close] != b']' || !text[close + 1..].trim().is_empty() {
        return None;
    }
    if !(elements.is_empty() && text[start..close].trim().is_empty()) {
        elements.push(start..close);
    }
    Some(elements)
}

/// The text of the string under key `key` of the object that is the whole text, read leniently.
pub fn string_at_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let bytes = text.as_bytes();
    let mut position = 0;
    let mut depth = 0_usize;
    let mut under_key = false;
    while position < bytes.len() {
        match bytes[position] {
            b'"' => {
                let end = end_of_string(bytes, position);
                let inner = text.get(position + 1..end.saturating_sub(1));
                let is_key = text[end..].trim_start().starts_with(':');
                if depth == 1 && is_key {
                    under_key = inner == Some(key);
                } else if depth == 1 && under_key {
                    return inner;
                }
                position = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        position += 1;
    }
    None
}

/// Position behind the closing quote of the string whose opening quote stands at `start`, or the
/// end of the bytes.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut position = start + 1;
    while position < bytes.len() {
        match bytes[position] {
            b'\\' => position += 2,
            b'"' => return position + 1,
            _ => position += 1,
        }
    }
    bytes.len()
}

/// The message of an error without its " at line 1 column 2", which counts from the start of the text that was parsed.
pub fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    message
        .strip_suffix(&suffix)
        .unwrap_or(&message)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"name": "a, [b", "contacts": [{"normal": [1, 2.5]}, {"x": NaN}]}"#;

    fn path(marker: &str) -> String {
        path_at(TEXT, TEXT.find(marker).unwrap() + 1).to_string()
    }

    #[test]
    fn paths_lead_to_values_past_brackets_inside_strings() {
        assert_eq!(path("a, [b"), "name");
        assert_eq!(path("2.5"), "contacts[0].normal[1]");
        assert_eq!(path("NaN"), "contacts[1].x");
        assert_eq!(path("{\"x"), "contacts[1]");
        assert_eq!(path_at(TEXT, TEXT.len()).to_string(), "");
    }

    #[test]
    fn tokens_are_found_from_any_of_their_bytes() {
        let start = TEXT.find("NaN").unwrap();
        for offset in start + 1..=start + 3 {
            assert_eq!(token_at(TEXT, offset), "NaN");
        }
        assert_eq!(token_at("é-1e999]", 8), "-1e999");
    }

    #[test]
    fn array_is_split_at_its_own_commas_only() {
        let text = r#" [ {"a": [1, 2]}, "x,]", 3 ] "#;
        let parts: Vec<_> = array_elements(text)
            .unwrap()
            .into_iter()
            .map(|r| text[r].trim())
            .collect();
        assert_eq!(parts, [r#"{"a": [1, 2]}"#, r#""x,]""#, "3"]);
        assert_eq!(array_elements("[]"), Some(vec![]));
        for not_an_array in ["", "{}", "[1, 2", "[1] 2", "[1}", "[\"", "[\"\\"] {
            assert_eq!(array_elements(not_an_array), None, "{not_an_array}");
        }
    }

    #[test]
    fn name_is_read_from_a_broken_object() {
        assert_eq!(
            string_at_key(r#"{"x": NaN, "name": "bad"}"#, "name"),
            Some("bad")
        );
        assert_eq!(string_at_key(r#"{"x": {"name": "inner"}}"#, "name"), None);
    }
}
