//! What is known at one moment (q, p): velocity, gaps and gap rates, energies.

use crate::contact::Contacts;
use crate::dynamics::{ArticulatedFactor, Kinematics, SingularMass, gravity_energy, spring_energy};
use crate::model::Model;

/// Workspace for quantities at one moment.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Placements (and twists after [`Node::update_velocity`]).
    pub kinematics: Kinematics<f64>,
    /// Velocity M⁻¹p, n.
    pub velocity: Vec<f64>,
    /// Gap of each contact as the step sees it \[m\], present or not.
    pub gaps: Vec<f64>,
    factor: ArticulatedFactor<f64>,
}

impl Node {
    pub fn new(model: &Model, contacts: &Contacts) -> Self {
        Self {
            kinematics: Kinematics::new(model),
            velocity: vec![0.0; model.dof()],
            gaps: vec![0.0; contacts.len()],
            factor: ArticulatedFactor::new(model),
        }
    }

    /// Placements and gaps at `q`.
    pub fn update_gaps(&mut self, model: &Model, contacts: &Contacts, q: &[f64]) {
        self.kinematics.update_placements(model, q);
        for (i, gap) in self.gaps.iter_mut().enumerate() {
            *gap = contacts.mechanical_gap(&self.kinematics, i);
        }
    }

    /// Velocity of the momentum `p` at the configuration of the last [`Node::update_gaps`].
    pub fn update_velocity(&mut self, model: &Model, p: &[f64]) -> Result<(), SingularMass> {
        self.factor.factor(model, &self.kinematics)?;
        self.factor
            .solve(model, &self.kinematics, p, &mut self.velocity);
        self.kinematics.update_twists(model, &self.velocity);
        Ok(())
    }

    /// The same where the velocity is known.
    pub fn set_velocity(&mut self, model: &Model, velocity: &[f64]) {
        self.velocity.copy_from_slice(velocity);
        self.kinematics.update_twists(model, velocity);
    }

    /// Gap rate Dφ v of one contact \[m/s\].
    pub fn rate(&self, contacts: &Contacts, i: usize) -> f64 {
        contacts.gap_rate(&self.kinematics, i)
    }

    /// Sliding velocity of one contact in its tangents \[m/s\].
    pub fn slip(&self, contacts: &Contacts, i: usize) -> [f64; 2] {
        let mut slip = contacts.frame(&self.kinematics, i).slip(&self.kinematics);
        for slip in &mut slip[contacts.tangent_count(i)..] {
            *slip = 0.0;
        }
        slip
    }

    /// Kinetic energy ½ pᵀv \[J\].
    pub fn kinetic_energy(&self, p: &[f64]) -> f64 {
        0.5 * p
            .iter()
            .zip(&self.velocity)
            .map(|(p, v)| p * v)
            .sum::<f64>()
    }

    /// Potential energy of gravity and springs \[J\].
    pub fn potential_energy(&self, model: &Model, q: &[f64]) -> f64 {
        gravity_energy(model, &self.kinematics) + spring_energy(model, &self.kinematics, q)
    }
}
