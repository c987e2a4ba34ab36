//! Bounds of single contacts of a group that is near: of a limb that is beside another one most of its rims, and of a rim most of
//! its parts, are far from it.
//!
//! A place of a site lies in a ball around one of its points: that of its whole circle around the middle of that, with R and the
//! radius of the tube, within which nothing is that is in a ball away from the circle itself; that of a sixteenth of it around the
//! middle of this, with half of its arc; that of the end of an arc with the tube alone; a ball itself. Where the centre is d away from the surface and the ball has the radius r, the gap is at least
//! d − r, as that of a group (page of `broad_phase`). Over a plane, and where edges cross, nothing is bounded: that takes as long as
//! to measure.
//!
//! The end of a chord is at one edge of a box, from which d is measured then. That has no side: a disc that has gone into the box
//! away from the edge has a gap below zero there, and what is bounded is its magnitude. So a gap that is bounded by more than
//! what it changes by does not pass zero.
//!
//! Points of a rim over a face, which are there alone, have balls as large as those of sixteenths over what is bent: a disc that falls
//! flat is stopped by all of them at once, also by those that are still that high.

use nalgebra::Vector3;

use super::groups::ENLARGED;
use super::{ROUNDING, magnitude};
use crate::contact::contacts::Contacts;
use crate::contact::listing::{Ridge, Sides, SiteOver};
use crate::contact::touching::LastPlaced;
use crate::contact::{BESIDE, Ground, LONGEST_HALF, Outline, Place, SmoothGround};
use crate::dynamics::Kinematics;
use crate::spatial::Pose;

/// A body seen from a surface.
#[derive(Debug, Clone, Copy)]
struct BodySeen {
    body: Option<usize>,
    surface: usize,
    pose: Pose<f64>,
    /// Of lengths there \[m\].
    rounding: f64,
}

/// A circle seen from a surface.
#[derive(Debug, Clone, Copy)]
struct CircleSeen {
    site: usize,
    surface: usize,
    center: Vector3<f64>,
    /// Of that \[m\].
    distance: f64,
    /// Of the whole circle \[m\].
    bound: f64,
}

/// What was seen last: contacts of a group that follow each other are mostly of the same.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::contact) struct LastSeen {
    body: Option<BodySeen>,
    circle: Option<CircleSeen>,
}

impl Contacts {
    /// Whether [`Contacts::bound_place`] has a bound of the contacts of a group: of all or of none, since they are with one surface.
    #[inline]
    pub(crate) fn has_own_bounds(&self, group: usize) -> bool {
        let first = self.members(group).first();
        first.is_some_and(|&i| self.bounded_place(i).is_some())
    }

    #[inline]
    fn bounded_place(&self, i: usize) -> Option<(&SiteOver, Option<Ridge>)> {
        let (over, ridge) = match &self.contacts[i].sides {
            Sides::Terrain(over) => (over, None),
            Sides::Rim(rim) => (&rim.over, Some(rim.ridge)),
            _ => return None,
        };
        let is_plane = matches!(self.grounds[over.terrain], Ground::Plane { .. });
        (!is_plane).then_some((over, ridge))
    }

