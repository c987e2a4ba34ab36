//! The keys of a schema, table by table.

use serde::Serialize;
use serde_json::{Map, Value};

use super::words::{range, text};

/// A table of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// As a file writes it: `[robot]`, `[[terrain]] with kind = "plane"`; empty at the top.
    pub heading: String,
    /// What it is.
    pub description: String,
    /// Its keys.
    pub keys: Vec<Key>,
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Where its schema stands in that of the file (a JSON pointer).
    pub pointer: String,
    /// What kind of value it has.
    pub kind: String,
    /// The unit; empty for words and pure numbers.
    pub unit: String,
    /// Whether it must be given.
    pub required: bool,
    /// What it is when absent, as a file would write it.
    pub default: Option<String>,
    /// Allowed spellings, or the range; empty for any.
    pub allowed: String,
    /// One value, as a file would write it; none for tables, which have sections of their own.
    pub example: Option<String>,
    /// What it means.
    pub description: String,
}

/// Every table of a schema.
pub(super) fn sections(root: &Value, toml: bool) -> Vec<Section> {
    let mut walk = Walk {
        root,
        toml,
        sections: Vec::new(),
    };
    walk.table(Place::default(), "");
    walk.sections
}

/// Where a table stands in a file.
#[derive(Clone, Default)]
struct Place {
    path: String,
    list: bool,
    /// A list of such tables stands there as well.
    either: bool,
    case: String,
}

impl Place {
    fn heading(&self) -> String {
        let path = match (self.path.is_empty(), self.list) {
            (true, _) => String::new(),
            (_, true) => format!("[[{}]]", self.path),
            _ if self.either => format!("[{0}], or several [[{0}]]", self.path),
            (_, false) => format!("[{}]", self.path),
        };
        format!("{path}{}", self.case)
    }

    fn inner(&self, name: &str, list: bool) -> Self {
        let path = match self.path.as_str() {
            "" => name.to_string(),
            path => format!("{path}.{name}"),
        };
        Self {
            path,
            list,
            either: false,
            case: String::new(),
        }
    }
}

struct Walk<'a> {
    root: &'a Value,
    toml: bool,
    sections: Vec<Section>,
}

