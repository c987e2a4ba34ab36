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
//! the box around the first one.

mod groups;

use nalgebra::Vector3;

pub(super) use self::groups::{Against, Cluster, Group, Groups};
use super::contacts::Contacts;
use super::edges::EdgedShape;
use super::joints::JointLimit;
use super::listing::Sides;
use super::{Ground, SmoothGround};
use crate::dynamics::Kinematics;
use crate::spatial::Pose;

/// Roundings of lengths of order one between the frame of a body and the world, with room for those of a chain of bodies.
const ROUNDING: f64 = 1e-12;

impl Cluster {
    /// A speed that no point of the sphere exceeds \[m/s\]. Needs twists.
    #[inline]
    pub fn speed(&self, kinematics: &Kinematics<f64>) -> f64 {
        let twist = &kinematics.twist[self.body];
        twist.linear.norm() + self.reach * twist.angular.norm()
    }
}

impl Ground {
    /// A length that is not above the distance of any place on it that can be touched from a point in its frame \[m\];
    /// minus infinity where nobody knows.
    #[inline]
    fn point_bound(&self, x: &Vector3<f64>) -> f64 {
        match self {
            Self::Plane { point, normal } => {
                normal.dot(&(x - point)) - ROUNDING * (x.amax() + point.amax())
            }
            Self::Box(exposed) => {
                let (min, max) = exposed.bounds();
                let beyond = (min - x).sup(&(x - max)).sup(&Vector3::zeros());
                let margin = 2.0 * exposed.margin();
                beyond.norm() - margin - ROUNDING * (x.amax() + min.amax().max(max.amax()))
            }
            Self::Smooth(SmoothGround::Capsule(capsule)) => {
                capsule.proximity(x).distance - ROUNDING * (x.amax() + capsule.half)
            }
            Self::Smooth(_) => f64::NEG_INFINITY,
            Self::Cylinder(cylinder) => {
                let [beyond, above] = cylinder.beyond(x);
                let rounding = ROUNDING * (x.amax() + cylinder.radius + cylinder.half);
                beyond.max(0.0).hypot(above.max(0.0)) - rounding
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
                apart - margin - ROUNDING * (x.amax() + min.amax().max(max.amax()))
            }
            Self::Smooth(SmoothGround::Capsule(capsule)) => {
                let other = Vector3::new(0.0, 0.0, capsule.half).add_scalar(capsule.radius);
                separation(own, half, &Vector3::zeros(), &other)
                    - ROUNDING * (x.amax() + other.amax())
            }
            Self::Smooth(_) => f64::NEG_INFINITY,
            Self::Cylinder(cylinder) => {
                let other = Vector3::new(cylinder.radius, cylinder.radius, cylinder.half);
                separation(own, half, &Vector3::zeros(), &other)
                    - ROUNDING * (x.amax() + other.amax())
            }
        }
    }
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
        beyond.norm() - ROUNDING * (x.amax() + self.half().amax())
    }

    /// The same from all points of a box in its frame, by half of its edges \[m\].
    fn box_bound(&self, own: &Pose<f64>, half: &Vector3<f64>) -> f64 {
        let other = self.box_around();
        separation(own, half, &Vector3::zeros(), &other)
            - ROUNDING * (own.translation.amax() + other.amax())
    }
}

