//! Invariant sliding directions: s × (d − μ B s) = 0 (\[JW\] (33), Theorem 5).
//!
//! In the principal axes of B, with l₁ ≥ l₂, κ = μ (l₁ − l₂) and the axes turned so that d = (d₁, d₂) ≥ 0,
//! a direction (cos θ, sin θ) turns at the rate h(θ) = κ sin θ cos θ + d₂ cos θ − d₁ sin θ per dτ. Its zeros lie
//! apart by construction, so each is bracketed instead of taken from a quartic formula:
//!
//! | quadrant | zeros | angular stability |
//! |---|---|---|
//! | I | exactly one | attracting; the only one that can be centrifugal |
//! | II | none | |
//! | III | exactly one | repelling |
//! | IV | two when d₁^(2/3) + d₂^(2/3) < κ^(2/3), else none (one when equal) | attracting, then repelling |

use std::f64::consts::{FRAC_PI_2, PI};

use serde::Serialize;

use super::coefficients::{Coefficients, Vec2, dot, length};

/// Whether sliding along an invariant direction slows down or speeds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InvariantKind {
    /// The sliding speed does not grow: s·(d − μBs) ≤ 0.
    Centripetal,
    /// The sliding speed grows.
    Centrifugal,
}

/// A direction of sliding that keeps itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct InvariantDirection {
    /// Angle from the first tangent towards the second, in (−π, π] \[rad\].
    pub angle: f64,
    /// Centripetal or centrifugal.
    #[serde(rename = "type")]
    pub kind: InvariantKind,
    /// λ = s·(d − μBs), change of the sliding speed per normal impulse along the direction \[1/kg\].
    pub rate: f64,
    /// Whether neighbouring directions turn towards it (true) or away from it.
    pub attracting: bool,
}

/// The principal frame of B, turned so that d has no negative component.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct PrincipalFrame {
    axes: [Vec2; 2],
    kappa: f64,
    d1: f64,
    d2: f64,
}

/// The invariant directions that bound the sector of a direction, as angles in the frame.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Sector {
    /// The direction that attracts.
    pub attracting: f64,
    /// The direction that repels and the angle from it beyond which the attracting one serves better, where the
    /// given direction is close to it or far from the attracting one.
    pub repelling: Option<(f64, f64)>,
}

/// A direction closer than this to a repelling one is seen from there.
const NEAR: f64 = 0.1;
/// So is one farther than this from the attracting one.
const FAR: f64 = 1.8;

impl PrincipalFrame {
    pub fn new(c: &Coefficients) -> Self {
        let half = 0.5 * (c.b[0] - c.b[2]);
        let radius = half.hypot(c.b[1]);
        let mut first = if radius == 0.0 {
            [1.0, 0.0]
        } else if half >= 0.0 {
            normalized([half + radius, c.b[1]])
        } else {
            normalized([c.b[1], radius - half])
        };
        let mut second = [-first[1], first[0]];
        let (mut d1, mut d2) = (dot(c.d, first), dot(c.d, second));
        if d1 < 0.0 {
            first = [-first[0], -first[1]];
            d1 = -d1;
        }
        if d2 < 0.0 {
            second = [-second[0], -second[1]];
            d2 = -d2;
        }
        Self {
            axes: [first, second],
            kappa: 2.0 * c.mu * radius,
            d1,
            d2,
        }
    }

    /// An upper bound of |h|, the rate at which directions turn.
    pub fn turning_scale(&self) -> f64 {
        0.5 * self.kappa + self.d1.hypot(self.d2)
    }

    pub fn direction(&self, theta: f64) -> Vec2 {
        let (s, c) = theta.sin_cos();
        [
            c * self.axes[0][0] + s * self.axes[1][0],
            c * self.axes[0][1] + s * self.axes[1][1],
        ]
    }

    pub fn angle(&self, s: Vec2) -> f64 {
        dot(s, self.axes[1]).atan2(dot(s, self.axes[0]))
    }

    /// The sector of the unit vector `s`.
    pub fn sector(&self, s: Vec2) -> Sector {
        let theta = self.angle(s);
        if theta >= 0.0 {
            let attracting = self.first_quadrant();
            let repelling = if theta > PI - NEAR || theta - attracting > FAR {
                Some(self.third_quadrant())
            } else if theta < NEAR && theta < attracting {
                self.fourth_quadrant().map(|(_, repelling)| repelling)
            } else {
                None
            };
            return Sector::new(theta, attracting, repelling);
        }
        let third = self.third_quadrant() - 2.0 * PI;
        if theta < third {
            return Sector::new(theta, self.first_quadrant(), Some(third));
        }
        match self.fourth_quadrant() {
            Some((attracting, _)) if theta <= attracting => {
                Sector::new(theta, attracting, Some(third))
            }
            Some((attracting, repelling)) if theta <= repelling => {
                Sector::new(theta, attracting, Some(repelling))
            }
            Some((_, repelling)) => Sector::new(theta, self.first_quadrant(), Some(repelling)),
            None => Sector::new(theta, self.first_quadrant(), Some(third)),
        }
    }

    /// The attracting direction of quadrant I, the one along which sliding resumes (\[JW\] Corollary 6).
    pub fn first_quadrant(&self) -> f64 {
        if self.d2 == 0.0 {
            return if self.d1 < self.kappa {
                (self.d1 / self.kappa).acos()
            } else {
                0.0
            };
        }
        if self.d1 == 0.0 {
            return FRAC_PI_2;
        }
        // (cos θ, sin θ) = (d₁/(u + κ), d₂/u) for the u > 0 that makes it a unit vector. Newton's method on the
        // reciprocal of its length, which is concave in u, rises to it from the left.
        let mut u = self.d2.max(self.d1 - self.kappa);
        for _ in 0..100 {
            let (c, s) = (self.d1 / (u + self.kappa), self.d2 / u);
            let square = c * c + s * s;
            let slope = c * c / (u + self.kappa) + s * s / u;
            let step = (square.sqrt() - 1.0) * square / slope;
            u += step;
            if step <= 1e-15 * u {
                break;
            }
        }
        (self.d2 / u).atan2(self.d1 / (u + self.kappa))
    }

