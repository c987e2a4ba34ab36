//! Systems to compare with: collisions that take time, and granular flow. Not part of the core; nothing of it is used
//! by a run of a robot.
//!
//! `compliant` replaces an impact law by stiff springs and dampers and integrates through the collision, to see what a
//! law should tend to. `granular` steps many free spheres through a channel, to compare laws of friction at large
//! scale, as \[PER\] does.
//!
//! Sources: \[USD\] and Hunt & Crossley 1975 for `compliant`, \[PER\] §3.1 and §4.3 for `granular`. Their pages have the
//! equations with their units, and examples.

pub mod compliant;
pub mod granular;
