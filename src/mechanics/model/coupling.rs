//! Coordinates that move several joints.
//!
//! ```text
//! q_tree = G q + o,    v_tree = G v,    f = Gᵀ f_tree
//! ```
//!
//! The tree has a coordinate for every joint. The robot has fewer: a joint that mimics another is moved by that one's,
//! with ratio and offset. G has one entry in every row: 1 in those of joints that mimic none and of a floating base, the
//! ratio in the others. As G and o are constant, the Lagrangian of the robot is that of the tree at (G q + o, G v), its
//! momenta and forces are those of the tree projected by Gᵀ, its mass matrix is Gᵀ M G, and the middle of a step in q is
//! the middle of the step in q_tree: the discrete Euler-Lagrange equation of the robot is that of the tree, projected.

use nalgebra::Vector3;

use super::{JointKind, Model};
use crate::spatial::{Scalar, lift};

/// That a body's joint is moved by the coordinate of another body's: q = `ratio` q_leader + `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follower {
    /// Index of the body whose joint has the coordinate.
    pub leader: usize,
    /// Ratio r, not zero; of lengths and angles also \[m/rad\] or \[rad/m\].
    pub ratio: f64,
    /// Position where the coordinate is zero \[rad or m\].
    pub offset: f64,
}

impl Follower {
    /// Position of the joint where its leader's is `leader`.
    pub fn position<T: Scalar>(&self, leader: T) -> T {
        leader * lift(self.ratio) + lift(self.offset)
    }

    /// Velocity of the joint where its leader's is `leader`.
    pub fn velocity<T: Scalar>(&self, leader: T) -> T {
        leader * lift(self.ratio)
    }
}

/// The tree of a robot with shared coordinates, every joint free, and the map G between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coupling {
    /// The same bodies, each joint with a coordinate of its own; no springs.
    tree: Model,
    /// Of each velocity of the tree, the coordinate of the robot and the entry of G.
    map: Vec<(usize, f64)>,
}

impl Coupling {
    /// The coupling of a model whose followers, if it has any, are known and share the coordinates of their leaders.
    pub(super) fn of(model: &Model) -> Option<Box<Self>> {
        let shares = model.bodies.iter().any(|body| body.follows.is_some());
        shares.then(|| Box::new(Self::new(model)))
    }

    fn new(model: &Model) -> Self {
        let mut tree = model.clone();
        tree.coupling = None;
        let (mut nq, mut nv) = (0, 0);
        let mut map = Vec::new();
        for (body, own) in tree.bodies.iter_mut().zip(&model.bodies) {
            body.follows = None;
            (body.q_index, body.v_index) = (nq, nv);
            nq += body.kind.configuration_width();
            nv += body.kind.velocity_width();
            let entry = own.follows.map_or(1.0, |f| f.ratio);
            map.extend((0..own.kind.velocity_width()).map(|k| (own.v_index + k, entry)));
        }
        (tree.nq, tree.nv) = (nq, nv);
        tree.joint_springs.clear();
        tree.point_springs.clear();
        Self { tree, map }
    }

    pub(super) fn set_gravity(&mut self, gravity: Vector3<f64>) {
        self.tree.gravity = gravity;
    }

    /// The tree, with n' velocities.
    pub(crate) fn tree(&self) -> &Model {
        &self.tree
    }

    /// Writes G q + o to `out` (the length of the tree's q).
    pub(crate) fn spread_configuration<T: Scalar>(&self, model: &Model, q: &[T], out: &mut [T]) {
        for (body, free) in model.bodies.iter().zip(&self.tree.bodies) {
            let (from, to) = (body.q_index, free.q_index);
            match (body.kind, body.follows) {
                (JointKind::Floating, _) => out[to..to + 7].copy_from_slice(&q[from..from + 7]),
                (_, Some(follower)) => out[to] = follower.position(q[from]),
                (_, None) => out[to] = q[from],
            }
        }
    }

    /// Writes G v to `out` (n').
    pub(crate) fn spread_velocity<T: Scalar>(&self, v: &[T], out: &mut [T]) {
        for (out, (at, entry)) in out.iter_mut().zip(&self.map) {
            *out = v[*at] * lift(*entry);
        }
    }

    /// Writes Gᵀ f to `out` (n), f of the tree (n').
    pub(crate) fn gather<T: Scalar>(&self, f: &[T], out: &mut [T]) {
        out.fill(T::zero());
        for (f, (at, entry)) in f.iter().zip(&self.map) {
            out[*at] += *f * lift(*entry);
        }
    }

    /// Writes Gᵀ A G to `out` (n × n), A of the tree (n' × n'); column after column.
    pub(crate) fn gather_matrix<T: Scalar>(&self, n: usize, a: &[T], out: &mut [T]) {
        out.fill(T::zero());
        let columns = a.chunks_exact(self.map.len().max(1));
        for (column, (j, by)) in columns.zip(&self.map) {
            let out = &mut out[j * n..(j + 1) * n];
            for (x, (i, entry)) in column.iter().zip(&self.map) {
                out[*i] += *x * lift(entry * by);
            }
        }
    }
}
