//! What touches what in a scenario file: sites, pairs and their material.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::contact::{
    CollisionKind, Combination, Contacts, Material, Site, collision_sites, fixed_collision_sites,
    mesh_points_by,
};
use crate::model::Model;
use crate::scenario::{
    ExperimentCache, ObjectEntry, ScenarioError, SiteEntry, SiteKind, TerrainEntry,
};

/// Contact sites and their material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactEntry {
    /// Friction of sites that state none.
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// Restitution of sites that state none; a law without restitution takes none that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0, max = 1), extend("default" = 1.0))]
    pub restitution: Option<f64>,
    /// A touch slower than this is no impact: the step takes it up \[m/s\].
    #[schemars(range(min = 0))]
    pub capture_speed: f64,
    /// How the coefficients of two surfaces combine.
    pub combination: Combination,
    /// Whether sphere collisions of the robot become sites.
    pub spheres: bool,
    /// Which collision shapes of the robot become sites. Without the key all kinds do, or spheres alone where sites are
    /// declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec!["sphere", "box"])]
    pub collisions: Option<Vec<CollisionKind>>,
    /// Declared sites.
    pub(crate) site: Vec<SiteEntry>,
    /// Pairs of sites that can touch each other.
    #[schemars(extend("examples" = [[["ball_a", "ball_b"]]]))]
    pub pairs: Vec<[String; 2]>,
    /// Whether links of the robot touch each other: `true`, or pairs of links that do. Neighbours in the tree and links
    /// that overlap where the robot starts never do.
    #[serde(
        rename = "self",
        default,
        skip_serializing_if = "SelfContact::is_default"
    )]
    #[schemars(extend("default" = false))]
    pub(crate) between_links: SelfContact,
    /// Pairs of links or objects that do not touch each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = [], "examples" = [[["trunk", "ball"]]]))]
    pub exclude: Vec<[String; 2]>,
    /// Which collision shapes of the robot objects and other links can touch, as wholes; what `collisions` does not name touches no
    /// terrain. Without the key those of `collisions` where that is given, else all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec!["box", "capsule"])]
    pub surfaces: Option<Vec<CollisionKind>>,
}

/// Restitution where none is stated.
const RESTITUTION: f64 = 1.0;

/// Whether links touch links.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub(crate) enum SelfContact {
    /// All that are not excluded, or none.
    All(bool),
    /// Pairs of links.
    Pairs(Vec<[String; 2]>),
}

impl Default for SelfContact {
    fn default() -> Self {
        Self::All(false)
    }
}

impl SelfContact {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl<'de> Deserialize<'de> for SelfContact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not an untagged enum: that would not say what may stand there.
        deserializer.deserialize_any(SelfContactVisitor)
    }
}

struct SelfContactVisitor;

impl<'de> Visitor<'de> for SelfContactVisitor {
    type Value = SelfContact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false, or pairs of links such as [[\"left_shin\", \"right_shin\"]]")
    }

    fn visit_bool<E: de::Error>(self, all: bool) -> Result<SelfContact, E> {
        Ok(SelfContact::All(all))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<SelfContact, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(SelfContact::Pairs)
    }
}

impl Default for ContactEntry {
    fn default() -> Self {
        Self {
            friction: 0.0,
            restitution: None,
            capture_speed: 1e-3,
            combination: Combination::Minimum,
            spheres: true,
            collisions: None,
            site: Vec::new(),
            pairs: Vec::new(),
            between_links: SelfContact::default(),
            exclude: Vec::new(),
            surfaces: None,
        }
    }
}

impl ContactEntry {
    /// The same with every collision shape that becomes a site named by its kind, meshes replaced by points of their hulls;
    /// and what could not be read. `with_objects` says whether there are bodies beside the robot, `file` is what messages call the scenario.
    pub(crate) fn resolved(
        &self,
        file: &str,
        model: &Model,
        with_objects: bool,
    ) -> Result<(Self, Vec<String>), ScenarioError> {
        self.resolved_from(file, model, with_objects, &ExperimentCache::default())
    }

