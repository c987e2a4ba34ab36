//! A scenario for a robot of which nothing but its description is known: it stands on level ground under servos.
//!
//! | what | how it is chosen |
//! |---|---|
//! | base | floating where several limbs start at the root link, fixed where one does |
//! | contact sites | every collision shape |
//! | pose | zero, or as near as limits allow; a free robot leans until its centre of mass is over what touches |
//! | height | the lowest site touches the ground |
//! | gait | legs are the limbs with a joint about the lateral axis whose feet are lowest; sines of their first two such joints within their limits, or Buehler clocks of legs that turn round; without collision shapes points of the shapes become contact sites |
//! | servos | stiffness ω² I, damping 2 ζ ω I with ω = 2π · 5 Hz, ζ = 0.7 and I = M_ii + (m/k) r²: what the joint moves, and its share of the robot's mass m on one of k feet at the distance r |
//!
//! Units are those of a scenario: m, rad, N m/rad, N m s/rad. The text has comments that say what was chosen and why.
//!
//! Source: none; these are defaults, to be changed in the text.
//!
//! # Example
//!
//! ```
//! use carom::scenario::starter::{Starter, StarterOptions};
//!
//! let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/quadruped/a1.urdf");
//! let starter = Starter::new(robot.as_ref(), None, &StarterOptions::default())?;
//! assert_eq!((starter.driven_joints, starter.base), (12, carom::model::Base::Floating));
//! // It stands, and is a scenario to go on with.
//! assert!(starter.stability_margin.is_some_and(|margin| margin > 0.0));
//! assert!(starter.text.contains("[controller]"));
//! # Ok::<(), carom::scenario::ScenarioError>(())
//! ```

mod gains;
mod gait;
mod legs;
mod pose;
mod text;
mod walking;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::entries::{ContactEntry, RobotEntry, SiteEntry, TerrainEntry};
use super::robot_state::joints;
use super::{Scenario, ScenarioError};
use crate::dynamics::{Kinematics, inertialess_coordinate, mass_diagonal};
use crate::model::{Base, Mimic, Model, ModelBuilder};
use pose::Pose;

/// Friction of the ground and the sites.
const FRICTION: f64 = 0.8;

/// Inertia of a rotor where a joint has none: this share of what the joint moves, at least so much of the robot's mass at one
/// metre.
const ROTOR: f64 = 0.01;
const LEAST_ROTOR: f64 = 1e-5;

/// Who drives the joints of a starter scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StarterController {
    /// Servos hold the pose.
    #[default]
    Servo,
    /// Its legs walk slowly: sines of their joints, or a clock of legs that turn round.
    Gait,
    /// Nobody: the robot falls limp.
    None,
}

/// What the description of a robot does not say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StarterOptions {
    /// How the root link is held; chosen by the limbs that start there where it is absent.
    pub base: Option<Base>,
    /// Who drives the joints.
    pub controller: StarterController,
    /// What becomes of joints that mimic others.
    pub mimic: Mimic,
    /// Folders of packages by name.
    pub packages: Vec<(String, PathBuf)>,
    /// Values of xacro arguments.
    pub arguments: Vec<(String, String)>,
    /// Whether `$(env NAME)` in a xacro file is answered with the variable of the environment.
    pub environment: bool,
}

