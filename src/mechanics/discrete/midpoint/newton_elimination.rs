//! Exact Newton steps for the discrete Euler-Lagrange equation in O(n).
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | S_k, V_k | `axis`, twists | motion subspace of joint k and twist of body k, world axes |
//! | a_k = S_k − (h/2) ad_{V_k} S_k | `test` | the residual of a joint is r_k = a_k · H_k − (h/2) S_k · W_k − p₀ |
//! | c_k = S_k + (h/2) ad_{V_k} S_k | `drive` | change of twist of the subtree for a unit of v̄_k, apart from being carried along |
//! | H_k, W_k | `momentum`, `weight` | composite momentum and weight of the subtree |
//! | ζ, u | x = (ζ, u), 12 numbers | variation of a body's placement and of its twist beyond being carried |
//! | δH, δw | y = (δH, δw), 9 numbers | variation of the subtree's momentum and of the moment of its weight |
//!
//! A change of the mean velocity by δ moves body i by ζ_i = Σ (h/2) S_k δ_k and changes its twist by
//! ad_ζ V_i + u_i, u_i = Σ c_k δ_k, the sums over the joints on its path. Its momentum changes by
//! 𝓘_i u_i − ad_ζᵀ h_i. So the subtree answers y = Y x + b with one 9 × 12 matrix a body, which the
//! rank-one elimination of the joint's own row carries to the parent, as articulated inertias are
//! carried (\[F\] ch. 7), but without symmetry and in world axes, where nothing needs transforming.
//! The other elimination schemes for this equation in the literature approximate the Newton matrix
//! by M (\[LLPS\]).
//!
//! Springs between points of any two bodies are added to it ([`springs`]).

mod floating;
mod springs;

use nalgebra::Vector3;

use self::floating::FloatingRoot;
use self::springs::PointSpringSlopes;
use super::{Midpoint, SharedNewton};
use crate::dynamics::Kinematics;
use crate::model::{Body, JointKind, Model};
use crate::numerics::dot_in_order;
use crate::spatial::{Force, Motion, Pose};

/// Rows of y and columns of x.
const ROWS: usize = 9;
const COLUMNS: usize = 12;

/// What one body and its subtree contribute.
#[derive(Debug, Clone, Copy)]
struct Node {
    axis: Motion<f64>,
    test: Motion<f64>,
    drive: Motion<f64>,
    momentum: Force<f64>,
    weight: Force<f64>,
    /// What the joint's own δ adds to its row: the reflected inertia of its rotor, and (h/2) c + (h²/4) k of
    /// damper, springs and servo.
    load: f64,
    /// Y, row after row.
    response: [[f64; COLUMNS]; ROWS],
    /// b.
    bias: [f64; ROWS],
    /// w = Yᵀ g + e: the joint's row in terms of x.
    row: [f64; COLUMNS],
    /// Y s, the answer to a unit of the joint's own δ.
    own: [f64; ROWS],
    pivot_inverse: f64,
    right: f64,
    /// x of the body after the downward sweep.
    variation: [f64; COLUMNS],
}

impl Node {
    fn empty() -> Self {
        Self {
            axis: Motion::zero(),
            test: Motion::zero(),
            drive: Motion::zero(),
            momentum: Force::zero(),
            weight: Force::zero(),
            load: 0.0,
            response: [[0.0; COLUMNS]; ROWS],
            bias: [0.0; ROWS],
            row: [0.0; COLUMNS],
            own: [0.0; ROWS],
            pivot_inverse: 0.0,
            right: 0.0,
            variation: [0.0; COLUMNS],
        }
    }
}

/// The factorised Newton matrix of one step, and its memory.
#[derive(Debug, Clone)]
pub(crate) struct NewtonElimination {
    nodes: Vec<Node>,
    /// By body: a tree beside another has a root of its own.
    roots: Vec<Option<FloatingRoot>>,
    springs: PointSpringSlopes,
    /// What takes the place of all this where joints share coordinates.
    shared: Option<Box<SharedNewton>>,
}

