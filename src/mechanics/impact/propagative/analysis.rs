//! What the propagative law knows about one impact before and after it explores orders.

use nalgebra::DVector;

use super::Separation;
use super::minimality::is_minimal;
use super::propagation::Propagation;
use super::restitution::{Blend, RestitutionBlend};
use super::two_contacts::{AlternatingSequence, TwoContacts};
use crate::impact::error::check_finite;
use crate::impact::order::{ReflectionOrder, Selector};
use crate::impact::unit_contacts::{UnitContacts, UnitNormals};
use crate::impact::verdict::{Ground, ReflectionGroup, certify_unit};
use crate::impact::{
    Certificate, ContactSpace, ImpactError, ImpactProblem, ImpactStatus, Uniqueness,
};

/// Two contacts with a larger bound on reflections are solved in closed form.
pub(crate) const PLAIN_REFLECTIONS: f64 = 64.0;
/// Longer sequences are counted, not listed.
const LISTED_REFLECTIONS: u64 = 1_000_000;
/// Momenta examined to decide whether one sequence is minimal.
const MINIMALITY_BUDGET: usize = 20_000;

/// One outcome in unit contact space.
#[derive(Debug, Clone)]
pub(crate) struct FoundOutcome {
    /// λ̂ after restitution, m.
    pub(crate) unit_impulse: Vec<f64>,
    /// Δp as a Euclidean vector.
    pub(crate) change: DVector<f64>,
    /// How restitution was applied.
    pub(crate) blend: Blend,
    /// A sequence that leads here; `None` when it is too long to list or there is none.
    pub(crate) sequence: Option<Vec<usize>>,
    /// Its number of reflections.
    pub(crate) reflections: u64,
    /// Whether it is minimal, where known.
    pub(crate) minimal: Option<bool>,
    /// Number of admissible sequences that lead here, where counted.
    pub(crate) words: u64,
    /// All of them, when listed.
    pub(crate) sequences: Vec<Vec<usize>>,
    /// The minimal ones.
    pub(crate) minimal_sequences: Vec<Vec<usize>>,
    /// How the run ended.
    pub(crate) status: ImpactStatus,
}

/// Tolerances of an analysis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerances {
    /// Tolerance of "violated", relative to the scale of the contact.
    pub(crate) violated: f64,
    /// Tolerance of a cosine in a certificate.
    pub(crate) angle: f64,
}

/// One impact, ready to be explored.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    pub(crate) unit: UnitContacts,
    pub(crate) normals: UnitNormals,
    /// ‖p⁻‖.
    pub(crate) scale: f64,
    /// Kinetic length of the part of p⁻ that reflections can change: what is distinct is measured against it.
    pub(crate) reach: f64,
    pub(crate) blend: RestitutionBlend,
    pub(crate) certificate: Option<(Certificate, ReflectionGroup)>,
    pub(crate) separation: Option<Separation>,
    plane: Option<TwoContacts>,
}

impl Analysis {
    /// From a full problem.
    pub(crate) fn of_problem(
        problem: &ImpactProblem,
        tolerances: Tolerances,
    ) -> Result<Self, ImpactError> {
        let scale = problem.kinetic_norm(problem.momentum());
        let mut unit = UnitContacts::default();
        unit.load(problem.contact_space())?;
        let normals = UnitNormals::of_problem(problem);
        let plane = (unit.len() == 2)
            .then(|| {
                let [middle, across] = axes(&normals);
                let whitened = normals.whitened_momentum(problem)?;
                let (u, v) = (normals.vectors.column(0), normals.vectors.column(1));
                Some(TwoContacts::from_components(
                    (u + v).norm().atan2((u - v).norm()),
                    [whitened.dot(&middle), whitened.dot(&across)],
                    [unit.approach[0], unit.approach[1]],
                ))
            })
            .flatten();
        Self::new(unit, normals, plane, scale, tolerances)
    }

