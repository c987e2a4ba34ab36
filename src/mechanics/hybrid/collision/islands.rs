//! Which contacts of a moment have to do with each other: bodies that stand side by side do not take part in each other's
//! impacts.

use crate::contact::Contacts;
use crate::dynamics::Support;
use crate::model::Model;

/// What hangs together at a moment: coordinates with an entry of M in common, directly or by others, and those that a closed
/// contact has in common.
#[derive(Debug, Clone)]
pub(in crate::hybrid) struct Islands {
    /// The island of each coordinate, by its number.
    labels: Vec<usize>,
    /// The contacts and the island of each; none where it moves nothing.
    contacts: Vec<(usize, Option<usize>)>,
}

impl Islands {
    pub fn new(model: &Model, contacts: &Contacts, closed: &[usize]) -> Self {
        let roots = model.bodies().iter().filter(|body| body.parent.is_none());
        if roots.count() == 1 {
            return Self::one(model, contacts, closed);
        }
        let mut labels: Vec<usize> = (0..model.dof()).collect();
        let mut support = Support::default();
        for body in 0..model.bodies().len() {
            support.update(model, [Some(body), None]);
            join(&mut labels, support.coordinates());
        }
        let mut places = Vec::with_capacity(closed.len());
        for &i in closed {
            support.update(model, contacts.bodies(i));
            join(&mut labels, support.coordinates());
            places.push((i, support.coordinates().first().copied()));
        }
        let island = |(i, place): (usize, Option<usize>)| (i, place.map(|place| labels[place]));
        let contacts = places.into_iter().map(island).collect();
        Self { labels, contacts }
    }

    /// Of what hangs together by its root.
    fn one(model: &Model, contacts: &Contacts, closed: &[usize]) -> Self {
        let moves = |i: usize| contacts.bodies(i).iter().any(Option::is_some);
        let closed = closed.iter();
        Self {
            labels: vec![0; model.dof()],
            contacts: closed.map(|&i| (i, moves(i).then_some(0))).collect(),
        }
    }

    /// Those of the closed contacts that are in an island with one of `some` of them, or are these.
    pub fn with(&self, some: &[usize]) -> Vec<usize> {
        let known = self.contacts.iter().filter(|(i, _)| some.contains(i));
        let islands: Vec<usize> = known.filter_map(|(_, island)| *island).collect();
        let among = |island: &Option<usize>| island.is_some_and(|label| islands.contains(&label));
        let all = self.contacts.iter();
        all.filter(|(i, island)| among(island) || some.contains(i))
            .map(|(i, _)| *i)
            .collect()
    }

    /// The coordinates of the islands of the closed contacts, ascending; all where these move nothing.
    pub fn coordinates(&self) -> Vec<usize> {
        let all = 0..self.labels.len();
        let has_contact = |label: usize| self.contacts.iter().any(|(_, own)| *own == Some(label));
        let own: Vec<usize> = all
            .clone()
            .filter(|&k| has_contact(self.labels[k]))
            .collect();
        if own.is_empty() { all.collect() } else { own }
    }
}

/// Puts coordinates into one island with all that are in one with any of them.
fn join(labels: &mut [usize], coordinates: &[usize]) {
    let Some((&first, others)) = coordinates.split_first() else {
        return;
    };
    for &other in others {
        let [one, with] = [labels[first], labels[other]];
        if one != with {
            for label in labels.iter_mut().filter(|label| **label == with) {
                *label = one;
            }
        }
    }
}
