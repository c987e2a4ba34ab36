//! The rim of a disc, or of an end of a cylinder, or an arc, against the rim of a cylinder that another body carries.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | r, t, e | [`Rims`] | at a place of a rim: away from the axis, along the rim, out of the end |
//! | θ | | on the circle |
//! | u, v | [`Seen`] | where a place of the circle is seen from the rim nearest to it: away from the axis, beyond the end |
//! | F | [`Seen::slope`] | u u′ + v v′ over the radius of the circle |
//!
//! In the frame of the cylinder, its axis along z, the place x₀(θ) of the circle is nearest to the x₁ of the rim that lies in the
//! same half-plane from the axis, at the distance √(u² + v²). Where that is least x₀ − x₁ is across both tangents, so that
//!
//! ```text
//! n = ± t₀ × t₁ / |t₀ × t₁|,     φ = n·(x₀ − x₁),     Dφ = nᵀ(J(x₀) − J(x₁))
//! ```
//!
//! go on smoothly through φ = 0, and with φ the least distance does: its Hessian is R₀R₁ ((1 − φ n·r₀/R₀)(1 + φ n·r₁/R₁) −
//! (t₀·t₁)²), positive near φ = 0 unless the tangents are parallel.
//!
//! # Which of them, and where it is there
//!
//! Bodies can touch at the rims only where n is between the directions out of side and end of the one and against those of the
//! other: n·r₁, n·e₁, −n·r₀, −n·e₀ ≥ 0. The planes across n at such x₀ and x₁ part two convex bodies, so while they are apart there
//! is one such pair at most, their nearest points. ∎ Where flat ends lie on each other, the corners of what two discs have in common are
//! two at once. At one of them t₀ × t₁ is along n, at the other against it; so either sign is a contact of its own, which keeps its
//! sign while the rims go over each other: for the sign to change the tangents come to be parallel, where this is no contact.
//!
//! Where n comes to be across r or e the place goes over the end or the side of the other body, which touches it as it touches
//! any rim (page of `cylinder_part`). Of ends that are flat on each other n is across both r₀ and r₁ and stays so.

use nalgebra::Vector3;

use super::crossing::TILTED;
use super::cylinder::Cylinder;
use super::gap::{Circle, Touch, length_and_direction, value};
use super::rim_meeting::RimMeeting;
use crate::spatial::{Scalar, lift};

/// Sine of the angle between tangents below which they are parallel. Discs that have less than half the square of it in common,
/// as a share of the smaller radius, are side by side.
const PARALLEL: f64 = 1e-3;
/// The same of circles that lie in each other, nearly along the same axis: what runs round with the axes from one side to the
/// other. A point of either rim that is as far out as the other there is over no end by less than the eighth of the square of it, as
/// a share of the radius.
const NESTED: f64 = 0.02;
/// Places of a circle between which the least distances are looked for.
const LOOKS: usize = 32;
/// Share of the radius within which two least distances between neighbouring places are told apart: what is further away
/// does not touch.
const NEAR: f64 = 0.1;
/// Newton's steps and halvings that narrow a root: enough for halvings alone.
const NARROWINGS: usize = 60;
/// Golden sections of three spaces between places: to less than the angle between parallel tangents.
const SECTIONS: usize = 20;
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// The rim of one of the ends of a cylinder, and the sign of t₀ × t₁ along n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CylinderRim {
    upper: bool,
    is_along: bool,
}

/// A place of a circle seen from a rim.
#[derive(Debug, Clone, Copy)]
struct Seen {
    angle: f64,
    /// \[m\]
    slope: f64,
    /// F′ \[m\].
    curvature: f64,
    /// Square of the distance \[m²\].
    square: f64,
    /// t₀·t₁.
    cosine: f64,
}

impl Seen {
    fn is_parallel(&self) -> bool {
        1.0 - self.cosine * self.cosine < PARALLEL * PARALLEL
    }
}

