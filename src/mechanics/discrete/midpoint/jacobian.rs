//! Derivatives of P = ∂L/∂v and F = ∂L/∂q + forces by configuration and velocity, analytically.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | S_k | `axis` | motion subspace of coordinate k, world axes |
//! | t_k = ad_{V_k} S_k | `turn` | its rate of change with the body; zero for a floating body, whose twist has body components |
//! | H_k, 𝓘_k, W_k | | composite momentum, inertia and weight of the subtree that k moves |
//! | D_k = 𝓘_k t_k − ad_{S_k}ᵀ H_k | `carried` | |
//!
//! Turning coordinate j carries its subtree along. So, for k on the path from the root to j,
//! ∂P_k/∂q_j = S_k · D_j, and for k beyond j ∂P_k/∂q_j = 𝓘_k S_k · t_j; the derivatives of F follow
//! with t_k in place of S_k, and with D_k. Every entry is one inner product of six numbers
//! (compare Carpentier & Mansard 2018 for inverse dynamics).

use nalgebra::{DMatrix, Vector3};
use num_dual::Dual64;

use crate::dynamics::{Kinematics, add_point_spring_forces};
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Inertia, Motion, Pose, lift};

/// The four derivatives at one configuration and velocity, each n × n. Columns of a floating body are
/// its body twist.
#[derive(Debug, Clone)]
pub(crate) struct MidpointJacobian {
    /// ∂P/∂v = M.
    pub mass: DMatrix<f64>,
    /// ∂P/∂q.
    pub momentum_configuration: DMatrix<f64>,
    /// ∂F/∂v.
    pub force_velocity: DMatrix<f64>,
    /// ∂F/∂q.
    pub force_configuration: DMatrix<f64>,
    columns: Vec<Column>,
    composite: Vec<Composite>,
    /// Body of each coordinate.
    body: Vec<usize>,
    /// Those of the tree, where joints share coordinates.
    tree: Option<Box<Self>>,
}

/// What one coordinate contributes.
#[derive(Debug, Clone, Copy)]
struct Column {
    axis: Motion<f64>,
    turn: Motion<f64>,
    /// 𝓘_k S_k.
    inertial: Force<f64>,
    /// 𝓘_k t_k − ad_{S_k}ᵀ H_k.
    carried: Force<f64>,
    /// δW for a unit of the coordinate: a moment.
    weight_change: Vector3<f64>,
    /// Γ_k with S_k · W_k changing by Γ_k · S_j for j on the path to k.
    weight_row: Force<f64>,
    floating: bool,
}

/// A body's placement and twist, inertia and momentum of its subtree; world axes.
#[derive(Debug, Clone, Copy)]
struct Composite {
    pose: Pose<f64>,
    twist: Motion<f64>,
    inertia: Inertia<f64>,
    momentum: Force<f64>,
}

