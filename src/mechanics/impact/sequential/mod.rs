//! Inelastic impacts one contact at a time, in a given order, all orders, or an order chosen by speed.
//!
//! Source: \[HP\] §2.2.2.
//!
//! # What it computes
//!
//! Contacts are visited again and again, in the order given (or always the most, or the least, closing one). A contact
//! that approaches when it is visited is resolved alone by the single inelastic impact (\[HP\] (31)):
//!
//! ```text
//! v⁺ = v + G_·i Λ_i,    0 ≤ λ_i ⊥ v_n,i⁺ ≥ 0,    τ_i in the cone μ_i λ_i, opposing v_t,i⁺
//! ```
//!
//! so it ends with v_n = 0 and Coulomb friction at the end velocity; a contact that does not approach gets no impulse,
//! but the visit is in the sequence. The impact ends when no contact closes, or after `max_steps` visits (50). Contact
//! velocities in m/s, impulses in N s.
//!
//! **Energy** never increases: at each visit Λ_iᵀv_i⁺ ≤ 0, so ΔE ≤ −½ Λ_iᵀG_iiΛ_i (room `impact`).
//!
//! **Termination** is not guaranteed. Without friction a visit projects the momentum on the half space ⟨p, u_i⟩ ≥ 0,
//! and cyclic projections converge to a feasible momentum, in general only in the limit; "closing" is decided up to a
//! tolerance. With friction \[HP\] leaves more than two contacts open, and their disk stack does not terminate. What is
//! returned then is where it stood, marked as not terminated.
//!
//! **Uniqueness**: for one order yes; across orders no. With `sequence = all` every permutation of up to six contacts
//! is an outcome, and agreement of all is the verdict *unique*; one order alone is *undecided*.
//!
//! Where friction jams (G_nn < μ‖G_nt‖) one contact has several solutions: sticking is taken when it is admissible,
//! then the vertices of the cone in their order, then the edges between them.
//!
//! # Declared, and limits
//!
//! Friction: Coulomb, exact in the plane, a pyramid of F facets in space. Restitution: none, coefficients are not used.
//! Order: decisive; that is what the law is there to show. A seed matters for a random choice alone.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::examples::rocking_block;
//! use carom::impact::sequential::ImpactSequence;
//! use carom::impact::{ImpactLaw, Sequential};
//!
//! // A block falls flat: a push at the corner that is visited first also slows the other one.
//! let problem = rocking_block()?.problem;
//! let all = Sequential::in_sequence(ImpactSequence::All).resolve(&problem)?;
//! assert_eq!((all.unique(), all.outcomes.len()), (Some(false), 2));
//! for outcome in &all.outcomes {
//!     assert!(outcome.energy.after < outcome.energy.before);
//!     assert!(outcome.impulses.iter().all(|i| i.normal >= 0.0));
//! }
//! let one = Sequential::default().resolve(&problem)?;
//! assert_eq!(one.unique(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod settings;

pub use settings::{ImpactSequence, SequentialReport, SequentialSettings};

use std::sync::Arc;

use nalgebra::DVector;

use crate::numerics::next_permutation;

use crate::impact::given_order::read_order;
use crate::impact::lcp::{
    CLOSING, LinearizedContacts, Mode, ModeProblem, ModeResult, ModeSolver, PROPERTIES, mode,
    mode_count, restitution_notes, same_outcome,
};
use crate::impact::order::{ReflectionOrder, Selector};

use super::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport, LawDetails,
    LawProperties, LawSettings, Outcome, Resolution, Uniqueness, indeterminacy,
};
use crate::impact::verdict::{Doubt, Ground};

const NAME: &str = SequentialSettings::LAW;
/// `sequence = all` tries at most 6! orders.
const MOST_PERMUTED: usize = 6;

/// The sequential law with its settings and workspace.
#[derive(Debug, Clone, Default)]
pub struct Sequential {
    settings: SequentialSettings,
    space: LinearizedContacts,
    solver: ModeSolver,
    order: Vec<usize>,
    approach: Vec<f64>,
    floor: Vec<f64>,
    visits: Vec<usize>,
    modes: Vec<Mode>,
    velocity: Vec<f64>,
    lambda: Vec<f64>,
}

