//! Impacts of bodies that stand side by side: each is what it is alone, whatever else happens at that moment.

use carom::hybrid::{Event, EventKind, LinearizeError};
use carom::impact::Verdict;
use carom::scenario::Experiment;
use nalgebra::DMatrix;

use crate::loose::{GROUND, by_law};

fn scene(law: &str, tables: &str) -> Experiment {
    let restitution = match law {
        "propagative" | "stronge" | "plus" => 0.4,
        _ => 0.0,
    };
    let contact = format!("[contact]\nfriction = 0.5\nrestitution = {restitution:?}\n");
    by_law(law, &[&contact, GROUND, tables].concat())
}

/// A box with a turn about the vertical axis and a push.
fn stone(name: &str, x: f64, bottom: f64, turn: f64) -> String {
    let height = bottom + 0.05;
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"box\"\nsize = [0.2, 0.3, 0.1]\nmass = 1.0\nposition = [{x:?}, 0.0, {height:?}]\n\
         rpy = [0.0, 0.0, {turn:?}]\nvelocity = [0.3, 0.1, 0.0]\n"
    )
}

fn impacts(experiment: &Experiment) -> Vec<(Event, Vec<String>)> {
    let mut simulation = experiment.simulation().unwrap();
    let mut found = Vec::new();
    for _ in 0..250 {
        simulation.advance().unwrap();
        for event in simulation.take_events() {
            if event.kind == EventKind::Impact {
                let names = simulation.contacts().names_of(&event.contacts);
                found.push((event, names));
            }
        }
    }
    found
}

/// Three boxes come down flat at one moment, beside one that rests: every law that does not draw gives each the impulses
/// that it gives it alone, with the verdict that it has alone.
#[test]
fn boxes_that_land_at_once_land_as_if_alone() {
    let boxes = [(0.0, 0.3), (2.0, -1.1), (4.0, 2.0)];
    let laws = [
        "propagative",
        "plastic",
        "stronge",
        "max-dissipation",
        "plus",
        "anitescu-potra",
        "sequential",
    ];
    for law in laws {
        let falls = |k: usize| stone(&format!("box_{k}"), boxes[k].0, 0.1, boxes[k].1);
        let all: String = (0..boxes.len()).map(falls).collect();
        let at_rest = stone("rest", 6.0, 0.0, 0.0).replace("velocity = [0.3, 0.1, 0.0]\n", "");
        let together = impacts(&scene(law, &format!("{all}{at_rest}")));
        assert!(together.len() >= boxes.len(), "{law}: {}", together.len());
        for k in 0..boxes.len() {
            let alone = impacts(&scene(law, &falls(k)));
            let own = format!("box_{k}_");
            let (event, names) = together
                .iter()
                .find(|(_, names)| names[0].starts_with(&own))
                .unwrap();
            assert_eq!(names, &alone[0].1, "{law}");
            assert_eq!(event.time, alone[0].0.time, "{law}");
            let [there, here] = [&alone[0].0, event].map(|event| event.impact.as_ref().unwrap());
            assert_eq!(there.impulses, here.impulses, "{law}");
            assert_eq!(there.uniqueness, here.uniqueness, "{law}");
            let own_range = 6 * k..6 * k + 6;
            // Sums of six products of what is of the order of one, in another order.
            for (a, b) in there
                .velocity_after
                .iter()
                .zip(&here.velocity_after[own_range.clone()])
            {
                assert!((a - b).abs() <= 16.0 * f64::EPSILON, "{law}: {a} {b}");
            }
            // The others do not move on.
            for j in (0..here.velocity_after.len()).filter(|j| !own_range.contains(j)) {
                assert_eq!(here.velocity_before[j], here.velocity_after[j], "{law}");
            }
            let loss =
                |record: &carom::hybrid::ImpactRecord| record.energy_before - record.energy_after;
            let rounding = 1e-15 * here.energy_before;
            assert!((loss(there) - loss(here)).abs() <= 16.0 * rounding, "{law}");
        }
    }
}

/// The verdict on many bodies at once is that on each: a budget that is spent on the orders of all together is not on those of
/// one.
#[test]
fn many_that_land_at_once_are_judged_one_by_one() {
    let all: String = (0..6)
        .map(|k| {
            stone(
                &format!("box_{k}"),
                2.0 * f64::from(k),
                0.1,
                0.3 * f64::from(k),
            )
        })
        .collect();
    let found = impacts(&scene("propagative", &all));
    assert!(found.len() >= 6);
    for (event, _) in &found[..6] {
        let record = event.impact.as_ref().unwrap();
        assert_eq!(record.uniqueness.verdict(), Verdict::Ambiguous);
        assert!(record.uniqueness.complete());
    }
}

/// Two balls that strike at one moment are two impacts, each of one contact: what the time of the second does is in neither, so
/// there is no derivative of the run.
#[test]
fn strikes_beside_each_other_have_no_derivative() {
    let ball = |name: &str, x: f64, height: f64| {
        format!(
            "[[object]]\nname = \"{name}\"\nkind = \"sphere\"\nradius = 0.1\nmass = 1.0\nposition = [{x:?}, 0.0, {height:?}]\n"
        )
    };
    let derivative = |heights: [f64; 2]| {
        let [left, right] = heights;
        let tables = [ball("left", 0.0, left), ball("right", 1.0, right)].concat();
        let mut simulation = scene("propagative", &tables).simulation().unwrap();
        simulation.start_recording();
        for _ in 0..200 {
            simulation.advance().unwrap();
        }
        let impacts = simulation.take_events();
        assert_eq!(impacts.iter().filter(|e| e.impact.is_some()).count(), 2);
        simulation.recorded_derivative(&DMatrix::identity(24, 24))
    };
    let refused = derivative([0.2, 0.2]);
    let told = matches!(refused, Err(LinearizeError::NotDifferentiable { reason, .. }) if reason.contains("together"));
    assert!(told);
    assert!(derivative([0.2, 0.21]).is_ok());
}
