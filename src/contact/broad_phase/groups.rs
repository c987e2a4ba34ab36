//! Contacts in groups of one body and one piece of terrain or carried surface, and the spheres around them.

use nalgebra::Vector3;

use crate::contact::listing::{Potential, Sides};
use crate::contact::{Outline, Site};

/// What a radius is enlarged by for its own rounding.
const ENLARGED: f64 = 1.0 + 1e-9;

/// The sphere around the sites of a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cluster {
    pub body: usize,
    /// In the body's internal frame \[m\].
    pub(super) center: Vector3<f64>,
    /// \[m\]
    pub(super) radius: f64,
    /// Farthest point from the origin of the body's frame \[m\].
    pub(super) reach: f64,
}

/// What the contacts of one body with one carried surface, or of two shapes that cross, have in common.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Around the sites, or around the first shape.
    pub(super) sphere: Cluster,
    pub(super) against: Against,
    pub(super) carrier: Option<usize>,
    /// Farthest point of the surface from the origin of the carrier's frame \[m\].
    pub(super) reach: f64,
    /// Among all groups.
    pub(super) index: usize,
}

/// What the sphere of a group may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Against {
    /// A carried surface, by its index among all grounds.
    Surface(usize),
    /// A shape with edges or a side.
    Shape(usize),
}

impl Group {
    /// The sites of a body against what a carrier has, which reaches so far from the origin of its frame \[m\].
    pub fn of(body: usize, against: Against, carrier: (Option<usize>, f64)) -> Self {
        Self::around((Some(body), Vector3::zeros(), 0.0), against, carrier)
    }

    /// A sphere fixed in a body, by its centre in the body's internal frame and its radius \[m\].
    pub fn around(
        (body, center, radius): (Option<usize>, Vector3<f64>, f64),
        against: Against,
        (carrier, reach): (Option<usize>, f64),
    ) -> Self {
        let radius = ENLARGED * radius;
        Self {
            sphere: Cluster {
                body: body.unwrap_or_default(),
                center,
                radius,
                reach: ENLARGED * (center.norm() + radius),
            },
            against,
            carrier,
            reach: ENLARGED * reach,
            index: 0,
        }
    }
}

/// The contacts in groups of one body and one piece of terrain or carried surface.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::contact) struct Groups {
    pub(super) clusters: Vec<Cluster>,
    /// Contacts of each group, ascending: cluster after cluster, for each all pieces of terrain; then those with carried
    /// surfaces and of crossings.
    pub(super) members: Vec<Vec<usize>>,
    /// The last of the groups.
    pub(super) carried: Vec<Group>,
    /// The group of each contact; pairs and limits of joints are in none.
    pub(super) of: Vec<Option<usize>>,
    /// The contacts in none, ascending.
    pub(super) others: Vec<usize>,
}

impl Groups {
    pub fn new(
        sites: &[Site],
        outlines: &[Outline],
        terrains: usize,
        contacts: &[Potential],
    ) -> Self {
        let mut groups = Self::default();
        for (body, clustered) in by_body(sites) {
            groups
                .clusters
                .push(Cluster::around(body, &clustered, sites, outlines));
        }
        groups.members = vec![Vec::new(); groups.clusters.len() * terrains];
        for (i, contact) in contacts.iter().enumerate() {
            let group = match contact.sides {
                Sides::Terrain(over) => {
                    let own = |c: &Cluster| Some(c.body) == sites[over.site].body;
                    let cluster = groups.clusters.iter().position(own);
                    cluster.map(|c| c * terrains + over.terrain)
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

    /// Adds the contact that comes next, which is with a carried surface; of a body, unless its site is fixed in the world.
    pub fn add_carried(&mut self, contact: usize, group: Option<Group>) {
        let Some(group) = group else {
            return self.add(contact, None);
        };
        let own = |c: &&Cluster| c.body == group.sphere.body;
        let Some(sphere) = self.clusters.iter().find(own).cloned() else {
            return self.add(contact, None);
        };
        let same = |g: &&Group| g.sphere.body == sphere.body && g.against == group.against;
        let known = self.carried.iter().find(same).map(|g| g.index);
        let at = known.unwrap_or_else(|| self.add_group(Group { sphere, ..group }));
        self.add(contact, Some(at));
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

impl Cluster {
    fn around(body: usize, clustered: &[usize], sites: &[Site], outlines: &[Outline]) -> Self {
        let size = |i: usize| match &outlines[i] {
            Outline::Ball { radius } => *radius,
            Outline::Circle { radius, tube, .. } => radius + tube,
        };
        let (mut min, mut max) = (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        );
        for &i in clustered {
            min = min.inf(&sites[i].center.add_scalar(-size(i)));
            max = max.sup(&sites[i].center.add_scalar(size(i)));
        }
        let center = (min + max) * 0.5;
        let distances = clustered
            .iter()
            .map(|&i| (sites[i].center - center).norm() + size(i));
        let radius = ENLARGED * distances.fold(0.0, f64::max);
        Self {
            body,
            center,
            radius,
            reach: ENLARGED * (center.norm() + radius),
        }
    }
}
