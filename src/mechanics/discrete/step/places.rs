//! Where a held contact or a joint with dry friction has its rows.

use super::Stepper;

impl Stepper {
    /// Slip of a contact or rate of a joint at the middle of the last step, by its place among those of the step.
    pub(crate) fn middle_slip(&self, place: usize) -> [f64; 2] {
        let group = self.group_at(place);
        group.map_or([0.0; 2], |group| {
            self.delassus.groups()[group].tangential(&self.mean_rates)
        })
    }

    /// The group of rows of what has this place among the held contacts and the joints with dry friction; none for
    /// a joint that is locked.
    pub(super) fn group_at(&self, place: usize) -> Option<usize> {
        let contacts = self.held.len();
        let joint = place.checked_sub(contacts);
        joint.map_or(Some(place), |joint| {
            let with_rows = &self.locks.with_rows;
            with_rows.binary_search(&joint).ok().map(|i| contacts + i)
        })
    }

    /// Whether the friction of a group goes on as it was.
    pub(super) fn is_kept(&self, group: usize) -> bool {
        let mut kept = self.keeps_sliding.iter();
        kept.any(|(place, _)| self.group_at(*place) == Some(group))
    }
}
