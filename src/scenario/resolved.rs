//! A scenario with every default written out, that needs no file but the robot's text beside it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::BaselineEntry;
use super::robot_state::joints;
use super::{ControllerEntry, Experiment, Scenario, SiteKind};
use crate::control::Schedule;
use crate::model::Base;

/// Name of the robot's file beside a resolved scenario.
pub const ROBOT_FILE: &str = "robot.urdf";

impl Experiment {
    /// The scenario with every default filled in, whose robot is [`ROBOT_FILE`] in its own folder:
    /// written there with [`Experiment::robot_text`], it runs to the same bits.
    #[must_use]
    pub fn resolved(&self) -> Scenario {
        let mut scenario = self.scenario.clone();
        scenario.robot.file = PathBuf::from(ROBOT_FILE);
        // The text is expanded already and meshes are never needed.
        scenario.robot.packages.clear();
        scenario.robot.arguments.clear();
        scenario.robot.allow_env = false;
        self.fill_joints(&mut scenario);
        self.fill_initial(&mut scenario);
        self.fill_contacts(&mut scenario);
        for spring in &mut scenario.spring {
            if spring.joint.is_some() {
                spring.rest.get_or_insert(0.0);
            } else {
                spring.rest_length.get_or_insert(0.0);
            }
        }
        match &mut scenario.controller {
            ControllerEntry::Servo { joint, .. } => {
                for servo in joint {
                    if let Some(body) =
                        joints(&self.model).find(|b| Some(&b.joint) == servo.name.as_ref())
                    {
                        servo
                            .target
                            .get_or_insert(Schedule::Constant(self.q[body.q_index]));
                    }
                }
            }
            // The program stays where it is, wherever the resolved scenario is written.
            ControllerEntry::External(external) => {
                if let Ok(whole) = external.directory.canonicalize() {
                    external.directory = whole;
                }
            }
            _ => {}
        }
        scenario
    }

    fn fill_joints(&self, scenario: &mut Scenario) {
        for body in joints(&self.model) {
            let entry = scenario.robot.joint.entry(body.joint.clone());
            entry.or_default().fill(body);
        }
    }

    fn fill_initial(&self, scenario: &mut Scenario) {
        let initial = &mut scenario.initial;
        for body in joints(&self.model) {
            let name = &body.joint;
            initial.joints.entry(name.clone()).or_insert(0.0);
            initial.velocities.entry(name.clone()).or_insert(0.0);
        }
        let zeros = |n: usize| toml::Value::Array(vec![toml::Value::Float(0.0); n]);
        let base: BTreeMap<&str, toml::Value> = match self.model.base() {
            Base::Fixed => BTreeMap::new(),
            Base::Planar => ["x", "z", "pitch", "vx", "vz", "wpitch"]
                .into_iter()
                .map(|key| (key, toml::Value::Float(0.0)))
                .collect(),
            Base::Floating => {
                let upright = [0.0, 0.0, 0.0, 1.0].map(toml::Value::Float).to_vec();
                BTreeMap::from([
                    ("position", zeros(3)),
                    ("quaternion", toml::Value::Array(upright)),
                    ("twist", zeros(6)),
                ])
            }
        };
        for (key, value) in base {
            initial.base.entry(key.to_string()).or_insert(value);
        }
    }

    fn fill_contacts(&self, scenario: &mut Scenario) {
        let contact = &mut scenario.contact;
        for site in &mut contact.site {
            site.friction.get_or_insert(contact.friction);
            site.restitution.get_or_insert(contact.restitution);
            match site.kind {
                SiteKind::Arc => {
                    site.thickness.get_or_insert(0.0);
                }
                SiteKind::Box => {
                    site.rpy.get_or_insert([0.0; 3]);
                }
                SiteKind::Point | SiteKind::Sphere | SiteKind::Disc | SiteKind::Hull => {}
            }
        }
        for object in &mut scenario.object {
            object.friction.get_or_insert(contact.friction);
            object.restitution.get_or_insert(contact.restitution);
        }
        for terrain in &mut scenario.terrain {
            let [friction, restitution] = terrain.material_mut();
            friction.get_or_insert(contact.friction);
            restitution.get_or_insert(contact.restitution);
        }
    }

    /// SHA-256 of the resolved scenario and the robot's text, hexadecimal. It names what was run,
    /// on whatever machine and from whatever folder.
    ///
    /// # Errors
    /// A value that TOML cannot write.
    pub fn hash(&self) -> Result<String, toml::ser::Error> {
        Ok(digest(&self.hashed().to_toml()?, &self.robot_text))
    }

    /// The resolved scenario without what does not change its run.
    fn hashed(&self) -> Scenario {
        let mut scenario = self.resolved();
        scenario.baseline = BaselineEntry::default();
        scenario.orbit = None;
        if let ControllerEntry::External(external) = &mut scenario.controller {
            external.directory = PathBuf::new();
        }
        scenario
    }

    /// The hash without what a resumed run may change: how long it is, and what is drawn of it.
    pub(crate) fn resume_hash(&self) -> Result<String, toml::ser::Error> {
        let mut scenario = self.hashed();
        scenario.duration = 0.0;
        scenario.output.plots = false;
        scenario.output.replay = false;
        scenario.output.export.clear();
        Ok(digest(&scenario.to_toml()?, &self.robot_text))
    }
}

pub(crate) fn digest(scenario: &str, robot: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(scenario.as_bytes());
    hasher.update([0]);
    hasher.update(robot.as_bytes());
    hexadecimal(hasher)
}

/// What a hasher has come to, in lower case.
pub(crate) fn hexadecimal(hasher: Sha256) -> String {
    hasher.finalize().iter().fold(String::new(), |mut text, b| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{b:02x}");
        text
    })
}
