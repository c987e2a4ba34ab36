//! The law `plus` where friction drives a contact into the surface against its own normal impulse.

use crate::stronge_ode::Contact as Spatial;
use crate::stronge_process::{Draw, distance, rows, solve, space};
use carom::impact::plus::{PlusPhase, PlusSettings};
use carom::impact::{Contact, ImpactLaw, ImpactProblem, ImpactStatus, Plus, PreImpact};
use nalgebra::{DMatrix, DVector, dvector};

/// A = (1, 0.6; 0.6, 1), μ = 2: sliding, the normal velocity grows by 1 − 2 · 0.6 = −0.2 a unit of normal impulse.
fn jam(restitution: f64) -> ImpactProblem {
    let contact = Contact::new("A", dvector![0.6, 0.8])
        .with_friction(vec![dvector![1.0, 0.0]], 2.0)
        .with_restitution(restitution);
    let before = PreImpact::Velocity(dvector![5.0, -5.0]);
    ImpactProblem::new(DMatrix::identity(2, 2), before, &[contact]).unwrap()
}

/// The slide of 5 m/s ends after a normal impulse of 5/1.4, with an approach of 1 + 0.2 · 5/1.4; what sticks then is compressed
/// by 1.714/0.64. Together that is 6.25, which stops the mass; half of it comes back.
#[test]
fn a_jam_is_pressed_on_until_its_slide_ends() {
    let stopped = Plus::default().resolve(&jam(0.0)).unwrap();
    assert_eq!(stopped.status, ImpactStatus::Resolved);
    let outcome = &stopped.outcomes[0];
    assert!((outcome.impulses[0].normal - 6.25).abs() < 1e-12);
    assert!((outcome.impulses[0].tangential[0] + 8.75).abs() < 1e-12);
    assert!(outcome.velocity.norm() < 1e-12, "{}", outcome.velocity);

    // While it expands it goes on sticking: −0.6 of the normal impulse, within the cone.
    let bounced = Plus::default().resolve(&jam(0.5)).unwrap();
    let impulse = &bounced.outcomes[0].impulses[0];
    assert!((impulse.normal - 1.5 * 6.25).abs() < 1e-12);
    assert!((impulse.tangential[0] + 8.75 + 0.6 * 0.5 * 6.25).abs() < 1e-12);
}

