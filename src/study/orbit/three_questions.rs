//! Has an orbit on which two contacts strike at once any multipliers? Three questions on a bar on two feet.
//!
//! A rigid bar (mass m, inertia I about its centre) comes down flat, once a period T, on two point feet at (∓a, −h) from its
//! centre, each with restitution e. The ground is a table that shakes by A sin ωt; seen from it, the bar feels gravity g and
//! the force m F sin ωt with F = Aω². A spring k holds the pitch θ near zero. `robots/bar/two_feet.toml` is that bar with
//! m = 1 kg, I = 0.04 kg m², a = 0.2 m, h = 0, e = 0.8, T = 0.2 s, A = 6 mm.
//!
//! The gaps are z ∓ a sin θ − h cos θ. At θ = 0 their gradients are u_A = (1, −a) and u_B = (1, a), and in the kinetic metric
//!
//! ```text
//! ⟨u_A, u_A⟩ = 1/m + a²/I,   ⟨u_A, u_B⟩ = 1/m − a²/I,   cos = (κ − 1)/(κ + 1)  with κ = I/(m a²)
//! ```
//!
//! # Is there an orbit?
//!
//! For that the outcome at the coincidence is enough. A flat bar strikes with −u on both feet and, by symmetry, leaves with
//! e u on both, if the law says one thing there. Then it is a ball on the table: in the frame of the room it leaves with gT/2 and
//! comes back with −gT/2, which asks of the table the velocity c = (gT/2)(1 − e)/(1 + e) at the strike, so that u =
//! gT/(1 + e) and cos φ = c/(Aω) for its phase φ. It exists where F ≥ F₀ = πg(1 − e)/(1 + e) = 3.42434 m/s²: two orbits, with
//! sin φ of either sign, which meet in a fold there. None of this depends on I, a or h.
//!
//! # What are its multipliers?
//!
//! A small deviation δ reaches the strike φ(q) = 0 earlier or later, and goes through it by the saltation matrix, R the
//! reset, f the rate of the state:
//!
//! ```text
//! S = DR + (f⁺ − DR f⁻) Dφ / (Dφ f⁻)
//! ```
//!
//! For the height of a ball, with γ = F sin φ − g its acceleration at the strike,
//!
//! ```text
//! S = [ −e,  0;  −σ,  −e ],   σ = (1 + e) γ / u = (1 + e)² γ / (g T)
//! ```
//!
//! and after a flight of T in all: μ² + (2e + σT) μ + e² = 0. Where the normals are orthogonal (κ = 1) and h = 0 the feet
//! are two balls that do not know of each other: the gap of each goes through the same S, and so do height and pitch. Pitch
//! swings between strikes with ν = √(k/I), and its multipliers obey μ² + (2e cos νT + σ sin νT / ν) μ + e² = 0. For the
//! bar above that is 0.022175 ± 0.799693 i and 0.360159 ± 0.714343 i, all of modulus e.
//!
//! # Has it any?
//!
//! A neighbour that is pitched by θ meets A first if θ > 0, then B; otherwise the other way round. Each strike is one
//! of a single contact: the law's answer for both at once is not asked. So the map beside the orbit is made of two maps,
//! which must agree on the orbit for it to be continuous, and must have one derivative there for it to be differentiable.
//!
//! **Orthogonal, h = 0**: a strike of A changes nothing of the gap of B. Both maps are the one above: *differentiable*.
//!
//! **Orthogonal, h > 0**: the normals turn with the bar. A strikes at the pitch δ and leaves the pitch rate −(1 + e)u/(2a); B
//! comes 2aδ/u later, at the pitch −eδ, and its normal is (1, a − ehδ). To first order in δ
//!
//! ```text
//! J_A = (m/2)(1 + e) u (1 + hδ/a),   ġ_B = −u + (1 + e)² u hδ/(2a),   J_B = −(m/2)(1 + e) ġ_B (1 + ehδ/a)
//! ż⁺ = e u + C |δ|,   C = (1 + e)² (1 − e) u h / (4a)
//! ```
//!
//! since the mirror image has the same height. One outcome, two derivatives, that differ by the sign of what couples pitch to
//! height: *piecewise*. There are directional derivatives, and no multipliers. It vanishes for h = 0 and for e = 1. With
//! h = 0.1 m, C = 0.08829 m/s per radian. Orthogonal normals make the motion continuous, and no more.
//!
//! **Not orthogonal**: take the uniform bar whose feet are at its ends, κ = 1/3, cosine −1/2. A strike of A changes the gap rate
//! of B by half of what it changes its own, with the other sign. In units of u,
//!
//! ```text
//! (−1, −1)  A  (0.8, −1.9)  B  (−0.91, 1.52)  A  (0.728, 0.701)
//! ```
//!
//! and the other order ends at (0.701, 0.728). The bar that comes down flat leaves flat, and beside it bars leave with pitch
//! rates ∓0.027 u/(2a): *discontinuous*. That holds although the law has a unique outcome for every momentum at the
//! coincidence. With e = 1 both orders end at (1, 1), and it is continuous with two derivatives.
//!
//! So a unique outcome at the coincidence, a continuous map and a differentiable one are three things. `carom orbit` looks
//! at the map itself from both sides along every coordinate, says which it is, and calls an orbit neither stable nor
//! unstable where there is no derivative to say it by.
//!
//! # Example
//!
//! ```
//! use carom::scenario::{Experiment, Scenario};
//! use carom::study::orbit::{Differentiability, find_orbit};
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/bar/two_feet.toml");
//! let look = |keys: &[&str]| -> Result<_, Box<dyn std::error::Error>> {
//!     let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
//!     Ok(find_orbit(&Experiment::new("bar", Scenario::read(&file, &keys)?)?, 0)?)
//! };
//! let level = look(&[])?;
//! assert_eq!(level.differentiability, Some(Differentiability::Differentiable));
//! assert_eq!(level.stable, Some(true));
//! // The feet at the ends of a uniform bar of that inertia.
//! let ends = ["contact.site.0.position.0=-0.34641016151377546", "contact.site.1.position.0=0.34641016151377546"];
//! let uniform = look(&ends)?;
//! assert_eq!(uniform.differentiability, Some(Differentiability::Discontinuous));
//! assert_eq!((uniform.stable, uniform.multipliers.len()), (None, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
