//! Gaps, frames and rows of contacts against dual numbers, closed forms and brute force.

// Helpers outside of `#[test]` functions unwrap too.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, PI, SQRT_2, TAU};

use carom::contact::{
    Combination, ContactError, ContactFrame, Contacts, Material, Site, SiteShape, Surface, Terrain,
    planar_normal, sphere_sites,
};
use carom::dynamics::Kinematics;
use carom::model::sample::{Uniform, chain, hexapod, random_tree};
use carom::model::{Base, Geometry, Joint, Link, Model, ModelBuilder, ModelError};
use carom::spatial::{Pose, rotation_exp};
use nalgebra::{Matrix3, Vector3};
use num_dual::Dual64;

const RUBBER: Material = Material {
    friction: 0.8,
    restitution: 0.5,
};

fn free_body() -> Model {
    ModelBuilder::new("free")
        .base(Base::Floating)
        .link(Link::new("body").solid_sphere(1.0, 0.1, Vector3::zeros()))
        .build()
        .unwrap()
}

fn at(model: &Model, q: &[f64]) -> Kinematics<f64> {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    k
}

/// Kinematics of the free body at a pose.
fn posed(rotation: Matrix3<f64>, translation: [f64; 3]) -> Kinematics<f64> {
    let mut k = Kinematics::new(&free_body());
    k.world[0] = Pose::new(rotation, translation.into());
    k
}

fn one(model: &Model, site: Site, terrain: Terrain) -> Contacts {
    Contacts::new(model, vec![site], vec![terrain], &[], Combination::Average).unwrap()
}

/// The free body with one shape at its origin over one terrain.
fn single(shape: SiteShape, terrain: Terrain) -> Contacts {
    let model = free_body();
    let site = Site::new(&model, "foot", "body", [0.0; 3], shape, RUBBER).unwrap();
    one(&model, site, terrain)
}

fn ground() -> Terrain {
    Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], RUBBER)
}

/// An arc in the x-z plane, θ from x to z.
fn arc(start: f64, end: f64, thickness: f64) -> SiteShape {
    SiteShape::Arc {
        axes: [Vector3::x(), Vector3::z()],
        radius: 0.5,
        start,
        end,
        thickness,
    }
}

fn random_state(model: &Model, random: &mut Uniform) -> Vec<f64> {
    let v: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-2.0, 2.0))
        .collect();
    let mut q = vec![0.0; model.configuration_len()];
    model.integrate(&model.neutral_configuration(), &v, 0.7, &mut q);
    q
}

fn random_shape(kind: usize, random: &mut Uniform) -> SiteShape {
    let turn = rotation_exp(&Vector3::from(random.vector(2.0)));
    let start = random.between(-4.0, 4.0);
    match kind {
        0 => SiteShape::Point,
        1 => SiteShape::Sphere {
            radius: random.between(0.01, 0.2),
        },
        2 => SiteShape::Arc {
            axes: [turn * Vector3::x() * 2.0, turn * Vector3::y()],
            radius: random.between(0.1, 0.4),
            start,
            end: start + random.between(0.5, 6.0),
            thickness: 0.02 * random.unit(),
        },
        _ => SiteShape::DiscEdge {
            axis: turn * Vector3::z() * 3.0,
            radius: random.between(0.1, 0.4),
        },
    }
}

/// A plane near `x`, or a box whose faces, edges and corners are near it.
fn random_terrain(is_box: bool, x: &Vector3<f64>, random: &mut Uniform) -> Terrain {
    let near = x + Vector3::from(random.vector(0.4));
    if is_box {
        let half = Vector3::from([(); 3].map(|()| random.between(0.05, 0.4)));
        Terrain::step("step", (near - half).into(), (near + half).into(), RUBBER)
    } else {
        Terrain::plane("plane", near.into(), random.vector(2.0), RUBBER)
    }
}

/// Derivative of the gap along q ⊕ ε d, exact in ε: the closest points move with it.
fn gap_derivative(model: &Model, contacts: &Contacts, q: &[f64], d: &[f64]) -> f64 {
    let lift = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
    let mut moved = lift(q);
    model.integrate(&lift(q), &lift(d), Dual64::new(0.0, 1.0), &mut moved);
    let mut k = Kinematics::<Dual64>::new(model);
    k.update_placements(model, &moved);
    contacts.gap(&k, 0).eps
}

