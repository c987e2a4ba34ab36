//! The bridge from robot to impact: the one place where contacts of a model become an impact
//! problem.
//!
//! A law is never replaced without a word. What it answers is an outcome, marked when the law did not finish
//! ([`EventNote::NotTerminated`]: the momentum is where it stood, contacts may still approach, and the run asks the
//! law again); no outcome at all is an error. Where another law acts, or the run's law with its restitutions
//! set to zero, the record and the event say so.

use nalgebra::{DMatrix, DVector};

use super::node::Node;
use super::{Event, EventKind, EventNote, Fork, ImpactRecord, State};
use crate::contact::{Contacts, Latch};
use crate::dynamics::mass_matrix;
use crate::impact::verdict::Doubt;
use crate::impact::{
    Contact, ContactImpulse, Exploration, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    Outcome, PreImpact, Resolution, Uniqueness,
};
use crate::model::Model;

/// Rows shorter than this share of the longest row of the impact cannot move and carry no impulse.
const ZERO_ROW: f64 = 1e-12;

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
            locks,
            ..
        } = posed;
        for outcome in alternatives.iter_mut().chain([&mut outcome]) {
            if let Some(frame) = &frame {
                frame.leave(outcome);
            }
            if let Some(locks) = &locks {
                locks.leave(outcome);
            }
        }
        let caught = locks.iter().flat_map(|locks| &locks.caught);
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
                format!("law \"{law}\" ran out of its steps; the momentum is where it stood")
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

/// What takes part in an impact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closed<'a> {
    /// Contacts that are closed.
    pub contacts: &'a [usize],
    /// Coordinates that latches hold, ascending.
    pub locked: &'a [usize],
    /// Those of them that are caught in it.
    pub caught: &'a [&'a Latch],
}

/// An impact as a problem.
#[derive(Debug, Clone)]
pub(super) struct Posed {
    /// The problem in the coordinates that are free, as the surfaces of its contacts see it.
    pub problem: ImpactProblem,
    /// Contacts of the problem, as indices into the contacts.
    pub used: Vec<usize>,
    /// Where surfaces move, how the problem moves with them.
    frame: Option<MovingFrame>,
    /// Where latches hold coordinates, what the problem leaves out.
    locks: Option<LockedCoordinates>,
}

impl Posed {
    /// A momentum of the problem as the world sees it, with what latches bear of it.
    pub fn at_rest(&self, momentum: DVector<f64>) -> Vec<f64> {
        let momentum = match &self.frame {
            None => momentum,
            Some(frame) => momentum + &frame.momentum,
        };
        match &self.locks {
            None => momentum.as_slice().to_vec(),
            Some(locks) => locks.borne(&momentum).as_slice().to_vec(),
        }
    }

    /// Coordinates of the problem, as indices into v.
    pub fn coordinates(&self) -> Vec<usize> {
        match &self.locks {
            None => (0..self.problem.velocity().len()).collect(),
            Some(locks) => locks.free.clone(),
        }
    }

    /// Energy that joints lose where latches catch them, before the impact of the problem \[J\].
    pub fn caught_energy(&self) -> f64 {
        self.locks.as_ref().map_or(0.0, |locks| locks.lost)
    }

    /// A velocity of the world as the problem sees it.
    pub fn relative(&self, velocity: &DVector<f64>) -> DVector<f64> {
        let velocity = match &self.locks {
            None => velocity.clone(),
            Some(locks) => locks.reduced(velocity),
        };
        match &self.frame {
            None => velocity,
            Some(frame) => velocity - &frame.velocity,
        }
    }
}

/// Coordinates that latches hold are none of the problem: the rest of p, M and the rows makes it. What the latches take of p
/// is the rest of M v⁺.
#[derive(Debug, Clone)]
struct LockedCoordinates {
    /// The others, ascending.
    free: Vec<usize>,
    /// M, n × n.
    mass: DMatrix<f64>,
    /// p before, n.
    before: DVector<f64>,
    /// Energy that is lost where what moved before is caught \[J\].
    lost: f64,
    /// Of what is caught the limit as a contact, its coordinate and its sign.
    caught: Vec<(usize, usize, f64)>,
    /// Rows of each contact of the problem, n each.
    rows: Vec<Vec<DVector<f64>>>,
}

