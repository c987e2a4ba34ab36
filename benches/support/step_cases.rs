//! States whose next step is measured, for the benchmarks, the instruction counts and the test of allocations.

// Every target takes what it needs.
#![allow(dead_code)]

use std::path::Path;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::discrete::held::HeldContact;
use carom::discrete::linearization::{HeldDerivatives, HeldStep, StepDerivatives};
use carom::discrete::{Predictor, StepInput, StepReport, StepSettings, Stepper, stages};
use carom::dynamics::{Kinematics, mass_matrix};
use carom::model::Model;
use carom::model::sample::{chain, hexapod, weightless_hexapod};
use carom::scenario::{Experiment, Scenario};
use nalgebra::DVector;

/// Step of the benchmarks [s].
pub const STEP: f64 = 1e-3;

/// A held contact with a larger gap is open [m].
const CLOSED_GAP: f64 = 1e-9;

/// Steps from rest before the measured one: it has a history to extrapolate its starting value from.
const HISTORY: usize = 100;

#[derive(Clone)]
/// A robot in free motion: one step is the composition of the given order.
pub struct FreeCase {
    pub model: Model,
    pub q: Vec<f64>,
    pub p: Vec<f64>,
    pub time_step: f64,
    stages: Vec<f64>,
    contacts: Contacts,
    stepper: Stepper,
    predictor: Predictor,
    v: Vec<f64>,
    q1: Vec<f64>,
    p1: Vec<f64>,
    applied: Vec<f64>,
}

impl FreeCase {
    /// At rest at `q`.
    pub fn at_rest(model: Model, q: Vec<f64>, time_step: f64, order: u32) -> Self {
        let n = model.dof();
        let stages = stages(order);
        let blocks = n * stages.len();
        Self {
            contacts: Contacts::new(&model, vec![], vec![], &[], Combination::Minimum)
                .expect("no contacts"),
            stepper: Stepper::new(&model, StepSettings::default()),
            q1: q.clone(),
            q,
            p: vec![0.0; n],
            p1: vec![0.0; n],
            time_step,
            predictor: Predictor::default(),
            v: vec![0.0; blocks],
            stages,
            applied: vec![0.0; n],
            model,
        }
    }

    /// The same with another residual tolerance.
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.stepper.settings.tolerance = tolerance;
        self
    }

    /// Advances by one step from a starting value that is extrapolated from the last ones.
    pub fn advance(&mut self) -> StepReport {
        let mut worst = StepReport::default();
        self.predict();
        for stage in 0..self.stages.len() {
            let report = self.solve(stage);
            worst.iterations = worst.iterations.max(report.iterations);
            worst.exact_iterations = worst.exact_iterations.max(report.exact_iterations);
            worst.residual = worst.residual.max(report.residual);
            std::mem::swap(&mut self.q, &mut self.q1);
            std::mem::swap(&mut self.p, &mut self.p1);
        }
        self.predictor.record(&self.v);
        worst
    }

    /// Solves the next step of order 2 without going there.
    pub fn step(&mut self) -> StepReport {
        self.predict();
        self.solve(0)
    }

    /// Differentiates the step that was solved last, of order 2.
    pub fn differentiate(&self, derivatives: &mut StepDerivatives) {
        derivatives
            .update(&self.model, &self.stepper.midpoint, &self.v, self.time_step)
            .expect("a regular step");
    }

    fn predict(&mut self) {
        if !self.predictor.predict(None, &mut self.v) {
            self.v.fill(0.0);
        }
    }

    fn solve(&mut self, stage: usize) -> StepReport {
        let n = self.applied.len();
        let block = stage * n..(stage + 1) * n;
        let input = StepInput {
            model: &self.model,
            contacts: &self.contacts,
            q0: &self.q,
            p0: &self.p,
            applied: &self.applied,
            servos: &[],
            h: self.stages[stage] * self.time_step,
            whole: self.time_step,
            closed_gap: CLOSED_GAP,
        };
        let v = &mut self.v[block];
        self.stepper
            .step(&input, &mut [], &mut [], v, &mut self.q1, &mut self.p1)
            .expect("the step converges")
    }

    fn with_history(mut self) -> Self {
        for _ in 0..HISTORY {
            self.advance();
        }
        self
    }
}

/// The planar chain of n links, released horizontally.
pub fn chain_at_rest(n: usize, time_step: f64, order: u32) -> FreeCase {
    let model = chain(n).expect("a valid model");
    FreeCase::at_rest(model, vec![0.0; n], time_step, order)
}

/// The chain after 0.1 s.
pub fn falling_chain(n: usize) -> FreeCase {
    chain_at_rest(n, STEP, 2).with_history()
}

/// The six-legged robot without weight: it tumbles at 3.7 rad/s while its legs spin by turns forwards and backwards.
pub fn tumbling_hexapod(time_step: f64, order: u32) -> FreeCase {
    let model = weightless_hexapod().expect("a valid model");
    let mut case = FreeCase::at_rest(model, spread_legs(), time_step, order);
    let twist = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0];
    let rates = [6.0, -8.0, 10.0, -7.0, 9.0, -5.0];
    let v = DVector::from_iterator(12, twist.into_iter().chain(rates));
    let mut kinematics = Kinematics::new(&case.model);
    kinematics.update_placements(&case.model, &case.q);
    case.p
        .copy_from_slice((mass_matrix(&case.model, &kinematics) * v).as_slice());
    case
}

