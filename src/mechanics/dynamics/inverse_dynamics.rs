//! From motion to forces by the recursive Newton-Euler algorithm (\[F\] ch. 5) in O(n).
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | M v̇ + b = f | [`InverseDynamics::force`] | generalized forces f that accelerate by v̇, n |
//! | b | [`InverseDynamics::update_bias`] | f at v̇ = 0: Coriolis and centrifugal forces, and weight, n |
//! | V̇_i | `acceleration` | Ad V̇_λ(i) + S_i v̇_i + ad_{V_i} S_i v_i, in the body's own frame |
//! | F_i | `wrench` | 𝓘_i V̇_i − ad_{V_i}ᵀ 𝓘_i V_i and those of the children |
//!
//! The root accelerates by −g, which weighs every body (\[F\] §5.3).

use nalgebra::Vector3;

use super::Kinematics;
use super::kinematics::joint_motion;
use crate::model::{JointKind, Model, ModelError};
use crate::spatial::{Force, Motion, Scalar, lift, lift3};

/// Workspace and result of inverse dynamics; nothing is allocated after its construction.
#[derive(Debug, Clone)]
pub struct InverseDynamics<T: Scalar> {
    /// Generalized forces, n: N m for a revolute joint, N for a prismatic one, the wrench (force,
    /// moment) in the body's own frame for a floating base.
    pub force: Vec<T>,
    acceleration: Vec<Motion<T>>,
    wrench: Vec<Force<T>>,
    /// Those of the tree with its acceleration, where joints share coordinates.
    tree: Option<Box<(Self, Vec<T>)>>,
}

impl<T: Scalar> InverseDynamics<T> {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let bodies = model.bodies().len();
        Self {
            force: vec![T::zero(); model.dof()],
            acceleration: vec![Motion::zero(); bodies],
            wrench: vec![Force::zero(); bodies],
            tree: model.coupling().map(|coupling| {
                let tree = coupling.tree();
                Box::new((Self::new(tree), vec![T::zero(); tree.dof()]))
            }),
        }
    }

    /// Computes the `force` that accelerates the robot by `acceleration` = v̇ (n: rad/s² or m/s²; for a
    /// floating base the rate of its body twist) in the state of `kinematics`, whose placements and twists
    /// it needs. Springs, dampers and joint friction are not part of it: what
    /// [`add_passive_forces`](super::add_passive_forces) gives is what actuators need not supply.
    pub fn update(&mut self, model: &Model, kinematics: &Kinematics<T>, acceleration: &[T]) {
        if let (Some(coupling), Some(tree)) = (model.coupling(), &mut self.tree) {
            let (dynamics, spread) = &mut **tree;
            coupling.spread_velocity(acceleration, spread);
            dynamics.update(coupling.tree(), kinematics, spread);
            coupling.gather(&dynamics.force, &mut self.force);
            return;
        }
        self.sweep(model, kinematics, |i| {
            joint_motion(&model.bodies()[i], acceleration)
        });
        for body in model.bodies() {
            if body.kind != JointKind::Floating {
                let at = body.v_index;
                self.force[at] += acceleration[at] * lift(body.armature);
            }
        }
    }

    /// Computes the `force` that keeps v as it is, b: [`InverseDynamics::update`] at v̇ = 0.
    pub fn update_bias(&mut self, model: &Model, kinematics: &Kinematics<T>) {
        if let (Some(coupling), Some(tree)) = (model.coupling(), &mut self.tree) {
            let dynamics = &mut tree.0;
            dynamics.update_bias(coupling.tree(), kinematics);
            coupling.gather(&dynamics.force, &mut self.force);
            return;
        }
        self.sweep(model, kinematics, |_| Motion::zero());
    }

    /// `driven` is S_i v̇_i of body i.
    fn sweep(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<T>,
        driven: impl Fn(usize) -> Motion<T>,
    ) {
        let bodies = model.bodies();
        let weight = Motion::new(-lift3::<T>(model.gravity()), Vector3::zeros());
        for (i, body) in bodies.iter().enumerate() {
            let twist = &kinematics.twist[i];
            let above = body.parent.map_or(weight, |p| self.acceleration[p]);
            let carried = kinematics.local[i].motion_to_child(&above);
            let rate = kinematics.rate[i];
            // ad_V S q̇; a floating body's own twist commutes with itself.
            let turned = match body.kind {
                JointKind::Revolute => Motion::new(
                    Vector3::new(twist.linear.y * rate, -twist.linear.x * rate, T::zero()),
                    Vector3::new(twist.angular.y * rate, -twist.angular.x * rate, T::zero()),
                ),
                JointKind::Prismatic => Motion::new(
                    Vector3::new(twist.angular.y * rate, -twist.angular.x * rate, T::zero()),
                    Vector3::zeros(),
                ),
                JointKind::Floating => Motion::zero(),
            };
            let acceleration = carried + driven(i) + turned;
            let inertia = body.inertia.lift::<T>();
            self.wrench[i] =
                inertia.momentum(&acceleration) - twist.cross_transpose(&inertia.momentum(twist));
            self.acceleration[i] = acceleration;
        }
        for (i, body) in bodies.iter().enumerate().rev() {
            let wrench = self.wrench[i];
            let at = body.v_index;
            match body.kind {
                JointKind::Revolute => self.force[at] = wrench.angular.z,
                JointKind::Prismatic => self.force[at] = wrench.linear.z,
                JointKind::Floating => wrench.write(&mut self.force[at..at + 6]),
            }
            if let Some(p) = body.parent {
                self.wrench[p] += kinematics.local[i].force_to_parent(&wrench);
            }
        }
    }
}

/// Generalized forces (n) that accelerate a robot in the state (q, v) by `acceleration` = v̇ (n); see
/// [`InverseDynamics`], which does the same without allocating.
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::dynamics::inverse_dynamics;
///
/// // One rod of 1 kg and 1 m, held out horizontally: half its weight times its length.
/// let model = carom::model::sample::chain(1)?;
/// let torque = inverse_dynamics(&model, &[0.0], &[0.0], &[0.0])?;
/// assert!((torque[0] + 0.5 * 9.81).abs() < 1e-14);
/// # Ok::<(), carom::model::ModelError>(())
/// ```
///
/// # Errors
/// A configuration, velocity or acceleration of the wrong length or with numbers that are not finite.
pub fn inverse_dynamics(
    model: &Model,
    q: &[f64],
    v: &[f64],
    acceleration: &[f64],
) -> Result<Vec<f64>, ModelError> {
    model.check_velocity(acceleration)?;
    let kinematics = state(model, q, v)?;
    let mut dynamics = InverseDynamics::new(model);
    dynamics.update(model, &kinematics, acceleration);
    Ok(dynamics.force)
}

/// Coriolis and centrifugal forces and weight (n) in the state (q, v): b of M v̇ + b = f.
///
/// # Errors
/// As [`inverse_dynamics`].
pub fn bias_forces(model: &Model, q: &[f64], v: &[f64]) -> Result<Vec<f64>, ModelError> {
    let kinematics = state(model, q, v)?;
    let mut dynamics = InverseDynamics::new(model);
    dynamics.update_bias(model, &kinematics);
    Ok(dynamics.force)
}

fn state(model: &Model, q: &[f64], v: &[f64]) -> Result<Kinematics<f64>, ModelError> {
    model.check_configuration(q)?;
    model.check_velocity(v)?;
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, v);
    Ok(kinematics)
}
