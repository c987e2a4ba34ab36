//! First derivatives of a step with held contacts, while no contact changes its mode.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | Λ, Λ′ | `start_impulse`, `end_impulse` | impulses at q₀ and at q₁ |
//! | w | `end_velocity` | M(q₁)⁻¹ p₁ |
//! | p̃ | | momentum that the step would end with without Λ′ |
//!
//! With the symbols of [`StepLinearization`] the step is linearised in two stages,
//!
//! ```text
//! J δv̄ = δp₀ − (K − ∂(C₀ᵀΛ)/∂q₀) δq₀ + R₀ δu − s δh + C₀ᵀ δΛ
//! M δw = δp̃ − (∂(M w)/∂q₁ − ∂(C₁ᵀΛ′)/∂q₁) δq₁ + C₁ᵀ δΛ′
//! ```
//!
//! each with the conditions of its contacts in their modes: gaps at q₁ (over h) and slips at the
//! midpoint stay what they are, normal velocities and slips of w do. The friction of a contact that
//! slides, τ = −μ λ s/‖s‖, is put in: its λ pushes along c − μ Σ s_t c_t/‖s‖, and the turning of s adds
//! to the matrices. s is the slip at the midpoint in both stages: in the second its turning is a change
//! of p̃ with v̄, q₀ and h. Only a contact that began to slide in the step has its own slip
//! at the end. [`HeldStage`] solves both.

mod chain;
mod corners;

use nalgebra::DMatrix;

use super::contact_variation::ContactVariation;
use super::held_stage::{ContactEquations, HeldStage, Load};
use crate::contact::ContactFrame;
use crate::discrete::StepError;
use crate::discrete::held::{HeldContact, rubbing_joints};
use crate::discrete::linearization::HeldStep;
use crate::discrete::linearization::step_linearization::StepLinearization;
use crate::discrete::midpoint::{Midpoint, MidpointJacobian};
use crate::dynamics::{ArticulatedFactor, Kinematics};
use crate::friction::HeldMode;
use crate::model::Model;
use crate::numerics::{add_product, dot};

/// Derivatives of steps with held contacts; owns the memory for one model, which grows with the number
/// of contacts. Up to a dozen coordinates nothing is allocated after the first update; larger products
/// of matrices pack their factors into fresh memory.
#[derive(Debug, Clone)]
pub struct HeldDerivatives {
    pub(crate) matrix: DMatrix<f64>,
    midpoint: Midpoint<f64>,
    kinematics: Kinematics<f64>,
    factor: ArticulatedFactor<f64>,
    end_configuration: Vec<f64>,
    pub(super) end_velocity: Vec<f64>,
    pub(super) linear: StepLinearization,
    /// M(q₁) and ∂(M w)/∂q₁.
    pub(super) end_parts: MidpointJacobian,
    /// Rows at q₀, at the midpoint and at q₁.
    places: [ContactVariation; 3],
    pub(super) start: HeldStage,
    pub(super) end: HeldStage,
    /// Frames of contacts at q₁ and gaps at q₀, which tell who holds one point.
    end_frames: Vec<ContactFrame<f64>>,
    start_gaps: Vec<f64>,
    /// Change of φ/h − Dφ(q̄)v̄ of one contact by v̄ and by q₀, and memory for it (n each).
    beyond: [Vec<f64>; 3],
    /// Conditions of one contact at the start by v̄ and by q₀.
    conditions: [Vec<f64>; 3],
    conditions_by_configuration: [Vec<f64>; 3],
    /// ∂v̄/∂(q₀, p₀, u, h) and ∂p₁/∂(q₀, p₀, u, h), n × (3n + 1).
    mean: DMatrix<f64>,
    momentum: DMatrix<f64>,
    /// What multiplies δq₁ in the second stage, then δw for it.
    end_load: DMatrix<f64>,
    end_velocity_change: DMatrix<f64>,
    /// ∂p₁/∂p̃ and ∂p₁/∂q₁, then ∂p₁/∂v̄ through both.
    by_free_momentum: DMatrix<f64>,
    by_end_configuration: DMatrix<f64>,
    pub(super) by_mean: DMatrix<f64>,
    product: DMatrix<f64>,
}

