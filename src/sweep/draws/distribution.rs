//! From a number between 0 and 1 to the value of a key.

use toml::Value;

use super::normal;
use crate::sweep::file::VaryEntry;

/// What the values of one key are drawn from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Distribution {
    /// Between two numbers.
    Uniform([f64; 2]),
    /// The same for the logarithm.
    LogUniform([f64; 2]),
    /// By mean and deviation.
    Normal([f64; 2]),
    /// Whole numbers, both ends included.
    Integers([i64; 2]),
    /// One of these.
    Values(Vec<Value>),
}

impl Distribution {
    /// What an entry says.
    ///
    /// # Errors
    /// None or several distributions, numbers out of range.
    pub fn new(entry: &VaryEntry) -> Result<Self, String> {
        let all = [
            entry.uniform.map(Self::Uniform),
            entry.log_uniform.map(Self::LogUniform),
            entry.normal.map(Self::Normal),
            entry.integers.map(Self::Integers),
            entry.values.clone().map(Self::Values),
        ];
        let mut given = all.into_iter().flatten();
        let (Some(one), None) = (given.next(), given.next()) else {
            return Err(
                "give exactly one of uniform = [from, to], log_uniform = [from, to], normal = [mean, deviation], \
                 integers = [first, last] and values = [..]"
                    .into(),
            );
        };
        one.check()?;
        Ok(one)
    }

    fn check(&self) -> Result<(), String> {
        let finite = |pair: &[f64; 2]| pair.iter().all(|x| x.is_finite());
        match self {
            Self::Uniform(pair) if !(finite(pair) && pair[0] <= pair[1]) => Err(format!(
                "uniform is {pair:?}, it must be two finite numbers of which the first is not the larger"
            )),
            Self::LogUniform(pair) if !(finite(pair) && 0.0 < pair[0] && pair[0] <= pair[1]) => {
                Err(format!(
                    "log_uniform is {pair:?}, it must be two positive numbers of which the first is not the larger"
                ))
            }
            Self::Normal(pair) if !(finite(pair) && pair[1] >= 0.0) => Err(format!(
                "normal is {pair:?}, it must be a mean and a deviation of at least 0"
            )),
            Self::Integers(pair) if pair[0] > pair[1] => Err(format!(
                "integers is {pair:?}, the first must not be the larger"
            )),
            Self::Values(values) if values.is_empty() => {
                Err("values is empty, it must have at least one".into())
            }
            _ => Ok(()),
        }
    }

    /// The value at share `u` of the distribution, 0 < u < 1; of a range also its ends.
    pub fn at(&self, u: f64) -> Value {
        match self {
            Self::Uniform([_, b]) | Self::LogUniform([_, b]) if u >= 1.0 => Value::Float(*b),
            Self::Uniform([a, b]) => Value::Float((a + (b - a) * u).clamp(*a, *b)),
            Self::LogUniform([a, b]) => Value::Float((a * (b / a).powf(u)).clamp(*a, *b)),
            Self::Normal([mean, deviation]) => Value::Float(mean + deviation * normal::quantile(u)),
            Self::Integers([first, last]) => {
                let count = (i128::from(*last) - i128::from(*first) + 1) as f64;
                let place = (u * count).floor() as i128 + i128::from(*first);
                Value::Integer(i64::try_from(place).unwrap_or(*last).min(*last))
            }
            Self::Values(values) => {
                let place = (u * values.len() as f64).floor() as usize;
                values[place.min(values.len() - 1)].clone()
            }
        }
    }

    /// The values of a grid.
    ///
    /// # Errors
    /// A distribution that has no ends, `points` where they say nothing or that are missing.
    pub fn grid(&self, points: Option<u64>) -> Result<Vec<Value>, String> {
        let along = |of: &dyn Fn(f64) -> Value| match points {
            Some(n) if (2..=MOST_POINTS).contains(&n) => {
                Ok((0..n).map(|i| of(i as f64 / (n - 1) as f64)).collect())
            }
            Some(n) => Err(format!(
                "points is {n}, it must be at least 2 and at most {MOST_POINTS}"
            )),
            None => Err("a grid along a range needs points, for example points = 11".to_string()),
        };
        let counted = |values: Vec<Value>| match points {
            None => Ok(values),
            Some(_) => {
                Err("points are of uniform and log_uniform alone; remove the key".to_string())
            }
        };
        match self {
            Self::Uniform(_) | Self::LogUniform(_) => along(&|u| self.at(u)),
            Self::Normal(_) => Err(
                "a normal distribution has no ends to lay a grid between; give values, or a plan that draws".into(),
            ),
            Self::Integers([first, last]) => {
                if i128::from(*last) - i128::from(*first) >= i128::from(MOST_POINTS) {
                    return Err(format!("integers are more than {MOST_POINTS}"));
                }
                counted((*first..=*last).map(Value::Integer).collect())
            }
            Self::Values(values) => counted(values.clone()),
        }
    }

    /// Whether every value is a number.
    pub fn is_number(&self) -> bool {
        match self {
            Self::Values(values) => values.iter().all(|v| v.is_float() || v.is_integer()),
            _ => true,
        }
    }
}

/// Points of a grid along one key.
const MOST_POINTS: u64 = 1_000_000;
