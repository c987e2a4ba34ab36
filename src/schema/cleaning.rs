//! From what `schemars` makes of a type to what its file may say: TOML has no null, and documentation is text.

use schemars::Schema;
use serde_json::{Value, json};

/// The mark of a number that may be infinite.
const INFINITE: &str = "x-infinite";

/// Cleans one schema; its parts are cleaned on their own.
pub(super) fn clean(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    object.remove("format");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_string(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(cases)) = object.get_mut("anyOf") {
        cases.retain(|case| case.get("type") != Some(&json!("null")));
        if let [only] = cases.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.insert("allOf".to_string(), json!([only]));
        }
    }
    if object.remove(INFINITE).is_some() {
        object.insert("type".to_string(), json!(["number", "null"]));
    }
    // Tables state the defaults of their keys.
    if matches!(object.get("default"), Some(Value::Null | Value::Object(_))) {
        object.remove("default");
    }
    if let Some(Value::String(text)) = object.get("description") {
        let (text, unit) = (plain(text), unit(text));
        object.insert("description".to_string(), json!(text));
        if let Some(unit) = unit {
            object.insert("x-unit".to_string(), json!(unit));
        }
    }
}

/// Documentation as plain text: lines joined, no links, no backslashes.
fn plain(documentation: &str) -> String {
    let joined = documentation.split("\n\n").map(|paragraph| {
        let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
        lines.join(" ")
    });
    let joined: Vec<String> = joined.collect();
    let mut rest = joined.join("\n\n");
    let mut out = String::with_capacity(rest.len());
    // [`name`](place) and [`name`] become `name`.
    while let Some(start) = rest.find("[`") {
        let Some(length) = rest[start..].find("`]") else {
            break;
        };
        out.push_str(&rest[..start]);
        out.push_str(&rest[start + 1..=start + length]);
        let mut after = start + length + 2;
        if rest[after..].starts_with('(') {
            after += rest[after..].find(')').map_or(0, |end| end + 1);
        }
        rest = rest.split_off(after);
    }
    out.push_str(&rest);
    out.replace("\\[", "[").replace("\\]", "]")
}

/// The units that stand between `\[` and `\]`; other brackets hold other things.
fn unit(documentation: &str) -> Option<String> {
    let brackets = documentation.split("\\[").skip(1);
    let inner = brackets.filter_map(|part| part.split_once("\\]").map(|(inner, _)| inner));
    let mut units: Vec<&str> = inner.filter(|inner| is_unit(inner)).collect();
    units.dedup();
    (!units.is_empty()).then(|| units.join(", "))
}

fn is_unit(text: &str) -> bool {
    const WORDS: [&str; 7] = ["m", "s", "rad", "kg", "N", "J", "or"];
    let mut words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some() && words.all(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{plain, unit};

    #[test]
    fn units_are_what_stands_in_brackets_and_is_one() {
        for (text, expected) in [
            ("Gravity \\[m/s²\\].", Some("m/s²")),
            (
                "Armature \\[kg m² or kg\\]; a file has none.",
                Some("kg m² or kg"),
            ),
            (
                "Linear \\[m/s\\] and angular \\[rad/s\\].",
                Some("m/s, rad/s"),
            ),
            ("Restitution in \\[0, 1\\].", None),
            ("Points \\[time, position\\].", None),
            ("A place [m] in code.", None),
        ] {
            assert_eq!(unit(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn links_become_their_names() {
        let text = "How much\nit matters \\[m\\] ([`A::b`](place::A::b)), see [`C`].\n\nMore.";
        assert_eq!(
            plain(text),
            "How much it matters [m] (`A::b`), see `C`.\n\nMore."
        );
    }
}
