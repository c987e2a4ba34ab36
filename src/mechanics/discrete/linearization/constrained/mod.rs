//! A step on held contacts: how its rows, forces and conditions vary, its derivatives, and what its equations leave.

mod contact_variation;
mod held_derivatives;
mod held_stage;
mod held_step;
mod step_equations;
mod varied_frame;

pub(super) use contact_variation::ContactVariation;
pub use held_derivatives::HeldDerivatives;
pub use held_step::HeldStep;
pub(crate) use step_equations::StepEquations;
