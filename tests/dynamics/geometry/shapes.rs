//! Balls, arcs and discs on slopes, boxes and each other against closed forms.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use carom::contact::{
    Combination, ContactFrame, Contacts, Site, SiteShape, Terrain, planar_normal, sphere_sites,
};
use carom::model::{Base, Geometry, Joint, Link, Model, ModelBuilder};
use carom::spatial::{Pose, rotation_exp};
use nalgebra::{Matrix3, Vector3};

use super::support::{RUBBER, arc, assert_consistent, at, ground, one, posed, single};

#[test]
fn balls_over_a_slope_and_a_box() {
    let slope = Terrain::plane("slope", [1.0, 2.0, 3.0], [3.0, 0.0, 4.0], RUBBER);
    let ball = single(SiteShape::Sphere { radius: 0.25 }, slope);
    let frame = ball.frame(&posed(Matrix3::identity(), [2.0, 7.0, 4.0]), 0);
    // (1, 5, 1) · (0.6, 0, 0.8) = 1.4.
    assert!((frame.gap - 1.15).abs() < 1e-15);
    assert!((frame.normal - Vector3::new(0.6, 0.0, 0.8)).norm() < 1e-15);
    let step = || Terrain::step("step", [0.0; 3], [1.0; 3], RUBBER);
    let point = single(SiteShape::Point, step());
    let probe = |x: [f64; 3]| {
        let f = point.frame(&posed(Matrix3::identity(), x), 0);
        (f.gap, f.normal)
    };
    assert_eq!(probe([0.5, 0.5, 1.25]), (0.25, Vector3::z()));
    assert_eq!(probe([-0.25, 0.5, 0.5]), (-(-0.25), -Vector3::x()));
    let (gap, normal) = probe([1.3, 0.5, 1.4]);
    assert!((gap - 0.5).abs() < 1e-15);
    assert!((normal - Vector3::new(0.6, 0.0, 0.8)).norm() < 1e-15);
    let (gap, normal) = probe([1.2, -0.3, 1.6]);
    assert!((gap - 0.7).abs() < 1e-15);
    assert!((normal - Vector3::new(2.0, -3.0, 6.0) / 7.0).norm() < 1e-15);
    assert_eq!(probe([0.5, 0.125, 0.5]), (-0.125, -Vector3::y()));
    // On an edge and a hair's breadth from a face there is still a unit normal.
    assert_eq!(probe([1.0, 0.5, 1.0]), (0.0, Vector3::z()));
    assert_eq!(probe([-1e-300, 0.5, 0.5]).1, -Vector3::x());
}

#[test]
fn a_disc_edge_touches_at_its_lowest_point() {
    let axis = Vector3::y();
    let disc = single(SiteShape::DiscEdge { axis, radius: 0.5 }, ground());
    for tilt in [0.0, 0.3, 1.2, -1.5] {
        let turn = rotation_exp(&Vector3::new(tilt, 0.0, 0.0));
        let frame = disc.frame(&posed(turn, [0.0, 0.0, 1.0]), 0);
        // The edge hangs R cos(tilt) below the centre.
        assert!((frame.gap - (1.0 - 0.5 * f64::cos(tilt))).abs() < 1e-15);
        let lowest = turn * Vector3::new(0.0, 0.0, -0.5) + Vector3::z();
        assert!((frame.points[0] - lowest).norm() < 1e-15);
    }
    // Flat: every point is as low, one of them is chosen.
    let flat = rotation_exp(&Vector3::new(FRAC_PI_2, 0.0, 0.0));
    let frame = disc.frame(&posed(flat, [0.0, 0.0, 1.0]), 0);
    assert!((frame.gap - 1.0).abs() < 1e-15);
    assert!((frame.points[0] - Vector3::z()).norm() - 0.5 < 1e-15);
}

