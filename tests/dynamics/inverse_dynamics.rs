//! Forces from motion and Jacobians of frames, against other algorithms and dual numbers.

use carom::dynamics::{
    ArticulatedFactor, InverseDynamics, Kinematics, LagrangianTerms, bias_forces, gravity_energy,
    inverse_dynamics, kinetic_energy, mass_matrix,
};
use carom::model::sample::{Uniform, geared_tree, hexapod};
use carom::model::{Base, JointKind, Model, ModelError};
use carom::spatial::{Force, Motion};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use num_dual::Dual64;

const BASES: [Base; 3] = [Base::Fixed, Base::Planar, Base::Floating];

/// A robot with rotors, and its configuration, velocity and acceleration.
struct Motions {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

fn motions() -> impl Iterator<Item = Motions> {
    (0..20).flat_map(|seed| {
        BASES.map(|base| {
            let model = geared_tree(seed, 1 + seed as usize % 9, base).unwrap();
            let mut random = Uniform::new(seed + 500);
            let mut draw = || -> Vec<f64> {
                let entries = 0..model.dof();
                entries.map(|_| random.between(-2.0, 2.0)).collect()
            };
            let (turn, v, a) = (draw(), draw(), draw());
            let mut q = model.neutral_configuration();
            model.integrate(&model.neutral_configuration(), &turn, 0.7, &mut q);
            Motions { model, q, v, a }
        })
    })
}

fn kinematics(model: &Model, q: &[f64], v: &[f64]) -> Kinematics<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, v);
    kinematics
}

