//! Placements and twists of all bodies at one configuration.

use nalgebra::{Matrix3, Vector3};

use super::{Support, SupportJoint};
use crate::model::{Body, JointKind, Model, pose_from_configuration};
use crate::spatial::{Motion, Pose, Scalar, lift};

/// A moment \[s\], or a span of time around it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Clock {
    /// The moment, or the middle of the span.
    pub time: f64,
    /// Length of the span, of which velocities of what moves by itself are means; zero for a moment.
    pub span: f64,
}

/// Body placements at one configuration, and twists at one velocity.
///
/// The workspace of everything that needs to know where bodies are. Sized for one model.
#[derive(Debug, Clone)]
pub struct Kinematics<T: Scalar> {
    /// Placement of each body in its parent's internal frame (the world for roots).
    pub local: Vec<Pose<T>>,
    /// Placement of each body in the world.
    pub world: Vec<Pose<T>>,
    /// Twist of each body in its own frame.
    pub twist: Vec<Motion<T>>,
    /// Velocity q̇ of each joint of one degree of freedom, by body; zero for a floating body.
    pub rate: Vec<T>,
    /// Position of the joint of each body \[rad or m\]; zero for floating bodies.
    pub joint_position: Vec<T>,
    /// When that is: terrain that moves by itself stands as it does then.
    pub clock: Clock,
    /// Coordinates of the tree where joints share those of the robot.
    spread: Vec<T>,
}

/// Placement of a body in its parent at configuration `q`.
#[inline(always)]
pub(crate) fn joint_pose<T: Scalar>(body: &Body, q: &[T]) -> Pose<T> {
    match body.kind {
        JointKind::Revolute => {
            let (s, c) = q[body.q_index].sin_cos();
            let r = &body.placement.rotation;
            let turned = |a: f64, b: f64| (c * lift(a) + s * lift(b), c * lift(b) - s * lift(a));
            let (xx, yx) = turned(r[(0, 0)], r[(0, 1)]);
            let (xy, yy) = turned(r[(1, 0)], r[(1, 1)]);
            let (xz, yz) = turned(r[(2, 0)], r[(2, 1)]);
            Pose {
                rotation: Matrix3::new(
                    xx,
                    yx,
                    lift(r[(0, 2)]),
                    xy,
                    yy,
                    lift(r[(1, 2)]),
                    xz,
                    yz,
                    lift(r[(2, 2)]),
                ),
                translation: body.placement.translation.map(lift),
            }
        }
        JointKind::Prismatic => {
            let pose = &body.placement;
            let axis = pose.rotation.column(2);
            let slide = q[body.q_index];
            Pose {
                rotation: pose.rotation.map(lift),
                translation: Vector3::new(
                    lift::<T>(pose.translation.x) + slide * lift(axis[0]),
                    lift::<T>(pose.translation.y) + slide * lift(axis[1]),
                    lift::<T>(pose.translation.z) + slide * lift(axis[2]),
                ),
            }
        }
        JointKind::Floating => pose_from_configuration(&q[body.q_index..body.q_index + 7]),
    }
}

/// S_i v_i: the joint's own contribution to the twist of its body.
#[inline(always)]
pub(crate) fn joint_motion<T: Scalar>(body: &Body, v: &[T]) -> Motion<T> {
    let mut twist = Motion::zero();
    match body.kind {
        JointKind::Revolute => twist.angular.z = v[body.v_index],
        JointKind::Prismatic => twist.linear.z = v[body.v_index],
        JointKind::Floating => twist = Motion::from_slice(&v[body.v_index..body.v_index + 6]),
    }
    twist
}

