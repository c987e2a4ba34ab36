//! Limits of joints as contacts: gap q − q_min or q_max − q, row ±e_i.

use nalgebra::Vector3;

use crate::contact::ContactError;
use crate::contact::error::check_range;
use crate::contact::frame::ContactFrame;
use crate::dynamics::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{Scalar, lift};

/// Some thousand roundings.
const ROUNDING: f64 = 1e-12;

/// One limit of a joint with one coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimit {
    /// The body that the joint moves.
    pub body: usize,
    /// Its parent; `None` is the world.
    pub parent: Option<usize>,
    /// Revolute or prismatic.
    pub kind: JointKind,
    /// Index into the velocity.
    pub coordinate: usize,
    /// Where the gap is zero \[rad or m\].
    pub bound: f64,
    /// Change of the gap with the joint's position: +1 at the lower limit, −1 at the upper one.
    pub sign: f64,
}

impl JointLimit {
    pub(in crate::contact) fn gap<T: Scalar>(&self, kinematics: &Kinematics<T>) -> T {
        (kinematics.joint_position[self.body] - lift(self.bound)) * lift(self.sign)
    }

    /// The frame has no directions in space: normal and tangents are zero.
    pub(in crate::contact) fn frame<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
    ) -> ContactFrame<T> {
        ContactFrame {
            gap: self.gap(kinematics),
            normal: Vector3::zeros(),
            tangents: [Vector3::zeros(); 2],
            bodies: [Some(self.body), self.parent],
            points: [kinematics.world[self.body].translation; 2],
            surface_velocity: Vector3::zeros(),
            piece_velocity: Vector3::zeros(),
            limit: Some(*self),
        }
    }

    /// A speed that the rate does not exceed. Needs twists.
    pub(in crate::contact) fn speed(&self, kinematics: &Kinematics<f64>) -> f64 {
        let twist = &kinematics.twist[self.body];
        let along = match self.kind {
            JointKind::Revolute => twist.angular.z,
            JointKind::Prismatic | JointKind::Floating => twist.linear.z,
        };
        speed(kinematics.rate[self.body], along)
    }

    /// What no [`JointLimit::speed`] of any joint exceeds. Needs twists.
    pub(in crate::contact) fn fastest(kinematics: &Kinematics<f64>) -> f64 {
        let joints = kinematics.rate.iter().zip(&kinematics.twist);
        let speeds = joints.map(|(rate, twist)| {
            let along = twist.angular.z.abs().max(twist.linear.z.abs());
            speed(*rate, along)
        });
        speeds.fold(0.0, f64::max)
    }

    pub(in crate::contact) fn rate<T: Scalar>(&self, kinematics: &Kinematics<T>) -> T {
        kinematics.joint_velocity(self.body, self.parent, self.kind) * lift(self.sign)
    }
}

/// Every finite limit of a joint's position, with the name and the restitution of its contact.
pub(in crate::contact) fn joint_limits(
    model: &Model,
    restitution: impl Fn(&str) -> f64,
) -> Result<Vec<(String, JointLimit, f64)>, ContactError> {
    let mut limits = Vec::new();
    for (i, body) in model.bodies().iter().enumerate() {
        let (JointKind::Revolute | JointKind::Prismatic, Some((lowest, highest))) =
            (body.kind, body.limits.position)
        else {
            continue;
        };
        for (end, bound, sign) in [("lower", lowest, 1.0), ("upper", highest, -1.0)] {
            if !bound.is_finite() {
                continue;
            }
            let restitution = restitution(&body.joint);
            check_range(
                &format!("joint \"{}\": restitution", body.joint),
                &[restitution],
                "between 0 and 1",
                |x| (0.0..=1.0).contains(&x),
            )?;
            let limit = JointLimit {
                body: i,
                parent: body.parent,
                kind: body.kind,
                coordinate: body.v_index,
                bound,
                sign,
            };
            limits.push((format!("{}:{end}", body.joint), limit, restitution));
        }
    }
    Ok(limits)
}

/// The rate of a joint is a difference of what both bodies carry along the axis, and rounds like these.
fn speed(rate: f64, along: f64) -> f64 {
    rate.abs() * (1.0 + ROUNDING) + along.abs() * ROUNDING
}
