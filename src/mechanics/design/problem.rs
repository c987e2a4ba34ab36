//! The design problem: which robots, which stances, what is free and what is wanted.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | x | [`DesignProblem::variables`] | free parameters, then the free coordinates of each stance |
//! | s_k | [`Variable::scale`] | the change of x_k that counts as 1 in distances |
//! | φ_i | [`Quantity::Gap`] | gaps: 0 for contacts that touch, positive for all others |
//! | c_ij | [`Quantity::Cosine`] | kinetic cosines, wanted at 0 or −cos(π/m) |
//! | ξ_ij | [`Quantity::Indeterminacy`] | what two reflections leave undetermined for a stated motion, wanted at 0 |

use super::configuration;
use super::orthogonality::impact_at;
use super::stance::{check_motions, check_stance, check_target, free_coordinates};
use super::{Approach, DesignError, Quantity, Stance, Variable};
use crate::contact::Contacts;
use crate::impact::ImpactProblem;
use crate::model::Model;
use crate::stop::StopFlag;

/// One robot of a family.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    /// Its bodies.
    pub model: Model,
    /// What it can touch.
    pub contacts: Contacts,
}

/// Robots by parameter values: the same tree and the same contacts whatever the values.
pub trait RobotFamily: Send + Sync {
    /// The robot with these parameters.
    ///
    /// # Errors
    /// Why there is no such robot.
    fn robot(&self, parameters: &[f64]) -> Result<Robot, String>;
}

impl<F: Fn(&[f64]) -> Result<Robot, String> + Send + Sync> RobotFamily for F {
    fn robot(&self, parameters: &[f64]) -> Result<Robot, String> {
        self(parameters)
    }
}

/// A stance with names resolved.
#[derive(Debug, Clone)]
pub(super) struct ResolvedStance {
    pub(super) touching: Vec<usize>,
    /// First of the stance's variables in x.
    pub(super) first_variable: usize,
}

/// A checked design problem.
pub struct DesignProblem {
    pub(super) family: Box<dyn RobotFamily>,
    pub(super) stances: Vec<Stance>,
    pub(super) resolved: Vec<ResolvedStance>,
    pub(super) parameter_count: usize,
    pub(super) variables: Vec<Variable>,
    pub(super) quantities: Vec<Quantity>,
    pub(super) contact_names: Vec<String>,
    dof: usize,
    /// What ends searches at their next evaluation ([`DesignError::Stopped`]); nothing, unless somebody sets it.
    pub stop: StopFlag,
}

impl DesignProblem {
    /// Checks names, bounds and starts against the robot with the starting parameters. The limits of
    /// joints narrow the bounds of their coordinates.
    ///
    /// # Errors
    /// What is wrong, by name.
    pub fn new(
        family: Box<dyn RobotFamily>,
        parameters: Vec<Variable>,
        mut stances: Vec<Stance>,
    ) -> Result<Self, DesignError> {
        let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
        for parameter in &parameters {
            parameter.check()?;
        }
        let robot = build(&*family, &parameters, &start)?;
        let dof = robot.model.dof();
        let contact_names: Vec<String> = (0..robot.contacts.len())
            .map(|i| robot.contacts.name(i).to_string())
            .collect();
        let parameter_count = parameters.len();
        let mut variables = parameters;
        let mut resolved = Vec::new();
        let mut quantities = Vec::new();
        let several = stances.len() > 1;
        for (s, stance) in stances.iter_mut().enumerate() {
            let wrong = |reason: String| DesignError::Stance {
                stance: stance.name.clone(),
                reason,
            };
            check_stance(stance, dof, &wrong)?;
            let touching = stance
                .touching
                .iter()
                .map(|name| find(&contact_names, name, "contact").map_err(&wrong))
                .collect::<Result<Vec<_>, _>>()?;
            for (i, &contact) in touching.iter().enumerate() {
                if touching[..i].contains(&contact) {
                    return Err(wrong(format!(
                        "contact \"{}\" is listed twice",
                        contact_names[contact]
                    )));
                }
            }
            let mut least = vec![stance.clearance; contact_names.len()];
            for (name, clearance) in &stance.clearances {
                let contact = find(&contact_names, name, "contact").map_err(&wrong)?;
                if touching.contains(&contact) {
                    let reason = format!("contact \"{name}\" touches and cannot have a clearance");
                    return Err(wrong(reason));
                }
                least[contact] = *clearance;
            }
            for (contact, least) in least.into_iter().enumerate() {
                // Ends and rim points are never below the nearest point of their site.
                if !robot.contacts.is_nearest_place(contact) && !touching.contains(&contact) {
                    continue;
                }
                quantities.push(Quantity::Gap {
                    stance: s,
                    contact,
                    closed: touching.contains(&contact),
                    least,
                });
            }
            for target in &stance.targets {
                let place = |name: &String| find(&stance.touching, name, "touching contact");
                let a = place(&target.contacts[0]).map_err(&wrong)?;
                let b = place(&target.contacts[1]).map_err(&wrong)?;
                check_target(target, a == b).map_err(&wrong)?;
                quantities.push(Quantity::Cosine {
                    stance: s,
                    pair: (a, b),
                    target: target.cosine,
                    weight: target.weight,
                });
            }
            check_motions(stance, &robot.model).map_err(&wrong)?;
            for (motion, (_, weight)) in stance.minimised.iter().enumerate() {
                for b in 0..touching.len() {
                    quantities.extend((0..b).map(|a| Quantity::Indeterminacy {
                        stance: s,
                        motion,
                        pair: (a, b),
                        weight: *weight,
                    }));
                }
            }
            let first_variable = variables.len();
            free_coordinates(stance, &robot.model, several)?;
            variables.extend(stance.free.iter().map(|(_, v)| v.clone()));
            resolved.push(ResolvedStance {
                touching,
                first_variable,
            });
        }
        let problem = Self {
            family,
            stances,
            resolved,
            parameter_count,
            variables,
            quantities,
            contact_names,
            dof,
            stop: StopFlag::default(),
        };
        problem.check_names()?;
        Ok(problem)
    }

