//! What a held contact goes on with within a step, and how a disc lies that it holds.

use super::BoxFace;

/// Sine of the tilt below which rounding turns the lowest point of a circle by more than 1e-10.
pub(super) const ROUND: f64 = 1e-6;

/// What of a contact goes on within a step although its nearest point would jump.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HeldPlace {
    /// The face that it is held over, continued beyond its edges.
    pub face: Option<BoxFace>,
    /// The lowest point of a full circle at the start of the step: where the circle falls flat the lowest
    /// point jumps to the other side, which is a strike there and no motion of the point that is held.
    pub side: Option<Side>,
}

/// The point of the rim that a disc is held by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// On the circle, at the start of the step \[rad\].
    pub angle: f64,
    /// Whether it stays there, the disc being so flat that its lowest point is a matter of rounding.
    pub is_fixed: bool,
}

/// How the lowest point of a disc has turned, its tilt having gone straight from one to another.
pub(crate) struct Turn {
    /// \[rad\]
    pub angle: f64,
    /// What the tilt was where it came nearest to zero.
    pub tilt: Tilt,
}

/// How a disc lies over a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tilt {
    /// How far the highest point of the rim is above the lowest \[m\].
    pub height: f64,
    /// Whether the direction of the tilt is rounding for all that a step asks of it.
    pub is_flat: bool,
}

impl Tilt {
    pub(super) fn new(radius: f64, sine: f64) -> Self {
        Self {
            height: 2.0 * radius * sine,
            is_flat: sine < ROUND,
        }
    }
}
