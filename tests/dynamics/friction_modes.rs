//! Impulses of held contacts and of joints with dry friction: planar contacts that couple strongly,
//! redundant ones in space, feet that press against each other, blocks and springs in closed form.

use carom::friction::{
    Delassus, FrictionProblem, FrictionResiduals, FrictionRows, FrictionRule, FrictionSolver,
    HeldMode,
};
use nalgebra::{DMatrix, DVector, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Uniform in [-1, 1).
pub fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Solves by Coulomb's law; what is left of the conditions beside the largest free velocity.
fn left(
    solver: &mut FrictionSolver,
    factor: &DMatrix<f64>,
    groups: &[FrictionRows],
    free: &[f64],
    modes: &mut [HeldMode],
    impulse: &mut [f64],
) -> f64 {
    let rules = vec![FrictionRule::Coulomb; groups.len()];
    let problem = FrictionProblem::exact(free, &rules);
    let mut delassus = Delassus::from_factor(factor, groups);
    let left = solver.solve(&mut delassus, &problem, modes, impulse);
    left.largest() / free.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// With independent rows there is always a solution; the solver must find one, whatever the guess.
#[test]
fn a_solution_is_found_for_every_planar_problem_with_independent_rows() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut solver = FrictionSolver::default();
    for case in 0..3000 {
        let contacts = 1 + case % 4;
        let (r, n) = (2 * contacts, 2 * contacts + 2);
        let rows = DMatrix::from_fn(r, n, |_, _| uniform(&mut random));
        let v = DVector::from_fn(n, |_, _| uniform(&mut random));
        let factor = rows.clone();
        let delassus = &rows * rows.transpose();
        let free = &rows * v;
        let layout: Vec<FrictionRows> = (0..contacts)
            .map(|i| FrictionRows::contact(2 * i, 1, 1.0 + uniform(&mut random)))
            .collect();
        let mut modes = vec![HeldMode::Stick; contacts];
        let mut impulse = vec![0.0; r];
        let violation = left(
            &mut solver,
            &factor,
            &layout,
            free.as_slice(),
            &mut modes,
            &mut impulse,
        );
        assert!(violation <= 1e-9, "case {case}: {violation:e}");
        let after = &delassus * DVector::from_column_slice(&impulse) + &free;
        let speed = free.amax();
        let strength = impulse.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // Rounding of the solve, amplified by the condition of these small systems.
        let (speed, strength) = (1e-8 * speed, 1e-8 * strength);
        for c in &layout {
            let (normal, tangential) = (impulse[c.row], impulse[c.row + 1]);
            let (opening, slip) = (after[c.row], after[c.row + 1]);
            assert!(normal >= -strength && opening >= -speed, "case {case}");
            assert!(normal <= strength || opening <= speed, "case {case}");
            assert!(
                tangential.abs() <= c.friction * normal + strength,
                "case {case}"
            );
            if slip.abs() > speed {
                let resisting = -c.friction * normal * slip.signum();
                assert!((tangential - resisting).abs() <= strength, "case {case}");
            }
        }
    }
}

/// Rows of feet on a plane under a rigid body: normal up, two tangents; v = (linear, angular).
fn feet_rows(feet: &[[f64; 2]], height: f64) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(3 * feet.len(), 6);
    for (i, [x, y]) in feet.iter().enumerate() {
        // Velocity of the foot: v + ω × (x, y, −height).
        let normal = [0.0, 0.0, 1.0, *y, -x, 0.0];
        let along = [1.0, 0.0, 0.0, 0.0, -height, -y];
        let across = [0.0, 1.0, 0.0, height, 0.0, *x];
        for (k, row) in [normal, along, across].iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                rows[(3 * i + k, j)] = *value;
            }
        }
    }
    rows
}

