//! The PLUS law: simultaneous frictional impacts by rounds of Poisson compression and expansion, through which
//! collisions propagate.
//!
//! Source: \[USD\] Uchida, Sherman & Delp 2015, with the corrections below.
//!
//! # What it computes
//!
//! A contact takes part in a round as compressing, expanding or observing. Contacts that approach compress together; in
//! the next round they expand with the impulse that Poisson's coefficient grants them, while contacts that were driven
//! together join and compress. A round is a sequence of intervals.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | A | Delassus matrix J M⁻¹ Jᵀ, r × r | 1/kg |
//! | v_z, v_xy | normal and sliding velocity of a contact | m/s |
//! | π | impulse of an interval, each contact's normal first | N s |
//! | α | share of the computed impulse that is applied, 0 < α ≤ 1 | |
//! | μ, e_min | one coefficient of friction; least restitution | |
//!
//! In an interval every point slides, rolls or is about to slip, and the equations are linear (\[USD\] Table 1):
//!
//! ```text
//! compressing     A_z π + v_z = 0
//! expanding       π_z = π_z^exp
//! rolling         A_xy π + v_xy = 0
//! sliding         π_xy = −μ π_z v_xy/‖v_xy‖          at the start of the interval
//! about to slip   π_xy = −μ π_z u/‖u‖,               u = v_xy + A_xy π at its end       [USD] (2.9)
//! ```
//!
//! solved by least squares of least norm, which spreads the load over redundant contacts; an active set (Algorithm 1)
//! releases the most violated constraint and repeats. The interval ends (α) where a point stops sliding or turns its
//! sliding direction by `theta_max`. Then
//!
//! ```text
//! total += απ,   v += A απ,   π_z^exp ← (1 − α) π_z^exp,   acc_k += e_k (απ)_z   of compressing contacts
//! ```
//!
//! and a round ends with the interval that reaches α = 1 (Algorithm 2). The impact ends when nothing approaches and
//! nothing is left to expand.
//!
//! **Jams.** A contact that friction drives into the surface against its own normal impulse (A_zz ≤ μ A_zt ŝ) cannot be
//! compressed while it slides, and \[USD\] has no equation for it. Where no other contact acts it presses on (π on the cone,
//! opposite to ŝ) until its slide ends or turns by `theta_max`, or until another jam of the body parts it, approaching faster
//! meanwhile, and is compressed then: what the continuous process does, in which the normal impulse only grows. Its slide is
//! slowed because (1, −μ ŝ) A (1, −μ ŝ)ᵀ > 0.
//!
//! **Slow slips.** A contact below `v_transition` with a little less friction than rolling takes has a slip of no length to speak
//! of, whose direction Newton's method does not find. Where no other contact acts it gets the impulse that it would have alone, from the
//! closed form of [`coulomb_solutions`](super::dissipation::coulomb_solutions).
//!
//! Restitution follows the approach speed (\[USD\] Fig. 2): 0 below `v_capture`, from there on the line from 1 at rest
//! to e_min at `v_plastic`, e_min above: [`PlusSettings::restitution`].
//!
//! # What is declared
//!
//! **Existence**: an outcome for every problem whose rounds end within `max_rounds` and `max_intervals`; otherwise the impact is
//! reported as not terminated. **Uniqueness**: one outcome by construction; that others satisfy the same equations is not excluded,
//! so the verdict is *undecided* (one solution). **Order**: independent of the order of contacts, ties being released
//! together. **Friction**: isotropic; the impulse of an interval is on the cone in sliding and in it in rolling, so by
//! convexity the total is in it.
//!
//! **Energy** is not bounded by Poisson's hypothesis. If contacts compress with π_c and expand with E π_c (E the
//! diagonal of coefficients), the kinetic energy changes by
//!
//! ```text
//! ΔE = ½(‖E π_c‖² − ‖π_c‖²),        ‖π‖² = πᵀ A π
//! ```
//!
//! *Derivation without friction:* compression ends at A π_c + v = 0, so the change is vᵀπ + ½πᵀAπ with π = (1 + E)π_c
//! and v = −Aπ_c. With equal coefficients e it is −½(1 − e²)‖π_c‖² ≤ 0. With different ones and strong coupling it may
//! be positive: A = (1, −0.9; −0.9, 1), e_min = 1 and approach speeds 0.1855 and 0.005 m/s gain energy fivefold,
//! because the slower contact is below `v_capture` and has e = 0. With `v_capture` = `v_plastic` = 0 that energy stays.
//! Impending slip opposes the end velocity and may add up to μ π_z · `v_transition`.
//!
//! # Corrections of the paper
//!
//! * Algorithm 2 as printed never calls Algorithm 1 and accumulates wrongly (above is what is meant); its end test is
//!   v_z ≥ 0 to rounding.
//! * Algorithm 1 leaves out observers; only points with an expansion impulse expand.
//! * Equally violated constraints are released together; one at a time breaks symmetry.
//! * Jams are pressed through (above).
//! * In impending slip the direction is undefined where other contacts hold the point still: it then opposes the
//!   rejected rolling impulse. Newton's method is led there through regularised friction where it fails by itself.
//! * (2.14) has spurious roots; the angle is found in closed form. `alpha_min` is not given in the paper; 1e-6 here.
//! * A contact that is struck again takes its restitution from its new approach speed.
//!
//! # Limits
//!
//! The two tangents of a contact must be orthogonal and of equal scale. With more rows than degrees of freedom in
//! space, a point that is about to slip while others hold it has a direction known to few digits: in tests about one
//! four-contact problem in six thousand then answers differently when frames are turned or contacts reordered.
//!
//! # Example
//!
//! Newton's cradle: the blow propagates, and the last ball leaves with everything.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::plus::PlusDetails;
//! use carom::impact::{Contact, ImpactLaw, ImpactProblem, Plus, PreImpact};
//! use nalgebra::{DMatrix, dvector};
//!
//! let contacts = [
//!     Contact::new("AB", dvector![-1.0, 1.0, 0.0]),
//!     Contact::new("BC", dvector![0.0, -1.0, 1.0]),
//! ];
//! let before = PreImpact::Velocity(dvector![1.0, 0.0, 0.0]);
//! let problem = ImpactProblem::new(DMatrix::identity(3, 3), before, &contacts)?;
//! let answer = Plus::default().resolve(&problem)?;
//! let outcome = &answer.outcomes[0];
//! assert!((&outcome.velocity - dvector![0.0, 0.0, 1.0]).norm() < 1e-9);
//! let details = outcome.details.get::<PlusDetails>().ok_or("no details")?;
//! assert!(details.rounds > 1);
//! // One outcome by construction is no statement that there are no others.
//! assert_eq!(answer.unique(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod active_set;
mod impending_slip;
mod interval;
mod jam;
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
use super::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport, LawDetails,
    LawProperties, LawSettings, Outcome, Resolution, Uniqueness,
};
use crate::impact::error::check_finite;
use crate::impact::unit_contacts::check_output;
use crate::impact::verdict::Doubt;

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
        space.check()?;
        check_output(space, impulse)?;
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
