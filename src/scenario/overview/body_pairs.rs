//! Which bodies touch which bodies, and why others do not.

use std::collections::BTreeMap;

use crate::contact::{CarriedSurface, CollisionKind, Contacts, Site, Terrain, collision_surfaces};
use crate::dynamics::Kinematics;
use crate::hybrid::SimulationSettings;
use crate::model::Model;
use crate::scenario::{ContactEntry, ObjectEntry, ScenarioError, SelfContact, TerrainEntry};

/// Two bodies that could touch each other.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct BodyPair {
    /// Names of both, as of the links that their joints move; `world` for what is fixed.
    pub bodies: [String; 2],
    /// Why they do not touch; `None` where they do.
    pub excluded: Option<Exclusion>,
    /// Number of contacts between them.
    pub contacts: usize,
}

/// Why two bodies do not touch each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Exclusion {
    /// A joint connects them.
    Neighbours,
    /// They overlap where the robot starts.
    Overlap,
    /// `contact.exclude` names them.
    Listed,
    /// `contact.self` is a list without them.
    Unlisted,
}

impl Exclusion {
    /// In words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Neighbours => "a joint connects them",
            Self::Overlap => "they overlap where the robot starts",
            Self::Listed => "contact.exclude names them",
            Self::Unlisted => "contact.self does not name them",
        }
    }
}

/// Bodies, each by its index, `None` the world.
type Bodies = [Option<usize>; 2];

fn ordered([a, b]: Bodies) -> Bodies {
    [a.min(b), a.max(b)]
}

/// What decides which bodies touch.
struct Rules<'a> {
    model: &'a Model,
    /// Number of robots; the trees after theirs are objects.
    robots: usize,
    excluded: Vec<Bodies>,
    /// Pairs of links that touch where not all do.
    listed: Option<Vec<Bodies>>,
    between_links: bool,
    overlapping: Vec<Bodies>,
}

impl Rules<'_> {
    /// The tree of a link and of its body.
    fn tree_of(&self, body: Option<usize>, link: &str) -> Option<usize> {
        let trees = self.model.trees();
        match body {
            Some(body) => Some(self.model.tree_of(body)),
            // Of several robots, the names of links begin with the robot's.
            None if self.robots > 1 => trees[..self.robots].iter().position(|tree| {
                let rest = link.strip_prefix(tree.name.as_str());
                rest.is_some_and(|rest| rest.starts_with('.'))
            }),
            None => Some(0),
        }
    }

    /// Whether two bodies are candidates at all, and if so why they do not touch; `among_links` says that they are
    /// of one robot.
    fn verdict(&self, bodies: Bodies, among_links: bool) -> Option<Result<(), Exclusion>> {
        let fixed = bodies.iter().all(Option::is_none);
        if fixed || bodies[0] == bodies[1] {
            return None;
        }
        let pair = ordered(bodies);
        if among_links && !self.between_links {
            return None;
        }
        let parent = |body: Option<usize>| body.map(|b| self.model.holder(b));
        let joined = parent(bodies[0]) == Some(bodies[1]) || parent(bodies[1]) == Some(bodies[0]);
        let unlisted = |listed: &Vec<Bodies>| !listed.contains(&pair);
        Some(if self.excluded.contains(&pair) {
            Err(Exclusion::Listed)
        } else if among_links && joined {
            Err(Exclusion::Neighbours)
        } else if among_links && self.listed.as_ref().is_some_and(unlisted) {
            Err(Exclusion::Unlisted)
        } else if self.overlapping.contains(&pair) {
            Err(Exclusion::Overlap)
        } else {
            Ok(())
        })
    }

    fn touch(&self, site: &Site, surface: &CarriedSurface) -> bool {
        let trees = [
            self.tree_of(site.body, &site.link),
            self.tree_of(surface.body, &surface.link),
        ];
        let among_links = trees[0] == trees[1];
        self.verdict([site.body, surface.body], among_links) == Some(Ok(()))
    }

    /// Whether both are of one robot: what is fixed in the world counts for that of any.
    fn among_links(&self, bodies: Bodies) -> bool {
        let [a, b] = bodies.map(|body| body.map(|b| self.model.tree_of(b)));
        let of_robot = |tree: Option<usize>| tree.is_none_or(|tree| tree < self.robots);
        of_robot(a) && of_robot(b) && (a.is_none() || b.is_none() || a == b)
    }
}

