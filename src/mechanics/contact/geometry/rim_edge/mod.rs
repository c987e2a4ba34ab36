//! The rim of a disc, or an arc, against an edge of a box: a disc that lies on an edge touches it at both ends of a chord.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | a, R | | axis and radius of the circle |
//! | d | | unit direction of the edge |
//! | ε | | a·d: zero where the edge is parallel to the disc |
//! | m, u | [`Chord::across`], [`Chord::along`] | in the plane of the circle: across d, and as near to d as it goes |
//! | w | | across d and m |
//! | θ | | on the circle, from m to u |
//!
//! Seen along d the circle is an ellipse with the half axes R along m and ε R along w, the edge a point, and the distance of a
//! place on the circle to the edge that of the two. With c the centre seen from the edge, on the half σ = ±1 of the circle
//! towards either end of the edge (sin θ = σ sin φ, and cos θ = cos φ on the side of the edge, so that A below is not negative)
//!
//! ```text
//! (F/2R)′ = A sin φ + B cos φ − C sin φ cos φ,     A = |c·m|,  B = −σ ε c·w,  C = R (1 − ε²)
//! ```
//!
//! Where B ≤ 0 it has one root in [0, π/2], the least distance. Where B > 0, divided by sin φ cos φ it is A/cos φ + B/sin φ − C,
//! convex with its least value at tan³φ = B/A, which is negative exactly inside of the evolute of the ellipse
//!
//! ```text
//! A^(2/3) + |B|^(2/3) < C^(2/3)
//! ```
//!
//! and then the root behind that is a least distance too. ∎ So inside of the evolute each half has one least distance, the ends of
//! the chord where the edge lies in the disc, and each is a contact that goes on smoothly while the disc tips over the edge from one
//! end to the other, ε going through zero. Outside there is one least distance, and the nearest point of the circle is it.
//!
//! On the way out of the evolute one end goes on as the nearest point of the circle, and the other one ends. What is thin touches the
//! edge where the distance is zero, at the curvature R (1 − (t·d)²) with the tangent t: an end that ends there is parallel to the edge,
//! and both run into each other. Where it is not, the other one ends, which a disc so steep that its ellipse reaches out of its evolute
//! has off the edge.
//!
//! An arc can bend around an edge that is not in its evolute, and around two of them at once: a hook on a beam. There its only least
//! distance to each edge is a contact of its own, and not the nearest point of the circle, which would jump from one to the other.
//! One that bends around an edge ceases to at ε = 0, where an edge that it touches is in the evolute.
//!
//! # Where it is there
//!
//! As a crossing of two edges (page of `crossing`): inside of the edge and of the arc, n between the normals of the faces beside the
//! edge, the circle not beyond the middle of the box. The disc inside of the rim is solid, so n points no more inwards than
//! rounding makes it: the end of the chord that is off the edge is not there, and comes as it closes. Nor does it point out of the
//! end of a cylinder that the rim bounds: a can beside a box is above its lower rim, which no lower edge comes up against.

use std::f64::consts::FRAC_PI_2;

use nalgebra::Vector3;

use super::coverage::ExposedBox;
use super::gap::{Circle, Touch, length_and_direction, value};
use super::rim_meeting::RimMeeting;
use crate::spatial::{Scalar, lift, lift3};

/// Share of the evolute within which both ends of the chord are told apart. At its point on the side they run into each other, and
/// the tangent of the circle comes to be parallel to the edge; a chord so short cuts 1e-8 of the radius off.
const APART: f64 = 1.0 - 1e-8;
/// Sine of the angle between edge and tangent below which nothing is across both: less than at the ends of such a chord.
const PARALLEL: f64 = 1e-4;
/// The same, and how far the edge is from the circle beside its radius, where a chord may just have ended.
const ALONG: f64 = 1e-2;
const PAST: f64 = 1e-3;
/// √(1 − ε²) below which the edge is across the disc, and the ellipse a circle: any m and u are as good.
const ACROSS: f64 = 1e-9;
/// Newton's steps and halvings that narrow a root: enough for halvings alone.
const NARROWINGS: usize = 60;

/// Which of the least distances of a circle to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Least {
    /// That on the half towards the lower end of the edge, where there are two.
    Lower,
    Upper,
    /// The only one of an arc that bends around the edge.
    Around,
}

/// An edge of a box and a place of a circle at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RimEdge {
    axis: usize,
    /// The sides of the box that it is on, ±1, zero along the edge.
    sides: Vector3<f64>,
    least: Least,
}

