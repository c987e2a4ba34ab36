//! Which parts of boxes others cover.
//!
//! Pieces of terrain that join have no collision at the seam: a face of a box that another piece
//! covers is not there, and the faces beside it continue as if the box went on through it. Covered is
//! what lies in another box that goes on beyond the face, or below a plane. A face may be covered in
//! part (steps of different height); then it is there, up to a margin at the covered part, because a
//! body that touches both pieces of a concave corner may be some roundings inside of either.

use nalgebra::Vector3;

use super::extent::{Extent, FACES, face_of};
use super::gap::{DEEP, Touch, value};
use crate::spatial::Scalar;

/// Least margin at the covered part of a face \[m\]: ten times what a held contact may be inside.
const MARGIN: f64 = 1e-8;

/// What covers a face.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cover {
    Box(Extent),
    /// Half-space below a plane with a unit normal.
    HalfSpace {
        point: Vector3<f64>,
        normal: Vector3<f64>,
    },
}

/// A box that touches another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Neighbour {
    /// Index of its surface.
    index: usize,
    extent: Extent,
    /// Whether it owns surface that both have.
    first: bool,
}

/// A box among other pieces of terrain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExposedBox {
    extent: Extent,
    /// Continued through faces that are covered altogether.
    continued: Extent,
    covers: [Vec<Cover>; FACES],
    neighbours: Vec<Neighbour>,
    /// Sides beyond which a piece of other material continues this one.
    changes: [bool; FACES],
    joined: f64,
}

impl ExposedBox {
    /// A box by itself; bounds nearer than `joined` \[m\] are one.
    pub fn new(extent: Extent, joined: f64) -> Self {
        Self {
            extent,
            continued: extent,
            covers: Default::default(),
            neighbours: Vec::new(),
            changes: [false; FACES],
            joined,
        }
    }

    /// Continues the box through the faces that others cover altogether.
    pub fn open_covered(&mut self) {
        for face in 0..FACES {
            if self.is_wholly_covered(face) {
                self.continued.open(face);
            }
        }
    }

    /// Indices among the surfaces of the boxes that this box touches.
    pub fn touching(&self) -> impl Iterator<Item = usize> {
        self.neighbours.iter().map(|n| n.index)
    }

    /// The half-space below a plane with a unit normal covers what is in it.
    pub fn add_plane(&mut self, point: Vector3<f64>, normal: Vector3<f64>) {
        let cover = Cover::HalfSpace { point, normal };
        for face in 0..FACES {
            // The lowest corner of the face.
            let mut corner = self.extent.min;
            for k in 0..3 {
                if normal[k] < 0.0 {
                    corner[k] = self.extent.max[k];
                }
            }
            corner[face / 2] = self.extent.bound(face);
            if self.covered_by(&cover, &corner) {
                self.covers[face].push(cover);
            }
        }
    }

    /// A box that touches this one, whether it owns surface that both have, and whether it is of the same material.
    pub fn add_neighbour(&mut self, index: usize, other: Extent, first: bool, same: bool) {
        self.neighbours.push(Neighbour {
            index,
            extent: other,
            first,
        });
        for face in 0..FACES {
            let k = face / 2;
            let bound = self.extent.bound(face);
            let goes_on = if face.is_multiple_of(2) {
                other.min[k] < bound && bound <= other.max[k]
            } else {
                other.min[k] <= bound && bound < other.max[k]
            };
            let overlaps = (0..3).all(|j| {
                j == k
                    || other.min[j].max(self.extent.min[j]) < other.max[j].min(self.extent.max[j])
            });
            if goes_on && overlaps {
                self.covers[face].push(Cover::Box(other));
                self.changes[face] |= !same;
            }
        }
    }

    /// Whether each cell that the bounds of the covers cut the face into is below one of them.
    fn is_wholly_covered(&self, face: usize) -> bool {
        let axes = [(face / 2 + 1) % 3, (face / 2 + 2) % 3];
        let cuts = axes.map(|k| {
            let boxes = self.covers[face].iter().filter_map(|cover| match cover {
                Cover::Box(b) => Some([b.min[k], b.max[k]]),
                Cover::HalfSpace { .. } => None,
            });
            let own = [self.extent.min[k], self.extent.max[k]];
            let mut cuts: Vec<f64> = boxes
                .flatten()
                .map(|x| x.clamp(own[0], own[1]))
                .chain(own)
                .collect();
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            cuts
        });
        let corner = |u: f64, v: f64| {
            let mut x = Vector3::zeros();
            x[face / 2] = self.extent.bound(face);
            x[axes[0]] = u;
            x[axes[1]] = v;
            x
        };
        cuts[0].windows(2).all(|u| {
            cuts[1].windows(2).all(|v| {
                self.covers[face].iter().any(|cover| {
                    [u[0], u[1]]
                        .iter()
                        .all(|u| v.iter().all(|v| self.covered_by(cover, &corner(*u, *v))))
                })
            })
        })
    }

