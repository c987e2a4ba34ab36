//! Every algorithm of the dynamics against a different algorithm or against dual numbers.

use carom::dynamics::{
    ArticulatedFactor, Kinematics, LagrangianTerms, add_passive_forces, gravity_energy,
    kinetic_energy, mass_matrix, spring_energy,
};
use carom::model::sample::{Uniform, random_tree};
use carom::model::{Base, Joint, JointKind, Link, Model, ModelBuilder};
use carom::spatial::{Inertia, Pose, rotation_exp};
use nalgebra::{DVector, Vector3};
use num_dual::Dual64;

const BASES: [Base; 3] = [Base::Fixed, Base::Planar, Base::Floating];

/// A random state: coordinates of order one, a proper rotation for a floating base.
fn random_state(model: &Model, random: &mut Uniform) -> (Vec<f64>, Vec<f64>) {
    let v: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-2.0, 2.0))
        .collect();
    let mut q = vec![0.0; model.configuration_len()];
    model.integrate(&model.neutral_configuration(), &v, 0.7, &mut q);
    let v = (0..model.dof())
        .map(|_| random.between(-2.0, 2.0))
        .collect();
    (q, v)
}

fn kinematics(model: &Model, q: &[f64], v: &[f64]) -> Kinematics<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, v);
    kinematics
}

/// Lagrangian along the variation q ⊕ ε d (d a velocity-like direction), exact in ε.
fn lagrangian_derivative(model: &Model, q: &[f64], v: &[f64], d: &[f64]) -> f64 {
    let lift = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
    let mut moved = lift(q);
    model.integrate(&lift(q), &lift(d), Dual64::new(0.0, 1.0), &mut moved);
    let mut k = Kinematics::<Dual64>::new(model);
    k.update_placements(model, &moved);
    k.update_twists(model, &lift(v));
    let potential = gravity_energy(model, &k) + spring_energy(model, &k, &moved);
    (kinetic_energy(model, &k) - potential).eps
}

#[test]
fn momentum_is_mass_matrix_times_velocity_and_twice_the_energy_per_velocity() {
    for (seed, base) in (0..30).flat_map(|s| BASES.map(|b| (s, b))) {
        let model = random_tree(seed, 1 + seed as usize % 9, base).unwrap();
        let mut random = Uniform::new(seed + 1000);
        let (q, v) = random_state(&model, &mut random);
        let k = kinematics(&model, &q, &v);
        let mut terms = LagrangianTerms::new(&model);
        terms.update(&model, &k);
        let m = mass_matrix(&model, &k);
        let velocity = DVector::from_vec(v.clone());
        let p = &m * &velocity;
        let scale = p.amax() + 1.0;
        for i in 0..model.dof() {
            // Sums of at most 100 products of order one: 1e-13 is a hundred roundings.
            assert!(
                (p[i] - terms.momentum[i]).abs() < 1e-13 * scale,
                "{base:?} {seed}"
            );
        }
        let energy = 0.5 * p.dot(&velocity);
        assert!((energy - kinetic_energy(&model, &k)).abs() < 1e-13 * (1.0 + energy));
    }
}

#[test]
fn articulated_solve_inverts_the_mass_matrix() {
    for (seed, base) in (0..30).flat_map(|s| BASES.map(|b| (s, b))) {
        let model = random_tree(seed, 1 + seed as usize % 12, base).unwrap();
        let mut random = Uniform::new(seed + 2000);
        let (q, v) = random_state(&model, &mut random);
        let k = kinematics(&model, &q, &v);
        let m = mass_matrix(&model, &k);
        let p = &m * DVector::from_vec(v.clone());
        let mut factor = ArticulatedFactor::new(&model);
        factor.factor(&model, &k).unwrap();
        let mut back = vec![0.0; model.dof()];
        factor.solve(&model, &k, p.as_slice(), &mut back);
        let eigenvalues = m.symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        for i in 0..model.dof() {
            // Backward stability: error ≤ a few dof × machine epsilon × condition number.
            assert!(
                (back[i] - v[i]).abs() < 1e-14 * condition,
                "{base:?} {seed}: {back:?} {v:?}"
            );
        }
    }
}

