//! Some of the drops of `examples/10_random_drops`.

// The program prints more of an outcome than is looked at here.
#[allow(dead_code)]
#[path = "../../examples/10_random_drops/drops/mod.rs"]
mod drops;

use drops::{Settings, drop_one};

fn expect_within_bounds(robot: &'static str, law: &str, indices: &[usize]) {
    let settings = Settings {
        law: law.to_string(),
        ..Settings::default()
    };
    for &index in indices {
        let outcome = drop_one(robot, index, &settings).unwrap();
        assert!(!outcome.is_wrong(), "{}", outcome.line());
    }
}

/// In trials of these a step has several solutions, which friction of more than one makes likely; in one of them (9) impulses
/// of redundant contacts creep while the momentum has settled.
#[test]
fn quadrupeds_and_humanoids_that_fall_on_rough_ground_stay_above_it() {
    expect_within_bounds(
        "quadruped",
        "max-dissipation",
        &[2, 7, 9, 32, 67, 76, 96, 105, 151, 194],
    );
    expect_within_bounds("humanoid", "max-dissipation", &[100, 184]);
}

/// Four corners of the body and three to five feet in one plane: normals that depend on each other.
#[test]
fn hexapods_that_fall_flat_do_not_stop_the_propagative_law() {
    expect_within_bounds("hexapod", "propagative", &[3, 120, 141, 154]);
}
