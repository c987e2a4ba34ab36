//! TREX of Seghete and Murphey: the nearest orthogonal designs, against independently computed points.

use carom::design::{
    DesignSettings, DesignSolution, DesignStatus, Method, coordinate_names, order_indeterminacy,
};
use carom::study::design::DesignStudy;

use crate::support::{assert_root, optimized_row, trex, trex_file, value, xi};

/// Values printed to 4 decimals in rad and cm, theta counter-clockwise.
fn assert_near(study: &DesignStudy, solution: &DesignSolution, expected: [f64; 11]) {
    let names = [
        "base.z",
        "base.pitch",
        "phi_A",
        "gamma_A",
        "phi_B",
        "gamma_B",
        "phi_T",
        "r1",
        "r2",
        "lu",
        "ll",
    ];
    for (name, expected) in names.into_iter().zip(expected) {
        let found = value(study, solution, name);
        // In weights: 1 rad counts as 10 cm.
        let weighted = match name {
            "base.pitch" => -found - expected,
            "base.z" | "r1" | "r2" | "lu" | "ll" => (100.0 * found - expected) / 10.0,
            _ => found - expected,
        };
        assert!(weighted.abs() < 1e-4, "{name}: {found} {expected}");
    }
}

#[test]
fn trex_finds_the_nearest_orthogonal_design_from_both_rows() {
    let other = DesignStudy::new("design.toml", optimized_row()).unwrap();
    let solved = other.problem.solve(&DesignSettings::default()).unwrap();
    let (shipped, solution) = trex();
    let rows = [
        (
            (shipped, solution),
            [
                12.5943, 5.8288, 5.1035, 5.2639, 1.9905, 5.2401, 0.0455, 6.3903, 4.1810, 7.9810,
                9.8701,
            ],
        ),
        (
            (&other, &solved),
            [
                12.8293, 5.8570, 4.8252, 5.5523, 2.8508, 5.7100, -0.2376, 7.7841, 4.0556, 7.9925,
                10.4012,
            ],
        ),
    ];
    for ((study, solution), expected) in rows {
        println!(
            "{} steps, distance {}",
            solution.iterations, solution.distance
        );
        assert_eq!(solution.status, DesignStatus::Converged);
        assert!(solution.iterations <= 10, "{}", solution.iterations);
        assert_root(&study.problem, &solution.variables);
        assert_near(study, solution, expected);
        let report = study.report(solution, Vec::new()).unwrap();
        // Round-off of the reflections, against an order of 1e-4 before.
        assert!(report.xi.after.unwrap() <= 1e-13, "{:?}", report.xi);
        assert!(report.xi.before.unwrap() > 1e-4, "{:?}", report.xi);
    }
}

/// The start row and its indeterminacy, against independent values for the row with its gaps closed by the
/// base alone.
#[test]
fn trex_indeterminacy_before_is_that_of_the_two_reflection_identity() {
    let mut file = trex_file();
    // Only z and pitch are free, so that the gaps close by them.
    file.parameter.clear();
    file.stance[0].free.retain(|f| f.name.starts_with("base"));
    let study = DesignStudy::new("design.toml", file).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    // Two freedoms for two gaps: the cosine is what it is.
    assert_eq!(solution.status, DesignStatus::Compromise);
    assert!((value(&study, &solution, "base.z") - 0.122872).abs() < 1e-6);
    assert!((value(&study, &solution, "base.pitch") + 5.78399).abs() < 1e-5);
    let report = study.report(&solution, Vec::new()).unwrap();
    assert!((report.cosines.after[0].cosine / -4.2077e-4 - 1.0).abs() < 1e-4);
    assert!((report.xi.after.unwrap() / 2.3306e-4 - 1.0).abs() < 1e-4);
    assert_eq!((report.rank, report.wanted), (0, 1));
    assert!(
        report
            .reason
            .unwrap()
            .contains("the cosine of contacts \"foot_A\" and \"tail\"")
    );
}

