//! A root that moves freely, in the elimination: six equations for its twist.

use nalgebra::{LU, Matrix6, U6, Vector3, Vector6};
use num_dual::Dual64;

use super::{COLUMNS, NewtonElimination, Node, ROWS};
use crate::discrete::midpoint::Midpoint;
use crate::discrete::midpoint::floating_step::FloatingStep;
use crate::model::Body;
use crate::numerics::dot_in_order;
use crate::spatial::{Force, Motion, Pose, lift3};

/// The six equations of a root that moves freely.
#[derive(Debug, Clone)]
pub(crate) struct FloatingRoot {
    /// x for a unit of each number of its twist.
    columns: [[f64; COLUMNS]; 6],
    factors: LU<f64, U6, U6>,
}

impl NewtonElimination {
    /// Factorises the equations for the twist of body i; everything that it carries is complete.
    pub(crate) fn eliminate_floating(
        &mut self,
        i: usize,
        body: &Body,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
    ) -> bool {
        let base = FloatingBase::new(i, body, midpoint, v, h);
        let node = &self.nodes[i];
        let step = FloatingStep::new(&base.xi.scale(h));
        let mut matrix = Matrix6::zeros();
        let mut columns = [[0.0; COLUMNS]; 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            let unit = Motion::from_slice(&unit);
            let middle = step.vary_middle(&Motion::zero(), &unit.scale(h));
            let zeta = base.pose.motion_to_parent(&middle);
            let driven = base.pose.motion_to_parent(&unit);
            zeta.write(&mut column[..6]);
            driven.write(&mut column[6..]);
            let mut y = [0.0; ROWS];
            for (y, response) in y.iter_mut().zip(&node.response) {
                *y = dot_in_order(response, column);
            }
            let p = base.start(node, &unit, &y, &zeta);
            for row in 0..6 {
                matrix[(row, k)] = p.component(row).eps;
            }
        }
        let factors = matrix.lu();
        let regular = factors.is_invertible();
        self.roots[i] = Some(FloatingRoot { columns, factors });
        regular
    }

    /// Solves them; `bias` of everything that it carries is complete.
    pub(crate) fn solve_floating(
        &mut self,
        i: usize,
        body: &Body,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
        residual: &[f64],
        out: &mut [f64],
    ) -> bool {
        let Some(root) = &self.roots[i] else {
            return false;
        };
        let base = FloatingBase::new(i, body, midpoint, v, h);
        let node = &mut self.nodes[i];
        let known = base.start(node, &Motion::zero(), &node.bias, &Motion::zero());
        let mut solution = Vector6::zeros();
        for row in 0..6 {
            solution[row] = residual[base.at + row] - known.component(row).eps;
        }
        if !root.factors.solve_mut(&mut solution) {
            return false;
        }
        out[base.at..base.at + 6].copy_from_slice(solution.as_slice());
        node.variation = [0.0; COLUMNS];
        for (column, x) in root.columns.iter().zip(solution.iter()) {
            for (sum, c) in node.variation.iter_mut().zip(column) {
                *sum += c * x;
            }
        }
        true
    }
}

/// The floating body at the middle of the step.
struct FloatingBase {
    at: usize,
    h: f64,
    /// Its placement, seen from the origin.
    pose: Pose<f64>,
    xi: Motion<f64>,
    momentum: Force<f64>,
    wrench: Force<f64>,
}

impl FloatingBase {
    fn new(i: usize, body: &Body, midpoint: &Midpoint<f64>, v: &[f64], h: f64) -> Self {
        let at = body.v_index;
        let world = &midpoint.kinematics.world;
        let origin = world[0].translation;
        Self {
            at,
            h,
            pose: Pose::new(world[i].rotation, world[i].translation - origin),
            xi: Motion::from_slice(&v[at..at + 6]),
            momentum: Force::from_slice(&midpoint.momentum[at..at + 6]),
            wrench: Force::from_slice(&midpoint.force[at..at + 6]),
        }
    }

    /// The start momentum, varied with the twist by `direction`, with the placement by `zeta` and with what the
    /// tree answers, y.
    fn start(
        &self,
        node: &Node,
        direction: &Motion<f64>,
        y: &[f64; ROWS],
        zeta: &Motion<f64>,
    ) -> Force<Dual64> {
        let momentum = Force::from_slice(&y[..6]) + zeta.cross_transpose(&node.momentum);
        let moment = Force::new(Vector3::zeros(), Vector3::new(y[6], y[7], y[8]));
        let weight = moment + zeta.cross_transpose(&node.weight);
        let (momentum, weight) = (
            self.pose.force_to_child(&momentum),
            self.pose.force_to_child(&weight),
        );
        let h = self.h;
        let step = FloatingStep::new(&dual_motion(&self.xi.scale(h), &direction.scale(h)));
        step.start_momentum(
            &dual_force(&self.momentum, &momentum),
            &dual_force(&self.wrench.scale(h), &weight.scale(h)),
        )
    }
}

fn dual_vector(value: &Vector3<f64>, derivative: &Vector3<f64>) -> Vector3<Dual64> {
    let mut dual = lift3::<Dual64>(value);
    for k in 0..3 {
        dual[k].eps = derivative[k];
    }
    dual
}

fn dual_motion(value: &Motion<f64>, derivative: &Motion<f64>) -> Motion<Dual64> {
    Motion::new(
        dual_vector(&value.linear, &derivative.linear),
        dual_vector(&value.angular, &derivative.angular),
    )
}

fn dual_force(value: &Force<f64>, derivative: &Force<f64>) -> Force<Dual64> {
    Force::new(
        dual_vector(&value.linear, &derivative.linear),
        dual_vector(&value.angular, &derivative.angular),
    )
}
