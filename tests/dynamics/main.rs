//! Robots and their steps without contact: files, algorithms, springs, dry friction in joints, the integrator.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod algorithms;
mod armature;
mod composite_joints;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/free_steps.rs"]
mod free_steps;
mod integrator;
mod inverse_dynamics;
mod joint_friction;
mod linear_bodies;
mod linear_part;
mod long_runs;
mod methods;
mod mimic;
mod point_springs;
mod robots;
mod stiff_point_springs;
mod urdf;
