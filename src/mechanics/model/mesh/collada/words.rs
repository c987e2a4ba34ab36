//! Numbers in texts.

use std::str::SplitAsciiWhitespace;

use crate::model::mesh::{number, shown};

pub(super) fn numbers<const N: usize>(
    words: &mut SplitAsciiWhitespace<'_>,
) -> Result<[f64; N], String> {
    let mut found = [0.0; N];
    for x in &mut found {
        *x = number(words.next().unwrap_or_default())?;
    }
    Ok(found)
}

pub(super) fn whole_number(word: &str) -> Result<u32, String> {
    word.parse()
        .map_err(|_| format!("\"{}\" is not an index", shown(word)))
}

pub(super) fn whole_numbers(text: &str) -> Result<Vec<u32>, String> {
    text.split_ascii_whitespace().map(whole_number).collect()
}
