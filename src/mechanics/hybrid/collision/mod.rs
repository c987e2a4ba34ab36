//! The bridge from robot to impact: the one place where contacts of a model become an impact
//! problem.
//!
//! A law is never replaced without a word. What it answers is an outcome, marked when the law did not finish
//! ([`EventNote::NotTerminated`]: the momentum is where it stood, contacts may still approach, and the run asks the
//! law again); no outcome at all is an error. Where another law acts, or the run's law with its restitutions
//! set to zero, the record and the event say so.
//!
//! Bodies that touch each other neither directly nor by others have impacts of their own, also at one moment: each is what it
//! is alone, with a verdict of its own.

mod islands;
mod moving_frame;
mod own_coordinates;
mod posed;

pub(super) use islands::Islands;
pub(super) use posed::{Closed, Posed, ZERO_ROW, pose};

use super::node::Node;
use super::{Event, EventKind, EventNote, Fork, ImpactRecord, State};
use crate::contact::Contacts;
use crate::impact::verdict::Doubt;
use crate::impact::{
    ContactImpulse, Exploration, ImpactError, ImpactLaw, ImpactStatus, Outcome, Resolution,
    Uniqueness,
};
use crate::model::Model;
use moving_frame::drive_work;

/// A law's answer to one impact, contacts counted as in [`Contacts`].
#[derive(Debug, Clone)]
pub struct Collision {
    /// The outcome that the law takes.
    pub outcome: Outcome,
    /// Other outcomes that it knows, if they were asked for.
    pub alternatives: Vec<Outcome>,
    /// The law's name.
    pub law: &'static str,
    /// What it knows about the number of outcomes.
    pub uniqueness: Uniqueness,
    /// Contacts of the problem, as indices into the contacts.
    pub contacts: Vec<usize>,
    /// Seed of the draw, for a law that draws at random.
    pub seed: Option<u64>,
    /// Whether it is another law than the run's.
    pub by_other_law: bool,
    /// What the surfaces of the problem's contacts move at along each of its rows, if any does \[m/s\].
    pub(super) drives: Option<Vec<[f64; 3]>>,
    /// Set where the run's law alone would have done something else.
    pub note: Option<EventNote>,
    /// The note, or what made another law act, in words.
    pub reason: Option<String>,
}

impl Collision {
    fn new(resolution: Resolution, posed: Posed) -> Result<Self, ImpactError> {
        let Resolution {
            law,
            outcomes,
            uniqueness,
            ..
        } = resolution;
        let mut outcomes = outcomes.into_iter();
        let mut outcome = outcomes.next().ok_or(ImpactError::NoOutcome { law })?;
        let mut alternatives: Vec<Outcome> = outcomes
            .filter(|o| o.status != ImpactStatus::NotTerminated)
            .collect();
        let Posed {
            mut used,
            frame,
            own,
            ..
        } = posed;
        for outcome in alternatives.iter_mut().chain([&mut outcome]) {
            if let Some(frame) = &frame {
                frame.leave(outcome);
            }
            if let Some(own) = &own {
                own.leave(outcome);
            }
        }
        let caught = own.iter().flat_map(|own| &own.caught);
        used.extend(caught.map(|(stop, ..)| *stop));
        let unfinished = outcome.status == ImpactStatus::NotTerminated;
        Ok(Self {
            outcome,
            alternatives,
            law,
            uniqueness: match uniqueness {
                Uniqueness::Unique { .. } if unfinished => {
                    Uniqueness::undecided(Doubt::NotTerminated)
                }
                other => other,
            },
            contacts: used,
            drives: frame.map(|frame| frame.drives),
            seed: None,
            by_other_law: false,
            note: unfinished.then_some(EventNote::NotTerminated),
            reason: unfinished.then(|| {
                format!("law \"{law}\" did not come to an end; the momentum is where it stood")
            }),
        })
    }

    /// Work that surfaces which move do in an outcome \[J\].
    pub(super) fn surface_work(&self, outcome: &Outcome) -> f64 {
        let drives = self.drives.iter().flatten();
        outcome.impulses.iter().zip(drives).map(drive_work).sum()
    }