impl ContactEntry {
    /// Sites, terrain and what bodies touch of each other, of an entry that is resolved, and the pairs of bodies that were
    /// candidates. `model` has the robots, then the objects, `q` is where they start; `file` is what messages call the scenario.
    pub(crate) fn build_scene(
        &self,
        file: &str,
        terrain: &[TerrainEntry],
        objects: &[ObjectEntry],
        model: &Model,
        q: &[f64],
    ) -> Result<(Contacts, Vec<BodyPair>), ScenarioError> {
        let between_links = self.between_links != SelfContact::All(false);
        let touches_bodies = model.trees().len() > 1 || between_links;
        let mut sites = self.sites(file, objects, model)?;
        if touches_bodies {
            self.add_sites_beside_terrain(&mut sites, objects, model);
        }
        let alone = self.build_with(file, terrain, sites, model)?;
        let excluded = bodies_of(file, "contact.exclude", &self.exclude, model)?;
        let declared = self.declared_boxes(file, model)?;
        let on_terrain = |contacts: Contacts| {
            let kinds = self.collisions.as_deref();
            let mut shapes = self.shapes(kinds, &declared, objects, model);
            shapes.extend_from_slice(&declared);
            contacts
                .with_terrain_edges(&shapes, self.combination)
                .map_err(|error| ScenarioError::from(error).located(file, "contact"))
        };
        if !touches_bodies {
            return Ok((on_terrain(alone)?, Vec::new()));
        }
        let listed = match &self.between_links {
            SelfContact::All(_) => None,
            SelfContact::Pairs(pairs) => Some(bodies_of(file, "contact.self", pairs, model)?),
        };
        let mut rules = Rules {
            model,
            robots: model.trees().len() - objects.len(),
            excluded,
            listed,
            between_links,
            overlapping: Vec::new(),
        };
        let mut surfaces = self.shapes(self.surfaces.as_deref(), &declared, objects, model);
        add_declared(&mut surfaces, declared.clone(), alone.terrains());
        let build = |rules: &Rules<'_>| {
            let touches = |site: &Site, surface: &CarriedSurface| rules.touch(site, surface);
            let contacts = alone.clone();
            contacts
                .with_carried(surfaces.clone(), touches, self.combination)
                .map_err(|error| ScenarioError::from(error).located(file, "contact"))
        };
        let mut contacts = build(&rules)?;
        if between_links {
            rules.overlapping = overlapping(&contacts, model, &rules, q);
            if !rules.overlapping.is_empty() {
                contacts = build(&rules)?;
            }
        }
        let pairs = pairs(&contacts, &surfaces, &rules);
        Ok((on_terrain(contacts)?, pairs))
    }

    /// Shapes that bodies carry: collision shapes of the robot of some kinds, but for those that are `declared` boxes, and those of the
    /// objects.
    fn shapes(
        &self,
        kinds: Option<&[CollisionKind]>,
        declared: &[CarriedSurface],
        objects: &[ObjectEntry],
        model: &Model,
    ) -> Vec<CarriedSurface> {
        let kinds = kinds.unwrap_or_default();
        let mut shapes = collision_surfaces(model, kinds, self.material(None, None));
        shapes.retain(|shape| {
            let is_object = objects.iter().any(|object| object.name == shape.link);
            !is_object && !declared.iter().any(|own| own.is_at(shape))
        });
        for object in objects {
            let material = self.material(object.friction, object.restitution);
            let all = collision_surfaces(model, &CollisionKind::ALL, material);
            let own = all.into_iter().filter(|s| s.link == object.name);
            shapes.extend(own.map(|shape| CarriedSurface {
                name: object.name.clone(),
                ..shape
            }));
        }
        shapes
    }

    /// The declared boxes as shapes of their own.
    fn declared_boxes(
        &self,
        file: &str,
        model: &Model,
    ) -> Result<Vec<CarriedSurface>, ScenarioError> {
        let mut declared = Vec::new();
        for (i, site) in self.site.iter().enumerate() {
            let place = format!("contact.site[{i}] \"{}\"", site.name);
            let material = self.material(site.friction, site.restitution);
            let own = site.surface(model, material);
            declared.extend(own.map_err(|error| error.located(file, &place))?);
        }
        Ok(declared)
    }
}

