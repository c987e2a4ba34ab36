//! Mimic joints: what follows what, resolved before links are placed.
//!
//! ```text
//! q_follower = r q_leader + o
//! ```
//!
//! A chain of followers has the product of the ratios: q₃ = r₃ (r₂ q₁ + o₂) + o₃. What follows a joint that does not
//! move, or with ratio zero, does not move either.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::composite::no_coordinate;
use super::validation::check_coordinate;
use super::{Joint, MotionKind};
use crate::model::ModelError;
use crate::model::error::nearest_name;
use crate::spatial::{Pose, rotation_exp};

/// What becomes of the mimic joints of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mimic {
    /// One coordinate moves a joint and all that mimic it.
    #[default]
    Coupled,
    /// Every mimic joint has a coordinate of its own and follows nothing.
    Free,
    /// Every mimic joint is locked where it stands when the joint that it mimics is at zero.
    Fixed,
}

/// That a joint mimics another: q = `ratio` q_leader + `offset`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Imitation {
    pub(super) leader: String,
    pub(super) ratio: f64,
    pub(super) offset: f64,
}

/// Whether any moving joint mimics another.
pub(super) fn any_mimics(joints: &[Joint]) -> bool {
    joints.iter().any(|joint| imitation(joint).is_some())
}

/// What a moving joint mimics.
fn imitation(joint: &Joint) -> Option<&Imitation> {
    let moves = joint.motion != MotionKind::Fixed;
    joint.imitates.as_ref().filter(|_| moves)
}

/// The joints with their mimicry carried out: those that still mimic one another name a leader with a coordinate of its
/// own. With remarks for the user.
pub(super) fn treat(
    joints: &[Joint],
    mimic: Mimic,
) -> Result<(Vec<Joint>, Vec<String>), ModelError> {
    let mut treated = joints.to_vec();
    let mut remarks = Vec::new();
    let (mut freed, mut locked) = (Vec::new(), Vec::new());
    let by_name: BTreeMap<&str, &Joint> = joints.iter().map(|j| (j.name.as_str(), j)).collect();
    let mut resolved = match mimic {
        Mimic::Free => BTreeMap::new(),
        Mimic::Coupled | Mimic::Fixed => resolve(joints, &by_name)?,
    };
    for (joint, own) in treated.iter_mut().zip(joints) {
        if imitation(own).is_none() {
            joint.imitates = None;
            continue;
        }
        let Some(imitation) = resolved.remove(own.name.as_str()) else {
            joint.imitates = None;
            freed.push(quoted(own));
            continue;
        };
        let leader_moves = by_name
            .get(imitation.leader.as_str())
            .is_some_and(|leader| leader.motion != MotionKind::Fixed);
        if mimic == Mimic::Fixed || !leader_moves || imitation.ratio == 0.0 {
            lock(joint, imitation.offset);
            locked.push(quoted(own));
        } else {
            joint.imitates = Some(imitation);
        }
    }
    if !freed.is_empty() {
        let names = freed.join(", ");
        remarks.push(format!(
            "mimic joints move on their own, as asked for: {names}"
        ));
    }
    if !locked.is_empty() {
        let why = match mimic {
            Mimic::Fixed => "as asked for",
            _ => "what they mimic does not move",
        };
        remarks.push(format!(
            "mimic joints are locked, {why}: {}",
            locked.join(", ")
        ));
    }
    Ok((treated, remarks))
}

fn quoted(joint: &Joint) -> String {
    format!("\"{}\"", joint.name)
}

/// What every mimic joint follows in the end, through what that follows, by name. O(n log n).
fn resolve<'a>(
    joints: &'a [Joint],
    by_name: &BTreeMap<&str, &'a Joint>,
) -> Result<BTreeMap<&'a str, Imitation>, ModelError> {
    let mut resolved: BTreeMap<&str, Imitation> = BTreeMap::new();
    for start in joints {
        let (mut path, mut passed) = (Vec::new(), BTreeSet::new());
        let mut at = start;
        while let Some(own) = imitation(at).filter(|_| !resolved.contains_key(at.name.as_str())) {
            if let Some(part) = &at.part {
                return Err(ModelError::Unsupported {
                    place: format!("joint \"{}\"", part.whole),
                    what: format!("a {} joint that mimics another", part.kind.word()),
                    remedy:
                        "remove its <mimic>, or let mimic joints move on their own (mimic = free)"
                            .to_string(),
                });
            }
            path.push((at, own));
            if !passed.insert(at.name.as_str()) {
                return Err(ModelError::MimicLoop {
                    joint: start.name.clone(),
                    path: path.iter().map(|(joint, _)| joint.name.clone()).collect(),
                });
            }
            let Some(leader) = by_name.get(own.leader.as_str()) else {
                let parts = || {
                    let parts = joints.iter().filter_map(|j| Some((j, j.part.as_ref()?)));
                    parts.filter(|(_, part)| part.whole == own.leader)
                };
                if let Some((_, part)) = parts().next() {
                    let names = parts().map(|(joint, _)| joint.name.as_str());
                    let leader = no_coordinate(&part.whole, part.kind, names);
                    return Err(ModelError::BadElement {
                        place: format!("joint \"{}\"", at.name),
                        reason: format!("what it mimics, {leader}"),
                    });
                }
                return Err(ModelError::UnknownLeader {
                    joint: at.name.clone(),
                    leader: own.leader.clone(),
                    nearest: nearest_name(&own.leader, by_name.keys().copied()),
                });
            };
            at = leader;
        }
        let mut end = match resolved.get(at.name.as_str()) {
            Some(known) => known.clone(),
            None => Imitation {
                leader: at.name.clone(),
                ratio: 1.0,
                offset: 0.0,
            },
        };
        for (joint, own) in path.into_iter().rev() {
            end.offset = own.ratio * end.offset + own.offset;
            end.ratio *= own.ratio;
            for (what, x) in [("multiplier", end.ratio), ("offset", end.offset)] {
                check_coordinate(&format!("joint \"{}\": mimic {what}", joint.name), x)?;
            }
            resolved.insert(&joint.name, end.clone());
        }
    }
    Ok(resolved)
}

/// Makes a joint fixed at a position \[rad or m\].
fn lock(joint: &mut Joint, position: f64) {
    // The axis is checked before; a joint without motion has none.
    let way = joint.axis.normalize() * position;
    let moved = match joint.motion {
        MotionKind::Fixed => Pose::identity(),
        MotionKind::Revolute => Pose::new(rotation_exp(&way), Vector3::zeros()),
        MotionKind::Prismatic => Pose::new(nalgebra::Matrix3::identity(), way),
    };
    joint.origin = joint.origin.compose(&moved);
    joint.motion = MotionKind::Fixed;
    joint.imitates = None;
}
