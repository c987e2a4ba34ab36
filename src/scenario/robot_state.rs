//! State files: where a robot's base and joints are and how fast they move.
//!
//! ```json
//! {"base": {"position": [0, 0, 0.5], "quaternion": [0, 0, 0, 1], "twist": [0, 0, 0, 0, 0, 0]},
//!  "joints": {"hip": 0.1}, "velocities": {"hip": 0.0}}
//! ```
//!
//! The quaternion is (x, y, z, w), the twist (linear, angular) that of the base link in its own
//! frame. A planar base has `x`, `z`, `pitch` and the rates `vx`, `vz`, `wpitch` instead. What is not
//! given is zero, the quaternion the identity.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::StateError;
use crate::files::{Number, NumbersByJoint, Object, did_you_mean, read_bounded_text};
use crate::model::{Base, Body, Model, ModelError};

/// A quaternion this far from unit length is a mistake; a nearer one is normalised.
const QUATERNION_SLACK: f64 = 1e-3;

/// A state as it stands in a file, not yet matched with a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotState {
    file: String,
    base: BaseEntry,
    joints: BTreeMap<String, f64>,
    velocities: BTreeMap<String, f64>,
}

/// A state as its file holds it; what is not given is zero.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StateEntry {
    /// Where the base is and how it moves.
    #[schemars(with = "BaseEntry")]
    base: Option<Object<BaseEntry>>,
    /// Joint positions by name \[rad or m\].
    #[schemars(with = "BTreeMap<String, f64>", extend("examples" = [{"left_knee": 0.8}]))]
    joints: NumbersByJoint,
    /// Joint velocities by name \[rad/s or m/s\].
    #[schemars(with = "BTreeMap<String, f64>", extend("examples" = [{"left_knee": 0.0}]))]
    velocities: NumbersByJoint,
}

/// The base: `position`, `quaternion` and `twist` of a floating one, `x` to `wpitch` of a planar one.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BaseEntry {
    /// Origin of the root link in the world \[m\], of a floating base.
    #[schemars(with = "[f64; 3]", example = vec![0.0, 0.0, 0.5])]
    position: Option<[Number; 3]>,
    /// Unit quaternion x, y, z, w, of a floating base.
    #[schemars(with = "[f64; 4]", example = vec![0.0, 0.0, 0.0, 1.0])]
    quaternion: Option<[Number; 4]>,
    /// Linear \[m/s\] and angular velocity \[rad/s\] in the base's own frame, of a floating base.
    #[schemars(with = "[f64; 6]", example = vec![0.5, 0.0, 0.0, 0.0, 0.0, 0.0])]
    twist: Option<[Number; 6]>,
    /// Place along the ground \[m\], of a planar base.
    #[schemars(with = "f64", example = 0.0)]
    x: Option<Number>,
    /// Height \[m\], of a planar base.
    #[schemars(with = "f64", example = 0.3)]
    z: Option<Number>,
    /// Angle about +y \[rad\], of a planar base.
    #[schemars(with = "f64", example = 0.1)]
    pitch: Option<Number>,
    /// Rate of `x` \[m/s\].
    #[schemars(with = "f64", example = 0.0)]
    vx: Option<Number>,
    /// Rate of `z` \[m/s\].
    #[schemars(with = "f64", example = -0.5)]
    vz: Option<Number>,
    /// Rate of `pitch` \[rad/s\].
    #[schemars(with = "f64", example = 0.0)]
    wpitch: Option<Number>,
}

impl BaseEntry {
    fn floating(&self) -> Option<&'static str> {
        let keys = [
            (self.position.is_some(), "position"),
            (self.quaternion.is_some(), "quaternion"),
            (self.twist.is_some(), "twist"),
        ];
        first_given(&keys)
    }

    fn planar(&self) -> Option<&'static str> {
        let keys = [
            (self.x.is_some(), "x"),
            (self.z.is_some(), "z"),
            (self.pitch.is_some(), "pitch"),
            (self.vx.is_some(), "vx"),
            (self.vz.is_some(), "vz"),
            (self.wpitch.is_some(), "wpitch"),
        ];
        first_given(&keys)
    }
}