impl LockedCoordinates {
    fn new(mass: &DMatrix<f64>, p: &[f64], closed: Closed<'_>) -> Option<Self> {
        if closed.locked.is_empty() {
            return None;
        }
        let free: Vec<usize> = (0..p.len())
            .filter(|k| !closed.locked.contains(k))
            .collect();
        let caught = closed.caught.iter();
        let mut locks = Self {
            free,
            mass: mass.clone(),
            before: DVector::from_column_slice(p),
            lost: 0.0,
            caught: caught
                .map(|latch| (latch.stop, latch.limit.coordinate, latch.limit.sign))
                .collect(),
            rows: Vec::new(),
        };
        // What was at rest before loses nothing.
        if !locks.caught.is_empty() {
            let energy = |mass: DMatrix<f64>, p: &DVector<f64>| {
                let velocity = mass.cholesky().map(|factor| factor.solve(p));
                velocity.map_or(f64::NAN, |v| 0.5 * p.dot(&v))
            };
            let after = energy(locks.free_mass(), &locks.reduced(&locks.before));
            locks.lost = (energy(mass.clone(), &locks.before) - after).max(0.0);
        }
        Some(locks)
    }

    /// M of the problem.
    fn free_mass(&self) -> DMatrix<f64> {
        self.mass.select_rows(&self.free).select_columns(&self.free)
    }

    /// Numbers of the problem among those of all coordinates.
    fn spread(&self, x: &DVector<f64>) -> DVector<f64> {
        let mut all = DVector::zeros(self.mass.nrows());
        for (&k, x) in self.free.iter().zip(x.iter()) {
            all[k] = *x;
        }
        all
    }

    /// The momentum of all coordinates with this one of the problem, those that are held at rest.
    fn borne(&self, momentum: &DVector<f64>) -> DVector<f64> {
        match self.free_mass().cholesky() {
            Some(factor) => &self.mass * self.spread(&factor.solve(momentum)),
            None => self.spread(momentum),
        }
    }

    /// An outcome of the problem as one of all coordinates, with the impulses of limits where something is caught.
    fn leave(&self, outcome: &mut Outcome) {
        outcome.velocity = self.spread(&outcome.velocity);
        outcome.momentum = &self.mass * &outcome.velocity;
        outcome.energy.before += self.lost;
        let mut given = &outcome.momentum - &self.before;
        for (rows, impulse) in self.rows.iter().zip(&outcome.impulses) {
            let parts = std::iter::once(&impulse.normal).chain(&impulse.tangential);
            for (row, part) in rows.iter().zip(parts) {
                given -= row * *part;
            }
        }
        let caught = self.caught.iter().map(|&(_, at, sign)| ContactImpulse {
            normal: sign * given[at],
            tangential: Vec::new(),
        });
        outcome.impulses.extend(caught);
    }

    /// Numbers of all coordinates in those of the problem.
    fn reduced(&self, x: &DVector<f64>) -> DVector<f64> {
        x.select_rows(&self.free)
    }
}

/// Work of a surface that moves by the impulse on it \[J\].
fn drive_work((impulse, drive): (&ContactImpulse, &[f64; 3])) -> f64 {
    let [along_normal, tangential @ ..] = drive;
    let pairs = impulse.tangential.iter().zip(tangential);
    impulse.normal * along_normal + pairs.map(|(x, w)| x * w).sum::<f64>()
}

/// A motion δ that goes with the surfaces of all contacts: C δ = w (of belts N δ = 0), the smallest in the kinetic metric. Laws
/// know of velocities only what the rows say, so that the impact of v on surfaces that move is that of v − δ on surfaces
/// at rest, with the same impulses:
///
/// ```text
/// v⁺ = v⁺′ + δ,      E⁺ − E⁻ = (E⁺′ − E⁻′) + δ·CᵀΛ,      δ·CᵀΛ = Σ w·Λ    the work of the surfaces
/// ```
#[derive(Debug, Clone)]
struct MovingFrame {
    /// Of each contact along its normal and its tangents \[m/s\].
    drives: Vec<[f64; 3]>,
    /// δ, n.
    velocity: DVector<f64>,
    /// M δ, n.
    momentum: DVector<f64>,
}