impl Contacts {
    /// The spheres, and the groups of each.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = (&Cluster, std::ops::Range<usize>)> {
        let terrains = self.terrains().len();
        let clusters = self.groups.clusters.iter().enumerate();
        clusters.map(move |(k, cluster)| (cluster, k * terrains..(k + 1) * terrains))
    }

    /// The groups of contacts with carried surfaces and of crossings, each with its index.
    pub(crate) fn carried_groups(&self) -> impl Iterator<Item = (usize, &Group)> {
        self.groups.carried.iter().map(|group| (group.index, group))
    }

    /// A speed that no gap rate of such a group exceeds \[m/s\]. Needs twists.
    pub(crate) fn closing_speed(&self, kinematics: &Kinematics<f64>, group: &Group) -> f64 {
        let carrier = group.carrier.map_or(0.0, |body| {
            let twist = &kinematics.twist[body];
            twist.linear.norm() + group.reach * twist.angular.norm()
        });
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
    /// no [`Contacts::mechanical_gap`] of a contact that is present. Needs placements.
    pub(crate) fn bound_gaps(&self, kinematics: &Kinematics<f64>, bounds: &mut [f64]) {
        for (cluster, groups) in self.clusters() {
            let own = kinematics.world[cluster.body].compose(&cluster.pose);
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
        for (k, group) in self.carried_groups() {
            let cluster = &group.cluster;
            let view = match group.against {
                Against::Surface(surface) => self.view(kinematics, surface),
                Against::Shape(other) => Some(self.shape_pose(kinematics, other)),
            };
            let Some(view) = view else {
                continue;
            };
            let body = &kinematics.world[cluster.body];
            let center = body.point(&cluster.pose.translation);
            let rounding = ROUNDING * (center.amax() + view.translation.amax());
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
            bounds[k] = bound - rounding;
        }
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
mod tests {
    use crate::contact::{
        CarriedSurface, Combination, Contacts, Material, Site, SiteShape, Terrain,
    };
    use crate::dynamics::Kinematics;
    use crate::model::sample::Uniform;
    use crate::model::{Base, Geometry, Joint, JointLimits, Link, Model, ModelBuilder};
    use crate::spatial::{Pose, rotation_exp};
    use nalgebra::Vector3;

    const RUBBER: Material = Material {
        friction: 0.5,
        restitution: 0.0,
    };

    /// A chain of four links from a floating base, its joints limited, one of them prismatic.
    fn random_chain(random: &mut Uniform) -> Model {
        let link = |i: usize| {
            let name = format!("link{i}");
            Link::new(&name).solid_sphere(1.0, 0.1, Vector3::zeros())
        };
        let mut builder = ModelBuilder::new("chain")
            .base(Base::Floating)
            .link(link(0));
        for i in 1..4 {
            let (parent, child) = (format!("link{}", i - 1), format!("link{i}"));
            let name = format!("joint{i}");
            let joint = match i {
                2 => Joint::prismatic(&name, &parent, &child),
                _ => Joint::revolute(&name, &parent, &child),
            };
            let limits = JointLimits {
                position: Some((-2.0, 2.0)),
                ..JointLimits::default()
            };
            let (place, turn) = (random.vector(0.5), random.vector(1.5));
            let joint = joint.origin(place, turn).axis(random.vector(1.0));
            builder = builder.link(link(i)).joint(joint.limits(limits));
        }
        builder.build().unwrap()
    }

    /// Eight sites on it in the world below, and four surfaces that its links carry.
    fn random_contacts(random: &mut Uniform, model: &Model) -> Contacts {
        let sites: Vec<Site> = (0..8).map(|i| random_site(random, model, i)).collect();
        let surfaces = (0..4).map(|i| random_surface(random, model, i)).collect();
        Contacts::new(model, sites, world(), &[], Combination::Average)
            .and_then(|contacts| contacts.with_carried(surfaces, |_, _| true, Combination::Average))
            .and_then(|contacts| contacts.with_joint_limits(model, |_| 0.0))
            .unwrap()
    }

    fn random_site(random: &mut Uniform, model: &Model, i: usize) -> Site {
        let first = random.vector(1.0);
        let axes = [first, [first[1], -first[0], 0.0]].map(Vector3::from);
        let radius = random.between(0.05, 0.5);
        let shape = match random.below(4) {
            0 => SiteShape::Point,
            1 => SiteShape::Sphere { radius },
            2 => SiteShape::Arc {
                axes,
                radius,
                start: random.between(-3.0, 0.0),
                end: random.between(0.5, 3.0),
                thickness: random.between(0.0, 0.1),
            },
            _ => SiteShape::DiscEdge {
                axis: axes[0],
                radius,
            },
        };
        let link = format!("link{}", random.below(4));
        let center = random.vector(0.5);
        Site::new(model, &format!("s{i}"), &link, center, shape, RUBBER).unwrap()
    }

    fn random_surface(random: &mut Uniform, model: &Model, i: usize) -> CarriedSurface {
        let mut size = || random.between(0.05, 0.4);
        let geometry = match i {
            0 => Geometry::Sphere(size()),
            1 => Geometry::Box([size(), size(), size()]),
            2 => Geometry::Capsule(size(), size()),
            _ => Geometry::Cylinder(size(), size()),
        };
        let link = format!("link{}", random.below(4));
        let turn = rotation_exp(&Vector3::from(random.vector(2.0)));
        let pose = Pose::new(turn, random.vector(0.5).into());
        CarriedSurface::new(model, &format!("c{i}"), &link, &pose, geometry, RUBBER).unwrap()
    }

    /// A floor, a slope, steps that join each other and the floor, and a box in the air.
    fn world() -> Vec<Terrain> {
        let step = |name, min, max| Terrain::step(name, min, max, RUBBER);
        vec![
            Terrain::plane("floor", [0.0, 0.0, -1.0], [0.0, 0.0, 1.0], RUBBER),
            Terrain::plane("slope", [0.0, 3.0, -1.0], [0.1, -1.0, 0.7], RUBBER),
            step("low", [0.0, -1.0, -1.2], [0.5, 1.0, -0.8]),
            step("high", [0.5, -1.0, -1.2], [1.5, 1.0, -0.5]),
            step("air", [-2.0, -0.5, 0.5], [-1.5, 0.5, 0.502]),
        ]
    }

    fn random_state(random: &mut Uniform, model: &Model) -> (Vec<f64>, Vec<f64>) {
        let mut entries = |n: usize, most: f64| -> Vec<f64> {
            (0..n).map(|_| random.between(-most, most)).collect()
        };
        let mut q = entries(model.configuration_len(), 1.5);
        let length = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[3..7].iter_mut().for_each(|x| *x /= length);
        (q, entries(model.dof(), 3.0))
    }

    #[test]
    fn bounds_are_below_all_gaps_and_speeds_above_their_rates() {
        let (mut apart, mut there, mut carried) = (0, 0, 0);
        for seed in 0..60 {
            let mut random = Uniform::new(seed);
            let model = random_chain(&mut random);
            let contacts = random_contacts(&mut random, &model);
            assert_eq!(contacts.ungrouped().len(), 6);
            let mut bounds = vec![0.0; contacts.group_count()];
            for _ in 0..6 {
                let (q, v) = random_state(&mut random, &model);
                let mut kinematics = Kinematics::new(&model);
                kinematics.update_placements(&model, &q);
                kinematics.update_twists(&model, &v);
                contacts.bound_gaps(&kinematics, &mut bounds);
                for (cluster, groups) in contacts.clusters() {
                    let speed = cluster.speed(&kinematics);
                    for group in groups.filter(|&group| bounds[group] > 0.0) {
                        for &i in contacts.members(group) {
                            assert_eq!(contacts.group(i), Some(group));
                            assert_eq!(contacts.bodies(i)[0], Some(cluster.body));
                            apart += 1;
                            let (gap, bound) = (contacts.gap(&kinematics, i), bounds[group]);
                            assert!(gap >= bound, "{seed} {} {gap} {bound}", contacts.name(i));
                            if !contacts.is_present(&kinematics, i) {
                                continue;
                            }
                            there += 1;
                            let gap = contacts.mechanical_gap(&kinematics, i);
                            assert!(gap >= bound, "{seed} {} {gap} {bound}", contacts.name(i));
                            let rate = contacts.gap_rate(&kinematics, i);
                            assert!(rate.abs() <= speed, "{seed} {rate} {speed}");
                        }
                    }
                }
                for (group, own) in contacts.carried_groups() {
                    let speed = contacts.closing_speed(&kinematics, own);
                    for &i in contacts.members(group) {
                        assert_eq!(contacts.group(i), Some(group));
                        let frame = contacts.frame(&kinematics, i);
                        assert!(frame.rate(&kinematics).abs() <= speed || frame.gap < 0.0);
                        if bounds[group] > 0.0 {
                            carried += 1;
                            let gap = contacts.gap(&kinematics, i);
                            assert!(gap >= bounds[group], "{seed} {gap} {}", bounds[group]);
                        }
                    }
                }
                for &i in contacts.ungrouped() {
                    let rate = contacts.gap_rate(&kinematics, i).abs();
                    let speed = contacts.ungrouped_speed(&kinematics, i);
                    assert!(
                        rate <= speed && speed <= rate + 1e-9,
                        "{seed} {rate} {speed}"
                    );
                }
            }
        }
        assert!(apart > 10_000 && there > 5_000, "{apart} {there}");
        assert!(carried > 1000, "{carried}");
    }

    #[test]
    fn every_contact_is_in_one_group_or_in_none() {
        let mut random = Uniform::new(1);
        let model = random_chain(&mut random);
        let contacts = random_contacts(&mut random, &model);
        let grouped = (0..contacts.group_count()).flat_map(|group| contacts.members(group));
        let mut all: Vec<usize> = grouped.chain(contacts.ungrouped()).copied().collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..contacts.len()));
        for i in 0..contacts.len() {
            assert_eq!(contacts.group(i).is_none(), contacts.is_limit(i));
        }
    }

    #[test]
    fn the_bound_of_one_ball_is_its_gap_and_no_bound_comes_of_no_number() {
        let model = random_chain(&mut Uniform::new(2));
        let ball = Site::sphere(&model, "ball", "link1", [0.1, 0.2, 0.3], 0.2, RUBBER).unwrap();
        let contacts =
            Contacts::new(&model, vec![ball], world(), &[], Combination::Average).unwrap();
        let mut bounds = vec![0.0; contacts.group_count()];
        let mut kinematics = Kinematics::new(&model);
        let mut q = model.neutral_configuration();
        q[2] = 0.3;
        kinematics.update_placements(&model, &q);
        contacts.bound_gaps(&kinematics, &mut bounds);
        for (i, bound) in bounds.iter().enumerate() {
            // The margin of boxes is 1e-8, that of a radius of 0.2 by its share of 1e-9 less.
            let gap = contacts.gap(&kinematics, i);
            assert!(gap > 0.0 && (gap - bound) < 3e-8, "{i} {gap} {bound}");
        }
        kinematics.world[1].translation.z = f64::NAN;
        contacts.bound_gaps(&kinematics, &mut bounds);
        assert!(!bounds.iter().any(|bound| *bound > 0.0));
    }
}
