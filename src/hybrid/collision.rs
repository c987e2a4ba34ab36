//! The bridge from robot to impact: the one place where contacts of a model become an impact
//! problem.

use nalgebra::{DMatrix, DVector};

use super::node::Node;
use super::{Event, EventKind, Fork, ImpactRecord, State};
use crate::contact::Contacts;
use crate::dynamics::mass_matrix;
use crate::impact::{
    Contact, ContactImpulse, EnumerationBudget, ImpactError, ImpactLaw, ImpactProblem,
    ImpactStatus, Outcome, Plastic, PreImpact, Resolution, all_outcome_impulses, verdict,
};
use crate::model::Model;

/// Rows shorter than this share of the longest row of the impact cannot move and carry no impulse.
const ZERO_ROW: f64 = 1e-12;

/// A law's answer to one impact, contacts counted as in [`Contacts`].
#[derive(Debug, Clone)]
pub struct Collision {
    /// Everything the law said.
    pub resolution: Resolution,
    /// Contacts of the problem, as indices into the contacts.
    pub contacts: Vec<usize>,
    /// How many distinct outcomes the impact has under the law.
    pub outcomes: usize,
    /// True when the count ran out of its budget.
    pub capped: bool,
    /// ξ over the outcomes.
    pub indeterminacy: f64,
    /// Seed of the draw, for a law that draws at random.
    pub seed: Option<u64>,
}

impl Collision {
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
            law: self.resolution.law,
            sequence: outcome
                .sequence
                .iter()
                .flatten()
                .map(|&k| self.contacts[k])
                .collect(),
            impulses: outcome.impulses.iter().map(slots).collect(),
            energy_before: outcome.energy.before,
            energy_after: outcome.energy.after,
            outcomes: self.outcomes,
            capped: self.capped,
            seed: self.seed,
            indeterminacy: self.indeterminacy,
            velocity_before: velocity.to_vec(),
            velocity_after: outcome.velocity.as_slice().to_vec(),
        }
    }
}

/// An outcome that was not taken.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    momentum: DVector<f64>,
    contacts: Vec<usize>,
    record: ImpactRecord,
}

impl Alternative {
    /// The branch that takes this outcome from the state before the impact.
    pub fn fork(self, before: &State, applied: &[f64]) -> Fork {
        let mut state = before.clone();
        let energy = self.record.energy_after - self.record.energy_before;
        state.take_impact(self.momentum.as_slice(), energy);
        let event = Event {
            time: state.time,
            kind: EventKind::Impact,
            contacts: self.contacts,
            q: state.q.clone(),
            impact: Some(self.record),
        };
        Fork {
            state,
            event,
            applied: applied.to_vec(),
        }
    }
}

/// Distinct outcomes of the propagative law that differ from the one `taken`, by more than 1e-9 of
/// ‖p⁻‖ in the kinetic metric.
pub(super) fn all_outcomes(
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: &[usize],
    taken: &Collision,
    budget: usize,
) -> Result<Vec<Alternative>, ImpactError> {
    let Some(first) = taken.resolution.outcomes.first() else {
        return Ok(Vec::new());
    };
    if taken.outcomes < 2 {
        return Ok(Vec::new());
    }
    let (problem, used) = pose(model, contacts, node, p, closed, false, true)?;
    let norm = problem.kinetic_norm(problem.momentum());
    let budget = EnumerationBudget {
        states: budget,
        words: budget,
        wall_time: None,
    };
    let (outcomes, _) = all_outcome_impulses(problem.contact_space(), norm, &budget)?;
    let mut alternatives = Vec::new();
    for found in outcomes {
        let mut outcome = Outcome::from_impulse(&problem, &found.impulse);
        if problem.kinetic_norm(&(&outcome.momentum - &first.momentum)) <= 1e-9 * norm {
            continue;
        }
        outcome.sequence = found.sequence;
        alternatives.push(Alternative {
            record: taken.record(&outcome, &node.velocity),
            momentum: outcome.momentum,
            contacts: used.clone(),
        });
    }
    Ok(alternatives)
}

/// Poses the impact of `closed` contacts at a moment with momentum `p`. Friction and tangents are
/// given to laws that honour them, restitution likewise; contacts that cannot move are left out.
pub(super) fn pose(
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: &[usize],
    friction: bool,
    restitution: bool,
) -> Result<(ImpactProblem, Vec<usize>), ImpactError> {
    let n = model.dof();
    let row = |direction, frame: &crate::contact::ContactFrame<f64>| {
        let mut out = DVector::zeros(n);
        frame.row(model, &node.kinematics, direction, out.as_mut_slice());
        out
    };
    let frames: Vec<_> = closed
        .iter()
        .map(|&i| contacts.frame(&node.kinematics, i))
        .collect();
    let normals: Vec<DVector<f64>> = frames.iter().map(|f| row(&f.normal, f)).collect();
    let longest = normals.iter().map(DVector::amax).fold(0.0, f64::max);
    let mut problem_contacts = Vec::new();
    let mut used = Vec::new();
    for ((&i, frame), normal) in closed.iter().zip(&frames).zip(normals) {
        if normal.amax() <= ZERO_ROW * longest {
            continue;
        }
        let mut contact = Contact::new(contacts.name(i), normal).with_restitution(if restitution {
            contacts.restitution(i)
        } else {
            0.0
        });
        if friction && contacts.friction(i) > 0.0 {
            let tangents: Vec<_> = frame.tangents[..contacts.tangent_count(i)]
                .iter()
                .map(|t| row(t, frame))
                .filter(|t| t.amax() > ZERO_ROW * longest)
                .collect();
            contact = contact.with_friction(tangents, contacts.friction(i));
        }
        problem_contacts.push(contact);
        used.push(i);
    }
    let mass: DMatrix<f64> = mass_matrix(model, &node.kinematics);
    let before = PreImpact::Momentum(DVector::from_column_slice(p));
    Ok((ImpactProblem::new(mass, before, &problem_contacts)?, used))
}

/// Resolves the impact of `closed` contacts by a law, with the verdict on its uniqueness.
pub(super) fn collide(
    law: &mut dyn ImpactLaw,
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: &[usize],
    budget: usize,
) -> Result<Collision, ImpactError> {
    let properties = law.properties();
    let (problem, used) = pose(
        model,
        contacts,
        node,
        p,
        closed,
        properties.friction,
        properties.restitution,
    )?;
    let resolution = law.resolve(&problem)?;
    let mut collision = Collision {
        outcomes: resolution.outcomes.len(),
        capped: resolution.status == ImpactStatus::Capped,
        indeterminacy: resolution.indeterminacy,
        seed: None,
        resolution,
        contacts: used,
    };
    if law.name() == "propagative" {
        let budget = EnumerationBudget {
            states: budget,
            words: budget,
            wall_time: None,
        };
        let norm = problem.kinetic_norm(problem.momentum());
        let found = verdict(problem.contact_space(), norm, &budget)?;
        collision.outcomes = found.outcomes;
        collision.capped = found.capped;
        collision.indeterminacy = found.indeterminacy;
    }
    Ok(collision)
}

/// The plastic resolution of the Zeno rule.
pub(super) fn collide_plastically(
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: &[usize],
) -> Result<Collision, ImpactError> {
    collide(&mut Plastic::default(), model, contacts, node, p, closed, 0)
}
