//! The room contact.geometry.

mod circle_box;
mod circle_heights;
mod circle_search;
mod circle_sector;
mod coverage;
mod crossing;
mod cylinder;
mod cylinder_part;
mod extent;
mod gap;
mod ground;
#[cfg(test)]
mod moved_circles;
mod outline;
mod overlap;
mod place;
mod planar;
mod plane_below;
mod rim_edge;
mod rim_meeting;
mod rim_rim;
mod smooth_touch;

pub(crate) use circle_box::{circle_box, slope_at};
pub(crate) use circle_sector::{
    SectorPoint, angle_of, inside_of_sector, sector_point, touch_beside, touch_fixed, touch_sector,
};
pub(crate) use coverage::ExposedBox;
pub(crate) use crossing::{Block, Crossing, Meeting};
pub(crate) use cylinder::{CYLINDER_FACES, Cylinder};
pub(crate) use cylinder_part::{CylinderParts, Part};
pub(crate) use extent::{Extent, FACES, face_of};
pub(crate) use gap::{
    BESIDE, Circle, DEEP, Touch, ball_ball, ball_box, ball_plane, reach_behind, value,
};
pub(crate) use ground::{Ground, grounds};
pub(crate) use outline::{Outline, outline};
pub(crate) use overlap::{OverlapSearch, Solid, overlap_at_most};
pub(crate) use place::{
    FLAT, LONGEST_HALF, Place, RIM_POINTS, Sector, is_beside, sectors, wrapped,
};
pub use planar::planar_normal;
pub(crate) use planar::{planar_with, smooth_tangents, tangents, tangents_along};
pub(crate) use plane_below::{UPRIGHT, plane_below};
pub(crate) use rim_edge::RimEdge;
pub(crate) use rim_meeting::RimMeeting;
pub(crate) use rim_rim::CylinderRim;
pub(crate) use smooth_touch::{ball_smooth, circle_smooth, lowest_on_smooth, slope_on_smooth};
