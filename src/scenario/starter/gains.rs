//! How stiff the servos of a starter scenario are.
//!
//! A joint that carries its share m/k of a robot's mass m on one of k feet at the distance r moves about as much inertia
//! as it would under the foot:
//!
//! ```text
//! I = M_ii + (m/k) r²,    stiffness = ω² I,    damping = 2 ζ ω I,    ω = 2π · 5 Hz, ζ = 0.7
//! ```
//!
//! Under its weight it gives by at most (m/k) g r / (ω² I) ≤ g/(ω² r): 5 cm over the lever.

use std::f64::consts::TAU;

use nalgebra::DMatrix;

use super::joints;
use super::pose::Pose;
use crate::contact::Contacts;
use crate::dynamics::{Kinematics, mass_diagonal};
use crate::model::Model;

/// ω \[rad/s\].
const FREQUENCY: f64 = 5.0 * TAU;
/// ζ.
const DAMPING_RATIO: f64 = 0.7;

/// A servo.
pub(super) struct JointGain {
    pub name: String,
    /// \[N m/rad or N/m\].
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    pub damping: f64,
}

/// A servo for every joint.
pub(super) fn gains(model: &Model, contacts: &Contacts, pose: &Pose) -> Vec<JointGain> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &pose.q);
    let inertia = mass_diagonal(model, &kinematics);
    let mut feet: Vec<usize> = Vec::new();
    let mut levers = vec![0.0_f64; model.dof()];
    let mut jacobian = DMatrix::zeros(3, model.dof());
    for &i in &pose.support {
        let Some(body) = contacts.bodies(i)[0] else {
            continue;
        };
        if !feet.contains(&body) {
            feet.push(body);
        }
        let point = contacts.frame(&kinematics, i).points[0];
        kinematics.point_jacobian(model, Some(body), &point, &mut jacobian);
        for (lever, column) in levers.iter_mut().zip(jacobian.column_iter()) {
            *lever = lever.max(column.norm());
        }
    }
    let share = model.mass() / feet.len().max(1) as f64;
    joints(model)
        .map(|body| {
            let at = body.v_index;
            let moved = inertia[at] + share * levers[at] * levers[at];
            JointGain {
                name: body.joint.clone(),
                stiffness: three_digits(FREQUENCY * FREQUENCY * moved),
                damping: three_digits(2.0 * DAMPING_RATIO * FREQUENCY * moved),
            }
        })
        .collect()
}

/// As a user would write it.
pub(super) fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}
