//! What is asked of the orbits: residuals over the parameters.
//!
//! For every set of parameters the orbit is found anew, from the one known nearest to it, on one chart and with strikes of
//! contacts that are close joined to one impact: beside a design whose contacts are not orthogonal the map itself jumps, and
//! the joined one does not. What is asked is then a smooth function of the parameters alone,
//!
//! ```text
//! F(x) = (gaps between contacts that are to strike together;  cosines − targets)  at the strike of z(x),   P(z(x); x) = z(x)
//! ```
//!
//! and Newton's method is one in the parameters. The orbit's own Newton stays as it is, with its exact derivative and its
//! damping; a step of the design after which there is no orbit is only a step that is too long. One system in (z, x) would
//! save a few returns and need the derivative of every strike by the parameters.

use std::cell::RefCell;

use argmin::core::{Error, Jacobian, Operator};
use nalgebra::{DMatrix, DVector};

use super::OrbitDesignError;
use super::file::OrbitStance;
use super::robot::ParametricScenario;
use super::strike::{Meeting, meeting};
use crate::design::Variable;
use crate::scenario::{Experiment, ImpactEntry, ScenarioError};
use crate::study::orbit::{Anchor, CLOSED, Found, Orbit, strikes};

/// Differences of parameters, in units of their scales: orbits are known to 1e-12, and the error of central differences is
/// the square of this.
const WIDTH: f64 = 1e-4;
/// A row that is met and that no parameter changes by more than this is one that symmetry keeps.
const KEPT: f64 = 1e-7;
/// Orbits that are remembered.
const REMEMBERED: usize = 64;

/// Contacts that strike together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    pub contacts: Vec<usize>,
    pub names: Vec<String>,
    /// Which of the strikes of these contacts in a period it is, and how many there are.
    pub occurrence: usize,
    pub of: usize,
}

/// A residual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Row {
    /// Gap of a contact of a group less that of its first \[m\].
    Gap { group: usize, contact: usize },
    /// Cosine of a pair of a group.
    Cosine {
        group: usize,
        pair: (usize, usize),
        target: f64,
    },
}

/// The residuals of a design.
pub(super) struct OrbitProblem<'a> {
    pub family: &'a ParametricScenario,
    pub stance: &'a OrbitStance,
    pub anchor: Anchor,
    pub groups: Vec<Group>,
    pub rows: Vec<Row>,
    /// Parameters and the orbits there, the newest last.
    known: RefCell<Vec<(Vec<f64>, DVector<f64>)>>,
    /// Orbits that were looked for.
    pub solved: RefCell<usize>,
}

impl<'a> OrbitProblem<'a> {
    /// The problem from an orbit of the starting robot.
    pub fn new(
        name: &str,
        family: &'a ParametricScenario,
        stance: &'a OrbitStance,
        orbit: &Orbit,
    ) -> Result<Self, OrbitDesignError> {
        let start: Vec<f64> = family.variables().iter().map(|v| v.start).collect();
        let experiment = joined(family.experiment(&start)?, stance);
        let (anchor, z) = Anchor::of(&experiment, orbit)?;
        let mut problem = Self {
            family,
            stance,
            anchor,
            groups: Vec::new(),
            rows: Vec::new(),
            known: RefCell::new(vec![(start.clone(), z)]),
            solved: RefCell::new(0),
        };
        let (_, found) = problem.orbit(&start)?;
        problem.groups = problem.groups_of(name, &experiment, &found)?;
        problem.rows = problem.rows_of(name)?;
        Ok(problem)
    }

