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
//! a body by S_j, which changes the contact's frame and so D and W ([`VariedFrame`]). It also turns the
//! axes beyond j, δS_k = ad_{S_j} S_k, and so the twist, δV_b = ad_{S_j}(V_b − V_parent(j)).

use nalgebra::{Vector3, Vector6};

use super::varied_frame::{FrameChange, MovableBodies, VariedFrame, direction};
use crate::contact::{ContactFrame, Contacts};
use crate::discrete::held::HeldContact;
use crate::discrete::midpoint::coordinate_axis;
use crate::dynamics::Kinematics;
use crate::model::Model;
use crate::numerics::dot;
use crate::spatial::{Force, Motion, Pose};

/// Rows of a contact: along its normal and two tangents.
const DIRECTIONS: usize = 3;

/// Rows of several contacts at one configuration; owns its memory.
#[derive(Debug, Clone)]
pub(crate) struct ContactVariation {
    /// Three rows of n a contact.
    rows: Vec<f64>,
    /// ∂(row · v)/∂q at the velocity of the twists, likewise, of slips beside a surface that moves.
    rates: Vec<f64>,
    /// What the velocity of the surface is along the two tangents, a contact.
    drives: Vec<[f64; 2]>,
    n: usize,
    origin: Vector3<f64>,
    /// Axes of joints, times their ratios where they mimic others.
    axes: Vec<Motion<f64>>,
    /// First axis of each body.
    first_axis: Vec<usize>,
    twists: Vec<Motion<f64>>,
    bodies: MovableBodies,
}

