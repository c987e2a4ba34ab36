//! The point of a circle, or between the ends of an arc, that is nearest to an axis-aligned box.
//!
//! The signed distance d of a point to the box is minimised along the circle p(θ). Outside of the
//! box d(p(θ)) is continuously differentiable, so that its minima are sign changes of the slope;
//! inside it may have kinks where two faces are equally near. Sign changes are found on a grid and
//! narrowed to round-off. With R the radius, (d∘p)″ ≥ −R because d is convex: a minimum can hide
//! between two points of the grid only where the slopes there are nearly zero, and then the lowest
//! point of the grid betrays it and the grid is refined around it. By the same bound most of the grid
//! need not be looked at. What may remain: one that is followed by a maximum in the same part of the
//! grid, of length δ, and lower by less than Rδ²/2 than what is found elsewhere (it rises by no more up
//! to that maximum). Seen deep inside of boxes only.
//!
//! Mostly no grid is needed. With n = ∇d and the unit vector r̂ from the centre, a point of the full circle outside of the box with
//! n·p′ = 0 and n·r̂ < 0 is the nearest of the whole disc, over which d is convex: for any other point y of the disc
//! r̂·(y − p) < 0, so that d(y) ≥ d(p) + n·(y − p) > d(p). Newton's method from the side of the box finds it.

mod inside;

use std::f64::consts::TAU;
use std::sync::LazyLock;

use nalgebra::Vector3;

use super::gap::{Circle, box_distance};

/// Points of the search grid.
const GRID: usize = 64;
/// Of which so many make a cell, a power of two, in which all but the ends may be passed over.
const CELL: usize = 8;
/// Of distances, generously.
const ROUNDING: f64 = 1e-12;
/// How often the grid is refined where a minimum hides.
const REFINEMENTS: usize = 4;
/// How far on either side of a kink the regions are that meet there \[rad\].
const KINK: f64 = 1e-9;
/// Bisections and Newton steps that narrow a bracket: enough for bisection alone.
const NARROWINGS: usize = 64;

/// Newton steps towards the nearest point of a disc.
const APPROACHES: usize = 12;
/// The last of them \[rad\]: what is found is polished in closed form.
const APPROACHED: f64 = 1e-12;
/// Least −n·r̂ of such a point, and least share of the radius that it is away from the box: far above rounding.
const INWARD: f64 = 1e-3;
const OUTSIDE: f64 = 1e-9;

/// A square of a length below which its own square would underflow.
const LEAST_SQUARE: f64 = 1e-150;
/// The angles of a full circle.
const FULL: [f64; 2] = [0.0, TAU];
/// Those of its grid, with their sines and cosines.
static FULL_GRID: LazyLock<[(f64, (f64, f64)); GRID + 1]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let angle = TAU * (i as f64 / GRID as f64);
        (angle, angle.sin_cos())
    })
});

/// Signs of the faces that are nearest: +1 above, −1 below, 0 between.
pub(super) type Region = [i8; 3];

/// d along the circle at one angle.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    angle: f64,
    distance: f64,
    pub slope: f64,
    curvature: f64,
    region: Region,
}

/// A local minimum of d along the circle.
#[derive(Clone, Copy)]
pub(super) struct Minimum {
    pub angle: f64,
    pub distance: f64,
    /// What is nearest there; `None` when the angle itself is fixed (an end of the arc).
    pub region: Option<Region>,
}

/// A circle and the two corners of a box.
pub(super) struct Search<'a> {
    pub circle: Circle<f64>,
    pub min: &'a Vector3<f64>,
    pub max: &'a Vector3<f64>,
}

