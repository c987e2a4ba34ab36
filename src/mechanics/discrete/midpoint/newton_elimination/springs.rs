//! Springs between points in the exact Newton matrix.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | d, ℓ, e | `direction` | from the first end to the second, its length and its unit vector |
//! | T = k (ℓ − ℓ₀) + c dℓ/dt | | tension; the second end is pulled with f = −T e, the first with −f |
//! | J₀ | | the matrix of the tree, with pulls f that stay constant in the world |
//! | B | | n × 3 a spring: what a unit of each component of f adds to the residual |
//! | C | `pull_change` | 3 a spring × n: how f changes with the mean velocity |
//! | Z = J₀⁻¹ B, I + C Z | `answers`, `coupling` | n × 3s, 3s × 3s |
//!
//! A pull that is constant in the world changes its moments as weights do when its point moves, so J₀ is solved
//! in O(n) by the same elimination. The rest, J = J₀ + B C, has rank three a spring at most:
//! J⁻¹ r = x − Z (I + C Z)⁻¹ C x with x = J₀⁻¹ r, where C is read off the variations of the two bodies.

use nalgebra::Vector3;

use super::{NewtonElimination, Node, relative};
use crate::discrete::midpoint::Midpoint;
use crate::discrete::midpoint::floating_step::FloatingStep;
use crate::dynamics::{Kinematics, spring_line};
use crate::model::{JointKind, Model, PointSpring};
use crate::numerics::LeastSquares;
use crate::spatial::{Force, Motion};

/// One spring at the middle of the step, with the place of the root as origin.
#[derive(Debug, Clone, Copy)]
struct Slope {
    bodies: [Option<usize>; 2],
    ends: [Vector3<f64>; 2],
    twists: [Motion<f64>; 2],
    /// e, zero at length zero.
    direction: Vector3<f64>,
    /// The velocity of d over ℓ.
    turning: Vector3<f64>,
    stiffness: f64,
    damping: f64,
    /// T/ℓ.
    pull: f64,
}

/// What springs between points add to the elimination, with memory for one model.
#[derive(Debug, Clone)]
pub(crate) struct PointSpringSlopes {
    slopes: Vec<Slope>,
    /// Z, column after column.
    answers: Vec<f64>,
    /// I + C Z, column after column.
    coupling: Vec<f64>,
    /// Largest entry of each of its rows.
    scales: Vec<f64>,
    changes: Vec<f64>,
    column: Vec<f64>,
    answer: Vec<f64>,
    system: LeastSquares,
}

impl PointSpringSlopes {
    /// Memory for one model.
    pub(crate) fn new(model: &Model) -> Self {
        let rows = 3 * model.point_springs().len();
        let n = if rows == 0 { 0 } else { model.dof() };
        let mut system = LeastSquares::default();
        system.reset(rows);
        Self {
            slopes: Vec::with_capacity(model.point_springs().len()),
            answers: vec![0.0; n * rows],
            coupling: vec![0.0; rows * rows],
            scales: vec![0.0; rows],
            changes: vec![0.0; rows],
            column: vec![0.0; n],
            answer: vec![0.0; n],
            system,
        }
    }

    /// C x, given the variations of all bodies that belong to x.
    fn update_changes(&mut self, nodes: &[Node]) {
        for (slope, out) in self.slopes.iter().zip(self.changes.chunks_exact_mut(3)) {
            out.copy_from_slice(slope.pull_change(nodes).as_slice());
        }
    }
}

impl NewtonElimination {
    /// Adds pulls that stay constant in the world to what the bodies at their points answer.
    pub(crate) fn add_spring_pulls(&mut self, model: &Model, kinematics: &Kinematics<f64>) {
        self.springs.slopes.clear();
        for spring in model.point_springs() {
            let slope = Slope::new(kinematics, spring);
            let pull = -(slope.ends[1] - slope.ends[0]) * slope.pull;
            for (side, pull) in [-pull, pull].into_iter().enumerate() {
                let Some(body) = slope.bodies[side] else {
                    continue;
                };
                let (node, x) = (&mut self.nodes[body], slope.ends[side]);
                node.weight += Force::new(pull, x.cross(&pull));
                for column in 0..6 {
                    let mut unit = [0.0; 6];
                    unit[column] = 1.0;
                    let moved = velocity(&Motion::from_slice(&unit), &x);
                    let moment = moved.cross(&pull);
                    for row in 0..3 {
                        node.response[6 + row][column] += moment[row];
                    }
                }
            }
            self.springs.slopes.push(slope);
        }
    }

    /// Z and I + C Z; false when a part of J₀ is singular.
    pub(crate) fn couple_springs(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
    ) -> bool {
        let rows = self.springs.changes.len();
        for at in 0..rows {
            let mut column = std::mem::take(&mut self.springs.column);
            let mut answer = std::mem::take(&mut self.springs.answer);
            let spring = &model.point_springs()[at / 3];
            residual_of_pull(model, midpoint, v, h, spring, at % 3, &mut column);
            let regular = self.solve_tree(model, midpoint, v, h, &column, &mut answer);
            let springs = &mut self.springs;
            springs.update_changes(&self.nodes);
            let n = column.len();
            springs.answers[at * n..(at + 1) * n].copy_from_slice(&answer);
            let own = &mut springs.coupling[at * rows..(at + 1) * rows];
            own.copy_from_slice(&springs.changes);
            own[at] += 1.0;
            (springs.column, springs.answer) = (column, answer);
            if !regular {
                return false;
            }
        }
        let springs = &mut self.springs;
        for (row, scale) in springs.scales.iter_mut().enumerate() {
            let entries = springs.coupling[row..].iter().step_by(rows);
            *scale = entries.fold(0.0, |m, x| m.max(x.abs()));
        }
        springs.scales.iter().all(|x| *x > 0.0 && x.is_finite())
    }