/// A body on up to eight feet has up to 24 rows of rank 6: impulses are ambiguous, and those of least
/// norm often leave a friction cone although others stay inside. A solution exists always (moving
/// upwards opens every contact), and velocities must satisfy Coulomb's law to the tolerance of a step.
/// The problem has no known method that never fails; the solver says so when it does, and it may fail
/// in at most one of a thousand of these.
#[test]
fn redundant_feet_of_a_rigid_body_are_solved() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut solver = FrictionSolver::default();
    let (mut sliding, mut unsolved) = (0, 0);
    for case in 0..4000 {
        let count = 1 + case % 8;
        let feet: Vec<[f64; 2]> = (0..count)
            .map(|_| [uniform(&mut random), uniform(&mut random)])
            .collect();
        let rows = feet_rows(&feet, 0.2 + 0.3 * uniform(&mut random).abs());
        let inertia = DVector::from_fn(6, |_, _| 10.0_f64.powf(uniform(&mut random)));
        let factor = DMatrix::from_fn(3 * count, 6, |i, j| rows[(i, j)] / inertia[j].sqrt());
        let delassus = &factor * factor.transpose();
        let mut v = DVector::from_fn(6, |_, _| uniform(&mut random));
        v[2] -= 1.0;
        let free = &rows * v;
        let layout: Vec<FrictionRows> = (0..count)
            .map(|i| FrictionRows::contact(3 * i, 2, 0.1 + uniform(&mut random).abs()))
            .collect();
        let mut modes = vec![HeldMode::Stick; count];
        let mut impulse = vec![0.0; 3 * count];
        let violation = left(
            &mut solver,
            &factor,
            &layout,
            free.as_slice(),
            &mut modes,
            &mut impulse,
        );
        if violation > 1e-9 {
            unsolved += 1;
            continue;
        }
        let after = &delassus * DVector::from_column_slice(&impulse) + &free;
        let (speed, strength) = (
            free.amax(),
            impulse.iter().fold(0.0_f64, |m, x| m.max(x.abs())),
        );
        // The stated tolerance, times the spread of stiffness of 1e2 between directions.
        let (speed, strength) = (1e-7 * speed, 1e-7 * strength);
        for c in &layout {
            let n = c.row;
            let friction = impulse[n + 1].hypot(impulse[n + 2]);
            let slip = after[n + 1].hypot(after[n + 2]);
            assert!(impulse[n] >= -strength && after[n] >= -speed, "case {case}");
            assert!(impulse[n] <= strength || after[n] <= speed, "case {case}");
            assert!(
                friction <= c.friction * impulse[n] + strength,
                "case {case}"
            );
            if slip > speed && impulse[n] > strength {
                sliding += 1;
                for t in 1..=2 {
                    let expected = -c.friction * impulse[n] * after[n + t] / slip;
                    // The direction of a slow slip is known to its relative error only.
                    let slack = strength + impulse[n] * speed / slip;
                    assert!((impulse[n + t] - expected).abs() <= slack, "case {case}");
                }
            }
        }
    }
    assert!(unsolved <= 4, "{unsolved} unsolved");
    assert!(sliding > 1000, "only {sliding} sliding contacts were seen");
}

