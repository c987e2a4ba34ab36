//! Verdicts, notes and remarks of runs.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use carom::files::{OutputFolder, RUN_OUTPUT};
use carom::hybrid::{
    Event, EventKind, EventNote, Simulation, SimulationSettings, StepSummary, Watcher,
};
use carom::impact::verdict::{Doubt, Ground};
use carom::impact::{Uniqueness, Verdict};
use carom::record::{EventRow, Recorder, Run, RunEnd, Summary};
use carom::scenario::{Experiment, Scenario};
use carom::study::ScenarioBatch;

use crate::shipped::{experiment, scenario};

/// Keeps the events of a run.
#[derive(Default)]
struct Log(Vec<Event>);

impl Watcher<Infallible> for Log {
    fn settled(&mut self, _: &mut Simulation, events: &[Event]) -> Result<(), Infallible> {
        self.0.extend_from_slice(events);
        Ok(())
    }

    fn step(
        &mut self,
        _: &mut Simulation,
        _: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, Infallible> {
        self.0.extend_from_slice(events);
        Ok(ControlFlow::Continue(()))
    }
}

fn events(experiment: &Experiment) -> (Vec<Event>, RunEnd) {
    let mut log = Log::default();
    let mut run = Run::new(experiment).unwrap();
    let Ok(end) = run.advance(experiment.scenario.steps(), &mut log);
    // What happened in the step that failed.
    log.0.extend(run.simulation().take_events());
    (log.0, end)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("verdicts_in_runs")
        .join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn written(experiment: &Experiment, name: &str) -> (Summary, Vec<EventRow>, String) {
    let folder = folder(name);
    let held = OutputFolder::hold(&folder, &RUN_OUTPUT).unwrap();
    let mut recorder = Recorder::create(experiment, held, |_| ControlFlow::Continue(())).unwrap();
    let mut run = Run::new(experiment).unwrap();
    run.advance(experiment.scenario.steps(), &mut recorder)
        .unwrap();
    let boundary = run.state().clone();
    let ended = recorder.finish(run.simulation(), &boundary, None).unwrap();
    let summary = ended.publish().unwrap();
    let table = folder.join("events.csv");
    let rows = EventRow::read(&table).unwrap();
    (summary, rows, std::fs::read_to_string(table).unwrap())
}

/// One draw of a set is nothing unique: not in the record, the table or the summary.
#[test]
fn a_draw_of_a_set_is_undecided_everywhere() {
    let drawn = experiment("block/drop.toml", &["impact.law=routh"]);
    let (summary, rows, table) = written(&drawn, "drawn");
    let impacts: Vec<_> = rows.iter().filter_map(|r| r.impact.as_ref()).collect();
    assert!(!impacts.is_empty());
    assert!(
        impacts
            .iter()
            .all(|i| i.verdict.unique == Verdict::Undecided)
    );
    assert!(
        impacts
            .iter()
            .all(|i| i.verdict.outcomes == 1 && !i.verdict.capped)
    );
    assert_eq!(summary.impacts.undecided, summary.impacts.count);
    assert_eq!(summary.impacts.ambiguous, 0);
    let mut lines = csv::Reader::from_reader(table.as_bytes());
    let header = lines.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|n| n == name).unwrap();
    let (unique, outcomes) = (place("unique"), place("outcomes"));
    for (line, row) in lines.records().map(Result::unwrap).zip(&rows) {
        let told = row.impact.is_some();
        assert_eq!(&line[unique], if told { "undecided" } else { "" });
        assert_eq!(&line[outcomes], if told { ">=1" } else { "" });
    }
    let json = serde_json::to_value(&summary).unwrap();
    for field in ["undecided", "by_other_law", "zeno"] {
        assert!(json["impacts"][field].is_u64(), "{field}");
    }
    assert!(json["solver"]["step_solves"].is_u64());
    assert!(json["solver"]["friction"].is_object());
}

/// A law that stops before its end is asked again, and nobody answers in its place.
#[test]
fn a_law_that_did_not_finish_is_marked_and_not_replaced() {
    let short = [
        "impact.law=sequential",
        "impact.parameters.max_steps=1",
        "duration=0.5",
    ];
    let (log, _) = events(&experiment("block/drop.toml", &short));
    let impacts: Vec<_> = log.iter().filter(|e| e.kind.is_impact()).collect();
    let marked = |e: &&&Event| e.note == Some(EventNote::NotTerminated);
    let first = impacts.iter().find(marked).unwrap();
    assert!(first.reason.as_ref().unwrap().contains("sequential"));
    let uniqueness = first.impact.as_ref().unwrap().uniqueness;
    assert_eq!(uniqueness, Uniqueness::undecided(Doubt::NotTerminated));
    for event in &impacts {
        let record = event.impact.as_ref().unwrap();
        assert_eq!(record.law, "sequential");
        assert!(!record.by_other_law);
    }
}

/// What a law that stops early leaves of the approach of a contact that was held before is its own to finish: a step that
/// stopped the contact would take 5.6 J without a word. Up to the strikes the step's own order leaves 2e-5 J.
#[test]
fn what_a_law_did_not_finish_at_a_held_contact_is_asked_again() {
    let short = [
        "impact.law=sequential",
        "impact.parameters.max_steps=1",
        "duration=0.3",
    ];
    let collapse = experiment("quadruped/collapse.toml", &short);
    let (summary, ..) = written(&collapse, "unfinished");
    assert!(summary.impacts.not_terminated > 100);
    let residual = summary.energy.max_residual_J;
    assert!(residual < 1e-3, "{residual}");
}

/// Friction that no impact will feel is told.
#[test]
fn friction_that_the_law_does_not_use_is_remarked() {
    let smooth = experiment("block/drop.toml", &["impact.law=plastic"]);
    let remarks = smooth.remarks();
    assert_eq!(remarks.len(), 1);
    assert!(
        remarks[0].contains("\"plastic\" has no friction"),
        "{remarks:?}"
    );
    let (summary, ..) = written(&smooth, "smooth");
    assert_eq!(summary.remarks, remarks);
    let rough = experiment("block/drop.toml", &["impact.law=anitescu-potra"]);
    assert!(rough.remarks().is_empty());
}

/// Of many contacts it names a few: beside its limits without friction the quadruped has 4 feet, 8 places on its legs and 8 corners.
#[test]
fn remarked_friction_of_many_contacts_is_counted() {
    let collapse = experiment("quadruped/collapse.toml", &["impact.law=plastic"]);
    let remarks = collapse.remarks();
    let remark = remarks.iter().find(|r| r.contains("has no friction"));
    let remark = remark.unwrap();
    assert!(remark.contains(" and 12 others acts"), "{remark}");
    assert_eq!(remark.matches(", ").count(), 8, "{remark}");
}

/// A run whose energy balance is lost says so, whether or not it came to its end: four links that turn by radians in a step.
#[test]
fn a_lost_energy_balance_is_remarked() {
    let remarks = |step: &str, name: &str| {
        let chain = experiment("chain/chain4.toml", &[step, "duration=3"]);
        let (summary, ..) = written(&chain, name);
        (summary.remarks, summary.energy.max_residual_J)
    };
    let (kept, _) = remarks("time_step=1e-3", "kept-balance");
    assert!(kept.is_empty(), "{kept:?}");
    let (lost, residual) = remarks("time_step=0.3", "lost-balance");
    let told = lost
        .iter()
        .any(|r| r.contains("the energy balance misses by"));
    // The chain turns at up to 20 rad/s and has 150 J to give.
    assert!(told && residual > 15.0, "{lost:?} {residual}");
}

/// Every run of a batch has a seed of its own where the law draws, and only there.
#[test]
fn a_batch_seeds_every_law_that_draws() {
    let drawing = |overrides: &[&str]| {
        let mut all = vec!["duration=0.01", "impact.parameters.max_steps=20"];
        all.extend(overrides);
        let experiment = experiment("block/drop.toml", &all);
        let batch = ScenarioBatch::new(&experiment, 2).unwrap();
        let ends = batch.run(Some(1), &|_| {}).unwrap().results;
        ends[1].overrides.clone()
    };
    let sequential = "impact.law=sequential";
    assert_eq!(drawing(&[sequential]), Vec::<String>::new());
    assert_eq!(
        drawing(&[sequential, "impact.order=random", "impact.seed=4"]),
        ["impact.seed=5"]
    );
    // The scenario has the seed 1.
    assert_eq!(drawing(&["impact.law=routh"]), ["impact.seed=2"]);
}

/// Branches of every law that lists its outcomes; the others say which can.
#[test]
fn order_all_follows_every_law_that_lists_several_outcomes() {
    let branching = |law: &str| {
        let law = format!("impact.law={law}");
        let all = ["impact.order=all", law.as_str(), "contact.restitution=0"];
        Experiment::new("drop.toml", scenario("block/drop.toml", &all))
    };
    for law in ["propagative", "anitescu-potra", "sequential", "stronge"] {
        assert!(branching(law).unwrap().law().unwrap().lists_alternatives());
    }
    let refused = branching("plastic").unwrap_err().to_string();
    assert!(refused.contains("impact.order"), "{refused}");
    assert!(refused.contains("propagative, stronge, anitescu-potra, sequential"));
}

/// The Zeno limit is the run's own law with restitution zero, and is marked.
#[test]
fn the_limit_of_accumulating_impacts_is_marked() {
    // Without the capture of slow touches, which ends the bouncing at 1 mm/s, impacts accumulate.
    let bouncing = experiment("ball/bounce.toml", &["contact.capture_speed=0"]);
    let (summary, rows, _) = written(&bouncing, "bouncing");
    let marked: Vec<_> = rows.iter().filter(|r| r.note == "zeno").collect();
    assert_eq!(summary.impacts.zeno, marked.len() as u64);
    assert!(!marked.is_empty());
    for row in marked {
        let impact = row.impact.as_ref().unwrap();
        assert_eq!(impact.verdict.law, bouncing.scenario.impact.law);
        assert!(impact.verdict.energy[1] <= impact.verdict.energy[0]);
        assert!(row.reason.contains("restitutions zero"), "{}", row.reason);
    }
    assert_eq!(summary.impacts.by_other_law, 0);
}

/// Under a force that moves with the time, events are located anywhere within their tolerance. Flights that are not as high
/// gain from it with every strike what falling through it gives, and are brought to rest all the same: at every order, and at
/// the moment that the flights before tell.
#[test]
fn the_limit_is_recognised_under_a_force_that_moves() {
    let mut ends = Vec::new();
    for order in ["2", "4", "6"] {
        let order_key = format!("stepper.order={order}");
        let keys = [
            "initial.joints.z=0",
            "initial.velocities.z=-1",
            "duration=1.5",
            &order_key,
        ];
        let (summary, rows, _) = written(&experiment("ball/table.toml", &keys), "accumulating");
        assert_eq!(summary.impacts.zeno, 1, "order {order}");
        // From 1 m/s by 0.8 a strike to 1e-6 m/s: 62 of them, and some that the tolerance of their location adds.
        assert!(summary.impacts.count < 90, "{}", summary.impacts.count);
        let zeno = rows.iter().find(|r| r.note == "zeno").unwrap();
        ends.push(zeno.time);
    }
    // Both stop within the default zeno_time of one and the same limit.
    assert!((ends[1] - ends[2]).abs() < 2e-6, "{ends:?}");
}

/// An elastic foot of 1 kg carries 3 kg on a slide with dry friction. What the slide takes, the bounces lose: they accumulate
/// although the impacts keep all energy. The limit takes what lifting to a closed gap takes, against weights and friction.
/// Without friction nothing is lost, and nothing accumulates.
#[test]
fn elastic_bounces_that_a_dry_joint_damps_come_to_rest() {
    let tower = |friction: f64| {
        let link = |name: &str, mass: f64, shape: &str| {
            format!(
                r#"<link name="{name}"><inertial><mass value="{mass}"/>
                <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>"#
            )
        };
        let joint = |name: &str, parent: &str, child: &str, friction: f64| {
            format!(
                r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>
                <axis xyz="0 0 1"/><dynamics friction="{friction}"/>
                <limit lower="-9" upper="9" effort="0" velocity="0"/></joint>"#
            )
        };
        let urdf = format!(
            r#"<robot name="tower"><link name="world"/>{}{}{}{}</robot>"#,
            link(
                "low",
                1.0,
                r#"<collision><geometry><sphere radius="0.1"/></geometry></collision>"#
            ),
            link("high", 3.0, ""),
            joint("height", "world", "low", 0.0),
            joint("slide", "low", "high", friction),
        );
        let text = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"tower.urdf\"\nbase = \"fixed\"\n\
                    [initial.joints]\nheight = 0.2\n[impact]\nlaw = \"propagative\"\n\
                    [contact]\nrestitution = 1.0\n[[terrain]]\nkind = \"plane\"\nname = \"ground\"\n";
        let scenario = Scenario::parse("tower.toml", text, &[]).unwrap();
        let experiment = Experiment::with_robot("tower.toml", scenario, &urdf).unwrap();
        written(&experiment, &format!("tower {friction}"))
    };
    for friction in [60.0, 200.0] {
        let (summary, rows, _) = tower(friction);
        assert_eq!(summary.impacts.zeno, 1);
        assert!(summary.impacts.count < 100, "{}", summary.impacts.count);
        assert_eq!(rows.last().unwrap().kind, "hold");
        let limit = rows.iter().find(|r| r.note == "zeno").unwrap();
        let [before, after] = limit.impact.as_ref().unwrap().verdict.energy;
        let closed_gap = SimulationSettings::default().closed_gap;
        assert!(after < before && before - after < (4.0 * 9.81 + friction) * closed_gap);
    }
    // At 0.143 s and every 0.286 s from then.
    let (summary, ..) = tower(0.0);
    assert_eq!(summary.impacts.count, 4);
    assert_eq!(summary.impacts.zeno, 0);
}

#[test]
fn kinds_of_events_are_told_by_their_words() {
    for kind in EventKind::ALL {
        assert_eq!(EventKind::from_word(kind.word()), Some(kind));
    }
    let branch = Event::branch(1.0, vec![0, 2], &[0.5], 3);
    assert_eq!(branch.note, Some(EventNote::Branch));
    assert_eq!(branch.continuations, Some(3));
    assert!(EventKind::Limit.is_impact() && !EventKind::Branch.is_impact());
    assert_eq!(Uniqueness::unique(Ground::Certificate).count_text(), "1");
}