/// Adds declared boxes to what others carry. One that is called as something else is that others touch has the name of its link before.
fn add_declared(
    surfaces: &mut Vec<CarriedSurface>,
    declared: Vec<CarriedSurface>,
    terrains: &[Terrain],
) {
    for mut own in declared {
        let mut taken = (terrains.iter().map(|terrain| &terrain.name))
            .chain(surfaces.iter().map(|surface| &surface.name));
        if taken.any(|name| *name == own.name) {
            own.name = format!("{}_{}", own.link, own.name);
        }
        surfaces.push(own);
    }
}

/// The pairs of bodies of a robot at `q` where all links touch each other: those of its shapes, meshes excepted.
pub(super) fn link_pairs(model: &Model, q: &[f64]) -> Vec<BodyPair> {
    let kinds: Vec<CollisionKind> = CollisionKind::ALL
        .into_iter()
        .filter(|kind| *kind != CollisionKind::Mesh)
        .collect();
    let entry = ContactEntry {
        collisions: Some(kinds.clone()),
        surfaces: Some(kinds),
        between_links: SelfContact::All(true),
        ..ContactEntry::default()
    };
    // Numbers that are none have been refused with the robot.
    let scene = entry.build_scene("", &[], &[], model, q);
    scene.map(|(_, pairs)| pairs).unwrap_or_default()
}

/// The bodies of pairs of links.
fn bodies_of(
    file: &str,
    place: &str,
    pairs: &[[String; 2]],
    model: &Model,
) -> Result<Vec<Bodies>, ScenarioError> {
    let mut found = Vec::with_capacity(pairs.len());
    for (i, names) in pairs.iter().enumerate() {
        let place = format!("{place}[{i}]");
        let mut bodies = [None; 2];
        for (body, name) in bodies.iter_mut().zip(names) {
            let link = model.link(name);
            *body = link
                .map_err(|error| ScenarioError::from(error).located(file, &place))?
                .body;
        }
        if bodies[0] == bodies[1] {
            let [a, b] = names;
            let reason = format!("\"{a}\" and \"{b}\" are parts of one body; remove the pair");
            return Err(ScenarioError::value(file, place, reason));
        }
        found.push(ordered(bodies));
    }
    Ok(found)
}

/// Links that are inside of each other at `q`.
fn overlapping(contacts: &Contacts, model: &Model, rules: &Rules<'_>, q: &[f64]) -> Vec<Bodies> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    let deepest = -SimulationSettings::default().closed_gap;
    let between = |i: &usize| {
        contacts.carried_of(*i).is_some() && rules.among_links(ordered(contacts.bodies(*i)))
    };
    let deep = |i: &usize| {
        contacts.is_present(&kinematics, *i) && contacts.mechanical_gap(&kinematics, *i) < deepest
    };
    let by_contacts = (0..contacts.len()).filter(|i| between(i) && deep(i));
    let overlaps = contacts.overlaps(&kinematics, -deepest);
    let by_shapes = overlaps.map(|(i, _)| i).filter(between);
    let mut found = Vec::new();
    for i in by_contacts.chain(by_shapes) {
        let pair = ordered(contacts.bodies(i));
        if !found.contains(&pair) {
            found.push(pair);
        }
    }
    found
}

/// The pairs of bodies that have shapes and are candidates.
fn pairs(contacts: &Contacts, surfaces: &[CarriedSurface], rules: &Rules<'_>) -> Vec<BodyPair> {
    let mut bodies: Vec<Option<usize>> = surfaces.iter().map(|s| s.body).collect();
    bodies.extend(contacts.sites().iter().map(|s| s.body));
    bodies.sort_unstable();
    bodies.dedup();
    let name = |body: Option<usize>| match body {
        None => "world".to_string(),
        Some(b) => rules.model.bodies()[b].name.clone(),
    };
    let mut counts = BTreeMap::<Bodies, usize>::new();
    for i in (0..contacts.len()).filter(|i| contacts.carried_of(*i).is_some()) {
        *counts.entry(ordered(contacts.bodies(i))).or_default() += 1;
    }
    let mut found = Vec::new();
    for (k, first) in bodies.iter().enumerate() {
        for second in &bodies[k + 1..] {
            let pair = [*first, *second];
            let count = counts.get(&pair).copied().unwrap_or_default();
            // A body may touch what another robot has fixed in the world.
            let among_links = rules.among_links(pair) && (count == 0 || first.is_some());
            let Some(verdict) = rules.verdict(pair, among_links) else {
                continue;
            };
            found.push(BodyPair {
                bodies: pair.map(name),
                excluded: verdict.err(),
                contacts: count,
            });
        }
    }
    found
}
