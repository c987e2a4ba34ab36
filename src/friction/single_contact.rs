//! One contact with dry friction by itself, exactly.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | W, b | `w`, `free` | contact-space inverse inertia and velocity without impulse: normal, tangents |
//! | d | direction of the friction impulse | unit |
//! | W(1, μd) | `response` | velocity for a unit normal impulse |
//!
//! Sticking, x = −W⁻¹b, where the cone allows it; open where b_n ≥ 0; else sliding: the normal impulse of a
//! direction follows from a_n = 0, and the direction is right where the slip is against it. The slip across
//! d, times the response along the normal, is a trigonometric polynomial of second degree in the angle of d, whose
//! at most four changes of sign are looked for all around.

use nalgebra::{Matrix3, Vector2, Vector3};

/// Parts of the circle, at whose ends the slip across is looked at.
const LOOKS: usize = 24;
/// Cosine and sine of a part.
const PART: Vector2<f64> = Vector2::new(0.965_925_826_289_068_3, 0.258_819_045_102_520_76);
/// Steps towards one change of sign, of which about six are needed.
const REFINEMENTS: usize = 24;
/// What a sweep needs to know of a direction, as a share of a part.
const PRECISION: f64 = 1e-7;

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
    let slide = Slide { w, free, friction };
    let mut left = Vector2::x();
    let mut at_left = slide.across(&left);
    for _ in 0..LOOKS {
        let right = Vector2::new(
            left.x * PART.x - left.y * PART.y,
            left.y * PART.x + left.x * PART.y,
        );
        let at_right = slide.across(&right);
        if at_left * at_right <= 0.0 {
            let found = slide.impulse(&slide.between([&left, &right], [at_left, at_right]));
            if found.is_some() {
                return found;
            }
        }
        (left, at_left) = (right, at_right);
    }
    None
}

/// A contact that slides.
struct Slide<'a> {
    w: &'a Matrix3<f64>,
    free: &'a Vector3<f64>,
    friction: f64,
}

impl Slide<'_> {
    fn push(&self, direction: &Vector2<f64>) -> Vector3<f64> {
        let along = self.friction * direction;
        Vector3::new(1.0, along.x, along.y)
    }

    /// Response along the normal, and the slip at a_n = 0 times it.
    fn slip(&self, direction: &Vector2<f64>) -> (f64, Vector2<f64>) {
        let response = self.w * self.push(direction);
        let slip = self.free.yz() * response.x - response.yz() * self.free.x;
        (response.x, slip)
    }

    /// Slip across the direction, times the response along the normal.
    fn across(&self, direction: &Vector2<f64>) -> f64 {
        self.slip(direction).1.perp(direction)
    }

    /// The direction between two at which the slip across changes its sign, by regula falsi (Illinois).
    fn between(&self, ends: [&Vector2<f64>; 2], across: [f64; 2]) -> Vector2<f64> {
        let direction = |share: f64| (ends[0] * (1.0 - share) + ends[1] * share).normalize();
        let ([mut low, mut high], [mut at_low, mut at_high]) = ([0.0, 1.0], across);
        let mut share = if at_low == 0.0 { low } else { high };
        // The end that was moved last.
        let mut moved = None;
        for _ in 0..REFINEMENTS {
            if at_low == 0.0 || at_high == 0.0 || at_low == at_high {
                break;
            }
            let last = share;
            share = (low * at_high - high * at_low) / (at_high - at_low);
            let at = self.across(&direction(share));
            let is_low = (at < 0.0) == (at_low < 0.0);
            // An end that stays a second time counts half.
            let again = moved == Some(is_low);
            if is_low {
                (low, at_low) = (share, at);
                at_high *= if again { 0.5 } else { 1.0 };
            } else {
                (high, at_high) = (share, at);
                at_low *= if again { 0.5 } else { 1.0 };
            }
            moved = Some(is_low);
            if (share - last).abs() <= PRECISION {
                break;
            }
        }
        direction(share)
    }

    /// The impulse along a direction, if it presses and the slip is against it.
    fn impulse(&self, direction: &Vector2<f64>) -> Option<Vector3<f64>> {
        let (response, slip) = self.slip(direction);
        let fits = response > 0.0 && slip.dot(direction) <= 0.0;
        fits.then(|| self.push(direction) * (-self.free.x / response))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use nalgebra::{Matrix3x4, Vector2, Vector3};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::{LOOKS, PART, PRECISION, Slide, single_contact};

    #[test]
    fn a_part_is_one_of_all() {
        let (sine, cosine) = (TAU / LOOKS as f64).sin_cos();
        assert!((PART - Vector2::new(cosine, sine)).norm() <= f64::EPSILON);
    }

    /// What is found satisfies Coulomb's law, and where nothing is found no direction of many does.
    #[test]
    fn random_contacts_are_solved_by_themselves() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut x = || (generator.next_u64() >> 11) as f64 * 0.5_f64.powi(52) - 1.0;
        let (mut stuck, mut slid, mut nothing) = (0, 0, 0);
        for case in 0..3000 {
            let rows = Matrix3x4::from_fn(|_, _| x());
            let w = rows * rows.transpose();
            let friction = 1.0 + x();
            let free = Vector3::new(x() - 1.0, x(), x());
            let Some(impulse) = single_contact(&w, &free, friction) else {
                // Sticking does not do; sliding would be where the slip across changes its sign.
                nothing += 1;
                let slide = Slide {
                    w: &w,
                    free: &free,
                    friction,
                };
                let looks = (0..=3600).map(|i| {
                    let (sine, cosine) = (TAU * f64::from(i) / 3600.0).sin_cos();
                    let d = Vector2::new(cosine, sine);
                    let (response, slip) = slide.slip(&d);
                    (response > 0.0 && slip.dot(&d) < 0.0, slip.perp(&d))
                });
                let looks: Vec<(bool, f64)> = looks.collect();
                let fits =
                    |pair: &[(bool, f64)]| pair[0].0 && pair[1].0 && pair[0].1 * pair[1].1 < 0.0;
                assert!(!looks.windows(2).any(fits), "case {case}");
                continue;
            };
            let velocity = w * impulse + free;
            let scale = free.norm() * (1.0 + w.norm() / w[(0, 0)]);
            assert!(velocity.x.abs() <= 1e-9 * scale, "case {case}: {velocity}");
            let (push, slip) = (impulse.yz(), velocity.yz());
            let limit = friction * impulse.x;
            if slip.norm() <= 1e-9 * scale {
                stuck += 1;
                assert!(push.norm() <= limit * (1.0 + 1e-12), "case {case}");
                continue;
            }
            slid += 1;
            assert!((push.norm() - limit).abs() <= 1e-12 * limit, "case {case}");
            assert!(push.dot(&slip) <= 0.0, "case {case}");
            // The direction is known to a share of a part, which turns the slip by as much as it turns the push.
            let angle = PRECISION * TAU / LOOKS as f64;
            let turn = angle * (1.0 + (w.norm() * impulse.norm() / slip.norm()));
            let across = slip.perp(&push) / (slip.norm() * push.norm());
            assert!(
                across.abs() <= 10.0 * turn,
                "case {case}: {across} beside {turn}"
            );
        }
        assert!(
            stuck > 300 && slid > 300 && nothing < 60,
            "{stuck} {slid} {nothing}"
        );
    }
}
