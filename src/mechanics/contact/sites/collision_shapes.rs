//! Contact sites from the collision shapes of a robot's description.
//!
//! | shape | sites | their names |
//! |---|---|---|
//! | sphere | itself | the link's; `<link>_0` … where it has several |
//! | box | its eight corners | `<link>_box_0` … `<link>_box_7` |
//! | capsule | the spheres at its ends | `<link>_capsule_0`, `_1` |
//! | cylinder | the edges of its ends | `<link>_cylinder_0`, `_1` |
//! | mesh | points of its convex hull | `<link>_mesh_0` … |
//!
//! The second box of a link is `<link>_box2`, and so on. The lowest point of a convex body over a plane is among these
//! points (of a mesh up to a depth of 1 % of its extent), so over planes nothing is lost. Of
//! what lies between them, edges of boxes and sides of capsules and cylinders touch each other
//! ([`Contacts::with_terrain_edges`](crate::contact::Contacts::with_terrain_edges)).

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::site::{Site, SiteShape, corners, sphere_sites};
use super::support_points::support_points;
use crate::contact::Material;
use crate::model::mesh::{MeshError, read_mesh};
use crate::model::{Geometry, LinkMesh, LinkShape, Model};
use crate::spatial::Pose;

/// A kind of collision shape.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CollisionKind {
    /// Spheres.
    Sphere,
    /// Boxes.
    Box,
    /// Capsules.
    Capsule,
    /// Cylinders.
    Cylinder,
    /// Meshes, by their convex hull.
    Mesh,
}

impl CollisionKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Sphere,
        Self::Box,
        Self::Capsule,
        Self::Cylinder,
        Self::Mesh,
    ];

    /// The kind of a shape.
    #[must_use]
    pub fn of(geometry: &Geometry) -> Self {
        match geometry {
            Geometry::Sphere(_) => Self::Sphere,
            Geometry::Box(_) => Self::Box,
            Geometry::Capsule(..) => Self::Capsule,
            Geometry::Cylinder(..) => Self::Cylinder,
        }
    }

    /// Its name in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Box => "box",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Mesh => "mesh",
        }
    }
}

/// Points of the convex hull of a collision mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshPoints {
    /// What the sites are called, but for their number.
    pub name: String,
    /// The link.
    pub link: String,
    /// In the link's frame \[m\].
    pub points: Vec<[f64; 3]>,
}

/// Sites of the collision shapes of the given kinds, meshes excepted, on links that move: spheres first, then the
/// others in the order of the description.
#[must_use]
pub fn collision_sites(model: &Model, kinds: &[CollisionKind], material: Material) -> Vec<Site> {
    let mut sites = Vec::new();
    if kinds.contains(&CollisionKind::Sphere) {
        sites = sphere_sites(model, material);
    }
    sites.extend(sites_of(model, kinds, material, true));
    sites
}

/// The same on links that are fixed in the world, but for spheres, which are among those above.
pub fn fixed_collision_sites(
    model: &Model,
    kinds: &[CollisionKind],
    material: Material,
) -> Vec<Site> {
    sites_of(model, kinds, material, false)
}

/// Sites of shapes other than spheres on links that move, or on those that do not.
fn sites_of(model: &Model, kinds: &[CollisionKind], material: Material, moving: bool) -> Vec<Site> {
    let mut sites = Vec::new();
    let own = |shape: &&LinkShape| model.links()[shape.link].body.is_some() == moving;
    let shapes = model.shapes().iter();
    let collisions: Vec<&LinkShape> = shapes.filter(|s| s.collision).filter(own).collect();
    for (i, shape) in collisions.iter().enumerate() {
        let kind = CollisionKind::of(&shape.geometry);
        if !kinds.contains(&kind) {
            continue;
        }
        let same = |other: &&&LinkShape| {
            other.link == shape.link && CollisionKind::of(&other.geometry) == kind
        };
        let earlier = collisions[..i].iter().filter(same).count();
        let link = &model.links()[shape.link];
        let name = numbered(&link.name, kind, earlier);
        let parts = parts(&shape.geometry, &shape.pose);
        sites.extend(parts.into_iter().enumerate().map(|(k, (position, form))| {
            let site = Site::placed(link, format!("{name}_{k}"), position, form, material);
            match shape.geometry {
                Geometry::Box(_) => site.corner_of(link, &shape.pose),
                _ => site.of_solid(link, &shape.pose.translation),
            }
        }));
    }
    sites
}

/// Points of the collision meshes of links that move, in the order of the description, and what could not be read.
#[must_use]
pub fn mesh_points(model: &Model) -> (Vec<MeshPoints>, Vec<MeshError>) {
    mesh_points_by(model, hull)
}

/// The same, where `hull` says the points of a mesh.
pub fn mesh_points_by(
    model: &Model,
    hull: impl Fn(&LinkMesh) -> Result<Vec<[f64; 3]>, MeshError>,
) -> (Vec<MeshPoints>, Vec<MeshError>) {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    let moves = |mesh: &&LinkMesh| model.links()[mesh.link].body.is_some();
    let meshes = model.meshes().iter();
    let collisions: Vec<&LinkMesh> = meshes.filter(|m| m.collision).filter(moves).collect();
    for (i, mesh) in collisions.iter().enumerate() {
        let same = collisions[..i].iter().filter(|m| m.link == mesh.link);
        let earlier = same.count();
        match hull(mesh) {
            Ok(points) => {
                let link = model.links()[mesh.link].name.clone();
                found.push(MeshPoints {
                    name: numbered(&link, CollisionKind::Mesh, earlier),
                    link,
                    points,
                });
            }
            Err(error) => unread.push(error),
        }
    }
    (found, unread)
}

/// Points of the convex hull of a mesh, in the frame of its link.
pub fn hull(of: &LinkMesh) -> Result<Vec<[f64; 3]>, MeshError> {
    let mesh = read_mesh(&of.file)?;
    let scale = Vector3::from(of.scale);
    let vertices = mesh.vertices.iter();
    let placed: Vec<Vector3<f64>> = vertices
        .map(|x| of.pose.point(&Vector3::from(*x).component_mul(&scale)))
        .collect();
    Ok(support_points(&placed)
        .into_iter()
        .map(Into::into)
        .collect())
}

fn numbered(link: &str, kind: CollisionKind, earlier: usize) -> String {
    match earlier {
        0 => format!("{link}_{}", kind.word()),
        n => format!("{link}_{}{}", kind.word(), n + 1),
    }
}

/// Centre in the link's frame and form of the sites of a shape; none of a sphere, which is a site by itself.
fn parts(geometry: &Geometry, pose: &Pose<f64>) -> Vec<(Vector3<f64>, SiteShape)> {
    let along = |z: f64| pose.point(&Vector3::new(0.0, 0.0, z));
    match *geometry {
        Geometry::Sphere(_) => Vec::new(),
        Geometry::Box(edges) => corners(pose, &edges)
            .map(|corner| (corner, SiteShape::Point))
            .to_vec(),
        Geometry::Capsule(radius, length) => [-0.5, 0.5]
            .map(|end| (along(end * length), SiteShape::Sphere { radius }))
            .to_vec(),
        Geometry::Cylinder(radius, length) => [-0.5, 0.5]
            .map(|end| {
                let axis = pose.rotation * Vector3::z();
                (along(end * length), SiteShape::DiscEdge { axis, radius })
            })
            .to_vec(),
    }
}
