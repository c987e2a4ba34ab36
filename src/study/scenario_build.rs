//! From a scenario to a simulation and its controller.

use std::sync::Arc;

use super::laws::law_by_name;
use super::nearest_name::did_you_mean;
use super::robot_state::RobotState;
use super::{
    ContactEntry, ControllerEntry, Scenario, ScenarioError, SiteEntry, SiteKind, SpringEntry,
    TerrainEntry,
};
use crate::contact::{Contacts, Material, Site, SiteShape, Terrain, sphere_sites};
use crate::control::{
    ControlError, Controller, DrivenJoint, HoldThenSpin, Passive, Schedule, Servo, ServoController,
};
use crate::discrete::StepSettings;
use crate::hybrid::{Simulation, SimulationSettings, State};
use crate::impact::ImpactLaw;
use crate::model::urdf::{LoadOptions, load_with_text, parse};
use crate::model::{Model, ModelBuilder};
use crate::spatial::{Pose, rotation_from_rpy};

/// Everything that a run needs, made from a scenario and shared between runs of it.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The scenario.
    pub scenario: Scenario,
    /// What messages call the scenario.
    pub file: String,
    /// The robot.
    pub model: Arc<Model>,
    /// The text of its plain URDF.
    pub robot_text: Arc<str>,
    /// Its contacts.
    pub contacts: Arc<Contacts>,
    /// Initial configuration.
    pub q: Vec<f64>,
    /// Initial velocity, n.
    pub v: Vec<f64>,
}

impl Experiment {
    /// Loads the robot and resolves all names of a scenario; `file` is what messages call it.
    ///
    /// # Errors
    /// The first thing that is wrong, by its place.
    pub fn new(file: &str, scenario: Scenario) -> Result<Self, ScenarioError> {
        let (builder, text) = load_robot(&scenario)?;
        Self::assembled(file, scenario, builder, text)
    }

    /// The same with the robot's plain URDF at hand: the scenario's file is only its name.
    ///
    /// # Errors
    /// As [`Experiment::new`].
    pub fn with_robot(
        file: &str,
        scenario: Scenario,
        robot_text: &str,
    ) -> Result<Self, ScenarioError> {
        let name = scenario.robot.file.display().to_string();
        let builder = parse(robot_text, &name)?;
        Self::assembled(file, scenario, builder, robot_text.to_string())
    }

    fn assembled(
        file: &str,
        mut scenario: Scenario,
        builder: ModelBuilder,
        robot_text: String,
    ) -> Result<Self, ScenarioError> {
        let at = Place { file };
        if let ControllerEntry::Gait(entry) = &mut scenario.controller {
            *entry = entry.resolved(file)?;
        }
        let model = Arc::new(build_model(&at, &scenario, builder)?);
        let contacts = Arc::new(build_contacts(
            file,
            &scenario.contact,
            &scenario.terrain,
            &model,
        )?);
        let (q, v) = initial_state(&at, &scenario, &model)?;
        if let Some(entry) = &scenario.locomotion {
            entry.check(file, &model)?;
        }
        let experiment = Self {
            scenario,
            file: file.to_string(),
            model,
            robot_text: robot_text.into(),
            contacts,
            q,
            v,
        };
        experiment.check_restitution(experiment.law()?.as_ref())?;
        experiment.controller()?;
        Ok(experiment)
    }

    /// Refuses a restitution that the law would ignore. 0 and 1 say nothing: one of them is what
    /// such a law does, the other is the default.
    fn check_restitution(&self, law: &dyn ImpactLaw) -> Result<(), ScenarioError> {
        if law.properties().restitution {
            return Ok(());
        }
        let partial = (0..self.contacts.len())
            .map(|i| (self.contacts.restitution(i), self.contacts.name(i)))
            .find(|(restitution, _)| *restitution > 0.0 && *restitution < 1.0);
        let Some((restitution, name)) = partial else {
            return Ok(());
        };
        let reason = format!(
            "law \"{}\" does not use the restitution {restitution} of contact \"{name}\"; remove the key or choose a law with restitution",
            law.name()
        );
        Err(Place { file: &self.file }.wrong("contact.restitution", reason))
    }

