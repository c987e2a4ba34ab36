//! From what the analysis found to the answer that every law gives.

use nalgebra::DVector;
use serde::Serialize;

use super::analysis::{Analysis, FoundOutcome};
use super::enumeration::Enumeration;
use crate::impact::order::ReflectionOrder;
use crate::impact::plastic::plastic_certificate;
use crate::impact::unit_contacts::write_impulse;
use crate::impact::verdict::{Doubt, ReflectionGroup, switching_of_word};
use crate::impact::{ImpactProblem, ImpactStatus, LawDetails, Outcome, Resolution, Uniqueness};

/// What the propagative law reports about an outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PropagativeOutcome {
    /// Reflections of the sequence.
    pub reflections: u64,
    /// Restitution R of the whole impact, where the outcome is a blend of elastic and plastic (\[SM\] §III.A).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Share α of the elastic outcome in that blend.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elastic_share: Option<f64>,
    /// Kinetic distance over ‖p⁻‖ to the nearest momentum with another sequence; infinite where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switching_distance: Option<f64>,
    /// Admissible sequences that lead here, when all orders are reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence_count: Option<u64>,
}

/// What the propagative law reports about a problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PropagativeReport {
    /// The reflection group that the contact angles generate, where a certificate names one.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "by_name")]
    pub group: Option<ReflectionGroup>,
    /// How clearly the contacts can be separated: the least ⟨c, û⟩ of the best unit direction c.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separation_margin: Option<f64>,
    /// What the enumeration of all orders found.
    #[serde(flatten)]
    pub orders: OrdersReport,
}

/// What an enumeration of all orders found; `capped` is false, and the rest absent, where none was needed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OrdersReport {
    /// Whether a budget ended it.
    pub capped: bool,
    /// Distinct momenta explored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// Why sequences are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enumeration_declined: Option<String>,
    /// Admissible sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u64>,
    /// Reflections of the longest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<u64>,
    /// ξ over the outcomes of minimal sequences alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimal_indeterminacy: Option<f64>,
    /// Kinetic distance over ‖p⁻‖ to the nearest momentum with another set of sequences; infinite where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguity_distance: Option<f64>,
    /// What the orders say together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<OrdersStatement>,
    /// Two sequences that end differently, by contact names; `None` for one that is too long to list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differing_sequences: Option<[Option<Vec<String>>; 2]>,
}

/// What all orders of reflections say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OrdersStatement {
    /// Two orders end differently.
    NotUnique,
    /// Every order ends alike.
    AllOrdersAgree,
}

fn by_name<S: serde::Serializer>(
    group: &Option<ReflectionGroup>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&group.as_ref().map_or(String::new(), ToString::to_string))
}

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
            details: LawDetails::of(self.report()),
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
            details: LawDetails::none(),
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
        let blended = found.blend.share < 1.0;
        let followed = |word: &Vec<usize>| {
            let switching = switching_of_word(&analysis.unit, word, self.order);
            switching.distance / analysis.scale
        };
        let word = found.sequence.as_ref();
        let whole = analysis.long_plane().is_none() && found.status == ImpactStatus::Resolved;
        outcome.details = LawDetails::of(PropagativeOutcome {
            reflections: found.reflections,
            restitution: blended.then_some(found.blend.restitution),
            elastic_share: blended.then_some(found.blend.share),
            switching_distance: word.filter(|_| whole).map(followed),
            sequence_count: self.order.is_none().then_some(found.words),
        });
        if self.order.is_none() {
            outcome.sequences.clone_from(&found.sequences);
            outcome
                .minimal_sequences
                .clone_from(&found.minimal_sequences);
        }
        outcome
    }

    fn report(&self) -> PropagativeReport {
        let analysis = self.analysis;
        PropagativeReport {
            group: analysis
                .certificate
                .as_ref()
                .map(|(_, group)| group.clone()),
            separation_margin: analysis.separation.as_ref().map(|s| s.margin),
            orders: self
                .enumeration
                .as_ref()
                .map(|all| self.orders(all))
                .unwrap_or_default(),
        }
    }

    fn orders(&self, all: &Enumeration) -> OrdersReport {
        let (analysis, names) = (self.analysis, self.problem.names());
        let complete = all.capped.is_none();
        let minimal = complete
            && all.unlisted.is_none()
            && all.outcomes.iter().any(|o| !o.minimal_sequences.is_empty());
        let named = |found: &FoundOutcome| {
            let word = found.sequence.as_ref()?;
            Some(word.iter().map(|&k| names[k].to_string()).collect())
        };
        let differing = match all.outcomes.as_slice() {
            [first, second, ..] => Some([named(first), named(second)]),
            _ => None,
        };
        OrdersReport {
            capped: !complete,
            states: Some(all.states),
            enumeration_declined: all.capped.clone().or_else(|| all.unlisted.clone()),
            words: complete.then_some(all.words),
            longest: complete.then_some(all.longest),
            minimal_indeterminacy: minimal.then(|| all.minimal_indeterminacy(analysis)),
            ambiguity_distance: all.switching_distance.map(|d| d / analysis.scale),
            statement: match (&differing, complete) {
                (Some(_), _) => Some(OrdersStatement::NotUnique),
                (None, true) => Some(OrdersStatement::AllOrdersAgree),
                (None, false) => None,
            },
            differing_sequences: differing,
        }
    }
}
