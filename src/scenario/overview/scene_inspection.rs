//! What a scenario puts together: robots, objects, terrain, and what can touch what.

use serde::Serialize;

use crate::contact::{Contacts, Drawn, Terrain};
use crate::model::Base;
use crate::scenario::{Experiment, Inspection, NotFinite};

/// What stands and lies in a scenario, as `carom inspect` says it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneSummary {
    /// The robots in order.
    pub robots: Vec<TreeSummary>,
    /// The loose bodies beside them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<TreeSummary>,
    /// The pieces of terrain; patterns in their parts.
    pub terrain: Vec<TerrainSummary>,
    /// What can touch what, with the number of contacts.
    pub touching: Vec<TouchingSummary>,
    /// Number of joint limits that are contacts.
    pub joint_limits: usize,
}

/// A robot or an object.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeSummary {
    /// Its name in the scene.
    pub name: String,
    /// How its root is held.
    pub base: Base,
    /// Mass of what moves of it \[kg\].
    pub mass: f64,
    /// Number of bodies that move.
    pub bodies: usize,
}

/// A piece of terrain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TerrainSummary {
    /// Its name.
    pub name: String,
    /// `plane`, `box`, `heights` or `own`.
    pub kind: &'static str,
    /// Lowest corner \[m\] of what ends somewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<[f64; 3]>,
    /// Highest corner \[m\] of what ends somewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<[f64; 3]>,
    /// A point of a plane \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Outward normal of a plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<[f64; 3]>,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Velocity of the material along its surface \[m/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Amplitude \[m\] of a piece that goes to and fro.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amplitude: Option<[f64; 3]>,
    /// Its frequency \[Hz\].
    #[serde(skip_serializing_if = "Option::is_none", rename = "frequency_Hz")]
    pub frequency: Option<f64>,
}

/// Contacts of one link with one other thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TouchingSummary {
    /// The link that carries the sites.
    pub link: String,
    /// The piece of terrain or the other link.
    pub with: String,
    /// Number of contacts.
    pub contacts: usize,
    /// Coefficient of friction of their contact.
    pub friction: f64,
    /// Coefficient of restitution of their contact.
    pub restitution: f64,
}

impl SceneSummary {
    /// The scene of an experiment.
    #[must_use]
    pub fn new(experiment: &Experiment) -> Self {
        let (model, contacts) = (&experiment.model, &experiment.contacts);
        // Between the freedoms of one joint there is nothing of the robot.
        let inner = |b: usize| (model.composite_of(b)).is_some_and(|c| b + 1 < c.bodies.end);
        let trees = model.trees().iter().map(|tree| TreeSummary {
            name: tree.name.clone(),
            base: tree.base,
            mass: tree
                .bodies
                .clone()
                .map(|b| model.bodies()[b].inertia.mass)
                .sum(),
            bodies: tree.bodies.clone().filter(|b| !inner(*b)).count() + 1
                - tree.base_bodies().len().max(1),
        });
        let mut robots: Vec<TreeSummary> = trees.collect();
        let objects = robots.split_off(experiment.scenario.robot.len());
        Self {
            robots,
            objects,
            terrain: contacts
                .terrains()
                .iter()
                .map(TerrainSummary::new)
                .collect(),
            touching: touching(contacts),
            joint_limits: (0..contacts.len())
                .filter(|i| contacts.is_limit(*i))
                .count(),
        }
    }
}

impl TerrainSummary {
    fn new(piece: &Terrain) -> Self {
        let mut summary = Self {
            name: piece.name.clone(),
            kind: "own",
            min: None,
            max: None,
            point: None,
            normal: None,
            friction: piece.material.friction,
            restitution: piece.material.restitution,
            velocity: (piece.velocity.norm() > 0.0).then(|| piece.velocity.into()),
            amplitude: piece.shaking.map(|shaking| shaking.amplitude.into()),
            frequency: piece.shaking.map(|shaking| shaking.frequency),
        };
        match piece.drawn() {
            Some(Drawn::HalfSpace { point, normal }) => {
                summary.kind = "plane";
                summary.point = Some(point.into());
                summary.normal = Some(normal.into());
            }
            Some(Drawn::Box { min, max }) => {
                summary.kind = "box";
                (summary.min, summary.max) = (Some(min.into()), Some(max.into()));
            }
            Some(Drawn::Heights(field)) => {
                summary.kind = "heights";
                let ([x, y], [dx, dy], [nx, ny]) = (field.origin(), field.cell(), field.nodes());
                let nodes = (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j)));
                let heights =
                    nodes.map(|(i, j)| field.at(x + dx * i as f64, y + dy * j as f64).value);
                let (low, high) = heights
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| {
                        (f64::min(low, z), f64::max(high, z))
                    });
                let far = |from: f64, cell: f64, count: usize| from + cell * (count - 1) as f64;
                summary.min = Some([x, y, low]);
                summary.max = Some([far(x, dx, nx), far(y, dy, ny), high]);
            }
            _ => {}
        }
        summary
    }
}

/// Contacts by the link and what it touches, in the order of the contacts.
fn touching(contacts: &Contacts) -> Vec<TouchingSummary> {
    let mut groups: Vec<TouchingSummary> = Vec::new();
    for i in 0..contacts.len() {
        let sites = contacts.sites_of(i);
        let link = |site: usize| contacts.sites()[site].link.clone();
        let others = (contacts.terrain_of(i), contacts.carried_of(i), sites.get(1));
        let [own, with] = match (sites.first(), contacts.cornered(i), others) {
            (_, Some(names), _) => names.map(str::to_string),
            (Some(first), _, (Some(terrain), ..)) => {
                [link(*first), contacts.terrains()[terrain].name.clone()]
            }
            (Some(first), _, (_, Some(surface), _)) => {
                [link(*first), contacts.carried()[surface].link.clone()]
            }
            (Some(first), _, (_, _, Some(second))) => [link(*first), link(*second)],
            _ => continue,
        };
        let new = TouchingSummary {
            link: own,
            with,
            contacts: 1,
            friction: contacts.friction(i),
            restitution: contacts.restitution(i),
        };
        let same = |group: &&mut TouchingSummary| {
            group.link == new.link
                && group.with == new.with
                && group.friction == new.friction
                && group.restitution == new.restitution
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.contacts += 1,
            None => groups.push(new),
        }
    }
    groups
}

impl Inspection {
    /// Describes what a scenario puts together, where it starts.
    ///
    /// # Errors
    /// [`NotFinite`].
    pub fn of_scenario(experiment: &Experiment) -> Result<Self, NotFinite> {
        let mut inspection =
            Self::with_quantities(&experiment.model, &experiment.q, &experiment.v)?;
        inspection.body_pairs.clone_from(&experiment.body_pairs);
        let told = experiment.remarks().into_iter();
        for remark in told {
            if !inspection.warnings.contains(&remark) {
                inspection.warnings.push(remark);
            }
        }
        inspection.scene = Some(SceneSummary::new(experiment));
        Ok(inspection)
    }
}
