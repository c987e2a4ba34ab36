//! Contacts in groups of one body and one piece of terrain or carried surface, and the spheres and boxes around them.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::pairs::{Holder, Pair};
use crate::contact::listing::{Potential, RimOver, Sides};
use crate::contact::{Ground, Outline, Site};
use crate::spatial::Pose;

/// What sizes are enlarged by for their own rounding.
pub(super) const ENLARGED: f64 = 1.0 + 1e-9;
/// A cluster that makes more contacts with one piece of terrain is parted: as many as the corners of a box and the places of a
/// disc, which takes more to measure than to bound. Over planes it is not: a place there takes as little as a bound.
const FEW: usize = 9;

/// The box around the sites of a body or around a shape, and the sphere around its middle that holds the same.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cluster {
    pub body: usize,
    /// Of the box in the body's internal frame.
    pub(super) pose: Pose<f64>,
    /// Half of the edges of the box \[m\].
    pub(super) half: Vector3<f64>,
    /// Of the sphere \[m\].
    pub(super) radius: f64,
    /// Farthest point from the origin of the body's frame \[m\].
    pub(super) reach: f64,
}

/// What the contacts of one body with one carried surface, or of two shapes that cross, have in common.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Around the sites, or around the first shape.
    pub(super) cluster: Cluster,
    pub(super) against: Against,
    pub(super) carrier: Option<usize>,
    /// Farthest point of the surface from the origin of the carrier's frame \[m\].
    pub(super) reach: f64,
    /// Among all groups.
    pub(crate) index: usize,
}

/// What the cluster of a group may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Against {
    /// A carried surface, by its index among all grounds.
    Surface(usize),
    /// A shape with edges or a side.
    Shape(usize),
}

impl Group {
    /// A cluster against what a carrier has, which reaches so far from the origin of its frame \[m\].
    pub fn new(cluster: Cluster, against: Against, (carrier, reach): (Option<usize>, f64)) -> Self {
        Self {
            cluster,
            against,
            carrier,
            reach: ENLARGED * reach,
            index: 0,
        }
    }
}

/// The contacts in groups of one cluster and one piece of terrain or carried surface.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::contact) struct Groups {
    /// Of neighbouring sites of one body each.
    pub(super) clusters: Vec<Cluster>,
    /// Of all sites of one body each.
    bodies: Vec<Cluster>,
    /// Contacts of each group, ascending: cluster after cluster, for each all pieces of terrain; then those of bodies with
    /// carried surfaces and of crossings.
    pub(super) members: Vec<Vec<usize>>,
    /// The last of the groups.
    pub(super) carried: Vec<Group>,
    /// Bodies with what they touch by these.
    pub(super) pairs: Vec<Pair>,
    /// Places among these of those in no pair.
    pub(super) alone: Vec<usize>,
    /// The group of each body with each carried surface.
    known: BTreeMap<(usize, Against), usize>,
    /// The group of each contact; pairs and limits of joints are in none.
    pub(super) of: Vec<Option<usize>>,
    /// The contacts in none, ascending.
    pub(super) others: Vec<usize>,
}

