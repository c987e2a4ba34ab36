//! Values over time.

use std::f64::consts::TAU;
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A value over time: one number, points (time \[s\], value) joined by straight lines and constant
/// outside of them, or a sine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Schedule {
    /// The same at all times.
    Constant(f64),
    /// Piecewise linear; two points at one time are a jump.
    Points(Vec<[f64; 2]>),
    /// `{ sine = { amplitude = 0.2, frequency_Hz = 1.5 } }`.
    Sine {
        /// The sine.
        sine: Sine,
    },
}

/// mean + amplitude · sin(2π frequency · t + phase).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case)] // units are written as such
pub struct Sine {
    /// Value in the middle.
    #[serde(default)]
    pub mean: f64,
    /// Largest distance from it.
    #[schemars(example = 0.2)]
    pub amplitude: f64,
    /// \[Hz\].
    #[schemars(example = 1.5)]
    pub frequency_Hz: f64,
    /// At time zero \[rad\].
    #[serde(default)]
    pub phase: f64,
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not an untagged enum: that would hide which key of a sine is wrong.
        deserializer.deserialize_any(ScheduleVisitor)
    }
}

struct ScheduleVisitor;

impl<'de> Visitor<'de> for ScheduleVisitor {
    type Value = Schedule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, points [[time, value], ..] or { sine = { amplitude = .., frequency_Hz = .. } }")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Schedule, E> {
        Ok(Schedule::Constant(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Schedule, E> {
        Ok(Schedule::Constant(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Schedule, E> {
        Ok(Schedule::Constant(value as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Schedule, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Schedule::Points)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Schedule, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            sine: Sine,
        }
        let Table { sine } = Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Schedule::Sine { sine })
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl Schedule {
    /// Value and rate of change at a time \[s\].
    #[must_use]
    pub fn at(&self, time: f64) -> (f64, f64) {
        let points = match self {
            Self::Constant(value) => return (*value, 0.0),
            Self::Points(points) => points.as_slice(),
            Self::Sine { sine } => {
                let rate = TAU * sine.frequency_Hz;
                let (s, c) = (rate * time + sine.phase).sin_cos();
                return (sine.mean + sine.amplitude * s, rate * sine.amplitude * c);
            }
        };
        let after = points.partition_point(|p| p[0] <= time);
        match (
            after.checked_sub(1).and_then(|i| points.get(i)),
            points.get(after),
        ) {
            (Some(a), Some(b)) => {
                let rate = (b[1] - a[1]) / (b[0] - a[0]);
                (a[1] + rate * (time - a[0]), rate)
            }
            (Some(edge), None) | (None, Some(edge)) => (edge[1], 0.0),
            (None, None) => (0.0, 0.0),
        }
    }

    /// The first time after `time` \[s\] at which the value or its rate jumps, infinite where neither does.
    pub(super) fn next_jump(&self, time: f64) -> f64 {
        let Self::Points(points) = self else {
            return f64::INFINITY;
        };
        let after = points.partition_point(|p| p[0] <= time);
        points.get(after).map_or(f64::INFINITY, |p| p[0])
    }

    /// What is wrong with the schedule, if anything.
    #[must_use]
    pub fn defect(&self) -> Option<String> {
        let points = match self {
            Self::Constant(x) if x.is_finite() => return None,
            Self::Constant(x) => return Some(format!("{x} is not a finite number")),
            Self::Points(points) => points,
            Self::Sine { sine } => {
                let numbers = [
                    ("mean", sine.mean),
                    ("amplitude", sine.amplitude),
                    ("frequency_Hz", sine.frequency_Hz),
                    ("phase", sine.phase),
                ];
                let wrong = numbers.into_iter().find(|(_, x)| !x.is_finite());
                return wrong
                    .map(|(name, x)| format!("{name} of the sine is {x}, it must be finite"));
            }
        };
        if points.is_empty() {
            return Some("it has no points".to_string());
        }
        if let Some(p) = points
            .iter()
            .find(|p| !p[0].is_finite() || !p[1].is_finite())
        {
            return Some(format!("point [{}, {}] is not finite", p[0], p[1]));
        }
        points
            .windows(2)
            .find(|w| w[1][0] < w[0][0])
            .map(|w| format!("time {} comes after {}", w[1][0], w[0][0]))
    }
}

#[cfg(test)]
mod tests {
    use super::{Schedule, Sine};

    #[test]
    fn lines_between_points_and_jumps_at_double_points() {
        let s = Schedule::Points(vec![[1.0, 0.0], [2.0, 4.0], [2.0, 6.0], [3.0, 6.0]]);
        assert_eq!(s.at(0.0), (0.0, 0.0));
        assert_eq!(s.at(1.5), (2.0, 4.0));
        assert_eq!(s.at(2.0), (6.0, 0.0));
        assert_eq!(s.at(9.0), (6.0, 0.0));
        let jumps = [0.0, 1.0, 2.0, 3.0].map(|time| s.next_jump(time));
        assert_eq!(jumps, [1.0, 2.0, 3.0, f64::INFINITY]);
        assert_eq!(s.defect(), None);
        assert!(
            Schedule::Points(vec![[1.0, 0.0], [0.5, 0.0]])
                .defect()
                .is_some()
        );
        assert!(Schedule::Constant(f64::NAN).defect().is_some());
    }

    #[test]
    fn a_sine_has_the_rate_of_its_differences() {
        let sine = Sine {
            mean: 0.5,
            amplitude: 2.0,
            frequency_Hz: 1.5,
            phase: 0.3,
        };
        let s = Schedule::Sine { sine };
        let (h, t) = (1e-5, 0.7);
        let difference = (s.at(t + h).0 - s.at(t - h).0) / (2.0 * h);
        // Truncation h² (2π f)³ a / 6 and rounding 2^-52 a / h.
        assert!((s.at(t).1 - difference).abs() < 1e-7);
        assert!((s.at(0.0).0 - (0.5 + 2.0 * 0.3_f64.sin())).abs() < 1e-15);
        let nan = Sine {
            phase: f64::NAN,
            ..sine
        };
        assert!(Schedule::Sine { sine: nan }.defect().is_some());
    }
}
