//! Which places of sites are there, and where they end.

use nalgebra::Vector3;

use super::bent::{Lie, to_upright};
use crate::contact::Ground;
use crate::contact::contacts::Contacts;
use crate::contact::listing::{Sides, SiteOver};
use crate::contact::{
    Circle, Cylinder, Extent, FLAT, Outline, Place, RimEdge, SmoothGround, Touch, face_of,
    is_beside, lowest_on_smooth, slope_at, slope_on_smooth,
};
use crate::dynamics::Kinematics;

impl Contacts {
    /// Whether the place of contact i is there: what is not cannot be touched. Needs placements.
    #[must_use]
    pub fn is_present(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        let over = match &self.contacts[i].sides {
            Sides::Terrain(over) => over,
            Sides::Rim(rim) => return self.has_rim(kinematics, rim),
            Sides::Edges(pair) => return self.has_crossing(kinematics, pair),
            Sides::Corner(over) if self.edged[over.carried].is_flat() => {
                return self.flat_presence(kinematics, over).is_crossed;
            }
            Sides::Corner(_) | Sides::Pair(_) | Sides::Limit(_) => return true,
        };
        self.has_place(kinematics, over) && self.is_over_part(kinematics, over)
    }

    fn has_place(&self, kinematics: &Kinematics<f64>, over: &SiteOver) -> bool {
        let place = &over.place;
        let circle = self.circle(kinematics, over);
        match (self.ground(over), circle) {
            (Ground::Plane { .. } | Ground::Smooth(_), None) | (Ground::Cylinder(_), _) => true,
            (Ground::Plane { normal, .. }, Some(circle)) => {
                let lowest = circle.lowest(normal);
                circle.has_place(place, lowest, |rim| {
                    circle.has_rim_point(rim, normal, lowest)
                })
            }
            (Ground::Smooth(surface), Some(circle)) => match self.lie(&circle, surface) {
                Some(Lie::Bent) => match place {
                    Place::Nearest => false,
                    Place::End { last, .. } => is_lowest_at_end(&circle, *last, surface),
                    Place::Rim { .. } => self
                        .rim_part(kinematics, over)
                        .is_some_and(|part| part.is_present()),
                },
                Some(Lie::Plane(normal)) => {
                    let lowest = circle.lowest(&normal);
                    circle.has_place(place, lowest, |rim| {
                        circle.has_rim_point(rim, &normal, lowest)
                    })
                }
                Some(Lie::Upright) if matches!(place, Place::Rim { .. }) => false,
                Some(Lie::Upright) if circle.range.is_none() => true,
                Some(Lie::Upright) | None => {
                    if let Place::End { last, .. } = place {
                        return is_lowest_at_end(&circle, *last, surface);
                    }
                    let lowest = lowest_on_smooth(&circle, surface);
                    // The middle of an arc that is flat: it has no points between its ends there.
                    let is_middle = lowest.is_none() && *place == Place::Nearest;
                    is_middle && circle.range.is_some()
                        || circle.has_place(place, lowest, |rim| !is_beside(rim, lowest))
                }
            },
            (Ground::Box(exposed), None) => {
                exposed.is_exposed(&self.touch_box(kinematics, over, exposed).0)
            }
            (Ground::Box(exposed), Some(circle)) => {
                let (touch, extent) = self.touch_box(kinematics, over, exposed);
                let there = match place {
                    Place::Nearest => self.has_nearest(&circle, exposed, &touch),
                    Place::End { last, .. } => {
                        let slope = inward_slope(&circle, *last, |at| {
                            slope_at(&circle, at, &extent.min, &extent.max)
                        });
                        let rises = if *last { slope > 0.0 } else { slope >= 0.0 };
                        rises || is_flat_on_face(&circle, &touch)
                    }
                    Place::Rim { sector, .. } => {
                        let over_face = face_of(&touch.normal).is_some();
                        over_face && circle.is_nearly_flat(&touch.normal) && {
                            let nearest = SiteOver {
                                place: Place::Nearest,
                                ..*over
                            };
                            let (nearest, _) = self.touch_box(kinematics, &nearest, exposed);
                            let at = nearest.angle.filter(|_| {
                                has_nearest_point(&circle, &nearest) && exposed.is_exposed(&nearest)
                            });
                            circle.has_rim_point(sector.middle, &touch.normal, at)
                        }
                    }
                };
                there && exposed.is_exposed(&touch)
            }
        }
    }

