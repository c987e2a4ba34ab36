//! Fields of tables as text.

use std::io;

/// A line of a table.
pub(super) fn csv_line<S: AsRef<[u8]>>(fields: impl IntoIterator<Item = S>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields)?;
    writer.into_inner().map_err(|e| e.into_error())
}

/// Whether a field holds what separates fields or lines.
pub(super) fn needs_quotes(field: &[u8]) -> bool {
    field
        .iter()
        .any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'))
}

/// Appends a field of a table: in quotes where it holds what separates fields or lines, and quotes in it doubled.
pub(super) fn push_field(field: &[u8], text: &mut Vec<u8>) {
    if !needs_quotes(field) {
        text.extend_from_slice(field);
        return;
    }
    text.push(b'"');
    for &byte in field {
        if byte == b'"' {
            text.push(b'"');
        }
        text.push(byte);
    }
    text.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::{csv_line, push_field};

    #[test]
    fn fields_are_quoted_as_the_reader_of_tables_expects() {
        let fields = [
            "foot",
            "a,b",
            "say \"a\"",
            "two\nlines",
            "two\rlines",
            "\"",
            "",
            "a;b c",
        ];
        let mut text = Vec::new();
        for field in fields {
            push_field(field.as_bytes(), &mut text);
            text.push(b',');
        }
        text.pop();
        text.push(b'\n');
        assert_eq!(text, csv_line(fields).unwrap());
    }
}
