//! Laws in runs: Painlevé's rod, every law on one scenario, the granular channel.
#![cfg(feature = "cli")]

use crate::painleve::{PainleveRod, mu_star};
use crate::shipped::shipped;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Output};

use carom::contact::{CollisionKind, Combination, Contacts, Material, Terrain, collision_sites};
use carom::hybrid::{Event, EventKind, Simulation, StepSummary, Unwatched, Watcher};
use carom::impact::examples::{
    ImpactExample, box_and_wall, compass_gait, disk_stack, ramone, rocking_block,
};
use carom::impact::{ImpactLaw, MaxDissipation, Plastic, Propagative};
use carom::laws::LawRegistry;
use carom::model::{Geometry, Link, Model};
use carom::record::{Run, RunEnd};
use carom::scenario::{Experiment, Scenario};
use carom::spatial::Pose;

/// Keeps the events of a run.
#[derive(Default)]
struct Log(Vec<Event>);

impl Watcher<Infallible> for Log {
    fn start(&mut self, _: &mut Simulation) -> Result<(), Infallible> {
        Ok(())
    }

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

impl Log {
    fn impacts(&self) -> impl Iterator<Item = &Event> {
        self.0.iter().filter(|e| e.kind == EventKind::Impact)
    }
}

fn experiment(name: &str, overrides: &[String]) -> Experiment {
    let scenario = Scenario::read(&shipped(name), overrides).unwrap();
    Experiment::new(name, scenario).unwrap()
}

fn run(experiment: &Experiment) -> (Run, Log) {
    let mut run = Run::new(experiment).unwrap();
    let mut log = Log::default();
    let end = run.advance(experiment.scenario.steps(), &mut log).unwrap();
    assert_eq!(end, RunEnd::Reached);
    (run, log)
}

/// The shipped rod at another angle and friction.
fn rod(degrees: f64, friction: f64, more: &[&str]) -> Experiment {
    let angle = degrees.to_radians();
    let mut overrides = vec![
        format!("initial.base.z={}", 0.5 * angle.sin()),
        format!("initial.base.pitch={}", -angle),
        format!("contact.friction={friction}"),
        "duration=5e-3".to_string(),
    ];
    overrides.extend(more.iter().map(ToString::to_string));
    experiment("painleve/rod.toml", &overrides)
}

#[test]
fn painleve_rod_jams_above_mu_star_whatever_the_step() {
    for degrees in [20.0, 30.0, 45.0, 63.4349, 75.0] {
        let critical = mu_star(f64::to_radians(degrees));
        for step in ["1e-3", "1e-4", "7e-6"] {
            let time_step = format!("time_step={step}");
            let (mut run, log) = run(&rod(degrees, 1.01 * critical, &[&time_step]));
            let impacts: Vec<&Event> = log.impacts().collect();
            assert_eq!(impacts.len(), 1, "{degrees} {step}");
            let (time, record) = (impacts[0].time, impacts[0].impact.as_ref().unwrap());
            assert_eq!((time, record.law), (0.0, "max-dissipation"));
            let exact = PainleveRod {
                mass: 1.0,
                length: 1.0,
                angle: degrees.to_radians(),
                speed: 1.0,
                friction: 1.01 * critical,
            }
            .sticking_impulse();
            // The contact is pressed together by 1e-12 of the sliding; the inertia has 15 digits.
            for k in 0..3 {
                assert!(
                    (record.impulses[0][k] - exact[k]).abs() < 1e-11,
                    "{degrees} {step}"
                );
            }
            // ΔT = −½ Λ₀·(0, v₀).
            let lost = record.energy_before - record.energy_after;
            assert!((lost - 0.5 * exact[1]).abs() < 1e-11);
            // It sticks: the tip moves by no more than the midpoint rule's h³/24 of the third derivative of its
            // place, of order (3 rad/s)³ l here, a step.
            let h: f64 = step.parse().unwrap();
            let creep = 5e-3 * h * h * 27.0 / 24.0 + 1e-12;
            let tip = {
                let q = &run.simulation().state().q;
                [q[0] - 0.5 * q[2].cos(), q[1] + 0.5 * q[2].sin()]
            };
            assert!(
                (tip[0] + 0.5 * degrees.to_radians().cos()).abs() < creep,
                "{tip:?}"
            );
            assert!(tip[1].abs() < 1e-12);
        }
        let (_, log) = run(&rod(degrees, 0.98 * critical, &[]));
        assert_eq!(log.impacts().count(), 0, "{degrees}");
    }
}

#[test]
fn rod_below_mu_star_slides_as_the_closed_form_says() {
    // At the start the rod does not turn, so that λ_n (A_nn − μ A_nt) = g and ẍ = μ λ_n/m, with A_nn = 1 + 3c²
    // and A_nt = 3sc in units of 1/m.
    let (angle, mu) = (f64::to_radians(45.0), 0.8);
    let (s, c) = angle.sin_cos();
    let normal = 9.81 / (1.0 + 3.0 * c * c - mu * 3.0 * s * c);
    let (mut run, log) = run(&rod(45.0, mu, &["duration=1e-4", "time_step=1e-5"]));
    assert_eq!(log.impacts().count(), 0);
    let v = run.simulation().velocity().unwrap()[0];
    // The force changes by some 30 % over the time v₀/l takes: by a share of 1e-4 of it over this run.
    let expected = -1.0 + mu * normal * 1e-4;
    assert!(
        (v - expected).abs() < 3e-4 * mu * normal * 1e-4 * 10.0,
        "{v} {expected}"
    );
}

#[test]
fn laws_without_an_impulse_leave_a_jam_to_maximum_dissipation() {
    for (law, resolved_by) in [
        ("propagative", "max-dissipation"),
        ("sequential", "max-dissipation"),
        ("stronge", "stronge"),
    ] {
        let law = format!("impact.law={law}");
        let (_, log) = run(&rod(45.0, 2.0, &[&law, "contact.restitution=0"]));
        let laws: Vec<_> = log
            .impacts()
            .map(|e| e.impact.as_ref().unwrap().law)
            .collect();
        assert_eq!(laws, [resolved_by]);
    }
}

/// The rocking block's free fall on both corners at once: an impact for each law.
#[test]
fn every_law_runs_a_scenario_with_its_parameters_and_seed() {
    let parameters = |law: &str| match law {
        "stronge" => vec!["impact.parameters.sequence=A,B"],
        "max-dissipation" => vec!["impact.parameters.tolerance=1e-13"],
        "plus" => vec!["impact.parameters.theta_max=0.05"],
        "routh" => vec!["impact.parameters.step=0.1"],
        "anitescu-potra" => vec!["impact.parameters.facets=4"],
        "sequential" => vec!["impact.parameters.sequence=B,A"],
        _ => vec![],
    };
    for entry in LawRegistry::standard().entries() {
        let law = format!("impact.law={}", entry.name);
        let fall = [
            law.as_str(),
            "contact.restitution=0",
            "duration=0.2",
            "impact.seed=7",
            "initial.base.z=1.01",
            "initial.base.vx=0",
            "initial.base.vz=0",
            "initial.base.wpitch=0",
        ];
        let overrides: Vec<String> = fall
            .iter()
            .chain(&parameters(entry.name))
            .map(ToString::to_string)
            .collect();
        let experiment = experiment("block/rock.toml", &overrides);
        let (mut first, log) = run(&experiment);
        let record = log.impacts().next().unwrap().impact.as_ref().unwrap();
        assert_eq!(record.law, entry.name);
        let set_valued = entry.build().unwrap().properties().set_valued;
        assert_eq!(
            record.seed.is_some(),
            set_valued && entry.name == "routh",
            "{}",
            entry.name
        );
        assert!(
            record.energy_after <= record.energy_before * (1.0 + 1e-12),
            "{}",
            entry.name
        );
        // The same again to the same bits.
        let (mut second, _) = run(&experiment);
        assert_eq!(
            first.simulation().state(),
            second.simulation().state(),
            "{}",
            entry.name
        );
        // Another seed, another draw; nothing for the others.
        let mut other = overrides.clone();
        other.push("impact.seed=8".to_string());
        let (mut third, _) = run(&self::experiment("block/rock.toml", &other));
        let same = first.simulation().state().p == third.simulation().state().p;
        assert_eq!(same, entry.name != "routh", "{}", entry.name);
    }
}

/// A block that falls askew strikes with one corner, later with both: one sequence serves both.
#[test]
fn one_sequence_serves_impacts_of_few_contacts_and_of_all() {
    for law in ["stronge", "sequential"] {
        let overrides = [
            format!("impact.law={law}"),
            "impact.parameters.sequence=B,A".to_string(),
            "contact.restitution=0".to_string(),
            "initial.base.pitch=0.02".to_string(),
            "initial.base.z=1.05".to_string(),
        ];
        let (_, log) = run(&experiment("block/drop.toml", &overrides));
        let sizes: Vec<usize> = log.impacts().map(|e| e.contacts.len()).collect();
        assert!(sizes.contains(&1) && sizes.contains(&2), "{law}: {sizes:?}");
        let scenario = Scenario::read(&shipped("block/drop.toml"), &{
            let mut wrong = overrides.to_vec();
            wrong[1] = "impact.parameters.sequence=B,C".to_string();
            wrong
        });
        let error = Experiment::new("drop.toml", scenario.unwrap()).unwrap_err();
        let message = error.to_string();
        let place = message.contains("impact.parameters.sequence");
        assert!(
            place && message.contains("the contacts are A, B"),
            "{message}"
        );
    }
}

#[test]
fn robots_of_the_published_examples_meet_their_impact_problems() {
    let examples: [(&str, ImpactExample); 5] = [
        ("block/drop.toml", rocking_block().unwrap()),
        ("compass/step.toml", compass_gait().unwrap()),
        ("box_wall/slide.toml", box_and_wall().unwrap()),
        ("ramone/footfall.toml", ramone().unwrap()),
        ("disks/stack.toml", disk_stack(1.0).unwrap()),
    ];
    for (name, example) in examples {
        let experiment = experiment(name, &[]);
        let mut run = Run::new(&experiment).unwrap().capturing_first_impact();
        let end = run.advance(experiment.scenario.steps(), &mut Log::default());
        assert_eq!(end, Ok(RunEnd::Reached), "{name}");
        let captured = run.simulation().captured_impact().unwrap();
        let (ours, wanted) = (
            captured.with_friction.contact_space(),
            example.problem.contact_space(),
        );
        assert_eq!(ours.rows(), wanted.rows(), "{name}");
        // The tangents may point the other way. Inertias are given with 15 digits, the fall is integrated.
        let scale = wanted.delassus.amax();
        let difference = (ours.delassus.abs() - wanted.delassus.abs()).amax();
        assert!(difference < 1e-12 * scale, "{name}: {difference:e}");
        let difference = (ours.velocity.abs() - wanted.velocity.abs()).amax();
        assert!(difference < 1e-9, "{name}: {difference:e}");
        for (a, b) in ours.contacts.iter().zip(&wanted.contacts) {
            assert_eq!((a.normal, a.tangents), (b.normal, b.tangents), "{name}");
            assert!(
                (a.friction - b.friction).abs() < 1e-15 * b.friction,
                "{name}"
            );
        }
    }
}

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

const SMALL_CHANNEL: [&str; 10] = [
    "--set",
    "channel.size=[0.06, 0.026, 0.012]",
    "--set",
    "channel.obstacle=[[0.02, 0.03], [0.008, 0.018]]",
    "--set",
    "duration=0.02",
    "--set",
    "output.settling_time=0.01",
    "--set",
    "output.profile_cells=[6, 3]",
];

#[test]
fn granular_channel_writes_its_files_and_runs_again_to_the_same_bits() {
    let out = std::env::temp_dir().join(format!("carom-channel-{}", std::process::id()));
    let folder = out.join("first");
    let again = out.join("again");
    let simulate = |scenario: &str, folder: &Path, more: &[&str]| {
        let arguments = [
            &["simulate", scenario, "--out", folder.to_str().unwrap()],
            more,
        ]
        .concat();
        let output = carom(&arguments);
        let message = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(output.status.success(), "{message}");
    };
    std::fs::create_dir_all(&out).unwrap();
    simulate("robots/granular/channel.toml", &folder, &SMALL_CHANNEL);
    let resolved = folder.join("scenario.toml");
    simulate(resolved.to_str().unwrap(), &again, &[]);
    for file in ["scenario.toml", "series.csv", "profile.csv"] {
        let read = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert_eq!(read(&folder), read(&again), "{file}");
    }
    // Both laws side by side; that of the scenario gives its own figures again.
    let output = carom(&["compare", resolved.to_str().unwrap(), "--json"]);
    let both: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let laws: Vec<&str> = both["laws"]
        .as_array()
        .unwrap()
        .iter()
        .map(|law| law["law"].as_str().unwrap())
        .collect();
    assert_eq!(laws, ["coulomb", "max-dissipation"]);
    let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    let own: serde_json::Value = serde_json::from_str(&summary).unwrap();
    for figure in ["contacts_mean", "max_penetration_m", "particles_mean"] {
        assert_eq!(both["laws"][1][figure], own[figure], "{figure}");
    }
    assert_ne!(both["laws"][0]["contacts_mean"], own["contacts_mean"]);
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["status"], "completed");
    assert_eq!(summary["steps"], 500);
    assert_eq!(summary["escaped"], 0);
    assert!(summary["contacts_per_particle"].as_f64().unwrap() > 0.05);
    for plot in ["series", "profile"] {
        let text = std::fs::read_to_string(folder.join(format!("plots/{plot}.svg"))).unwrap();
        assert!(text.contains("(m") || text.contains("time (s)"), "{plot}");
    }
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn granular_scenarios_are_refused_with_place_and_remedy() {
    let refused = |more: &[&str], parts: &[&str]| {
        let base = [
            "simulate",
            "robots/granular/channel.toml",
            "--out",
            "/nonexistent/carom",
        ];
        let output = carom(&[&base, more].concat());
        let message = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{message}");
        for part in parts {
            assert!(
                message.contains(part),
                "{message:?} should contain {part:?}"
            );
        }
    };
    refused(
        &["--set", "impact.law=coulom"],
        &["impact.law", "\"coulomb\""],
    );
    refused(
        &["--set", "impact.order=random"],
        &["impact.order", "index"],
    );
    refused(
        &["--set", "particles.spacing=1e-3"],
        &["particles.spacing", "at least the diameter"],
    );
    refused(&["--set", "chanel.size=[1,1,1]"], &["chanel", "channel"]);
    refused(
        &["--set", "channel.obstacle=[[0.1, 0.2]]"],
        &["channel.obstacle", "two"],
    );
    refused(&["--set", "time_step=0"], &["time_step", "positive"]);
    refused(&["--resume"], &["--resume"]);
    // A robot is not stepped in this way, and particles are nothing for a simulation of a robot.
    let output = carom(&[
        "simulate",
        "robots/ball/bounce.toml",
        "--set",
        "stepper.kind=time-stepping",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let text = std::fs::read_to_string(shipped("granular/channel.toml")).unwrap();
    let error = Scenario::parse("channel.toml", &text, &[]).unwrap_err();
    assert!(error.to_string().contains("stepper.kind"), "{error}");
}

/// Only a law that makes something of restitution 1 has bounces that never end: under another one a touch at
/// √(2 · 9.81 · 4e-8) = 8.9e-4 m/s is no event, whatever the contact states.
#[test]
fn a_law_without_restitution_takes_up_slow_touches() {
    let laws: [(Box<dyn ImpactLaw>, u64, bool); 3] = [
        (Box::new(Plastic::default()), 1, false),
        (Box::new(MaxDissipation::default()), 1, false),
        (Box::new(Propagative::default()), 0, true),
    ];
    for (law, captures, strikes) in laws {
        let geometry = Geometry::Sphere(0.1);
        let link = Link::new("ball")
            .solid(1.0, &geometry)
            .shape(Pose::identity(), geometry, true);
        let model = Model::loose("ball", link).unwrap();
        let sites = collision_sites(&model, &CollisionKind::ALL, Material::new(0.0, 1.0));
        let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], Material::new(0.0, 1.0));
        let contacts = Contacts::new(&model, sites, vec![floor], &[], Combination::Minimum);
        let mut simulation = Simulation::builder(model)
            .contacts(contacts.unwrap())
            .boxed_law(law)
            .position("ball.z", 0.1 + 4e-8)
            .build()
            .unwrap();
        simulation.run_until(5e-3, &mut Unwatched).unwrap();
        assert_eq!(simulation.state().captures, captures);
        assert_eq!(simulation.state().impacts > 0, strikes);
    }
}

/// Painlevé's rod falls on its tip, which bounces in shorter and shorter leaps until it is held, sliding, as no finite force can hold it:
/// the sliding stops by an impact, by a law with friction, and the balance of energy stays.
#[test]
fn a_jam_after_accumulated_strikes_is_an_impact() {
    for step in [1e-3, 1e-4] {
        let time_step = format!("time_step={step:?}");
        let experiment = crate::shipped::experiment(
            "painleve/rod.toml",
            &[
                &time_step,
                "impact.law=\"propagative\"",
                "contact.restitution=0.8",
                "initial.base.z=0.354",
            ],
        );
        let mut simulation = experiment.simulation().unwrap();
        let mut events = Vec::new();
        while simulation.state().time < 0.1 - 1e-9 {
            simulation.advance().unwrap();
            events.extend(simulation.take_events());
        }
        let impacts: Vec<_> = events.iter().filter_map(|e| e.impact.as_ref()).collect();
        assert!(impacts.len() > 10);
        let (jam, bounces) = impacts.split_last().unwrap();
        assert!(bounces.iter().all(|impact| !impact.by_other_law));
        assert!(jam.by_other_law && jam.law == "max-dissipation");
        assert!(
            jam.energy_after < 0.01 * jam.energy_before,
            "{step}: {jam:?}"
        );
    }
}