fn first_given(keys: &[(bool, &'static str)]) -> Option<&'static str> {
    keys.iter().find(|(given, _)| *given).map(|(_, key)| *key)
}

impl RobotState {
    /// Reads a state file.
    ///
    /// # Errors
    /// The file cannot be read or is not a state.
    pub fn read(path: &Path) -> Result<Self, StateError> {
        let file = path.display().to_string();
        match read_bounded_text(path) {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => Err(StateError::Unreadable {
                file,
                reason: error.to_string(),
            }),
        }
    }

    /// Parses the text of a state file; `file` is what error messages call it.
    ///
    /// # Errors
    /// As [`RobotState::read`], except reading.
    pub fn parse(file: &str, text: &str) -> Result<Self, StateError> {
        let Object(entry) = serde_json::from_str::<Object<StateEntry>>(text)
            .map_err(|error| StateError::from_json(file, text, &error))?;
        let state = Self {
            file: file.to_string(),
            base: entry.base.map_or_else(BaseEntry::default, |b| b.0),
            joints: entry.joints.0,
            velocities: entry.velocities.0,
        };
        if let (Some(floating), Some(planar)) = (state.base.floating(), state.base.planar()) {
            return Err(state.wrong(
                "base",
                format!("\"{floating}\" belongs to a floating base, \"{planar}\" to a planar one"),
            ));
        }
        Ok(state)
    }

    /// The kind of base the state speaks of, if it speaks of one.
    #[must_use]
    pub fn base(&self) -> Option<Base> {
        if self.base.floating().is_some() {
            Some(Base::Floating)
        } else if self.base.planar().is_some() {
            Some(Base::Planar)
        } else {
            None
        }
    }

    /// Configuration and velocity of a robot in this state.
    ///
    /// # Errors
    /// A joint that the robot does not have, a base of another kind than the robot's, a quaternion
    /// that is not of unit length.
    pub fn of(&self, model: &Model) -> Result<(Vec<f64>, Vec<f64>), StateError> {
        let mut q = model.neutral_configuration();
        let mut v = vec![0.0; model.dof()];
        if let Some(base) = self.base()
            && base != model.base()
        {
            let key = self
                .base
                .floating()
                .or(self.base.planar())
                .unwrap_or_default();
            let reason = format!(
                "the state is of a {}, the robot has a {} base",
                match base {
                    Base::Floating => "floating base",
                    _ => "planar base",
                },
                match model.base() {
                    Base::Fixed => "fixed",
                    Base::Planar => "planar",
                    Base::Floating => "floating",
                }
            );
            return Err(self.wrong(&format!("base.{key}"), reason));
        }
        let zero = Number(0.0);
        match model.base() {
            Base::Fixed => {}
            Base::Planar => {
                let b = &self.base;
                for (i, (position, rate)) in [(b.x, b.vx), (b.z, b.vz), (b.pitch, b.wpitch)]
                    .into_iter()
                    .enumerate()
                {
                    q[i] = position.unwrap_or(zero).0;
                    v[i] = rate.unwrap_or(zero).0;
                }
            }
            Base::Floating => {
                let position = self.base.position.unwrap_or([zero; 3]);
                let twist = self.base.twist.unwrap_or([zero; 6]);
                q[..3].copy_from_slice(&position.map(|x| x.0));
                q[3..7].copy_from_slice(&self.quaternion()?);
                v[..6].copy_from_slice(&twist.map(|x| x.0));
            }
        }
        for (key, values) in [("joints", &self.joints), ("velocities", &self.velocities)] {
            for (name, value) in values {
                let Some(body) = joints(model).find(|body| body.joint == *name) else {
                    let known = joints(model).map(|body| body.joint.as_str());
                    let reason = match model.joint(name) {
                        Err(
                            error @ (ModelError::Follower { .. } | ModelError::Composite { .. }),
                        ) => error.to_string(),
                        _ => format!(
                            "the robot has no movable joint \"{name}\"{}",
                            did_you_mean(name, known)
                        ),
                    };
                    return Err(self.wrong(key, reason));
                };
                if key == "joints" {
                    q[body.q_index] = *value;
                } else {
                    v[body.v_index] = *value;
                }
            }
        }
        Ok((q, v))
    }

    fn quaternion(&self) -> Result<[f64; 4], StateError> {
        let Some(given) = self.base.quaternion else {
            return Ok([0.0, 0.0, 0.0, 1.0]);
        };
        let quaternion = given.map(|x| x.0);
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() <= QUATERNION_SLACK {
            return Ok(quaternion.map(|x| x / length));
        }
        let reason = format!("its length is {length}, a rotation has length 1 (order x, y, z, w)");
        Err(self.wrong("base.quaternion", reason))
    }

    fn wrong(&self, place: &str, reason: String) -> StateError {
        StateError::Value {
            file: self.file.clone(),
            place: place.to_string(),
            reason,
        }
    }
}

/// The bodies moved by joints of the description, not by a base.
pub(crate) fn joints(model: &Model) -> impl Iterator<Item = &Body> {
    placed_joints(model).map(|(_, body)| body)
}

/// The same with their places in [`Model::bodies`].
pub(crate) fn placed_joints(model: &Model) -> impl Iterator<Item = (usize, &Body)> {
    let bodies = model.bodies().iter().enumerate();
    bodies.filter(|(i, body)| !model.is_base(*i) && body.follows.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample::{hexapod, random_tree};

    fn parse(text: &str) -> Result<RobotState, StateError> {
        RobotState::parse("state.json", text)
    }

    fn refused(model: &Model, text: &str, part: &str) {
        let error = parse(text).and_then(|state| state.of(model)).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().starts_with("state.json:"), "{error}");
    }

    #[test]
    fn values_land_on_their_coordinates() {
        let model = hexapod().unwrap();
        let state = parse(
            r#"{"base": {"position": [1, 2, 3], "quaternion": [0, 0.6, 0, 0.8], "twist": [1, 2, 3, 4, 5, 6]},
                "joints": {"hip_left1": 0.5}, "velocities": {"hip_right2": -2}}"#,
        )
        .unwrap();
        assert_eq!(state.base(), Some(Base::Floating));
        let (q, v) = state.of(&model).unwrap();
        assert_eq!(q[..7], [1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8]);
        assert_eq!(v[..6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let at = |name| model.bodies()[model.body_of_joint(name).unwrap()].v_index;
        assert_eq!(q[at("hip_left1") + 1], 0.5);
        assert_eq!(v[at("hip_right2")], -2.0);
        assert_eq!(v.iter().filter(|x| **x != 0.0).count(), 7);
        assert_eq!(
            parse("{}").unwrap().of(&model).unwrap().0,
            model.neutral_configuration()
        );
    }

    #[test]
    fn planar_base_has_three_coordinates() {
        let model = random_tree(1, 3, Base::Planar).unwrap();
        let state =
            parse(r#"{"base": {"x": 1, "z": 2, "pitch": 3, "vx": 4, "vz": 5, "wpitch": 6}}"#);
        let (q, v) = state.unwrap().of(&model).unwrap();
        assert_eq!(q[..3], [1.0, 2.0, 3.0]);
        assert_eq!(v[..3], [4.0, 5.0, 6.0]);
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let model = hexapod().unwrap();
        refused(
            &model,
            r#"{"joints": {"hip_lefft1": 0}}"#,
            "did you mean \"hip_left1\"",
        );
        refused(
            &model,
            r#"{"velocities": {"base": 0}}"#,
            "no movable joint \"base\"",
        );
        refused(
            &model,
            r#"{"joints": {"hip_left1": 0, "hip_left1": 1}}"#,
            "twice",
        );
        refused(
            &model,
            r#"{"joints": {"hip_left1": "0"}}"#,
            "joints.hip_left1",
        );
        refused(
            &model,
            r#"{"joints": {"hip_left1": 1e999}}"#,
            "number out of range",
        );
        refused(&model, r#"{"joint": {}}"#, "unknown field `joint`");
        refused(
            &model,
            r#"{"base": {"positon": [0, 0, 0]}}"#,
            "unknown field `positon`",
        );
        refused(&model, r#"{"base": {"position": [0, 0]}}"#, "base.position");
        refused(
            &model,
            r#"{"base": {"quaternion": [0, 0, 0, 2]}}"#,
            "length is 2",
        );
        refused(&model, r#"{"base": {"x": 0}}"#, "floating base");
        refused(
            &model,
            r#"{"base": {"x": 0, "twist": [0,0,0,0,0,0]}}"#,
            "planar one",
        );
        refused(&model, "[]", "an object");
        refused(&model, "{", "EOF");
        let fixed = random_tree(1, 3, Base::Fixed).unwrap();
        refused(&fixed, r#"{"base": {"position": [0, 0, 0]}}"#, "fixed base");
    }
}
