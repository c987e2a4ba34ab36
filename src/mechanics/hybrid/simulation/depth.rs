//! How deep something is in something else.

use super::Simulation;
use crate::contact::OverlapSearch;

/// What is deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Contact(usize),
    /// All of the two shapes of which this contact is of an edge or a side.
    Shapes(usize),
}

/// Something that is in something else.
#[derive(Debug, Clone, Copy, PartialEq)]
#[doc(hidden)]
pub struct Deepest {
    place: Place,
    /// How far it has to go to come out \[m\].
    pub depth: f64,
}

impl Simulation {
    /// What is deepest, if that is deeper than `than` \[m\]: a contact that is never inactive, by its gap ([`Simulation::gaps`]), or
    /// a shape in another one, which may be where none of their contacts is.
    #[doc(hidden)]
    pub fn deepest(&mut self, than: f64) -> Option<Deepest> {
        let mut search = std::mem::take(&mut self.overlap_search);
        let found = self.look_for_deepest(&mut search, than);
        self.overlap_search = search;
        found
    }

    fn look_for_deepest(&self, search: &mut OverlapSearch, than: f64) -> Option<Deepest> {
        let (node, contacts) = (&self.node, &self.contacts);
        // What is not known is open, and so is what is not reached by anything that goes on smoothly, and what is not there.
        let open = |i: usize| {
            let gap = node.known_gap(contacts, i);
            gap.is_some_and(|gap| gap >= 0.0)
                || contacts.is_crossing(i) && !node.is_present(contacts, i)
        };
        // A foot that must not strike scuffs; it does not penetrate.
        let inactive = |i: usize| contacts.inactivity(i).is_some();
        let known = node.known_contacts(contacts);
        let (mut depth, mut place) = (than, None);
        for i in known.filter(|&i| !open(i) && !inactive(i)) {
            let of_contact = -self.reported_gap(i);
            if of_contact > depth {
                (depth, place) = (of_contact, Some(Place::Contact(i)));
            }
        }
        search.normals.clear();
        for i in node.close_shapes(contacts) {
            // What held contacts may be deep is seen by them, and in no thousandths.
            let enough = depth.max(self.settings.closed_gap);
            let held = self.state.held.iter().map(|held| held.contact);
            let overlap = contacts.overlap(search, &node.kinematics, i, enough, held);
            if let Some(overlap) = overlap.filter(|overlap| *overlap > enough) {
                (depth, place) = (overlap, Some(Place::Shapes(i)));
            }
        }
        place.map(|place| Deepest { place, depth })
    }

    /// Its name: that of the contact, or those of the links and pieces of terrain with the two shapes.
    #[doc(hidden)]
    pub fn depth_name(&self, deepest: &Deepest) -> String {
        match deepest.place {
            Place::Contact(i) => self.contacts.name(i).to_string(),
            Place::Shapes(i) => {
                let names = self.contacts.edged_names(i);
                names.map_or_else(String::new, |names| names.join("@"))
            }
        }
    }
}
