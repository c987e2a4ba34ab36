//! A point that two contacts hold.

use nalgebra::Vector3;

use super::Case;
use crate::contact::{Combination, Contacts, Material, Site, Terrain};
use crate::model::{Base, Joint, Link, ModelBuilder};

/// A leg whose tip, at the end of its chain, is in the corner of ground and wall: both contacts stick by the same slips.
#[test]
fn a_foot_in_a_corner_turns() {
    let rough = Material::new(1.1, 0.0);
    for base in [Base::Planar, Base::Floating] {
        let length = 0.3;
        let model = ModelBuilder::new("leg")
            .base(base)
            .link(Link::new("body").solid_box(2.0, [0.2, 0.1, 0.1], Vector3::new(0.0, 0.0, 0.1)))
            .link(Link::new("shank").solid_box(
                0.5,
                [0.02, 0.02, length],
                Vector3::new(0.0, 0.0, -0.15),
            ))
            .joint(Joint::revolute("knee", "body", "shank").axis([0.0, 1.0, 0.0]))
            .build()
            .unwrap();
        let tip = Site::point(&model, "tip", "shank", [0.0, 0.0, -length], rough).unwrap();
        let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], rough);
        let wall = Terrain::plane("wall", [0.0; 3], [1.0, 0.0, 0.0], rough);
        let contacts = Contacts::new(
            &model,
            vec![tip],
            vec![ground, wall],
            &[],
            Combination::Minimum,
        )
        .unwrap();
        let (lean, knee): (f64, f64) = (0.1, -0.5);
        let (lean_rate, knee_rate) = (-1.5, 3.0);
        let (turn, rate) = (lean - knee, lean_rate - knee_rate);
        let (x, z) = (length * lean.sin(), length * lean.cos());
        let (vx, vz) = (lean_rate * z, -lean_rate * x);
        let (sin, cos) = turn.sin_cos();
        let (half, whole) = (0.5 * turn).sin_cos();
        let (q, v) = if base == Base::Planar {
            (vec![x, z, turn, knee], vec![vx, vz, rate, knee_rate])
        } else {
            let along = [cos * vx - sin * vz, 0.0, sin * vx + cos * vz];
            (
                vec![x, 0.0, z, 0.0, half, 0.0, whole, knee],
                [&along[..], &[0.0, rate, 0.0, knee_rate]].concat(),
            )
        };
        let mut case = Case::new(model, contacts, q);
        case.v = v;
        case.check("--", &[]);
    }
}
