//! Contacts that strike at once, resolved one after the other in every order.

use std::collections::BTreeMap;

use nalgebra::DVector;
use serde::Serialize;

use crate::hybrid::{CapturedImpact, SimulationError};
use crate::impact::{Contact, ImpactError, ImpactLaw, ImpactProblem, PreImpact};
use crate::numerics::permutations;
use crate::study::orbit::OrbitError;

/// Separate impacts at most.
const LONGEST: usize = 200;
/// More contacts at once are not tried in all orders.
const MOST: usize = 6;
/// A contact approaches that does so faster than this share of what it came with.
const APPROACHES: f64 = 1e-10;

/// What separate impacts in one order come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeparateImpacts {
    /// Contacts, the one that strikes first first.
    pub order: Vec<String>,
    /// Contacts that acted, one after the other.
    pub sequence: Vec<String>,
    /// Velocity after, by coordinate; without those that latches hold.
    pub velocity_after: BTreeMap<String, f64>,
}

/// All orders of the contacts named `strikers`; the others of the problem are held and take part in every impact.
pub(super) fn all_orders(
    captured: &CapturedImpact,
    strikers: &[String],
    law: &mut dyn ImpactLaw,
    coordinates: &[String],
) -> Result<Vec<SeparateImpacts>, OrbitError> {
    if strikers.len() > MOST {
        return Ok(Vec::new());
    }
    let problem = if law.properties().friction {
        &captured.with_friction
    } else {
        &captured.without_friction
    };
    let names = problem.names();
    let place = |name: &String| names.iter().position(|n| **n == **name);
    let striking: Vec<usize> = strikers.iter().filter_map(place).collect();
    let failed = |source: ImpactError| {
        let contacts = strikers.to_vec();
        let time = captured.time;
        OrbitError::from(SimulationError::Impact {
            time,
            contacts,
            source,
        })
    };
    let mut found = Vec::new();
    for order in permutations(striking.len()) {
        let order: Vec<usize> = order.iter().map(|&k| striking[k]).collect();
        let (sequence, velocity) = one_by_one(problem, &order, &striking, law).map_err(failed)?;
        let named = |which: &[usize]| which.iter().map(|&i| names[i].to_string()).collect();
        let moving = captured.coordinates.iter().zip(velocity.iter());
        let values = moving.map(|(&k, v)| (coordinates[k].clone(), *v));
        found.push(SeparateImpacts {
            order: named(&order),
            sequence: named(&sequence),
            velocity_after: values.collect(),
        });
    }
    Ok(found)
}

/// The first of `order` that approaches acts, until none does.
fn one_by_one(
    problem: &ImpactProblem,
    order: &[usize],
    striking: &[usize],
    law: &mut dyn ImpactLaw,
) -> Result<(Vec<usize>, DVector<f64>), ImpactError> {
    let space = problem.contact_space();
    let normal = |i: usize| problem.rows().row(space.contacts[i].normal).transpose();
    let mut velocity = problem.velocity().clone();
    let scale = order.iter().map(|&i| normal(i).dot(&velocity).abs());
    let tolerance = APPROACHES * scale.fold(0.0, f64::max);
    let mut sequence = Vec::new();
    let mut last = None;
    while sequence.len() < LONGEST {
        let approaching = |i: &&usize| Some(**i) != last && normal(**i).dot(&velocity) < -tolerance;
        let Some(&next) = order.iter().find(approaching) else {
            break;
        };
        // The others that strike are not there yet, or have left.
        let absent = |i: &usize| striking.contains(i) && *i != next;
        let there: Vec<usize> = (0..space.len()).filter(|i| !absent(i)).collect();
        let contacts: Vec<Contact> = there.iter().map(|&i| problem.contact(i)).collect();
        let mass = problem.mass_matrix().clone();
        let part = ImpactProblem::new(mass, PreImpact::Velocity(velocity.clone()), &contacts)?;
        let resolution = law.resolve(&part)?;
        let Some(outcome) = resolution.outcomes.into_iter().next() else {
            break;
        };
        velocity = outcome.velocity;
        sequence.push(next);
        last = Some(next);
    }
    Ok((sequence, velocity))
}
