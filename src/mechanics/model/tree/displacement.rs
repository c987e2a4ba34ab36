//! Configurations moved by velocities.

use nalgebra::Vector3;

use super::{JointKind, Model};
use crate::spatial::{
    Motion, Pose, Scalar, lift, quaternion_exp, quaternion_product, quaternion_to_matrix,
};

impl Model {
    /// Configuration reached from `q` (length of q) by the velocity `v` (n) in time `h`: writes `out`
    /// (length of q). Of a floating body with `v` = (u, w), the position moves by h R̄ u and the rotation R
    /// to R exp(h w), where R̄ = R exp(h w/2) lies half way: u is the velocity of the frame's origin in
    /// the axes of the middle.
    pub fn integrate<T: Scalar>(&self, q: &[T], v: &[T], h: T, out: &mut [T]) {
        self.displace(q, v, h, out, false);
    }

    /// The middle of what [`Model::integrate`] does in the time `h`: the average of the positions and
    /// coordinates at both ends, and the rotation half way between.
    pub fn integrate_half<T: Scalar>(&self, q: &[T], v: &[T], h: T, out: &mut [T]) {
        self.displace(q, v, h, out, true);
    }

    #[inline]
    fn displace<T: Scalar>(&self, q: &[T], v: &[T], h: T, out: &mut [T], half: bool) {
        let covered = if half { h * lift(0.5) } else { h };
        for body in &self.bodies {
            let (iq, iv) = (body.q_index, body.v_index);
            if body.kind == JointKind::Floating {
                let twist = Motion::from_slice(&v[iv..iv + 6]);
                let half_turn = twist.angular * (h * lift(0.5));
                let moved = twist.linear * covered;
                let out = &mut out[iq..iq + 7];
                displace_pose(&q[iq..iq + 7], &moved, &half_turn, half, out);
            } else {
                out[iq] = q[iq] + v[iv] * covered;
            }
        }
    }

    /// Pose of a floating body read from `q`.
    #[inline]
    #[must_use]
    pub fn floating_pose<T: Scalar>(&self, body: usize, q: &[T]) -> Pose<T> {
        let at = self.bodies[body].q_index;
        pose_from_configuration(&q[at..at + 7])
    }
}

/// Pose from (x, y, z, qx, qy, qz, qw).
#[inline]
pub(crate) fn pose_from_configuration<T: Scalar>(q: &[T]) -> Pose<T> {
    Pose::new(
        quaternion_to_matrix(&[q[3], q[4], q[5], q[6]]),
        Vector3::new(q[0], q[1], q[2]),
    )
}

/// (position, quaternion) moved by `moved` in the axes that have turned by `half_turn`, and turned by that
/// once or twice. The quaternion is renormalised, so that a million steps do not let it drift off the unit
/// sphere.
fn displace_pose<T: Scalar>(
    q: &[T],
    moved: &Vector3<T>,
    half_turn: &Vector3<T>,
    half: bool,
    out: &mut [T],
) {
    let turn = quaternion_exp(half_turn);
    let middle = quaternion_product(&[q[3], q[4], q[5], q[6]], &turn);
    let moved = quaternion_to_matrix(&middle) * moved;
    for i in 0..3 {
        out[i] = q[i] + moved[i];
    }
    if half {
        out[3..7].copy_from_slice(&middle);
    } else {
        out[3..7].copy_from_slice(&quaternion_product(&middle, &turn));
    }
}