/// The motion to first order in time: its kinematics at q ⊕ v dt with velocity v + a dt.
fn in_time(m: &Motions) -> Kinematics<Dual64> {
    let constant = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
    let mut q = constant(&m.q);
    m.model.integrate(
        &constant(&m.q),
        &constant(&m.v),
        Dual64::new(0.0, 1.0),
        &mut q,
    );
    let rates = m.v.iter().zip(&m.a).map(|(v, a)| Dual64::new(*v, *a));
    let v: Vec<Dual64> = rates.collect();
    let mut kinematics = Kinematics::new(&m.model);
    kinematics.update_placements(&m.model, &q);
    kinematics.update_twists(&m.model, &v);
    kinematics
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Sums of at most a hundred products of numbers of the size of the largest force.
fn rounding(force: &[f64]) -> f64 {
    1e-13 * (1.0 + largest(force))
}

#[test]
fn inverse_dynamics_is_the_mass_matrix_times_acceleration_and_the_bias() {
    for m in motions() {
        let mass = mass_matrix(&m.model, &kinematics(&m.model, &m.q, &m.v));
        let bias = bias_forces(&m.model, &m.q, &m.v).unwrap();
        let force = inverse_dynamics(&m.model, &m.q, &m.v, &m.a).unwrap();
        let expected = mass * DVector::from_column_slice(&m.a) + DVector::from_vec(bias);
        for (f, e) in force.iter().zip(&expected) {
            assert!((f - e).abs() <= rounding(&force));
        }
    }
}

/// d/dt ∂L/∂v − ∂L/∂q = f, and μ̇ − ad_ξᵀ μ − W = f for a floating base.
#[test]
fn inverse_dynamics_is_the_euler_lagrange_equation() {
    for m in motions() {
        let mut terms = LagrangianTerms::<Dual64>::new(&m.model);
        terms.update(&m.model, &in_time(&m));
        let mut expected: Vec<f64> = terms
            .momentum
            .iter()
            .zip(&terms.force)
            .map(|(p, f)| p.eps - f.re)
            .collect();
        for body in m.model.bodies() {
            if body.kind == JointKind::Floating {
                let at = body.v_index;
                let mu: Vec<f64> = terms.momentum[at..at + 6].iter().map(|p| p.re).collect();
                let xi = Motion::from_slice(&m.v[at..at + 6]);
                let turned = xi.cross_transpose(&Force::from_slice(&mu));
                for k in 0..6 {
                    expected[at + k] -= turned.component(k);
                }
            }
        }
        let force = inverse_dynamics(&m.model, &m.q, &m.v, &m.a).unwrap();
        for (f, e) in force.iter().zip(&expected) {
            assert!((f - e).abs() <= rounding(&force));
        }
    }
}

#[test]
fn power_of_the_forces_is_the_rate_of_the_energy() {
    for m in motions() {
        let k = in_time(&m);
        let energy = kinetic_energy(&m.model, &k) + gravity_energy(&m.model, &k);
        let force = inverse_dynamics(&m.model, &m.q, &m.v, &m.a).unwrap();
        let power: f64 = force.iter().zip(&m.v).map(|(f, v)| f * v).sum();
        let bound = rounding(&force) * m.v.len() as f64;
        assert!((power - energy.eps).abs() <= bound);
    }
}

#[test]
fn inverse_dynamics_undoes_forward_dynamics() {
    for m in motions() {
        let k = kinematics(&m.model, &m.q, &m.v);
        let mut dynamics = InverseDynamics::new(&m.model);
        dynamics.update_bias(&m.model, &k);
        // The drawn numbers as forces.
        let forces = &m.a;
        let net: Vec<f64> = forces
            .iter()
            .zip(&dynamics.force)
            .map(|(f, b)| f - b)
            .collect();
        let mut factor = ArticulatedFactor::new(&m.model);
        factor.factor(&m.model, &k).unwrap();
        let mut acceleration = vec![0.0; net.len()];
        factor.solve(&m.model, &k, &net, &mut acceleration);
        dynamics.update(&m.model, &k, &acceleration);
        let eigenvalues = mass_matrix(&m.model, &k).symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        // The backward error of the solve, in forces.
        let bound = 1e-14 * condition.sqrt() * (1.0 + largest(&net));
        for (f, e) in dynamics.force.iter().zip(forces) {
            assert!((f - e).abs() <= bound, "{f} {e} {bound:e}");
        }
    }
}

#[test]
fn jacobians_of_frames_are_derivatives_of_their_placement() {
    for m in motions() {
        let n = m.model.dof();
        let body = m.model.bodies().len() - 1;
        let point = Vector3::new(0.1, -0.2, 0.3);
        let k = kinematics(&m.model, &m.q, &m.v);
        let x = k.world_point(Some(body), &point);
        let mut jacobian = DMatrix::from_element(6, n, f64::NAN);
        k.frame_jacobian(&m.model, Some(body), &x, &mut jacobian);
        for j in 0..n {
            let mut direction = vec![0.0; n];
            direction[j] = 1.0;
            let varied = in_time(&Motions {
                model: m.model.clone(),
                q: m.q.clone(),
                v: direction,
                a: vec![0.0; n],
            });
            let moved = varied.world_point(Some(body), &point.map(Dual64::from));
            let rotation = varied.world[body].rotation;
            // Ṙ Rᵀ is the cross product with the angular velocity.
            let rate: Matrix3<f64> = rotation.map(|r| r.eps) * rotation.map(|r| r.re).transpose();
            let spin = [rate[(2, 1)], rate[(0, 2)], rate[(1, 0)]];
            for i in 0..3 {
                // Chains of at most ten rotations and levers of at most a few metres.
                assert!((jacobian[(i, j)] - moved[i].eps).abs() <= 1e-13);
                assert!((jacobian[(3 + i, j)] - spin[i]).abs() <= 1e-13);
            }
        }
        let mut linear = DMatrix::from_element(3, n, f64::NAN);
        k.point_jacobian(&m.model, Some(body), &x, &mut linear);
        assert_eq!(linear, jacobian.rows(0, 3).into_owned());
        let velocity = linear * DVector::from_column_slice(&m.v);
        let expected = k.point_velocity(Some(body), &x);
        assert!((velocity - expected).amax() <= 1e-13 * (1.0 + expected.amax()));
    }
}

#[test]
fn a_point_of_the_world_does_not_move() {
    let model = hexapod().unwrap();
    let k = Kinematics::<f64>::new(&model);
    let mut jacobian = DMatrix::from_element(6, model.dof(), 1.0);
    k.frame_jacobian(&model, None, &Vector3::x(), &mut jacobian);
    assert_eq!(jacobian.amax(), 0.0);
}

#[test]
fn motions_of_another_robot_are_refused() {
    let model = hexapod().unwrap();
    let (q, v) = (model.neutral_configuration(), vec![0.0; model.dof()]);
    assert!(inverse_dynamics(&model, &q, &v, &v).is_ok());
    for error in [
        inverse_dynamics(&model, &v, &v, &v),
        inverse_dynamics(&model, &q, &q, &v),
        inverse_dynamics(&model, &q, &v, &q),
        bias_forces(&model, &q, &[0.0]),
    ] {
        assert!(matches!(error, Err(ModelError::WrongLength { .. })));
    }
    let mut infinite = v.clone();
    infinite[7] = f64::INFINITY;
    let error = inverse_dynamics(&model, &q, &v, &infinite).unwrap_err();
    assert!(error.to_string().contains(&model.coordinate_names()[7]));
}
