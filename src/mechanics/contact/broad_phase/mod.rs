//! Which contacts with terrain cannot be near, without looking at any of them.
//!
//! All sites of a body lie in one box that is fixed in the body, and in one sphere around its middle: centre c and radius R,
//! their radii, arcs (as full circles) and disc edges included. Where no point of a piece of terrain is nearer to the box than
//! d,
//!
//! ```text
//! φ ≥ d        for every contact φ of the body with that piece that is there
//! ```
//!
//! because φ is the distance from the terrain to a point of the box. A *group* is the contacts of one body with one
//! piece of terrain; d is its bound. Two boxes are at least as far apart as what they cover along the axes of either, and
//! the sphere is asked first: what is farther from c than 2 R is far. A contact with a box may be measured against what
//! continues the box where others cover it; then it is there only as long as its closest point is within the margin of the
//! box itself (`is_exposed`), which is taken off the bound.
//!
//! The closest point moves with its body, which is held by the same sphere: at a twist (v, ω) in the body's frame,
//! φ changes by at most |v| + |ω| (|c| + R).
//!
//! Contacts with a surface that a body carries are groups of the same kind, with the box seen from there; what the carrier's
//! points move is added, its surface reaching so far from the origin of its frame. So are those of two shapes that cross, with
//! the box around the first one. Before them two bodies are asked as wholes (page of `pairs`), and after them, where a group is
//! near, its contacts one by one (page of `places`). A place on a cylinder is there to a little past its rim ([`BESIDE`]), which is
//! taken off as well.

mod groups;
mod pairs;
mod places;

use nalgebra::Vector3;

pub(crate) use self::groups::Group;
pub(super) use self::groups::{Against, Cluster, Groups};
pub(super) use self::places::LastSeen;
use super::contacts::Contacts;
use super::edges::EdgedShape;
use super::joints::JointLimit;
use super::listing::Sides;
use super::{BESIDE, Ground, SmoothGround};
use crate::dynamics::Kinematics;
use crate::spatial::Pose;

/// Roundings of lengths of order one between the frame of a body and the world, with room for those of a chain of bodies.
const ROUNDING: f64 = 1e-12;

/// A speed that no point of a body within `reach` of the origin of its frame exceeds \[m/s\]. Needs twists.
#[inline]
fn speed_within(kinematics: &Kinematics<f64>, body: usize, reach: f64) -> f64 {
    let twist = &kinematics.twist[body];
    twist.linear.norm() + reach * twist.angular.norm()
}

impl Cluster {
    /// A speed that no point of the sphere exceeds \[m/s\]. Needs twists.
    #[inline]
    pub fn speed(&self, kinematics: &Kinematics<f64>) -> f64 {
        speed_within(kinematics, self.body, self.reach)
    }
}

impl Ground {
    /// A length that is not above the distance of any place on it that can be touched from a point in its frame \[m\]
    /// where it is positive; minus infinity where nobody knows.
    #[inline]
    fn point_bound(&self, x: &Vector3<f64>) -> f64 {
        match self {
            Self::Plane { point, normal } => {
                normal.dot(&(x - point)) - ROUNDING * (magnitude(x) + point.amax())
            }
            Self::Box(exposed) => {
                let (min, max) = exposed.bounds();
                let beyond = (min - x).sup(&(x - max)).sup(&Vector3::zeros());
                let margin = 2.0 * exposed.margin();
                beyond.norm() - margin - ROUNDING * (magnitude(x) + min.amax().max(max.amax()))
            }
            Self::Smooth(SmoothGround::Capsule(capsule)) => {
                capsule.proximity(x).distance - ROUNDING * (magnitude(x) + capsule.half)
            }
            Self::Smooth(SmoothGround::Heights(field)) => {
                field.distance_bound(x, &Vector3::zeros()) - ROUNDING * magnitude(x)
            }
            Self::Smooth(SmoothGround::Own(_) | SmoothGround::Side(_)) => f64::NEG_INFINITY,
            Self::Cylinder(cylinder) => {
                let [beyond, above] = cylinder.beyond(x);
                let rounding = ROUNDING * (magnitude(x) + cylinder.radius + cylinder.half);
                beyond.max(0.0).hypot(above.max(0.0)) - BESIDE - rounding
            }
        }
    }

