//! Surfaces that bodies carry: gaps against terrain and pairs, rows and normals against derivatives.

use carom::contact::{
    CarriedSurface, CollisionKind, Combination, Contacts, Material, Site, SiteShape, Terrain,
    collision_sites, collision_surfaces,
};
use carom::dynamics::Kinematics;
use carom::model::sample::{Uniform, random_tree};
use carom::model::{Base, Geometry, Joint, Link, Model, ModelBuilder};
use carom::spatial::{Pose, rotation_exp};
use nalgebra::Vector3;
use num_dual::Dual64;

use super::support::{RUBBER, assert_normal_row_is_gap_derivative, at, random_shape, random_state};

fn random_pose(random: &mut Uniform) -> Pose<f64> {
    let turn = rotation_exp(&Vector3::from(random.vector(2.0)));
    Pose::new(turn, random.vector(0.3).into())
}

fn random_geometry(kind: usize, random: &mut Uniform) -> Geometry {
    let mut size = || random.between(0.1, 0.5);
    match kind {
        0 => Geometry::Sphere(size()),
        1 => Geometry::Box([size(), size(), size()]),
        2 => Geometry::Capsule(size(), size()),
        _ => Geometry::Cylinder(size(), size()),
    }
}

/// Unit, orthogonal, and x₀ − x₁ = φ n, up to the rounding of the carrier's rotation: a product of up to six, each wrong by
/// some 1e-15; tangents of downward normals have ten times the error of these.
fn assert_nearly_consistent(frame: &carom::contact::ContactFrame<f64>) {
    let [t0, t1] = &frame.tangents;
    for u in [&frame.normal, t0, t1] {
        assert!((u.norm() - 1.0).abs() < 1e-13);
    }
    for (a, b) in [(&frame.normal, t0), (&frame.normal, t1), (t0, t1)] {
        assert!(a.dot(b).abs() < 1e-13);
    }
    let apart = frame.points[0] - frame.points[1];
    let off = (apart - frame.normal * frame.gap).norm();
    assert!(off < 1e-13 * (1.0 + frame.points[0].norm()), "{off}");
}

/// One site and one surface of two bodies of a model.
fn carried(model: &Model, site: Site, surface: CarriedSurface) -> Contacts {
    Contacts::new(model, vec![site], vec![], &[], Combination::Average)
        .unwrap()
        .with_carried(vec![surface], |_, _| true, Combination::Average)
        .unwrap()
}

#[test]
fn rows_are_the_derivatives_of_the_gap_for_every_shape_on_every_carried_surface() {
    // Of each geometry: apart and inside.
    let mut seen = [[0; 2]; 4];
    for seed in 0..60 {
        for kind in 0..4 {
            for geometry in 0..4 {
                let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
                let model = random_tree(seed, 5, base).unwrap();
                let mut random = Uniform::new(seed * 16 + kind as u64 * 4 + geometry as u64);
                let q = random_state(&model, &mut random);
                let shape = random_shape(kind, &mut random);
                let site =
                    Site::new(&model, "s", "link2", random.vector(0.2), shape, RUBBER).unwrap();
                // Put near the site, so that all of its features are met.
                let k = at(&model, &q);
                let link = model.link("link5").unwrap();
                let body = link.body.unwrap();
                let near =
                    k.world_point(site.body, &site.center) + Vector3::from(random.vector(0.4));
                let turn = rotation_exp(&Vector3::from(random.vector(2.0)));
                let pose = k.world[body]
                    .compose(&link.pose)
                    .inverse()
                    .compose(&Pose::new(turn, near));
                let own = random_geometry(geometry, &mut random);
                let surface =
                    CarriedSurface::new(&model, "t", "link5", &pose, own, RUBBER).unwrap();
                let contacts = carried(&model, site, surface);
                let circle = kind > 1;
                assert!(!contacts.is_empty());
                for i in 0..contacts.len() {
                    let what = format!("seed {seed} {shape:?} {own:?} contact {i}");
                    let frame = contacts.frame(&k, i);
                    // A circle through the axis of a capsule has no nearest point that moves smoothly.
                    if circle && geometry != 1 && frame.gap < -0.02 {
                        continue;
                    }
                    assert_nearly_consistent(&frame);
                    assert_eq!(frame.gap, contacts.mechanical_gap(&k, i));
                    assert_eq!(contacts.bodies(i)[1], Some(body));
                    assert_eq!(contacts.carried_of(i), Some(0));
                    assert_normal_row_is_gap_derivative(&model, &contacts, i, &q, &what);
                    seen[geometry][usize::from(frame.gap < 0.0)] += 1;
                }
            }
        }
    }
    assert!(seen.iter().flatten().all(|n| *n > 20), "{seen:?}");
}