impl MidpointJacobian {
    /// Memory for one model.
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.dof();
        let mut body = vec![0; n];
        for (i, b) in model.bodies().iter().enumerate() {
            body[b.v_index..b.v_index + b.kind.velocity_width()].fill(i);
        }
        let column = Column {
            axis: Motion::zero(),
            turn: Motion::zero(),
            inertial: Force::zero(),
            carried: Force::zero(),
            weight_change: Vector3::zeros(),
            weight_row: Force::zero(),
            floating: false,
        };
        let composite = Composite {
            pose: Pose::identity(),
            twist: Motion::zero(),
            inertia: Inertia::zero(),
            momentum: Force::zero(),
        };
        Self {
            mass: DMatrix::zeros(n, n),
            momentum_configuration: DMatrix::zeros(n, n),
            force_velocity: DMatrix::zeros(n, n),
            force_configuration: DMatrix::zeros(n, n),
            columns: vec![column; n],
            composite: vec![composite; model.bodies().len()],
            body,
            tree: model.coupling().map(|c| Box::new(Self::new(c.tree()))),
        }
    }

    /// Computes the derivatives from placements and twists at (q, v).
    pub(crate) fn update(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<f64>,
        q: &[f64],
        v: &[f64],
    ) {
        self.update_inertial(model, kinematics);
        self.add_joint_forces(model);
        if !model.point_springs().is_empty() {
            self.add_point_springs(model, q, v);
        }
    }

    /// As [`MidpointJacobian::update`] without the forces of dampers, friction and springs.
    pub(crate) fn update_inertial(&mut self, model: &Model, kinematics: &Kinematics<f64>) {
        if let (Some(coupling), Some(tree)) = (model.coupling(), &mut self.tree) {
            tree.update_inertial(coupling.tree(), kinematics);
            for (from, to) in [
                (&tree.mass, &mut self.mass),
                (
                    &tree.momentum_configuration,
                    &mut self.momentum_configuration,
                ),
                (&tree.force_velocity, &mut self.force_velocity),
                (&tree.force_configuration, &mut self.force_configuration),
            ] {
                coupling.gather_matrix(model.dof(), from.as_slice(), to.as_mut_slice());
            }
            return;
        }
        self.gather(model, kinematics);
        self.fill(model);
    }

    /// Composite quantities and the vectors of every coordinate, with the first root as origin.
    fn gather(&mut self, model: &Model, kinematics: &Kinematics<f64>) {
        let bodies = model.bodies();
        let gravity = model.gravity();
        let origin = kinematics
            .world
            .first()
            .map_or_else(Vector3::zeros, |pose| pose.translation);
        for (i, body) in bodies.iter().enumerate() {
            let world = &kinematics.world[i];
            let pose = Pose::new(world.rotation, world.translation - origin);
            let twist = pose.motion_to_parent(&kinematics.twist[i]);
            let inertia = body.inertia.to_parent(&pose);
            self.composite[i] = Composite {
                pose,
                twist,
                inertia,
                momentum: inertia.momentum(&twist),
            };
        }
        for i in (0..bodies.len()).rev() {
            let body = &bodies[i];
            let Composite {
                pose,
                twist,
                inertia,
                momentum,
            } = self.composite[i];
            if let Some(p) = body.parent {
                let parent = &mut self.composite[p];
                parent.inertia = parent.inertia.merged(&inertia);
                parent.momentum += momentum;
            }
            let weight = Force::new(gravity * inertia.mass, inertia.first_moment.cross(gravity));
            for k in 0..body.kind.velocity_width() {
                let floating = body.kind == JointKind::Floating;
                let axis = coordinate_axis(body.kind, k, &pose);
                let turn = if floating {
                    Motion::zero()
                } else {
                    twist.cross(&axis)
                };
                let shifted =
                    axis.linear * inertia.mass + axis.angular.cross(&inertia.first_moment);
                let pull = gravity.cross(&axis.angular);
                let change = axis.cross_transpose(&weight);
                self.columns[body.v_index + k] = Column {
                    axis,
                    turn,
                    inertial: inertia.momentum(&axis),
                    carried: inertia.momentum(&turn) - axis.cross_transpose(&momentum),
                    weight_change: shifted.cross(gravity),
                    weight_row: Force::new(pull * inertia.mass, inertia.first_moment.cross(&pull))
                        - change,
                    floating,
                };
            }
        }
    }

    fn fill(&mut self, model: &Model) {
        for matrix in [
            &mut self.mass,
            &mut self.momentum_configuration,
            &mut self.force_velocity,
            &mut self.force_configuration,
        ] {
            matrix.as_mut_slice().fill(0.0);
        }
        let bodies = model.bodies();
        for (k, deep) in self.columns.iter().enumerate() {
            let mut at = Some(self.body[k]);
            while let Some(i) = at {
                let first = bodies[i].v_index;
                for j in first..first + bodies[i].kind.velocity_width() {
                    let near = &self.columns[j];
                    let mass = deep.inertial.dot(&near.axis);
                    let inertial_turn = deep.inertial.dot(&near.turn);
                    let carried = deep.carried.dot(&near.axis);
                    let carried_turn = deep.carried.dot(&near.turn);
                    let weight = deep.weight_row.dot(&near.axis);
                    // Row k, column j: k is beyond j, or moves the same body.
                    self.mass[(k, j)] = mass;
                    self.momentum_configuration[(k, j)] = inertial_turn;
                    self.force_configuration[(k, j)] = if deep.floating {
                        weight
                    } else {
                        self.force_velocity[(k, j)] = carried;
                        weight + carried_turn
                    };
                    if i == self.body[k] {
                        continue;
                    }
                    // Row j, column k: j is on the path to k.
                    self.mass[(j, k)] = mass;
                    self.momentum_configuration[(j, k)] = carried;
                    self.force_velocity[(j, k)] = inertial_turn;
                    self.force_configuration[(j, k)] =
                        carried_turn + deep.weight_change.dot(&near.axis.angular);
                }
                at = bodies[i].parent;
            }
            if !deep.floating {
                self.mass[(k, k)] += bodies[self.body[k]].armature;
            }
        }
    }

    /// Dampers and springs of joints.
    fn add_joint_forces(&mut self, model: &Model) {
        for body in model.bodies() {
            if body.damping == 0.0 {
                continue;
            }
            let at = body.v_index;
            self.force_velocity[(at, at)] -= body.damping;
        }
        for spring in model.joint_springs() {
            let at = model.bodies()[spring.body].v_index;
            self.force_velocity[(at, at)] -= spring.damping;
            self.force_configuration[(at, at)] -= spring.stiffness;
        }
    }

    /// Springs between points, by dual numbers: they couple any two branches.
    fn add_point_springs(&mut self, model: &Model, q: &[f64], v: &[f64]) {
        let n = model.dof();
        let constant = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
        let mut kinematics = Kinematics::<Dual64>::new(model);
        let (q, mut v) = (constant(q), constant(v));
        let mut moved = q.clone();
        let mut direction = vec![Dual64::from(0.0); n];
        let mut force = direction.clone();
        for j in 0..n {
            for by_velocity in [false, true] {
                if by_velocity {
                    v[j].eps = 1.0;
                } else {
                    direction[j] = Dual64::new(0.0, 1.0);
                }
                model.integrate(&q, &direction, lift(1.0), &mut moved);
                kinematics.update_placements(model, &moved);
                kinematics.update_twists(model, &v);
                force.fill(Dual64::from(0.0));
                add_point_spring_forces(model, &kinematics, &mut force);
                let target = if by_velocity {
                    &mut self.force_velocity
                } else {
                    &mut self.force_configuration
                };
                for (i, f) in force.iter().enumerate() {
                    target[(i, j)] += f.eps;
                }
                v[j].eps = 0.0;
                direction[j] = Dual64::from(0.0);
            }
        }
    }
}

