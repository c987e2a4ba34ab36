//! What is closed at a moment, as an impact problem in the coordinates that take part and in the frame of surfaces that move.

use nalgebra::{DMatrix, DVector};

use super::islands::Islands;
use super::moving_frame::MovingFrame;
use super::own_coordinates::OwnCoordinates;
use crate::contact::{ContactFrame, Contacts, Latch};
use crate::dynamics::mass_matrix;
use crate::hybrid::node::Node;
use crate::impact::{Contact, ImpactError, ImpactProblem, PreImpact};
use crate::model::Model;

/// Rows shorter than this share of others beside them, the normals of an impact or the tangents of a contact, are rounding:
/// nothing can move along them, and they carry no impulse.
pub(in crate::hybrid) const ZERO_ROW: f64 = 1e-12;

/// What takes part in an impact.
#[derive(Debug, Clone, Copy)]
pub(in crate::hybrid) struct Closed<'a> {
    /// Contacts that are closed, all of an island or none.
    pub contacts: &'a [usize],
    /// Coordinates that latches hold, ascending.
    pub locked: &'a [usize],
    /// Those of them that are caught in it.
    pub caught: &'a [&'a Latch],
}

/// An impact as a problem.
#[derive(Debug, Clone)]
pub(in crate::hybrid) struct Posed {
    /// The problem in the coordinates that take part, as the surfaces of its contacts see it.
    pub problem: ImpactProblem,
    /// Contacts of the problem, as indices into the contacts.
    pub used: Vec<usize>,
    /// Where surfaces move, how the problem moves with them.
    pub(super) frame: Option<MovingFrame>,
    /// Where not all coordinates take part, those that do, and what the problem leaves out.
    pub(super) own: Option<OwnCoordinates>,
}

impl Posed {
    /// A momentum of the problem as the world sees it, with what latches bear of it and what bodies beside it have.
    pub fn at_rest(&self, momentum: DVector<f64>) -> Vec<f64> {
        let momentum = match &self.frame {
            None => momentum,
            Some(frame) => frame.at_rest(&momentum),
        };
        match &self.own {
            None => momentum.as_slice().to_vec(),
            Some(own) => own.borne(&momentum).as_slice().to_vec(),
        }
    }

    /// Coordinates of the problem, as indices into v.
    pub fn coordinates(&self) -> Vec<usize> {
        match &self.own {
            None => {
                let all = self.frame.as_ref().map(|frame| frame.velocity.len());
                (0..all.unwrap_or(self.problem.velocity().len())).collect()
            }
            Some(own) => own.free.clone(),
        }
    }

    /// Energy that joints lose where latches catch them, before the impact of the problem \[J\].
    pub fn caught_energy(&self) -> f64 {
        self.own.as_ref().map_or(0.0, |own| own.lost)
    }

    /// A velocity of the world as the problem sees it.
    pub fn relative(&self, velocity: &DVector<f64>) -> DVector<f64> {
        let velocity = match &self.own {
            None => velocity.clone(),
            Some(own) => own.reduced(velocity),
        };
        match &self.frame {
            None => velocity,
            Some(frame) => frame.relative(&velocity),
        }
    }
}

/// Poses the impact of what is closed at a moment with momentum `p`, in the coordinates of its islands; the node has the
/// velocity of bodies beside it. Friction and tangents are
/// given to laws that honour them, restitution likewise; contacts that cannot move are left out.
pub(in crate::hybrid) fn pose(
    model: &Model,
    contacts: &Contacts,
    node: &Node,
    p: &[f64],
    closed: Closed<'_>,
    friction: bool,
    restitution: bool,
) -> Result<Posed, ImpactError> {
    let n = model.dof();
    let mass: DMatrix<f64> = mass_matrix(model, &node.kinematics);
    let island = Islands::new(model, contacts, closed.contacts).coordinates();
    let mut own = OwnCoordinates::new(&mass, [p, &node.velocity], &island, closed);
    let row = |direction, frame: &ContactFrame<f64>| {
        let mut out = DVector::zeros(n);
        frame.row(model, &node.kinematics, direction, out.as_mut_slice());
        out
    };
    let free = |row: &DVector<f64>| match &own {
        None => row.clone(),
        Some(own) => own.reduced(row),
    };
    let closed = closed.contacts;
    let frames: Vec<_> = closed
        .iter()
        .map(|&i| contacts.frame(&node.kinematics, i))
        .collect();
    let normals: Vec<DVector<f64>> = frames.iter().map(|f| row(&f.normal, f)).collect();
    let longest = normals.iter().map(DVector::amax).fold(0.0, f64::max);
    let mut problem_contacts = Vec::new();
    let mut drives = Vec::new();
    let mut used = Vec::new();
    let mut all_rows = Vec::new();
    for ((&i, frame), normal) in closed.iter().zip(&frames).zip(normals) {
        let seen = free(&normal);
        if seen.amax() <= ZERO_ROW * longest {
            continue;
        }
        let mut rows = vec![normal];
        let mut contact = Contact::new(contacts.name(i), seen).with_restitution(if restitution {
            contacts.restitution(i)
        } else {
            0.0
        });
        let drives_here = frame.drives();
        let mut drive = [drives_here[0], 0.0, 0.0];
        if friction && contacts.friction(i) > 0.0 {
            let mut tangents = Vec::new();
            let directions = &frame.tangents[..contacts.tangent_count(i)];
            for (direction, along) in directions.iter().zip(&drives_here[1..]) {
                let row = row(direction, frame);
                let seen = free(&row);
                if seen.amax() > ZERO_ROW * longest {
                    tangents.push(seen);
                    rows.push(row);
                    drive[tangents.len()] = *along;
                }
            }
            contact = contact.with_friction(tangents, contacts.friction(i));
        }
        drives.push(drive);
        problem_contacts.push(contact);
        used.push(i);
        all_rows.push(rows);
    }
    if let Some(own) = &mut own {
        own.rows = all_rows;
    }
    let before = |p: DVector<f64>| PreImpact::Momentum(p);
    let momentum = DVector::from_column_slice(p);
    let (mass, momentum) = match &own {
        None => (mass, momentum),
        Some(own) => (own.free_mass(), own.reduced(&momentum)),
    };
    let problem = ImpactProblem::new(mass.clone(), before(momentum.clone()), &problem_contacts)?;
    if drives.iter().flatten().all(|x| *x == 0.0) {
        return Ok(Posed {
            problem,
            used,
            frame: None,
            own,
        });
    }
    let frame = MovingFrame::new(&problem, drives);
    let (mass, momentum) = frame.enter(mass, momentum, &mut problem_contacts);
    Ok(Posed {
        problem: ImpactProblem::new(mass, before(momentum), &problem_contacts)?,
        used,
        frame: Some(frame),
        own,
    })
}
