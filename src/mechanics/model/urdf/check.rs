//! What a lenient parser lets pass in a URDF element: numbers that are none, misspelt names.

use std::borrow::Cow;

use super::xml_tree::Element;
use crate::model::ModelError;

/// One kind of element inside a link or joint: what may stand in it.
struct Rule {
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
}

const fn rule(
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
) -> Rule {
    Rule {
        name,
        attributes,
        children,
    }
}

/// <http://wiki.ros.org/urdf/XML>; other elements are extensions of some simulator.
const RULES: [Rule; 20] = [
    rule(
        "link",
        &["name", "type"],
        &["inertial", "visual", "collision"],
    ),
    rule(
        "joint",
        &["name", "type"],
        &[
            "origin",
            "parent",
            "child",
            "axis",
            "limit",
            "dynamics",
            "mimic",
            "calibration",
            "safety_controller",
        ],
    ),
    rule("inertial", &[], &["origin", "mass", "inertia"]),
    rule("visual", &["name"], &["origin", "geometry", "material"]),
    rule("collision", &["name"], &["origin", "geometry", "material"]),
    rule(
        "geometry",
        &[],
        &["box", "cylinder", "sphere", "capsule", "mesh"],
    ),
    rule("mass", &["value"], &[]),
    rule("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[]),
    rule("origin", &["xyz", "rpy", "quat_xyzw"], &[]),
    rule("axis", &["xyz"], &[]),
    rule(
        "limit",
        &[
            "lower",
            "upper",
            "effort",
            "velocity",
            "acceleration",
            "deceleration",
            "jerk",
        ],
        &[],
    ),
    rule("dynamics", &["damping", "friction"], &[]),
    rule("parent", &["link"], &[]),
    rule("child", &["link"], &[]),
    rule("mimic", &["joint", "multiplier", "offset"], &[]),
    rule("box", &["size"], &[]),
    rule("sphere", &["radius"], &[]),
    rule("cylinder", &["radius", "length"], &[]),
    rule("capsule", &["radius", "length"], &[]),
    rule("mesh", &["filename", "scale"], &[]),
];

/// How many numbers an attribute holds; `None` if it is text or unused.
fn numbers_in(element: &str, attribute: &str) -> Option<usize> {
    match (element, attribute) {
        ("origin" | "axis", "xyz" | "rpy") | ("box", "size") => Some(3),
        ("mass", "value")
        | ("inertia", _)
        | ("limit", "lower" | "upper" | "effort" | "velocity")
        | ("dynamics", "damping" | "friction")
        | ("mimic", "multiplier" | "offset")
        | ("sphere" | "cylinder" | "capsule", "radius" | "length") => Some(1),
        _ => None,
    }
}

/// Checks a link or joint and everything in it; `place` is what messages call it. Adds warnings for
/// names that look misspelt.
pub(crate) fn check(
    element: &Element,
    place: &str,
    file: &str,
    warnings: &mut Vec<String>,
) -> Result<(), ModelError> {
    let Some(rule) = RULES.iter().find(|r| r.name == element.name) else {
        return Ok(());
    };
    for (attribute, value) in &element.attributes {
        if let Some(count) = numbers_in(&element.name, attribute) {
            // Limits may be infinite: that is no limit.
            let infinite = element.name == "limit";
            let listed = spaced(value, count);
            if listed != *value {
                warnings.push(format!(
                    "{file}:{}: {place}, <{} {attribute}=\"{value}\">: commas count as spaces",
                    element.line, element.name
                ));
            }
            check_numbers(&listed, count, infinite).map_err(|reason| {
                let place = format!("{place}, <{} {attribute}=\"{value}\">", element.name);
                ModelError::BadElement { place, reason }.in_file(file, Some(element.line))
            })?;
        } else if !rule.attributes.contains(&attribute.as_str())
            && let Some(meant) = misspelt(attribute, rule.attributes)
        {
            warnings.push(format!(
                "{file}:{}: {place}: attribute {attribute} of <{}> is ignored; did you mean {meant}?",
                element.line, element.name
            ));
        }
    }
    for child in &element.children {
        if !rule.children.contains(&child.name.as_str())
            && let Some(meant) = misspelt(&child.name, rule.children)
        {
            warnings.push(format!(
                "{file}:{}: {place}: <{}> is ignored; did you mean <{meant}>?",
                child.line, child.name
            ));
        }
        check(child, place, file, warnings)?;
    }
    Ok(())
}

/// A list of numbers with blanks between them in place of commas.
fn spaced(value: &str, count: usize) -> Cow<'_, str> {
    if count > 1 && value.contains(',') {
        Cow::Owned(value.replace(',', " "))
    } else {
        Cow::Borrowed(value)
    }
}

/// Lists of numbers of an element that are separated by commas.
fn with_commas(element: &Element) -> impl Iterator<Item = (&str, String)> {
    element.attributes.iter().filter_map(|(attribute, value)| {
        let listed = spaced(value, numbers_in(&element.name, attribute)?);
        (listed != *value).then(|| (value.as_str(), listed.into_owned()))
    })
}

/// Whether numbers of the element are separated by commas.
pub(crate) fn has_commas(element: &Element) -> bool {
    with_commas(element).next().is_some()
}

/// Its start tag with blanks between them.
pub(crate) fn without_commas(start_tag: &str, element: &Element) -> String {
    with_commas(element).fold(start_tag.to_string(), |tag, (value, listed)| {
        tag.replacen(value, &listed, 1)
    })
}

/// The known name that differs by a slip of the keyboard; extensions have names of their own.
fn misspelt(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let distance = |k: &str| strsim::damerau_levenshtein(&name.to_lowercase(), k);
    known.iter().copied().find(|k| distance(k) <= k.len() / 4)
}

fn check_numbers(text: &str, count: usize, infinite: bool) -> Result<(), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() != count {
        let plural = if count == 1 { "" } else { "s" };
        return Err(format!(
            "{} values, there must be {count} number{plural}",
            words.len()
        ));
    }
    for word in words {
        match word.parse::<f64>() {
            Err(_) => return Err(format!("{word} is not a number")),
            Ok(x) if x.is_finite() || (infinite && x.is_infinite()) => {}
            Ok(_) => return Err(format!("{word} is not a finite number")),
        }
    }
    Ok(())
}
