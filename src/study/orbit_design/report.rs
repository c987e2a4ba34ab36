//! What `carom design` says about the design of an orbit.

use std::collections::BTreeMap;

use serde::Serialize;

use super::OrbitDesignError;
use super::problem::{OrbitProblem, Row};
use super::strike::Meeting;
use super::study::{OrbitDesignStudy, Root};
use crate::study::design::BeforeAfter;
use crate::study::orbit::Orbit;

/// Everything about one design of an orbit, as `design.json` holds it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrbitDesignReport {
    /// What the file says it is for.
    pub description: String,
    /// `converged`, or `not reached`: then everything else is of where the search ended.
    pub status: &'static str,
    /// Largest gap \[m\] or error of a cosine left.
    pub residual: f64,
    /// Newton steps until every gap and cosine was at its target.
    pub iterations: usize,
    /// Further steps along the set of such designs to the one nearest to the start.
    pub refinements: usize,
    /// Distance of the design to the start, in units of the scales.
    pub distance: f64,
    /// Orbits that were looked for.
    pub orbits: usize,
    /// Parameters by name.
    pub parameters: BTreeMap<String, BeforeAfter<f64>>,
    /// Contacts that are to strike together.
    pub strikes: Vec<StrikeReport>,
    /// What was made small or large.
    pub objective: Option<ObjectiveReport>,
    /// Parameters that stand at a bound.
    pub at_bounds: Vec<String>,
    /// The periodic orbit and its return map.
    pub orbit: BeforeAfter<Orbit>,
}

/// Contacts that are to strike together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrikeReport {
    /// Their names.
    pub contacts: Vec<String>,
    /// Their gaps less that of the first when they strike \[m\].
    pub gaps_m: BeforeAfter<Vec<f64>>,
    /// Kinetic cosines of their pairs.
    pub cosines: Vec<StrikeCosine>,
}

/// A kinetic cosine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrikeCosine {
    /// Names of the two contacts.
    pub contacts: [String; 2],
    /// ⟨û, v̂⟩ in the metric that what is held leaves.
    pub cosine: BeforeAfter<f64>,
    /// Wanted value; null for a pair about which nothing is asked.
    pub target: Option<f64>,
}

/// What was made small or large.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectiveReport {
    /// What it is.
    pub what: &'static str,
    /// Its value; null where the orbit has none.
    pub value: BeforeAfter<Option<f64>>,
}

/// Compares the start with a design.
pub(super) fn report(
    study: &OrbitDesignStudy,
    problem: &OrbitProblem<'_>,
    root: &Root,
    reached: bool,
    orbit: BeforeAfter<Orbit>,
) -> Result<OrbitDesignReport, OrbitDesignError> {
    let variables = study.family.variables();
    let start: Vec<f64> = variables.iter().map(|v| v.start).collect();
    let x = problem.unscaled(&root.z);
    let sides = [problem.meetings(&start)?, problem.meetings(&x)?];
    let mut strikes = Vec::new();
    for (g, group) in problem.groups.iter().enumerate() {
        let [before, after] = [&sides[0][g], &sides[1][g]];
        let gaps = |met: &Meeting| met.gaps.iter().map(|gap| gap - met.gaps[0]).collect();
        let mut cosines = Vec::new();
        for b in 0..group.contacts.len() {
            for a in 0..b {
                let target = problem.rows.iter().find_map(|row| match *row {
                    Row::Cosine {
                        group,
                        pair,
                        target,
                    } => (group == g && pair == (a, b)).then_some(target),
                    Row::Gap { .. } => None,
                });
                cosines.push(StrikeCosine {
                    contacts: [group.names[a].clone(), group.names[b].clone()],
                    cosine: BeforeAfter {
                        before: before.cosines[(a, b)],
                        after: after.cosines[(a, b)],
                    },
                    target,
                });
            }
        }
        strikes.push(StrikeReport {
            contacts: group.names.clone(),
            gaps_m: BeforeAfter {
                before: gaps(before),
                after: gaps(after),
            },
            cosines,
        });
    }
    let stance = &study.design.orbit;
    let objective = stance.objective_name().map(|what| ObjectiveReport {
        what,
        value: BeforeAfter {
            before: stance.objective(&orbit.before),
            after: stance.objective(&orbit.after),
        },
    });
    let values = variables.iter().zip(start.iter().zip(&x));
    let at_bounds = values
        .clone()
        .filter(|(v, (_, x))| **x == v.lower || **x == v.upper);
    Ok(OrbitDesignReport {
        description: study.design.description.clone(),
        status: if reached { "converged" } else { "not reached" },
        residual: root.residual,
        iterations: root.iterations,
        refinements: root.refinements,
        distance: root.z.norm(),
        orbits: *problem.solved.borrow(),
        parameters: values
            .clone()
            .map(|(v, (before, after))| {
                let value = BeforeAfter {
                    before: *before,
                    after: *after,
                };
                (v.name.clone(), value)
            })
            .collect(),
        strikes,
        objective,
        at_bounds: at_bounds.map(|(v, _)| v.name.clone()).collect(),
        orbit,
    })
}
