//! Several contacts, parameters and refusals.

use carom::impact::dissipation::{
    ContactBlock, MaxDissipationOutcome, MaxDissipationReport, MaxDissipationSettings,
};
use carom::impact::{
    Contact, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, MaxDissipation, PreImpact,
    ReflectionOrder,
};
use carom::laws::LawRegistry;
use nalgebra::{DMatrix, DVector, Vector3};

use super::problems::{Stream, problem, reference};

/// Several contacts on one system of six degrees of freedom.
fn several_contacts(seed: u64, m: usize, friction: f64) -> ImpactProblem {
    let mut s = Stream(seed);
    let n = 6;
    let l = DMatrix::from_fn(n, n, |_, _| s.between(-1.0, 1.0));
    let mass = &l * l.transpose() + DMatrix::identity(n, n);
    let mut row = || DVector::from_fn(n, |_, _| s.between(-1.0, 1.0));
    let velocity = row();
    let contacts: Vec<Contact> = (0..m)
        .map(|i| {
            let normal = row();
            Contact::new(&format!("c{i}"), normal)
                .with_friction(vec![0.7 * row(), 0.7 * row()], friction)
                .with_restitution(0.0)
        })
        .collect();
    ImpactProblem::new(mass, PreImpact::Velocity(velocity), &contacts).unwrap()
}

#[test]
fn several_contacts_reach_a_fixed_point_that_loses_energy() {
    for seed in 0..200 {
        let problem = several_contacts(seed, 2 + (seed % 4) as usize, 0.4);
        let space = problem.contact_space();
        let mut law = MaxDissipation::default();
        let mut impulse = DVector::zeros(space.rows());
        let report = law.impulse(space, &mut impulse).unwrap();
        assert_eq!(report.status, ImpactStatus::Resolved, "{seed}");
        assert_eq!(law.convergence_history().len(), report.steps);
        assert!(law.convergence_history().last().unwrap() <= &1e-12);
        // ΔE ≤ −½ ΛᵀGΛ at a fixed point.
        let work = 0.5 * impulse.dot(&(&space.delassus * &impulse));
        assert!(space.energy_change(&impulse) <= -work + 1e-12 * problem.kinetic_energy());
        for j in 0..space.len() {
            let block = ContactBlock::from_space(space, j, &impulse);
            let (x, _) = block.maximum_dissipation();
            let own = impulse.rows(space.contacts[j].normal, 3);
            // The default tolerance, as a distance; G is conditioned below 1e3.
            assert!((x - own).norm() <= 1e-9, "{seed}");
            let normal = block.velocity_after(&x)[0];
            assert!(normal >= -1e-12);
        }
        // From the solution the next resolution is immediate.
        let report = law.impulse_from(space, &mut impulse).unwrap();
        assert!(report.steps <= 2, "{}", report.steps);
    }
}

/// Contacts that do not act on each other: the answer is that of each alone, in any order.
#[test]
fn independent_contacts_are_resolved_alone() {
    let cases = reference();
    let pick: Vec<ImpactProblem> = cases[10..14]
        .iter()
        .map(|c| problem(&c["problem"]))
        .collect();
    let n = 3 * pick.len();
    let assemble = |order: &[usize]| {
        let mut mass = DMatrix::zeros(n, n);
        let mut velocity = DVector::zeros(n);
        let mut contacts = Vec::new();
        for (i, one) in pick.iter().enumerate() {
            mass.view_mut((3 * i, 3 * i), (3, 3))
                .copy_from(one.mass_matrix());
            velocity.rows_mut(3 * i, 3).copy_from(one.velocity());
        }
        for &i in order {
            let unit = |k: usize| DVector::from_fn(n, |row, _| f64::from(row == 3 * i + k));
            let friction = pick[i].contact_space().contacts[0].friction;
            contacts.push(
                Contact::new(&format!("c{i}"), unit(0))
                    .with_friction(vec![unit(1), unit(2)], friction)
                    .with_restitution(0.0),
            );
        }
        ImpactProblem::new(mass, PreImpact::Velocity(velocity), &contacts).unwrap()
    };
    let velocity = |order: &[usize]| {
        let answer = MaxDissipation::default().resolve(&assemble(order)).unwrap();
        answer.outcomes[0].velocity.clone()
    };
    let together = velocity(&[0, 1, 2, 3]);
    // Inverting the assembled mass matrix rounds differently from inverting its blocks.
    assert!((velocity(&[2, 0, 3, 1]) - &together).norm() < 1e-11);
    for (i, one) in pick.iter().enumerate() {
        let alone = MaxDissipation::default().resolve(one).unwrap();
        let difference = &alone.outcomes[0].velocity - together.rows(3 * i, 3);
        assert!(difference.norm() < 1e-11, "{}", difference.norm());
    }
}

