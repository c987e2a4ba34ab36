//! The Lagrangian and its slot derivatives in O(n).
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | K, V | [`kinetic_energy`], [`potential_energy`] | energies |
//! | P = ∂L/∂v | [`LagrangianTerms::momentum`] | generalized momentum M v, n |
//! | ∂L/∂q | [`LagrangianTerms::force`] | generalized force of inertia and gravity, n |
//! | H_i | (composite) | momentum of the subtree of body i in its frame |
//! | W_i | (composite) | weight of the subtree of body i in its frame |
//!
//! For joint i with motion subspace S_i, ∂K/∂q_i = H_i · ad_{V_i} S_i and −∂V/∂q_i = S_i · W_i
//! (\[LLPS\]; \[F\] ch. 5). For a floating body K does not depend on the pose, and the force is the
//! body wrench W_i. The reflected inertia a_i of a joint's rotor adds ½ a_i q̇_i² to K, a_i q̇_i to P_i and
//! nothing to F. It depends on no pose, so the momentum of the whole system, which the symmetries of
//! space conserve, has no part of it.

use nalgebra::Vector3;

use super::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Scalar, lift, lift3};

/// Workspace and result of the slot derivatives.
#[derive(Debug, Clone)]
pub struct LagrangianTerms<T: Scalar> {
    /// P = ∂L/∂v, n.
    pub momentum: Vec<T>,
    /// ∂L/∂q, n (body wrench for a floating body).
    pub force: Vec<T>,
    composite: Vec<Force<T>>,
    first_moment: Vec<Vector3<T>>,
    down: Vec<Vector3<T>>,
    /// Those of the tree, where joints share coordinates.
    tree: Option<Box<Self>>,
}

impl<T: Scalar> LagrangianTerms<T> {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let bodies = model.bodies().len();
        Self {
            momentum: vec![T::zero(); model.dof()],
            force: vec![T::zero(); model.dof()],
            composite: vec![Force::zero(); bodies],
            first_moment: vec![Vector3::zeros(); bodies],
            down: vec![Vector3::zeros(); bodies],
            tree: model.coupling().map(|c| Box::new(Self::new(c.tree()))),
        }
    }

    /// Computes `momentum` and `force` from placements and twists.
    pub fn update(&mut self, model: &Model, kinematics: &Kinematics<T>) {
        if let (Some(coupling), Some(terms)) = (model.coupling(), &mut self.tree) {
            terms.update(coupling.tree(), kinematics);
            coupling.gather(&terms.momentum, &mut self.momentum);
            coupling.gather(&terms.force, &mut self.force);
            return;
        }
        let bodies = model.bodies();
        let gravity: Vector3<T> = lift3(model.gravity());
        for (i, body) in bodies.iter().enumerate() {
            let inertia = body.inertia.lift::<T>();
            self.composite[i] = inertia.momentum(&kinematics.twist[i]);
            self.first_moment[i] = inertia.first_moment;
            let above = body.parent.map_or(gravity, |p| self.down[p]);
            self.down[i] = kinematics.local[i].rotation.tr_mul(&above);
        }
        for i in (0..bodies.len()).rev() {
            let body = &bodies[i];
            let h = self.composite[i];
            let mass: T = lift(model.subtree_mass(i));
            let weight = self.down[i] * mass;
            let moment = self.first_moment[i].cross(&self.down[i]);
            let twist = &kinematics.twist[i];
            let at = body.v_index;
            match body.kind {
                JointKind::Revolute => {
                    self.momentum[at] = h.angular.z + kinematics.rate[i] * lift(body.armature);
                    // ad_V S for S = (0, e_z) is (v × e_z, ω × e_z).
                    let kinetic = h.linear.x * twist.linear.y - h.linear.y * twist.linear.x
                        + h.angular.x * twist.angular.y
                        - h.angular.y * twist.angular.x;
                    self.force[at] = kinetic + moment.z;
                }
                JointKind::Prismatic => {
                    self.momentum[at] = h.linear.z + kinematics.rate[i] * lift(body.armature);
                    let kinetic = h.linear.x * twist.angular.y - h.linear.y * twist.angular.x;
                    self.force[at] = kinetic + weight.z;
                }
                JointKind::Floating => {
                    h.write(&mut self.momentum[at..at + 6]);
                    Force::new(weight, moment).write(&mut self.force[at..at + 6]);
                }
            }
            if let Some(p) = body.parent {
                let local = &kinematics.local[i];
                self.composite[p] += local.force_to_parent(&h);
                let carried = local.rotation * self.first_moment[i] + local.translation * mass;
                self.first_moment[p] += carried;
            }
        }
    }
}

/// Kinetic energy ½ Σ (V · 𝓘 V + a q̇²) of bodies and rotors \[J\]. Needs twists.
#[must_use]
pub fn kinetic_energy<T: Scalar>(model: &Model, kinematics: &Kinematics<T>) -> T {
    let twice = model
        .bodies()
        .iter()
        .zip(kinematics.twist.iter().zip(&kinematics.rate))
        .fold(T::zero(), |sum, (body, (v, rate))| {
            let rotor = *rate * *rate * lift(body.armature);
            sum + body.inertia.lift::<T>().momentum(v).dot(v) + rotor
        });
    twice * lift(0.5)
}

/// Potential energy of gravity −Σ m g · c \[J\], zero at the world's origin.
#[must_use]
pub fn gravity_energy<T: Scalar>(model: &Model, kinematics: &Kinematics<T>) -> T {
    let gravity: Vector3<T> = lift3(model.gravity());
    model
        .bodies()
        .iter()
        .zip(&kinematics.world)
        .fold(T::zero(), |sum, (body, pose)| {
            let inertia = body.inertia.lift::<T>();
            let weighted = pose.rotation * inertia.first_moment + pose.translation * inertia.mass;
            sum - gravity.dot(&weighted)
        })
}

/// Centre of mass in the world \[m\].
#[must_use]
pub fn center_of_mass(model: &Model, kinematics: &Kinematics<f64>) -> Vector3<f64> {
    let sum =
        model
            .bodies()
            .iter()
            .zip(&kinematics.world)
            .fold(Vector3::zeros(), |sum, (body, pose)| {
                sum + pose.rotation * body.inertia.first_moment
                    + pose.translation * body.inertia.mass
            });
    sum / model.mass()
}

/// Momentum of the whole system about the world's origin, in world axes. Needs twists. Reflected
/// inertias have no part in it.
#[must_use]
pub fn spatial_momentum(model: &Model, kinematics: &Kinematics<f64>) -> Force<f64> {
    model
        .bodies()
        .iter()
        .enumerate()
        .fold(Force::zero(), |sum, (i, body)| {
            let h = body.inertia.momentum(&kinematics.twist[i]);
            sum + kinematics.world[i].force_to_parent(&h)
        })
}
