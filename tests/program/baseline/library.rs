//! Baselines in Rust tests.

use carom::baseline::{Baseline, BaselineOptions};
use carom::control::{Controller, Observation};
use carom::scenario::Experiment;

use super::support::{Folder, shipped};

/// Holds the first joint of the chain.
fn hold(stiffness: f64) -> impl Fn(&Experiment) -> Box<dyn Controller> + Sync {
    move |_| {
        Box::new(move |o: &Observation<'_>, efforts: &mut [f64]| {
            efforts[0] = -stiffness * o.q[0] - o.v[0];
        })
    }
}

#[test]
fn a_rust_test_asserts_a_baseline_of_its_own_controller() {
    let folder = Folder::new("assert");
    let file = folder.path("chain.toml");
    let scenario = shipped("chain/chain4.toml");
    let controller = hold(100.0);
    let options = BaselineOptions {
        controller: Some(&controller),
        ..BaselineOptions::default()
    };
    let short = ["duration=0.2".to_string()];
    let recorded = Baseline::record_file(&scenario, &short, &options).unwrap();
    recorded.write(&file).unwrap();
    carom::assert_baseline!(file, controller = hold(100.0));
    let told = std::panic::catch_unwind(|| carom::assert_baseline!(file, controller = hold(105.0)))
        .unwrap_err();
    let told = told.downcast_ref::<String>().unwrap();
    assert!(told.contains("joint1 torque peak +"), "{told}");
    assert!(told.contains("CAROM_UPDATE_BASELINES=1"), "{told}");
    // Without the controller the chain just falls.
    assert!(std::panic::catch_unwind(|| carom::assert_baseline!(file)).is_err());
    let longer = ["duration=0.1"];
    assert!(std::panic::catch_unwind(|| carom::assert_baseline!(file, set = longer)).is_err());
}
