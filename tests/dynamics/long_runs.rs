//! Conservation over long runs: the free flight of a tree, a tumbling rigid body.

use carom::discrete::StepSettings;
use carom::dynamics::{ArticulatedFactor, Kinematics, LagrangianTerms, spatial_momentum};
use carom::model::sample::{Uniform, random_tree};
use carom::model::{Base, Link, Model, ModelBuilder};
use carom::spatial::Force;
use nalgebra::{Matrix3, Vector3};

use crate::free_steps::FreeSteps;

/// Runs `steps` steps of 1 ms from (q, v) and shows every `every`-th state to `look`.
fn run(
    model: &Model,
    q: &[f64],
    v: &[f64],
    steps: usize,
    every: usize,
    mut look: impl FnMut(&[f64], &[f64]),
) {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    k.update_twists(model, v);
    let mut terms = LagrangianTerms::new(model);
    terms.update(model, &k);
    let (mut q, mut p) = (q.to_vec(), terms.momentum);
    let (mut q1, mut p1) = (q.clone(), p.clone());
    let mut mean = v.to_vec();
    let mut flow = FreeSteps::new(model, StepSettings::default());
    for step in 0..=steps {
        if step % every == 0 {
            look(&q, &p);
        }
        flow.step(&q, &p, 1e-3, &mut mean, &mut q1, &mut p1)
            .unwrap();
        std::mem::swap(&mut q, &mut q1);
        std::mem::swap(&mut p, &mut p1);
    }
}

/// Velocity M⁻¹p in `k.twist`.
fn twists(model: &Model, k: &mut Kinematics<f64>, q: &[f64], p: &[f64]) -> Vec<f64> {
    k.update_placements(model, q);
    let mut factor = ArticulatedFactor::new(model);
    factor.factor(model, k).unwrap();
    let mut v = vec![0.0; model.dof()];
    factor.solve(model, k, p, &mut v);
    k.update_twists(model, &v);
    v
}

#[test]
fn spatial_momentum_of_free_flight_is_constant_over_a_hundred_thousand_steps() {
    let model = random_tree(5, 3, Base::Floating)
        .unwrap()
        .with_gravity(Vector3::zeros());
    let mut random = Uniform::new(9);
    let v: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-1.0, 1.0))
        .collect();
    let mut k = Kinematics::new(&model);
    let (mut first, mut worst) = (None, 0.0_f64);
    run(
        &model,
        &model.neutral_configuration(),
        &v,
        100_000,
        1000,
        |q, p| {
            twists(&model, &mut k, q, p);
            let now = spatial_momentum(&model, &k);
            let start: Force<f64> = *first.get_or_insert(now);
            // A rounded momentum far from the origin has a lever arm.
            let arm = 1.0 + Vector3::new(q[0], q[1], q[2]).norm();
            let size = start.linear.norm() * arm + start.angular.norm();
            let change = now - start;
            worst = worst.max((change.linear.norm() + change.angular.norm()) / size);
        },
    );
    // A random walk of 100 000 roundings of 1e-16, √100 000 of them, in each of six components.
    assert!(worst < 1e-13, "{worst:e}");
}

#[test]
fn a_tumbling_asymmetric_body_has_no_energy_trend_over_a_million_steps() {
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.1, 0.2, 0.25));
    let model = ModelBuilder::new("body")
        .base(Base::Floating)
        .link(Link::new("body").inertial(2.0, Vector3::zeros(), inertia))
        .build()
        .unwrap()
        .with_gravity(Vector3::zeros());
    // Nearly about the unstable middle axis, so that it keeps flipping.
    let v = [0.0, 0.0, 0.0, 0.05, 3.0, 0.1];
    let mut energies = Vec::new();
    let mut k = Kinematics::new(&model);
    run(
        &model,
        &model.neutral_configuration(),
        &v,
        1_000_000,
        997,
        |q, p| {
            let v = twists(&model, &mut k, q, p);
            energies.push(0.5 * v.iter().zip(p).map(|(v, p)| v * p).sum::<f64>());
        },
    );
    let start = energies[0];
    let band = energies
        .iter()
        .map(|e| (e / start - 1.0).abs())
        .fold(0.0, f64::max);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let half = energies.len() / 2;
    let trend = (mean(&energies[half..]) / mean(&energies[..half]) - 1.0).abs();
    // The scheme's band is (hω)²/12 ≈ 1e-6. Without a trend the means of the halves differ by no more
    // than the part of the band that an unfinished turn over leaves: there are above 50 in a half.
    assert!(band < 1e-6, "band {band:e}");
    assert!(trend < band / 50.0, "trend {trend:e} of {band:e}");
}
