//! Names, materials and places of sites and contacts.

use std::f64::consts::FRAC_PI_2;

use carom::contact::{
    Combination, Contacts, Material, Site, SiteShape, Terrain, planar_normal, sphere_sites,
};
use carom::model::sample::{chain, hexapod, random_tree};
use carom::model::{Base, Geometry, Joint, Link, Model, ModelBuilder};
use carom::spatial::{Pose, rotation_exp};
use nalgebra::Vector3;

use super::support::{RUBBER, at, free_body, ground, one};

#[test]
fn planar_models_are_recognised() {
    assert_eq!(planar_normal(&chain(3).unwrap()), Some(Vector3::y()));
    assert_eq!(planar_normal(&hexapod().unwrap()), None);
    assert_eq!(
        planar_normal(&random_tree(1, 4, Base::Planar).unwrap()),
        None
    );
    assert_eq!(
        planar_normal(&random_tree(1, 4, Base::Fixed).unwrap()),
        None
    );
    let arm = |axes: [[f64; 3]; 2], first: fn(&str, &str, &str) -> Joint| {
        let link = |n: &str| Link::new(n).solid_sphere(1.0, 0.1, Vector3::zeros());
        ModelBuilder::new("arm")
            .link(Link::new("root"))
            .link(link("a"))
            .link(link("b"))
            .joint(first("one", "root", "a").axis(axes[0]))
            .joint(Joint::prismatic("two", "a", "b").axis(axes[1]))
            .build()
            .unwrap()
    };
    let close = |m: &Model, n: [f64; 3]| {
        let found = planar_normal(m).unwrap();
        assert!((found - Vector3::from(n)).norm() < 1e-15, "{found}");
    };
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    close(&arm([[-2.0, 0.0, 0.0], z], Joint::revolute), x);
    assert_eq!(planar_normal(&arm([x, x], Joint::revolute)), None);
    close(&arm([x, y], Joint::prismatic), z);
    close(&arm([z, z], Joint::prismatic), y);
    close(&arm([y, y], Joint::prismatic), z);
}

#[test]
fn contacts_have_stable_names_and_combined_materials() {
    let model = hexapod().unwrap();
    let ice = Material::new(0.2, 0.0);
    let site = |name: &str, link: &str| {
        Site::point(&model, name, link, [0.0, 0.0, -0.17], RUBBER).unwrap()
    };
    let sites = vec![site("tip", "left0"), site("toe", "right2")];
    let pond = Terrain::plane("pond", [0.0; 3], [0.0, 0.0, 1.0], ice);
    let shelf = Terrain::step("shelf", [0.0; 3], [1.0; 3], RUBBER);
    let make = |terrains: Vec<Terrain>, rule: Combination| {
        Contacts::new(&model, sites.clone(), terrains, &[], rule).unwrap()
    };
    let alone = make(vec![pond.clone()], Combination::Average);
    let names = |c: &Contacts| {
        (0..c.len())
            .map(|i| c.name(i).to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&alone), ["tip", "toe"]);
    let both = make(vec![pond.clone(), shelf], Combination::Average);
    assert_eq!(
        names(&both),
        ["tip@pond", "tip@shelf", "toe@pond", "toe@shelf"]
    );
    assert_eq!(both.tangent_count(0), 2);
    for (rule, friction, restitution) in [
        (Combination::Minimum, 0.2, 0.0),
        (Combination::Maximum, 0.8, 0.5),
        (Combination::Average, 0.5, 0.25),
        (Combination::GeometricMean, 0.4, 0.0),
        (Combination::Product, 0.16, 0.0),
    ] {
        let c = make(vec![pond.clone()], rule);
        assert!((c.friction(0) - friction).abs() < 1e-15, "{rule:?}");
        assert!((c.restitution(0) - restitution).abs() < 1e-15, "{rule:?}");
    }
    let name = serde_json::to_string(&Combination::GeometricMean).unwrap();
    assert_eq!(name, "\"geometric-mean\"");
}

#[test]
fn box_corners_and_descriptions() {
    let model = free_body();
    let quarter = Pose::new(
        rotation_exp(&Vector3::new(0.0, 0.0, FRAC_PI_2)),
        Vector3::new(1.0, 0.0, 0.0),
    );
    let corners =
        Site::box_corners(&model, "hull", "body", &quarter, [2.0, 4.0, 6.0], RUBBER).unwrap();
    assert_eq!(corners.len(), 8);
    assert_eq!(corners[5].name, "hull_5");
    // Bits 101: +x, −y, +z of the box; x turned to y, y to −x.
    assert!((corners[5].center - Vector3::new(3.0, 1.0, 3.0)).norm() < 1e-15);
    let foot = Site::sphere(&model, "foot", "body", [0.5, 0.0, -1.0], 0.02, RUBBER).unwrap();
    assert_eq!(
        foot.to_string(),
        "foot: sphere of radius 0.02 m on link body at (0.5, 0, -1) m, friction 0.8, restitution 0.5"
    );
    assert_eq!(
        ground().to_string(),
        "ground: plane through (0, 0, 0) m with normal (0, 0, 1), friction 0.8, restitution 0.5"
    );
    let several = ModelBuilder::new("dumbbell")
        .base(Base::Floating)
        .link(
            Link::new("bar")
                .solid_sphere(1.0, 0.1, Vector3::zeros())
                .shape(Pose::identity(), Geometry::Sphere(0.1), true)
                .shape(quarter, Geometry::Sphere(0.2), true),
        )
        .build()
        .unwrap();
    let sites = sphere_sites(&several, RUBBER);
    assert_eq!(
        (sites[0].name.as_str(), sites[1].name.as_str()),
        ("bar_0", "bar_1")
    );
    assert_eq!(sites[1].center, Vector3::x());
}

#[test]
fn sites_merged_into_a_body_keep_their_place_and_directions() {
    // The link is fixed to its parent by a turned and shifted joint, and the parent's joint axis is
    // oblique, so that link, body and world frames all differ.
    let model = ModelBuilder::new("merged")
        .link(Link::new("root"))
        .link(Link::new("arm").solid_sphere(1.0, 0.1, Vector3::zeros()))
        .link(Link::new("foot").solid_sphere(1.0, 0.1, Vector3::zeros()))
        .joint(Joint::revolute("turn", "root", "arm").axis([1.0, 2.0, 3.0]))
        .joint(Joint::fixed("weld", "arm", "foot").origin([0.0, 0.0, 1.0], [FRAC_PI_2, 0.0, 0.0]))
        .build()
        .unwrap();
    let axis = Vector3::z();
    let shape = SiteShape::DiscEdge { axis, radius: 0.25 };
    let site = Site::new(&model, "rim", "foot", [0.0, 0.5, 0.0], shape, RUBBER).unwrap();
    let contacts = one(&model, site, ground());
    // At q = 0: centre (0, 0, 1) + roll(90°)(0, 0.5, 0) = (0, 0, 1.5), axis z turned to −y.
    let frame = contacts.frame(&at(&model, &[0.0]), 0);
    assert!((frame.points[0] - Vector3::new(0.0, 0.0, 1.25)).norm() < 1e-14);
}