    /// From a contact space and the kinetic length of the momentum.
    pub(crate) fn of_space(
        space: &ContactSpace,
        momentum_norm: f64,
        tolerances: Tolerances,
    ) -> Result<Self, ImpactError> {
        if !(momentum_norm.is_finite() && momentum_norm >= 0.0) {
            return Err(ImpactError::OutOfRange {
                place: "momentum_norm".to_string(),
                value: momentum_norm,
                range: "finite and at least 0",
            });
        }
        let mut unit = UnitContacts::default();
        unit.load(space)?;
        let normals = UnitNormals::of_contacts(&unit);
        let scale = momentum_norm.max(unit.speed);
        Self::new(
            unit,
            normals,
            TwoContacts::of_space(space),
            scale,
            tolerances,
        )
    }

    fn new(
        mut unit: UnitContacts,
        normals: UnitNormals,
        plane: Option<TwoContacts>,
        scale: f64,
        tolerances: Tolerances,
    ) -> Result<Self, ImpactError> {
        // A NaN or an overflow here would make every contact look feasible.
        check_finite("kinetic norm of the momentum", &[scale])?;
        check_finite("tolerance", &[tolerances.violated])?;
        check_finite("angle_tolerance", &[tolerances.angle])?;
        unit.set_tolerance(tolerances.violated)?;
        let mut analysis = Self {
            blend: RestitutionBlend::default(),
            certificate: certify_unit(&unit, &normals, tolerances.angle),
            separation: None,
            plane,
            scale,
            reach: scale,
            unit,
            normals,
        };
        if analysis.is_feasible() {
            return Ok(analysis);
        }
        if !analysis.is_plastic() {
            let separation = Separation::of_normals(&analysis.unit, &analysis.normals)?;
            if !separation.separable {
                return Err(ImpactError::Wedged {
                    contacts: separation
                        .wedged()
                        .into_iter()
                        .map(crate::impact::unit_contacts::place)
                        .collect(),
                });
            }
            analysis.separation = Some(separation);
        }
        analysis.blend.prepare(&analysis.unit)?;
        if !analysis.is_plastic() {
            let reach = analysis.normals.length_in_span(&analysis.unit.approach);
            analysis.reach = reach.min(scale);
        }
        Ok(analysis)
    }

    /// True when no contact is violated: nothing happens.
    pub(crate) fn is_feasible(&self) -> bool {
        self.unit.is_feasible(&self.unit.approach)
    }

    /// True when every restitution is zero: the order does not matter and no sequence is needed.
    pub(crate) fn is_plastic(&self) -> bool {
        self.unit.all_restitution(0.0) && self.unit.len() > 0
    }

    /// The plane of two contacts whose reflections are too many to be applied one by one.
    pub(crate) fn long_plane(&self) -> Option<&TwoContacts> {
        self.plane
            .as_ref()
            .filter(|plane| plane.reflection_bound() > PLAIN_REFLECTIONS)
    }

    /// True when the certificate grants uniqueness for every momentum.
    pub(crate) fn certified(&self) -> bool {
        self.certificate
            .as_ref()
            .is_some_and(|(c, _)| c.unique_for_every_momentum)
    }

    /// What is known without following any order.
    pub(crate) fn uniqueness_of_any_order(&self) -> Option<Uniqueness> {
        let why = if self.is_feasible() {
            Ground::NothingStrikes
        } else if self.is_plastic() {
            Ground::Function
        } else if self.certified() {
            Ground::Certificate
        } else {
            return None;
        };
        Some(Uniqueness::unique(why))
    }

    /// The outcome without any reflection: of a feasible momentum, or plastic.
    pub(crate) fn without_sequence(&self) -> FoundOutcome {
        let m = self.unit.len();
        let mut unit_impulse = vec![0.0; m];
        let mut sequence = Some(Vec::new());
        let mut blend = Blend {
            share: 1.0,
            restitution: 1.0,
        };
        if !self.is_feasible() {
            blend = self
                .blend
                .apply(&self.unit, &vec![0.0; m], &mut unit_impulse);
            sequence = None;
        }
        let listed: Vec<Vec<usize>> = sequence.iter().cloned().collect();
        FoundOutcome {
            change: self.normals.momentum_change(&unit_impulse),
            unit_impulse,
            blend,
            minimal: sequence.as_ref().map(|_| true),
            sequence,
            reflections: 0,
            words: listed.len() as u64,
            sequences: listed.clone(),
            minimal_sequences: listed,
            status: ImpactStatus::Resolved,
        }
    }

