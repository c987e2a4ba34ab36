//! Numbers as text: the shortest that read back to the same bits.

use std::ops::Range;

/// Sizes that the formatter writes with leading zeros and the standard library with an exponent.
const WITH_EXPONENT: Range<f64> = 1e-5..1e-4;
/// From here on both write an exponent, the formatter with a sign.
const LARGE: f64 = 1e16;
/// Fields that are zero, as many as are copied at once.
const ZEROS: [[u8; 4]; 64] = [*b"0.0,"; 64];

/// Appends a number in the notation of `{:?}`, in a tenth of the time. Where two shortest numbers are equally close, it
/// takes the even one, which `{:?}` does not.
pub fn push_number(x: f64, text: &mut Vec<u8>) {
    let size = x.abs();
    if size == 0.0 {
        let zero: &[u8] = if x.is_sign_negative() {
            b"-0.0"
        } else {
            b"0.0"
        };
        text.extend_from_slice(zero);
        return;
    }
    let mut buffer = zmij::Buffer::new();
    if size >= LARGE {
        text.extend_from_slice(format!("{x:?}").as_bytes());
    } else if WITH_EXPONENT.contains(&size) {
        if x < 0.0 {
            text.push(b'-');
        }
        // 0.0000ddd is d.dde-5.
        let digits = buffer.format(size).as_bytes();
        let (first, rest) = digits["0.0000".len()..].split_at(1);
        text.extend_from_slice(first);
        if !rest.is_empty() {
            text.push(b'.');
            text.extend_from_slice(rest);
        }
        text.extend_from_slice(b"e-5");
    } else {
        text.extend_from_slice(buffer.format(x).as_bytes());
    }
}

/// Appends fields of a row, each with a comma after it. Runs of zeros, which most contacts have for forces and impulses, are copied.
pub fn push_fields(values: &[f64], text: &mut Vec<u8>) {
    let mut left = values;
    while let Some((&x, rest)) = left.split_first() {
        let zeros = left.iter().take_while(|x| x.to_bits() == 0).count();
        if zeros == 0 {
            push_number(x, text);
            text.push(b',');
            left = rest;
        } else {
            left = &left[zeros..];
            push_zeros(zeros, text);
        }
    }
}

/// Appends so many fields that are zero.
fn push_zeros(mut count: usize, text: &mut Vec<u8>) {
    while count > 0 {
        let some = count.min(ZEROS.len());
        text.extend_from_slice(ZEROS[..some].as_flattened());
        count -= some;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{push_fields, push_number, push_zeros};

    fn number(x: f64) -> String {
        let mut text = Vec::new();
        push_number(x, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn numbers_at_the_edges_of_the_notations_are_written_as_the_standard_library_does() {
        let edges = [
            0.0, 1e-6, 1e-5, 1.5e-5, 1e-4, 1e-3, 1.0, 1e15, 1e16, 1.5e16, 1e17,
        ];
        let extremes = [f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, f64::NAN];
        for x in edges.into_iter().chain(extremes) {
            for x in [x, -x, x.next_up(), x.next_down()] {
                assert_eq!(number(x), format!("{x:?}"));
            }
        }
    }

    proptest! {
        #[test]
        fn every_number_is_written_as_the_standard_library_does(bits in any::<u64>(), exponent in -9..19_i32) {
            let any_size = f64::from_bits(bits);
            // Of the sizes that runs have, where the notation changes.
            let usual = (bits as f64 / u64::MAX as f64 - 0.5) * 10_f64.powi(exponent);
            for x in [any_size, usual, usual.round()] {
                let (ours, theirs) = (number(x), format!("{x:?}"));
                prop_assert!(ours == theirs || is_tie(x, &ours, &theirs), "{} {}", ours, theirs);
            }
        }
    }

    /// Whether two texts differ in one digit alone, by one, and both read back to the same number.
    fn is_tie(x: f64, ours: &str, theirs: &str) -> bool {
        let pairs = ours.bytes().zip(theirs.bytes());
        let different: Vec<(u8, u8)> = pairs.filter(|(a, b)| a != b).collect();
        ours.len() == theirs.len()
            && matches!(different[..], [(a, b)] if a.abs_diff(b) == 1 && a % 2 == 0)
            && [ours, theirs].map(str::parse) == [Ok(x), Ok(x)]
    }

    #[test]
    fn fields_are_their_numbers_with_commas() {
        let mut values = vec![0.0; 200];
        values[3] = 1.5;
        values[100] = -0.0;
        values.extend([2.0, -3.25]);
        let mut text = Vec::new();
        push_fields(&values, &mut text);
        let one_by_one: String = values.iter().map(|x| format!("{x:?},")).collect();
        assert_eq!(String::from_utf8(text).unwrap(), one_by_one);
        let mut zeros = Vec::new();
        push_zeros(130, &mut zeros);
        assert_eq!(zeros, b"0.0,".repeat(130));
    }

    #[test]
    fn of_two_equally_close_numbers_the_even_one_is_written() {
        // 1 + 2⁻¹⁷ = 1.00000762939453125, in 16 decimals ends in 2 or 3.
        assert_eq!(number(1.0 + 2_f64.powi(-17)), "1.0000076293945312");
    }
}
