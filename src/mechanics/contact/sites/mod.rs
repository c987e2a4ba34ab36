//! Places of links that touch: points, arcs, shapes, and those that come from the collision shapes of a description.

mod collision_shapes;
mod inactivity;
mod site;
mod support_points;

pub use collision_shapes::{CollisionKind, MeshPoints, collision_sites, mesh_points};
#[doc(hidden)]
pub use collision_shapes::{fixed_collision_sites, hull, mesh_points_by};
pub use inactivity::Inactivity;
pub(super) use site::corners;
pub use site::{Site, SiteShape, sphere_sites};