impl Walk<'_> {
    /// Where a schema is defined, if it only points there.
    fn target(&self, pointer: &str) -> String {
        let schema = self.at(pointer);
        let points =
            |schema: &Value| Some(schema.get("$ref")?.as_str()?.strip_prefix('#')?.to_string());
        let among = || schema.get("allOf")?.as_array()?.iter().find_map(points);
        match points(schema).or_else(among) {
            Some(target) => self.target(&target),
            None => pointer.to_string(),
        }
    }

    fn at(&self, pointer: &str) -> &Value {
        self.root.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// The schemas of which a value fits one: itself where it has no cases.
    fn cases(&self, pointer: &str) -> Vec<String> {
        let schema = self.at(pointer);
        for word in ["anyOf", "oneOf"] {
            let cases = schema.get(word).and_then(Value::as_array);
            let Some(cases) = cases.filter(|c| {
                c.iter()
                    .all(|case| case.get("required").is_none() || case.get("properties").is_some())
            }) else {
                continue;
            };
            return (0..cases.len())
                .map(|i| self.target(&format!("{pointer}/{word}/{i}")))
                .collect();
        }
        vec![pointer.to_string()]
    }

    /// The section of a table and those of the tables in it.
    fn table(&mut self, place: Place, pointer: &str) {
        let target = self.target(pointer);
        for case in self.cases(&target) {
            let schema = self.at(&case).clone();
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                continue;
            };
            let tag = properties.iter().find_map(|(name, schema)| {
                let value = schema.get("const")?;
                Some(format!(" with {name} = {}", self.written(value)))
            });
            let here = Place {
                case: tag.unwrap_or_default(),
                ..place.clone()
            };
            self.keys(&here, &case, properties, &schema);
            self.keys_by_case(&place, &case, &schema);
        }
    }

    fn keys(
        &mut self,
        place: &Place,
        pointer: &str,
        properties: &Map<String, Value>,
        schema: &Value,
    ) {
        let required = |name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|n| n == name))
        };
        let keys = properties.keys().map(|name| {
            let pointer = format!("{pointer}/properties/{name}");
            self.key(name, &pointer, required(name))
        });
        let section = Section {
            heading: place.heading(),
            description: text(schema, "description"),
            keys: keys.collect(),
        };
        self.sections.push(section);
        for name in properties.keys() {
            self.tables_of(place, name, &format!("{pointer}/properties/{name}"));
        }
    }

    /// Sections of the tables that a key may hold.
    fn tables_of(&mut self, place: &Place, name: &str, pointer: &str) {
        // Its keys are those of another table, which its description names.
        if self.at(pointer).get("x-as").is_some() {
            return;
        }
        let cases = self.cases(&self.target(pointer));
        let items = |case: &String| self.target(&format!("{case}/items"));
        let (lists, single): (Vec<_>, Vec<_>) =
            (cases.iter().cloned()).partition(|case| self.at(case).get("items").is_some());
        // One table, or a list of such tables: the keys stand once.
        let either = lists.iter().any(|list| single.contains(&items(list)));
        for case in if either { single } else { cases } {
            let schema = self.at(&case);
            let holds = |word: &str| schema.get(word).is_some_and(Value::is_object);
            if holds("properties") || schema.get("oneOf").is_some() {
                let mut inner = place.inner(name, false);
                inner.either = either;
                self.table(inner, &case);
            } else if holds("items") {
                self.table(place.inner(name, true), &format!("{case}/items"));
            } else if holds("additionalProperties") {
                let place = place.inner(name, false).inner("<name>", false);
                self.table(place, &format!("{case}/additionalProperties"));
            }
        }
    }

    /// Keys that a table has for one value of another key: `if` it is so, `then` these.
    fn keys_by_case(&mut self, place: &Place, pointer: &str, schema: &Value) {
        let Some(cases) = schema.get("allOf").and_then(Value::as_array) else {
            return;
        };
        for (i, case) in cases.iter().enumerate() {
            let wanted = case.pointer("/if/properties").and_then(Value::as_object);
            let then = case.pointer("/then/properties").and_then(Value::as_object);
            let (Some((key, value)), Some(then)) = (wanted.and_then(|w| w.iter().next()), then)
            else {
                continue;
            };
            let value = self.written(value.get("const").unwrap_or(&Value::Null));
            for (name, inner) in then {
                let Some(properties) = inner.get("properties").and_then(Value::as_object) else {
                    continue;
                };
                let here = Place {
                    case: format!(" with {key} = {value}"),
                    ..place.inner(name, false)
                };
                let pointer = format!("{pointer}/allOf/{i}/then/properties/{name}");
                self.keys(&here, &pointer, properties, inner);
            }
        }
    }

    fn key(&self, name: &str, pointer: &str, required: bool) -> Key {
        let schema = self.at(pointer);
        let cases = self.cases(&self.target(pointer));
        let mut kinds: Vec<String> = cases.iter().map(|case| self.kind(case, false)).collect();
        kinds.dedup();
        let (mut spellings, mut meanings) = (Vec::new(), Vec::new());
        for at in std::iter::once(pointer).chain(cases.iter().map(String::as_str)) {
            let schema = self.at(at);
            if let Some(word) = schema.get("const") {
                if !spellings.contains(&self.written(word)) {
                    spellings.push(self.written(word));
                }
                let meaning = text(schema, "description");
                if !meaning.is_empty() {
                    meanings.push(format!("`{}`: {meaning}", self.written(word)));
                }
            }
            let words = schema.get("enum").and_then(Value::as_array);
            for word in words.into_iter().flatten().map(|word| self.written(word)) {
                if !spellings.contains(&word) {
                    spellings.push(word);
                }
            }
        }
        // A key may allow some of the spellings of its type.
        if let Some(own) = schema.get("enum").and_then(Value::as_array) {
            let own: Vec<String> = own.iter().map(|word| self.written(word)).collect();
            spellings.retain(|word| own.contains(word));
            meanings.retain(|meaning| {
                own.iter()
                    .any(|word| meaning.starts_with(&format!("`{word}`")))
            });
        }
        let allowed = match (schema.get("x-allowed"), spellings.is_empty()) {
            (Some(words), _) => words.as_str().unwrap_or_default().to_string(),
            (None, true) => range(schema),
            (None, false) => spellings.join(", "),
        };
        let given = |word: &str| schema.get(word).filter(|value| !value.is_null());
        let default = given("default").map(|value| self.written(value));
        let telling = |value: &&Value| {
            let empty = value.as_array().is_some_and(Vec::is_empty) || value.as_str() == Some("");
            !empty
        };
        let first = given("examples").and_then(|list| list.get(0));
        let fallback = given("default")
            .filter(telling)
            .map(|value| self.written(value));
        let only = spellings.first().cloned();
        let example = first.map(|value| self.written(value)).or(fallback).or(only);
        let described = Some(text(schema, "description")).filter(|text| !text.is_empty());
        let described = described.unwrap_or_else(|| match schema.get("const") {
            Some(_) => "Chooses the keys of this table.".to_string(),
            None => String::new(),
        });
        let description: Vec<String> = std::iter::once(described).chain(meanings).collect();
        Key {
            name: name.to_string(),
            pointer: pointer.to_string(),
            kind: kinds.join(", or "),
            unit: text(schema, "x-unit"),
            required,
            default,
            allowed,
            example,
            description: description.join(" ").trim().to_string(),
        }
    }

    /// What a value is, in words; with `many`, what several are.
    fn kind(&self, pointer: &str, many: bool) -> String {
        let schema = self.at(pointer);
        let name = match schema.get("type") {
            Some(Value::Array(several)) => several.first().and_then(Value::as_str),
            other => other.and_then(Value::as_str),
        };
        let (one, several) = match name {
            _ if schema.get("properties").is_some() => ("table", "tables"),
            Some("number") => ("number", "numbers"),
            Some("integer") => ("whole number", "whole numbers"),
            Some("string") => ("text", "texts"),
            Some("boolean") => SWITCH,
            None if schema.pointer("/enum/0") == Some(&Value::Bool(true)) => SWITCH,
            Some("array") => return self.kind_of_list(pointer, many),
            Some("object") => match schema.get("additionalProperties") {
                Some(Value::Object(_)) => {
                    let values = self.target(&format!("{pointer}/additionalProperties"));
                    return format!("table of {} by name", self.kind(&values, true));
                }
                _ => ("table", "tables"),
            },
            _ if schema.get("oneOf").is_some() => {
                let cases = self.cases(pointer);
                let first = cases.first();
                return first.map_or(String::new(), |case| self.kind(case, many));
            }
            _ => ("value", "values"),
        };
        if many { several } else { one }.to_string()
    }

    fn kind_of_list(&self, pointer: &str, many: bool) -> String {
        let schema = self.at(pointer);
        let items = self.target(&format!("{pointer}/items"));
        let cases = self.cases(&items);
        let mut kinds: Vec<String> = cases.iter().map(|case| self.kind(case, true)).collect();
        kinds.dedup();
        let count = schema.get("minItems").and_then(Value::as_u64);
        let fixed = count.filter(|_| schema.get("minItems") == schema.get("maxItems"));
        let count = fixed.map_or(String::new(), |count| format!("{count} "));
        let list = if many { "lists" } else { "list" };
        format!("{list} of {count}{}", kinds.join(" or "))
    }

    /// A value as a file writes it.
    fn written(&self, value: &Value) -> String {
        let parts =
            |list: &[Value]| -> Vec<String> { list.iter().map(|x| self.written(x)).collect() };
        match value {
            Value::Object(table) if self.toml => {
                let entries = table.iter().map(|(key, x)| {
                    let bare = key
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
                    let key = if bare {
                        key.clone()
                    } else {
                        format!("{key:?}")
                    };
                    format!("{key} = {}", self.written(x))
                });
                let entries: Vec<String> = entries.collect();
                format!("{{ {} }}", entries.join(", "))
            }
            Value::Array(list) => format!("[{}]", parts(list).join(", ")),
            other => other.to_string(),
        }
    }
}

const SWITCH: (&str, &str) = ("true or false", "true or false");
