use nalgebra::Vector3;

use super::broad_phase::Groups;
use super::edges::EdgedShape;
use super::error::check_material;
use super::joints::joint_limits;
use super::listing::{
    Potential, RimOver, Sides, SiteOver, at_edges, check_fits, check_names, pair_contact, places,
};
use super::siblings::Siblings;
use super::surfaces::{CarriedSurface, Carrier};
use super::{
    Combination, ContactError, CylinderParts, Ground, Inactivity, Latch, Material, Outline, Part,
    Place, Site, Terrain, grounds, outline, planar_normal, planar_with,
};
use crate::model::Model;

/// Every contact that a model can make: each site with each terrain (sites in order, terrains in
/// order within, the places of the site within those), then the declared pairs of sites, then, where
/// asked for, the limits of joints. Sites that are fixed in the world, or touch no terrain ([`Site::beside_terrain`]), take part in
/// pairs only.
///
/// A contact with terrain has the site's name when there is one terrain, `<site>@<terrain>` when
/// there are several; a pair is `<a>-<b>`; a limit is `<joint>:lower` or `<joint>:upper`.
///
/// A site may touch one piece of terrain in several places, each a contact of its own: its nearest
/// point, under the names above, the ends of an arc, `<site>:start` and `<site>:end`, eight points of
/// the rim of a disc, `<site>:0` to `<site>:7`, which carry it when it lies flat (over smooth ground also
/// `<site>:01` to `<site>:70` between them: the lowest points of sixteenths of the rim), and both ends of its
/// chord with each edge of a box, `<site>:yhl0` for the end towards lower y of the edge along y at high x and low z (neither in a
/// planar model), and where an arc bends around that edge, `<site>:yhl`.
/// [`Contacts::is_present`] says which are there. Not covered: two places inside of one arc
/// that are nearest to two faces of one box at once, of which only the nearer is found.
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    pub(super) sites: Vec<Site>,
    pub(super) outlines: Vec<Outline>,
    terrains: Vec<Terrain>,
    pub(super) grounds: Vec<Ground>,
    pub(super) contacts: Vec<Potential>,
    pub(super) groups: Groups,
    pub(super) siblings: Siblings,
    planar: Option<Vector3<f64>>,
    moving: bool,
    /// What bodies carry, and where: the last of the grounds.
    pub(super) surfaces: Vec<CarriedSurface>,
    pub(super) carriers: Vec<Carrier>,
    /// Of each of them, if it is a cylinder.
    pub(super) parts: Vec<Option<CylinderParts>>,
    /// Of each site that is the end of a cylinder the sign of its axis out of that, else zero.
    pub(super) ends: Vec<f64>,
    /// Of each site that is the end of a capsule with a side its axis out of that, in the frame of the body.
    pub(super) caps: Vec<Option<Vector3<f64>>>,
    /// Shapes that touch by their edges and sides.
    pub(super) edged: Vec<EdgedShape>,
    pub(super) latches: Vec<Latch>,
    /// Kinds of contacts that have columns in tables, if not all have.
    pub(super) listed_kinds: Option<u8>,
}

