//! Bodies with what they touch of other bodies, and of boxes of terrain: most are so far apart that none of their groups needs
//! a look.
//!
//! All sites and shapes by which a body touches another one lie in a box fixed in it, along the axes of its frame, and in a
//! sphere around the middle of that, with centre c and radius R. So
//!
//! ```text
//! φ ≥ |c₀ − c₁| − R₀ − R₁,     φ ≥ the distance of the boxes,     |φ̇| ≤ Σ |v| + |ω| (|c| + R)      over both bodies
//! ```
//!
//! for each contact of the pair: one bound for all its groups, as long as nobody asks whether they are farther apart.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::groups::{Against, ENLARGED, Group};
use super::{Contacts, ROUNDING, magnitude, separation, speed_within};
use crate::contact::Ground;
use crate::dynamics::Kinematics;
use crate::spatial::Pose;

/// Spheres that are apart by more than this share of both radii are far, whatever the boxes are.
const FAR: f64 = 0.125;

/// A box that holds something: its placement, half of its edges, and the radius of a sphere around its middle that holds the
/// same \[m\].
pub(super) type Holder = (Pose<f64>, Vector3<f64>, f64);

/// All by which a body touches another one.
#[derive(Debug, Clone, PartialEq)]
struct Side {
    /// `None` is the world.
    body: Option<usize>,
    /// Middle of the box along the axes of the body's internal frame.
    center: Vector3<f64>,
    /// Half of its edges \[m\].
    half: Vector3<f64>,
    /// Of the sphere \[m\].
    radius: f64,
    /// Farthest point of it from the origin of the body's frame \[m\].
    reach: f64,
}

impl Side {
    fn around(body: Option<usize>, parts: &[Holder]) -> Self {
        let (mut min, mut max) = (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        );
        for (pose, half, _) in parts {
            let reach = pose.rotation.abs() * half;
            min = min.inf(&(pose.translation - reach));
            max = max.sup(&(pose.translation + reach));
        }
        let center = (min + max) * 0.5;
        let farthest = |(pose, _, radius): &Holder| (pose.translation - center).norm() + radius;
        let radius = ENLARGED * parts.iter().map(farthest).fold(0.0, f64::max);
        Self {
            body,
            center,
            half: (max - min) * (0.5 * ENLARGED),
            radius,
            reach: ENLARGED * (center.norm() + radius),
        }
    }

    /// The box in the world.
    fn placed(&self, kinematics: &Kinematics<f64>) -> Pose<f64> {
        match self.body {
            Some(body) => {
                let own = &kinematics.world[body];
                Pose::new(own.rotation, own.point(&self.center))
            }
            None => Pose::new(Matrix3::identity(), self.center),
        }
    }

    /// A speed that no point of it exceeds \[m/s\]. Needs twists.
    fn speed(&self, kinematics: &Kinematics<f64>) -> f64 {
        let own = |body| speed_within(kinematics, body, self.reach);
        self.body.map_or(0.0, own)
    }
}

/// A body and what it touches of another one, or a box of terrain, with the groups of their contacts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    sides: [Side; 2],
    /// Places among the groups with carried surfaces.
    groups: Vec<usize>,
}

impl Pair {
    /// A length that no gap of the pair is below where it is positive \[m\]. Needs placements.
    fn distance(&self, kinematics: &Kinematics<f64>) -> f64 {
        let [one, other] = &self.sides;
        let [a, b] = [one, other].map(|side| side.placed(kinematics));
        let apart = a.translation - b.translation;
        let both = one.radius + other.radius;
        let rounding = ROUNDING * (magnitude(&a.translation) + magnitude(&b.translation) + both);
        let spheres = apart.norm() - both;
        if spheres > FAR * both {
            return spheres - rounding;
        }
        let (turned, seen) = (b.rotation.transpose(), b.rotation.tr_mul(&apart));
        let own = Pose::new(turned * a.rotation, seen);
        let boxes = separation(&own, &one.half, &Vector3::zeros(), &other.half);
        spheres.max(boxes) - rounding
    }

    /// A speed that no gap rate of the pair exceeds \[m/s\]. Needs twists.
    pub(crate) fn closing_speed(&self, kinematics: &Kinematics<f64>) -> f64 {
        self.sides.iter().map(|side| side.speed(kinematics)).sum()
    }
}

