//! Contact sites declared in a scenario file.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contact::{CarriedSurface, Inactivity, Material, MeshPoints, Site, SiteShape};
use crate::metric::Formula;
use crate::model::{Geometry, Model};
use crate::scenario::ScenarioError;
use crate::spatial::{Pose, rotation_from_rpy};

/// One declared contact site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = keys_by_kind)]
pub(crate) struct SiteEntry {
    /// Name, unique.
    #[schemars(example = &"left_foot")]
    pub name: String,
    /// Link that carries it.
    #[schemars(example = &"left_sole")]
    pub link: String,
    /// Shape.
    #[schemars(example = &"sphere")]
    pub(crate) kind: SiteKind,
    /// Centre in the link's frame \[m\].
    #[serde(default)]
    pub position: [f64; 3],
    /// Radius of a sphere, an arc or a disc \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.02)]
    pub radius: Option<f64>,
    /// Two orthogonal directions of an arc's plane, in the link's frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]]))]
    pub axes: Option<[[f64; 3]; 2]>,
    /// First angle of an arc \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.0)]
    pub start: Option<f64>,
    /// Last angle of an arc \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = std::f64::consts::PI)]
    pub end: Option<f64>,
    /// Radius of the tube around an arc \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.01)]
    pub thickness: Option<f64>,
    /// Normal of a disc in the link's frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![0.0, 1.0, 0.0])]
    pub axis: Option<[f64; 3]>,
    /// Edge lengths of a box \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![0.5, 0.2, 0.13])]
    pub size: Option<[f64; 3]>,
    /// Roll, pitch and yaw of a box in the link's frame \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![0.0, 0.0, 0.1])]
    pub rpy: Option<[f64; 3]>,
    /// Points of a hull in the link's frame \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), example = vec![vec![0.1, 0.0, -0.02], vec![-0.1, 0.0, -0.02]])]
    pub points: Option<Vec<[f64; 3]>>,
    /// Condition on positions (`q_<coordinate>`) under which the site touches nothing, as `"q_swing < 0.1"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"q_swing < 0.1")]
    pub inactive_while: Option<String>,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
}

/// Shape of a declared site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub(crate) enum SiteKind {
    /// The centre itself.
    Point,
    /// Sphere: `radius`.
    Sphere,
    /// Arc of a circle, as of a C-leg: `axes`, `radius`, `start`, `end`, `thickness`. Its points are
    /// centre + radius (cos θ axes₀ + sin θ axes₁).
    Arc,
    /// The eight corners of a box: `size`, `rpy`.
    Box,
    /// Edge of a disc: `axis`, `radius`.
    Disc,
    /// Points that stand for a convex body: `points`, each a site `<name>_0`, `<name>_1` ….
    Hull,
}

/// The keys of a kind of site beside those of all kinds.
struct KindKeys {
    kind: SiteKind,
    name: &'static str,
    needed: &'static [&'static str],
    optional: &'static [&'static str],
}

const KINDS: [KindKeys; 6] = [
    KindKeys {
        kind: SiteKind::Point,
        name: "point",
        needed: &[],
        optional: &[],
    },
    KindKeys {
        kind: SiteKind::Sphere,
        name: "sphere",
        needed: &["radius"],
        optional: &[],
    },
    KindKeys {
        kind: SiteKind::Arc,
        name: "arc",
        needed: &["axes", "radius", "start", "end"],
        optional: &["thickness"],
    },
    KindKeys {
        kind: SiteKind::Box,
        name: "box",
        needed: &["size"],
        optional: &["rpy"],
    },
    KindKeys {
        kind: SiteKind::Disc,
        name: "disc",
        needed: &["axis", "radius"],
        optional: &[],
    },
    KindKeys {
        kind: SiteKind::Hull,
        name: "hull",
        needed: &["points"],
        optional: &[],
    },
];

/// Keys that some kinds have and others have not.
const KEYS_OF_KINDS: [&str; 9] = [
    "radius",
    "axes",
    "start",
    "end",
    "thickness",
    "axis",
    "size",
    "rpy",
    "points",
];

/// Says of each kind which keys it needs and which it has not.
fn keys_by_kind(schema: &mut Schema) {
    let cases = KINDS.iter().map(|of| {
        let foreign = KEYS_OF_KINDS
            .iter()
            .filter(|key| !of.needed.contains(key) && !of.optional.contains(key));
        let foreign: Vec<Value> = foreign.map(|key| json!({"required": [key]})).collect();
        json!({
            "if": {"properties": {"kind": {"const": of.name}}},
            "then": {"required": of.needed, "not": {"anyOf": foreign}},
        })
    });
    let cases: Vec<Value> = cases.collect();
    schema.insert("allOf".to_string(), Value::Array(cases));
}

