//! Shapes, terrain and impulses as scene entities of Foxglove.

use foxglove::messages::{
    ArrowPrimitive, Color, CubePrimitive, CylinderPrimitive, Duration, LinePrimitive, Point3, Pose,
    Quaternion, SceneEntity, SceneUpdate, SpherePrimitive, TriangleListPrimitive, Vector3,
    line_primitive,
};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::mcap_file::{WORLD, timestamp};
use crate::contact::{Contacts, Drawn, SiteShape, Terrain};
use crate::impact::Verdict;
use crate::model::{Geometry, Model};
use crate::scenario::Experiment;
use crate::spatial;
use crate::views::replay::{DrawnHeights, ReplayEvent, drawn_shapes};

/// How long an impulse is seen \[s\].
const IMPULSE_LIFETIME: f64 = 0.15;
/// Length of the arrow of the largest impulse of a run \[m\].
const LONGEST_ARROW: f64 = 0.3;
/// Size of the square that stands for a plane \[m\].
const PLANE_SIZE: f64 = 10.0;
const PLANE_THICKNESS: f64 = 1e-3;
const ARC_POINTS: u32 = 24;

// Colours that people with any colour vision can tell apart (Okabe and Ito).
const BODY: [f64; 3] = [0.55, 0.6, 0.66];
const GROUND: [f64; 3] = [0.85, 0.87, 0.9];
const UNIQUE: [f64; 3] = [0.0, 0.447, 0.698];
const AMBIGUOUS: [f64; 3] = [0.835, 0.369, 0.0];

fn colour([r, g, b]: [f64; 3]) -> Option<Color> {
    Some(Color { r, g, b, a: 1.0 })
}

