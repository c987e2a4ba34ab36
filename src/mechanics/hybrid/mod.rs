//! The simulation: steps, located events, impacts with verdicts, held contacts, in one run that is reproducible to the
//! bit.
//!
//! Sources: \[SM\] eq. 30 for going on after an impact; \[PER\] for the friction of what is held; \[USD\] for the capture
//! speed.
//!
//! # A step
//!
//! A whole step of length h (s) is cut at every event. In each piece the flow (q, p, τ) ↦ (q, p) of the room `discrete`
//! is tried to the end; if something passes zero on the way, the earliest crossing is located on the flow itself, the
//! piece ends there, and the rest of the step goes on from there with h − τ (\[SM\] eq. 30). The momentum is what steps
//! carry and what impact laws act on, so nothing is converted at an event.
//!
//! ```text
//! r(v̄, τ) = 0   and   g(q(τ), …) = 0        g: a gap, the end of a place, the slip of a slide, a normal force
//! ```
//!
//! # Locating
//!
//! The trial to the end of the piece is solved already. Every watched function g is nearly the cubic of its values and
//! rates at both ends,
//!
//! ```text
//! c(s) = g₀ + s (u + s (3(g₁ − g₀) − 2u − w + s (u + w − 2(g₁ − g₀)))),    u = τ ġ₀,  w = τ ġ₁,   s = t/τ ∈ [0, 1]
//! ```
//!
//! whose earliest descent through zero also finds what dips below and comes back inside the step, which signs at the
//! ends miss. The cubic differs from g by O(τ⁴), so it is where the step's equation is solved again, from the trial's
//! mean velocity; secant steps of gap and time together reach 1e-12 m (beside coordinates of order one) in two or three
//! solves. All functions are looked at there; a violated one is an earlier event, and is located instead. The located
//! gap is on the feasible side. A gap is not looked at where its tangents at both ends stay above zero, and none of a
//! body with a piece of terrain where their bound (page of `contact`) says so of all: bound > 2 V τ at both ends, V no
//! less than the speed of any of its sites. Gaps with kinks (a circle against the edges of a box), and those with what
//! bodies carry, are searched along the way besides, where the cubic alone dips below zero as well; what is thinner than 2e-3
//! of the way may be passed through, and a cylinder by one that meets it askew at five diameters in a step and more.
//!
//! # Impacts
//!
//! Contacts that are closed within `simultaneity` (1e-8 m), held ones included, are one simultaneous impact; the room
//! `impact` answers. Bodies that touch each other neither directly nor by others share no entry of M and no row: the impact
//! of one is that of the coordinates that hang together with it, and what strikes elsewhere at that moment is another
//! impact, with a verdict of its own. Friction and restitution are given to laws that honour them; a law without friction sees the
//! normals alone. The record keeps law, sequence, impulses (N s), both energies (J), and the verdict within
//! `verdict_budget`. Where a law did not end, where its restitutions were set to zero, or another law acted, the event
//! says so ([`EventNote`], reason): a law is never replaced without a word.
//! [`SimulationBuilder::following_all_outcomes`] keeps the outcomes that were not taken as [`Fork`]s.
//!
//! **Restitution that accumulates (Zeno).** A ball with restitution e on a floor has flights Δ_k = 2 e^k v/g and comes
//! to rest after Σ Δ_k = 2v/(g(1 − e)), v the speed of its first rebound. In general a contact accumulates when its
//! last intervals and its last approach speeds both fall, by ratios ρ < 1 that its restitution explains (ρ ≤ e). If the
//! time that is left, Δ_k ρ/(1 − ρ), is below `zeno_time` (1e-6 s) for all that strike, the limit is taken: the run's
//! own law with restitutions zero, logged with the energy it removed. This is a property of the motion and not of the
//! step; restitution 1 never accumulates by itself. Where something else takes energy, as dry friction of a joint or the
//! stop of another, flights of elastic contacts end as well. What has flown twice for less than `zeno_time` and no higher
//! than `closed_gap`, as which a contact counts as closed, is at its limit whatever its restitution, at the cost of
//! lifting what rests on it to that height. A step with more than `max_impacts_per_step` impacts ends the run with an
//! error that names the contacts.
//!
//! **Capture.** A touch slower than `capture_speed` (1e-3 m/s; 0 makes every touch an event) joins the conditions of
//! the step, 0 ≤ λ ⊥ φ(q₁) ≥ 0, and is held afterwards. Its gap is wrong by at most h · capture_speed inside the step,
//! its energy by the ½ m v² of the approach (v ≤ capture_speed, m the effective mass 1/G_nn); the ledger books it under
//! a name of its own, as what the normal impulses of that step take. A contact with restitution 1 is never captured,
//! unless the law takes no notice of it.
//!
//! **Discs.** The lowest point of a disc with the tilt α runs round its rim; wobbling steadily a thin one of radius R turns
//! with Ω² = 4g/(Rα). A piece of a step follows 1/8 rad of that, of which the midpoint rule misses a part of 1e-3. Where the
//! disc falls past lying flat the point runs round by half a turn at once: what runs further in the shortest piece (h/64) is
//! struck before it, with all of the rim that is no higher than the disc is tilted, as what it is: one impact of a rim. So is
//! a wobble at more than a radian a step whose rim comes down no faster than weight makes it in four steps: 2Rα = 8g/Ω² is
//! 0.08 mm then at a step of a millisecond, and as h² at others.
//!
//! **Fast dampers.** Where an impact sets a joint moving whose damper or servo stops it in less than a step, M/c < h/2, the pieces
//! after it begin at M/c and double: over whole steps the midpoint rule would turn its rate over and over.
//!
//! **Impacts without collision.** A held contact that slides may have no finite force (Painlevé, \[PER\] §4.2). When
//! one that slid sticks in a piece, the piece is tried again over 2⁻²⁰ of its length: finite forces leave next to
//! nothing of the impulse, a jam leaves it as it was. It is then resolved as an impact, by the run's law if that has
//! friction and stops the slide, otherwise by maximum dissipation, and logged as such.
//!
//! # Changes of mode
//!
//! Friction jumps where a slide ends. A step across that moment acts with one friction on both sides, its velocity is
//! wrong by the jump times a share of h, and the run is of order one. So the end of a slide is located like a strike,
//! on the slip of the same step with the friction of that contact kept as it was, which passes zero smoothly. A release
//! is located on the normal force, drawn out from three pieces; without it the state is wrong by O(h²) as well. What is
//! too light to matter is left to the ends of steps: `switch_threshold` (1e-3) beside m g² h² for the power of a slide
//! over the step and beside m g for the change of a normal force, or of the friction with it where that is above 1. The
//! onset of sliding loses no order: friction is the same on both sides.
//!
//! **Branches.** Where the branch of a held motion ends and several others continue (room `friction`), an event says
//! how many there are, or at least are.
//!
//! **Joint limits** are contacts with gap q − q_min or q_max − q, row ±e_i, no friction and a restitution of their own;
//! everything above holds for them. An impact of limits alone is an event of its own kind.
//!
//! # Energy
//!
//! ```text
//! kinetic + potential − (actuators + dissipation + surfaces + impacts + captured) = constant + oscillation of O(h²)        [J]
//! ```
//!
//! [`Energies::balance`]. Work of actuators and dampers is that of the midpoint, force times displacement of the step;
//! that of contact friction is taken at the slip; impacts are what the law's ledger says.
//!
//! Held contacts only take. A piece in which they would more than double the kinetic energy (beside what a fall of that
//! time and touches below `capture_speed` have) is no motion: a nearest point has jumped within it. It is halved, and where
//! that does not help the run stops there. A gain of more than a twentieth is looked at in shorter pieces too, up to six times:
//! over a finite time friction has solutions with impulses that it has over no shorter one.
//!
//! Where a coordinate changes by more than a tenth of a radian in a piece, its equation may have solutions that are none of
//! small h, at a thousand times the speed. Such a piece is halved while forces leave more than a fiftieth of its kinetic energy
//! unexplained, where something is held up to six times.
//!
//! # Order
//!
//! Orders 4, 6 and 8 compose free steps, and steps in which all that is held sticks or is frictionless. Every other
//! step is of order two, also one whose dampers or servos are too fast for stages that run backwards (γ h λ/2 > 1/2, λ their
//! fastest rate, γ h the longest of those): then they would work. With events located, sliding and striking runs keep order
//! two; a switch that is not located costs one order in that step.
//!
//! # What is declared
//!
//! The same inputs give the same bits, whatever the number of threads of a batch ([`run_batch`]) and whether a run was
//! stopped and taken up again from its [`State`]. Existence: a step that cannot be solved is halved up to a limit and
//! then an error, with the simulation where it stood. Uniqueness is what the verdicts say, of impacts and of branches;
//! between events the step's equation has one solution for small h. `linearize` gives the last step's linear part if it
//! is whole and without an event.
//!
//! # Derivatives of runs
//!
//! ```text
//! piece:   δx ← A δx + b_t δt + b_τ δτ                  r = 0, differentiated; t the present moment, τ the piece's length
//! event:   Dg δx = 0  ⇒  δτ = −Dg (A δx + b_t δt) / (Dg b_τ)        what is located there stays located
//! clock:   δτ = −δt                                                 the end of a step does not move
//! strike:  δx ← D R δx                                              the impact law on what strikes
//! ```
//!
//! [`Simulation::recorded_derivative`] differentiates the equations that the run solved, those of its events included: it is
//! the derivative of the discrete motion at every order, with no saltation matrix and no limit of small steps.
//! [`Simulation::recorded_gradient`] sweeps back instead: one number by the start and by the forces of all steps. Both exist
//! where contacts strike one at a time and no friction jams. [`Parameter`]s (masses, lengths, friction, gains) enter each line
//! by its own change at a constant state, which differences of the equations give without another run.
//!
//! # Limits
//!
//! Bodies are rigid and contacts points of smooth or boxy surfaces. Events inside one step are handled one after the
//! other, in the order of their times on the flow. Gaps are sampled by cubics: a function that wiggles more than a
//! cubic within one step can hide a touch; a smaller step shows it. Nothing here says that a motion through a
//! simultaneous impact is continuous or differentiable in its initial state.
//!
//! # Example
//!
//! Two feet strike at once. The bar's inertia decides whether the order matters.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::contact::{Combination, Contacts, Material, Site, Terrain};
//! use carom::hybrid::{Simulation, Unwatched};
//! use carom::impact::verdict::certify;
//! use carom::model::{Base, Link, ModelBuilder};
//! use nalgebra::{Matrix3, Vector3};
//!
//! let unique = |inertia: f64| -> Result<bool, Box<dyn std::error::Error>> {
//!     let turn = Matrix3::from_diagonal(&Vector3::repeat(inertia));
//!     let bar = Link::new("bar").inertial(1.0, Vector3::zeros(), turn);
//!     let model = ModelBuilder::new("bar").base(Base::Planar).link(bar).build()?;
//!     let steel = Material::new(0.0, 1.0);
//!     let left = Site::point(&model, "left", "bar", [-1.0, 0.0, 0.0], steel)?;
//!     let right = Site::point(&model, "right", "bar", [1.0, 0.0, 0.0], steel)?;
//!     let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], steel);
//!     let contacts = Contacts::new(&model, vec![left, right], vec![floor], &[], Combination::Minimum)?;
//!     let builder = Simulation::builder(model).contacts(contacts).position("base.z", 0.1);
//!     let mut simulation = builder.capturing_first_impact().build()?;
//!     simulation.run_until(0.2, &mut Unwatched)?;
//!     let impact = simulation.captured_impact().ok_or("no impact")?;
//!     assert!((impact.time - (0.2_f64 / 9.81).sqrt()).abs() < 1e-9);
//!     Ok(certify(impact.without_friction.contact_space(), 1e-9)?.is_some())
//! };
//! // Gram matrix 1/m ± l²/I: orthogonal for I = m l².
//! assert!(unique(1.0)? && !unique(1.3)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod builder;
mod collision;
mod error;
mod event;
mod flow;
mod node;
mod run;
mod settings;
mod simulation;
mod solver_counts;
mod state;
mod state_check;
mod watcher;

pub use batch::{Batch, BatchError, Simulated, run_batch};
pub use builder::{BuildError, SimulationBuilder};
pub use error::SimulationError;
pub use event::{Event, EventKind, EventNote, HoldMode, ImpactRecord};
pub(crate) use flow::{Descent, StepCubic};
pub use run::{RunError, RunStop};
pub use settings::SimulationSettings;
pub use simulation::{
    CapturedImpact, Energies, Fork, LinearizeError, Parameter, RunDerivative, RunGradient,
    Simulation, StepSummary,
};
pub use solver_counts::SolverCounts;
pub use state::{State, WorkLedger};
#[doc(hidden)]
pub use state_check::LARGEST_COUNT;
pub use watcher::{Unwatched, Watcher};