    /// The same from all points of a box in its frame, by half of its edges \[m\].
    fn box_bound(&self, own: &Pose<f64>, half: &Vector3<f64>) -> f64 {
        let x = &own.translation;
        match self {
            Self::Plane { normal, .. } => {
                self.point_bound(x) - own.rotation.tr_mul(normal).abs().dot(half)
            }
            Self::Box(exposed) => {
                let (min, max) = exposed.bounds();
                let apart = separation(own, half, &((min + max) * 0.5), &((max - min) * 0.5));
                let margin = 2.0 * exposed.margin();
                apart - margin - ROUNDING * (magnitude(x) + min.amax().max(max.amax()))
            }
            Self::Smooth(SmoothGround::Capsule(capsule)) => {
                let other = Vector3::new(0.0, 0.0, capsule.half).add_scalar(capsule.radius);
                separation(own, half, &Vector3::zeros(), &other)
                    - ROUNDING * (magnitude(x) + other.amax())
            }
            Self::Smooth(SmoothGround::Heights(field)) => {
                let reach = own.rotation.abs() * half;
                field.distance_bound(x, &reach) - ROUNDING * magnitude(x)
            }
            Self::Smooth(SmoothGround::Own(_) | SmoothGround::Side(_)) => f64::NEG_INFINITY,
            Self::Cylinder(cylinder) => {
                let other = Vector3::new(cylinder.radius, cylinder.radius, cylinder.half);
                separation(own, half, &Vector3::zeros(), &other)
                    - BESIDE
                    - ROUNDING * (magnitude(x) + other.amax())
            }
        }
    }
}

/// A length that no coordinate exceeds; no number where one of them is none, which the largest of them may be.
#[inline]
fn magnitude(x: &Vector3<f64>) -> f64 {
    x.x.abs() + x.y.abs() + x.z.abs()
}

/// What two boxes are apart at least, the second with its middle and along the axes \[m\]: of what they cover along the axes of
/// either. Zero where these overlap.
fn separation(
    own: &Pose<f64>,
    half: &Vector3<f64>,
    middle: &Vector3<f64>,
    other: &Vector3<f64>,
) -> f64 {
    let apart = own.translation - middle;
    let turned = own.rotation.abs();
    let [along, across] = [
        apart.abs() - (other + turned * half),
        own.rotation.tr_mul(&apart).abs() - (half + turned.tr_mul(other)),
    ]
    .map(|beyond| beyond.sup(&Vector3::zeros()).norm_squared());
    along.max(across).sqrt()
}

impl EdgedShape {
    /// A length that is not above the distance of any place on it that can be touched from a point in its frame \[m\].
    fn point_bound(&self, x: &Vector3<f64>) -> f64 {
        let Ground::Box(_) = self.ground() else {
            return self.ground().point_bound(x);
        };
        let beyond = (x.abs() - self.half()).sup(&Vector3::zeros());
        beyond.norm() - ROUNDING * (magnitude(x) + self.half().amax())
    }

    /// The same from all points of a box in its frame, by half of its edges \[m\].
    fn box_bound(&self, own: &Pose<f64>, half: &Vector3<f64>) -> f64 {
        let other = self.box_around();
        separation(own, half, &Vector3::zeros(), &other)
            - ROUNDING * (magnitude(&own.translation) + other.amax())
    }
}