pub(crate) fn vector(v: &nalgebra::Vector3<f64>) -> Vector3 {
    Vector3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

pub(crate) fn quaternion(rotation: &Matrix3<f64>) -> Quaternion {
    let rotation = Rotation3::from_matrix_unchecked(*rotation);
    let [x, y, z, w] = UnitQuaternion::from_rotation_matrix(&rotation)
        .coords
        .into();
    Quaternion { x, y, z, w }
}

fn pose(pose: &spatial::Pose<f64>) -> Option<Pose> {
    Some(Pose {
        position: Some(vector(&pose.translation)),
        orientation: Some(quaternion(&pose.rotation)),
    })
}

fn size(x: f64, y: f64, z: f64) -> Option<Vector3> {
    Some(Vector3 { x, y, z })
}

/// Robot and terrain, to be seen from `time` on.
pub(crate) fn scene_update(experiment: &Experiment, time: f64) -> SceneUpdate {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let mut entities: Vec<SceneEntity> = (0..model.links().len())
        .map(|link| link_entity(model, contacts, link))
        .filter(|entity| {
            !(entity.cubes.is_empty()
                && entity.spheres.is_empty()
                && entity.cylinders.is_empty()
                && entity.lines.is_empty())
        })
        .collect();
    entities.push(terrain_entity(contacts));
    for entity in &mut entities {
        entity.timestamp = Some(timestamp(time));
    }
    SceneUpdate {
        deletions: Vec::new(),
        entities,
    }
}

/// The shapes of a link that are drawn, and its arcs.
fn link_entity(model: &Model, contacts: &Contacts, link: usize) -> SceneEntity {
    let frame = &model.links()[link];
    let mut entity = SceneEntity {
        frame_id: frame.name.clone(),
        id: frame.name.clone(),
        frame_locked: true,
        ..SceneEntity::default()
    };
    for shape in drawn_shapes(model).filter(|shape| shape.link == link) {
        let (pose, color) = (pose(&shape.pose), colour(BODY));
        let cylinder = |radius: f64, length: f64| CylinderPrimitive {
            pose,
            size: size(2.0 * radius, 2.0 * radius, length),
            bottom_scale: 1.0,
            top_scale: 1.0,
            color,
        };
        let sphere = |pose: Option<Pose>, radius: f64| SpherePrimitive {
            pose,
            size: size(2.0 * radius, 2.0 * radius, 2.0 * radius),
            color,
        };
        match shape.geometry {
            Geometry::Sphere(radius) => entity.spheres.push(sphere(pose, radius)),
            Geometry::Box([x, y, z]) => entity.cubes.push(CubePrimitive {
                pose,
                size: size(x, y, z),
                color,
            }),
            Geometry::Cylinder(radius, length) => entity.cylinders.push(cylinder(radius, length)),
            Geometry::Capsule(radius, length) => {
                entity.cylinders.push(cylinder(radius, length));
                for end in [-0.5, 0.5] {
                    let tip = nalgebra::Vector3::new(0.0, 0.0, end * length);
                    let placed = spatial::Pose::new(shape.pose.rotation, shape.pose.point(&tip));
                    entity.spheres.push(sphere(self::pose(&placed), radius));
                }
            }
            _ => {}
        }
    }
    entity.lines = arcs(contacts, &frame.name, &frame.pose);
    entity
}

/// Arcs of the contact sites on a link, in its frame.
fn arcs(contacts: &Contacts, link: &str, link_pose: &spatial::Pose<f64>) -> Vec<LinePrimitive> {
    let sites = contacts.sites().iter().filter(|site| site.link == link);
    let lines = sites.filter_map(|site| {
        let SiteShape::Arc {
            axes,
            radius,
            start,
            end,
            ..
        } = &site.shape
        else {
            return None;
        };
        // Directions of the shape are in the body's frame, the centre is in the link's.
        let axes = axes.map(|axis| link_pose.rotation.transpose() * axis.normalize());
        let points = (0..=ARC_POINTS).map(|i| {
            let angle = start + (end - start) * f64::from(i) / f64::from(ARC_POINTS);
            let out = axes[0] * angle.cos() + axes[1] * angle.sin();
            let point = site.position + out * *radius;
            Point3 {
                x: point.x,
                y: point.y,
                z: point.z,
            }
        });
        Some(LinePrimitive {
            r#type: line_primitive::Type::LineStrip as i32,
            pose: pose(&spatial::Pose::identity()),
            thickness: 3.0,
            scale_invariant: true,
            points: points.collect(),
            color: colour(UNIQUE),
            ..LinePrimitive::default()
        })
    });
    lines.collect()
}

fn terrain_entity(contacts: &Contacts) -> SceneEntity {
    let pieces = || contacts.terrains().iter().filter_map(Terrain::drawn);
    let cubes = pieces().filter_map(|drawn| {
        let (placed, size) = match drawn {
            Drawn::HalfSpace { point, normal } => {
                let normal = normal.normalize();
                let rotation = Rotation3::rotation_between(&nalgebra::Vector3::z(), &normal)
                    .unwrap_or_else(|| {
                        Rotation3::from_axis_angle(
                            &nalgebra::Vector3::x_axis(),
                            std::f64::consts::PI,
                        )
                    });
                let center = point - normal * (0.5 * PLANE_THICKNESS);
                let placed = spatial::Pose::new(rotation.into_inner(), center);
                (placed, [PLANE_SIZE, PLANE_SIZE, PLANE_THICKNESS])
            }
            Drawn::Box { min, max } => {
                let placed = spatial::Pose::new(Matrix3::identity(), (min + max) * 0.5);
                (placed, (max - min).into())
            }
            // Heights are drawn as triangles.
            _ => return None,
        };
        let [x, y, z] = size;
        Some(CubePrimitive {
            pose: pose(&placed),
            size: self::size(x, y, z),
            color: colour(GROUND),
        })
    });
    let triangles = pieces().filter_map(|drawn| match drawn {
        Drawn::Heights(field) => Some(height_triangles(&DrawnHeights::of(&field))),
        _ => None,
    });
    SceneEntity {
        frame_id: WORLD.to_string(),
        id: "terrain".to_string(),
        cubes: cubes.collect(),
        triangles: triangles.collect(),
        ..SceneEntity::default()
    }
}

/// Two triangles a cell.
fn height_triangles(heights: &DrawnHeights) -> TriangleListPrimitive {
    let DrawnHeights { origin, cell, rows } = heights;
    let columns = rows.first().map_or(0, Vec::len);
    let points = rows.iter().enumerate().flat_map(|(j, row)| {
        row.iter().enumerate().map(move |(i, z)| Point3 {
            x: origin[0] + i as f64 * cell[0],
            y: origin[1] + j as f64 * cell[1],
            z: *z,
        })
    });
    let cells = (1..rows.len()).flat_map(|j| (1..columns).map(move |i| j * columns + i));
    let indices = cells.flat_map(|last| {
        let [a, b] = [last - columns - 1, last - columns];
        [a, b, last, a, last, last - 1].map(|k| k as u32)
    });
    TriangleListPrimitive {
        pose: pose(&spatial::Pose::identity()),
        points: points.collect(),
        color: colour(GROUND),
        indices: indices.collect(),
        ..TriangleListPrimitive::default()
    }
}

/// The impulses of an impact as arrows, the largest of the run being [`LONGEST_ARROW`] long.
pub(crate) fn impact_update(
    experiment: &Experiment,
    event: &ReplayEvent,
    largest: f64,
) -> SceneUpdate {
    let unique = (event.verdict.as_ref()).is_some_and(|v| v.unique == Verdict::Unique);
    let arrows = event.contacts.iter().filter_map(|contact| {
        let impulse = nalgebra::Vector3::from(contact.impulse);
        let length = LONGEST_ARROW * impulse.norm() / largest;
        if length == 0.0 {
            return None;
        }
        // Foxglove's arrows point along x.
        let turn =
            Rotation3::rotation_between(&nalgebra::Vector3::x(), &impulse).unwrap_or_else(|| {
                Rotation3::from_axis_angle(&nalgebra::Vector3::z_axis(), std::f64::consts::PI)
            });
        let head = (0.3 * length).min(0.03);
        Some(ArrowPrimitive {
            pose: pose(&spatial::Pose::new(turn.into_inner(), contact.point.into())),
            shaft_length: length - head,
            shaft_diameter: 0.008,
            head_length: head,
            head_diameter: 0.02,
            color: colour(if unique { UNIQUE } else { AMBIGUOUS }),
        })
    });
    let entity = SceneEntity {
        timestamp: Some(timestamp(event.time)),
        frame_id: WORLD.to_string(),
        id: format!("impact of {}", experiment.model.name()),
        lifetime: Some(Duration::saturating_from_secs_f64(IMPULSE_LIFETIME)),
        arrows: arrows.collect(),
        ..SceneEntity::default()
    };
    SceneUpdate {
        deletions: Vec::new(),
        entities: vec![entity],
    }
}
