//! Rows of contacts at one configuration, and how rows and contact forces vary with it.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | S_j | `axes` | motion subspace of coordinate j, world axes |
//! | V_b | `twists` | twist of the body on side b |
//! | D_b | `unit_wrench` | wrench of a unit force along one direction on the body of side b |
//! | W_b | `wrench` | wrench of the contact's impulse on the body of side b |
//!
//! Row entry j is S_j · D_b, summed over the sides whose body j moves. Turning coordinate j moves such
//! a body by S_j, which changes the contact's frame and so D and W: these changes are those of dual
//! numbers with six parts, one for each motion of the body, whatever the shapes. It also turns the axes
//! beyond j, δS_k = ad_{S_j} S_k, and so the twist, δV_b = ad_{S_j}(V_b − V_parent(j)).

use nalgebra::{Const, Matrix6, U1, Vector3, Vector6};
use num_dual::DualSVec64;

use super::midpoint_jacobian::coordinate_axis;
use crate::contact::{ContactFrame, Contacts};
use crate::dynamics::Kinematics;
use crate::model::Model;
use crate::spatial::{Force, Motion, Pose, Scalar, lift3};

/// A number with its derivatives by the six motions of a body.
type Dual6 = DualSVec64<6>;

/// Rows of a contact: along its normal and two tangents.
const DIRECTIONS: usize = 3;

/// The frame of a contact for each side with a body: that body, and the frame varied by its motion.
pub(super) type VariedFrames = [Option<(usize, ContactFrame<Dual6>)>; 2];

/// Rows of several contacts at one configuration; owns its memory.
#[derive(Debug, Clone)]
pub(super) struct ContactVariation {
    /// Three rows of n a contact.
    rows: Vec<f64>,
    /// ∂(row · v)/∂q at the velocity of the twists, likewise.
    rates: Vec<f64>,
    n: usize,
    origin: Vector3<f64>,
    axes: Vec<Motion<f64>>,
    twists: Vec<Motion<f64>>,
    world: Vec<Pose<f64>>,
    /// Placements with the motion of one body as dual parts.
    moved: Kinematics<Dual6>,
}

impl ContactVariation {
    /// Memory for one model; grows with the number of contacts.
    pub fn new(model: &Model) -> Self {
        Self {
            rows: Vec::new(),
            rates: Vec::new(),
            n: model.dof(),
            origin: Vector3::zeros(),
            axes: vec![Motion::zero(); model.dof()],
            twists: vec![Motion::zero(); model.bodies().len()],
            world: vec![Pose::identity(); model.bodies().len()],
            moved: Kinematics::new(model),
        }
    }

    /// Row of a contact along its normal (0) or a tangent (1, 2).
    pub fn row(&self, contact: usize, direction: usize) -> &[f64] {
        &self.rows[self.range(contact, direction)]
    }

    /// Change of that row's velocity with the configuration, at constant v.
    pub fn rate(&self, contact: usize, direction: usize) -> &[f64] {
        &self.rates[self.range(contact, direction)]
    }

    fn range(&self, contact: usize, direction: usize) -> std::ops::Range<usize> {
        let first = (DIRECTIONS * contact + direction) * self.n;
        first..first + self.n
    }

    /// Goes to the placements and twists of `kinematics`, with room for `contacts` contacts.
    pub fn place(&mut self, model: &Model, kinematics: &Kinematics<f64>, contacts: usize) {
        let size = DIRECTIONS * contacts * self.n;
        for buffer in [&mut self.rows, &mut self.rates] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.origin = kinematics
            .world
            .first()
            .map_or_else(Vector3::zeros, |pose| pose.translation);
        for (i, body) in model.bodies().iter().enumerate() {
            let world = &kinematics.world[i];
            let pose = Pose::new(world.rotation, world.translation - self.origin);
            self.twists[i] = pose.motion_to_parent(&kinematics.twist[i]);
            for k in 0..body.kind.velocity_width() {
                self.axes[body.v_index + k] = coordinate_axis(body.kind, k, &pose);
            }
            self.world[i] = *world;
        }
    }

