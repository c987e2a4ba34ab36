//! The lowest points of a circle, or an arc, over a bent surface: one for each part of its rim.
//!
//! Along a circle of radius R that is tilted by σ over a surface of curvatures κ the distance is, but for a constant,
//!
//! ```text
//! d(θ)/R = −σ cos θ + ¼ R (κ₁ − κ₂) cos 2(θ − ψ) + …
//! ```
//!
//! and has one minimum where σ is well above R |κ₁ − κ₂|, two or more where it is not: a disc bridges a valley. Which of two is
//! lower changes as it rocks, while both touch. So each is a contact of its own, told by the part of the rim that it is in; one
//! that goes on into the next is handed over there.
//!
//! A minimum of a part is between a slope that falls at its start and one that rises at its end. Where there is none the part is
//! as far away as the lower one of its ends, so that its gap has no jumps. Over what is even below a part, beside something bent,
//! its middle stands for it once the circle is nearly flat, as over a plane: of every other part.

use super::gap::{Circle, Touch};
use super::place::{FLAT, Sector, wrapped};
use super::smooth_touch::{Lowest, Sample, ball_smooth, minimum_beside, narrowed, touch_at};
use crate::contact::surfaces::SmoothGround;
use crate::spatial::Scalar;

/// The lowest point of a part of the rim.
pub(crate) struct SectorPoint {
    /// \[rad\]
    pub angle: f64,
    /// Whether it is one that may touch: a minimum, or what stands for an even part.
    pub is_there: bool,
    /// Whether it stays where it is on the rim within a step.
    pub is_fixed: bool,
    minimum: Option<Lowest>,
}

/// That of a part.
pub(crate) fn sector_point(
    circle: &Circle<f64>,
    Sector { middle, half }: Sector,
    surface: &SmoothGround,
    is_between: bool,
) -> SectorPoint {
    let (nearby, known) = surface.nearby(&circle.center);
    let at = |angle: f64| {
        Sample::new(circle, angle, |x| {
            surface.proximity_beside(x, (&nearby, &known))
        })
    };
    let angles = [middle - half, middle, middle + half];
    let samples = angles.map(at);
    let is_even =
        (samples.iter()).all(|sample| sample.beside.1.curvature.amax() * circle.radius <= FLAT);
    let is_nearly_flat = circle.is_nearly_flat(&samples[1].beside.1.normal);
    let least = if is_even { FLAT } else { 0.0 };
    let mut lowest: Option<Lowest> = None;
    for (ends, [start, end]) in angles.windows(2).zip([[0, 1], [1, 2]]) {
        let slopes = [start, end].map(|k| samples[k].slope);
        // At the middle itself the slope may be zero.
        if slopes[0] >= -least || slopes[1] < -least {
            continue;
        }
        let guess = ends[0] - slopes[0] * (ends[1] - ends[0]) / (slopes[1] - slopes[0]);
        let minimum = narrowed(circle, [ends[0], ends[1]], guess, at);
        let is_lower = |other: &Lowest| minimum.distance() < other.distance();
        if lowest.as_ref().is_none_or(is_lower) {
            lowest = Some(minimum);
        }
    }
    if let Some(minimum) = lowest {
        return SectorPoint {
            angle: minimum.angle,
            is_there: true,
            is_fixed: is_even && is_nearly_flat,
            minimum: Some(minimum),
        };
    }
    let [start, _, end] = samples.map(|sample| sample.beside.1.distance);
    let lower = if start < end { angles[0] } else { angles[2] };
    SectorPoint {
        angle: if is_even { middle } else { lower },
        is_there: is_even && is_nearly_flat && !is_between,
        is_fixed: true,
        minimum: None,
    }
}

/// A circle at the lowest point of a part.
pub(crate) fn touch_sector<T: Scalar>(
    circle: &Circle<T>,
    sector: Sector,
    surface: &SmoothGround,
) -> Touch<T> {
    let point = sector_point(&circle.numbers(), sector, surface, false);
    touch_minimum(circle, surface, point.minimum.as_ref(), point.angle)
}