    /// What strikes together: as named, or as it does.
    fn groups_of(
        &self,
        name: &str,
        experiment: &Experiment,
        found: &Found,
    ) -> Result<Vec<Group>, OrbitDesignError> {
        let contacts = &experiment.contacts;
        let held = self.anchor.held_contacts();
        let struck = strikes(experiment, held, &found.stride);
        let mut sets: Vec<Vec<usize>> = Vec::new();
        match &self.stance.touch {
            Some(named) => {
                for (k, group) in named.iter().enumerate() {
                    let place = format!("orbit.touch[{k}]");
                    if group.len() < 2 {
                        let reason = "two contacts at least strike together; name them";
                        return Err(ScenarioError::value(name, &place, reason).into());
                    }
                    let known = || (0..contacts.len()).map(|i| contacts.name(i));
                    let numbers = group.iter().map(|own| {
                        known().position(|n| n == own).ok_or_else(|| {
                            let near = crate::files::did_you_mean(own, known());
                            let reason = format!("there is no contact \"{own}\"{near}");
                            ScenarioError::value(name, &place, reason)
                        })
                    });
                    sets.push(numbers.collect::<Result<_, _>>()?);
                }
            }
            None => {
                for strike in struck.iter().filter(|s| s.contacts.len() > 1) {
                    if !sets.contains(&strike.contacts) {
                        sets.push(strike.contacts.clone());
                    }
                }
            }
        }
        let mut groups = Vec::new();
        for set in sets {
            let count = struck.iter().filter(|s| all_in(&set, &s.contacts)).count();
            let names = contacts.names_of(&set);
            if count == 0 {
                return Err(OrbitDesignError::Apart {
                    contacts: names.join(" and "),
                    count,
                    wanted: 1,
                    at: "the start".to_string(),
                });
            }
            groups.extend((0..count).map(|occurrence| Group {
                contacts: set.clone(),
                names: names.clone(),
                occurrence,
                of: count,
            }));
        }
        Ok(groups)
    }

    /// Gaps and cosines, without those that symmetry keeps where they are wanted.
    fn rows_of(&mut self, name: &str) -> Result<Vec<Row>, OrbitDesignError> {
        let mut rows = Vec::new();
        let targets = &self.stance.target;
        let mut used = vec![false; targets.len()];
        for (g, group) in self.groups.iter().enumerate() {
            let gaps = 1..group.contacts.len();
            rows.extend(gaps.map(|contact| Row::Gap { group: g, contact }));
            for b in 0..group.contacts.len() {
                for a in 0..b {
                    let pair = [&group.names[a], &group.names[b]];
                    let place = targets.iter().position(|t| {
                        let [x, y] = &t.contacts;
                        [x, y] == pair || [y, x] == pair
                    });
                    let target = match place {
                        Some(k) => {
                            used[k] = true;
                            targets[k].value()
                        }
                        None if targets.is_empty() => 0.0,
                        None => continue,
                    };
                    rows.push(Row::Cosine {
                        group: g,
                        pair: (a, b),
                        target,
                    });
                }
            }
        }
        if let Some(k) = used.iter().position(|used| !used) {
            let [a, b] = &targets[k].contacts;
            let reason = format!("{a} and {b} do not strike together on this orbit");
            let place = format!("orbit.target[{k}]");
            return Err(ScenarioError::value(name, &place, reason).into());
        }
        self.rows.clone_from(&rows);
        let z = DVector::zeros(self.family.variables().len());
        let values = self.values(&z)?;
        let slopes = self.slopes(&z)?;
        let all = rows.iter().zip(values.iter()).zip(slopes.row_iter());
        let asked = all.filter(|((row, value), slope)| {
            let still = value.abs() <= CLOSED && slope.amax() <= KEPT;
            !(still && matches!(row, Row::Gap { .. }))
        });
        Ok(asked.map(|((row, _), _)| *row).collect())
    }

    /// x = start + scale · z, within the bounds.
    pub fn unscaled(&self, z: &DVector<f64>) -> Vec<f64> {
        let pairs = self.family.variables().iter().zip(z.iter());
        let x = pairs.map(|(v, z)| (v.start + v.scale * z).clamp(v.lower, v.upper));
        x.collect()
    }

    /// The robot at x with strikes that are close joined, and its orbit.
    pub fn orbit(&self, x: &[f64]) -> Result<(Experiment, Found), OrbitDesignError> {
        let experiment = joined(self.family.experiment(x)?, self.stance);
        let guess = self.nearest(x);
        *self.solved.borrow_mut() += 1;
        let found = self.anchor.find(&experiment, guess)?;
        if found.residual > CLOSED {
            return Err(OrbitDesignError::Lost {
                at: named(self.family.variables(), x),
                residual: found.residual,
            });
        }
        let mut known = self.known.borrow_mut();
        if known.len() >= REMEMBERED {
            // The start stays.
            known.remove(1);
        }
        known.push((x.to_vec(), found.z.clone()));
        Ok((experiment, found))
    }

    /// The point of the orbit of the parameters nearest to x, of equals the newest.
    fn nearest(&self, x: &[f64]) -> DVector<f64> {
        let known = self.known.borrow();
        let off = |there: &[f64]| {
            let pairs = self.family.variables().iter().zip(there.iter().zip(x));
            pairs
                .map(|(v, (a, b))| ((a - b) / v.scale).powi(2))
                .sum::<f64>()
        };
        let mut best = (f64::INFINITY, 0);
        for (k, (there, _)) in known.iter().enumerate() {
            if off(there) <= best.0 {
                best = (off(there), k);
            }
        }
        known[best.1].1.clone()
    }

