//! Simultaneous impacts as sequences of single elastic ones: reflections in the kinetic metric, all orders of them, and
//! restitution between the elastic and the plastic outcome.
//!
//! Source: \[SM\] Seghete & Murphey 2014, with the corrections listed below. Symbols are those of the room `impact`; û
//! = u/‖u‖.
//!
//! # Reflections
//!
//! ```text
//! Γ(u):  p ↦ p − 2 ⟨p, û⟩ û          Γ² = 1,  ‖pΓ‖ = ‖p‖                                  ([SM] eq. 7)
//! impulse  λ = −2 ⟨p, u⟩/‖u‖²  [N s]   ≥ 0 exactly when ⟨p, u⟩ ≤ 0
//! in contact space, z_i = ⟨p, û_i⟩:    z ← z − 2 z_k Ĝ_·k,   Ĝ_ij = ⟨û_i, û_j⟩              O(m) a reflection
//! ```
//!
//! A contact is *violated* when z_i < −tolerance · s_i, s_i its own scale (√kg m/s). An *admissible sequence* (a word)
//! reflects at contacts that are violated at that moment, so that every impulse pushes, and ends when none is violated.
//! All closed contacts take part, also those that do not approach at first: the last ball of a cradle is at rest before
//! the impact.
//!
//! # Termination, for any number of contacts
//!
//! Suppose some c separates the contacts: ⟨c, û_i⟩ ≥ κ > 0 for all i. Then every admissible sequence is finite. (\[SM\]
//! §IV has this for two contacts.)
//!
//! *Proof.* A reflection at a violated i changes p by Δp = −2⟨p, û_i⟩û_i, so ⟨p, c⟩ grows by 2|⟨p, û_i⟩|⟨û_i, c⟩ ≥
//! κ‖Δp‖ while
//! |⟨p, c⟩| ≤ ‖p‖‖c‖ and ‖p‖ stays. Hence Σ‖Δp‖ ≤ 2‖p‖‖c‖/κ and an infinite sequence converges to some p\*. A contact that is
//! used infinitely often has ⟨p\*, û⟩ = 0, so its reflection fixes p\*. From some k on only such contacts are used, and
//! ‖p_k − p\*‖ stays constant; it tends to 0, so p_k = p\*, where none of them is violated. The sequence has ended, a
//! contradiction. ∎
//!
//! Such a c exists exactly when no non-trivial non-negative combination of the normals vanishes (Gordan). `Separation`
//! finds the best one, the point of least norm in the convex hull of the û_i. Where there is none the contacts are
//! *wedged*; the law answers with an error that names them instead of reflecting without end. Since every node of the
//! tree of admissible sequences has at most m branches and no path is infinite, the tree is finite (König) and can be
//! enumerated completely.
//!
//! # Two contacts
//!
//! With ⟨û, v̂⟩ = −cos 2γ, p in the plane of û and v̂ at the angle θ from the middle of the feasible wedge, reflections
//! unfold to θ_k = (−1)^k (θ₀ + 2γk): each takes 2γ off |θ₀| until it is at most γ (\[SM\] Lemma 4). So
//!
//! ```text
//! reflections = ⌈(|θ₀| − γ)/2γ⌉ ≤ ⌈(π − γ)/2γ⌉      the most violated contact first, and every minimal sequence
//!                                ≤ ⌈π/2γ⌉           any admissible sequence        ([SM] Theorem 1 has ⌈π/γ⌉)
//! ```
//!
//! Where both orders end after two reflections, with unit normals, a = ⟨p,u⟩, b = ⟨p,v⟩, c = ⟨u,v⟩:
//!
//! ```text
//! p_uv − p_vu = 4c (a v − b u),      ξ = 4|c| √(a² + b² − 2abc)/‖p‖
//! ```
//!
//! by writing out p ↦ p − 2au − 2(b − 2ac)v and its mirror image. It vanishes for orthogonal normals only.
//! `TwoContacts` holds the closed form.
//!
//! # Restitution
//!
//! p⁺ = α p_e + (1 − α) p_p between the elastic outcome p_e and the plastic projection p_p (room `plastic`), with the
//! share R² of the energy E_p = ½(‖p⁻‖² − ‖p_p‖²) kept (J) (\[SM\] eq. 16–17). Along the segment the energy above that
//! of p_p is
//!
//! ```text
//! R² E_p = b α + d α²,   b = ⟨p_p, p_e − p_p⟩ ≥ 0,   d = ½‖p_e − p_p‖²,   b + d = E_p
//! α = 2 R² E_p / (b + √(b² + 4 d R² E_p))
//! ```
//!
//! b ≥ 0 because p_e − p⁻ = Σ λ_i u_i with λ ≥ 0, ⟨p_p, u_i⟩ ≥ 0 and ⟨p_p, p⁻ − p_p⟩ = 0; b + d = E_p because ‖p_e‖ =
//! ‖p⁻‖. The root is in \[0, 1\], is R for b = 0, and p⁺ does not penetrate, as a mean of two momenta that do not.
//! Contacts with different e in one impact: R² is the mean of e_i² weighted by the work of compression Σ½⟨p_k, û_i⟩²
//! that each takes in the elastic sequence.
//!
//! # Minimal sequences
//!
//! A sequence is *minimal* when it ends feasible and no proper subsequence that is admissible does (\[SM\] Definition
//! 1, restricted to admissible ones: taken literally it lets three or more contacts pull). The most violated order is
//! usually minimal, the least violated rarely; neither is assumed to be.
//!
//! # What is declared
//!
//! Existence: whenever the contacts can be separated. Uniqueness: not in general; it is decided for the given momentum,
//! by a certificate (room `verdict`) or by following every order, up to an `EnumerationBudget`. Energy: kept exactly at
//! restitution 1, never gained below. Friction: none. Order: it matters (`ReflectionOrder`). All restitutions 0: the
//! projection, no sequence.
//!
//! # Corrections of the paper
//!
//! α = R, where \[SM\] prints √(1 − R²) against its own limits. The set of contacts holds every closed one, not only
//! ⟨p⁻, u⟩ < 0. Theorem 3 holds for −½, not for +½. Definition 1 and Theorem 1 as above.
//!
//! # Limits
//!
//! The number of admissible sequences may grow exponentially with m; momenta that agree are merged into one node, which
//! helps where there is symmetry, and budgets end the rest as *undecided*. The blend with restitution is one R for the
//! whole impact: it is not what a rapid succession of single lossy impacts does.
//!
//! # Example
//!
//! Three balls with a heavy one in the middle: ambiguous, by the closed form of two reflections.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::propagative::PropagativeReport;
//! use carom::impact::{Contact, ImpactLaw, ImpactProblem, PreImpact, Propagative};
//! use nalgebra::{DMatrix, dvector};
//!
//! let mass = DMatrix::from_diagonal(&dvector![1.0, 4.0, 1.0]);
//! let contacts = [
//!     Contact::new("AB", dvector![-1.0, 1.0, 0.0]),
//!     Contact::new("BC", dvector![0.0, -1.0, 1.0]),
//! ];
//! let before = PreImpact::Velocity(dvector![1.0, 0.0, -1.0]);
//! let problem = ImpactProblem::new(mass, before, &contacts)?;
//! let answer = Propagative::all_orders().resolve(&problem)?;
//! // Unit normals: c = −1/5, a = b = −1/√1.25, ‖p‖ = √2.
//! let (c, a, p) = (0.2_f64, 1.0 / 1.25_f64.sqrt(), 2.0_f64.sqrt());
//! let xi = 4.0 * c * (2.0 * a * a * (1.0 + c)).sqrt() / p;
//! assert!((answer.indeterminacy() - xi).abs() < 1e-12);
//! let report = answer.details.get::<PropagativeReport>().ok_or("no report")?;
//! assert_eq!(report.orders.words, Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
mod answer;
mod diameter;
mod enumeration;
mod minimality;
mod near_points;
mod propagation;
mod restitution;
mod separation;
mod settings;
mod state_graph;
mod two_contacts;