/// An ellipse and the point that an edge is.
struct Chord {
    across: Vector3<f64>,
    along: Vector3<f64>,
    /// c·m.
    middle: f64,
    /// A, B of the upper half, which is −B of the lower one, and C.
    coefficients: [f64; 3],
}

impl Chord {
    /// Of a circle and a line along an axis through a point.
    fn new(circle: &Circle<f64>, axis: usize, place: &Vector3<f64>) -> Self {
        let [first, second] = circle.axes;
        let normal = first.cross(&second);
        let tilt = normal[axis];
        let direction = Vector3::ith(axis, 1.0);
        let along = (direction - normal * tilt)
            .try_normalize(ACROSS)
            .unwrap_or(first);
        let across = normal.cross(&along);
        let beside = direction.cross(&across);
        let center = circle.center - place;
        let middle = center.dot(&across);
        Self {
            across,
            along,
            middle,
            coefficients: [
                middle.abs(),
                -tilt * center.dot(&beside),
                circle.radius * (1.0 - tilt * tilt).max(0.0),
            ],
        }
    }

    /// How far inside of the evolute the edge is, as a share of that: where it is positive there are two least distances.
    fn margin(&self) -> f64 {
        let [a, b, c] = self.coefficients;
        let reached = (a * a).cbrt() + (b * b).cbrt();
        APART - reached / (c * c).cbrt()
    }

    /// Whether there are two least distances.
    fn is_apart(&self) -> bool {
        self.margin() > 0.0
    }

    /// Cosine and sine on the circle, from m to u, of the least distance of a half; where there is but one, of that, which is the
    /// smaller one of two.
    fn least(&self, which: Least) -> [f64; 2] {
        let [a, b, c] = self.coefficients;
        let upper = match which {
            Least::Lower if self.is_apart() => false,
            Least::Upper if self.is_apart() => true,
            _ => b <= 0.0,
        };
        let b = if upper { b } else { -b };
        let slope = |s: f64, k: f64| a * s + b * k - c * s * k;
        let mut low = if b <= 0.0 {
            0.0
        } else {
            b.cbrt().atan2(a.cbrt())
        };
        let mut high = FRAC_PI_2;
        let (s, k) = low.sin_cos();
        let mut at = low;
        if slope(s, k) < 0.0 || b == 0.0 && a < c {
            at = (a / c).min(1.0).acos().clamp(low, high);
            for _ in 0..NARROWINGS {
                let (s, k) = at.sin_cos();
                let value = slope(s, k);
                if value < 0.0 {
                    low = at;
                } else {
                    high = at;
                }
                let step = value / (a * k - b * s - c * (k * k - s * s));
                if value == 0.0 || step.abs() <= 2.0 * f64::EPSILON {
                    break;
                }
                at = if at - step > low && at - step < high {
                    at - step
                } else {
                    0.5 * (low + high)
                };
            }
        }
        let (s, k) = at.sin_cos();
        [
            if self.middle > 0.0 { -k } else { k },
            if upper { s } else { -s },
        ]
    }
}

impl RimEdge {
    /// Both ends of chords with all edges of a box.
    pub fn chords() -> impl Iterator<Item = Self> {
        (0..24).map(|k| {
            let least = [Least::Lower, Least::Upper][k % 2];
            Self::nth(k / 2, least)
        })
    }

    /// Where arcs bend around the edges of a box.
    pub fn around() -> impl Iterator<Item = Self> {
        (0..12).map(|k| Self::nth(k, Least::Around))
    }

    fn nth(k: usize, least: Least) -> Self {
        let axis = k / 4;
        let mut sides = Vector3::zeros();
        for (bit, other) in (0..3).filter(|other| *other != axis).enumerate() {
            sides[other] = if k >> (1 - bit) & 1 == 0 { -1.0 } else { 1.0 };
        }
        Self { axis, sides, least }
    }

    /// Whether the edge is along a direction.
    pub fn is_along(&self, direction: &Vector3<f64>) -> bool {
        direction[self.axis].abs() > 1.0 - PARALLEL
    }

    /// What it is called: the direction of the edge, on which side of the box along the two other axes it is (low or high), and of an end
    /// of a chord towards which end of the edge it is.
    pub fn word(self) -> String {
        let letter = |high: bool| if high { 'h' } else { 'l' };
        let others = (0..3).filter(|other| *other != self.axis);
        let sides: String = others.map(|k| letter(self.sides[k] > 0.0)).collect();
        let axis = ['x', 'y', 'z'][self.axis];
        let half = match self.least {
            Least::Lower => "0",
            Least::Upper => "1",
            Least::Around => "",
        };
        format!("{axis}{sides}{half}")
    }

    /// The sides of the box that the edge is on, ±1, zero along the edge.
    pub fn sides(&self) -> &Vector3<f64> {
        &self.sides
    }

