//! Places over the side and the ends of carried cylinders.

use nalgebra::Vector3;

use crate::contact::contacts::Contacts;
use crate::contact::listing::{Sides, SiteOver};
use crate::contact::{CylinderParts, Ground, Outline, Part, Place, value};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

impl Contacts {
    /// What a place is measured against: a piece of terrain, a surface that a body carries, or a part of one.
    pub(super) fn ground(&self, over: &SiteOver) -> &Ground {
        let carried = over.terrain.checked_sub(self.terrains().len());
        let parts = carried.and_then(|k| self.parts[k].as_ref());
        let part = parts.and_then(|parts| parts.ground(over.part));
        part.unwrap_or(&self.grounds[over.terrain])
    }

    /// The cylinder of whose side or end a place is over a part.
    pub(super) fn parts(&self, over: &SiteOver) -> Option<&CylinderParts> {
        let carried = over.terrain.checked_sub(self.terrains().len())?;
        self.parts[carried]
            .as_ref()
            .filter(|_| over.part != Part::Whole)
    }

    /// Whether contact i is over the part of a cylinder that it is measured against, there or not; true of all that is measured
    /// against no part. Needs placements.
    #[must_use]
    pub(crate) fn is_by_its_part(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        match &self.contacts[i].sides {
            Sides::Terrain(over) => self.is_over_part(kinematics, over),
            _ => true,
        }
    }

    /// Whether a place is over the part that it is measured against, if it is one.
    pub(super) fn is_over_part<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> bool {
        self.parts(over).is_none_or(|parts| {
            let touch = self.touch_part(kinematics, over).numbers();
            if parts.is_flat() {
                let middle = self.middle_of(kinematics, over).map(value);
                return parts.has_flat(over.part, &touch, &middle);
            }
            let circle = self.circle(kinematics, over).map(|circle| circle.numbers());
            let outward = match circle {
                None => [Vector3::zeros(); 2],
                // What is no rim, as an arc, has no inside; beyond its ends it is not there.
                Some(circle) if circle.range.is_some() => {
                    if over.place == Place::Nearest && !circle.is_on(&touch.points[0]) {
                        return false;
                    }
                    [Vector3::zeros(); 2]
                }
                Some(circle) => {
                    let axis = circle.axes[0].cross(&circle.axes[1]);
                    let radial = (touch.points[0] - circle.center) / circle.radius;
                    [radial, axis * self.ends[over.site]]
                }
            };
            parts.has(over.part, &touch, outward)
        })
    }

    /// The middle of the ball that a site is, or of the solid whose rim it is, in the frame of a surface.
    fn middle_of<T: Scalar>(&self, kinematics: &Kinematics<T>, over: &SiteOver) -> Vector3<T> {
        let site = &self.sites[over.site];
        let own = match &self.outlines[over.site] {
            Outline::Ball { .. } => &site.center,
            Outline::Circle { .. } => &site.inside,
        };
        self.seen(kinematics, over, own)
    }
}
