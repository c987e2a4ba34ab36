//! Several simultaneous contacts as a sequence of single impacts (\[JW\] §7).
//!
//! The contacts are visited in a cyclic order; one that approaches is resolved alone, which changes the velocity of all.
//! It ends when none approaches. With e < 1 the approach speeds may shrink for ever, so a contact counts as
//! approaching when it does so by more than a share of 1e-12 of the speeds before the impact, in the kinetic metric.

use std::sync::Arc;

use nalgebra::DVector;

use super::trajectory::coefficients::{Coefficients, Vec2};
use super::{NAME, Stronge};
use crate::impact::error::check_size;
use crate::impact::given_order::read_order;
use crate::impact::{ContactSpace, ImpactError, ImpactStatus, ImpulseReport};

/// Visits of every contact before a sequence is given up.
const MOST_SWEEPS: usize = 1000;
/// Share of the pre-impact speeds below which a contact no longer approaches.
const RESTING: f64 = 1e-12;
/// Every order of up to this many contacts is tried.
pub(super) const MOST_PERMUTED: usize = 4;

/// Memory that every sequence uses again.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    order: Vec<usize>,
    velocity: Vec<f64>,
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
    let Scratch {
        mut order,
        mut velocity,
    } = std::mem::take(&mut law.scratch);
    let report = indices(&law.settings.sequence, space.len(), None, &mut order)
        .and_then(|()| run(law, space, &order, &mut velocity, impulse, &mut |_| Ok(())));
    law.scratch = Scratch { order, velocity };
    report
}

/// Runs one order; `visited` sees every single impact.
pub(super) fn run(
    law: &Stronge,
    space: &ContactSpace,
    order: &[usize],
    velocity: &mut Vec<f64>,
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
    for _ in 0..MOST_SWEEPS {
        let mut quiet = true;
        for &contact in order {
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
