//! Pieces of the fixed world of a scenario.
//!
//! A kind is a file with its keys, which implement [`TerrainKind`], and a line in [`every_kind`]: `kind` in `[[terrain]]` is
//! the name of its variant in kebab case. Every kind has the keys `name`, `friction` and `restitution`, each written in its
//! own struct: serde cannot refuse unknown keys of a struct that takes others in by `flatten`.

mod r#box;
mod heading;
mod height_field;
mod kind;
mod motion;
mod plane;
mod ramp;
mod ranges;
mod slope;
mod stairs;
mod stepping_stones;

/// Calls a macro with the kinds of terrain, each with its file and its keys, in the order of schemas and messages.
macro_rules! every_kind {
    ($with:ident) => {
        $with! {
            /// Half-space below a plane.
            Plane(plane::PlaneEntry),
            /// Axis-aligned box: a step.
            Box(r#box::BoxEntry),
            /// Heights over a grid, smoothly interpolated: of a file, an expression, or written here.
            HeightField(height_field::HeightsEntry),
            /// A plane that rises in a direction.
            Slope(slope::SlopeEntry),
            /// Ground that rises from one level to another.
            Ramp(ramp::RampEntry),
            /// A flight of steps: boxes `<name>.1`, `<name>.2`, …
            Stairs(stairs::StairsEntry),
            /// Separate boxes to step on: `<name>.1`, `<name>.2`, …
            SteppingStones(stepping_stones::SteppingStonesEntry),
        }
    };
}
use every_kind;

pub(crate) use heading::Heading;
pub(crate) use kind::TerrainEntry;
use kind::TerrainKind;
use motion::MotionEntry;
use ranges::{check_angle, check_count, check_positive};
