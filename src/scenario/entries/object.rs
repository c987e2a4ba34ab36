//! Loose bodies of a scene: balls, boxes and other solids that move freely beside the robot.

use nalgebra::Vector3;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::{Geometry, Link, Model};
use crate::scenario::ScenarioError;
use crate::spatial::{Pose, quaternion_from_rpy, rotation_from_rpy};

/// A loose solid of even density.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = keys_by_kind)]
pub(crate) struct ObjectEntry {
    /// Name, unique among links and terrain; its coordinates are `<name>.x` and so on.
    #[schemars(example = &"ball")]
    pub name: String,
    /// Shape.
    #[schemars(example = &"sphere")]
    pub(crate) kind: ObjectKind,
    /// Radius of a sphere, a capsule or a cylinder \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.11)]
    pub radius: Option<f64>,
    /// Length of a cylinder, or of the straight part of a capsule, along z \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.3)]
    pub length: Option<f64>,
    /// Edge lengths of a box \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![0.3, 0.3, 0.2])]
    pub size: Option<[f64; 3]>,
    /// Mass \[kg\]; this or `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.4)]
    pub mass: Option<f64>,
    /// Density \[kg/m³\], in place of `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 600.0)]
    pub density: Option<f64>,
    /// Where its centre starts \[m\].
    #[serde(default)]
    pub position: [f64; 3],
    /// Roll, pitch and yaw at the start \[rad\].
    #[serde(default)]
    pub rpy: [f64; 3],
    /// Velocity of its centre at the start, in the world \[m/s\]; the columns `v_<name>.vx` … of a run are in the body's
    /// own frame.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at the start, in the world \[rad/s\]; the columns `v_<name>.wx` … of a run are in the body's own
    /// frame.
    #[serde(default)]
    pub spin: [f64; 3],
    /// Whether anything touches it.
    #[serde(default = "yes")]
    pub collides: bool,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.5)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.7)]
    pub restitution: Option<f64>,
}

fn yes() -> bool {
    true
}

/// Shape of a loose body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub(crate) enum ObjectKind {
    /// `radius`.
    Sphere,
    /// `size`.
    Box,
    /// `radius`, `length` of the straight part.
    Capsule,
    /// `radius`, `length`.
    Cylinder,
}

/// The keys of each kind.
const KINDS: [(ObjectKind, &str, &[&str]); 4] = [
    (ObjectKind::Sphere, "sphere", &["radius"]),
    (ObjectKind::Box, "box", &["size"]),
    (ObjectKind::Capsule, "capsule", &["radius", "length"]),
    (ObjectKind::Cylinder, "cylinder", &["radius", "length"]),
];
const KEYS_OF_KINDS: [&str; 3] = ["radius", "length", "size"];

/// Says of each kind which keys it needs and which it has not, and that mass or density is given.
fn keys_by_kind(schema: &mut Schema) {
    let cases = KINDS.iter().map(|(_, name, needed)| {
        let foreign = KEYS_OF_KINDS.iter().filter(|key| !needed.contains(key));
        let foreign: Vec<Value> = foreign.map(|key| json!({"required": [key]})).collect();
        json!({
            "if": {"properties": {"kind": {"const": name}}},
            "then": {"required": needed, "not": {"anyOf": foreign}},
        })
    });
    let one = json!({"oneOf": [{"required": ["mass"]}, {"required": ["density"]}]});
    let cases: Vec<Value> = cases.chain([one]).collect();
    schema.insert("allOf".to_string(), Value::Array(cases));
}

