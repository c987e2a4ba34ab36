//! The numbers that a design is judged by, and what the solvers do with each.

/// One number that the robot in its stances has.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// Gap of a contact \[m\].
    Gap {
        /// Index of the stance.
        stance: usize,
        /// Index of the contact.
        contact: usize,
        /// Whether it must be 0 (otherwise at least `least`).
        closed: bool,
        /// Least gap of an open contact \[m\].
        least: f64,
    },
    /// A kinetic cosine.
    Cosine {
        /// Index of the stance.
        stance: usize,
        /// Positions in the stance's list of touching contacts.
        pair: (usize, usize),
        /// Wanted value.
        target: f64,
        /// Weight in a compromise.
        weight: f64,
    },
    /// ξ of two contacts that reflect once each, in either order, with the sign of their cosine; wanted at 0.
    Indeterminacy {
        /// Index of the stance.
        stance: usize,
        /// Which of the stance's motions before the impact.
        motion: usize,
        /// Positions in the stance's list of touching contacts.
        pair: (usize, usize),
        /// Weight in a compromise.
        weight: f64,
    },
    /// Relative change of something that the design keeps; wanted at 0.
    Kept {
        /// What is kept.
        what: KeptQuantity,
        /// Its kept value \[kg or m\].
        value: f64,
        /// Weight against the other wishes; without one it is a constraint.
        weight: Option<f64>,
    },
}

/// What a design may keep.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum KeptQuantity {
    /// The robot's mass \[kg\].
    Mass,
    /// A length: the sum of some parameters \[m\], by their indices.
    Length(Vec<usize>),
}

/// A wish to keep something.
#[derive(Debug, Clone, PartialEq)]
pub struct Keep {
    /// What is kept.
    pub what: KeptQuantity,
    /// Value to keep \[kg or m\]; that of the start when absent.
    pub value: Option<f64>,
    /// Weight of the squared relative change; without one it is a constraint.
    pub weight: Option<f64>,
}

/// What the solvers do with a quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// Must be at this value.
    Constraint(f64),
    /// Must be at least this.
    AtLeast(f64),
    /// Is to be at this value; a compromise weighs it.
    Wanted { target: f64, weight: f64 },
    /// Is weighed, and never a condition.
    Soft(f64),
}

impl Quantity {
    pub(super) fn role(&self) -> Role {
        match self {
            Self::Gap { closed: true, .. } => Role::Constraint(0.0),
            Self::Gap { least, .. } => Role::AtLeast(*least),
            Self::Cosine { target, weight, .. } => Role::Wanted {
                target: *target,
                weight: *weight,
            },
            Self::Indeterminacy { weight, .. } => Role::Wanted {
                target: 0.0,
                weight: *weight,
            },
            Self::Kept { weight: None, .. } => Role::Constraint(0.0),
            Self::Kept {
                weight: Some(weight),
                ..
            } => Role::Soft(*weight),
        }
    }

    /// The value it must or should have; `None` for open gaps and what is softly kept.
    #[must_use]
    pub fn target(&self) -> Option<f64> {
        match self.role() {
            Role::Constraint(target) | Role::Wanted { target, .. } => Some(target),
            Role::AtLeast(_) | Role::Soft(_) => None,
        }
    }

    /// The stance it belongs to; `None` for what concerns the robot alone.
    #[must_use]
    pub fn stance(&self) -> Option<usize> {
        match self {
            Self::Gap { stance, .. }
            | Self::Cosine { stance, .. }
            | Self::Indeterminacy { stance, .. } => Some(*stance),
            Self::Kept { .. } => None,
        }
    }
}
