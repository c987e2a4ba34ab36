//! What a replay draws: the robot as bodies with shapes, its contact sites, the terrain.

use nalgebra::{Matrix3, Vector3};
use serde::Serialize;

use super::meshes::{MOST_MESH_BYTES, PackedMesh, PlacedMesh, VisualMeshes};
use crate::contact::{Contacts, HeightField, SiteShape, Surface};
use crate::model::{Base, Geometry, JointKind, LinkShape, Model};
use crate::spatial::Pose;

/// Robot and world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayScene {
    /// Moving bodies, parents before children.
    pub bodies: Vec<BodyFrame>,
    /// Shapes of links.
    pub shapes: Vec<PlacedShape>,
    /// Lines between joints where a body has no shape.
    pub sticks: Vec<Stick>,
    /// Springs between two points.
    pub springs: Vec<SpringLine>,
    /// Contact sites.
    pub sites: Vec<SiteOutline>,
    /// Pieces of the fixed world.
    pub terrain: Vec<TerrainPiece>,
    /// Contacts: what touches what.
    pub contacts: Vec<ContactSides>,
    /// Visual meshes of links.
    pub meshes: Vec<PlacedMesh>,
    /// Their triangles, each file once.
    pub triangles: Vec<PackedMesh>,
    /// How the root is held: `fixed`, `planar` or `floating`.
    pub base: Base,
    /// Size of the normal force that carries the robot \[N\].
    pub weight: f64,
}

/// Placement of a body in its parent: what forward kinematics needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BodyFrame {
    /// Name of the link.
    pub name: String,
    /// Index of the parent; `None` is the world.
    pub parent: Option<usize>,
    /// `revolute` or `prismatic` (about or along z), or `floating`.
    pub kind: &'static str,
    /// First entry in the configuration.
    pub q: usize,
    /// \[kg\].
    pub mass: f64,
    /// Centre of mass in the body's frame \[m\].
    pub mass_center: [f64; 3],
    /// Ratio and offset of a joint that mimics the one with that entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mimic: Option<[f64; 2]>,
    /// Joint frame in the parent at q = 0.
    #[serde(flatten)]
    pub placement: Placement,
}

/// A rigid placement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placement {
    /// Matrix by rows.
    pub rotation: [f64; 9],
    /// \[m\].
    pub translation: [f64; 3],
}

impl Placement {
    pub(super) fn of(pose: &Pose<f64>) -> Self {
        let r: &Matrix3<f64> = &pose.rotation;
        Self {
            rotation: std::array::from_fn(|i| r[(i / 3, i % 3)]),
            translation: pose.translation.into(),
        }
    }
}

/// A primitive on a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacedShape {
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
    pub placement: Placement,
}

/// A line on a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stick {
    /// Body that carries it; `None` is the world.
    pub body: Option<usize>,
    /// One end \[m\].
    pub from: [f64; 3],
    /// The other \[m\].
    pub to: [f64; 3],
}

/// A spring between points of two bodies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpringLine {
    /// The bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// The points in their frames \[m\].
    pub points: [[f64; 3]; 2],
}

/// A contact site.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteOutline {
    /// Its name.
    pub name: String,
    /// Body that carries it; `None` is the world.
    pub body: Option<usize>,
    /// `point`, `sphere` or `arc`.
    pub kind: &'static str,
    /// Centre in the body's frame \[m\].
    pub center: [f64; 3],
    /// Of the sphere or arc \[m\].
    pub radius: f64,
    /// Unit axes of an arc's plane; its points are centre + radius (cos θ axes₀ + sin θ axes₁).
    pub axes: [[f64; 3]; 2],
    /// First and last angle θ \[rad\].
    pub range: [f64; 2],
    /// Radius of the tube around an arc \[m\].
    pub thickness: f64,
}