    /// The repelling direction of quadrant III, in \[π, 3π/2\].
    pub fn third_quadrant(&self) -> f64 {
        if self.d2 == 0.0 {
            return PI;
        }
        if self.d1 == 0.0 {
            let sine = if self.d2 < self.kappa {
                self.d2 / self.kappa
            } else {
                1.0
            };
            return PI + sine.asin();
        }
        PI + bracketed_zero(0.0, FRAC_PI_2, |s, c| {
            (
                -self.kappa * s * c + self.d2 * c - self.d1 * s,
                -self.kappa * (c * c - s * s) - self.d2 * s - self.d1 * c,
            )
        })
    }

    /// The attracting and the repelling direction of quadrant IV, in \[−π/2, 0\].
    pub fn fourth_quadrant(&self) -> Option<(f64, f64)> {
        let (c1, c2) = (self.d1.cbrt(), self.d2.cbrt());
        let ridge = c1 * c1 + c2 * c2;
        if self.kappa == 0.0 || ridge * ridge * ridge > self.kappa * self.kappa {
            return None;
        }
        if ridge == 0.0 {
            return Some((-FRAC_PI_2, 0.0));
        }
        let middle = c2.atan2(c1);
        let turning = |s: f64, c: f64| {
            (
                self.d2 * c + self.d1 * s - self.kappa * s * c,
                -self.d2 * s + self.d1 * c - self.kappa * (c * c - s * s),
            )
        };
        let repelling = if self.d2 == 0.0 {
            0.0
        } else {
            bracketed_zero(0.0, middle, turning)
        };
        let attracting = if self.d1 == 0.0 {
            FRAC_PI_2
        } else {
            bracketed_zero(FRAC_PI_2, middle, turning)
        };
        Some((-attracting, -repelling))
    }

    /// All invariant directions, sorted by angle; `None` when every direction is invariant.
    pub fn all(&self, c: &Coefficients) -> Option<Vec<InvariantDirection>> {
        if self.kappa == 0.0 && self.d1 == 0.0 && self.d2 == 0.0 {
            return None;
        }
        let mut found = vec![
            (self.first_quadrant(), true),
            (self.third_quadrant(), false),
        ];
        if let Some((attracting, repelling)) = self.fourth_quadrant() {
            found.push((attracting, true));
            if repelling > attracting {
                found.push((repelling, false));
            }
        }
        let mut directions: Vec<_> = found
            .into_iter()
            .map(|(theta, attracting)| {
                let s = self.direction(theta);
                let rate = dot(s, c.acceleration(s));
                InvariantDirection {
                    angle: s[1].atan2(s[0]),
                    kind: if rate > 0.0 && attracting {
                        InvariantKind::Centrifugal
                    } else {
                        InvariantKind::Centripetal
                    },
                    rate,
                    attracting,
                }
            })
            .collect();
        directions.sort_by(|a, b| a.angle.total_cmp(&b.angle));
        Some(directions)
    }
}

impl Sector {
    fn new(theta: f64, attracting: f64, repelling: Option<f64>) -> Self {
        let to_attracting = angle_between(theta, attracting, repelling);
        Self {
            attracting,
            repelling: repelling.and_then(|a| {
                let away = angle_between(theta, a, Some(attracting));
                let arc = away + to_attracting;
                let leave = (2.0 * NEAR).min(0.5 * arc).max(arc - (FAR - NEAR));
                let better = away < to_attracting && (away < NEAR || to_attracting > FAR);
                better.then_some((a, leave))
            }),
        }
    }
}

/// The angle from `a` to `b` on the arc that does not hold `outside`.
fn angle_between(a: f64, b: f64, outside: Option<f64>) -> f64 {
    let ahead = (b - a).rem_euclid(2.0 * PI);
    let blocked = match outside {
        Some(o) => (o - a).rem_euclid(2.0 * PI) < ahead,
        None => ahead > PI,
    };
    if blocked { 2.0 * PI - ahead } else { ahead }
}

fn normalized(v: Vec2) -> Vec2 {
    let l = length(v);
    [v[0] / l, v[1] / l]
}

/// The zero between `positive` and `negative` (where the function is ≥ 0 and ≤ 0) of a function of
/// (sin θ, cos θ) that returns its value and derivative: Newton, kept inside by bisection.
fn bracketed_zero(mut positive: f64, mut negative: f64, f: impl Fn(f64, f64) -> (f64, f64)) -> f64 {
    let mut theta = 0.5 * (positive + negative);
    let mut last = f64::INFINITY;
    for _ in 0..200 {
        let (s, c) = theta.sin_cos();
        let (value, slope) = f(s, c);
        if value > 0.0 {
            positive = theta;
        } else if value < 0.0 {
            negative = theta;
        } else {
            return theta;
        }
        let newton = theta - value / slope;
        let inside = (newton - positive) * (newton - negative) < 0.0;
        let step = (newton - theta).abs();
        let next = if inside && step < 0.7 * last {
            last = step;
            newton
        } else {
            last = (positive - negative).abs();
            0.5 * (positive + negative)
        };
        if (next - theta).abs() <= 2.0 * f64::EPSILON * theta.abs() {
            return next;
        }
        theta = next;
    }
    theta
}
