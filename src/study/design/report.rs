//! What `carom design` says about a design: every number before and after.

use std::collections::BTreeMap;

use serde::Serialize;

use super::evidence::DropEvidence;
use super::study::{DesignStudy, DesignStudyError};
use crate::design::{
    DesignSolution, DesignStatus, KeptQuantity, Quantity, Robot, StartRecord, order_indeterminacy,
};
use crate::impact::verdict::switching_distance;
use crate::impact::{ImpactLaw, Propagative};

/// A value at the start and in the design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeforeAfter<T> {
    /// At the start, as the file gives it.
    pub before: T,
    /// In the design.
    pub after: T,
}

/// A kinetic cosine and the pair it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CosineEntry {
    /// Stance.
    pub stance: String,
    /// Names of the two contacts.
    pub contacts: [String; 2],
    /// ⟨û, v̂⟩.
    pub cosine: f64,
    /// Wanted value; null for a pair about which nothing is asked.
    pub target: Option<f64>,
}

/// Everything about one design, as `design.json` holds it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DesignReport {
    /// What the file says it is for.
    pub description: String,
    /// `converged` or `compromise`.
    pub status: DesignStatus,
    /// Newton steps until every gap and cosine was at its target; all steps of a compromise.
    pub iterations: usize,
    /// Further steps along the set of such designs to the one nearest to the start.
    pub refinements: usize,
    /// Distance of the design to the start, in units of the scales.
    pub distance: f64,
    /// All pairs of touching contacts.
    pub cosines: BeforeAfter<Vec<CosineEntry>>,
    /// Gaps of the contacts that touch \[m\], by name.
    pub gaps_m: BeforeAfter<BTreeMap<String, f64>>,
    /// Smallest gap of the contacts that stay open \[m\]; null when there are none.
    pub smallest_open_gap_m: BeforeAfter<Option<f64>>,
    /// Parameters by name.
    pub parameters: BTreeMap<String, BeforeAfter<f64>>,
    /// Free coordinates by name \[m or rad\].
    pub coordinates: BTreeMap<String, BeforeAfter<f64>>,
    /// Largest ξ over the stances that state how the robot moves before the impact; null when none does.
    /// Contacts count as closed even where the start leaves a gap.
    pub xi: BeforeAfter<Option<f64>>,
    /// Least relative change of the momentum before the impact that changes the sequence of reflections.
    pub margin: BeforeAfter<Option<f64>>,
    /// ξ of each motion that is minimised.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub minimised: Vec<MotionReport>,
    /// Total mass \[kg\].
    pub mass_kg: BeforeAfter<f64>,
    /// Masses \[kg\] and lengths \[m\] that are kept, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, BeforeAfter<f64>>,
    /// Variables that stand at a bound.
    pub at_bounds: Vec<String>,
    /// Rank of the wanted cosines' derivatives along motions that keep the gaps closed …
    pub rank: usize,
    /// … and the number of wanted cosines.
    pub wanted: usize,
    /// Why the targets are not reached.
    pub reason: Option<String>,
    /// The drop simulated with both orders of reflection; null when no stance has a `drop_height`.
    pub drop: Option<BeforeAfter<DropEvidence>>,
    /// How derivatives were taken.
    pub derivatives: &'static str,
    /// The starting points that were tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<StartRecord>,
}

/// ξ of a motion before the impact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MotionReport {
    /// Stance.
    pub stance: String,
    /// Number of the motion in the stance.
    pub motion: usize,
    /// ξ over all orders of reflection.
    pub xi: BeforeAfter<f64>,
}

/// One side of the report.
struct Side {
    minimised: Vec<(String, usize, f64)>,
    kept: BTreeMap<String, f64>,
    cosines: Vec<CosineEntry>,
    gaps: BTreeMap<String, f64>,
    smallest_open: Option<f64>,
    xi: Option<f64>,
    margin: Option<f64>,
    mass: f64,
}

impl DesignStudy {
    /// Compares the start with a solution.
    ///
    /// # Errors
    /// A robot that cannot be built or whose impact has no end.
    pub fn report(
        &self,
        solution: &DesignSolution,
        starts: Vec<StartRecord>,
    ) -> Result<DesignReport, DesignStudyError> {
        let start = self.problem.start();
        let before = self.side(&start)?;
        let after = self.side(&solution.variables)?;
        let count = self.problem.parameter_count();
        let named = |range: std::ops::Range<usize>| {
            let variables = &self.problem.variables()[range.clone()];
            let values = range.map(|i| BeforeAfter {
                before: start[i],
                after: solution.variables[i],
            });
            variables
                .iter()
                .map(|v| v.name.clone())
                .zip(values)
                .collect()
        };
        let pair = |b, a| BeforeAfter {
            before: b,
            after: a,
        };
        Ok(DesignReport {
            description: self.design.description.clone(),
            status: solution.status,
            iterations: solution.iterations,
            refinements: solution.refinements,
            distance: solution.distance,
            cosines: BeforeAfter {
                before: before.cosines,
                after: after.cosines,
            },
            gaps_m: BeforeAfter {
                before: before.gaps,
                after: after.gaps,
            },
            smallest_open_gap_m: pair(before.smallest_open, after.smallest_open),
            parameters: named(0..count),
            coordinates: named(count..start.len()),
            xi: pair(before.xi, after.xi),
            margin: pair(before.margin, after.margin),
            minimised: before
                .minimised
                .into_iter()
                .zip(after.minimised)
                .map(|((stance, motion, before), (.., after))| MotionReport {
                    stance,
                    motion,
                    xi: BeforeAfter { before, after },
                })
                .collect(),
            kept: before
                .kept
                .into_iter()
                .zip(after.kept.into_values())
                .map(|((name, before), after)| (name, BeforeAfter { before, after }))
                .collect(),
            mass_kg: BeforeAfter {
                before: before.mass,
                after: after.mass,
            },
            at_bounds: solution.at_bounds.clone(),
            rank: solution.rank,
            wanted: solution.wanted,
            reason: solution.reason.as_ref().map(ToString::to_string),
            drop: None,
            derivatives: "coordinates: dual numbers; parameters: central differences of the built robot",
            starts,
        })
    }