    /// Lets pulls change with the solution `out` (n) of J₀, whose variations are at hand.
    pub(crate) fn relax_springs(&mut self, out: &mut [f64]) -> bool {
        let springs = &mut self.springs;
        let rows = springs.changes.len();
        if rows == 0 {
            return true;
        }
        springs.update_changes(&self.nodes);
        springs.system.reset(rows);
        // Equations of stiff and soft springs differ by many powers of ten.
        for (j, column) in springs.coupling.chunks_exact(rows).enumerate() {
            let scaled = springs.system.column_mut(j).iter_mut().zip(column);
            for ((to, x), scale) in scaled.zip(&springs.scales) {
                *to = x / scale;
            }
        }
        let right = springs.system.rhs_mut().iter_mut().zip(&springs.changes);
        for ((to, x), scale) in right.zip(&springs.scales) {
            *to = x / scale;
        }
        springs.system.solve();
        let answers = springs.answers.chunks_exact(out.len());
        for (answer, share) in answers.zip(springs.system.solution()) {
            for (x, z) in out.iter_mut().zip(answer) {
                *x -= share * z;
            }
        }
        out.iter().all(|x| x.is_finite())
    }
}

impl Slope {
    fn new(kinematics: &Kinematics<f64>, spring: &PointSpring) -> Self {
        let origin = kinematics
            .world
            .first()
            .map_or_else(Vector3::zeros, |pose| pose.translation);
        let (a, b, direction, length) = spring_line(kinematics, spring);
        let velocity = kinematics.point_velocity(spring.bodies[1], &b)
            - kinematics.point_velocity(spring.bodies[0], &a);
        let twist = |body: Option<usize>| {
            body.map_or_else(Motion::zero, |body| {
                relative(&kinematics.world[body], &origin).motion_to_parent(&kinematics.twist[body])
            })
        };
        // A spring of rest length zero pulls with −k d at any length.
        let (turning, pull) = if length > 0.0 {
            let tension = spring.stiffness * (length - spring.rest_length)
                + spring.damping * velocity.dot(&direction);
            (velocity / length, tension / length)
        } else if spring.rest_length == 0.0 {
            (Vector3::zeros(), spring.stiffness)
        } else {
            (Vector3::zeros(), 0.0)
        };
        Self {
            bodies: spring.bodies,
            ends: [a - origin, b - origin],
            twists: spring.bodies.map(twist),
            direction,
            turning,
            stiffness: spring.stiffness,
            damping: spring.damping,
            pull,
        }
    }

    /// δf for the variations of its two bodies.
    fn pull_change(&self, nodes: &[Node]) -> Vector3<f64> {
        let (mut moved, mut hastened) = (Vector3::zeros(), Vector3::zeros());
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(body) = self.bodies[side] else {
                continue;
            };
            let (x, twist) = (&self.ends[side], &self.twists[side]);
            let zeta = Motion::from_slice(&nodes[body].variation[..6]);
            let driven = Motion::from_slice(&nodes[body].variation[6..]);
            let point = velocity(&zeta, x);
            moved += point * sign;
            let change = velocity(&(zeta.cross(twist) + driven), x);
            hastened += (change + twist.angular.cross(&point)) * sign;
        }
        let e = &self.direction;
        let along = e.dot(&moved);
        let across = moved - e * along;
        let tension =
            self.stiffness * along + self.damping * (e.dot(&hastened) + self.turning.dot(&across));
        -(e * tension + across * self.pull)
    }
}

/// What a unit pull along world axis `axis` at the second end, and back at the first, adds to the residual: a column
/// of B.
fn residual_of_pull(
    model: &Model,
    midpoint: &Midpoint<f64>,
    v: &[f64],
    h: f64,
    spring: &PointSpring,
    axis: usize,
    out: &mut [f64],
) {
    let kinematics = &midpoint.kinematics;
    let (a, b, _, _) = spring_line(kinematics, spring);
    let unit = Vector3::ith(axis, 1.0);
    out.fill(0.0);
    kinematics.add_point_force(model, spring.bodies[1], &b, &unit, out);
    kinematics.add_point_force(model, spring.bodies[0], &a, &-unit, out);
    for body in model.bodies() {
        let at = body.v_index;
        if body.kind != JointKind::Floating {
            out[at] *= -0.5 * h;
            continue;
        }
        let step = FloatingStep::new(&Motion::from_slice(&v[at..at + 6]).scale(h));
        let impulse = Force::from_slice(&out[at..at + 6]).scale(h);
        step.start_momentum(&Force::zero(), &impulse)
            .write(&mut out[at..at + 6]);
    }
}

/// Velocity of the point `x` of a body with the twist `motion`, both from the origin.
fn velocity(motion: &Motion<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    motion.linear + motion.angular.cross(x)
}
