//! Long shapes that cross: edges of boxes, and the sides of capsules and cylinders.
//!
//! A side is all that is at a distance r from an axis; an edge is an axis with r = 0. With unit directions d₀ and d₁ of the
//! axes, c₀ and c₁ the closest points of their lines,
//!
//! ```text
//! n = ± d₀ × d₁ / |d₀ × d₁|,     φ = n·(c₀ − c₁) − r₀ − r₁,     x₀ = c₀ − r₀ n,     x₁ = c₁ + r₁ n
//! Dφ = nᵀ(J(x₀) − J(x₁))
//! ```
//!
//! The row is exact: c₀ − c₁ is along n and n·dn = 0, so the turning of n counts for nothing, and along the lines the closest
//! points move across n; that of x instead of c turns n about itself. The sign is that of the way from the centre of shape 1 to
//! that of shape 0: with half widths w₀ and w₁ of the shapes along n (r of a side) it is φ + w₀ + w₁ long, so it does not turn
//! where shapes touch.
//!
//! # Which of 144
//!
//! A shape with a side has one axis, so two of them have one crossing. Of the four edges of a box along one axis, an
//! edge can touch along n only if n lies between the outward normals of its faces. That leaves one, and two where n
//! is the normal of a face, as of boxes that stand flat on each other. So a pair of axes has four crossings, and two
//! boxes have 36, of which eight at most are there at once: the corners of what two rectangles have in common. A box
//! and a side have six. A crossing is told by its axes and, for each box, whether its edge is on *like* sides along
//! the two other axes (both upper, both lower) or on unlike ones: of the two edges that n leaves open one is of each
//! kind, and an edge keeps its kind while n turns from one of its faces to the other.
//!
//! # Where it is there
//!
//! Both closest points are inside of their edges or sides, by more than what corners reach beyond faces ([`BESIDE`]), measured
//! across the other one: where a crossing comes to an end, a corner over a face goes on, or the end of a capsule or cylinder. A
//! crossing that is held stays to the very end. n lies between the normals of the faces beside an edge, up to [`TILTED`]. And the
//! shapes are not deeper in each other than the crossing is inside: else the nearer way out is past the end. In a planar model
//! n lies in the plane of motion: across it nothing moves.

use nalgebra::Vector3;

use crate::contact::geometry::gap::{BESIDE, Touch, ball_ball, value};
use crate::spatial::{Pose, Scalar, lift};

/// Sine of the angle below which edges are parallel. What lies between such edges and corners is thinner than this share of
/// their length.
const PARALLEL: f64 = 1e-3;
/// The same where one of them is a side: between its ends that is as deep as this angle over its length goes round it, which is
/// less than 1e-9 m for all that are not longer than four times the root of their radii, in metres.
const ROUND: f64 = 1e-5;
/// How far n may be beyond the normals of the faces beside an edge \[rad\]. Faces that rest on each other are parallel up to
/// the gap that counts as closed, 1e-9 m, over the distance of their contacts; beside edges that are all but parallel n turns
/// by that over their sine, so by 1e-3 for contacts that are a millimetre apart. An edge that is not the outermost
/// along n by so little has the larger gap, so nothing is held off that may come nearer.
pub(super) const TILTED: f64 = 1e-3;
/// A crossing this near to an end of an edge is at it \[m\]: more than what runs locate its end to.
pub(super) const END: f64 = 1e-11;

/// A box in space, or what has a side around its z axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<T: Scalar> {
    pub pose: Pose<T>,
    /// Half of its edges \[m\]; with a side, half of its axis along z and zero across.
    pub half: Vector3<f64>,
    /// Of the side \[m\]; zero of a box.
    pub radius: f64,
}

impl<T: Scalar> Block<T> {
    /// Without derivatives.
    pub fn numbers(&self) -> Block<f64> {
        let Pose {
            rotation,
            translation,
        } = &self.pose;
        Block {
            pose: Pose::new(rotation.map(value), translation.map(value)),
            half: self.half,
            radius: self.radius,
        }
    }
}

