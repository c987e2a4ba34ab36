//! The contact LCP of \[HP\] and its solution by Lemke's method.
//!
//! With λ_n,max (an increment of Routh's method, \[HP\] (75) with the transposes of (75b) restored):
//!
//! ```text
//! z = (β, λ_n, λ_D, γ),   w = (λ_n,max − λ_n,  v_n + β,  v_D + E γ,  μ λ_n − Eᵀ λ_D)
//! ```
//!
//! and without it (the simultaneous impact of Anitescu and Potra, \[HP\] (31c), (32), (33)) the block β
//! is missing. v_D,k = d_k · v_t; λ_t = Σ_k λ_D,k d_k.

use super::friction_modes::ModeProblem;
use super::linearized_contacts::LinearizedContacts;
use super::solution_enumeration::SolutionEnumeration;
use crate::impact::sample_random::RandomWords;
use crate::numerics::{LcpStatus, Lemke};

/// How one of several solutions is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LcpSelection {
    /// Lemke's method with a covering vector drawn anew for every LCP; for one LCP in eight the path
    /// of a second vector is followed on from the solution, which also reaches those that no path from
    /// far away ends at ([`Lemke::another_solution`]).
    #[default]
    RandomCovering,
    /// Lemke's method with the covering vector (1, …, 1): always the same one of several solutions.
    FixedCovering,
    /// A uniform choice among all solutions, found by enumeration.
    Enumeration,
}

impl LcpSelection {
    /// All selections.
    pub const ALL: [Self; 3] = [Self::RandomCovering, Self::FixedCovering, Self::Enumeration];

    /// Their names on the command line and in scenarios.
    pub const NAMES: [&'static str; 3] = ["random", "fixed", "all"];

    /// The name on the command line and in scenarios.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Octaves that the entries of the covering vector spread over.
const OCTAVES: u64 = 6;
/// More for the rows of the friction cones, at most.
const FRICTION_OCTAVES: f64 = 40.0;
/// Residual with which a solution of Lemke's method is accepted (scaled problem, order one).
const ACCEPT: f64 = 1e-10;
/// One LCP in so many looks for a further solution.
const WANDER: u64 = 8;
/// New covering vectors tried before the solutions are enumerated instead.
const RETRIES: usize = 6;
/// The same of problems that are too large for that. Paths over many redundant contacts end on a ray, by rounding, about every
/// other time.
const RETRIES_OF_LARGE: usize = 40;
/// Mode combinations up to which enumeration replaces a Lemke that failed.
const ENUMERATE: usize = 1 << 16;

/// A variable of the LCP; the contact, then the facet.
#[derive(Debug, Clone, Copy)]
enum Variable {
    Beta(usize),
    Normal(usize),
    Facet(usize, usize),
    Gamma(usize),
}

/// What solving one LCP took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrictionLcpReport {
    /// Whether `lambda` was written.
    pub(crate) solved: bool,
    /// Pivots of Lemke's method, or mode combinations tried.
    pub(crate) work: usize,
}

/// A contact LCP with its workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrictionLcp {
    lemke: Lemke,
    variables: Vec<Variable>,
    bounded: bool,
    q: Vec<f64>,
    z: Vec<f64>,
    other: Vec<f64>,
    covering: Vec<f64>,
    octaves: Vec<u64>,
    enumeration: SolutionEnumeration,
}

impl FrictionLcp {
    /// Sets up the matrix for `space`; `bounded` adds the block β.
    pub(crate) fn load(&mut self, space: &LinearizedContacts, bounded: bool) {
        let contacts = &space.contacts;
        self.bounded = bounded;
        self.variables.clear();
        if bounded {
            self.variables
                .extend((0..contacts.len()).map(Variable::Beta));
        }
        self.variables
            .extend((0..contacts.len()).map(Variable::Normal));
        for (c, contact) in contacts.iter().enumerate() {
            self.variables
                .extend((0..contact.facets).map(|k| Variable::Facet(c, k)));
        }
        for (c, contact) in contacts.iter().enumerate() {
            if contact.facets > 0 {
                self.variables.push(Variable::Gamma(c));
            }
        }
        let n = self.variables.len();
        self.q.resize(n, 0.0);
        self.z.resize(n, 0.0);
        self.other.resize(n, 0.0);
        self.covering.clear();
        self.covering.resize(n, 1.0);
        let octaves = |variable: &Variable| match *variable {
            Variable::Gamma(c) => {
                let range = contacts[c].friction.max(1.0).log2().min(FRICTION_OCTAVES);
                OCTAVES + range.ceil() as u64
            }
            _ => OCTAVES,
        };
        self.octaves.clear();
        self.octaves.extend(self.variables.iter().map(octaves));
        let variables = &self.variables;
        let starts = Starts::new(space, bounded);
        self.lemke.fill_matrix(n, |i, row| {
            fill_row(space, &starts, variables[i], row);
        });
    }

    /// Finds a solution from the scaled velocity `before` and writes its impulse (r) into `lambda`.
    /// `allowance` is λ_n,max per contact for a bounded LCP.
    pub(crate) fn solve(
        &mut self,
        problem: &ModeProblem,
        selection: LcpSelection,
        random: &mut impl RandomWords,
        lambda: &mut [f64],
    ) -> FrictionLcpReport {
        if selection == LcpSelection::Enumeration {
            return self.enumerate(problem, random, lambda);
        }
        self.set_vector(problem);
        let mut work = 0;
        let retries = if SolutionEnumeration::combinations(problem) <= ENUMERATE {
            RETRIES
        } else {
            RETRIES_OF_LARGE
        };
        for attempt in 0..=retries {
            if selection == LcpSelection::FixedCovering && attempt == 0 {
                self.covering.fill(1.0);
            } else {
                self.draw_covering(random);
            }
            let report = self.lemke.solve(&self.q, &self.covering, &mut self.z);
            work += report.pivots;
            if report.status == LcpStatus::Solved && report.residual <= ACCEPT {
                if selection == LcpSelection::RandomCovering && random.word().is_multiple_of(WANDER)
                {
                    work += self.wander(random);
                }
                self.read_impulse(problem.space, lambda);
                return FrictionLcpReport { solved: true, work };
            }
        }
        let mut report = self.enumerate(problem, random, lambda);
        report.work += work;
        report
    }