/// Feet that a robot's joints press against each other: any friction that its cones allow holds them.
#[test]
fn feet_under_internal_forces_stick_when_some_friction_inside_the_cones_holds_them() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    let mut solver = FrictionSolver::default();
    for case in 0..2000 {
        let count = 3 + case % 4;
        // A body with a free foot joint under each leg: six coordinates of the body and one a leg.
        let dof = 6 + count;
        let feet: Vec<[f64; 2]> = (0..count)
            .map(|_| [uniform(&mut random), uniform(&mut random)])
            .collect();
        let body = feet_rows(&feet, 0.3);
        let mut rows = DMatrix::zeros(3 * count, dof);
        rows.view_mut((0, 0), (3 * count, 6)).copy_from(&body);
        for i in 0..count {
            rows[(3 * i + 1, 6 + i)] = 0.3;
            rows[(3 * i, 6 + i)] = 0.1 * uniform(&mut random);
        }
        let factor = DMatrix::from_fn(3 * count, dof, |i, j| {
            let inverse_inertia: f64 = if j < 3 {
                0.2
            } else if j < 6 {
                2.0
            } else {
                40.0
            };
            rows[(i, j)] * inverse_inertia.sqrt()
        });
        let delassus = &factor * factor.transpose();
        let layout: Vec<FrictionRows> = (0..count)
            .map(|i| FrictionRows::contact(3 * i, 2, 0.8))
            .collect();
        let held = DVector::from_fn(3 * count, |i, _| match i % 3 {
            0 => 1.0 + 0.5 * uniform(&mut random),
            // At most 0.28 √2 < 0.4, the radius of the disc under the least normal impulse of 0.5.
            _ => 0.28 * uniform(&mut random),
        });
        let free = -(&delassus * &held);
        let mut modes = vec![HeldMode::Stick; count];
        let mut impulse = vec![0.0; 3 * count];
        let violation = left(
            &mut solver,
            &factor,
            &layout,
            free.as_slice(),
            &mut modes,
            &mut impulse,
        );
        assert!(violation <= 1e-9, "case {case}: {violation:e}");
        let after = &delassus * DVector::from_column_slice(&impulse) + &free;
        // Impulses exist that hold every foot, and those that hold dissipate most.
        assert!(
            after.amax() <= 1e-8 * free.amax(),
            "case {case}: {:e}",
            after.amax()
        );
    }
}

/// Six feet of a walker that push against each other: 18 rows on 12 degrees of freedom, legs far lighter
/// than the body.
fn six_feet(random: &mut impl FnMut() -> f64) -> (DMatrix<f64>, Vec<f64>, Vec<FrictionRows>) {
    const X: [f64; 3] = [0.2, 0.0, -0.2];
    const Y: [f64; 3] = [0.13, 0.18, 0.13];
    let half_inverse_mass = DMatrix::from_diagonal(&DVector::from_fn(12, |i, _| match i {
        0..3 => 1.0 / 7.5,
        3 => 1.0 / 0.033,
        4 => 1.0 / 0.153,
        5 => 1.0 / 0.167,
        _ => 1.0 / 0.0016,
    }))
    .map(f64::sqrt);
    let mut rows = DMatrix::zeros(18, 12);
    for foot in 0..6 {
        let side = if foot < 3 { 1.0 } else { -1.0 };
        let hip = Vector3::new(X[foot % 3], side * Y[foot % 3], 0.0);
        let contact = hip + Vector3::new(0.05 * random(), 0.0, -0.16 + 0.01 * random());
        for (k, axis) in [Vector3::z(), Vector3::x(), Vector3::y()]
            .iter()
            .enumerate()
        {
            let turn = contact.cross(axis);
            for i in 0..3 {
                rows[(3 * foot + k, i)] = axis[i];
                rows[(3 * foot + k, 3 + i)] = turn[i];
            }
            rows[(3 * foot + k, 6 + foot)] = (contact - hip).cross(axis).y;
        }
    }
    let velocity = DVector::from_fn(12, |i, _| random() * if i < 6 { 0.1 } else { 3.0 });
    let mut free: Vec<f64> = (&rows * velocity).as_slice().to_vec();
    for normal in free.iter_mut().step_by(3) {
        *normal -= 0.05;
    }
    let friction = 0.3 + 0.35 * (1.0 + random());
    let contacts = (0..6)
        .map(|foot| FrictionRows::contact(3 * foot, 2, friction))
        .collect();
    (rows * half_inverse_mass, free, contacts)
}

