//! What laws say about the number of outcomes, and that it does not depend on units or on what takes no part.

use carom::impact::propagative::{EnumerationBudget, PropagativeReport, PropagativeSettings};
use carom::impact::sequential::{ImpactSequence, SequentialSettings};
use carom::impact::verdict::{Doubt, Ground};
use carom::impact::{
    AnitescuPotra, Contact, ContactSpace, Exploration, ImpactLaw, ImpactProblem, ImpactStatus,
    Plastic, PreImpact, Propagative, ReflectionOrder, Routh, Sequential, Uniqueness, Verdict,
};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use proptest::prelude::*;

fn exploration(states: usize, alternatives: bool) -> Exploration {
    Exploration {
        budget: EnumerationBudget {
            states,
            words: states,
            wall_time: None,
        },
        alternatives,
    }
}

fn problem(mass: DMatrix<f64>, velocity: DVector<f64>, normals: &[DVector<f64>]) -> ImpactProblem {
    let contacts: Vec<_> = normals
        .iter()
        .enumerate()
        .map(|(i, n)| Contact::new(&format!("c{i}"), n.clone()).with_restitution(1.0))
        .collect();
    ImpactProblem::new(mass, PreImpact::Velocity(velocity), &contacts).unwrap()
}

/// Balls in a row with unequal masses: several outcomes.
fn row(masses: &[f64], velocity: &[f64]) -> ImpactProblem {
    let n = masses.len();
    let normals: Vec<_> = (1..n)
        .map(|i| {
            DVector::from_fn(n, |j, _| {
                f64::from(u8::from(j == i)) - f64::from(u8::from(j + 1 == i))
            })
        })
        .collect();
    let mass = DMatrix::from_diagonal(&DVector::from_column_slice(masses));
    problem(mass, DVector::from_column_slice(velocity), &normals)
}

/// A slow body strikes a wall beside a heavy fast one that touches nothing.
#[test]
fn a_slow_strike_is_seen_beside_a_heavy_fast_body() {
    let mass = dmatrix![1.0, 0.0; 0.0, 1e8];
    let problem = problem(mass, dvector![-5e-4, 1e3], &[dvector![1.0, 0.0]]);
    let answer = Propagative::default().resolve(&problem).unwrap();
    assert_eq!(answer.uniqueness, Uniqueness::unique(Ground::Certificate));
    assert_eq!(answer.outcomes[0].velocity[0], 5e-4);
    assert_eq!(answer.outcomes[0].sequence, Some(vec![0]));
    let mut impulse = DVector::zeros(1);
    Propagative::default()
        .impulse(problem.contact_space(), &mut impulse)
        .unwrap();
    assert_eq!(impulse[0], 1e-3);
}

/// Both bodies travel at 1 km/s; their relative velocity is rounding of that and no strike.
#[test]
fn rounding_of_a_contact_velocity_is_no_strike() {
    let drift = 1e3 * (1.0 + 4.0 * f64::EPSILON);
    let problem = row(&[1.0, 1.0], &[drift, 1e3]);
    assert!(problem.contact_space().velocity[0] < 0.0);
    let answer = Propagative::default().resolve(&problem).unwrap();
    assert_eq!(
        answer.uniqueness,
        Uniqueness::unique(Ground::NothingStrikes)
    );
    let mut impulse = DVector::zeros(1);
    Propagative::default()
        .impulse(problem.contact_space(), &mut impulse)
        .unwrap();
    assert_eq!(impulse[0], 0.0);
}

