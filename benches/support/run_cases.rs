//! Whole runs, single events and rows of output that are measured, for the benchmarks and the instruction counts.

// Every target takes what it needs.
#![allow(dead_code)]

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{
    Event, Simulation, SimulationSettings, State, StepSummary, Unwatched, Watcher,
};
use carom::impact::MaxDissipation;
use carom::model::Model;
use carom::model::sample::hexapod;
use carom::record::{HeldInterval, Run, RunEnd, SeriesRow};
use carom::scenario::{Experiment, Scenario};

/// A run of a scenario that ships, from its start.
pub struct RunCase {
    experiment: Experiment,
    steps: u64,
}

impl RunCase {
    /// `seconds` of a scenario.
    pub fn new(path: &str, overrides: &[&str], seconds: f64) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        let scenario = Scenario::read(&file, &overrides).expect("a scenario that ships");
        Self {
            steps: (seconds / scenario.time_step).round() as u64,
            experiment: Experiment::new(path, scenario).expect("a scenario that ships"),
        }
    }

    /// The hexapod walks.
    pub fn tripod(seconds: f64) -> Self {
        Self::new("robots/rhex/tripod.toml", &[], seconds)
    }

    /// A quadruped without control collapses.
    pub fn collapse(seconds: f64) -> Self {
        Self::new("robots/quadruped/collapse.toml", &[], seconds)
    }

    /// A quadruped with dry friction in its joints is dropped by millimetres with its legs folded, and lies on twelve contacts and more.
    pub fn dry(seconds: f64) -> Self {
        let legs = [
            ("FR", [0.8, 4.18, -2.69]),
            ("FL", [-0.8, 4.18, -2.69]),
            ("RR", [-0.5, 1.1, -2.68]),
            ("RL", [-0.8, 4.18, -2.69]),
        ];
        let joints = legs.iter().flat_map(|(leg, positions)| {
            let all = ["hip", "thigh", "calf"].iter().zip(positions);
            all.map(move |(joint, at)| format!("initial.joints.{leg}_{joint}_joint={at}"))
        });
        let joints: Vec<String> = joints.collect();
        let mut overrides = vec![
            "robot.file=a1_dry.urdf",
            "initial.base.position=[0,0,0.06]",
            "initial.base.twist=[0,0,0,0.1,0.3,0]",
        ];
        overrides.extend(joints.iter().map(String::as_str));
        Self::new("robots/quadruped/collapse.toml", &overrides, seconds)
    }

    /// A humanoid without control falls.
    pub fn humanoid(seconds: f64) -> Self {
        Self::new("robots/humanoid/fall.toml", &[], seconds)
    }

    /// A quadruped stands under servos, all of its boxes, cylinders and spheres contacts with the ground and with each other.
    pub fn own_links(seconds: f64) -> Self {
        let overrides = [
            "contact.self=true",
            "contact.collisions=[\"sphere\",\"box\",\"cylinder\"]",
            "initial.base.position=[0,0,0.3]",
        ];
        Self::new("robots/quadruped/stand.toml", &overrides, seconds)
    }

    /// A quadruped slides into another one that stands.
    pub fn bump(seconds: f64) -> Self {
        Self::new("robots/quadruped/bump.toml", &[], seconds)
    }

    /// A quadruped made of cylinders without control, on stairs.
    pub fn stairs(seconds: f64) -> Self {
        Self::new("robots/anymal_b/stairs.toml", &[], seconds)
    }

    /// Loose bodies of all kinds fall on each other.
    pub fn objects(seconds: f64) -> Self {
        let text = include_str!("objects.toml");
        let scenario = Scenario::parse("objects.toml", text, &[]).expect("a scenario");
        let none = "<robot name=\"none\"><link name=\"nothing\"/></robot>";
        Self {
            steps: (seconds / scenario.time_step).round() as u64,
            experiment: Experiment::with_robot("objects.toml", scenario, none).expect("a scene"),
        }
    }

    /// Runs from the start to the end; where the base is then.
    pub fn run(&self) -> f64 {
        let mut run = Run::new(&self.experiment).expect("a state to start from");
        self.advance(&mut run, &mut Unwatched);
        run.state().q[2]
    }

    fn advance(&self, run: &mut Run, watcher: &mut dyn Watcher<Infallible>) {
        match run.advance(self.steps, watcher) {
            Ok(RunEnd::Reached) => {}
            other => panic!("{}: {other:?}", self.experiment.file),
        }
    }
}

