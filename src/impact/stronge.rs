//! Stronge's law: one frictional contact with energetic restitution, solved exactly.
//!
//! Source: \[JW\] Jia & Wang 2016, "Analysis and computation of two body impact in three dimensions", after Stronge 1990,
//! with the corrections listed below.
//!
//! The normal impulse I_z plays the part of time. With W = \[B d; dᵀ w\] the contact's block of the Delassus matrix:
//!
//! ```text
//! γ' = d − μ B γ/‖γ‖,   I_⊥' = −μ γ/‖γ‖          while the contact slides        (31), (28)
//! I_⊥' = −B⁻¹d                                   at γ = 0, if ‖B⁻¹d‖ ≤ μ         (34)
//! I_⊥' = −μ s,  s the centrifugal direction      at γ = 0, otherwise             Corollary 6
//! E' = −v_z,  E ← e² E at v_z = 0                until E = 0                     (11)
//! ```
//!
//! **Existence** and **termination**: for every positive definite W, μ ≥ 0 and e ∈ \[0, 1\], also where the paper's condition
//! (18) fails: s converges to an invariant direction, and there v_z' has a positive lower bound. **Uniqueness**: yes, for one
//! contact. **Energy** never increases; it is kept exactly when e = 1 and μ = 0. **Friction** stays in the cone.
//! **Order**: several contacts are treated as a sequence of single impacts (\[JW\] §7), whose outcome depends on the order.
//!
//! Method: in dτ = dI_z/‖γ‖ the sliding direction obeys an autonomous scalar equation, so ln ‖γ‖ is elementary in the angle and
//! only quadratures remain (`chart`). They are taken by Gauss-Legendre panels in the logarithm of the angle to an invariant
//! direction (`panel`), and in closed form where the slide runs into the origin (`tail`). Stick, resumed slip, invariant
//! directions, planar and frictionless contacts are closed form (`process`, `slide`).
//!
//! Corrections of the paper: (37) has ‖γ'‖ where ‖γ‖ belongs; (42) "0 otherwise" must be +∞; §6.2 takes the root beyond I_zc; §6.3
//! case 1 needs E_l + Φ₂(I_zs) − Φ₂(I_zl); the type of an invariant direction is the sign of a dot product; (36) is capped as
//! κ → 0; an invariant direction is not reached in finite I_z unless γ starts on one, so event l is exact only at the start
//! (the paper's labels come from tolerances, and are reported with theirs).
//!
//! | symbol in \[JW\] | here |
//! |---|---|
//! | I_z, I_⊥ | normal and tangential impulse of [`ContactImpulse`](super::ContactImpulse) |
//! | E_c | `compression_energy` |
//! | events c, r, s, l | letters of `events`: compression ends, restitution ends, γ = 0, straight sliding |

mod chart;
mod coefficients;
mod comparison;
mod curve;
mod details;
mod euler;
mod events;
mod invariant;
mod labels;
mod panel;
mod process;
mod quadrature;
mod report;
mod sequence;
mod settings;
mod slide;
mod tail;
#[cfg(test)]
mod tests;

use nalgebra::DVector;

pub use comparison::StrongeSolverRow;
pub use curve::{StrongeCurve, StrongeSample};
pub use details::{
    ContactReport, StrongeCourse, StrongeDetails, StrongeEvent, StrongeImpact, StrongeIterations,
    StrongeLabel, StrongeReport,
};
pub use invariant::{InvariantDirection, InvariantKind};
pub use settings::{StrongeSettings, StrongeSolver};

use super::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpulseReport, LawProperties, LawSettings,
    Resolution,
};
use coefficients::{Coefficients, Vec2};
use process::Process;

pub(crate) const NAME: &str = StrongeSettings::LAW;

