//! Gaps and frames of contacts: how the places of sites are measured against terrain.

mod bent;
mod edges;
mod flats;
mod frames;
mod held_face;
mod held_place;
mod leaning;
mod parts;
mod passing;
mod presence;
mod rims;

use nalgebra::Vector3;

pub(crate) use self::edges::{EdgePresence, LastPlaced};
pub use self::held_face::BoxFace;
pub(crate) use self::held_place::Tilt;
pub use self::held_place::{HeldPlace, Side};
use super::contacts::Contacts;
use super::frame::ContactFrame;
use super::listing::{Sides, SiteOver, ball_radius};
use super::{
    Circle, ExposedBox, FLAT, Ground, Part, Place, SmoothGround, Touch, ball_ball, ball_box,
    ball_plane, ball_smooth, reach_behind, value,
};
use super::{Extent, Outline, circle_box, circle_smooth};
use crate::dynamics::Kinematics;
use crate::spatial::{Scalar, lift, lift3};

impl Contacts {
    /// Gap of contact i for reports \[m\], never below the distance that is there: of the nearest point,
    /// the smallest distance of its whole site to its piece of terrain by itself where these are
    /// apart, whether or not it is present. Where it is present this is the gap of
    /// [`Contacts::frame`], or that of an end of its arc which is lower. Needs placements.
    #[must_use]
    pub fn gap<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> T {
        self.gap_beside(kinematics, i, || self.mechanical_gap(kinematics, i))
    }