    /// The same, resolved by another law than the run's for this reason.
    pub(super) fn by_other_law(mut self, reason: impl Into<String>) -> Self {
        self.by_other_law = true;
        self.reason = Some(reason.into());
        self
    }

    /// What the event log keeps of one outcome; `velocity` (n) is that before the impact.
    pub(super) fn record(&self, outcome: &Outcome, velocity: &[f64]) -> ImpactRecord {
        let slots = |impulse: &ContactImpulse| {
            let mut out = [impulse.normal, 0.0, 0.0];
            for (slot, x) in out[1..].iter_mut().zip(&impulse.tangential) {
                *slot = *x;
            }
            out
        };
        ImpactRecord {
            law: self.law,
            by_other_law: self.by_other_law,
            sequence: outcome
                .sequence
                .iter()
                .flatten()
                .map(|&k| self.contacts[k])
                .collect(),
            impulses: outcome.impulses.iter().map(slots).collect(),
            energy_before: outcome.energy.before,
            energy_after: outcome.energy.after,
            uniqueness: self.uniqueness,
            seed: self.seed,
            velocity_before: velocity.to_vec(),
            velocity_after: outcome.velocity.as_slice().to_vec(),
        }
    }

    /// The event of one outcome: `velocity` (n) is that before the impact, `is_limit` tells contacts that are limits
    /// of joints.
    pub(super) fn event(
        &self,
        outcome: &Outcome,
        before: (&State, &[f64]),
        is_limit: impl Fn(usize) -> bool,
    ) -> Event {
        let (state, velocity) = before;
        let kind = if self.contacts.iter().all(|&i| is_limit(i)) && !self.contacts.is_empty() {
            EventKind::Limit
        } else {
            EventKind::Impact
        };
        Event {
            note: self.note,
            reason: self.reason.clone(),
            ..Event::impact(
                kind,
                state.time,
                self.contacts.clone(),
                &state.q,
                self.record(outcome, velocity),
            )
        }
    }

    /// The branches that take the other outcomes, from the state `before` the impact and the velocity (n) there.
    pub(super) fn forks(
        &self,
        before: (&State, &[f64]),
        applied: &[f64],
        is_limit: impl Fn(usize) -> bool,
    ) -> Vec<Fork> {
        let fork = |outcome: &Outcome| {
            let mut state = before.0.clone();
            let energy = outcome.energy.after - outcome.energy.before;
            let surfaces = self.surface_work(outcome);
            state.take_impact(outcome.momentum.as_slice(), energy, surfaces);
            Fork {
                state,
                event: self.event(outcome, before, &is_limit),
                applied: applied.to_vec(),
            }
        };
        self.alternatives.iter().map(fork).collect()
    }
}

/// Resolves the impact of what is closed by a law, with the verdict on its uniqueness.
///
/// # Errors
/// The law cannot treat the impact, did not converge, or has no outcome.
pub(super) fn collide(
    law: &mut dyn ImpactLaw,
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: Closed<'_>,
    exploration: &Exploration,
) -> Result<Collision, ImpactError> {
    let properties = law.properties();
    let posed = pose(
        model,
        contacts,
        node,
        p,
        closed,
        properties.friction,
        properties.restitution,
    )?;
    Collision::new(law.explore(&posed.problem, exploration)?, posed)
}

/// The limit of impacts that accumulate: the same law with all restitutions zero, marked as such.
///
/// # Errors
/// As [`collide`].
pub(super) fn collide_at_limit(
    law: &mut dyn ImpactLaw,
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: Closed<'_>,
    exploration: &Exploration,
) -> Result<Collision, ImpactError> {
    let friction = law.properties().friction;
    let posed = pose(model, contacts, node, p, closed, friction, false)?;
    let resolution = law.explore(&posed.problem, exploration)?;
    let mut collision = Collision::new(resolution, posed)?;
    if collision.note.is_none() {
        collision.note = Some(EventNote::Zeno);
        collision.reason =
            Some("impacts accumulate; the law acted with all restitutions zero".to_string());
    }
    Ok(collision)
}
