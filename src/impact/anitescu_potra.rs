//! Simultaneous inelastic impacts of Anitescu and Potra: one LCP (\[HP\] (31)–(33)).
//!
//! Finds Λ with 0 ≤ Λ_n ⟂ v_n⁺ ≥ 0 and linearised Coulomb friction at v⁺, all contacts at once.
//! All impacts are inelastic; coefficients of restitution are not used.
//!
//! Existence: always (copositive LCP, \[HP\] Proposition 2). Uniqueness: no; with `all` every solution
//! is found by trying all combinations of friction modes (4 per planar contact), each with the
//! largest violation of the conditions it has, and velocities equal within 1e-9 are one solution.
//! Energy: never increases. Friction: Coulomb, linearised for spatial contacts (see
//! [`RouthSettings::facets`](super::RouthSettings::facets)). Order: irrelevant with `all`; otherwise
//! which of several solutions Lemke's method (covering vector of ones) meets may depend on it.
//!
//! Degenerate problems: several impulses with one velocity are one solution, marked
//! `impulse_unique: false`; a continuum of velocities is represented by its extreme points in every
//! contact velocity, marked `continuum: true`.

use nalgebra::DVector;
use serde_json::{Map, json};

use super::friction_lcp::{FrictionLcp, LcpSelection};
use super::friction_modes::ModeProblem;
use super::lcp_law_support::{DEFAULT_FACETS, parse, parse_facets, restitution_notes, unknown};
use super::linearized_contacts::LinearizedContacts;
use super::sample_random::SampleRandom;
use super::solution_enumeration::{SolutionEnumeration, mode_words};
use super::{
    ContactSpace, Doubt, Ground, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawProperties, Outcome, Resolution, Uniqueness, indeterminacy,
};

const NAME: &str = "anitescu-potra";
/// Mode combinations beyond which `all` samples covering vectors instead.
const LARGEST_ENUMERATION: usize = 1 << 20;
/// Covering vectors tried then.
const COVERINGS: usize = 1024;

/// The simultaneous law with its parameters and workspace.
#[derive(Debug, Clone)]
pub struct AnitescuPotra {
    /// Whether [`ImpactLaw::resolve`] returns every solution.
    pub all: bool,
    /// Facets of the friction pyramid of spatial contacts, even, 4 … 64.
    pub facets: usize,
    space: LinearizedContacts,
    lcp: FrictionLcp,
    enumeration: SolutionEnumeration,
    lambda: Vec<f64>,
}

impl Default for AnitescuPotra {
    fn default() -> Self {
        Self {
            all: false,
            facets: DEFAULT_FACETS,
            space: LinearizedContacts::default(),
            lcp: FrictionLcp::default(),
            enumeration: SolutionEnumeration::default(),
            lambda: Vec::new(),
        }
    }
}

impl AnitescuPotra {
    /// The parameters that [`ImpactLaw::set_parameter`] knows.
    pub const PARAMETERS: &'static [&'static str] = &["all", "facets"];

    /// The law; with `all` it returns every solution.
    #[must_use]
    pub fn new(all: bool) -> Self {
        Self {
            all,
            ..Self::default()
        }
    }

    /// Sets the number of facets of the friction pyramids.
    #[must_use]
    pub fn with_facets(mut self, facets: usize) -> Self {
        self.facets = facets;
        self
    }

    /// One solution into `lambda`, with the selection and random numbers given.
    fn solve_one(&mut self, selection: LcpSelection, random: &mut SampleRandom) -> Option<usize> {
        self.lambda.clear();
        self.lambda.resize(self.space.rows(), 0.0);
        if !self.space.colliding(&self.space.velocity) {
            return Some(0);
        }
        let problem = ModeProblem {
            space: &self.space,
            before: &self.space.velocity,
            allowance: None,
        };
        let report = self
            .lcp
            .solve(&problem, selection, random, &mut self.lambda);
        report.solved.then_some(report.work)
    }

    fn outcome(&self, problem: &ImpactProblem, lambda: &[f64]) -> Outcome {
        let mut impulse = DVector::zeros(self.space.rows());
        self.space.unscale_impulse(lambda, impulse.as_mut_slice());
        Outcome::from_impulse(problem, &impulse)
    }

    /// Every solution by enumeration.
    fn enumerate(&mut self, problem: &ImpactProblem) -> Vec<Outcome> {
        let modes = ModeProblem {
            space: &self.space,
            before: &self.space.velocity,
            allowance: None,
        };
        self.enumeration.run(&modes);
        let describe = |solution: &super::solution_enumeration::ModeSolution| {
            let mut outcome = self.outcome(problem, &solution.lambda);
            let words = mode_words(&modes, solution);
            outcome.details.insert("modes".to_string(), json!(words));
            outcome
                .details
                .insert("residual".to_string(), json!(solution.residual));
            outcome
                .details
                .insert("impulse_unique".to_string(), json!(solution.impulse_unique));
            outcome
                .details
                .insert("continuum".to_string(), json!(solution.in_continuum));
            outcome
        };
        self.enumeration.solutions.iter().map(describe).collect()
    }

    /// Distinct solutions met from many covering vectors, when there are too many modes to try.
    fn search(&mut self, problem: &ImpactProblem) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for index in 0..COVERINGS {
            let mut random = SampleRandom::new(0, index as u64);
            if self
                .solve_one(LcpSelection::RandomCovering, &mut random)
                .is_some()
            {
                let outcome = self.outcome(problem, &self.lambda);
                let known =
                    |o: &Outcome| super::lcp_law_support::same_outcome(problem, o, &outcome);
                if !outcomes.iter().any(known) {
                    outcomes.push(outcome);
                }
            }
        }
        outcomes
    }
}

