//! The contacts of one impact as a sweep over them sees them: what does not change with the impulses is worked out
//! once, and what does is a few products.

use nalgebra::{DVector, Vector3};

use super::tangent_frame::TangentFrame;
use super::{ContactBlock, DissipationBranch};
use crate::impact::ContactSpace;

/// Blocks of all contacts, in memory that every impact uses again.
#[derive(Debug, Clone, Default)]
pub(crate) struct SweptContacts {
    contacts: Vec<SweptContact>,
    /// For each contact the velocities (normal, then tangents; what it does not have is zero) that a unit impulse on
    /// each row gives it.
    answers: Vec<[f64; 4]>,
}

#[derive(Debug, Clone)]
struct SweptContact {
    block: ContactBlock,
    frame: TangentFrame,
    /// Velocity before the impact.
    before: [f64; 4],
    /// Its rows.
    first: usize,
    end: usize,
}

impl SweptContacts {
    /// Takes in the contacts of an impact, Λ (r) being any impulse.
    pub(crate) fn fill(&mut self, space: &ContactSpace, impulse: &DVector<f64>) {
        self.contacts.clear();
        self.answers.clear();
        for (j, at) in space.contacts.iter().enumerate() {
            let block = ContactBlock::from_space(space, j, impulse);
            let own = at.rows();
            let mut before = [0.0; 4];
            before[..own.len()].copy_from_slice(&space.velocity.as_slice()[own.clone()]);
            let start = self.answers.len();
            self.answers.resize(start + space.rows(), [0.0; 4]);
            for (k, row) in own.clone().enumerate() {
                let column = space.delassus.column(row);
                for (answer, entry) in self.answers[start..].iter_mut().zip(column.iter()) {
                    answer[k] = *entry;
                }
            }
            self.contacts.push(SweptContact {
                frame: match block.tangents {
                    2 => TangentFrame::new(&block.delassus),
                    _ => TangentFrame::default(),
                },
                block,
                before,
                first: own.start,
                end: own.end,
            });
        }
    }

    /// Moves the impulse of contact j by a share of the way to the maximally dissipative one with the impulses Λ (r) of
    /// all others. Returns the square of the change in the norm √(xᵀA x), and the branch.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        j: usize,
        impulse: &mut [f64],
        share: f64,
    ) -> (f64, DissipationBranch) {
        let r = impulse.len();
        let contact = &mut self.contacts[j];
        let answers = &self.answers[j * r..(j + 1) * r];
        let (first, end) = (contact.first, contact.end);
        let left = combine(&answers[..first], &impulse[..first]);
        let right = combine(&answers[end..], &impulse[end..]);
        for k in 0..3 {
            contact.block.velocity[k] = contact.before[k] + left[k] + right[k];
        }
        let (x, branch) = contact.block.maximum_dissipation_in(&contact.frame);
        let mut change = Vector3::zeros();
        for (k, own) in impulse[first..end].iter_mut().enumerate() {
            change[k] = share * (x[k] - *own);
            *own += change[k];
        }
        (change.dot(&(contact.block.delassus * change)), branch)
    }
}

/// Σ aᵢ xᵢ, added up in the order of [`crate::numerics::dot`].
#[inline]
fn combine(a: &[[f64; 4]], x: &[f64]) -> [f64; 4] {
    let (a, last) = a.as_chunks::<4>();
    let (x, rest) = x.as_chunks::<4>();
    let mut sums = [[0.0; 4]; 4];
    for (a, x) in a.iter().zip(x) {
        for k in 0..4 {
            for (sum, a) in sums[k].iter_mut().zip(&a[k]) {
                *sum += a * x[k];
            }
        }
    }
    let mut tail = [0.0; 4];
    for (a, x) in last.iter().zip(rest) {
        for (sum, a) in tail.iter_mut().zip(a) {
            *sum += a * x;
        }
    }
    let [s0, s1, s2, s3] = sums;
    std::array::from_fn(|w| (s0[w] + s2[w]) + (s1[w] + s3[w]) + tail[w])
}

#[cfg(test)]
mod tests {
    use super::combine;
    use crate::numerics::dot;

    #[test]
    fn combinations_are_the_products_of_the_parts_to_the_bit() {
        for n in 0..23 {
            let entry = |seed: f64, i: usize| (seed * (i + 1) as f64).sin();
            let a: Vec<[f64; 4]> = (0..n)
                .map(|i| [0.7, 1.3, 2.9, 5.1].map(|seed| entry(seed, i)))
                .collect();
            let x: Vec<f64> = (0..n).map(|i| entry(0.4, i)).collect();
            let together = combine(&a, &x);
            for w in 0..4 {
                let part: Vec<f64> = a.iter().map(|a| a[w]).collect();
                assert_eq!(together[w].to_bits(), dot(&part, &x).to_bits());
            }
        }
    }
}
