//! Simultaneous inelastic impacts of Anitescu and Potra: one LCP (\[HP\] (31)–(33)).
//!
//! Finds Λ with 0 ≤ Λ_n ⟂ v_n⁺ ≥ 0 and linearised Coulomb friction at v⁺, all contacts at once.
//! All impacts are inelastic; coefficients of restitution are not used.
//!
//! Existence: always (copositive LCP, \[HP\] Proposition 2). Uniqueness: no; with `all` every solution
//! is found by trying all combinations of friction modes (4 per planar contact), each with the
//! largest violation of the conditions it has, and velocities equal within 1e-9 are one solution.
//! Energy: never increases. Friction: Coulomb, linearised for spatial contacts (see
//! [`RouthSettings::facets`](crate::impact::routh::RouthSettings::facets)). Order: irrelevant with `all`; otherwise
//! which of several solutions Lemke's method (covering vector of ones) meets may depend on it.
//!
//! Degenerate problems: several impulses with one velocity are one solution, marked
//! `impulse_unique: false`; a continuum of velocities is represented by its extreme points in every
//! contact velocity, marked `continuum: true`.

use nalgebra::DVector;
use serde::Serialize;

use super::friction_lcp::{FrictionLcp, LcpSelection};
use super::friction_modes::ModeProblem;
use super::law_support::{DEFAULT_FACETS, PROPERTIES, add_new, facets_key, restitution_notes};
use super::linearized_contacts::LinearizedContacts;
use super::solution_enumeration::{SolutionEnumeration, mode_words};
use crate::impact::sample_random::SampleRandom;
use crate::impact::settings::SettingKey;
use crate::impact::verdict::{Doubt, Ground};
use crate::impact::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport, LawDetails,
    LawProperties, LawSettings, Outcome, Resolution, Uniqueness, indeterminacy,
};

/// Covering vectors tried where rounding ends the path of the first one, as with dozens of redundant contacts: each path is
/// another one.
const OTHER_COVERINGS: usize = 16;
const NAME: &str = "anitescu-potra";
/// Mode combinations beyond which `all` samples covering vectors instead.
const LARGEST_ENUMERATION: usize = 1 << 20;
/// Covering vectors tried then.
const COVERINGS: usize = 1024;

/// Settings of [`AnitescuPotra`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnitescuPotraSettings {
    /// Whether [`ImpactLaw::resolve`] returns every solution. Key `all`.
    pub all: bool,
    /// Facets of the friction pyramid of spatial contacts, even, 4 … 64. Default 8. Key `facets`.
    pub facets: usize,
}

impl Default for AnitescuPotraSettings {
    fn default() -> Self {
        Self {
            all: false,
            facets: DEFAULT_FACETS,
        }
    }
}

type Key = SettingKey<AnitescuPotraSettings>;

impl LawSettings for AnitescuPotraSettings {
    const LAW: &'static str = NAME;
    const SUMMARY: &'static str =
        "simultaneous inelastic impact with friction as one complementarity problem";

    const KEYS: &'static [Key] = &[
        Key::switch("all", "every solution instead of one", |s| &mut s.all).listing_all_by("true"),
        facets_key(|s| &mut s.facets),
    ];
}

/// What the law reports about a solution that was found by enumeration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnitescuPotraSolution {
    /// Combinations of friction modes that hold here, each in one word a contact.
    pub modes: Vec<Vec<String>>,
    /// Largest violation of the conditions of the mode, in scaled units (order one).
    pub residual: f64,
    /// Whether the impulses of this velocity are unique.
    pub impulse_unique: bool,
    /// Whether the solution is an extreme point of a continuum of velocities.
    pub continuum: bool,
}

/// What the law reports about a problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnitescuPotraReport {
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Combinations of friction modes, when every solution was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode_combinations: Option<usize>,
}

/// The simultaneous law with its settings and workspace.
#[derive(Debug, Clone, Default)]
pub struct AnitescuPotra {
    settings: AnitescuPotraSettings,
    space: LinearizedContacts,
    lcp: FrictionLcp,
    enumeration: SolutionEnumeration,
    lambda: Vec<f64>,
}

impl AnitescuPotra {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: AnitescuPotraSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The law that returns every solution.
    #[must_use]
    pub fn all_solutions() -> Self {
        let mut law = Self::default();
        law.settings.all = true;
        law
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &AnitescuPotraSettings {
        &self.settings
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
            outcome.details = LawDetails::of(AnitescuPotraSolution {
                modes: words,
                residual: solution.residual,
                impulse_unique: solution.impulse_unique,
                continuum: solution.in_continuum,
            });
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
                add_new(&mut outcomes, problem, outcome);
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
        PROPERTIES
    }

    fn lists_alternatives(&self) -> bool {
        self.settings.all
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.space.load(space, self.settings.facets)?;
        self.lcp.load(&self.space, false);
        let mut random = SampleRandom::new(0, 0);
        let mut steps = self.solve_one(LcpSelection::FixedCovering, &mut random);
        for _ in 0..OTHER_COVERINGS {
            steps = steps.or_else(|| self.solve_one(LcpSelection::RandomCovering, &mut random));
        }
        let steps = steps.ok_or(ImpactError::NotConverged {
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
        let mut report = AnitescuPotraReport {
            notes: restitution_notes(problem),
            mode_combinations: None,
        };
        let mut status = ImpactStatus::Resolved;
        // Without friction the matrix is semidefinite: one velocity, that of the plastic law.
        let mut single = if problem.contact_space().is_frictionless() {
            Uniqueness::unique(Ground::Function)
        } else {
            Uniqueness::undecided(Doubt::OneSolution)
        };
        let outcomes = if self.settings.all {
            self.space
                .load(problem.contact_space(), self.settings.facets)?;
            self.lcp.load(&self.space, false);
            let combinations = SolutionEnumeration::combinations(&ModeProblem {
                space: &self.space,
                before: &self.space.velocity,
                allowance: None,
            });
            report.mode_combinations = Some(combinations);
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
            details: LawDetails::of(report),
        })
    }
}