#[test]
fn normals_and_points_change_as_their_dual_parts_say() {
    for seed in 0..40 {
        let model = random_tree(seed, 5, Base::Floating).unwrap();
        let mut random = Uniform::new(seed + 900);
        let q = random_state(&model, &mut random);
        let ball = SiteShape::Sphere {
            radius: random.between(0.05, 0.2),
        };
        let site = Site::new(&model, "s", "link2", random.vector(0.2), ball, RUBBER).unwrap();
        let geometry = random_geometry(seed as usize % 4, &mut random);
        let pose = random_pose(&mut random);
        let surface = CarriedSurface::new(&model, "t", "link5", &pose, geometry, RUBBER).unwrap();
        let contacts = carried(&model, site, surface);
        let d: Vec<f64> = (0..model.dof())
            .map(|_| random.between(-1.0, 1.0))
            .collect();
        let lift = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
        let mut moved = lift(&q);
        model.integrate(&lift(&q), &lift(&d), Dual64::new(0.0, 1.0), &mut moved);
        let mut k = Kinematics::<Dual64>::new(&model);
        k.update_placements(&model, &moved);
        let exact = contacts.frame(&k, 0);
        let h = 1e-5;
        let [before, after] = [-h, h].map(|h| {
            let mut moved = q.clone();
            model.integrate(&q, &d, h, &mut moved);
            contacts.frame(&at(&model, &moved), 0)
        });
        let vectors = |frame: &carom::contact::ContactFrame<f64>| {
            [
                frame.normal,
                frame.tangents[0],
                frame.tangents[1],
                frame.points[0],
                frame.points[1],
            ]
        };
        let (before, after) = (vectors(&before), vectors(&after));
        let dual = [
            exact.normal,
            exact.tangents[0],
            exact.tangents[1],
            exact.points[0],
            exact.points[1],
        ];
        for k in 0..5 {
            let difference = (after[k] - before[k]) / (2.0 * h);
            let error = (difference - dual[k].map(|x| x.eps)).norm();
            // h² times third derivatives, those of 1/distance to axes and edges that are some centimetres away, and
            // roundings divided by h.
            assert!(error < 1e-5, "seed {seed} {geometry:?} vector {k}: {error}");
        }
    }
}

/// A cart on rails in x, y and z for each name, all at the origin.
fn carts(names: &[&str]) -> Model {
    let mut builder = ModelBuilder::new("carts").link(Link::new("world"));
    for name in names {
        let mut parent = "world".to_string();
        for (axis, along) in [
            ("x", [1.0, 0.0, 0.0]),
            ("y", [0.0, 1.0, 0.0]),
            ("z", [0.0, 0.0, 1.0]),
        ] {
            let link = if axis == "z" {
                (*name).to_string()
            } else {
                format!("{name}.{axis}")
            };
            let joint = format!("{name}_{axis}");
            builder = builder
                .link(Link::new(&link).solid_sphere(1.0, 0.1, Vector3::zeros()))
                .joint(Joint::prismatic(&joint, &parent, &link).axis(along));
            parent = link;
        }
    }
    builder.build().unwrap()
}

#[test]
fn a_carried_box_is_a_step_and_a_carried_sphere_a_pair() {
    let model = carts(&["a", "b"]);
    let site = || Site::sphere(&model, "s", "a", [0.0; 3], 0.1, RUBBER).unwrap();
    let half = [0.2, 0.3, 0.4];
    let solid = Geometry::Box(half.map(|x| 2.0 * x));
    let identity = Pose::identity();
    let surface =
        |geometry| CarriedSurface::new(&model, "t", "b", &identity, geometry, RUBBER).unwrap();
    let on_box = carried(&model, site(), surface(solid));
    let on_ball = carried(&model, site(), surface(Geometry::Sphere(0.3)));
    let on_capsule = carried(&model, site(), surface(Geometry::Capsule(0.3, 0.0)));
    let ball = Site::sphere(&model, "t", "b", [0.0; 3], 0.3, RUBBER).unwrap();
    let pairs = [["s".to_string(), "t".to_string()]];
    let sites = vec![site(), ball];
    let pair = Contacts::new(&model, sites, vec![], &pairs, Combination::Average).unwrap();
    assert_eq!((on_box.name(0), on_ball.name(0)), ("s@t", "s@t"));
    let mut random = Uniform::new(3);
    for _ in 0..200 {
        let x = random.vector(0.8);
        let q = [x[0], x[1], x[2], 0.0, 0.0, 0.0];
        let k = at(&model, &q);
        let step = Terrain::step("t", half.map(|x| -x), half, RUBBER);
        let alone = Contacts::new(&model, vec![site()], vec![step], &[], Combination::Average);
        assert_eq!(on_box.gap(&k, 0), alone.unwrap().gap(&k, 0));
        let exact = pair.gap(&k, 0);
        for other in [&on_ball, &on_capsule] {
            // Roundings of lengths of order one.
            assert!((other.gap(&k, 0) - exact).abs() < 1e-15);
        }
        let [one, other] = [&on_ball, &pair].map(|contacts| contacts.frame(&k, 0));
        assert!((one.normal - other.normal).norm() < 1e-15);
        assert!((one.tangents[0] - other.tangents[0]).norm() < 1e-14);
    }
}