/// Share of the velocity of the surfaces that no motion may miss.
const MISSED: f64 = 1e-9;

impl MovingFrame {
    fn new(problem: &ImpactProblem, drives: Vec<[f64; 3]>) -> Result<Self, ImpactError> {
        let space = problem.contact_space();
        let mut wanted = DVector::zeros(space.rows());
        for (contact, drive) in space.contacts.iter().zip(&drives) {
            for (row, drive) in contact.rows().zip(drive) {
                wanted[row] = *drive;
            }
        }
        // Redundant contacts (four feet on a belt) make the matrix singular.
        let impulse = space
            .delassus
            .clone()
            .svd(true, true)
            .solve(&wanted, 1e-12 * space.delassus.amax())
            .unwrap_or_else(|_| DVector::zeros(space.rows()));
        let velocity = problem.velocity_after(&impulse) - problem.velocity();
        let missed = (problem.rows() * &velocity - &wanted).amax();
        if missed > MISSED * wanted.amax() {
            return Err(ImpactError::OutOfRange {
                place: "the velocity of the moving surfaces that no motion of the robot follows"
                    .to_string(),
                value: missed,
                range: "zero: contacts that are closed at once must stand on surfaces that the robot could go along with",
            });
        }
        Ok(Self {
            drives,
            momentum: problem.momentum_after(&impulse) - problem.momentum(),
            velocity,
        })
    }

    /// An outcome as the world sees it.
    fn leave(&self, outcome: &mut Outcome) {
        let energy = |p: &DVector<f64>, v: &DVector<f64>| 0.5 * p.dot(v);
        let relative = &outcome.energy;
        let change = relative.after - relative.before;
        let after = energy(
            &(&outcome.momentum + &self.momentum),
            &(&outcome.velocity + &self.velocity),
        );
        let work: f64 = (outcome.impulses.iter().zip(&self.drives))
            .map(drive_work)
            .sum();
        outcome.energy.before = after - change - work;
        outcome.energy.after = after;
        outcome.momentum += &self.momentum;
        outcome.velocity += &self.velocity;
    }
}

/// Poses the impact of what is closed at a moment with momentum `p`. Friction and tangents are
/// given to laws that honour them, restitution likewise; contacts that cannot move are left out.
pub(super) fn pose(
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
    let mut locks = LockedCoordinates::new(&mass, p, closed);
    let row = |direction, frame: &crate::contact::ContactFrame<f64>| {
        let mut out = DVector::zeros(n);
        frame.row(model, &node.kinematics, direction, out.as_mut_slice());
        out
    };
    let free = |row: &DVector<f64>| match &locks {
        None => row.clone(),
        Some(locks) => locks.reduced(row),
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
        let own = frame.drives();
        let mut drive = [own[0], 0.0, 0.0];
        if friction && contacts.friction(i) > 0.0 {
            let mut tangents = Vec::new();
            let directions = &frame.tangents[..contacts.tangent_count(i)];
            for (direction, along) in directions.iter().zip(&own[1..]) {
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
    if let Some(locks) = &mut locks {
        locks.rows = all_rows;
    }
    let before = |p: DVector<f64>| PreImpact::Momentum(p);
    let momentum = DVector::from_column_slice(p);
    let (mass, momentum) = match &locks {
        None => (mass, momentum),
        Some(locks) => (locks.free_mass(), locks.reduced(&momentum)),
    };
    let problem = ImpactProblem::new(mass.clone(), before(momentum.clone()), &problem_contacts)?;
    if drives.iter().flatten().all(|x| *x == 0.0) {
        return Ok(Posed {
            problem,
            used,
            frame: None,
            locks,
        });
    }
    let frame = MovingFrame::new(&problem, drives)?;
    let momentum = momentum - &frame.momentum;
    Ok(Posed {
        problem: ImpactProblem::new(mass, before(momentum), &problem_contacts)?,
        used,
        frame: Some(frame),
        locks,
    })
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
