//! Time of one 1 ms step. Identifiers are stable: `step/chain/<n>`, `step/hexapod/free`,
//! `step/hexapod/standing`, `derivatives/chain/8`.

use std::hint::black_box;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::discrete::{ContactStepper, FreeStepper, HeldContact, StepDerivatives, StepSettings};
use carom::model::Model;
use carom::model::sample::{chain, hexapod};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const STEP: f64 = 1e-3;

/// One free step from a state, restarted each time from the same starting value of the root finding
/// that a run would have: the mean velocity of the step before, extrapolated.
struct FreeCase {
    model: Model,
    stepper: FreeStepper,
    q: Vec<f64>,
    p: Vec<f64>,
    guess: Vec<f64>,
    v: Vec<f64>,
    q1: Vec<f64>,
    p1: Vec<f64>,
    applied: Vec<f64>,
}

impl FreeCase {
    /// Runs `steps` steps from rest at `q`, so that the benchmarked step has a history.
    fn new(model: Model, q: Vec<f64>, steps: usize) -> Self {
        let n = model.dof();
        let mut case = Self {
            stepper: FreeStepper::new(&model, StepSettings::default()),
            q1: q.clone(),
            q,
            p: vec![0.0; n],
            p1: vec![0.0; n],
            guess: vec![0.0; n],
            v: vec![0.0; n],
            applied: vec![0.0; n],
            model,
        };
        let mut history = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        for _ in 0..steps {
            case.step();
            std::mem::swap(&mut case.q, &mut case.q1);
            std::mem::swap(&mut case.p, &mut case.p1);
            history.rotate_right(1);
            history[0].copy_from_slice(&case.v);
            for i in 0..n {
                case.guess[i] = 3.0 * (history[0][i] - history[1][i]) + history[2][i];
            }
        }
        case
    }

    fn step(&mut self) {
        self.v.copy_from_slice(&self.guess);
        self.stepper
            .step(
                &self.model,
                &self.q,
                &self.p,
                &self.applied,
                STEP,
                &mut self.v,
                &mut self.q1,
                &mut self.p1,
            )
            .expect("the step converges");
    }
}

fn chains(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step/chain");
    for n in [1, 2, 4, 8, 16, 32, 64, 128] {
        let model = chain(n).expect("a valid model");
        let mut case = FreeCase::new(model, vec![0.0; n], 100);
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| black_box(&mut case).step())
        });
    }
    group.finish();
}

fn hexapod_free(criterion: &mut Criterion) {
    let model = hexapod().expect("a valid model");
    let mut q = model.neutral_configuration();
    for (i, x) in q[7..].iter_mut().enumerate() {
        *x = 0.1 * i as f64;
    }
    let mut case = FreeCase::new(model, q, 100);
    criterion.bench_function("step/hexapod/free", |b| {
        b.iter(|| black_box(&mut case).step())
    });
}

fn hexapod_standing(criterion: &mut Criterion) {
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
    let mut stepper = ContactStepper::new(&model, StepSettings::default());
    let mut q = model.neutral_configuration();
    q[2] = 0.17;
    let n = model.dof();
    let (mut p, applied, mut v) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut held: Vec<_> = (0..contacts.len()).map(HeldContact::new).collect();
    let (mut q1, mut p1) = (q.clone(), p.clone());
    let mut step = |q: &mut Vec<f64>, p: &mut Vec<f64>, v: &mut Vec<f64>| {
        stepper
            .step(
                &model, &contacts, &mut held, q, p, &applied, STEP, v, &mut q1, &mut p1,
            )
            .expect("the step converges");
        q.copy_from_slice(&q1);
        p.copy_from_slice(&p1);
    };
    for _ in 0..10 {
        step(&mut q, &mut p, &mut v);
    }
    criterion.bench_function("step/hexapod/standing", |b| {
        b.iter(|| step(black_box(&mut q), &mut p, &mut v));
    });
}

/// All first derivatives of a solved step, by state, forces and time.
fn derivatives(criterion: &mut Criterion) {
    let model = chain(8).expect("a valid model");
    let case = FreeCase::new(model, vec![0.0; 8], 100);
    let mut derivatives = StepDerivatives::new(&case.model);
    criterion.bench_function("derivatives/chain/8", |b| {
        b.iter(|| {
            derivatives
                .update(
                    &case.model,
                    &case.stepper.midpoint,
                    black_box(&case.v),
                    STEP,
                )
                .expect("a regular step");
        });
    });
}

criterion_group!(step, chains, hexapod_free, hexapod_standing, derivatives);
criterion_main!(step);
