//! The lowest minimum of the distance between the ends of an arc.
//!
//! Where the lowest point of an arc is one of its ends, a place of its own stands for that, and the nearest point of the arc is
//! the lowest one between its ends: an arc that stands on an end hooks over an edge with its middle. All minima are looked for here,
//! however high: by d″ ≥ −R the slope has one sign between two points where it is beyond R times the angle between them, and there is
//! none there.

use super::{CELL, GRID, Minimum, Sample, Search};

impl Search<'_> {
    /// `None` where the arc falls to one of its ends everywhere.
    pub(super) fn lowest_inside(&self, window: [f64; 2]) -> Option<Minimum> {
        let coarse: [Sample; GRID / CELL + 1] =
            std::array::from_fn(|k| self.grid_point(window, k * CELL));
        let mut best = None;
        for (k, ends) in coarse.windows(2).enumerate() {
            let places = [k * CELL, (k + 1) * CELL];
            self.look_inside(window, places, [&ends[0], &ends[1]], &mut best);
        }
        best
    }

    fn look_inside(
        &self,
        window: [f64; 2],
        [i, j]: [usize; 2],
        [left, right]: [&Sample; 2],
        best: &mut Option<Minimum>,
    ) {
        let most = self.circle.radius * (right.angle - left.angle);
        if left.slope >= most || right.slope <= -most {
            return;
        }
        if j - i > 1 {
            let k = i.midpoint(j);
            let middle = self.grid_point(window, k);
            self.look_inside(window, [i, k], [left, &middle], best);
            self.look_inside(window, [k, j], [&middle, right], best);
        } else if left.slope < 0.0 && right.slope >= 0.0 {
            let minimum = self.narrow(*left, *right);
            if best.is_none_or(|b| minimum.distance < b.distance) {
                *best = Some(minimum);
            }
        }
    }
}