    /// The same where [`Contacts::mechanical_gap`] is known or can be had.
    pub(crate) fn gap_beside<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        mechanical: impl FnOnce() -> T,
    ) -> T {
        let over = match &self.contacts[i].sides {
            Sides::Terrain(over) => over,
            Sides::Edges(pair) => return self.edge_distance(kinematics, pair),
            Sides::Rim(rim) => return self.rim_distance(kinematics, rim),
            Sides::Corner(over) if self.edged[over.carried].is_flat() => {
                return self.flat_distance(kinematics, i, over);
            }
            Sides::Corner(_) | Sides::Pair(_) | Sides::Limit(_) => return mechanical(),
        };
        if over.part != Part::Whole {
            if self.is_over_part(kinematics, over) {
                return mechanical();
            }
            let [point, _] = self.touch_part(kinematics, over).points;
            return match &self.grounds[over.terrain] {
                Ground::Cylinder(whole) => whole.touch(&point, T::zero()).gap.max(T::zero()),
                _ => mechanical(),
            };
        }
        let circle = self.nearest_circle(kinematics, over);
        match (self.ground(over), circle) {
            (Ground::Plane { point, normal }, Some(circle)) => {
                arc_plane_gap(&circle, point, normal)
            }
            (Ground::Smooth(surface), Some(circle)) => {
                let whole = arc_smooth_gap(&circle, surface);
                self.lowest_of_sectors(&circle, surface)
                    .map_or(whole, |lowest| lowest.min(whole))
            }
            (Ground::Plane { .. } | Ground::Smooth(_), None) | (Ground::Cylinder(_), _) => {
                mechanical()
            }
            (Ground::Box(exposed), circle) => {
                let (min, max) = exposed.bounds();
                let whole = self.over_box(kinematics, over, circle)(min, max);
                let lowest = circle.as_ref().map_or(whole.gap, |circle| {
                    lowest_of_arc(circle, (min, max), whole.gap)
                });
                if lowest < whole.gap {
                    return lowest;
                }
                // What is not there, as where the ends of a chord are instead, is in nothing that goes on beyond this piece.
                let is_there = |circle: &Circle<T>| {
                    let (touch, _) = self.touch_box(kinematics, over, exposed);
                    let touch = touch.numbers();
                    self.has_nearest(&circle.numbers(), exposed, &touch)
                        && exposed.is_exposed(&touch)
                };
                if whole.gap > T::zero() || !circle.as_ref().is_none_or(is_there) {
                    whole.gap
                } else {
                    mechanical()
                }
            }
        }
    }

    /// Gap of [`Contacts::frame`] \[m\]: where contact i is not present, of the surface and the curve that
    /// go on smoothly. Needs placements.
    #[must_use]
    pub fn mechanical_gap<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> T {
        match &self.contacts[i].sides {
            Sides::Limit(limit) => limit.gap(kinematics),
            _ => self.touch(kinematics, i).gap,
        }
    }

    /// Gap rate of contact i \[m/s\]. Needs placements and twists.
    #[must_use]
    pub fn gap_rate<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> T {
        match &self.contacts[i].sides {
            Sides::Limit(limit) => limit.rate(kinematics),
            _ => self.frame(kinematics, i).rate(kinematics),
        }
    }

    /// Gap, directions and points of contact i, continued smoothly where it is not present: a circle over
    /// a plane goes on beyond the ends of its arc, a box goes on where others cover it. Needs
    /// placements.
    #[must_use]
    pub fn frame<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> ContactFrame<T> {
        if let Sides::Limit(limit) = &self.contacts[i].sides {
            return limit.frame(kinematics);
        }
        self.frame_of(kinematics, i, &self.touch(kinematics, i))
    }

    fn center<T: Scalar>(&self, kinematics: &Kinematics<T>, site: usize) -> Vector3<T> {
        let site = &self.sites[site];
        kinematics.world_point(site.body, &lift3(&site.center))
    }

    /// The circle of a site, if it is one, in the frame of a surface: the world but where a body carries it.
    pub(super) fn circle<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> Option<Circle<T>> {
        let Outline::Circle {
            axes,
            radius,
            tube,
            range,
        } = &self.outlines[over.site]
        else {
            return None;
        };
        let body = self.sites[over.site].body;
        let turned = |a: &Vector3<f64>| kinematics.world_direction(body, &lift3(a));
        let mut circle = Circle {
            center: self.center(kinematics, over.site),
            axes: [turned(&axes[0]), turned(&axes[1])],
            radius: lift(*radius),
            tube: lift(*tube),
            range: *range,
        };
        if let Some(view) = self.view(kinematics, over.terrain) {
            circle.center = view.inverse().point(&circle.center);
            circle.axes = circle.axes.map(|a| view.rotation.tr_mul(&a));
        }
        Some(circle)
    }

    /// The same where the nearest point of it makes the contact.
    pub(super) fn nearest_circle<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> Option<Circle<T>> {
        match over.place {
            Place::Nearest => self.circle(kinematics, over),
            Place::End { .. } | Place::Rim { .. } => None,
        }
    }

    /// Centre and radius of a site that is a ball, or of a point of the tube around a circle, in the frame of a surface.
    pub(super) fn ball<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> (Vector3<T>, T) {
        let radius = match &self.outlines[over.site] {
            Outline::Ball { radius } => *radius,
            Outline::Circle { tube, .. } => *tube,
        };
        let center = match &over.place {
            Place::Nearest => &self.sites[over.site].center,
            Place::End { point, .. } | Place::Rim { point, .. } => point,
        };
        (self.seen(kinematics, over, center), lift(radius))
    }

    /// A point of the body of a site, in its frame, in the frame of a surface.
    pub(super) fn seen<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
        own: &Vector3<f64>,
    ) -> Vector3<T> {
        let point = kinematics.world_point(self.sites[over.site].body, &lift3(own));
        match self.view(kinematics, over.terrain) {
            Some(view) => view.inverse().point(&point),
            None => point,
        }
    }

    /// In the frame of the surface; of edges in the world.
    fn touch<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> Touch<T> {
        match &self.contacts[i].sides {
            Sides::Terrain(over) => self.touch_part(kinematics, over),
            Sides::Rim(rim) => self.meet_rim(kinematics, rim).touch,
            Sides::Edges(pair) => self.meet(kinematics, pair).touch,
            Sides::Corner(over) => self.touch_corner(kinematics, over),
            Sides::Pair(sites) => ball_ball(
                sites.map(|k| self.center(kinematics, k)),
                sites.map(|k| lift(ball_radius(&self.sites[k]).unwrap_or(0.0))),
            ),
            Sides::Limit(limit) => {
                let frame = limit.frame(kinematics);
                Touch {
                    gap: frame.gap,
                    normal: frame.normal,
                    points: frame.points,
                    angle: None,
                }
            }
        }
    }

    /// A place of a site with what it is measured against.
    pub(super) fn touch_part<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> Touch<T> {
        match self.ground(over) {
            Ground::Plane { point, normal } => {
                self.touch_plane(kinematics, over, (point, normal), None)
            }
            Ground::Box(exposed) => self.touch_box(kinematics, over, exposed).0,
            Ground::Smooth(surface) => self.touch_smooth(kinematics, over, surface),
            Ground::Cylinder(cylinder) => {
                let (center, radius) = self.ball(kinematics, over);
                cylinder.touch(&center, radius)
            }
        }
    }

    /// Over a plane through a point, the lowest point of a circle being on a side if one is given.
    pub(super) fn touch_plane<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
        (point, normal): (&Vector3<f64>, &Vector3<f64>),
        side: Option<Side>,
    ) -> Touch<T> {
        if let Some(circle) = self.nearest_circle(kinematics, over) {
            let lowest = match side {
                Some(side) if side.is_fixed => circle.point_at(side.angle),
                Some(side) => circle.lowest_beside(side.angle, normal),
                None => lowest_point(&circle, normal),
            };
            return ball_plane(&lowest, circle.tube, point, normal);
        }
        let (center, radius) = self.ball(kinematics, over);
        ball_plane(&center, radius, point, normal)
    }

    fn touch_smooth<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
        surface: &SmoothGround,
    ) -> Touch<T> {
        if let Some(circle) = self.nearest_circle(kinematics, over) {
            return circle_smooth(&circle, surface);
        }
        if let Some(part) = self.rim_part(kinematics, over) {
            return part.touch();
        }
        let (center, radius) = self.ball(kinematics, over);
        ball_smooth(&center, radius, surface)
    }

    /// With a box of which others cover parts, and what is left of it at that place.
    pub(super) fn touch_box<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
        exposed: &ExposedBox,
    ) -> (Touch<T>, Extent) {
        let circle = self.nearest_circle(kinematics, over);
        exposed.touch(self.over_box(kinematics, over, circle))
    }

    /// Closest points of a place of a site, the nearest of a circle if it is one, and a box between two corners. Of an arc it is not
    /// asked where its solid is.
    fn over_box<'a, T: Scalar>(
        &'a self,
        kinematics: &'a Kinematics<T>,
        over: &'a SiteOver,
        circle: Option<Circle<T>>,
    ) -> impl Fn(&Vector3<f64>, &Vector3<f64>) -> Touch<T> + 'a {
        let (center, radius) = match &circle {
            Some(circle) => (circle.center, circle.tube),
            None => self.ball(kinematics, over),
        };
        let inward = if self.outlines[over.site].is_arc() {
            Vector3::zeros()
        } else {
            self.inward(kinematics, over, (&center, radius))
        };
        move |min, max| match &circle {
            Some(circle) => circle_box(circle, (min, max), &inward),
            None => ball_box(&center, radius, (min, max), &inward, |k, sign| {
                self.reach_behind(kinematics, over, k, sign)
            }),
        }
    }

    /// How far the box of which a site is a corner reaches behind the plane through it across an axis of the frame of a surface, seen
    /// up (1) or down (-1) along that \[m\]; zero of other sites.
    fn reach_behind<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
        k: usize,
        sign: f64,
    ) -> f64 {
        let site = &self.sites[over.site];
        let Some(edges) = &site.edges else {
            return 0.0;
        };
        let mut out = Vector3::zeros();
        out[k] = lift::<T>(sign);
        if let Some(view) = self.view(kinematics, over.terrain) {
            out = view.rotation * out;
        }
        if let Some(body) = site.body {
            out = kinematics.world[body].rotation.tr_mul(&out);
        }
        reach_behind(edges, &out.map(value))
    }

    /// From a point of a site into its own solid, in the frame of a surface; zero for a ball, which is never at two faces.
    pub(super) fn inward<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
        (place, radius): (&Vector3<T>, T),
    ) -> Vector3<f64> {
        if value(radius) > 0.0 {
            return Vector3::zeros();
        }
        let inside = self.seen(kinematics, over, &self.sites[over.site].inside);
        (inside - place).map(value)
    }
}

