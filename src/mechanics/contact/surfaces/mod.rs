//! Surfaces that sites touch: terrain, pieces of it that shake, what bodies carry, smooth ground.

mod carried;
mod carried_flats;
mod carried_listing;
mod carried_rims;
mod drawn;
mod shaking;
mod smooth;
mod terrain;

pub(super) use carried::Carrier;
pub use carried::{CarriedSurface, collision_surfaces};
pub use drawn::Drawn;
pub use shaking::Shaking;
pub(crate) use smooth::{CylinderSide, SHORTEST, SmoothGround};
pub use smooth::{Height, HeightField, OwnSurface, Proximity, SmoothSurface};
pub use terrain::{Surface, Terrain};
