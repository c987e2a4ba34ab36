//! A law of a program's own: its settings, and its part in runs, comparisons, baselines and branches.

use std::any::Any;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use carom::baseline::{Baseline, BaselineOptions, check_baseline};
use carom::hybrid::{Event, Simulation, StepSummary, Unwatched, Watcher};
use carom::impact::settings::{KeyRole, NumberRange, SettingKey};
use carom::impact::{
    ContactSpace, Exploration, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport,
    LawDetails, LawProperties, LawSettings, Outcome, Plastic, ReflectionOrder, Resolution,
    Uniqueness, Verdict,
};
use carom::laws::{LawEntry, LawRegistry, LawSetting};
use carom::record::{Run, RunEnd};
use carom::scenario::{Experiment, Scenario, ScenarioError};
use carom::study::{ComparedLaw, LawComparison, first_impact, write_branches};
use nalgebra::DVector;
use serde::Serialize;

/// Settings of [`Bouncing`], one of each kind that a text has to be read into.
#[derive(Debug, Clone, PartialEq)]
struct BouncingSettings {
    /// Shares of the plastic impulse that are added to it, in [0, 1].
    shares: [f64; 2],
    /// Whether it has no outcome at all.
    silent: bool,
    /// Which of the two shares is taken.
    order: ReflectionOrder,
}

impl Default for BouncingSettings {
    fn default() -> Self {
        Self {
            shares: [0.5, 1.0],
            silent: false,
            order: ReflectionOrder::MostViolated,
        }
    }
}

type Key = SettingKey<BouncingSettings>;

impl LawSettings for BouncingSettings {
    const LAW: &'static str = "bouncing";
    const SUMMARY: &'static str = "bounces by one of two shares";
    const KEYS: &'static [Key] = &[
        Key::number(
            "low_share",
            "the smaller share of the plastic impulse that comes on top",
            NumberRange::between(0.0, 1.0),
            |s| &mut s.shares[0],
        ),
        Key::number(
            "high_share",
            "the larger share of the plastic impulse that comes on top",
            NumberRange::between(0.0, 1.0),
            |s| &mut s.shares[1],
        ),
        Key::switch("silent", "no outcome at all", |s| &mut s.silent),
        Key::word(
            "order",
            "which share is taken: the larger one for least-violated",
            &ReflectionOrder::NAMES,
            |s| s.order.name(),
            |s, i| s.order = ReflectionOrder::ALL[i],
        )
        .with_role(KeyRole::Order),
    ];
}

/// What the law reports about each outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Bounce {
    share: f64,
}

/// The plastic impulse and a share of it more; there are two shares, hence two outcomes.
struct Bouncing {
    settings: BouncingSettings,
    plastic: Plastic,
}

impl Bouncing {
    fn new(settings: BouncingSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            plastic: Plastic::default(),
        })
    }

    /// The share that is taken, then the other one.
    fn shares(&self) -> [f64; 2] {
        let [low, high] = self.settings.shares;
        match self.settings.order {
            ReflectionOrder::LeastViolated => [high, low],
            _ => [low, high],
        }
    }
}

