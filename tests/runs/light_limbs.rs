//! Trunks of ten kilograms that fall on chains of limbs of some grams, whose joints rub and stop: made at random, two of
//! fourteen thousand.

use std::path::Path;

use carom::scenario::{Experiment, Scenario};

use crate::loose::energy;

/// Runs to the end; returns how often a step was halved.
fn fall(name: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/light_limbs");
    let scenario = Scenario::read(&folder.join(name), &[]).unwrap();
    let steps = (scenario.duration / scenario.time_step).round() as usize;
    let mut simulation = Experiment::new(name, scenario)
        .unwrap()
        .simulation()
        .unwrap();
    let mut halvings = 0;
    let mut before = energy(&mut simulation);
    for step in 0..steps {
        halvings += simulation.advance().unwrap().halvings;
        let now = energy(&mut simulation);
        // Some h² ω² of a hundred joules, h ω up to 3e-2.
        assert!(now < before + 0.1, "{name} {step}: {before} {now}");
        before = now;
    }
    halvings
}

/// An impact lets a stop go that the piece after it takes up again: it is as far closed as it was, not at zero, which impulses
/// of any size would have to bring about at once.
#[test]
fn what_is_let_go_and_held_again_stays_where_it_is() {
    fall("again.toml");
}

/// Impulses that the true matrix answers otherwise than the symmetric one, with normal inertias near zero, made two sets of
/// modes answer each other, five times down to a part of the step.
#[test]
fn modes_that_answer_each_other_meet_between() {
    assert_eq!(fall("answering.toml"), 0);
}
