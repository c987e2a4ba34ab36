//! Rows of all contacts and joints with friction at one configuration, each with the columns of its support only.

mod blocks;

use std::ops::Range;

use self::blocks::{block_gram, block_product, block_transposed};
use super::FrictionRows;
use crate::numerics::dot;

/// Where the rows of each group stand, and which coordinates their columns are.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowLayout {
    groups: Vec<FrictionRows>,
    blocks: Vec<Block>,
    coordinates: Vec<usize>,
    overlaps: Vec<Overlap>,
    /// Of each group the first one that it hangs together with, by coordinates in common.
    islands: Vec<usize>,
    /// Places, in both, of what two groups share beyond [`Overlap::first`].
    further: Vec<[usize; 2]>,
    rows: usize,
    entries: usize,
}

#[derive(Debug, Clone)]
struct Block {
    entries: Range<usize>,
    coordinates: Range<usize>,
    /// The coordinate whose velocity the row of a joint is.
    joint: Option<usize>,
}

/// Two groups with coordinates in common, the later one first, or one with itself.
#[derive(Debug, Clone)]
struct Overlap {
    /// First rows, numbers of rows, and where their entries begin.
    rows: [usize; 2],
    heights: [usize; 2],
    starts: [usize; 2],
    /// So many of their coordinates are the same from the first on, which are all when both are at ends of branches.
    first: usize,
    further: Range<usize>,
}

impl RowLayout {
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.blocks.clear();
        self.coordinates.clear();
        self.overlaps.clear();
        self.islands.clear();
        self.further.clear();
        self.rows = 0;
        self.entries = 0;
    }

    /// Adds a contact whose rows have these coordinates as columns, or a joint of the coordinate `joint`.
    pub(crate) fn push(&mut self, rows: FrictionRows, coordinates: &[usize], joint: Option<usize>) {
        let rows = FrictionRows {
            row: self.rows,
            ..rows
        };
        self.groups.push(rows);
        let first = self.coordinates.len();
        self.coordinates.extend_from_slice(coordinates);
        let size = rows.height() * coordinates.len();
        self.blocks.push(Block {
            entries: self.entries..self.entries + size,
            coordinates: first..self.coordinates.len(),
            joint,
        });
        self.rows += rows.height();
        self.entries += size;
        self.overlap_with_last();
    }

    /// Finds what the last group has in common with each one up to itself.
    fn overlap_with_last(&mut self) {
        let last = self.blocks.len() - 1;
        self.islands.push(last);
        let left = &self.coordinates[self.blocks[last].coordinates.clone()];
        for (other, block) in self.blocks.iter().enumerate() {
            let right = &self.coordinates[block.coordinates.clone()];
            let first = left.iter().zip(right).take_while(|(a, b)| a == b).count();
            let before = self.further.len();
            let (mut i, mut j) = (first, first);
            // Coordinates ascend in both.
            while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
                if a == b {
                    self.further.push([i, j]);
                }
                i += usize::from(a <= b);
                j += usize::from(b <= a);
            }
            let further = before..self.further.len();
            if first > 0 || !further.is_empty() {
                let [one, with] = [self.islands[last], self.islands[other]];
                for island in &mut self.islands {
                    if *island == one.max(with) {
                        *island = one.min(with);
                    }
                }
                let pair = [last, other];
                self.overlaps.push(Overlap {
                    rows: pair.map(|at| self.groups[at].row),
                    heights: pair.map(|at| self.groups[at].height()),
                    starts: pair.map(|at| self.blocks[at].entries.start),
                    first,
                    further,
                });
            }
        }
    }

    /// Becomes as another one.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.groups.clone_from(&other.groups);
        self.blocks.clone_from(&other.blocks);
        self.coordinates.clone_from(&other.coordinates);
        self.overlaps.clone_from(&other.overlaps);
        self.islands.clone_from(&other.islands);
        self.further.clone_from(&other.further);
        self.rows = other.rows;
        self.entries = other.entries;
    }

    pub(crate) fn set_limits(&mut self, first: usize, limits: impl Iterator<Item = f64>) {
        for (group, limit) in self.groups[first..].iter_mut().zip(limits) {
            group.limit = limit;
        }
    }

    pub(crate) fn groups(&self) -> &[FrictionRows] {
        &self.groups
    }

    /// The first group that group i hangs together with.
    pub(crate) fn island(&self, i: usize) -> usize {
        self.islands[i]
    }

    /// The coordinates that the columns of group i are.
    pub(crate) fn coordinates(&self, i: usize) -> &[usize] {
        &self.coordinates[self.blocks[i].coordinates.clone()]
    }

    /// Number of rows r.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Contacts, the coordinates of their columns and where their entries are.
    fn blocks(&self) -> impl Iterator<Item = (&FrictionRows, &[usize], &Block)> {
        self.groups.iter().zip(&self.blocks).map(|(c, block)| {
            let coordinates = &self.coordinates[block.coordinates.clone()];
            (c, coordinates, block)
        })
    }
}

