//! The robot of a scenario file: its description, base and gravity.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::joint::spelled_joints;
use crate::model::urdf::{LoadOptions, load_with_text};
use crate::model::{Base, Mimic, Model, ModelBuilder, ModelError};
use crate::scenario::{
    ControllerEntry, InitialEntry, JointEntry, ScenarioError, SiteEntry, SpringEntry,
};
use crate::spatial::{Pose, quaternion_from_rpy, quaternion_product, rotation_from_rpy};

/// Which robot, on which base, in which gravity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotEntry {
    /// Name, which each of several robots has: its links, joints and coordinates are then `<name>.<own name>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"left")]
    pub name: Option<String>,
    /// URDF or xacro file.
    #[schemars(example = &"a1.urdf")]
    pub file: PathBuf,
    /// How the root link is held.
    #[serde(default = "fixed_base")]
    pub base: Base,
    /// What becomes of joints that mimic others: `coupled`, one coordinate moves a joint and all that mimic it; `free`, each
    /// has its own; `fixed`, they are locked.
    #[serde(default, skip_serializing_if = "is_coupled")]
    pub mimic: Mimic,
    /// Acceleration of gravity \[m/s²\].
    #[serde(default = "standard_gravity")]
    pub gravity: [f64; 3],
    /// Whether joints stop at the position limits of the robot's file.
    #[serde(default = "with_limits")]
    pub limits: bool,
    /// Folders of packages, for `package://name/…`.
    #[serde(default)]
    #[schemars(extend("examples" = [{"a1_description": "../a1_description"}]))]
    pub packages: BTreeMap<String, PathBuf>,
    /// Values of xacro arguments.
    #[serde(default)]
    #[schemars(extend("examples" = [{"leg_length": "0.2"}]))]
    pub arguments: BTreeMap<String, String>,
    /// Whether `$(env NAME)` of a xacro file is answered; otherwise it is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub allow_env: bool,
    /// Factors on the masses and rotational inertias of links, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"tail": 1.5}]))]
    pub mass_scale: BTreeMap<String, f64>,
    /// What joints have in place of what the robot's file says, by name or by pattern (`*` for any letters, `?` for
    /// one): for each key, a name counts before a pattern, and a pattern with more letters before one with fewer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) joint: BTreeMap<String, JointEntry>,
    /// Where it stands \[m\]: the origin that its own description and the start of its base count from.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub position: [f64; 3],
    /// Roll, pitch and yaw of the axes that they count in \[rad\].
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub rpy: [f64; 3],
    /// Where a robot with a name starts, with its own names: as `[initial]`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("x-as" = true))]
    pub(crate) initial: InitialEntry,
    /// Who drives a robot with a name, with its own names: as `[controller]`, which can drive all robots in place of
    /// these.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("x-as" = true))]
    pub controller: ControllerEntry,
    /// Springs of a robot with a name, with its own names: as `[[spring]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = [], "x-as" = true))]
    pub spring: Vec<SpringEntry>,
    /// Contact sites of a robot with a name, with its own names: as `[[contact.site]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = [], "x-as" = true))]
    pub(crate) site: Vec<SiteEntry>,
}

fn is_zero(numbers: &[f64; 3]) -> bool {
    *numbers == [0.0; 3]
}

fn is_default<T: Default + PartialEq>(entry: &T) -> bool {
    *entry == T::default()
}

fn fixed_base() -> Base {
    Base::Fixed
}

fn is_coupled(mimic: &Mimic) -> bool {
    *mimic == Mimic::Coupled
}

fn with_limits() -> bool {
    true
}

pub(super) fn standard_gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

impl RobotEntry {
    /// The robot of a file with everything else at its default.
    pub(crate) fn of_file(file: &Path, base: Base) -> Self {
        Self {
            name: None,
            file: file.to_path_buf(),
            base,
            mimic: Mimic::default(),
            gravity: standard_gravity(),
            limits: with_limits(),
            packages: BTreeMap::new(),
            arguments: BTreeMap::new(),
            allow_env: false,
            mass_scale: BTreeMap::new(),
            joint: BTreeMap::new(),
            position: [0.0; 3],
            rpy: [0.0; 3],
            initial: InitialEntry::default(),
            controller: ControllerEntry::default(),
            spring: Vec::new(),
            site: Vec::new(),
        }
    }

