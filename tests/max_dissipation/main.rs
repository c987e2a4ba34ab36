//! The maximum dissipation law against reference values, brute force and its own optimality conditions.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod optimality;
mod problems;
mod reference;
mod several;
