//! What touches what in a scenario file: sites, terrain, pairs and their material.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::{Combination, Contacts, Material, Terrain, sphere_sites};
use crate::model::Model;
use crate::scenario::{ScenarioError, SiteEntry};

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
            site: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

/// A piece of the fixed world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TerrainEntry {
    /// Half-space below a plane.
    Plane {
        /// Name, unique.
        #[schemars(example = &"ground")]
        name: String,
        /// A point of the plane \[m\].
        #[serde(default)]
        point: [f64; 3],
        /// Outward normal, of any length.
        #[serde(default = "upward")]
        normal: [f64; 3],
        /// Coefficient of friction; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0), example = 0.8)]
        friction: Option<f64>,
        /// Coefficient of restitution; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 1), example = 0.0)]
        restitution: Option<f64>,
    },
    /// Axis-aligned box: a step.
    Box {
        /// Name, unique.
        #[schemars(example = &"ground")]
        name: String,
        /// Lowest corner \[m\].
        #[schemars(example = [0.5, -1.0, 0.0])]
        min: [f64; 3],
        /// Highest corner \[m\].
        #[schemars(example = [0.8, 1.0, 0.1])]
        max: [f64; 3],
        /// Coefficient of friction; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0), example = 0.8)]
        friction: Option<f64>,
        /// Coefficient of restitution; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 1), example = 0.0)]
        restitution: Option<f64>,
    },
}

fn upward() -> [f64; 3] {
    [0.0, 0.0, 1.0]
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