#[test]
fn gaps_to_capsules_and_cylinders_are_those_of_sampled_surfaces() {
    let model = carts(&["a", "b"]);
    let mut random = Uniform::new(8);
    let (radius, half, turns, rows) = (0.3, 0.4, 240, 140);
    for (geometry, is_capsule) in [
        (Geometry::Capsule(radius, 2.0 * half), true),
        (Geometry::Cylinder(radius, 2.0 * half), false),
    ] {
        let surface =
            CarriedSurface::new(&model, "t", "b", &Pose::identity(), geometry, RUBBER).unwrap();
        let point = Site::point(&model, "s", "a", [0.0; 3], RUBBER).unwrap();
        let contacts = carried(&model, point, surface);
        // Radius and height along the outline from the lower end of the axis to the upper one.
        let outline: Vec<[f64; 2]> = (0..=rows)
            .map(|i| {
                let s = f64::from(i) / f64::from(rows);
                if is_capsule {
                    let angle = std::f64::consts::PI * (s - 0.5);
                    let end = half.copysign(angle);
                    [radius * angle.cos(), end + radius * angle.sin()]
                } else {
                    let length = s * (2.0 * radius + 2.0 * half);
                    let z = (length - radius).clamp(0.0, 2.0 * half) - half;
                    let inward = (length - radius - 2.0 * half).max(0.0);
                    [length.min(radius) - inward, z]
                }
            })
            .chain([[radius, -half], [radius, half]])
            .chain((0..rows).map(|i| [radius, half * (2.0 * f64::from(i) / f64::from(rows) - 1.0)]))
            .collect();
        for _ in 0..20 {
            let x = Vector3::from(random.vector(1.0));
            let q = [x.x, x.y, x.z, 0.0, 0.0, 0.0];
            let around = |j: usize| std::f64::consts::TAU * j as f64 / turns as f64;
            let nearest = outline
                .iter()
                .flat_map(|[r, z]| {
                    (0..turns).map(move |j| [r * around(j).cos(), r * around(j).sin(), *z])
                })
                .map(|y| (x - Vector3::from(y)).norm())
                .fold(f64::INFINITY, f64::min);
            let gap = contacts.gap(&at(&model, &q), 0);
            // Half of the diagonal between samples that are 7.9 mm and 10 mm apart.
            assert!(
                gap.abs() <= nearest + 1e-12,
                "{geometry:?} {x} {gap} {nearest}"
            );
            assert!(
                nearest - gap.abs() < 6.5e-3,
                "{geometry:?} {x} {gap} {nearest}"
            );
        }
    }
}

