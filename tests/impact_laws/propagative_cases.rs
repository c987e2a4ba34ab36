//! Propagative impacts with known answers: chains, wedges, redundant contacts, budgets.

use std::time::Duration;

use crate::random_impacts::{Parts, Random};
use carom::impact::propagative::{EnumerationBudget, PropagativeReport, PropagativeSettings};
use carom::impact::verdict::{Ground, all_outcome_impulses, certify};
use carom::impact::{
    Contact, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, Plastic, PreImpact, Propagative,
    Uniqueness, verdict,
};
use carom::laws::LawRegistry;
use nalgebra::{DMatrix, DVector};

/// Balls on a line, each touching the next.
fn cradle(masses: &[f64], velocity: &[f64], restitution: f64) -> ImpactProblem {
    let n = masses.len();
    let contacts: Vec<Contact> = (1..n)
        .map(|i| {
            let mut u = DVector::zeros(n);
            u[i - 1] = -1.0;
            u[i] = 1.0;
            Contact::new(&format!("{}{i}", i - 1), u).with_restitution(restitution)
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_column_slice(masses)),
        PreImpact::Velocity(DVector::from_column_slice(velocity)),
        &contacts,
    )
    .expect("valid")
}

#[test]
fn thirteen_equal_balls_are_certified_and_sorted() {
    let mut velocity: Vec<f64> = (0..13).map(|i| 6.0 - f64::from(i)).collect();
    let problem = cradle(&[1.0; 13], &velocity, 1.0);
    let certificate = certify(problem.contact_space(), 1e-9)
        .expect("valid")
        .expect("certified");
    assert!(certificate.unique_for_every_momentum);
    assert_eq!(certificate.reason, "reflection-group");
    assert_eq!(certificate.angles.len(), 66);
    let answer = Propagative::default().resolve(&problem).expect("solved");
    assert_eq!(answer.details.fields()["group"], "A12");
    assert_eq!(answer.unique(), Some(true));
    // Equal balls exchange velocities: the outcome is the sorted one, after as many swaps as there are
    // inversions, all 78 here.
    let outcome = &answer.outcomes[0];
    assert_eq!(outcome.sequence.as_ref().map(Vec::len), Some(78));
    assert_eq!(outcome.minimal, Some(true));
    velocity.sort_by(f64::total_cmp);
    for (v, want) in outcome.velocity.iter().zip(&velocity) {
        assert!((v - want).abs() <= 1e-13 * 78.0);
    }
    let verdict =
        verdict(problem.contact_space(), 20.0, &EnumerationBudget::default()).expect("solved");
    assert_eq!(verdict, Uniqueness::unique(Ground::Certificate));
}

#[test]
fn a_complete_enumeration_beyond_the_budget_is_declined_in_words() {
    let velocity: Vec<f64> = (0..13).map(|i| 6.0 - f64::from(i)).collect();
    let problem = cradle(&[1.0; 13], &velocity, 1.0);
    let within = |budget: EnumerationBudget| {
        let settings = PropagativeSettings {
            all: true,
            budget,
            ..PropagativeSettings::default()
        };
        Propagative::new(settings).expect("in range")
    };
    let few = EnumerationBudget {
        states: 2_000,
        words: 100,
        wall_time: None,
    };
    let mut law = within(few);
    let answer = law.resolve(&problem).expect("solved");
    assert_eq!(answer.status, ImpactStatus::Capped);
    let report = answer.details.get::<PropagativeReport>().expect("its own");
    assert!(report.orders.capped);
    let word = report
        .orders
        .enumeration_declined
        .as_ref()
        .expect("a reason");
    assert!(word.contains("max_"), "{word}");
    // The certificate still decides.
    assert_eq!(answer.unique(), Some(true));
    assert_eq!(answer.outcomes.len(), 1);

    // Without a certificate, two outcomes refute uniqueness, and one leaves it open.
    let mut masses = [1.0; 13];
    masses[6] = 2.0;
    let problem = cradle(&masses, &velocity, 1.0);
    let answer = law.resolve(&problem).expect("solved");
    assert_eq!(answer.status, ImpactStatus::Capped);
    assert_eq!(answer.unique(), Some(false));
    assert!(answer.certificate.is_none());
    let short = EnumerationBudget {
        states: 100_000_000,
        wall_time: Some(Duration::from_millis(50)),
        ..few
    };
    let answer = within(short).resolve(&problem).expect("solved");
    assert_eq!(answer.status, ImpactStatus::Capped);
    let word = answer.details.fields()["enumeration_declined"].to_string();
    assert!(
        word.contains("wall time") || word.contains("max_words"),
        "{word}"
    );
}

