use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a surface is made of, as far as contact is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Coulomb coefficient of friction μ ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution in \[0, 1\].
    pub restitution: f64,
}

impl Material {
    /// From friction (≥ 0) and restitution (in \[0, 1\]); checked when contacts are made of it.
    #[must_use]
    pub fn new(friction: f64, restitution: f64) -> Self {
        Self {
            friction,
            restitution,
        }
    }
}

/// How the coefficients of two surfaces become those of their contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Combination {
    /// The smaller of the two.
    Minimum,
    /// The larger of the two.
    Maximum,
    /// (a + b)/2.
    #[default]
    Average,
    /// √(a b).
    GeometricMean,
    /// a b.
    Product,
}

impl Combination {
    /// Combines one coefficient of both surfaces. Every rule keeps \[0, 1\] and [0, ∞) closed.
    #[must_use]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::Average => 0.5 * a + 0.5 * b,
            Self::GeometricMean => a.sqrt() * b.sqrt(),
            Self::Product => a * b,
        }
    }

    /// Friction and restitution of the contact of two surfaces.
    #[must_use]
    pub fn material(self, a: &Material, b: &Material) -> Material {
        Material {
            friction: self.apply(a.friction, b.friction),
            restitution: self.apply(a.restitution, b.restitution),
        }
    }
}