#[test]
fn feet_that_press_against_each_other_find_their_impulses() {
    let mut state = 1_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    for case in 0..200 {
        let (factor, free, contacts) = six_feet(&mut random);
        let delassus = &factor * factor.transpose();
        let mut modes = [HeldMode::Stick; 6];
        let mut impulse = vec![0.0; 18];
        let mut solver = FrictionSolver::default();
        let left = left(
            &mut solver,
            &factor,
            &contacts,
            &free,
            &mut modes,
            &mut impulse,
        );
        assert!(left <= 1e-9, "case {case}: {left}");
        let after =
            &delassus * DVector::from_column_slice(&impulse) + DVector::from_column_slice(&free);
        // The solver's tolerance, 1e-9 of 10 m/s, once more for what the products add.
        let still = 2e-8;
        for c in &contacts {
            let (n, t) = (c.row, [c.row + 1, c.row + 2]);
            let pull = impulse[t[0]].hypot(impulse[t[1]]);
            let slip = after[t[0]].hypot(after[t[1]]);
            let limit = c.friction * impulse[n];
            assert!(impulse[n] >= -1e-12 && after[n] >= -still, "case {case}");
            assert!(impulse[n] <= 1e-9 || after[n] <= still, "case {case}");
            assert!(pull <= limit + 1e-9, "case {case}: {pull} {limit}");
            // Where it slips, friction is at its limit and against the slip.
            let power = impulse[t[0]] * after[t[0]] + impulse[t[1]] * after[t[1]];
            assert!(
                slip <= still || (power + limit * slip).abs() <= 1e-9 * slip.max(1.0),
                "case {case}"
            );
        }
    }
}

/// What a diverging step may ask: there is no solution, and no panic.
#[test]
fn velocities_that_are_not_finite_have_no_solution() {
    let contacts = [FrictionRows::contact(0, 2, 0.5)];
    let rules = [FrictionRule::Coulomb];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut delassus = Delassus::from_factor(&DMatrix::identity(3, 3), &contacts);
        let mut solver = FrictionSolver::default();
        let mut modes = [HeldMode::Stick];
        let mut impulse = [1.0; 3];
        for free in [[bad, 0.0, 0.0], [bad; 3]] {
            let problem = FrictionProblem::exact(&free, &rules);
            let left = solver.solve(&mut delassus, &problem, &mut modes, &mut impulse);
            assert_eq!(left, FrictionResiduals::UNKNOWN);
            assert_eq!(impulse, [0.0; 3]);
        }
    }
}

/// A mass of 2 kg with dry friction on its one coordinate: velocities move by impulse/2.
fn slider(limit: f64) -> (DMatrix<f64>, [FrictionRows; 1]) {
    let factor = DMatrix::from_element(1, 1, 0.5_f64.sqrt());
    (factor, [FrictionRows::joint(0, limit)])
}

/// Friction of at most 0.6 N s brings 2 kg to rest from up to 0.3 m/s and takes 0.3 m/s from more.
#[test]
fn dry_friction_stops_what_it_can_and_slows_the_rest() {
    let (factor, groups) = slider(0.6);
    for guess in [
        HeldMode::Stick,
        HeldMode::Slide([1.0, 0.0]),
        HeldMode::Slide([-1.0, 0.0]),
    ] {
        for speed in [
            0.0, 0.1, 0.2999, 0.3001, 2.0, -0.1, -0.2999, -0.3001, -2.0_f64,
        ] {
            let mut solver = FrictionSolver::default();
            let (mut modes, mut impulse) = ([guess], [0.0]);
            let left = solver.solve(
                &mut Delassus::from_factor(&factor, &groups),
                &FrictionProblem::exact(&[speed], &[FrictionRule::Coulomb]),
                &mut modes,
                &mut impulse,
            );
            // What the solver takes for rounding, 1e-11 of the velocity, of a stiffness of 1/2; at rest the
            // rounding of the impulse that the guess slides with.
            let rounding = 2e-11 * speed.abs() + 0.6 * f64::EPSILON;
            assert!(left.largest() <= rounding, "{speed} {guess:?}: {left:?}");
            let expected = (-2.0 * speed).clamp(-0.6, 0.6);
            assert!(
                (impulse[0] - expected).abs() <= rounding,
                "{speed} {guess:?}"
            );
            let slides = speed.abs() > 0.3;
            let mode = if slides {
                HeldMode::Slide([speed.signum(), 0.0])
            } else {
                HeldMode::Stick
            };
            assert_eq!(modes, [mode], "{speed} {guess:?}");
            let after = speed + 0.5 * expected;
            assert!(
                (solver.velocity()[0] - after).abs() <= rounding,
                "{speed} {guess:?}"
            );
        }
    }
}