impl ObjectEntry {
    /// The body as a model of its own; `file` and `place` are what messages call the scenario and the entry.
    pub(crate) fn model(&self, file: &str, place: &str) -> Result<Model, ScenarioError> {
        let wrong = |key: &str, reason: String| {
            Err(ScenarioError::value(file, format!("{place}{key}"), reason))
        };
        if let Some((key, reason)) = self.wrong_name().or_else(|| self.wrong_key()) {
            return wrong(key, reason);
        }
        let geometry = self.geometry();
        let mass = match (self.mass, self.density) {
            (Some(mass), None) => mass,
            (None, Some(density)) => density * geometry.volume(),
            (Some(_), Some(_)) => {
                return wrong("", "it has mass and density; remove one of the two".into());
            }
            (None, None) => return wrong("", "give it a mass or a density".into()),
        };
        let link = Link::new(&self.name).solid(mass, &geometry).shape(
            Pose::identity(),
            geometry,
            self.collides,
        );
        Model::loose(&self.name, link).map_err(|e| ScenarioError::from(e).located(file, place))
    }

    /// Configuration and velocity at the start: position and quaternion, body twist.
    pub(crate) fn state(&self) -> ([f64; 7], [f64; 6]) {
        let rotation = rotation_from_rpy(&self.rpy);
        let [x, y, z] = self.position;
        let [a, b, c, d] = quaternion_from_rpy(&self.rpy);
        let back = |v: [f64; 3]| -> Vector3<f64> { rotation.tr_mul(&Vector3::from(v)) };
        let (linear, angular) = (back(self.velocity), back(self.spin));
        (
            [x, y, z, a, b, c, d],
            [
                linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
            ],
        )
    }

    fn geometry(&self) -> Geometry {
        let (radius, length) = (
            self.radius.unwrap_or_default(),
            self.length.unwrap_or_default(),
        );
        match self.kind {
            ObjectKind::Sphere => Geometry::Sphere(radius),
            ObjectKind::Box => Geometry::Box(self.size.unwrap_or_default()),
            ObjectKind::Capsule => Geometry::Capsule(radius, length),
            ObjectKind::Cylinder => Geometry::Cylinder(radius, length),
        }
    }

    /// Names that would be read as something else.
    fn wrong_name(&self) -> Option<(&'static str, String)> {
        let reserved = ["world", "base"].contains(&self.name.as_str());
        if reserved || self.name.contains(['.', '/']) || self.name.trim().is_empty() {
            let reason = format!(
                "\"{}\" is no name of an object: give it one without \".\" and \"/\", and not \"world\" or \"base\"",
                self.name
            );
            return Some((".name", reason));
        }
        None
    }

    /// The first key that is missing, belongs to another kind or has an impossible number.
    fn wrong_key(&self) -> Option<(&'static str, String)> {
        let (_, kind, needed) = KINDS.iter().find(|(kind, ..)| *kind == self.kind)?;
        let one = |x: &Option<f64>| x.map(|x| vec![x]);
        let given = [
            (".radius", one(&self.radius)),
            (".length", one(&self.length)),
            (".size", self.size.map(|s| s.to_vec())),
            (".mass", one(&self.mass)),
            (".density", one(&self.density)),
        ];
        for (key, numbers) in &given {
            let name = &key[1..];
            let (of_kind, belongs) = (KEYS_OF_KINDS.contains(&name), needed.contains(&name));
            if of_kind && belongs && numbers.is_none() {
                return Some(("", format!("an object of kind \"{kind}\" needs {name}")));
            }
            if of_kind && !belongs && numbers.is_some() {
                let reason = format!("an object of kind \"{kind}\" has no {name}; remove the key");
                return Some(("", reason));
            }
            let numbers = numbers.iter().flatten();
            if let Some(x) = numbers.copied().find(|x| !(x.is_finite() && *x > 0.0)) {
                return Some((key, format!("it is {x}, it must be finite and positive")));
            }
        }
        let states = [
            (".position", self.position),
            (".rpy", self.rpy),
            (".velocity", self.velocity),
            (".spin", self.spin),
        ];
        states.into_iter().find_map(|(key, numbers)| {
            let x = numbers.into_iter().find(|x| !x.is_finite())?;
            Some((key, format!("{x} is not a finite number")))
        })
    }
}