    /// The impact law with its parameters.
    ///
    /// # Errors
    /// An unknown law, a parameter that it does not take.
    pub fn law(&self) -> Result<Box<dyn ImpactLaw>, ScenarioError> {
        let entry = &self.scenario.impact;
        let at = Place { file: &self.file };
        let known = law_by_name(&entry.law).map_err(|e| at.wrong("impact.law", e.to_string()))?;
        let mut law = known.build();
        let orders = ["most-violated", "least-violated", "index", "random"];
        if entry.order != "all" {
            if !orders.contains(&entry.order.as_str()) {
                let reason = format!(
                    "there is no order \"{}\"{}; the orders are {} and all",
                    entry.order,
                    did_you_mean(&entry.order, orders.into_iter()),
                    orders.join(", ")
                );
                return Err(at.wrong("impact.order", reason));
            }
            // The default order says nothing, so that laws without orders need not mention it.
            if known.parameters.contains(&"order") {
                law.set_parameter("order", &entry.order)?;
            } else if entry.order != "most-violated" {
                let reason = format!(
                    "law \"{}\" does not treat contacts in an order; remove the key",
                    entry.law
                );
                return Err(at.wrong("impact.order", reason));
            }
        } else if entry.law != "propagative" {
            let reason = format!(
                "order \"all\" follows the outcomes of law \"propagative\", the law is \"{}\"",
                entry.law
            );
            return Err(at.wrong("impact.order", reason));
        }
        for (name, value) in &entry.parameters {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_string);
            let misplaced = match name.as_str() {
                "seed" => Some("impacts draw from impact.seed"),
                "samples" => Some("an impact of a run draws one sample"),
                _ => None,
            };
            if let (Some(why), true) = (misplaced, known.parameters.contains(&name.as_str())) {
                let place = format!("impact.parameters.{name}");
                return Err(at.wrong(&place, format!("{why}; remove the key")));
            }
            if name == "sequence" && text.trim() != "all" {
                self.check_sequence(&text)?;
            }
            law.set_parameter(name, &text)?;
        }
        Ok(law)
    }

    /// Refuses names in a sequence of contacts that no contact has. Indices would count the contacts of each impact.
    fn check_sequence(&self, sequence: &str) -> Result<(), ScenarioError> {
        let known: Vec<&str> = (0..self.contacts.len())
            .map(|i| self.contacts.name(i))
            .collect();
        let mut words = sequence.split(',').map(str::trim);
        let Some(unknown) = words.find(|word| !known.contains(word)) else {
            return Ok(());
        };
        let reason = format!(
            "there is no contact \"{unknown}\"{}; the contacts are {}",
            did_you_mean(unknown, known.iter().copied()),
            known.join(", ")
        );
        Err(Place { file: &self.file }.wrong("impact.parameters.sequence", reason))
    }

    /// The controller.
    ///
    /// # Errors
    /// A joint that does not exist, a number out of range.
    pub fn controller(&self) -> Result<Box<dyn Controller>, ScenarioError> {
        build_controller(
            &self.scenario.controller,
            &self.model,
            &self.contacts,
            &self.q,
        )
        .map_err(ScenarioError::Control)
    }

    /// Settings of the simulation.
    #[must_use]
    pub fn settings(&self) -> SimulationSettings {
        let Scenario {
            stepper,
            impact,
            time_step,
            ..
        } = &self.scenario;
        SimulationSettings {
            time_step: *time_step,
            solver: StepSettings {
                tolerance: stepper.tolerance,
                max_iterations: stepper.max_iterations,
                max_halvings: stepper.max_halvings,
            },
            order: stepper.order,
            simultaneity: impact.simultaneity,
            zeno: impact.zeno,
            verdict_budget: impact.verdict_budget,
            ..SimulationSettings::default()
        }
    }

    /// A simulation at time zero.
    ///
    /// # Errors
    /// A state that the robot cannot start from.
    pub fn simulation(&self) -> Result<Simulation, ScenarioError> {
        let simulation = Simulation::new(
            self.model.clone(),
            self.contacts.clone(),
            self.law()?,
            self.settings(),
            &self.q,
            &self.v,
        )?;
        Ok(simulation.with_seed(self.scenario.impact.seed))
    }

    /// A simulation that goes on from a saved state.
    ///
    /// # Errors
    /// A state of another robot.
    pub fn resumed(&self, state: State) -> Result<Simulation, ScenarioError> {
        let simulation = Simulation::from_state(
            self.model.clone(),
            self.contacts.clone(),
            self.law()?,
            self.settings(),
            state,
        )?;
        Ok(simulation.with_seed(self.scenario.impact.seed))
    }
}