/// Two walls at right angles, struck by 1 m/s and by 1e-13 m/s. With tolerance 0 the second is a strike too small to
/// be told from a return to the same momentum; nothing may be lost over it.
#[test]
fn a_grazing_reflection_loses_no_outcome_at_tolerance_zero() {
    for slow in [1e-12, 1e-13, 1e-14, 1e-15] {
        let normals = [dvector![1.0, 0.0], dvector![0.6, 0.8]];
        let problem = problem(
            DMatrix::identity(2, 2),
            dvector![-1.0, 0.75 - slow],
            &normals,
        );
        let mut law = Propagative::new(PropagativeSettings {
            all: true,
            tolerance: 0.0,
            // No certificate: every order is followed.
            angle_tolerance: 0.0,
            ..PropagativeSettings::default()
        })
        .unwrap();
        let answer = law.resolve(&problem).unwrap();
        assert_eq!(answer.status, ImpactStatus::Resolved, "{slow}");
        assert!(!answer.outcomes.is_empty(), "{slow}");
        let leads: usize = answer.outcomes.iter().map(|o| o.sequences.len()).sum();
        let report = answer.details.get::<PropagativeReport>().unwrap();
        assert_eq!(Some(leads as u64), report.orders.words, "{slow}");
        for outcome in &answer.outcomes {
            for normal in &normals {
                assert!(normal.dot(&outcome.velocity) >= -1e-13, "{slow}");
            }
        }
    }
}

fn words(problem: &ImpactProblem) -> Vec<(Vec<usize>, usize)> {
    let answer = Propagative::all_orders().resolve(problem).unwrap();
    let outcomes = answer.outcomes.iter();
    let mut words: Vec<_> = outcomes
        .map(|o| (o.sequence.clone().unwrap(), o.sequences.len()))
        .collect();
    words.sort();
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Other units of mass and length, and heavy fast bodies that touch nothing, leave the sequences as they are, and
    /// the outcomes up to the units.
    #[test]
    fn units_and_what_takes_no_part_do_not_change_the_outcomes(
        masses in prop::collection::vec(0.1..10.0_f64, 4),
        velocity in prop::collection::vec(-1.0..1.0_f64, 4),
        kilograms in -30..30_i32,
        metres in -30..30_i32,
        heavy in 1.0..1e8_f64,
        fast in -1e4..1e4_f64,
    ) {
        let plain = row(&masses, &velocity);
        let (kg, m) = (2f64.powi(kilograms), 2f64.powi(metres));
        let scaled: Vec<f64> = masses.iter().map(|x| x * kg).collect();
        let speeds: Vec<f64> = velocity.iter().map(|x| x * m).collect();
        let other = row(&scaled, &speeds);
        prop_assert_eq!(words(&plain), words(&other));
        // One coordinate more, which no contact sees.
        let mut all = masses.clone();
        all.push(heavy);
        let mut moving = velocity.clone();
        moving.push(fast);
        let normals: Vec<_> = (0..3)
            .map(|i| plain.rows().row(i).transpose().push(0.0))
            .collect();
        let mass = DMatrix::from_diagonal(&DVector::from_vec(all));
        let beside = problem(mass, DVector::from_vec(moving), &normals);
        prop_assert_eq!(words(&plain), words(&beside));
        let taken = |p: &ImpactProblem| Propagative::default().resolve(p).unwrap();
        let (a, b, c) = (taken(&plain), taken(&other), taken(&beside));
        for i in 0..4 {
            // Elastic speeds stay below √(Σm / min m) < 20, the roots of the masses are rounded.
            let v = |p: &carom::impact::Resolution| p.outcomes[0].velocity[i];
            prop_assert!((v(&a) * m - v(&b)).abs() <= 1e-12 * m);
            prop_assert!((v(&a) - v(&c)).abs() <= 1e-12);
        }
        prop_assert_eq!(a.uniqueness.verdict(), c.uniqueness.verdict());
    }

    /// What a run asks for is what the full answer says, in one enumeration: the same outcome first, the same
    /// verdict, the others behind it; and the budget bounds it.
    #[test]
    fn one_exploration_gives_outcome_verdict_and_the_others(
        masses in prop::collection::vec(0.1..10.0_f64, 4),
        velocity in prop::collection::vec(-1.0..1.0_f64, 4),
    ) {
        let problem = row(&masses, &velocity);
        for order in [ReflectionOrder::MostViolated, ReflectionOrder::LeastViolated] {
            let mut law = Propagative::with_order(order);
            let full = law.resolve(&problem).unwrap();
            let run = law.explore(&problem, &exploration(20_000, true)).unwrap();
            prop_assert_eq!(&run.outcomes[0].momentum, &full.outcomes[0].momentum);
            prop_assert_eq!(run.uniqueness, full.uniqueness);
            prop_assert_eq!(run.outcomes.len(), run.uniqueness.outcomes());
            let alone = law.explore(&problem, &exploration(20_000, false)).unwrap();
            prop_assert_eq!(alone.outcomes.len(), 1);
            prop_assert_eq!(alone.uniqueness, run.uniqueness);
            let short = law.explore(&problem, &exploration(1, true)).unwrap();
            prop_assert_eq!(&short.outcomes[0].momentum, &full.outcomes[0].momentum);
            prop_assert!(short.uniqueness.verdict() != Verdict::Unique
                || full.uniqueness.verdict() == Verdict::Unique);
        }
    }
}

