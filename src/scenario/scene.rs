//! The robots of a scenario and the objects beside them as one model with one state.

use std::sync::Arc;

use super::cache::Described;
use super::{ControllerEntry, ExperimentCache, RobotEntry, Scenario, ScenarioError};
use crate::model::Model;

/// All that moves in a scenario, and where it starts.
pub(crate) struct Scene {
    /// Robots in order, then objects.
    pub(crate) model: Arc<Model>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Restitution of the position limits of each body's joint; none where all limits are off.
    pub(crate) limit_restitution: Option<Vec<f64>>,
}

impl Scene {
    /// The scene of described robots, one for each entry. What the entries say by patterns or files is spelled out, and
    /// their sites become those of the scene; `file` is what messages call the scenario.
    pub(crate) fn new(
        file: &str,
        scenario: &mut Scenario,
        described: &[Arc<Described>],
        cache: &ExperimentCache,
    ) -> Result<Self, ScenarioError> {
        let mut sites = Vec::new();
        let mut scene: Option<Self> = None;
        let mut limited = false;
        for (i, described) in described.iter().enumerate() {
            let described = &described.builder;
            let place = scenario.robot.place(i);
            let (start, springs) = (scenario.initial.clone(), scenario.spring.clone());
            let Some(entry) = scenario.robot.iter_mut().nth(i) else {
                break;
            };
            entry.joint = entry.spelled_joints(file, &place, described)?;
            let own = |key: &str| format!("{place}.{key}");
            let springs = match entry.name {
                Some(_) => &entry.spring,
                None => &springs,
            };
            let build = || entry.model(file, &place, described.clone(), springs);
            let robot = cache.model(entry, springs, build)?;
            let (mut q, v) = match entry.name {
                Some(_) => entry.initial.state(file, &own("initial"), &robot)?,
                None => start.state(file, "initial", &robot)?,
            };
            entry.place_configuration(&mut q);
            let of_limits = entry.limit_restitution(file, &place, &robot)?;
            limited |= of_limits.is_some();
            let of_limits = of_limits.unwrap_or_else(|| vec![0.0; robot.bodies().len()]);
            spell_controller(file, &place, entry, &robot, cache)?;
            sites.extend(entry.sites_in_scene());
            let robot = entry.in_place(robot);
            scene = Some(match scene {
                None => Self {
                    model: robot,
                    q,
                    v,
                    limit_restitution: Some(of_limits),
                },
                Some(mut scene) => {
                    scene.put_beside(file, &place, Arc::unwrap_or_clone(robot))?;
                    scene.q.extend(q);
                    scene.v.extend(v);
                    scene
                        .limit_restitution
                        .iter_mut()
                        .for_each(|all| all.extend(&of_limits));
                    scene
                }
            });
        }
        let mut scene = scene.ok_or_else(|| {
            ScenarioError::value(file, "robot", "there is no description of a robot")
        })?;
        sites.append(&mut scenario.contact.site);
        scenario.contact.site = sites;
        for (i, object) in scenario.object.iter().enumerate() {
            let place = format!("object[{i}] \"{}\"", object.name);
            let body = object.model(file, &place)?;
            scene.put_beside(file, &place, body)?;
            let (pose, twist) = object.state();
            scene.q.extend(pose);
            scene.v.extend(twist);
        }
        let bodies = scene.model.bodies().len();
        scene
            .limit_restitution
            .iter_mut()
            .for_each(|all| all.resize(bodies, 0.0));
        scene.limit_restitution = scene.limit_restitution.filter(|_| limited);
        Ok(scene)
    }

    fn put_beside(&mut self, file: &str, place: &str, other: Model) -> Result<(), ScenarioError> {
        let joined = Model::clone(&self.model).beside(other);
        let joined = joined.map_err(|error| ScenarioError::from(error).located(file, place))?;
        self.model = Arc::new(joined);
        Ok(())
    }
}

/// The robot's own controller with its gait's table and every joint by its name.
fn spell_controller(
    file: &str,
    place: &str,
    entry: &mut RobotEntry,
    robot: &Model,
    cache: &ExperimentCache,
) -> Result<(), ScenarioError> {
    if let ControllerEntry::Gait(gait) = &mut entry.controller {
        *gait = cache.gait(file, gait)?;
    }
    let spelled = entry.controller.spelled_out(robot);
    let located = |e| ScenarioError::from(e).located(file, &format!("{place}.controller"));
    entry.controller = spelled.map_err(located)?;
    Ok(())
}