/// What messages call the scenario.
struct Place<'a> {
    file: &'a str,
}

impl Place<'_> {
    fn wrong(&self, place: &str, reason: String) -> ScenarioError {
        ScenarioError::Value {
            file: self.file.to_string(),
            place: place.to_string(),
            reason,
        }
    }
}

fn load_robot(scenario: &Scenario) -> Result<(ModelBuilder, String), ScenarioError> {
    let robot = &scenario.robot;
    let options = LoadOptions {
        packages: robot
            .packages
            .iter()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        xacro_arguments: robot
            .arguments
            .iter()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
    };
    Ok(load_with_text(&robot.file, &options)?)
}

fn build_model(
    at: &Place<'_>,
    scenario: &Scenario,
    builder: ModelBuilder,
) -> Result<Model, ScenarioError> {
    let robot = &scenario.robot;
    if let Some(x) = robot.gravity.iter().find(|x| !x.is_finite()) {
        return Err(at.wrong("robot.gravity", format!("{x} is not a finite number")));
    }
    let mut builder = builder.base(robot.base).gravity(robot.gravity);
    for (link, factor) in &robot.mass_scale {
        builder = builder
            .scale_mass(link, *factor)
            .map_err(|e| at.wrong("robot.mass_scale", e.to_string()))?;
    }
    for (i, spring) in scenario.spring.iter().enumerate() {
        let place = format!("spring[{i}]");
        builder = match spring {
            SpringEntry {
                joint: Some(joint),
                links: None,
                points: None,
                rest_length: None,
                ..
            } => builder.joint_spring(
                joint,
                spring.rest.unwrap_or(0.0),
                spring.stiffness,
                spring.damping,
            ),
            SpringEntry {
                joint: None,
                rest: None,
                links: Some(links),
                points: Some(points),
                ..
            } => {
                let link = |i: usize| (links[i] != "world").then_some(links[i].as_str());
                builder.point_spring(
                    [link(0), link(1)],
                    *points,
                    spring.rest_length.unwrap_or(0.0),
                    spring.stiffness,
                    spring.damping,
                )
            }
            _ => {
                let reason = "give either joint (and rest), or links and points (and rest_length)";
                return Err(at.wrong(&place, reason.to_string()));
            }
        };
    }
    Ok(builder.build()?)
}

