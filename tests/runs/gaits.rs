//! Gaits: the hexapod and other walkers, run from the scenarios that ship.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use carom::control::{
    BuehlerClock, Controller, DrivenJoint, GaitController, GaitLeg, LegProgram, Observation,
    WalkTimes,
};
use carom::dynamics::Motor;
use carom::files::{OutputFolder, RUN_OUTPUT};
use carom::record::{LocomotionSummary, Recorder, Run, RunEnd, Summary};
use carom::scenario::{Experiment, Scenario};

use crate::shipped::shipped;

/// Reads a shipped scenario with overrides.
fn experiment(path: &Path, overrides: &[&str]) -> Result<Experiment, String> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let scenario = Scenario::read(path, &overrides).map_err(|e| e.to_string())?;
    Experiment::new("scenario", scenario).map_err(|e| e.to_string())
}

/// An empty folder of one test.
fn folder(test: &str) -> PathBuf {
    std::env::temp_dir().join(format!("carom-gait-{test}-{}", std::process::id()))
}

/// A run that writes into `folder`: the summary, and the bytes of both tables.
fn run_into(folder: &Path, path: &Path, overrides: &[&str]) -> (Summary, Vec<u8>) {
    let experiment = experiment(path, overrides).unwrap();
    let mut run = Run::new(&experiment).unwrap();
    let held = OutputFolder::hold(folder, &RUN_OUTPUT).unwrap();
    let mut recorder = Recorder::create(&experiment, held, |_| ControlFlow::Continue(())).unwrap();
    let end = run
        .advance(experiment.scenario.steps(), &mut recorder)
        .unwrap();
    assert_eq!(end, RunEnd::Reached, "{}", path.display());
    let boundary = run.state().clone();
    let ended = recorder.finish(run.simulation(), &boundary, None).unwrap();
    let summary = ended.publish().unwrap();
    let mut bytes = std::fs::read(folder.join("series.csv")).unwrap();
    bytes.extend(std::fs::read(folder.join("events.csv")).unwrap());
    (summary, bytes)
}

fn run(test: &str, name: &str, overrides: &[&str]) -> Summary {
    let folder = folder(test);
    let (summary, _) = run_into(&folder, &shipped(name), overrides);
    std::fs::remove_dir_all(&folder).unwrap();
    summary
}

fn locomotion(summary: &Summary) -> &LocomotionSummary {
    summary.locomotion.as_ref().unwrap()
}

/// Never below the ground by more than a located crossing and the rounding of held gaps.
fn never_below_the_ground(summary: &Summary) {
    let depth = summary.max_penetration_m;
    assert!(depth <= 1e-9, "{depth} m below the ground");
}

#[test]
fn the_tripod_walks_ten_body_lengths_straight_ahead_and_stops() {
    let summary = run("tripod", "rhex/tripod.toml", &["output.every=1000"]);
    never_below_the_ground(&summary);
    let found = locomotion(&summary);
    assert_eq!(summary.time_s, 20.0);
    assert!(found.distance_body_lengths >= 10.0, "{found:?}");
    assert!(
        found.heading_error_rad.abs() < 10_f64.to_radians(),
        "{found:?}"
    );
    assert!(
        found.max_yaw_rad.unwrap() < 10_f64.to_radians(),
        "{found:?}"
    );
    // Each leg came down about once a stride of 0.6 s in the 17.7 s of walking.
    for leg in &found.legs {
        assert!((25..=31).contains(&leg.steps), "{leg:?}");
        assert!(leg.duty_factor > 0.3 && leg.duty_factor < 0.7, "{leg:?}");
    }
    assert_eq!(found.impacts, summary.impacts.count);
    // Mean positive power over weight times speed, from the summary's own numbers.
    let expected = found.mean_positive_power_W / (7.5 * 9.81 * found.forward_speed_m_per_s);
    let resistance = found.specific_resistance.unwrap();
    assert!((resistance / expected - 1.0).abs() < 1e-12, "{resistance}");
}

