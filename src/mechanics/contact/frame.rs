use nalgebra::Vector3;

use super::geometry::value;
use super::joints::JointLimit;
use crate::dynamics::{Kinematics, Support};
use crate::model::{JointKind, Model};
use crate::spatial::{Scalar, lift, lift3};

/// Entries of rows below so many roundings of the place of a contact, in metres and at least one, are zero.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Where and in which directions one contact acts, at one configuration. World coordinates.
#[derive(Debug, Clone, Copy)]
pub struct ContactFrame<T: Scalar> {
    /// Signed distance φ \[m\]: positive when apart.
    pub gap: T,
    /// Unit normal from side 1 to side 0; zero for the limit of a joint.
    pub normal: Vector3<T>,
    /// Unit tangents; a planar model uses the first alone.
    pub tangents: [Vector3<T>; 2],
    /// Bodies of side 0 (the site) and side 1; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Closest points of both sides \[m\]; the joint itself for its limit.
    pub points: [Vector3<T>; 2],
    /// Velocity of the material of side 1 beyond that of its body \[m/s\]: of a belt along its surface, and of a piece of
    /// terrain that moves as a whole.
    pub surface_velocity: Vector3<f64>,
    /// The part of it with which the surface itself moves \[m/s\].
    pub piece_velocity: Vector3<f64>,
    /// The limit of a joint, which acts along a coordinate instead of directions in space.
    pub limit: Option<JointLimit>,
}

impl<T: Scalar> ContactFrame<T> {
    /// Overwrites `out` (n) with directionᵀ(J₀ − J₁), J the Jacobians of the material points now at
    /// the closest points. With the normal it is Dφ; with a tangent, v ↦ sliding velocity on a surface at rest. For the
    /// limit of a joint it is Dφ = ±e_i whatever the direction.
    pub fn row(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        direction: &Vector3<T>,
        out: &mut [T],
    ) {
        out.fill(T::zero());
        if let Some(limit) = &self.limit {
            out[limit.coordinate] = lift(limit.sign);
            return;
        }
        let [first, second] = self.points;
        kinematics.add_point_force(model, self.bodies[0], &first, direction, out);
        kinematics.add_point_force(model, self.bodies[1], &second, &-direction, out);
    }

    /// [`ContactFrame::row`] of the normal and of the first `tangents` tangents, n numbers each.
    pub(crate) fn rows(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        tangents: usize,
    ) -> impl Iterator<Item = Vec<T>> {
        let directions = std::iter::once(self.normal).chain(self.tangents);
        directions.take(1 + tangents).map(move |direction| {
            let mut row = vec![T::zero(); model.dof()];
            self.row(model, kinematics, &direction, &mut row);
            row
        })
    }

    /// Overwrites `out` with the rows of the normal and of the first `tangents` tangents, column after
    /// column, with the columns of `support`, that of [`ContactFrame::bodies`].
    pub fn support_rows(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        support: &Support,
        tangents: usize,
        out: &mut [T],
    ) {
        if let Some(limit) = &self.limit {
            out.fill(T::zero());
            let joint = support.joints().iter().find(|j| j.body == limit.body);
            if let Some(joint) = joint {
                out[joint.column * (1 + tangents)] = lift(limit.sign);
            }
            return;
        }
        let [along, across] = self.tangents;
        match tangents {
            0 => self.fill_rows(model, kinematics, support, &[self.normal], out),
            1 => self.fill_rows(model, kinematics, support, &[self.normal, along], out),
            _ => {
                let directions = [self.normal, along, across];
                self.fill_rows(model, kinematics, support, &directions, out);
            }
        }
    }

    fn fill_rows<const R: usize>(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        support: &Support,
        directions: &[Vector3<T>; R],
        out: &mut [T],
    ) {
        out.fill(T::zero());
        let [first, second] = self.points;
        kinematics.add_point_rows(model, support, 0, &first, directions, out);
        if self.bodies[1].is_some() {
            let back = directions.map(|d| -d);
            kinematics.add_point_rows(model, support, 1, &second, &back, out);
        }
        // Friction along a direction in which no joint moves the bodies would be what stops a rounding. A floating base moves
        // its robot in all of them.
        let lowest = support.joints().first();
        if lowest.is_some_and(|joint| {
            joint.sides[0] != joint.sides[1]
                && model.bodies()[joint.body].kind == JointKind::Floating
        }) {
            return;
        }
        let far = first.iter().fold(1.0, |far, x| value(*x).abs().max(far));
        for entry in out {
            let known = value(*entry);
            if known.abs() <= ROUNDING * far {
                // How it changes stays.
                *entry -= lift(known);
            }
        }
    }

    /// Gap rate normal · (v₀ − v₁) \[m/s\], v the velocities of the material points now at the closest
    /// points: Dφ times the velocity, less what a surface that moves goes along it. Needs twists.
    #[must_use]
    pub fn rate(&self, kinematics: &Kinematics<T>) -> T {
        match &self.limit {
            Some(limit) => limit.rate(kinematics),
            None => {
                let velocity =
                    self.relative_velocity(kinematics) - lift3::<T>(&self.piece_velocity);
                self.normal.dot(&velocity)
            }
        }
    }

    /// What the surface's own velocity is along the normal and both tangents \[m/s\]: the velocity of the contact is that
    /// of its rows less this.
    #[must_use]
    pub fn drives(&self) -> [T; 3] {
        let [along, across] = self.drive();
        let piece = lift3::<T>(&self.piece_velocity);
        [self.normal.dot(&piece), along, across]
    }

    /// Sliding velocity in both tangents \[m/s\], beside a surface that moves. Needs twists.
    #[must_use]
    pub fn slip(&self, kinematics: &Kinematics<T>) -> [T; 2] {
        let velocity = self.relative_velocity(kinematics) - lift3::<T>(&self.surface_velocity);
        self.tangents.map(|t| t.dot(&velocity))
    }

    /// What the surface's own velocity is along both tangents \[m/s\]: the sliding velocity is that of the tangent
    /// rows less this.
    #[must_use]
    pub fn drive(&self) -> [T; 2] {
        let velocity = lift3::<T>(&self.surface_velocity);
        self.tangents.map(|t| t.dot(&velocity))
    }

    fn relative_velocity(&self, kinematics: &Kinematics<T>) -> Vector3<T> {
        let [first, second] = &self.points;
        kinematics.point_velocity(self.bodies[0], first)
            - kinematics.point_velocity(self.bodies[1], second)
    }
}
