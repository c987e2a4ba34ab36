//! What a replay draws: the robot as bodies with shapes, its contact sites, the terrain.

mod shapes;
mod sites;
mod terrain;

#[cfg(any(feature = "mcap", feature = "cli"))]
pub(crate) use shapes::drawn_shapes;
pub(crate) use shapes::{PlacedShape, Stick};
pub(crate) use sites::SiteOutline;
#[cfg(feature = "mcap")]
pub(crate) use terrain::DrawnHeights;
pub(crate) use terrain::TerrainPiece;

use nalgebra::Matrix3;
use serde::Serialize;

use super::meshes::{MOST_MESH_BYTES, PackedMesh, PlacedMesh, VisualMeshes};
use crate::contact::Contacts;
use crate::model::{Base, Model};
use crate::spatial::Pose;
use shapes::{shapes, sticks};
use sites::sites;
use terrain::terrain;

/// Robot and world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReplayScene {
    /// Moving bodies, parents before children.
    pub(crate) bodies: Vec<BodyFrame>,
    /// Shapes of links.
    pub(crate) shapes: Vec<PlacedShape>,
    /// Lines between joints where a body has no shape.
    pub(crate) sticks: Vec<Stick>,
    /// Springs between two points.
    pub(crate) springs: Vec<SpringLine>,
    /// Contact sites.
    pub(crate) sites: Vec<SiteOutline>,
    /// Pieces of the fixed world.
    pub(crate) terrain: Vec<TerrainPiece>,
    /// Contacts: what touches what.
    pub(crate) contacts: Vec<ContactSides>,
    /// Visual meshes of links.
    pub(crate) meshes: Vec<PlacedMesh>,
    /// Their triangles, each file once.
    pub(crate) triangles: Vec<PackedMesh>,
    /// How the root is held: `fixed`, `planar` or `floating`.
    pub base: Base,
    /// Size of the normal force that carries the robot \[N\].
    pub weight: f64,
}

/// Placement of a body in its parent: what forward kinematics needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BodyFrame {
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
    pub(crate) placement: Placement,
}

/// A rigid placement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Placement {
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

/// A spring between points of two bodies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SpringLine {
    /// The bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// The points in their frames \[m\].
    pub points: [[f64; 3]; 2],
}

/// A contact and its sites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ContactSides {
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
            kind: body.kind.word(),
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
