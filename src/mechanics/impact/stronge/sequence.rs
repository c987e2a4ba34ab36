//! Several simultaneous contacts as a sequence of single impacts (\[JW\] §7).
//!
//! The contacts are visited in a cyclic order; one that approaches is resolved alone, which changes the velocity of all.
//! It ends when none approaches. With e < 1 the approach speeds may shrink for ever, so a contact counts as
//! approaching when it does so by more than a share of 1e-12 of the speeds before the impact, in the kinetic metric.
//!
//! While every visit finds the same contacts, sliding along or sticking as before, a round is linear in the velocities, and the
//! impulses of rounds come to be Δ, ρΔ, ρ²Δ, … Light links between a contact and a stop have ρ near one. So after some rounds
//! whose impulses are in proportion, those that are left are added at once, Δρ/(1 − ρ), or so many that no slip ends. A round
//! being v ↦ A v, all rounds lead to P v with P(A − 1) = 0, and what is added is a change by A − 1: the limit is the same. The sequence
//! that is reported has the impacts of the rounds that were made.

use std::sync::Arc;

use nalgebra::DVector;

use super::trajectory::coefficients::{Coefficients, Vec2};
use super::{NAME, Stronge};
use crate::impact::error::check_size;
use crate::impact::given_order::read_order;
use crate::impact::{ContactSpace, ImpactError, ImpactStatus, ImpulseReport};
use crate::numerics::dot;

/// Visits of every contact before a sequence is given up.
const MOST_SWEEPS: usize = 1000;
/// Share of the pre-impact speeds below which a contact no longer approaches.
const RESTING: f64 = 1e-12;
/// Rounds after which they are looked at, and again after as many.
const LOOK: usize = 16;
/// How far impulses of two rounds may be from being in proportion, beside 1 − ρ.
const PROPORTION: f64 = 0.1;
/// Least that they are taken to be off.
const LEAST_OFF: f64 = 1e-3;
/// Share of a slip that may be taken at once.
const SLIP: f64 = 0.9;
/// Every order of up to this many contacts is tried.
pub(super) const MOST_PERMUTED: usize = 4;

/// Memory that every sequence uses again.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    order: Vec<usize>,
    velocity: Vec<f64>,
    rounds: Rounds,
}

impl Scratch {
    /// For contacts in this order.
    pub fn new(order: &[usize]) -> Self {
        Self {
            order: order.to_vec(),
            ..Self::default()
        }
    }
}

/// Impulses of the last two rounds.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounds {
    last: Vec<f64>,
    now: Vec<f64>,
    /// Of the velocities.
    change: Vec<f64>,
}

impl Rounds {
    fn clear(&mut self, rows: usize) {
        for x in [&mut self.last, &mut self.now, &mut self.change] {
            x.clear();
            x.resize(rows, 0.0);
        }
    }

    /// Another round begins.
    fn begin(&mut self) {
        std::mem::swap(&mut self.last, &mut self.now);
        self.now.fill(0.0);
    }

    /// ρ/(1 − ρ), where the last two rounds are in proportion by ρ < 1, less twice what they are off that: contacts that
    /// separate were lost to the rounds to come.
    fn left(&self) -> Option<f64> {
        let square = dot(&self.last, &self.last);
        let ratio = dot(&self.last, &self.now) / square;
        let differ = (self.last.iter().zip(&self.now)).map(|(a, b)| (b - ratio * a).powi(2));
        let off = (differ.sum::<f64>() / square).sqrt() / (ratio * (1.0 - ratio));
        let fits = 0.0 < ratio && ratio < 1.0 && off <= PROPORTION;
        fits.then(|| ratio / (1.0 - ratio) * (1.0 - 2.0 * off.max(LEAST_OFF)))
    }

    /// Adds `left` times the impulses of the last round, or as many of them as no slip comes near to its end by.
    fn leap(&mut self, space: &ContactSpace, left: f64, velocity: &mut [f64], impulse: &mut [f64]) {
        self.change.fill(0.0);
        let g = &space.delassus;
        for (row, now) in self.now.iter().enumerate() {
            for (i, change) in self.change.iter_mut().enumerate() {
                *change += g[(i, row)] * left * now;
            }
        }
        let mut share = 1.0_f64;
        for contact in &space.contacts {
            let tangents = || contact.rows().skip(1);
            let square: f64 = tangents().map(|row| velocity[row].powi(2)).sum();
            let turned: f64 = tangents().map(|row| velocity[row] * self.change[row]).sum();
            if turned < -SLIP * square {
                share = share.min(SLIP * square / -turned);
            }
        }
        for (v, change) in velocity.iter_mut().zip(&self.change) {
            *v += share * change;
        }
        for (x, now) in impulse.iter_mut().zip(&self.now) {
            *x += share * left * now;
        }
    }
}