/// A scenario that runs, as text with comments, and what was chosen in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Starter {
    /// The TOML text.
    #[serde(skip)]
    pub text: String,
    /// Name of the robot.
    pub robot: String,
    /// How its root link is held.
    pub base: Base,
    /// Why the base was chosen, if nobody said which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_reason: Option<&'static str>,
    /// Number of joints that are driven.
    pub driven_joints: usize,
    /// Sites by what they come from: shapes or meshes of each kind.
    pub sites: Vec<(&'static str, usize)>,
    /// Distance from the projected centre of mass to the edge of what touches the ground \[m\]: negative where the pose
    /// does not stand, absent where nothing touches or the base is fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability_margin: Option<f64>,
    /// Links that the legs begin with, where they walk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legs: Vec<String>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl Starter {
    /// A scenario for the robot in `file`, to be written into `folder` (`None`: to be used from the working directory).
    ///
    /// # Errors
    /// The robot cannot be read; the message names the place.
    pub fn new(
        file: &Path,
        folder: Option<&Path>,
        options: &StarterOptions,
    ) -> Result<Self, ScenarioError> {
        let name = file.display().to_string();
        let mut entry = RobotEntry::of_file(file, options.base.unwrap_or(Base::Fixed));
        entry.mimic = options.mimic;
        entry.packages = options.packages.iter().cloned().collect();
        entry.arguments = options.arguments.iter().cloned().collect();
        entry.allow_env = options.environment;
        let (described, _) = entry.load()?;
        let mut base_reason = None;
        if options.base.is_none() {
            let (base, reason) =
                likely_base(&entry.model(&name, "robot", described.clone(), &[])?);
            entry.base = base;
            base_reason = Some(reason);
        }
        let (model, rotors) = with_rotors(&mut entry, &name, described)?;
        let walks = options.controller == StarterController::Gait;
        // Only these are written: of collision shapes the scenario makes sites itself.
        let declared: Vec<SiteEntry> = match walks && !collides(&model) {
            true => legs::points_of_shapes(&model)
                .into_iter()
                .map(SiteEntry::of_mesh)
                .collect(),
            false => Vec::new(),
        };
        let (contact, unread) = ContactEntry {
            friction: FRICTION,
            restitution: Some(0.0),
            site: declared.clone(),
            ..ContactEntry::default()
        }
        .resolved(&name, &model, false)?;
        let contacts = contact.build(&name, &[TerrainEntry::level("ground")], &model)?;
        let mut pose = Pose::find(&model, &contacts);
        let (mut walk, mut carried) = (None, None);
        if walks {
            let mut kinematics = Kinematics::new(&model);
            kinematics.update_placements(&model, &pose.q);
            let legs = legs::find(&model, &contacts, &kinematics);
            if legs.is_empty() {
                let reason = "no legs are found: no limb that hangs at a base that moves has a joint about the lateral axis (y) and \
                              a foot that touches the ground; --controller servo holds the robot where it stands";
                return Err(ScenarioError::value(&name, "gait", reason));
            }
            let mut q = std::mem::take(&mut pose.q);
            gait::bend(&model, &legs, &mut q);
            let gait = gait::gait(&model, &legs, &q);
            // Servos that carry the robot on all feet, wherever these are at the start.
            let mut standing = Pose::at(&model, &contacts, q.clone());
            standing.support = legs::feet(&contacts, &legs);
            carried = Some(standing);
            gait.place(&model, &mut q);
            pose = Pose::at(&model, &contacts, q);
            walk = Some((legs, gait));
        }
        let gains = match options.controller {
            StarterController::Servo | StarterController::Gait => {
                gains::gains(&model, &contacts, carried.as_ref().unwrap_or(&pose))
            }
            StarterController::None => Vec::new(),
        };
        let mut warnings = model.warnings().to_vec();
        warnings.extend(unread);
        if !rotors.is_empty() {
            let names = rotors.join(", ");
            let given = "by this description can move without inertia; an armature is given to";
            warnings.push(format!("joints that {given} them: {names}"));
        }
        let mut starter = Self {
            text: String::new(),
            robot: model.name().to_string(),
            base: model.base(),
            base_reason,
            driven_joints: gains.len(),
            sites: contact.site_counts(&model),
            stability_margin: pose.margin,
            legs: walk
                .iter()
                .flat_map(|(legs, _)| legs)
                .map(|leg| leg.name.clone())
                .collect(),
            warnings,
        };
        if starter.sites.is_empty() && model.base() != Base::Fixed {
            let advice = "no collision shapes, so no contact sites: the robot falls through the ground; declare \
                          [[contact.site]]";
            starter.warnings.push(advice.to_string());
        }
        if let Some(folder) = folder {
            entry.write_paths_from(folder);
        }
        starter.text = text::text(
            &starter,
            &entry,
            &model,
            &pose,
            &gains,
            (&declared, walk.as_ref()),
        );
        Ok(starter)
    }

    /// What was chosen, in a line.
    #[must_use]
    pub fn choices(&self) -> String {
        let base = match self.base {
            Base::Fixed => "fixed base",
            Base::Planar => "planar base",
            Base::Floating => "floating base",
        };
        let because = self.base_reason.map_or(String::new(), |reason| {
            format!(" ({reason}; --base says otherwise)")
        });
        let sites: Vec<String> = (self.sites.iter())
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let sites = match sites.as_slice() {
            [] => "no contact sites".to_string(),
            sites => format!("contact sites from {}", sites.join(", ")),
        };
        let stands = match self.stability_margin {
            Some(margin) if margin > 0.0 => {
                format!(", centre of mass {margin:.3} m inside of what touches the ground")
            }
            Some(margin) if margin.is_finite() => {
                format!(
                    ", centre of mass {:.3} m outside of what touches the ground",
                    -margin
                )
            }
            _ => String::new(),
        };
        let legs = match self.legs.as_slice() {
            [] => String::new(),
            legs => format!(" and a gait of {} legs ({})", legs.len(), legs.join(", ")),
        };
        format!(
            "{base}{because}, {} servos{legs}, {sites}{stands}",
            self.driven_joints
        )
    }

    /// The scenario itself; `file` is what messages call it.
    ///
    /// # Errors
    /// An override that does not fit.
    pub fn scenario(&self, file: &str, overrides: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::parse(file, &self.text, overrides)
    }
}