/// A circle at the minimum that one at an angle has become.
pub(crate) fn touch_beside<T: Scalar>(
    circle: &Circle<T>,
    angle: f64,
    surface: &SmoothGround,
) -> Touch<T> {
    let minimum = minimum_beside(&circle.numbers(), surface, angle);
    touch_minimum(circle, surface, minimum.as_ref(), angle)
}

/// At a point that stays where it is on the rim.
pub(crate) fn touch_fixed<T: Scalar>(
    circle: &Circle<T>,
    angle: f64,
    surface: &SmoothGround,
) -> Touch<T> {
    touch_minimum(circle, surface, None, angle)
}

fn touch_minimum<T: Scalar>(
    circle: &Circle<T>,
    surface: &SmoothGround,
    minimum: Option<&Lowest>,
    angle: f64,
) -> Touch<T> {
    match minimum {
        Some(minimum) => touch_at(circle, surface, minimum),
        None => ball_smooth(&circle.point_at(angle), circle.tube, surface).at(angle),
    }
}

/// Where the minimum that one was at an angle is \[rad\]; none where it is none any more.
pub(crate) fn angle_of(circle: &Circle<f64>, angle: f64, surface: &SmoothGround) -> Option<f64> {
    minimum_beside(circle, surface, angle).map(|minimum| minimum.angle)
}

