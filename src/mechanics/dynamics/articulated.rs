//! M⁻¹ x without M: the articulated-body algorithm (\[F\] ch. 7) split into a factorisation and a solve.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | 𝓘ᴬ | (per body) | articulated inertia of the subtree |
//! | U, D | (per joint) | 𝓘ᴬ S and Sᵀ 𝓘ᴬ S + a, with a the reflected inertia of the joint's rotor |

use nalgebra::{Cholesky, Matrix6, U6, Vector6};

use super::mass_matrix::BranchFactor;
use super::{Kinematics, Support};
use crate::model::{JointKind, Model};
use crate::spatial::{ArticulatedInertia, Force, Motion, Scalar, lift};

/// Articulated-body factor of M(q); `factor` once a configuration, `solve` as often as wanted.
#[derive(Debug, Clone)]
pub struct ArticulatedFactor<T: Scalar> {
    inertia: Vec<ArticulatedInertia<T>>,
    /// U of each one-degree-of-freedom joint.
    u: Vec<Force<T>>,
    /// 1/D of each one-degree-of-freedom joint.
    d_inverse: Vec<T>,
    /// Cholesky factor of the articulated inertia of each floating body.
    floating: Vec<Option<Cholesky<T, U6>>>,
    bias: Vec<Force<T>>,
    /// The same for up to three right-hand sides at once.
    wide_bias: Vec<[Force<T>; 3]>,
    acceleration: Vec<Motion<T>>,
    /// What the last solve met along each joint with one degree of freedom.
    met: Vec<T>,
    /// The same factor along branches, which does all the work for shallow trees and where joints share coordinates.
    branches: Option<Box<BranchFactor<T>>>,
}

/// The mass matrix is not positive definite: moving one joint costs no kinetic energy.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the mass matrix is not positive definite: joint of body {body} moves without inertia ({inertia:e})"
)]
pub struct SingularMass {
    /// Index of the body.
    pub body: usize,
    /// The articulated inertia along the joint.
    pub inertia: f64,
}

