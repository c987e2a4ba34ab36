use thiserror::Error;

/// Why a design problem has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DesignError {
    /// The robot does not exist for some values of the parameters.
    #[error("the robot cannot be built with {parameters}: {reason}")]
    Build {
        /// The parameters as `name = value`.
        parameters: String,
        /// What is wrong with the robot.
        reason: String,
    },
    /// The problem's [`StopFlag`](crate::stop::StopFlag) was raised.
    #[error("stopped from outside")]
    Stopped,
    /// A free variable is badly stated.
    #[error("variable \"{variable}\": {reason}")]
    Variable {
        /// Name of the variable.
        variable: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A stance is badly stated.
    #[error("stance \"{stance}\": {reason}")]
    Stance {
        /// Name of the stance.
        stance: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A wish to keep something is badly stated.
    #[error("{what}: {reason}")]
    Kept {
        /// What is kept.
        what: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// Contacts that are to touch do not reach what they are to touch, each or together.
    #[error(
        "{contacts} cannot touch{}: the nearest found leaves {quantity} at {value:e} m{}",
        if *.together { " together" } else { "" },
        with_bounds(.at_bounds)
    )]
    CannotTouch {
        /// Names of the contacts.
        contacts: String,
        /// Whether there are several.
        together: bool,
        /// The gap that misses most.
        quantity: String,
        /// It \[m\].
        value: f64,
        /// Variables that stand at a bound there.
        at_bounds: Vec<String>,
    },
    /// A quantity does not depend on what is free.
    #[error(
        "no free variable changes {quantity}, which is {value:e} and must be {target}; free one that does (free now: {free})"
    )]
    NoInfluence {
        /// The gap or cosine.
        quantity: String,
        /// Its value.
        value: f64,
        /// Its wanted value.
        target: f64,
        /// Names of the free variables.
        free: String,
    },
    /// A quantity does not reach its target.
    #[error("{quantity} cannot be brought to {target}: the nearest found is {value:e}{}", with_bounds(.at_bounds))]
    Unreachable {
        /// The gap or cosine that misses most.
        quantity: String,
        /// The best value found.
        value: f64,
        /// Its wanted value.
        target: f64,
        /// Variables that stand at a bound there.
        at_bounds: Vec<String>,
    },
    /// The iteration ran out of steps.
    #[error(
        "no solution after {iterations} steps: the largest residual is {residual:e}; raise solver.max_iterations or start nearer"
    )]
    NotConverged {
        /// Steps done.
        iterations: usize,
        /// Largest residual left.
        residual: f64,
    },
    /// A number overflowed.
    #[error("{quantity} is not finite at {point}")]
    NotFinite {
        /// What.
        quantity: String,
        /// Where.
        point: String,
    },
}

fn with_bounds(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!(" (at a bound: {})", names.join(", "))
}
