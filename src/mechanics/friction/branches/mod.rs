//! The room friction.branches.

mod branch_path;
#[cfg(test)]
mod branch_path_tests;
mod continuations;

pub(crate) use branch_path::{BranchPath, Solution};
pub(crate) use continuations::count_solutions_around;
pub use continuations::{Continuations, count_solutions};