#[test]
fn of_two_shapes_every_feature_touches_once() {
    let model = carts(&["a", "b"]);
    let identity = Pose::identity();
    let names = |shapes: [Geometry; 2]| -> Vec<String> {
        let (mut sites, mut surfaces) = (Vec::new(), Vec::new());
        for (link, geometry) in ["a", "b"].into_iter().zip(shapes) {
            surfaces.push(
                CarriedSurface::new(
                    &model,
                    &format!("{link}_shape"),
                    link,
                    &identity,
                    geometry,
                    RUBBER,
                )
                .unwrap(),
            );
            match geometry {
                Geometry::Sphere(radius) => {
                    sites.push(Site::sphere(&model, link, link, [0.0; 3], radius, RUBBER).unwrap());
                }
                Geometry::Box(size) => sites.extend(
                    Site::box_corners(&model, link, link, &identity, size, RUBBER).unwrap(),
                ),
                _ => {}
            }
        }
        let contacts = Contacts::new(&model, sites, vec![], &[], Combination::Average)
            .unwrap()
            .with_carried(surfaces, |_, _| true, Combination::Average)
            .unwrap();
        (0..contacts.len())
            .map(|i| contacts.name(i).to_string())
            .collect()
    };
    let (ball, solid) = (Geometry::Sphere(0.2), Geometry::Box([0.2; 3]));
    assert_eq!(names([ball, ball]), ["a@b_shape"]);
    // A corner says less than the ball's centre.
    assert_eq!(names([ball, solid]), ["a@b_shape"]);
    assert_eq!(names([solid, ball]), ["b@a_shape"]);
    // Two boxes: the corners of each and the crossings of their edges.
    let touching = names([solid, solid]);
    assert_eq!(
        (touching.len(), touching[0].as_str()),
        (16 + 36, "a_0@b_shape")
    );
    assert_eq!(touching[15], "b_7@a_shape");
    let crossings = &touching[16..];
    let between = |name: &String| name.starts_with("a_shape:") && name.contains("@b_shape:");
    assert!(crossings.iter().all(between), "{crossings:?}");
}

#[test]
fn what_cannot_be_carried_is_refused_by_name() {
    let model = carts(&["a", "b"]);
    let refused = |surfaces: Vec<CarriedSurface>| {
        Contacts::new(
            &model,
            vec![],
            vec![super::support::ground()],
            &[],
            Combination::Average,
        )
        .unwrap()
        .with_carried(surfaces, |_, _| true, Combination::Average)
        .unwrap_err()
        .to_string()
    };
    let surface = |name: &str, geometry, material| {
        CarriedSurface::new(&model, name, "a", &Pose::identity(), geometry, material).unwrap()
    };
    let of = |geometry| refused(vec![surface("t", geometry, RUBBER)]);
    assert!(of(Geometry::Sphere(0.0)).contains("surface \"t\": radius is 0"));
    assert!(of(Geometry::Box([1.0, -1.0, 1.0])).contains("surface \"t\": size is -1"));
    assert!(of(Geometry::Cylinder(1.0, f64::NAN)).contains("surface \"t\": length is NaN"));
    assert!(of(Geometry::Capsule(1.0, -1.0)).contains("at least 0"));
    let sticky = Material::new(0.5, 2.0);
    let error = refused(vec![surface("t", Geometry::Sphere(1.0), sticky)]);
    assert!(error.contains("surface \"t\": restitution is 2"), "{error}");
    let twice = vec![surface("ground", Geometry::Sphere(1.0), RUBBER)];
    assert!(refused(twice).contains("named \"ground\""));
    let unknown = CarriedSurface::new(
        &model,
        "t",
        "c",
        &Pose::identity(),
        Geometry::Sphere(1.0),
        RUBBER,
    );
    assert!(unknown.unwrap_err().to_string().contains("\"c\""));
}

/// Cans of one size on each other along one axis: eight points of a rim carry, of either can where both have sites on their rims, and of
/// the one that has them where one has.
#[test]
fn flush_rims_are_there_once() {
    let (radius, half) = (0.1, 0.02);
    let can = |name: &str| {
        let shape = Geometry::Cylinder(radius, 2.0 * half);
        let link = Link::new(name)
            .solid(1.0, &shape)
            .shape(Pose::identity(), shape, true);
        Model::loose(name, link).unwrap()
    };
    let model = can("lower").beside(can("upper")).unwrap();
    let mut q = model.neutral_configuration();
    q[9] = 2.0 * half;
    let mut kinematics = Kinematics::new(&model);
    kinematics.update_placements(&model, &q);
    let surfaces = collision_surfaces(&model, &CollisionKind::ALL, RUBBER);
    let all = collision_sites(&model, &CollisionKind::ALL, RUBBER);
    for with_sites in [&["lower", "upper"][..], &["lower"], &["upper"]] {
        let sites = all
            .iter()
            .filter(|site| with_sites.contains(&site.link.as_str()));
        let contacts = Contacts::new(
            &model,
            sites.cloned().collect(),
            vec![],
            &[],
            Combination::Average,
        )
        .unwrap()
        .with_carried(surfaces.clone(), |_, _| true, Combination::Average)
        .unwrap();
        let closed = (0..contacts.len()).filter(|&i| {
            contacts.is_present(&kinematics, i) && contacts.gap(&kinematics, i).abs() < 1e-12
        });
        let names: Vec<&str> = closed.map(|i| contacts.name(i)).collect();
        assert_eq!(names.len(), 8, "{with_sites:?}: {names:?}");
    }
}
