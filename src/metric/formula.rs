//! Expressions of numbers instead of series, whose names were found: they are asked at every event and at every node of a
//! grid.

use super::expression::{Expression, MetricError};
use super::parser::{ELEMENTWISE, Node};
use crate::files::did_you_mean;

/// An expression of numbers by their places, as a condition on a configuration or a height over x and y.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Formula {
    root: Part,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Number(f64),
    Variable(usize),
    Negative(Box<Part>),
    Operation(char, Box<Part>, Box<Part>),
    /// The place of a function among those that act entry by entry.
    Function(usize, Box<Part>),
    Least(Vec<Part>),
    Most(Vec<Part>),
}

impl Formula {
    /// The formula that an expression is in the variables of these names.
    ///
    /// # Errors
    /// Wrong grammar, a name that is none of these, a function of a whole series.
    pub fn new(text: &str, variables: &[impl AsRef<str>]) -> Result<Self, MetricError> {
        let expression = Expression::parse_of(text, false)?;
        let variables: Vec<&str> = variables.iter().map(AsRef::as_ref).collect();
        let root = found(expression.root(), &variables).map_err(|reason| MetricError {
            expression: text.to_string(),
            reason,
        })?;
        Ok(Self { root })
    }

    /// Its value for these values of the variables.
    #[must_use]
    pub fn value(&self, values: &[f64]) -> f64 {
        self.root.value(values)
    }

    /// Whether it holds for these values of the variables: it is a number and not zero.
    #[must_use]
    pub fn holds(&self, values: &[f64]) -> bool {
        let value = self.value(values);
        value != 0.0 && !value.is_nan()
    }
}

fn found(node: &Node, variables: &[&str]) -> Result<Part, String> {
    let part = |node: &Node| found(node, variables);
    let boxed = |node: &Node| part(node).map(Box::new);
    Ok(match node {
        Node::Number(x) => Part::Number(*x),
        Node::Name(name) => {
            let at = variables.iter().position(|known| *known == name.as_str());
            Part::Variable(at.ok_or_else(|| {
                let near = did_you_mean(name, variables.iter().copied());
                format!("there is no coordinate \"{name}\"{near}")
            })?)
        }
        Node::Negative(inner) => Part::Negative(boxed(inner)?),
        Node::Operation(sign, a, b) => Part::Operation(*sign, boxed(a)?, boxed(b)?),
        Node::Call(function, arguments) => {
            let place = ELEMENTWISE.iter().position(|(name, _)| name == function);
            match (place, arguments.as_slice()) {
                (Some(place), [argument]) => Part::Function(place, boxed(argument)?),
                (None, [_, _, ..]) => {
                    let parts = arguments.iter().map(part).collect::<Result<_, _>>()?;
                    match function.as_str() {
                        "min" => Part::Least(parts),
                        _ => Part::Most(parts),
                    }
                }
                _ => return Err(format!("{function} reduces a series, here is a moment")),
            }
        }
    })
}

impl Part {
    fn value(&self, values: &[f64]) -> f64 {
        match self {
            Self::Number(x) => *x,
            Self::Variable(i) => values.get(*i).copied().unwrap_or(f64::NAN),
            Self::Negative(inner) => -inner.value(values),
            Self::Operation(sign, a, b) => operation(*sign, a.value(values), b.value(values)),
            Self::Function(place, inner) => ELEMENTWISE[*place].1(inner.value(values)),
            Self::Least(parts) => chosen(parts, values, f64::min),
            Self::Most(parts) => chosen(parts, values, f64::max),
        }
    }
}

fn chosen(parts: &[Part], values: &[f64], choose: fn(f64, f64) -> f64) -> f64 {
    let all = parts.iter().map(|part| part.value(values));
    all.fold(f64::NAN, choose)
}

/// What an operator makes of two numbers; comparisons are 1 where they hold and 0 where they do not.
pub(super) fn operation(sign: char, a: f64, b: f64) -> f64 {
    match sign {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        '/' => a / b,
        '^' => a.powf(b),
        '<' => f64::from(a < b),
        '>' => f64::from(a > b),
        '≤' => f64::from(a <= b),
        '≥' => f64::from(a >= b),
        '&' => f64::from(a != 0.0 && b != 0.0),
        _ => f64::from(a != 0.0 || b != 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, values: &[f64]) -> Result<bool, String> {
        let condition = Formula::new(text, &["q_hip", "q_knee"]).map_err(|e| e.reason)?;
        Ok(condition.holds(values))
    }

    #[test]
    fn comparisons_bind_looser_than_sums_and_tighter_than_and() {
        assert_eq!(holds("q_hip + 1 < 2 * q_knee", &[0.5, 1.0]), Ok(true));
        assert_eq!(holds("q_hip >= 0.5 and q_knee <= 1", &[0.5, 1.0]), Ok(true));
        assert_eq!(holds("q_hip > 0.5 or q_knee < 1", &[0.5, 1.0]), Ok(false));
        assert_eq!(
            holds("q_hip > 1 and q_knee > 1 or q_hip < 1", &[0.5, 1.0]),
            Ok(true)
        );
        assert_eq!(holds("max(abs(q_hip), q_knee) > 2", &[-3.0, 1.0]), Ok(true));
        assert_eq!(holds("q_hip < 1", &[f64::NAN, 1.0]), Ok(false));
        assert_eq!(holds("sqrt(q_hip)", &[-1.0, 1.0]), Ok(false));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for (text, part) in [
            ("q_hop < 1", "did you mean \"q_hip\""),
            ("mean(q_hip) < 1", "reduces a series"),
            ("max(q_hip) < 1", "reduces a series"),
            ("q_hip <", "ends at place"),
            ("q_hip < 1 < 2", "an operator should be"),
        ] {
            let reason = holds(text, &[]).unwrap_err();
            assert!(reason.contains(part), "{text}: {reason}");
        }
    }
}