impl Contacts {
    /// The spheres, and the groups of each.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = (&Cluster, std::ops::Range<usize>)> {
        let terrains = self.terrains().len();
        let clusters = self.groups.clusters.iter().enumerate();
        clusters.map(move |(k, cluster)| (cluster, k * terrains..(k + 1) * terrains))
    }

    /// A speed that no gap rate of a group with a carried surface, or of crossings, exceeds \[m/s\]. Needs twists.
    pub(crate) fn closing_speed(&self, kinematics: &Kinematics<f64>, group: &Group) -> f64 {
        let own = |body| speed_within(kinematics, body, group.reach);
        let carrier = group.carrier.map_or(0.0, own);
        let piece = match group.against {
            Against::Surface(_) => None,
            Against::Shape(k) => self.edged[k].piece,
        };
        let piece = piece.map_or(0.0, |piece| self.top_speed(piece));
        group.cluster.speed(kinematics) + carrier + piece
    }

    /// Number of groups of contacts of one body with one piece of terrain or carried surface.
    pub(crate) fn group_count(&self) -> usize {
        self.groups.members.len()
    }

    /// The group of contact i; none for pairs and limits of joints.
    #[inline]
    pub(crate) fn group(&self, i: usize) -> Option<usize> {
        self.groups.of[i]
    }

    /// The contacts of a group, ascending.
    #[inline]
    pub(crate) fn members(&self, group: usize) -> &[usize] {
        &self.groups.members[group]
    }

    /// Of each two shapes of which the edges or sides may touch, the first of their contacts, ascending.
    pub(in crate::contact) fn shape_pairs(&self) -> impl Iterator<Item = usize> {
        let groups = self.groups.carried.iter();
        groups.filter_map(|group| self.shape_pair(group))
    }

    /// The first contact of two shapes of which the edges or sides may touch, if the group is of such.
    #[inline]
    pub(crate) fn shape_pair(&self, group: &Group) -> Option<usize> {
        match group.against {
            Against::Shape(_) => self.members(group.index).first().copied(),
            Against::Surface(_) => None,
        }
    }

    /// Contacts in no group, ascending.
    pub(crate) fn ungrouped(&self) -> &[usize] {
        &self.groups.others
    }

    /// What [`Contacts::ungrouped_speed`] exceeds for the limit of no joint. Needs twists.
    pub(crate) fn fastest_limit(&self, kinematics: &Kinematics<f64>) -> f64 {
        JointLimit::fastest(kinematics)
    }

    /// A speed that the gap rate of a contact in no group does not exceed \[m/s or rad/s\]; infinite where nobody says. Needs
    /// twists.
    #[inline]
    pub(crate) fn ungrouped_speed(&self, kinematics: &Kinematics<f64>, i: usize) -> f64 {
        match &self.contacts[i].sides {
            Sides::Limit(limit) => limit.speed(kinematics),
            _ => f64::INFINITY,
        }
    }

    /// Overwrites `bounds` with one of each group \[m\]. Where it is positive, no [`Contacts::gap`] of the group is smaller, and
    /// no [`Contacts::mechanical_gap`] of a contact that is present. `apart` is overwritten with the bound of all groups of each
    /// pair where that is above `reach` \[m\], elsewhere with zero. Needs placements.
    pub(crate) fn bound_gaps(
        &self,
        kinematics: &Kinematics<f64>,
        reach: f64,
        bounds: &mut [f64],
        apart: &mut [f64],
    ) {
        for (cluster, groups) in self.clusters() {
            // The box around sites is along the axes of their body.
            let body = &kinematics.world[cluster.body];
            let own = Pose::new(body.rotation, body.point(&cluster.pose.translation));
            for (terrain, bound) in bounds[groups].iter_mut().enumerate() {
                let mut seen = own;
                if let Some(shaking) = self.shaking(terrain) {
                    seen.translation -= shaking.displacement(kinematics.clock.time);
                }
                let ground = &self.grounds[terrain];
                let distance = ground.point_bound(&seen.translation) - cluster.radius;
                *bound = nearer(cluster, distance, || ground.box_bound(&seen, &cluster.half));
            }
        }
        self.bound_pairs(kinematics, reach, bounds, apart);
        for group in self.unpaired() {
            bounds[group.index] = self.bound(kinematics, group);
        }
    }

    /// That of a group with a carried surface or of crossings.
    fn bound(&self, kinematics: &Kinematics<f64>, group: &Group) -> f64 {
        let cluster = &group.cluster;
        let view = match group.against {
            Against::Surface(surface) => self.view(kinematics, surface),
            Against::Shape(other) => Some(self.shape_pose(kinematics, other)),
        };
        let Some(view) = view else {
            return f64::NEG_INFINITY;
        };
        let body = &kinematics.world[cluster.body];
        let center = body.point(&cluster.pose.translation);
        let rounding = ROUNDING * (magnitude(&center) + magnitude(&view.translation));
        let view = view.inverse();
        let seen = view.point(&center);
        let whole = || view.compose(&body.compose(&cluster.pose));
        let bound = match group.against {
            Against::Surface(surface) => {
                let ground = &self.grounds[surface];
                let distance = ground.point_bound(&seen) - cluster.radius;
                nearer(cluster, distance, || {
                    ground.box_bound(&whole(), &cluster.half)
                })
            }
            Against::Shape(other) => {
                let shape = &self.edged[other];
                let distance = shape.point_bound(&seen) - cluster.radius;
                nearer(cluster, distance, || {
                    shape.box_bound(&whole(), &cluster.half)
                })
            }
        };
        bound - rounding
    }
}

/// The distance from the sphere of a cluster, or of its box where that is not so far that it is enough \[m\].
#[inline]
fn nearer(cluster: &Cluster, from_sphere: f64, from_box: impl FnOnce() -> f64) -> f64 {
    if from_sphere > cluster.radius {
        from_sphere
    } else {
        from_sphere.max(from_box())
    }
}

#[cfg(test)]
mod tests;
