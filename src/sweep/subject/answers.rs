//! Numbers of an answer that is a document, by their paths.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::SweepInput;
use crate::metric::{Names, Quantity};
use crate::scenario::hexadecimal;

/// Names and numbers: what is true or false is 1 or 0, what is not known is not a number.
pub(super) struct Answer(Vec<(String, f64)>);

impl Answer {
    /// The numbers of a document, which is called `name`.
    pub fn new(name: &str, document: &impl Serialize) -> Self {
        let mut numbers = Vec::new();
        // Answers are plain data, which JSON always takes.
        let document = serde_json::to_value(document).unwrap_or_default();
        flatten(name, &document, &mut numbers);
        Self(numbers)
    }

    /// The same with one number more.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.0.push((name.to_string(), value));
        self
    }
}

fn flatten(path: &str, value: &Value, out: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(x) => out.extend(x.as_f64().map(|x| (path.to_string(), x))),
        Value::Bool(x) => out.push((path.to_string(), f64::from(u8::from(*x)))),
        Value::Null => out.push((path.to_string(), f64::NAN)),
        Value::Object(fields) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, out);
            }
        }
        Value::Array(entries) => {
            for (i, value) in entries.iter().enumerate() {
                flatten(&format!("{path}.{i}"), value, out);
            }
        }
        Value::String(_) => {}
    }
}

impl Names for Answer {
    fn value(&self, name: &str) -> Option<Quantity> {
        let found = self.0.iter().find(|(n, _)| n == name);
        found.map(|(_, x)| Quantity::Number(*x))
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    fn times(&self) -> &[f64] {
        &[]
    }
}

/// A file that runs are made from.
pub(super) fn input(role: &str, path: &std::path::Path, content: &[u8]) -> SweepInput {
    let mut hasher = Sha256::new();
    hasher.update(content);
    SweepInput {
        role: role.to_string(),
        name: (path.file_name()).map_or_else(String::new, |n| n.to_string_lossy().into()),
        sha256: hexadecimal(hasher),
    }
}