/// Two edges or sides that may cross: of shape 0 and of shape 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crossing {
    axes: [usize; 2],
    /// Of each shape whether its edge is on like sides; none of what has a side.
    like: [Option<bool>; 2],
}

/// Two lines along edges at their closest points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting<T: Scalar> {
    pub touch: Touch<T>,
    /// Sides of each box that its edge is on, ±1, zero along the edge; zero of the side of a capsule or cylinder.
    pub sides: [Vector3<f64>; 2],
    /// How far the nearest end of either edge is, across the other edge \[m\]: negative past it.
    pub inside: f64,
    /// Largest sine by which n is beyond the normals of faces beside an edge.
    beyond: f64,
    sine: f64,
    /// Sine up to which they are parallel.
    parallel: f64,
}

impl<T: Scalar> Meeting<T> {
    /// Whether the edges can touch there, were the boxes not in each other.
    pub fn is_between(&self) -> bool {
        self.sine > self.parallel && self.beyond < TILTED && self.inside > BESIDE
    }

    pub fn is_present(&self) -> bool {
        self.is_between() && self.inside + value(self.touch.gap) >= 0.0
    }

    /// Whether a crossing that was there has come to its end.
    pub fn has_ended(&self) -> bool {
        let goes_on = self.sine > self.parallel && self.beyond < TILTED && self.inside > END;
        !goes_on
    }
}

impl Crossing {
    /// All of two shapes, of each whether it has a side in place of edges.
    pub fn all(round: [bool; 2]) -> impl Iterator<Item = Self> {
        let first = round.map(|round| if round { 2 } else { 0 });
        let kinds = round.map(|round| {
            if round {
                &[None][..]
            } else {
                &[Some(true), Some(false)]
            }
        });
        (first[0]..3).flat_map(move |own| {
            (first[1]..3).flat_map(move |other| {
                kinds[0].iter().flat_map(move |like| {
                    kinds[1].iter().map(move |also| Self {
                        axes: [own, other],
                        like: [*like, *also],
                    })
                })
            })
        })
    }

