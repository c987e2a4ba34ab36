//! Robots, their contacts and their steps without impacts: files, algorithms, springs, dry friction in joints, the integrator;
//! where contacts are, and steps in which they are held with friction.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod algorithms;
mod armature;
mod composed_contacts;
mod composed_dampers;
mod composite_joints;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/free_steps.rs"]
mod free_steps;
mod friction_in_space;
mod friction_modes;
/// Gaps, frames and rows of contacts against dual numbers, closed forms and brute force.
mod geometry {
    mod carried;
    mod circle_box;
    mod collision;
    mod coverage;
    mod heights;
    mod limits;
    mod places;
    mod refusals;
    mod rows;
    mod shapes;
    mod sites;
    mod support;
}
mod held_contacts;
mod integrator;
mod inverse_dynamics;
mod joint_friction;
mod limited_servos;
mod linear_bodies;
mod linear_part;
mod long_runs;
mod methods;
mod mimic;
mod point_springs;
mod robots;
mod stiff_point_springs;
mod urdf;