    fn side(&self, x: &[f64]) -> Result<Side, DesignStudyError> {
        let failed = |e| self.failed(e);
        let robot = self.problem.robot(x).map_err(failed)?;
        let values = self.problem.values(x).map_err(failed)?;
        let several = self.problem.stances().len() > 1;
        let mut side = Side {
            minimised: Vec::new(),
            kept: self.kept(&robot, x),
            cosines: Vec::new(),
            gaps: BTreeMap::new(),
            smallest_open: None,
            xi: None,
            margin: None,
            mass: robot.model.mass(),
        };
        for (quantity, &value) in self.problem.quantities().iter().zip(values.iter()) {
            let Quantity::Gap {
                stance,
                contact,
                closed,
                ..
            } = quantity
            else {
                continue;
            };
            if *closed {
                let name = robot.contacts.name(*contact);
                let stance = &self.problem.stances()[*stance].name;
                let key = if several {
                    format!("{stance}/{name}")
                } else {
                    name.to_string()
                };
                side.gaps.insert(key, value);
            } else {
                side.smallest_open = Some(side.smallest_open.map_or(value, |s: f64| s.min(value)));
            }
        }
        for s in 0..self.problem.stances().len() {
            self.stance_side(&robot, x, s, &mut side)?;
        }
        Ok(side)
    }

    /// What is kept, by name.
    fn kept(&self, robot: &Robot, x: &[f64]) -> BTreeMap<String, f64> {
        let kept = self.problem.quantities().iter().filter_map(|q| match q {
            Quantity::Kept { what, .. } => Some(what),
            _ => None,
        });
        kept.filter_map(|what| match what {
            KeptQuantity::Mass => Some(("mass".to_string(), robot.model.mass())),
            KeptQuantity::Length(parameters) => {
                let variables = self.problem.variables();
                let names: Vec<&str> = parameters
                    .iter()
                    .map(|&k| variables[k].name.as_str())
                    .collect();
                let sum = parameters.iter().map(|&k| x[k]).sum();
                Some((names.join(" + "), sum))
            }
            _ => None,
        })
        .collect()
    }

    fn stance_side(
        &self,
        robot: &Robot,
        x: &[f64],
        s: usize,
        side: &mut Side,
    ) -> Result<(), DesignStudyError> {
        let failed = |e| self.failed(e);
        let stance = &self.problem.stances()[s];
        let q = self.problem.configuration(&robot.model, x, s);
        let impact = self.problem.impact(robot, &q, s).map_err(failed)?;
        let g = &impact.contact_space().delassus;
        for j in 0..stance.touching.len() {
            for i in 0..j {
                let contacts = [stance.touching[i].clone(), stance.touching[j].clone()];
                let mut swapped = contacts.clone();
                swapped.reverse();
                let wanted = |t: &&crate::design::CosineTarget| {
                    t.contacts == contacts || t.contacts == swapped
                };
                side.cosines.push(CosineEntry {
                    stance: stance.name.clone(),
                    cosine: g[(i, j)] / (g[(i, i)] * g[(j, j)]).sqrt(),
                    target: stance.targets.iter().find(wanted).map(|t| t.cosine),
                    contacts,
                });
            }
        }
        for (k, (motion, _)) in stance.minimised.iter().enumerate() {
            let impact = self.problem.impact_of(robot, &q, s, Some(motion));
            let xi = impact
                .and_then(|impact| order_indeterminacy(&impact))
                .map_err(failed)?;
            side.minimised.push((stance.name.clone(), k, xi));
        }
        let momentum = impact.kinetic_norm(impact.momentum());
        if stance.approach.is_none() || momentum == 0.0 {
            return Ok(());
        }
        let xi = order_indeterminacy(&impact).map_err(failed)?;
        side.xi = Some(side.xi.map_or(xi, |x: f64| x.max(xi)));
        let resolved = Propagative::default().resolve(&impact);
        let sequence = resolved
            .ok()
            .and_then(|r| r.outcomes.into_iter().next()?.sequence);
        let distance = sequence.and_then(|s| switching_distance(&impact, &s, None).ok());
        if let Some(margin) = distance
            .map(|d| d.distance / momentum)
            .filter(|d| d.is_finite())
        {
            side.margin = Some(side.margin.map_or(margin, |m: f64| m.min(margin)));
        }
        Ok(())
    }
}
