//! The full answer of the law: outcomes with events, energies and invariant directions.

use nalgebra::DVector;
use serde_json::{Map, Value, json};

use super::coefficients::{Coefficients, length};
use super::invariant::PrincipalFrame;
use super::process::Process;
use super::sequence::{MOST_PERMUTED, Visit, permutations, run};
use super::settings::StrongeSolver;
use super::{NAME, Stronge, labels};
use crate::impact::{
    Doubt, Ground, ImpactError, ImpactProblem, ImpactStatus, Outcome, Resolution, Uniqueness,
    indeterminacy,
};

/// Outcomes closer than this share of ‖p⁻‖ are one.
const SAME: f64 = 1e-9;

/// Everything the law can say.
pub(super) fn resolve(
    law: &mut Stronge,
    problem: &ImpactProblem,
) -> Result<Resolution, ImpactError> {
    let count = problem.contact_space().len();
    let orders = if count <= 1 || law.sequence.is_given() || count > MOST_PERMUTED {
        let mut order = Vec::new();
        law.sequence
            .indices(count, Some(problem.names()), &mut order)?;
        vec![order]
    } else {
        permutations(count)
    };
    let every_order = count <= 1 || orders.len() > 1;

    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut status = if every_order || law.sequence.is_given() {
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
    let mut details = Map::new();
    if law.settings.solver != StrongeSolver::Exact {
        details.insert("solver".into(), json!(law.settings.solver.name()));
    }
    Ok(Resolution {
        law: NAME,
        uniqueness,
        outcomes,
        certificate: None,
        status,
        details,
    })
}

fn outcome_of(
    law: &Stronge,
    problem: &ImpactProblem,
    order: &[usize],
) -> Result<Outcome, ImpactError> {
    let space = problem.contact_space();
    let mut impulse = DVector::zeros(space.rows());
    let mut velocity = Vec::new();
    let mut acted = Vec::new();
    let mut impacts = Vec::new();
    let report = run(
        law,
        space,
        order,
        &mut velocity,
        &mut impulse,
        &mut |visit| {
            acted.push(visit.contact);
            let mut record = describe(law, visit)?;
            record.insert("contact".into(), json!(&*problem.names()[visit.contact]));
            impacts.push(record);
            Ok(())
        },
    )?;
    let mut outcome = Outcome::from_impulse(problem, &impulse);
    outcome.status = report.status;
    if space.len() == 1 {
        outcome.details = match impacts.pop() {
            Some(mut record) => {
                record.remove("contact");
                record
            }
            None => separating(
                law,
                &Coefficients::read(space, 0, space.velocity.as_slice())?,
            ),
        };
    } else {
        outcome.sequences = vec![acted.clone()];
        outcome.details.insert(
            "impacts".into(),
            Value::Array(impacts.into_iter().map(Value::Object).collect()),
        );
    }
    outcome.sequence = Some(acted);
    Ok(outcome)
}

/// A contact that does not approach takes part with no impulse.
fn separating(law: &Stronge, c: &Coefficients) -> Map<String, Value> {
    let mut details = Map::new();
    if law.settings.solver == StrongeSolver::Exact {
        details.insert("events".into(), json!(""));
        details.insert("event_list".into(), json!([]));
        details.insert("compression_energy".into(), json!(0.0));
        details.insert("friction_work".into(), json!(0.0));
        insert_invariants(c, &mut details);
    }
    details
}

fn describe(law: &Stronge, visit: &Visit) -> Result<Map<String, Value>, ImpactError> {
    let c = visit.coefficients;
    let mut details = Map::new();
    if law.settings.solver != StrongeSolver::Exact {
        details.insert("iterations".into(), json!(visit.steps));
        details.insert("normal_impulse".into(), json!(visit.normal));
        return Ok(details);
    }
    let mut process = Process::new(c);
    process.run()?;
    let events: Vec<Value> = process
        .log
        .iter()
        .map(
            |(event, normal)| json!({"name": event.letter().to_string(), "normal_impulse": normal}),
        )
        .collect();
    let label = labels::with_tolerance(c, &law.settings, &process)?;
    let energy_change = c.energy_change(visit.normal, visit.tangential);
    let friction_work = energy_change + (1.0 - c.e * c.e) * process.compression_energy;
    details.insert("events".into(), json!(process.log.label()));
    details.insert("event_list".into(), Value::Array(events));
    details.insert("events_with_tolerance".into(), json!(label));
    details.insert("tolerance_l".into(), json!(law.settings.tolerance_l));
    details.insert("tolerance_s".into(), json!(law.settings.tolerance_s));
    details.insert(
        "compression_energy".into(),
        json!(process.compression_energy),
    );
    // Zero up to rounding is zero: friction never does positive work.
    details.insert("friction_work".into(), json!(friction_work.min(0.0)));
    insert_invariants(c, &mut details);
    Ok(details)
}

fn insert_invariants(c: &Coefficients, details: &mut Map<String, Value>) {
    details.insert(
        "impact_solution_condition".into(),
        json!(c.impact_solution_condition()),
    );
    if c.tangents == 2 {
        let directions = PrincipalFrame::new(c).all(c);
        details.insert(
            "every_direction_invariant".into(),
            json!(directions.is_none()),
        );
        details.insert(
            "invariant_directions".into(),
            json!(directions.unwrap_or_default()),
        );
    }
    if c.tangents > 0 && c.mu > 0.0 {
        let ratio = length(c.sticking());
        details.insert("sticking_ratio".into(), json!(ratio));
        details.insert("sticks".into(), json!(ratio <= c.mu));
    }
}