/// A circle and a rim.
struct Rims<'a> {
    circle: &'a Circle<f64>,
    /// R₁ \[m\].
    radius: f64,
    /// Where its end is along the axis \[m\].
    height: f64,
}

impl Rims<'_> {
    fn see(&self, angle: f64) -> Seen {
        let (s, c) = angle.sin_cos();
        let out = self.circle.radial(c, s);
        let along = self.circle.radial(-s, c);
        let own = self.circle.radius;
        let x = self.circle.center + out * own;
        let from_axis = x.x.hypot(x.y).max(f64::MIN_POSITIVE);
        let [beyond, above] = [from_axis - self.radius, x.z - self.height];
        let away = (x.x * along.x + x.y * along.y) / from_axis;
        let across = (x.x * along.y - x.y * along.x) / from_axis;
        let turning = (own * across * across - (x.x * out.x + x.y * out.y)) / from_axis;
        Seen {
            angle,
            slope: beyond * away + above * along.z,
            curvature: own * (away * away + along.z * along.z) + beyond * turning - above * out.z,
            square: beyond * beyond + above * above,
            cosine: across,
        }
    }

    /// The angle between two at which the slope rises through zero; it is negative after the first and positive before the second.
    fn narrowed(&self, [mut low, mut high]: [f64; 2], start: f64) -> Seen {
        let mut at = self.see(start);
        for _ in 0..NARROWINGS {
            if at.slope < 0.0 {
                low = at.angle;
            } else {
                high = at.angle;
            }
            let step = at.slope / at.curvature;
            if at.slope == 0.0 || at.curvature > 0.0 && step.abs() <= 4.0 * f64::EPSILON {
                break;
            }
            let next = at.angle - step;
            at = self.see(if next > low && next < high {
                next
            } else {
                0.5 * (low + high)
            });
        }
        at
    }

    /// All angles of a least distance. Of two that are between neighbouring places both, where they are near.
    fn each_least(&self, mut use_it: impl FnMut(&Seen)) {
        let space = std::f64::consts::TAU / LOOKS as f64;
        let first = self.see(0.0);
        let mut start = first;
        for k in 1..=LOOKS {
            let end = Seen {
                angle: space * k as f64,
                ..if k < LOOKS {
                    self.see(space * k as f64)
                } else {
                    first
                }
            };
            let is_parallel = start.is_parallel() && end.is_parallel();
            if start.slope < 0.0 && end.slope >= 0.0 && !is_parallel {
                let share = start.slope / (start.slope - end.slope);
                let guess = start.angle + share * space;
                let found = self.narrowed([start.angle, end.angle], guess);
                if found.curvature > 0.0 {
                    use_it(&found);
                    let near = NEAR * self.circle.radius;
                    if found.square < near * near {
                        for way in [-1.0, 1.0] {
                            let reach = 2.0 * space * way;
                            self.other_beside(&found, reach)
                                .iter()
                                .for_each(&mut use_it);
                        }
                    }
                } else {
                    // The highest point between two that are lowest.
                    let middle = found.angle;
                    for bounds in [[start.angle, middle], [middle, end.angle]] {
                        use_it(&self.narrowed(bounds, 0.5 * (bounds[0] + bounds[1])));
                    }
                }
            }
            start = end;
        }
    }

    /// A second least distance within `reach` of one: the slope over the angle from that is negative between the two others of
    /// three zeros, and has its least value there.
    fn other_beside(&self, found: &Seen, reach: f64) -> Option<Seen> {
        let over = |part: f64| {
            let seen = self.see(found.angle + reach * part);
            (seen.slope / (reach * part), seen.angle)
        };
        let (last, end) = over(1.0);
        if last < 0.0 {
            return None;
        }
        let [mut low, mut high] = [0.0, 1.0];
        let mut parts = [1.0 - GOLDEN, GOLDEN];
        let mut values = parts.map(over);
        for _ in 0..SECTIONS {
            let least = usize::from(values[1].0 < values[0].0);
            let (value, between) = values[least];
            if value < 0.0 {
                let bounds = if reach > 0.0 {
                    [between, end]
                } else {
                    [end, between]
                };
                return Some(self.narrowed(bounds, 0.5 * (bounds[0] + bounds[1])));
            }
            if least == 0 {
                high = parts[1];
                parts = [high - GOLDEN * (high - low), parts[0]];
                values = [over(parts[0]), values[0]];
            } else {
                low = parts[0];
                parts = [parts[1], low + GOLDEN * (high - low)];
                values = [values[1], over(parts[1])];
            }
        }
        None
    }
}

