//! Pieces of terrain in a scenario file.

use std::path::PathBuf;

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HeightsEntry, RampEntry, SlopeEntry, StairsEntry, SteppingStonesEntry};
use crate::contact::{Material, Shaking, Surface, Terrain};
use crate::scenario::{ExperimentCache, ScenarioError};

/// A piece of terrain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum TerrainEntry {
    /// Half-space below a plane.
    Plane(PlaneEntry),
    /// Axis-aligned box: a step.
    Box(BoxEntry),
    /// Heights over a grid, smoothly interpolated: of a file, an expression, or written here.
    HeightField(HeightsEntry),
    /// A plane that rises in a direction.
    Slope(SlopeEntry),
    /// Ground that rises from one level to another.
    Ramp(RampEntry),
    /// A flight of steps: boxes `<name>.1`, `<name>.2`, …
    Stairs(StairsEntry),
    /// Separate boxes to step on: `<name>.1`, `<name>.2`, …
    SteppingStones(SteppingStonesEntry),
}

/// Half-space below a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// A point of the plane \[m\].
    #[serde(default)]
    pub point: [f64; 3],
    /// Outward normal, of any length.
    #[serde(default = "upward")]
    pub normal: [f64; 3],
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
    /// How it moves; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = MotionEntry::EXAMPLE)]
    pub motion: Option<MotionEntry>,
}

/// Axis-aligned box: a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// Lowest corner \[m\].
    #[schemars(example = vec![0.5, -1.0, 0.0])]
    pub min: [f64; 3],
    /// Highest corner \[m\].
    #[schemars(example = vec![0.8, 1.0, 0.1])]
    pub max: [f64; 3],
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
    /// How it moves; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = MotionEntry::EXAMPLE)]
    pub motion: Option<MotionEntry>,
}

/// How a piece of terrain moves: its material along its surface, the whole piece to and fro, or both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["velocity"]}, {"required": ["shake"]}]))]
pub struct MotionEntry {
    /// Velocity of the material that can be touched, along the surface, as of the belt of a treadmill \[m/s\]: the
    /// surface itself stays where it is. On a plane it lies in the plane, and its length is the speed of the belt; on a
    /// surface of changing slope its part along the surface counts at each place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![0.5, 0.0, 0.0])]
    pub velocity: Option<[f64; 3]>,
    /// The piece goes to and fro as a whole, as a shaker table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shake: Option<ShakeEntry>,
}

impl MotionEntry {
    /// A belt, for the page of keys.
    pub(super) const EXAMPLE: Self = Self {
        velocity: Some([0.5, 0.0, 0.0]),
        shake: None,
    };
}

/// Displacement amplitude · sin(2π frequency · t + phase) of a piece of terrain from where it was declared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case)] // units are written as such
pub struct ShakeEntry {
    /// Largest displacement, in any direction \[m\].
    #[schemars(example = vec![0.0, 0.0, 0.005])]
    pub amplitude: [f64; 3],
    /// \[Hz\].
    #[schemars(range(min = 0), example = 10.0)]
    pub frequency_Hz: f64,
    /// At time zero \[rad\].
    #[serde(default)]
    pub phase: f64,
}

/// Where the patterns of terrain go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Heading {
    /// Along x.
    #[default]
    #[serde(rename = "x")]
    X,
    /// Against x.
    #[serde(rename = "-x")]
    MinusX,
    /// Along y.
    #[serde(rename = "y")]
    Y,
    /// Against y.
    #[serde(rename = "-y")]
    MinusY,
}

impl Heading {
    /// The axis (0 or 1) and the sign.
    pub(super) fn axis(self) -> (usize, f64) {
        match self {
            Self::X => (0, 1.0),
            Self::MinusX => (0, -1.0),
            Self::Y => (1, 1.0),
            Self::MinusY => (1, -1.0),
        }
    }
}

/// What every kind of entry has by itself, as one expression.
macro_rules! of_every_kind {
    ($piece:expr, $entry:ident => $value:expr) => {
        match $piece {
            TerrainEntry::Plane($entry) => $value,
            TerrainEntry::Box($entry) => $value,
            TerrainEntry::HeightField($entry) => $value,
            TerrainEntry::Slope($entry) => $value,
            TerrainEntry::Ramp($entry) => $value,
            TerrainEntry::Stairs($entry) => $value,
            TerrainEntry::SteppingStones($entry) => $value,
        }
    };
}

/// Largest part of a belt's velocity along the normal of its plane, as a share: the speed along the plane is then that
/// which was asked for to a millionth.
const BELT_LIFT: f64 = 1e-3;

