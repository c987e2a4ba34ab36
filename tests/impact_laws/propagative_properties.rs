//! Properties that hold for every propagative impact, on random problems.

use crate::random_impacts::{Parts, Random, coxeter_gram, from_gram, small_diagrams};
use carom::impact::propagative::{
    PropagativeOutcome, PropagativeReport, PropagativeSettings, TwoContacts, is_subsequence,
};
use carom::impact::verdict::certify;
use carom::impact::{
    ContactSpace, ImpactLaw, ImpactProblem, ImpactStatus, Plastic, Propagative, ReflectionOrder,
};
use nalgebra::{DMatrix, DVector};

/// p⁺ by the fast path.
fn fast(law: &mut Propagative, problem: &ImpactProblem) -> (DVector<f64>, DVector<f64>) {
    let space = problem.contact_space();
    let mut impulse = DVector::zeros(space.rows());
    let report = law.impulse(space, &mut impulse).expect("solved");
    assert_eq!(report.status, ImpactStatus::Resolved);
    (problem.momentum_after(&impulse), impulse)
}

fn energy(problem: &ImpactProblem, momentum: &DVector<f64>) -> f64 {
    0.5 * problem.kinetic_norm(momentum).powi(2)
}

/// Every outcome, with sequences counted and not listed.
fn counting() -> PropagativeSettings {
    let mut settings = PropagativeSettings {
        all: true,
        ..PropagativeSettings::default()
    };
    settings.budget.words = 1;
    settings
}

#[test]
fn elastic_impacts_keep_energy_push_and_end_feasible() {
    let mut random = Random::new(1);
    for case in 0..10_000 {
        let m = random.between(2, 6);
        let n = random.between(m, 12);
        let parts = Parts::random(&mut random, m, n);
        let problem = parts.problem();
        let order = ReflectionOrder::ALL[case % 4];
        let (after, impulse) = fast(&mut Propagative::with_order(order), &problem);
        let before = problem.kinetic_energy();
        assert!((energy(&problem, &after) - before).abs() <= 1e-12 * before);
        assert!(impulse.iter().all(|&s| s >= 0.0));
        let velocity =
            &problem.contact_space().velocity + &problem.contact_space().delassus * &impulse;
        for (i, v) in velocity.iter().enumerate() {
            let length = problem.contact_space().delassus[(i, i)].sqrt();
            // The stated tolerance of "violated", 1e-10 of the speed, which is at most ‖p⁻‖.
            assert!(v / length >= -1e-10 * (2.0 * before).sqrt());
        }
    }
}

/// Equal to rounding: reflections amplify a relative error of 1e-15 a few times each, and the normals'
/// conditioning enters the impulses.
const SAME: f64 = 1e-9;

#[test]
fn permuting_contacts_changes_nothing() {
    let mut random = Random::new(2);
    for _ in 0..2_000 {
        let m = random.between(2, 6);
        let n = random.between(m, 12);
        let parts = Parts::random(&mut random, m, n);
        let order = random.permutation(m);
        let mut permuted = parts.clone();
        permuted.normals = order.iter().map(|&i| parts.normals[i].clone()).collect();
        let (a, s) = fast(&mut Propagative::default(), &parts.problem());
        let (b, t) = fast(&mut Propagative::default(), &permuted.problem());
        assert!((a - b).norm() <= SAME);
        for (position, &i) in order.iter().enumerate() {
            assert!((s[i] - t[position]).abs() <= SAME);
        }
    }
}

#[test]
fn coordinates_units_and_a_far_body_change_nothing() {
    let mut random = Random::new(3);
    for _ in 0..500 {
        let m = random.between(2, 4);
        let n = random.between(m, 10);
        let parts = Parts::random(&mut random, m, n);
        let problem = parts.problem();
        let (base, impulse) = fast(&mut Propagative::default(), &problem);

        // v = C w: M ← CᵀMC, covectors ← Cᵀu.
        let c = random.matrix(n, n) * 0.3 + DMatrix::identity(n, n);
        if c.determinant().abs() < 1e-2 {
            continue;
        }
        let mut changed = parts.clone();
        let mass = c.transpose() * &parts.mass * &c;
        changed.mass = (&mass + mass.transpose()) * 0.5;
        changed.velocity = c.clone().lu().solve(&parts.velocity).expect("invertible");
        changed.normals = parts.normals.iter().map(|u| c.transpose() * u).collect();
        let (_, other) = fast(&mut Propagative::default(), &changed.problem());
        assert!((&other - &impulse).norm() <= 1e-7 * impulse.norm().max(1.0));

        // Kilogram to gram, metre to millimetre for lengths (normals keep: gaps in millimetre).
        let mut units = parts.clone();
        units.mass *= 1e3;
        units.velocity *= 1e3;
        let (scaled, _) = fast(&mut Propagative::default(), &units.problem());
        assert!((scaled / 1e6 - &base).norm() <= SAME * base.norm());

        // Two coordinates more, moving, with no contact.
        let mut far = parts.clone();
        far.mass = DMatrix::identity(n + 2, n + 2) * 7.0;
        far.mass.view_mut((0, 0), (n, n)).copy_from(&parts.mass);
        far.velocity = parts.velocity.clone().insert_rows(n, 2, 3.0);
        far.normals = parts
            .normals
            .iter()
            .map(|u| u.clone().insert_rows(n, 2, 0.0))
            .collect();
        let mut law = Propagative::all_orders();
        let (with, without) = (
            law.resolve(&far.problem()).expect("solved"),
            law.resolve(&problem).expect("solved"),
        );
        assert_eq!(with.outcomes.len(), without.outcomes.len());
        for (a, b) in with.outcomes.iter().zip(&without.outcomes) {
            assert_eq!(a.minimal_sequences, b.minimal_sequences);
            assert!((a.momentum.rows(0, n) - &b.momentum).norm() <= SAME * base.norm());
            assert!((a.momentum[n] - 21.0).abs() <= 1e-12 * 21.0);
        }
    }
}