impl SiteEntry {
    /// The site (eight for a box, one for each point of a hull). Keys of other kinds are refused; `file` and `place` are what messages call the
    /// scenario and the entry.
    pub(crate) fn build(
        &self,
        file: &str,
        place: &str,
        model: &Model,
        material: Material,
    ) -> Result<Vec<Site>, ScenarioError> {
        let sites = self.shapes(file, place, model, material)?;
        let Some(text) = &self.inactive_while else {
            return Ok(sites);
        };
        let names = model.configuration_names().iter();
        let names: Vec<String> = names.map(|name| format!("q_{name}")).collect();
        let condition = Formula::new(text, &names).map_err(|error| {
            ScenarioError::value(file, format!("{place}.inactive_while"), error.to_string())
        })?;
        let inactive = Inactivity::new(text, move |q| condition.holds(q));
        let sites = sites.into_iter();
        Ok(sites
            .map(|site| site.inactive_while(inactive.clone()))
            .collect())
    }

    fn shapes(
        &self,
        file: &str,
        place: &str,
        model: &Model,
        material: Material,
    ) -> Result<Vec<Site>, ScenarioError> {
        self.check_keys()
            .map_err(|reason| ScenarioError::value(file, place, reason))?;
        let radius = self.radius.unwrap_or_default();
        let shape = match self.kind {
            SiteKind::Point => SiteShape::Point,
            SiteKind::Sphere => SiteShape::Sphere { radius },
            SiteKind::Arc => SiteShape::Arc {
                axes: self.axes.unwrap_or_default().map(Into::into),
                radius,
                start: self.start.unwrap_or_default(),
                end: self.end.unwrap_or_default(),
                thickness: self.thickness.unwrap_or_default(),
            },
            SiteKind::Disc => SiteShape::DiscEdge {
                axis: self.axis.unwrap_or_default().into(),
                radius,
            },
            SiteKind::Hull => {
                let points = self.points.iter().flatten().enumerate();
                let point = |(i, at): (usize, &[f64; 3])| {
                    Site::point(
                        model,
                        &format!("{}_{i}", self.name),
                        &self.link,
                        *at,
                        material,
                    )
                };
                return Ok(points.map(point).collect::<Result<_, _>>()?);
            }
            SiteKind::Box => {
                let rpy = self.rpy.unwrap_or_default();
                let pose = Pose::new(rotation_from_rpy(&rpy), self.position.into());
                let size = self.size.unwrap_or_default();
                return Ok(Site::box_corners(
                    model, &self.name, &self.link, &pose, size, material,
                )?);
            }
        };
        Ok(vec![Site::new(
            model,
            &self.name,
            &self.link,
            self.position,
            shape,
            material,
        )?])
    }

    /// The box whose corners these sites are; none of those that touch at times only.
    pub(crate) fn surface(
        &self,
        model: &Model,
        material: Material,
    ) -> Result<Option<CarriedSurface>, ScenarioError> {
        let Some(size) = self.size.filter(|_| self.kind == SiteKind::Box) else {
            return Ok(None);
        };
        if self.inactive_while.is_some() {
            return Ok(None);
        }
        let rpy = self.rpy.unwrap_or_default();
        let pose = Pose::new(rotation_from_rpy(&rpy), self.position.into());
        let geometry = Geometry::Box(size);
        let link = &self.link;
        let made = CarriedSurface::new(model, &self.name, link, &pose, geometry, material);
        Ok(Some(made?))
    }

    /// Every key that the kind needs, and none that it would ignore.
    fn check_keys(&self) -> Result<(), String> {
        let given = [
            ("radius", self.radius.is_some()),
            ("axes", self.axes.is_some()),
            ("start", self.start.is_some()),
            ("end", self.end.is_some()),
            ("thickness", self.thickness.is_some()),
            ("axis", self.axis.is_some()),
            ("size", self.size.is_some()),
            ("rpy", self.rpy.is_some()),
            ("points", self.points.is_some()),
        ];
        let Some(of) = KINDS.iter().find(|of| of.kind == self.kind) else {
            return Ok(());
        };
        let (kind, needed, optional) = (of.name, of.needed, of.optional);
        for (key, present) in given {
            if needed.contains(&key) && !present {
                return Err(format!("a site of kind \"{kind}\" needs {key}"));
            }
            if present && !needed.contains(&key) && !optional.contains(&key) {
                return Err(format!(
                    "a site of kind \"{kind}\" has no {key}; remove the key"
                ));
            }
        }
        if self.points.as_ref().is_some_and(Vec::is_empty) {
            return Err(format!(
                "a site of kind \"{kind}\" needs points, and this one has none; give some or remove the site"
            ));
        }
        if self.kind == SiteKind::Hull && self.position != [0.0; 3] {
            return Err(
                "the points of a \"hull\" stand in the link's frame; remove position".into(),
            );
        }
        Ok(())
    }

    /// Points of a collision mesh.
    pub(crate) fn of_mesh(mesh: MeshPoints) -> Self {
        Self {
            name: mesh.name,
            link: mesh.link,
            kind: SiteKind::Hull,
            position: [0.0; 3],
            radius: None,
            axes: None,
            start: None,
            end: None,
            thickness: None,
            axis: None,
            size: None,
            rpy: None,
            points: Some(mesh.points),
            inactive_while: None,
            friction: None,
            restitution: None,
        }
    }
}