impl Sequential {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: SequentialSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The law with this order of visits.
    #[must_use]
    pub fn in_sequence(sequence: ImpactSequence) -> Self {
        let mut law = Self::default();
        law.settings.sequence = sequence;
        law
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &SequentialSettings {
        &self.settings
    }

    /// Runs the order in `self.order` on the loaded space; the impulse is left in `lambda`.
    fn run(&mut self) -> Result<ImpulseReport, ImpactError> {
        let r = self.space.rows();
        self.velocity.clear();
        self.velocity.extend(&self.space.velocity);
        self.lambda.clear();
        self.lambda.resize(r, 0.0);
        self.visits.clear();
        self.floor.clear();
        self.floor.resize(self.space.contacts.len(), CLOSING);
        let mut steps = 0;
        let mut selector = match self.settings.sequence {
            ImpactSequence::Chosen(order) => Some(Selector::new(order, self.settings.seed)),
            _ => None,
        };
        while self.space.colliding(&self.velocity) {
            if steps == self.settings.max_steps {
                return Ok(ImpulseReport {
                    status: ImpactStatus::NotTerminated,
                    steps,
                });
            }
            let mut contact = self.order[steps % self.order.len()];
            if let Some(selector) = &mut selector {
                self.approach.clear();
                let closing = self.space.contacts.iter().map(|c| self.velocity[c.normal]);
                self.approach.extend(closing);
                contact = selector
                    .select(&self.approach, &self.floor)
                    .unwrap_or(contact);
            }
            self.single_impact(contact)?;
            self.visits.push(contact);
            steps += 1;
        }
        Ok(ImpulseReport {
            status: ImpactStatus::Resolved,
            steps,
        })
    }

    /// Resolves one contact alone.
    fn single_impact(&mut self, contact: usize) -> Result<(), ImpactError> {
        let one = self.space.contacts[contact];
        if self.velocity[one.normal] >= -CLOSING {
            return Ok(());
        }
        self.modes.clear();
        self.modes.resize(self.space.contacts.len(), Mode::Ignored);
        let problem = ModeProblem {
            space: &self.space,
            before: &self.velocity,
            allowance: None,
        };
        for index in 1..mode_count(&one, false) {
            self.modes[contact] = mode(&one, index);
            if self.solver.solve(&problem, &self.modes) != ModeResult::Empty {
                for (sum, x) in self.lambda.iter_mut().zip(&self.solver.lambda) {
                    *sum += x;
                }
                self.velocity.clone_from(&self.solver.velocity);
                return Ok(());
            }
        }
        Err(ImpactError::NotConverged {
            law: NAME,
            residual: self.solver.residual,
            iterations: mode_count(&one, false) - 1,
        })
    }

    /// Reads the given order for so many contacts, of these names where they are known.
    fn read_order(
        &mut self,
        contacts: usize,
        names: Option<&[Arc<str>]>,
    ) -> Result<(), ImpactError> {
        self.order.clear();
        let ImpactSequence::Given(words) = &self.settings.sequence else {
            self.order.extend(0..contacts);
            return Ok(());
        };
        read_order(NAME, words, contacts, names, &mut self.order)
    }

    /// The outcome of `self.order`.
    fn outcome(&mut self, problem: &ImpactProblem) -> Result<Outcome, ImpactError> {
        let report = self.run()?;
        let mut impulse = DVector::zeros(self.space.rows());
        self.space
            .unscale_impulse(&self.lambda, impulse.as_mut_slice());
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.sequence = Some(self.visits.clone());
        outcome.status = report.status;
        Ok(outcome)
    }

    /// The outcomes of every permutation, equal ones merged with their sequences listed.
    fn permutations(&mut self, problem: &ImpactProblem) -> Result<Vec<Outcome>, ImpactError> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut order: Vec<usize> = (0..self.order.len()).collect();
        loop {
            self.order.clone_from(&order);
            let outcome = self.outcome(problem)?;
            let sequence = outcome.sequence.clone().unwrap_or_default();
            let known =
                |o: &&mut Outcome| o.status == outcome.status && same_outcome(problem, o, &outcome);
            let at = match outcomes.iter_mut().find(known) {
                Some(at) => at,
                None => {
                    outcomes.push(outcome);
                    let last = outcomes.len() - 1;
                    &mut outcomes[last]
                }
            };
            if !at.sequences.contains(&sequence) {
                at.sequences.push(sequence);
            }
            if !next_permutation(&mut order) {
                return Ok(outcomes);
            }
        }
    }
}

impl ImpactLaw for Sequential {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        PROPERTIES
    }

    fn draws_at_random(&self) -> bool {
        self.settings.sequence == ImpactSequence::Chosen(ReflectionOrder::Random)
    }

    fn lists_alternatives(&self) -> bool {
        self.settings.sequence == ImpactSequence::All
    }

    fn reseed(&mut self, seed: u64) {
        self.settings.seed = seed;
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        // Contacts have no names here: a sequence of names is refused, one of indices is read.
        self.read_order(space.len(), None)?;
        self.space.load(space, self.settings.facets)?;
        let report = self.run()?;
        self.space
            .unscale_impulse(&self.lambda, impulse.as_mut_slice());
        Ok(report)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let space = problem.contact_space();
        self.read_order(space.len(), Some(problem.names()))?;
        self.space.load(space, self.settings.facets)?;
        let outcomes = if self.settings.sequence == ImpactSequence::All {
            if space.len() > MOST_PERMUTED {
                return Err(ImpactError::Unsupported {
                    law: NAME,
                    reason: format!(
                        "sequence = all tries every order of at most {MOST_PERMUTED} contacts, this impact has {}; name one order",
                        space.len()
                    ),
                });
            }
            self.permutations(problem)?
        } else {
            vec![self.outcome(problem)?]
        };
        let capped = |o: &Outcome| o.status == ImpactStatus::NotTerminated;
        let status = if outcomes.iter().any(capped) {
            ImpactStatus::NotTerminated
        } else {
            ImpactStatus::Resolved
        };
        let every_order = self.settings.sequence == ImpactSequence::All;
        let single = match status {
            ImpactStatus::Resolved if every_order => Uniqueness::unique(Ground::EveryOrderAgrees),
            ImpactStatus::Resolved if space.len() <= 1 && space.is_frictionless() => {
                Uniqueness::unique(Ground::Function)
            }
            ImpactStatus::Resolved => Uniqueness::undecided(Doubt::OneOrder),
            _ => Uniqueness::undecided(Doubt::NotTerminated),
        };
        // Orders that stopped before their end are no outcomes of the law.
        let ended: Vec<Outcome> = outcomes.iter().filter(|o| !capped(o)).cloned().collect();
        let uniqueness = Uniqueness::counted(
            ended.len(),
            status == ImpactStatus::Resolved,
            indeterminacy(problem, &ended),
            single,
        );
        Ok(Resolution {
            law: NAME,
            uniqueness,
            certificate: None,
            outcomes,
            status,
            details: LawDetails::of(SequentialReport {
                notes: restitution_notes(problem),
            }),
        })
    }
}