    /// How the contacts of every group meet on the orbit at x.
    pub fn meetings(&self, x: &[f64]) -> Result<Vec<Meeting>, OrbitDesignError> {
        let (experiment, found) = self.orbit(x)?;
        let struck = strikes(&experiment, self.anchor.held_contacts(), &found.stride);
        let meet = |group: &Group| {
            let own: Vec<_> = (struck.iter())
                .filter(|s| all_in(&group.contacts, &s.contacts))
                .collect();
            if own.len() != group.of {
                return Err(OrbitDesignError::Apart {
                    contacts: group.names.join(" and "),
                    count: own.len(),
                    wanted: group.of,
                    at: named(self.family.variables(), x),
                });
            }
            let strike = own[group.occurrence];
            let robot = (&*experiment.model, &*experiment.contacts);
            meeting(robot, &strike.event.q, &group.contacts, &strike.held).ok_or_else(|| {
                OrbitDesignError::Immovable {
                    contacts: group.names.join(" and "),
                }
            })
        };
        self.groups.iter().map(meet).collect()
    }

    pub fn values(&self, z: &DVector<f64>) -> Result<DVector<f64>, OrbitDesignError> {
        if self.rows.is_empty() {
            return Ok(DVector::zeros(0));
        }
        let met = self.meetings(&self.unscaled(z))?;
        let of = |row: &Row| match *row {
            Row::Gap { group, contact } => met[group].gaps[contact] - met[group].gaps[0],
            Row::Cosine {
                group,
                pair,
                target,
            } => met[group].cosines[pair] - target,
        };
        Ok(DVector::from_iterator(
            self.rows.len(),
            self.rows.iter().map(of),
        ))
    }

    /// Derivatives of the rows by z: central differences, one-sided at bounds.
    pub fn slopes(&self, z: &DVector<f64>) -> Result<DMatrix<f64>, OrbitDesignError> {
        let n = z.len();
        let mut slopes = DMatrix::zeros(self.rows.len(), n);
        if self.rows.is_empty() {
            return Ok(slopes);
        }
        for k in 0..n {
            let variable = &self.family.variables()[k];
            let inside = |w: f64| {
                let x = variable.start + variable.scale * (z[k] + w);
                (variable.lower..=variable.upper).contains(&x)
            };
            let ends = [WIDTH, -WIDTH].map(|w| if inside(w) { w } else { 0.0 });
            let mut values = Vec::with_capacity(2);
            for w in ends {
                let mut moved = z.clone();
                moved[k] += w;
                values.push(self.values(&moved)?);
            }
            let width = ends[0] - ends[1];
            if width > 0.0 {
                slopes.set_column(k, &((&values[0] - &values[1]) / width));
            }
        }
        Ok(slopes)
    }
}

/// The same with strikes of contacts that are close joined to one impact.
fn joined(mut experiment: Experiment, stance: &OrbitStance) -> Experiment {
    let impact = &mut experiment.scenario.impact;
    impact.simultaneity = impact.simultaneity.max(stance.together);
    if let Some(law) = &stance.law {
        *impact = ImpactEntry {
            law: law.clone(),
            simultaneity: impact.simultaneity,
            zeno_time: impact.zeno_time,
            verdict_budget: impact.verdict_budget,
            ..ImpactEntry::default()
        };
    }
    experiment
}

fn all_in(set: &[usize], of: &[usize]) -> bool {
    set.iter().all(|i| of.contains(i))
}

pub(super) fn named(variables: &[Variable], x: &[f64]) -> String {
    let parts = variables.iter().zip(x);
    let parts: Vec<String> = parts.map(|(v, x)| format!("{} = {x}", v.name)).collect();
    parts.join(", ")
}

impl Operator for &OrbitProblem<'_> {
    type Param = DVector<f64>;
    type Output = DVector<f64>;

    fn apply(&self, z: &DVector<f64>) -> Result<DVector<f64>, Error> {
        Ok(self.values(z)?)
    }
}

impl Jacobian for &OrbitProblem<'_> {
    type Param = DVector<f64>;
    type Jacobian = DMatrix<f64>;

    fn jacobian(&self, z: &DVector<f64>) -> Result<DMatrix<f64>, Error> {
        Ok(self.slopes(z)?)
    }
}