fn assert_normal_row_is_gap_derivative(model: &Model, contacts: &Contacts, q: &[f64], what: &str) {
    let k = at(model, q);
    let frame = contacts.frame(&k, 0);
    let mut row = vec![f64::NAN; model.dof()];
    frame.row(model, &k, &frame.normal, &mut row);
    for i in 0..model.dof() {
        let mut d = vec![0.0; model.dof()];
        d[i] = 1.0;
        let exact = gap_derivative(model, contacts, q, &d);
        // Lever arms of a few metres, closest points to a few roundings, divided by distances to
        // edges and corners that are rarely below 1e-3.
        assert!(
            (exact - row[i]).abs() < 1e-11,
            "{what} dof {i}: {exact} {}",
            row[i]
        );
    }
}

/// Unit, orthogonal, and x₀ − x₁ = φ n.
fn assert_consistent(frame: &ContactFrame<f64>) {
    let [t0, t1] = &frame.tangents;
    for u in [&frame.normal, t0, t1] {
        assert!((u.norm() - 1.0).abs() < 1e-14);
    }
    assert!(frame.normal.dot(t0).abs() < 1e-14);
    assert!(frame.normal.dot(t1).abs() < 1e-14);
    assert!(t0.dot(t1).abs() < 1e-14);
    let apart = frame.points[0] - frame.points[1];
    assert!((apart - frame.normal * frame.gap).norm() < 1e-14 * (1.0 + frame.points[0].norm()));
}

#[test]
fn normal_rows_are_the_derivatives_of_the_gap_for_every_shape_on_every_surface() {
    // No circle of these seeds is threaded so far through a box that opposite faces are equally near,
    // where the gap has no derivative.
    // How often a contact with the box was at a face, an edge, a corner, and inside.
    let mut seen = [[0; 4]; 4];
    for seed in 0..120 {
        for kind in 0..4 {
            for is_box in [false, true] {
                let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
                let model = random_tree(seed, 1 + seed as usize % 6, base).unwrap();
                let mut random = Uniform::new(seed * 8 + kind as u64 * 2 + u64::from(is_box));
                let q = random_state(&model, &mut random);
                let link = format!("link{}", 1 + seed as usize % 6);
                let shape = random_shape(kind, &mut random);
                let site =
                    Site::new(&model, "s", &link, random.vector(0.2), shape, RUBBER).unwrap();
                let x = at(&model, &q).world_point(site.body, &site.center);
                let terrain = random_terrain(is_box, &x, &mut random);
                let contacts = one(&model, site, terrain);
                let frame = contacts.frame(&at(&model, &q), 0);
                assert_consistent(&frame);
                assert_eq!(frame.gap, contacts.gap(&at(&model, &q), 0));
                if is_box {
                    let across = frame.normal.iter().filter(|c| c.abs() > 1e-12).count();
                    seen[kind][across - 1] += 1;
                    seen[kind][3] += usize::from(frame.gap < 0.0);
                }
                let what = format!("seed {seed} {shape:?} box {is_box}");
                assert_normal_row_is_gap_derivative(&model, &contacts, &q, &what);
            }
        }
    }
    for counts in seen {
        assert!(counts.iter().all(|n| *n > 2), "{seen:?}");
    }
}

#[test]
fn rows_of_pairs_are_the_derivatives_of_their_gap() {
    for seed in 0..60 {
        let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
        let model = random_tree(seed, 5, base).unwrap();
        let mut random = Uniform::new(seed + 500);
        let q = random_state(&model, &mut random);
        let sites = vec![
            Site::sphere(&model, "a", "link2", random.vector(0.3), 0.1, RUBBER).unwrap(),
            Site::point(&model, "b", "link5", random.vector(0.3), RUBBER).unwrap(),
        ];
        let pairs = [["a".to_string(), "b".to_string()]];
        let contacts = Contacts::new(&model, sites, vec![], &pairs, Combination::Product).unwrap();
        assert_eq!(contacts.len(), 1);
        assert_eq!(contacts.name(0), "a-b");
        assert_consistent(&contacts.frame(&at(&model, &q), 0));
        assert_normal_row_is_gap_derivative(&model, &contacts, &q, &format!("seed {seed}"));
    }
}

/// Distance of a point to a box, negative inside, written independently of the library.
fn box_distance(x: &Vector3<f64>, min: &Vector3<f64>, max: &Vector3<f64>) -> f64 {
    let half = (max - min) * 0.5;
    let q = (x - (max + min) * 0.5).abs() - half;
    q.map(|c| c.max(0.0)).norm() + q.max().min(0.0)
}

