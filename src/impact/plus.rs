//! The PLUS law: simultaneous frictional impacts by rounds of Poisson compression and expansion.
//!
//! Uchida, Sherman & Delp, *Making a meaningful impact: modelling simultaneous frictional
//! collisions in spatial multibody systems*, Proc. R. Soc. A 471 (2015) \[USD\].
//!
//! Contacts that approach compress together, and expand together in the next round with the impulse
//! that Poisson's coefficient of restitution grants them; contacts that are driven together by others join later rounds,
//! which models propagation. A round is a sequence of intervals, in each of which a contact slides,
//! rolls or is about to slip. The impulse of an interval is the least-squares solution of Table 1,
//! which spreads the load over redundant contacts; an interval ends where a contact stops sliding
//! or turns its sliding direction by `theta_max`.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | A | [`ContactSpace::delassus`] | J M⁻¹ Jᵀ |
//! | v_z, v_xy | rows of [`ContactSpace::velocity`] | normal and sliding velocity of a contact |
//! | π | impulse rows | normal first, then tangents |
//! | e_min | [`ContactRows::restitution`](super::ContactRows::restitution) | minimum of the restitution curve, Fig. 2 |
//! | μ | [`ContactRows::friction`](super::ContactRows::friction) | one coefficient, for sliding and rolling |
//! | α | [`PlusInterval::alpha`] | fraction of the computed impulse that is applied |
//!
//! **Existence**: an outcome for every problem whose round ends; a contact that friction drives into
//! the surface against its own normal impulse (A_zz < μ |A_zt|, Painlevé's paradox) cannot be compressed
//! while it slides, and the impact is then reported as not terminated. **Uniqueness**: one outcome by
//! construction. **Order**: the outcome does not depend on the order of the contacts. **Friction**: isotropic
//! Coulomb; the impulse of an interval lies on the cone when sliding (to rounding) and within it when rolling, so
//! that the total lies within it. The two tangents of a contact must be orthogonal and of equal scale.
//! **Energy**: see below.
//!
//! # Energy
//!
//! Poisson's hypothesis does not bound the energy of several contacts with different coefficients:
//! if all of them compress with impulse π_c and expand with E π_c, the kinetic energy
//! changes by ½(‖E π_c‖² − ‖π_c‖²) in the metric of A, which may be positive when A couples them.
//! With equal coefficients in force it never is. Equal minima are not enough: in one round a contact that
//! approaches slower than `v_capture` has 0 while its neighbour has the minimum. Two contacts with A = (1, −0.9;
//! −0.9, 1), e_min = 1 and approach speeds 0.1855 and 0.005 m/s so gain energy fivefold, from 0.095 J to 0.5 J;
//! with `v_capture` = 0 and `v_plastic` = 0 the energy stays. A contact in impending slip opposes its end velocity,
//! not its start velocity (both shorter than `v_transition`), which may add up to μ π_z · `v_transition`.
//!
//! # Corrections of the paper
//!
//! * Algorithm 2 as printed never calls Algorithm 1, repeats a line and accumulates
//!   `acc + e π_comp` where `acc + e π_step` is meant; its end test v_z > 0 must be v_z ≥ 0 to rounding.
//! * Algorithm 1's sets must leave out observers, and only points with an expansion impulse expand.
//! * Equally violated constraints are released together: one at a time breaks symmetry.
//! * In impending slip the friction direction is undefined when other contacts hold the point still;
//!   it then opposes the rejected rolling impulse. Where no slip satisfies the equations at all, the point
//!   stays still with less than full friction, known to 1e-8 of the largest velocity.
//! * Newton's method alone misses the slip direction now and then, with friction that drives the slip as a result;
//!   it is then led there through regularised friction.
//! * The quadratic (2.14) has spurious roots; the angle is solved for in closed form.
//! * `alpha_min` is not given; 1e-6 here.
//! * The coefficient of restitution of a contact that is struck again is taken from its new
//!   approach velocity.
//!
//! With redundant spatial contacts (more rows than degrees of freedom) a point that is about to slip while
//! others hold it still has a slip direction known to few digits: in tests about one four-contact problem in
//! six thousand then answers differently when its frames are turned or its contacts listed in another order.

