//! Compromises: several stances of one robot, wishes that cannot all be met.

use carom::design::{DesignSettings, DesignStatus};
use carom::study::design::DesignStudy;

use crate::support::{assert_root, optimized_row, trex_file};

#[test]
fn a_compromise_of_two_stances_shares_one_robot() {
    let mut file = trex_file();
    file.parameter.truncate(2);
    let mut second = optimized_row().stance.remove(0);
    second.name = "stride".to_string();
    file.stance.push(second);
    let study = DesignStudy::new("design.toml", file).unwrap();
    let root = study.problem.solve(&DesignSettings::default()).unwrap();
    // Fourteen coordinates and two parameters for four gaps and two cosines: a root exists.
    assert_eq!(root.status, DesignStatus::Converged);
    assert_root(&study.problem, &root.variables);
    // With only two coordinates of each stance free, four gaps leave the parameters for two cosines.
    let mut tight = study.design.clone();
    for stance in &mut tight.stance {
        stance.free.retain(|f| f.name.starts_with("base"));
    }
    // … and with one parameter there is only a compromise.
    tight.parameter.truncate(1);
    let study = DesignStudy::new("design.toml", tight).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    assert_eq!(solution.status, DesignStatus::Compromise);
    let report = study.report(&solution, Vec::new()).unwrap();
    for gap in report.gaps_m.after.values() {
        assert!(gap.abs() <= 1e-12, "{gap:e}");
    }
    let square = |side: &[carom::study::design::CosineEntry]| {
        side.iter().map(|c| c.cosine * c.cosine).sum::<f64>()
    };
    let best = square(&report.cosines.after);
    // No neighbour in r1 with its gaps closed is better.
    for r1 in [-1e-3, 1e-3] {
        // As an argument, with which the robot's file is expanded once.
        let mut fixed = study.design.clone();
        let at = solution.variables[0] + r1;
        let parameter = fixed.parameter.remove(0);
        fixed
            .robot
            .arguments
            .insert(parameter.name, format!("{at:?}"));
        let study = DesignStudy::new("design.toml", fixed).unwrap();
        let near = study.problem.solve(&DesignSettings::default()).unwrap();
        let report = study.report(&near, Vec::new()).unwrap();
        assert!(square(&report.cosines.after) >= best, "{r1}");
    }
}
