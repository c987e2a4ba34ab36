//! Global stages: several starts and a swarm.

use carom::design::{DesignSettings, DesignStatus, Swarm, best_start, solve_numbered, solve_start};

use crate::billiards::billiards;
use crate::support::{assert_root, xi};

#[test]
fn several_starts_are_reproducible_and_the_best_is_the_nearest() {
    let problem = billiards([0.2, 0.5, 0.3], [0.3, 2.6], 2);
    let settings = DesignSettings::default();
    let run = || -> Vec<_> {
        (0..8)
            .map(|k| solve_start(&problem, &settings, 5, k, &|_| {}).0)
            .collect()
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    let best = best_start(&first).unwrap();
    assert_eq!(best.status, Some(DesignStatus::Converged));
    for record in &first {
        assert!(record.status != Some(DesignStatus::Converged) || record.distance >= best.distance);
    }
}

#[test]
fn a_swarm_finds_a_region_and_goes_on_from_text_to_the_same_bits() {
    let problem = billiards([0.2, 0.5, 0.3], [0.3, 3.0], 2);
    let settings = DesignSettings::default();
    let mut swarm = Swarm::new(&problem, &settings, 24, 9).unwrap();
    let at_start = swarm.cost();
    for _ in 0..20 {
        swarm.advance(&problem, &settings).unwrap();
    }
    let text = serde_json::to_string(&swarm).unwrap();
    let mut again: Swarm = serde_json::from_str(&text).unwrap();
    for s in [&mut swarm, &mut again] {
        for _ in 0..20 {
            s.advance(&problem, &settings).unwrap();
        }
    }
    assert_eq!(
        serde_json::to_string(&swarm).unwrap(),
        serde_json::to_string(&again).unwrap()
    );
    assert_eq!(swarm.generation(), 40);
    assert!(
        swarm.cost() < 1e-2 * at_start,
        "{} {at_start}",
        swarm.cost()
    );
    let from = swarm.best(&problem);
    let (record, solution) = solve_numbered(&problem, &settings, 1, from, &|_| {});
    assert_eq!(record.status, Some(DesignStatus::Converged));
    let solution = solution.unwrap();
    assert_root(&problem, &solution.variables);
    assert!(xi(&problem, &solution.variables) < 1e-13);
}