impl ImpactLaw for AnitescuPotra {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: true,
            restitution: false,
            set_valued: true,
            order_independent: false,
            conserves_energy: false,
            several_contacts: true,
        }
    }

    fn lists_alternatives(&self) -> bool {
        self.all
    }

    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        match name {
            "all" => self.all = parse(NAME, name, value, "true or false", |_| true)?,
            "facets" => self.facets = parse_facets(NAME, value)?,
            _ => return Err(unknown(NAME, name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.space.load(space, self.facets)?;
        self.lcp.load(&self.space, false);
        let mut random = SampleRandom::new(0, 0);
        let steps = self
            .solve_one(LcpSelection::FixedCovering, &mut random)
            .ok_or(ImpactError::NotConverged {
                law: NAME,
                residual: f64::INFINITY,
                iterations: 0,
            })?;
        self.space
            .unscale_impulse(&self.lambda, impulse.as_mut_slice());
        Ok(ImpulseReport {
            status: ImpactStatus::Resolved,
            steps,
        })
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let mut details = Map::new();
        restitution_notes(problem, &mut details);
        let mut status = ImpactStatus::Resolved;
        // Without friction the matrix is semidefinite: one velocity, that of the plastic law.
        let mut single = if problem.contact_space().is_frictionless() {
            Uniqueness::unique(Ground::Function)
        } else {
            Uniqueness::undecided(Doubt::OneSolution)
        };
        let outcomes = if self.all {
            self.space.load(problem.contact_space(), self.facets)?;
            self.lcp.load(&self.space, false);
            let combinations = SolutionEnumeration::combinations(&ModeProblem {
                space: &self.space,
                before: &self.space.velocity,
                allowance: None,
            });
            details.insert("mode_combinations".to_string(), json!(combinations));
            let outcomes = if combinations <= LARGEST_ENUMERATION {
                self.enumerate(problem)
            } else {
                status = ImpactStatus::Capped;
                self.search(problem)
            };
            if status == ImpactStatus::Resolved {
                single = Uniqueness::unique(Ground::OnlySolution);
            } else if single.decided().is_none() {
                single = Uniqueness::undecided(Doubt::BudgetSpent);
            }
            outcomes
        } else {
            let mut impulse = DVector::zeros(problem.contact_space().rows());
            self.impulse(problem.contact_space(), &mut impulse)?;
            vec![Outcome::from_impulse(problem, &impulse)]
        };
        if outcomes.is_empty() {
            return Err(ImpactError::NotConverged {
                law: NAME,
                residual: f64::INFINITY,
                iterations: 0,
            });
        }
        Ok(Resolution {
            law: NAME,
            uniqueness: Uniqueness::counted(
                outcomes.len(),
                status == ImpactStatus::Resolved,
                indeterminacy(problem, &outcomes),
                single,
            ),
            certificate: None,
            outcomes,
            status,
            details,
        })
    }
}
