//! The planar examples of [HP]: reference values, sampled sets, and the agreement of the laws.

use crate::set_valued_cases::{cases, examples};
use carom::impact::examples::disk_stack;
use carom::impact::lcp::{AnitescuPotraSolution, LcpSelection};
use carom::impact::routh::{RouthSettings, SampleStatus, sample_set, termination_constant};
use carom::impact::sequential::ImpactSequence;
use carom::impact::{AnitescuPotra, ImpactLaw, ImpactStatus, Routh, Sequential};

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
        let mut law = AnitescuPotra::all_solutions();
        let resolution = law.resolve(&case.problem).unwrap();
        assert_eq!(
            resolution.outcomes.len(),
            case.solutions.len(),
            "{}",
            case.name
        );
        assert_eq!(resolution.unique(), Some(case.solutions.len() == 1));
        for (solution, mode) in &case.solutions {
            let found = resolution
                .outcomes
                .iter()
                .find(|o| distance(o.velocity.as_slice(), solution) < 1e-9)
                .unwrap_or_else(|| panic!("{}: {mode:?} is missing", case.name));
            let details = found.details.get::<AnitescuPotraSolution>().unwrap();
            let modes = &details.modes;
            assert!(modes.contains(mode), "{}: {modes:?}", case.name);
            assert!(details.residual < 1e-12);
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
            let words = order.split(',').map(str::to_string).collect();
            let mut law = Sequential::in_sequence(ImpactSequence::Given(words));
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
    let mut law = Sequential::in_sequence(ImpactSequence::All);
    let resolution = law.resolve(&examples()[0].problem).unwrap();
    assert_eq!(resolution.outcomes.len(), 2);
    assert_eq!(resolution.unique(), Some(false));
}

#[test]
fn termination_constants_are_those_of_the_reference() {
    // Independent values, to the digits they are given with.
    let reference = [
        (22.74, 0.005),
        (669.1, 0.05),
        (32.49, 0.005),
        (3.97e6, 5e3),
        (89.96, 0.005),
    ];
    for (example, (psi, digits)) in examples().iter().zip(reference) {
        let ours = termination_constant(&example.problem, 8);
        assert!(
            (ours - psi).abs() < digits,
            "{}: {ours} {psi}",
            example.name
        );
    }
}