/// Blocks in a row, each coupled to the next and with dry friction of its own, beside contacts: the
/// solution is unique (the friction of joints knows no normal impulse), so it satisfies every
/// condition whatever the guess and is the same.
#[test]
fn joints_with_dry_friction_have_one_solution_whatever_the_guess() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    let mut solver = FrictionSolver::default();
    for case in 0..2000 {
        let count = 1 + case % 6;
        let factor = DMatrix::from_fn(count, count + 1, |_, _| uniform(&mut random));
        let delassus = &factor * factor.transpose();
        let free = DVector::from_fn(count, |_, _| uniform(&mut random));
        let groups: Vec<FrictionRows> = (0..count)
            .map(|i| FrictionRows::joint(i, 0.3 + 0.3 * uniform(&mut random)))
            .collect();
        let mut solutions = Vec::new();
        for guess in [
            HeldMode::Stick,
            HeldMode::Slide([1.0, 0.0]),
            HeldMode::Slide([-1.0, 0.0]),
        ] {
            let (mut modes, mut impulse) = (vec![guess; count], vec![0.0; count]);
            let violation = left(
                &mut solver,
                &factor,
                &groups,
                free.as_slice(),
                &mut modes,
                &mut impulse,
            );
            assert!(violation <= 1e-9, "case {case}: {violation:e}");
            let after = &delassus * DVector::from_column_slice(&impulse) + &free;
            // The solver's tolerance times a few: a residual is a velocity, and so is the slip.
            let still = 1e-8 * free.amax();
            for (i, group) in groups.iter().enumerate() {
                let inside = 1e-8 * free.amax() / delassus[(i, i)];
                assert!(impulse[i].abs() <= group.limit + inside, "case {case}");
                if after[i].abs() > still {
                    let resisting = -group.limit * after[i].signum();
                    assert!((impulse[i] - resisting).abs() <= inside, "case {case}");
                }
            }
            solutions.push(after);
        }
        // Velocities of two solutions a, b within δ of their conditions: ‖a − b‖²_{G⁻¹} ≤ 2 δ Σ limit.
        let slack = 4.0 * 1e-9 * free.amax() * groups.iter().map(|g| g.limit).sum::<f64>();
        let stiffest = delassus.symmetric_eigenvalues().max();
        for other in &solutions[1..] {
            let distance = (other - &solutions[0]).norm_squared();
            assert!(distance <= stiffest * slack, "case {case}: {distance:e}");
        }
    }
}

/// A block of 1.5 kg that slides on a plane in a given direction has friction of the size μ λ against
/// that direction, whatever its own slip; one that is left out takes no part.
#[test]
fn friction_along_a_direction_keeps_it() {
    let mass = 1.5_f64;
    let factor = DMatrix::identity(3, 3) / mass.sqrt();
    let groups = [FrictionRows::contact(0, 2, 0.4)];
    let free = [-0.2, 0.5, 0.1];
    let s = [0.6, -0.8];
    let mut modes = [HeldMode::Slide(s)];
    let mut impulse = [0.0; 3];
    let mut solver = FrictionSolver::default();
    let mut solve = |rule: FrictionRule, modes: &mut [HeldMode], impulse: &mut [f64]| {
        solver.solve(
            &mut Delassus::from_factor(&factor, &groups),
            &FrictionProblem::exact(&free, &[rule]),
            modes,
            impulse,
        )
    };
    let left = solve(FrictionRule::Along(s), &mut modes, &mut impulse);
    // Roundings of numbers below one.
    assert!(left.largest() <= 1e-15, "{left:?}");
    let normal = 0.2 * mass;
    let expected = [normal, -0.4 * normal * s[0], -0.4 * normal * s[1]];
    for (found, expected) in impulse.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-15, "{impulse:?}");
    }
    let left = solve(FrictionRule::Off, &mut modes, &mut impulse);
    assert_eq!(left.largest(), 0.0);
    assert_eq!(impulse, [0.0; 3]);
}