impl HeldDerivatives {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let n = model.dof();
        let square = || DMatrix::zeros(n, n);
        let place = || ContactVariation::new(model);
        let rows = || [(); 3].map(|()| vec![0.0; n]);
        Self {
            matrix: DMatrix::zeros(2 * n, 3 * n + 1),
            midpoint: Midpoint::new(model),
            kinematics: Kinematics::new(model),
            factor: ArticulatedFactor::new(model),
            end_configuration: model.neutral_configuration(),
            end_velocity: vec![0.0; n],
            linear: StepLinearization::new(model),
            end_parts: MidpointJacobian::new(model),
            places: [place(), place(), place()],
            start: HeldStage::new(n),
            end: HeldStage::new(n),
            end_frames: Vec::new(),
            start_gaps: Vec::new(),
            beyond: rows(),
            conditions: rows(),
            conditions_by_configuration: rows(),
            mean: DMatrix::zeros(n, 3 * n + 1),
            momentum: DMatrix::zeros(n, 3 * n + 1),
            end_load: square(),
            end_velocity_change: square(),
            by_free_momentum: square(),
            by_end_configuration: square(),
            by_mean: square(),
            product: square(),
        }
    }

    /// ∂(q₁, p₁)/∂(q₀, p₀, u, h), 2n × (3n + 1), columns in this order. Changes of a floating body's
    /// configuration are body twists, of q₀ and of q₁.
    ///
    /// Redundant contacts do not matter where a change leaves them able to keep their modes; where it
    /// does not, they miss their conditions by least squares.
    ///
    /// # Errors
    /// [`StepError::SingularMass`] from the mass matrix at the end of the step,
    /// [`StepError::SingularJacobian`] when the step's equation does not determine v̄.
    pub fn update(&mut self, step: &HeldStep<'_>) -> Result<&DMatrix<f64>, StepError> {
        self.evaluate(step)?;
        self.vary_contacts(step);
        self.differentiate_start(step)?;
        self.differentiate_end(step)?;
        self.chain();
        Ok(&self.matrix)
    }

    /// The midpoint, its linearisation, and the state at the end.
    fn evaluate(&mut self, step: &HeldStep<'_>) -> Result<(), StepError> {
        let (model, v, h) = (step.model, step.mean_velocity, step.time_step);
        let (q0, q1) = (step.configuration, &mut self.end_configuration);
        self.midpoint.evaluate(model, q0, v, step.applied, h);
        self.linear.update(model, &self.midpoint, v, h);
        let [start, middle, end] = &mut self.places;
        let contacts = step.held.len();
        self.kinematics.update_placements(model, q0);
        start.place(model, &self.kinematics, contacts);
        middle.place(model, &self.midpoint.kinematics, contacts);
        model.integrate(q0, v, h, q1);
        let (kinematics, w) = (&mut self.kinematics, &mut self.end_velocity);
        kinematics.update_placements(model, q1);
        self.factor.factor(model, kinematics)?;
        self.factor.solve(model, kinematics, step.end_momentum, w);
        kinematics.update_twists(model, w);
        end.place(model, kinematics, contacts);
        self.end_parts.update_inertial(model, kinematics);
        Ok(())
    }

    /// Rows of contacts at the three configurations, and what their forces add to the loads.
    fn vary_contacts(&mut self, step: &HeldStep<'_>) {
        let [start, middle, end] = &mut self.places;
        let start_load = self.linear.start_by_configuration.as_mut_slice();
        let end_load = self.end_load.as_mut_slice();
        end_load.copy_from_slice(self.end_parts.momentum_configuration.as_slice());
        self.end_frames.clear();
        self.start_gaps.clear();
        for (slot, held) in step.held.iter().enumerate() {
            let directions = 1 + step.tangents(held);
            let opens = step.mode(held, 0) == HeldMode::Open;
            let (model, contacts) = (step.model, step.contacts);
            let frame = start.frame(contacts, held);
            self.start_gaps.push(frame.frame.gap);
            if !opens {
                start.add_rows(model, &frame, slot, directions);
                start.add_load(model, &frame, &held.start_impulse.map(|x| -x), start_load);
            }
            let frame = middle.frame(contacts, held);
            middle.add_rows(model, &frame, slot, directions);
            middle.add_rates(model, &frame, slot, directions);
            let frame = end.frame(contacts, held);
            self.end_frames.push(frame.frame);
            end.add_rows(model, &frame, slot, directions);
            end.add_rates(model, &frame, slot, directions);
            end.add_load(model, &frame, &held.end_impulse.map(|x| -x), end_load);
        }
    }

    /// ∂v̄/∂(q₀, p₀, u, h).
    fn differentiate_start(&mut self, step: &HeldStep<'_>) -> Result<(), StepError> {
        let n = step.model.dof();
        self.start.clear();
        self.start.matrix.copy_from(&self.linear.newton);
        for (slot, held) in step.held.iter().enumerate() {
            if step.mode(held, 0) != HeldMode::Open {
                self.add_start_conditions(step, slot, held);
            }
        }
        hold_joints(step, 0, &mut self.start);
        if !self.start.solve() {
            return Err(StepError::SingularJacobian);
        }
        let (stage, linear) = (&self.start, &self.linear);
        let by_load = stage.by_load.as_slice();
        let (by_configuration, rest) = self.mean.as_mut_slice().split_at_mut(n * n);
        let (by_momentum, rest) = rest.split_at_mut(n * n);
        let (by_force, by_time) = rest.split_at_mut(n * n);
        stage.respond(linear.start_by_configuration.as_slice(), by_configuration);
        stage.respond_by_time(linear.start_by_time.as_slice(), by_time);
        by_momentum.copy_from_slice(by_load);
        by_force.copy_from_slice(by_load);
        linear.by_force[0].multiply_right(n, by_force);
        Ok(())
    }

    /// The gap at q₁ over h and the slips at the midpoint.
    fn add_start_conditions(&mut self, step: &HeldStep<'_>, slot: usize, held: &HeldContact) {
        let (n, h) = (step.model.dof(), step.time_step);
        let tangents = step.tangents(held);
        let mut by_time = [0.0; 3];
        let slip = self.middle_slip(slot, step);
        let [_, middle, end] = &self.places;
        let linear = &mut self.linear;
        for k in 0..=tangents {
            let condition = &mut self.conditions[k];
            let by_configuration = &mut self.conditions_by_configuration[k];
            if k == 0 {
                let row = end.row(slot, 0);
                by_time[0] = dot(row, linear.end_place_by_time.as_slice()) / h;
                condition.copy_from_slice(row);
                linear
                    .end_by_velocity
                    .multiply_left_transposed(n, condition);
                by_configuration.copy_from_slice(row);
                linear
                    .end_by_start
                    .multiply_left_transposed(n, by_configuration);
                for x in condition.iter_mut().chain(by_configuration) {
                    *x /= h;
                }
                continue;
            }
            let (row, rate) = (middle.row(slot, k), middle.rate(slot, k));
            by_time[k] = dot(rate, linear.middle_by_time.as_slice());
            condition.copy_from_slice(rate);
            linear
                .middle_by_velocity
                .multiply_left_transposed(n, condition);
            for (x, row) in condition.iter_mut().zip(row) {
                *x += row;
            }
            by_configuration.copy_from_slice(rate);
            linear
                .middle_by_start
                .multiply_left_transposed(n, by_configuration);
        }
        self.displace_conditions(slot, tangents, h, &mut by_time);
        let [start, _, end] = &self.places;
        let linear = &mut self.linear;
        let friction = step.contacts.friction(held.contact);
        let contact = ContactEquations {
            mode: step.mode(held, 0),
            tangents,
            friction,
            normal_impulse: held.start_impulse[0],
            slip,
            turns: true,
            impulses: [0, 1, 2].map(|k| start.row(slot, k)),
            conditions: self.conditions.each_ref().map(Vec::as_slice),
            by_configuration: self
                .conditions_by_configuration
                .each_ref()
                .map(Vec::as_slice),
            by_time,
        };
        let mut load = Load {
            by_configuration: linear.start_by_configuration.as_mut_slice(),
            by_time: linear.start_by_time.as_mut_slice(),
        };
        self.start.add(&contact, &mut load);
        let speed = slip[0].hypot(slip[1]);
        if tangents == 2 && speed > 0.0 && step.keeps_direction(held, slip) {
            let weight = -friction * held.end_impulse[0] / speed;
            let across = [-slip[1] / speed, slip[0] / speed];
            turn_end_friction(
                linear,
                &contact,
                [1, 2].map(|k| end.row(slot, k)),
                across,
                weight,
            );
        }
    }

    /// ∂p₁/∂p̃ and ∂p₁/∂q₁.
    fn differentiate_end(&mut self, step: &HeldStep<'_>) -> Result<(), StepError> {
        let n = step.model.dof();
        self.end.clear();
        self.end.matrix.copy_from(&self.end_parts.mass);
        for (slot, held) in step.held.iter().enumerate() {
            let middle_slip = self.middle_slip(slot, step);
            let keeps = step.keeps_direction(held, middle_slip);
            let rows = &self.places[2];
            let slip = if keeps {
                middle_slip
            } else {
                rows.slip(slot, &self.end_velocity)
            };
            let directions = [0, 1, 2].map(|k| rows.row(slot, k));
            let contact = ContactEquations {
                mode: step.mode(held, usize::from(!keeps)),
                tangents: step.tangents(held),
                friction: step.contacts.friction(held.contact),
                normal_impulse: held.end_impulse[0],
                slip,
                turns: !keeps,
                impulses: directions,
                conditions: directions,
                by_configuration: [0, 1, 2].map(|k| rows.rate(slot, k)),
                by_time: [0.0; 3],
            };
            let mut load = Load {
                by_configuration: self.end_load.as_mut_slice(),
                by_time: &mut [],
            };
            self.end.add(&contact, &mut load);
        }
        hold_joints(step, 1, &mut self.end);
        if !self.end.solve() {
            return Err(StepError::SingularJacobian);
        }
        let mass = self.end_parts.mass.as_slice();
        let change = self.end_velocity_change.as_mut_slice();
        self.end.respond(self.end_load.as_slice(), change);
        let by_momentum = self.by_free_momentum.as_mut_slice();
        by_momentum.fill(0.0);
        add_product(n, 1.0, mass, self.end.by_load.as_slice(), by_momentum);
        let by_configuration = self.by_end_configuration.as_mut_slice();
        by_configuration.copy_from_slice(self.end_parts.momentum_configuration.as_slice());
        add_product(n, 1.0, mass, change, by_configuration);
        Ok(())
    }
}