impl NewtonElimination {
    /// Memory for one model.
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            nodes: vec![Node::empty(); model.bodies().len()],
            roots: vec![None; model.bodies().len()],
            springs: PointSpringSlopes::new(model),
            shared: model.coupling().map(|_| Box::new(SharedNewton::new(model))),
        }
    }

    /// Factorises J, the derivative of the start momentum by the mean velocity at the evaluated `midpoint`; `load`
    /// (n) is what dampers, springs and servos of joints add to its diagonal. False when J is singular.
    pub(crate) fn factor(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
        load: &[f64],
    ) -> bool {
        if let Some(shared) = &mut self.shared {
            return shared.factor(model, midpoint, v, h, load);
        }
        self.prepare(model, &midpoint.kinematics, h, load);
        self.add_spring_pulls(model, &midpoint.kinematics);
        for i in (0..model.bodies().len()).rev() {
            let body = &model.bodies()[i];
            let eliminated = if body.kind == JointKind::Floating {
                self.eliminate_floating(i, body, midpoint, v, h)
            } else {
                self.eliminate(i, h)
            };
            if !eliminated {
                return false;
            }
            if let Some(p) = body.parent {
                self.carry(i, p);
            }
        }
        self.couple_springs(model, midpoint, v, h)
    }

    /// Writes the Newton correction δ of J δ = `residual` to `out` (both n), with the arguments of the last
    /// [`NewtonElimination::factor`]. False when a part of J is singular.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
        residual: &[f64],
        out: &mut [f64],
    ) -> bool {
        if let Some(shared) = &self.shared {
            return shared.solve(residual, out);
        }
        self.solve_tree(model, midpoint, v, h, residual, out) && self.relax_springs(out)
    }

    /// The same without the slopes of point springs.
    fn solve_tree(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
        residual: &[f64],
        out: &mut [f64],
    ) -> bool {
        for node in &mut self.nodes {
            node.bias = [0.0; ROWS];
        }
        for (i, body) in model.bodies().iter().enumerate().rev() {
            if body.kind == JointKind::Floating {
                if !self.solve_floating(i, body, midpoint, v, h, residual, out) {
                    return false;
                }
            } else {
                let node = &mut self.nodes[i];
                let g = output_weights(node, h);
                node.right = residual[body.v_index] - dot_in_order(&g, &node.bias);
            }
            if let Some(p) = body.parent {
                self.carry_bias(i, p);
            }
        }
        self.descend(model, h, out);
        true
    }

    /// Everything that does not depend on the elimination, with the first root's position as origin.
    fn prepare(&mut self, model: &Model, kinematics: &Kinematics<f64>, h: f64, load: &[f64]) {
        let bodies = model.bodies();
        let origin = kinematics
            .world
            .first()
            .map_or_else(Vector3::zeros, |pose| pose.translation);
        let gravity = model.gravity();
        for (i, body) in bodies.iter().enumerate() {
            let pose = relative(&kinematics.world[i], &origin);
            let twist = pose.motion_to_parent(&kinematics.twist[i]);
            let axis = joint_axis(body, &pose);
            let turned = twist.cross(&axis).scale(0.5 * h);
            let node = &mut self.nodes[i];
            node.axis = axis;
            node.test = axis - turned;
            node.drive = axis + turned;
            let inertia = body.inertia.to_parent(&pose);
            node.momentum = inertia.momentum(&twist);
            node.weight = Force::new(gravity * inertia.mass, inertia.first_moment.cross(gravity));
            node.load = body.armature + load[body.v_index];
            let h_own = node.momentum;
            for column in 0..6 {
                let mut unit = [0.0; 6];
                unit[column] = 1.0;
                let unit = Motion::from_slice(&unit);
                let carried = unit.cross_transpose(&h_own);
                let driven = inertia.momentum(&unit);
                let moved = unit.linear * inertia.mass + unit.angular.cross(&inertia.first_moment);
                let moment = moved.cross(gravity);
                for row in 0..6 {
                    node.response[row][column] = -carried.component(row);
                    node.response[row][6 + column] = driven.component(row);
                }
                for row in 0..3 {
                    node.response[6 + row][column] = moment[row];
                    node.response[6 + row][6 + column] = 0.0;
                }
            }
        }
    }

    /// Eliminates the joint of one degree of freedom of body i; the subtree below is complete.
    fn eliminate(&mut self, i: usize, h: f64) -> bool {
        let node = &mut self.nodes[i];
        let g = output_weights(node, h);
        let e = explicit_weights(node, h);
        let s = input(node, h);
        let mut row = e;
        for (weight, response) in g.iter().zip(&node.response) {
            for (w, y) in row.iter_mut().zip(response) {
                *w += weight * y;
            }
        }
        let pivot: f64 = node.load + dot_in_order(&row, &s);
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        node.pivot_inverse = 1.0 / pivot;
        for (own, response) in node.own.iter_mut().zip(&node.response) {
            *own = dot_in_order(response, &s);
        }
        node.row = row;
        true
    }

    /// Adds the answer of the eliminated subtree i to that of its parent p.
    fn carry(&mut self, i: usize, p: usize) {
        let (above, below) = self.nodes.split_at_mut(i);
        let (parent, node) = (&mut above[p], &below[0]);
        for row in 0..ROWS {
            let factor = node.own[row] * node.pivot_inverse;
            for column in 0..COLUMNS {
                parent.response[row][column] +=
                    node.response[row][column] - factor * node.row[column];
            }
        }
        parent.momentum += node.momentum;
        parent.weight += node.weight;
    }

    /// Adds what subtree i answers to the residual to that of its parent p.
    fn carry_bias(&mut self, i: usize, p: usize) {
        let (above, below) = self.nodes.split_at_mut(i);
        let (parent, node) = (&mut above[p], &below[0]);
        for row in 0..ROWS {
            let factor = node.own[row] * node.pivot_inverse;
            parent.bias[row] += node.bias[row] + factor * node.right;
        }
    }

    /// Reads the corrections off, from the root outwards.
    fn descend(&mut self, model: &Model, h: f64, out: &mut [f64]) {
        for (i, body) in model.bodies().iter().enumerate() {
            if body.kind == JointKind::Floating {
                continue;
            }
            let above = body
                .parent
                .map_or([0.0; COLUMNS], |p| self.nodes[p].variation);
            let node = &mut self.nodes[i];
            let delta = (node.right - dot_in_order(&node.row, &above)) * node.pivot_inverse;
            out[body.v_index] = delta;
            let s = input(node, h);
            for ((x, a), s) in node.variation.iter_mut().zip(&above).zip(&s) {
                *x = a + s * delta;
            }
        }
    }
}