/// A box that lands flat on four feet: the normals depend on each other, so the impulses are not unique, but the
/// box stops.
#[test]
fn redundant_feet_stop_a_box() {
    let feet = [(1.0, 0.6), (1.0, -0.6), (-1.0, 0.6), (-1.0, -0.6)];
    let height = 0.4;
    let contacts: Vec<Contact> = feet
        .iter()
        .enumerate()
        .map(|(i, (x, y))| {
            // Twist [v; ω] of the centre; the foot is at (x, y, −height).
            let row = |e: [f64; 3]| {
                let r = Vector3::new(*x, *y, -height);
                let moment = r.cross(&Vector3::from(e));
                DVector::from_vec(vec![e[0], e[1], e[2], moment[0], moment[1], moment[2]])
            };
            Contact::new(&format!("foot {i}"), row([0.0, 0.0, 1.0]))
                .with_friction(vec![row([1.0, 0.0, 0.0]), row([0.0, 1.0, 0.0])], 0.9)
                .with_restitution(0.0)
        })
        .collect();
    let inertia = DVector::from_vec(vec![2.0, 2.0, 2.0, 0.35, 0.8, 0.9]);
    let problem = ImpactProblem::new(
        DMatrix::from_diagonal(&inertia),
        PreImpact::Velocity(DVector::from_vec(vec![0.3, -0.1, -1.0, 0.0, 0.0, 0.2])),
        &contacts,
    )
    .unwrap();
    let answer = MaxDissipation::default().resolve(&problem).unwrap();
    assert_eq!(answer.status, ImpactStatus::Resolved);
    let outcome = &answer.outcomes[0];
    assert!(outcome.velocity.norm() < 1e-11, "{}", outcome.velocity);
    let details = outcome.details.get::<MaxDissipationOutcome>().unwrap();
    assert_eq!(details.branch.len(), 4);
    let swept = details.sweeps.as_ref().unwrap();
    assert_eq!(swept.convergence.len(), swept.sweeps);
}

#[test]
fn says_what_it_does_with_restitution_and_parameters() {
    let contact = |restitution: f64| {
        let unit = DVector::from_vec(vec![1.0]);
        let contact = Contact::new("c", unit).with_restitution(restitution);
        ImpactProblem::new(
            DMatrix::identity(1, 1),
            PreImpact::Velocity(DVector::from_vec(vec![-1.0])),
            &[contact],
        )
        .unwrap()
    };
    let mut law = MaxDissipation::default();
    for (restitution, noted) in [(0.0, false), (1.0, false), (0.5, true)] {
        let answer = law.resolve(&contact(restitution)).unwrap();
        let report = answer.details.get::<MaxDissipationReport>().unwrap();
        assert_eq!(!report.notes.is_empty(), noted);
        assert_eq!(answer.outcomes[0].velocity[0], 0.0);
        assert_eq!(answer.unique(), Some(true));
    }
    let laws = LawRegistry::standard();
    let mut draft = laws.get("max-dissipation").unwrap().draft();
    assert!(draft.set("max_sweeps", "7").is_ok());
    for (name, value) in [
        ("tolerance", "-1"),
        ("tolerance", "nan"),
        ("max_sweeps", "0"),
        ("theta", "1"),
    ] {
        let error = draft.set(name, value).unwrap_err();
        assert!(matches!(error, ImpactError::Parameter { .. }));
    }
}

#[test]
fn refuses_what_is_not_a_number() {
    let problem = several_contacts(1, 2, 0.4);
    let mut law = MaxDissipation::default();
    let mut impulse = DVector::zeros(6);
    let mut space = problem.contact_space().clone();
    space.velocity[4] = f64::NAN;
    assert!(matches!(
        law.impulse(&space, &mut impulse),
        Err(ImpactError::NotFinite { .. })
    ));
    let mut space = problem.contact_space().clone();
    space.delassus[(0, 0)] = 0.0;
    assert!(matches!(
        law.impulse(&space, &mut impulse),
        Err(ImpactError::OutOfRange { .. })
    ));
}

/// When the sweeps do not suffice the answer says so and returns where they stood.
#[test]
fn reports_that_the_sweeps_ran_out() {
    let problem = several_contacts(22, 4, 0.4);
    let mut law = MaxDissipation::new(MaxDissipationSettings {
        max_sweeps: 3,
        ..MaxDissipationSettings::default()
    })
    .unwrap();
    let answer = law.resolve(&problem).unwrap();
    assert_eq!(answer.status, ImpactStatus::NotTerminated);
    assert_eq!(law.convergence_history().len(), 3);
    assert_eq!(answer.unique(), None);
}

