//! Single keys of a scenario by their dotted paths, for `--set key=value` and for perturbations.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::joint_pattern::fits;
use crate::scenario::ScenarioError;

/// Sets `a.b.c=value` in a scenario; the value is TOML, or text where it is not.
///
/// # Errors
/// A text of another form, or a path through something that is not there: the message says which part.
fn apply_override(table: &mut Table, entry: &str) -> Result<(), String> {
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

/// Applies overrides `key=value` in their order.
///
/// # Errors
/// The override that does not fit, and why.
pub(crate) fn apply_overrides(
    table: &mut Table,
    overrides: &[String],
) -> Result<(), ScenarioError> {
    for entry in overrides {
        apply_override(table, entry).map_err(|reason| ScenarioError::Override {
            entry: entry.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// A `T` from a table to which overrides were applied, which a complaint names.
///
/// # Errors
/// With them the table is no `T`.
pub(crate) fn from_overridden<T: DeserializeOwned>(
    file: &str,
    table: &Table,
    overrides: &[String],
) -> Result<T, ScenarioError> {
    let refused = |reason: String| ScenarioError::Override {
        entry: overrides.join(" "),
        reason,
    };
    let merged = toml::to_string(table).map_err(|e| refused(e.to_string()))?;
    toml::from_str(&merged)
        .map_err(|error| refused(ScenarioError::from_toml(file, &merged, &error).reason()))
}

/// A file of type `T` with overrides applied. It is parsed as it stands first, so that messages point into the file.
///
/// # Errors
/// A text that is no `T`, an override that does not fit, or with which the text is no `T`.
pub(crate) fn parse_overridden<T: DeserializeOwned>(
    file: &str,
    text: &str,
    overrides: &[String],
) -> Result<T, ScenarioError> {
    let placed = |error| ScenarioError::from_toml(file, text, &error);
    let plain = toml::from_str(text).map_err(placed)?;
    if overrides.is_empty() {
        return Ok(plain);
    }
    let mut table: Table = toml::from_str(text).map_err(placed)?;
    apply_overrides(&mut table, overrides)?;
    from_overridden(file, &table, overrides)
}

/// Sets the value at a dotted path. An entry of a list is named by its place from 0, by its `name`
/// (`contact.site.tail.friction`), or by its pattern of `joints`. A joint of a controller that only a pattern or the
/// default covers gets an entry of its own.
///
/// # Errors
/// As [`apply_override`].
pub(crate) fn set_key(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let mut path = parts_of(table, key);
    let last = path
        .pop()
        .filter(|k| !k.is_empty())
        .ok_or("the key is empty")?;
    name_covered_joint(table, &path);
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
fn get_key<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut parts = parts_of(table, key).into_iter();
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

/// The number at a dotted path, if there is one.
pub(crate) fn number_at(table: &Table, key: &str) -> Option<f64> {
    let value = get_key(table, key)?;
    value.as_float().or(value.as_integer().map(|x| x as f64))
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

/// Whether an entry of a list has this name, or this pattern of joints.
fn is_called(entry: &Value, text: &str) -> bool {
    let says = |key| entry.get(key).and_then(Value::as_str) == Some(text);
    says("name") || says("joints")
}

/// Gives the joint of a path `controller.joint.<name>` an entry of its own if a pattern or the default covers it:
/// what it does not say it has from there.
fn name_covered_joint(table: &mut Table, path: &[&str]) {
    let place = path
        .windows(2)
        .position(|pair| pair == ["controller", "joint"]);
    let Some((place, name)) = place.and_then(|at| Some((at, *path.get(at + 2)?))) else {
        return;
    };
    let mut at = table;
    let mut parts = path[..=place].iter();
    while let Some(part) = parts.next() {
        at = match at.get_mut(*part) {
            Some(Value::Table(inner)) => inner,
            // A robot among several.
            Some(Value::Array(list)) => {
                let entry = parts.next().and_then(|name| entry_mut(list, name));
                match entry.and_then(Value::as_table_mut) {
                    Some(inner) => inner,
                    None => return,
                }
            }
            _ => return,
        }
    }
    let by_default = at.contains_key("default");
    if by_default && !at.contains_key("joint") {
        at.insert("joint".to_string(), Value::Array(Vec::new()));
    }
    let Some(Value::Array(list)) = at.get_mut("joint") else {
        return;
    };
    let counted = name.parse().is_ok_and(|i: usize| i < list.len());
    if counted || list.iter().any(|entry| is_called(entry, name)) {
        return;
    }
    let mut patterns = list
        .iter()
        .filter_map(|entry| entry.get("joints")?.as_str());
    if by_default || patterns.any(|pattern| fits(pattern, name)) {
        let entry = Table::from_iter([("name".to_string(), Value::String(name.to_string()))]);
        list.push(Value::Table(entry));
    }
}

fn entry_mut<'a>(list: &'a mut [Value], part: &str) -> Option<&'a mut Value> {
    let place = place(list, part).ok()?;
    list.get_mut(place)
}

/// A path cut at its dots, but for those in names that entries of the table have, as `left.foot` of a robot `left`.
fn parts_of<'a>(table: &Table, key: &'a str) -> Vec<&'a str> {
    enum In<'t> {
        Table(&'t Table),
        List(&'t [Value]),
        Nothing,
    }
    let mut at = In::Table(table);
    let (mut parts, mut rest) = (Vec::new(), key);
    loop {
        let ends = rest.match_indices('.').map(|(end, _)| end);
        let mut ends = ends.chain([rest.len()]);
        let found = ends.find_map(|end| {
            let name = &rest[..end];
            let value = match at {
                In::Table(table) => table.get(name)?,
                In::List(list) => &list[place(list, name).ok()?],
                In::Nothing => return None,
            };
            Some((end, value))
        });
        let first = rest.find('.').unwrap_or(rest.len());
        let (end, next) = match found {
            Some((end, Value::Table(table))) => (end, In::Table(table)),
            Some((end, Value::Array(list))) => (end, In::List(list)),
            Some((end, _)) => (end, In::Nothing),
            None => (first, In::Nothing),
        };
        parts.push(&rest[..end]);
        at = next;
        if end == rest.len() {
            return parts;
        }
        rest = &rest[end + 1..];
    }
}

/// Where the entry of a list stands.
fn place(list: &[Value], part: &str) -> Result<usize, String> {
    let by_name = |entry: &Value| is_called(entry, part);
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
        let mut scene: Table = toml::from_str(
            "[[robot]]\nname = \"left\"\n[robot.controller]\njoint = [{ joints = \"*\", stiffness = 1.0 }]\n\
             [[site]]\nname = \"left.foot\"\n[joints]\n\"left.knee\" = 0.5\n",
        )
        .unwrap();
        apply_override(&mut scene, "site.left.foot.friction=0.5").unwrap();
        apply_override(&mut scene, "joints.left.knee=0.75").unwrap();
        apply_override(&mut scene, "robot.left.controller.joint.knee.stiffness=2.0").unwrap();
        let number = |key| get_key(&scene, key).and_then(Value::as_float);
        assert_eq!(number("site.0.friction"), Some(0.5));
        assert_eq!(number("joints.left.knee"), Some(0.75));
        assert_eq!(number("robot.0.controller.joint.1.stiffness"), Some(2.0));
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
