//! Words of TOML for files that are written by hand, with comments between.

/// A basic string on one line: those that the library writes may become literal or of several lines.
pub fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A key, in quotes where it needs them.
pub fn toml_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_string()
    } else {
        toml_string(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written reads back, whatever signs it has.
    #[test]
    fn strings_and_keys_read_back() {
        for text in [
            "plain",
            "",
            "with space",
            "a\"b\\c",
            "line\nbreak\t\u{7f}",
            "π'\"\"\"",
        ] {
            let line = format!("{} = {}", toml_key(text), toml_string(text));
            let table: toml::Table = toml::from_str(&line).unwrap();
            assert_eq!(
                table.get(text).and_then(toml::Value::as_str),
                Some(text),
                "{line}"
            );
        }
        assert_eq!(toml_key("left-knee_2"), "left-knee_2");
    }
}