    /// A signed length \[m\] that is positive while contact i stays what it is and changes sign where its
    /// place ends or the curvature of its gap jumps; infinite where neither happens nearby.
    ///
    /// | contact | length |
    /// |---|---|
    /// | nearest point of an arc | along the arc to its nearer end |
    /// | end of an arc | minus that, from this end |
    /// | a disc or an arc over a bent surface | to the tilt from which its nearest point is one, or beyond it |
    /// | over the face of a box | to the nearest edge that is not covered, or piece of other material |
    /// | over an edge of a box | minus how far it is from the faces beside it |
    /// | the nearest point of an arc or a tube there | the same, or minus how far it is from the end of the arc, or from where it comes to be both ends of a chord |
    /// | a ball over the side of a capsule | to where the nearer end begins |
    /// | a ball over a cylinder | as over a box |
    /// | an end of a capsule over an edge or another side | the same, or to where its own side begins |
    /// | a rim over the side or an end of a cylinder | to the rim of that |
    /// | edges and sides that cross, the end of a chord | to the nearest end of either |
    ///
    /// Needs placements.
    #[must_use]
    pub fn seam(&self, kinematics: &Kinematics<f64>, i: usize) -> f64 {
        let over = match &self.contacts[i].sides {
            Sides::Terrain(over) => over,
            Sides::Rim(rim) => return self.meet_rim(kinematics, rim).seam(),
            Sides::Edges(pair) => return self.meet(kinematics, pair).inside,
            Sides::Corner(over) => return self.corner_seam(kinematics, over),
            Sides::Pair(_) | Sides::Limit(_) => return f64::INFINITY,
        };
        let own = self.place_seam(kinematics, over);
        let to_side = self.to_side(kinematics, i, over);
        let own = own.signum() * own.abs().min(to_side);
        self.parts(over).map_or(own, |parts| {
            let touch = self.touch_part(kinematics, over);
            own.min(parts.inside(over.part, &touch))
        })
    }

    /// Whether the seam that contact i is nearest to is one beyond which a sibling has what it touches: the end of an arc, the border of
    /// a piece of other material, or where the nearest point of a circle at an edge comes to be an end of a chord. Needs placements.
    #[must_use]
    pub(crate) fn goes_on_beyond(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        let over = match &self.contacts[i].sides {
            Sides::Terrain(over) => over,
            Sides::Rim(rim) => return self.meet_rim(kinematics, rim).goes_on(),
            _ => return false,
        };
        let is_rim = matches!(over.place, Place::Rim { .. });
        let has_ends = self.outlines[over.site].is_arc() && !is_rim;
        match self.ground(over) {
            _ if has_ends => true,
            Ground::Box(exposed) => {
                let (touch, _) = self.touch_box(kinematics, over, exposed);
                let seam = self.place_seam(kinematics, over);
                let circle = self.nearest_circle(kinematics, over);
                let to_chord = circle.map_or(f64::INFINITY, |circle| {
                    RimEdge::to_chord(&circle, exposed.bounds(), &touch)
                });
                exposed.to_other_material(&touch) <= seam || to_chord <= -seam
            }
            _ => false,
        }
    }

    /// How far a place on the end of a capsule is from where its side begins, along its axis \[m\]: negative past it, where what is
    /// not flat is nearer to the side. Infinite of all else.
    fn to_side(&self, kinematics: &Kinematics<f64>, i: usize, over: &SiteOver) -> f64 {
        let (Some(outward), Outline::Ball { radius }) =
            (&self.caps[over.site], &self.outlines[over.site])
        else {
            return f64::INFINITY;
        };
        let touch = self.touch(kinematics, i);
        let across = |x: &&f64| **x != 0.0;
        let is_bent = match self.ground(over) {
            Ground::Box(_) => touch.normal.iter().filter(across).count() == 2,
            Ground::Cylinder(_) => touch.normal.z == 0.0,
            Ground::Smooth(surface) => matches!(surface, SmoothGround::Capsule(_)),
            Ground::Plane { .. } => false,
        };
        if !is_bent {
            return f64::INFINITY;
        }
        let normal = self.frame_of(kinematics, i, &touch).normal;
        let body = self.sites[over.site].body;
        -radius * normal.dot(&kinematics.world_direction(body, outward))
    }

