//! How pieces of terrain move.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::{Shaking, Surface, Terrain};

/// How a piece of terrain moves: its material along its surface, the whole piece to and fro, or both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["velocity"]}, {"required": ["shake"]}]))]
pub(crate) struct MotionEntry {
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

/// Displacement amplitude · sin(2π frequency · t + phase) of a piece of terrain from where it was declared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case)] // units are written as such
pub(crate) struct ShakeEntry {
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

impl MotionEntry {
    /// A belt, for the page of keys.
    pub(super) const EXAMPLE: Self = Self {
        velocity: Some([0.5, 0.0, 0.0]),
        shake: None,
    };

    /// Makes pieces move so.
    pub(super) fn set(self, pieces: &mut [Terrain]) -> Result<(), String> {
        let Self { velocity, shake } = self;
        if velocity.is_none() && shake.is_none() {
            return Err("its motion is empty; give velocity or shake".to_string());
        }
        for piece in pieces {
            if let (Some(velocity), Surface::Plane { normal, .. }) = (velocity, &piece.surface) {
                check_belt(velocity, normal)?;
            }
            piece.velocity = velocity.unwrap_or_default().into();
            piece.shaking = shake.map(|shake| Shaking {
                amplitude: shake.amplitude.into(),
                frequency: shake.frequency_Hz,
                phase: shake.phase,
            });
        }
        Ok(())
    }
}
