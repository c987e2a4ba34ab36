//! A step as control sees it: x₁ = A x₀ + B u around the step that was taken, and the same on its contacts.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | x = (δq, δv) | 2n | changes of configuration and velocity; of a floating body the body twist and the components of its twist |
//! | A, B | `transition`, `input` | 2n × 2n, 2n × m |
//! | S₀, S₁ | `by_start`, `by_end` | how servos answer: δu = S₀ δq₀ + S₁ δq₁ |
//! | C, N | [`ContactTangents`] | rows of what is held, r × n, and an orthonormal basis of C δq = 0 |
//!
//! The step gives (q₁, p₁) by (q₀, p₀) and the forces u ([`HeldDerivatives`](super::HeldDerivatives)). A servo stands at the
//! midpoint, where δq̄ = (δq₀ + δq₁)/2 and δv̄ = (δq₁ − δq₀)/h of its joint, so S₀ = −k/2 + d/h and S₁ = −k/2 − d/h. With
//! p = M v, δp = M δv + ∂(M v)/∂q δq at both ends.

use nalgebra::DMatrix;

use super::HeldStep;
use super::contact_tangents::ContactTangents;
use super::servo_loop::close_loop;
use super::state_inertia::StateInertia;
use crate::discrete::StepError;
use crate::dynamics::ServoEffort;

/// The linear part of one step in x = (δq, δv), n numbers each: x₁ = A x₀ + B u.
///
/// δq is in the coordinates of the velocity: angles \[rad\] and lengths \[m\] of joints; of a floating base the body twist that
/// leads from the configuration to the changed one, translation \[m\] before rotation \[rad\], in its own axes. δv is the change
/// of the n numbers of the velocity.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearizedStep {
    /// A, 2n × 2n: servos inside the step are part of it, efforts held over the step are not.
    pub transition: DMatrix<f64>,
    /// B, 2n × m: efforts at the m joints \[N m or N\], constant over the step, in addition to those that acted.
    pub input: DMatrix<f64>,
    /// Entry of the velocity at which each column of B acts: all joints, not the base.
    pub input_coordinates: Vec<usize>,
    /// N before the step, n × r: its columns are the changes δq that all held contacts and sticking joints allow.
    pub start_basis: DMatrix<f64>,
    /// N after the step, n × r: the same columns, turned as the contacts turned.
    pub end_basis: DMatrix<f64>,
    /// The change of velocity that a change of configuration brings about on the contacts, n × n.
    velocity_slope: DMatrix<f64>,
}

/// A step on its held contacts: y₁ = A y₀ + B u with y = (Nᵀ δq, Nᵀ δv), 2r numbers; made by [`LinearizedStep::reduced`].
///
/// A feedback u = −K y on it is u = −K (Nᵀ δq, Nᵀ δv) on the robot.
#[derive(Debug, Clone, PartialEq)]
pub struct ReducedStep {
    /// A, 2r × 2r.
    pub transition: DMatrix<f64>,
    /// B, 2r × m.
    pub input: DMatrix<f64>,
    /// The changes x₀ that belong to y₀, 2n × 2r: x₀ = lift y₀ is on the contacts, to first order.
    pub lift: DMatrix<f64>,
    /// N before the step, n × r, with orthonormal columns.
    pub start_basis: DMatrix<f64>,
    /// N after the step.
    pub end_basis: DMatrix<f64>,
}

impl LinearizedStep {
    /// The same on the manifold of the contacts. What holds still in the whole A, an eigenvalue 1 for every held
    /// direction that no effort can move, is not there any more: a discrete Riccati iteration converges where
    /// the robot can be stabilised at all.
    ///
    /// Held are the normals of all closed contacts, the tangents of those that stick at both ends of the step, and joints
    /// that stick in their dry friction. On the manifold C δq = 0 and C δv = −∂(C v)/∂q δq. The step keeps changes
    /// there exactly when the robot stands; while it moves on sticking contacts, to the order of h.
    ///
    /// The bases of two steps that follow each other span the same space but need not be equal: from one to the next
    /// y changes by N(next start)ᵀ N(this end).
    #[must_use]
    pub fn reduced(&self) -> ReducedStep {
        let n = self.velocity_slope.nrows();
        let (before, after) = (&self.start_basis, &self.end_basis);
        let (r, s) = (before.ncols(), after.ncols());
        let mut lift = DMatrix::zeros(2 * n, 2 * r);
        lift.view_mut((0, 0), (n, r)).copy_from(before);
        lift.view_mut((n, r), (n, r)).copy_from(before);
        lift.view_mut((n, 0), (n, r))
            .copy_from(&(&self.velocity_slope * before));
        let mut project = DMatrix::zeros(2 * s, 2 * n);
        project
            .view_mut((0, 0), (s, n))
            .copy_from(&after.transpose());
        project
            .view_mut((s, n), (s, n))
            .copy_from(&after.transpose());
        ReducedStep {
            transition: &project * &self.transition * &lift,
            input: project * &self.input,
            lift,
            start_basis: before.clone(),
            end_basis: after.clone(),
        }
    }
}

impl HeldStep<'_> {
    /// The step in the coordinates of control. `start_momentum` (n) is the momentum before it; `servos` are the slopes
    /// at its middle of the servos that acted inside, each with its entry of the velocity.
    ///
    /// # Errors
    /// As [`HeldDerivatives::update`](super::HeldDerivatives::update).
    pub fn linearize(
        &self,
        start_momentum: &[f64],
        servos: &[(usize, ServoEffort)],
    ) -> Result<LinearizedStep, StepError> {
        let model = self.model;
        let n = model.dof();
        let mut by_state = self.derivatives()?.columns(0, 3 * n).into_owned();
        if !servos.is_empty() {
            let forces = by_state.columns(2 * n, n).into_owned();
            close_loop(
                &forces,
                servos.iter().copied(),
                self.time_step,
                &mut by_state,
            )?;
        }
        let mut end_configuration = vec![0.0; model.configuration_len()];
        let v = self.mean_velocity;
        model.integrate(
            self.configuration,
            v,
            self.time_step,
            &mut end_configuration,
        );
        let start = StateInertia::new(model, self.configuration, start_momentum)?;
        let mut end = StateInertia::new(model, &end_configuration, self.end_momentum)?;

        // From (δq₀, δp₀) to (δq₀, δv₀).
        let by_momentum = by_state.columns(n, n).into_owned();
        let carried = &by_momentum * &start.parts.momentum_configuration;
        let mut configuration = by_state.columns_mut(0, n);
        configuration += carried;
        by_state
            .columns_mut(n, n)
            .copy_from(&(by_momentum * &start.parts.mass));
        end.replace_momenta(model, &mut by_state);

        let input_coordinates = model.joint_coordinates();
        let forces = by_state.columns(2 * n, n);
        let tangents = ContactTangents::new(self, &start.kinematics, None);
        let end_tangents = ContactTangents::new(self, &end.kinematics, Some(&tangents.basis));
        Ok(LinearizedStep {
            transition: by_state.columns(0, 2 * n).into_owned(),
            input: forces.select_columns(&input_coordinates),
            input_coordinates,
            start_basis: tangents.basis,
            end_basis: end_tangents.basis,
            velocity_slope: tangents.velocity_slope,
        })
    }
}
