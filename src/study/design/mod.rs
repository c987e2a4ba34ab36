//! The room study.design.

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