#[test]
fn circles_against_boxes_agree_with_brute_force() {
    let (mut inside, mut outside) = (0, 0);
    for seed in 0..600 {
        let mut random = Uniform::new(seed);
        let shape = random_shape(2 + seed as usize % 2, &mut random);
        let mut terrain = random_terrain(true, &Vector3::zeros(), &mut random);
        if let (0, SiteShape::Arc { axes, radius, .. }) = (seed % 3, shape) {
            // A small box just within the rim, where two of its corners are nearly as near.
            let (s, c) = random.between(-4.0, 4.0).sin_cos();
            let rim = (axes[0].normalize() * c + axes[1] * s) * radius * 0.9;
            let half = Vector3::from([(); 3].map(|()| random.between(0.001, 0.03)));
            terrain = Terrain::step("step", (rim - half).into(), (rim + half).into(), RUBBER);
        }
        let Surface::Box { min, max } = terrain.surface else {
            unreachable!()
        };
        let (axes, radius, start, end, tube) = match shape {
            SiteShape::Arc {
                axes,
                radius,
                start,
                end,
                thickness,
            } => (axes.map(|a| a.normalize()), radius, start, end, thickness),
            SiteShape::DiscEdge { axis, radius } => {
                let u = axis.cross(&Vector3::new(0.3, 0.5, 0.9)).normalize();
                let w = axis.cross(&u).normalize();
                ([u, w], radius, 0.0, TAU, 0.0)
            }
            _ => unreachable!(),
        };
        const SAMPLES: usize = 20_000;
        let step = (end - start) / SAMPLES as f64;
        let lowest = (0..=SAMPLES)
            .map(|i| {
                let (s, c) = (start + step * i as f64).sin_cos();
                box_distance(&((axes[0] * c + axes[1] * s) * radius), &min, &max)
            })
            .fold(f64::INFINITY, f64::min);
        let contacts = single(shape, terrain);
        let gap = contacts.gap(&posed(Matrix3::identity(), [0.0; 3]), 0) + tube;
        if lowest > radius * step {
            // Distance is 1-Lipschitz: no sample is further than half a step from the minimum.
            outside += 1;
            assert!(gap <= lowest + 1e-14, "{seed}: {gap} {lowest}");
            assert!(
                gap >= lowest - 0.5 * radius * step,
                "{seed}: {gap} {lowest}"
            );
        } else if lowest < -radius * step {
            // Inside, the nearest face measures depth, except past an edge, where the line of the
            // edge does: between the depth below either face and √2 times it near the edge.
            inside += 1;
            assert!(gap < 0.0, "{seed}: {gap} {lowest}");
            assert!(
                gap >= SQRT_2 * lowest - radius * step,
                "{seed}: {gap} {lowest}"
            );
        }
    }
    assert!(inside > 40 && outside > 40, "{inside} {outside}");
}

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
        let frame = leg.frame(&posed(turn, [0.3, 0.0, 2.0]), 0);
        let end = |x: f64| turn * Vector3::new(x, 0.0, 0.0) + Vector3::new(0.3, 0.0, 2.0);
        let lowest = if f64::abs(beta) < FRAC_PI_2 {
            Vector3::new(0.3, 0.0, 1.5)
        } else if end(0.5).z < end(-0.5).z {
            end(0.5)
        } else {
            end(-0.5)
        };
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