    /// Whether some of it is an edge of the whole terrain that a box is of.
    pub fn is_of(&self, exposed: &ExposedBox) -> bool {
        exposed.has_edge(self.axis, &self.sides)
    }

    /// Distance of a point to the edge \[m\].
    pub fn distance(&self, x: &Vector3<f64>, (min, max): (&Vector3<f64>, &Vector3<f64>)) -> f64 {
        let apart = Vector3::from_fn(|k, _| match self.sides[k] {
            side if side > 0.0 => x[k] - max[k],
            side if side < 0.0 => x[k] - min[k],
            _ => (x[k] - max[k]).max(min[k] - x[k]).max(0.0),
        });
        apart.norm()
    }

    /// Whether the nearest place of a circle to a box is at an edge that has both ends of a chord instead, told apart, or where the
    /// circle is parallel to it: a tube is there as long as its middle is beside the edge.
    pub fn is_chord(
        circle: &Circle<f64>,
        (min, max): (&Vector3<f64>, &Vector3<f64>),
        touch: &Touch<f64>,
    ) -> bool {
        let Some((axis, place)) = edge_of(&touch.normal, (min, max)) else {
            return false;
        };
        let is_beside = circle.tube > 0.0 && touch.gap > -0.5 * circle.tube;
        let is_parallel = touch
            .angle
            .filter(|_| !is_beside)
            .is_some_and(|angle| sine_to_edge(circle, angle, axis) < PARALLEL);
        is_parallel || Chord::new(circle, axis, &place).is_apart()
    }

    /// Whether it is at an edge around which the arc bends.
    pub fn is_around(
        circle: &Circle<f64>,
        bounds: (&Vector3<f64>, &Vector3<f64>),
        touch: &Touch<f64>,
    ) -> bool {
        let edge = edge_of(&touch.normal, bounds).zip(touch.angle);
        edge.is_some_and(|((axis, _), angle)| bends_around(circle, angle, axis, &touch.normal))
    }

    /// How far the nearest place at an edge is from where it comes to be an end of a chord, around the circle \[m\]: negative there;
    /// infinite at no edge, and of what is thin along one, where both ends come to be at once.
    pub fn to_chord(
        circle: &Circle<f64>,
        bounds: (&Vector3<f64>, &Vector3<f64>),
        touch: &Touch<f64>,
    ) -> f64 {
        let goes_on = |axis| {
            circle.tube > 0.0
                || touch
                    .angle
                    .is_some_and(|angle| sine_to_edge(circle, angle, axis) > ALONG)
        };
        let edge = edge_of(&touch.normal, bounds).filter(|(axis, _)| goes_on(*axis));
        edge.map_or(f64::INFINITY, |(axis, place)| {
            -Chord::new(circle, axis, &place).margin() * circle.radius
        })
    }

    /// The circle at the least distance of its half to the line of the edge, or at the only one. Where nothing is across both the
    /// spheres around them stand for them. The circle bounds the `end` of a solid, 1 that which its axis leads out of, or none, 0.
    pub fn meet<T: Scalar>(
        &self,
        circle: &Circle<T>,
        end: f64,
        (min, max): (&Vector3<f64>, &Vector3<f64>),
    ) -> RimMeeting<T> {
        let place = Vector3::from_fn(|k, _| match self.sides[k] {
            side if side > 0.0 => max[k],
            side if side < 0.0 => min[k],
            _ => 0.5 * (min[k] + max[k]),
        });
        self.touch((circle, end), &place, (min, max))
            .unwrap_or_else(|| {
                let half = 0.5 * (max[self.axis] - min[self.axis]);
                let radii = [circle.radius + circle.tube, lift(half)];
                RimMeeting::spheres([circle.center, lift3(&place)], radii)
            })
    }