/// g: the joint's row in terms of y.
fn output_weights(node: &Node, h: f64) -> [f64; ROWS] {
    let mut g = [0.0; ROWS];
    node.test.write(&mut g[..6]);
    for k in 0..3 {
        g[6 + k] = -0.5 * h * node.axis.angular[k];
    }
    g
}

/// e: what the joint's row has of x directly, because its own axis moves.
fn explicit_weights(node: &Node, h: f64) -> [f64; COLUMNS] {
    let mut e = [0.0; COLUMNS];
    let weighed = node.axis.cross_transpose(&node.weight).scale(0.5 * h);
    (weighed - node.test.cross_transpose(&node.momentum)).write(&mut e[..6]);
    node.axis
        .cross_transpose(&node.momentum)
        .scale(0.5 * h)
        .write(&mut e[6..]);
    e
}

/// s: what a unit of the joint's own δ adds to x.
fn input(node: &Node, h: f64) -> [f64; COLUMNS] {
    let mut s = [0.0; COLUMNS];
    node.axis.scale(0.5 * h).write(&mut s[..6]);
    node.drive.write(&mut s[6..]);
    s
}

fn relative(pose: &Pose<f64>, origin: &Vector3<f64>) -> Pose<f64> {
    Pose::new(pose.rotation, pose.translation - origin)
}

fn joint_axis(body: &Body, pose: &Pose<f64>) -> Motion<f64> {
    let z: Vector3<f64> = pose.rotation.column(2).into();
    match body.kind {
        JointKind::Revolute => Motion::new(pose.translation.cross(&z), z),
        JointKind::Prismatic => Motion::new(z, Vector3::zeros()),
        JointKind::Floating => Motion::zero(),
    }
}

#[cfg(test)]
mod tests;