#[test]
fn bad_input_is_refused_by_name() {
    let model = free_body();
    let unknown = Site::point(&model, "foot", "bodi", [0.0; 3], RUBBER).unwrap_err();
    assert!(matches!(unknown, ModelError::UnknownName { nearest: Some(n), .. } if n == "body"));
    let refuse = |shape: SiteShape, material: Material, terrain: Terrain| {
        let site = Site::new(&model, "foot", "body", [0.0; 3], shape, material).unwrap();
        Contacts::new(&model, vec![site], vec![terrain], &[], Combination::Average).unwrap_err()
    };
    let place = |e: ContactError| match e {
        ContactError::BadNumber { place, .. } | ContactError::ZeroDirection { place } => place,
        other => other.to_string(),
    };
    let point = SiteShape::Point;
    let site = "contact site \"foot\"";
    let disc = |axis: [f64; 3], radius: f64| SiteShape::DiscEdge {
        axis: axis.into(),
        radius,
    };
    let y = [0.0, 1.0, 0.0];
    for (shape, material, what) in [
        (point, Material::new(-0.1, 0.0), "friction"),
        (point, Material::new(f64::NAN, 0.0), "friction"),
        (point, Material::new(0.0, 1.1), "restitution"),
        (point, Material::new(0.0, f64::NAN), "restitution"),
        (SiteShape::Sphere { radius: -1.0 }, RUBBER, "radius"),
        (
            SiteShape::Sphere {
                radius: f64::INFINITY,
            },
            RUBBER,
            "radius",
        ),
        (disc(y, 0.0), RUBBER, "radius"),
        (disc([0.0; 3], 1.0), RUBBER, "axis"),
        (disc([f64::NAN, 0.0, 0.0], 1.0), RUBBER, "axis"),
        (arc(1.0, 1.0, 0.0), RUBBER, "end"),
        (arc(0.0, 7.0, 0.0), RUBBER, "end"),
        (arc(f64::NAN, 1.0, 0.0), RUBBER, "start"),
        (arc(0.0, 1.0, -0.1), RUBBER, "thickness"),
    ] {
        assert_eq!(
            place(refuse(shape, material, ground())),
            format!("{site}: {what}")
        );
    }
    let oblique = SiteShape::Arc {
        axes: [Vector3::x(), Vector3::new(1.0, 1.0, 0.0)],
        radius: 1.0,
        start: 0.0,
        end: 1.0,
        thickness: 0.0,
    };
    let error = refuse(oblique, RUBBER, ground());
    assert!(
        matches!(error, ContactError::ObliqueAxes { cosine, .. } if (cosine - 0.5_f64.sqrt()).abs() < 1e-15)
    );
    let flat = Terrain::plane("hill", [0.0; 3], [0.0; 3], RUBBER);
    assert_eq!(
        place(refuse(point, RUBBER, flat)),
        "terrain \"hill\": normal"
    );
    let hill = Terrain::plane("hill", [0.0, f64::NAN, 0.0], [0.0, 0.0, 1.0], RUBBER);
    assert_eq!(
        place(refuse(point, RUBBER, hill)),
        "terrain \"hill\": point"
    );
    let step = Terrain::step("step", [0.0, 2.0, 0.0], [1.0; 3], RUBBER);
    assert_eq!(
        place(refuse(point, RUBBER, step)),
        "terrain \"step\": max.y"
    );
    let ice = Terrain::plane("ice", [0.0; 3], [0.0, 0.0, 1.0], Material::new(0.0, -0.5));
    assert_eq!(
        place(refuse(point, RUBBER, ice)),
        "terrain \"ice\": restitution"
    );
    let nowhere = Site::point(&model, "foot", "body", [0.0, f64::NAN, 0.0], RUBBER).unwrap();
    let error = Contacts::new(&model, vec![nowhere], vec![], &[], Combination::Average);
    assert_eq!(place(error.unwrap_err()), "contact site \"foot\": center");
}

#[test]
fn bad_names_and_pairs_are_refused() {
    let model = hexapod().unwrap();
    let tip =
        |name: &str, link: &str| Site::sphere(&model, name, link, [0.0; 3], 0.01, RUBBER).unwrap();
    let refuse = |sites: Vec<Site>, terrains: Vec<Terrain>, pair: [&str; 2]| {
        let pairs = [pair.map(str::to_string)];
        let rule = Combination::Average;
        Contacts::new(&model, sites, terrains, &pairs, rule).unwrap_err()
    };
    let two = || vec![tip("left", "left0"), tip("right", "right0")];
    let mut twice = two();
    twice[1].name = "left".to_string();
    let duplicate = |e: ContactError, kind: &str| {
        assert!(
            matches!(&e, ContactError::DuplicateName { kind: k, .. } if *k == kind),
            "{e}"
        );
    };
    duplicate(refuse(twice, vec![], ["left", "left"]), "contact site");
    duplicate(
        refuse(two(), vec![ground(), ground()], ["left", "right"]),
        "terrain",
    );
    let mut shadow = two();
    shadow.push(tip("left-right", "left1"));
    duplicate(refuse(shadow, vec![ground()], ["left", "right"]), "contact");
    let error = refuse(two(), vec![], ["left", "rihgt"]);
    assert!(matches!(&error, ContactError::UnknownSite { nearest: Some(n), .. } if n == "right"));
    assert!(error.to_string().contains("did you mean \"right\"?"));
    let impossible = |e: ContactError| {
        assert!(matches!(e, ContactError::ImpossiblePair { .. }), "{e}");
    };
    impossible(refuse(two(), vec![], ["left", "left"]));
    let mut points = two();
    points.iter_mut().for_each(|s| s.shape = SiteShape::Point);
    impossible(refuse(points, vec![], ["left", "right"]));
    let mut disc = two();
    disc[0].shape = arc(0.0, 1.0, 0.0);
    impossible(refuse(disc, vec![], ["left", "right"]));
    let mut foreign = two();
    foreign[0].body = Some(99);
    let error = refuse(foreign, vec![], ["left", "right"]);
    assert!(matches!(
        error,
        ContactError::ForeignBody {
            body: 99,
            bodies: 7,
            ..
        }
    ));
}
