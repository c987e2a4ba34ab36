//! Changes of a text, as a slip, a broken disk or malice would make them. The same seed makes the same changes.

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n.max(1) as u64) as usize
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// Numbers that programs do not expect.
const NUMBERS: [&str; 24] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-9",
    "-1e-9",
    "1e9",
    "1.1e9",
    "1e-320",
    "1e160",
    "-1e200",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "NaN",
    "null",
    "true",
    "18446744073709551615",
    "4000000000000000000",
    "1e20",
];

/// Texts that files, tables, terminals and expressions read as something else.
const TEXTS: [&str; 16] = [
    "",
    " ",
    ";",
    "\"",
    "'",
    "\\",
    "\u{1b}[31m",
    "\u{0}",
    "\u{85}",
    "\u{202e}",
    "a;b",
    "é",
    "${",
    "$(env HOME)",
    "((((((((",
    "]]",
];

/// A changed text: one to four changes.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        change(&mut signs, other, random);
    }
    signs.into_iter().collect()
}

fn change(signs: &mut Vec<char>, other: &str, random: &mut Random) {
    let length = signs.len();
    let at = random.below(length + 1);
    let scale = random.below(8);
    let span = random.below(1 << scale);
    let end = (at + span).min(length);
    match random.below(12) {
        0 => {
            signs.drain(at..end);
        }
        1 => {
            let copy: Vec<char> = signs[at..end].to_vec();
            signs.splice(at..at, copy);
        }
        2 => signs.truncate(at),
        3 => insert(signs, at, random.one(&TEXTS)),
        4 => {
            if let Some(sign) = signs.get_mut(at) {
                *sign = char::from((32 + random.below(95)) as u8);
            }
        }
        5 => {
            let from: Vec<char> = other.chars().collect();
            let start = random.below(from.len());
            let stop = (start + span).min(from.len());
            signs.splice(at..end, from[start..stop].iter().copied());
        }
        6 => {
            // A line is lost, or stands elsewhere.
            let line = line_around(signs, at);
            let moved: Vec<char> = signs.drain(line).collect();
            if random.below(2) == 0 {
                let to = random.below(signs.len() + 1);
                signs.splice(to..to, moved);
            }
        }
        7 => {
            let deep = 1 << random.below(13);
            let bracket = random.one(&["(", "[", "{", "<a>", "-"]);
            insert(signs, at, &bracket.repeat(deep));
        }
        // Most that is wrong with files are their values.
        8 | 9 => replace_word(signs, at, random.one(&NUMBERS), |c| {
            c.is_ascii_digit() || "+-.e".contains(c)
        }),
        10 => replace_word(signs, at, random.one(&TEXTS), |c| c != '"' && c != '\n'),
        _ => replace_word(signs, at, random.one(&NUMBERS), |c| {
            c.is_alphanumeric() || "+-._".contains(c)
        }),
    }
}

fn insert(signs: &mut Vec<char>, at: usize, text: &str) {
    signs.splice(at..at, text.chars());
}

fn line_around(signs: &[char], at: usize) -> std::ops::Range<usize> {
    let before = signs[..at]
        .iter()
        .rposition(|c| *c == '\n')
        .map_or(0, |i| i + 1);
    let after = signs[at..].iter().position(|c| *c == '\n');
    before..after.map_or(signs.len(), |i| at + i + 1)
}

/// Replaces the first word of some kind of signs from a place on.
fn replace_word(signs: &mut Vec<char>, at: usize, by: &str, of: impl Fn(char) -> bool) {
    let Some(start) = signs[at..].iter().position(|c| of(*c)).map(|i| at + i) else {
        return;
    };
    let length = signs[start..].iter().position(|c| !of(*c));
    let end = length.map_or(signs.len(), |i| start + i);
    signs.splice(start..end, by.chars());
}
