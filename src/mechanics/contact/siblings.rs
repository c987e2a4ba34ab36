//! Contacts that go on as one another: what is held by one of them may be held by another next.
//!
//! They come in sets. Two shapes that carry edges have hundreds of contacts, each of which has all others for siblings, so
//! the sets are kept and not the siblings.

use std::collections::BTreeMap;
use std::ops::Range;

/// The sets of contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Siblings {
    /// Contacts in ascending order.
    sets: Vec<Vec<usize>>,
    /// That of each contact whose others are its siblings.
    of: Vec<Option<usize>>,
}

impl Siblings {
    /// Adds the contact that comes next, which has none.
    pub fn add_alone(&mut self) {
        self.of.push(None);
    }

    /// Adds the contacts that come next, each of which has the others.
    pub fn add_set(&mut self, new: Range<usize>) {
        self.of.extend(new.clone().map(|_| Some(self.sets.len())));
        self.sets.push(new.collect());
    }

    /// Adds the contacts that come next, each of which has those of all up to the last one whose key is its own or one
    /// `beside` that. What has no key has none.
    pub fn add<K: Ord + Copy, B: IntoIterator<Item = K>>(
        &mut self,
        new: Range<usize>,
        key: impl Fn(usize) -> Option<K>,
        beside: impl Fn(K) -> B,
    ) {
        let mut with_key = BTreeMap::<K, Vec<usize>>::new();
        for i in 0..new.end {
            if let Some(own) = key(i) {
                with_key.entry(own).or_default().push(i);
            }
        }
        let mut known = BTreeMap::<K, usize>::new();
        for i in new {
            let set = key(i).map(|own| {
                *known.entry(own).or_insert_with(|| {
                    let keys = std::iter::once(own).chain(beside(own));
                    let all = keys.filter_map(|key| with_key.get(&key));
                    let mut set: Vec<usize> = all.flatten().copied().collect();
                    set.sort_unstable();
                    set.dedup();
                    self.sets.push(set);
                    self.sets.len() - 1
                })
            });
            self.of.push(set);
        }
    }

    fn set(&self, i: usize) -> &[usize] {
        self.of[i].map_or(&[], |set| &self.sets[set])
    }

    /// Those of contact i, ascending.
    pub fn of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.set(i).iter().copied().filter(move |j| *j != i)
    }

    /// Whether contact j is one of contact i.
    pub fn has(&self, i: usize, j: usize) -> bool {
        i != j && self.set(i).binary_search(&j).is_ok()
    }
}
