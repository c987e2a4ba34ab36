//! What a schema says of one value, in words.

use serde_json::Value;

/// A text of the schema; empty where it has none.
pub(super) fn text(schema: &Value, word: &str) -> String {
    let text = schema.get(word).and_then(Value::as_str);
    text.unwrap_or_default().to_string()
}

/// The range of a number or of the length of a list, in words.
pub(super) fn range(schema: &Value) -> String {
    let bound = |word: &str| schema.get(word).filter(|value| value.is_number());
    let mut words = Vec::new();
    for (word, before) in [
        ("exclusiveMinimum", "above"),
        ("minimum", "at least"),
        ("exclusiveMaximum", "below"),
        ("maximum", "at most"),
    ] {
        if let Some(value) = bound(word) {
            let value = value.to_string();
            words.push(format!(
                "{before} {}",
                value.strip_suffix(".0").unwrap_or(&value)
            ));
        }
    }
    if let (Some(least), None) = (bound("minItems"), bound("maxItems")) {
        words.push(format!("at least {least} of them"));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        words.push(format!("fits {pattern}"));
    }
    words.join(", ")
}