/// Places of a circle and a rim that are across both.
struct Pair {
    /// On the circle \[rad\].
    angle: f64,
    /// How far n is within the normals of both rims, as the least sine, or how far the place is from the end of an arc \[rad\], if that
    /// is less.
    margin: f64,
    /// Of the angle between the tangents.
    sine: f64,
    /// The sine below which they are parallel. What is held goes on to there and beyond.
    parallel: f64,
}

impl CylinderRim {
    /// All of a cylinder.
    pub fn all() -> impl Iterator<Item = Self> {
        [false, true]
            .into_iter()
            .flat_map(|upper| [true, false].map(|is_along| Self { upper, is_along }))
    }

    /// What it is called.
    pub fn word(self) -> &'static str {
        match (self.upper, self.is_along) {
            (false, true) => "lower_rim_a",
            (false, false) => "lower_rim_b",
            (true, true) => "upper_rim_a",
            (true, false) => "upper_rim_b",
        }
    }

    /// Whether it is of the upper end.
    pub fn is_upper(self) -> bool {
        self.upper
    }

    /// The end that it is of: −1 or 1.
    fn end(self) -> f64 {
        if self.upper { 1.0 } else { -1.0 }
    }

    fn rims<'a>(self, circle: &'a Circle<f64>, cylinder: &Cylinder) -> Rims<'a> {
        Rims {
            circle,
            radius: cylinder.radius,
            height: self.end() * cylinder.half,
        }
    }

    /// A circle, or an arc, at the pair of places that is there, or else the one nearest to that. `outward` is the sign of its axis
    /// out of the end that it is of, zero of a disc alone. Where there is none the spheres around both stand for them.
    pub fn meet<T: Scalar>(
        self,
        circle: &Circle<T>,
        outward: f64,
        cylinder: &Cylinder,
    ) -> RimMeeting<T> {
        let numbers = circle.numbers();
        let rims = self.rims(&numbers, cylinder);
        let mut best: Option<Pair> = None;
        rims.each_least(|seen| {
            if let Some(pair) = self.pair(&rims, outward, seen.angle)
                && best.as_ref().is_none_or(|best| pair.margin > best.margin)
            {
                best = Some(pair);
            }
        });
        best.and_then(|pair| self.touch(circle, &rims, &pair))
            .unwrap_or_else(|| {
                let end = Vector3::new(T::zero(), T::zero(), lift(rims.height));
                let radii = [circle.radius + circle.tube, lift(rims.radius)];
                RimMeeting::spheres([circle.center, end], radii)
            })
    }

    /// The places at an angle; none where there is no n.
    fn pair(self, rims: &Rims<'_>, outward: f64, angle: f64) -> Option<Pair> {
        let (s, c) = angle.sin_cos();
        let circle = rims.circle;
        let (out, along) = (circle.radial(c, s), circle.radial(-s, c));
        let x = circle.center + out * circle.radius;
        let away = Vector3::new(x.x, x.y, 0.0).try_normalize(0.0)?;
        let cross = along.cross(&Vector3::new(-away.y, away.x, 0.0));
        let sine = cross.norm();
        if sine == 0.0 {
            return None;
        }
        let normal = cross * (self.sign() / sine);
        let axis = circle.axes[0].cross(&circle.axes[1]) * outward;
        let [own, other] = [-normal.dot(&out), normal.dot(&away)];
        let end = normal.z * self.end();
        let own_end = if outward == 0.0 {
            end
        } else {
            -normal.dot(&axis)
        };
        let is_flat = own.abs() < TILTED && other.abs() < TILTED;
        let ends = end.min(own_end);
        let is_nested = away.dot(&out) > 0.0;
        // An arc has no inside: it hooks over a rim as well.
        let is_arc = circle.range.is_some();
        let own = if is_arc { f64::INFINITY } else { own };
        Some(Pair {
            angle,
            margin: if is_flat {
                ends
            } else {
                ends.min(own).min(other)
            }
            .min(circle.inside(angle)),
            sine,
            parallel: if is_nested { NESTED } else { PARALLEL },
        })
    }

    fn sign(self) -> f64 {
        if self.is_along { 1.0 } else { -1.0 }
    }

    fn touch<T: Scalar>(
        self,
        circle: &Circle<T>,
        rims: &Rims<'_>,
        pair: &Pair,
    ) -> Option<RimMeeting<T>> {
        let radius: T = lift(rims.radius);
        let height: T = lift(rims.height);
        let place = rims.circle.point_at(pair.angle);
        let mut turns: [T; 2] = [lift(pair.angle), lift(place.y.atan2(place.x))];
        let at = |turns: &[T; 2]| {
            let [(s, c), (other_s, other_c)] = turns.map(|turn| turn.sin_cos());
            let away = Vector3::new(other_c, other_s, T::zero());
            let around = Vector3::new(-other_s, other_c, T::zero());
            let end = Vector3::new(away.x * radius, away.y * radius, height);
            let own = [circle.radial(c, s), circle.radial(-s, c)];
            (own, [away, around], circle.point(c, s), end)
        };
        // A step from the solution itself makes the derivatives exact.
        let ([out, along], [away, around], x, end) = at(&turns);
        let apart = x - end;
        let slopes = [apart.dot(&along), apart.dot(&around)];
        let aligned = along.dot(&around);
        let diagonal = [circle.radius - apart.dot(&out), radius + apart.dot(&away)];
        let [own, other] = [circle.radius * aligned, radius * aligned];
        let determinant = diagonal[0] * diagonal[1] - own * other;
        turns[0] -= (slopes[0] * diagonal[1] - slopes[1] * other) / determinant;
        turns[1] -= (slopes[0] * own - slopes[1] * diagonal[0]) / determinant;
        let ([_, along], [_, around], x, end) = at(&turns);
        let (_, direction) = length_and_direction(&along.cross(&around))?;
        let normal = direction * lift::<T>(self.sign());
        let touch = Touch::new(&x, circle.tube, normal, normal.dot(&(x - end)));
        let least = rims.circle.radius.min(rims.radius);
        let common = 0.5 * (pair.sine * pair.sine - pair.parallel * pair.parallel);
        Some(RimMeeting {
            touch: touch.at(value(turns[0])),
            inside: least * pair.margin.min(common),
            beyond: 0.0,
            is_near: value(normal.dot(&x)) >= 0.0,
            is_apart: pair.sine > pair.parallel,
            to_other: f64::INFINITY,
        })
    }

    /// Distance between the circle and the rim \[m\].
    pub fn distance<T: Scalar>(self, circle: &Circle<T>, cylinder: &Cylinder) -> T {
        let numbers = circle.numbers();
        let rims = self.rims(&numbers, cylinder);
        let mut nearest = rims.see(0.0);
        rims.each_least(|seen| {
            if seen.square < nearest.square {
                nearest = *seen;
            }
        });
        let x = circle.point_at(nearest.angle);
        let beyond = (x.x * x.x + x.y * x.y).sqrt() - lift(rims.radius);
        let above = x.z - lift(rims.height);
        (beyond * beyond + above * above).sqrt() - circle.tube
    }
}

#[cfg(test)]
mod tests;