impl ImpactLaw for Bouncing {
    fn name(&self) -> &'static str {
        BouncingSettings::LAW
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

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let report = self.plastic.impulse(space, impulse)?;
        *impulse *= 1.0 + self.shares()[0];
        Ok(report)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let space = problem.contact_space();
        let mut plastic = DVector::zeros(space.rows());
        self.plastic.impulse(space, &mut plastic)?;
        let shares = self.shares();
        let listed = if self.settings.silent {
            0
        } else {
            shares.len()
        };
        let outcomes = shares[..listed].iter().map(|&share| {
            let impulse = &plastic * (1.0 + share);
            Outcome {
                details: LawDetails::of(Bounce { share }),
                ..Outcome::from_impulse(problem, &impulse)
            }
        });
        Ok(Resolution {
            law: self.name(),
            outcomes: outcomes.collect(),
            uniqueness: Uniqueness::Ambiguous {
                outcomes: 2,
                complete: true,
                indeterminacy: (shares[0] - shares[1]).abs(),
            },
            certificate: None,
            status: ImpactStatus::Resolved,
            details: LawDetails::none(),
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
    let entry = LawEntry::new(Bouncing::new);
    laws.register(entry).unwrap();
    laws
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/ball/bounce.toml")
}

/// A ball that falls for 0.2 s strikes once in 0.3 s.
fn fall(overrides: &[&str]) -> Scenario {
    let fall = [
        "impact.law=bouncing",
        "duration=0.3",
        "initial.base.position=[0.0, 0.0, 0.3]",
        "contact.restitution=0",
    ];
    let all = fall.iter().chain(overrides);
    let all: Vec<String> = all.map(ToString::to_string).collect();
    Scenario::read(&file(), &all).unwrap()
}

fn experiment(overrides: &[&str]) -> Result<Experiment, ScenarioError> {
    Experiment::with_laws("ball.toml", fall(overrides), &own_laws())
}

/// Keeps the events of a run.
#[derive(Default)]
struct Log(Vec<Event>);

impl Watcher<Infallible> for Log {
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

/// The share of the energy that the first impact of a run leaves.
fn energy_left(experiment: &Experiment) -> f64 {
    let mut log = Log::default();
    let mut run = Run::new(experiment).unwrap();
    let Ok(end) = run.advance(experiment.scenario.steps(), &mut log);
    assert_eq!(end, RunEnd::Reached);
    let record = log.0.iter().find_map(|e| e.impact.as_ref()).unwrap();
    assert_eq!((record.law, record.by_other_law), ("bouncing", false));
    assert_eq!(record.uniqueness.outcomes(), 2);
    record.energy_after / record.energy_before
}

/// A share s of the plastic impulse on top of it returns s times the speed, and s² of the energy.
#[test]
fn a_scenario_runs_under_the_law_with_its_settings_and_order() {
    for (overrides, share) in [
        (&[][..], 0.5_f64),
        (&["impact.parameters.low_share=0.2"][..], 0.2),
        (&["impact.order=least-violated"][..], 1.0),
    ] {
        let left = energy_left(&experiment(overrides).unwrap());
        assert!(
            (left - share * share).abs() < 1e-12,
            "{overrides:?}: {left}"
        );
    }
    // Without the registry the name is unknown; a law without an outcome stops the run and says so.
    let unknown = Experiment::new("ball.toml", fall(&[])).unwrap_err();
    assert!(unknown.to_string().contains("there is no impact law"));
    let silent = experiment(&["impact.parameters.silent=true"]).unwrap();
    let mut run = Run::new(&silent).unwrap();
    let Ok(end) = run.advance(silent.scenario.steps(), &mut Log::default());
    let RunEnd::Failed(error) = end else {
        panic!("{end:?}");
    };
    assert!(error.to_string().contains("has no outcome"), "{error}");
}

#[test]
fn wrong_keys_and_values_are_named_with_their_place_and_the_remedy() {
    for (setting, said) in [
        (
            "impact.parameters.low_shar=0.2",
            &["did you mean \"low_share\"?", "high_share", "silent"][..],
        ),
        (
            "impact.parameters.low_share=2",
            &["\"2\" is not a number from 0 to 1"][..],
        ),
        (
            "impact.parameters.silent=maybe",
            &["\"maybe\" is not true or false"][..],
        ),
    ] {
        let message = experiment(&[setting]).unwrap_err().to_string();
        let place = setting.split('=').next().unwrap();
        for part in ["ball.toml", place, "law \"bouncing\""].iter().chain(said) {
            assert!(message.contains(part), "{setting}: {message}");
        }
    }
    // From code the types leave the ranges alone to be wrong.
    let settings = BouncingSettings {
        shares: [0.5, 1.5],
        ..BouncingSettings::default()
    };
    let error = Bouncing::new(settings).map(|_| ()).unwrap_err();
    assert!(
        error.to_string().contains("high_share: 1.5 is not"),
        "{error}"
    );
}

#[test]
fn comparisons_list_the_law_with_its_settings_and_details() {
    let laws = own_laws();
    let impact = first_impact(&experiment(&[]).unwrap()).unwrap();
    let setting = |name: &str, value: &str| LawSetting {
        written: format!("--param {name}"),
        name: name.to_string(),
        value: value.to_string(),
    };
    let shares = [setting("low_share", "0.25")];
    let comparison = LawComparison::of_impact(&laws, &shares, "ball", &impact).unwrap();
    let own = comparison.laws.last().unwrap();
    let ComparedLaw::Applied { answer, .. } = own else {
        panic!("{own:?}");
    };
    assert_eq!((answer.law, answer.unique), ("bouncing", Some(false)));
    let told: Vec<_> = answer.outcomes.iter().map(|o| o.details.get()).collect();
    assert_eq!(
        told,
        [Some(&Bounce { share: 0.25 }), Some(&Bounce { share: 1.0 })]
    );
    let json = serde_json::to_value(answer).unwrap();
    assert_eq!(json["outcomes"][0]["share"], 0.25);
    let standard = LawComparison::of_impact(&LawRegistry::standard(), &[], "ball", &impact);
    assert_eq!(standard.unwrap().laws.len() + 1, comparison.laws.len());
    let beyond = [setting("high_share", "-1")];
    let error = LawComparison::of_impact(&laws, &beyond, "ball", &impact).unwrap_err();
    assert!(
        error.contains("--param high_share") && error.contains("\"-1\""),
        "{error}"
    );
}

#[test]
fn baselines_record_the_law_and_verify_it() {
    let laws = own_laws();
    let options = BaselineOptions {
        laws: Some(&laws),
        ..BaselineOptions::default()
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own_law_baseline");
    std::fs::create_dir_all(&folder).unwrap();
    let stored = folder.join("ball.baseline.toml");
    let baseline = Baseline::record(&file(), fall(&[]), &options).unwrap();
    let impact = baseline.events.list.iter().find(|e| e.kind.is_impact());
    assert_eq!(impact.unwrap().law, "bouncing");
    assert_eq!(impact.unwrap().unique, Some(Verdict::Ambiguous));
    baseline.write(&stored).unwrap();
    let verify = |overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        check_baseline(&stored, &overrides, &options)
    };
    assert!(verify(&[]).unwrap().same);
    assert!(!verify(&["impact.parameters.low_share=0.4"]).unwrap().same);
    let error = verify(&["impact.parameters.bounciness=1"]).unwrap_err();
    assert!(
        error.to_string().contains("impact.parameters.bounciness"),
        "{error}"
    );
}

#[test]
fn branches_follow_every_outcome_of_the_law() {
    let branching = experiment(&["impact.order=all"]).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own_law_branches");
    std::fs::create_dir_all(&folder).unwrap();
    let on = carom::stop::StopFlag::default();
    let tree = write_branches(&branching, branching.scenario.steps(), &folder, &on).unwrap();
    assert!(tree.complete);
    assert_eq!(tree.branches.len(), 2, "{tree:?}");
}

#[test]
fn a_simulation_from_code_takes_the_law() {
    let of = experiment(&[]).unwrap();
    let law = Bouncing::new(BouncingSettings {
        shares: [0.0, 0.0],
        ..BouncingSettings::default()
    });
    let mut simulation = Simulation::builder(of.model.clone())
        .contacts(of.contacts.clone())
        .law(law.unwrap())
        .state(&of.q, &of.v)
        .build()
        .unwrap();
    simulation.run_until(0.3, &mut Unwatched).unwrap();
    // Without a share on top the ball stays where it struck.
    let momentum = simulation
        .state()
        .p
        .iter()
        .fold(0.0_f64, |a, v| a.max(v.abs()));
    assert!(momentum < 1e-9, "{momentum}");
}

/// A program finds its own law behind the trait.
#[test]
fn registries_build_the_law_that_programs_know() {
    let laws = own_laws();
    let mut draft = laws.get("bouncing").unwrap().draft();
    draft.set("low_share", "0.125").unwrap();
    let law: Box<dyn Any> = draft.build().unwrap();
    let own = law.downcast::<Bouncing>().ok().unwrap();
    let expected = BouncingSettings {
        shares: [0.125, 1.0],
        ..BouncingSettings::default()
    };
    assert_eq!(own.settings, expected);
}

/// A law that never ends: it gives no impulse.
struct Idle;

impl ImpactLaw for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }

    fn properties(&self) -> LawProperties {
        Plastic::default().properties()
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        *impulse = DVector::zeros(space.rows());
        Ok(ImpulseReport {
            status: ImpactStatus::NotTerminated,
            steps: 0,
        })
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let mut impulse = DVector::zeros(0);
        let report = self.impulse(problem.contact_space(), &mut impulse)?;
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.status = report.status;
        let resolution = Plastic::default().resolve(problem)?;
        Ok(Resolution {
            law: self.name(),
            outcomes: vec![outcome],
            status: report.status,
            ..resolution
        })
    }
}

/// The strike is asked about once, logged, and named: the law would say the same again.
#[test]
fn a_strike_without_an_answer_ends_the_run_in_words() {
    let experiment = experiment(&[]).unwrap();
    let parts = experiment.simulation().unwrap();
    let mut simulation = Simulation::builder(parts.model().clone())
        .contacts(parts.contacts().clone())
        .law(Idle)
        .state(&parts.state().q, &parts.state().p)
        .build()
        .unwrap();
    let mut log = Log::default();
    let error = simulation
        .run_until(2.0, &mut log)
        .err()
        .unwrap()
        .to_string();
    let says = ["law \"idle\"", "leaves the strike of", "another law helps"];
    assert!(says.iter().all(|part| error.contains(part)), "{error}");
}
