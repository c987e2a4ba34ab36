//! A scenario with every default written out, that needs no file but the robot's text beside it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::control::Schedule;
use crate::model::{Base, Body};
use crate::scenario::robot_state::joints;
use crate::scenario::{
    BaselineEntry, ControllerEntry, Experiment, InitialEntry, RobotEntry, Scenario, SiteKind,
    SpringEntry,
};

/// Name of the robot's file beside a resolved scenario; those of several are `robot_1.urdf`, `robot_2.urdf`, ….
pub const ROBOT_FILE: &str = "robot.urdf";

fn robot_file(i: usize, count: usize) -> String {
    match count {
        1 => ROBOT_FILE.to_string(),
        _ => format!("robot_{}.urdf", i + 1),
    }
}

impl Experiment {
    /// The scenario with every default filled in, whose robots are files in its own folder: written there with
    /// [`Experiment::robot_files`], it runs to the same bits. A restitution that the law does not use is not filled in.
    #[must_use]
    pub fn resolved(&self) -> Scenario {
        self.filled(self.law().is_ok_and(|law| law.properties().restitution))
    }

    /// The scenario with every default filled in, restitution only where wanted.
    fn filled(&self, restitution: bool) -> Scenario {
        let mut scenario = self.scenario.clone();
        self.fill_robots(&mut scenario);
        fill_friction(&mut scenario);
        if restitution {
            fill_restitution(&mut scenario);
        }
        scenario.spring.iter_mut().for_each(SpringEntry::fill);
        self.fill_controller(&mut scenario.controller, |joint| joint.to_string());
        if !scenario.robot.are_named() {
            let mut start = std::mem::take(&mut scenario.initial);
            self.fill_initial(0, scenario.robot.first(), &mut start);
            scenario.initial = start;
        }
        scenario
    }

    /// The names of the files of the robots beside the resolved scenario, with their texts.
    pub fn robot_files(&self) -> impl Iterator<Item = (String, &str)> {
        let count = self.robot_texts.len();
        let texts = self.robot_texts.iter().enumerate();
        texts.map(move |(i, text)| (robot_file(i, count), &**text))
    }

    fn fill_robots(&self, scenario: &mut Scenario) {
        let count = scenario.robot.len();
        for (i, robot) in scenario.robot.iter_mut().enumerate() {
            robot.file = PathBuf::from(robot_file(i, count));
            // The text is expanded already and meshes are never needed.
            robot.packages.clear();
            robot.arguments.clear();
            robot.allow_env = false;
            for (own, body) in self.joints_of(i) {
                robot.joint.entry(own.to_string()).or_default().fill(body);
            }
            robot.spring.iter_mut().for_each(SpringEntry::fill);
            if robot.name.is_some() {
                let mut start = std::mem::take(&mut robot.initial);
                self.fill_initial(i, robot, &mut start);
                robot.initial = start;
                let mut controller = std::mem::take(&mut robot.controller);
                self.fill_controller(&mut controller, |joint| robot.in_scene(joint));
                robot.controller = controller;
            }
        }
    }

    /// The joints of robot i with their own names.
    fn joints_of(&self, i: usize) -> impl Iterator<Item = (&str, &Body)> {
        let tree = &self.model.trees()[i];
        let prefix = self
            .scenario
            .robot
            .iter()
            .nth(i)
            .and_then(|robot| robot.name.as_ref());
        let from = prefix.map_or(0, |name| name.len() + 1);
        let bodies = self.model.bodies()[tree.bodies.clone()].iter();
        let joints = bodies
            .skip(tree.base_bodies().len())
            .filter(|body| body.follows.is_none());
        joints.map(move |body| (&body.joint[from..], body))
    }

    fn fill_controller(&self, controller: &mut ControllerEntry, in_scene: impl Fn(&str) -> String) {
        match controller {
            ControllerEntry::Servo { joint, .. } => {
                for servo in joint {
                    let name = servo.name.as_deref().map(&in_scene);
                    if let Some(body) =
                        joints(&self.model).find(|b| Some(&b.joint) == name.as_ref())
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
    }

    fn fill_initial(&self, i: usize, robot: &RobotEntry, initial: &mut InitialEntry) {
        for (own, _) in self.joints_of(i) {
            initial.joints.entry(own.to_string()).or_insert(0.0);
            initial.velocities.entry(own.to_string()).or_insert(0.0);
        }
        let zeros = |n: usize| toml::Value::Array(vec![toml::Value::Float(0.0); n]);
        let base: BTreeMap<&str, toml::Value> = match robot.base {
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

    /// SHA-256 of the resolved scenario and the robot's text, hexadecimal. It names what was run,
    /// on whatever machine and from whatever folder.
    ///
    /// # Errors
    /// A value that TOML cannot write.
    pub fn hash(&self) -> Result<String, toml::ser::Error> {
        self.digest(&self.hashed())
    }

    /// The resolved scenario without what does not change its run.
    fn hashed(&self) -> Scenario {
        let mut scenario = self.filled(true);
        scenario.baseline = BaselineEntry::default();
        scenario.orbit = None;
        let own = scenario.robot.iter_mut().map(|robot| &mut robot.controller);
        for controller in own.chain([&mut scenario.controller]) {
            if let ControllerEntry::External(external) = controller {
                external.directory = PathBuf::new();
            }
        }
        scenario
    }

    fn digest(&self, scenario: &Scenario) -> Result<String, toml::ser::Error> {
        let texts: Vec<&str> = self.robot_texts.iter().map(|text| &**text).collect();
        Ok(digest(&scenario.to_toml()?, &texts.join("\0")))
    }

    /// The hash without what a resumed run may change: how long it is, and what is drawn of it.
    pub(crate) fn resume_hash(&self) -> Result<String, toml::ser::Error> {
        let mut scenario = self.hashed();
        scenario.duration = 0.0;
        scenario.output.plots = false;
        scenario.output.replay = false;
        scenario.output.export.clear();
        self.digest(&scenario)
    }
}

/// The friction of every surface, and what else of declared sites has a default.
fn fill_friction(scenario: &mut Scenario) {
    let friction = scenario.contact.friction;
    for site in &mut scenario.contact.site {
        site.friction.get_or_insert(friction);
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
        object.friction.get_or_insert(friction);
    }
    for terrain in &mut scenario.terrain {
        let [own, _] = terrain.material_mut();
        own.get_or_insert(friction);
    }
}

/// The restitution of every surface.
fn fill_restitution(scenario: &mut Scenario) {
    let restitution = scenario.contact.restitution();
    scenario.contact.restitution = Some(restitution);
    for site in &mut scenario.contact.site {
        site.restitution.get_or_insert(restitution);
    }
    for object in &mut scenario.object {
        object.restitution.get_or_insert(restitution);
    }
    for terrain in &mut scenario.terrain {
        let [_, own] = terrain.material_mut();
        own.get_or_insert(restitution);
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