#[test]
fn a_capped_enumeration_with_one_outcome_does_not_claim_uniqueness() {
    // A certificate is missing (one mass differs), yet the momentum meets a chain of equal balls only.
    let masses = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0];
    let problem = cradle(&masses, &[5.0, 4.0, 3.0, 2.0, 1.0, 0.0, 9.0], 1.0);
    let mut law = Propagative::default();
    let complete = law.resolve(&problem).expect("solved");
    assert_eq!(complete.unique(), Some(true));
    let mut settings = PropagativeSettings::default();
    settings.budget.states = 20;
    let capped = Propagative::new(settings)
        .expect("in range")
        .resolve(&problem)
        .expect("solved");
    assert_eq!(capped.unique(), None);
    assert_eq!(capped.status, ImpactStatus::Capped);
}

#[test]
fn every_sequence_of_a_symmetric_chain_merges_into_one_outcome() {
    // Six equal balls in full collision: the words are the reduced words of the longest element of S6,
    // 292 864 by the hook length formula for the staircase, over 720 momenta.
    let problem = cradle(&[1.0; 6], &[5.0, 4.0, 3.0, 2.0, 1.0, 0.0], 1.0);
    let mut settings = PropagativeSettings {
        all: true,
        ..PropagativeSettings::default()
    };
    settings.budget.words = 1_000;
    let mut law = Propagative::new(settings).expect("in range");
    let answer = law.resolve(&problem).expect("solved");
    assert_eq!(answer.outcomes.len(), 1);
    let report = answer.details.get::<PropagativeReport>().expect("its own");
    assert_eq!(report.orders.states, Some(720));
    assert_eq!(report.orders.words, Some(292_864));
    assert_eq!(report.orders.longest, Some(15));
    assert_eq!(answer.unique(), Some(true));
    assert!(answer.outcomes[0].sequences.is_empty());
}

#[test]
fn wedged_contacts_are_named() {
    let normal = |x: f64, y: f64| DVector::from_vec(vec![x, y]);
    let problem = ImpactProblem::new(
        DMatrix::identity(2, 2),
        PreImpact::Velocity(DVector::from_vec(vec![1.0, -1.0])),
        &[
            Contact::new("floor", normal(0.0, 1.0)),
            Contact::new("left", normal(1.0, 0.0)),
            Contact::new("right", normal(-3.0, 0.0)),
        ],
    )
    .expect("valid");
    let wanted = ImpactError::Wedged {
        contacts: vec!["left".to_string(), "right".to_string()],
    };
    for mut law in [Propagative::default(), Propagative::all_orders()] {
        assert_eq!(law.resolve(&problem).expect_err("wedged"), wanted);
        let mut impulse = DVector::zeros(3);
        let error = law
            .impulse(problem.contact_space(), &mut impulse)
            .expect_err("wedged");
        assert!(matches!(error, ImpactError::Wedged { contacts } if contacts.len() == 2));
    }
    // The projection needs no guarantee: the body stops.
    let plastic = Plastic::default().resolve(&problem).expect("solved");
    assert!(plastic.outcomes[0].velocity.norm() <= 1e-15);
}

/// A block on four feet in three dimensions: z, roll, pitch.
fn block(restitution: f64) -> ImpactProblem {
    let contacts: Vec<Contact> = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        .iter()
        .enumerate()
        .map(|(i, &(x, y))| {
            Contact::new(&format!("foot{i}"), DVector::from_vec(vec![1.0, y, -x]))
                .with_restitution(restitution)
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_vec(vec![4.0, 1.0, 2.0])),
        PreImpact::Velocity(DVector::from_vec(vec![-1.0, 0.0, 0.0])),
        &contacts,
    )
    .expect("valid")
}

