//! The full answer of the law: outcomes with events, energies and invariant directions.

use nalgebra::DVector;

use super::details::{
    ContactReport, StrongeCourse, StrongeDetails, StrongeEvent, StrongeImpact, StrongeIterations,
    StrongeLabel, StrongeReport,
};
use super::sequence::{MOST_PERMUTED, Scratch, Visit, indices, run};
use super::settings::StrongeSolver;
use super::trajectory::coefficients::Coefficients;
use super::trajectory::process::Process;
use super::{NAME, Stronge, labels};
use crate::impact::verdict::{Doubt, Ground};
use crate::impact::{
    ImpactError, ImpactProblem, ImpactStatus, LawDetails, Outcome, Resolution, Uniqueness,
    indeterminacy,
};
use crate::numerics::permutations;

/// Outcomes closer than this share of ‖p⁻‖ are one.
const SAME: f64 = 1e-9;

/// Everything the law can say.
pub(super) fn resolve(
    law: &mut Stronge,
    problem: &ImpactProblem,
) -> Result<Resolution, ImpactError> {
    let count = problem.contact_space().len();
    let given = !law.settings.sequence.is_empty();
    let orders = if count <= 1 || given || count > MOST_PERMUTED {
        let mut order = Vec::new();
        indices(
            &law.settings.sequence,
            count,
            Some(problem.names()),
            &mut order,
        )?;
        vec![order]
    } else {
        permutations(count)
    };
    let every_order = count <= 1 || orders.len() > 1;

    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut status = if every_order || given {
        ImpactStatus::Resolved
    } else {
        ImpactStatus::Capped
    };
    let scale = problem.kinetic_norm(problem.momentum());
    for order in &orders {
        let outcome = outcome_of(law, problem, order)?;
        if outcome.status != ImpactStatus::Resolved {
            status = outcome.status;
        }
        let same = outcomes.iter_mut().find(|known| {
            problem.kinetic_norm(&(&known.momentum - &outcome.momentum)) <= SAME * scale
        });
        match same {
            Some(known) => {
                for sequence in outcome.sequences {
                    if !known.sequences.contains(&sequence) {
                        known.sequences.push(sequence);
                    }
                }
            }
            None => outcomes.push(outcome),
        }
    }
    let finished = status == ImpactStatus::Resolved;
    let single = match (every_order, status) {
        (true, ImpactStatus::Resolved) if count <= 1 => Uniqueness::unique(Ground::Function),
        (true, ImpactStatus::Resolved) => Uniqueness::unique(Ground::EveryOrderAgrees),
        (_, ImpactStatus::NotTerminated) => Uniqueness::undecided(Doubt::NotTerminated),
        (false, _) | (_, ImpactStatus::Capped) => Uniqueness::undecided(Doubt::OneOrder),
    };
    let uniqueness = Uniqueness::counted(
        outcomes.len(),
        every_order && finished,
        indeterminacy(problem, &outcomes),
        single,
    );
    let solver = law.settings.solver;
    Ok(Resolution {
        law: NAME,
        uniqueness,
        outcomes,
        certificate: None,
        status,
        details: LawDetails::of(StrongeReport {
            solver: (solver != StrongeSolver::Exact).then(|| solver.name()),
        }),
    })
}

fn outcome_of(
    law: &Stronge,
    problem: &ImpactProblem,
    order: &[usize],
) -> Result<Outcome, ImpactError> {
    let space = problem.contact_space();
    let mut impulse = DVector::zeros(space.rows());
    let mut acted = Vec::new();
    let mut impacts = Vec::new();
    let report = run(
        law,
        space,
        &mut Scratch::new(order),
        &mut impulse,
        &mut |visit| {
            acted.push(visit.contact);
            let contact = problem.names()[visit.contact].to_string();
            impacts.push(StrongeImpact {
                contact: Some(contact),
                ..describe(law, visit)?
            });
            Ok(())
        },
    )?;
    let mut outcome = Outcome::from_impulse(problem, &impulse);
    outcome.status = report.status;
    outcome.details = LawDetails::of(if space.len() == 1 {
        StrongeDetails::Single(match impacts.pop() {
            Some(impact) => StrongeImpact {
                contact: None,
                ..impact
            },
            None => separating(
                law,
                &Coefficients::read(space, 0, space.velocity.as_slice())?,
            ),
        })
    } else {
        outcome.sequences = vec![acted.clone()];
        StrongeDetails::Several { impacts }
    });
    outcome.sequence = Some(acted);
    Ok(outcome)
}

/// A contact that does not approach takes part with no impulse.
fn separating(law: &Stronge, c: &Coefficients) -> StrongeImpact {
    let course = (law.settings.solver == StrongeSolver::Exact).then(|| StrongeCourse {
        events: String::new(),
        event_list: Vec::new(),
        label: None,
        compression_energy: 0.0,
        friction_work: 0.0,
        contact: ContactReport::new(c),
    });
    StrongeImpact {
        contact: None,
        course,
        iterations: None,
    }
}

fn describe(law: &Stronge, visit: &Visit) -> Result<StrongeImpact, ImpactError> {
    let c = visit.coefficients;
    if law.settings.solver != StrongeSolver::Exact {
        return Ok(StrongeImpact {
            contact: None,
            course: None,
            iterations: Some(StrongeIterations {
                iterations: visit.steps,
                normal_impulse: visit.normal,
            }),
        });
    }
    let mut process = Process::new(c);
    process.run()?;
    let events = process.log.iter();
    let event_list = events.map(|(event, normal_impulse)| StrongeEvent {
        name: event.letter(),
        normal_impulse,
    });
    let energy_change = c.energy_change(process.normal, process.tangential);
    let friction_work = energy_change + process.lost;
    let course = StrongeCourse {
        events: process.log.label(),
        event_list: event_list.collect(),
        label: Some(StrongeLabel {
            events_with_tolerance: labels::with_tolerance(c, &law.settings, &process)?,
            tolerance_l: law.settings.tolerance_l,
            tolerance_s: law.settings.tolerance_s,
        }),
        compression_energy: process.compression_energy,
        // Zero up to rounding is zero: friction never does positive work.
        friction_work: friction_work.min(0.0),
        contact: ContactReport::new(c),
    };
    Ok(StrongeImpact {
        contact: None,
        course: Some(course),
        iterations: None,
    })
}