#[test]
fn forces_are_the_derivatives_of_the_lagrangian() {
    for (seed, base) in (0..30).flat_map(|s| BASES.map(|b| (s, b))) {
        let model = random_tree(seed, 1 + seed as usize % 9, base).unwrap();
        let mut random = Uniform::new(seed + 3000);
        let (q, v) = random_state(&model, &mut random);
        let k = kinematics(&model, &q, &v);
        let mut terms = LagrangianTerms::new(&model);
        terms.update(&model, &k);
        for i in 0..model.dof() {
            let mut d = vec![0.0; model.dof()];
            d[i] = 1.0;
            let exact = lagrangian_derivative(&model, &q, &v, &d);
            let scale = 1.0 + terms.force.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
            assert!(
                (exact - terms.force[i]).abs() < 1e-12 * scale,
                "{base:?} {seed} {i}"
            );
        }
    }
}

#[test]
fn spring_forces_are_the_derivatives_of_their_energy_and_dampers_dissipate() {
    let build = |damping: f64| {
        ModelBuilder::new("springs")
            .base(Base::Floating)
            .link(Link::new("a").solid_box(1.0, [0.2, 0.3, 0.4], Vector3::new(0.1, 0.0, 0.05)))
            .link(Link::new("b").solid_box(2.0, [0.3, 0.1, 0.2], Vector3::new(0.0, 0.1, 0.0)))
            .joint(Joint::revolute("j", "a", "b").origin([0.3, 0.0, 0.1], [0.2, 0.1, 0.0]))
            .gravity([0.0; 3])
            .joint_spring("j", 0.2, 13.0, damping)
            .point_spring(
                [Some("a"), Some("b")],
                [[0.1, 0.2, 0.3], [0.4, 0.0, 0.1]],
                0.2,
                40.0,
                damping,
            )
            .point_spring(
                [None, Some("b")],
                [[1.0, 0.0, 2.0], [0.0, 0.2, 0.1]],
                0.5,
                25.0,
                damping,
            )
            .build()
            .unwrap()
    };
    let (conservative, damped) = (build(0.0), build(0.7));
    let mut random = Uniform::new(5);
    for _ in 0..20 {
        let (q, v) = random_state(&conservative, &mut random);
        let rest = vec![0.0; v.len()];
        let k = kinematics(&conservative, &q, &rest);
        let mut force = vec![0.0; v.len()];
        add_passive_forces(&conservative, &k, &q, &rest, &mut force);
        for i in 0..v.len() {
            let mut d = rest.clone();
            d[i] = 1.0;
            let exact = lagrangian_derivative(&conservative, &q, &rest, &d);
            assert!(
                (exact - force[i]).abs() < 1e-11,
                "{i}: {exact} {}",
                force[i]
            );
        }
        let k = kinematics(&damped, &q, &v);
        let mut with = vec![0.0; v.len()];
        let power = add_passive_forces(&damped, &k, &q, &v, &mut with);
        let k = kinematics(&conservative, &q, &v);
        let mut without = vec![0.0; v.len()];
        add_passive_forces(&conservative, &k, &q, &v, &mut without);
        let work: f64 = (0..v.len()).map(|i| (with[i] - without[i]) * v[i]).sum();
        assert!(power <= 0.0 && (power - work).abs() < 1e-11 * (1.0 + power.abs()));
    }
}

