//! The bridge from robot to impact: the one place where contacts of a model become an impact
//! problem.

use nalgebra::{DMatrix, DVector};

use super::node::Node;
use crate::contact::Contacts;
use crate::dynamics::mass_matrix;
use crate::impact::{
    Contact, EnumerationBudget, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, Plastic,
    PreImpact, Resolution, verdict,
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
