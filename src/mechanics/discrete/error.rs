use thiserror::Error;

use crate::dynamics::SingularMass;
use crate::model::Model;

/// Why a step has no solution.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The root finding did not reach its tolerance.
    #[error(
        "the step of {step} s did not converge in {} iterations (relative residuals {}); a smaller time_step helps",
        .history.len().saturating_sub(1),
        .history.iter().map(|r| format!("{r:.1e}")).collect::<Vec<_>>().join(", ")
    )]
    NotConverged {
        /// The step \[s\].
        step: f64,
        /// Relative residual after each iteration.
        history: Vec<f64>,
    },
    /// A slice does not fit the model.
    #[error("{what}: {found} entries where the model has {expected}")]
    Size {
        /// Which one.
        what: &'static str,
        /// Entries that it has.
        found: usize,
        /// Entries that it must have.
        expected: usize,
    },
    /// The motion has left the range of numbers.
    #[error("the step of {step} s produced a number that is not finite at \"{coordinate}\"")]
    NotFinite {
        /// The step \[s\].
        step: f64,
        /// Name of the coordinate.
        coordinate: String,
    },
    /// The Newton matrix is singular.
    #[error("the Newton matrix of the step is singular")]
    SingularJacobian,
    /// The mass matrix is not positive definite.
    #[error(transparent)]
    SingularMass(#[from] SingularMass),
    /// The impulses of held contacts did not converge.
    #[error(
        "the held contacts did not converge in {iterations} iterations (relative residual {residual:.1e}, conditions of contact and friction missed by {violation:.1e} tolerances); a smaller time_step helps"
    )]
    ContactsNotConverged {
        /// Iterations spent.
        iterations: usize,
        /// Relative residual of the equation of motion.
        residual: f64,
        /// What is left of the conditions over what a solution may leave.
        violation: f64,
    },
    /// Held contacts did work that no constraint does.
    #[error(
        "held contacts gave {gain:.3e} J in {tau:.1e} s, which contacts cannot: a nearest point jumped, as where a shape tips over an edge that its contacts do not follow; give it spheres or boxes there"
    )]
    ContactsGain {
        /// What nothing explains \[J\].
        gain: f64,
        /// The step \[s\].
        tau: f64,
    },
    /// The equations of a step without contacts have a solution that is no motion.
    #[error(
        "over {tau:.1e} s the equations of motion are solved by what is none, with {gain:.3e} J that no force explains; a smaller time_step helps"
    )]
    NoMotion {
        /// What nothing explains \[J\].
        gain: f64,
        /// The step \[s\].
        tau: f64,
    },
}

impl StepError {
    /// Names the first coordinate at which one of some quantities (n each) is not finite; where all are, and only
    /// their size is not, the one at which the last of them is largest.
    pub(super) fn not_finite(step: f64, model: &Model, quantities: &[&[f64]]) -> Self {
        let wild = |x: &[f64]| x.iter().position(|x| !x.is_finite());
        let largest = || {
            let last = quantities.last()?.iter().enumerate();
            last.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
                .map(|(i, _)| i)
        };
        let at = quantities.iter().find_map(|x| wild(x)).or_else(largest);
        let name = at.and_then(|i| model.coordinate_names().get(i));
        Self::NotFinite {
            step,
            coordinate: name.cloned().unwrap_or_default(),
        }
    }
}

/// What a step took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Newton iterations, quasi-Newton ones included.
    pub iterations: usize,
    /// How many of them used the exact Jacobian.
    pub exact_iterations: usize,
    /// Relative residual at the end.
    pub residual: f64,
    /// Largest residual of the conditions of contact and friction at the start or the end \[m/s\].
    pub contact_violation: f64,
}

impl StepReport {
    /// Takes in a stage of a composed step, or a half of one.
    pub(crate) fn add_stage(&mut self, stage: &Self) {
        self.iterations = self.iterations.max(stage.iterations);
        self.exact_iterations += stage.exact_iterations;
        self.residual = self.residual.max(stage.residual);
        self.contact_violation = self.contact_violation.max(stage.contact_violation);
    }
}