    fn check_names(&self) -> Result<(), DesignError> {
        for (i, variable) in self.variables.iter().enumerate() {
            if self.variables[..i].iter().any(|v| v.name == variable.name) {
                return Err(DesignError::Variable {
                    variable: variable.name.clone(),
                    reason: "two free variables have this name; names must be unique".to_string(),
                });
            }
        }
        if self.variables.is_empty() {
            return Err(DesignError::Variable {
                variable: "(none)".to_string(),
                reason: "nothing is free; free a parameter or a coordinate".to_string(),
            });
        }
        if self.stances.is_empty() {
            return Err(DesignError::Stance {
                stance: "(none)".to_string(),
                reason: "the problem has no stance; add one with its touching contacts".to_string(),
            });
        }
        Ok(())
    }

    /// Free parameters, then the free coordinates of each stance.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// How many of the variables are parameters; they come first.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.parameter_count
    }

    /// The stances.
    #[must_use]
    pub fn stances(&self) -> &[Stance] {
        &self.stances
    }

    /// Every gap and every wanted cosine: the rows of evaluations and derivatives.
    #[must_use]
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// The starting values of the variables.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.variables.iter().map(|v| v.start).collect()
    }

    /// The robot at the parameters of `x`.
    ///
    /// # Errors
    /// [`DesignError::Build`], [`DesignError::Stopped`].
    pub fn robot(&self, x: &[f64]) -> Result<Robot, DesignError> {
        if self.stop.is_raised() {
            return Err(DesignError::Stopped);
        }
        let count = self.parameter_count;
        let robot = build(&*self.family, &self.variables[..count], &x[..count])?;
        if robot.model.dof() != self.dof || robot.contacts.len() != self.contact_names.len() {
            return Err(DesignError::Build {
                parameters: name_values(&self.variables[..count], &x[..count]),
                reason: "its joints or contacts are not those of the starting robot".to_string(),
            });
        }
        Ok(robot)
    }

    /// Coordinates (n) of a stance at `x`.
    #[must_use]
    pub fn coordinates(&self, x: &[f64], stance: usize) -> Vec<f64> {
        let mut coordinates = self.stances[stance].coordinates.clone();
        let first = self.resolved[stance].first_variable;
        for (k, (index, _)) in self.stances[stance].free.iter().enumerate() {
            coordinates[*index] = x[first + k];
        }
        coordinates
    }

    /// Configuration q of a stance at `x`; `model` is the robot there.
    #[must_use]
    pub fn configuration(&self, model: &Model, x: &[f64], stance: usize) -> Vec<f64> {
        configuration(model, &self.coordinates(x, stance))
    }

    /// Indices of the contacts that touch in a stance.
    #[must_use]
    pub fn touching(&self, stance: usize) -> &[usize] {
        &self.resolved[stance].touching
    }

    /// The impact of a stance in configuration `q`: its touching contacts, at rest without an approach.
    ///
    /// # Errors
    /// [`DesignError::Stance`].
    pub fn impact(
        &self,
        robot: &Robot,
        q: &[f64],
        stance: usize,
    ) -> Result<ImpactProblem, DesignError> {
        self.impact_of(robot, q, stance, self.stances[stance].approach.as_ref())
    }

    /// The same with another motion before the impact.
    ///
    /// # Errors
    /// [`DesignError::Stance`].
    pub fn impact_of(
        &self,
        robot: &Robot,
        q: &[f64],
        stance: usize,
        approach: Option<&Approach>,
    ) -> Result<ImpactProblem, DesignError> {
        let v = approach.map_or_else(
            || vec![0.0; self.dof],
            |approach| approach.velocity(&robot.model, q),
        );
        let touching = self.touching(stance);
        impact_at(&robot.model, &robot.contacts, q, &v, touching).map_err(|error| {
            DesignError::Stance {
                stance: self.stances[stance].name.clone(),
                reason: error.to_string(),
            }
        })
    }

    pub(super) fn contact_name(&self, contact: usize) -> &str {
        &self.contact_names[contact]
    }
}

pub(super) fn name_values(variables: &[Variable], x: &[f64]) -> String {
    if variables.is_empty() {
        return "no parameters".to_string();
    }
    let parts: Vec<String> = variables
        .iter()
        .zip(x)
        .map(|(v, x)| format!("{} = {x}", v.name))
        .collect();
    parts.join(", ")
}

fn build(
    family: &dyn RobotFamily,
    parameters: &[Variable],
    values: &[f64],
) -> Result<Robot, DesignError> {
    family.robot(values).map_err(|reason| DesignError::Build {
        parameters: name_values(parameters, values),
        reason,
    })
}

fn find(names: &[String], name: &str, kind: &str) -> Result<usize, String> {
    names.iter().position(|n| n == name).ok_or_else(|| {
        format!(
            "there is no {kind} \"{name}\"; there are {}",
            names.join(", ")
        )
    })
}