    /// Replaces the solution by another one, if the path of a new covering vector leads to one.
    fn wander(&mut self, random: &mut impl RandomWords) -> usize {
        self.draw_covering(random);
        let report = self.lemke.another_solution(&self.covering, &mut self.other);
        if report.status == LcpStatus::Solved && report.residual <= ACCEPT {
            self.z.copy_from_slice(&self.other);
        }
        report.pivots
    }

    /// Draws the covering vector: over [`OCTAVES`] octaves and, for the rows of the cones, over the range
    /// of the coefficient of friction as well. The first decides which contact acts first, the second
    /// whether friction or separation gives way first.
    fn draw_covering(&mut self, random: &mut impl RandomWords) {
        for (d, octaves) in self.covering.iter_mut().zip(&self.octaves) {
            *d = random.octaves(*octaves);
        }
    }

    fn enumerate(
        &mut self,
        problem: &ModeProblem,
        random: &mut impl RandomWords,
        lambda: &mut [f64],
    ) -> FrictionLcpReport {
        let work = SolutionEnumeration::combinations(problem);
        if work <= ENUMERATE {
            self.enumeration.run(problem);
            let solutions = &self.enumeration.solutions;
            if !solutions.is_empty() {
                let chosen = (random.uniform() * solutions.len() as f64) as usize;
                lambda.copy_from_slice(&solutions[chosen].lambda);
                return FrictionLcpReport { solved: true, work };
            }
        }
        FrictionLcpReport {
            solved: false,
            work,
        }
    }

    /// w at z = 0.
    fn set_vector(&mut self, problem: &ModeProblem) {
        let space = problem.space;
        for (q, variable) in self.q.iter_mut().zip(&self.variables) {
            *q = match *variable {
                Variable::Beta(c) => problem.allowance.map_or(0.0, |a| a[c]),
                Variable::Normal(c) => problem.before[space.contacts[c].normal],
                Variable::Facet(c, k) => space.along(&space.contacts[c], k, problem.before),
                Variable::Gamma(_) => 0.0,
            };
        }
    }

    fn read_impulse(&self, space: &LinearizedContacts, lambda: &mut [f64]) {
        lambda.fill(0.0);
        for (z, variable) in self.z.iter().zip(&self.variables) {
            match *variable {
                Variable::Normal(c) => lambda[space.contacts[c].normal] = *z,
                Variable::Facet(c, k) => {
                    let contact = &space.contacts[c];
                    let d = space.direction(contact, k);
                    for t in 0..contact.tangents {
                        lambda[contact.normal + 1 + t] += z * d[t];
                    }
                }
                Variable::Beta(_) | Variable::Gamma(_) => {}
            }
        }
    }
}

/// Where the blocks of the LCP begin.
#[derive(Debug, Clone, Copy)]
struct Starts {
    normal: usize,
    facet: usize,
}

impl Starts {
    fn new(space: &LinearizedContacts, bounded: bool) -> Self {
        let m = space.contacts.len();
        let normal = if bounded { m } else { 0 };
        Self {
            normal,
            facet: normal + m,
        }
    }
}

/// Writes one row of the matrix of (75b) over zeros.
fn fill_row(space: &LinearizedContacts, starts: &Starts, variable: Variable, row: &mut [f64]) {
    let r = space.rows();
    let line = |i: usize| &space.delassus[i * r..(i + 1) * r];
    // First facet and γ of a contact.
    let facets_before = |c: usize| space.contacts[..c].iter().map(|o| o.facets).sum::<usize>();
    let first_facet = |c: usize| starts.facet + facets_before(c);
    let gamma = |c: usize| {
        let sliding = space.contacts[..c].iter().filter(|o| o.facets > 0).count();
        first_facet(space.contacts.len()) + sliding
    };
    match variable {
        Variable::Beta(c) => row[starts.normal + c] = -1.0,
        Variable::Normal(c) => {
            if starts.normal > 0 {
                row[c] = 1.0;
            }
            add_response(space, starts, line(space.contacts[c].normal), 1.0, row);
        }
        Variable::Facet(c, k) => {
            let contact = &space.contacts[c];
            let d = space.direction(contact, k);
            for (t, factor) in d.iter().enumerate().take(contact.tangents) {
                add_response(space, starts, line(contact.normal + 1 + t), *factor, row);
            }
            row[gamma(c)] = 1.0;
        }
        Variable::Gamma(c) => {
            row[starts.normal + c] = space.contacts[c].friction;
            let first = first_facet(c);
            row[first..first + space.contacts[c].facets].fill(-1.0);
        }
    }
}

/// Adds `factor` × (velocity of one contact row answering to each normal and facet impulse); `line`
/// is that row of G̃.
fn add_response(
    space: &LinearizedContacts,
    starts: &Starts,
    line: &[f64],
    factor: f64,
    row: &mut [f64],
) {
    let mut facet = starts.facet;
    for (o, contact) in space.contacts.iter().enumerate() {
        row[starts.normal + o] += factor * line[contact.normal];
        for k in 0..contact.facets {
            row[facet] += factor * space.along(contact, k, line);
            facet += 1;
        }
    }
}
