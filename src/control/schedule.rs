//! Values over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value over time: one number, or points (time \[s\], value) joined by straight lines and constant
/// outside of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Schedule {
    /// The same at all times.
    Constant(f64),
    /// Piecewise linear; two points at one time are a jump.
    Points(Vec<[f64; 2]>),
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

    /// What is wrong with the schedule, if anything.
    #[must_use]
    pub fn defect(&self) -> Option<String> {
        let points = match self {
            Self::Constant(x) if x.is_finite() => return None,
            Self::Constant(x) => return Some(format!("{x} is not a finite number")),
            Self::Points(points) => points,
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
    use super::Schedule;

    #[test]
    fn lines_between_points_and_jumps_at_double_points() {
        let s = Schedule::Points(vec![[1.0, 0.0], [2.0, 4.0], [2.0, 6.0], [3.0, 6.0]]);
        assert_eq!(s.at(0.0), (0.0, 0.0));
        assert_eq!(s.at(1.5), (2.0, 4.0));
        assert_eq!(s.at(2.0), (6.0, 0.0));
        assert_eq!(s.at(9.0), (6.0, 0.0));
        assert_eq!(s.defect(), None);
        assert!(
            Schedule::Points(vec![[1.0, 0.0], [0.5, 0.0]])
                .defect()
                .is_some()
        );
        assert!(Schedule::Constant(f64::NAN).defect().is_some());
    }
}