pub(crate) use analysis::{Analysis, Tolerances};
pub use answer::{OrdersReport, OrdersStatement, PropagativeOutcome, PropagativeReport};
pub(crate) use enumeration::Enumeration;
pub use minimality::is_subsequence;
pub(crate) use propagation::Propagation;
#[doc(hidden)]
pub use propagation::impulses_by_priority;
pub(crate) use separation::Separation;
pub use settings::PropagativeSettings;
pub use state_graph::EnumerationBudget;
pub use two_contacts::{AlternatingSequence, TwoContacts};

use nalgebra::DVector;

use analysis::PLAIN_REFLECTIONS;

use crate::impact::friction_check::refuse_friction;
use crate::impact::order::{ReflectionOrder, Selector};

use answer::Answer;
use restitution::RestitutionBlend;
use separation::TerminationCheck;

use super::{
    Certificate, ContactSpace, Exploration, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawProperties, LawSettings, Resolution,
};
use crate::impact::unit_contacts::{UnitContacts, check_output, write_impulse};

/// The propagative law.
#[derive(Debug, Clone, Default)]
pub struct Propagative {
    settings: PropagativeSettings,
    unit: UnitContacts,
    run: Propagation,
    blend: RestitutionBlend,
    termination: TerminationCheck,
    unit_impulse: Vec<f64>,
}

