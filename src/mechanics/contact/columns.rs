//! Which contacts have columns of their own in tables.
//!
//! A robot on all its collision shapes over a hundred boxes can make tens of thousands of contacts, of which a run sees a few
//! hundred; with columns of all of them a second of it is gigabytes. Where there are more than a table may have, those that
//! say least go without, a kind at a time:
//!
//! | kind | contacts |
//! |---|---|
//! | 0, always there | limits of joints, pairs, nearest points over planes and smooth ground |
//! | 1 | nearest points over boxes and what bodies carry |
//! | 2 | other places of sites: ends of arcs, points of rims |
//! | 3 | corners of terrain over what bodies carry |

use super::contacts::Contacts;
use super::listing::{Sides, SiteOver};
use super::{Ground, Part, Place};

/// Kinds of contacts, the first of which always has columns.
const KINDS: u8 = 4;

impl Contacts {
    /// Leaves out of tables what more than `most` contacts would bring.
    #[must_use]
    pub fn with_columns_of_at_most(mut self, most: usize) -> Self {
        let mut counts = [0; KINDS as usize];
        for kind in (0..self.len()).filter_map(|i| self.kind(i)) {
            counts[usize::from(kind)] += 1;
        }
        let mut sum = 0;
        let fits = counts.iter().take_while(|count| {
            sum += **count;
            sum <= most
        });
        self.listed_kinds = Some((fits.count() as u8).max(1));
        self
    }

    /// Whether contact i has columns of its own in tables: all but crossings, ends of chords, points
    /// inside of arcs, corners of terrain over sides, sides along sides, and those beyond
    /// [`Contacts::with_columns_of_at_most`].
    #[must_use]
    pub fn is_listed(&self, i: usize) -> bool {
        let is_kept = |kind| self.listed_kinds.is_none_or(|kinds| kind < kinds);
        self.kind(i).is_some_and(is_kept)
    }

    /// The contacts that have columns, ascending.
    #[doc(hidden)]
    pub fn listed(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&i| self.is_listed(i))
    }

    /// How many contacts have columns, and how many would if there were room.
    #[must_use]
    pub fn listed_count(&self) -> [usize; 2] {
        let with_room = (0..self.len()).filter(|&i| self.kind(i).is_some());
        [self.listed().count(), with_room.count()]
    }

    fn is_inside_arc(&self, over: &SiteOver) -> bool {
        self.outlines[over.site].is_arc() && matches!(over.place, Place::Rim { .. })
    }

    /// None of what never has columns.
    fn kind(&self, i: usize) -> Option<u8> {
        match self.contacts[i].sides {
            Sides::Pair(_) | Sides::Limit(_) => Some(0),
            Sides::Terrain(over) if over.part != Part::Whole => None,
            Sides::Terrain(over) if self.is_inside_arc(&over) => None,
            Sides::Terrain(over) if over.place != Place::Nearest => Some(2),
            Sides::Terrain(over) => match self.grounds[over.terrain] {
                Ground::Plane { .. } | Ground::Smooth(_) => Some(0),
                Ground::Box(_) | Ground::Cylinder(_) => Some(1),
            },
            Sides::Corner(over) if self.edged[over.carried].is_round() => None,
            Sides::Corner(_) => Some(3),
            Sides::Edges(_) | Sides::Rim(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::contact::{Combination, Contacts, Material, Site, SiteShape, Terrain};
    use crate::model::sample::chain;

    /// An arc over a plane and two boxes: a nearest point and two ends over each.
    #[test]
    fn kinds_go_without_columns_from_the_last_one_on() {
        let model = chain(2).unwrap();
        let rubber = Material::new(0.8, 0.0);
        let shape = SiteShape::Arc {
            axes: [[1.0, 0.0, 0.0].into(), [0.0, 0.0, -1.0].into()],
            radius: 0.1,
            start: 0.0,
            end: 3.0,
            thickness: 0.0,
        };
        let site = Site::new(&model, "rim", "link2", [0.5, 0.0, 0.0], shape, rubber).unwrap();
        let terrains = vec![
            Terrain::plane("floor", [0.0, 0.0, -1.5], [0.0, 0.0, 1.0], rubber),
            Terrain::step("one", [0.0, 0.0, -1.5], [1.0, 1.0, -1.2], rubber),
            Terrain::step("two", [2.0, 0.0, -1.5], [3.0, 1.0, -1.2], rubber),
        ];
        let contacts =
            Contacts::new(&model, vec![site], terrains, &[], Combination::Minimum).unwrap();
        let listed = |most| {
            contacts
                .clone()
                .with_columns_of_at_most(most)
                .listed_count()[0]
        };
        assert_eq!(contacts.listed_count(), [9, 9]);
        assert_eq!(
            [listed(9), listed(8), listed(3), listed(2), listed(0)],
            [9, 3, 3, 1, 1]
        );
    }
}
