//! What touches what in a scenario file: sites, terrain, pairs and their material.

use serde::{Deserialize, Serialize};

use crate::contact::{
    CollisionKind, Combination, Contacts, Material, Terrain, collision_sites, mesh_points,
};
use crate::model::Model;
use crate::scenario::{ScenarioError, SiteEntry, SiteKind};

/// Contact sites and their material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContactEntry {
    /// Friction of sites that state none.
    pub friction: f64,
    /// Restitution of sites that state none.
    pub restitution: f64,
    /// A touch slower than this is no impact: the step takes it up \[m/s\].
    pub capture_speed: f64,
    /// How the coefficients of two surfaces combine.
    pub combination: Combination,
    /// Whether sphere collisions of the robot become sites.
    pub spheres: bool,
    /// Which collision shapes of the robot become sites. Without the key all kinds do, or spheres alone where sites are
    /// declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collisions: Option<Vec<CollisionKind>>,
    /// Declared sites.
    pub site: Vec<SiteEntry>,
    /// Pairs of sites that can touch each other.
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

/// A piece of the fixed world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TerrainEntry {
    /// Half-space below a plane.
    Plane {
        /// Name, unique.
        name: String,
        /// A point of the plane \[m\].
        #[serde(default)]
        point: [f64; 3],
        /// Outward normal, of any length.
        #[serde(default = "upward")]
        normal: [f64; 3],
        /// Coefficient of friction; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        friction: Option<f64>,
        /// Coefficient of restitution; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
    },
    /// Axis-aligned box: a step.
    Box {
        /// Name, unique.
        name: String,
        /// Lowest corner \[m\].
        min: [f64; 3],
        /// Highest corner \[m\].
        max: [f64; 3],
        /// Coefficient of friction; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        friction: Option<f64>,
        /// Coefficient of restitution; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
    },
}

impl TerrainEntry {
    /// Level ground at height zero.
    pub(crate) fn level(name: &str) -> Self {
        Self::Plane {
            name: name.to_string(),
            point: [0.0; 3],
            normal: upward(),
            friction: None,
            restitution: None,
        }
    }
}

fn upward() -> [f64; 3] {
    [0.0, 0.0, 1.0]
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
        let terrains = terrain.iter().map(|piece| piece.build(self)).collect();
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

impl TerrainEntry {
    fn build(&self, contact: &ContactEntry) -> Terrain {
        match self {
            Self::Plane {
                name,
                point,
                normal,
                friction,
                restitution,
            } => {
                let material = contact.material(*friction, *restitution);
                Terrain::plane(name, *point, *normal, material)
            }
            Self::Box {
                name,
                min,
                max,
                friction,
                restitution,
            } => {
                let material = contact.material(*friction, *restitution);
                Terrain::step(name, *min, *max, material)
            }
        }
    }
}