impl ContactVariation {
    /// Memory for one model; grows with the number of contacts.
    pub fn new(model: &Model) -> Self {
        let tree = model.coupling().map_or(model, |coupling| coupling.tree());
        Self {
            rows: Vec::new(),
            rates: Vec::new(),
            drives: Vec::new(),
            n: model.dof(),
            origin: Vector3::zeros(),
            axes: vec![Motion::zero(); tree.dof()],
            first_axis: tree.bodies().iter().map(|body| body.v_index).collect(),
            twists: vec![Motion::zero(); model.bodies().len()],
            bodies: MovableBodies::new(model),
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

    /// Slip of a contact along its tangents at the velocity `v`.
    pub fn slip(&self, contact: usize, v: &[f64]) -> [f64; 2] {
        let drive = self.drives[contact];
        [0, 1].map(|t| dot(self.row(contact, t + 1), v) - drive[t])
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
        self.drives.clear();
        self.drives.resize(contacts, [0.0; 2]);
        self.origin = kinematics
            .world
            .first()
            .map_or_else(Vector3::zeros, |pose| pose.translation);
        for (i, body) in model.bodies().iter().enumerate() {
            let world = &kinematics.world[i];
            let pose = Pose::new(world.rotation, world.translation - self.origin);
            self.twists[i] = pose.motion_to_parent(&kinematics.twist[i]);
            for k in 0..body.kind.velocity_width() {
                let axis = coordinate_axis(body.kind, k, &pose);
                self.axes[self.first_axis[i] + k] = match body.follows {
                    Some(follower) => axis.scale(follower.ratio),
                    None => axis,
                };
            }
        }
        self.bodies.place(&kinematics.world, self.origin);
    }

    /// The frame of a held contact and its changes.
    pub fn frame(&mut self, contacts: &Contacts, held: &HeldContact) -> VariedFrame {
        self.bodies.frame(contacts, held)
    }

    /// Adds the rows of a contact along its first `directions` directions at the place `slot`.
    pub fn add_rows(
        &mut self,
        model: &Model,
        varied: &VariedFrame,
        slot: usize,
        directions: usize,
    ) {
        let frame = &varied.frame;
        let first = self.range(slot, 0).start;
        if let Some(limit) = &frame.limit {
            self.rows[first + limit.coordinate] = limit.sign;
            return;
        }
        self.drives[slot] = frame.drive();
        for drive in self.drives[slot].iter_mut().skip(directions - 1) {
            *drive = 0.0;
        }
        for (side, body) in frame.bodies.iter().enumerate() {
            let Some(body) = *body else {
                continue;
            };
            let wrenches = [0, 1, 2].map(|k| self.wrench(frame, side, direction(frame, k)));
            for (j, at) in path(model, body).flat_map(|i| axes(model, &self.first_axis, i)) {
                for (k, wrench) in wrenches.iter().enumerate().take(directions) {
                    self.rows[first + k * self.n + at] += wrench.dot(&self.axes[j]);
                }
            }
        }
    }

    /// Adds the derivatives of these rows times the velocity of the twists, by the configuration.
    pub fn add_rates(
        &mut self,
        model: &Model,
        varied: &VariedFrame,
        slot: usize,
        directions: usize,
    ) {
        let frame = &varied.frame;
        for (side, change) in varied.changes.iter().enumerate() {
            let Some(change) = change else {
                continue;
            };
            for k in 0..directions {
                let first = self.range(slot, k).start;
                let by_frame = self.rate_by_motion(frame, change, k);
                let unit_wrench = self.wrench(frame, side, direction(frame, k));
                for i in path(model, change.body) {
                    let above = model.bodies()[i].parent;
                    let above = above.map_or_else(Motion::zero, |p| self.twists[p]);
                    let beyond = self.twists[change.body] - above;
                    let by_motion = by_frame - beyond.cross_transpose(&unit_wrench);
                    for (j, at) in axes(model, &self.first_axis, i) {
                        self.rates[first + at] += by_motion.dot(&self.axes[j]);
                    }
                }
            }
        }
    }

    /// Change of the relative velocity along a direction with the motion of the frame, at constant twists.
    fn rate_by_motion(
        &self,
        frame: &ContactFrame<f64>,
        change: &FrameChange,
        k: usize,
    ) -> Force<f64> {
        let along = direction(frame, k);
        let mut by_motion = Vector6::zeros();
        let mut velocity = Vector3::zeros();
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if let Some(b) = frame.bodies[side] {
                let Motion { linear, angular } = &self.twists[b];
                velocity += (linear + angular.cross(&self.arm(frame, side))) * sign;
                by_motion += change.points[side].tr_mul(&(along.cross(angular) * sign));
            }
        }
        if k > 0 {
            velocity -= frame.surface_velocity;
        }
        if let Some(directions) = &change.directions {
            by_motion += directions[k].tr_mul(&velocity);
        }
        Force::from_slice(by_motion.as_slice())
    }

    /// Adds the derivative of the generalized force of a contact's impulse by the configuration to
    /// `load` (n × n).
    pub fn add_load(
        &self,
        model: &Model,
        varied: &VariedFrame,
        impulse: &[f64; DIRECTIONS],
        load: &mut [f64],
    ) {
        let frame = &varied.frame;
        let mut force = Vector3::zeros();
        for (k, x) in impulse.iter().enumerate() {
            force += direction(frame, k) * *x;
        }
        for (side, change) in varied.changes.iter().enumerate() {
            let Some(change) = change else {
                continue;
            };
            // How the force changes with the motion.
            let turning = change
                .directions
                .map(|d| d[0] * impulse[0] + d[1] * impulse[1] + d[2] * impulse[2]);
            for (other, pushed) in frame.bodies.iter().enumerate() {
                let Some(pushed) = *pushed else {
                    continue;
                };
                let wrench = self.wrench(frame, other, &force);
                let (arm, sign) = (self.arm(frame, other), if other == 0 { 1.0 } else { -1.0 });
                for i in path(model, change.body) {
                    for (j, at) in axes(model, &self.first_axis, i) {
                        let axis = &self.axes[j];
                        let motion = Vector6::from_fn(|k, _| axis.component(k));
                        let turned = turning.map_or_else(Vector3::zeros, |t| t * motion * sign);
                        let moved = (change.points[other] * motion).cross(&wrench.linear);
                        let by_frame = Force::new(turned, moved + arm.cross(&turned));
                        // Axes beyond coordinate j turn with it.
                        let with_axes = by_frame + axis.cross_transpose(&wrench);
                        let column = &mut load[at * self.n..(at + 1) * self.n];
                        for k in path(model, pushed) {
                            let beyond = other == side && k >= i;
                            let by_motion = if beyond { &with_axes } else { &by_frame };
                            for (row, at) in axes(model, &self.first_axis, k) {
                                column[at] += by_motion.dot(&self.axes[row]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Wrench about the origin of a force on the body of a side.
    fn wrench(&self, frame: &ContactFrame<f64>, side: usize, force: &Vector3<f64>) -> Force<f64> {
        let force = if side == 0 { *force } else { -force };
        Force::new(force, self.arm(frame, side).cross(&force))
    }

    /// From the origin to the closest point of a side.
    fn arm(&self, frame: &ContactFrame<f64>, side: usize) -> Vector3<f64> {
        frame.points[side] - self.origin
    }
}

/// A body and its ancestors.
fn path(model: &Model, body: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(body), |&i| model.bodies()[i].parent)
}

/// The axes of a body's joint with their coordinates.
fn axes(model: &Model, first_axis: &[usize], body: usize) -> impl Iterator<Item = (usize, usize)> {
    let own = &model.bodies()[body];
    let (axis, at) = (first_axis[body], own.v_index);
    (0..own.kind.velocity_width()).map(move |k| (axis + k, at + k))
}
