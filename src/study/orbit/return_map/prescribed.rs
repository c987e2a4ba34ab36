//! What moves by the clock alone, and whether the section of an orbit goes with it.
//!
//! The time is not in the state: every period of the return map begins at time 0. What a scenario prescribes in time must
//! then be at the end of a period where it was at its beginning, and so the section is `period`, a whole multiple of every
//! period of it (of two strides where joints change places: a gait whose sides take turns). What has no period, points of a
//! schedule that change after the start or a gait that is still getting to its speed, has no orbit.

use std::f64::consts::TAU;

use crate::control::Schedule;
use crate::model::{JointKind, Model};
use crate::scenario::{
    ControllerEntry, Experiment, GaitChoice, GaitEntry, OrbitEntry, ScenarioError, SectionKind,
};

/// How near a whole number a period is of others, as a share.
const WHOLE: f64 = 1e-9;

/// What is prescribed in time at some place of a scenario.
struct Prescribed {
    place: String,
    /// Its period \[s\], or why it has none and what to do.
    period: Result<f64, String>,
}

/// Checks that a period of an orbit is one of all that its scenario prescribes in time.
pub(in crate::study::orbit) fn check(
    experiment: &Experiment,
    entry: &OrbitEntry,
) -> Result<(), ScenarioError> {
    let file = &experiment.file;
    let all = prescribed(experiment);
    for Prescribed { place, period } in &all {
        if let Err(reason) = period {
            return Err(ScenarioError::value(file, place, reason));
        }
    }
    let kind = entry.section.kind(file)?;
    for Prescribed { place, period } in &all {
        let Ok(own) = *period else { continue };
        let SectionKind::Period(period) = kind else {
            let reason = format!(
                "{place} has the period {own} s, and the time at which a motion comes back to this section is not in its state; give section = {{ period = {own:?} }} or a whole multiple of it"
            );
            return Err(ScenarioError::value(file, "orbit.section", reason));
        };
        let swaps = !entry.symmetry.swap.is_empty();
        let strides = if swaps { 2 } else { entry.strides };
        let whole = period * strides as f64;
        let count = (whole / own).round();
        if count < 1.0 || (whole - count * own).abs() > WHOLE * whole {
            let times = if strides == 1 {
                String::new()
            } else {
                format!(", {strides} times over,")
            };
            let reason = format!(
                "{period} s{times} is no whole multiple of {own} s, the period of {place}; give {:?} or a multiple of it",
                own / strides as f64
            );
            return Err(ScenarioError::value(file, "orbit.section.period", reason));
        }
    }
    Ok(())
}

/// Whether something acts whose clock is not known from the scenario.
pub(in crate::study::orbit) fn is_hidden(experiment: &Experiment) -> bool {
    controllers(experiment).any(|(_, entry)| matches!(entry, ControllerEntry::External(_)))
}

/// All controllers, with their places.
fn controllers(experiment: &Experiment) -> impl Iterator<Item = (String, ControllerEntry)> {
    let scenario = &experiment.scenario;
    let own = scenario.robot.iter().enumerate().map(|(i, robot)| {
        let place = format!("{}.controller", scenario.robot.place(i));
        (place, robot.controller.renamed(|name| robot.in_scene(name)))
    });
    let common = ("controller".to_string(), scenario.controller.clone());
    std::iter::once(common).chain(own)
}

fn prescribed(experiment: &Experiment) -> Vec<Prescribed> {
    let mut all = Vec::new();
    for (place, entry) in controllers(experiment) {
        note_controller(&mut all, &place, &entry, &experiment.model);
    }
    let shaken = experiment.contacts.terrains().iter().enumerate();
    for (i, piece) in shaken {
        if let Some(shaking) = &piece.shaking
            && shaking.top_speed() > 0.0
        {
            all.push(Prescribed {
                place: format!("terrain.{i}.motion.shake.frequency_Hz"),
                period: Ok(1.0 / shaking.frequency.abs()),
            });
        }
    }
    all
}