/// Friction of a contact that jams makes a second one approach, and what stops that one opens the first: whatever is closed,
/// something is wrong, and sweeps go round. The example of the page of the law, in numbers.
#[test]
fn a_problem_without_a_fixed_point_is_known_by_its_cycle() {
    let delassus =
        DMatrix::from_row_slice(3, 3, &[1.0, -0.8, 0.3, -0.8, 1.0, -0.6, 0.3, -0.6, 1.0]);
    let row = |i: usize| DVector::from_fn(3, |k, _| f64::from(u8::from(k == i)));
    let contacts = [
        Contact::new("rough", row(0)).with_friction(vec![row(1)], 2.0),
        Contact::new("smooth", row(2)),
    ];
    let mass = delassus.clone().try_inverse().unwrap();
    let before = DVector::from_vec(vec![-0.1, -1.0, 0.1]);
    let problem = ImpactProblem::new(mass, PreImpact::Velocity(before.clone()), &contacts).unwrap();
    // With the second contact open the first one jams, and the second approaches.
    let space = problem.contact_space();
    let block = ContactBlock::from_space(space, 0, &DVector::zeros(3));
    let (x, _) = block.maximum_dissipation();
    let jammed = DVector::from_vec(vec![x[0], x[1], 0.0]);
    assert!((&before + &delassus * &jammed)[2] < -0.1);
    // Stopped it opens the first, which then has no impulse; without that the second separates.
    for deep in [0.0, 0.05, 0.1] {
        let mut closed = block;
        closed.velocity[0] = -deep;
        let (x, _) = closed.maximum_dissipation();
        let stop = -(before[2] + 0.3 * x[0] - 0.6 * x[1]);
        assert!(before[0] + 0.3 * stop > 0.0, "{deep} {stop}");
    }
    let mut law = MaxDissipation::default();
    let answer = law.resolve(&problem).unwrap();
    assert_eq!(answer.status, ImpactStatus::NotTerminated);
    assert!(law.convergence_history().len() < 100);
    assert!(answer.outcomes[0].energy.after <= answer.outcomes[0].energy.before);
}

/// Much friction, with which sweeps often do not come to an end: wherever they stand, no energy is given.
#[test]
fn an_answer_without_an_end_gives_no_energy() {
    let mut without_end = 0;
    for seed in 0..400 {
        let problem = several_contacts(seed, 3 + (seed % 3) as usize, 2.0);
        let space = problem.contact_space();
        let mut law = MaxDissipation::new(MaxDissipationSettings {
            max_sweeps: 200,
            ..MaxDissipationSettings::default()
        })
        .unwrap();
        let mut impulse = DVector::zeros(space.rows());
        let report = law.impulse(space, &mut impulse).unwrap();
        without_end += usize::from(report.status == ImpactStatus::NotTerminated);
        let given = space.energy_change(&impulse);
        assert!(given <= 1e-12 * problem.kinetic_energy(), "{seed}: {given}");
    }
    assert!(without_end > 10, "{without_end}");
}

/// One sweep shows which contact came first: the other one is left at rest along its normal. Sweeps to the end find
/// the same impulse from either side, because without friction there is only one.
#[test]
fn sweeps_follow_the_order_asked_for() {
    let normals = [vec![-0.6, 0.8], vec![1.0, 0.0]];
    let names = ["slope", "wall"];
    let contacts: Vec<Contact> = names
        .into_iter()
        .zip(normals)
        .map(|(name, n)| Contact::new(name, DVector::from_vec(n)))
        .collect();
    // Closing speeds 1.2 and 2.
    let velocity = PreImpact::Velocity(DVector::from_vec(vec![-2.0, -3.0]));
    let problem = ImpactProblem::new(DMatrix::identity(2, 2), velocity, &contacts).unwrap();
    let solve = |order: ReflectionOrder, max_sweeps: usize| {
        let mut law = MaxDissipation::new(MaxDissipationSettings {
            order,
            max_sweeps,
            ..MaxDissipationSettings::default()
        })
        .unwrap();
        let mut impulse = DVector::zeros(2);
        law.impulse(problem.contact_space(), &mut impulse).unwrap();
        impulse
    };
    // The only sweep of one takes half steps: 1.2/2 and (2 + 0.6 · 0.6)/2; 2/2 and (1.2 + 0.6 · 1)/2.
    let first = DVector::from_vec(vec![0.6, 1.18]);
    let second = DVector::from_vec(vec![0.9, 1.0]);
    for (order, expected) in [
        (ReflectionOrder::Index, &first),
        (ReflectionOrder::LeastViolated, &first),
        (ReflectionOrder::MostViolated, &second),
    ] {
        let found = solve(order, 1);
        assert!((&found - expected).norm() < 1e-14, "{order:?}: {found}");
        let end = solve(order, 1000);
        let listed = solve(ReflectionOrder::Index, 1000);
        assert!((end - listed).norm() < 1e-11, "{order:?}");
    }
    let drawn = solve(ReflectionOrder::Random, 1);
    assert!((&drawn - &first).norm() < 1e-14 || (&drawn - &second).norm() < 1e-14);
    let laws = LawRegistry::standard();
    let mut draft = laws.get("max-dissipation").unwrap().draft();
    let refused = draft.set("order", "fastest");
    assert!(refused.unwrap_err().to_string().contains("least-violated"));
}
