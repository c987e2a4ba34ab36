//! One contact: the answer is the minimum, near every degenerate case too.

use carom::impact::dissipation::{ContactBlock, CoulombKind, DissipationBranch, coulomb_solutions};
use nalgebra::{Matrix3, Vector2, Vector3};
use proptest::prelude::*;

use super::problems::Stream;

/// A random contact: positive definite block of the given condition, velocity, friction.
fn random_block() -> impl Strategy<Value = ContactBlock> {
    (
        prop::array::uniform9(-1.0f64..1.0),
        0.02f64..1.0,
        (0.1f64..1.0, -1.0f64..1.0, -1.0f64..1.0),
        -4.0f64..0.0,
        -2.0f64..2.0,
    )
        .prop_map(|(entries, ridge, v, depth, friction)| {
            let l = Matrix3::from_row_slice(&entries);
            ContactBlock {
                delassus: l * l.transpose() + ridge * Matrix3::identity(),
                velocity: Vector3::new(-v.0 * 10f64.powf(depth), v.1, v.2),
                tangents: 2,
                friction: 10f64.powf(friction),
            }
        })
}

/// The reduced problem of [PER] §3.2 by elimination, as the tests see it.
struct Plane {
    a: Vector2<f64>,
    beta: f64,
    hessian: nalgebra::Matrix2<f64>,
    right: Vector2<f64>,
}

fn plane(block: &ContactBlock) -> Plane {
    let d = &block.delassus;
    let a = Vector2::new(d[(1, 0)], d[(2, 0)]) / d[(0, 0)];
    let bn = -block.velocity[0];
    Plane {
        a,
        beta: bn / d[(0, 0)],
        hessian: d.fixed_view::<2, 2>(1, 1).into_owned() - a * a.transpose() * d[(0, 0)],
        right: -Vector2::new(block.velocity[1], block.velocity[2]) - a * bn,
    }
}

/// Distance along the boundary from the minimum, to first order, as a share of the distance from the focus: the
/// slope of the objective there over its curvature TᵀÂT + λ‖N‖ κ, with λ ≥ 0 the multiplier, N the outward normal
/// and κ the curvature of the conic. The minimum of the convex problem is the only point with slope 0 and λ ≥ 0.
/// The second number is what rounding of Â y − b̂ and of the direction of N alone makes of a zero.
fn distance_from_minimum(block: &ContactBlock, x: &Vector3<f64>) -> (f64, f64) {
    let p = plane(block);
    let y = Vector2::new(x[1], x[2]);
    let radius = y.norm();
    let gradient = p.hessian * y - p.right;
    let outward = y / radius + block.friction * p.a;
    let normal = outward.normalize();
    let tangent = Vector2::new(-normal[1], normal[0]);
    let pressure = (-gradient.dot(&normal)).max(0.0);
    let focal = block.friction * p.beta / radius;
    let bend = focal.powi(2) / (radius * outward.norm().powi(3));
    let stiffness = tangent.dot(&(p.hessian * tangent)) + pressure * bend;
    let rounding = 1e-16
        * (block.delassus.norm() * radius + p.right.norm() + gradient.norm() / outward.norm());
    (
        gradient.dot(&tangent).abs() / (stiffness * radius),
        rounding / (stiffness * radius),
    )
}