/// A piece of the fixed world.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TerrainPiece {
    /// Half-space.
    Plane {
        /// Its name.
        name: String,
        /// A point of the plane \[m\].
        point: [f64; 3],
        /// Unit outward normal.
        normal: [f64; 3],
    },
    /// Axis-aligned box.
    Box {
        /// Its name.
        name: String,
        /// Lowest corner \[m\].
        min: [f64; 3],
        /// Highest corner \[m\].
        max: [f64; 3],
    },
    /// Heights over a grid, at most 65 by 65 of them.
    Heights {
        /// Its name.
        name: String,
        /// x and y of the first height \[m\].
        origin: [f64; 2],
        /// Distances of heights along x and y \[m\].
        cell: [f64; 2],
        /// Heights \[m\], x along a row.
        rows: Vec<Vec<f64>>,
    },
}

/// Most heights along a side that are drawn.
const DRAWN_HEIGHTS: usize = 65;

/// A contact and its sites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactSides {
    /// Its name.
    pub name: String,
    /// Indices into the sites: one for a contact with terrain, two for a pair.
    pub sites: Vec<usize>,
    /// Coefficient of friction.
    pub friction: f64,
}

impl ReplayScene {
    /// The scene of a robot and its contacts.
    #[must_use]
    pub fn new(model: &Model, contacts: &Contacts) -> Self {
        let bodies = model.bodies().iter().map(|body| BodyFrame {
            name: body.name.clone(),
            parent: body.parent,
            kind: match body.kind {
                JointKind::Revolute => "revolute",
                JointKind::Prismatic => "prismatic",
                JointKind::Floating => "floating",
            },
            q: body.q_index,
            mass: body.inertia.mass,
            mass_center: match body.inertia.mass > 0.0 {
                true => body.inertia.center_of_mass().into(),
                false => [0.0; 3],
            },
            mimic: body.follows.map(|f| [f.ratio, f.offset]),
            placement: Placement::of(&body.placement),
        });
        let springs = model.point_springs().iter().map(|spring| SpringLine {
            bodies: spring.bodies,
            points: spring.points.map(Into::into),
        });
        let visual = VisualMeshes::read(model).simplified(MOST_MESH_BYTES);
        let (triangles, meshes) = visual.packed(model);
        Self {
            bodies: bodies.collect(),
            shapes: shapes(model),
            sticks: sticks(model, contacts),
            springs: springs.collect(),
            sites: sites(contacts),
            terrain: terrain(contacts),
            contacts: (0..contacts.len())
                .map(|i| ContactSides {
                    name: contacts.name(i).to_string(),
                    sites: contacts.sites_of(i),
                    friction: contacts.friction(i),
                })
                .collect(),
            meshes,
            triangles,
            base: model.base(),
            weight: model.mass() * model.gravity().norm(),
        }
    }
}

/// Visual shapes; those for collision where a link has no visual ones.
pub(crate) fn drawn_shapes(model: &Model) -> impl Iterator<Item = &LinkShape> {
    let has_visual =
        |link: usize| (model.shapes().iter()).any(|shape| shape.link == link && !shape.collision);
    let shapes = model.shapes().iter();
    shapes.filter(move |shape| !shape.collision || !has_visual(shape.link))
}

fn shapes(model: &Model) -> Vec<PlacedShape> {
    let has_mesh =
        |link: usize| (model.meshes().iter()).any(|mesh| mesh.link == link && !mesh.collision);
    drawn_shapes(model)
        .filter(|shape| !(shape.collision && has_mesh(shape.link)))
        .map(|shape| {
            let link = &model.links()[shape.link];
            let (kind, size) = match shape.geometry {
                Geometry::Sphere(radius) => ("sphere", vec![radius]),
                Geometry::Box(edges) => ("box", edges.to_vec()),
                Geometry::Cylinder(radius, length) => ("cylinder", vec![radius, length]),
                Geometry::Capsule(radius, length) => ("capsule", vec![radius, length]),
            };
            PlacedShape {
                body: link.body,
                kind,
                size,
                color: shape.color,
                placement: Placement::of(&link.pose.compose(&shape.pose)),
            }
        })
        .collect()
}