#[test]
fn redundant_feet_share_the_plastic_impulse() {
    let answer = Plastic::default().resolve(&block(0.0)).expect("solved");
    let outcome = &answer.outcomes[0];
    for impulse in &outcome.impulses {
        assert!((impulse.normal - 1.0).abs() <= 1e-14);
    }
    assert!(outcome.velocity.norm() <= 1e-15);
    assert_eq!(outcome.details.fields()["impulses_unique"], false);
    let mut impulse = DVector::zeros(4);
    Plastic::default()
        .impulse(block(0.0).contact_space(), &mut impulse)
        .expect("solved");
    assert!((impulse - DVector::from_element(4, 1.0)).amax() <= 1e-14);
}

#[test]
fn least_norm_impulses_respect_the_sign() {
    // Three collinear supports, the load near one end: without signs the far foot would pull.
    let feet = [-1.0, 0.0, 1.0];
    let contacts: Vec<Contact> = feet
        .iter()
        .enumerate()
        .map(|(i, &x)| Contact::new(&format!("f{i}"), DVector::from_vec(vec![1.0, x])))
        .collect();
    let problem = ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0])),
        PreImpact::Velocity(DVector::from_vec(vec![-1.0, -0.9])),
        &contacts,
    )
    .expect("valid");
    let answer = Plastic::default().resolve(&problem).expect("solved");
    let s: Vec<f64> = answer.outcomes[0]
        .impulses
        .iter()
        .map(|i| i.normal)
        .collect();
    // Sum 1, moment 0.9: unsigned least norm is (1/3 − 0.45, 1/3, 1/3 + 0.45); with s₀ = 0, (0, 0.1, 0.9).
    for (found, want) in s.iter().zip([0.0, 0.1, 0.9]) {
        assert!((found - want).abs() <= 1e-13, "{s:?}");
    }
}

#[test]
fn redundant_feet_bounce_elastically() {
    let answer = Propagative::all_orders()
        .resolve(&block(1.0))
        .expect("solved");
    for outcome in &answer.outcomes {
        assert!((outcome.energy.after - outcome.energy.before).abs() <= 1e-13);
        assert!(!outcome.sequences.is_empty());
    }
    assert_eq!(answer.unique(), Some(answer.outcomes.len() == 1));
}

#[test]
fn a_duplicated_contact_doubles_the_sequences_but_not_the_outcome() {
    let u = DVector::from_vec(vec![1.0, 0.2]);
    let problem = ImpactProblem::new(
        DMatrix::identity(2, 2),
        PreImpact::Velocity(DVector::from_vec(vec![-1.0, 0.5])),
        &[Contact::new("a", u.clone()), Contact::new("again", u * 3.0)],
    )
    .expect("valid");
    let answer = Propagative::all_orders().resolve(&problem).expect("solved");
    assert_eq!(answer.outcomes.len(), 1);
    assert_eq!(answer.outcomes[0].minimal_sequences, vec![vec![0], vec![1]]);
    assert_eq!(answer.unique(), Some(true));
    let plastic = Plastic::default().resolve(&problem).expect("solved");
    let along = problem.rows() * &plastic.outcomes[0].velocity;
    assert!(along.amax() <= 1e-15);
}

#[test]
fn contacts_at_rest_need_no_reflection_and_zero_normals_are_refused() {
    // A block that slides: no normal velocity up to rounding.
    let problem = ImpactProblem::new(
        DMatrix::identity(2, 2),
        PreImpact::Velocity(DVector::from_vec(vec![3.0, -1e-17])),
        &[Contact::new("floor", DVector::from_vec(vec![0.0, 1.0]))],
    )
    .expect("valid");
    let answer = Propagative::default().resolve(&problem).expect("solved");
    assert_eq!(answer.outcomes[0].sequence, Some(vec![]));
    assert_eq!(answer.unique(), Some(true));
    let refused = ImpactProblem::new(
        DMatrix::identity(1, 1),
        PreImpact::Velocity(DVector::from_vec(vec![1.0])),
        &[Contact::new("none", DVector::zeros(1))],
    );
    assert!(matches!(refused, Err(ImpactError::ZeroRow { .. })));
}