    fn touch<T: Scalar>(
        &self,
        (circle, end): (&Circle<T>, f64),
        place: &Vector3<f64>,
        (min, max): (&Vector3<f64>, &Vector3<f64>),
    ) -> Option<RimMeeting<T>> {
        let numbers = circle.numbers();
        let chord = Chord::new(&numbers, self.axis, place);
        let is_chord = chord.is_apart();
        let [cosine, sine] = chord.least(self.least);
        let radial = chord.across * cosine + chord.along * sine;
        let angle = radial
            .dot(&numbers.axes[1])
            .atan2(radial.dot(&numbers.axes[0]));
        let mut theta: T = lift(angle);
        let seen = |mut x: Vector3<T>| {
            x[self.axis] = T::zero();
            x
        };
        let from_edge = |x: &Vector3<T>| seen(x - lift3::<T>(place));
        // A step from the solution itself makes the derivatives exact.
        let (s, c) = theta.sin_cos();
        let tangent = seen(circle.radial(-s, c));
        let apart = from_edge(&circle.point(c, s));
        let curvature = tangent.norm_squared() * circle.radius - apart.dot(&circle.radial(c, s));
        // Around a middle in the edge all are as near.
        if value(curvature) == 0.0 {
            return None;
        }
        theta -= apart.dot(&tangent) / curvature;
        let (s, c) = theta.sin_cos();
        let x = circle.point(c, s);
        let direction = lift3::<T>(&Vector3::ith(self.axis, 1.0));
        let (across, mut normal) = length_and_direction(&direction.cross(&circle.radial(-s, c)))?;
        let near = PAST * numbers.radius;
        let apart = from_edge(&x);
        let is_tube = numbers.tube > 0.0 && apart.map(value).norm() > 0.5 * numbers.tube;
        if is_tube {
            normal = length_and_direction(&apart)?.1;
        } else if !is_chord && value(across) < ALONG && apart.map(value).norm() < near {
            // Past the end of the chord a held one goes on off the plane of the disc.
            let axis = circle.axes[0].cross(&circle.axes[1]);
            normal = length_and_direction(&seen(axis))?.1;
        }
        if !is_tube && normal.dot(&lift3(&self.sides)) < T::zero() {
            normal = -normal;
        }
        let touch = Touch::new(&x, circle.tube, normal, normal.dot(&apart));
        let outward = normal.map(value);
        let mut beyond = (0..3)
            .map(|k| -outward[k] * self.sides[k])
            .fold(f64::NEG_INFINITY, f64::max);
        let across = value(across);
        let (half, middle) = ((max - min) * 0.5, (max + min) * 0.5);
        let from_middle = x.map(value) - middle;
        let along = from_middle[self.axis].abs();
        let mut inside = (half[self.axis] - along) * across;
        let in_evolute = chord.margin() * numbers.radius;
        let mut to_other = match self.least {
            _ if !is_tube && across <= ALONG => f64::INFINITY,
            Least::Around => -in_evolute,
            _ => in_evolute,
        };
        if numbers.range.is_some() {
            let along_arc = numbers.inside(angle) * numbers.radius;
            to_other = to_other.min(along_arc);
            inside = inside.min(along_arc);
        } else {
            beyond = beyond.max(outward.dot(&radial));
        }
        let axis = numbers.axes[0].cross(&numbers.axes[1]);
        beyond = beyond.max(end * outward.dot(&axis));
        let is_own = match self.least {
            Least::Around => !is_chord && bends_around(&numbers, angle, self.axis, &self.sides),
            _ => is_chord && (is_tube || across > PARALLEL),
        };
        Some(RimMeeting {
            touch: touch.at(value(theta)),
            inside,
            beyond,
            is_near: (0..3).all(|k| from_middle[k] * self.sides[k] >= 0.0),
            is_apart: is_own,
            to_other,
        })
    }
}

/// Whether an arc, at its place at an angle that is nearest to an edge along an axis, bends around the edge: what is normal to both
/// and leads out of the box, as a vector to these `sides` of it, leads away from the middle of the circle.
fn bends_around(circle: &Circle<f64>, angle: f64, axis: usize, sides: &Vector3<f64>) -> bool {
    if circle.range.is_none() || sine_to_edge(circle, angle, axis) <= ALONG {
        return false;
    }
    let (s, c) = angle.sin_cos();
    let normal = Vector3::ith(axis, 1.0).cross(&circle.radial(-s, c));
    normal.dot(sides) * normal.dot(&circle.radial(c, s)) > 0.0
}

/// Sine of the angle between the tangent of a circle and an axis.
fn sine_to_edge(circle: &Circle<f64>, angle: f64, axis: usize) -> f64 {
    let (s, c) = angle.sin_cos();
    let mut across = circle.radial(-s, c);
    across[axis] = 0.0;
    across.norm()
}

/// The axis along the edge of a box that a normal leads away from, and a place on it; none at faces and corners.
fn edge_of(
    normal: &Vector3<f64>,
    (min, max): (&Vector3<f64>, &Vector3<f64>),
) -> Option<(usize, Vector3<f64>)> {
    let mut along = (0..3).filter(|k| normal[*k] == 0.0);
    let (Some(axis), None) = (along.next(), along.next()) else {
        return None;
    };
    let place = Vector3::from_fn(|k, _| if normal[k] > 0.0 { max[k] } else { min[k] });
    Some((axis, place))
}

#[cfg(test)]
mod tests;
