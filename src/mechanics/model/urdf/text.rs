//! Robot descriptions as text: the arguments a xacro file declares, and numbers of a plain URDF changed in place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::xml_tree;
use super::xml_tree::Element;
use crate::files::read_bounded;
use crate::model::ModelError;

/// Arguments that a xacro file declares (`<xacro:arg name= default=>`), with their defaults; none for a
/// plain URDF.
///
/// # Errors
/// The file cannot be read or is not XML.
pub fn declared_arguments(path: &Path) -> Result<BTreeMap<String, Option<String>>, ModelError> {
    let text = read(path)?;
    let root = parse(&text, &path.display().to_string())?;
    let mut arguments = BTreeMap::new();
    collect_arguments(&root, &mut arguments);
    Ok(arguments)
}

fn collect_arguments(element: &Element, arguments: &mut BTreeMap<String, Option<String>>) {
    if element.name == "xacro:arg"
        && let Some(name) = element.attribute("name")
    {
        let default = element.attribute("default").map(str::to_string);
        arguments.insert(name.to_string(), default);
    }
    for child in &element.children {
        collect_arguments(child, arguments);
    }
}

fn read(path: &Path) -> Result<String, ModelError> {
    let bytes = read_bounded(path).map_err(|error| ModelError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_start_matches('\u{feff}').to_string())
}

fn parse(text: &str, file: &str) -> Result<Element, ModelError> {
    xml_tree::parse(text).map_err(|error| ModelError::NotUrdf {
        path: file.to_string(),
        reason: format!("line {}: {}", error.line, error.reason),
    })
}

/// A number of a plain URDF: of a link or of a joint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrdfEntry {
    /// `link` or `joint`.
    pub kind: &'static str,
    /// Name of the link or joint.
    pub name: String,
    /// Joint: `origin.x`, `.y`, `.z`, `.roll`, `.pitch`, `.yaw`. Link: `mass`, `center.x`, `.y`, `.z`, `inertia`
    /// (all six entries), `inertia.ixx` … `inertia.izz`.
    pub field: String,
}

/// How a number changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// To this value.
    Set(f64),
    /// By this much.
    Add(f64),
    /// By this factor.
    Multiply(f64),
}

impl Change {
    /// What a design parameter of value `x` does: a value of `set` times x, `add` times x more, or a factor of x to the
    /// power `multiply`; none where it says none.
    #[doc(hidden)]
    pub fn by(x: f64, set: Option<f64>, add: Option<f64>, multiply: Option<f64>) -> Option<Self> {
        let set = set.map(|k| Self::Set(k * x));
        let add = || add.map(|k| Self::Add(k * x));
        set.or_else(add)
            .or_else(|| multiply.map(|k| Self::Multiply(x.powf(k))))
    }

    #[doc(hidden)]
    pub fn of(self, value: f64) -> f64 {
        match self {
            Self::Set(new) => new,
            Self::Add(more) => value + more,
            Self::Multiply(factor) => value * factor,
        }
    }
}

/// The text with numbers changed, in order; everything else stays letter by letter.
///
/// # Errors
/// A link or joint that does not exist, an entry that it does not write out.
pub fn edited(
    text: &str,
    file: &str,
    changes: &[(UrdfEntry, Change)],
) -> Result<String, ModelError> {
    let root = parse(text, file)?;
    let mut numbers: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for (entry, change) in changes {
        for (range, index) in places(text, &root, entry)? {
            let key = (range.start, range.end);
            let values = match numbers.get_mut(&key) {
                Some(values) => values,
                None => {
                    let parsed: Result<Vec<f64>, _> =
                        text[range].split_whitespace().map(str::parse).collect();
                    let parsed = parsed.map_err(|_| bad(entry, "is not a list of numbers"))?;
                    numbers.entry(key).or_insert(parsed)
                }
            };
            let value = values
                .get_mut(index)
                .ok_or_else(|| bad(entry, "has too few numbers"))?;
            *value = change.of(*value);
        }
    }
    let mut edited = String::new();
    let mut at = 0;
    for ((start, end), values) in numbers {
        edited.push_str(&text[at..start]);
        let words: Vec<String> = values.iter().map(ToString::to_string).collect();
        edited.push_str(&words.join(" "));
        at = end;
    }
    edited.push_str(&text[at..]);
    Ok(edited)
}

fn bad(entry: &UrdfEntry, reason: &str) -> ModelError {
    ModelError::BadElement {
        place: format!("{} \"{}\"", entry.kind, entry.name),
        reason: format!("its {} {reason}", entry.field),
    }
}

const INERTIA: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