    /// The same with the meshes of a cache.
    pub(crate) fn resolved_from(
        &self,
        file: &str,
        model: &Model,
        with_objects: bool,
        cache: &ExperimentCache,
    ) -> Result<(Self, Vec<String>), ScenarioError> {
        let mut kinds = match &self.collisions {
            Some(kinds) => kinds.clone(),
            None if self.site.is_empty() => CollisionKind::ALL.to_vec(),
            None => vec![CollisionKind::Sphere],
        };
        if !self.spheres {
            if self.collisions.is_some() && kinds.contains(&CollisionKind::Sphere) {
                let reason = "it names \"sphere\", and spheres = false; remove one of the two";
                return Err(ScenarioError::value(file, "contact.collisions", reason));
            }
            kinds.retain(|kind| *kind != CollisionKind::Sphere);
        }
        let mut resolved = self.clone();
        let mut remarks = Vec::new();
        if kinds.contains(&CollisionKind::Mesh) {
            kinds.retain(|kind| *kind != CollisionKind::Mesh);
            let (meshes, unread) = mesh_points_by(model, |mesh| cache.hull(mesh));
            resolved.site = meshes.into_iter().map(SiteEntry::of_mesh).collect();
            resolved.site.extend(self.site.iter().cloned());
            remarks.extend(
                unread
                    .iter()
                    .map(|error| format!("no contact sites from {error}")),
            );
        }
        resolved.collisions = Some(kinds);
        if resolved.surfaces.is_none() && (with_objects || !self.between_links.is_default()) {
            let all = || CollisionKind::ALL.to_vec();
            resolved.surfaces = Some(self.collisions.clone().unwrap_or_else(all));
        }
        Ok((resolved, remarks))
    }

    /// How many collision shapes of each kind become sites in an entry that is resolved.
    pub(crate) fn site_counts(&self, model: &Model) -> Vec<(&'static str, usize)> {
        let kinds = self.collisions.as_deref().unwrap_or_default();
        let moving = |link: usize| model.links()[link].body.is_some();
        let shapes = |kind: CollisionKind| {
            let shapes = model
                .shapes()
                .iter()
                .filter(|s| s.collision && moving(s.link));
            shapes
                .filter(|s| CollisionKind::of(&s.geometry) == kind)
                .count()
        };
        let hulls = self.site.iter().filter(|site| site.kind == SiteKind::Hull);
        let counts = kinds.iter().map(|kind| (kind.word(), shapes(*kind)));
        let meshes = (CollisionKind::Mesh.word(), hulls.count());
        counts.chain([meshes]).filter(|(_, n)| *n > 0).collect()
    }

    /// Sites and terrain on a robot of an entry that is resolved; `file` is what messages call their file.
    pub(crate) fn build(
        &self,
        file: &str,
        terrain: &[TerrainEntry],
        model: &Model,
    ) -> Result<Contacts, ScenarioError> {
        let sites = self.sites(file, &[], model)?;
        self.build_with(file, terrain, sites, model)
    }

    /// The sites of an entry that is resolved, where objects are beside the robot: `model` has both.
    pub(crate) fn sites(
        &self,
        file: &str,
        objects: &[ObjectEntry],
        model: &Model,
    ) -> Result<Vec<Site>, ScenarioError> {
        let kinds = self.collisions.as_deref().unwrap_or_default();
        let mut sites = self.robot_sites(kinds, objects, model);
        for object in objects {
            let material = self.material(object.friction, object.restitution);
            let all = collision_sites(model, &CollisionKind::ALL, material);
            sites.extend(all.into_iter().filter(|site| site.link == object.name));
        }
        for (i, site) in self.site.iter().enumerate() {
            let material = self.material(site.friction, site.restitution);
            let place = format!("contact.site[{i}] \"{}\"", site.name);
            let made = site.build(file, &place, model, material);
            sites.extend(made.map_err(|error| error.located(file, &place))?);
        }
        Ok(sites)
    }