#[test]
fn an_arc_touches_inside_its_range_or_at_its_ends() {
    // The lower half: θ from π to 2π. Turned about y by more than 90°, one end is
    // lowest.
    let leg = single(arc(PI, TAU, 0.02), ground());
    for beta in [-3.0, -2.0, -1.0, -0.2, 0.0, 0.7, 1.4, 1.7, 2.9] {
        let turn = rotation_exp(&Vector3::new(0.0, beta, 0.0));
        let k = posed(turn, [0.3, 0.0, 2.0]);
        let end = |x: f64| turn * Vector3::new(x, 0.0, 0.0) + Vector3::new(0.3, 0.0, 2.0);
        let (place, lowest) = if f64::abs(beta) < FRAC_PI_2 {
            (0, Vector3::new(0.3, 0.0, 1.5))
        } else if end(0.5).z < end(-0.5).z {
            (2, end(0.5))
        } else {
            (1, end(-0.5))
        };
        assert!(leg.is_present(&k, place), "{beta}");
        assert!((leg.gap(&k, 0) - (lowest.z - 0.02)).abs() < 1e-14, "{beta}");
        let frame = leg.frame(&k, place);
        assert!((frame.gap - (lowest.z - 0.02)).abs() < 1e-14, "{beta}");
        assert!(
            (frame.points[0] - (lowest - Vector3::z() * 0.02)).norm() < 1e-14,
            "{beta}"
        );
    }
    // Angles are modulo a full turn.
    let shifted = single(arc(PI - 3.0 * TAU, TAU - 3.0 * TAU, 0.02), ground());
    let k = posed(rotation_exp(&Vector3::new(0.2, 1.1, 0.4)), [0.0; 3]);
    assert!((shifted.gap(&k, 0) - leg.gap(&k, 0)).abs() < 1e-14);
    // A full turn is the edge of a disc.
    let whole = single(arc(0.3, 0.3 + TAU, 0.0), ground());
    let axis = Vector3::y();
    let disc = single(SiteShape::DiscEdge { axis, radius: 0.5 }, ground());
    assert!((whole.gap(&k, 0) - disc.gap(&k, 0)).abs() < 1e-15);
}

/// A wheel in the x-z plane: sliders in x and z and a turn about y.
fn wheel() -> Model {
    ModelBuilder::new("wheel")
        .base(Base::Planar)
        .link(Link::new("wheel").solid_sphere(1.0, 0.5, Vector3::zeros()))
        .build()
        .unwrap()
}

