//! Global stages: several starts and a swarm.

use carom::design::{DesignSettings, DesignStatus, best_start, solve_start};
use carom::study::DesignStudy;

use crate::support::trex_file;

#[test]
fn several_starts_are_reproducible_and_the_best_is_the_nearest() {
    let study = DesignStudy::new("design.toml", trex_file()).unwrap();
    let settings = DesignSettings::default();
    let run = || -> Vec<_> {
        (0..2)
            .map(|k| solve_start(&study.problem, &settings, 5, k, &|_| {}).0)
            .collect()
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    let best = best_start(&first).unwrap();
    for record in &first {
        assert!(record.status != Some(DesignStatus::Converged) || record.distance >= best.distance);
    }
    assert!(best.distance.unwrap() <= 0.103, "{best:?}");
}
