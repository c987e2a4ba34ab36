//! What touches what in a scenario file: sites, pairs and their material.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::{
    CollisionKind, Combination, Contacts, Material, collision_sites, mesh_points,
};
use crate::model::Model;
use crate::scenario::{ScenarioError, SiteEntry, SiteKind, TerrainEntry};

/// Contact sites and their material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactEntry {
    /// Friction of sites that state none.
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// Restitution of sites that state none.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: f64,
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
    pub site: Vec<SiteEntry>,
    /// Pairs of sites that can touch each other.
    #[schemars(extend("examples" = [[["ball_a", "ball_b"]]]))]
    pub pairs: Vec<[String; 2]>,
}

impl Default for ContactEntry {
    fn default() -> Self {
        Self {
            friction: 0.0,
            restitution: 1.0,
            capture_speed: 1e-3,
            combination: Combination::Minimum,
            spheres: true,
            collisions: None,
            site: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

impl ContactEntry {
    /// The same with every collision shape that becomes a site named by its kind, meshes replaced by points of their hulls;
    /// and what could not be read. `file` is what messages call the scenario.
    pub(crate) fn resolved(
        &self,
        file: &str,
        model: &Model,
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
            let (meshes, unread) = mesh_points(model);
            resolved.site = meshes.into_iter().map(SiteEntry::of_mesh).collect();
            resolved.site.extend(self.site.iter().cloned());
            remarks.extend(
                unread
                    .iter()
                    .map(|error| format!("no contact sites from {error}")),
            );
        }
        resolved.collisions = Some(kinds);
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
        let kinds = self.collisions.as_deref().unwrap_or_default();
        let mut sites = collision_sites(model, kinds, self.material(None, None));
        for (i, site) in self.site.iter().enumerate() {
            let material = self.material(site.friction, site.restitution);
            let place = format!("contact.site[{i}] \"{}\"", site.name);
            let made = site.build(file, &place, model, material);
            sites.extend(made.map_err(|error| error.located(file, &place))?);
        }
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

    /// The material of a surface that may state its own coefficients.
    fn material(&self, friction: Option<f64>, restitution: Option<f64>) -> Material {
        Material::new(
            friction.unwrap_or(self.friction),
            restitution.unwrap_or(self.restitution),
        )
    }
}
