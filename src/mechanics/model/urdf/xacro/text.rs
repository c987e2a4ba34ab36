//! Texts of a xacro file: their expressions, and the limits that these keep.

/// Signs that one expression `${…}` or `$(…)` may have. Its evaluation recurses over them.
pub(crate) const LONGEST_EXPRESSION: usize = 4096;
/// Brackets that may be open in one expression.
pub(crate) const DEEPEST_EXPRESSION: usize = 64;
/// Comprehensions in one expression: each multiplies the length of what it makes.
const MOST_COMPREHENSIONS: usize = 2;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Part<'a> {
    /// Text that stays as it is.
    Plain(&'a str),
    /// What stands in `${…}`.
    Expression(&'a str),
    /// What stands in `$(…)`.
    Command(&'a str),
}

/// The parts of a text, or what is wrong with one of its expressions. An unclosed one ends with the text.
pub(crate) fn parts(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (plain, from) = rest.split_at(at);
        parts.push(Part::Plain(plain));
        let dollars = from.len() - from.trim_start_matches('$').len();
        let after = &from[dollars..];
        // "$$" stands for one dollar that begins nothing.
        if dollars > 1 || !after.starts_with(['{', '(']) {
            parts.push(Part::Plain(&from[..dollars]));
            rest = after;
            continue;
        }
        let length = inside(&after[1..])?;
        let inner = &after[1..1 + length];
        parts.push(if after.starts_with('{') {
            check_expression(inner)?;
            Part::Expression(inner)
        } else {
            Part::Command(inner)
        });
        rest = after.get(length + 2..).unwrap_or("");
    }
    parts.push(Part::Plain(rest));
    Ok(parts)
}

/// Bytes up to the bracket that closes what was opened before `text`.
fn inside(text: &str) -> Result<usize, String> {
    let mut depth = 1;
    for (count, (at, c)) in text.char_indices().enumerate() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at);
        }
        if depth > DEEPEST_EXPRESSION {
            return Err(format!(
                "an expression has more than {DEEPEST_EXPRESSION} brackets inside each other"
            ));
        }
        if count >= LONGEST_EXPRESSION {
            return Err(format!(
                "an expression is longer than {LONGEST_EXPRESSION} signs"
            ));
        }
    }
    Ok(text.len())
}

fn check_expression(text: &str) -> Result<(), String> {
    let words = names(text);
    if words.contains(&"lambda") {
        return Err("lambda expressions are not supported; write out what it computes".to_string());
    }
    if words.iter().filter(|word| **word == "for").count() > MOST_COMPREHENSIONS {
        return Err(format!(
            "an expression has more than {MOST_COMPREHENSIONS} comprehensions"
        ));
    }
    Ok(())
}

/// Names in an expression, in their order, outside of quotes.
pub(crate) fn names(expression: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut start = None;
    for (at, c) in expression.char_indices() {
        let in_name = quote.is_none() && (c.is_alphanumeric() || c == '_');
        match (start, in_name) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push(&expression[from..at]);
                start = None;
            }
            _ => {}
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
    }
    if let Some(from) = start {
        found.push(&expression[from..]);
    }
    found
}

/// Whether an expression can only make numbers of numbers: nothing in it makes a text or a list.
pub(crate) fn is_arithmetic(expression: &str) -> bool {
    !expression.contains(['\'', '"', '[', '{', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fall_into_parts() {
        assert_eq!(
            parts("a${b}c$(find d)$${e}$").unwrap(),
            [
                Part::Plain("a"),
                Part::Expression("b"),
                Part::Plain("c"),
                Part::Command("find d"),
                Part::Plain(""),
                Part::Plain("$$"),
                Part::Plain("{e}"),
                Part::Plain("$"),
                Part::Plain("")
            ]
        );
        assert_eq!(
            names("a + sin(b_1) if c == 'd e' else 2"),
            ["a", "sin", "b_1", "if", "c", "else", "2"]
        );
    }

    #[test]
    fn expressions_have_limits() {
        let nested = |n: usize| format!("${{{}1{}}}", "(".repeat(n), ")".repeat(n));
        assert!(parts(&nested(DEEPEST_EXPRESSION - 1)).is_ok());
        assert!(
            parts(&nested(DEEPEST_EXPRESSION))
                .unwrap_err()
                .contains("brackets")
        );
        assert!(
            parts(&format!("${{{}}}", "-".repeat(5000)))
                .unwrap_err()
                .contains("longer")
        );
        assert!(parts("${(lambda x: x(x))(lambda x: x(x))}").is_err());
        assert!(parts("${'lambda'}").is_ok());
        assert!(parts("${[[[1 for a in b] for a in b] for a in b]}").is_err());
    }
}