/// From the joint of every body without shapes to the joints and site centres that it carries. A
/// body without mass of its own (the slides of a planar base) is no link and is left out.
fn sticks(model: &Model, contacts: &Contacts) -> Vec<Stick> {
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

fn sites(contacts: &Contacts) -> Vec<SiteOutline> {
    let turn = std::f64::consts::TAU;
    let unit = |a: &Vector3<f64>| a.try_normalize(0.0).unwrap_or_default();
    contacts
        .sites()
        .iter()
        .map(|site| {
            let zero = [[0.0; 3]; 2];
            let (kind, radius, axes, range, thickness) = match &site.shape {
                SiteShape::Point => ("point", 0.0, zero, [0.0; 2], 0.0),
                SiteShape::Sphere { radius } => ("sphere", *radius, zero, [0.0; 2], 0.0),
                SiteShape::Arc {
                    axes,
                    radius,
                    start,
                    end,
                    thickness,
                } => {
                    let axes = [unit(&axes[0]).into(), unit(&axes[1]).into()];
                    ("arc", *radius, axes, [*start, *end], *thickness)
                }
                SiteShape::DiscEdge { axis, radius } => {
                    let axis = unit(axis);
                    // Any direction that is not along the axis starts the circle.
                    let side = Vector3::ith(axis.iamin(), 1.0);
                    let first = unit(&axis.cross(&side));
                    let axes = [first.into(), axis.cross(&first).into()];
                    ("arc", *radius, axes, [0.0, turn], 0.0)
                }
            };
            SiteOutline {
                name: site.name.clone(),
                body: site.body,
                kind,
                center: site.center.into(),
                radius,
                axes,
                range,
                thickness,
            }
        })
        .collect()
}

fn terrain(contacts: &Contacts) -> Vec<TerrainPiece> {
    contacts
        .terrains()
        .iter()
        .filter_map(|terrain| {
            let name = terrain.name.clone();
            Some(match &terrain.surface {
                Surface::Plane { point, normal } => TerrainPiece::Plane {
                    name,
                    point: (*point).into(),
                    normal: normal.try_normalize(0.0).unwrap_or_default().into(),
                },
                Surface::Box { min, max } => TerrainPiece::Box {
                    name,
                    min: (*min).into(),
                    max: (*max).into(),
                },
                Surface::Heights(field) => {
                    let DrawnHeights { origin, cell, rows } = DrawnHeights::of(field);
                    TerrainPiece::Heights {
                        name,
                        origin,
                        cell,
                        rows,
                    }
                }
                // Nothing says where it is.
                Surface::Own(_) => return None,
            })
        })
        .collect()
}

/// The heights of a field that are drawn.
pub(crate) struct DrawnHeights {
    /// x and y of the first \[m\].
    pub origin: [f64; 2],
    /// Distances along x and y \[m\].
    pub cell: [f64; 2],
    /// Rows along x \[m\].
    pub rows: Vec<Vec<f64>>,
}

impl DrawnHeights {
    pub fn of(field: &HeightField) -> Self {
        let counts = field.nodes().map(|n| n.min(DRAWN_HEIGHTS));
        let cell = [0, 1].map(|k| {
            let length = (field.nodes()[k] - 1) as f64 * field.cell()[k];
            length / (counts[k] - 1) as f64
        });
        let origin = field.origin();
        let height = |i: usize, j: usize| {
            let [x, y] = [(0, i), (1, j)].map(|(k, i)| origin[k] + i as f64 * cell[k]);
            field.at(x, y).value
        };
        let rows = (0..counts[1]).map(|j| (0..counts[0]).map(|i| height(i, j)).collect());
        Self {
            origin,
            cell,
            rows: rows.collect(),
        }
    }
}
