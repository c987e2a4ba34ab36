//! The proof on the simulated robot.

use carom::study::DistanceCurve;

use crate::support::trex;

/// The fall of 17 cm, then legs spinning: 2 s with the controller.
#[test]
fn two_orders_part_at_the_landing_of_the_start_and_only_later_in_the_design() {
    let (study, solution) = trex();
    let run = |x: &[f64]| study.drop_in_both_orders(x).unwrap().unwrap();
    let (before, after) = (run(&study.problem.start()), run(&solution.variables));
    for run in [&before, &after] {
        assert!(run.curve.stopped.is_none());
        assert_eq!(run.curve.samples.len(), 2001);
    }
    let fall = (2.0_f64 * 0.17 / 9.81).sqrt();
    let parted = before.curve.parting.as_ref().unwrap();
    assert!((parted.time_s - fall).abs() < 1e-6, "{}", parted.time_s);
    assert_eq!(parted.contacts, ["foot_A", "tail"]);
    // ξ of the start with its gaps closed by all that is free. It is that of elastic impacts; those of the drop have
    // restitution 0.8, and what parts two orders is in proportion to it.
    let elastic = parted.indeterminacy / 0.8;
    assert!((elastic / before.xi_closed - 1.0).abs() < 1e-6);
    assert!(before.xi_closed > 2e-4 && after.xi_closed <= 1e-13);
    // The landing of the design keeps the orders together to round-off.
    assert!(before.curve.after_first_impact() > 1e-5);
    assert!(after.curve.after_first_impact() < 1e-11);
    let early = after.curve.impacts.iter().filter(|i| i.time_s < fall + 0.3);
    for impact in early {
        assert_eq!(impact.outcomes, 1, "{impact:?}");
    }
    // Differences of round-off grow as the run goes on, but for 0.3 s they stay five orders of magnitude below
    // those of the start.
    let until = |curve: &DistanceCurve| {
        let samples = curve.samples.iter().take_while(|s| s.time_s < fall + 0.3);
        samples.map(|s| s.distance).fold(0.0, f64::max)
    };
    assert!(until(&before.curve) > 1e5 * until(&after.curve));
}

#[test]
fn the_written_drop_runs_again_to_the_same_start() {
    let (study, solution) = trex();
    let (experiment, _) = study.drop_experiment(&solution.variables).unwrap().unwrap();
    let text = experiment.resolved().to_toml().unwrap();
    let scenario = carom::scenario::Scenario::parse("drop", &text, &[]).unwrap();
    let again =
        carom::scenario::Experiment::with_robot("drop", scenario, experiment.robot_text()).unwrap();
    assert_eq!(again.q, experiment.q);
    assert_eq!(again.hash().unwrap(), experiment.hash().unwrap());
    // Knees rest where they stand in the stance.
    let knee = experiment
        .scenario
        .spring
        .iter()
        .find(|s| s.joint.as_deref() == Some("gamma_A"));
    let body = experiment.model.body_of_joint("gamma_A").unwrap();
    let at = experiment.q[experiment.model.bodies()[body].q_index];
    assert_eq!(knee.unwrap().rest, Some(at));
}