    /// The first key that is given and only means something for a robot in a scene.
    pub(crate) fn scene_key(&self) -> Option<&'static str> {
        let keys = [
            ("name", self.name.is_none()),
            ("position", is_zero(&self.position)),
            ("rpy", is_zero(&self.rpy)),
            ("initial", is_default(&self.initial)),
            ("controller", is_default(&self.controller)),
            ("spring", self.spring.is_empty()),
            ("site", self.site.is_empty()),
        ];
        keys.into_iter()
            .find(|(_, absent)| !absent)
            .map(|(key, _)| key)
    }

    /// A name of a thing of this robot in its scene.
    pub(crate) fn in_scene(&self, own: &str) -> String {
        match &self.name {
            Some(name) => format!("{name}.{own}"),
            None => own.to_string(),
        }
    }

    /// Checks what concerns the robot as a part of a scene; `place` is what messages call the entry.
    pub(crate) fn check(&self, file: &str, place: &str) -> Result<(), ScenarioError> {
        let wrong = |key: &str, reason: String| {
            Err(ScenarioError::value(file, format!("{place}{key}"), reason))
        };
        for (key, numbers) in [(".position", self.position), (".rpy", self.rpy)] {
            if let Some(x) = numbers.iter().find(|x| !x.is_finite()) {
                return wrong(key, format!("{x} is not a finite number"));
            }
        }
        let Some(name) = &self.name else {
            let own = [
                ("initial", "[initial]", is_default(&self.initial)),
                ("controller", "[controller]", is_default(&self.controller)),
                ("spring", "[[spring]]", self.spring.is_empty()),
                ("site", "[[contact.site]]", self.site.is_empty()),
            ];
            return match own.into_iter().find(|(.., absent)| !absent) {
                Some((key, instead, _)) => {
                    let reason = format!("the robot has no name; give it one, or write {instead}");
                    wrong(&format!(".{key}"), reason)
                }
                None => Ok(()),
            };
        };
        let reserved = ["world", "base"].contains(&name.as_str());
        if reserved || name.contains(['.', '/', '*', '?']) || name.trim().is_empty() {
            let reason = format!(
                "\"{name}\" is no name of a robot: give it one without \".\", \"/\", \"*\" and \"?\", and not \"world\" or \"base\""
            );
            return wrong(".name", reason);
        }
        Ok(())
    }

    /// The robot where it stands, under its name.
    pub(crate) fn in_place(&self, mut model: Arc<Model>) -> Arc<Model> {
        if self.is_moved() {
            model = Arc::new(Arc::unwrap_or_clone(model).placed(&self.place()));
        }
        match &self.name {
            Some(name) => Arc::new(Arc::unwrap_or_clone(model).among(name)),
            None => model,
        }
    }

    /// The configuration of a robot of this base, from where it stands to the world.
    pub(crate) fn place_configuration(&self, q: &mut [f64]) {
        if self.base != Base::Floating || !self.is_moved() {
            return;
        }
        let at = self.place().point(&[q[0], q[1], q[2]].into());
        let own = [q[3], q[4], q[5], q[6]];
        q[..3].copy_from_slice(at.as_slice());
        q[3..7].copy_from_slice(&quaternion_product(&quaternion_from_rpy(&self.rpy), &own));
    }

    fn is_moved(&self) -> bool {
        !(is_zero(&self.position) && is_zero(&self.rpy))
    }

    fn place(&self) -> Pose<f64> {
        Pose::new(rotation_from_rpy(&self.rpy), self.position.into())
    }

    /// Its sites as those of the scene.
    pub(crate) fn sites_in_scene(&mut self) -> Vec<SiteEntry> {
        let sites = std::mem::take(&mut self.site).into_iter();
        let renamed = sites.map(|mut site| {
            site.name = self.in_scene(&site.name);
            site.link = self.in_scene(&site.link);
            site
        });
        renamed.collect()
    }

    /// The robot as described, and the text of its plain URDF.
    pub(crate) fn load(&self) -> Result<(ModelBuilder, String), ScenarioError> {
        Ok(load_with_text(&self.file, &self.load_options())?)
    }

    /// What its file is read with.
    pub(crate) fn load_options(&self) -> LoadOptions {
        LoadOptions {
            packages: self.packages.clone().into_iter().collect(),
            xacro_arguments: self.arguments.clone().into_iter().collect(),
            environment: self.allow_env,
        }
    }

    /// What is said of joints, each by its name. Names that the robot does not have stay.
    pub(crate) fn spelled_joints(
        &self,
        file: &str,
        place: &str,
        described: &ModelBuilder,
    ) -> Result<BTreeMap<String, JointEntry>, ScenarioError> {
        for (name, entry) in &self.joint {
            entry.check(file, &format!("{place}.joint.{name}"))?;
        }
        spelled_joints(&self.joint, &described.moving_joints()).map_err(|(name, reason)| {
            ScenarioError::value(file, format!("{place}.joint.{name}"), reason)
        })
    }

    /// The described robot on its base, with scaled masses, changed joints and added springs; `file` and `place` are
    /// what messages call the scenario and the entry.
    pub(crate) fn model(
        &self,
        file: &str,
        place: &str,
        described: ModelBuilder,
        springs: &[SpringEntry],
    ) -> Result<Model, ScenarioError> {
        if let Some(x) = self.gravity.iter().find(|x| !x.is_finite()) {
            let reason = format!("{x} is not a finite number");
            return Err(ScenarioError::value(
                file,
                format!("{place}.gravity"),
                reason,
            ));
        }
        let mut builder = described
            .base(self.base)
            .mimic(self.mimic)
            .gravity(self.gravity);
        for (link, factor) in &self.mass_scale {
            builder = builder.scale_mass(link, *factor).map_err(|e| {
                ScenarioError::value(file, format!("{place}.mass_scale"), e.to_string())
            })?;
        }
        for (name, entry) in &self.spelled_joints(file, place, &builder)? {
            builder = builder
                .adjust_joint(name, |joint| entry.adjust(joint))
                .map_err(|e| {
                    ScenarioError::value(file, format!("{place}.joint.{name}"), e.to_string())
                })?;
        }
        if !self.limits {
            builder = builder
                .without_position_limits()
                .warning("joint limits are switched off (robot.limits = false)".to_string());
        }
        let mut model = builder.build()?;
        for (i, spring) in springs.iter().enumerate() {
            spring.add_to(&mut model).map_err(|reason| {
                let of_robot = self
                    .name
                    .as_ref()
                    .map_or(String::new(), |_| format!("{place}."));
                ScenarioError::value(file, format!("{of_robot}spring[{i}]"), reason)
            })?;
        }
        Ok(model)
    }

    /// Restitution of the position limits of each body's joint in `model`; none when they are off.
    pub(crate) fn limit_restitution(
        &self,
        file: &str,
        place: &str,
        model: &Model,
    ) -> Result<Option<Vec<f64>>, ScenarioError> {
        if !self.limits {
            return Ok(None);
        }
        let mut restitution = vec![0.0; model.bodies().len()];
        for (name, entry) in &self.joint {
            let Some(given) = entry.restitution else {
                continue;
            };
            let place = format!("{place}.joint.{name}");
            let found = model.joint(name);
            // Of a pattern that fits both, the limits are the leader's.
            let of_leader = |leader: &String| self.joint.get(leader).and_then(|e| e.restitution);
            if let Err(ModelError::Follower { leader, .. }) = &found
                && of_leader(leader) == Some(given)
            {
                continue;
            }
            let joint = found.map_err(|e| ScenarioError::from(e).located(file, &place))?;
            if model.bodies()[joint.body].limits.position.is_none() {
                let place = format!("{place}.restitution");
                let reason = "the joint has no position limits; remove it";
                return Err(ScenarioError::value(file, place, reason));
            }
            restitution[joint.body] = given;
        }
        Ok(Some(restitution))
    }
}