    /// Adds what touches other bodies and no terrain: the corners, ends and rims of collision shapes of the robot that others can
    /// touch, but for what is a site already: also of links that are fixed in the world.
    pub(crate) fn add_sites_beside_terrain(
        &self,
        sites: &mut Vec<Site>,
        objects: &[ObjectEntry],
        model: &Model,
    ) {
        let all = self.surfaces.as_deref().unwrap_or_default();
        let is_other =
            |kind: &&CollisionKind| !self.collisions.iter().flatten().any(|k| k == *kind);
        let others: Vec<CollisionKind> = all.iter().filter(is_other).copied().collect();
        let fixed = fixed_collision_sites(model, all, self.material(None, None));
        for site in self
            .robot_sites(&others, objects, model)
            .into_iter()
            .chain(fixed)
        {
            if !sites.iter().any(|own| own.is_at(&site)) {
                sites.push(site.beside_terrain());
            }
        }
    }

    /// Sites of the collision shapes of these kinds, without those of objects.
    fn robot_sites(
        &self,
        kinds: &[CollisionKind],
        objects: &[ObjectEntry],
        model: &Model,
    ) -> Vec<Site> {
        let of_object = |site: &Site| objects.iter().any(|object| object.name == site.link);
        let mut sites = collision_sites(model, kinds, self.material(None, None));
        sites.retain(|site| !of_object(site));
        sites
    }

    /// Contacts of these sites with terrain.
    pub(crate) fn build_with(
        &self,
        file: &str,
        terrain: &[TerrainEntry],
        sites: Vec<Site>,
        model: &Model,
    ) -> Result<Contacts, ScenarioError> {
        let mut terrains = Vec::with_capacity(terrain.len());
        for (i, piece) in terrain.iter().enumerate() {
            let place = format!("terrain[{i}] \"{}\"", piece.name());
            let made = piece.build(file, &place, |friction, restitution| {
                self.material(friction, restitution)
            });
            terrains.extend(made?);
        }
        Contacts::new(model, sites, terrains, &self.pairs, self.combination)
            .map_err(|error| ScenarioError::from(error).located(file, "contact"))
    }

    /// The restitution of surfaces that state none.
    pub(crate) fn restitution(&self) -> f64 {
        self.restitution.unwrap_or(RESTITUTION)
    }

    /// The restitutions that are written, with their places; the common one first.
    pub(crate) fn written_restitutions(
        &self,
        terrain: &[TerrainEntry],
        objects: &[ObjectEntry],
    ) -> Vec<(String, f64)> {
        let common = ("contact".to_string(), self.restitution);
        let sites = self.site.iter().enumerate();
        let sites =
            sites.map(|(i, s)| (format!("contact.site[{i}] \"{}\"", s.name), s.restitution));
        let terrain = terrain.iter().enumerate();
        let terrain = terrain.map(|(i, piece)| {
            let [_, restitution] = piece.material();
            (format!("terrain[{i}] \"{}\"", piece.name()), restitution)
        });
        let objects = objects.iter().enumerate();
        let objects = objects.map(|(i, o)| (format!("object[{i}] \"{}\"", o.name), o.restitution));
        let all = std::iter::once(common).chain(sites).chain(terrain);
        all.chain(objects)
            .filter_map(|(place, stated)| Some((format!("{place}.restitution"), stated?)))
            .collect()
    }

    /// The material of a surface that may state its own coefficients.
    pub(crate) fn material(&self, friction: Option<f64>, restitution: Option<f64>) -> Material {
        Material::new(
            friction.unwrap_or(self.friction),
            restitution.unwrap_or(self.restitution()),
        )
    }
}
