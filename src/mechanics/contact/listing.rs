//! Which contacts sites, terrain and joints can make, and what they are called.

use std::collections::HashSet;
use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::joints::JointLimit;
use super::{
    Combination, ContactError, Crossing, CylinderRim, Ground, Material, Outline, Part, Place,
    RIM_POINTS, RimEdge, Sector, Site, SiteShape, Surface, Terrain, sectors,
};

/// A place of a site over a piece of terrain, or over a surface that a body carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SiteOver {
    pub site: usize,
    pub place: Place,
    pub terrain: usize,
    /// Which part of a surface that a body carries.
    pub part: Part,
}

/// What the rim of a disc meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ridge {
    /// An edge of a box of terrain, or of one that a body carries; arcs meet it as well.
    Edge(RimEdge),
    /// The rim of a cylinder that a body carries.
    Rim(CylinderRim),
}

/// The rim of a disc, or an arc, over what it meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RimOver {
    /// The circle, in its nearest place.
    pub over: SiteOver,
    pub ridge: Ridge,
}

/// Edges or sides of two shapes, the first carried by a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgePair {
    pub shapes: [usize; 2],
    pub crossing: Crossing,
}

/// A corner of a box over a shape that a body carries, of terrain in the world, of what a body carries, over the flat of a disc, in
/// the frame of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CornerOver {
    pub carried: usize,
    /// The box.
    pub piece: usize,
    pub corner: Vector3<f64>,
}

/// What makes a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sides {
    Terrain(SiteOver),
    Rim(RimOver),
    Edges(EdgePair),
    Corner(CornerOver),
    /// Two balls.
    Pair([usize; 2]),
    /// A joint and its limit.
    Limit(JointLimit),
}

/// A contact that may happen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Potential {
    pub name: String,
    pub sides: Sides,
    pub material: Material,
}

/// Places of a site with the ends of their names. In a planar model a circle across the plane of
/// motion keeps its tilt and has no rim points. Over what may bend a circle has one in each of its parts there, twice as many as over
/// a plane.
pub(super) fn places(
    site: &Site,
    outline: &Outline,
    planar: Option<&Vector3<f64>>,
    may_bend: bool,
) -> Vec<(String, Place)> {
    let mut places = vec![(String::new(), Place::Nearest)];
    let Outline::Circle {
        axes,
        radius,
        range,
        ..
    } = outline
    else {
        return places;
    };
    let point = |angle: f64| {
        let (s, c) = angle.sin_cos();
        site.center + (axes[0] * c + axes[1] * s) * *radius
    };
    let rim = |sector: Sector, is_between: bool| Place::Rim {
        sector,
        point: point(sector.middle),
        is_between,
    };
    let own = sectors(*range);
    match range {
        Some([start, end]) => {
            for (name, last, angle) in [("start", false, start), ("end", true, end)] {
                let point = point(*angle);
                places.push((format!(":{name}"), Place::End { last, point }));
            }
            if planar.is_none() && may_bend {
                // Every second one is no farther from the next, or from an end, than points over a plane.
                let named = |(k, own): (usize, Sector)| {
                    (format!(":{}", k + 1), rim(own, k.is_multiple_of(2)))
                };
                places.extend(own.enumerate().map(named));
            } else if planar.is_none() {
                let parts = ((end - start) / TAU * RIM_POINTS as f64).ceil();
                let inside = (1..parts as usize).map(|i| {
                    let middle = start + (end - start) * i as f64 / parts;
                    let half = (end - start) / (2.0 * parts);
                    (format!(":{i}"), rim(Sector { middle, half }, false))
                });
                places.extend(inside);
            }
        }
        None if planar.is_some() => {}
        None => {
            let (points, between): (Vec<_>, Vec<_>) =
                own.enumerate().partition(|(k, _)| k.is_multiple_of(2));
            let point = |(k, own): (usize, Sector)| (format!(":{}", k / 2), rim(own, false));
            places.extend(points.into_iter().map(point));
            if may_bend {
                let name = |i: usize| format!(":{i}{}", (i + 1) % RIM_POINTS);
                let between = between.into_iter();
                places.extend(between.map(|(k, own)| (name(k / 2), rim(own, true))));
            }
        }
    }
    places
}

/// The same over a surface that a body carries, with its part: of a circle on a cylinder its side and both ends, of which `is_second`
/// says what [`Part::End`] does, of the lower and the upper one.
pub(super) fn places_on(
    site: &Site,
    outline: &Outline,
    planar: Option<&Vector3<f64>>,
    ground: &Ground,
    is_second: [bool; 2],
) -> Vec<(String, Place, Part)> {
    let of = |may_bend: bool| places(site, outline, planar, may_bend).into_iter();
    let is_full = planar.is_none() && outline.disc().is_some();
    // Around an axis lowest points are in parts of the rim alone; that of an arc is there to be reported.
    let around = || of(true).filter(|(_, place)| !is_full || *place != Place::Nearest);
    let whole = |(name, place)| (name, place, Part::Whole);
    match (ground, outline) {
        (Ground::Cylinder(_), Outline::Circle { .. }) => {}
        (Ground::Smooth(surface), _) if surface.has_axis() || outline.is_arc() => {
            return around().map(whole).collect();
        }
        _ => return of(false).map(whole).collect(),
    }
    // The tips of an arc are balls: their own over all of it.
    let is_tip = |place: &Place| matches!(place, Place::End { .. });
    let side = of(true).filter(|(_, place)| planar.is_some() || *place != Place::Nearest);
    let side = side.map(|(name, place)| (format!("{name}:side"), place, Part::Side));
    let ends = places_on_ends(site, outline, planar, is_second);
    let faces = side.chain(ends).filter(|(_, place, _)| !is_tip(place));
    let tips = of(false).filter(|(_, place)| is_tip(place)).map(whole);
    faces.chain(tips).collect()
}