#[test]
fn ten_thousand_certified_problems_are_never_contradicted() {
    let mut random = Random::new(4);
    let diagrams = small_diagrams();
    let mut several = 0;
    for case in 0..10_000 {
        let (n, edges) = &diagrams[case % diagrams.len()];
        let extra = random.between(0, 3);
        let parts = from_gram(&mut random, &coxeter_gram(*n, edges), extra);
        let problem = parts.problem();
        let certificate = certify(problem.contact_space(), 1e-9)
            .expect("valid")
            .expect("certified");
        assert!(certificate.unique_for_every_momentum, "{certificate:?}");
        let mut law = Propagative::new(counting()).expect("in range");
        let answer = law.resolve(&problem).expect("solved");
        assert_eq!(answer.outcomes.len(), 1);
        assert_eq!(answer.unique(), Some(true));
        let report = answer.details.get::<PropagativeReport>().expect("its own");
        assert!(!report.orders.capped);
        several += u32::from(report.orders.words.expect("a count") > 1);
    }
    // The statement is empty where there is one sequence only; that must not be the rule.
    assert!(several > 2_000);
}

#[test]
fn ten_thousand_random_problems_do_not_contradict_their_certificate() {
    let mut random = Random::new(5);
    let mut ambiguous = 0;
    for _ in 0..10_000 {
        let m = random.between(1, 4);
        let n = random.between(m, 6);
        let problem = Parts::random(&mut random, m, n).problem();
        let mut law = Propagative::new(counting()).expect("in range");
        let answer = law.resolve(&problem).expect("solved");
        if let Some(certificate) = &answer.certificate {
            assert!(answer.indeterminacy() <= certificate.indeterminacy_bound + 1e-12);
        }
        assert_eq!(answer.unique(), Some(answer.outcomes.len() == 1));
        assert_eq!(answer.unique(), Some(answer.indeterminacy() == 0.0));
        ambiguous += u32::from(answer.outcomes.len() > 1);
    }
    assert!(ambiguous > 1_000);
}

/// Nearly exact angles: ξ found by enumeration against the bound of the certificate.
#[test]
fn indeterminacy_stays_below_the_bound_that_follows_from_the_deviation() {
    let mut random = Random::new(6);
    let diagrams = small_diagrams();
    for case in 0..3_000 {
        let (n, edges) = &diagrams[case % diagrams.len()];
        let size = 10_f64.powf(-3.0 - 5.0 * random.uniform());
        let mut gram = coxeter_gram(*n, edges);
        for i in 0..*n {
            for j in 0..i {
                let off = size * (2.0 * random.uniform() - 1.0);
                gram[(i, j)] += off;
                gram[(j, i)] += off;
            }
        }
        let problem = from_gram(&mut random, &gram, 1).problem();
        let mut law = Propagative::new(PropagativeSettings {
            angle_tolerance: 2.0 * size,
            ..counting()
        })
        .expect("in range");
        let answer = law.resolve(&problem).expect("solved");
        let certificate = answer.certificate.as_ref().expect("recognised");
        assert!(certificate.deviation <= size * (1.0 + 1e-6));
        assert!(
            answer.indeterminacy() <= certificate.indeterminacy_bound,
            "{edges:?}: {} above {}",
            answer.indeterminacy(),
            certificate.indeterminacy_bound
        );
    }
}

