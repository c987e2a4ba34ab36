//! Reflected inertia of rotors against closed forms and against other algorithms.

use std::f64::consts::{FRAC_PI_2, TAU};

use carom::discrete::StepSettings;
use carom::dynamics::{
    ArticulatedFactor, Kinematics, LagrangianTerms, kinetic_energy, mass_matrix, spatial_momentum,
};
use carom::model::sample::{Uniform, geared_tree, random_tree};
use carom::model::{Base, Joint, Link, Model, ModelBuilder, ModelError};
use carom::spatial::Force;
use nalgebra::{DVector, Vector3};

use crate::free_steps::FreeSteps;

const BASES: [Base; 3] = [Base::Fixed, Base::Planar, Base::Floating];

fn random_state(model: &Model, random: &mut Uniform) -> (Vec<f64>, Vec<f64>) {
    let mut draw = || -> Vec<f64> {
        let entries = 0..model.dof();
        entries.map(|_| random.between(-2.0, 2.0)).collect()
    };
    let (turn, v) = (draw(), draw());
    let mut q = model.neutral_configuration();
    model.integrate(&model.neutral_configuration(), &turn, 0.7, &mut q);
    (q, v)
}

fn kinematics(model: &Model, q: &[f64], v: &[f64]) -> Kinematics<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, v);
    kinematics
}

/// Trees of all bases and sizes with and without rotors, and a state of them.
fn trees() -> impl Iterator<Item = (Model, Model, Vec<f64>, Vec<f64>)> {
    (0..12).flat_map(|seed| {
        BASES.map(|base| {
            let bodies = 1 + seed as usize % 9;
            let geared = geared_tree(seed, bodies, base).unwrap();
            let plain = random_tree(seed, bodies, base).unwrap();
            let (q, v) = random_state(&geared, &mut Uniform::new(seed + 100));
            (geared, plain, q, v)
        })
    })
}

#[test]
fn kinetic_energy_grows_by_half_a_times_the_square_of_the_joint_rate() {
    for (geared, plain, q, v) in trees() {
        let rotors: f64 = geared
            .bodies()
            .iter()
            .map(|body| 0.5 * body.armature * v[body.v_index].powi(2))
            .sum();
        assert!(rotors > 0.0);
        let with = kinetic_energy(&geared, &kinematics(&geared, &q, &v));
        let without = kinetic_energy(&plain, &kinematics(&plain, &q, &v));
        // A few dozen roundings.
        assert!((with - without - rotors).abs() <= 1e-14 * with);
    }
}

/// K is quadratic in v, so its mixed second difference over unit velocities is M without error of
/// truncation.
#[test]
fn mass_matrix_is_the_second_difference_of_the_kinetic_energy() {
    for (model, _, q, _) in trees() {
        let n = model.dof();
        let energy = |columns: &[usize]| {
            let mut v = vec![0.0; n];
            for &j in columns {
                v[j] += 1.0;
            }
            kinetic_energy(&model, &kinematics(&model, &q, &v))
        };
        let m = mass_matrix(&model, &kinematics(&model, &q, &vec![0.0; n]));
        for i in 0..n {
            for j in 0..n {
                let difference = energy(&[i, j]) - energy(&[i]) - energy(&[j]);
                // Cancellation of energies of the size of the diagonal.
                assert!((m[(i, j)] - difference).abs() <= 1e-13 * m.amax());
            }
        }
    }
}

#[test]
fn momentum_is_mass_matrix_times_velocity_and_the_articulated_solve_undoes_it() {
    for (model, _, q, v) in trees() {
        let k = kinematics(&model, &q, &v);
        let m = mass_matrix(&model, &k);
        let p = &m * DVector::from_column_slice(&v);
        let mut terms = LagrangianTerms::new(&model);
        terms.update(&model, &k);
        for (a, b) in p.iter().zip(&terms.momentum) {
            // Sums of at most a hundred products of order one.
            assert!((a - b).abs() <= 1e-13 * (1.0 + p.amax()));
        }
        let mut factor = ArticulatedFactor::new(&model);
        factor.factor(&model, &k).unwrap();
        let mut back = vec![0.0; v.len()];
        factor.solve(&model, &k, p.as_slice(), &mut back);
        let eigenvalues = m.symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        for (a, b) in back.iter().zip(&v) {
            // Backward stability: machine epsilon times the condition number, a few dof.
            assert!((a - b).abs() <= 1e-14 * condition);
        }
    }
}

