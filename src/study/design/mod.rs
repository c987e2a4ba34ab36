//! A design file solved: a robot whose contacts meet at wanted kinetic angles where it stands, so that impacts there have one
//! outcome.
//!
//! A [`DesignFile`] names a robot with parameters, stances, the contacts that touch in each, and what may change: lengths and
//! masses of the robot, coordinates of the stance. [`DesignStudy`] makes a [`DesignProblem`](crate::design::DesignProblem) of
//! it, the room `design` solves that, and [`DropEvidence`] is what the tuned robot does: dropped with its contacts in both
//! orders, how far the two runs come apart.
//!
//! Lengths are in m, masses in kg, angles in rad; cosines are pure numbers, −1 to 1, 0 where contacts are orthogonal.
//!
//! Source: \[SM\] §VII; what is more general is said on the page of `design`.
//!
//! # Example
//!
//! ```
//! use carom::design::{DesignStatus, solve_start};
//! use carom::study::design::DesignStudy;
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/trex/design.toml");
//! let study = DesignStudy::read(file.as_ref(), &[])?;
//! let (_, solved) = solve_start(&study.problem, &study.design.solver.settings(), 0, 0, &|_| {});
//! let solved = solved?;
//! assert_eq!(solved.status, DesignStatus::Converged);
//! // The robot at the design, as a file that any program reads.
//! let urdf = study.robot.text(&solved.variables[..study.problem.parameter_count()])?;
//! assert!(urdf.contains("<robot"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod drop;
mod evidence;
mod file;
mod report;
mod robot;
mod solver;
mod study;

pub use drop::DropEntry;
pub use evidence::{DropEvidence, DropRun};
pub use file::{
    ActEntry, DesignFile, FreeEntry, KeepEntry, KeepKind, MotionEntry, ParameterEntry, StanceEntry,
    TargetEntry,
};
pub use report::{BeforeAfter, CosineEntry, DesignReport, MotionReport};
pub use robot::ParametricRobot;
pub use solver::{Global, SolverEntry};
pub use study::{DesignStudy, DesignStudyError};