    fn covered_by(&self, cover: &Cover, x: &Vector3<f64>) -> bool {
        match cover {
            Cover::Box(b) => b.contains(x),
            Cover::HalfSpace { point, normal } => normal.dot(&(x - point)) <= self.joined,
        }
    }

    /// How far beyond its bounds the closest points of the box may be \[m\].
    pub fn margin(&self) -> f64 {
        MARGIN.max(10.0 * self.joined)
    }

    /// Whether the place of a face nearest to a point is covered, and all around it within the margin.
    fn covers(&self, face: usize, x: &Vector3<f64>) -> bool {
        if self.covers[face].is_empty() {
            return false;
        }
        let mut place = self.extent.nearest(x);
        place[face / 2] = self.extent.bound(face);
        let covered = |x: &Vector3<f64>| self.covers[face].iter().any(|c| self.covered_by(c, x));
        let margin = self.margin();
        covered(&place)
            && (0..3).filter(|k| *k != face / 2).all(|k| {
                [-margin, margin].iter().all(|shift| {
                    let mut near = place;
                    near[k] = (near[k] + shift).clamp(self.extent.min[k], self.extent.max[k]);
                    covered(&near)
                })
            })
    }

    /// Closest points by `measure` (of a box between two corners), and the box with the sides that
    /// are not there taken out.
    pub fn touch<T: Scalar>(
        &self,
        measure: impl Fn(&Vector3<f64>, &Vector3<f64>) -> Touch<T>,
    ) -> (Touch<T>, Extent) {
        let mut extent = self.continued;
        // A box that is covered all around has no surface to speak of.
        if (0..FACES).all(|face| extent.is_open(face)) {
            extent = self.extent;
            return (measure(&extent.min, &extent.max), extent);
        }
        loop {
            let touch = measure(&extent.min, &extent.max);
            let place = touch.points[1].map(value);
            let normal = touch.normal.map(value);
            let hidden = (0..FACES).find(|&face| {
                let outward = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
                !extent.is_open(face)
                    && normal[face / 2] * outward > 0.0
                    && self.covers(face, &place)
            });
            let rest = |hidden: usize| (0..FACES).any(|f| f != hidden && !extent.is_open(f));
            match hidden.filter(|face| rest(*face)) {
                Some(face) => extent.open(face),
                None => return (touch, extent),
            }
        }
    }

    /// Lowest and highest corner of the box by itself.
    pub fn bounds(&self) -> (&Vector3<f64>, &Vector3<f64>) {
        (&self.extent.min, &self.extent.max)
    }

    /// The same of a box that goes on beyond each face that others cover altogether, half as far as these do, and up to its own length:
    /// its edges do not end there, where what touches these others is on a level with them.
    pub fn outgrown_bounds(&self) -> (Vector3<f64>, Vector3<f64>) {
        let (mut min, mut max) = (self.extent.min, self.extent.max);
        let size = max - min;
        for face in (0..FACES).filter(|face| self.continued.is_open(*face)) {
            let (k, bound) = (face / 2, self.extent.bound(face));
            let up = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
            let goes_on = |cover: &Cover| match cover {
                Cover::HalfSpace { normal, .. } if up * normal[k] <= 0.0 => size[k],
                Cover::HalfSpace { .. } => 0.0,
                Cover::Box(other) => 0.5 * up * (other.bound(face) - bound),
            };
            let further = self.covers[face]
                .iter()
                .map(goes_on)
                .fold(size[k], f64::min);
            if up < 0.0 {
                min[k] -= further;
            } else {
                max[k] += further;
            }
        }
        (min, max)
    }

    /// Whether the closest point is on surface that this box has and no neighbour owns.
    pub fn is_exposed(&self, touch: &Touch<f64>) -> bool {
        if (0..FACES).all(|face| self.continued.is_open(face)) {
            return false;
        }
        let [deepest, place] = &touch.points;
        let outside =
            |x: &Vector3<f64>| (0..FACES).any(|face| self.extent.beyond(face, x) > self.margin());
        // What is inside of the continued box alone is over or in a neighbour; what is deeper than the box is thick is not. Deep below a
        // face, on the border to a neighbour, is what touches that.
        let least = if touch.gap < -DEEP {
            -self.margin()
        } else {
            self.margin()
        };
        let in_neighbour = |x: &Vector3<f64>| {
            let beyond = |face: usize| self.extent.beyond(face, x) > least;
            (0..FACES).any(|face| !self.covers[face].is_empty() && beyond(face))
        };
        if outside(place) || (touch.gap < 0.0 && in_neighbour(deepest)) {
            return false;
        }
        let Some(face) = face_of(&touch.normal) else {
            return true;
        };
        if self.covers(face, place) {
            return false;
        }
        let k = face / 2;
        let owned = self.extent.owns(k, place);
        !self.neighbours.iter().any(|other| {
            let flush = other.extent.bound(face) == self.extent.bound(face);
            flush && other.extent.owns(k, place) && (other.first || !owned)
        })
    }