/// A ladder that leans on a floor and slides: with friction along a known direction the normal impulse is
/// that of the coupled equation (G_nn − μ G_nt s) λ = −b_n, in closed form for one contact.
#[test]
fn friction_along_a_direction_couples_to_the_normal_impulse() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(19);
    let mut solver = FrictionSolver::default();
    let mut pressed = 0;
    for case in 0..2000 {
        let factor = DMatrix::from_fn(3, 5, |_, _| uniform(&mut random));
        let g = &factor * factor.transpose();
        let friction = 0.5 + 0.5 * uniform(&mut random);
        let angle = std::f64::consts::PI * uniform(&mut random);
        let s = [angle.cos(), angle.sin()];
        let free = Vector3::from_fn(|_, _| uniform(&mut random));
        let stiffness = g[(0, 0)] - friction * (g[(0, 1)] * s[0] + g[(0, 2)] * s[1]);
        // Otherwise there is none or more than one solution.
        if stiffness < 1e-2 {
            continue;
        }
        let normal = (-free[0] / stiffness).max(0.0);
        pressed += usize::from(normal > 0.0);
        let (mut modes, mut impulse) = ([HeldMode::Slide(s)], [0.0; 3]);
        let left = solver.solve(
            &mut Delassus::from_factor(&factor, &[FrictionRows::contact(0, 2, friction)]),
            &FrictionProblem::exact(free.as_slice(), &[FrictionRule::Along(s)]),
            &mut modes,
            &mut impulse,
        );
        assert!(left.largest() <= 1e-9, "case {case}: {left:?}");
        let expected = [normal, -friction * normal * s[0], -friction * normal * s[1]];
        for (found, expected) in impulse.iter().zip(expected) {
            // The solver's tolerance over the least stiffness.
            assert!((found - expected).abs() <= 1e-9 / stiffness, "case {case}");
        }
    }
    assert!(pressed > 500, "only {pressed} contacts pressed");
}

/// A contact in space among joints with little friction that would have to press by a little more than its cone allows to
/// stick. Where friction pulls it onto the ground (Painlevé), it may open as well: that is a solution, far from the guess.
#[test]
fn a_contact_that_sticks_no_longer_opens_where_friction_pulls_it_onto_the_ground() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    let mut solver = FrictionSolver::default();
    let (mut cases, mut unsolved) = (0, 0);
    while cases < 1000 {
        let joints = 8;
        let (r, n) = (3 + joints, 6 + joints);
        let factor = DMatrix::from_fn(r, n, |i, _| {
            uniform(&mut random) * if i < 3 { 0.5 } else { 10.0 }
        });
        let delassus = &factor * factor.transpose();
        let friction = 1.5 + 0.5 * uniform(&mut random);
        let direction = std::f64::consts::PI * uniform(&mut random);
        // The sliding velocities of the joints are of order one, the friction in them next to nothing.
        let mut pressing = DVector::zeros(r);
        let edge = 0.02 * (1.0 + 4e-6) * friction;
        pressing[0] = 0.02;
        pressing[1] = edge * direction.cos();
        pressing[2] = edge * direction.sin();
        let mut free = -(&delassus * &pressing);
        if free[0] < 1e-3 {
            continue;
        }
        cases += 1;
        for j in 0..joints {
            free[3 + j] += uniform(&mut random);
        }
        let mut layout = vec![FrictionRows::contact(0, 2, friction)];
        layout.extend((0..joints).map(|j| FrictionRows::joint(3 + j, 1e-8)));
        let mut modes = vec![HeldMode::Stick; 1 + joints];
        let mut impulse = pressing.as_slice().to_vec();
        let free = free.as_slice();
        let violation = left(
            &mut solver,
            &factor,
            &layout,
            free,
            &mut modes,
            &mut impulse,
        );
        unsolved += u32::from(violation > 1e-9);
    }
    assert_eq!(unsolved, 0);
}
