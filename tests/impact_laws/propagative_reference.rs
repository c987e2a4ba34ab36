//! Propagative and plastic impacts against independently computed reference cases.

use carom::impact::propagative::PropagativeReport;
use carom::impact::{
    Contact, ImpactLaw, ImpactProblem, Outcome, Plastic, PreImpact, Propagative, ReflectionOrder,
};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("an array")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}

fn problem(value: &Value) -> ImpactProblem {
    let rows: Vec<Vec<f64>> = value["mass_matrix"]
        .as_array()
        .expect("rows")
        .iter()
        .map(numbers)
        .collect();
    let n = rows.len();
    let contacts: Vec<Contact> = value["contacts"]
        .as_array()
        .expect("contacts")
        .iter()
        .map(|c| {
            let name = c["name"].as_str().expect("a name");
            Contact::new(name, DVector::from_vec(numbers(&c["normal"])))
                .with_restitution(c["restitution"].as_f64().expect("restitution"))
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_fn(n, n, |i, j| rows[i][j]),
        PreImpact::Velocity(DVector::from_vec(numbers(&value["velocity"]))),
        &contacts,
    )
    .expect("a valid problem")
}

fn cases(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("JSON");
    file["cases"].as_array().expect("cases").clone()
}

fn names(problem: &ImpactProblem, word: &[usize]) -> Vec<String> {
    word.iter()
        .map(|&k| problem.names()[k].to_string())
        .collect()
}

fn sorted_words(value: &Value) -> Vec<Vec<String>> {
    let mut words: Vec<Vec<String>> = serde_json::from_value(value.clone()).expect("words");
    words.sort();
    words
}

fn distance(problem: &ImpactProblem, outcome: &Outcome, momentum: &Value) -> f64 {
    problem.kinetic_norm(&(&outcome.momentum - DVector::from_vec(numbers(momentum))))
}

/// The reference was computed in double precision by other means: 1e-8 of ‖p⁻‖ leaves room for both.
const TOLERANCE: f64 = 1e-8;

#[test]
fn minimal_sequences_and_outcomes_agree() {
    for case in cases(include_str!("../data/propagative.json")) {
        let name = case["name"].as_str().expect("a name");
        let problem = problem(&case["problem"]);
        let expected = &case["expected"];
        let mut law = Propagative::all_orders();
        let answer = law.resolve(&problem).expect(name);
        let scale = problem.kinetic_norm(problem.momentum());
        let mut minimal: Vec<Vec<String>> = answer
            .outcomes
            .iter()
            .flat_map(|o| &o.minimal_sequences)
            .map(|word| names(&problem, word))
            .collect();
        minimal.sort();
        assert_eq!(
            minimal,
            sorted_words(&expected["minimal_sequences"]),
            "{name}"
        );
        let wanted = expected["outcomes"].as_array().expect("outcomes");
        let reached: Vec<&Outcome> = answer
            .outcomes
            .iter()
            .filter(|o| !o.minimal_sequences.is_empty())
            .collect();
        assert_eq!(reached.len(), wanted.len(), "{name}");
        for want in wanted {
            let found = reached
                .iter()
                .find(|o| distance(&problem, o, &want["momentum"]) <= TOLERANCE * scale)
                .unwrap_or_else(|| panic!("{name}: an outcome is missing"));
            let mut words: Vec<Vec<String>> = found
                .minimal_sequences
                .iter()
                .map(|word| names(&problem, word))
                .collect();
            words.sort();
            assert_eq!(words, sorted_words(&want["sequences"]), "{name}");
        }
        let xi = answer
            .details
            .get::<PropagativeReport>()
            .and_then(|report| report.orders.minimal_indeterminacy)
            .expect("a number");
        let wanted = expected["max_distance"].as_f64().expect("a number");
        assert!((xi - wanted).abs() <= TOLERANCE, "{name}: {xi}, {wanted}");
        assert_eq!(answer.unique(), Some(answer.outcomes.len() == 1), "{name}");
    }
}

/// Unit contact velocities before each reflection of `word`.
fn approaches(problem: &ImpactProblem, word: &[usize]) -> Vec<Vec<f64>> {
    let space = problem.contact_space();
    let length = |i: usize| space.delassus[(i, i)].sqrt();
    let mut z: Vec<f64> = (0..space.len())
        .map(|i| space.velocity[i] / length(i))
        .collect();
    let mut all = vec![z.clone()];
    for &k in word {
        let own = z[k];
        for i in 0..z.len() {
            z[i] -= 2.0 * own * space.delassus[(i, k)] / (length(i) * length(k));
        }
        all.push(z.clone());
    }
    all
}

/// The violated contacts an order may choose from, up to ties within 1e-12.
fn choices(z: &[f64], order: ReflectionOrder) -> Vec<usize> {
    let violated: Vec<usize> = (0..z.len()).filter(|&i| z[i] < -1e-10).collect();
    let least = violated.iter().map(|&i| z[i]).fold(f64::INFINITY, f64::min);
    let most = violated
        .iter()
        .map(|&i| z[i])
        .fold(f64::NEG_INFINITY, f64::max);
    let wanted = if order == ReflectionOrder::MostViolated {
        least
    } else {
        most
    };
    violated
        .into_iter()
        .filter(|&i| (z[i] - wanted).abs() <= 1e-12)
        .collect()
}

fn assert_greedy(problem: &ImpactProblem, word: &[usize], order: ReflectionOrder) {
    let all = approaches(problem, word);
    for (z, k) in all.iter().zip(word) {
        assert!(choices(z, order).contains(k), "{word:?} in {z:?}");
    }
    assert!(choices(&all[word.len()], order).is_empty());
}

/// Exact ties leave the choice to the program: ours takes the first contact, the reference whatever
/// rounding gave.
fn has_tie(problem: &ImpactProblem, word: &[usize], order: ReflectionOrder) -> bool {
    approaches(problem, word)
        .iter()
        .any(|z| choices(z, order).len() > 1)
}

#[test]
fn greedy_orders_agree_with_their_minimality() {
    for case in cases(include_str!("../data/propagative.json")) {
        let name = case["name"].as_str().expect("a name");
        let problem = problem(&case["problem"]);
        let scale = problem.kinetic_norm(problem.momentum());
        for (key, order) in [
            ("argmin", ReflectionOrder::MostViolated),
            ("argmax", ReflectionOrder::LeastViolated),
        ] {
            let want = &case["expected"]["greedy"][key];
            let mut law = Propagative::with_order(order);
            let answer = law.resolve(&problem).expect(name);
            let outcome = &answer.outcomes[0];
            let wanted: Vec<usize> = want["sequence"]
                .as_array()
                .expect("names")
                .iter()
                .map(|n| {
                    let at = problem
                        .names()
                        .iter()
                        .position(|x| Some(&**x) == n.as_str());
                    at.expect("a contact")
                })
                .collect();
            let found = outcome.sequence.as_ref().expect("a sequence");
            assert_eq!(found.len(), wanted.len(), "{name} {key}");
            assert_greedy(&problem, &wanted, order);
            assert_greedy(&problem, found, order);
            if !has_tie(&problem, &wanted, order) {
                assert_eq!(found, &wanted, "{name} {key}");
            }
            assert_eq!(outcome.minimal, want["minimal"].as_bool(), "{name} {key}");
            assert!(distance(&problem, outcome, &want["momentum"]) <= TOLERANCE * scale);
            let mut impulse = DVector::zeros(problem.contact_space().rows());
            law.impulse(problem.contact_space(), &mut impulse)
                .expect(name);
            let fast = problem.momentum_after(&impulse);
            assert!(problem.kinetic_norm(&(fast - &outcome.momentum)) <= 1e-12 * scale);
        }
    }
}

#[test]
fn plastic_cases_agree() {
    for case in cases(include_str!("../data/plastic.json")) {
        let name = case["name"].as_str().expect("a name");
        let problem = problem(&case["problem"]);
        let answer = Plastic::default().resolve(&problem).expect(name);
        let outcome = &answer.outcomes[0];
        let wanted = DVector::from_vec(numbers(&case["expected"]["velocity"]));
        assert!(
            (&outcome.velocity - wanted).norm() <= TOLERANCE * problem.velocity().norm(),
            "{name}"
        );
        assert_eq!(
            outcome.details.fields()["projection_would_pull"],
            case["expected"]["projection_would_pull"],
            "{name}"
        );
    }
}

/// The break of three equal balls: A at rest between B and C, hit along the axis of symmetry, ξ over the angle
/// between the two lines of centres [SM, Fig. 5].
#[test]
fn billiard_break_agrees_at_every_half_degree() {
    let file: Value =
        serde_json::from_str(include_str!("../data/billiards_indeterminacy.json")).expect("JSON");
    for row in file["rows"].as_array().expect("rows") {
        let row = numbers(row);
        let (degrees, xi, length) = (row[0], row[1], row[2] as u64);
        if degrees >= 180.0 {
            continue;
        }
        let half = 0.5 * degrees.to_radians();
        let (c, s) = (half.cos(), half.sin());
        let contacts = [
            Contact::new("A", DVector::from_vec(vec![c, s, 0.0, 0.0, -c, -s])),
            Contact::new("B", DVector::from_vec(vec![0.0, 0.0, c, -s, -c, s])),
        ];
        let problem = ImpactProblem::new(
            DMatrix::identity(6, 6),
            PreImpact::Velocity(DVector::from_vec(vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0])),
            &contacts,
        )
        .expect("valid");
        let answer = Propagative::default().resolve(&problem).expect("solved");
        // Both are sums of a few terms of order one; 1e-12 is four decades of room.
        assert!(
            (answer.indeterminacy() - xi).abs() <= 1e-12,
            "{degrees}: {} for {xi}",
            answer.indeterminacy()
        );
        assert_eq!(answer.outcomes[0].details.fields()["reflections"], length);
    }
}