/// Scans the whole boundary of the conic section, ever denser towards the far ends of an ellipse or hyperbola,
/// and refines the best sample by golden section.
fn brute_force(block: &ContactBlock) -> f64 {
    let p = plane(block);
    let eccentricity = block.friction * p.a.norm();
    let axis = p.a.y.atan2(p.a.x);
    let farthest = if eccentricity > 1.0 {
        (-1.0 / eccentricity).acos()
    } else {
        std::f64::consts::PI
    };
    let energy = |grade: f64| {
        let alpha = farthest * grade.tanh();
        let u = Vector2::new((axis + alpha).cos(), (axis + alpha).sin());
        let f = 1.0 + eccentricity * alpha.cos();
        if f <= 0.0 {
            return f64::INFINITY;
        }
        let y = u * (block.friction * p.beta / f);
        let x = Vector3::new(p.beta - p.a.dot(&y), y[0], y[1]);
        block.energy_change(&x)
    };
    let half = 2000;
    let step = 16.0 / f64::from(half);
    let at = |i: i32| energy(f64::from(i) * step);
    let best = (-half..=half)
        .min_by(|i, j| at(*i).total_cmp(&at(*j)))
        .unwrap();
    let (mut low, mut high) = (f64::from(best - 1) * step, f64::from(best + 1) * step);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..60 {
        let width = golden * (high - low);
        if energy(high - width) < energy(low + width) {
            high = low + width;
        } else {
            low = high - width;
        }
    }
    energy(0.5 * (low + high))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn beats_brute_force_and_satisfies_the_optimality_conditions(block in random_block()) {
        let (x, branch) = block.maximum_dissipation();
        let objective = block.energy_change(&x);
        let scale = block.velocity.norm_squared() / block.delassus.symmetric_eigenvalues().min();
        prop_assert!(objective <= 1e-15 * scale);
        let sliding = x[1].hypot(x[2]);
        prop_assert!(sliding <= block.friction * x[0] * (1.0 + 1e-14));
        let v = block.velocity_after(&x);
        // Cancellation in A x − b.
        prop_assert!(v[0].abs() <= 1e-14 * (block.delassus.norm() * x.norm() + block.velocity.norm()));
        match branch {
            DissipationBranch::Stick => prop_assert!(
                v.norm() <= 1e-12 * (block.delassus.norm() * x.norm() + block.velocity.norm())
            ),
            DissipationBranch::Slide => {
                let (error, rounding) = distance_from_minimum(&block, &x);
                prop_assert!(error <= 1e-11 + 10.0 * rounding, "{error:e} {rounding:e}");
            }
            other => prop_assert!(false, "{other:?}"),
        }
        // The scan looks at the boundary only.
        if branch == DissipationBranch::Slide {
            let found = brute_force(&block);
            prop_assert!(objective <= found + 1e-13 * scale, "{objective} {found}");
            prop_assert!(objective >= found - 1e-6 * scale, "{objective} {found}");
        }
    }

    #[test]
    fn dissipates_at_least_as_much_as_every_coulomb_solution(block in random_block()) {
        let (x, _) = block.maximum_dissipation();
        let objective = block.energy_change(&x);
        let all = coulomb_solutions(&block);
        prop_assert!(!all.is_empty(), "an inelastic Coulomb solution always exists");
        for s in all {
            prop_assert!(objective <= s.objective + 1e-12 * s.objective.abs(), "{objective} {s:?}");
            // It is one: in the cone, no normal velocity, friction against the sliding velocity.
            let (xt, vt) = (Vector2::new(s.impulse[1], s.impulse[2]), Vector2::new(s.velocity[1], s.velocity[2]));
            let size = block.delassus.norm() * s.impulse.norm() + block.velocity.norm();
            prop_assert!(xt.norm() <= block.friction * s.impulse[0] * (1.0 + 1e-12));
            prop_assert!(s.velocity[0].abs() <= 1e-12 * size);
            if s.kind == CoulombKind::Slide {
                let opposed = vt.norm() * xt + block.friction * s.impulse[0] * vt;
                prop_assert!(opposed.norm() <= 1e-9 * size * xt.norm(), "{:e}", opposed.norm());
            }
        }
    }

    #[test]
    fn rotates_with_the_tangent_frame_and_scales_with_units(
        block in random_block(), angle in 0.0f64..6.3, mass in -6.0f64..6.0, speed in -6.0f64..6.0,
    ) {
        let (x, branch) = block.maximum_dissipation();
        let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::x_axis(), angle).into_inner();
        let (mass, speed) = (10f64.powf(mass), 10f64.powf(speed));
        let other = ContactBlock {
            delassus: turn * block.delassus * turn.transpose() / mass,
            velocity: turn * block.velocity * speed,
            ..block
        };
        let (y, same) = other.maximum_dissipation();
        prop_assert_eq!(branch, same);
        let back = turn.transpose() * y / (mass * speed);
        // Rounding of the rotated block, amplified by its condition (at most 4/0.02) and that of the cone.
        let bound = 1e-11 * x.norm() * (1.0 + block.friction);
        prop_assert!((back - x).norm() <= bound, "{:e}", (back - x).norm());
    }
}

