//! Impacts at which several contacts strike at once, and what separate ones would come to.

use std::collections::BTreeMap;

use super::SimultaneousStrike;
use super::orders::{SeparateImpacts, all_orders};
use super::strikes::strikes;
use crate::scenario::Experiment;
use crate::study::orbit::OrbitError;
use crate::study::orbit::return_map::{ReturnMap, Stride};

/// Impacts at which two or more contacts strike that were not held.
pub(super) fn simultaneous(
    experiment: &Experiment,
    map: &mut ReturnMap,
    (q, v): (&[f64], &[f64]),
    stride: &Stride,
) -> Result<Vec<SimultaneousStrike>, OrbitError> {
    let held: Vec<usize> = map.held(q, v)?.iter().map(|(i, _)| *i).collect();
    let mut told = Vec::new();
    for strike in strikes(experiment, held, stride) {
        if strike.contacts.len() < 2 {
            continue;
        }
        let names = experiment.contacts.names_of(&strike.contacts);
        let mut orders = Vec::new();
        if let Some(captured) = map.capture_at(experiment, (q, v), strike.event.time)? {
            let mut law = experiment.law()?;
            let coordinates = experiment.model.coordinate_names();
            orders = all_orders(&captured, &names, law.as_mut(), coordinates)?;
        }
        told.push(SimultaneousStrike {
            time_s: strike.event.time,
            contacts: names,
            unique: strike.impact.uniqueness.verdict(),
            jump: spread(&orders),
            orders,
        });
    }
    Ok(told)
}

/// Largest differences between outcomes.
fn spread(orders: &[SeparateImpacts]) -> BTreeMap<String, f64> {
    let mut spread = BTreeMap::new();
    for order in orders {
        for (name, value) in &order.velocity_after {
            let ends = spread.entry(name.clone()).or_insert((*value, *value));
            *ends = (value.min(ends.0), value.max(ends.1));
        }
    }
    let widths = spread
        .into_iter()
        .map(|(name, (low, high)): (String, (f64, f64))| (name, high - low));
    widths.collect()
}