    /// The frame of a contact, varied by the motion of the body on each of its sides.
    pub fn frames(&mut self, contacts: &Contacts, contact: usize) -> VariedFrames {
        let bodies = contacts.bodies(contact);
        bodies.map(|body| {
            let body = body?;
            for other in bodies.into_iter().flatten().filter(|b| *b != body) {
                self.moved.world[other] = self.world[other].lift();
            }
            self.moved.world[body] = self.with_motion(&self.world[body]);
            Some((body, contacts.frame(&self.moved, contact)))
        })
    }

    /// A placement moved by twists about the origin.
    fn with_motion(&self, pose: &Pose<f64>) -> Pose<Dual6> {
        let moving = |x: Vector3<f64>, point: bool| -> Vector3<Dual6> {
            let arm = if point { x - self.origin } else { x };
            let turned = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| axis.cross(&arm));
            Vector3::from_fn(|i, _| {
                let mut change = Vector6::zeros();
                if point {
                    change[i] = 1.0;
                }
                for (k, turned) in turned.iter().enumerate() {
                    change[3 + k] = turned[i];
                }
                Dual6::new(x[i], num_dual::Derivative::some(change))
            })
        };
        let column = |k: usize| moving(pose.rotation.column(k).into(), false);
        Pose::new(
            nalgebra::Matrix3::from_columns(&[column(0), column(1), column(2)]),
            moving(pose.translation, true),
        )
    }

    /// Adds the rows of a contact along its first `directions` directions at the place `slot`.
    pub fn add_rows(
        &mut self,
        model: &Model,
        frames: &VariedFrames,
        slot: usize,
        directions: usize,
    ) {
        let Some((_, frame)) = frames.iter().flatten().next() else {
            return;
        };
        let frame = values(frame);
        let first = self.range(slot, 0).start;
        for (side, body) in frame.bodies.iter().enumerate() {
            let Some(body) = *body else {
                continue;
            };
            let wrenches = [0, 1, 2].map(|k| self.wrench(&frame, side, &direction(&frame, k)));
            for j in path(model, body).flat_map(|i| coordinates(model, i)) {
                for (k, wrench) in wrenches.iter().enumerate().take(directions) {
                    self.rows[first + k * self.n + j] += wrench.dot(&self.axes[j]);
                }
            }
        }
    }

    /// Adds the derivatives of these rows times the velocity of the twists, by the configuration.
    pub fn add_rates(
        &mut self,
        model: &Model,
        frames: &VariedFrames,
        slot: usize,
        directions: usize,
    ) {
        for (side, varied) in frames.iter().enumerate() {
            let Some((body, frame)) = varied else {
                continue;
            };
            let still = values(frame);
            let unit_wrenches = [0, 1, 2].map(|k| self.wrench(&still, side, &direction(&still, k)));
            let first = self.range(slot, 0).start;
            for (k, unit_wrench) in unit_wrenches.iter().enumerate().take(directions) {
                let by_frame = self.rate_by_motion(frame, k);
                for i in path(model, *body) {
                    let above = model.bodies()[i].parent;
                    let above = above.map_or_else(Motion::zero, |p| self.twists[p]);
                    let beyond = self.twists[*body] - above;
                    let change = by_frame - beyond.cross_transpose(unit_wrench);
                    for j in coordinates(model, i) {
                        self.rates[first + k * self.n + j] += change.dot(&self.axes[j]);
                    }
                }
            }
        }
    }

    /// Change of the relative velocity along a direction with the motion of the frame, at constant twists.
    fn rate_by_motion(&self, frame: &ContactFrame<Dual6>, k: usize) -> Force<f64> {
        let along = direction(frame, k);
        let mut change = Vector6::zeros();
        for (side, body) in frame.bodies.iter().enumerate() {
            if let Some(b) = body {
                let twist = &self.twists[*b];
                let lifted = Motion::new(lift3(&twist.linear), lift3(&twist.angular));
                change += gradient(&self.wrench(frame, side, &along).dot(&lifted));
            }
        }
        Force::from_slice(change.as_slice())
    }

    /// Adds the derivative of the generalized force of a contact's impulse by the configuration to
    /// `load` (n × n).
    pub fn add_load(
        &self,
        model: &Model,
        frames: &VariedFrames,
        impulse: &[f64; DIRECTIONS],
        load: &mut [f64],
    ) {
        for (side, varied) in frames.iter().enumerate() {
            let Some((body, frame)) = varied else {
                continue;
            };
            let mut force = Vector3::zeros();
            for (k, x) in impulse.iter().enumerate() {
                force += direction(frame, k) * Dual6::from(*x);
            }
            for (other, pushed) in frame.bodies.iter().enumerate() {
                let wrench = self.wrench(frame, other, &force);
                let on_same_side = other == side;
                if let Some(pushed) = pushed {
                    self.add_wrench(model, &wrench, *body, *pushed, on_same_side, load);
                }
            }
        }
    }

    /// The part of a wrench on the body `pushed`, varied by the motion of `body`.
    fn add_wrench(
        &self,
        model: &Model,
        wrench: &Force<Dual6>,
        body: usize,
        pushed: usize,
        on_same_side: bool,
        load: &mut [f64],
    ) {
        let by_motion =
            Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(|i| gradient(&wrench.component(i))));
        let wrench = Force::new(wrench.linear.map(|x| x.re), wrench.angular.map(|x| x.re));
        for i in path(model, body) {
            for j in coordinates(model, i) {
                let axis = &self.axes[j];
                let moved = Vector6::from_fn(|k, _| axis.component(k));
                let by_frame = Force::from_slice(by_motion.tr_mul(&moved).as_slice());
                let with_axes = by_frame + axis.cross_transpose(&wrench);
                let column = &mut load[j * self.n..(j + 1) * self.n];
                for k in path(model, pushed) {
                    // Axes beyond coordinate j turn with it.
                    let change = if on_same_side && k >= i {
                        &with_axes
                    } else {
                        &by_frame
                    };
                    for row in coordinates(model, k) {
                        column[row] += change.dot(&self.axes[row]);
                    }
                }
            }
        }
    }

    /// Wrench about the origin of a force on the body of a side.
    fn wrench<T: Scalar>(
        &self,
        frame: &ContactFrame<T>,
        side: usize,
        force: &Vector3<T>,
    ) -> Force<T> {
        let force = if side == 0 { *force } else { -force };
        Force::new(
            force,
            (frame.points[side] - lift3::<T>(&self.origin)).cross(&force),
        )
    }
}

fn direction<T: Scalar>(frame: &ContactFrame<T>, k: usize) -> Vector3<T> {
    if k == 0 {
        frame.normal
    } else {
        frame.tangents[k - 1]
    }
}

/// The frame without its derivatives.
fn values(frame: &ContactFrame<Dual6>) -> ContactFrame<f64> {
    let value = |x: &Vector3<Dual6>| x.map(|x| x.re);
    ContactFrame {
        gap: frame.gap.re,
        normal: value(&frame.normal),
        tangents: [value(&frame.tangents[0]), value(&frame.tangents[1])],
        bodies: frame.bodies,
        points: [value(&frame.points[0]), value(&frame.points[1])],
    }
}

fn gradient(x: &Dual6) -> Vector6<f64> {
    x.eps.unwrap_generic(Const::<6>, U1)
}

/// A body and its ancestors.
fn path(model: &Model, body: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(body), |&i| model.bodies()[i].parent)
}

fn coordinates(model: &Model, body: usize) -> std::ops::Range<usize> {
    let body = &model.bodies()[body];
    body.v_index..body.v_index + body.kind.velocity_width()
}
