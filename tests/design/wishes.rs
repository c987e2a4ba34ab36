//! Wishes beside the cosines: kept masses and lengths, minimised indeterminacy, margins, and how they are weighed.

use carom::design::{
    DesignSolution, DesignStatus, Method, Quantity, Weighing, order_indeterminacy,
};
use carom::study::design::{
    BeforeAfter, DesignFile, DesignReport, DesignStudy, KeepEntry, KeepKind, MotionEntry,
};

use crate::support::{assert_root, shipped_file, trex_file, value};

fn solved(file: DesignFile) -> (DesignStudy, DesignSolution, DesignReport) {
    let settings = file.solver.settings();
    let study = DesignStudy::new("design.toml", file).unwrap();
    let solution = study.problem.solve(&settings).unwrap();
    let report = study.report(&solution, Vec::new()).unwrap();
    (study, solution, report)
}

fn keep(quantity: KeepKind, parameters: &[&str], weight: Option<f64>) -> KeepEntry {
    KeepEntry {
        quantity,
        parameters: parameters.iter().map(ToString::to_string).collect(),
        value: None,
        weight,
    }
}

fn change(pair: &BeforeAfter<f64>) -> f64 {
    (pair.after / pair.before - 1.0).abs()
}

#[test]
fn mass_and_leg_length_are_kept_exactly_or_softly() {
    let file = shipped_file("robots/anymal_b/design.toml");
    let (_, _, free) = solved(file.clone());
    let leg = |report: &DesignReport| {
        let sum = |pick: fn(&BeforeAfter<f64>) -> f64| {
            pick(&report.parameters["thigh_length"]) + pick(&report.parameters["shank_length"])
        };
        sum(|p| p.after) / sum(|p| p.before) - 1.0
    };
    assert!(change(&free.mass_kg) > 1e-3 && leg(&free) > 1e-2);

    let mut exact = file.clone();
    exact.keep = vec![
        keep(KeepKind::Mass, &[], None),
        keep(KeepKind::Length, &["thigh_length", "shank_length"], None),
    ];
    let (study, solution, kept) = solved(exact);
    assert_eq!(solution.status, DesignStatus::Converged);
    assert_root(&study.problem, &solution.variables);
    assert!(change(&kept.mass_kg) <= 1e-12 && leg(&kept).abs() <= 1e-12);
    assert_eq!(kept.kept["mass"].before, kept.mass_kg.before);
    // Constraints leave less to choose from.
    assert!(kept.distance > free.distance);

    let mut soft = file;
    soft.solver.stay = 1e-2;
    soft.keep = vec![keep(KeepKind::Mass, &[], Some(1.0))];
    let (study, solution, softly) = solved(soft);
    assert_eq!(solution.status, DesignStatus::Converged);
    assert_root(&study.problem, &solution.variables);
    assert!(change(&softly.mass_kg) < 0.5 * change(&free.mass_kg));
    assert!(change(&softly.mass_kg) > 1e-12);
}

#[test]
fn indeterminacy_for_a_stated_fall_is_that_of_the_reflections_and_comes_to_zero() {
    let mut file = trex_file();
    file.drop = None;
    file.parameter.clear();
    file.stance[0].drop_height = None;
    file.stance[0].minimise = vec![MotionEntry {
        drop_height: Some(0.17),
        base: Default::default(),
        velocities: Default::default(),
        weight: 1.0,
    }];
    let (study, solution, report) = solved(file);
    let problem = &study.problem;
    // No cosine is wanted by name, one indeterminacy is.
    let wanted = problem
        .quantities()
        .iter()
        .filter(|q| matches!(q, Quantity::Cosine { .. }));
    assert_eq!(wanted.count(), 0);
    assert_eq!((solution.rank, solution.wanted), (1, 1));
    assert_root(problem, &solution.variables);
    assert!(report.minimised[0].xi.before > 1e-4);
    assert!(report.minimised[0].xi.after <= 1e-13);
    // Two reflections in each order: the quantity is ξ itself, with the sign of the cosine.
    let x = problem.start();
    let robot = problem.robot(&x).unwrap();
    let q = problem.configuration(&robot.model, &x, 0);
    let motion = &problem.stances()[0].minimised[0].0;
    let impact = problem.impact_of(&robot, &q, 0, Some(motion)).unwrap();
    let exact = order_indeterminacy(&impact).unwrap();
    let values = problem.values(&x).unwrap();
    let at = problem
        .quantities()
        .iter()
        .position(|q| matches!(q, Quantity::Indeterminacy { .. }))
        .unwrap();
    assert!(
        (values[at] / -exact - 1.0).abs() < 1e-9,
        "{} {exact}",
        values[at]
    );
}

