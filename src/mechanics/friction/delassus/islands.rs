//! Contacts that have no coordinates in common, directly or by others, have nothing to do with each other: bodies that stand
//! side by side are as many problems, whose sizes do not add up.

use super::Delassus;

/// Groups that hang together, with a Delassus matrix of their own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Island {
    /// As indices of the whole, ascending.
    pub groups: Vec<usize>,
    /// The rows of the whole that its own are.
    pub rows: Vec<usize>,
    pub delassus: Delassus,
}

/// The islands of a Delassus matrix, if there are several.
#[derive(Debug, Clone, Default)]
pub(super) struct Islands {
    /// Of which the first ones are in use.
    list: Vec<Island>,
    count: usize,
    /// Number of the matrix that they have the entries of.
    generation: u64,
    coordinates: Vec<usize>,
    own: Vec<usize>,
}

impl Islands {
    /// Those in use.
    pub fn list_mut(&mut self) -> &mut [Island] {
        &mut self.list[..self.count]
    }

    pub fn are_there(&self) -> bool {
        self.count > 0
    }
}

impl Delassus {
    /// Lays out the matrix of each island, where there are several.
    pub(super) fn find_islands(&mut self) {
        let layout = &self.layout;
        let first = |label: &usize| layout.island(*label) == *label;
        let labels = (0..layout.groups().len()).filter(first);
        self.islands.count = match labels.clone().count() {
            1 => 0,
            count => count,
        };
        if self.islands.count == 0 {
            return;
        }
        let Islands {
            list,
            count,
            coordinates,
            own,
            ..
        } = &mut self.islands;
        if list.len() < *count {
            list.resize_with(*count, Island::default);
        }
        for (label, island) in labels.zip(list) {
            island.groups.clear();
            let all = 0..layout.groups().len();
            island
                .groups
                .extend(all.filter(|i| layout.island(*i) == label));
            coordinates.clear();
            for &i in &island.groups {
                coordinates.extend_from_slice(layout.coordinates(i));
            }
            coordinates.sort_unstable();
            coordinates.dedup();
            island.rows.clear();
            island.delassus.clear(coordinates.len());
            for &i in &island.groups {
                let rows = layout.groups()[i];
                island.rows.extend(rows.row..rows.row + rows.height());
                own.clear();
                let place = |at: &usize| coordinates.partition_point(|x| x < at);
                own.extend(layout.coordinates(i).iter().map(place));
                island.delassus.push(rows, own, None);
            }
            island.delassus.allocate();
        }
    }

    /// The islands, if there are several, with the entries and the limits of joints at hand; else none.
    pub(crate) fn islands(&mut self) -> &mut [Island] {
        let Self {
            layout,
            factor,
            islands,
            generation,
            ..
        } = self;
        let is_new = islands.generation != *generation;
        islands.generation = *generation;
        for island in islands.list_mut() {
            let limits = island.groups.iter().map(|i| layout.groups()[*i].limit);
            island.delassus.layout.set_limits(0, limits);
            if is_new {
                for (k, &i) in island.groups.iter().enumerate() {
                    let entries = island.delassus.factor_rows_mut(k);
                    entries.copy_from_slice(factor.block(layout, i));
                }
                island.delassus.generation = *generation;
            }
        }
        islands.list_mut()
    }

    /// The numbers of the islands follow that of the whole.
    pub(super) fn renumber_islands(&mut self, before: u64) {
        let (islands, now) = (&mut self.islands, self.generation);
        if islands.generation == before {
            islands.generation = now;
            for island in islands.list_mut() {
                island.delassus.renumber();
            }
        }
    }
}