/// Declared sites and terrain on a robot; `file` is what messages call their file.
pub(super) fn build_contacts(
    file: &str,
    entry: &ContactEntry,
    terrain: &[TerrainEntry],
    model: &Model,
) -> Result<Contacts, ScenarioError> {
    let at = &Place { file };
    let material = |friction: Option<f64>, restitution: Option<f64>| {
        Material::new(
            friction.unwrap_or(entry.friction),
            restitution.unwrap_or(entry.restitution),
        )
    };
    let mut sites = if entry.spheres {
        sphere_sites(model, material(None, None))
    } else {
        Vec::new()
    };
    for (i, site) in entry.site.iter().enumerate() {
        let material = material(site.friction, site.restitution);
        let place = format!("contact.site[{i}] \"{}\"", site.name);
        sites.extend(build_site(at, &place, model, site, material)?);
    }
    let terrains = terrain
        .iter()
        .map(|terrain| match terrain {
            TerrainEntry::Plane {
                name,
                point,
                normal,
                friction,
                restitution,
            } => Terrain::plane(name, *point, *normal, material(*friction, *restitution)),
            TerrainEntry::Box {
                name,
                min,
                max,
                friction,
                restitution,
            } => Terrain::step(name, *min, *max, material(*friction, *restitution)),
        })
        .collect();
    Ok(Contacts::new(
        model,
        sites,
        terrains,
        &entry.pairs,
        entry.combination,
    )?)
}

/// One declared site (eight for a box); keys of other kinds are refused.
fn build_site(
    at: &Place<'_>,
    place: &str,
    model: &Model,
    site: &SiteEntry,
    material: Material,
) -> Result<Vec<Site>, ScenarioError> {
    let given = [
        ("radius", site.radius.is_some()),
        ("axes", site.axes.is_some()),
        ("start", site.start.is_some()),
        ("end", site.end.is_some()),
        ("thickness", site.thickness.is_some()),
        ("axis", site.axis.is_some()),
        ("size", site.size.is_some()),
        ("rpy", site.rpy.is_some()),
    ];
    let (kind, needed, optional): (_, &[&str], &[&str]) = match site.kind {
        SiteKind::Point => ("point", &[], &[]),
        SiteKind::Sphere => ("sphere", &["radius"], &[]),
        SiteKind::Arc => ("arc", &["axes", "radius", "start", "end"], &["thickness"]),
        SiteKind::Box => ("box", &["size"], &["rpy"]),
        SiteKind::Disc => ("disc", &["axis", "radius"], &[]),
    };
    for (key, present) in given {
        if needed.contains(&key) && !present {
            return Err(at.wrong(place, format!("a site of kind \"{kind}\" needs {key}")));
        }
        if present && !needed.contains(&key) && !optional.contains(&key) {
            let reason = format!("a site of kind \"{kind}\" has no {key}; remove the key");
            return Err(at.wrong(place, reason));
        }
    }
    let radius = site.radius.unwrap_or_default();
    let shape = match site.kind {
        SiteKind::Point => SiteShape::Point,
        SiteKind::Sphere => SiteShape::Sphere { radius },
        SiteKind::Arc => SiteShape::Arc {
            axes: site.axes.unwrap_or_default().map(Into::into),
            radius,
            start: site.start.unwrap_or_default(),
            end: site.end.unwrap_or_default(),
            thickness: site.thickness.unwrap_or_default(),
        },
        SiteKind::Disc => SiteShape::DiscEdge {
            axis: site.axis.unwrap_or_default().into(),
            radius,
        },
        SiteKind::Box => {
            let rpy = site.rpy.unwrap_or_default();
            let pose = Pose::new(rotation_from_rpy(&rpy), site.position.into());
            let size = site.size.unwrap_or_default();
            return Ok(Site::box_corners(
                model, &site.name, &site.link, &pose, size, material,
            )?);
        }
    };
    Ok(vec![Site::new(
        model,
        &site.name,
        &site.link,
        site.position,
        shape,
        material,
    )?])
}

fn initial_state(
    at: &Place<'_>,
    scenario: &Scenario,
    model: &Model,
) -> Result<(Vec<f64>, Vec<f64>), ScenarioError> {
    check_finite_initial(at, scenario)?;
    // The state of a scenario and a state file are one format; the file's reader checks both.
    let text =
        serde_json::to_string(&scenario.initial).map_err(|e| at.wrong("initial", e.to_string()))?;
    let wrong = |e: super::StateError| {
        let message = e.to_string();
        let reason = message
            .split_once(": ")
            .map_or(message.as_str(), |(_, rest)| rest);
        at.wrong("initial", reason.to_string())
    };
    let mut document: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| at.wrong("initial", e.to_string()))?;
    if scenario.initial.base.is_empty()
        && let Some(object) = document.as_object_mut()
    {
        object.remove("base");
    }
    RobotState::parse(at.file, &document.to_string())
        .map_err(wrong)?
        .of(model)
        .map_err(wrong)
}