/// Lowest point over a plane of the full circle; its middle point when it is flat.
fn lowest_point<T: Scalar>(circle: &Circle<T>, normal: &Vector3<f64>) -> Vector3<T> {
    match circle.furthest(&-lift3::<T>(normal), FLAT) {
        Some([c, s]) => circle.point(c, s),
        None => circle.point_at(circle.middle()),
    }
}

/// Distance of the lowest point of an arc to a plane.
fn arc_plane_gap<T: Scalar>(circle: &Circle<T>, point: &Vector3<f64>, normal: &Vector3<f64>) -> T {
    let height = |x: &Vector3<T>| ball_plane(x, circle.tube, point, normal).gap;
    let lowest = lowest_point(circle, normal);
    let radial = lowest - circle.center;
    let angle = value(circle.axes[1].dot(&radial)).atan2(value(circle.axes[0].dot(&radial)));
    match circle.range {
        Some(ends) if circle.inside(angle) < 0.0 => lower_end(circle, ends, height),
        _ => height(&lowest),
    }
}

/// Distance of the lowest point of an arc to a smooth surface.
fn arc_smooth_gap<T: Scalar>(circle: &Circle<T>, surface: &SmoothGround) -> T {
    let lowest = circle_smooth(circle, surface);
    match (circle.range, lowest.angle) {
        (Some(ends), Some(angle)) if circle.inside(angle) < 0.0 => {
            lower_end(circle, ends, |x| ball_smooth(x, circle.tube, surface).gap)
        }
        _ => lowest.gap,
    }
}

/// Distance of the lowest point of a circle, or an arc, to a box, where its nearest point between the ends has this gap.
fn lowest_of_arc<T: Scalar>(
    circle: &Circle<T>,
    (min, max): (&Vector3<f64>, &Vector3<f64>),
    gap: T,
) -> T {
    let height =
        |x: &Vector3<T>| ball_box(x, circle.tube, (min, max), &Vector3::zeros(), |_, _| 0.0).gap;
    circle
        .range
        .map_or(gap, |ends| gap.min(lower_end(circle, ends, height)))
}

/// The height of the lower end of an arc.
fn lower_end<T: Scalar>(
    circle: &Circle<T>,
    ends: [f64; 2],
    height: impl Fn(&Vector3<T>) -> T,
) -> T {
    let [first, last] = ends.map(|a| height(&circle.point_at(a)));
    if last < first { last } else { first }
}
