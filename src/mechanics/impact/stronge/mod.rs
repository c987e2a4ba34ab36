//! One frictional contact with energetic restitution, solved exactly; several contacts as a sequence of such impacts.
//!
//! Source: \[JW\] Jia & Wang 2016 after Stronge 1990, with the corrections below.
//!
//! # The process
//!
//! The normal impulse I_z (N s) plays the part of time. The contact's block of the Delassus matrix is W = (B d; dᵀ w),
//! positive definite unless said otherwise (1/kg), B the tangential 2 × 2 block; γ is the sliding velocity and v_z the
//! normal velocity (m/s), E the stored energy (J), I_⊥ the tangential impulse (N s), μ friction, e restitution, ′ = d/dI_z.
//!
//! ```text
//! γ′ = d − μ B γ/‖γ‖,    I_⊥′ = −μ γ/‖γ‖         while it slides                    [JW] (31), (28)
//! I_⊥′ = −B⁻¹d                                    at γ = 0, if ‖B⁻¹d‖ ≤ μ: stick     [JW] (34)
//! I_⊥′ = −μ s, s the centrifugal direction        at γ = 0, otherwise: slip resumes  [JW] Corollary 6
//! v_z′ = w + d·I_⊥′
//! E′ = −v_z;   E ← e² E once, where v_z = 0;   the impact ends where E = 0           [JW] (11)
//! ```
//!
//! A direction s is *invariant* when s ∥ d − μBs: a slide along it keeps it. It is centrifugal when s·(d − μBs) > 0. In
//! the principal axes of B, with l₁ ≥ l₂, κ = μ(l₁ − l₂) and d turned to d₁, d₂ ≥ 0, the slide turns at the rate κ sin
//! θ cos θ + d₂ cos θ − d₁ sin θ: exactly one zero in the first quadrant (attracting, the only one that can be
//! centrifugal), none in the second, one in the third (repelling), and two in the fourth when d₁^(2/3) + d₂^(2/3) <
//! κ^(2/3).
//!
//! # Termination for every W ≻ 0, μ ≥ 0, e ∈ \[0, 1\]
//!
//! \[JW\] needs its condition (18); it is not necessary.
//!
//! *Proof.* W ≻ 0 gives w > dᵀB⁻¹d. In stick v_z′ = w − dᵀB⁻¹d > 0. In resumed slip along s, with d = λs + μBs and λ >
//! 0, dᵀB⁻¹d = λ² sᵀB⁻¹s + 2λμ + μ² sᵀBs and μ s·d = λμ + μ² sᵀBs, so
//!
//! ```text
//! v_z′ = w − μ s·d > λ² sᵀB⁻¹s + λμ > 0.
//! ```
//!
//! Before γ = 0 is reached the direction of the slide tends to an invariant one: to a centripetal one, which reaches
//! the origin in finite I_z, or to the centrifugal one, with the same positive slope. So v_z′ is bounded below by a
//! positive number from some I_z on; compression ends, and E, which falls at the rate v_z afterwards, reaches zero in
//! finite I_z. ∎
//!
//! When (18) fails v_z can become negative once more during restitution; the end is the first E = 0 after compression,
//! not a sign of v_z.
//!
//! **Energy.** The kinetic energy changes by ΔE = −(1 − e²)E_c + (work of friction), E_c the energy stored in
//! compression, and friction never does positive work: −μ‖γ‖ per unit of I_z in sliding, none in stick. So it never
//! increases, and is kept when e = 1 and μ = 0.
//!
//! **Uniqueness.** The right-hand side is Lipschitz away from γ = 0, and at γ = 0 exactly one of stick and one
//! centrifugal direction is possible: one contact has one outcome.
//!
//! # Method
//!
//! In dτ = dI_z/‖γ‖ the direction of sliding obeys an autonomous scalar equation, so ln ‖γ‖ is elementary in the angle
//! and only I_z, v_z and E are quadratures: taken by Gauss-Legendre panels in the logarithm of the angle to an
//! invariant direction, and by a Frobenius series where the slide runs into the origin. Events are located exactly; no
//! tolerance decides between two outcomes. The Euler integrations of the paper are kept as [`StrongeSolver`] for
//! comparison.
//!
//! # Corrections of the paper
//!
//! (37) has ‖γ′‖ where ‖γ‖ belongs. (42): "0 otherwise" is +∞. §6.2 takes the root beyond I_zc. §6.3 case 1 needs E_l +
//! Φ₂(I_zs) − Φ₂(I_zl). Centripetal or centrifugal is the sign of a dot product. (36) is capped as κ → 0. An invariant
//! direction is not reached in finite I_z unless γ starts on it (two trajectories of a Lipschitz equation do not
//! merge), so event l is exact only at the start; the paper's labels come from tolerances and are reported with theirs.
//!
//! # Several contacts
//!
//! Each that approaches is resolved alone, in a cyclic order (\[JW\] §7), until none approaches by more than 1e-12 of
//! the speeds before. `resolve` tries every order of up to four contacts, `impulse` takes the given or the input order.
//! Order is decisive; different ends are different outcomes, and agreement of all orders is the verdict *unique*. With
//! more contacts and no order given it is *undecided*.
//!
//! # Singular W
//!
//! Bodies of few degrees of freedom cannot move along every row. W ⪰ 0 alone leaves γ and d without a part in the kernel
//! of B: of rank one, B makes the contact a planar one along its line, and of rank zero one without friction. Where w =
//! dᵀB⁻¹d, v_z = dᵀB⁻¹γ at all times: a slide that comes to γ = 0 and sticks has v_z = 0 there and leaves nothing that
//! could restore the stored energy, which is lost (the limit of W ≻ 0: v_z⁺ = e (2 E_c (w − dᵀB⁻¹d))^(1/2) → 0). A slide that
//! resumes separates as above.
//!
//! # Limits
//!
//! Coulomb's cone is round in the tangent rows as they are given. Restitution is one coefficient, independent of speed.
//! For several contacts the law is a sequence, not a simultaneous impact.
//!
//! # Example
//!
//! A ball of 1 kg strikes a rough floor while sliding at 1 m/s: friction stops the slide, then compression and
//! restitution end.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::stronge::StrongeDetails;
//! use carom::impact::{Contact, ImpactLaw, ImpactProblem, PreImpact, Stronge};
//! use nalgebra::{DMatrix, dvector};
//!
//! // The contact point of a homogeneous ball: compliance 7/2 per kilogram along the floor.
//! let mass = DMatrix::from_diagonal(&dvector![2.0 / 7.0, 2.0 / 7.0, 1.0]);
//! let floor = Contact::new("floor", dvector![0.0, 0.0, 1.0])
//!     .with_friction(vec![dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]], 0.5)
//!     .with_restitution(0.5);
//! let before = PreImpact::Velocity(dvector![1.0, 0.0, -1.0]);
//! let problem = ImpactProblem::new(mass, before, &[floor])?;
//! let outcome = Stronge::default().resolve(&problem)?.outcomes.remove(0);
//! assert!((&outcome.velocity - dvector![0.0, 0.0, 0.5]).norm() < 1e-14);
//! let Some(StrongeDetails::Single(impact)) = outcome.details.get() else { panic!("one contact") };
//! let course = impact.course.as_ref().ok_or("no course")?;
//! // Stored ½ · 1 kg · (1 m/s)²; a seventh of the sliding energy is lost to friction.
//! assert!(course.events.ends_with("scr") && (course.compression_energy - 0.5).abs() < 1e-14);
//! assert!((course.friction_work + 1.0 / 7.0).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparison;
mod details;
mod euler;
mod labels;
mod report;
mod sequence;
mod settings;
#[cfg(test)]
mod tests;
mod trajectory;