    /// Faces that are there and not further from a point than a length.
    pub fn faces_near(&self, x: &Vector3<f64>, length: f64) -> impl Iterator<Item = usize> {
        let near = move |face: &usize| self.extent.beyond(*face, x).abs() <= length;
        (0..FACES).filter(move |face| near(face) && !self.covers(*face, x))
    }

    /// Whether a corner of the box is one of the whole terrain.
    pub fn has_corner(&self, x: &Vector3<f64>) -> bool {
        let middle = (self.extent.min + self.extent.max) * 0.5;
        self.is_outermost(x, &(x - middle).map(f64::signum))
    }

    /// Whether some of the edge along an axis on these sides of the box (±1, zero along it) is one of the whole terrain.
    pub fn has_edge(&self, axis: usize, sides: &Vector3<f64>) -> bool {
        let (min, max) = self.bounds();
        let at = |along: f64| {
            let mut x = Vector3::from_fn(|k, _| if sides[k] > 0.0 { max[k] } else { min[k] });
            x[axis] = along;
            x
        };
        // Where others begin and end along it.
        let boxes = self.neighbours.iter();
        let boxes = boxes.flat_map(|other| [other.extent.min[axis], other.extent.max[axis]]);
        let planes = self
            .covers
            .iter()
            .flatten()
            .filter_map(|cover| match cover {
                Cover::HalfSpace { point, normal } if normal[axis] != 0.0 => {
                    Some(normal.dot(&(point - at(0.0))) / normal[axis])
                }
                Cover::HalfSpace { .. } | Cover::Box(_) => None,
            });
        let inner = boxes.chain(planes);
        let inner = inner.filter(|x| (min[axis]..max[axis]).contains(x));
        let mut cuts: Vec<f64> = inner.chain([min[axis], max[axis]]).collect();
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2)
            .filter(|part| part[1] - part[0] > 4.0 * self.margin())
            .any(|part| self.is_outermost(&at(0.5 * (part[0] + part[1])), sides))
    }

    /// Whether the edge or the corner on these sides of the box (±1, zero along an edge) is one of the whole terrain at a
    /// place on it: no other piece is around it, up to the margin. An edge is there up to where it comes out of another piece: what
    /// stands on that is on a level with its end.
    pub fn is_outermost(&self, x: &Vector3<f64>, sides: &Vector3<f64>) -> bool {
        let along = sides.map(|side| {
            if side == 0.0 {
                2.0 * self.margin()
            } else {
                0.0
            }
        });
        let mut places = [0.0, 1.0, -1.0].into_iter().map(|shift| x + along * shift);
        places.any(|x| self.is_bare(&x, sides))
    }

    /// The same of the place alone.
    fn is_bare(&self, x: &Vector3<f64>, sides: &Vector3<f64>) -> bool {
        let margin = 2.0 * self.margin();
        // All ways out of the box from there: along one of its sides, or several.
        let is_way = |ways: &usize| (0..3).all(|k| sides[k] != 0.0 || ways >> k & 1 == 0);
        (1..8).filter(is_way).all(|ways| {
            let out = |k: usize| if ways >> k & 1 == 1 { margin } else { -margin };
            let near = x + Vector3::from_fn(|k, _| out(k) * sides[k]);
            let below = |cover: &Cover| {
                matches!(cover, Cover::HalfSpace { .. }) && self.covered_by(cover, &near)
            };
            let within = |other: &Neighbour| other.extent.contains(&near);
            !self.neighbours.iter().any(within) && !self.covers.iter().flatten().any(below)
        })
    }

    /// In-plane distance from a place on a face to the nearest of its edges that is there, or to a
    /// piece of another material, positive on this piece; edges count as `beside` \[m\] farther out.
    pub fn to_edge(&self, touch: &Touch<f64>, beside: f64) -> f64 {
        let Some(face) = face_of(&touch.normal) else {
            return f64::INFINITY;
        };
        let place = &touch.points[1];
        (0..FACES)
            .filter(|&side| side / 2 != face / 2)
            .filter(|&side| !self.continued.is_open(side) && !self.covers(side, place))
            .map(|side| beside - self.extent.beyond(side, place))
            .fold(self.to_other_material(touch), f64::min)
    }

    /// In-plane distance from a place on a face to where a piece of another material begins,
    /// positive on this piece.
    pub fn to_other_material(&self, touch: &Touch<f64>) -> f64 {
        let Some(face) = face_of(&touch.normal) else {
            return f64::INFINITY;
        };
        let place = &touch.points[1];
        (0..FACES)
            .filter(|&side| side / 2 != face / 2 && self.changes[side])
            .map(|side| -self.extent.beyond(side, place))
            .fold(f64::INFINITY, f64::min)
    }
}