#[test]
fn trex_straight_stance_is_a_hundred_thousand_times_more_ambiguous() {
    let (study, solution) = trex();
    let at_root = xi(&study.problem, &solution.variables).max(1e-17);
    // The same robot on straight legs: theta and phi_T of the root, z from the tail, phi_A from the foot.
    let mut file = trex_file();
    for parameter in &mut file.parameter {
        parameter.start = Some(value(study, solution, &parameter.name));
        parameter.lower = parameter.start;
        parameter.upper = parameter.start;
    }
    let stance = &mut file.stance[0];
    let pitch = value(study, solution, "base.pitch");
    stance
        .base
        .insert("pitch".to_string(), toml::Value::Float(pitch));
    stance.joints.insert("gamma_A".to_string(), 0.0);
    stance.joints.insert("gamma_B".to_string(), 0.0);
    stance
        .joints
        .insert("phi_T".to_string(), value(study, solution, "phi_T"));
    stance.joints.insert("phi_B".to_string(), 2.0);
    stance
        .free
        .retain(|f| f.name == "base.z" || f.name == "phi_A");
    let straight = DesignStudy::new("straight", file).unwrap();
    let settings = DesignSettings {
        method: Method::Compromise,
        stay: 0.0,
        ..Default::default()
    };
    let closed = straight.problem.solve(&settings).unwrap();
    // Leg B opposite to leg A; it is in the air and changes no gap.
    let mut stances = straight.problem.stances().to_vec();
    let robot = straight.problem.robot(&closed.variables).unwrap();
    let names = coordinate_names(&robot.model);
    let at = |name: &str| names.iter().position(|n| n == name).unwrap();
    stances[0].coordinates = straight.problem.coordinates(&closed.variables, 0);
    stances[0].coordinates[at("phi_B")] =
        stances[0].coordinates[at("phi_A")] - std::f64::consts::PI;
    let q = carom::design::configuration(&robot.model, &stances[0].coordinates);
    let impact = straight.problem.impact(&robot, &q, 0).unwrap();
    let g = &impact.contact_space().delassus;
    let cosine = g[(0, 1)] / (g[(0, 0)] * g[(1, 1)]).sqrt();
    let straight_xi = order_indeterminacy(&impact).unwrap();
    println!("cosine {cosine:e}, xi {straight_xi:e}, at the root {at_root:e}");
    assert!((cosine / -1.149e-3 - 1.0).abs() < 1e-3, "{cosine:e}");
    assert!(
        (straight_xi / 7.4243e-4 - 1.0).abs() < 1e-3,
        "{straight_xi:e}"
    );
    assert!(straight_xi / at_root > 1e5);
}

#[test]
fn the_optimum_does_not_depend_on_the_order_of_variables_and_repeats_bit_by_bit() {
    let solve = |reversed: bool| {
        let mut file = trex_file();
        if reversed {
            file.parameter.reverse();
            file.stance[0].free.reverse();
            file.stance[0].touch.reverse();
        }
        let study = DesignStudy::new("design.toml", file).unwrap();
        let solution = study.problem.solve(&DesignSettings::default()).unwrap();
        (study, solution)
    };
    let (a, first) = trex();
    let ((_, again), (b, permuted)) = (solve(false), solve(true));
    assert_eq!(*first, again);
    for variable in a.problem.variables() {
        let difference = value(a, first, &variable.name) - value(&b, &permuted, &variable.name);
        // Differences of the built robot have errors of 1e-10, which move the optimum by as much.
        assert!(
            difference.abs() < 1e-8 * variable.scale,
            "{} {difference:e}",
            variable.name
        );
    }
}

#[test]
fn a_contact_that_would_be_pushed_through_the_ground_stays_open() {
    let mut file = trex_file();
    file.stance[0].clearance = 0.002;
    // Leg B hangs just above the ground beside leg A.
    file.stance[0].joints.insert("phi_B".to_string(), 5.13);
    file.stance[0].joints.insert("gamma_B".to_string(), 5.26);
    let study = DesignStudy::new("design.toml", file).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    assert_eq!(solution.status, DesignStatus::Converged);
    assert_root(&study.problem, &solution.variables);
}
