//! Places over the side and the ends of carried cylinders.

use nalgebra::Vector3;

use crate::contact::contacts::Contacts;
use crate::contact::listing::{Sides, SiteOver};
use crate::contact::{CylinderParts, Ground, Part};
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
            let circle = self.circle(kinematics, over);
            let outward = circle.map_or([Vector3::zeros(); 2], |circle| {
                let circle = circle.numbers();
                let axis = circle.axes[0].cross(&circle.axes[1]);
                let radial = (touch.points[0] - circle.center) / circle.radius;
                [radial, axis * self.ends[over.site]]
            });
            parts.has(over.part, &touch, outward)
        })
    }
}