/// The model, with an armature for every joint that would move without inertia, and their names.
///
/// # Errors
/// The base moves without inertia, or the robot cannot be made.
fn with_rotors(
    entry: &mut RobotEntry,
    name: &str,
    described: ModelBuilder,
) -> Result<(Model, Vec<String>), ScenarioError> {
    let mut rotors = Vec::new();
    loop {
        let model = entry.model(name, "robot", described.clone(), &[])?;
        let mut kinematics = Kinematics::new(&model);
        kinematics.update_placements(&model, &model.neutral_configuration());
        let weak = inertialess_coordinate(&model, &kinematics);
        let Some(weak) = weak else {
            return Ok((model, rotors));
        };
        let of_joint = joints(&model).find(|body| body.v_index == weak);
        let Some(body) = of_joint.filter(|b| !rotors.contains(&b.joint)) else {
            let coordinate = &model.coordinate_names()[weak];
            let reason = format!(
                "\"{coordinate}\" can move without inertia, and no armature helps: give the links that it moves an inertia in the \
                 robot's file (ixx, iyy and izz above zero), or hold the root link by --base"
            );
            return Err(ScenarioError::value(name, "robot", reason));
        };
        let carried = mass_diagonal(&model, &kinematics)[body.v_index];
        let armature = (ROTOR * carried).max(LEAST_ROTOR * model.mass());
        let rotor = entry.joint.entry(body.joint.clone()).or_default();
        rotor.armature = Some(gains::three_digits(armature));
        rotors.push(body.joint.clone());
    }
}

/// Whether a link has a collision shape.
fn collides(model: &Model) -> bool {
    let primitives = model.shapes().iter().map(|shape| shape.collision);
    let meshes = model.meshes().iter().map(|mesh| mesh.collision);
    primitives.chain(meshes).any(|collision| collision)
}

/// How the root of a robot is likely held, and why. `model` has a fixed base.
fn likely_base(model: &Model) -> (Base, &'static str) {
    let limbs = model.bodies().iter().filter(|b| b.parent.is_none()).count();
    match limbs {
        0 => (Base::Floating, "nothing of it moves by a joint"),
        1 => (Base::Fixed, "one limb starts at its root link"),
        _ => (Base::Floating, "several limbs start at its root link"),
    }
}