use nalgebra::DVector;

pub use comparison::StrongeSolverRow;
pub use details::{
    ContactReport, StrongeCourse, StrongeDetails, StrongeEvent, StrongeImpact, StrongeIterations,
    StrongeLabel, StrongeReport,
};
pub use settings::{StrongeSettings, StrongeSolver};
pub use trajectory::curve::{StrongeCurve, StrongeSample};
pub use trajectory::invariant::{InvariantDirection, InvariantKind};

use super::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpulseReport, LawProperties, LawSettings,
    Resolution,
};
use trajectory::coefficients::{Coefficients, Vec2};
use trajectory::process::Process;

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
/// # use carom_mechanics as carom;
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
    /// No such contact, or one that cannot slide in two directions.
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
        if c.tangents != 2 {
            return Err(unsupported(format!(
                "contact {contact} can slide along {} directions; invariant directions need two",
                c.tangents
            )));
        }
        Ok(trajectory::invariant::PrincipalFrame::new(&c).all(&c))
    }

    /// Impulse of one contact, by the solver that is set.
    fn single(&self, c: &Coefficients) -> Result<(f64, Vec2, usize), ImpactError> {
        if self.settings.solver == StrongeSolver::Exact {
            let mut process = Process::new(c);
            process.run()?;
            let tangential = c.in_rows(process.tangential);
            return Ok((process.normal, tangential, process.panels));
        }
        let solved = euler::solve(c, &self.settings)?;
        let tangential = c.in_rows(solved.tangential);
        Ok((solved.normal, tangential, solved.iterations))
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