impl Contacts {
    /// Finds the pairs of all groups with carried surfaces and of crossings, but for what is against terrain that moves.
    pub(in crate::contact) fn pair_groups(&mut self) {
        // The two bodies; what is fixed in the world is one by one.
        type Key = (usize, Option<usize>, Option<Against>);
        let mut found = BTreeMap::<Key, ([Vec<Holder>; 2], Vec<usize>)>::new();
        let mut alone = Vec::new();
        for (k, group) in self.groups.carried.iter().enumerate() {
            if self.moves(group.against) {
                alone.push(k);
                continue;
            }
            let (own, carrier) = (group.cluster.body, group.carrier);
            let key = match carrier {
                Some(body) => (own.min(body), Some(own.max(body)), None),
                None => (own, None, Some(group.against)),
            };
            let is_turned = key.0 != own;
            let (parts, groups) = found.entry(key).or_default();
            parts[usize::from(is_turned)].push(group.cluster.holder());
            parts[usize::from(!is_turned)].push(self.holder(group.against));
            groups.push(k);
        }
        let pairs = found.into_iter().map(|((one, other, _), (parts, groups))| {
            let [own, with] = &parts;
            let sides = [Side::around(Some(one), own), Side::around(other, with)];
            Pair { sides, groups }
        });
        self.groups.pairs = pairs.collect();
        self.groups.alone = alone;
    }

    fn moves(&self, against: Against) -> bool {
        match against {
            Against::Surface(_) => false,
            Against::Shape(k) => {
                let piece = self.edged[k].piece;
                piece.is_some_and(|piece| self.shaking(piece).is_some())
            }
        }
    }

    /// Around what groups are against, in the frame of its carrier.
    fn holder(&self, against: Against) -> Holder {
        match against {
            Against::Surface(surface) => {
                let own = &self.surfaces[surface - self.terrains().len()];
                let margin = match &self.grounds[surface] {
                    Ground::Box(exposed) => 2.0 * exposed.margin(),
                    _ => 0.0,
                };
                let half = own.box_around().add_scalar(margin);
                (own.pose, half, own.size() + 2.0 * margin)
            }
            Against::Shape(shape) => {
                let own = &self.edged[shape];
                (*own.pose(), own.box_around(), own.size())
            }
        }
    }

    /// The pairs of bodies, and of bodies and boxes of terrain, that carried surfaces touch between.
    pub(crate) fn pairs(&self) -> &[Pair] {
        &self.groups.pairs
    }

    /// The groups of contacts of a pair.
    pub(crate) fn groups_of<'a>(&'a self, pair: &'a Pair) -> impl Iterator<Item = &'a Group> {
        pair.groups.iter().map(|k| &self.groups.carried[*k])
    }

    /// Groups that are in no pair, ascending.
    pub(crate) fn unpaired(&self) -> impl Iterator<Item = &Group> {
        let alone = self.groups.alone.iter();
        alone.map(|k| &self.groups.carried[*k])
    }

    /// Overwrites the bounds of all groups with one of their own or of their pair ([`Contacts::bound_gaps`]): of the pair where
    /// that is above `reach` \[m\], not negative, which is then kept in `apart`, where the others have zero. Needs placements.
    pub(super) fn bound_pairs(
        &self,
        kinematics: &Kinematics<f64>,
        reach: f64,
        bounds: &mut [f64],
        apart: &mut [f64],
    ) {
        for (pair, apart) in self.pairs().iter().zip(apart) {
            let distance = pair.distance(kinematics);
            *apart = if distance > reach { distance } else { 0.0 };
            if *apart > 0.0 {
                for group in self.groups_of(pair) {
                    bounds[group.index] = distance;
                }
            } else {
                self.bound_each(kinematics, pair, bounds);
            }
        }
    }

    /// Overwrites the bounds of the groups of a pair with their own. Needs placements.
    pub(crate) fn bound_each(&self, kinematics: &Kinematics<f64>, pair: &Pair, bounds: &mut [f64]) {
        for group in self.groups_of(pair) {
            bounds[group.index] = self.bound(kinematics, group);
        }
    }
}