impl Contacts {
    /// Checks everything and lists the contacts, without limits of joints.
    ///
    /// # Errors
    /// [`ContactError`]: names that occur twice, pairs of unknown sites or of sites that cannot
    /// touch, numbers that are not finite or out of range, directions without length, heights with valleys
    /// that a site does not fit into.
    pub fn new(
        model: &Model,
        sites: Vec<Site>,
        terrains: Vec<Terrain>,
        pairs: &[[String; 2]],
        combination: Combination,
    ) -> Result<Self, ContactError> {
        check_names("contact site", sites.iter().map(|s| s.name.as_str()))?;
        check_names("terrain", terrains.iter().map(|t| t.name.as_str()))?;
        let outlines: Vec<Outline> = sites
            .iter()
            .map(|s| outline(model, s))
            .collect::<Result<_, _>>()?;
        let mut surfaces = Vec::with_capacity(terrains.len());
        for terrain in &terrains {
            check_material(&format!("terrain \"{}\"", terrain.name), &terrain.material)?;
            surfaces.push(terrain.normalized()?);
        }
        let same = |i: usize, j: usize| {
            let [a, b] = [&terrains[i], &terrains[j]];
            (a.material == b.material && a.velocity == b.velocity) && a.shaking == b.shaking
        };
        let grounds = grounds(&surfaces, same);
        let bodies = sites.iter().map(|site| site.body);
        let planar = planar_with(model, &bodies.zip(&outlines).collect::<Vec<_>>());
        let mut contacts = Vec::new();
        let touch = |site: &Site| site.body.is_some() && site.on_terrain;
        for (i, site) in sites.iter().enumerate().filter(|s| touch(s.1)) {
            for (k, terrain) in terrains.iter().enumerate() {
                check_fits(site, &outlines[i], terrain)?;
                let over = |place: Place| SiteOver {
                    site: i,
                    place,
                    terrain: k,
                    part: Part::Whole,
                };
                let at_edges = at_edges(
                    over(Place::Nearest),
                    &grounds[k],
                    &outlines[i],
                    planar.as_ref(),
                );
                let may_bend = matches!(grounds[k], Ground::Smooth(_));
                let places = places(site, &outlines[i], planar.as_ref(), may_bend);
                let places = places
                    .into_iter()
                    .map(|(suffix, place)| (suffix, Sides::Terrain(over(place))));
                for (suffix, sides) in places.chain(at_edges) {
                    let name = if terrains.len() == 1 {
                        format!("{}{suffix}", site.name)
                    } else {
                        format!("{}{suffix}@{}", site.name, terrain.name)
                    };
                    contacts.push(Potential {
                        name,
                        sides,
                        material: combination.material(&site.material, &terrain.material),
                    });
                }
            }
        }
        for pair in pairs {
            contacts.push(pair_contact(&sites, pair, combination)?);
        }
        check_names("contact", contacts.iter().map(|c| c.name.as_str()))?;
        Ok(Self {
            siblings: of_sites(&contacts, &grounds),
            groups: Groups::new(&sites, &outlines, &grounds, &contacts),
            moving: (terrains.iter())
                .any(|t| t.velocity != Vector3::zeros() || t.shaking.is_some()),
            ends: vec![0.0; sites.len()],
            caps: vec![None; sites.len()],
            sites,
            outlines,
            terrains,
            grounds,
            contacts,
            planar,
            surfaces: Vec::new(),
            carriers: Vec::new(),
            parts: Vec::new(),
            edged: Vec::new(),
            latches: Vec::new(),
            listed_kinds: None,
        })
    }

    /// No contact at all.
    #[must_use]
    pub fn none(model: &Model) -> Self {
        Self {
            sites: Vec::new(),
            outlines: Vec::new(),
            terrains: Vec::new(),
            grounds: Vec::new(),
            contacts: Vec::new(),
            groups: Groups::default(),
            siblings: Siblings::default(),
            planar: planar_normal(model),
            moving: false,
            surfaces: Vec::new(),
            carriers: Vec::new(),
            parts: Vec::new(),
            ends: Vec::new(),
            caps: Vec::new(),
            edged: Vec::new(),
            latches: Vec::new(),
            listed_kinds: None,
        }
    }

