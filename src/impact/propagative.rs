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

use std::time::Duration;

use nalgebra::DVector;

use super::analysis::{Analysis, PLAIN_REFLECTIONS, Tolerances};
use super::enumeration::Enumeration;
use super::order::{ReflectionOrder, Selector};
use super::parameters::{
    parse_count, parse_seconds, parse_seed, parse_switch, parse_tolerance, parse_word,
    refuse_friction, unknown_parameter,
};
use super::propagation::Propagation;
use super::propagative_answer::Answer;
use super::restitution::RestitutionBlend;
use super::separation::TerminationCheck;
use super::state_graph::EnumerationBudget;
use super::two_contacts::TwoContacts;
use super::unit_contacts::{UnitContacts, check_output, write_impulse};
use super::{
    Certificate, ContactSpace, Exploration, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawProperties, Resolution,
};

/// The propagative law.
#[derive(Debug, Clone)]
pub struct Propagative {
    /// Order of reflections of a single run.
    pub order: ReflectionOrder,
    /// Seed of the random order. Every impact starts from it.
    pub seed: u64,
    /// Report every outcome with all its sequences instead of the one of `order`.
    pub all: bool,
    /// A contact is violated when ⟨p, û⟩ < −tolerance · s, where s is the contact's own scale: the largest of the
    /// terms that its velocity is the sum of, and of the unit velocities of the contacts coupled to it. Default 1e-10.
    pub tolerance: f64,
    /// Largest distance of a cosine from −cos(π/m) that a certificate accepts. Default 1e-9.
    pub angle_tolerance: f64,
    /// Reflections after which a single run is reported as not terminated. Default 10 000 000.
    pub max_reflections: u64,
    /// What the enumeration behind the verdict may spend.
    pub budget: EnumerationBudget,
    unit: UnitContacts,
    run: Propagation,
    blend: RestitutionBlend,
    termination: TerminationCheck,
    unit_impulse: Vec<f64>,
}

impl Default for Propagative {
    fn default() -> Self {
        Self {
            order: ReflectionOrder::default(),
            seed: 0,
            all: false,
            tolerance: 1e-10,
            angle_tolerance: 1e-9,
            max_reflections: 10_000_000,
            budget: EnumerationBudget::default(),
            unit: UnitContacts::default(),
            run: Propagation::default(),
            blend: RestitutionBlend::default(),
            termination: TerminationCheck::default(),
            unit_impulse: Vec::new(),
        }
    }
}

impl ImpactLaw for Propagative {
    fn name(&self) -> &'static str {
        "propagative"
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
        self.order == ReflectionOrder::Random
    }

    fn lists_alternatives(&self) -> bool {
        true
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        let law = self.name();
        match name {
            "order" => {
                let known = ReflectionOrder::ALL.map(ReflectionOrder::name);
                self.order =
                    parse_word(law, name, value, ReflectionOrder::from_name(value), &known)?;
            }
            "seed" => self.seed = parse_seed(law, name, value)?,
            "all" => self.all = parse_switch(law, name, value)?,
            "tolerance" => self.tolerance = parse_tolerance(law, name, value)?,
            "angle_tolerance" => self.angle_tolerance = parse_tolerance(law, name, value)?,
            "max_reflections" => self.max_reflections = parse_count(law, name, value)?,
            "max_states" => self.budget.states = parse_count(law, name, value)? as usize,
            "max_words" => self.budget.words = parse_count(law, name, value)? as usize,
            "max_seconds" => {
                let seconds = parse_seconds(law, name, value)?;
                self.budget.wall_time = Some(Duration::from_secs_f64(seconds));
            }
            _ => return Err(unknown_parameter(law, name, Self::PARAMETERS)),
        }
        Ok(())
    }

    /// Tangent rows get no impulse.
    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.unit.load(space)?;
        check_output(space, impulse)?;
        self.unit.set_tolerance(self.tolerance)?;
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
        let single = (!self.all).then(|| {
            let mut run = analysis.single(self.order, self.seed, self.max_reflections);
            run.minimal = analysis.is_minimal(&run);
            run
        });
        let enumeration = (self.all || !analysis.certified())
            .then(|| Enumeration::run(&analysis, &self.budget, self.all));
        Ok(Answer {
            problem,
            analysis: &analysis,
            order: (!self.all).then_some(self.order),
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
            states: exploration.budget.states.min(self.budget.states),
            words: exploration.budget.words.min(self.budget.words),
            wall_time: exploration.budget.wall_time.or(self.budget.wall_time),
        };
        let enumeration = analysis
            .uniqueness_of_any_order()
            .is_none()
            .then(|| Enumeration::run(&analysis, &budget, false));
        Ok(Answer {
            problem,
            analysis: &analysis,
            order: Some(self.order),
            single: Some(analysis.single(self.order, self.seed, self.max_reflections)),
            enumeration,
        }
        .explored(self.name(), exploration.alternatives))
    }
}

impl Propagative {
    /// The names that [`ImpactLaw::set_parameter`] knows.
    pub const PARAMETERS: &'static [&'static str] = &[
        "order",
        "seed",
        "all",
        "tolerance",
        "angle_tolerance",
        "max_reflections",
        "max_states",
        "max_words",
        "max_seconds",
    ];

    /// One outcome, of a given order.
    #[must_use]
    pub fn with_order(order: ReflectionOrder) -> Self {
        Self {
            order,
            ..Self::default()
        }
    }

    /// Every outcome, with all its sequences.
    #[must_use]
    pub fn all_orders() -> Self {
        Self {
            all: true,
            ..Self::default()
        }
    }

    /// What holds for every momentum, without exploring one.
    ///
    /// # Errors
    /// A contact space that is not valid.
    pub fn certificate(&self, space: &ContactSpace) -> Result<Option<Certificate>, ImpactError> {
        super::certify(space, self.angle_tolerance)
    }

    /// The problem with this law's tolerances.
    fn analysis(&self, problem: &ImpactProblem) -> Result<Analysis, ImpactError> {
        refuse_friction(self.name(), problem)?;
        let tolerances = Tolerances {
            violated: self.tolerance,
            angle: self.angle_tolerance,
        };
        Analysis::of_problem(problem, tolerances).map_err(|e| name_contacts(problem, e))
    }

    /// The elastic run and its blend, into `self.unit_impulse`.
    fn propagate(&mut self, space: &ContactSpace) -> Result<ImpulseReport, ImpactError> {
        let mut selector = Selector::new(self.order, self.seed);
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
            .run(&self.unit, selector, self.max_reflections, false);
        self.unit_impulse.copy_from_slice(&self.run.unit_impulse);
        self.blend
            .apply(&self.unit, &self.run.work, &mut self.unit_impulse);
        Ok(ImpulseReport {
            status,
            steps: self.run.reflections as usize,
        })
    }
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
