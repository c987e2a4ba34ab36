//! Robots tuned on a periodic orbit: contacts that strike together there are made kinetically orthogonal, or what the gait
//! costs is made small.
//!
//! A change of a length or a mass changes the orbit, and with it the state in which contacts strike. So the orbit is part of
//! the problem:
//!
//! ```text
//! P(z; x) = z          the orbit z of the robot with parameters x           (room `study::orbit`)
//! c_ij(z; x) = c*      kinetic cosines of contacts that strike together     0, −cos(π/m), or a number
//! φ_i(z; x) = φ_j      contacts that are named in `touch` and do not yet
//! ```
//!
//! P is solved for every x, from the nearest orbit known, and Newton steps in x go to the design nearest to the start (room
//! `design`, re-anchored steps of least norm within bounds). Derivatives by x are central differences of what the orbits say.
//! With `minimise` or `maximise` a simplex looks for the best among these designs.
//!
//! Cosines of zero make the return map continuous. Whether it is differentiable as well depends on what happens between the
//! strikes ([`three_questions`](crate::study::orbit::three_questions)); the answer says what the return map was and is: its
//! limits from all sides, the outcomes of separate impacts in every order, multipliers where it has any.
//!
//! Limits: contacts that strike one by one are brought together only from gaps of `together` (1e-4 m); cosines are those of
//! normals, and friction at contacts that strike is not in them.
//!
//! # Example
//!
//! A bar of mass m and inertia I on two feet, ±a from its centre: orthogonal for a = √(I/m), whatever shakes it.
//!
//! ```
//! use carom::study::orbit::Differentiability;
//! use carom::study::orbit_design::OrbitDesignStudy;
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/bar/design.toml");
//! let design = OrbitDesignStudy::read(&file, &[])?.solve(&|_| {})?;
//! let [before, after] = [&design.report.orbit.before, &design.report.orbit.after];
//! assert_eq!(before.differentiability, Some(Differentiability::Discontinuous));
//! assert_eq!(after.differentiability, Some(Differentiability::Differentiable));
//! let (inertia, mass) = (0.04_f64, 1.0);
//! assert!((design.report.parameters["half_width"].after - (inertia / mass).sqrt()).abs() < 1e-9);
//! # Ok::<(), carom::study::orbit_design::OrbitDesignError>(())
//! ```

mod error;
mod file;
mod objective;
mod problem;
mod report;
mod robot;
mod strike;
mod study;

pub use error::OrbitDesignError;
pub use file::{
    Maximised, Minimised, OrbitAct, OrbitDesignFile, OrbitDesignSolver, OrbitParameter,
    OrbitStance, StrikeTarget,
};
pub use report::{ObjectiveReport, OrbitDesignReport, StrikeCosine, StrikeReport};
pub use robot::ParametricScenario;
pub use study::{OrbitDesign, OrbitDesignStudy};
