//! The planar examples of [HP]: reference values, sampled sets, and the agreement of the laws.

mod common_set_valued;

use carom::impact::{
    AnitescuPotra, ImpactLaw, ImpactSequence, ImpactStatus, LcpSelection, RouthSettings,
    SampleStatus, Sequential, sample_set, termination_constant,
};
use common_set_valued::{cases, examples};

/// Distance of two velocities relative to 1 m/s, as the references are compared.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let square = |(x, y): (&f64, &f64)| (x - y) * (x - y);
    a.iter().zip(b).map(square).sum::<f64>().sqrt()
}

#[test]
fn examples_follow_from_their_geometry() {
    for (example, case) in examples().iter().zip(cases()) {
        assert_eq!(example.name, case.name);
        assert_eq!(
            (example.step, example.max_steps),
            (case.step, case.max_steps)
        );
        let (ours, theirs) = (&example.problem, &case.problem);
        for (what, a, b) in [
            ("M", ours.mass_matrix(), theirs.mass_matrix()),
            ("J", ours.rows(), theirs.rows()),
        ] {
            // Rounding of a dozen operations on numbers of order ten.
            assert!(
                (a - b).amax() < 1e-13,
                "{} {what}: {}",
                case.name,
                (a - b).amax()
            );
        }
        assert!((ours.velocity() - theirs.velocity()).amax() < 1e-13);
        let friction = |p: &carom::impact::ImpactProblem| -> Vec<f64> {
            p.contact_space()
                .contacts
                .iter()
                .map(|c| c.friction)
                .collect()
        };
        assert_eq!(friction(ours), friction(theirs));
    }
}

#[test]
fn every_simultaneous_solution_is_found_and_none_is_false() {
    for case in cases() {
        let mut law = AnitescuPotra::new(true);
        let resolution = law.resolve(&case.problem).unwrap();
        assert_eq!(
            resolution.outcomes.len(),
            case.solutions.len(),
            "{}",
            case.name
        );
        assert_eq!(resolution.unique, Some(case.solutions.len() == 1));
        for (solution, mode) in &case.solutions {
            let found = resolution
                .outcomes
                .iter()
                .find(|o| distance(o.velocity.as_slice(), solution) < 1e-9)
                .unwrap_or_else(|| panic!("{}: {mode:?} is missing", case.name));
            let modes = found.details["modes"].as_array().unwrap();
            assert!(
                modes.contains(&serde_json::json!(mode)),
                "{}: {modes:?}",
                case.name
            );
            assert!(found.details["residual"].as_f64().unwrap() < 1e-12);
        }
        // One solution, by Lemke's method, is among them.
        let one = AnitescuPotra::default().resolve(&case.problem).unwrap();
        let near = |s: &(Vec<f64>, Vec<String>)| {
            distance(one.outcomes[0].velocity.as_slice(), &s.0) < 1e-9
        };
        assert!(case.solutions.iter().any(near), "{}", case.name);
    }
}

#[test]
fn sequential_impacts_follow_the_given_order() {
    for case in cases() {
        for (order, velocity, steps) in &case.sequential {
            let mut law = Sequential::default();
            law.set_parameter("sequence", order).unwrap();
            let resolution = law.resolve(&case.problem).unwrap();
            let outcome = &resolution.outcomes[0];
            assert_eq!(
                outcome.sequence.as_ref(),
                Some(steps),
                "{} {order}",
                case.name
            );
            let d = distance(outcome.velocity.as_slice(), velocity);
            // Fifty single impacts of rounding for the disks.
            assert!(d < 1e-11, "{} {order}: {d:e}", case.name);
            let ended = steps.len() < 50;
            assert_eq!(outcome.status == ImpactStatus::Resolved, ended);
        }
    }
}

#[test]
fn all_orders_of_the_rocking_block_are_two_outcomes() {
    let mut law = Sequential::new(ImpactSequence::All);
    let resolution = law.resolve(&examples()[0].problem).unwrap();
    assert_eq!(resolution.outcomes.len(), 2);
    assert_eq!(resolution.unique, Some(false));
}

#[test]
fn termination_constants_are_those_of_the_reference() {
    // Independent values to four digits.
    for (example, psi) in examples().iter().zip([22.74, 669.1, 32.49, 3.97e6, 89.96]) {
        let ours = termination_constant(&example.problem, 8);
        assert!(
            (ours / psi - 1.0).abs() < 5e-4,
            "{}: {ours} {psi}",
            example.name
        );
    }
}

#[test]
fn sampled_sets_have_the_reference_extents() {
    for case in cases() {
        // Extents grow with the sample count; disks slowly (32 % from 2^14 to 2^20 samples).
        let disks = case.name == "disk_stack";
        let (tolerance, floor) = if disks { (0.5, 0.08) } else { (0.05, 0.02) };
        let set = sample_set(&case.problem, &case.settings(1 << 14, 1)).unwrap();
        let space = case.problem.contact_space();
        for (c, rows) in space.contacts.iter().enumerate() {
            for (row, expected) in [
                (rows.normal, case.normal[c]),
                (rows.normal + 1, case.tangential[c]),
            ] {
                let (low, high) = set.extent(row).unwrap();
                for (x, y) in [(low, expected.0), (high, expected.1)] {
                    let allowed = tolerance * f64::max(floor, y.abs());
                    assert!(
                        (x - y).abs() < allowed,
                        "{} row {row}: {x} for {y}",
                        case.name
                    );
                }
            }
        }
        assert_eq!(set.fraction(SampleStatus::Unsolved), 0.0);
        // Five standard deviations of a mean of 2^14 counts of deviation below 1.5.
        let lcps = set.lcps_per_sample();
        let selection = if case.name == "compass_gait" {
            0.3
        } else {
            0.06
        };
        assert!(
            (lcps - case.lcp_per_sample).abs() < selection,
            "{}: {lcps}",
            case.name
        );
    }
}

#[test]
fn print_measurements() {
    for case in cases() {
        for selection in [LcpSelection::RandomCovering, LcpSelection::FixedCovering] {
            for seed in 1..4 {
                let mut settings = case.settings(1 << 14, seed);
                settings.selection = selection;
                let set = sample_set(&case.problem, &settings).unwrap();
                println!(
                    "{} {selection:?} {seed} lcps {} term {} unsolved {} rest {} wall {}",
                    case.name,
                    set.lcps_per_sample(),
                    set.fraction(SampleStatus::Terminated),
                    set.fraction(SampleStatus::Unsolved),
                    set.rest_fraction(),
                    set.wall_time_s
                );
                for (c, rows) in case.problem.contact_space().contacts.iter().enumerate() {
                    println!(
                        "  n {:?} expected {:?}   t {:?} expected {:?}",
                        set.extent(rows.normal).unwrap(),
                        case.normal[c],
                        set.extent(rows.normal + 1).unwrap(),
                        case.tangential[c]
                    );
                }
            }
        }
    }
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let case = &cases()[1];
    let mut settings = case.settings(3000, 7);
    settings.keep_impulses = true;
    settings.jobs = 1;
    let one = sample_set(&case.problem, &settings).unwrap();
    for jobs in [2, 5] {
        settings.jobs = jobs;
        let mut other = sample_set(&case.problem, &settings).unwrap();
        other.wall_time_s = one.wall_time_s;
        assert_eq!(one, other);
    }
    let _ = RouthSettings::default();
}
