//! The return maps of a scenario over one of its keys, on one chart.

use nalgebra::{DMatrix, DVector};

use super::curve::{Family, Place};
use super::{Explored, Looked};
use crate::scenario::{Experiment, ScenarioError};
use crate::study::orbit::search::{COARSE, Search};
use crate::study::orbit::{Anchor, Orbit, OrbitError, ScanRange, described};

/// Makes the experiment of a scenario with overrides `key=value`.
pub(in crate::study::orbit) type ExperimentWith<'a> =
    &'a dyn Fn(&[String]) -> Result<Experiment, ScenarioError>;

/// Return maps over a key, on the chart of one orbit.
pub(in crate::study::orbit) struct OrbitFamily<'a> {
    made: ExperimentWith<'a>,
    range: &'a ScanRange,
    anchor: Anchor,
}

/// The experiment at a value.
pub(in crate::study::orbit) fn experiment_at(
    made: ExperimentWith<'_>,
    range: &ScanRange,
    parameter: f64,
) -> Result<Experiment, OrbitError> {
    let entry = format!("{}={parameter:?}", range.key);
    Ok(made(&[entry])?)
}

impl<'a> OrbitFamily<'a> {
    /// The maps on the chart of an orbit at a share of the range, and where that is on it.
    pub fn new(
        made: ExperimentWith<'a>,
        range: &'a ScanRange,
        first: &Orbit,
        share: f64,
    ) -> Result<(Self, DVector<f64>), OrbitError> {
        let experiment = experiment_at(made, range, range.at(share))?;
        let (anchor, z) = Anchor::of(&experiment, first)?;
        let family = Self {
            made,
            range,
            anchor,
        };
        Ok((family, z))
    }

    fn with<T>(
        &self,
        share: f64,
        work: impl FnOnce(&Search<'_>) -> Result<T, OrbitError>,
    ) -> Result<T, OrbitError> {
        let parameter = self.range.at(share);
        let experiment = experiment_at(self.made, self.range, parameter)?;
        work(&self.anchor.search(&experiment)?)
    }
}

impl Family for OrbitFamily<'_> {
    fn image(&self, z: &DVector<f64>, share: f64) -> Result<DVector<f64>, OrbitError> {
        self.with(share, |search| Ok(search.at(z)?.0))
    }

    fn slope(&self, z: &DVector<f64>, share: f64) -> Result<DMatrix<f64>, OrbitError> {
        self.with(share, |search| search.slope(z, COARSE))
    }
}

impl Explored for OrbitFamily<'_> {
    type Seen = Orbit;

    fn look(&self, at: &Place) -> Result<Looked<Orbit>, OrbitError> {
        let parameter = self.range.at(at.share);
        let experiment = experiment_at(self.made, self.range, parameter)?;
        let found = self.anchor.at(&experiment, &at.z)?;
        let search = self.anchor.search(&experiment)?;
        let (seen, derivative) = described(&search, &self.anchor.drift, found)?;
        Ok(Looked {
            mark: mark(&seen),
            seen,
            derivative,
        })
    }
}

/// What must not change along a smooth branch: the kind of the map, and what strikes in a period with which verdict.
fn mark(orbit: &Orbit) -> String {
    let kind = orbit.differentiability.map_or("none", |kind| kind.word());
    let strikes = orbit.events.iter().filter_map(|event| {
        let verdict = event.unique?;
        let word = match verdict.word() {
            "yes" => "unique",
            "no" => "not unique",
            other => other,
        };
        Some(format!("{} {word}", event.contacts.join(" and ")))
    });
    let strikes: Vec<String> = strikes.collect();
    if strikes.is_empty() {
        return kind.to_string();
    }
    format!("{kind}; strikes: {}", strikes.join(", "))
}