/// A joint that sticks in its dry friction keeps its rate; one that slides is pushed by a constant.
fn hold_joints(step: &HeldStep<'_>, end: usize, stage: &mut HeldStage) {
    for ((_, at, _), joint) in rubbing_joints(step.model).zip(step.joints) {
        if joint.modes[end] == HeldMode::Stick {
            stage.hold_coordinate(at);
        }
    }
}

/// Friction at the end turns with the slip at the midpoint, whose changes are the conditions of the
/// start: across it, p̃ changes by `weight` times the change of the slip.
fn turn_end_friction(
    linear: &mut StepLinearization,
    start: &ContactEquations<'_>,
    tangents: [&[f64]; 2],
    across: [f64; 2],
    weight: f64,
) {
    let n = linear.newton.nrows();
    let along = |x: f64, y: f64| across[0] * x + across[1] * y;
    let time = weight * along(start.by_time[1], start.by_time[2]);
    for i in 0..n {
        let push = along(tangents[0][i], tangents[1][i]);
        for j in 0..n {
            let [velocity, configuration] = [&start.conditions, &start.by_configuration]
                .map(|rows| weight * along(rows[1][j], rows[2][j]));
            linear.end[(i, j)] += push * velocity;
            linear.end_by_configuration[(i, j)] += push * configuration;
        }
        linear.end_by_time[i] += push * time;
    }
}

#[cfg(test)]
mod dual_numbers;
#[cfg(test)]
mod tests;
