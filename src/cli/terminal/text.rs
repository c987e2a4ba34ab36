//! Numbers and tables for a person.

/// A number with up to six significant digits; what is round-off beside `scale` is 0.
pub fn number(value: f64, scale: f64) -> String {
    // Beside what is no number nothing is round-off.
    if scale.is_finite() && value.abs() <= 1e-13 * scale.abs() {
        return "0".to_string();
    }
    let magnitude = value.abs();
    if !(1e-4..1e7).contains(&magnitude) {
        return trim_zeros(&format!("{value:.5e}"));
    }
    let digits_before = magnitude.log10().floor() as i32;
    let decimals = usize::try_from(5 - digits_before).unwrap_or(0);
    trim_zeros(&format!("{value:.decimals$}"))
}

fn trim_zeros(text: &str) -> String {
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    if !mantissa.contains('.') {
        return text.to_string();
    }
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}{exponent}")
}

/// Numbers side by side, `(a, b, c)`.
pub fn vector(values: &[f64], scale: f64) -> String {
    let parts: Vec<String> = values.iter().map(|&value| number(value, scale)).collect();
    format!("({})", parts.join(", "))
}

/// The largest absolute value.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values
        .into_iter()
        .fold(0.0, |most, value| most.max(value.abs()))
}

/// One number, or the range of several that differ: `a` or `a to b`.
pub fn range(values: impl IntoIterator<Item = f64>, scale: f64) -> String {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        least = least.min(value);
        most = most.max(value);
    }
    if least > most {
        return "-".to_string();
    }
    let (low, high) = (number(least, scale), number(most, scale));
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}

/// A table with a heading row; the last column is not padded.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row).take(row.len().saturating_sub(1)) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if i + 1 < row.len() {
                let padding = widths[i].saturating_sub(cell.chars().count()) + 2;
                line.extend(std::iter::repeat_n(' ', padding));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_round_off_is_zero() {
        assert_eq!(number(0.5, 1.0), "0.5");
        assert_eq!(number(-2.0 / 3.0, 1.0), "-0.666667");
        assert_eq!(number(1234567.0, 1.0), "1234567");
        assert_eq!(number(2e-16, 1.0), "0");
        assert_eq!(number(2e-16, 0.0), "2e-16");
        assert_eq!(number(12345678.0, 1.0), "1.23457e7");
        assert_eq!(number(0.0, 0.0), "0");
        assert_eq!(number(100.0, 1.0), "100");
        assert_eq!(number(f64::NAN, 1.0), "NaN");
        assert_eq!(number(1.0, f64::INFINITY), "1");
        assert_eq!(number(f64::NAN, f64::NAN), "NaN");
    }

    #[test]
    fn ranges_collapse_when_both_ends_look_alike() {
        assert_eq!(range([1.0, 1.0 + 1e-12], 1.0), "1");
        assert_eq!(range([2.0, 1.0], 1.0), "1 to 2");
        assert_eq!(range([], 1.0), "-");
    }

    #[test]
    fn table_columns_line_up() {
        let row = |cells: [&str; 2]| cells.map(str::to_string).to_vec();
        assert_eq!(
            table(&[row(["a", "b"]), row(["long", "c"])]),
            "a     b\nlong  c\n"
        );
    }
}
