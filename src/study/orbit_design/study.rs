//! From a design file to a design.

use std::path::Path;

use argmin::core::{Executor, IterState};
use nalgebra::{DMatrix, DVector};

use super::OrbitDesignError;
use super::file::OrbitDesignFile;
use super::objective::least;
use super::problem::OrbitProblem;
use super::report::{ObjectiveReport, OrbitDesignReport, report};
use super::robot::ParametricScenario;
use crate::design::{Bounds, MinimumNormNewton, Progress};
use crate::scenario::Experiment;
use crate::study::design::BeforeAfter;
use crate::study::orbit::{Orbit, find_orbit, unknown_orbit};

/// A design file with its robots.
pub struct OrbitDesignStudy {
    /// The file's contents.
    pub design: OrbitDesignFile,
    /// What messages call the file.
    pub file: String,
    /// The robots.
    pub family: ParametricScenario,
}

/// A design.
pub struct OrbitDesign {
    /// Everything that is said of it.
    pub report: OrbitDesignReport,
    /// The robot of the design on its orbit.
    pub experiment: Experiment,
    /// Whether contacts that are to strike together do so as wanted, on an orbit.
    pub reached: bool,
}

/// Where the rows are met, or least far from it.
pub(super) struct Root {
    pub z: DVector<f64>,
    pub iterations: usize,
    pub refinements: usize,
    pub residual: f64,
}

type State = IterState<DVector<f64>, (), DMatrix<f64>, (), DVector<f64>, f64>;