/// The six-legged robot in free fall, its legs in different directions.
pub fn hexapod_at_rest() -> FreeCase {
    let model = hexapod().expect("a valid model");
    FreeCase::at_rest(model, spread_legs(), STEP, 2)
}

/// Configuration of the six-legged robot at the origin with its legs in different directions.
fn spread_legs() -> Vec<f64> {
    let mut q = hexapod().expect("a valid model").neutral_configuration();
    for (i, x) in q[7..].iter_mut().enumerate() {
        *x = 0.1 * i as f64;
    }
    q
}

/// The six-legged robot after 0.1 s of free fall.
pub fn falling_hexapod() -> FreeCase {
    hexapod_at_rest().with_history()
}

/// TREX in the fall of `robots/trex/drop.toml` after 0.1 s: its hips free, springs and dampers at the passive joints.
pub fn falling_trex() -> FreeCase {
    let experiment = scenario("robots/trex/drop.toml");
    let model = experiment.model.as_ref().clone();
    FreeCase::at_rest(model, experiment.q.clone(), STEP, 2).with_history()
}

/// A scenario of this repository.
pub fn scenario(path: &str) -> Experiment {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let scenario = Scenario::read(&file, &[]).expect("a scenario that ships");
    Experiment::new(path, scenario).expect("a scenario that ships")
}

/// The six-legged robot and the contacts of its feet, points with friction 0.8, with the ground.
pub fn hexapod_on_point_feet() -> (Model, Contacts) {
    let model = hexapod().expect("a valid model");
    let material = Material::new(0.8, 0.0);
    let feet: Vec<Site> = model
        .links()
        .iter()
        .filter(|l| l.name != "body")
        .map(|l| Site::point(&model, &l.name, &l.name, [0.0, 0.0, -0.17], material))
        .collect::<Result<_, _>>()
        .expect("the links exist");
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(&model, feet, vec![ground], &[], Combination::Minimum)
        .expect("valid contacts");
    (model, contacts)
}

/// The six-legged robot on six point feet with friction 0.8.
pub struct StandingCase {
    pub model: Model,
    contacts: Contacts,
    held: Vec<HeldContact>,
    stepper: Stepper,
    q: Vec<f64>,
    p: Vec<f64>,
    v: Vec<f64>,
    q1: Vec<f64>,
    p1: Vec<f64>,
    applied: Vec<f64>,
}

impl StandingCase {
    /// Upright on straight legs.
    pub fn new() -> Self {
        let (model, contacts) = hexapod_on_point_feet();
        let mut q = model.neutral_configuration();
        q[2] = 0.17;
        let n = model.dof();
        Self {
            held: (0..contacts.len()).map(HeldContact::new).collect(),
            stepper: Stepper::new(&model, StepSettings::default()),
            q1: q.clone(),
            q,
            p: vec![0.0; n],
            v: vec![0.0; n],
            p1: vec![0.0; n],
            applied: vec![0.0; n],
            model,
            contacts,
        }
    }

    /// The same ten steps later.
    pub fn settled() -> Self {
        let mut case = Self::new();
        for _ in 0..10 {
            case.advance();
        }
        case
    }

    /// The same pushed along its feet: it slides. The push is that of 2 m/s of the whole robot.
    pub fn sliding() -> Self {
        let mut case = Self::new();
        case.p[0] = 2.0 * case.model.mass();
        case.p[1] = 1.0 * case.model.mass();
        case
    }

    /// Differentiates the step that was taken last.
    pub fn differentiate(&self, derivatives: &mut HeldDerivatives) {
        let step = HeldStep {
            model: &self.model,
            contacts: &self.contacts,
            held: &self.held,
            joints: &[],
            configuration: &self.q1,
            mean_velocity: &self.v,
            end_momentum: &self.p,
            applied: &self.applied,
            time_step: STEP,
            two_sided: false,
        };
        derivatives.update(&step).expect("a regular step");
    }

    /// Whether a contact slid at the end of the last step.
    pub fn slides(&self) -> bool {
        let slides = |h: &HeldContact| h.slip.is_some_and(|[x, y]| x.hypot(y) > 1e-3);
        self.held.iter().any(slides)
    }

    /// Advances by one step.
    pub fn advance(&mut self) -> StepReport {
        let input = StepInput {
            model: &self.model,
            contacts: &self.contacts,
            q0: &self.q,
            p0: &self.p,
            applied: &self.applied,
            servos: &[],
            h: STEP,
            whole: STEP,
            closed_gap: CLOSED_GAP,
        };
        let (v, q1, p1) = (&mut self.v, &mut self.q1, &mut self.p1);
        let report = self
            .stepper
            .step(&input, &mut self.held, &mut [], v, q1, p1)
            .expect("the step converges");
        std::mem::swap(&mut self.q, &mut self.q1);
        std::mem::swap(&mut self.p, &mut self.p1);
        report
    }
}
