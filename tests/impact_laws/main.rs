//! Impact laws on single problems: reference cases, closed forms, second algorithms, and what each law promises on random
//! problems.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod compliant;
mod declared;
mod lcp_law_properties;
/// The maximum dissipation law against reference values, brute force and its own optimality conditions.
mod max_dissipation {
    mod optimality;
    pub mod problems;
    mod reference;
    mod rod;
    mod several;
}
#[path = "../support/painleve.rs"]
mod painleve;
mod plus_examples;
mod plus_jams;
mod plus_pendulum;
mod plus_properties;
mod propagative_cases;
mod propagative_properties;
mod propagative_reference;
mod propagative_sensitivity;
mod published;
#[path = "../support/random_impacts.rs"]
mod random_impacts;
mod set_valued;
mod set_valued_cases;
mod stronge_closed_forms;
mod stronge_data;
mod stronge_dependent_rows;
mod stronge_ode;
mod stronge_process;
mod stronge_properties;
mod stronge_reference;
mod stronge_sequences;
mod uniqueness;
