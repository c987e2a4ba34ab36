//! Impact problems whose resolution is measured, for the benchmarks and the instruction counts.

// Every target takes what it needs.
#![allow(dead_code)]

use carom::impact::{Contact, ContactRows, ContactSpace, ImpactProblem, PreImpact};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3, dmatrix, dvector};

fn one_contact(
    delassus: DMatrix<f64>,
    velocity: DVector<f64>,
    friction: f64,
    restitution: f64,
) -> ContactSpace {
    ContactSpace::new(
        delassus,
        velocity,
        vec![ContactRows {
            normal: 0,
            tangents: 2,
            friction,
            restitution,
        }],
    )
}

/// m + 1 balls on a line in full collision; equal balls are certified, others are not.
pub fn cradle(m: usize, mass: impl Fn(usize) -> f64) -> ImpactProblem {
    let contacts: Vec<Contact> = (0..m)
        .map(|i| {
            let mut u = DVector::zeros(m + 1);
            u[i] = -1.0;
            u[i + 1] = 1.0;
            Contact::new(&format!("c{i}"), u)
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_fn(m + 1, |i, _| mass(i))),
        PreImpact::Velocity(DVector::from_fn(m + 1, |i, _| -(i as f64))),
        &contacts,
    )
    .expect("a valid problem")
}

/// Seven contacts of a body of five coordinates strike at once: 3005 outcomes.
pub fn seven_contacts() -> ImpactProblem {
    let normal = |i: usize| DVector::from_fn(5, |j, _| (1.3 * ((i + 1) * (j + 2)) as f64).sin());
    let contacts: Vec<Contact> = (0..7)
        .map(|i| Contact::new(&format!("c{i}"), normal(i)))
        .collect();
    let velocity = -(0..7).map(normal).sum::<DVector<f64>>();
    ImpactProblem::new(
        DMatrix::identity(5, 5),
        PreImpact::Velocity(velocity),
        &contacts,
    )
    .expect("a valid problem")
}

/// The icosahedron and the tetrahedron of [JW] §2: slides, ends compression, sticks.
pub fn two_polyhedra() -> ContactSpace {
    let delassus = dmatrix![
        2.59042, 2.44236, 1.95747;
        2.44236, 11.5984, -0.910367;
        1.95747, -0.910367, 9.90134
    ];
    one_contact(
        delassus,
        dvector![-0.0771747, -0.261976, 0.386329],
        0.8,
        0.95,
    )
}

/// The academic problem of [PER] §4.1, orthonormal frame: a slide, one of three Coulomb solutions away.
pub fn three_coulomb_solutions() -> ContactSpace {
    let (c, s): (f64, f64) = (0.25, 0.36);
    let scale = (c * c + s * s + 0.81).sqrt();
    let n = Vector3::new(c, s, -0.9) / scale;
    let t = n.cross(&Vector3::x()).normalize();
    let frame = Matrix3::from_columns(&[n, t, n.cross(&t)]);
    // Point masses 0.03, 65 and 50 kg on the axes at 10, 1 and 1 m.
    let inertia = Vector3::new(230.0, 106.0, 136.0);
    let arm = Vector3::new(10.0, 0.0, 0.0).cross_matrix();
    let turning = Matrix3::from_diagonal(&inertia.map(f64::recip));
    let world = Matrix3::identity() / 230.06 - arm * turning * arm;
    let block = frame.transpose() * world * frame;
    let velocity = -(frame.transpose() * Vector3::new(0.06, 0.7, 0.23));
    one_contact(
        DMatrix::from_column_slice(3, 3, block.as_slice()),
        DVector::from_column_slice(velocity.as_slice()),
        3.7,
        0.0,
    )
}

/// One vertex of a brick, 116 intervals ([USD] Example 1, friction 0.325).
pub fn brick_vertex() -> ContactSpace {
    let delassus = dmatrix![
         0.576077165, -0.052761358, 0.447676440;
        -0.052761358,  3.901011314, 0.560301519;
         0.447676440,  0.560301519, 3.359727547
    ];
    one_contact(delassus, dvector![-5.74, -5.0, 0.0], 0.325, 0.373)
}
