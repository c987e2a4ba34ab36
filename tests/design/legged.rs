//! Legged robots in three dimensions: the hexapod and a quadruped that is not ours.

use carom::design::DesignStatus;

use crate::support::{assert_root, shipped};

#[test]
fn hexapod_legs_become_orthogonal_in_three_dimensions() {
    for (file, pairs) in [
        ("robots/rhex/design_pair.toml", 1),
        ("robots/rhex/design_tripod.toml", 3),
    ] {
        let (study, solution) = shipped(file);
        assert_eq!(solution.status, DesignStatus::Converged, "{file}");
        assert_root(&study.problem, &solution.variables);
        assert_eq!((solution.rank, solution.wanted), (pairs, pairs), "{file}");
        let report = study.report(&solution, Vec::new()).unwrap();
        println!("{file}: {:?} {:?}", report.xi, solution.iterations);
        // Every permutation of the legs; before, the orders were half of the momentum apart.
        assert!(report.xi.after.unwrap() < 1e-12);
        assert!(report.xi.before.unwrap() > 0.1);
    }
}

#[test]
fn quadruped_with_free_thighs_and_shanks_lands_without_ambiguity() {
    let (study, solution) = shipped("robots/anymal_b/design.toml");
    assert_eq!(solution.status, DesignStatus::Converged);
    assert_root(&study.problem, &solution.variables);
    let report = study.report(&solution, Vec::new()).unwrap();
    assert!(report.xi.after.unwrap() < 1e-13);
    // The parameters act: the plain text has the tuned thigh.
    let text = study.robot.text(&solution.variables[..4]).unwrap();
    let thigh = solution.variables[0];
    assert!(text.contains(&format!("0 0.109 {}", -thigh)), "{thigh}");
}
