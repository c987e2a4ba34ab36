//! The numbers of the page `study::orbit::shipped_gaits`.

use std::path::Path;

use carom::impact::Verdict;
use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{Differentiability, Orbit, OrbitError, find_orbit};

fn look(name: &str, keys: &[&str], settle: usize) -> Result<Orbit, OrbitError> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name);
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_string()).collect();
    let scenario = Scenario::read(&file, &keys)?;
    find_orbit(&Experiment::new(name, scenario)?, settle)
}

fn verdicts(orbit: &Orbit) -> Vec<Verdict> {
    orbit
        .events
        .iter()
        .filter_map(|event| event.unique)
        .collect()
}

/// The cost to the four digits of the page.
fn assert_cost(orbit: &Orbit, wanted: f64) {
    let cost = orbit.cost_of_transport.unwrap();
    assert!((cost - wanted).abs() < 6e-4 * wanted, "{cost} {wanted}");
}

#[test]
fn the_run_of_trex_is_a_stable_orbit_on_which_nothing_strikes_together() {
    let orbit = look("trex/run_orbit.toml", &[], 0).unwrap();
    assert!(
        orbit.found && orbit.stable == Some(true),
        "{}",
        orbit.residual
    );
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Differentiable)
    );
    assert!(orbit.simultaneous.is_empty());
    let verdicts = verdicts(&orbit);
    assert!(verdicts.len() > 50 && verdicts.iter().all(|v| *v == Verdict::Unique));
    assert_cost(&orbit, 1.681);
    let [re, im] = orbit.multipliers[0];
    assert!(re.hypot(im) < 0.5);
    let plastic = look("trex/run_orbit.toml", &["contact.restitution=0.0"], 10).unwrap();
    assert!(plastic.found && plastic.stable == Some(true));
    assert_eq!(self::verdicts(&plastic).len(), 5);
    assert_cost(&plastic, 2.037);
}

/// With [orbit] the scenario of the run itself would wait for an impact in every period.
#[test]
fn a_clock_that_waits_for_an_impact_is_refused_with_its_remedy() {
    let keys = [
        "orbit.section.period=0.6283185307179586",
        "orbit.symmetry.drift=[\"base.x\"]",
    ];
    let error = look("trex/run.toml", &keys, 0).unwrap_err().to_string();
    assert!(
        error.contains("controller.start") && error.contains("start = 0.0"),
        "{error}"
    );
    let both = ["controller.delay=0.1"];
    let error = look("trex/run_orbit.toml", &both, 0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("remove one"), "{error}");
    let wrong = ["controller.hold.phi_C=0.1"];
    let error = look("trex/run_orbit.toml", &wrong, 0)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("hold.phi_C: it is none of the joints that turn"),
        "{error}"
    );
}

/// A smaller sweep of steeper legs: no leg jams, and all impacts have one outcome.
#[test]
fn a_tripod_table_has_strikes_with_one_outcome() {
    let orbit = look("rhex/tripod_unique.toml", &[], 0).unwrap();
    assert!(
        orbit.found && orbit.stable == Some(true),
        "{}",
        orbit.residual
    );
    assert!(verdicts(&orbit).iter().all(|v| *v == Verdict::Unique));
    assert!(orbit.simultaneous.is_empty());
    assert_cost(&orbit, 0.3018);
    assert!((orbit.advance["base.x"] - 0.26558).abs() < 1e-5);
}
