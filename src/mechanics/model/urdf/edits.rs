//! A URDF's text as the format's parser reads it: unchanged where it can, and where it is stricter than the robots that there
//! are with changes.

use std::collections::BTreeSet;

use urdf_rs::Robot;

use super::xml_tree::Element;
use super::{check, primitive};

/// Reads the whole robot as it is written; none if the parser refuses it. Names with prefixes are not asked of it, since it
/// takes them for those without: the extension `<sim:link>` would be a link.
pub(super) fn read_unchanged(text: &str, root: &Element, elements: &[&Element]) -> Option<Robot> {
    let mut prefixes = BTreeSet::new();
    for element in elements {
        element.collect_prefixes(&mut prefixes);
    }
    if !prefixes.is_empty() {
        return None;
    }
    // Without what stands before the root, as when the text is changed: the text is UTF-8, whatever its first line says.
    let robot = urdf_rs::read_from_string(&text[root.range.clone()]).ok()?;
    let count = |kind: &str| elements.iter().filter(|e| e.name == kind).count();
    let same = robot.links.len() == count("link") && robot.joints.len() == count("joint");
    same.then_some(robot)
}

/// Reads some links and joints as if they were the whole robot.
pub(super) fn read_elements(
    text: &str,
    root: &Element,
    elements: &[&Element],
) -> Result<Robot, String> {
    let mut plain = with_prefixes(&text[root.start_tag.clone()], root, elements);
    for element in elements {
        let mut at = element.range.start;
        for (position, skip_to, instead) in edits(text, element) {
            plain.push_str(&text[at..position]);
            plain.push_str(&instead);
            at = skip_to;
        }
        plain.push_str(&text[at..element.range.end]);
    }
    plain.push_str("</robot>");
    urdf_rs::read_from_string(&plain).map_err(|error| {
        let reason = error.to_string();
        reason
            .strip_prefix("custom: ")
            .unwrap_or(&reason)
            .to_string()
    })
}

/// A change of the text: where, up to where, what instead.
type Edit = (usize, usize, String);

/// Changes of the text before it is parsed, in order. The parser refuses incomplete colours and controllers, which are
/// not used here, insists on a speed limit wherever there is any limit and on an inertia wherever there is a mass, and
/// knows no commas between numbers.
fn edits(text: &str, element: &Element) -> Vec<Edit> {
    let mut edits = Vec::new();
    collect_edits(text, element, &mut edits);
    edits
}

fn collect_edits(text: &str, element: &Element, edits: &mut Vec<Edit>) {
    for child in &element.children {
        match child.name.as_str() {
            "safety_controller" | "calibration" | "material" => {
                edits.push((child.range.start, child.range.end, String::new()));
                continue;
            }
            "visual" | "collision" if primitive(child).is_none() => {
                edits.push((child.range.start, child.range.end, String::new()));
                continue;
            }
            "inertial" if child.child("mass").is_some() && child.child("inertia").is_none() => {
                edits.push((child.start_tag.end, child.start_tag.end, point_mass()));
            }
            "limit" if child.attribute("velocity").is_none() => {
                let at = child.start_tag.start + "<limit".len();
                edits.push((at, at, " velocity=\"inf\"".to_string()));
            }
            _ if check::has_commas(child) => {
                let tag = &child.start_tag;
                edits.push((
                    tag.start,
                    tag.end,
                    check::without_commas(&text[tag.clone()], child),
                ));
            }
            _ => {}
        }
        collect_edits(text, child, edits);
    }
}

/// The inertia of a mass without extent.
fn point_mass() -> String {
    let entries = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(|e| format!("{e}=\"0\""));
    format!("<inertia {}/>", entries.join(" "))
}

/// The start tag of the root element, with the prefixes of the extensions in `elements` declared.
fn with_prefixes(start_tag: &str, root: &Element, elements: &[&Element]) -> String {
    let mut declared = start_tag.to_string();
    let mut prefixes = BTreeSet::new();
    for element in elements {
        element.collect_prefixes(&mut prefixes);
    }
    for prefix in prefixes {
        let key = format!("xmlns:{prefix}");
        if root.attribute(&key).is_none() && prefix != "xml" && prefix != "xmlns" {
            let at = "<robot".len();
            declared.insert_str(at, &format!(" {key}=\"{prefix}\""));
        }
    }
    declared
}