/// TOML can write numbers that are none, the format of state files cannot.
fn check_finite_initial(at: &Place<'_>, scenario: &Scenario) -> Result<(), ScenarioError> {
    let initial = &scenario.initial;
    let named = [
        ("joints", &initial.joints),
        ("velocities", &initial.velocities),
    ];
    let mut numbers: Vec<(String, f64)> = Vec::new();
    for (table, values) in named {
        numbers.extend(
            values
                .iter()
                .map(|(k, x)| (format!("initial.{table}.{k}"), *x)),
        );
    }
    for (key, value) in &initial.base {
        let entries = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let floats = entries.iter().filter_map(toml::Value::as_float);
        numbers.extend(floats.map(|x| (format!("initial.base.{key}"), x)));
    }
    match numbers.iter().find(|(_, x)| !x.is_finite()) {
        Some((place, x)) => Err(at.wrong(place, format!("{x} is not a finite number"))),
        None => Ok(()),
    }
}

fn build_controller(
    entry: &ControllerEntry,
    model: &Model,
    contacts: &Contacts,
    q: &[f64],
) -> Result<Box<dyn Controller>, ControlError> {
    let number = |place: String, value: f64| {
        if value.is_finite() {
            return Ok(());
        }
        Err(ControlError {
            reason: format!("{place} is {value}, it must be a finite number"),
        })
    };
    match entry {
        ControllerEntry::None => Ok(Box::new(Passive)),
        ControllerEntry::External(entry) => entry.build(model, contacts),
        ControllerEntry::Servo { joint } => {
            let mut servos = Vec::new();
            for entry in joint {
                let servo = DrivenJoint::new(model, &entry.name, entry.effort_limit)?;
                number(
                    format!("joint \"{}\": stiffness", entry.name),
                    entry.stiffness,
                )?;
                number(format!("joint \"{}\": damping", entry.name), entry.damping)?;
                let target = entry
                    .target
                    .clone()
                    .unwrap_or(Schedule::Constant(q[servo.q_index]));
                for (what, schedule) in [("target", &target), ("feed_forward", &entry.feed_forward)]
                {
                    if let Some(defect) = schedule.defect() {
                        let reason = format!("joint \"{}\": {what}: {defect}", entry.name);
                        return Err(ControlError { reason });
                    }
                }
                servos.push(Servo {
                    joint: servo,
                    stiffness: entry.stiffness,
                    damping: entry.damping,
                    target,
                    feed_forward: entry.feed_forward.clone(),
                });
            }
            Ok(Box::new(ServoController { servos }))
        }
        ControllerEntry::HoldThenSpin {
            joints,
            stiffness,
            damping,
            effort_limit,
            rate,
            delay,
        } => {
            for (what, value) in [
                ("stiffness", stiffness),
                ("damping", damping),
                ("rate", rate),
                ("delay", delay),
            ] {
                number(what.to_string(), *value)?;
            }
            let servos = joints
                .iter()
                .map(|name| {
                    let joint = DrivenJoint::new(model, name, *effort_limit)?;
                    Ok(Servo {
                        joint,
                        stiffness: *stiffness,
                        damping: *damping,
                        target: Schedule::Constant(q[joint.q_index]),
                        feed_forward: Schedule::default(),
                    })
                })
                .collect::<Result<_, ControlError>>()?;
            Ok(Box::new(HoldThenSpin {
                servos,
                rate: *rate,
                delay: *delay,
            }))
        }
        ControllerEntry::Gait(entry) => entry.build(model),
    }
}