/// TREX with little freedom: its cosine cannot be brought to 0 within the bounds.
fn tight() -> DesignFile {
    let mut file = trex_file();
    file.drop = None;
    file.parameter.clear();
    let free = &mut file.stance[0].free;
    free.retain(|f| f.name.starts_with("base") || f.name == "phi_T" || f.name == "phi_B");
    for f in free.iter_mut().filter(|f| f.name.starts_with("phi")) {
        let at = if f.name == "phi_T" { 0.0 } else { 1.99 };
        f.lower = Some(at - 0.01);
        f.upper = Some(at + 0.01);
    }
    file
}

#[test]
fn all_ways_find_the_same_compromise_at_the_same_bounds() {
    let run = |weighing: Weighing| {
        let mut file = tight();
        file.solver.compromise = weighing;
        solved(file)
    };
    let (a, newton, _) = run(Weighing::Newton);
    assert_eq!(newton.status, DesignStatus::Compromise);
    assert!(newton.iterations < 60, "{}", newton.iterations);
    assert!(!newton.at_bounds.is_empty());
    let reason = newton.reason.as_ref().unwrap().to_string();
    assert!(reason.contains("cannot be brought to 0"), "{reason}");
    for weighing in [Weighing::GaussNewton, Weighing::LBfgs] {
        let (b, other, report) = run(weighing);
        assert_eq!(other.status, DesignStatus::Compromise);
        for gap in report.gaps_m.after.values() {
            assert!(gap.abs() <= 1e-12, "{gap:e}");
        }
        // L-BFGS comes to a bound as far as its slope tells, 1e-11 of the cost.
        for name in ["phi_T", "phi_B", "base.z", "base.pitch"] {
            let (x, y) = (value(&a, &newton, name), value(&b, &other, name));
            assert!((x - y).abs() < 1e-5, "{weighing:?} {name}: {x} {y}");
        }
    }
}

#[test]
fn a_compromise_weighs_soft_wishes_too_and_says_what_is_out_of_reach() {
    let mut file = tight();
    file.solver.method = Method::Compromise;
    let (_, plain, report) = solved(file);
    assert_eq!(plain.status, DesignStatus::Compromise);
    assert!(report.reason.is_none());
    assert!(report.cosines.after[0].cosine.abs() < report.cosines.before[0].cosine.abs());
    assert!(plain.distance < 0.5);
    // Wholly tied to the start, only the gaps move.
    let mut file = tight();
    file.solver.method = Method::Compromise;
    file.solver.stay = 1e3;
    let (_, tied, _) = solved(file);
    assert!(tied.distance < plain.distance);
}

#[test]
fn single_contacts_keep_their_own_margin() {
    let mut file = trex_file();
    file.drop = None;
    file.parameter.clear();
    let before = {
        let (_, _, report) = solved(file.clone());
        report.smallest_open_gap_m.after.unwrap()
    };
    // The second foot is the nearest of the open contacts.
    let margin = before + 0.02;
    file.stance[0]
        .clearances
        .insert("foot_B".to_string(), margin);
    let (study, solution, _) = solved(file);
    assert_root(&study.problem, &solution.variables);
    let values = study.problem.values(&solution.variables).unwrap();
    let robot = study.problem.robot(&solution.variables).unwrap();
    for (quantity, gap) in study.problem.quantities().iter().zip(values.iter()) {
        if let Quantity::Gap { contact, least, .. } = quantity
            && robot.contacts.name(*contact) == "foot_B"
        {
            assert_eq!(*least, margin);
            assert!(*gap >= margin - 1e-12);
        }
    }
}