#[test]
fn two_runs_and_the_resolved_scenario_give_the_same_bytes() {
    let short = ["duration=1.6", "controller.stop=1.0"];
    let folders = ["first", "second", "again"].map(folder);
    let first = run_into(&folders[0], &shipped("rhex/tripod.toml"), &short);
    let second = run_into(&folders[1], &shipped("rhex/tripod.toml"), &short);
    assert!(first.1 == second.1);
    // The gait is named in the scenario that ships and written out in the resolved one.
    let again = run_into(&folders[2], &folders[0].join("scenario.toml"), &[]);
    assert!(first.1 == again.1);
    assert_eq!(first.0.locomotion, again.0.locomotion);
    let by_file = shipped("rhex/gaits/tripod.toml");
    let by_file = format!("controller.gait={}", by_file.display());
    let gait = experiment(&shipped("rhex/tripod.toml"), &[&by_file]).unwrap();
    let named = experiment(&shipped("rhex/tripod.toml"), &[]).unwrap();
    assert_eq!(gait.scenario.controller, named.scenario.controller);
    for folder in folders {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_pronk_between_mirrored_legs_stays_straight() {
    let summary = run(
        "pronk",
        "rhex/pronk.toml",
        &["duration=3", "controller.stop=2"],
    );
    never_below_the_ground(&summary);
    let found = locomotion(&summary);
    assert!(found.distance_body_lengths > 1.5, "{found:?}");
    // Both sides do the same but for rounding, which a stable gait does not let grow.
    assert!(found.max_yaw_rad.unwrap() < 1e-6, "{found:?}");
    for (left, right) in found.legs[..3].iter().zip(&found.legs[3..]) {
        assert_eq!(
            (left.steps, left.duty_factor),
            (right.steps, right.duty_factor)
        );
    }
}

#[test]
fn slopes_and_other_gaits_are_walked_without_touching_what_lies_below_the_ground() {
    for (name, least) in [
        ("rhex/tripod_slope.toml", 0.5),
        ("rhex/wave.toml", 0.1),
        ("rhex/bound.toml", 0.5),
    ] {
        let summary = run("others", name, &["duration=2.0", "output.every=100"]);
        never_below_the_ground(&summary);
        let found = locomotion(&summary);
        assert!(found.distance_body_lengths > least, "{name} {found:?}");
    }
}

#[test]
fn a_step_of_0_4_leg_lengths_is_climbed() {
    // Front hips 0.25 m before the step instead of 0.8 m.
    let place = "initial.base.position=[0.55, 0.0, 0.1673578]";
    let summary = run("step", "rhex/tripod_step.toml", &[place, "duration=3.5"]);
    never_below_the_ground(&summary);
    // 0.45 m to the middle of the body above the edge.
    assert!(locomotion(&summary).distance_forward_m > 0.6, "{summary:?}");
}

#[test]
fn joints_that_count_the_other_way_get_the_mirrored_torque() {
    let rhex = experiment(&shipped("rhex/tripod.toml"), &[]).unwrap();
    let clock = BuehlerClock {
        duty_factor: 0.5,
        sweep: 1.0,
        offset: 0.0,
    };
    let leg = |index: usize, direction: f64, zero: f64| GaitLeg {
        joint: DrivenJoint {
            q_index: index,
            v_index: index,
            effort_limit: 4.0,
        },
        direction,
        zero,
        program: LegProgram::new(clock, 0.0, 0.0, 0.0),
    };
    let mut controller = GaitController {
        times: WalkTimes {
            period: 1.0,
            start_phase: 0.0,
            start: 0.0,
            stop: None,
            shift: 0.0,
            ramp: 0.0,
        },
        legs: vec![leg(0, 1.0, 0.0), leg(1, -1.0, 0.3)],
        stiffness: 2.0,
        damping: 0.5,
        motor: Some(Motor {
            stall_torque: 6.0,
            no_load_speed: 10.0,
        }),
    };
    for (time, angle, rate, expected) in [
        // In the slow phase the leg turns by 1 rad in half a second.
        (0.1, 0.05, 1.0, 2.0 * (0.2 - 0.05) + 0.5 * (2.0 - 1.0)),
        // Asked for 2 (0.2 + 3) + 0.5 (2 + 1) = 7.9 N m, the effort limit gives 4.
        (0.1, -3.0, -1.0, 4.0),
        // At 8 rad/s the motor has a fifth of its torque left.
        (0.1, -5.0, 8.0, 1.2),
    ] {
        let q = [angle, 0.3 - angle];
        let v = [rate, -rate];
        let mut efforts = [0.0; 2];
        let observation = Observation {
            time,
            time_step: 1e-3,
            q: &q,
            v: &v,
            first_impact: None,
            gaps: &[],
            forces: &[],
            model: &rhex.model,
        };
        controller.efforts(&observation, &mut efforts).unwrap();
        assert!((efforts[0] - expected).abs() < 1e-12, "{efforts:?}");
        assert!((efforts[1] + expected).abs() < 1e-12, "{efforts:?}");
    }
}

#[test]
fn wrong_gaits_are_refused_with_their_place() {
    let tripod = shipped("rhex/tripod.toml");
    for (change, message) in [
        ("controller.gait=tripd", "(did you mean \"tripod\"?)"),
        ("controller.gait=no.toml", "no.toml: cannot be read"),
        ("controller.gait={ period = 1.0, perod = 2.0 }", "perod"),
        ("controller.stop=0.1", "stop is 0.1, before start"),
        (
            "controller.motor.stall_torque=0",
            "motor: stall_torque is 0",
        ),
        ("controller.ramp=-1", "ramp is -1"),
        (
            "controller.leg.left_front.direction=2",
            "it must be 1 or -1",
        ),
        ("controller.leg.left_front.joint=hip", "hip"),
        (
            "locomotion.body_length=0",
            "locomotion.body_length: it is 0",
        ),
        ("locomotion.legs=[\"leg_lft_front\"]", "locomotion.legs[0]"),
        ("locomotion.forward=[0.0, 0.0, 0.0]", "locomotion.forward"),
        ("locomotion.until=0", "locomotion.until"),
    ] {
        let error = experiment(&tripod, &[change]).unwrap_err();
        assert!(error.contains(message), "{change}: {error}");
    }
}

#[test]
fn the_passive_walker_steps_when_its_limit_cycle_says() {
    // Duration of a step on the limit cycle, from a Runge-Kutta solution of the two-link equations with
    // conservation of angular momentum at heel strike, closed by Newton's method to 1e-10.
    const STEP: f64 = 0.600_400_012_47;
    let folder = folder("compass");
    let mut errors = Vec::new();
    for time_step in ["time_step=1e-3", "time_step=5e-4"] {
        let path = shipped("compass/walk.toml");
        run_into(&folder, &path, &[time_step, "duration=0.7"]);
        let mut events = csv::Reader::from_path(folder.join("events.csv")).unwrap();
        let first = events
            .records()
            .map(Result::unwrap)
            .find(|row| &row[1] == "impact")
            .unwrap();
        errors.push((first[0].parse::<f64>().unwrap() - STEP).abs());
    }
    // Second order: a quarter, and a little for the next order.
    assert!(
        errors[0] < 1e-5 && errors[1] < 0.3 * errors[0],
        "{errors:?}"
    );
    let (summary, _) = run_into(&folder, &shipped("compass/walk.toml"), &[]);
    never_below_the_ground(&summary);
    let found = locomotion(&summary);
    // Nine steps: the walk lasts six seconds, and every foot comes down on its own tile.
    assert_eq!((found.impacts, found.strides), (9, 4.5));
    assert_eq!(found.mean_positive_power_W, 0.0);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn trex_runs_on_spinning_legs() {
    let summary = run("trex", "trex/run.toml", &[]);
    never_below_the_ground(&summary);
    let found = locomotion(&summary);
    // Legs that turn at 10 rad/s for five seconds turn eight times.
    assert!(found.distance_forward_m > 1.0, "{found:?}");
    assert!((6.0..=9.0).contains(&found.strides), "{found:?}");
}
