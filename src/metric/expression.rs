//! Expressions over the columns of a run, such as `max(abs(effort_hip))` or
//! `(last(q_base.x) - first(q_base.x)) / summary.time_s`.
//!
//! A column is a series of numbers, a field of the summary is one number. Arithmetic and `abs`, `sqrt`, `sin`, `cos`,
//! `min(a, b, …)`, `max(a, b, …)` act on both, entry by entry; `first`, `last`, `min`, `max`, `mean`, `rms` and `integral`
//! (over time, by trapezoids) reduce a series to a number, and a metric must be a number. Names that hold other signs
//! than letters, digits, `_` and `.` stand in double quotes, in which a quotation mark of the name is written twice.

use thiserror::Error;

use super::formula::operation;
use super::parser::{ELEMENTWISE, Node, REDUCTIONS, parse};
use crate::files::did_you_mean;

/// Why an expression is not a metric.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("\"{expression}\": {reason}")]
pub struct MetricError {
    /// The expression.
    pub expression: String,
    /// What is wrong and what would be right.
    pub reason: String,
}

/// What names stand for.
pub trait Names {
    /// The series or number of a name.
    fn value(&self, name: &str) -> Option<Quantity>;
    /// All names, for suggestions.
    fn names(&self) -> Vec<String>;
    /// Times of the entries of a series \[s\].
    fn times(&self) -> &[f64];
}

/// A number, or one number per row of the series.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// One number.
    Number(f64),
    /// One per row.
    Series(Vec<f64>),
}

impl Quantity {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Number(x) => Self::Number(f(x)),
            Self::Series(x) => Self::Series(x.into_iter().map(f).collect()),
        }
    }

    fn combine(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(f(a, b)),
            (Self::Number(a), b) => b.map(|b| f(a, b)),
            (a, Self::Number(b)) => a.map(|a| f(a, b)),
            (Self::Series(a), Self::Series(b)) => {
                Self::Series(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect())
            }
        }
    }
}

/// An expression whose form is right; names are looked up when it is evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// A sign where there should be another one: the message names its place.
    pub fn parse(text: &str) -> Result<Self, MetricError> {
        Self::parse_of(text, true)
    }

    /// The same for names that are series, or numbers.
    pub(super) fn parse_of(text: &str, of_series: bool) -> Result<Self, MetricError> {
        let wrong = |reason: String| MetricError {
            expression: text.to_string(),
            reason,
        };
        Ok(Self {
            text: text.to_string(),
            root: parse(text, of_series).map_err(wrong)?,
        })
    }

    /// The expression as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// Whether a name stands in it.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        fn stands(node: &Node, name: &str) -> bool {
            match node {
                Node::Number(_) => false,
                Node::Name(own) => own == name,
                Node::Negative(of) => stands(of, name),
                Node::Operation(_, a, b) => stands(a, name) || stands(b, name),
                Node::Call(_, arguments) => arguments.iter().any(|of| stands(of, name)),
            }
        }
        stands(&self.root, name)
    }

    /// The number that it is for a run.
    ///
    /// # Errors
    /// An unknown name (the message suggests the nearest), or an expression that is a series.
    pub fn evaluate(&self, names: &dyn Names) -> Result<f64, MetricError> {
        let wrong = |reason: String| MetricError {
            expression: self.text.clone(),
            reason,
        };
        match evaluate(&self.root, names).map_err(wrong)? {
            Quantity::Number(x) => Ok(x),
            Quantity::Series(_) => Err(wrong(format!(
                "it is a series, a metric is a number; reduce it by one of {}",
                REDUCTIONS.join(", ")
            ))),
        }
    }
}

fn evaluate(node: &Node, names: &dyn Names) -> Result<Quantity, String> {
    Ok(match node {
        Node::Number(x) => Quantity::Number(*x),
        Node::Name(name) => names.value(name).ok_or_else(|| {
            let known = names.names();
            let near = did_you_mean(name, known.iter().map(String::as_str));
            format!("there is no column or summary field \"{name}\"{near}")
        })?,
        Node::Negative(inner) => evaluate(inner, names)?.map(|x| -x),
        Node::Operation(sign, a, b) => {
            let (a, b) = (evaluate(a, names)?, evaluate(b, names)?);
            a.combine(b, |a, b| operation(*sign, a, b))
        }
        Node::Call(function, arguments) => {
            if let [argument] = arguments.as_slice() {
                let x = evaluate(argument, names)?;
                return Ok(
                    match ELEMENTWISE.iter().find(|(name, _)| name == function) {
                        Some((_, f)) => x.map(f),
                        None => Quantity::Number(reduce(function, &x, names.times())?),
                    },
                );
            }
            let chosen = if function == "min" {
                f64::min
            } else {
                f64::max
            };
            let mut chain = Quantity::Number(f64::NAN);
            for argument in arguments {
                chain = chain.combine(evaluate(argument, names)?, chosen);
            }
            chain
        }
    })
}

