//! What strikes on the way, and what is held meanwhile.

use crate::dynamics::Kinematics;
use crate::hybrid::{Event, EventKind, ImpactRecord};
use crate::scenario::Experiment;
use crate::study::orbit::STICKS;
use crate::study::orbit::return_map::Stride;

/// An impact of contacts that were not held.
pub(crate) struct Strike<'a> {
    pub event: &'a Event,
    pub impact: &'a ImpactRecord,
    /// The contacts that strike.
    pub contacts: Vec<usize>,
    /// Those that are held while they do.
    pub held: Vec<usize>,
}

/// The strikes of a stride that begins with these contacts held.
pub(crate) fn strikes<'a>(
    experiment: &Experiment,
    mut held: Vec<usize>,
    stride: &'a Stride,
) -> Vec<Strike<'a>> {
    let mut strikes = Vec::new();
    for event in &stride.events {
        match event.kind {
            EventKind::Hold => held.extend(&event.contacts),
            EventKind::Release => held.retain(|i| !event.contacts.contains(i)),
            _ => {}
        }
        let Some(impact) = &event.impact else {
            continue;
        };
        let new = event.contacts.iter().copied().filter(|i| {
            !held.contains(i) && approaches(experiment, event, *i, &impact.velocity_before)
        });
        let contacts: Vec<usize> = new.collect();
        if !contacts.is_empty() {
            strikes.push(Strike {
                event,
                impact,
                contacts,
                held: held.clone(),
            });
        }
    }
    strikes
}

fn approaches(experiment: &Experiment, event: &Event, contact: usize, velocity: &[f64]) -> bool {
    let mut kinematics = Kinematics::<f64>::new(&experiment.model);
    kinematics.update_placements(&experiment.model, &event.q);
    kinematics.update_twists(&experiment.model, velocity);
    experiment.contacts.gap_rate(&kinematics, contact) < -STICKS
}