    /// One run in a given order, of at most `limit` reflections.
    pub(crate) fn single(&self, order: ReflectionOrder, seed: u64, limit: u64) -> FoundOutcome {
        if self.is_feasible() || self.is_plastic() {
            return self.without_sequence();
        }
        let mut selector = Selector::new(order, seed);
        if let Some(plane) = self.long_plane() {
            let (approach, floor) = (&self.unit.approach, &self.unit.floor);
            let first = selector.select(approach, floor).unwrap_or(0);
            if let Some(sequence) = plane.sequence(first, floor[first]) {
                return self.alternating(plane, &sequence);
            }
        }
        let mut run = Propagation::default();
        let status = run.run(&self.unit, selector, limit, true);
        let mut unit_impulse = run.unit_impulse;
        let blend = self.blend.apply(&self.unit, &run.work, &mut unit_impulse);
        FoundOutcome {
            change: self.normals.momentum_change(&unit_impulse),
            unit_impulse,
            blend,
            reflections: run.reflections,
            sequence: Some(run.word),
            minimal: None,
            words: 1,
            sequences: Vec::new(),
            minimal_sequences: Vec::new(),
            status,
        }
    }

    /// Whether the sequence of a single run is minimal, where that can be told.
    pub(crate) fn is_minimal(&self, found: &FoundOutcome) -> Option<bool> {
        match (&found.sequence, found.status) {
            _ if found.minimal.is_some() => found.minimal,
            // Admissible sequences of a reflection group all have the length of one group element.
            (Some(_), ImpactStatus::Resolved) if self.certified() => Some(true),
            (Some(word), ImpactStatus::Resolved) => is_minimal(&self.unit, word, MINIMALITY_BUDGET),
            _ => None,
        }
    }

    /// The outcome of a closed-form sequence of two contacts.
    pub(crate) fn alternating(
        &self,
        plane: &TwoContacts,
        found: &AlternatingSequence,
    ) -> FoundOutcome {
        let mut unit_impulse = found.unit_impulse.to_vec();
        let blend = self
            .blend
            .apply(&self.unit, &found.compression_work, &mut unit_impulse);
        // Along the middle of the wedge and across it: the impulses are about 1/γ times larger
        // than their sum, so the sum is not taken from them.
        let [middle, across] = axes(&self.normals);
        let (before, after) = (plane.angle, found.final_angle);
        let elastic = (middle * (after.cos() - before.cos())
            + across * (after.sin() - before.sin()))
            * plane.radius;
        let plastic = if blend.share < 1.0 {
            self.normals
                .momentum_change(&self.blend.plastic.unit_impulse)
        } else {
            DVector::zeros(elastic.len())
        };
        let sequence = (found.reflections <= LISTED_REFLECTIONS).then(|| {
            (0..found.reflections as usize)
                .map(|i| (found.first + i) % 2)
                .collect::<Vec<usize>>()
        });
        let minimal = plane
            .sequence(1 - found.first, self.unit.floor[1 - found.first])
            .is_none_or(|other| found.reflections <= other.reflections);
        let listed: Vec<Vec<usize>> = sequence.iter().cloned().collect();
        FoundOutcome {
            unit_impulse,
            change: elastic * blend.share + plastic * (1.0 - blend.share),
            blend,
            sequence,
            reflections: found.reflections,
            minimal: Some(minimal),
            words: 1,
            minimal_sequences: if minimal { listed.clone() } else { Vec::new() },
            sequences: listed,
            status: ImpactStatus::Resolved,
        }
    }
}

/// The middle of the wedge of two contacts and the direction across it, orthonormal. The middle is
/// what is left of û + v̂, which may be tiny, after its rounding along û − v̂ is taken out.
fn axes(normals: &UnitNormals) -> [DVector<f64>; 2] {
    let (u, v) = (normals.vectors.column(0), normals.vectors.column(1));
    let across = (u - v).normalize();
    let sum = u + v;
    let middle = (&sum - &across * across.dot(&sum)).normalize();
    [middle, across]
}