impl Search<'_> {
    pub fn sample(&self, angle: f64) -> Sample {
        self.sample_at(angle, angle.sin_cos())
    }

    /// The same with the sine and the cosine of the angle at hand.
    fn sample_at(&self, angle: f64, (s, c): (f64, f64)) -> Sample {
        let radial = self.circle.radial(c, s) * self.circle.radius;
        let x = self.circle.center + radial;
        let tangent = self.circle.radial(-s, c) * self.circle.radius;
        let apart = self.apart(&x);
        let squared = apart.norm_squared();
        if squared < LEAST_SQUARE {
            return self.sample_inside(angle, [&x, &radial, &tangent]);
        }
        let distance = squared.sqrt();
        let inverse = 1.0 / distance;
        let slope = apart.dot(&tangent) * inverse;
        let mut region = [0; 3];
        // Part of the tangent that leaves the nearest feature: the distance is curved across it.
        let mut across = 0.0;
        for k in 0..3 {
            region[k] = i8::from(apart[k] > 0.0) - i8::from(apart[k] < 0.0);
            if region[k] != 0 {
                across += tangent[k] * tangent[k];
            }
        }
        let bend = (across - slope * slope).max(0.0);
        Sample {
            angle,
            distance,
            slope,
            curvature: (bend - apart.dot(&radial)) * inverse,
            region,
        }
    }

    /// From the nearest point of the box to a point; zero inside.
    fn apart(&self, x: &Vector3<f64>) -> Vector3<f64> {
        (x - self.max).sup(&Vector3::zeros()) + (x - self.min).inf(&Vector3::zeros())
    }

    /// A sample at a point in the box, or so little beside it that squares would underflow.
    fn sample_inside(&self, angle: f64, [x, radial, tangent]: [&Vector3<f64>; 3]) -> Sample {
        let (distance, normal) = box_distance(x, self.min, self.max, &Vector3::zeros(), |_, _| 0.0);
        Sample {
            angle,
            distance,
            slope: normal.dot(tangent),
            curvature: -normal.dot(radial),
            region: [0, 1, 2].map(|k| i8::from(normal[k] > 0.0) - i8::from(normal[k] < 0.0)),
        }
    }

    /// Narrows a bracket whose slope is negative at the left and not negative at the right.
    fn narrow(&self, mut left: Sample, mut right: Sample) -> Minimum {
        let mut at = if left.distance < right.distance {
            left
        } else {
            right
        };
        for _ in 0..NARROWINGS {
            let newton = at.angle - at.slope / at.curvature;
            let middle = 0.5 * (left.angle + right.angle);
            let next = if newton > left.angle && newton < right.angle {
                newton
            } else {
                middle
            };
            if next <= left.angle || next >= right.angle {
                break;
            }
            let step = (next - at.angle).abs();
            let width = right.angle - left.angle;
            at = self.sample(next);
            if at.slope < 0.0 {
                left = at;
            } else {
                right = at;
            }
            if at.slope == 0.0 || step <= 4.0 * f64::EPSILON {
                break;
            }
            // Newton's steps that do not halve the bracket (a kink, a flat spot) alternate with
            // bisection.
            if right.angle - left.angle > 0.5 * width {
                let half = self.sample(0.5 * (left.angle + right.angle));
                if half.slope < 0.0 {
                    left = half;
                } else {
                    right = half;
                }
                if half.distance < at.distance {
                    at = half;
                }
            }
        }
        // A minimum that is none of a smooth distance is where two regions meet, whichever of them it rounds to.
        let region = if at.slope.abs() > 1e-6 * self.circle.radius {
            let [before, after] = [-KINK, KINK].map(|beside| self.sample(at.angle + beside).region);
            joint_region(&before, &after)
        } else {
            Some(at.region)
        };
        Minimum {
            angle: at.angle,
            distance: at.distance,
            region,
        }
    }

    /// The face that is nearest to all points of the full circle: it is over it, or in it less deep than beside of others.
    pub fn only_face(&self) -> Option<Region> {
        let circle = &self.circle;
        let [a, b] = circle.axes;
        let reach = Vector3::from_fn(|k, _| circle.radius * a[k].hypot(b[k]));
        let (low, high) = (circle.center - reach, circle.center + reach);
        // How far it is within the bounds of each axis, negative beside of them.
        let within = Vector3::from_fn(|k, _| (low[k] - self.min[k]).min(self.max[k] - high[k]));
        (0..3).rev().find_map(|k| {
            let up = circle.center[k] - self.max[k] > self.min[k] - circle.center[k];
            let (depth, other) = if up {
                (self.max[k] - low[k], low[k] - self.min[k])
            } else {
                (high[k] - self.min[k], self.max[k] - high[k])
            };
            let beside = (0..3).filter(|j| *j != k).map(|j| within[j]);
            let least = beside.fold(f64::INFINITY, f64::min);
            let mut region = [0; 3];
            region[k] = if up { 1 } else { -1 };
            let is_only = least >= 0.0 && (depth < 0.0 || depth < least.min(other));
            is_only.then_some(region)
        })
    }

    /// The nearest point of the disc that the full circle bounds, where that is on the circle, outside of the box and on the arc.
    fn nearest_of_disc(&self) -> Option<Minimum> {
        let Circle {
            center,
            axes,
            radius,
            ..
        } = &self.circle;
        let beside = self.apart(center);
        let [c, s] = axes.map(|axis| -axis.dot(&beside));
        if c == 0.0 && s == 0.0 {
            return None;
        }
        let mut angle = s.atan2(c);
        for _ in 0..APPROACHES {
            let at = self.sample(angle);
            if at.distance <= OUTSIDE * radius || at.curvature <= 0.0 {
                return None;
            }
            let step = at.slope / at.curvature;
            if step.abs() <= APPROACHED {
                let (s, c) = angle.sin_cos();
                let outward = self.circle.radial(c, s);
                let inward = -self.apart(&(center + outward * *radius)).dot(&outward);
                let is_nearest = inward >= INWARD * at.distance && self.circle.has(angle);
                return is_nearest.then_some(Minimum {
                    angle,
                    distance: at.distance,
                    region: Some(at.region),
                });
            }
            angle -= step;
        }
        None
    }

    /// The lowest minimum between the ends of the arc, or its lower end where it has none.
    pub fn minimum(&self) -> Minimum {
        let lowest = self.lowest();
        match self.circle.range {
            Some(ends) if ends.contains(&lowest.angle) => {
                self.lowest_inside(ends).unwrap_or(lowest)
            }
            _ => lowest,
        }
    }

    /// The lowest minimum, ends included.
    fn lowest(&self) -> Minimum {
        self.nearest_of_disc()
            .unwrap_or_else(|| self.lowest_of_grid())
    }

    fn lowest_of_grid(&self) -> Minimum {
        let limits = self.circle.range.unwrap_or(FULL);
        let (mut best, mut lowest) = self.scan(limits);
        let mut step = (limits[1] - limits[0]) / GRID as f64;
        // Round-off of distances is far below, the depth of a hidden minimum far above.
        let slack = 1e-13 * self.circle.radius;
        let hidden = |best: &Option<Minimum>, lowest: &Sample| {
            best.is_none_or(|b| b.distance > lowest.distance + slack)
        };
        for _ in 0..REFINEMENTS {
            if !hidden(&best, &lowest) {
                break;
            }
            let mut window = [lowest.angle - step, lowest.angle + step];
            if self.circle.range.is_some() {
                window = [window[0].max(limits[0]), window[1].min(limits[1])];
            }
            let (inner, inner_lowest) = self.scan(window);
            best = inner.or(best);
            if inner_lowest.distance < lowest.distance {
                lowest = inner_lowest;
            }
            step = (window[1] - window[0]) / GRID as f64;
        }
        best.filter(|b| !hidden(&Some(*b), &lowest))
            .unwrap_or(Minimum::fixed(&lowest))
    }

    /// The lowest minimum that a grid over a window shows, and the lowest point of the grid.
    fn scan(&self, window: [f64; 2]) -> (Option<Minimum>, Sample) {
        let is_end = |angle: f64| self.circle.range.is_some_and(|r| r.contains(&angle));
        let coarse: [Sample; GRID / CELL + 1] =
            std::array::from_fn(|k| self.grid_point(window, k * CELL));
        let mut found = Found {
            best: None,
            lowest: (coarse[0], 0),
        };
        for (k, point) in coarse.iter().enumerate() {
            found.consider_point(point, k * CELL);
        }
        let [first, last] = [coarse[0], coarse[GRID / CELL]];
        if is_end(window[0]) && first.slope >= 0.0 {
            found.consider(Minimum::fixed(&first));
        }
        for (k, ends) in coarse.windows(2).enumerate() {
            let places = [k * CELL, (k + 1) * CELL];
            self.visit(window, places, [&ends[0], &ends[1]], &mut found);
        }
        if is_end(window[1]) && last.slope < 0.0 {
            found.consider(Minimum::fixed(&last));
        }
        (found.best, found.lowest.0)
    }

    /// A bound of d between two angles, by d″ ≥ −R from the nearer end.
    fn least_between(&self, left: &Sample, right: &Sample) -> f64 {
        let half = 0.5 * (right.angle - left.angle);
        let from = |distance: f64, slope: f64| {
            distance + (half * (slope - 0.5 * self.circle.radius * half)).min(0.0)
        };
        from(left.distance, left.slope).min(from(right.distance, -right.slope))
    }

    fn grid_point(&self, window: [f64; 2], i: usize) -> Sample {
        if window == FULL {
            let (angle, direction) = FULL_GRID[i];
            return self.sample_at(angle, direction);
        }
        let part = i as f64 / GRID as f64;
        let angle = window[0] * (1.0 - part) + window[1] * part;
        self.sample(angle)
    }

    /// Looks between two points of the grid, unless nothing there can be as low as the lowest point.
    fn visit(
        &self,
        window: [f64; 2],
        [i, j]: [usize; 2],
        [left, right]: [&Sample; 2],
        found: &mut Found,
    ) {
        if j - i == 1 {
            if left.slope < 0.0 && right.slope >= 0.0 {
                found.consider(self.narrow(*left, *right));
            }
            return;
        }
        let lowest = found.lowest.0.distance;
        if self.least_between(left, right) > lowest + ROUNDING * (self.circle.radius + lowest.abs())
        {
            return;
        }
        let k = i.midpoint(j);
        let middle = self.grid_point(window, k);
        found.consider_point(&middle, k);
        self.visit(window, [i, k], [left, &middle], found);
        self.visit(window, [k, j], [&middle, right], found);
    }
}

/// What a search has found: the lowest minimum, and the lowest point of the grid with its place, the first of several.
struct Found {
    best: Option<Minimum>,
    lowest: (Sample, usize),
}

impl Found {
    fn consider(&mut self, minimum: Minimum) {
        if self.best.is_none_or(|b| minimum.distance < b.distance) {
            self.best = Some(minimum);
        }
    }

    fn consider_point(&mut self, point: &Sample, place: usize) {
        let (lowest, first) = &self.lowest;
        if point.distance < lowest.distance || (point.distance == lowest.distance && place < *first)
        {
            self.lowest = (*point, place);
        }
    }
}

impl Minimum {
    fn fixed(sample: &Sample) -> Self {
        Self {
            angle: sample.angle,
            distance: sample.distance,
            region: None,
        }
    }
}

/// The edge between two faces; `None` for opposite faces, which have none.
fn joint_region(a: &Region, b: &Region) -> Option<Region> {
    let mut joint = [0; 3];
    for k in 0..3 {
        if a[k] * b[k] < 0 {
            return None;
        }
        joint[k] = if a[k] != 0 { a[k] } else { b[k] };
    }
    Some(joint)
}

#[cfg(test)]
mod tests;
