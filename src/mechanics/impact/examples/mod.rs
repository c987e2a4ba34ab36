//! Impact problems of the literature, built from their geometry, with the settings that their paper samples them with.
//!
//! | function | problem (\[HP\] §5.4, Appendix A) | m | μ |
//! |---|---|---|---|
//! | `rocking_block` | a block of 1 m × 2 m and 1 kg falls flat by 10 mm on its corners A (left) and B (Table 4) | 2 | 1 |
//! | `compass_gait` | two legs of 1 m at ∓78°, 1 kg each; the leading foot strikes, the trailing one rests (Table 5) | 2 | 5 |
//! | `box_and_wall` | a square of 1 m and 1 kg, turned by −10°, slides on a corner at 1 m/s into a wall (Table 6) | 2 | 1 |
//! | `ramone` | a planar five-link biped (Remy 2017) at the touch-down of its leading foot (Table 7) | 2 | 10⁵ |
//! | `disk_stack` | a disk of radius 1 m falls at 1 m/s between two that touch each other and the floor (Table 8) | 5 | √3 |
//!
//! Every contact is inelastic, planar, with one tangent: the normal turned clockwise by 90 degrees, but for the wall,
//! whose tangent points down as in the paper. Angles are counter-clockwise from the vertical. The mass of the disks is
//! an argument: 1 kg as printed, 5 kg as in the published program, whose Table 3 fits only with 5 kg and with tangents
//! that are not orthogonal to the oblique normals. Those here are orthogonal.
//!
//! What they are good for: the compass gait and RAMone have several solutions of one LCP, the block depends on the
//! order, the disk stack does not terminate sequentially. None of them has restitution.
//!
//! # Limits
//!
//! These are the numbers of a paper, not measured ones.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::examples::{disk_stack, rocking_block};
//!
//! let block = rocking_block()?;
//! let space = block.problem.contact_space();
//! assert_eq!((space.len(), block.problem.dof()), (2, 3));
//! // Both corners strike with √(2 g · 10 mm), and a push at one lifts the other: 1/m − (w/2)²/I > 0.
//! let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
//! assert!((space.velocity[0] + speed).abs() < 1e-15 && (space.velocity[2] + speed).abs() < 1e-15);
//! let inertia = (1.0 + 4.0) / 12.0;
//! assert!((space.delassus[(0, 2)] - (1.0 - 0.25 / inertia)).abs() < 1e-14);
//! assert_eq!(disk_stack(5.0)?.problem.contact_space().len(), 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ramone;

pub use ramone::ramone;

use nalgebra::{DMatrix, DVector};

use super::{Contact, ImpactError, ImpactProblem, PreImpact};

/// An impact problem with the settings its paper samples it with.
#[derive(Debug, Clone)]
pub struct ImpactExample {
    /// Name.
    pub name: &'static str,
    /// The problem.
    pub problem: ImpactProblem,
    /// h of \[HP\] \[N s\].
    pub step: f64,
    /// N of \[HP\]: most LCPs of a sample.
    pub max_steps: usize,
}

/// Gravity that gives the rocking block its velocity \[m/s²\].
const GRAVITY: f64 = 9.81;

/// Normal and tangent rows of a body-fixed point at `r` from the reference point of a planar body
/// whose coordinates (x, y, angle) start at `at`, along `normal`; the tangent is the normal turned
/// clockwise by 90 degrees. `sign` is −1 for the body below the contact.
fn add_point(
    rows: &mut (DVector<f64>, DVector<f64>),
    at: usize,
    r: [f64; 2],
    normal: [f64; 2],
    sign: f64,
) {
    let tangent = [normal[1], -normal[0]];
    for (row, d) in [(&mut rows.0, normal), (&mut rows.1, tangent)] {
        row[at] += sign * d[0];
        row[at + 1] += sign * d[1];
        // d · (ω × r)
        row[at + 2] += sign * (d[1] * r[0] - d[0] * r[1]);
    }
}

fn zero_rows(n: usize) -> (DVector<f64>, DVector<f64>) {
    (DVector::zeros(n), DVector::zeros(n))
}

pub(super) fn inelastic(
    name: &str,
    (normal, tangent): (DVector<f64>, DVector<f64>),
    friction: f64,
) -> Contact {
    Contact::new(name, normal)
        .with_friction(vec![tangent], friction)
        .with_restitution(0.0)
}

/// Rocking block (\[HP\] Table 4): 1 m × 2 m, 1 kg, dropped flat by 10 mm on its corners A (left) and B.
///
/// # Errors
/// None for these numbers; the error type is that of [`ImpactProblem::new`].
pub fn rocking_block() -> Result<ImpactExample, ImpactError> {
    let (width, height, mass, drop) = (1.0_f64, 2.0_f64, 1.0, 0.01);
    let inertia = mass * (width * width + height * height) / 12.0;
    let contacts = [("A", -0.5 * width), ("B", 0.5 * width)].map(|(name, x)| {
        let mut rows = zero_rows(3);
        add_point(&mut rows, 0, [x, -0.5 * height], [0.0, 1.0], 1.0);
        inelastic(name, rows, 1.0)
    });
    let speed = (2.0 * GRAVITY * drop).sqrt();
    Ok(ImpactExample {
        name: "rocking_block",
        problem: ImpactProblem::new(
            DMatrix::from_diagonal(&DVector::from_vec(vec![mass, mass, inertia])),
            PreImpact::Velocity(DVector::from_vec(vec![0.0, -speed, 0.0])),
            &contacts,
        )?,
        step: 0.3,
        max_steps: 10,
    })
}