impl ImpactLaw for Propagative {
    fn name(&self) -> &'static str {
        PropagativeSettings::LAW
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: false,
            restitution: true,
            set_valued: true,
            order_independent: false,
            conserves_energy: true,
            several_contacts: true,
        }
    }

    fn draws_at_random(&self) -> bool {
        self.settings.order == ReflectionOrder::Random
    }

    fn lists_alternatives(&self) -> bool {
        true
    }

    fn reseed(&mut self, seed: u64) {
        self.settings.seed = seed;
    }

    /// Tangent rows get no impulse.
    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.unit.load(space)?;
        check_output(space, impulse)?;
        self.unit.set_tolerance(self.settings.tolerance)?;
        let mut report = ImpulseReport {
            status: ImpactStatus::Resolved,
            steps: 0,
        };
        self.unit_impulse.clear();
        self.unit_impulse.resize(self.unit.len(), 0.0);
        if !self.unit.is_feasible(&self.unit.approach) {
            self.blend.prepare(&self.unit)?;
            if self.unit.all_restitution(0.0) {
                self.unit_impulse
                    .copy_from_slice(&self.blend.plastic.unit_impulse);
                report.steps = self.blend.plastic.support().len();
            } else {
                report = self.propagate(space)?;
            }
        }
        write_impulse(space, &self.unit, &self.unit_impulse, impulse);
        Ok(report)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let analysis = self.analysis(problem)?;
        let single = (!self.settings.all).then(|| {
            let mut run = analysis.single(
                self.settings.order,
                self.settings.seed,
                self.settings.max_reflections,
            );
            run.minimal = analysis.is_minimal(&run);
            run
        });
        let mut budget = self.settings.budget;
        if !self.settings.all {
            budget.states = budget.states.min(states_of_a_verdict(analysis.unit.len()));
        }
        let enumeration = (self.settings.all || !analysis.certified())
            .then(|| Enumeration::run(&analysis, &budget, self.settings.all));
        Ok(Answer {
            problem,
            analysis: &analysis,
            order: (!self.settings.all).then_some(self.settings.order),
            single,
            enumeration,
        }
        .resolution(self.name()))
    }

    /// One enumeration gives the verdict and the outcomes that are not taken.
    fn explore(
        &mut self,
        problem: &ImpactProblem,
        exploration: &Exploration,
    ) -> Result<Resolution, ImpactError> {
        let analysis = self.analysis(problem)?;
        let budget = EnumerationBudget {
            states: exploration.budget.states.min(self.settings.budget.states),
            words: exploration.budget.words.min(self.settings.budget.words),
            wall_time: exploration
                .budget
                .wall_time
                .or(self.settings.budget.wall_time),
        };
        let enumeration = analysis
            .uniqueness_of_any_order()
            .is_none()
            .then(|| Enumeration::run(&analysis, &budget, false));
        Ok(Answer {
            problem,
            analysis: &analysis,
            order: Some(self.settings.order),
            single: Some(analysis.single(
                self.settings.order,
                self.settings.seed,
                self.settings.max_reflections,
            )),
            enumeration,
        }
        .explored(self.name(), exploration.alternatives))
    }
}