    fn place_seam(&self, kinematics: &Kinematics<f64>, over: &SiteOver) -> f64 {
        let place = &over.place;
        let circle = self.circle(kinematics, over);
        match self.ground(over) {
            Ground::Plane { normal, .. } => {
                circle.map_or(f64::INFINITY, |c| c.seam_at_plane(place, normal))
            }
            Ground::Smooth(surface) => match (circle, surface) {
                (Some(circle), _) => {
                    let along = || circle.seam_at(place, lowest_on_smooth(&circle, surface));
                    match (self.lie(&circle, surface), place) {
                        (Some(Lie::Plane(normal)), _) => circle.seam_at_plane(place, &normal),
                        (Some(_), Place::Nearest | Place::Rim { .. }) if surface.is_carried() => {
                            f64::INFINITY
                        }
                        (Some(_), Place::Rim { .. }) => to_upright(&circle, surface),
                        (Some(_), Place::Nearest) => {
                            let ends = circle.range.map_or(f64::INFINITY, |_| along());
                            ends.min(-to_upright(&circle, surface))
                        }
                        (_, Place::End { last, .. }) => {
                            let along = along();
                            // Where the lowest point does not say whether the end is there.
                            let rise = rise_from_end(&circle, *last, surface);
                            if (rise >= -FLAT) == (along >= 0.0) {
                                along
                            } else {
                                rise * circle.radius
                            }
                        }
                        (None, _) => along(),
                    }
                }
                (None, SmoothGround::Capsule(capsule)) => {
                    capsule.end_distance(&self.ball(kinematics, over).0)
                }
                (None, _) => f64::INFINITY,
            },
            Ground::Cylinder(cylinder) => {
                let (center, radius) = self.ball(kinematics, over);
                ball_to_rim(cylinder, &center, radius)
            }
            Ground::Box(exposed) => {
                let (touch, extent) = self.touch_box(kinematics, over, exposed);
                let along_surface = match (&circle, place) {
                    (Some(circle), Place::Nearest) => circle_to_edge(circle, &touch, &extent),
                    _ => {
                        let (center, radius) = self.ball(kinematics, over);
                        ball_to_edge(&extent.all_beyond(&center), radius)
                    }
                };
                let along_arc = match (&circle, place) {
                    (Some(circle), Place::Nearest) => touch
                        .angle
                        .map_or(f64::INFINITY, |at| circle.inside(at) * circle.radius),
                    (Some(circle), Place::End { last, .. }) => {
                        inward_slope(circle, *last, |at| {
                            slope_at(circle, at, &extent.min, &extent.max)
                        }) * circle.radius
                    }
                    _ => f64::INFINITY,
                };
                let to_other_material = exposed.to_other_material(&touch);
                let along = match (&circle, place) {
                    // At an edge what is left is counted below zero.
                    (Some(circle), Place::Nearest) if along_surface < 0.0 => {
                        let to_chord = RimEdge::to_chord(circle, exposed.bounds(), &touch);
                        -(-along_surface).min(along_arc).min(to_chord)
                    }
                    _ => along_surface.min(along_arc),
                };
                along.min(to_other_material)
            }
        }
    }
}

/// Change of a distance from an end of an arc inwards, per length, where that along the circle is `slope` at an angle.
fn inward_slope(circle: &Circle<f64>, last: bool, slope: impl Fn(f64) -> f64) -> f64 {
    circle.range.map_or(
        f64::NAN,
        |[start, end]| {
            if last { -slope(end) } else { slope(start) }
        },
    )
}

/// The same over a smooth surface.
fn rise_from_end(circle: &Circle<f64>, last: bool, surface: &SmoothGround) -> f64 {
    inward_slope(circle, last, |at| slope_on_smooth(circle, surface, at))
}

/// Whether an arc rises from one of its ends. Its lowest point as a full circle says nothing of that: there may be another one, and
/// under the ground there are.
fn is_lowest_at_end(circle: &Circle<f64>, last: bool, surface: &SmoothGround) -> bool {
    rise_from_end(circle, last, surface) >= -FLAT
}

fn is_flat_on_face(circle: &Circle<f64>, touch: &Touch<f64>) -> bool {
    face_of(&touch.normal).is_some() && circle.tilt(&touch.normal) <= FLAT
}

/// Whether the nearest point of a circle to a box is neither an end of its arc nor undefined because
/// the circle is flat on a face.
pub(super) fn has_nearest_point(circle: &Circle<f64>, touch: &Touch<f64>) -> bool {
    let at_end = |angle| circle.range.is_some_and(|r| r.contains(&angle));
    !is_flat_on_face(circle, touch) && !touch.angle.is_some_and(at_end)
}

/// Seam of a ball whose centre is `beyond` the nearer faces along the three axes. Held over a face it
/// is one radius beyond that; over an edge it is beyond two, over a corner beyond three.
pub(super) fn ball_to_edge(beyond: &[f64; 3], radius: f64) -> f64 {
    let mut beyond = *beyond;
    beyond.sort_by(|a, b| b.total_cmp(a));
    let [first, second, third] = beyond;
    let over_edge = first + second - radius;
    if third > 0.0 {
        third
    } else if over_edge > 0.0 {
        -over_edge.min(-third)
    } else {
        -over_edge
    }
}

/// The same over a cylinder, beyond its side and its nearer end.
pub(super) fn ball_to_rim(cylinder: &Cylinder, center: &Vector3<f64>, radius: f64) -> f64 {
    let [beyond, above] = cylinder.beyond(center);
    ball_to_edge(&[beyond, above, f64::NEG_INFINITY], radius)
}

/// Seam of a circle's nearest point: over a face its distance to the nearest edge of it, at an edge or
/// a corner how far the lowest points over the faces beside it are beyond it.
fn circle_to_edge(circle: &Circle<f64>, touch: &Touch<f64>, extent: &Extent) -> f64 {
    match face_of(&touch.normal) {
        Some(face) => {
            let beyond = extent.all_beyond(&touch.points[1]);
            (0..3)
                .filter(|k| *k != face / 2)
                .map(|k| -beyond[k])
                .fold(f64::INFINITY, f64::min)
        }
        None => {
            let parts = touch.normal.iter().filter(|x| **x != 0.0);
            let turned = parts.clone().fold(1.0, |least: f64, x| least.min(x.abs()));
            let sign = if parts.count() == 2 { -1.0 } else { 1.0 };
            sign * turned * (circle.radius + circle.tube)
        }
    }
}