/// The entries of one matrix of this layout, r × n: those of one contact column after column, so that a
/// coordinate's entries in its rows stand together.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactRows {
    entries: Vec<f64>,
    /// Whether rows of joints are known to be their own velocities, with nothing in other columns.
    joints_are_units: bool,
}

impl ContactRows {
    /// Rows of velocities: those of joints are their own.
    pub(crate) fn of_velocities() -> Self {
        Self {
            entries: Vec::new(),
            joints_are_units: true,
        }
    }

    /// The coordinate that alone counts for a joint.
    fn unit(&self, block: &Block) -> Option<usize> {
        block.joint.filter(|_| self.joints_are_units)
    }

    pub(crate) fn resize(&mut self, layout: &RowLayout) {
        self.entries.resize(layout.entries, 0.0);
    }

    /// The columns of one contact's rows, one after the other.
    pub(crate) fn block(&self, layout: &RowLayout, contact: usize) -> &[f64] {
        &self.entries[layout.blocks[contact].entries.clone()]
    }

    pub(crate) fn block_mut(&mut self, layout: &RowLayout, contact: usize) -> &mut [f64] {
        &mut self.entries[layout.blocks[contact].entries.clone()]
    }

    /// out (r) ← rows × x (n).
    pub(crate) fn product(&self, layout: &RowLayout, x: &[f64], out: &mut [f64]) {
        for (c, coordinates, block) in layout.blocks() {
            if let Some(at) = self.unit(block) {
                out[c.row] = x[at];
                continue;
            }
            let out = &mut out[c.row..c.row + c.height()];
            let entries = &self.entries[block.entries.clone()];
            match c.height() {
                1 => block_product::<1>(coordinates, entries, x, out),
                2 => block_product::<2>(coordinates, entries, x, out),
                _ => block_product::<3>(coordinates, entries, x, out),
            }
        }
    }

    /// out (n) += rowsᵀ y (r).
    pub(crate) fn add_transposed(&self, layout: &RowLayout, y: &[f64], out: &mut [f64]) {
        for (c, coordinates, block) in layout.blocks() {
            if let Some(at) = self.unit(block) {
                out[at] += y[c.row];
                continue;
            }
            let y = &y[c.row..c.row + c.height()];
            let entries = &self.entries[block.entries.clone()];
            match c.height() {
                1 => block_transposed::<1>(coordinates, entries, y, out),
                2 => block_transposed::<2>(coordinates, entries, y, out),
                _ => block_transposed::<3>(coordinates, entries, y, out),
            }
        }
    }

    /// Writes the entries of Y Yᵀ (r × r) for these rows Y that two contacts with coordinates in common have; all others
    /// are zero.
    pub(crate) fn product_with_itself(&self, layout: &RowLayout, out: &mut [f64]) {
        for overlap in &layout.overlaps {
            let pair = Pair {
                overlap,
                further: &layout.further[overlap.further.clone()],
                entries: &self.entries,
                size: layout.rows,
            };
            match overlap.heights {
                [3, 3] => pair.write::<3, 3>(out),
                [1, 1] => pair.write_one(out),
                [1, 3] => pair.write::<1, 3>(out),
                [3, 1] => pair.write::<3, 1>(out),
                [2, 2] => pair.write::<2, 2>(out),
                [1, 2] => pair.write::<1, 2>(out),
                [2, 1] => pair.write::<2, 1>(out),
                [2, 3] => pair.write::<2, 3>(out),
                _ => pair.write::<3, 2>(out),
            }
        }
    }

    /// Adds the lower triangle of Σ yᵢᵀ yᵢ over the first `chosen` rows of each contact to `out` (n × n,
    /// column after column).
    pub(crate) fn add_gram(&self, layout: &RowLayout, chosen: &[usize], n: usize, out: &mut [f64]) {
        for ((c, coordinates, block), &chosen) in layout.blocks().zip(chosen) {
            let entries = &self.entries[block.entries.clone()];
            match c.height() {
                1 => block_gram::<1>(coordinates, entries, chosen, n, out),
                2 => block_gram::<2>(coordinates, entries, chosen, n, out),
                _ => block_gram::<3>(coordinates, entries, chosen, n, out),
            }
        }
    }
}

