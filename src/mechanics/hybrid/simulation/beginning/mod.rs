//! How a simulation begins, and begins again.

mod restart;
mod start;
