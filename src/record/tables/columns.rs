//! Columns of the series for a page: thinned on a common grid of times, with their units.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::files::{pack_f32, pack_f64};
use crate::model::{JointKind, Model};
use crate::record::RunSeries;
use crate::scenario::joints;

/// More points than this a column are thinned: a screen has fewer pixels.
const MOST_POINTS: usize = 2400;

/// The series of a run, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunColumns {
    /// Times of the points \[s\], packed.
    pub times: String,
    /// Rows that one pair of points stands for; 1 when the points are the rows.
    pub rows_per_pair: usize,
    /// The columns but the time.
    pub columns: Vec<RunColumn>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunColumn {
    /// Name in `series.csv`.
    pub name: String,
    /// Its unit; empty for pure numbers.
    pub unit: &'static str,
    /// Its first value, which is taken off all: single precision then keeps small changes of large
    /// numbers.
    pub offset: f64,
    /// The values less the offset, packed.
    pub values: String,
}

impl RunColumns {
    /// Thins a series. Of many rows, every group leaves its lowest and its highest value, in the order
    /// in which they came, so that no peak is lost.
    #[must_use]
    pub fn new(series: &RunSeries, model: Option<&Model>) -> Self {
        Self::without(series, model, &BTreeSet::new())
    }

    /// The same without the columns of these names.
    #[must_use]
    pub fn without(series: &RunSeries, model: Option<&Model>, left_out: &BTreeSet<String>) -> Self {
        let rows = series.times().len();
        let group = if rows <= MOST_POINTS {
            1
        } else {
            rows.div_ceil(MOST_POINTS / 2)
        };
        let times = if group == 1 {
            pack_f64(series.times().iter().copied())
        } else {
            pack_f64(series.times().chunks(group).flat_map(pair_of_times))
        };
        let named = series.names().iter().zip(series.columns()).skip(1);
        let shown = named.filter(|(name, _)| !left_out.contains(*name));
        let columns = shown.map(|(name, values)| {
            let offset = values.first().copied().filter(|x| x.is_finite());
            let offset = offset.unwrap_or_default();
            let packed = if group == 1 {
                pack_f32(values.iter().map(|x| x - offset))
            } else {
                let pairs = values.chunks(group).flat_map(extremes);
                pack_f32(pairs.map(|x| x - offset))
            };
            RunColumn {
                name: name.clone(),
                unit: unit(name, model),
                offset,
                values: packed,
            }
        });
        Self {
            times,
            rows_per_pair: group,
            columns: columns.collect(),
        }
    }
}

/// The times at which the two points of a group are drawn.
fn pair_of_times(times: &[f64]) -> [f64; 2] {
    [times[0], times[times.len() - 1]]
}

/// Lowest and highest value, the earlier one first.
fn extremes(values: &[f64]) -> [f64; 2] {
    let (mut low, mut high) = (0, 0);
    for (i, x) in values.iter().enumerate() {
        if *x < values[low] {
            low = i;
        }
        if *x > values[high] {
            high = i;
        }
    }
    [values[low.min(high)], values[low.max(high)]]
}

/// Unit of a column. Without the model it is not known whether a joint turns or slides.
fn unit(name: &str, model: Option<&Model>) -> &'static str {
    for (end, unit) in [("_J", "J"), ("_m", "m"), ("_N", "N"), ("_s", "s")] {
        let of_joint = ["q_", "v_", "effort_"]
            .iter()
            .any(|start| name.starts_with(start));
        if name.ends_with(end) && !of_joint {
            return unit;
        }
    }
    if let Some(joint) = name.strip_prefix("effort_") {
        let mut bodies = model.into_iter().flat_map(joints);
        return match bodies
            .find(|body| body.joint == joint)
            .map(|body| body.kind)
        {
            Some(JointKind::Prismatic) => "N",
            Some(_) => "N m",
            None => "N m or N",
        };
    }
    let (coordinate, rate) = match (name.strip_prefix("q_"), name.strip_prefix("v_")) {
        (Some(coordinate), _) => (coordinate, false),
        (None, Some(coordinate)) => (coordinate, true),
        (None, None) => return "",
    };
    let joint = model.and_then(|model| joints(model).find(|body| body.joint == coordinate));
    // Of the base, and of objects, which have no joints.
    let part = coordinate.rsplit_once('.');
    let part = part.filter(|(of, _)| of.rsplit('.').next() == Some("base") || model.is_some());
    let part = part.map(|(_, part)| part);
    let slides = match (joint, part) {
        (Some(body), _) => body.kind == JointKind::Prismatic,
        (None, Some("x" | "y" | "z" | "vx" | "vy" | "vz")) => true,
        (None, Some("pitch" | "wx" | "wy" | "wz" | "wpitch")) => false,
        (None, Some("qx" | "qy" | "qz" | "qw")) => return "",
        (None, _) => return if rate { "rad/s or m/s" } else { "rad or m" },
    };
    match (slides, rate) {
        (true, false) => "m",
        (true, true) => "m/s",
        (false, false) => "rad",
        (false, true) => "rad/s",
    }
}

#[cfg(test)]
mod tests {
    use super::{extremes, unit};

    #[test]
    fn groups_leave_their_extremes_in_order() {
        assert_eq!(extremes(&[1.0, 7.0, -3.0, 2.0]), [7.0, -3.0]);
        assert_eq!(extremes(&[2.0, -3.0, 0.0, 7.0]), [-3.0, 7.0]);
        assert_eq!(extremes(&[4.0]), [4.0, 4.0]);
    }

    #[test]
    fn units_follow_from_names() {
        for (name, expected) in [
            ("kinetic_J", "J"),
            ("gap_foot_m", "m"),
            ("force_foot_t1_N", "N"),
            ("q_base.z", "m"),
            ("effort_arm_m", "N m or N"),
            ("v_base.wy", "rad/s"),
            ("q_base.qw", ""),
            // A joint whose name ends like a unit.
            ("q_arm_m", "rad or m"),
        ] {
            assert_eq!(unit(name, None), expected, "{name}");
        }
    }
}
