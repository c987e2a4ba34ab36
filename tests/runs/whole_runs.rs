//! The scenarios of `benches/runs.py` and the rows that runs write.

use std::convert::Infallible;
use std::path::Path;

use carom::hybrid::Watcher;
use carom::record::{HeldInterval, Run, RunEnd, SeriesRow};
use carom::scenario::{Experiment, Scenario};

struct Nobody;

impl Watcher<Infallible> for Nobody {}

fn experiment(path: &str) -> Experiment {
    let scenario = Scenario::read(Path::new(path), &[]).unwrap();
    Experiment::new(path, scenario).unwrap()
}

#[test]
fn robots_have_the_joints_contacts_masses_and_friction_that_their_scenarios_say() {
    // Masses are the sums of those in the robots' files.
    for (path, joints, contacts, mass, dry, height) in [
        ("robots/quadruped/stand.toml", 12, 4, 13.74, 0.0, 0.15),
        ("robots/quadruped/stand_dry.toml", 12, 4, 13.74, 0.1, 0.15),
        ("robots/quadruped/slide.toml", 12, 4, 13.74, 0.0, 0.02),
        ("robots/quadruped/collapse.toml", 12, 20, 13.74, 0.0, 0.01),
        ("robots/humanoid/fall.toml", 29, 21, 33.34114202, 0.0, 0.01),
        ("robots/humanoid/stand.toml", 32, 8, 90.272192, 1.0, 0.0),
    ] {
        let experiment = experiment(path);
        let model = &experiment.model;
        assert_eq!(model.dof(), 6 + joints, "{path}");
        // Both limits of a joint are contacts, beside those of the sites.
        let limited = model
            .bodies()
            .iter()
            .filter(|b| b.limits.position.is_some());
        let all = contacts + 2 * limited.count();
        assert_eq!(experiment.contacts.len(), all, "{path}");
        assert!(
            (model.mass() - mass).abs() < 1e-9,
            "{path} {}",
            model.mass()
        );
        let moving = model.bodies().iter().filter(|b| b.q_index >= 7);
        let driest = moving.fold(f64::INFINITY, |least, b| least.min(b.friction));
        assert_eq!(driest, dry, "{path}");
        let mut start = experiment.simulation().unwrap();
        let lowest = start.gaps().iter().copied().fold(f64::INFINITY, f64::min);
        // The heights in the files have 16 digits; the robots are below 2 m.
        assert!((lowest - height).abs() < 1e-14, "{path} {lowest:e}");
    }
}

#[test]
fn a_row_of_the_series_holds_the_state_in_numbers_that_read_back_to_the_same_bits() {
    let experiment = experiment("robots/quadruped/stand.toml");
    let mut run = Run::new(&experiment).unwrap();
    let mut row = SeriesRow::default();
    // In the air, and on its feet.
    for steps in [0, 250] {
        assert_eq!(run.advance(steps, &mut Nobody), Ok(RunEnd::Reached));
        let mut interval = HeldInterval::new(&experiment.contacts, 0.0);
        let text = row.text(run.simulation(), &mut interval).unwrap();
        let line = std::str::from_utf8(text).unwrap().strip_suffix('\n');
        let numbers = line.unwrap().split(',').map(|x| x.parse().unwrap());
        let numbers: Vec<f64> = numbers.collect();
        // Time, 19 coordinates, 18 velocities, 7 energies; gap and force of 4 feet and 24 joint limits, two
        // tangential forces of the feet.
        assert_eq!(numbers.len(), 109);
        let state = run.state();
        assert_eq!(numbers[0], state.time);
        assert_eq!(numbers[1..20], state.q);
        let simulation = run.simulation();
        let gaps: Vec<f64> = simulation.gaps().to_vec();
        let written: Vec<f64> = numbers[45..101].iter().copied().step_by(2).collect();
        assert_eq!(written, gaps);
    }
}