/// In the limit of small turns and slides it is the continuous process, which Stronge's law integrates in closed form: without
/// restitution both end where the compression does. Intervals take the direction of their start, so the error is of first order.
#[test]
fn jams_in_space_end_as_the_continuous_process_does() {
    let mut draw = Draw::new(23);
    let mut jams = 0;
    let mut errors = [0.0; 2];
    while jams < 60 {
        let w = draw.definite(0.1);
        let (angle, speed) = (draw.between(-3.2, 3.2), draw.power(-1.0, 1.0));
        let [c, s] = [angle.cos(), angle.sin()];
        let own = Spatial {
            w: rows(&w),
            mu: draw.between(0.5, 3.0),
            e: 0.0,
            velocity: [speed * c, speed * s, -1.0],
        };
        if w[(2, 2)] > own.mu * (w[(0, 2)] * c + w[(1, 2)] * s) {
            continue;
        }
        jams += 1;
        let expected = solve(&own);
        for (error, theta_max) in errors.iter_mut().zip([4e-3, 1e-3]) {
            let mut law = Plus::new(PlusSettings {
                v_capture: 0.0,
                v_plastic: 0.0,
                v_transition: theta_max,
                theta_max,
                alpha_min: 1e-9,
                ..PlusSettings::default()
            })
            .unwrap();
            let mut impulse = DVector::zeros(3);
            let report = law.impulse(&space(&own), &mut impulse).unwrap();
            assert_eq!(report.status, ImpactStatus::Resolved);
            let found = [impulse[1], impulse[2], impulse[0]];
            *error += distance(found, expected) / distance(expected, [0.0; 3]);
            let [x, y, z] = found;
            assert!(x.hypot(y) <= own.mu * z * (1.0 + 1e-12));
        }
    }
    let [coarse, fine] = errors.map(|error| error / f64::from(jams));
    // No interval is off by more than its turn. A quarter of it leaves a quarter of the error.
    assert!(coarse < 4e-3, "{coarse}");
    assert!((3.0..5.0).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// A contact that may roll but has too little friction for it, close to the border of the cone or far from it: it is stopped, in the
/// cone, whatever the directions that friction couples.
#[test]
fn slow_slips_are_stopped() {
    let mut draw = Draw::new(41);
    let settings = PlusSettings::default();
    let mut law = Plus::new(settings).unwrap();
    for problem in 0..4000 {
        let w = draw.definite(1e-3);
        let (angle, slip) = (draw.between(-3.2, 3.2), settings.v_transition);
        let slip = slip * draw.power(-3.0, 0.0);
        let own = Spatial {
            w: rows(&w),
            mu: draw.between(0.0, 1.5),
            e: 0.0,
            velocity: [slip * angle.cos(), slip * angle.sin(), -1.0],
        };
        let space = space(&own);
        let mut impulse = DVector::zeros(3);
        let report = law.impulse(&space, &mut impulse).unwrap();
        assert_eq!(report.status, ImpactStatus::Resolved, "{problem}");
        let after = &space.velocity + &space.delassus * &impulse;
        // What counts as zero is 1e-10 of the largest velocity.
        assert!(after[0].abs() <= 1e-9, "{problem}: {after}");
        let friction = impulse[1].hypot(impulse[2]);
        assert!(friction <= own.mu * impulse[0] * (1.0 + 1e-9), "{problem}");
        let added = own.mu * impulse[0] * settings.v_transition;
        let gained = space.energy_change(&impulse);
        assert!(gained <= added, "{problem}: {gained}");
    }
}

/// Two jams of one body at once: neither is pressed on where the other one parts it, and no energy comes.
#[test]
fn jams_of_one_body_press_on_only_what_approaches() {
    let mut draw = Draw::new(31);
    let mut jams = 0;
    let v_transition = 1e-3;
    let settings = PlusSettings {
        v_capture: 0.0,
        v_plastic: 0.0,
        v_transition,
        ..PlusSettings::default()
    };
    let mut law = Plus::new(settings).unwrap();
    while jams < 200 {
        let mut row = || DVector::from_fn(3, |_, _| draw.between(-1.0, 1.0));
        let contacts = ["A", "B"].map(|name| {
            let (normal, tangent) = (row(), row());
            Contact::new(name, normal).with_friction(vec![tangent], 3.0)
        });
        let before = PreImpact::Velocity(5.0 * row());
        let problem = ImpactProblem::new(DMatrix::identity(3, 3), before, &contacts).unwrap();
        let space = problem.contact_space();
        let (a, v) = (&space.delassus, &space.velocity);
        let jammed =
            [0, 2].map(|z| v[z] < 0.0 && a[(z, z)] < 3.0 * a[(z, z + 1)] * v[z + 1].signum());
        if jammed != [true; 2] {
            continue;
        }
        jams += 1;
        let (answer, trace) = law.resolve_traced(&problem).unwrap();
        assert_eq!(answer.status, ImpactStatus::Resolved, "{jams}");
        let outcome = &answer.outcomes[0];
        let mut last = [v[0], v[2]];
        for interval in &trace.intervals {
            for (last, point) in last.iter_mut().zip(&interval.points) {
                let pressed = point.phase == PlusPhase::Compressing && point.impulse.normal > 0.0;
                let now = point.velocity[0];
                // Speeds are up to 15 m/s and known to their rounding.
                let parts = *last < 0.0 && now > 1e-9;
                assert!(!(pressed && parts), "{jams}: {last} {point:?}");
                *last = now;
            }
        }
        let normals: f64 = outcome.impulses.iter().map(|own| own.normal).sum();
        // What a contact that is about to slip may add (documentation of the law).
        let added = 3.0 * normals * v_transition;
        let now = problem.velocity().norm_squared();
        assert!(
            0.5 * outcome.velocity.norm_squared() <= 0.5 * now + added,
            "{jams}: {now} {}",
            outcome.velocity.norm_squared()
        );
    }
}
