//! What an impact law is, and what it declares about itself.

use std::any::Any;

use nalgebra::DVector;
use serde::Serialize;

use super::propagative::EnumerationBudget;
use super::{ContactSpace, ImpactError, ImpactProblem, ImpactStatus, Resolution};

/// What a law promises. Drives the validation of input, the comparison table and the property
/// tests, which assert exactly what is declared here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LawProperties {
    /// Honours coefficients of friction (otherwise they must be absent).
    pub friction: bool,
    /// Honours coefficients of restitution (otherwise every impact is what the law makes it).
    pub restitution: bool,
    /// May return several outcomes.
    pub set_valued: bool,
    /// The outcome does not depend on the order in which contacts are listed or treated.
    pub order_independent: bool,
    /// Keeps the kinetic energy when every restitution is 1 and friction is 0.
    pub conserves_energy: bool,
    /// Treats several simultaneous contacts.
    pub several_contacts: bool,
}

/// Outcome of one allocation-free resolution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseReport {
    /// How the resolution ended.
    pub status: ImpactStatus,
    /// Reflections, intervals, LCPs or sweeps: the law's own unit of work.
    pub steps: usize,
}

/// What a run asks of a law beside the outcome that it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exploration {
    /// What finding out how many outcomes there are may spend.
    pub budget: EnumerationBudget,
    /// Whether the outcomes that are not taken are wanted too.
    pub alternatives: bool,
}

/// An impact law. A law owns its settings and its scratch memory, hence `&mut self`: it allocates
/// when a problem is larger than any it has seen, and not afterwards.
///
/// Settings are a struct of the law ([`LawSettings`](super::LawSettings)) that its constructor takes. That a law is
/// [`Any`] lets programs find the law that they know behind `dyn ImpactLaw`.
pub trait ImpactLaw: Any + Send {
    /// The name used on the command line and in scenarios.
    fn name(&self) -> &'static str;

    /// What the law promises.
    fn properties(&self) -> LawProperties;

    /// Whether an outcome depends on the seed, as the law is set up now.
    fn draws_at_random(&self) -> bool {
        false
    }

    /// Whether [`ImpactLaw::explore`] lists the outcomes that are not taken, as the law is set up now: whether a run
    /// can follow them as branches.
    fn lists_alternatives(&self) -> bool {
        false
    }

    /// Starts random choices from a seed. A law that draws nothing at random has nothing to do.
    fn reseed(&mut self, _seed: u64) {}

    /// One outcome as contact impulses: writes Λ (r entries, rows as in `space`) into `impulse`.
    /// The law without names, sequences and verdict, for loops of one's own over many problems; no allocation after
    /// warm-up. A run asks [`ImpactLaw::explore`].
    ///
    /// # Errors
    /// The law cannot treat the problem, or did not converge.
    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError>;

    /// Everything the law can say about the problem: all outcomes it offers, with sequences,
    /// certificates and diagnostics.
    ///
    /// # Errors
    /// The law cannot treat the problem, or did not converge.
    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError>;

    /// The same for a run: first the outcome that the law takes as it is set up, then, if they are wanted, the
    /// others that it knows, and what it knows about their number within the budget. Sequences and diagnostics
    /// may be left out. A law that says nothing else answers as [`ImpactLaw::resolve`] does.
    ///
    /// # Errors
    /// As [`ImpactLaw::resolve`].
    fn explore(
        &mut self,
        problem: &ImpactProblem,
        _exploration: &Exploration,
    ) -> Result<Resolution, ImpactError> {
        self.resolve(problem)
    }
}