impl<T: Scalar> ArticulatedFactor<T> {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self::with(model, BranchFactor::for_shallow(model))
    }

    /// As [`ArticulatedFactor::new`], by articulated bodies where no factor along branches is given.
    pub(super) fn with(model: &Model, branches: Option<Box<BranchFactor<T>>>) -> Self {
        // Articulated bodies have nothing to keep where branches do the work.
        let n = branches.as_ref().map_or(model.bodies().len(), |_| 0);
        let zero = ArticulatedInertia {
            linear: nalgebra::Matrix3::zeros(),
            coupling: nalgebra::Matrix3::zeros(),
            angular: nalgebra::Matrix3::zeros(),
        };
        Self {
            inertia: vec![zero; n],
            u: vec![Force::zero(); n],
            d_inverse: vec![T::zero(); n],
            floating: vec![None; n],
            bias: vec![Force::zero(); n],
            wide_bias: vec![[Force::zero(); 3]; n],
            acceleration: vec![Motion::zero(); n],
            met: vec![T::zero(); n],
            branches,
        }
    }

    /// Factors M at the configuration of `kinematics`.
    ///
    /// # Errors
    /// [`SingularMass`] names the body whose joint moves without inertia.
    pub fn factor(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<T>,
    ) -> Result<(), SingularMass> {
        self.factor_loaded(model, kinematics, None)
    }

    /// As [`ArticulatedFactor::factor`], of M plus a diagonal matrix `load` (n; ignored where it is
    /// negative and for floating bodies): what dampers and springs of joints add to the matrix of an implicit step.
    /// An infinite load locks its joint: solutions do not move it.
    ///
    /// # Errors
    /// As [`ArticulatedFactor::factor`].
    pub(crate) fn factor_loaded(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<T>,
        load: Option<&[T]>,
    ) -> Result<(), SingularMass> {
        if let Some(branches) = &mut self.branches {
            return branches.factor(model, kinematics, load);
        }
        let bodies = model.bodies();
        for (i, body) in bodies.iter().enumerate() {
            self.inertia[i] = ArticulatedInertia::rigid(&body.inertia.lift());
        }
        for i in (0..bodies.len()).rev() {
            let body = &bodies[i];
            let (u, d) = match body.kind {
                JointKind::Revolute => {
                    let a = &self.inertia[i];
                    let u = Force::new(a.coupling.column(2).into(), a.angular.column(2).into());
                    (u, u.angular.z)
                }
                JointKind::Prismatic => {
                    let a = &self.inertia[i];
                    let u = Force::new(a.linear.column(2).into(), a.coupling.row(2).transpose());
                    (u, u.linear.z)
                }
                JointKind::Floating => {
                    let m: Matrix6<T> = self.inertia[i].matrix();
                    self.floating[i] = Cholesky::new(m);
                    if self.floating[i].is_none() {
                        return Err(SingularMass {
                            body: i,
                            inertia: 0.0,
                        });
                    }
                    continue;
                }
            };
            let d = d + lift(body.armature);
            // Stages with a negative step are solved with the bare mass matrix.
            let load = load.map_or(T::zero(), |load| load[body.v_index]);
            let locked = load == lift(f64::INFINITY);
            let d = if load > T::zero() { d + load } else { d };
            let inverse = if locked { T::zero() } else { T::one() / d };
            // A positive number may be so small that it has no inverse.
            if d <= T::zero() || !(d.is_finite() || locked) || !inverse.is_finite() {
                return Err(SingularMass {
                    body: i,
                    inertia: nalgebra::try_convert(d).unwrap_or(f64::NAN),
                });
            }
            self.u[i] = u;
            self.d_inverse[i] = inverse;
            if let Some(p) = body.parent {
                let mut projected = self.inertia[i];
                projected.project(&u, self.d_inverse[i]);
                let carried = projected.in_parent(&kinematics.local[i]);
                self.inertia[p].accumulate(&carried);
            }
        }
        Ok(())
    }

    /// What a locked joint took of the right-hand side of the last [`ArticulatedFactor::solve`].
    pub(crate) fn taken_by_lock(&self, body: usize) -> T {
        match &self.branches {
            Some(branches) => branches.met(body),
            None => self.met[body],
        }
    }

    /// 1/D of a joint with one degree of freedom; zero for one that mimics another.
    #[doc(hidden)]
    pub fn inverse_inertia(&self, body: usize) -> T {
        match &self.branches {
            Some(branches) => branches.inverse_inertia(body),
            None => self.d_inverse[body],
        }
    }

    /// The articulated inertia of a floating body.
    #[doc(hidden)]
    pub fn floating_inertia(&self, body: usize) -> Matrix6<T> {
        let Some(branches) = &self.branches else {
            return self.inertia[body].matrix();
        };
        let lower = branches.floating(body);
        Matrix6::from_fn(|i, j| lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)])
    }

    /// Its diagonal.
    pub(crate) fn floating_diagonal(&self, body: usize) -> [T; 6] {
        if let Some(branches) = &self.branches {
            return [0, 2, 5, 9, 14, 20].map(|at| branches.floating(body)[at]);
        }
        let a = &self.inertia[body];
        [0, 1, 2, 3, 4, 5].map(|k| {
            if k < 3 {
                a.linear[(k, k)]
            } else {
                a.angular[(k - 3, k - 3)]
            }
        })
    }

    /// Writes Y = D^(−1/2) L⁻¹ X to `out` for M = L D Lᵀ, so that X₁ᵀ M⁻¹ X₂ = Y₁ᵀ Y₂. Both have R
    /// columns, at most three, and rows one after the other for the coordinates of `support`, beside which X vanishes.
    pub(crate) fn half_solve<const R: usize>(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<T>,
        support: &Support,
        x: &[T],
        out: &mut [T],
    ) {
        let (x, _) = x.as_chunks::<R>();
        let (out, _) = out.as_chunks_mut::<R>();
        if let Some(branches) = &self.branches {
            return branches.half_solve(support, x, out);
        }
        for joint in support.joints() {
            self.wide_bias[joint.body] = [Force::zero(); 3];
        }
        for joint in support.joints().iter().rev() {
            let i = joint.body;
            let body = &model.bodies()[i];
            let bias = self.wide_bias[i];
            let x = &x[joint.column..];
            let out = &mut out[joint.column..];
            if body.kind == JointKind::Floating {
                let Some(factor) = &self.floating[i] else {
                    continue;
                };
                for k in 0..R {
                    let mut y = Vector6::from_fn(|c, _| x[c][k] - bias[k].component(c));
                    factor.l_dirty().solve_lower_triangular_mut(&mut y);
                    for c in 0..6 {
                        out[c][k] = y[c];
                    }
                }
                continue;
            }
            let (u, root) = (self.u[i], self.d_inverse[i].sqrt());
            for k in 0..R {
                let load = match body.kind {
                    JointKind::Revolute => bias[k].angular.z,
                    _ => bias[k].linear.z,
                };
                let own = x[0][k] - load;
                out[0][k] = own * root;
                if let Some(p) = body.parent {
                    let passed = bias[k] + u.scale(own * self.d_inverse[i]);
                    self.wide_bias[p][k] += kinematics.local[i].force_to_parent(&passed);
                }
            }
        }
    }

    /// Writes M⁻¹ x to `out` (both n) with the placements `factor` was called with.
    pub fn solve(&mut self, model: &Model, kinematics: &Kinematics<T>, x: &[T], out: &mut [T]) {
        if let Some(branches) = &mut self.branches {
            return branches.solve(x, out);
        }
        let bodies = model.bodies();
        self.bias.fill(Force::zero());
        for i in (0..bodies.len()).rev() {
            let body = &bodies[i];
            let at = body.v_index;
            let own = match body.kind {
                JointKind::Revolute => x[at] - self.bias[i].angular.z,
                JointKind::Prismatic => x[at] - self.bias[i].linear.z,
                JointKind::Floating => continue,
            };
            out[at] = own;
            if let Some(p) = body.parent {
                let passed = self.bias[i] + self.u[i].scale(own * self.d_inverse[i]);
                self.bias[p] += kinematics.local[i].force_to_parent(&passed);
            }
        }
        for (i, body) in bodies.iter().enumerate() {
            let at = body.v_index;
            let mut a = match body.parent {
                None => Motion::zero(),
                Some(p) => kinematics.local[i].motion_to_child(&self.acceleration[p]),
            };
            match body.kind {
                JointKind::Floating => {
                    let mut rhs = Vector6::zeros();
                    for k in 0..6 {
                        rhs[k] = x[at + k] - self.bias[i].component(k);
                    }
                    if let Some(factor) = &self.floating[i] {
                        factor.solve_mut(&mut rhs);
                    }
                    out[at..at + 6].copy_from_slice(rhs.as_slice());
                    a = Motion::from_slice(rhs.as_slice());
                }
                kind => {
                    let met = out[at] - self.u[i].dot(&a);
                    let own = met * self.d_inverse[i];
                    self.met[i] = met;
                    out[at] = own;
                    if kind == JointKind::Revolute {
                        a.angular.z += own;
                    } else {
                        a.linear.z += own;
                    }
                }
            }
            self.acceleration[i] = a;
        }
    }
}