/// Two unit normals in a plane, ⟨û, v̂⟩ = −cos 2γ, and a momentum at an angle from the middle of the wedge.
fn wedge(gamma: f64, angle: f64, speed: f64) -> ImpactProblem {
    let normal = |side: f64| DVector::from_vec(vec![gamma.sin(), side * gamma.cos(), 0.0]);
    Parts {
        mass: DMatrix::identity(3, 3),
        velocity: DVector::from_vec(vec![angle.cos(), angle.sin(), 0.3]) * speed,
        normals: vec![normal(1.0), normal(-1.0)],
        restitution: vec![1.0; 2],
    }
    .problem()
}

#[test]
fn two_contacts_never_exceed_the_bound() {
    let mut random = Random::new(7);
    let mut attained = 0;
    // Most of them over five decades: the narrowest wedges take 10⁷ reflections each.
    for case in 0..10_000 {
        let decades = if case % 10 == 0 { 7.0 } else { 5.0 };
        let gamma = 1.57 * 10_f64.powf(-decades * random.uniform());
        let angle = std::f64::consts::PI * (2.0 * random.uniform() - 1.0);
        let problem = wedge(gamma, angle, 2.0);
        let bound = ((std::f64::consts::PI - gamma) / (2.0 * gamma)).ceil();
        let answer = Propagative::default().resolve(&problem).expect("solved");
        let outcome = &answer.outcomes[0];
        let details = outcome.details.get::<PropagativeOutcome>();
        let count = details.expect("its own").reflections as f64;
        assert!(count <= bound, "{gamma} {angle}: {count} > {bound}");
        attained += u32::from(count == bound);
        let before = outcome.energy.before;
        assert!((outcome.energy.after - before).abs() <= 1e-12 * before);
        // The unfolded angle shrinks by 2γ a reflection, exactly; the end lies in the wedge.
        let end = outcome.momentum[1].atan2(outcome.momentum[0]);
        assert!(end.abs() <= gamma * (1.0 + 1e-9) + 1e-9);
        let mut unfolded = angle.abs();
        if unfolded > gamma {
            let k = ((unfolded - gamma) / (2.0 * gamma)).ceil();
            unfolded = (unfolded - 2.0 * gamma * k).abs();
            assert!((k - count).abs() <= 1.0);
            if k == count {
                // Closed form: γ from the two normals to ε, times 2k ≈ π/γ. Reflections one by
                // one (at most 64): cos 2γ to ε, so γ to ε/4γ, times the same.
                let error = if bound > 64.0 {
                    8.0 * f64::EPSILON / gamma
                } else {
                    2.0 * f64::EPSILON / (gamma * gamma)
                };
                let error = error + 1e-13;
                assert!((end.abs() - unfolded).abs() <= error, "{gamma} {angle}");
            }
        }
    }
    assert!(attained > 100);
}

#[test]
fn a_less_violated_start_may_take_one_reflection_more_and_is_then_not_minimal() {
    let mut random = Random::new(8);
    let mut longer = 0;
    for _ in 0..2_000 {
        let gamma = 0.05 + random.uniform();
        let angle = std::f64::consts::PI * (2.0 * random.uniform() - 1.0);
        let problem = wedge(gamma, angle, 1.0);
        let plane = TwoContacts::of_space(problem.contact_space()).expect("two contacts");
        let loose = (std::f64::consts::FRAC_PI_2 / gamma).ceil();
        let answer = Propagative::all_orders().resolve(&problem).expect("solved");
        for outcome in &answer.outcomes {
            for word in &outcome.sequences {
                assert!(word.len() as f64 <= loose);
                if word.len() as f64 > plane.reflection_bound() {
                    longer += 1;
                    assert!(!outcome.minimal_sequences.contains(word));
                }
            }
            for word in &outcome.minimal_sequences {
                assert!(word.len() as f64 <= plane.reflection_bound());
            }
        }
    }
    assert!(longer > 0);
}

/// p_ab − p_ba = 4c(a v − b u) and ξ = 4|c| √(a² + b² − 2abc)/‖p‖ when both orders stop after two reflections.
#[test]
fn two_reflection_identity() {
    let mut random = Random::new(9);
    let mut met = 0;
    for _ in 0..3_000 {
        let n = random.between(2, 8);
        let problem = Parts::random(&mut random, 2, n).problem();
        let answer = Propagative::all_orders().resolve(&problem).expect("solved");
        let words: Vec<(&Vec<usize>, &DVector<f64>)> = answer
            .outcomes
            .iter()
            .flat_map(|o| o.sequences.iter().map(move |w| (w, &o.momentum)))
            .collect();
        let (Some(ab), Some(ba)) = (
            words.iter().find(|w| *w.0 == [0, 1]),
            words.iter().find(|w| *w.0 == [1, 0]),
        ) else {
            continue;
        };
        met += 1;
        let space = problem.contact_space();
        let length = |i: usize| space.delassus[(i, i)].sqrt();
        let unit = |i: usize| problem.rows().row(i).transpose() / length(i);
        let (a, b) = (space.velocity[0] / length(0), space.velocity[1] / length(1));
        let c = space.delassus[(0, 1)] / (length(0) * length(1));
        let expected = (unit(1) * a - unit(0) * b) * (4.0 * c);
        let scale = problem.kinetic_norm(problem.momentum());
        assert!(problem.kinetic_norm(&(ab.1 - ba.1 - expected)) <= 1e-12 * scale);
        let xi = 4.0 * c.abs() * (a * a + b * b - 2.0 * a * b * c).sqrt() / scale;
        assert!((answer.indeterminacy() - xi).abs() <= 1e-12);
    }
    assert!(met > 200);
}

