//! RAMone, the planar five-link biped of \[HP\] §5.4.4 (Remy 2017), at the touch-down of its leading foot.
//!
//! Coordinates: trunk x, y and pitch Φ, then hip and knee angle of the leading and of the trailing
//! leg, all relative to the parent link and counter-clockwise. A thigh or shank at absolute angle θ
//! points along (sin θ, −cos θ). Feet are discs; the contact is straight below their centre.

use nalgebra::{DMatrix, DVector};

use super::{ImpactExample, inelastic};
use crate::impact::{ImpactError, ImpactProblem, PreImpact};

const DOF: usize = 7;

/// A rigid link: mass \[kg\] and inertia about its centre of mass \[kg m²\].
struct Link {
    mass: f64,
    inertia: f64,
}

const TRUNK: Link = Link {
    mass: 7.9026,
    inertia: 0.08,
};
const THIGH: Link = Link {
    mass: 0.7887,
    inertia: 0.00221,
};
const SHANK: Link = Link {
    mass: 0.510,
    inertia: 0.00652,
};
/// Hip below the origin of the trunk, which is the trunk's centre of mass \[m\].
const HIP: f64 = 0.137_675;
const THIGH_LENGTH: f64 = 0.2;
/// Centre of mass of the thigh below the hip \[m\].
const THIGH_COM: f64 = 0.019_399;
const SHANK_LENGTH: f64 = 0.2385;
/// Centre of mass of the shank below the knee \[m\].
const SHANK_COM: f64 = SHANK_LENGTH - 0.073_265;
const FOOT_RADIUS: f64 = 0.028_15;

/// Velocity rows of a point and the angular velocity row of the link that carries it.
#[derive(Clone)]
struct Point {
    x: DVector<f64>,
    y: DVector<f64>,
    angle: f64,
    rotation: DVector<f64>,
}

impl Point {
    fn trunk(pitch: f64) -> Self {
        let unit = |i: usize| DVector::from_fn(DOF, |j, _| f64::from(u8::from(i == j)));
        Self {
            x: unit(0),
            y: unit(1),
            angle: pitch,
            rotation: unit(2),
        }
    }

    /// The point `distance` further along the link.
    fn down(&self, distance: f64) -> Self {
        Self {
            x: &self.x + &self.rotation * (distance * self.angle.cos()),
            y: &self.y + &self.rotation * (distance * self.angle.sin()),
            ..self.clone()
        }
    }

    /// The same point on the next link, turned by `angle` through the coordinate `joint`.
    fn joint(&self, joint: usize, angle: f64) -> Self {
        let mut next = self.clone();
        next.angle += angle;
        next.rotation[joint] += 1.0;
        next
    }

    fn add_mass(&self, mass_matrix: &mut DMatrix<f64>, link: &Link) {
        *mass_matrix += link.mass * (&self.x * self.x.transpose() + &self.y * self.y.transpose());
        *mass_matrix += link.inertia * &self.rotation * self.rotation.transpose();
    }
}

/// RAMone (\[HP\] Table 7): the leading foot A strikes while the trailing foot B is at rest; μ = 1e5.
///
/// # Errors
/// None for these numbers; the error type is that of [`ImpactProblem::new`].
pub fn ramone() -> Result<ImpactExample, ImpactError> {
    let pitch = 16.0_f64.to_radians();
    let (hip_leading, knee_leading) = (-70.0_f64.to_radians(), -2.0_f64.to_radians());
    let hip_trailing = 70.0_f64.to_radians();
    let knee_trailing = trailing_knee(pitch, hip_leading, knee_leading, hip_trailing);

    let trunk = Point::trunk(pitch);
    let mut mass_matrix = DMatrix::zeros(DOF, DOF);
    trunk.add_mass(&mut mass_matrix, &TRUNK);
    let mut feet = Vec::new();
    for (first, hip, knee) in [
        (3, hip_leading, knee_leading),
        (5, hip_trailing, knee_trailing),
    ] {
        let thigh = trunk.down(HIP).joint(first, hip);
        thigh.down(THIGH_COM).add_mass(&mut mass_matrix, &THIGH);
        let shank = thigh.down(THIGH_LENGTH).joint(first + 1, knee);
        shank.down(SHANK_COM).add_mass(&mut mass_matrix, &SHANK);
        let foot = shank.down(SHANK_LENGTH);
        // The lowest point of the disc rolls with the shank.
        let tangent = &foot.x + &foot.rotation * FOOT_RADIUS;
        feet.push((foot.y, tangent));
    }

    // Pitching at 1 rad/s about the trailing foot.
    let mut velocity = DVector::zeros(DOF);
    velocity[0] = -feet[1].1[2];
    velocity[1] = -feet[1].0[2];
    velocity[2] = 1.0;
    let contacts = [
        inelastic("A", feet[0].clone(), 1e5),
        inelastic("B", feet[1].clone(), 1e5),
    ];
    Ok(ImpactExample {
        name: "ramone",
        problem: ImpactProblem::new(mass_matrix, PreImpact::Velocity(velocity), &contacts)?,
        step: 1.0,
        max_steps: 10,
    })
}

/// Knee angle that puts the trailing foot on the ground that the leading one touches (bent back).
fn trailing_knee(pitch: f64, hip_leading: f64, knee_leading: f64, hip_trailing: f64) -> f64 {
    let thigh = pitch + hip_leading;
    let drop = THIGH_LENGTH * thigh.cos() + SHANK_LENGTH * (thigh + knee_leading).cos();
    let trailing = pitch + hip_trailing;
    let shank = (drop - THIGH_LENGTH * trailing.cos()) / SHANK_LENGTH;
    -shank.acos() - trailing
}