impl Propagative {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: PropagativeSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// One outcome, of a given order.
    #[must_use]
    pub fn with_order(order: ReflectionOrder) -> Self {
        let mut law = Self::default();
        law.settings.order = order;
        law
    }

    /// Every outcome, with all its sequences.
    #[must_use]
    pub fn all_orders() -> Self {
        let mut law = Self::default();
        law.settings.all = true;
        law
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &PropagativeSettings {
        &self.settings
    }

    /// What holds for every momentum, without exploring one.
    ///
    /// # Errors
    /// A contact space that is not valid.
    pub fn certificate(&self, space: &ContactSpace) -> Result<Option<Certificate>, ImpactError> {
        crate::impact::verdict::certify(space, self.settings.angle_tolerance)
    }

    /// The problem with this law's tolerances.
    fn analysis(&self, problem: &ImpactProblem) -> Result<Analysis, ImpactError> {
        refuse_friction(self.name(), problem)?;
        let tolerances = Tolerances {
            violated: self.settings.tolerance,
            angle: self.settings.angle_tolerance,
        };
        Analysis::of_problem(problem, tolerances).map_err(|e| name_contacts(problem, e))
    }

    /// The elastic run and its blend, into `self.unit_impulse`.
    fn propagate(&mut self, space: &ContactSpace) -> Result<ImpulseReport, ImpactError> {
        let mut selector = Selector::new(self.settings.order, self.settings.seed);
        if let Some(plane) = TwoContacts::of_space(space) {
            if plane.half_angle < 1e-7 {
                return Err(ImpactError::Wedged {
                    contacts: (0..2).map(crate::impact::unit_contacts::place).collect(),
                });
            }
            if plane.reflection_bound() > PLAIN_REFLECTIONS {
                let (approach, floor) = (&self.unit.approach, &self.unit.floor);
                let first = selector.select(approach, floor).unwrap_or(0);
                if let Some(found) = plane.sequence(first, floor[first]) {
                    self.unit_impulse.copy_from_slice(&found.unit_impulse);
                    self.blend
                        .apply(&self.unit, &found.compression_work, &mut self.unit_impulse);
                    return Ok(ImpulseReport {
                        status: ImpactStatus::Resolved,
                        steps: found.reflections as usize,
                    });
                }
            }
        } else {
            self.termination.guaranteed(&self.unit)?;
        }
        let status = self
            .run
            .run(&self.unit, selector, self.settings.max_reflections, false);
        self.unit_impulse.copy_from_slice(&self.run.unit_impulse);
        self.blend
            .apply(&self.unit, &self.run.work, &mut self.unit_impulse);
        Ok(ImpulseReport {
            status,
            steps: self.run.reflections as usize,
        })
    }
}

/// Momenta that the verdict on one order explores among `m` contacts, unless every order was asked for: as many as 96 MiB
/// hold, each with the velocity, the impulse and the work of every contact.
fn states_of_a_verdict(m: usize) -> usize {
    const NUMBERS: usize = 12 << 20;
    (NUMBERS / (3 * m.max(1))).max(1)
}

/// Replaces the indices of a wedge by the problem's names.
fn name_contacts(problem: &ImpactProblem, error: ImpactError) -> ImpactError {
    let ImpactError::Wedged { contacts } = error else {
        return error;
    };
    let names = (0..problem.names().len())
        .filter(|&i| contacts.contains(&crate::impact::unit_contacts::place(i)))
        .map(|i| problem.names()[i].to_string())
        .collect();
    ImpactError::Wedged { contacts: names }
}
