//! Sites from collision shapes: over a plane, the lowest of them is as low as the shape.

use carom::contact::{
    CollisionKind, Combination, Contacts, Material, Terrain, collision_sites, mesh_points,
};
use carom::dynamics::Kinematics;
use carom::model::{Base, Geometry, Link, Model, ModelBuilder};
use carom::spatial::{Pose, rotation_from_rpy};
use nalgebra::Vector3;
use proptest::prelude::*;

const RUBBER: Material = Material {
    friction: 0.5,
    restitution: 0.0,
};

fn body(link: Link) -> Model {
    ModelBuilder::new("body")
        .base(Base::Floating)
        .link(link.solid_sphere(1.0, 0.1, Vector3::zeros()))
        .build()
        .unwrap()
}

/// The height of a convex shape's lowest point, from its support function along −n.
fn lowest(geometry: &Geometry, pose: &Pose<f64>, normal: &Vector3<f64>) -> f64 {
    let n = pose.rotation.transpose() * normal;
    let across = n.x.hypot(n.y);
    let depth = match *geometry {
        Geometry::Sphere(radius) => radius,
        Geometry::Box(edges) => (0..3).map(|k| 0.5 * edges[k] * n[k].abs()).sum(),
        Geometry::Cylinder(radius, length) => 0.5 * length * n.z.abs() + radius * across,
        Geometry::Capsule(radius, length) => 0.5 * length * n.z.abs() + radius,
        _ => unreachable!(),
    };
    normal.dot(&pose.translation) - depth
}

fn shapes() -> impl Strategy<Value = Geometry> {
    let size = || 0.01..1.0;
    prop_oneof![
        size().prop_map(Geometry::Sphere),
        [size(), size(), size()].prop_map(Geometry::Box),
        (size(), size()).prop_map(|(r, l)| Geometry::Cylinder(r, l)),
        (size(), size()).prop_map(|(r, l)| Geometry::Capsule(r, l)),
    ]
}

proptest! {
    /// The bound: round-off of a few operations on numbers of order 1.
    #[test]
    fn the_lowest_site_is_as_low_as_the_shape(
        shape in shapes(),
        rpy in [-3.0..3.0, -1.5..1.5, -3.0..3.0],
        at in [-1.0..1.0, -1.0..1.0, -1.0..1.0],
        slope in [-0.5..0.5, -0.5..0.5],
    ) {
        let pose = Pose::new(rotation_from_rpy(&rpy), Vector3::from(at));
        let model = body(Link::new("link").shape(pose, shape, true));
        let sites = collision_sites(&model, &CollisionKind::ALL, RUBBER);
        let normal = Vector3::new(slope[0], slope[1], 1.0).normalize();
        let ground = Terrain::plane("ground", [0.0; 3], normal.into(), RUBBER);
        let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).unwrap();
        let mut kinematics = Kinematics::<f64>::new(&model);
        kinematics.update_placements(&model, &model.neutral_configuration());
        let gaps = (0..contacts.len())
            .filter(|&i| contacts.is_present(&kinematics, i))
            .map(|i| contacts.gap(&kinematics, i));
        let gap = gaps.fold(f64::INFINITY, f64::min);
        let wanted = lowest(&shape, &pose, &normal);
        prop_assert!((gap - wanted).abs() < 1e-14, "{} is not {}", gap, wanted);
    }
}

#[test]
fn names_count_what_a_link_has_several_of() {
    let cube = Geometry::Box([0.1; 3]);
    let here = Pose::identity();
    let link = Link::new("trunk")
        .shape(here, cube, true)
        .shape(here, Geometry::Sphere(0.1), true)
        .shape(here, cube, false)
        .shape(here, cube, true)
        .shape(here, Geometry::Capsule(0.1, 0.2), true);
    let model = body(link);
    let names = |kinds: &[CollisionKind]| -> Vec<String> {
        let sites = collision_sites(&model, kinds, RUBBER);
        sites.into_iter().map(|site| site.name).collect()
    };
    let all = names(&CollisionKind::ALL);
    assert_eq!(all.len(), 1 + 8 + 8 + 2);
    assert_eq!(all[..3], ["trunk", "trunk_box_0", "trunk_box_1"]);
    assert_eq!(all[9], "trunk_box2_0");
    assert_eq!(all[17..], ["trunk_capsule_0", "trunk_capsule_1"]);
    assert_eq!(names(&[CollisionKind::Sphere]), ["trunk"]);
    assert!(names(&[]).is_empty());
}

#[test]
fn what_is_fixed_in_the_world_touches_nothing() {
    let model = ModelBuilder::new("table")
        .link(Link::new("table").shape(Pose::identity(), Geometry::Box([1.0; 3]), true))
        .build()
        .unwrap();
    assert!(collision_sites(&model, &[CollisionKind::Box], RUBBER).is_empty());
}

/// A pyramid of four triangles in a file, twice as wide as high after its scale, turned on its head.
#[test]
fn a_mesh_is_its_hull_in_the_frame_of_its_link() {
    let file = std::env::temp_dir().join(format!("carom-pyramid-{}.obj", std::process::id()));
    let text =
        "v 1 0 0\nv 0 1 0\nv -1 -1 0\nv 0 0 1\nv 0 0 0.2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 2 5\n";
    std::fs::write(&file, text).unwrap();
    let pose = Pose::new(
        rotation_from_rpy(&[std::f64::consts::PI, 0.0, 0.0]),
        Vector3::z(),
    );
    let link = Link::new("link").mesh(pose, file.clone(), [2.0, 2.0, 1.0], true);
    let (meshes, unread) = mesh_points(&body(link));
    std::fs::remove_file(&file).unwrap();
    assert!(unread.is_empty());
    assert_eq!((meshes.len(), meshes[0].name.as_str()), (1, "link_mesh"));
    // The vertex inside of the hull is none of its points.
    let wanted = [
        [2.0, 0.0, 1.0],
        [0.0, -2.0, 1.0],
        [-2.0, 2.0, 1.0],
        [0.0, 0.0, 0.0],
    ];
    assert_eq!(meshes[0].points.len(), wanted.len());
    for corner in wanted.map(Vector3::from) {
        let near = |x: &[f64; 3]| (Vector3::from(*x) - corner).norm() < 1e-15;
        assert!(meshes[0].points.iter().any(near), "{corner} is missing");
    }
}
