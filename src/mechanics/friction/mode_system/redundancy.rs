//! Redundant contacts in mode equations: whether there are any, and the directions in which they share loads.

use super::ModeSystem;
use crate::friction::mode_unknown::Unknown;

/// Pivots of at most so many ε, and of at most this share of the entry that they are left of, may be those of redundant contacts.
const REDUNDANT: f64 = 1e3;
const DEPENDENT: f64 = 0.1;
/// What a direction has of contacts that slide is rounding below this share.
const SLIDING: f64 = 1e-6;

impl ModeSystem {
    /// Whether only ε makes the last equations for the matrix of this number regular, as far as a pivot can tell.
    pub fn may_be_redundant(&self, generation: u64) -> bool {
        let most = REDUNDANT * self.factored.epsilon;
        let entries = self.factored.diagonal.iter();
        let least = entries.map(|entry| most.min(DEPENDENT * entry.abs()));
        if self.factored.generation != generation {
            false
        } else if self.is_symmetric {
            self.symmetric.has_pivot_below(least)
        } else {
            self.general.has_pivot_below(least)
        }
    }

    /// Takes those impulses of least norm that satisfy the equations as well; false where there are no others.
    pub(super) fn share(&mut self, g: &[f64], impulse: &mut [f64], velocity: &mut [f64]) -> bool {
        if !self.sharing.is_found {
            self.find_directions(g, impulse.len());
        }
        let found = self.sharing.has_directions();
        if found {
            self.solution.clear();
            let own = self.unknowns.iter().map(|unknown| unknown.tested(impulse));
            self.solution.extend(own);
            self.sharing.replace_by_change(&mut self.solution);
            self.add_solution(g, impulse, velocity);
        }
        found
    }

    /// Finds the directions in which loads may be shared, with the factors at hand. They serve as long as these do: what they
    /// leave of equations that have turned a little is solved for as what the factors leave of them.
    fn find_directions(&mut self, g: &[f64], r: usize) {
        let mut sharing = std::mem::take(&mut self.sharing);
        self.tests.clear();
        sharing.unresisted.clear();
        for (at, unknown) in self.unknowns.iter().enumerate() {
            if unknown.turning == 0.0 {
                sharing.unresisted.push(at);
                self.tests.push(unknown.of_test());
            }
        }
        std::mem::swap(&mut self.tests, &mut self.unknowns);
        self.fill(g, r, 0.0, true);
        std::mem::swap(&mut self.tests, &mut self.unknowns);
        sharing.sizes.clear();
        let sizes = self.unknowns.iter().map(Unknown::size);
        sharing.sizes.extend(sizes);
        let matrix = std::mem::take(&mut self.matrix);
        sharing.find(&matrix, |x| {
            let mut own = self.unknowns.iter().zip(&*x);
            let slides = |(unknown, x): (&Unknown, &f64)| !unknown.is_plain() && x.abs() > SLIDING;
            if own.any(slides) {
                self.substitute(x);
            }
        });
        self.matrix = matrix;
        self.sharing = sharing;
    }
}
