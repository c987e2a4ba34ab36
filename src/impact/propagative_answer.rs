//! From what the analysis found to the answer that every law gives.

use nalgebra::DVector;
use serde_json::{Map, Value, json};

use super::analysis::{Analysis, FoundOutcome};
use super::enumeration::Enumeration;
use super::order::ReflectionOrder;
use super::plastic::plastic_certificate;
use super::sensitivity::switching_of_word;
use super::unit_contacts::write_impulse;
use super::{ImpactProblem, ImpactStatus, Outcome, Resolution};

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
        let unique = match &self.enumeration {
            _ if plastic => Some(true),
            Some(all) => all.unique(analysis),
            None => Some(true),
        };
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
            unique,
            certificate: if plastic {
                Some(plastic_certificate())
            } else {
                analysis.certificate.as_ref().map(|(c, _)| c.clone())
            },
            indeterminacy: self
                .enumeration
                .as_ref()
                .map_or(0.0, |all| all.indeterminacy(analysis)),
            status: match ended {
                ImpactStatus::Resolved if capped && (self.order.is_none() || unique.is_none()) => {
                    ImpactStatus::Capped
                }
                other => other,
            },
            details: self.details(),
        }
    }

    fn outcome(&self, found: &FoundOutcome) -> Outcome {
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
        outcome.sequence.clone_from(&found.sequence);
        outcome.minimal = found.minimal;
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