    /// Adds a contact `<joint>:lower` or `<joint>:upper` for every finite limit of a joint's position,
    /// after all others: frictionless, `restitution` by the joint's name.
    ///
    /// # Errors
    /// [`ContactError`]: names that occur twice, restitution outside of \[0, 1\].
    pub fn with_joint_limits(
        mut self,
        model: &Model,
        restitution: impl Fn(&str) -> f64,
    ) -> Result<Self, ContactError> {
        for (name, limit, restitution) in joint_limits(model, restitution)? {
            self.contacts.push(Potential {
                name,
                sides: Sides::Limit(limit),
                material: Material::new(0.0, restitution),
            });
            self.groups.add(self.contacts.len() - 1, None);
            self.siblings.add_alone();
        }
        check_names("contact", self.contacts.iter().map(|c| c.name.as_str()))?;
        Ok(self)
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether nothing can touch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Name of contact i.
    #[must_use]
    pub fn name(&self, i: usize) -> &str {
        &self.contacts[i].name
    }

    /// Names of some contacts, in their order.
    #[must_use]
    pub fn names_of(&self, which: &[usize]) -> Vec<String> {
        which.iter().map(|&i| self.name(i).to_string()).collect()
    }

    /// Bodies of both sides of contact i; `None` is the world. For the limit of a joint, the body that
    /// it moves and its parent.
    #[must_use]
    pub fn bodies(&self, i: usize) -> [Option<usize>; 2] {
        match self.contacts[i].sides {
            Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => {
                let carrier = self.carrier(over.terrain);
                [self.sites[over.site].body, carrier.and_then(|c| c.body)]
            }
            Sides::Edges(pair) => pair.shapes.map(|k| self.edged[k].body),
            Sides::Corner(over) => [over.carried, over.piece].map(|k| self.edged[k].body),
            Sides::Pair(sites) => sites.map(|k| self.sites[k].body),
            Sides::Limit(limit) => [Some(limit.body), limit.parent],
        }
    }

    /// The first contact that cannot be one of `model`: of bodies that it does not have, or the limit of a joint that
    /// stands elsewhere in it.
    #[must_use]
    pub fn first_foreign(&self, model: &Model) -> Option<usize> {
        let bodies = model.bodies();
        (0..self.len()).find(|&i| {
            let beyond = |body: &usize| *body >= bodies.len();
            if self.bodies(i).iter().flatten().any(beyond) {
                return true;
            }
            match self.contacts[i].sides {
                Sides::Limit(limit) => bodies[limit.body].v_index != limit.coordinate,
                _ => false,
            }
        })
    }

    /// Friction coefficient of contact i.
    #[must_use]
    pub fn friction(&self, i: usize) -> f64 {
        self.contacts[i].material.friction
    }

    /// Restitution of contact i.
    #[must_use]
    pub fn restitution(&self, i: usize) -> f64 {
        self.contacts[i].material.restitution
    }

    /// Sites of contact i, as indices: one for a contact with terrain or a carried surface, two for a pair, none for
    /// edges and sides, corners of terrain and the limit of a joint.
    #[must_use]
    pub fn sites_of(&self, i: usize) -> Vec<usize> {
        match self.contacts[i].sides {
            Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => vec![over.site],
            Sides::Pair(sites) => sites.to_vec(),
            Sides::Edges(_) | Sides::Corner(_) | Sides::Limit(_) => Vec::new(),
        }
    }

    /// The piece of terrain of contact i, as an index into [`Contacts::terrains`]; `None` of all other contacts.
    #[must_use]
    pub fn terrain_of(&self, i: usize) -> Option<usize> {
        match self.contacts[i].sides {
            Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => {
                Some(over.terrain).filter(|t| *t < self.terrains.len())
            }
            Sides::Edges(pair) => self.edged[pair.shapes[1]].piece,
            Sides::Corner(over) => self.edged[over.piece].piece,
            Sides::Pair(_) | Sides::Limit(_) => None,
        }
    }

    /// Whether contact i is the limit of a joint.
    #[inline]
    #[must_use]
    pub fn is_limit(&self, i: usize) -> bool {
        matches!(self.contacts[i].sides, Sides::Limit(_))
    }

    /// Whether contact i is the one of its site and its piece of terrain whose reported gap is the
    /// smallest, that of the nearest point; true of pairs and limits.
    #[must_use]
    pub fn is_nearest_place(&self, i: usize) -> bool {
        match self.contacts[i].sides {
            Sides::Terrain(over) => over.place == Place::Nearest,
            Sides::Rim(_) | Sides::Edges(_) | Sides::Corner(_) => false,
            Sides::Pair(_) | Sides::Limit(_) => true,
        }
    }

    /// When contact i touches nothing, if that is ever: of a contact with terrain by its site, of a pair by either.
    #[must_use]
    pub fn inactivity(&self, i: usize) -> Option<&Inactivity> {
        let of = |site: usize| self.sites[site].inactive.as_ref();
        match self.contacts[i].sides {
            Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => of(over.site),
            Sides::Pair([a, b]) => of(a).or(of(b)),
            Sides::Edges(_) | Sides::Corner(_) | Sides::Limit(_) => None,
        }
    }

    /// Number of tangents of contact i: 1 in a planar model, otherwise 2; 0 for the limit of a joint.
    #[must_use]
    pub fn tangent_count(&self, i: usize) -> usize {
        match (&self.contacts[i].sides, &self.planar) {
            (Sides::Limit(_), _) => 0,
            (_, Some(_)) => 1,
            (_, None) => 2,
        }
    }

    /// Tangents of a contact that bear friction: none where it is smooth.
    #[must_use]
    pub(crate) fn rough_tangent_count(&self, contact: usize) -> usize {
        if self.friction(contact) > 0.0 {
            self.tangent_count(contact)
        } else {
            0
        }
    }

    /// Contacts of the same site, with the same piece of terrain or one that touches it, to which
    /// contact i may hand over. Ascending.
    pub fn siblings(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.siblings.of(i)
    }

    /// Whether contact j is one of them.
    pub(crate) fn are_siblings(&self, i: usize, j: usize) -> bool {
        self.siblings.has(i, j)
    }

    /// Whether the gap of contact i has no kinks along a smooth motion, apart from the seams that
    /// [`Contacts::seam`] tells: with planes, smooth surfaces and limits of joints. Against boxes and between
    /// balls the normal may turn at once, and a small body may pass another within a step.
    #[must_use]
    pub fn is_smooth(&self, i: usize) -> bool {
        match self.contacts[i].sides {
            Sides::Terrain(over) => {
                self.carrier(over.terrain).is_none() && self.grounds[over.terrain].is_smooth()
            }
            Sides::Rim(_) | Sides::Edges(_) | Sides::Corner(_) | Sides::Pair(_) => false,
            Sides::Limit(_) => true,
        }
    }

    /// Whether some piece of terrain moves, or its material along its surface.
    #[must_use]
    pub fn has_moving_surface(&self) -> bool {
        self.moving
    }

    /// Velocity of the material of the piece of terrain of a contact beyond that of the piece.
    pub(super) fn belt_velocity(&self, i: usize) -> Vector3<f64> {
        let terrain = self.terrain_of(i).map(|piece| &self.terrains[piece]);
        terrain.map_or_else(Vector3::zeros, |t| t.velocity)
    }

    /// Normal of the plane of motion of a planar model whose circles are all parallel to it.
    #[must_use]
    pub fn planar_normal(&self) -> Option<&Vector3<f64>> {
        self.planar.as_ref()
    }

    /// The sites, in the order given.
    #[must_use]
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The terrains, in the order given.
    #[must_use]
    pub fn terrains(&self) -> &[Terrain] {
        &self.terrains
    }
}

/// Of each contact the others of its site with the same or a touching piece of terrain.
fn of_sites(contacts: &[Potential], grounds: &[Ground]) -> Siblings {
    let side = |i: usize| match contacts[i].sides {
        Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => Some((over.site, over.terrain)),
        _ => None,
    };
    let beside = |(site, terrain): (usize, usize)| {
        let touching = grounds[terrain].touching();
        touching.map(move |piece| (site, piece))
    };
    let mut siblings = Siblings::default();
    siblings.add(0..contacts.len(), side, beside);
    siblings
}