/// Compass gait (\[HP\] Table 5): two 1 m legs at ∓78° with 1 kg each, half a metre below the hip; the
/// leading foot A strikes while the trailing foot B is at rest on the ground.
///
/// Coordinates: hip x, y, leading and trailing leg angle; a leg points along (sin φ, −cos φ).
///
/// # Errors
/// None for these numbers; the error type is that of [`ImpactProblem::new`].
pub fn compass_gait() -> Result<ImpactExample, ImpactError> {
    let (length, to_mass, mass, rate) = (1.0, 0.5, 1.0, 0.25);
    let angles = [-78.0_f64.to_radians(), 78.0_f64.to_radians()];
    // Row of the x (or y) velocity of the point at distance d down a leg.
    let point = |leg: usize, d: f64| {
        let (mut x, mut y) = zero_rows(4);
        (x[0], y[1]) = (1.0, 1.0);
        (x[2 + leg], y[2 + leg]) = (d * angles[leg].cos(), d * angles[leg].sin());
        (x, y)
    };
    let mut mass_matrix = DMatrix::zeros(4, 4);
    for leg in 0..2 {
        let (x, y) = point(leg, to_mass);
        mass_matrix += mass * (&x * x.transpose() + &y * y.transpose());
    }
    let contacts = [("A", 0), ("B", 1)].map(|(name, leg)| {
        let (x, y) = point(leg, length);
        inelastic(name, (y, x), 5.0)
    });
    let (x, y) = point(1, length);
    let velocity = DVector::from_vec(vec![-rate * x[3], -rate * y[3], rate, rate]);
    Ok(ImpactExample {
        name: "compass_gait",
        problem: ImpactProblem::new(mass_matrix, PreImpact::Velocity(velocity), &contacts)?,
        step: 0.25,
        max_steps: 5,
    })
}

/// Box and wall (\[HP\] Table 6): a 1 m, 1 kg square turned by −10° slides on its corner A at 1 m/s and
/// strikes a wall with its corner B.
///
/// # Errors
/// None for these numbers; the error type is that of [`ImpactProblem::new`].
pub fn box_and_wall() -> Result<ImpactExample, ImpactError> {
    let (side, mass) = (1.0, 1.0);
    let (sin, cos) = (-10.0_f64).to_radians().sin_cos();
    let turned = |x: f64, y: f64| [cos * x - sin * y, sin * x + cos * y];
    let half = 0.5 * side;
    let (mut floor, mut wall) = (zero_rows(3), zero_rows(3));
    add_point(&mut floor, 0, turned(half, -half), [0.0, 1.0], 1.0);
    add_point(&mut wall, 0, turned(half, half), [-1.0, 0.0], 1.0);
    // The clockwise tangent of the wall's normal points up; the paper's points down.
    wall.1.neg_mut();
    let inertia = mass * side * side / 6.0;
    Ok(ImpactExample {
        name: "box_wall",
        problem: ImpactProblem::new(
            DMatrix::from_diagonal(&DVector::from_vec(vec![mass, mass, inertia])),
            PreImpact::Velocity(DVector::from_vec(vec![1.0, 0.0, 0.0])),
            &[inelastic("A", floor, 1.0), inelastic("B", wall, 1.0)],
        )?,
        step: 2.0,
        max_steps: 5,
    })
}

/// Disk stack (\[HP\] Table 8): a disk of radius 1 m falls at 1 m/s between two that touch each other
/// and the floor. Contacts A, B: floor with the left and right disk; C, D: top with the left and
/// right; E: left with right. `mass` of each disk \[kg\]: 1 as printed, 5 as in the published program.
///
/// Tangents are orthogonal to the normals (those of the published program are not, for C and D).
///
/// # Errors
/// A mass that is not positive and finite.
pub fn disk_stack(mass: f64) -> Result<ImpactExample, ImpactError> {
    let radius = 1.0;
    let inertia = 0.5 * mass * radius * radius;
    let diagonal: Vec<f64> = (0..9)
        .map(|i| if i % 3 == 2 { inertia } else { mass })
        .collect();
    let (top, left, right) = (0, 3, 6);
    let (sine, cosine) = (0.75_f64.sqrt(), 0.5);
    // The contact normal points from `below` to `above`.
    let touch = |name: &str, above: usize, below: Option<usize>, n: [f64; 2]| {
        let mut rows = zero_rows(9);
        add_point(&mut rows, above, [-radius * n[0], -radius * n[1]], n, 1.0);
        if let Some(below) = below {
            add_point(&mut rows, below, [radius * n[0], radius * n[1]], n, -1.0);
        }
        inelastic(name, rows, 3.0_f64.sqrt())
    };
    let contacts = [
        touch("A", left, None, [0.0, 1.0]),
        touch("B", right, None, [0.0, 1.0]),
        touch("C", top, Some(left), [cosine, sine]),
        touch("D", top, Some(right), [-cosine, sine]),
        touch("E", right, Some(left), [1.0, 0.0]),
    ];
    let mut velocity = DVector::zeros(9);
    velocity[1] = -1.0;
    Ok(ImpactExample {
        name: "disk_stack",
        problem: ImpactProblem::new(
            DMatrix::from_diagonal(&DVector::from_vec(diagonal)),
            PreImpact::Velocity(velocity),
            &contacts,
        )?,
        step: 1.0,
        max_steps: 10,
    })
}
