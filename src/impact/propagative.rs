//! The propagative law: a simultaneous impact as a sequence of single elastic ones.
//!
//! A contact with normal u reflects the momentum, p ↦ p − 2⟨p, u⟩/‖u‖² u, with the impulse
//! −2⟨p, u⟩/‖u‖² ≥ 0; reflections go on at violated contacts until none is violated \[SM, §III\]. All
//! closed contacts take part, not only those violated at first (\[SM\] writes the latter, but its own
//! cradle needs a contact that starts at rest). Restitution below one blends the elastic with the
//! plastic outcome (\[SM\] §III.A; α = R where it prints √(1 − R²), see the `restitution` module).
//!
//! Exists: whenever some momentum separates all contacts, for any number of them (\[SM\] §IV leaves this open;
//! see [`Separation`](super::Separation)). Unique: not in general; that is what
//! [`resolve`](ImpactLaw::resolve) decides. Energy: kept exactly with restitution 1. Friction: none.
//! Depends on the order of contacts: yes, through the order of reflections.
//!
//! | symbol | here |
//! |---|---|
//! | Γ(u) | one reflection, `propagation` |
//! | W, minimal | [`Outcome::sequence`](super::Outcome::sequence), [`Outcome::minimal`](super::Outcome::minimal) |
//! | ξ | [`Resolution::indeterminacy`] |
//! | R, α | `restitution` |

use nalgebra::DVector;

use super::analysis::{Analysis, PLAIN_REFLECTIONS, Tolerances};
use super::enumeration::Enumeration;
use super::friction_check::refuse_friction;
use super::order::{ReflectionOrder, Selector};
use super::propagation::Propagation;
use super::propagative_answer::Answer;
use super::restitution::RestitutionBlend;
use super::separation::TerminationCheck;
use super::state_graph::EnumerationBudget;
use super::two_contacts::TwoContacts;
use super::unit_contacts::{UnitContacts, check_output, write_impulse};
use super::{
    Certificate, ContactSpace, Exploration, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawProperties, LawSettings, PropagativeSettings, Resolution,
};

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
        super::certify(space, self.settings.angle_tolerance)
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
                    contacts: (0..2).map(super::unit_contacts::place).collect(),
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
        .filter(|&i| contacts.contains(&super::unit_contacts::place(i)))
        .map(|i| problem.names()[i].to_string())
        .collect();
    ImpactError::Wedged { contacts: names }
}
