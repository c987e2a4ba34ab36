//! Discs and arcs that lie on bent surfaces: which of their places are there, and how these go on while they are held.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::held_place::Side;
use crate::contact::contacts::Contacts;
use crate::contact::listing::{Sides, SiteOver};
use crate::contact::{
    Circle, Ground, Place, Sector, SectorPoint, SmoothGround, Touch, UPRIGHT, angle_of,
    inside_of_sector, plane_below, sector_point, sectors, touch_beside, touch_fixed, touch_sector,
    wrapped,
};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

/// Angles of one minimum found from two sides agree to this [rad].
const SAME: f64 = 1e-6;

fn is_same(one: f64, other: f64) -> bool {
    wrapped(one - other).abs() < SAME
}

/// How a circle is over a smooth surface.
pub(super) enum Lie {
    /// So upright that it has one lowest point.
    Upright,
    /// Over a part of it that is a plane: its normal.
    Plane(Vector3<f64>),
    Bent,
}

/// A part of a rim over a bent surface.
pub(super) struct RimPart<'a, T: Scalar> {
    pub circle: Circle<T>,
    sector: Sector,
    is_between: bool,
    surface: &'a SmoothGround,
    /// Whether the circle lies: of one that stands the nearest point is a place of its own.
    lies: bool,
}

impl<T: Scalar> RimPart<'_, T> {
    pub fn touch(&self) -> Touch<T> {
        touch_sector(&self.circle, self.sector, self.surface)
    }

    /// Held by a side at the start of a step.
    pub fn touch_held(&self, side: Side) -> Touch<T> {
        if side.is_fixed {
            touch_fixed(&self.circle, side.angle, self.surface)
        } else {
            touch_beside(&self.circle, side.angle, self.surface)
        }
    }
}

impl RimPart<'_, f64> {
    fn point(&self) -> SectorPoint {
        sector_point(&self.circle, self.sector, self.surface, self.is_between)
    }

    pub fn is_present(&self) -> bool {
        self.lies && self.point().is_there
    }

    /// The point that it is held by; none where it has no minimum.
    pub fn side(&self) -> Option<Side> {
        let point = self.point();
        point.is_there.then_some(Side {
            angle: point.angle,
            is_fixed: point.is_fixed,
        })
    }

    /// How far what it was held by is from the end of the part \[m\].
    pub fn inside(&self, side: Side) -> f64 {
        if side.is_fixed {
            return f64::INFINITY;
        }
        inside_of_sector(&self.circle, (self.sector, side.angle), self.surface)
    }
}

/// How far a circle is from standing upright on a smooth surface, along the rim \[m\]: negative once it does.
pub(super) fn to_upright(circle: &Circle<f64>, surface: &SmoothGround) -> f64 {
    let (_, below) = surface.nearby(&circle.center);
    (UPRIGHT - circle.tilt(&below.normal)) * circle.radius
}

impl Contacts {
    /// How a circle is over a smooth surface; none in the plane of motion, and of full ones on balls and capsules. What bodies carry is
    /// small beside a circle that stands on it: however that is, it has a lowest point in each of its parts.
    pub(super) fn lie(&self, circle: &Circle<f64>, surface: &SmoothGround) -> Option<Lie> {
        if self.planar_normal().is_some() {
            return None;
        }
        if surface.is_carried() {
            let is_bent = surface.has_axis() || circle.range.is_some();
            return is_bent.then_some(Lie::Bent);
        }
        Some(if to_upright(circle, surface) < 0.0 {
            Lie::Upright
        } else if let Some([_, normal]) = plane_below(circle, surface) {
            Lie::Plane(normal)
        } else {
            Lie::Bent
        })
    }

    /// The least gap of the parts of a circle's rim over a bent surface; none of a circle that does not lie on one.
    pub(super) fn lowest_of_sectors<T: Scalar>(
        &self,
        circle: &Circle<T>,
        surface: &SmoothGround,
    ) -> Option<T> {
        if !matches!(self.lie(&circle.numbers(), surface), Some(Lie::Bent)) {
            return None;
        }
        let gaps = sectors(circle.range).map(|own| touch_sector(circle, own, surface).gap);
        gaps.reduce(|a, b| a.min(b))
    }

    /// Whether a place is a part of a rim over a smooth surface that may be bent.
    fn is_sector(&self, over: &SiteOver) -> bool {
        let is_rim = matches!(over.place, Place::Rim { .. });
        let may_bend = match self.ground(over) {
            Ground::Smooth(SmoothGround::Capsule(_)) => self.outlines[over.site].is_arc(),
            Ground::Smooth(_) => true,
            _ => false,
        };
        is_rim && may_bend
    }

    /// Whether the place of contact i may be there between two moments at which it is not: a part of a rim through which a lowest
    /// point runs.
    #[must_use]
    pub(crate) fn may_be_passed(&self, i: usize) -> bool {
        match &self.contacts[i].sides {
            Sides::Terrain(over) => self.is_sector(over),
            _ => false,
        }
    }

    /// Whether the lowest point that contact `held` was held by at the start of a step has run to where contact i is, or past it. Needs
    /// placements.
    #[must_use]
    pub(crate) fn has_run_to(
        &self,
        kinematics: &Kinematics<f64>,
        (held, side): (usize, Option<Side>),
        i: usize,
    ) -> bool {
        let Some(side) = side.filter(|side| !side.is_fixed) else {
            return false;
        };
        let is_own = self.are_siblings(i, held);
        let parts = [held, i].map(|k| is_own.then(|| self.rim_part_of(kinematics, k)).flatten());
        let [Some(from), Some(to)] = parts else {
            return false;
        };
        let Some(reached) = angle_of(&from.circle, side.angle, from.surface) else {
            return false;
        };
        match to.side() {
            Some(there) => is_same(there.angle, reached),
            // On the way.
            None => {
                let [run, way] =
                    [reached, to.sector.middle].map(|angle| wrapped(angle - side.angle));
                way * run > 0.0 && way.abs() < run.abs()
            }
        }
    }

    /// How far along the rim \[rad\] the lowest point that contact i was held by at the start of a step has run; none of what is no
    /// disc over a bent surface, half a turn where there is none any more. Needs placements.
    #[must_use]
    pub(crate) fn run_along_rim(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        side: Option<Side>,
    ) -> Option<f64> {
        let side = side.filter(|side| !side.is_fixed)?;
        let part = self.rim_part_of(kinematics, i)?;
        Some(
            angle_of(&part.circle, side.angle, part.surface)
                .map_or(PI, |angle| wrapped(angle - side.angle).abs()),
        )
    }

    /// The part of a rim that contact i is of over a bent surface; none of other contacts.
    pub(super) fn rim_part_of<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
    ) -> Option<RimPart<'_, T>> {
        match &self.contacts[i].sides {
            Sides::Terrain(over) => self.rim_part(kinematics, over),
            _ => None,
        }
    }

    /// The part of a rim that a place is over a bent surface; none of other places.
    pub(super) fn rim_part<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> Option<RimPart<'_, T>> {
        let Place::Rim {
            sector, is_between, ..
        } = over.place
        else {
            return None;
        };
        let Ground::Smooth(surface) = self.ground(over) else {
            return None;
        };
        let circle = self.circle(kinematics, over)?;
        let lies = match self.lie(&circle.numbers(), surface)? {
            Lie::Bent => true,
            Lie::Upright => false,
            Lie::Plane(_) => return None,
        };
        Some(RimPart {
            circle,
            sector,
            is_between,
            surface,
            lies,
        })
    }
}
