//! The compliant rocking block beside the set of outcomes (\[HP\] Fig. 12).

use super::{PublishedCurve, PublishedNumber};
use crate::comparison::compliant::{IntegrationError, RockingBlock};
use crate::impact::examples::{ImpactExample, rocking_block as rocking_block_example};
use crate::impact::routh::{RouthSettings, sample_set};
use crate::impact::{ImpactError, Routh};

/// log₁₀ of the ratio of the stiffnesses of the corners.
const EXPONENTS: [f64; 13] = [
    -5.0, -4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0,
];
/// Angles before the impact \[deg\].
const ANGLES: [f64; 11] = [
    -0.01, -0.0075, -0.005, -0.0025, -0.001, 0.0, 0.001, 0.0025, 0.005, 0.0075, 0.01,
];

/// Normal velocities after compliant impacts, and the hull of the set.
pub fn figure_12(
    numbers: &mut Vec<PublishedNumber>,
    curves: &mut Vec<PublishedCurve>,
) -> Result<(), ImpactError> {
    let ImpactExample {
        problem,
        step,
        max_steps,
        ..
    } = rocking_block_example()?;
    let speed = -problem.velocity()[1];
    // The largest separation after sequential impacts: an end of the set.
    let sequential = 0.21 * speed;
    let collide = |block: RockingBlock, angle: f64| -> Result<[f64; 2], ImpactError> {
        let end = block.collide(angle, speed).map_err(failed)?;
        Ok([end.normal_velocity.0, end.normal_velocity.1])
    };
    let by_stiffness = EXPONENTS
        .iter()
        .map(|x| collide(RockingBlock::with_stiffness_ratio(*x), 0.0))
        .collect::<Result<Vec<_>, _>>()?;
    let by_angle = ANGLES
        .iter()
        .map(|x| collide(RockingBlock::with_stiffness_ratio(0.0), x.to_radians()))
        .collect::<Result<Vec<_>, _>>()?;
    let largest = |points: &[[f64; 2]]| points.iter().flatten().copied().fold(0.0, f64::max);
    let ratio = |points: &[[f64; 2]]| largest(points) / sequential;
    let row = |quantity: &str, ours: f64| {
        PublishedNumber::not_printed("rocking-block", "[HP] Fig. 12", quantity, ours, "")
    };
    numbers.push(
        row(
            "largest compliant separation over the sequential one, stiffness ratios 1e-5 to 1e5",
            ratio(&by_stiffness),
        )
        .qualitative(
            0.9,
            1.0,
            "\"properly contained in and nearly covers\" the set: below 1, and near it",
        ),
    );
    numbers.push(
        row(
            "largest compliant separation over the sequential one, angles to 0.01 deg",
            ratio(&by_angle),
        )
        .qualitative(
            1.0,
            1.1,
            "\"slightly larger than our model's predictions\": above 1, and near it",
        ),
    );
    let settings = RouthSettings {
        samples: 1 << 12,
        step: Some(step),
        max_steps,
        seed: 1,
        ..Routh::default().settings().clone()
    };
    let set = sample_set(&problem, &settings)?;
    let contacts = &problem.contact_space().contacts;
    let mut hull = set.hull(contacts[0].normal, contacts[1].normal).vertices;
    hull.extend(hull.first().copied());
    curves.push(PublishedCurve {
        item: "rocking-block",
        title: "Rocking block: compliant impacts beside the set of outcomes".to_string(),
        axes: ["normal velocity of A (m/s)", "normal velocity of B (m/s)"],
        series: vec![
            ("set of outcomes, hull".to_string(), hull),
            ("stiffness ratios".to_string(), by_stiffness),
            ("angles".to_string(), by_angle),
        ],
    });
    Ok(())
}

fn failed(error: IntegrationError) -> ImpactError {
    ImpactError::Unsupported {
        law: "compliant",
        reason: error.to_string(),
    }
}