fn reduce(function: &str, x: &Quantity, times: &[f64]) -> Result<f64, String> {
    let Quantity::Series(x) = x else {
        return Err(format!("{function} reduces a series, here is a number"));
    };
    let n = x.len() as f64;
    Ok(match function {
        "first" => x.first().copied().unwrap_or(f64::NAN),
        "last" => x.last().copied().unwrap_or(f64::NAN),
        "min" => x.iter().copied().fold(f64::NAN, f64::min),
        "max" => x.iter().copied().fold(f64::NAN, f64::max),
        "mean" => x.iter().sum::<f64>() / n,
        "rms" => (x.iter().map(|x| x * x).sum::<f64>() / n).sqrt(),
        _ => {
            let pairs = times.windows(2).zip(x.windows(2));
            pairs
                .map(|(t, x)| 0.5 * (t[1] - t[0]) * (x[0] + x[1]))
                .sum()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Run {
        times: [f64; 3],
    }

    impl Names for Run {
        fn value(&self, name: &str) -> Option<Quantity> {
            match name {
                "q_base.x" => Some(Quantity::Series(vec![1.0, -4.0, 3.0])),
                "effort_left-hip" => Some(Quantity::Series(vec![3.0, 4.0, 0.0])),
                "summary.time_s" => Some(Quantity::Number(2.0)),
                _ => None,
            }
        }

        fn names(&self) -> Vec<String> {
            ["q_base.x", "effort_left-hip", "summary.time_s"]
                .map(str::to_string)
                .to_vec()
        }

        fn times(&self) -> &[f64] {
            &self.times
        }
    }

    fn value(text: &str) -> Result<f64, String> {
        let run = Run {
            times: [0.0, 1.0, 3.0],
        };
        Expression::parse(text)
            .and_then(|e| e.evaluate(&run))
            .map_err(|e| e.reason)
    }

    #[test]
    fn arithmetic_binds_as_usual() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2"), Ok(5.0));
        assert_eq!(value("-2^2 + 2^-1 * (1e+1 - 2)"), Ok(0.0));
        assert_eq!(value("2^3^2"), Ok(512.0));
        assert_eq!(value("--1.5e-1 * 2"), Ok(0.3));
    }

    #[test]
    fn series_are_reduced() {
        assert_eq!(value("last(q_base.x) - first(q_base.x)"), Ok(2.0));
        assert_eq!(value("max(abs(q_base.x))"), Ok(4.0));
        assert_eq!(value("min(q_base.x) + mean(q_base.x)"), Ok(-4.0));
        assert_eq!(
            value("rms(\"effort_left-hip\")"),
            Ok((25.0_f64 / 3.0).sqrt())
        );
        // Trapezoids: 1 (1 − 4)/2 + 2 (−4 + 3)/2.
        assert_eq!(value("integral(q_base.x) / summary.time_s"), Ok(-1.25));
        assert_eq!(
            value("max(max(q_base.x, 2 * q_base.x, 1)) ^ 0.5"),
            Ok(6f64.sqrt())
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, part) in [
            ("", "ends at place 1"),
            ("1 +", "ends at place 4"),
            ("1 2", "\"2\" at place 3"),
            ("mean(q_base.x", "\")\" should be"),
            ("q_base.x", "it is a series"),
            ("last(q_base.y)", "did you mean \"q_base.x\""),
            ("meen(q_base.x)", "did you mean \"mean\""),
            ("mean(summary.time_s)", "reduces a series"),
            ("mean(q_base.x, 1)", "it takes 1"),
            ("1 $ 2", "unexpected \"$\" at place 3"),
            ("\"q", "not closed"),
            ("1.2.3", "not a number"),
        ] {
            let reason = value(text).unwrap_err();
            assert!(reason.contains(part), "{text}: {reason}");
        }
        for deep in [
            format!("{}1{}", "(".repeat(900), ")".repeat(900)),
            format!("1{}", "^1".repeat(900)),
        ] {
            assert!(value(&deep).unwrap_err().contains("nested"));
        }
        let long = format!("1{}", "+1".repeat(100_000));
        assert!(value(&long).unwrap_err().contains("at most 2000"));
    }
}