    /// What the edge or side of one of the shapes is called.
    pub fn word(self, shape: usize) -> &'static str {
        let words = [["xa", "xb"], ["ya", "yb"], ["za", "zb"]];
        match self.like[shape] {
            None => "side",
            Some(like) => words[self.axes[shape]][usize::from(!like)],
        }
    }

    /// The direction of the line of shape 0, which has this pose.
    pub fn first_axis<T: Scalar>(self, pose: &Pose<T>) -> Vector3<T> {
        pose.rotation.column(self.axes[0]).into_owned()
    }

    /// The lines at their closest points. Where they are parallel, the spheres around the shapes stand for them.
    pub fn meet<T: Scalar>(self, blocks: &[Block<T>; 2]) -> Meeting<T> {
        let [first, second] = blocks;
        let along = [0, 1].map(|side| axis(&blocks[side], self.axes[side]));
        let cross = along[0].cross(&along[1]);
        let square = cross.norm_squared();
        let centers = first.pose.translation - second.pose.translation;
        if value(square) < PARALLEL * PARALLEL * 1e-6 {
            let radii = blocks.map(|block| lift(block.half.norm() + block.radius));
            return Meeting {
                touch: ball_ball([first.pose.translation, second.pose.translation], radii),
                sides: [Vector3::zeros(); 2],
                inside: f64::NEG_INFINITY,
                beyond: 1.0,
                sine: 0.0,
                parallel: PARALLEL,
            };
        }
        let sine = square.sqrt();
        let outward = if value(centers.dot(&cross)) < 0.0 {
            -T::one()
        } else {
            T::one()
        };
        let normal = cross * (outward / sine);
        let (mut sides, mut beyond) = ([Vector3::zeros(); 2], f64::NEG_INFINITY);
        for side in 0..2 {
            let Some(like) = self.like[side] else {
                continue;
            };
            // Out of box 1, into box 0.
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let seen = (blocks[side].pose.rotation.tr_mul(&normal)).map(|x| sign * value(x));
            sides[side] = self.sides(side, like, &seen);
            let least = |k: usize| -seen[k] * sides[side][k];
            let across = (0..3).filter(|k| *k != self.axes[side]).map(least);
            beyond = across.fold(beyond, f64::max);
        }
        let middles = [0, 1].map(|side| {
            let block = &blocks[side];
            let place = block.half.component_mul(&sides[side]);
            block.pose.point(&place.map(lift))
        });
        let apart = middles[0] - middles[1];
        // From the middle of either edge, by Cramer's rule for apart + a d₀ − b d₁ = φ n.
        let places = [
            -apart.dot(&along[1].cross(&cross)) / square,
            -apart.dot(&along[0].cross(&cross)) / square,
        ];
        let points = [0, 1].map(|side| {
            let radius = if side == 0 {
                -blocks[side].radius
            } else {
                blocks[side].radius
            };
            middles[side] + along[side] * places[side] + normal * lift::<T>(radius)
        });
        let radii = lift::<T>(first.radius + second.radius);
        let inside =
            [0, 1].map(|side| blocks[side].half[self.axes[side]] - value(places[side]).abs());
        Meeting {
            touch: Touch {
                gap: normal.dot(&apart) - radii,
                normal,
                points,
                angle: None,
            },
            sides,
            inside: inside[0].min(inside[1]) * value(sine),
            beyond,
            sine: value(sine),
            parallel: if first.radius + second.radius > 0.0 {
                ROUND
            } else {
                PARALLEL
            },
        }
    }

    /// The sides of the edge of its kind that is outermost along a direction seen from the box: those of the larger
    /// part, and by the kind.
    fn sides(self, side: usize, like: bool, seen: &Vector3<f64>) -> Vector3<f64> {
        let axis = self.axes[side];
        let (mut main, mut other) = ((axis + 1) % 3, (axis + 2) % 3);
        if seen[other].abs() > seen[main].abs() {
            std::mem::swap(&mut main, &mut other);
        }
        let mut sides = Vector3::zeros();
        sides[main] = 1.0_f64.copysign(seen[main]);
        sides[other] = if like { sides[main] } else { -sides[main] };
        sides
    }

    /// Distance between the two edges or sides themselves, where they do not meet inside of both \[m\].
    pub fn distance<T: Scalar>(self, blocks: &[Block<T>; 2], sides: &[Vector3<f64>; 2]) -> T {
        let ends = [0, 1].map(|side| {
            [-1.0, 1.0].map(|end| {
                let mut place = sides[side];
                place[self.axes[side]] = end;
                let place = blocks[side].half.component_mul(&place);
                blocks[side].pose.point(&place.map(lift))
            })
        });
        let radii = lift::<T>(blocks[0].radius + blocks[1].radius);
        segment_distance(&ends[0], &ends[1]) - radii
    }
}

fn axis<T: Scalar>(block: &Block<T>, k: usize) -> Vector3<T> {
    block.pose.rotation.column(k).into_owned()
}

/// Distance between two segments whose lines do not meet inside of both: from an end of either to the other.
fn segment_distance<T: Scalar>(first: &[Vector3<T>; 2], second: &[Vector3<T>; 2]) -> T {
    let to = |x: &Vector3<T>, [start, end]: &[Vector3<T>; 2]| {
        let way = end - start;
        let share = (x - start).dot(&way) / way.norm_squared();
        let share = share.max(T::zero()).min(T::one());
        (x - (start + way * share)).norm_squared()
    };
    let squares = [
        to(&first[0], second),
        to(&first[1], second),
        to(&second[0], first),
        to(&second[1], first),
    ];
    let [a, b, c, d] = squares;
    a.min(b).min(c).min(d).sqrt()
}

#[cfg(test)]
mod tests;