impl Groups {
    pub fn new(
        sites: &[Site],
        outlines: &[Outline],
        grounds: &[Ground],
        contacts: &[Potential],
    ) -> Self {
        let terrains = grounds.len();
        let is_plane = |ground: &Ground| matches!(ground, Ground::Plane { .. });
        let bent = grounds.iter().filter(|ground| !is_plane(ground)).count();
        let mut counts = vec![0; sites.len()];
        for contact in contacts {
            if let Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) = contact.sides
                && !is_plane(&grounds[over.terrain])
            {
                counts[over.site] += 1;
            }
        }
        let mut groups = Self::default();
        let mut own = vec![None; sites.len()];
        let around = |body, clustered: &[usize]| Cluster::around(body, clustered, sites, outlines);
        for (body, clustered) in by_body(sites) {
            groups.bodies.push(around(body, &clustered));
            let few = |part: &[usize]| {
                let all: usize = part.iter().map(|&i| counts[i]).sum();
                all <= FEW * bent
            };
            let mut parts = vec![clustered];
            while let Some(part) = parts.pop() {
                let halves = (!few(&part)).then(|| halved(&part, sites)).flatten();
                if let Some(halves) = halves {
                    parts.extend(halves);
                    continue;
                }
                for &i in &part {
                    own[i] = Some(groups.clusters.len());
                }
                groups.clusters.push(around(body, &part));
            }
        }
        groups.members = vec![Vec::new(); groups.clusters.len() * terrains];
        for (i, contact) in contacts.iter().enumerate() {
            let group = match contact.sides {
                Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => {
                    own[over.site].map(|c| c * terrains + over.terrain)
                }
                _ => None,
            };
            groups.add(i, group);
        }
        groups
    }

    /// Adds the contact that comes next.
    pub fn add(&mut self, contact: usize, group: Option<usize>) {
        self.of.push(group);
        match group {
            Some(group) => self.members[group].push(contact),
            None => self.others.push(contact),
        }
    }

    /// The cluster of all sites of a body.
    pub fn cluster(&self, body: usize) -> Option<&Cluster> {
        self.bodies.iter().find(|cluster| cluster.body == body)
    }

    /// Adds the contact that comes next, which is with a carried surface; in no group if its site is fixed in the world.
    pub fn add_carried(&mut self, contact: usize, group: Option<&Group>) {
        let group = group.map(|group| {
            let key = (group.cluster.body, group.against);
            let known = self.known.get(&key).copied();
            known.unwrap_or_else(|| {
                let index = self.add_group(group.clone());
                self.known.insert(key, index);
                index
            })
        });
        self.add(contact, group);
    }

    /// Adds a group, and says its index.
    pub fn add_group(&mut self, group: Group) -> usize {
        let index = self.members.len();
        self.carried.push(Group { index, ..group });
        self.members.push(Vec::new());
        index
    }
}

/// The sites of each body that has any, in the order of the first ones.
fn by_body(sites: &[Site]) -> Vec<(usize, Vec<usize>)> {
    let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
    for (i, site) in sites.iter().enumerate() {
        let Some(body) = site.body else {
            continue;
        };
        match found.iter_mut().find(|(known, _)| *known == body) {
            Some((_, clustered)) => clustered.push(i),
            None => found.push((body, vec![i])),
        }
    }
    found
}

/// Sites on either side of the middle of the box around their centres, across its longest edge; none if they are all in one
/// place.
fn halved(clustered: &[usize], sites: &[Site]) -> Option<[Vec<usize>; 2]> {
    let centers = || clustered.iter().map(|&i| sites[i].center);
    let min = centers().reduce(|a, b| a.inf(&b))?;
    let max = centers().reduce(|a, b| a.sup(&b))?;
    let along = (max - min).imax();
    let middle = 0.5 * (min[along] + max[along]);
    let (low, high): (Vec<usize>, Vec<usize>) = clustered
        .iter()
        .partition(|&&i| sites[i].center[along] < middle);
    (!low.is_empty() && !high.is_empty()).then_some([low, high])
}

impl Cluster {
    /// A box that holds something in the body's internal frame, by its placement, half of its edges and the radius of a
    /// sphere around its middle that holds the same \[m\].
    pub fn new(body: usize, pose: Pose<f64>, half: &Vector3<f64>, radius: f64) -> Self {
        Self {
            body,
            half: half * ENLARGED,
            radius: ENLARGED * radius,
            reach: ENLARGED * (pose.translation.norm() + radius),
            pose,
        }
    }

    /// The box, half of its edges and the radius of the sphere.
    pub(super) fn holder(&self) -> Holder {
        (self.pose, self.half, self.radius)
    }

    fn around(body: usize, clustered: &[usize], sites: &[Site], outlines: &[Outline]) -> Self {
        let (mut min, mut max) = (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        );
        for &i in clustered {
            let (center, half) = (sites[i].center, outlines[i].half());
            min = min.inf(&(center - half));
            max = max.sup(&(center + half));
        }
        let center = (min + max) * 0.5;
        let farthest = |i: &usize| (sites[*i].center - center).norm() + outlines[*i].size();
        let radius = clustered.iter().map(farthest).fold(0.0, f64::max);
        let pose = Pose::new(Matrix3::identity(), center);
        Self::new(body, pose, &((max - min) * 0.5), radius)
    }
}
