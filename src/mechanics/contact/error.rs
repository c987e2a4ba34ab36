use thiserror::Error;

use super::Material;
use crate::files::brief;

/// Why sites and terrains do not make contacts.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ContactError {
    /// A name that tables and expressions could not tell from others.
    #[error("the {kind} {name:?} cannot be named so: {reason}")]
    BadName {
        /// `contact site`, `terrain` or `contact`.
        kind: &'static str,
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Two things have one name, so an event could not say which is meant.
    #[error("two {kind}s are named \"{name}\"; names must be unique")]
    DuplicateName {
        /// `contact site`, `terrain` or `contact`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A pair names a site that does not exist.
    #[error("pair \"{pair}\": there is no contact site \"{site}\"{}", .nearest.as_ref().map_or(String::new(), |n| format!("; did you mean \"{n}\"?")))]
    UnknownSite {
        /// The pair, `<a>-<b>`.
        pair: String,
        /// The name that was asked for.
        site: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
    /// The two sites of a pair cannot touch each other.
    #[error("pair \"{pair}\": {reason}")]
    ImpossiblePair {
        /// The pair, `<a>-<b>`.
        pair: String,
        /// Why, and what would be right.
        reason: &'static str,
    },
    /// A latch that cannot hold a joint.
    #[error("latch of joint \"{joint}\": {reason}")]
    ImpossibleLatch {
        /// The joint.
        joint: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// A number is NaN, infinite or out of range.
    #[error("{place} is {}, it must be {range}", brief(*.value))]
    BadNumber {
        /// Where the number stands.
        place: String,
        /// The number.
        value: f64,
        /// What would be right.
        range: &'static str,
    },
    /// A direction has no length.
    #[error("{place} has zero length; give it a direction such as (0, 0, 1)")]
    ZeroDirection {
        /// Where the direction stands.
        place: String,
    },
    /// The two axes of an arc do not span its plane at right angles.
    #[error(
        "contact site \"{site}\": the cosine of the arc's axes is {cosine:e}, they must be orthogonal"
    )]
    ObliqueAxes {
        /// Name of the site.
        site: String,
        /// Cosine of the angle between the axes.
        cosine: f64,
    },
    /// A site sits on a body that the model does not have.
    #[error(
        "contact site \"{site}\" is on body {body}, but the robot has {bodies} bodies; make the site from this robot"
    )]
    ForeignBody {
        /// Name of the site.
        site: String,
        /// Index of the body.
        body: usize,
        /// Number of bodies of the model.
        bodies: usize,
    },
    /// Heights do not make a grid.
    #[error("height field: {reason}")]
    HeightGrid {
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A site is larger than the valleys of a height field.
    #[error(
        "contact site \"{site}\" of radius {} m does not fit into a valley of terrain \"{terrain}\" of radius {} m at x = {} m, y = {} m; smooth the heights, use larger cells, or make the site smaller",
        brief(*.radius), brief(*.valley), brief(.place[0]), brief(.place[1])
    )]
    TooNarrow {
        /// Name of the site.
        site: String,
        /// Name of the terrain.
        terrain: String,
        /// Of the site, with the tube of a circle \[m\].
        radius: f64,
        /// Radius of curvature of the valley \[m\].
        valley: f64,
        /// x and y \[m\].
        place: [f64; 2],
    },
}

/// Refuses NaN and infinities.
pub(super) fn check_finite(place: &str, numbers: &[f64]) -> Result<(), ContactError> {
    check_range(place, numbers, "finite", |_| true)
}

/// Refuses numbers that are not finite or outside of a range.
pub(super) fn check_range(
    place: &str,
    numbers: &[f64],
    range: &'static str,
    inside: impl Fn(f64) -> bool,
) -> Result<(), ContactError> {
    match numbers.iter().find(|x| !x.is_finite() || !inside(**x)) {
        None => Ok(()),
        Some(&value) => Err(ContactError::BadNumber {
            place: place.to_string(),
            value,
            range,
        }),
    }
}

/// Coefficients of friction above this are refused: with it everything sticks that presses at all, and beside much larger
/// ones nothing is left of the digits of normal impulses.
const MOST_FRICTION: f64 = 1e12;

/// Refuses friction below zero or beyond all materials, and restitution outside of \[0, 1\].
pub(super) fn check_material(place: &str, material: &Material) -> Result<(), ContactError> {
    check_range(
        &format!("{place}: friction"),
        &[material.friction],
        "between 0 and 1e12",
        |x| (0.0..=MOST_FRICTION).contains(&x),
    )?;
    check_range(
        &format!("{place}: restitution"),
        &[material.restitution],
        "between 0 and 1",
        |x| (0.0..=1.0).contains(&x),
    )
}
