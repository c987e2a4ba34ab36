//! Functions that look into something as a whole: impacts, orbits, designs, baselines.

mod answers;
mod baselines;
mod designs;
mod orbits;

pub(super) use answers::{compare, impact};
pub(super) use baselines::{record_baseline, verify_baseline};
pub(super) use designs::design;
pub(super) use orbits::{find_orbits, orbit, orbit_basin, scan_orbit};