fn note_controller(all: &mut Vec<Prescribed>, place: &str, entry: &ControllerEntry, model: &Model) {
    let mut note = |key: &str, period: Result<f64, &str>| {
        all.push(Prescribed {
            place: format!("{place}.{key}"),
            period: period.map_err(str::to_string),
        });
    };
    if let Some(sampling) = entry.sampling_period() {
        note("sampling_period", Ok(sampling));
    }
    match entry {
        ControllerEntry::None | ControllerEntry::External(_) => {}
        ControllerEntry::Servo { joint, default, .. } => {
            let own = joint.iter().enumerate().flat_map(|(i, joint)| {
                let key = |name: &str| format!("joint.{i}.{name}");
                [
                    (key("target"), &joint.target),
                    (key("feed_forward"), &joint.feed_forward),
                ]
            });
            let common = default.iter().flat_map(|default| {
                [
                    ("default.target".to_string(), &default.target),
                    ("default.feed_forward".to_string(), &default.feed_forward),
                ]
            });
            for (key, schedule) in own.chain(common) {
                if let Some(period) = schedule.as_ref().and_then(period_of) {
                    note(&key, period);
                }
            }
        }
        ControllerEntry::HoldThenSpin { start: None, .. } => note(
            "start",
            Err(
                "it waits for the first impact of the run, and every period would begin with waiting; give the moment at which the turn began, start = 0.0 or before, and the positions to hold",
            ),
        ),
        ControllerEntry::HoldThenSpin {
            joints,
            rate,
            start: Some(start),
            ..
        } if *rate != 0.0 => {
            let turn = |name: &String| {
                let body = model.joint(name).ok().map(|j| &model.bodies()[j.body]);
                body.is_none_or(|b| b.kind == JointKind::Revolute && b.limits.position.is_none())
            };
            let period = if *start > 0.0 {
                Err(
                    "the turn begins after the start of a period, so that no two are alike; give start = 0.0 or before",
                )
            } else if joints.iter().all(turn) {
                Ok(TAU / rate.abs())
            } else {
                Err(
                    "a joint that does not turn on and on never comes back; leave it out, or take its limits away",
                )
            };
            note(if *start > 0.0 { "start" } else { "joints" }, period);
        }
        ControllerEntry::HoldThenSpin { .. } => {}
        ControllerEntry::Gait(gait) => note_gait(gait, note),
    }
}

fn note_gait(entry: &GaitEntry, mut note: impl FnMut(&str, Result<f64, &str>)) {
    let GaitEntry {
        start, shift, ramp, ..
    } = entry;
    if start + shift + ramp > WHOLE * (shift + ramp) {
        let reason = "the walk is not at its full speed at the start of a period, so that no two are alike; let start + shift + ramp be at most 0, as with shift = 0.0, ramp = 0.0 and a start at or before 0";
        note("start", Err(reason));
    }
    if entry.stop.is_some() {
        let reason = "a walk that stops has no period; remove it";
        note("stop", Err(reason));
    }
    if let GaitChoice::Table(gait) = &entry.gait {
        note("gait.period", Ok(gait.period));
    }
}

/// The period of a schedule, or why it has none; `None` where it is constant from time 0 on.
fn period_of(schedule: &Schedule) -> Option<Result<f64, &'static str>> {
    match schedule {
        Schedule::Constant(_) => None,
        Schedule::Sine { sine } => {
            let moves = sine.amplitude != 0.0 && sine.frequency_Hz != 0.0;
            moves.then(|| Ok(1.0 / sine.frequency_Hz.abs()))
        }
        Schedule::Points(points) => {
            let (value, rate) = schedule.at(0.0);
            let later = points.iter().filter(|point| point[0] > 0.0);
            let moves = rate != 0.0 || later.into_iter().any(|point| point[1] != value);
            moves.then_some(Err(
                "points in time that change after the start have no period; give a number or a sine",
            ))
        }
        _ => Some(Err("has no period that is known; give a number or a sine")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Sine;

    #[test]
    fn schedules_have_periods_where_they_move() {
        let sine = Sine {
            mean: 1.0,
            amplitude: 0.1,
            frequency_Hz: -4.0,
            phase: 0.0,
        };
        let still = Sine {
            amplitude: 0.0,
            ..sine
        };
        assert_eq!(period_of(&Schedule::Sine { sine }), Some(Ok(0.25)));
        assert_eq!(period_of(&Schedule::Sine { sine: still }), None);
        assert_eq!(period_of(&Schedule::Constant(2.0)), None);
        // Over before the start, and constant from there on.
        let over = Schedule::Points(vec![[-2.0, 0.0], [-1.0, 3.0], [4.0, 3.0]]);
        assert_eq!(period_of(&over), None);
        let coming = Schedule::Points(vec![[0.0, 3.0], [4.0, 3.0], [4.0, 2.0]]);
        assert!(matches!(period_of(&coming), Some(Err(_))));
    }
}