#[test]
fn sampled_sets_have_the_reference_extents() {
    for case in cases() {
        let disks = case.name == "disk_stack";
        // The references are the ends of 2^20 samples. An end of the disks' set scatters by 20 % at that count, and
        // an estimate of it by 15 %: two deviations of their difference.
        let (tolerance, floor) = if disks { (0.5, 0.08) } else { (0.05, 0.02) };
        let mut settings = case.settings(1 << 14, 1);
        settings.extent_samples = 1 << 20;
        let set = sample_set(&case.problem, &settings).unwrap();
        let contacts = &case.problem.contact_space().contacts;
        for (c, rows) in contacts.iter().enumerate() {
            let references = [
                (rows.normal, case.normal[c]),
                (rows.normal + 1, case.tangential[c]),
            ];
            for (row, expected) in references {
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
        assert!(
            set.fraction(SampleStatus::Terminated) > 0.98,
            "{}",
            case.name
        );
        for row in 0..set.rows() {
            let ((low, high), (least, most)) = (set.extent(row).unwrap(), set.reach(row).unwrap());
            assert!(least <= low && high <= most, "{} row {row}", case.name);
            let sampled = set.sampled_extent(row).unwrap();
            assert!(
                low <= sampled.0 && sampled.1 <= high,
                "{} row {row}",
                case.name
            );
        }
        if case.name == "rocking_block" {
            // The ends of the set are the two sequential impacts: 0.21 of the speed of fall. The search gets there
            // to a share of 1e-3.
            let end = 0.21 * (2.0 * 9.81 * 0.01_f64).sqrt();
            for contact in contacts {
                let reach = set.reach(contact.normal).unwrap().1;
                assert!(
                    reach <= end * (1.0 + 1e-9) && reach > 0.999 * end,
                    "{reach} {end}"
                );
            }
        }
        if !disks {
            // The hull lies in the triangle under the reference's extents; its corners are nearly reached.
            let hull = set.hull(contacts[0].normal, contacts[1].normal);
            let difference = (hull.area - case.hull_area).abs();
            assert!(
                difference < 0.05 * case.hull_area + 1e-9,
                "{}: {}",
                case.name,
                hull.area
            );
        }
    }
}

#[test]
fn fractions_are_those_of_the_reference() {
    // (rest, A up, B up), LCPs per sample; independent values of 2^18 samples or more. Three significant
    // digits are given; five standard deviations at 2^14 samples are 0.02 for a fraction. Where the LCP
    // has several solutions (compass gait, RAMone) only enumeration defines the fractions.
    let all = LcpSelection::Enumeration;
    let random = LcpSelection::RandomCovering;
    for (case, selection, samples, fractions, lcps) in [
        (0, random, 1 << 14, [0.331, 0.334, 0.335], 2.4707),
        (2, random, 1 << 14, [0.857, 0.0, 0.143], 1.5347),
        (1, all, 1 << 10, [0.471, 0.025, 0.505], 2.251),
        (3, all, 1 << 10, [0.667, 0.0, 0.333], 3.006),
    ] {
        let case = &cases()[case];
        let mut settings = case.settings(samples, 11);
        settings.selection = selection;
        settings.extent_samples = 0;
        let set = sample_set(&case.problem, &settings).unwrap();
        let deviation = 5.0 * 0.5 / (samples as f64).sqrt() + 5e-4;
        let ours = [
            set.rest_fraction(),
            set.separation_fraction(0),
            set.separation_fraction(1),
        ];
        for (x, y) in ours.iter().zip(fractions) {
            assert!((x - y).abs() < deviation, "{}: {ours:?}", case.name);
        }
        // The number of LCPs of a sample has a deviation below 1.6.
        let allowed = 5.0 * 1.6 / (samples as f64).sqrt();
        assert!(
            (set.lcps_per_sample() - lcps).abs() < allowed,
            "{}",
            case.name
        );
    }
}

#[test]
fn the_heavier_disks_need_more_increments() {
    let example = disk_stack(5.0).unwrap();
    let settings = RouthSettings {
        samples: 1 << 12,
        step: Some(example.step),
        max_steps: example.max_steps,
        extent_samples: 0,
        ..RouthSettings::default()
    };
    let set = sample_set(&example.problem, &settings).unwrap();
    // Independent: 6.685 LCPs, 0.9969 terminated; deviations 2 / √4096 and √(0.003 / 4096), five of each.
    assert!(
        (set.lcps_per_sample() - 6.685).abs() < 0.16,
        "{}",
        set.lcps_per_sample()
    );
    assert!((set.fraction(SampleStatus::Terminated) - 0.9969).abs() < 0.0043);
}

#[test]
fn every_solution_is_reached_by_random_covering_vectors() {
    // Stick, slip and lift of the trailing foot, from one increment that may be as large as it likes.
    for case in [1, 3] {
        let case = &cases()[case];
        let mut settings = case.settings(4096, 5);
        settings.step = Some(1e3);
        settings.extent_samples = 0;
        let set = sample_set(&case.problem, &settings).unwrap();
        let response = case.problem.rows();
        for (velocity, mode) in &case.solutions {
            let contact = response * nalgebra::DVector::from_column_slice(velocity);
            let met = set
                .members()
                .any(|(_, v)| distance(v, contact.as_slice()) < 1e-8);
            assert!(met, "{}: {mode:?}", case.name);
        }
    }
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let case = &cases()[1];
    let mut settings = case.settings(3000, 7);
    settings.keep_impulses = true;
    settings.extent_samples = 1 << 14;
    settings.jobs = 1;
    let one = sample_set(&case.problem, &settings).unwrap();
    for jobs in [2, 5] {
        settings.jobs = jobs;
        let mut other = sample_set(&case.problem, &settings).unwrap();
        other.wall_time_s = one.wall_time_s;
        assert_eq!(one, other);
    }
    // A sample depends on its number, not on how many there are.
    settings.samples = 700;
    let fewer = sample_set(&case.problem, &settings).unwrap();
    assert_eq!(fewer.velocity(600), one.velocity(600));
    settings.seed = 8;
    let seeded = sample_set(&case.problem, &settings).unwrap();
    assert_ne!(fewer.velocity(600), seeded.velocity(600));
}

#[test]
fn a_saved_law_resumes_where_it_was() {
    let example = &examples()[0];
    let mut law = Routh::new(RouthSettings::default()).unwrap();
    for _ in 0..3 {
        law.resolve(&example.problem).unwrap();
    }
    let mut resumed = Routh::new(law.settings().clone()).unwrap();
    resumed.set_next_sample(law.next_sample());
    let (a, b) = (
        law.resolve(&example.problem).unwrap(),
        resumed.resolve(&example.problem).unwrap(),
    );
    assert_eq!(a.outcomes, b.outcomes);
}

#[test]
fn the_forced_step_of_algorithm_2_ends_what_is_nearly_ended() {
    let case = &cases()[1];
    let mut settings = case.settings(4096, 3);
    settings.max_steps = 2;
    settings.extent_samples = 0;
    let without = sample_set(&case.problem, &settings).unwrap();
    settings.approximation = Some(50.0);
    let with = sample_set(&case.problem, &settings).unwrap();
    assert_eq!(
        without.fraction(SampleStatus::Terminated),
        with.fraction(SampleStatus::Terminated)
    );
    assert_eq!(without.fraction(SampleStatus::Forced), 0.0);
    let forced = with.fraction(SampleStatus::Forced);
    assert!(forced > 0.0, "{forced}");
    assert_eq!(
        with.in_set() as f64 / 4096.0,
        with.fraction(SampleStatus::Terminated) + forced
    );
}

#[test]
fn samples_are_written_as_csv() {
    let case = &cases()[0];
    let mut settings = case.settings(100, 1);
    settings.keep_impulses = true;
    let set = sample_set(&case.problem, &settings).unwrap();
    let mut text = Vec::new();
    set.write_csv(&mut text).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let header: Vec<String> = reader.headers().unwrap().iter().map(String::from).collect();
    assert_eq!(header.len(), 3 + 4 + 4);
    assert_eq!(header[3], "velocity_A_n_m_per_s");
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 100);
    // The impulses of a line explain its velocities: v = a + G Λ.
    let space = case.problem.contact_space();
    for row in &rows {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        let impulse = nalgebra::DVector::from_fn(4, |i, _| number(7 + i));
        let velocity = &space.velocity + &space.delassus * impulse;
        assert!((0..4).all(|i| (velocity[i] - number(3 + i)).abs() < 1e-13));
    }
}

#[test]
fn nets_stop_growing_when_the_set_is_covered() {
    let case = &cases()[0];
    let set = sample_set(&case.problem, &case.settings(1 << 12, 2)).unwrap();
    let growth = set.net_growth(0.05, 1000);
    assert_eq!(growth.last().unwrap().samples, 1 << 12);
    assert!(growth.windows(2).all(|w| w[0].points <= w[1].points));
    // The set is two segments of length 0.0930 / (√G unit) = 0.105 each in the net's units, and a point:
    // balls of 0.05 cover it a few times over at most.
    assert!(growth.last().unwrap().points <= 9, "{growth:?}");
    assert_eq!(
        growth[growth.len() - 2].points,
        growth[growth.len() - 1].points
    );
}
