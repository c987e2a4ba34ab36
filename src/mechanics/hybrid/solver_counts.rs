//! How much solving a run took.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Counts of solves since a simulation was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverCounts {
    /// Nonlinear solves of pieces of steps, those to locate events included.
    pub step_solves: u64,
    /// Events that were located inside a step.
    pub located_events: u64,
    /// Those of the solves that located them.
    pub event_solves: u64,
    /// Friction solves by the method that answered, in the order in which methods are tried.
    pub friction: Vec<(Cow<'static, str>, u64)>,
}

impl SolverCounts {
    /// Counts one friction solve by a method.
    pub fn count_friction(&mut self, method: &'static str) {
        match self.friction.iter_mut().find(|(name, _)| name == method) {
            Some((_, count)) => *count += 1,
            None => self.friction.push((Cow::Borrowed(method), 1)),
        }
    }

    /// Adds the counts of another part of the run.
    pub fn add(&mut self, other: &Self) {
        self.step_solves += other.step_solves;
        self.located_events += other.located_events;
        self.event_solves += other.event_solves;
        for (method, more) in &other.friction {
            match self.friction.iter_mut().find(|(name, _)| name == method) {
                Some((_, count)) => *count += more,
                None => self.friction.push((method.clone(), *more)),
            }
        }
    }

    /// Solves that locating one event took on average; `None` without events.
    #[must_use]
    pub fn solves_per_event(&self) -> Option<f64> {
        (self.located_events > 0).then(|| self.event_solves as f64 / self.located_events as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::SolverCounts;

    #[test]
    fn counts_of_two_parts_add_up_and_read_back() {
        let mut first = SolverCounts {
            step_solves: 3,
            located_events: 2,
            event_solves: 5,
            ..SolverCounts::default()
        };
        first.count_friction("modes");
        first.count_friction("modes");
        let mut second = SolverCounts::default();
        second.count_friction("projection");
        second.count_friction("modes");
        first.add(&second);
        assert_eq!(first.solves_per_event(), Some(2.5));
        assert_eq!(second.solves_per_event(), None);
        let counts: Vec<u64> = first.friction.iter().map(|(_, n)| *n).collect();
        assert_eq!(counts, [3, 1]);
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<SolverCounts>(&text).unwrap(), first);
    }
}