/// Refuses the velocity of a belt that leaves its plane: the material only moves along it.
fn check_belt(velocity: [f64; 3], normal: &Vector3<f64>) -> Result<(), String> {
    let velocity = Vector3::from(velocity);
    let (speed, length) = (velocity.norm(), normal.norm());
    // Numbers that are none are refused with the surface.
    if !(speed.is_finite() && length.is_finite()) || speed == 0.0 || length == 0.0 {
        return Ok(());
    }
    let normal = normal / length;
    let lift = velocity.dot(&normal);
    if lift.abs() <= BELT_LIFT * speed {
        return Ok(());
    }
    let along = velocity - normal * lift;
    let instead = if along.norm() > BELT_LIFT * speed {
        let [x, y, z]: [f64; 3] = (along * (speed / along.norm())).into();
        format!("write [{x:.6}, {y:.6}, {z:.6}] for {speed} m/s in its direction along the surface")
    } else {
        "write a velocity along the surface, or shake".to_string()
    };
    Err(format!(
        "motion.velocity leaves the surface at {lift:.6} m/s, and a belt moves along it; {instead}"
    ))
}

fn upward() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

impl TerrainEntry {
    /// Level ground at height zero.
    pub(crate) fn level(name: &str) -> Self {
        Self::Plane(PlaneEntry {
            name: name.to_string(),
            point: [0.0; 3],
            normal: upward(),
            friction: None,
            restitution: None,
            motion: None,
        })
    }

    /// Its name; those of the pieces of a pattern begin with it.
    #[must_use]
    pub fn name(&self) -> &str {
        of_every_kind!(self, entry => &entry.name)
    }

    /// Friction and restitution, where stated.
    pub(in crate::scenario::entries) fn material(&self) -> [Option<f64>; 2] {
        of_every_kind!(self, entry => [entry.friction, entry.restitution])
    }

    /// The same, to be filled in.
    pub(crate) fn material_mut(&mut self) -> [&mut Option<f64>; 2] {
        of_every_kind!(self, entry => [&mut entry.friction, &mut entry.restitution])
    }

    /// Whether the piece moves as a whole.
    pub(crate) fn is_shaken(&self) -> bool {
        self.motion().is_some_and(|motion| motion.shake.is_some())
    }

    fn motion(&self) -> Option<MotionEntry> {
        match self {
            Self::Plane(entry) => entry.motion,
            Self::Box(entry) => entry.motion,
            Self::HeightField(entry) => entry.motion,
            Self::Slope(entry) => entry.motion,
            Self::Ramp(entry) => entry.motion,
            Self::Stairs(_) | Self::SteppingStones(_) => None,
        }
    }

    /// The file that it names, if any.
    pub(crate) fn file_mut(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::HeightField(entry) => entry.file.as_mut(),
            _ => None,
        }
    }

    /// Reads the heights of a file into the entry, so that it needs none any more.
    pub(crate) fn read_heights(
        &mut self,
        file: &str,
        place: &str,
        cache: &ExperimentCache,
    ) -> Result<(), ScenarioError> {
        match self {
            Self::HeightField(entry) => entry.read(file, place, cache),
            _ => Ok(()),
        }
    }

    /// The pieces that it stands for; `file` and `place` are what messages call the scenario and the entry, `material`
    /// fills in what is not stated.
    pub(crate) fn build(
        &self,
        file: &str,
        place: &str,
        material: impl Fn(Option<f64>, Option<f64>) -> Material,
    ) -> Result<Vec<Terrain>, ScenarioError> {
        let wrong = |reason: String| ScenarioError::value(file, place, reason);
        let [friction, restitution] = self.material();
        let material = material(friction, restitution);
        let mut pieces = match self {
            Self::Plane(entry) => {
                vec![Terrain::plane(
                    &entry.name,
                    entry.point,
                    entry.normal,
                    material,
                )]
            }
            Self::Box(entry) => {
                vec![Terrain::step(&entry.name, entry.min, entry.max, material)]
            }
            Self::HeightField(entry) => vec![entry.build(material).map_err(wrong)?],
            Self::Slope(entry) => vec![entry.build(material).map_err(wrong)?],
            Self::Ramp(entry) => vec![entry.build(material).map_err(wrong)?],
            Self::Stairs(entry) => entry.build(material).map_err(wrong)?,
            Self::SteppingStones(entry) => entry.build(material).map_err(wrong)?,
        };
        if let Some(MotionEntry { velocity, shake }) = self.motion() {
            if velocity.is_none() && shake.is_none() {
                return Err(wrong(
                    "its motion is empty; give velocity or shake".to_string(),
                ));
            }
            for piece in &mut pieces {
                if let (Some(velocity), Surface::Plane { normal, .. }) = (velocity, &piece.surface)
                {
                    check_belt(velocity, normal).map_err(wrong)?;
                }
                piece.velocity = velocity.unwrap_or_default().into();
                piece.shaking = shake.map(|shake| Shaking {
                    amplitude: shake.amplitude.into(),
                    frequency: shake.frequency_Hz,
                    phase: shake.phase,
                });
            }
        }
        Ok(pieces)
    }
}