/// World axis of coordinate k of a body at `pose`.
pub(crate) fn coordinate_axis(kind: JointKind, k: usize, pose: &Pose<f64>) -> Motion<f64> {
    let column = |k: usize| -> Vector3<f64> { pose.rotation.column(k).into() };
    match (kind, k) {
        (JointKind::Prismatic, _) | (JointKind::Floating, 0..=2) => {
            let direction = if kind == JointKind::Prismatic { 2 } else { k };
            Motion::new(column(direction), Vector3::zeros())
        }
        _ => {
            let z = column(if kind == JointKind::Revolute {
                2
            } else {
                k - 3
            });
            Motion::new(pose.translation.cross(&z), z)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Midpoint;
    use super::*;
    use crate::discrete::midpoint::dual_jacobian::random_state;
    use crate::model::Base;
    use crate::model::sample::{Uniform, geared_tree, mimicking_tree};

    /// P and F at (q ⊕ direction, v) for one dual direction of q or v.
    fn dual_derivatives(model: &Model, q: &[f64], v: &[f64]) -> [DMatrix<f64>; 4] {
        let n = model.dof();
        let zero = Dual64::from(0.0);
        let constant = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
        let mut midpoint = Midpoint::<Dual64>::new(model);
        let mut result = [0; 4].map(|_| DMatrix::zeros(n, n));
        for j in 0..n {
            for by_velocity in [true, false] {
                let (q, mut v) = (constant(q), constant(v));
                let mut moved = q.clone();
                if by_velocity {
                    v[j].eps = 1.0;
                } else {
                    let mut direction = vec![zero; n];
                    direction[j].eps = 1.0;
                    model.integrate(&q, &direction, lift(1.0), &mut moved);
                }
                // A step of length zero evaluates at its start.
                midpoint.evaluate(model, &moved, &v, &vec![zero; n], zero);
                for i in 0..n {
                    let (p, f) = (midpoint.momentum[i].eps, midpoint.force[i].eps);
                    let offset = usize::from(!by_velocity);
                    result[offset][(i, j)] = p;
                    result[2 + offset][(i, j)] = f;
                }
            }
        }
        result
    }

    #[test]
    fn derivatives_are_those_of_dual_numbers() {
        let mut random = Uniform::new(6);
        for base in [Base::Fixed, Base::Planar, Base::Floating] {
            let models = [1, 3, 8].into_iter().flat_map(|bodies| {
                [geared_tree, mimicking_tree].map(|tree| tree(bodies as u64, bodies, base))
            });
            for model in models {
                let model = model.expect("a valid model");
                let bodies = model.bodies().len();
                let (q, v, _) = random_state(&model, &mut random);
                let mut kinematics = Kinematics::new(&model);
                kinematics.update_placements(&model, &q);
                kinematics.update_twists(&model, &v);
                let mut jacobian = MidpointJacobian::new(&model);
                jacobian.update(&model, &kinematics, &q, &v);
                let expected = dual_derivatives(&model, &q, &v);
                let found = [
                    &jacobian.mass,
                    &jacobian.momentum_configuration,
                    &jacobian.force_velocity,
                    &jacobian.force_configuration,
                ];
                for (k, (e, f)) in expected.iter().zip(found).enumerate() {
                    // Sums of a few dozen terms of the size of the largest entries.
                    let bound = 1e-13 * (1.0 + e.amax());
                    let error = (e - f).amax();
                    assert!(
                        error <= bound,
                        "{base:?} {bodies} matrix {k}: {error:e}\n{e}{f}"
                    );
                }
            }
        }
    }
}