#[test]
fn a_rolling_wheel_does_not_slide() {
    let model = wheel();
    assert_eq!(planar_normal(&model), Some(Vector3::y()));
    for (shape, terrain) in [
        (
            SiteShape::DiscEdge {
                axis: Vector3::y(),
                radius: 0.5,
            },
            ground(),
        ),
        (arc(-4.0, 1.0, 0.0), ground()),
        (SiteShape::Sphere { radius: 0.5 }, ground()),
        (
            SiteShape::DiscEdge {
                axis: Vector3::y(),
                radius: 0.5,
            },
            Terrain::step("step", [-9.0, -9.0, -1.0], [9.0, 9.0, 0.0], RUBBER),
        ),
    ] {
        let site = Site::new(&model, "rim", "wheel", [0.0; 3], shape, RUBBER).unwrap();
        let contacts = one(&model, site, terrain);
        assert_eq!(contacts.tangent_count(0), 1);
        let k = at(&model, &[0.7, 0.5, 0.9]);
        let frame = contacts.frame(&k, 0);
        assert!(frame.gap.abs() < 1e-15);
        assert!((frame.tangents[0] - Vector3::x()).norm() < 1e-15);
        let mut row = [f64::NAN; 3];
        frame.row(&model, &k, &frame.tangents[0], &mut row);
        // Pitch about +y at rate ω moves the centre at ωR in +x.
        let slide = |v: [f64; 3]| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
        assert!(slide([0.5 * 3.0, 0.0, 3.0]).abs() < 1e-15);
        assert!((slide([1.0, 0.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!((slide([0.0, 0.0, 1.0]) + 0.5).abs() < 1e-15);
        frame.row(&model, &k, &frame.normal, &mut row);
        assert!(row[2].abs() < 1e-15 && (row[1] - 1.0).abs() < 1e-15);
    }
}

#[test]
fn spheres_of_two_bodies_touch() {
    let slider = |name: &str, x: f64| {
        Joint::prismatic(&format!("slide_{name}"), "rail", name)
            .origin([x, 0.0, 0.0], [0.0; 3])
            .axis([1.0, 0.0, 0.0])
    };
    let ball = |name: &str| {
        Link::new(name)
            .solid_sphere(1.0, 0.1, Vector3::zeros())
            .shape(Pose::identity(), Geometry::Sphere(0.1), true)
    };
    let model = ModelBuilder::new("cradle")
        .link(Link::new("rail"))
        .link(ball("a"))
        .link(ball("b").shape(Pose::identity(), Geometry::Sphere(0.2), false))
        .joint(slider("a", 0.0))
        .joint(slider("b", 0.5))
        .build()
        .unwrap();
    let sites = sphere_sites(&model, RUBBER);
    let names: Vec<_> = sites.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let pairs = [["a".to_string(), "b".to_string()]];
    let contacts = Contacts::new(&model, sites, vec![], &pairs, Combination::Average).unwrap();
    let k = at(&model, &[0.1, 0.2]);
    let frame = contacts.frame(&k, 0);
    assert!((frame.gap - 0.4).abs() < 1e-15);
    assert!((frame.normal + Vector3::x()).norm() < 1e-15);
    let mut row = [f64::NAN; 2];
    frame.row(&model, &k, &frame.normal, &mut row);
    assert!((row[0] + 1.0).abs() < 1e-15 && (row[1] - 1.0).abs() < 1e-15);
    assert_eq!(contacts.tangent_count(0), 1);
    // One on top of the other: a direction all the same.
    assert!(contacts.gap(&at(&model, &[0.5, 0.0]), 0) + 0.2 < 1e-15);
    assert_consistent(&contacts.frame(&at(&model, &[0.5, 0.0]), 0));
}

#[test]
fn a_rim_rolls_over_the_edge_of_a_step_smoothly() {
    // Centre on a circle of radius 0.5 + g around the edge (x, z) = (0, 1) of a step that fills
    // x > 0, z < 1: the gap is g, positive or negative, and the normal points to the centre.
    let step = || Terrain::step("step", [0.0, -1.0, 0.0], [2.0, 1.0, 1.0], RUBBER);
    let axis = Vector3::y();
    for shape in [
        SiteShape::DiscEdge { axis, radius: 0.5 },
        arc(0.2, 6.0, 0.0),
    ] {
        let rim = single(shape, step());
        let leaning = rotation_exp(&Vector3::new(0.0, 2.5, 0.0));
        for gap in [0.1, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -0.01] {
            for i in 1..40 {
                let angle = FRAC_PI_2 + FRAC_PI_2 * f64::from(i) / 40.0;
                let direction = Vector3::new(angle.cos(), 0.0, angle.sin());
                let center = direction * (0.5 + gap) + Vector3::new(0.0, 0.1, 1.0);
                let frame = rim.frame(&posed(leaning, center.into()), 0);
                // Deep below the surface a face may be nearer than the edge.
                if gap < -1e-3 && frame.normal.iter().filter(|c| **c != 0.0).count() == 1 {
                    continue;
                }
                assert!(
                    (frame.gap - gap).abs() < 1e-15,
                    "{gap} {angle}: {}",
                    frame.gap
                );
                assert!((frame.normal - direction).norm() < 1e-14, "{gap} {angle}");
                assert!((frame.points[1] - Vector3::new(0.0, 0.1, 1.0)).norm() < 1e-14);
            }
        }
    }
}

#[test]
fn frames_change_continuously_along_a_path() {
    // A tilted disc and a sphere circle above and beside a step without touching it. With distances
    // of at least 0.1 and steps of 1e-3, normals turn by at most 1e-3/0.1 times the path's speed 2.
    let step = || Terrain::step("step", [-0.5, -0.4, 0.0], [0.5, 0.4, 0.3], RUBBER);
    let turn = rotation_exp(&Vector3::new(0.4, 0.3, 0.0));
    let shapes = [
        SiteShape::Sphere { radius: 0.1 },
        SiteShape::DiscEdge {
            axis: Vector3::z(),
            radius: 0.1,
        },
    ];
    for shape in shapes {
        let contacts = single(shape, step());
        let mut before: Option<ContactFrame<f64>> = None;
        for i in 0..=3000 {
            let (s, c) = (PI * f64::from(i) / 3000.0).sin_cos();
            let frame = contacts.frame(&posed(turn, [1.2 * c, 0.1, 1.2 * s + 0.1]), 0);
            assert!(frame.gap > 0.1);
            if let Some(b) = before {
                assert!((frame.normal - b.normal).norm() < 0.02);
                assert!((frame.tangents[0] - b.tangents[0]).norm() < 0.04);
                assert!((frame.gap - b.gap).abs() < 2e-3);
            }
            before = Some(frame);
        }
    }
    // On a plane, directions do not change at all, whatever its slope.
    for normal in [
        [0.0, 0.0, 1.0],
        [1.0, 0.2, 0.0],
        [0.1, 0.0, -1.0],
        [-3.0, 2.0, 1.0],
    ] {
        let plane = Terrain::plane("plane", [0.0; 3], normal, RUBBER);
        let contacts = single(
            SiteShape::DiscEdge {
                axis: Vector3::y(),
                radius: 0.3,
            },
            plane,
        );
        let first = contacts.frame(&posed(turn, [0.0; 3]), 0);
        let second = contacts.frame(&posed(turn * turn, [0.1, 0.4, 0.5]), 0);
        assert_consistent(&first);
        assert_eq!(first.normal, second.normal);
        assert_eq!(first.tangents, second.tangents);
    }
}
