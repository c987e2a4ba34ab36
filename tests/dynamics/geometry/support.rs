//! Bodies, shapes and terrain, and what holds for every frame of a contact.

use carom::contact::{Combination, ContactFrame, Contacts, Material, Site, SiteShape, Terrain};
use carom::dynamics::Kinematics;
use carom::model::sample::Uniform;
use carom::model::{Base, Link, Model, ModelBuilder};
use carom::spatial::{Pose, rotation_exp};
use nalgebra::{Matrix3, Vector3};
use num_dual::Dual64;

pub const RUBBER: Material = Material {
    friction: 0.8,
    restitution: 0.5,
};

pub fn free_body() -> Model {
    ModelBuilder::new("free")
        .base(Base::Floating)
        .link(Link::new("body").solid_sphere(1.0, 0.1, Vector3::zeros()))
        .build()
        .unwrap()
}

pub fn at(model: &Model, q: &[f64]) -> Kinematics<f64> {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    k
}

/// Kinematics of the free body at a pose.
pub fn posed(rotation: Matrix3<f64>, translation: [f64; 3]) -> Kinematics<f64> {
    let mut k = Kinematics::new(&free_body());
    k.world[0] = Pose::new(rotation, translation.into());
    k
}

pub fn one(model: &Model, site: Site, terrain: Terrain) -> Contacts {
    Contacts::new(model, vec![site], vec![terrain], &[], Combination::Average).unwrap()
}

/// The free body with one shape at its origin over one terrain.
pub fn single(shape: SiteShape, terrain: Terrain) -> Contacts {
    let model = free_body();
    let site = Site::new(&model, "foot", "body", [0.0; 3], shape, RUBBER).unwrap();
    one(&model, site, terrain)
}

pub fn ground() -> Terrain {
    Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], RUBBER)
}

/// An arc in the x-z plane, θ from x to z.
pub fn arc(start: f64, end: f64, thickness: f64) -> SiteShape {
    SiteShape::Arc {
        axes: [Vector3::x(), Vector3::z()],
        radius: 0.5,
        start,
        end,
        thickness,
    }
}

pub fn random_state(model: &Model, random: &mut Uniform) -> Vec<f64> {
    let v: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-2.0, 2.0))
        .collect();
    let mut q = vec![0.0; model.configuration_len()];
    model.integrate(&model.neutral_configuration(), &v, 0.7, &mut q);
    q
}

pub fn random_shape(kind: usize, random: &mut Uniform) -> SiteShape {
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
pub fn random_terrain(is_box: bool, x: &Vector3<f64>, random: &mut Uniform) -> Terrain {
    let near = x + Vector3::from(random.vector(0.4));
    if is_box {
        let half = Vector3::from([(); 3].map(|()| random.between(0.05, 0.4)));
        Terrain::step("step", (near - half).into(), (near + half).into(), RUBBER)
    } else {
        Terrain::plane("plane", near.into(), random.vector(2.0), RUBBER)
    }
}

/// Derivative of the gap of contact i along q ⊕ ε d, exact in ε: the closest points move with it.
pub fn gap_derivative(model: &Model, contacts: &Contacts, i: usize, q: &[f64], d: &[f64]) -> f64 {
    let lift = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
    let mut moved = lift(q);
    model.integrate(&lift(q), &lift(d), Dual64::new(0.0, 1.0), &mut moved);
    let mut k = Kinematics::<Dual64>::new(model);
    k.update_placements(model, &moved);
    contacts.mechanical_gap(&k, i).eps
}

pub fn assert_normal_row_is_gap_derivative(
    model: &Model,
    contacts: &Contacts,
    contact: usize,
    q: &[f64],
    what: &str,
) {
    let k = at(model, q);
    let frame = contacts.frame(&k, contact);
    let mut row = vec![f64::NAN; model.dof()];
    frame.row(model, &k, &frame.normal, &mut row);
    for i in 0..model.dof() {
        let mut d = vec![0.0; model.dof()];
        d[i] = 1.0;
        let exact = gap_derivative(model, contacts, contact, q, &d);
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
pub fn assert_consistent(frame: &ContactFrame<f64>) {
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
