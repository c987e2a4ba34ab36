//! Where an orbit is cut.

use crate::files::did_you_mean;
use crate::scenario::{CrossingDirection, Experiment, OrbitEntry, ScenarioError, SectionKind};
use crate::study::orbit::OrbitError;

/// Where an orbit is cut, by numbers of contacts and coordinates.
pub(super) enum Section {
    Impact(usize),
    Period(f64),
    Crossing {
        /// Of a position, or of a velocity.
        position: bool,
        at: usize,
        value: f64,
        rising: bool,
    },
}

impl Section {
    /// The section of an entry, its names looked up.
    pub fn new(experiment: &Experiment, entry: &OrbitEntry) -> Result<Self, OrbitError> {
        let file = &experiment.file;
        let contacts = &experiment.contacts;
        match entry.section.kind(file)? {
            SectionKind::Period(period) => Ok(Self::Period(period)),
            SectionKind::Impact(name) => {
                let known = || (0..contacts.len()).map(|i| contacts.name(i));
                known()
                    .position(|own| own == name)
                    .map(Self::Impact)
                    .ok_or_else(|| {
                        let near = did_you_mean(name, known());
                        let reason = format!("there is no contact \"{name}\"{near}");
                        ScenarioError::value(file, "orbit.section.impact", reason).into()
                    })
            }
            SectionKind::Crossing(name) => {
                let bare = name.strip_prefix("q_").unwrap_or(name);
                let find = |names: &[String], name: &str| names.iter().position(|n| n == name);
                let positions = experiment.model.configuration_names();
                let rates = experiment.model.coordinate_names();
                let position = find(positions, bare).map(|at| (true, at));
                let rate = || find(rates, name.strip_prefix("v_")?).map(|at| (false, at));
                let Some((position, at)) = position.or_else(rate) else {
                    let near = did_you_mean(bare, positions.iter().map(String::as_str));
                    let reason = format!("there is no coordinate \"{name}\"{near}");
                    return Err(ScenarioError::value(file, "orbit.section.crossing", reason).into());
                };
                Ok(Self::Crossing {
                    position,
                    at,
                    value: entry.section.value.unwrap_or(0.0),
                    rising: entry.section.direction != Some(CrossingDirection::Falling),
                })
            }
        }
    }
}
