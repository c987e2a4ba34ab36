//! Time of one resolution by each impact law, one file a law. Identifiers are stable:
//! `impact/<law>/<size or example>`.

use criterion::{criterion_group, criterion_main};

#[path = "../support/impact_cases.rs"]
mod impact_cases;
mod max_dissipation;
mod plus;
mod propagative;
mod set_valued;
mod stronge;

criterion_group!(
    laws,
    propagative::single,
    propagative::enumerate,
    max_dissipation::single,
    plus::brick,
    set_valued::routh,
    set_valued::routh_increment,
    set_valued::anitescu_potra,
    stronge::single
);
criterion_main!(laws);
