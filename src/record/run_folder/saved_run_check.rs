//! Whether the state file of a run is one of its experiment: what is beside the state of the simulation itself.

use crate::files::json_place;
use crate::hybrid::SimulationError;
use crate::record::SavedRun;
use crate::scenario::Experiment;

/// What is wrong with the text of a state file, with the path of the entry.
pub(crate) fn json_complaint(text: &str, error: &serde_json::Error) -> String {
    let offset = json_place::offset_of(text, error.line(), error.column());
    let path = json_place::path_at(text, offset).to_string();
    let place = if path.is_empty() {
        "its beginning"
    } else {
        &path
    };
    let reason = json_place::without_place(error);
    format!("is not the state of a run: at {place}: {reason}; start the run again without --resume")
}

impl SavedRun {
    /// Whether every index, length and number is one of a run of `experiment`; what is not is told with its place.
    pub(crate) fn check(&self, experiment: &Experiment) -> Result<(), (String, String)> {
        let (model, contacts) = (&experiment.model, &experiment.contacts);
        self.state
            .check(model, contacts)
            .map_err(|error| match error {
                SimulationError::SavedState { place, reason } => (format!("state.{place}"), reason),
                other => ("state".to_string(), other.to_string()),
            })?;
        let wrong = |place: &str, reason: String| Err((place.to_string(), reason));
        // The last step of a run may be shorter than the others.
        let h = experiment.scenario.time_step;
        let (step, time) = (self.state.step, self.state.time);
        let late = time - step as f64 * h;
        if late.abs() > h * 1.001 {
            return wrong(
                "state.time",
                format!("it is {time}, {step} steps of {h} s are others"),
            );
        }
        if !self.statistics.is_sound() {
            return wrong("statistics", "numbers that no run comes to".to_string());
        }
        let (found, expected) = (self.interval.contacts(), contacts.len());
        if found != expected {
            let reason = format!("it has {found} entries, there are {expected} contacts");
            return wrong("interval.impulses", reason);
        }
        if !self.interval.is_finite() {
            return wrong("interval", "its numbers must be finite".to_string());
        }
        let legs = experiment
            .scenario
            .locomotion
            .as_ref()
            .map(|l| l.legs.len());
        if let Some(locomotion) = &self.locomotion
            && !locomotion.is_of(legs.unwrap_or(0))
        {
            return wrong(
                "locomotion",
                "it is of other legs, or its numbers are none".to_string(),
            );
        }
        if !(self.wall_time_s.is_finite() && self.wall_time_s >= 0.0) {
            let reason = format!("it is {}, it must be at least 0", self.wall_time_s);
            return wrong("wall_time_s", reason);
        }
        Ok(())
    }
}
