use std::f64::consts::TAU;

use nalgebra::{Rotation3, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Circle, GRID, Search};

/// Against a thousand points, one of which is within half of their spacing of every minimum, and |d′| ≤ R; inside of
/// the box as well.
#[test]
fn nothing_on_a_circle_is_lower_than_its_lowest_point() {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut x = || (generator.next_u64() >> 11) as f64 * 0.5_f64.powi(52) - 1.0;
    let (min, max) = (Vector3::new(-1.0, -0.5, -0.2), Vector3::new(1.0, 0.5, 0.2));
    let mut only_faces = 0;
    let mut without_grid = 0;
    for case in 0..1000 {
        let radius = 0.5 * (1.0 + x()) + 1e-3;
        // One third is nearly flat on a face.
        let tilt = if case % 3 == 0 { 1e-4 } else { 3.0 };
        let turn = Rotation3::new(tilt * Vector3::new(x(), x(), x()));
        let spread = f64::from(case % 5) + 0.2;
        let circle = Circle {
            center: Vector3::new(spread * x(), spread * x(), 0.4 * spread * x()),
            axes: [turn * Vector3::x(), turn * Vector3::y()],
            radius,
            tube: 0.0,
            range: (case % 4 == 0).then(|| [x(), 2.0 + x()]),
        };
        let search = Search {
            circle,
            min: &min,
            max: &max,
        };
        let found = search.lowest();
        if let Some(nearest) = search.nearest_of_disc() {
            without_grid += 1;
            let found = search.lowest_of_grid();
            // The second derivative is at least −R, at most R + R²/d.
            assert!(
                (nearest.distance - found.distance).abs() < 1e-13,
                "case {case}"
            );
            assert!(
                (nearest.angle - found.angle).sin().abs() < 1e-9,
                "case {case}"
            );
        }
        let [start, end] = circle.range.unwrap_or([0.0, TAU]);
        let points = (0..=1000).map(|i| start + (end - start) * f64::from(i) / 1000.0);
        let least = points
            .map(|angle| search.sample(angle).distance)
            .fold(f64::INFINITY, f64::min);
        // What a part of the grid may hide inside of the box, see above.
        let part = (end - start) / GRID as f64;
        let hidden = if least < 0.0 {
            0.5 * radius * part * part
        } else {
            0.0
        };
        assert!(
            found.distance <= least + hidden + 1e-13,
            "case {case}: {} above {least}",
            found.distance
        );
        assert!(
            least - found.distance <= radius * (end - start) / 2000.0,
            "case {case}"
        );
        if let Some(region) = search.only_face() {
            only_faces += 1;
            if found.region.is_some() {
                assert_eq!(found.region, Some(region), "case {case}");
            }
            let all = (0..100).map(|i| search.sample(TAU * f64::from(i) / 100.0).region);
            assert!(all.into_iter().all(|at| at == region), "case {case}");
        }
    }
    assert!(only_faces > 33, "{only_faces}");
    assert!(without_grid > 333, "{without_grid}");
}

/// An arc around a corner of a box, over which it hooks while an end is lower, beside the box or on it: what is nearest is the point
/// that looks at the corner, and the end where that is not on the arc.
#[test]
fn an_arc_hooks_over_an_edge_between_its_ends() {
    let min = Vector3::repeat(-1.0);
    let max = Vector3::zeros();
    let (radius, beside) = (0.085_f64, 0.05);
    let to_the_top = -(beside / radius).acos();
    let minimum = |last: f64| {
        Search {
            circle: Circle {
                center: Vector3::new(-beside, -0.5, -beside),
                axes: [Vector3::x(), Vector3::z()],
                radius,
                tube: 0.0,
                range: Some([to_the_top, last]),
            },
            min: &min,
            max: &max,
        }
        .minimum()
    };
    let hook = minimum(1.8);
    // A minimum whose curvature is that of the circle times a share of about 0.3: angles to the root of round-off at worst.
    assert!((hook.angle - std::f64::consts::FRAC_PI_4).abs() < 1e-8);
    assert!((hook.distance - (radius - beside * 2.0_f64.sqrt())).abs() < 1e-16);
    assert_eq!(hook.region, Some([1, 0, 1]));
    let end = minimum(0.5);
    assert_eq!((end.angle, end.region), (to_the_top, None));
}