/// A thin rod of mass m and length l that swings about its end, with a rotor a.
fn pendulum(armature: f64) -> ModelBuilder {
    ModelBuilder::new("pendulum")
        .link(Link::new("world"))
        .link(Link::new("rod").rod(1.5, Vector3::zeros(), Vector3::new(0.0, 0.0, -0.8)))
        .joint(
            Joint::revolute("pivot", "world", "rod")
                .axis([0.0, 1.0, 0.0])
                .armature(armature),
        )
}

/// π/2 over the arithmetic-geometric mean of 1 and √(1 − k²): the complete elliptic integral K(k).
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    while a - b > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

#[test]
fn a_pendulum_with_a_rotor_has_the_period_of_the_sum_of_both_inertias() {
    let (mass, length, start) = (1.5, 0.8, 1.2_f64);
    let h = 1e-3;
    for armature in [0.0, 0.1, 2.0] {
        let model = pendulum(armature).build().unwrap();
        let inertia = mass * length * length / 3.0 + armature;
        let frequency = (mass * 9.81 * 0.5 * length / inertia).sqrt();
        let exact = 4.0 * elliptic((0.5 * start).sin()) / frequency;
        let mut steps = FreeSteps::new(&model, StepSettings::default());
        let (mut q, mut p, mut v) = (vec![start], vec![0.0], vec![0.0]);
        let (mut q1, mut p1) = (q.clone(), p.clone());
        let mut crossings = Vec::new();
        for step in 0.. {
            steps.step(&q, &p, h, &mut v, &mut q1, &mut p1).unwrap();
            if q[0] * q1[0] < 0.0 {
                // Near zero the angle is linear in time to O(h³).
                crossings.push(h * (f64::from(step) + q[0] / (q[0] - q1[0])));
            }
            (q[0], p[0]) = (q1[0], p1[0]);
            if crossings.len() == 3 {
                break;
            }
        }
        let period = crossings[2] - crossings[0];
        // The midpoint rule's relative error of a frequency ω is (ω h)²/12; twice that for the swing
        // through stiffer and softer angles, and the interpolation.
        let bound = (frequency * h).powi(2) / 6.0 * exact;
        assert!(
            (period - exact).abs() <= bound,
            "{armature}: {period} {exact} ({bound:e})"
        );
    }
}

/// The rotors have no part in the momentum that the symmetries of space conserve.
#[test]
fn momentum_of_a_free_tree_with_rotors_stays() {
    let model = geared_tree(3, 6, Base::Floating)
        .unwrap()
        .with_gravity(Vector3::zeros());
    let n = model.dof();
    let (mut q, v0) = random_state(&model, &mut Uniform::new(11));
    let start = kinematics(&model, &q, &v0);
    let mut terms = LagrangianTerms::new(&model);
    terms.update(&model, &start);
    let before: Force<f64> = spatial_momentum(&model, &start);
    let (mut p, mut mean) = (terms.momentum.clone(), v0);
    let (mut q1, mut p1) = (q.clone(), p.clone());
    let tight = StepSettings {
        tolerance: 1e-14,
        max_iterations: 40,
        max_halvings: 0,
    };
    let mut flow = FreeSteps::new(&model, tight);
    let steps = 200;
    for _ in 0..steps {
        flow.step(&q, &p, 2e-3, &mut mean, &mut q1, &mut p1)
            .unwrap();
        q.copy_from_slice(&q1);
        p.copy_from_slice(&p1);
    }
    let mut k = Kinematics::new(&model);
    k.update_placements(&model, &q);
    let mut factor = ArticulatedFactor::new(&model);
    factor.factor(&model, &k).unwrap();
    let mut v = vec![0.0; n];
    factor.solve(&model, &k, &p, &mut v);
    k.update_twists(&model, &v);
    let after = spatial_momentum(&model, &k);
    // The residual tolerance of every step, relative to the momentum.
    let scale = before.linear.norm() + before.angular.norm();
    let bound = f64::from(steps) * 1e-13 * scale;
    assert!((after.linear - before.linear).norm() <= bound);
    assert!((after.angular - before.angular).norm() <= bound);
    // The joints did turn.
    assert!(q.iter().any(|x| x.abs() > 0.01 * TAU));
}

#[test]
fn a_reflected_inertia_that_is_negative_or_no_number_is_refused_by_its_joint() {
    for wrong in [-1e-9, f64::NAN, f64::INFINITY] {
        let error = pendulum(wrong).build().unwrap_err();
        assert!(matches!(error.cause(), ModelError::BadNumber { .. }));
        let message = error.to_string();
        for part in ["joint \"pivot\"", "armature", "at least 0"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