/// Minimal by definition: the listed sequences against all pairs of admissible sequences.
#[test]
fn minimal_sequences_are_those_without_an_admissible_feasible_subsequence() {
    let mut random = Random::new(10);
    for _ in 0..300 {
        let m = random.between(2, 5);
        let n = random.between(m, 8);
        let problem = Parts::random(&mut random, m, n).problem();
        let answer = Propagative::all_orders().resolve(&problem).expect("solved");
        let all: Vec<&Vec<usize>> = answer.outcomes.iter().flat_map(|o| &o.sequences).collect();
        for outcome in &answer.outcomes {
            for word in &outcome.sequences {
                let minimal = !all
                    .iter()
                    .any(|other| other.len() < word.len() && is_subsequence(other, word));
                assert_eq!(outcome.minimal_sequences.contains(word), minimal);
            }
        }
        for order in ReflectionOrder::ALL {
            let single = Propagative::with_order(order)
                .resolve(&problem)
                .expect("solved");
            let word = single.outcomes[0].sequence.as_ref().expect("a sequence");
            let home = answer
                .outcomes
                .iter()
                .find(|o| o.sequences.contains(word))
                .expect("every order is admissible");
            assert_eq!(
                single.outcomes[0].minimal,
                Some(home.minimal_sequences.contains(word))
            );
            assert_eq!(single.indeterminacy(), answer.indeterminacy());
        }
    }
}

/// 0 ≤ Λ ⊥ a + GΛ ≥ 0, and nothing feasible is nearer.
#[test]
fn plastic_outcome_is_the_nearest_feasible_momentum() {
    let mut random = Random::new(11);
    for _ in 0..2_000 {
        let m = random.between(1, 7);
        let n = random.between(2, 8);
        let mut parts = Parts::random(&mut random, m, n);
        if m > 2 {
            parts.normals[m - 1] = &parts.normals[0] * 2.0 + &parts.normals[1];
        }
        let problem = parts.problem();
        let space: &ContactSpace = problem.contact_space();
        let mut impulse = DVector::zeros(m);
        Plastic::default()
            .impulse(space, &mut impulse)
            .expect("solved");
        let velocity = &space.velocity + &space.delassus * &impulse;
        let scale = problem.kinetic_norm(problem.momentum());
        for i in 0..m {
            let length = space.delassus[(i, i)].sqrt();
            // An active set is exact up to the conditioning of its Delassus block.
            assert!(impulse[i] >= 0.0 && velocity[i] >= -1e-10 * scale * length);
            assert!((impulse[i] * velocity[i]).abs() <= 1e-9 * scale * scale);
        }
        let after = problem.momentum_after(&impulse);
        assert!(energy(&problem, &after) <= problem.kinetic_energy() * (1.0 + 1e-12));
    }
}

/// 1 − ΔE/E_p = R² for equal coefficients, between the plastic and the elastic outcome.
#[test]
fn restitution_keeps_its_share_of_the_separable_energy() {
    let mut random = Random::new(12);
    for case in 0..2_000 {
        let m = random.between(1, 5);
        let n = random.between(m, 8);
        let mut parts = Parts::random(&mut random, m, n);
        let r = match case % 10 {
            0 => 0.0,
            1 => 1.0,
            _ => random.uniform(),
        };
        parts.restitution = vec![r; m];
        let problem = parts.problem();
        let before = problem.kinetic_energy();
        let answer = Propagative::default().resolve(&problem).expect("solved");
        let plastic = Plastic::default().resolve(&problem).expect("solved");
        let lost = before - answer.outcomes[0].energy.after;
        let separable = before - plastic.outcomes[0].energy.after;
        assert!((separable * (1.0 - r * r) - lost).abs() <= 1e-12 * before);
        let (fast, impulse) = fast(&mut Propagative::default(), &problem);
        assert!(impulse.iter().all(|&s| s >= 0.0));
        assert!((fast - &answer.outcomes[0].momentum).norm() <= SAME);
        if m == 1 {
            let (v, w) = (
                problem.contact_space().velocity[0],
                (problem.rows() * &answer.outcomes[0].velocity)[0],
            );
            assert!(v >= 0.0 || (w + r * v).abs() <= 1e-12 * v.abs().max(1.0));
        }
    }
}