/// One frictional contact with energetic restitution, solved exactly (\[JW\] Jia & Wang 2016, after Stronge 1990).
///
/// While the contact slides, friction is −μ times the sliding direction; where sliding stops, the contact sticks if
/// friction can hold it, else slides on along the centrifugal invariant direction. The energy stored at the contact when its
/// normal velocity is zero is returned up to the factor e². The impulse is exact to round-off for every positive definite
/// contact block of the Delassus matrix, every μ ≥ 0, e ∈ \[0, 1\] and velocity, also where condition (18) of the paper fails.
///
/// - Existence and uniqueness: yes for one contact. Several contacts are a sequence of single impacts (\[JW\] §7): each
///   order of up to four contacts is an outcome, or the one that is given.
/// - Energy: never increases; kept when e = 1 and μ = 0. Friction: Coulomb's cone, in the tangent rows of the contact.
/// - Order: decisive for several contacts.
///
/// Contacts may have no, one or two tangents. [`ImpactLaw::resolve`] adds to each outcome: `events` (letters of the events in
/// order: c compression ends, r restitution ends, s the sliding velocity vanishes, l it starts on an invariant direction),
/// `event_list` (name and normal impulse \[N s\]), `events_with_tolerance` (the label that the paper's algorithm would give,
/// with `tolerance_l` and `tolerance_s`), `compression_energy` and `friction_work` \[J\], `invariant_directions`,
/// `sticking_ratio` = ‖B⁻¹d‖ and `sticks`; with several contacts, the same for each single impact in `impacts`.
///
/// Settings: [`StrongeSettings`].
///
/// ```
/// use carom::impact::{Contact, ImpactLaw, ImpactProblem, PreImpact, Stronge};
/// use nalgebra::{DMatrix, dvector};
///
/// // A ball of 1 kg on the floor: its contact point has the compliance 7/2 per kilogram along the floor.
/// let mass = DMatrix::from_diagonal(&dvector![2.0 / 7.0, 2.0 / 7.0, 1.0]);
/// let floor = Contact::new("floor", dvector![0.0, 0.0, 1.0])
///     .with_friction(vec![dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]], 0.1)
///     .with_restitution(0.5);
/// let before = PreImpact::Velocity(dvector![1.0, 0.0, -1.0]);
/// let resolution = Stronge::default().resolve(&ImpactProblem::new(mass, before, &[floor])?)?;
/// let impulse = &resolution.outcomes[0].impulses[0];
/// assert!((impulse.normal - 1.5).abs() < 1e-14);
/// assert!((impulse.tangential[0] + 0.15).abs() < 1e-14);
/// # Ok::<(), carom::impact::ImpactError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stronge {
    settings: StrongeSettings,
    scratch: sequence::Scratch,
}

impl Stronge {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: StrongeSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &StrongeSettings {
        &self.settings
    }

    /// The invariant sliding directions of a contact (\[JW\] Theorem 5): two to four, or `None` when every direction is
    /// invariant. Angles are measured from the first tangent to the second.
    ///
    /// # Errors
    /// No such contact, a contact without two tangents, or rows that are not independent.
    pub fn invariant_directions(
        &self,
        space: &ContactSpace,
        contact: usize,
    ) -> Result<Option<Vec<InvariantDirection>>, ImpactError> {
        let Some(rows) = space.contacts.get(contact) else {
            return Err(unsupported(format!(
                "there is no contact {contact}, the problem has {}",
                space.len()
            )));
        };
        if rows.tangents != 2 {
            return Err(unsupported(format!(
                "contact {contact} has {} tangents; invariant directions need two",
                rows.tangents
            )));
        }
        let c = Coefficients::read(space, contact, space.velocity.as_slice())?;
        Ok(invariant::PrincipalFrame::new(&c).all(&c))
    }

    /// Impulse of one contact, by the solver that is set.
    fn single(&self, c: &Coefficients) -> Result<(f64, Vec2, usize), ImpactError> {
        if self.settings.solver == StrongeSolver::Exact {
            let mut process = Process::new(c);
            process.run()?;
            return Ok((process.normal, process.tangential, process.panels));
        }
        let solved = euler::solve(c, &self.settings)?;
        Ok((solved.normal, solved.tangential, solved.iterations))
    }
}

impl ImpactLaw for Stronge {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: true,
            restitution: true,
            set_valued: true,
            order_independent: false,
            conserves_energy: true,
            several_contacts: true,
        }
    }

    fn lists_alternatives(&self) -> bool {
        self.settings.sequence.is_empty()
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        sequence::impulse(self, space, impulse)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        report::resolve(self, problem)
    }
}

fn unsupported(reason: String) -> ImpactError {
    ImpactError::Unsupported { law: NAME, reason }
}
