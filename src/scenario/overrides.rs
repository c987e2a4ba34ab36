//! Single keys of a scenario by their dotted paths, for `--set key=value` and for perturbations.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::ScenarioError;

/// Sets `a.b.c=value` in a scenario; the value is TOML, or text where it is not.
///
/// # Errors
/// A text of another form, or a path through something that is not there: the message says which part.
pub(crate) fn apply_override(table: &mut Table, entry: &str) -> Result<(), String> {
    let (key, value) = entry
        .split_once('=')
        .ok_or("it must have the form key=value, for example time_step=1e-3")?;
    let value = value.trim();
    let parsed = toml::from_str::<Table>(&format!("value = {value}"))
        .ok()
        .and_then(|mut t| t.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_string()));
    set_key(table, key.trim(), parsed)
}

/// A file of type `T` with overrides applied, parsed again; what is wrong with them is told as theirs.
///
/// # Errors
/// An override that does not fit, or with which the text is no `T`.
pub(crate) fn overridden<T: DeserializeOwned>(
    file: &str,
    text: &str,
    overrides: &[String],
) -> Result<T, ScenarioError> {
    let mut table: Table =
        toml::from_str(text).map_err(|e| ScenarioError::from_toml(file, text, &e))?;
    for entry in overrides {
        apply_override(&mut table, entry).map_err(|reason| ScenarioError::Override {
            entry: entry.clone(),
            reason,
        })?;
    }
    let refused = |reason: String| ScenarioError::Override {
        entry: overrides.join(" "),
        reason,
    };
    let merged = toml::to_string(&table).map_err(|e| refused(e.to_string()))?;
    toml::from_str(&merged)
        .map_err(|error| refused(ScenarioError::from_toml(file, &merged, &error).reason()))
}

/// Sets the value at a dotted path. An entry of a list is named by its place from 0, or by its `name`:
/// `contact.site.tail.friction`.
///
/// # Errors
/// As [`apply_override`].
pub(crate) fn set_key(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let mut path: Vec<&str> = key.split('.').collect();
    let last = path
        .pop()
        .filter(|k| !k.is_empty())
        .ok_or("the key is empty")?;
    let mut at = At::Table(table);
    for part in path {
        at = match at {
            At::Table(table) => {
                let next = table
                    .entry(part)
                    .or_insert_with(|| Value::Table(Table::new()));
                At::of(next, part)?
            }
            At::List(list) => {
                let place = place(list, part)?;
                At::of(&mut list[place], part)?
            }
        };
    }
    match at {
        At::Table(table) => {
            table.insert(last.to_string(), value);
        }
        At::List(list) => {
            let place = place(list, last)?;
            list[place] = value;
        }
    }
    Ok(())
}

/// The value at a dotted path, if there is one.
pub(crate) fn get_key<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut parts = key.split('.');
    let mut at = table.get(parts.next()?)?;
    for part in parts {
        at = match at {
            Value::Table(table) => table.get(part)?,
            Value::Array(list) => &list[place(list, part).ok()?],
            _ => return None,
        };
    }
    Some(at)
}

enum At<'a> {
    Table(&'a mut Table),
    List(&'a mut Vec<Value>),
}

impl<'a> At<'a> {
    fn of(value: &'a mut Value, part: &str) -> Result<Self, String> {
        match value {
            Value::Table(table) => Ok(Self::Table(table)),
            Value::Array(list) => Ok(Self::List(list)),
            _ => Err(format!("\"{part}\" is not a table of the scenario")),
        }
    }
}

/// Where the entry of a list stands.
fn place(list: &[Value], part: &str) -> Result<usize, String> {
    let by_name = |entry: &Value| entry.get("name").and_then(Value::as_str) == Some(part);
    let by_place = part.parse().ok().filter(|i| *i < list.len());
    list.iter().position(by_name).or(by_place).ok_or_else(|| {
        format!(
            "there is no entry \"{part}\" in a list of {}; entries are counted from 0 or named",
            list.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_lists_have_places_and_names() {
        let mut table: Table =
            toml::from_str("a = [1, 2]\n[[site]]\nname = \"tail\"\n[[site]]\nname = \"foot\"\n")
                .unwrap();
        apply_override(&mut table, "a.1=5").unwrap();
        apply_override(&mut table, "site.foot.friction=0.5").unwrap();
        apply_override(&mut table, "site.0.friction=0.25").unwrap();
        apply_override(&mut table, "robot.file = x.urdf").unwrap();
        let number = |key| get_key(&table, key).and_then(Value::as_float);
        assert_eq!(get_key(&table, "a.1"), Some(&Value::Integer(5)));
        assert_eq!(number("site.1.friction"), Some(0.5));
        assert_eq!(number("site.tail.friction"), Some(0.25));
        assert_eq!(get_key(&table, "site.2.friction"), None);
        assert_eq!(get_key(&table, "a.x.y"), None);
        for (entry, part) in [
            ("a.2=1", "no entry \"2\""),
            ("a.0.b=1", "\"0\" is not a table"),
            ("=1", "empty"),
            ("a", "key=value"),
        ] {
            let reason = apply_override(&mut table, entry).unwrap_err();
            assert!(reason.contains(part), "{entry}: {reason}");
        }
    }
}