/// Near the boundaries of the structogram: eccentricities around 1 and far from it, impacts so shallow that the
/// hyperbola is its asymptotes, tiny and huge friction, blocks conditioned up to 1e6.
#[test]
fn stays_optimal_near_degenerate_conics() {
    let mut s = Stream(7);
    let mut slides = 0;
    for case in 0..60_000 {
        let mut m = Matrix3::zeros();
        for entry in m.iter_mut() {
            *entry = s.between(-1.0, 1.0);
        }
        let ridge = 10f64.powf(s.between(-6.0, 0.0));
        let delassus = m * m.transpose() + ridge * Matrix3::identity();
        let coupling = delassus[(1, 0)].hypot(delassus[(2, 0)]) / delassus[(0, 0)];
        let eccentricity = match case % 4 {
            0 => 1.0 + 10f64.powf(s.between(-16.0, 0.0)),
            1 => 1.0 - 10f64.powf(s.between(-16.0, 0.0)),
            2 => 10f64.powf(s.between(-8.0, 8.0)),
            _ => 1.0 + 10f64.powf(s.between(-1.0, 2.0)),
        };
        let depth = 10f64.powf(s.between(-20.0, 0.0));
        let block = ContactBlock {
            delassus,
            velocity: Vector3::new(-depth, s.between(-1.0, 1.0), s.between(-1.0, 1.0)),
            tangents: 2,
            friction: eccentricity / coupling,
        };
        let (x, branch) = block.maximum_dissipation();
        assert!(x.iter().all(|xi| xi.is_finite()));
        assert!(x[1].hypot(x[2]) <= block.friction * x[0] * (1.0 + 1e-14));
        if branch != DissipationBranch::Slide {
            continue;
        }
        slides += 1;
        let (error, rounding) = distance_from_minimum(&block, &x);
        assert!(
            error <= 1e-11 + 10.0 * rounding,
            "{case}: {error:e} {rounding:e} {block:?}"
        );
    }
    assert!(slides > 40_000);
}

/// One tangent: the minimum over an interval, against a scan of it.
#[test]
fn planar_contacts_match_a_scan() {
    let mut s = Stream(11);
    let mut branches = std::collections::BTreeMap::new();
    for case in 0..4000 {
        let mut m = Matrix3::zeros();
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            m[(i, j)] = s.between(-1.0, 1.0);
        }
        let mut delassus = m * m.transpose();
        delassus[(0, 0)] += 0.05;
        delassus[(1, 1)] += 0.05;
        let shallow = if case % 5 == 0 { 0.0 } else { -s.next() };
        let block = ContactBlock {
            delassus,
            velocity: Vector3::new(shallow, s.between(-1.0, 1.0), 0.0),
            tangents: 1,
            friction: 10f64.powf(s.between(-1.0, 1.5)),
        };
        let (x, branch) = block.maximum_dissipation();
        *branches.entry(branch.name()).or_insert(0) += 1;
        let objective = block.energy_change(&x);
        assert!(x[1].abs() <= block.friction * x[0] * (1.0 + 1e-14) && x[2] == 0.0);
        let v = block.velocity_after(&x);
        assert!(v[0].abs() <= 1e-14 * (1.0 + block.delassus.norm() * x.norm()));
        let beta = -block.velocity[0] / delassus[(0, 0)];
        let ratio = delassus[(1, 0)] / delassus[(0, 0)];
        for i in -4000..=4000 {
            let y = 0.01 * f64::from(i);
            let z = Vector3::new(beta - ratio * y, y, 0.0);
            if y.abs() <= block.friction * z[0] {
                assert!(objective <= block.energy_change(&z) + 1e-13, "{case} {y}");
            }
        }
        for coulomb in coulomb_solutions(&block) {
            // In the plane the boundary of the cone is two points: a Coulomb slide is never better.
            assert!(objective <= coulomb.objective + 1e-13, "{case}");
        }
    }
    for name in ["stick", "slide", "ray", "point"] {
        assert!(branches[name] > 20, "{branches:?}");
    }
}

/// Rows that depend on each other (a pendulum: one degree of freedom, three rows) leave the impulse undetermined
/// but not the velocity; the answer stays in the cone and stops the contact.
#[test]
fn dependent_rows_stop_the_contact() {
    let mut s = Stream(3);
    for _ in 0..2000 {
        let row = Vector3::new(
            s.between(0.3, 1.0),
            s.between(-1.0, 1.0),
            s.between(-1.0, 1.0),
        );
        let second = Vector3::new(
            s.between(-1.0, 1.0),
            s.between(-1.0, 1.0),
            s.between(-1.0, 1.0),
        );
        for (delassus, velocity) in [
            (row * row.transpose(), -row),
            (
                row * row.transpose() + second * second.transpose(),
                -row - 0.1 * second,
            ),
        ] {
            let block = ContactBlock {
                delassus,
                velocity,
                tangents: 2,
                friction: 5.0,
            };
            if velocity[0] >= 0.0 {
                continue;
            }
            let (x, branch) = block.maximum_dissipation();
            assert!(x[1].hypot(x[2]) <= 5.0 * x[0] * (1.0 + 1e-13));
            if delassus == row * row.transpose() {
                // No tangential impulse changes anything: none is taken.
                assert_eq!((x[1], x[2]), (0.0, 0.0));
            }
            let v = block.velocity_after(&x);
            assert!(v[0].abs() < 1e-12 * (1.0 + x.norm()), "{v}");
            if branch == DissipationBranch::Stick {
                // The direction without response is known to rounding over its raised eigenvalue.
                assert!(v.norm() < 1e-10 * (1.0 + x.norm()), "{v} {x}");
            }
        }
    }
}
