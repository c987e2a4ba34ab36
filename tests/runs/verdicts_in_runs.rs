//! Verdicts, notes and remarks of runs; laws of a program's own.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use carom::hybrid::{Event, EventKind, EventNote, Simulation, StepSummary};
use carom::impact::{
    ContactSpace, Doubt, Exploration, Ground, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawProperties, Outcome, Plastic, Resolution, Uniqueness, Verdict,
};
use carom::study::{
    Baseline, BaselineOptions, ComparedLaw, EventRow, Experiment, LawComparison, LawEntry,
    LawRegistry, Recorder, Run, RunEnd, Scenario, ScenarioBatch, Summary, Watcher, first_impact,
    write_branches,
};
use nalgebra::DVector;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

fn scenario(name: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Scenario::read(&shipped(name), &overrides).unwrap()
}

fn experiment(name: &str, overrides: &[&str]) -> Experiment {
    Experiment::new(name, scenario(name, overrides)).unwrap()
}

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
    let mut recorder =
        Recorder::create(experiment, &folder, |_| ControlFlow::Continue(())).unwrap();
    let mut run = Run::new(experiment).unwrap();
    run.advance(experiment.scenario.steps(), &mut recorder)
        .unwrap();
    let boundary = run.state().clone();
    let summary = recorder.finish(run.simulation(), &boundary, None).unwrap();
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
    assert!(impacts.iter().all(|i| i.unique == Verdict::Undecided));
    assert!(impacts.iter().all(|i| i.outcomes == 1 && !i.capped));
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

/// A law of a program's own: half of the plastic impulse more than the plastic law, or all of it.
#[derive(Default)]
struct Bouncing {
    plastic: Plastic,
    silent: bool,
}

impl ImpactLaw for Bouncing {
    fn name(&self) -> &'static str {
        "bouncing"
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            set_valued: true,
            ..self.plastic.properties()
        }
    }

    fn lists_alternatives(&self) -> bool {
        true
    }

    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        match name {
            "silent" => self.silent = value == "true",
            _ => return self.plastic.set_parameter(name, value),
        }
        Ok(())
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let report = self.plastic.impulse(space, impulse)?;
        *impulse *= 1.5;
        Ok(report)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let mut half = DVector::zeros(problem.contact_space().rows());
        self.impulse(problem.contact_space(), &mut half)?;
        let whole = &half * (2.0 / 1.5);
        let outcomes = match self.silent {
            true => Vec::new(),
            false => [half, whole]
                .iter()
                .map(|impulse| Outcome::from_impulse(problem, impulse))
                .collect(),
        };
        Ok(Resolution {
            law: self.name(),
            uniqueness: Uniqueness::Ambiguous {
                outcomes: 2,
                complete: true,
                indeterminacy: 0.25,
            },
            outcomes,
            certificate: None,
            status: ImpactStatus::Resolved,
            details: serde_json::Map::new(),
        })
    }

    fn explore(
        &mut self,
        problem: &ImpactProblem,
        exploration: &Exploration,
    ) -> Result<Resolution, ImpactError> {
        let mut all = self.resolve(problem)?;
        if !exploration.alternatives {
            all.outcomes.truncate(1);
        }
        Ok(all)
    }
}

fn own_laws() -> LawRegistry {
    let mut laws = LawRegistry::standard();
    let entry = LawEntry::new("bounces to half or all", &["silent"], || {
        Box::<Bouncing>::default()
    });
    laws.register(entry).unwrap();
    laws
}

#[test]
fn a_law_of_ones_own_serves_runs_comparisons_baselines_and_branches() {
    let laws = own_laws();
    // A ball that falls for 0.2 s strikes once in 0.3 s, at half or all of its speed.
    let fall = [
        "impact.law=bouncing",
        "duration=0.3",
        "initial.base.position=[0.0, 0.0, 0.3]",
        "contact.restitution=0",
    ];
    let of = |overrides: &[&str]| {
        let all = [&fall[..], overrides].concat();
        Experiment::with_laws("ball", scenario("ball/bounce.toml", &all), &laws)
    };
    let bouncing = of(&[]).unwrap();
    let (log, end) = events(&bouncing);
    assert_eq!(end, RunEnd::Reached);
    let record = log.iter().find_map(|e| e.impact.as_ref()).unwrap();
    assert_eq!((record.law, record.by_other_law), ("bouncing", false));
    assert_eq!(record.uniqueness.outcomes(), 2);
    // Three halves of the plastic impulse leave a quarter of the energy of the approach.
    let left = record.energy_after / record.energy_before;
    assert!((left - 0.25).abs() < 1e-12, "{left}");

    let impact = first_impact(&bouncing).unwrap();
    let comparison = LawComparison::of_impact(&laws, &[], "ball", &impact).unwrap();
    let own = comparison.laws.last().unwrap();
    let ComparedLaw::Applied { answer, .. } = own else {
        panic!("{own:?}");
    };
    assert_eq!((answer.law, answer.unique), ("bouncing", Some(false)));
    let standard = LawComparison::of_impact(&LawRegistry::standard(), &[], "ball", &impact);
    assert_eq!(standard.unwrap().laws.len() + 1, comparison.laws.len());

    let options = BaselineOptions {
        laws: Some(&laws),
        ..BaselineOptions::default()
    };
    let file = shipped("ball/bounce.toml");
    let baseline = Baseline::record(&file, scenario("ball/bounce.toml", &fall), &options).unwrap();
    let stored = baseline.events.list.iter().find(|e| e.kind.is_impact());
    assert_eq!(stored.unwrap().law, "bouncing");
    assert_eq!(stored.unwrap().unique, Some(Verdict::Ambiguous));
    let again = baseline.rerun(&options).unwrap();
    assert_eq!(baseline.events.list, again.events.list);

    let branching = of(&["impact.order=all"]).unwrap();
    let tree = write_branches(&branching, branching.scenario.steps(), &folder("branches")).unwrap();
    assert!(tree.complete);
    assert_eq!(tree.branches.len(), 2, "{tree:?}");

    // Without the registry the name is unknown; a law without an outcome stops the run and says so.
    let unknown = Experiment::new("ball", scenario("ball/bounce.toml", &fall)).unwrap_err();
    assert!(unknown.to_string().contains("there is no impact law"));
    let (_, end) = events(&of(&["impact.parameters.silent=true"]).unwrap());
    let RunEnd::Failed(error) = end else {
        panic!("{end:?}");
    };
    assert!(error.to_string().contains("has no outcome"), "{error}");
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
        assert_eq!(impact.law, bouncing.scenario.impact.law);
        assert!(impact.energy[1] <= impact.energy[0]);
        assert!(row.reason.contains("restitutions zero"), "{}", row.reason);
    }
    assert_eq!(summary.impacts.by_other_law, 0);
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
