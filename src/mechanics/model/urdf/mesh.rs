//! Meshes of links: where their files are, and what is said of those that are not there.

use nalgebra::Vector3;

use super::material::Materials;
use super::package_path::package_name;
use super::xml_tree::Element;
use crate::spatial::{Pose, rotation_from_rpy};

/// A mesh as a description names it.
pub(super) struct NamedMesh {
    pub address: String,
    pub pose: Pose<f64>,
    pub scale: [f64; 3],
    pub collision: bool,
    pub color: Option<[f64; 3]>,
}

/// Meshes of a link, or what is wrong with one.
pub(super) fn meshes<'a>(
    link: &'a Element,
    materials: &'a Materials,
) -> impl Iterator<Item = Result<NamedMesh, String>> + 'a {
    let shapes = link.children.iter();
    let shapes = shapes.filter(|child| child.name == "visual" || child.name == "collision");
    shapes.filter_map(|shape| {
        let mesh = shape.child("geometry")?.child("mesh")?;
        let address = mesh.attribute("filename")?.to_string();
        let place = format!("{} mesh {address}", shape.name);
        let origin = shape.child("origin");
        let triple = |element: Option<&Element>, key: &str, otherwise: f64| match element
            .and_then(|e| e.attribute(key))
        {
            None => Ok([otherwise; 3]),
            Some(text) => numbers(text)
                .ok_or_else(|| format!("{place}: {key}=\"{text}\" must be three finite numbers")),
        };
        let parts = triple(origin, "xyz", 0.0).and_then(|position| {
            let turned = triple(origin, "rpy", 0.0)?;
            Ok((position, turned, triple(Some(mesh), "scale", 1.0)?))
        });
        Some(parts.map(|(position, turned, scale)| NamedMesh {
            address: address.clone(),
            pose: Pose::new(rotation_from_rpy(&turned), Vector3::from(position)),
            scale,
            collision: shape.name == "collision",
            color: materials.color(shape),
        }))
    })
}

fn numbers(text: &str) -> Option<[f64; 3]> {
    let parsed = text.split_whitespace().map(|word| word.parse().ok());
    let values: Vec<f64> = parsed.collect::<Option<_>>()?;
    let triple: [f64; 3] = values.try_into().ok()?;
    triple.iter().all(|x| x.is_finite()).then_some(triple)
}

/// What is said of meshes that were not found.
pub(super) fn warning(missing: &[NamedMesh]) -> Option<String> {
    let collisions = missing.iter().filter(|mesh| mesh.collision).count();
    let first = missing
        .iter()
        .find(|mesh| mesh.collision)
        .or(missing.first())?;
    let (count, what, cost) = if collisions > 0 {
        (collisions, "collision mesh", "no contact sites are made of")
    } else {
        (
            missing.len(),
            "mesh",
            "the replay draws nothing in place of",
        )
    };
    let address = &first.address;
    let mut warning = match count {
        1 => format!("a {what} is not found, {address}; {cost} it"),
        n => format!("{n} {what}es are not found, the first is {address}; {cost} them"),
    };
    if let Some(name) = package_name(&first.address) {
        warning += &format!(" (--package {name}=DIR says where it is)");
    }
    Some(warning)
}
