//! Rows of the table as text.

use crate::files::push_number;
use crate::sweep::outcome::Outcome;

/// One record of a CSV table, with its end of line.
pub(in crate::sweep) fn record<'a>(cells: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut line = Vec::new();
    for (i, cell) in cells.enumerate() {
        if i > 0 {
            line.push(b',');
        }
        push_cell(cell, &mut line);
    }
    line.push(b'\n');
    line
}

fn push_cell(cell: &[u8], line: &mut Vec<u8>) {
    if !cell
        .iter()
        .any(|b| matches!(b, b',' | b'"' | b'\n' | b'\r'))
    {
        line.extend_from_slice(cell);
        return;
    }
    line.push(b'"');
    for b in cell {
        if *b == b'"' {
            line.push(b'"');
        }
        line.push(*b);
    }
    line.push(b'"');
}

/// The row of a run: number, status, message, values of the keys, `metrics` values.
pub(in crate::sweep) fn row(
    index: u64,
    values: &[Option<String>],
    outcome: &Outcome,
    metrics: usize,
) -> Vec<u8> {
    let mut line = index.to_string().into_bytes();
    line.push(b',');
    line.extend_from_slice(outcome.status.word().as_bytes());
    line.push(b',');
    push_cell(outcome.message.as_bytes(), &mut line);
    for value in values {
        line.push(b',');
        push_cell(value.as_deref().unwrap_or_default().as_bytes(), &mut line);
    }
    for i in 0..metrics {
        line.push(b',');
        if let Some(Some(x)) = outcome.values.get(i) {
            push_number(*x, &mut line);
        }
    }
    line.push(b'\n');
    line
}