/// The given order as indices into `count` contacts; input order when none was given. Names that the problem
/// does not have are passed over where its names are known.
pub(super) fn indices(
    given: &[String],
    count: usize,
    names: Option<&[Arc<str>]>,
    order: &mut Vec<usize>,
) -> Result<(), ImpactError> {
    if given.is_empty() {
        order.clear();
        order.extend(0..count);
        return Ok(());
    }
    read_order(NAME, given, count, names, order)
}

/// One single impact of a sequence.
pub(super) struct Visit<'a> {
    pub contact: usize,
    pub coefficients: &'a Coefficients,
    pub normal: f64,
    pub steps: usize,
}

/// The law's fast path.
pub(super) fn impulse(
    law: &mut Stronge,
    space: &ContactSpace,
    impulse: &mut DVector<f64>,
) -> Result<ImpulseReport, ImpactError> {
    check_size("impulse", space.rows(), impulse.len())?;
    if space.len() == 1 {
        let c = Coefficients::read(space, 0, space.velocity.as_slice())?;
        let (normal, tangential, steps) = law.single(&c)?;
        write(space, 0, normal, tangential, impulse, false);
        return Ok(ImpulseReport {
            status: ImpactStatus::Resolved,
            steps,
        });
    }
    // The scratch memory leaves the law while the law is in use.
    let mut scratch = std::mem::take(&mut law.scratch);
    let report = indices(
        &law.settings.sequence,
        space.len(),
        None,
        &mut scratch.order,
    )
    .and_then(|()| run(law, space, &mut scratch, impulse, &mut |_| Ok(())));
    law.scratch = scratch;
    report
}

/// Runs one order; `visited` sees every single impact.
pub(super) fn run(
    law: &Stronge,
    space: &ContactSpace,
    Scratch {
        order,
        velocity,
        rounds,
    }: &mut Scratch,
    impulse: &mut DVector<f64>,
    visited: &mut dyn FnMut(&Visit) -> Result<(), ImpactError>,
) -> Result<ImpulseReport, ImpactError> {
    velocity.clear();
    velocity.extend_from_slice(space.velocity.as_slice());
    impulse.fill(0.0);
    let mut report = ImpulseReport {
        status: ImpactStatus::Resolved,
        steps: 0,
    };
    let g = &space.delassus;
    let unit = |row: usize| g[(row, row)].max(f64::MIN_POSITIVE).sqrt();
    let resting = if space.len() > 1 {
        (0..space.rows()).fold(0.0, |a: f64, i| a.max(velocity[i].abs() / unit(i))) * RESTING
    } else {
        0.0
    };
    rounds.clear(space.rows());
    for sweep in 1..=MOST_SWEEPS {
        let mut quiet = true;
        rounds.begin();
        for &contact in order.iter() {
            let rows = space.contacts[contact];
            if velocity[rows.normal] >= -resting * unit(rows.normal) {
                continue;
            }
            quiet = false;
            let c = Coefficients::read(space, contact, velocity)?;
            let (normal, tangential, steps) = law.single(&c)?;
            report.steps += steps;
            let parts = [normal, tangential[0], tangential[1]];
            for (part, row) in parts.iter().zip(rows.rows()) {
                rounds.now[row] += part;
                for i in 0..space.rows() {
                    velocity[i] += g[(i, row)] * part;
                }
            }
            write(space, contact, normal, tangential, impulse, true);
            visited(&Visit {
                contact,
                coefficients: &c,
                normal,
                steps,
            })?;
        }
        if quiet || space.len() == 1 {
            return Ok(report);
        }
        if sweep % LOOK == 0
            && let Some(left) = rounds.left()
        {
            rounds.leap(space, left, velocity, impulse.as_mut_slice());
        }
    }
    report.status = ImpactStatus::NotTerminated;
    Ok(report)
}

fn write(
    space: &ContactSpace,
    contact: usize,
    normal: f64,
    tangential: Vec2,
    impulse: &mut DVector<f64>,
    add: bool,
) {
    let parts = [normal, tangential[0], tangential[1]];
    for (part, row) in parts.iter().zip(space.contacts[contact].rows()) {
        impulse[row] = part + if add { impulse[row] } else { 0.0 };
    }
}
