//! Purely inelastic impact with maximum dissipation (\[PER\]).
//!
//! One contact: exact, see [`ContactBlock::maximum_dissipation`]. Several contacts: each in turn is solved
//! exactly with the impulses of the others fixed (non-linear block Gauss-Seidel, \[PER\] §3.1) until no contact
//! would change its impulse.
//!
//! * Existence and uniqueness: both for one contact. For several a fixed point need not be unique, and where
//!   friction alone can press contacts together the sweeps need not converge; the answer then says
//!   not-terminated.
//! * Energy: never increases at a fixed point. Every contact's impulse x and final velocity v satisfy
//!   xᵀv ≤ 0 (x = (β, 0, 0) is feasible and no better), so ΔE = Σ xᵀv − ½ ΛᵀGΛ ≤ −½ ΛᵀGΛ.
//! * Friction: the cone ‖Λ_t‖ ≤ μ Λ_n in the frame of the tangent rows as they are given; rows that are not
//!   orthonormal make it elliptic.
//! * Restitution: none. The law is inelastic whatever the coefficient; the answer notes a coefficient that was
//!   set on purpose (neither 0 nor the default 1).
//! * Order: a sweep treats the contacts in the order given, or by how fast they close before the impact
//!   (`order`); where several fixed points exist it selects one.
//!
//! The residual of a sweep is the largest change of a contact's impulse in the norm √(xᵀA x), divided by the
//! largest √(v²/G) over the rows: a ratio that depends neither on units nor on the scale of the masses.

use nalgebra::DVector;

use super::answer::{MaxDissipationOutcome, MaxDissipationReport};
use super::sweep_cycle::SweepCycle;
use super::sweep_limit::SweepLimit;
use super::swept_contacts::SweptContacts;
use super::{ContactBlock, DissipationBranch, MaxDissipationSettings};
use crate::impact::error::{check_finite, check_size};
use crate::impact::order::Selector;
use crate::impact::verdict::{Doubt, Ground};
use crate::impact::{
    Certificate, ContactSpace, Exploration, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawDetails, LawProperties, LawSettings, Outcome, ReflectionOrder, Resolution,
    Uniqueness,
};

const NAME: &str = MaxDissipationSettings::LAW;
/// Room kept for the convergence history, so that recording it does not allocate.
const RESERVED_SWEEPS: usize = 10_000;
/// Sweeps that most impacts do not exceed: those after them are looked at for circles.
const FEW_SWEEPS: usize = 24;
/// Closing speeds that differ by less than this share of the largest are ties, which go to the first contact.
const TIE: f64 = 1e-9;

/// The maximum dissipation law.
#[derive(Debug, Clone)]
pub struct MaxDissipation {
    settings: MaxDissipationSettings,
    /// The contacts in the order of a sweep.
    visits: Vec<usize>,
    approach: Vec<f64>,
    floor: Vec<f64>,
    /// Impulse of the last resolution with several contacts.
    last: DVector<f64>,
    /// Each contact as the sweeps see it.
    swept: SweptContacts,
    limit: SweepLimit,
    cycle: SweepCycle,
    branches: Vec<DissipationBranch>,
    history: Vec<f64>,
}

impl Default for MaxDissipation {
    fn default() -> Self {
        Self {
            settings: MaxDissipationSettings::default(),
            visits: Vec::new(),
            approach: Vec::new(),
            floor: Vec::new(),
            last: DVector::zeros(0),
            swept: SweptContacts::default(),
            limit: SweepLimit::default(),
            cycle: SweepCycle::default(),
            branches: Vec::new(),
            history: Vec::new(),
        }
    }
}

impl MaxDissipation {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: MaxDissipationSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &MaxDissipationSettings {
        &self.settings
    }

    /// Residual after each sweep of the last resolution; empty for one contact.
    #[must_use]
    pub fn convergence_history(&self) -> &[f64] {
        &self.history
    }

    /// Branch of each contact in the last resolution.
    #[must_use]
    pub fn branches(&self) -> &[DissipationBranch] {
        &self.branches
    }