mod active_set;
mod impending_slip;
mod interval;
mod rounds;
mod settings;
mod trace;

pub use interval::{PlusMode, PlusPhase};
pub use settings::PlusSettings;
pub use trace::{PlusInterval, PlusPoint, PlusTrace};

use nalgebra::DVector;
use serde::Serialize;

use self::rounds::{Effort, Impact, Observer};
use self::trace::Recorder;
use super::error::{check_finite, check_size};
use super::{
    ContactSpace, Doubt, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport,
    LawDetails, LawProperties, LawSettings, Outcome, Resolution, Uniqueness,
};

const NAME: &str = PlusSettings::LAW;

/// What the law reports, about its outcome and about the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlusDetails {
    /// Rounds of compression and expansion.
    pub rounds: usize,
    /// Intervals in all rounds.
    pub intervals: usize,
}

/// The PLUS impact law. See the module documentation for what it assumes and promises.
#[derive(Debug, Clone, Default)]
pub struct Plus {
    settings: PlusSettings,
    impact: Impact,
}

impl Plus {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: PlusSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &PlusSettings {
        &self.settings
    }

    /// Resolves a problem and keeps every interval.
    ///
    /// # Errors
    /// As [`ImpactLaw::resolve`].
    pub fn resolve_traced(
        &mut self,
        problem: &ImpactProblem,
    ) -> Result<(Resolution, PlusTrace), ImpactError> {
        let space = problem.contact_space();
        let mut recorder = Recorder {
            layout: &space.contacts,
            intervals: Vec::new(),
        };
        let mut impulse = DVector::zeros(space.rows());
        let effort = self.run(space, &mut impulse, &mut recorder)?;
        let details = LawDetails::of(PlusDetails {
            rounds: effort.rounds,
            intervals: effort.intervals,
        });
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.status = effort.status;
        outcome.details = details.clone();
        let resolution = Resolution {
            law: NAME,
            outcomes: vec![outcome],
            uniqueness: Uniqueness::undecided(match effort.status {
                ImpactStatus::Resolved => Doubt::OneSolution,
                _ => Doubt::NotTerminated,
            }),
            certificate: None,
            status: effort.status,
            details,
        };
        let trace = PlusTrace {
            contacts: problem.names().to_vec(),
            intervals: recorder.intervals,
        };
        Ok((resolution, trace))
    }

    fn run(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
        observer: &mut impl Observer,
    ) -> Result<Effort, ImpactError> {
        check(space, impulse)?;
        let effort = self.impact.run(space, &self.settings, observer);
        impulse.copy_from_slice(self.impact.total());
        check_finite("impulse of the law \"plus\"", impulse.as_slice())?;
        Ok(effort)
    }
}

impl ImpactLaw for Plus {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: true,
            restitution: true,
            set_valued: false,
            order_independent: true,
            conserves_energy: false,
            several_contacts: true,
        }
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let effort = self.run(space, impulse, &mut ())?;
        Ok(ImpulseReport {
            status: effort.status,
            steps: effort.intervals,
        })
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        self.resolve_traced(problem)
            .map(|(resolution, _)| resolution)
    }
}

/// Sizes and finiteness of what the kernel reads.
fn check(space: &ContactSpace, impulse: &DVector<f64>) -> Result<(), ImpactError> {
    let r = space.rows();
    let last = space.contacts.last().map_or(0, |c| c.rows().end);
    check_size("delassus (rows)", r, space.delassus.nrows())?;
    check_size("delassus (columns)", r, space.delassus.ncols())?;
    check_size("impulse", r, impulse.len())?;
    check_size("contact rows", r, last)?;
    check_finite("delassus", space.delassus.as_slice())?;
    check_finite("velocity", space.velocity.as_slice())
}