/// A block that falls flat on two corners: every law says what it knows.
#[test]
fn laws_do_not_claim_what_they_have_not_decided() {
    let rough = |friction: f64| {
        let tangent = dvector![1.0, 0.0, 0.5];
        let contacts = [
            Contact::new("A", dvector![0.0, 1.0, -0.5])
                .with_restitution(0.0)
                .with_friction(vec![tangent.clone()], friction),
            Contact::new("B", dvector![0.0, 1.0, 0.5])
                .with_restitution(0.0)
                .with_friction(vec![tangent], friction),
        ];
        let mass = DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.1]);
        let before = PreImpact::Velocity(dvector![0.3, -1.0, 0.0]);
        ImpactProblem::new(mass, before, &contacts).unwrap()
    };
    let said = |law: &mut dyn ImpactLaw, friction: f64| {
        let answer = law.explore(&rough(friction), &exploration(20_000, false));
        answer.unwrap().uniqueness
    };
    assert_eq!(
        said(&mut Routh::default(), 0.5),
        Uniqueness::undecided(Doubt::OneDraw)
    );
    assert_eq!(
        said(&mut Sequential::default(), 0.5),
        Uniqueness::undecided(Doubt::OneOrder)
    );
    assert_eq!(
        said(&mut AnitescuPotra::default(), 0.5),
        Uniqueness::undecided(Doubt::OneSolution)
    );
    assert_eq!(
        said(&mut AnitescuPotra::default(), 0.0),
        Uniqueness::unique(Ground::Function)
    );
    assert!(
        said(&mut AnitescuPotra::all_solutions(), 0.5)
            .decided()
            .is_some()
    );
    let mut short = Sequential::new(SequentialSettings {
        max_steps: 1,
        ..SequentialSettings::default()
    })
    .unwrap();
    assert_eq!(
        said(&mut short, 0.5),
        Uniqueness::undecided(Doubt::NotTerminated)
    );
    let smooth = row(&[1.0, 1.0], &[1.0, 0.0]);
    assert_eq!(
        Plastic::default().resolve(&smooth).unwrap().uniqueness,
        Uniqueness::unique(Ground::Function)
    );
}

/// Velocities of a space made by hand are known to their own rounding.
#[test]
fn a_contact_space_made_by_hand_agrees_with_its_problem() {
    let problem = row(&[1.0, 2.0, 3.0], &[1.0, 0.0, -0.5]);
    let posed = problem.contact_space();
    let by_hand = ContactSpace::new(
        posed.delassus.clone(),
        posed.velocity.clone(),
        posed.contacts.clone(),
    );
    let mut impulses = [DVector::zeros(2), DVector::zeros(2)];
    let mut law = Propagative::default();
    law.impulse(posed, &mut impulses[0]).unwrap();
    law.impulse(&by_hand, &mut impulses[1]).unwrap();
    assert_eq!(impulses[0], impulses[1]);
}

#[test]
fn a_sequential_law_in_random_order_says_that_it_draws() {
    let mut law = Sequential::default();
    assert!(!law.draws_at_random());
    law = Sequential::in_sequence(ImpactSequence::Chosen(ReflectionOrder::Random));
    assert!(law.draws_at_random());
    law.reseed(11);
    assert_eq!(law.settings().seed, 11);
}