    /// Like [`ImpactLaw::impulse`], starting from the impulse Λ (r) that `impulse` holds: a warm start.
    ///
    /// # Errors
    /// As [`ImpactLaw::impulse`]; [`ImpactError::Dimension`] when `impulse` does not have r entries.
    pub fn impulse_from(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        check(space)?;
        check_size("impulse", space.rows(), impulse.len())?;
        check_finite("impulse", impulse.as_slice())?;
        self.branches.clear();
        self.history.clear();
        match space.len() {
            0 => Ok(ImpulseReport {
                status: ImpactStatus::Resolved,
                steps: 0,
            }),
            1 => {
                let (x, branch) = ContactBlock::from_space(space, 0, impulse).maximum_dissipation();
                for i in 0..impulse.len() {
                    impulse[i] = x[i];
                }
                self.branches.push(branch);
                Ok(ImpulseReport {
                    status: ImpactStatus::Resolved,
                    steps: 1,
                })
            }
            _ => Ok(self.sweep(space, impulse)),
        }
    }

    /// Fills `visits`: the contacts by their closing speeds before the impact, in the kinetic metric.
    fn arrange(&mut self, space: &ContactSpace) {
        let m = space.len();
        self.visits.clear();
        if self.settings.order == ReflectionOrder::Index {
            self.visits.extend(0..m);
            return;
        }
        let speeds = space
            .contacts
            .iter()
            .map(|c| space.velocity[c.normal] / space.delassus[(c.normal, c.normal)].sqrt());
        self.approach.clear();
        self.approach.extend(speeds);
        let largest = self.approach.iter().fold(0.0_f64, |a, u| a.max(u.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        // The selector chooses among closing contacts: moved by a common speed all of them are.
        for speed in &mut self.approach {
            *speed -= 2.0 * unit;
        }
        self.floor.clear();
        self.floor.resize(m, TIE * unit);
        let mut selector = Selector::new(self.settings.order, self.settings.seed);
        while let Some(next) = selector.select(&self.approach, &self.floor) {
            self.visits.push(next);
            self.approach[next] = f64::INFINITY;
        }
    }

    fn sweep(&mut self, space: &ContactSpace, impulse: &mut DVector<f64>) -> ImpulseReport {
        let m = space.len();
        self.arrange(space);
        self.branches.resize(m, DissipationBranch::Separating);
        self.swept.fill(space, impulse);
        self.limit.begin(space);
        self.history
            .reserve(self.settings.max_sweeps.min(RESERVED_SWEEPS));
        let scale = (0..space.rows())
            .map(|i| space.velocity[i].powi(2) / space.delassus[(i, i)])
            .fold(0.0, f64::max)
            .sqrt();
        let mut status = ImpactStatus::NotTerminated;
        // Half steps break some of the cycles that discontinuous blocks can fall into; the cone is convex.
        let mut share = 1.0;
        for sweep in 0..self.settings.max_sweeps {
            if sweep == self.settings.max_sweeps / 2 {
                share = 0.5;
            }
            let mut largest: f64 = 0.0;
            let mut settled = true;
            for &j in &self.visits {
                let (change, branch) = self.swept.visit(j, impulse.as_mut_slice(), share);
                settled &= std::mem::replace(&mut self.branches[j], branch) == branch;
                largest = largest.max(change);
            }
            let residual = if scale > 0.0 {
                largest.sqrt() / scale
            } else {
                largest.sqrt()
            };
            let rate = self
                .history
                .last()
                .map_or(0.0, |previous| (residual / previous).min(1.0));
            self.history.push(residual);
            let rate = rate.max(self.limit.rate);
            // What is left is the geometric series of the changes to come, down to rounding.
            let rest = residual * rate <= self.settings.tolerance * (1.0 - rate);
            if residual <= 8.0 * f64::EPSILON || (residual <= self.settings.tolerance && rest) {
                status = ImpactStatus::Resolved;
                break;
            }
            let x = impulse.as_mut_slice();
            let moved = self.limit.after_sweep(x, residual, settled);
            if sweep == FEW_SWEEPS {
                self.cycle.begin(space, x);
            } else if moved {
                self.cycle.restart(x);
            } else if sweep > FEW_SWEEPS && self.cycle.after_sweep(x, settled) {
                if share < 1.0 {
                    break;
                }
                share = 0.5;
                self.cycle.restart(x);
            }
        }
        if self.last.len() != impulse.len() {
            self.last = DVector::zeros(impulse.len());
        }
        self.last.copy_from(impulse);
        if status != ImpactStatus::Resolved {
            take_no_more(space, impulse);
        }
        ImpulseReport {
            status,
            steps: self.history.len(),
        }
    }

    /// The resolution without diagnostics, and its impulse Λ (r).
    fn plain(
        &mut self,
        problem: &ImpactProblem,
    ) -> Result<(Resolution, DVector<f64>), ImpactError> {
        let space = problem.contact_space();
        let mut impulse = DVector::zeros(space.rows());
        let report = self.impulse(space, &mut impulse)?;
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.status = report.status;
        let uniqueness = match (report.status, space.len() <= 1) {
            (ImpactStatus::Resolved, true) => Uniqueness::unique(Ground::Function),
            (ImpactStatus::Resolved, false) => Uniqueness::undecided(Doubt::OneSolution),
            _ => Uniqueness::undecided(Doubt::NotTerminated),
        };
        let resolution = Resolution {
            law: NAME,
            outcomes: vec![outcome],
            uniqueness,
            certificate: (space.len() == 1).then(|| Certificate {
                unique_for_every_momentum: true,
                reason: "single-contact".to_string(),
                angles: Vec::new(),
                deviation: 0.0,
                indeterminacy_bound: 0.0,
            }),
            status: report.status,
            details: LawDetails::none(),
        };
        Ok((resolution, impulse))
    }
}

impl ImpactLaw for MaxDissipation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: true,
            restitution: false,
            set_valued: false,
            order_independent: false,
            conserves_energy: false,
            several_contacts: true,
        }
    }

    fn draws_at_random(&self) -> bool {
        self.settings.order == ReflectionOrder::Random
    }

    fn reseed(&mut self, seed: u64) {
        self.settings.seed = seed;
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let r = space.rows();
        if impulse.len() != r {
            impulse.resize_vertically_mut(r, 0.0);
        }
        if self.settings.warm_start && space.len() > 1 && self.last.len() == r {
            impulse.copy_from(&self.last);
        } else {
            impulse.fill(0.0);
        }
        self.impulse_from(space, impulse)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let (mut resolution, impulse) = self.plain(problem)?;
        for outcome in &mut resolution.outcomes {
            outcome.details = LawDetails::of(MaxDissipationOutcome::new(
                problem.contact_space(),
                &impulse,
                &self.branches,
                &self.history,
            ));
        }
        resolution.details = LawDetails::of(MaxDissipationReport::new(problem));
        Ok(resolution)
    }

    fn explore(
        &mut self,
        problem: &ImpactProblem,
        _exploration: &Exploration,
    ) -> Result<Resolution, ImpactError> {
        Ok(self.plain(problem)?.0)
    }
}

/// Shortens impulses Λ that would give energy to those along them that take the most: v·Λ + ½ ΛᵀGΛ is least at −v·Λ/ΛᵀGΛ of them.
fn take_no_more(space: &ContactSpace, impulse: &mut DVector<f64>) {
    let given = space.energy_change(impulse);
    if given > 0.0 {
        let along = space.velocity.dot(impulse);
        *impulse *= (-0.5 * along / (given - along)).max(0.0);
    }
}

/// A contact space may have been built by hand: nothing that is not a number may pass.
fn check(space: &ContactSpace) -> Result<(), ImpactError> {
    check_finite("contact velocity", space.velocity.as_slice())?;
    check_finite("Delassus matrix", space.delassus.as_slice())?;
    for c in &space.contacts {
        let diagonal = space.delassus[(c.normal, c.normal)];
        if diagonal <= 0.0 {
            return Err(ImpactError::OutOfRange {
                place: "Delassus matrix: diagonal entry of a normal".to_string(),
                value: diagonal,
                range: "positive",
            });
        }
        if c.friction.is_nan() || c.friction < 0.0 {
            return Err(ImpactError::OutOfRange {
                place: "friction".to_string(),
                value: c.friction,
                range: "at least 0",
            });
        }
    }
    Ok(())
}
