//! From what the analysis found to the answer that every law gives.

use nalgebra::DVector;
use serde_json::{Map, Value, json};

use super::analysis::{Analysis, FoundOutcome};
use super::enumeration::Enumeration;
use super::order::ReflectionOrder;
use super::plastic::plastic_certificate;
use super::sensitivity::switching_of_word;
use super::unit_contacts::write_impulse;
use super::{Doubt, ImpactProblem, ImpactStatus, Outcome, Resolution, Uniqueness};

/// The findings on one problem.
pub(crate) struct Answer<'a> {
    pub(crate) problem: &'a ImpactProblem,
    pub(crate) analysis: &'a Analysis,
    /// The order of a single run; `None` when all orders are reported.
    pub(crate) order: Option<ReflectionOrder>,
    /// The single run.
    pub(crate) single: Option<FoundOutcome>,
    /// All orders; absent when a certificate made them unnecessary.
    pub(crate) enumeration: Option<Enumeration>,
}

impl Answer<'_> {
    /// The answer as the contract of all laws has it.
    pub(crate) fn resolution(&self, law: &'static str) -> Resolution {
        let analysis = self.analysis;
        let found = match (&self.single, &self.enumeration) {
            (Some(found), _) => std::slice::from_ref(found),
            (None, Some(all)) => all.outcomes.as_slice(),
            (None, None) => &[],
        };
        let outcomes = found.iter().map(|f| self.outcome(f)).collect();
        let plastic = analysis.is_plastic();
        let uniqueness = self.uniqueness();
        let capped = self
            .enumeration
            .as_ref()
            .is_some_and(|e| e.capped.is_some());
        let ended = self
            .single
            .as_ref()
            .map_or(ImpactStatus::Resolved, |s| s.status);
        Resolution {
            law,
            outcomes,
            uniqueness,
            certificate: if plastic {
                Some(plastic_certificate())
            } else {
                analysis.certificate.as_ref().map(|(c, _)| c.clone())
            },
            status: match ended {
                ImpactStatus::Resolved
                    if capped && (self.order.is_none() || uniqueness.decided().is_none()) =>
                {
                    ImpactStatus::Capped
                }
                other => other,
            },
            details: self.details(),
        }
    }

    /// The answer for a run: the outcome of the single run, then, if they are wanted, the others.
    pub(crate) fn explored(&self, law: &'static str, alternatives: bool) -> Resolution {
        let analysis = self.analysis;
        let uniqueness = self.uniqueness();
        let mut found: Vec<&FoundOutcome> = self.single.iter().collect();
        if let (true, Some(all), Some(taken)) = (alternatives, &self.enumeration, &self.single) {
            let others = all.outcomes.iter();
            found.extend(others.filter(|o| !analysis.are_one(o, taken)));
        }
        let status = self
            .single
            .as_ref()
            .map_or(ImpactStatus::Resolved, |s| s.status);
        Resolution {
            law,
            outcomes: found.into_iter().map(|f| self.plain(f)).collect(),
            uniqueness,
            certificate: None,
            status: match (status, uniqueness.capped()) {
                (ImpactStatus::Resolved, true) => ImpactStatus::Capped,
                (other, _) => other,
            },
            details: Map::new(),
        }
    }

    fn uniqueness(&self) -> Uniqueness {
        match &self.enumeration {
            Some(all) => all.uniqueness(self.analysis),
            None => self
                .analysis
                .uniqueness_of_any_order()
                .unwrap_or(Uniqueness::undecided(Doubt::OneOrder)),
        }
    }

    /// An outcome with its sequence, without what it takes time to find out.
    fn plain(&self, found: &FoundOutcome) -> Outcome {
        let (problem, analysis) = (self.problem, self.analysis);
        let space = problem.contact_space();
        let mut impulse = DVector::zeros(space.rows());
        write_impulse(space, &analysis.unit, &found.unit_impulse, &mut impulse);
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        if analysis.long_plane().is_some()
            && let Some((momentum, velocity)) = analysis.normals.to_problem(&found.change)
        {
            outcome.momentum = problem.momentum() + momentum;
            outcome.velocity = problem.velocity() + velocity;
            outcome.energy.after = 0.5 * outcome.momentum.dot(&outcome.velocity);
        }
        outcome.status = found.status;
        outcome.sequence.clone_from(&found.sequence);
        outcome.minimal = found.minimal;
        outcome
    }

    fn outcome(&self, found: &FoundOutcome) -> Outcome {
        let analysis = self.analysis;
        let mut outcome = self.plain(found);
        let details = &mut outcome.details;
        details.insert("reflections".into(), json!(found.reflections));
        if found.blend.share < 1.0 {
            details.insert("restitution".into(), json!(found.blend.restitution));
            details.insert("elastic_share".into(), json!(found.blend.share));
        }
        if let Some(word) = &found.sequence
            && analysis.long_plane().is_none()
            && found.status == ImpactStatus::Resolved
        {
            let switching = switching_of_word(&analysis.unit, word, self.order);
            details.insert(
                "switching_distance".into(),
                finite(switching.distance / analysis.scale),
            );
        }
        if self.order.is_none() {
            details.insert("sequence_count".into(), json!(found.words));
            outcome.sequences.clone_from(&found.sequences);
            outcome
                .minimal_sequences
                .clone_from(&found.minimal_sequences);
        }
        outcome
    }

    fn details(&self) -> Map<String, Value> {
        let (problem, analysis) = (self.problem, self.analysis);
        let mut details = Map::new();
        if let Some((_, group)) = &analysis.certificate {
            details.insert("group".into(), json!(group.to_string()));
        }
        if let Some(separation) = &analysis.separation {
            details.insert("separation_margin".into(), json!(separation.margin));
        }
        let Some(all) = &self.enumeration else {
            details.insert("capped".into(), json!(false));
            return details;
        };
        details.insert("capped".into(), json!(all.capped.is_some()));
        details.insert("states".into(), json!(all.states));
        if let Some(reason) = all.capped.as_ref().or(all.unlisted.as_ref()) {
            details.insert("enumeration_declined".into(), json!(reason));
        }
        if all.capped.is_none() {
            details.insert("words".into(), json!(all.words));
            details.insert("longest".into(), json!(all.longest));
            if all.unlisted.is_none()
                && all.outcomes.iter().any(|o| !o.minimal_sequences.is_empty())
            {
                details.insert(
                    "minimal_indeterminacy".into(),
                    json!(all.minimal_indeterminacy(analysis)),
                );
            }
        }
        if let Some(distance) = all.switching_distance {
            details.insert(
                "ambiguity_distance".into(),
                finite(distance / analysis.scale),
            );
        }
        if let [first, second, ..] = all.outcomes.as_slice() {
            let name = |found: &FoundOutcome| {
                found.sequence.as_ref().map(|word| {
                    word.iter()
                        .map(|&k| problem.names()[k].to_string())
                        .collect::<Vec<_>>()
                })
            };
            details.insert("statement".into(), json!("not-unique"));
            details.insert(
                "differing_sequences".into(),
                json!([name(first), name(second)]),
            );
        } else if all.capped.is_none() {
            details.insert("statement".into(), json!("all-orders-agree"));
        }
        details
    }
}

/// A number, or null where there is none.
fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}