/// The same over both ends of a cylinder alone.
pub(super) fn places_on_ends(
    site: &Site,
    outline: &Outline,
    planar: Option<&Vector3<f64>>,
    is_second: [bool; 2],
) -> impl Iterator<Item = (String, Place, Part)> {
    let ends = [("lower", false), ("upper", true)].into_iter();
    ends.flat_map(move |(word, upper)| {
        let end = move |(name, place)| {
            let is_rim = matches!(place, Place::Rim { .. });
            let is_second = is_rim && is_second[usize::from(upper)];
            let part = Part::End { upper, is_second };
            (format!("{name}:{word}"), place, part)
        };
        places(site, outline, planar, false).into_iter().map(end)
    })
}

/// The places of a circle at the edges of a box, with the ends of their names: both ends of chords, none in a planar model, where they
/// are the same, and where an arc bends around an edge.
pub(super) fn at_edges(
    over: SiteOver,
    ground: &Ground,
    outline: &Outline,
    planar: Option<&Vector3<f64>>,
) -> Vec<(String, Sides)> {
    let (Ground::Box(exposed), Outline::Circle { .. }) = (ground, outline) else {
        return Vec::new();
    };
    let chords = RimEdge::chords().filter(|_| planar.is_none());
    let around = RimEdge::around()
        .filter(|edge| outline.is_arc() && planar.is_none_or(|normal| edge.is_along(normal)));
    chords
        .chain(around)
        .filter(|edge| edge.is_of(exposed))
        .map(|edge| {
            let rim = RimOver {
                over,
                ridge: Ridge::Edge(edge),
            };
            (format!(":{}", edge.word()), Sides::Rim(rim))
        })
        .collect()
}

/// Refuses heights with valleys narrower than a site: it would touch them in two places at once.
pub(super) fn check_fits(
    site: &Site,
    outline: &Outline,
    terrain: &Terrain,
) -> Result<(), ContactError> {
    let Surface::Heights(field) = &terrain.surface else {
        return Ok(());
    };
    let radius = outline.size();
    match field.too_narrow(radius) {
        None => Ok(()),
        Some((place, curvature)) => Err(ContactError::TooNarrow {
            site: site.name.clone(),
            terrain: terrain.name.clone(),
            radius,
            valley: 1.0 / curvature,
            place,
        }),
    }
}

/// Radius of a ball-shaped site.
pub(super) fn ball_radius(site: &Site) -> Option<f64> {
    match site.shape {
        SiteShape::Point => Some(0.0),
        SiteShape::Sphere { radius } => Some(radius),
        SiteShape::Arc { .. } | SiteShape::DiscEdge { .. } => None,
    }
}

/// The contact of two declared sites.
pub(super) fn pair_contact(
    sites: &[Site],
    pair: &[String; 2],
    combination: Combination,
) -> Result<Potential, ContactError> {
    let name = format!("{}-{}", pair[0], pair[1]);
    let find = |site: &String| {
        sites.iter().position(|s| s.name == *site).ok_or_else(|| {
            let nearest = sites
                .iter()
                .map(|s| (strsim::damerau_levenshtein(site, &s.name), &s.name))
                .min()
                .filter(|(distance, _)| *distance <= 1 + site.len() / 2)
                .map(|(_, n)| n.clone());
            ContactError::UnknownSite {
                pair: name.clone(),
                site: site.clone(),
                nearest,
            }
        })
    };
    let (a, b) = (find(&pair[0])?, find(&pair[1])?);
    let (first, second) = (&sites[a], &sites[b]);
    let impossible = |reason| ContactError::ImpossiblePair {
        pair: name.clone(),
        reason,
    };
    let (Some(ra), Some(rb)) = (ball_radius(first), ball_radius(second)) else {
        return Err(impossible(
            "only spheres and points can touch other sites; put spheres along the arc or edge",
        ));
    };
    if first.body == second.body {
        return Err(impossible(
            "both sites are on one body and cannot move relative to each other; remove the pair",
        ));
    }
    if ra + rb == 0.0 {
        return Err(impossible(
            "two points have no inside to push out of; make one of them a sphere",
        ));
    }
    Ok(Potential {
        material: combination.material(&first.material, &second.material),
        name,
        sides: Sides::Pair([a, b]),
    })
}

/// Why a name is none: tables separate names by semicolons, expressions quote them, files and messages show them on one
/// line.
fn name_fault(name: &str) -> Option<&'static str> {
    // Thousands of names are made of these.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b';';
    if !name.is_empty() && name.bytes().all(is_plain) {
        return None;
    }
    if name.trim().is_empty() {
        return Some("a name must not be empty");
    }
    if name.contains(char::is_control) {
        return Some("a name must not hold control characters");
    }
    if name.contains(';') {
        return Some("a name must not hold \";\", which separates names in events.csv");
    }
    None
}

/// Refuses names that tables cannot hold, and those that occur twice.
pub(super) fn check_names<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), ContactError> {
    let mut seen = HashSet::new();
    for name in names {
        if let Some(reason) = name_fault(name) {
            return Err(ContactError::BadName {
                kind,
                name: name.to_string(),
                reason,
            });
        }
        if !seen.insert(name) {
            return Err(ContactError::DuplicateName {
                kind,
                name: name.to_string(),
            });
        }
    }
    Ok(())
}
