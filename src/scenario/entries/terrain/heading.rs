//! Where patterns of terrain go to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the patterns of terrain go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Heading {
    /// Along x.
    #[default]
    #[serde(rename = "x")]
    X,
    /// Against x.
    #[serde(rename = "-x")]
    MinusX,
    /// Along y.
    #[serde(rename = "y")]
    Y,
    /// Against y.
    #[serde(rename = "-y")]
    MinusY,
}

impl Heading {
    /// The axis (0 or 1) and the sign.
    pub(super) fn axis(self) -> (usize, f64) {
        match self {
            Self::X => (0, 1.0),
            Self::MinusX => (0, -1.0),
            Self::Y => (1, 1.0),
            Self::MinusY => (1, -1.0),
        }
    }
}
