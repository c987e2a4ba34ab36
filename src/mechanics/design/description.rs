//! What things are called in messages.

use super::problem::name_values;
use super::{DesignProblem, KeptQuantity, Quantity};

impl DesignProblem {
    /// What a quantity is called in messages.
    #[must_use]
    pub fn describe(&self, quantity: &Quantity) -> String {
        let of = |stance: usize| match self.stances.len() {
            1 => String::new(),
            _ => format!(" of stance \"{}\"", self.stances[stance].name),
        };
        match quantity {
            Quantity::Gap {
                stance, contact, ..
            } => format!(
                "the gap of contact \"{}\"{}",
                self.contact_names[*contact],
                of(*stance)
            ),
            Quantity::Cosine { stance, pair, .. } => {
                let names = &self.stances[*stance].touching;
                format!(
                    "the cosine of contacts \"{}\" and \"{}\"{}",
                    names[pair.0],
                    names[pair.1],
                    of(*stance)
                )
            }
            Quantity::Indeterminacy {
                stance,
                motion,
                pair,
                ..
            } => {
                let names = &self.stances[*stance].touching;
                format!(
                    "the indeterminacy of contacts \"{}\" and \"{}\"{} for motion {motion}",
                    names[pair.0],
                    names[pair.1],
                    of(*stance)
                )
            }
            Quantity::Kept { what, .. } => match what {
                KeptQuantity::Mass => "the relative change of the mass".to_string(),
                KeptQuantity::Length(parameters) => {
                    let names = parameters.iter().filter_map(|k| self.variables.get(*k));
                    let names: Vec<&str> = names.map(|v| v.name.as_str()).collect();
                    format!("the relative change of the length {}", names.join(" + "))
                }
            },
        }
    }

    /// Values of all variables as `name = value`, for messages.
    #[must_use]
    pub fn describe_point(&self, x: &[f64]) -> String {
        name_values(&self.variables, x)
    }
}
