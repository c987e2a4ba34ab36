//! Shapes of links, and lines where a body has none.

use nalgebra::Vector3;
use serde::Serialize;

use super::Placement;
use crate::contact::Contacts;
use crate::model::{Geometry, LinkShape, Model};

/// A primitive on a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlacedShape {
    /// Body that carries it; `None` is the world.
    pub body: Option<usize>,
    /// `sphere` (radius), `box` (edges), `cylinder` or `capsule` (radius, length; along z).
    pub kind: &'static str,
    /// Its numbers \[m\].
    pub size: Vec<f64>,
    /// Red, green and blue from 0 to 1, where the description gives a colour.
    pub color: Option<[f64; 3]>,
    /// In the body's frame.
    #[serde(flatten)]
    pub(crate) placement: Placement,
}

/// A line on a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Stick {
    /// Body that carries it; `None` is the world.
    pub body: Option<usize>,
    /// One end \[m\].
    pub from: [f64; 3],
    /// The other \[m\].
    pub to: [f64; 3],
}

/// Visual shapes; those for collision where a link has no visual ones.
pub(crate) fn drawn_shapes(model: &Model) -> impl Iterator<Item = &LinkShape> {
    let has_visual =
        |link: usize| (model.shapes().iter()).any(|shape| shape.link == link && !shape.collision);
    let shapes = model.shapes().iter();
    shapes.filter(move |shape| !shape.collision || !has_visual(shape.link))
}

pub(super) fn shapes(model: &Model) -> Vec<PlacedShape> {
    let has_mesh =
        |link: usize| (model.meshes().iter()).any(|mesh| mesh.link == link && !mesh.collision);
    drawn_shapes(model)
        .filter(|shape| !(shape.collision && has_mesh(shape.link)))
        .filter_map(|shape| {
            let link = &model.links()[shape.link];
            let (kind, size) = match shape.geometry {
                Geometry::Sphere(radius) => ("sphere", vec![radius]),
                Geometry::Box(edges) => ("box", edges.to_vec()),
                Geometry::Cylinder(radius, length) => ("cylinder", vec![radius, length]),
                Geometry::Capsule(radius, length) => ("capsule", vec![radius, length]),
                _ => return None,
            };
            Some(PlacedShape {
                body: link.body,
                kind,
                size,
                color: shape.color,
                placement: Placement::of(&link.pose.compose(&shape.pose)),
            })
        })
        .collect()
}

/// From the joint of every body without shapes to the joints and site centres that it carries. A
/// body without mass of its own (the slides of a planar base) is no link and is left out.
pub(super) fn sticks(model: &Model, contacts: &Contacts) -> Vec<Stick> {
    let shaped = |body: usize| {
        let shapes = model.shapes().iter().map(|s| s.link);
        let meshes = model.meshes().iter().map(|m| m.link);
        let mut links = shapes.chain(meshes).map(|link| model.links()[link].body);
        links.any(|b| b == Some(body))
    };
    let mut sticks = Vec::new();
    for (i, body) in model.bodies().iter().enumerate() {
        if body.inertia.mass == 0.0 || shaped(i) {
            continue;
        }
        let children = model
            .bodies()
            .iter()
            .filter(|child| child.parent == Some(i))
            .map(|child| child.placement.translation);
        let centers = contacts
            .sites()
            .iter()
            .filter(|site| site.body == Some(i))
            .map(|site| site.center);
        let mut ends: Vec<Vector3<f64>> = children.chain(centers).collect();
        // A last link shows where its mass is.
        if ends.is_empty() {
            ends.push(body.inertia.center_of_mass());
        }
        sticks.extend(ends.into_iter().map(|end| Stick {
            body: Some(i),
            from: [0.0; 3],
            to: end.into(),
        }));
    }
    sticks
}