/// The blocks of two contacts, and what these have in common.
struct Pair<'a> {
    overlap: &'a Overlap,
    further: &'a [[usize; 2]],
    entries: &'a [f64],
    size: usize,
}

impl Pair<'_> {
    /// Writes the block of the product that belongs to both, and its mirror image.
    #[inline(always)]
    fn write<const L: usize, const R: usize>(&self, out: &mut [f64]) {
        let [left, right] = self.overlap.starts.map(|start| &self.entries[start..]);
        let (x, y) = (left.as_chunks::<L>().0, right.as_chunks::<R>().0);
        // Two or four numbers are vectors of every processor, three are not.
        let mut sums = [[0.0; 4]; R];
        let mut add = |x: &[f64; L], y: &[f64; R]| {
            let mut padded = [0.0; 4];
            padded[..L].copy_from_slice(x);
            for (sums, y) in sums.iter_mut().zip(y) {
                for (sum, x) in sums.iter_mut().zip(&padded) {
                    *sum += x * y;
                }
            }
        };
        let first = self.overlap.first;
        for (x, y) in x[..first].iter().zip(&y[..first]) {
            add(x, y);
        }
        for &[i, j] in self.further {
            add(&x[i], &y[j]);
        }
        let [row, column] = self.overlap.rows;
        for (l, sums) in sums.iter().enumerate() {
            let at = (column + l) * self.size + row;
            out[at..at + L].copy_from_slice(&sums[..L]);
        }
        for k in 0..L {
            let at = (row + k) * self.size + column;
            for (out, sums) in out[at..at + R].iter_mut().zip(&sums) {
                *out = sums[k];
            }
        }
    }

    /// The same of two rows.
    #[inline(always)]
    fn write_one(&self, out: &mut [f64]) {
        let [left, right] = self.overlap.starts.map(|start| &self.entries[start..]);
        let first = self.overlap.first;
        let further = self.further.iter().map(|&[i, j]| left[i] * right[j]);
        let sum = further.fold(dot(&left[..first], &right[..first]), |sum, x| sum + x);
        let [row, column] = self.overlap.rows;
        out[row * self.size + column] = sum;
        out[column * self.size + row] = sum;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::{ContactRows, RowLayout};
    use crate::friction::FrictionRows;

    /// Contacts in space, in the plane and without friction and a joint, with branches in common, apart, and in part.
    #[test]
    fn products_are_those_of_the_dense_matrix() {
        let groups: [(FrictionRows, &[usize], Option<usize>); 5] = [
            (FrictionRows::contact(0, 2, 0.5), &[0, 1, 2, 5], None),
            (FrictionRows::contact(0, 1, 0.5), &[0, 2, 5, 6], None),
            (FrictionRows::contact(0, 0, 0.0), &[3, 4], None),
            (FrictionRows::contact(0, 2, 0.5), &[1, 2, 4, 6], None),
            (FrictionRows::joint(0, 0.1), &[0, 1, 2], Some(2)),
        ];
        let mut layout = RowLayout::default();
        for (rows, coordinates, joint) in groups {
            layout.push(rows, coordinates, joint);
        }
        let (r, n) = (layout.rows(), 7);
        assert_eq!(r, 3 + 2 + 1 + 3 + 1);
        for mut own in [ContactRows::default(), ContactRows::of_velocities()] {
            own.resize(&layout);
            let mut dense = DMatrix::zeros(r, n);
            for (i, (_, coordinates, joint)) in groups.iter().enumerate() {
                let group = layout.groups()[i];
                let columns = own.block_mut(&layout, i).chunks_exact_mut(group.height());
                for (column, &at) in columns.zip(*coordinates) {
                    for (k, entry) in column.iter_mut().enumerate() {
                        let row = group.row + k;
                        *entry = match joint {
                            Some(joint) => f64::from(u8::from(*joint == at)),
                            _ => ((3 * row + 5 * at) % 7) as f64 - 3.0,
                        };
                        dense[(row, at)] = *entry;
                    }
                }
            }
            // Sums of small whole numbers are exact.
            let mut square = DMatrix::zeros(r, r);
            own.product_with_itself(&layout, square.as_mut_slice());
            assert_eq!(square, &dense * dense.transpose());
            let x = DVector::from_fn(n, |i, _| i as f64 - 2.0);
            let mut product = DVector::zeros(r);
            own.product(&layout, x.as_slice(), product.as_mut_slice());
            assert_eq!(product, &dense * x);
            let y = DVector::from_fn(r, |i, _| 4.0 - i as f64);
            let mut transposed = DVector::zeros(n);
            own.add_transposed(&layout, y.as_slice(), transposed.as_mut_slice());
            assert_eq!(transposed, dense.transpose() * y);
        }
    }
}