impl<T: Scalar> Kinematics<T> {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let n = model.bodies().len();
        Self {
            local: vec![Pose::identity(); n],
            world: vec![Pose::identity(); n],
            twist: vec![Motion::zero(); n],
            rate: vec![T::zero(); n],
            joint_position: vec![T::zero(); n],
            clock: Clock::default(),
            spread: model.coupling().map_or(Vec::new(), |coupling| {
                vec![T::zero(); coupling.tree().configuration_len()]
            }),
        }
    }

    /// Computes `local`, `world` and `joint_position` at configuration `q`.
    pub fn update_placements(&mut self, model: &Model, q: &[T]) {
        let Some(coupling) = model.coupling() else {
            return self.place(model, q);
        };
        let mut spread = std::mem::take(&mut self.spread);
        coupling.spread_configuration(model, q, &mut spread);
        self.place(coupling.tree(), &spread);
        self.spread = spread;
    }

    /// What [`Kinematics::update_placements`] has computed in another one of the same model.
    pub(crate) fn copy_placements(&mut self, other: &Self) {
        self.local.copy_from_slice(&other.local);
        self.world.copy_from_slice(&other.world);
        self.joint_position.copy_from_slice(&other.joint_position);
    }

    fn place(&mut self, model: &Model, q: &[T]) {
        for (i, body) in model.bodies().iter().enumerate() {
            if body.kind != JointKind::Floating {
                self.joint_position[i] = q[body.q_index];
            }
            let local = joint_pose(body, q);
            self.local[i] = local;
            self.world[i] = match body.parent {
                None => local,
                Some(p) => self.world[p].compose(&local),
            };
        }
    }

    /// Computes `twist` and `rate` at velocity `v` (n) and the current configuration.
    pub fn update_twists(&mut self, model: &Model, v: &[T]) {
        let Some(coupling) = model.coupling() else {
            return self.move_bodies(model, v);
        };
        let mut spread = std::mem::take(&mut self.spread);
        let tree = coupling.tree();
        coupling.spread_velocity(v, &mut spread[..tree.dof()]);
        self.move_bodies(tree, &spread);
        self.spread = spread;
    }

    fn move_bodies(&mut self, model: &Model, v: &[T]) {
        for (i, body) in model.bodies().iter().enumerate() {
            let own = joint_motion(body, v);
            if body.kind != JointKind::Floating {
                self.rate[i] = v[body.v_index];
            }
            self.twist[i] = match body.parent {
                None => own,
                Some(p) => self.local[i].motion_to_child(&self.twist[p]) + own,
            };
        }
    }

    /// Velocity of the joint with one coordinate \[rad/s or m/s\] that moves body i relative to its
    /// parent. Needs [`Kinematics::update_twists`].
    #[must_use]
    pub fn joint_velocity(&self, i: usize, parent: Option<usize>, kind: JointKind) -> T {
        let carried = match parent {
            None => Motion::zero(),
            Some(p) => self.local[i].motion_to_child(&self.twist[p]),
        };
        let own = self.twist[i] - carried;
        match kind {
            JointKind::Revolute => own.angular.z,
            JointKind::Prismatic | JointKind::Floating => own.linear.z,
        }
    }

    /// A point of a body (internal frame) in the world; a point of the world is itself.
    #[must_use]
    pub fn world_point(&self, body: Option<usize>, point: &Vector3<T>) -> Vector3<T> {
        match body {
            None => *point,
            Some(b) => self.world[b].point(point),
        }
    }

    /// A direction of a body (internal frame) in the world; a direction of the world is itself.
    #[must_use]
    pub(crate) fn world_direction(
        &self,
        body: Option<usize>,
        direction: &Vector3<T>,
    ) -> Vector3<T> {
        match body {
            None => *direction,
            Some(b) => self.world[b].rotation * direction,
        }
    }

    /// Velocity in the world of the material point of a body that is now at `x` (world). Needs
    /// [`Kinematics::update_twists`].
    #[must_use]
    pub fn point_velocity(&self, body: Option<usize>, x: &Vector3<T>) -> Vector3<T> {
        let Some(b) = body else {
            return Vector3::zeros();
        };
        let pose = &self.world[b];
        let twist = &self.twist[b];
        let omega = pose.rotation * twist.angular;
        pose.rotation * twist.linear + omega.cross(&(x - pose.translation))
    }

    /// Adds Jᵀ f to `out` (n): the generalized force of the force `f` acting on a body at the point
    /// `x`, both in the world. With a unit vector for `f` this is a row of the point's Jacobian.
    pub fn add_point_force(
        &self,
        model: &Model,
        body: Option<usize>,
        x: &Vector3<T>,
        f: &Vector3<T>,
        out: &mut [T],
    ) {
        if model.coupling().is_some() {
            return self.add_shared_point_force(model, body, x, f, out);
        }
        let mut at = body;
        while let Some(i) = at {
            let b = &model.bodies()[i];
            let pose = &self.world[i];
            match b.kind {
                JointKind::Revolute => {
                    let axis = pose.rotation.column(2);
                    out[b.v_index] += axis.dot(&(x - pose.translation).cross(f));
                }
                JointKind::Prismatic => out[b.v_index] += pose.rotation.column(2).dot(f),
                JointKind::Floating => {
                    let linear = pose.rotation.tr_mul(f);
                    let angular = pose.rotation.tr_mul(&(x - pose.translation).cross(f));
                    for k in 0..3 {
                        out[b.v_index + k] += linear[k];
                        out[b.v_index + 3 + k] += angular[k];
                    }
                }
            }
            at = b.parent;
        }
    }

    /// Adds dᵀJ for each of R directions d to `out`, column after column of R entries each, as many
    /// columns as the support has: J is the Jacobian of the point `x` of the supported body number
    /// `side`, without the joints that carry the other one as well. All in the world.
    pub fn add_point_rows<const R: usize>(
        &self,
        model: &Model,
        support: &Support,
        side: usize,
        x: &Vector3<T>,
        directions: &[Vector3<T>; R],
        out: &mut [T],
    ) {
        let (columns, _) = out.as_chunks_mut::<R>();
        if model.coupling().is_some() {
            return self.add_shared_point_rows(model, support, side, x, directions, columns);
        }
        for joint in moving(support, side) {
            let pose = &self.world[joint.body];
            let columns = &mut columns[joint.column..];
            match model.bodies()[joint.body].kind {
                JointKind::Revolute => {
                    let axis: Vector3<T> = pose.rotation.column(2).into();
                    let lever = axis.cross(&(x - pose.translation));
                    for (entry, d) in columns[0].iter_mut().zip(directions) {
                        *entry += lever.dot(d);
                    }
                }
                JointKind::Prismatic => {
                    for (entry, d) in columns[0].iter_mut().zip(directions) {
                        *entry += pose.rotation.column(2).dot(d);
                    }
                }
                JointKind::Floating => {
                    let lever = pose.rotation.tr_mul(&(x - pose.translation));
                    for (row, d) in directions.iter().enumerate() {
                        let linear = pose.rotation.tr_mul(d);
                        let angular = lever.cross(&linear);
                        for k in 0..3 {
                            columns[k][row] += linear[k];
                            columns[3 + k][row] += angular[k];
                        }
                    }
                }
            }
        }
    }

    /// What the force `f` at the point `x` of a body does along its joint: one number for a joint with one coordinate, six
    /// for a floating base.
    fn along_joint(&self, i: usize, body: &Body, x: &Vector3<T>, f: &Vector3<T>) -> [T; 6] {
        let pose = &self.world[i];
        let zero = T::zero();
        let along = match body.kind {
            JointKind::Revolute => pose
                .rotation
                .column(2)
                .dot(&(x - pose.translation).cross(f)),
            JointKind::Prismatic => pose.rotation.column(2).dot(f),
            JointKind::Floating => {
                let linear = pose.rotation.tr_mul(f);
                let angular = pose.rotation.tr_mul(&(x - pose.translation).cross(f));
                let [a, b, c] = linear.into();
                let [d, e, f] = angular.into();
                return [a, b, c, d, e, f];
            }
        };
        let ratio = body.follows.map_or(T::one(), |f| lift(f.ratio));
        [along * ratio, zero, zero, zero, zero, zero]
    }

    /// [`Kinematics::add_point_force`] where joints share coordinates.
    fn add_shared_point_force(
        &self,
        model: &Model,
        body: Option<usize>,
        x: &Vector3<T>,
        f: &Vector3<T>,
        out: &mut [T],
    ) {
        let mut at = body;
        while let Some(i) = at {
            let b = &model.bodies()[i];
            let along = self.along_joint(i, b, x, f);
            let own = &mut out[b.v_index..b.v_index + b.kind.velocity_width()];
            for (entry, along) in own.iter_mut().zip(along) {
                *entry += along;
            }
            at = b.parent;
        }
    }

    /// [`Kinematics::add_point_rows`] where joints share coordinates.
    fn add_shared_point_rows<const R: usize>(
        &self,
        model: &Model,
        support: &Support,
        side: usize,
        x: &Vector3<T>,
        directions: &[Vector3<T>; R],
        columns: &mut [[T; R]],
    ) {
        for joint in moving(support, side) {
            let body = &model.bodies()[joint.body];
            let own = &mut columns[joint.column..joint.column + body.kind.velocity_width()];
            for (row, d) in directions.iter().enumerate() {
                let along = self.along_joint(joint.body, body, x, d);
                for (entries, along) in own.iter_mut().zip(along) {
                    entries[row] += along;
                }
            }
        }
    }
}

/// The joints that move one of two bodies against the other.
fn moving(support: &Support, side: usize) -> impl Iterator<Item = &SupportJoint> {
    let joints = support.joints().iter();
    joints.filter(move |joint| joint.moves_against_other(side))
}