    /// A length \[m\] that the gap of contact i, of the end of a chord its magnitude, is not below where it is positive and the
    /// contact is there; minus infinity where it may as well be measured. Needs placements, with which `last` was seen.
    pub(crate) fn bound_place(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        last: &mut LastPlaced,
    ) -> f64 {
        let Some((over, ridge)) = self.bounded_place(i) else {
            return f64::NEG_INFINITY;
        };
        let ground = &self.grounds[over.terrain];
        let seen = self.see_body(kinematics, over, &mut last.seen.body);
        let (axes, radius, tube) = match &self.outlines[over.site] {
            Outline::Circle {
                axes, radius, tube, ..
            } => (axes, *radius, *tube),
            Outline::Ball { radius } => {
                return seen.distance(ground, &self.sites[over.site].center, *radius);
            }
        };
        let circle = match last.seen.circle {
            Some(circle) if (circle.site, circle.surface) == (over.site, over.terrain) => circle,
            _ => {
                let center = seen.pose.point(&self.sites[over.site].center);
                let distance = ground.point_bound(&center);
                let whole = seen.beside(distance, radius + tube);
                let bound = match ground.ball_around() {
                    // Something small may be within the circle.
                    Some(ball) if whole <= 0.0 => {
                        let [x, y] = axes.map(|axis| seen.pose.rotation * axis);
                        whole.max(seen.along(&(center, x.cross(&y), radius), ball) - tube)
                    }
                    _ => whole,
                };
                CircleSeen {
                    site: over.site,
                    surface: over.terrain,
                    center,
                    distance,
                    bound,
                }
            }
        };
        last.seen.circle = Some(circle);
        let part = match (ridge, ground, &over.place) {
            // Farther than it is large: its parts are as far.
            _ if circle.bound > radius => circle.bound,
            // In the box all ends of chords may have gone in.
            (Some(Ridge::Edge(_)), Ground::Box(_), _) if circle.distance <= 0.0 => circle.bound,
            (Some(Ridge::Edge(edge)), Ground::Box(exposed), _) => {
                let distance = edge.distance(&circle.center, exposed.bounds());
                seen.beside(distance, radius + tube)
            }
            (Some(_), ..) | (None, _, Place::Nearest) => circle.bound,
            (None, _, Place::End { point, .. }) => seen.distance(ground, point, tube),
            // As long as the arc: its chord is shorter by more than what parts overlap.
            (None, _, Place::Rim { point, .. }) => {
                seen.distance(ground, point, radius * LONGEST_HALF + tube)
            }
        };
        part.max(circle.bound)
    }

    fn see_body(
        &self,
        kinematics: &Kinematics<f64>,
        over: &SiteOver,
        last: &mut Option<BodySeen>,
    ) -> BodySeen {
        let body = self.sites[over.site].body;
        if let Some(seen) = *last
            && (seen.body, seen.surface) == (body, over.terrain)
        {
            return seen;
        }
        let own = body.map_or_else(Pose::identity, |body| kinematics.world[body]);
        let (pose, moved) = match self.view(kinematics, over.terrain) {
            Some(view) => (view.inverse().compose(&own), magnitude(&view.translation)),
            None => (own, 0.0),
        };
        *last.insert(BodySeen {
            body,
            surface: over.terrain,
            pose,
            rounding: ROUNDING * (magnitude(&own.translation) + moved),
        })
    }
}

impl Ground {
    /// A ball that holds all of it, with its centre in the frame of the surface \[m\]; none where it has no end, or nobody asks.
    fn ball_around(&self) -> Option<(Vector3<f64>, f64)> {
        match self {
            Self::Smooth(SmoothGround::Capsule(capsule)) => {
                Some((Vector3::zeros(), capsule.radius + capsule.half))
            }
            Self::Cylinder(cylinder) => {
                let reach = cylinder.radius.hypot(cylinder.half) + 2.0 * BESIDE;
                Some((Vector3::zeros(), reach))
            }
            Self::Box(exposed) => {
                let (min, max) = exposed.bounds();
                let reach = 0.5 * (max - min).norm() + 2.0 * exposed.margin();
                Some(((min + max) * 0.5, reach))
            }
            Self::Plane { .. } | Self::Smooth(_) => None,
        }
    }
}

impl BodySeen {
    /// How far a circle, given by its centre, axis and radius in the frame of a surface, is from a ball there at least \[m\].
    fn along(
        &self,
        (center, axis, radius): &(Vector3<f64>, Vector3<f64>, f64),
        (middle, reach): (Vector3<f64>, f64),
    ) -> f64 {
        let apart = middle - center;
        let above = axis.dot(&apart);
        let from_axis = (apart - axis * above).norm();
        let distance = (from_axis - radius).hypot(above);
        distance - reach - ROUNDING * (from_axis + radius) - self.rounding
    }

    /// How far a ball is from a surface at least, by its centre in the frame of the body \[m\].
    #[inline]
    fn distance(&self, ground: &Ground, center: &Vector3<f64>, radius: f64) -> f64 {
        self.beside(ground.point_bound(&self.pose.point(center)), radius)
    }

    /// The same by how far its centre is \[m\].
    #[inline]
    fn beside(&self, distance: f64, radius: f64) -> f64 {
        distance - ENLARGED * radius - self.rounding
    }
}