impl OrbitDesignStudy {
    /// Reads a design file, with overrides `key=value`, and everything it names.
    ///
    /// # Errors
    /// The first thing that is wrong, by its place.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, OrbitDesignError> {
        let file = path.display().to_string();
        let design = OrbitDesignFile::read(path, overrides)?;
        let family = ParametricScenario::new(&file, &design)?;
        for (i, variable) in family.variables().iter().enumerate() {
            if let Err(error) = variable.check() {
                let place = format!("parameter[{i}]");
                let wrong = crate::scenario::ScenarioError::value;
                return Err(wrong(&file, &place, error.to_string()).into());
            }
        }
        Ok(Self {
            design,
            file,
            family,
        })
    }

    /// Looks for the design; `watch` hears of every step.
    ///
    /// # Errors
    /// No orbit at the start, nothing that is wanted, robots that cannot be built.
    pub fn solve(&self, watch: &dyn Fn(Progress)) -> Result<OrbitDesign, OrbitDesignError> {
        let variables = self.family.variables();
        let start: Vec<f64> = variables.iter().map(|v| v.start).collect();
        let stance = &self.design.orbit;
        let experiment = self.family.experiment(&start)?;
        let before = find_orbit(&experiment, 0)?;
        if !before.found {
            return Err(OrbitDesignError::NoOrbit {
                file: experiment.file,
                residual: before.residual,
            });
        }
        let problem = OrbitProblem::new(&self.file, &self.family, stance, &before)?;
        if problem.groups.is_empty() && stance.objective_name().is_none() {
            return Err(OrbitDesignError::NothingWanted {
                file: self.file.clone(),
            });
        }
        let origin = DVector::zeros(start.len());
        let mut root = self.root(&problem, &origin, watch)?;
        let tolerance = self.design.solver.tolerance;
        // Nothing that could be made better was found.
        let mut refused = false;
        if root.residual <= tolerance && stance.objective_name().is_some() {
            let cost = |z: &DVector<f64>| {
                let near = self.root(&problem, z, watch)?;
                if near.residual > tolerance {
                    return Ok((near.z, None));
                }
                let (_, orbit) = self.orbit_at(&problem, &near.z)?;
                Ok((near.z, stance.cost(&orbit)))
            };
            let bounds = self.bounds();
            let evaluations = self.design.solver.evaluations;
            let from = root.z.clone();
            match least(cost, &from, (&bounds.lower, &bounds.upper), evaluations) {
                Some(z) => {
                    root.residual = largest(&problem.values(&z)?);
                    root.z = z;
                }
                None => refused = true,
            }
        }
        let (tuned, after) = self.orbit_at(&problem, &root.z)?;
        let reached = root.residual <= tolerance && after.found && !refused;
        let experiment = crate::study::orbit::on_orbit_repeated(&tuned, &after);
        let report = report(
            self,
            &problem,
            &root,
            reached,
            BeforeAfter { before, after },
        )?;
        Ok(OrbitDesign {
            report,
            experiment,
            reached,
        })
    }

    /// What is said of a design of which nothing is known: every number is NaN and has the place that it has in a report.
    /// Strikes are known of a motion alone; there are none.
    ///
    /// # Errors
    /// A scenario that its start does not make.
    pub(crate) fn unknown(&self) -> Result<OrbitDesignReport, OrbitDesignError> {
        let variables = self.family.variables();
        let start: Vec<f64> = variables.iter().map(|v| v.start).collect();
        let orbit = unknown_orbit(&self.family.experiment(&start)?)?;
        let pair = BeforeAfter {
            before: f64::NAN,
            after: f64::NAN,
        };
        let objective = self.design.orbit.objective_name();
        Ok(OrbitDesignReport {
            description: self.design.description.clone(),
            status: "not reached",
            residual: f64::NAN,
            iterations: 0,
            refinements: 0,
            distance: f64::NAN,
            orbits: 0,
            parameters: (variables.iter())
                .map(|variable| (variable.name.clone(), pair.clone()))
                .collect(),
            strikes: Vec::new(),
            objective: objective.map(|what| ObjectiveReport {
                what,
                value: BeforeAfter {
                    before: None,
                    after: None,
                },
            }),
            at_bounds: Vec::new(),
            orbit: BeforeAfter {
                before: orbit.clone(),
                after: orbit,
            },
        })
    }

    /// The robot at a point, and its orbit as `carom orbit` describes it: strikes are joined no more.
    fn orbit_at(
        &self,
        problem: &OrbitProblem<'_>,
        z: &DVector<f64>,
    ) -> Result<(Experiment, Orbit), OrbitDesignError> {
        let x = problem.unscaled(z);
        let (_, found) = problem.orbit(&x)?;
        let experiment = self.family.experiment(&x)?;
        let here = problem.anchor.at(&experiment, &found.z)?;
        let orbit = problem.anchor.described(&experiment, here)?;
        Ok((experiment, orbit))
    }

    fn bounds(&self) -> Bounds {
        let variables = self.family.variables();
        let scaled = |bound: fn(&crate::design::Variable) -> f64| {
            let values = variables.iter().map(|v| (bound(v) - v.start) / v.scale);
            DVector::from_iterator(variables.len(), values)
        };
        Bounds {
            lower: scaled(|v| v.lower),
            upper: scaled(|v| v.upper),
        }
    }

    /// The point where the rows are met nearest to `anchor`: first to any near one, then along them.
    fn root(
        &self,
        problem: &OrbitProblem<'_>,
        anchor: &DVector<f64>,
        watch: &dyn Fn(Progress),
    ) -> Result<Root, OrbitDesignError> {
        let mut root = Root {
            z: anchor.clone(),
            iterations: 0,
            refinements: 0,
            residual: largest(&problem.values(anchor)?),
        };
        if problem.rows.is_empty() {
            return Ok(root);
        }
        let settings = &self.design.solver;
        for follow in [true, false] {
            let mut solver = MinimumNormNewton::new(
                anchor.clone(),
                self.bounds(),
                settings.tolerance,
                settings.stationarity,
                watch,
            );
            solver.follow = follow;
            let begin = root.z.clone();
            let ran = Executor::new(problem, solver)
                .configure(|state: State| {
                    state.param(begin).max_iters(settings.max_iterations as u64)
                })
                .ctrlc(false)
                .run();
            let result = ran.map_err(typed)?;
            let steps = result.state.iter as usize;
            let z = result.state.param.clone().unwrap_or_else(|| root.z.clone());
            let residual = largest(&problem.values(&z)?);
            if follow {
                root.iterations = steps;
            } else {
                root.refinements = steps;
                if residual > settings.tolerance.max(root.residual) {
                    break;
                }
            }
            (root.z, root.residual) = (z, residual);
            if residual > settings.tolerance {
                break;
            }
        }
        Ok(root)
    }
}

fn largest(values: &DVector<f64>) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.amax()
    }
}

/// The typed error inside one of the executor's.
fn typed(error: argmin::core::Error) -> OrbitDesignError {
    let text = error.to_string();
    error.downcast().unwrap_or(OrbitDesignError::Lost {
        at: text,
        residual: f64::NAN,
    })
}