/// Where the numbers of an entry stand: a range of the text and the position of the number in it.
fn places(
    text: &str,
    root: &Element,
    entry: &UrdfEntry,
) -> Result<Vec<(Range<usize>, usize)>, ModelError> {
    let of_kind = || root.children.iter().filter(|e| e.name == entry.kind);
    let named = |e: &&Element| e.attribute("name") == Some(entry.name.as_str());
    let element = of_kind().find(named).ok_or_else(|| {
        let known = of_kind().filter_map(|e| e.attribute("name"));
        ModelError::unknown(entry.kind, &entry.name, known)
    })?;
    let axis = |part: &str, names: [&str; 3]| names.iter().position(|n| *n == part);
    let inertial = || {
        element
            .child("inertial")
            .ok_or_else(|| bad(entry, "is not stated"))
    };
    let origin_xyz = ["x", "y", "z"];
    let (parent, child, attributes): (&Element, &str, Vec<(&str, usize)>) =
        match (entry.kind, entry.field.split_once('.')) {
            ("joint", Some(("origin", part))) => {
                if let Some(i) = axis(part, origin_xyz) {
                    (element, "origin", vec![("xyz", i)])
                } else if let Some(i) = axis(part, ["roll", "pitch", "yaw"]) {
                    (element, "origin", vec![("rpy", i)])
                } else {
                    return Err(unknown_field(entry));
                }
            }
            ("link", Some(("center", part))) => match axis(part, origin_xyz) {
                Some(i) => (inertial()?, "origin", vec![("xyz", i)]),
                None => return Err(unknown_field(entry)),
            },
            ("link", None) if entry.field == "mass" => (inertial()?, "mass", vec![("value", 0)]),
            ("link", None) if entry.field == "inertia" => (
                inertial()?,
                "inertia",
                INERTIA.map(|name| (name, 0)).to_vec(),
            ),
            ("link", Some(("inertia", part))) => match INERTIA.iter().find(|n| **n == part) {
                Some(name) => (inertial()?, "inertia", vec![(name, 0)]),
                None => return Err(unknown_field(entry)),
            },
            _ => return Err(unknown_field(entry)),
        };
    let found = parent
        .child(child)
        .ok_or_else(|| bad(entry, "is not stated"))?;
    attributes
        .into_iter()
        .map(|(attribute, index)| {
            let range = attribute_range(text, &found.start_tag, attribute)
                .ok_or_else(|| bad(entry, &format!("is not written out ({attribute})")))?;
            Ok((range, index))
        })
        .collect()
}

fn unknown_field(entry: &UrdfEntry) -> ModelError {
    let reason = match entry.kind {
        "joint" => "is not known; a joint has origin.x, .y, .z, .roll, .pitch and .yaw",
        _ => {
            "is not known; a link has mass, center.x, .y, .z, inertia and inertia.ixx, .ixy, .ixz, .iyy, .iyz, .izz"
        }
    };
    bad(entry, reason)
}

/// Bytes of an attribute's value in a start tag.
fn attribute_range(text: &str, tag: &Range<usize>, attribute: &str) -> Option<Range<usize>> {
    let tag_text = &text[tag.clone()];
    for (at, _) in tag_text.match_indices(attribute) {
        let before = tag_text[..at].chars().next_back();
        let rest = &tag_text[at + attribute.len()..];
        let after_name = rest.trim_start();
        if !before.is_some_and(char::is_whitespace) || !after_name.starts_with('=') {
            continue;
        }
        let value = after_name[1..].trim_start();
        let quote = value.chars().next().filter(|c| *c == '"' || *c == '\'')?;
        let start = tag.end - value.len() + 1;
        let length = value[1..].find(quote)?;
        return Some(start..start + length);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = r#"<robot name="r">
  <link name="a"><inertial><origin xyz='0 0 -0.1'/><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j" type="fixed"><origin rpy="0 0 0" xyz = "1 2 3"/></joint>
</robot>"#;

    fn entry(kind: &'static str, name: &str, field: &str) -> UrdfEntry {
        UrdfEntry {
            kind,
            name: name.to_string(),
            field: field.to_string(),
        }
    }

    #[test]
    fn parameters_set_add_and_multiply() {
        let by = |set, add, multiply| Change::by(0.5, set, add, multiply).map(|c| c.of(3.0));
        assert_eq!(by(Some(-2.0), None, None), Some(-1.0));
        assert_eq!(by(None, Some(2.0), None), Some(4.0));
        assert_eq!(by(None, None, Some(2.0)), Some(0.75));
        assert_eq!(by(None, None, None), None);
    }

    #[test]
    fn numbers_change_and_the_rest_stays() {
        let changes = [
            (entry("joint", "j", "origin.z"), Change::Set(-0.25)),
            (entry("joint", "j", "origin.x"), Change::Add(0.5)),
            (entry("link", "a", "mass"), Change::Multiply(1.5)),
            (entry("link", "a", "inertia"), Change::Multiply(2.0)),
            (entry("link", "a", "center.z"), Change::Multiply(3.0)),
        ];
        let expected = ROBOT
            .replace("1 2 3", "1.5 2 -0.25")
            .replace("value=\"2\"", "value=\"3\"")
            .replace("=\"1\"", "=\"2\"")
            .replace("0 0 -0.1", &format!("0 0 {}", -0.1 * 3.0));
        assert_eq!(edited(ROBOT, "r.urdf", &changes).unwrap(), expected);
    }

    #[test]
    fn unknown_places_are_named() {
        for (entry, part) in [
            (entry("joint", "k", "origin.z"), "no joint \"k\""),
            (entry("joint", "j", "origin.q"), "origin.x, .y"),
            (entry("link", "a", "weight"), "mass, center.x"),
        ] {
            let error = edited(ROBOT, "r.urdf", &[(entry, Change::Set(0.0))]).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
