//! Along what a motion may drift.

use super::OrbitError;
use super::return_map::HEADING;
use crate::model::Base;
use crate::scenario::{Experiment, OrbitEntry, ScenarioError};

/// Names and entries of δ along which the motion may drift.
pub(super) fn drifting(
    experiment: &Experiment,
    entry: &OrbitEntry,
) -> Result<Vec<(String, usize)>, OrbitError> {
    let model = &experiment.model;
    let floating = ["base.x", "base.y", "base.z"];
    let of = |name: &String| {
        let by_joint = model
            .joint(name)
            .map(|j| model.bodies()[j.body].v_index)
            .ok();
        let by_base = floating.iter().position(|n| n == name);
        let by_base = by_base.filter(|_| model.base() == Base::Floating);
        let by_coordinate = model.configuration_names().iter().position(|n| n == name);
        let by_coordinate = by_coordinate.filter(|_| model.dof() == model.configuration_len());
        let by_heading = (name == "heading" && model.base() == Base::Floating).then_some(HEADING);
        let by_any = by_base.or(by_joint).or(by_coordinate).or(by_heading);
        by_any.ok_or_else(|| {
            let heading = (model.base() == Base::Floating).then_some("heading");
            let known = model.configuration_names().iter().map(String::as_str);
            let near = crate::files::did_you_mean(name, known.chain(heading));
            let reason = format!("there is no position \"{name}\"{near}");
            ScenarioError::value(&experiment.file, "orbit.symmetry.drift", reason)
        })
    };
    let drift = entry.symmetry.drift.iter();
    let drift: Vec<(String, usize)> = drift
        .map(|name| Ok::<_, OrbitError>((name.clone(), of(name)?)))
        .collect::<Result<_, _>>()?;
    let names = |name: &str| drift.iter().any(|(own, _)| own == name);
    if names("heading") && !(names("base.x") && names("base.y")) {
        let reason = "a heading that drifts turns the way as well; add base.x and base.y";
        return Err(ScenarioError::value(&experiment.file, "orbit.symmetry.drift", reason).into());
    }
    Ok(drift)
}