/// A row of the series: that of a quadruped on its four feet has 60 columns.
pub struct RowCase {
    run: Run,
    interval: HeldInterval,
    row: SeriesRow,
}

impl RowCase {
    /// The quadruped 0.5 s after it was dropped.
    pub fn standing() -> Self {
        let case = RunCase::new("robots/quadruped/stand.toml", &[], 0.5);
        let mut run = Run::new(&case.experiment).expect("a state to start from");
        let mut forces = Forces(HeldInterval::new(&case.experiment.contacts, 0.0));
        case.advance(&mut run, &mut forces);
        Self {
            run,
            interval: forces.0,
            row: SeriesRow::default(),
        }
    }

    /// Writes the row; its length.
    pub fn write(&mut self) -> usize {
        // Writing begins a new interval, in which no force has acted yet: that row would be shorter.
        let mut interval = self.interval.clone();
        let row = self.row.text(self.run.simulation(), &mut interval);
        row.expect("a regular mass matrix").len()
    }
}

struct Forces(HeldInterval);

impl Watcher<Infallible> for Forces {
    fn step(
        &mut self,
        simulation: &mut Simulation,
        _summary: &StepSummary,
        _events: &[Event],
    ) -> Result<ControlFlow<()>, Infallible> {
        self.0.step(simulation);
        Ok(ControlFlow::Continue(()))
    }
}

/// The six-legged robot falls tilted, legs outstretched: one toe strikes in the middle of the next step.
pub struct StrikeCase {
    model: Arc<Model>,
    contacts: Arc<Contacts>,
    before: State,
}

impl StrikeCase {
    /// Half a step before the strike.
    pub fn new() -> Self {
        let model = Arc::new(hexapod().expect("a valid model"));
        let material = Material::new(0.8, 0.0);
        let toe = Site::point(&model, "toe", "left0", [0.0, 0.0, -0.17], material)
            .expect("the link exists");
        let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
        let contacts = Contacts::new(&model, vec![toe], vec![ground], &[], Combination::Minimum)
            .expect("valid contacts");
        let mut q = model.neutral_configuration();
        // A roll of 0.2 rad and a speed of 1 m/s downwards: 0.5 mm are half a step.
        (q[3], q[6]) = (0.1_f64.sin(), 0.1_f64.cos());
        let mut v = vec![0.0; model.dof()];
        (v[1], v[2]) = (-0.2_f64.sin(), -0.2_f64.cos());
        let contacts = Arc::new(contacts);
        let gap = start(&model, &contacts, &raised(&q, 1.0), &v).gaps()[0];
        let near = raised(&q, 1.0 - gap + 5e-4);
        let before = start(&model, &contacts, &near, &v).state().clone();
        Self {
            model,
            contacts,
            before,
        }
    }

    /// The simulation before the step.
    pub fn before(&self) -> Simulation {
        Simulation::from_state(
            self.model.clone(),
            self.contacts.clone(),
            Box::new(MaxDissipation::default()),
            SimulationSettings::default(),
            self.before.clone(),
        )
        .expect("a state of this robot")
    }

    /// The step with the strike.
    pub fn strike(&self, simulation: &mut Simulation) {
        let efforts = vec![0.0; self.model.dof()];
        simulation.step(&efforts).expect("the step converges");
        assert_eq!(simulation.state().impacts, 1, "one strike");
    }
}

fn raised(q: &[f64], height: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    q[2] = height;
    q
}

fn start(model: &Arc<Model>, contacts: &Arc<Contacts>, q: &[f64], v: &[f64]) -> Simulation {
    Simulation::builder(model.clone())
        .contacts(contacts.clone())
        .law(MaxDissipation::default())
        .state(q, v)
        .build()
        .expect("a state to start from")
}
