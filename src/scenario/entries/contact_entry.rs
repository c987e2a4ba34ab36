//! What touches what in a scenario file: sites, pairs and their material.

use serde::{Deserialize, Serialize};

use crate::contact::{Combination, Contacts, Material, sphere_sites};
use crate::model::Model;
use crate::scenario::{ScenarioError, SiteEntry, TerrainEntry};

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
            site: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

impl ContactEntry {
    /// Sites and terrain on a robot; `file` is what messages call their file.
    pub(crate) fn build(
        &self,
        file: &str,
        terrain: &[TerrainEntry],
        model: &Model,
    ) -> Result<Contacts, ScenarioError> {
        let mut sites = if self.spheres {
            sphere_sites(model, self.material(None, None))
        } else {
            Vec::new()
        };
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