#[test]
fn mixed_restitution_weighs_the_work_of_compression() {
    // Two independent walls: each takes the work of its own approach, ½·1² and ½·2².
    let walls = |e: [f64; 2]| {
        ImpactProblem::new(
            DMatrix::identity(2, 2),
            PreImpact::Velocity(DVector::from_vec(vec![-1.0, -2.0])),
            &[
                Contact::new("x", DVector::from_vec(vec![1.0, 0.0])).with_restitution(e[0]),
                Contact::new("y", DVector::from_vec(vec![0.0, 1.0])).with_restitution(e[1]),
            ],
        )
        .expect("valid")
    };
    let answer = Propagative::default()
        .resolve(&walls([0.5, 1.0]))
        .expect("solved");
    let square: f64 = (0.25 + 4.0) / 5.0;
    let outcome = &answer.outcomes[0];
    assert!((outcome.energy.after - square * 2.5).abs() <= 1e-14);
    assert_eq!(answer.unique(), Some(true));
    let certificate = answer.certificate.expect("orthogonal");
    assert_eq!(certificate.reason, "orthogonal");

    // Balls of equal mass with different coefficients: contacts joined by an odd order trade their work,
    // so the same elastic outcome has several R and the certificate is withheld.
    let mut problem = cradle(&[1.0; 3], &[1.0, 0.0, -0.4], 1.0);
    let contacts: Vec<Contact> = (0..2)
        .map(|i| {
            Contact::new(&format!("c{i}"), problem.rows().row(i).transpose())
                .with_restitution([0.3, 0.9][i])
        })
        .collect();
    problem = ImpactProblem::new(
        DMatrix::identity(3, 3),
        PreImpact::Velocity(problem.velocity().clone()),
        &contacts,
    )
    .expect("valid");
    let answer = Propagative::all_orders().resolve(&problem).expect("solved");
    assert!(answer.certificate.is_none());
    assert_eq!(answer.outcomes.len(), 2);
    assert_eq!(answer.unique(), Some(false));
}

#[test]
fn contact_space_verdict_agrees_with_the_full_answer() {
    let mut random = Random::new(20);
    for _ in 0..300 {
        let m = random.between(1, 5);
        let n = random.between(m, 8);
        let mut parts = Parts::random(&mut random, m, n);
        parts.restitution = vec![0.5 + 0.5 * random.uniform().round(); m];
        let problem = parts.problem();
        let space = problem.contact_space();
        let norm = problem.kinetic_norm(problem.momentum());
        let budget = EnumerationBudget::default();
        let full = Propagative::all_orders().resolve(&problem).expect("solved");
        let short = verdict(space, norm, &budget).expect("solved");
        assert_eq!(short.decided(), full.unique());
        assert_eq!(short.outcomes(), full.outcomes.len());
        // Distances from the Gram matrix alone lose half the digits of its small directions.
        assert!((short.indeterminacy() - full.indeterminacy()).abs() <= 1e-7);
        let (impulses, complete) = all_outcome_impulses(space, norm, &budget).expect("solved");
        assert!(complete);
        assert_eq!(impulses.len(), full.outcomes.len());
        for found in &impulses {
            let momentum = problem.momentum_after(&found.impulse);
            let near = full
                .outcomes
                .iter()
                .any(|o| problem.kinetic_norm(&(&o.momentum - &momentum)) <= 1e-9 * norm);
            assert!(near);
        }
    }
}

#[test]
fn bad_parameters_and_friction_are_refused() {
    let laws = LawRegistry::standard();
    let mut draft = laws.get("propagative").expect("registered").draft();
    for (name, value) in [
        ("order", "fastest"),
        ("tolerance", "-1"),
        ("tolerance", "NaN"),
        ("max_words", "0"),
        ("max_seconds", "inf"),
        ("speed", "1"),
    ] {
        assert!(matches!(
            draft.set(name, value),
            Err(ImpactError::Parameter { .. })
        ));
    }
    draft.set("order", "random").expect("known");
    draft.set("seed", "3").expect("known");
    let mut law = draft.build().expect("in range");
    let contact = Contact::new("rough", DVector::from_vec(vec![1.0])).with_friction(vec![], 0.4);
    let problem = ImpactProblem::new(
        DMatrix::identity(1, 1),
        PreImpact::Velocity(DVector::from_vec(vec![-1.0])),
        &[contact],
    )
    .expect("valid");
    assert!(matches!(
        law.resolve(&problem),
        Err(ImpactError::Unsupported { .. })
    ));
}
