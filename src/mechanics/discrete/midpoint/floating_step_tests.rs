//! The step of a floating body against the variation of its discrete Lagrangian by dual numbers.

use nalgebra::Vector3;
use num_dual::Dual64;

use super::Midpoint;
use super::dual_jacobian::{dual, random_state, tangent};
use super::floating_step::FloatingStep;
use crate::dynamics::{Kinematics, gravity_energy, kinetic_energy, spring_energy};
use crate::model::sample::{Uniform, random_tree};
use crate::model::{Base, Model};
use crate::spatial::{Force, Motion, lift};

/// h L(q̄, v̄) of the step from q₀ with the mean velocity v̄.
fn discrete_lagrangian(model: &Model, q0: &[Dual64], v: &[Dual64], h: Dual64) -> Dual64 {
    let mut middle = q0.to_vec();
    model.integrate_half(q0, v, h, &mut middle);
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &middle);
    kinematics.update_twists(model, v);
    let potential = gravity_energy(model, &kinematics) + spring_energy(model, &kinematics, &middle);
    (kinetic_energy(model, &kinematics) - potential) * h
}

/// With q₀ and v̄ as the arguments of L_d, δL_d = p₁ · δq₁ − p₀ · δq₀ for every change of both.
#[test]
fn end_momenta_are_the_derivatives_of_the_discrete_lagrangian() {
    let mut random = Uniform::new(41);
    // Steps that turn by a thousandth of a radian (series) to a radian (closed forms).
    for h in [1e-3, 0.05, 0.2, -0.2] {
        for joints in [0, 1, 4] {
            let model = random_tree(joints as u64, joints, Base::Floating).expect("a valid model");
            let n = model.dof();
            let (q0, v, _) = random_state(&model, &mut random);
            let mut midpoint = Midpoint::new(&model);
            midpoint.evaluate(&model, &q0, &v, &vec![0.0; n], h);
            let (mut p0, mut p1) = (vec![0.0; n], vec![0.0; n]);
            midpoint.start_momentum(&model, &v, h, &mut p0);
            midpoint.end_momentum(&model, &v, h, &mut p1);
            let h = Dual64::from(h);
            for k in 0..2 * n {
                let (mut start, mut v) = (dual(&q0), dual(&v));
                if k < n {
                    let mut direction = dual(&vec![0.0; n]);
                    direction[k].eps = 1.0;
                    model.integrate(&dual(&q0), &direction, lift(1.0), &mut start);
                } else {
                    v[k - n].eps = 1.0;
                }
                let mut end = start.clone();
                model.integrate(&start, &v, h, &mut end);
                let work = |p: &[f64], q: &[Dual64]| -> f64 {
                    p.iter().zip(tangent(&model, q)).map(|(p, d)| p * d).sum()
                };
                let expected = work(&p1, &end) - work(&p0, &start);
                let found = discrete_lagrangian(&model, &start, &v, h).eps;
                let scale: f64 = p0.iter().chain(&p1).map(|p| p.abs()).sum();
                // A few dozen roundings of momenta.
                assert!(
                    (found - expected).abs() <= 1e-14 * scale,
                    "{joints} joints, h {}, {k}: {found:e} {expected:e}",
                    h.re
                );
            }
        }
    }
}

/// Changes of the middle and of the end, and momenta carried along, against `Model::integrate`.
#[test]
fn changes_of_a_step_are_those_of_dual_numbers() {
    let mut random = Uniform::new(42);
    let model = random_tree(1, 0, Base::Floating).expect("a valid model");
    for h in [0.0, 1e-3, 0.3, 1.0] {
        let (q0, v, x) = random_state(&model, &mut random);
        let (_, y, p) = random_state(&model, &mut random);
        let step = FloatingStep::new(&Motion::from_slice(&v).scale(h));
        let (x, y) = (Motion::from_slice(&x), Motion::from_slice(&y));
        let mut direction = [0.0; 6];
        x.write(&mut direction);
        let direction = direction.map(|x| Dual64::new(0.0, x));
        let mut start = dual(&q0);
        model.integrate(&dual(&q0), &direction, lift(1.0), &mut start);
        let varied: Vec<Dual64> = (0..6).map(|k| Dual64::new(v[k], y.component(k))).collect();
        let mut moved = start.clone();
        let change = y.scale(h);
        model.integrate_half(&start, &varied, lift(h), &mut moved);
        let middle = Motion::from_slice(&tangent(&model, &moved));
        let found = [middle - step.vary_middle(&x, &change)];
        model.integrate(&start, &varied, lift(h), &mut moved);
        let end = Motion::from_slice(&tangent(&model, &moved));
        for error in found.into_iter().chain([end - step.vary_end(&x, &change)]) {
            // A few dozen roundings of numbers up to 10.
            assert!(
                error.linear.norm() + error.angular.norm() < 1e-13,
                "{h}: {error:?}"
            );
        }
        let p = Force::from_slice(&p);
        let mut q1 = q0.clone();
        model.integrate(&q0, &v, h, &mut q1);
        let world = |q: &[f64], p: &Force<f64>| model.floating_pose(0, q).force_to_parent(p);
        let error = world(&q1, &step.carry(&p)) - world(&q0, &p);
        assert!(error.linear.norm() + error.angular.norm() < 1e-13, "{h}");
    }
}

/// The middle of a step is the average of the positions and half way between the rotations.
#[test]
fn the_middle_is_half_way() {
    let mut random = Uniform::new(43);
    let model = random_tree(3, 3, Base::Floating).expect("a valid model");
    let (q0, v, _) = random_state(&model, &mut random);
    let (mut middle, mut q1) = (q0.clone(), q0.clone());
    model.integrate_half(&q0, &v, 0.3, &mut middle);
    model.integrate(&q0, &v, 0.3, &mut q1);
    for i in (0..3).chain(7..q0.len()) {
        assert!((middle[i] - 0.5 * (q0[i] + q1[i])).abs() < 1e-15 * 10.0);
    }
    let [r0, middle, r1] =
        [&q0, &middle, &q1].map(|q| model.floating_pose(0, q.as_slice()).rotation);
    let difference = r0.tr_mul(&middle) - middle.tr_mul(&r1);
    assert!(difference.amax() < 1e-15 * 10.0);
    let turned = Vector3::new(v[3], v[4], v[5]) * 0.15;
    let expected = r0 * crate::spatial::rotation_exp(&turned);
    assert!((expected - middle).amax() < 1e-15 * 10.0);
}
