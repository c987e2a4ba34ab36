//! One contact with dry friction by itself, exactly.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | W, b | `w`, `free` | contact-space inverse inertia and velocity without impulse: normal, tangents |
//! | d | direction of the friction impulse | (cos θ, sin θ) |
//!
//! Sticking, x = −W⁻¹b, where the cone allows it; open where b_n ≥ 0; else sliding: the normal impulse of a
//! direction follows from a_n = 0, and the direction is right where the slip is against it. The slip across
//! d is a smooth function of θ, whose sign changes are looked for all around.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector2, Vector3};

/// Directions at which the slip across is looked at.
const LOOKS: usize = 24;
/// Bisections of one change of sign: what a sweep needs to know of an angle.
const BISECTIONS: usize = 24;

/// Normal and friction impulses; `None` when W is singular or nothing fits.
pub(super) fn single_contact(
    w: &Matrix3<f64>,
    free: &Vector3<f64>,
    friction: f64,
) -> Option<Vector3<f64>> {
    let stick = -w.cholesky()?.solve(free);
    if stick.x >= 0.0 && stick.y.hypot(stick.z) <= friction * stick.x {
        return Some(stick);
    }
    if free.x >= 0.0 {
        return Some(Vector3::zeros());
    }
    let slide = |theta: f64| {
        let (sine, cosine) = theta.sin_cos();
        let push = Vector3::new(1.0, friction * cosine, friction * sine);
        let response = w * push;
        let normal = -free.x / response.x;
        let slip = Vector2::new(free.y + normal * response.y, free.z + normal * response.z);
        let across = slip.x * sine - slip.y * cosine;
        let along = slip.x * cosine + slip.y * sine;
        (response.x > 0.0, across, along, push * normal)
    };
    let mut left = 0.0;
    let mut at_left = slide(left);
    for look in 1..=LOOKS {
        let right = TAU * look as f64 / LOOKS as f64;
        let at_right = slide(right);
        let (mut low, mut high) = (left, right);
        let (mut at_low, mut at_high) = (at_left, at_right);
        if at_left.0 != at_right.0 {
            // Up to where the direction can press at all.
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                let at_middle = slide(middle);
                if at_middle.0 == at_left.0 {
                    (low, at_low) = (middle, at_middle);
                } else {
                    (high, at_high) = (middle, at_middle);
                }
            }
            if at_left.0 {
                (high, at_high) = (low, at_low);
                (low, at_low) = (left, at_left);
            } else {
                (low, at_low) = (high, at_high);
                (high, at_high) = (right, at_right);
            }
        }
        if at_low.0 && at_high.0 && at_low.1 * at_high.1 <= 0.0 {
            let falling = at_low.1 > 0.0;
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                if (slide(middle).1 > 0.0) == falling {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let (presses, _, along, impulse) = slide(0.5 * (low + high));
            if presses && along <= 0.0 {
                return Some(impulse);
            }
        }
        (left, at_left) = (right, at_right);
    }
    None
}