/// How far the minimum that one at an angle has become is from the nearer end of a part, along the rim \[m\]: negative beyond it,
/// infinite where it is none any more.
pub(crate) fn inside_of_sector(
    circle: &Circle<f64>,
    (sector, angle): (Sector, f64),
    surface: &SmoothGround,
) -> f64 {
    angle_of(circle, angle, surface).map_or(f64::INFINITY, |angle| {
        (sector.half - wrapped(angle - sector.middle).abs()) * circle.radius
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;
    use std::sync::Arc;

    use nalgebra::{Rotation3, Vector3};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::{SectorPoint, sector_point, touch_beside, touch_sector};
    use crate::contact::geometry::gap::Circle;
    use crate::contact::geometry::place::{sectors, wrapped};
    use crate::contact::surfaces::{HeightField, OwnSurface, SmoothGround};

    fn hills() -> HeightField {
        let height = |x: f64, y: f64| 0.05 * (4.8 * x).sin() * (4.8 * y + 0.3).cos();
        HeightField::of_function([-3.0; 2], [0.05; 2], [121; 2], height).unwrap()
    }

    fn parts(circle: &Circle<f64>, ground: &SmoothGround) -> Vec<SectorPoint> {
        sectors(circle.range)
            .map(|sector| sector_point(circle, sector, ground, false))
            .collect()
    }

    /// Discs, and arcs of them, that nearly lie on hills: the minima that a fine grid along the rim shows, at which the distance is looked at alone.
    #[test]
    fn parts_of_the_rim_have_the_minima_of_a_fine_grid() {
        const FINE: usize = 1440;
        let heights = SmoothGround::Heights(Arc::new(hills()));
        let own = SmoothGround::Own(OwnSurface::new(hills()));
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut x = || (generator.next_u64() >> 11) as f64 * 0.5_f64.powi(52) - 1.0;
        let (mut several, mut all, mut missed) = (0, 0, 0);
        for k in 0..100 {
            let range = (k % 2 == 1).then_some([0.3, 3.9]);
            let is_in = |angle: f64| range.is_none_or(|[start, end]| start < angle && angle < end);
            let tilt = 0.06;
            let place = Vector3::new(2.0 * x(), 2.0 * x(), 0.1);
            let normal = heights.proximity(&place).normal;
            let lying = Rotation3::rotation_between(&Vector3::z(), &normal).unwrap();
            let turn = lying * Rotation3::new(Vector3::new(tilt * x(), tilt * x(), 3.0 * x()));
            let circle = Circle {
                center: place,
                axes: [turn * Vector3::x(), turn * Vector3::y()],
                radius: 0.02 + 0.1 * x().abs(),
                tube: 0.0,
                range,
            };
            let distance = |k: usize| {
                let angle = TAU * (k % FINE) as f64 / FINE as f64;
                heights.proximity(&circle.point_at(angle)).distance
            };
            let around: Vec<f64> = (0..FINE).map(distance).collect();
            let is_lowest = |k: &usize| {
                let [before, after] = [around[(k + FINE - 1) % FINE], around[(k + 1) % FINE]];
                around[*k] < before && around[*k] <= after
            };
            let minima = (0..FINE).filter(is_lowest);
            let minima = minima.filter(|k| is_in(TAU * *k as f64 / FINE as f64));
            let minima: Vec<usize> = minima.collect();
            several += usize::from(minima.len() > 1);
            for ground in [&heights, &own] {
                let found: Vec<_> = parts(&circle, ground);
                let found: Vec<_> = found.iter().filter(|part| part.is_there).collect();
                for k in &minima {
                    let angle = TAU * *k as f64 / FINE as f64;
                    // The grid is half a spacing off at most, and minima are polished.
                    let near = |part: &&&SectorPoint| {
                        wrapped(part.angle - angle).abs() < TAU / FINE as f64
                    };
                    all += 1;
                    missed += usize::from(found.iter().find(near).is_none());
                }
                for part in &found {
                    let near = |k: &usize| {
                        let angle = TAU * *k as f64 / FINE as f64;
                        wrapped(part.angle - angle).abs() < 1.5 * TAU / FINE as f64
                    };
                    assert!(minima.iter().any(near), "no minimum at {}", part.angle);
                }
            }
        }
        assert!(several > 15, "{several}");
        // Two of one part, of which the lower one counts.
        assert!(missed * 100 < all, "{missed} of {all}");
    }

    /// A held minimum goes on past the end of its part as what the next part has; gaps of parts without one have no jumps.
    #[test]
    fn what_runs_out_of_a_part_is_what_the_next_has() {
        let ground = SmoothGround::Heights(Arc::new(hills()));
        let place = |tilt: f64| {
            let turn = Rotation3::new(Vector3::new(0.3 * tilt.cos(), 0.3 * tilt.sin(), 0.0));
            Circle {
                center: Vector3::new(0.3, 0.2, 0.15),
                axes: [turn * Vector3::x(), turn * Vector3::y()],
                radius: 0.1,
                tube: 0.002,
                range: None,
            }
        };
        let step = 1e-2;
        let gaps = |circle: &Circle<f64>| -> Vec<f64> {
            sectors(circle.range)
                .map(|sector| touch_sector(circle, sector, &ground).gap)
                .collect()
        };
        let (mut angle, mut before) = (None, gaps(&place(0.0)));
        let mut seen = Vec::new();
        for k in 1..=(TAU / step) as usize {
            let circle = place(step * k as f64);
            let after = gaps(&circle);
            for (a, b) in before.iter().zip(&after) {
                // No point of the rim moves by more than the circle turns.
                assert!((a - b).abs() < 0.1 * 0.3 * step, "{a} {b}");
            }
            let parts = parts(&circle, &ground);
            let (part, lowest) = (after.iter().enumerate())
                .min_by(|a, b| a.1.total_cmp(b.1))
                .unwrap();
            assert!(parts[part].is_there);
            if let Some(angle) = angle {
                let held = touch_beside(&circle, angle, &ground);
                assert!((held.gap - lowest).abs() < 1e-14);
            }
            angle = Some(parts[part].angle);
            seen.push(part);
            before = after;
        }
        seen.dedup();
        assert!(seen.len() >= parts(&place(0.0), &ground).len(), "{seen:?}");
    }
}
