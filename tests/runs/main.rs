//! Runs with events, built in code: the way into a simulation, impacts and their verdicts on the way, gaits, grains.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod arcs_on_hills;
mod belts;
mod bodies;
mod branch_events;
mod bystanders;
mod cans;
mod captures;
mod dampers;
mod derivatives;
mod discs;
mod discs_on_hills;
mod drives;
mod edges;
mod flats;
#[path = "../support/folder.rs"]
mod folder;
mod front_door;
mod gaits;
mod granular;
mod ground;
mod handed_over;
mod hooked;
mod hooks;
mod joint_stops;
mod latches;
mod laws_in_runs;
mod level;
mod light_limbs;
mod loose;
mod many_sites;
mod objects;
mod orbit_branches;
mod orbit_questions;
mod orbit_shooting;
mod orbits;
mod own_law;
#[path = "../support/painleve.rs"]
mod painleve;
mod parameters;
mod passages;
mod planar_cans;
mod random_drops;
mod redundant;
mod robots;
mod shaken;
mod shipped;
mod shipped_gaits;
mod sides;
mod simulation;
mod switches;
mod unresolved;
mod verdicts_in_runs;
mod whole_runs;
mod whole_shapes;
mod wobbling;