#[test]
fn point_rows_are_the_derivative_of_the_point() {
    for (seed, base) in (0..10).flat_map(|s| BASES.map(|b| (s, b))) {
        let model = random_tree(seed, 6, base).unwrap();
        let mut random = Uniform::new(seed + 4000);
        let (q, v) = random_state(&model, &mut random);
        let k = kinematics(&model, &q, &v);
        let body = model.bodies().len() - 1;
        let x = k.world_point(Some(body), &Vector3::new(0.1, -0.2, 0.3));
        let velocity = k.point_velocity(Some(body), &x);
        for axis in 0..3 {
            let mut unit = Vector3::zeros();
            unit[axis] = 1.0;
            let mut row = vec![0.0; model.dof()];
            k.add_point_force(&model, Some(body), &x, &unit, &mut row);
            let rate: f64 = row.iter().zip(&v).map(|(a, b)| a * b).sum();
            assert!((rate - velocity[axis]).abs() < 1e-12 * (1.0 + rate.abs()));
        }
    }
}

#[test]
fn parallel_axes_agree_with_the_energy_of_points() {
    let mut random = Uniform::new(7);
    let pose = Pose::new(
        rotation_exp(&Vector3::from(random.vector(2.0))),
        Vector3::from(random.vector(1.0)),
    );
    let points: Vec<Vector3<f64>> = (0..5).map(|_| Vector3::from(random.vector(1.0))).collect();
    let collect = |at: &dyn Fn(&Vector3<f64>) -> Vector3<f64>| {
        points.iter().fold(Inertia::zero(), |sum: Inertia<f64>, x| {
            sum.merged(&Inertia::from_central(
                0.3,
                at(x),
                nalgebra::Matrix3::zeros(),
            ))
        })
    };
    let moved = collect(&|x| *x).to_parent(&pose);
    let direct = collect(&|x| pose.point(x));
    assert!((moved.rotational - direct.rotational).amax() < 1e-14);
    assert!((moved.first_moment - direct.first_moment).amax() < 1e-14);
}

#[test]
fn planar_base_moves_in_the_plane_with_pitch_about_y() {
    let model = ModelBuilder::new("plate")
        .base(Base::Planar)
        .link(Link::new("plate").solid_box(2.0, [0.4, 0.1, 0.2], Vector3::new(0.1, 0.0, 0.0)))
        .build()
        .unwrap();
    assert_eq!(
        model.coordinate_names(),
        ["base.vx", "base.vz", "base.wpitch"]
    );
    let q = [0.3, 0.5, 0.25];
    let k = kinematics(&model, &q, &[1.0, 2.0, 3.0]);
    let link = model.link("plate").unwrap();
    let tip = k.world_point(link.body, &link.pose.point(&Vector3::new(1.0, 0.0, 0.0)));
    let expected = Vector3::new(0.3 + 0.25_f64.cos(), 0.0, 0.5 - 0.25_f64.sin());
    assert!((tip - expected).norm() < 1e-14, "{tip}");
    let speed = k.point_velocity(link.body, &Vector3::new(0.3, 0.0, 0.5));
    assert!((speed - Vector3::new(1.0, 0.0, 2.0)).norm() < 1e-14);
}

#[test]
fn revolute_joint_turns_about_its_axis_whatever_its_direction() {
    let mut random = Uniform::new(8);
    for _ in 0..20 {
        let axis = Vector3::from(random.vector(1.0));
        let model = ModelBuilder::new("one")
            .link(Link::new("world"))
            .link(Link::new("arm").solid_sphere(1.0, 0.1, Vector3::new(0.2, 0.3, 0.4)))
            .joint(
                Joint::revolute("j", "world", "arm")
                    .axis(axis.into())
                    .origin([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]),
            )
            .build()
            .unwrap();
        assert_eq!(model.bodies()[0].kind, JointKind::Revolute);
        let angle = random.between(-3.0, 3.0);
        let k = kinematics(&model, &[angle], &[0.0]);
        let link = model.link("arm").unwrap();
        let x = Vector3::from(random.vector(1.0));
        let got = k.world_point(link.body, &link.pose.point(&x));
        let origin = Pose::new(
            carom::spatial::rotation_from_rpy(&[0.4, 0.5, 0.6]),
            Vector3::new(0.1, 0.2, 0.3),
        );
        let expected = origin.point(&(rotation_exp(&(axis.normalize() * angle)) * x));
        assert!((got - expected).norm() < 1e-14);
    }
}
