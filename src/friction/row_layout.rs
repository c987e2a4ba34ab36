//! Rows of all contacts and joints with friction at one configuration, each with the columns of its support only.

use std::ops::Range;

use super::FrictionRows;

/// Where the rows of each group stand, and which coordinates their columns are.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowLayout {
    groups: Vec<FrictionRows>,
    blocks: Vec<Block>,
    coordinates: Vec<usize>,
    rows: usize,
    entries: usize,
}

#[derive(Debug, Clone)]
struct Block {
    entries: Range<usize>,
    coordinates: Range<usize>,
}

impl RowLayout {
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.blocks.clear();
        self.coordinates.clear();
        self.rows = 0;
        self.entries = 0;
    }

    /// Adds a contact whose rows have these coordinates as columns.
    pub(crate) fn push(&mut self, rows: FrictionRows, coordinates: &[usize]) {
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
        });
        self.rows += rows.height();
        self.entries += size;
    }

    pub(crate) fn set_limits(&mut self, first: usize, limits: impl Iterator<Item = f64>) {
        for (group, limit) in self.groups[first..].iter_mut().zip(limits) {
            group.limit = limit;
        }
    }

    pub(crate) fn groups(&self) -> &[FrictionRows] {
        &self.groups
    }

    /// Number of rows r.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Contacts, the coordinates of their columns and where their entries are.
    fn blocks(&self) -> impl Iterator<Item = (&FrictionRows, &[usize], Range<usize>)> {
        self.groups.iter().zip(&self.blocks).map(|(c, block)| {
            let coordinates = &self.coordinates[block.coordinates.clone()];
            (c, coordinates, block.entries.clone())
        })
    }
}

/// The entries of one matrix of this layout, r × n: those of one contact column after column, so that a
/// coordinate's entries in its rows stand together.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactRows {
    entries: Vec<f64>,
}

impl ContactRows {
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
        for (c, coordinates, entries) in layout.blocks() {
            let out = &mut out[c.row..c.row + c.height()];
            let entries = &self.entries[entries];
            match c.height() {
                1 => block_product::<1>(coordinates, entries, x, out),
                2 => block_product::<2>(coordinates, entries, x, out),
                _ => block_product::<3>(coordinates, entries, x, out),
            }
        }
    }

    /// out (n) += rowsᵀ y (r).
    pub(crate) fn add_transposed(&self, layout: &RowLayout, y: &[f64], out: &mut [f64]) {
        for (c, coordinates, entries) in layout.blocks() {
            let y = &y[c.row..c.row + c.height()];
            let entries = &self.entries[entries];
            match c.height() {
                1 => block_transposed::<1>(coordinates, entries, y, out),
                2 => block_transposed::<2>(coordinates, entries, y, out),
                _ => block_transposed::<3>(coordinates, entries, y, out),
            }
        }
    }

    /// out (r × r) ← Y Yᵀ for these rows Y, from the coordinates that two contacts have in common.
    pub(crate) fn product_with_itself(&self, layout: &RowLayout, out: &mut [f64]) {
        for (i, left) in layout.blocks().enumerate() {
            for right in layout.blocks().take(i + 1) {
                let pair = Pair {
                    rows: [left.0.row, right.0.row],
                    coordinates: [left.1, right.1],
                    entries: [&self.entries[left.2.clone()], &self.entries[right.2]],
                    size: layout.rows,
                };
                match left.0.height() {
                    1 => pair.write_with::<1>(right.0.height(), out),
                    2 => pair.write_with::<2>(right.0.height(), out),
                    _ => pair.write_with::<3>(right.0.height(), out),
                }
            }
        }
    }

    /// Adds the lower triangle of Σ yᵢᵀ yᵢ over the first `chosen` rows of each contact to `out` (n × n,
    /// row after row).
    pub(crate) fn add_gram(&self, layout: &RowLayout, chosen: &[usize], n: usize, out: &mut [f64]) {
        for ((c, coordinates, entries), &chosen) in layout.blocks().zip(chosen) {
            let entries = &self.entries[entries];
            match c.height() {
                1 => block_gram::<1>(coordinates, entries, chosen, n, out),
                2 => block_gram::<2>(coordinates, entries, chosen, n, out),
                _ => block_gram::<3>(coordinates, entries, chosen, n, out),
            }
        }
    }
}

/// The blocks of two contacts.
struct Pair<'a> {
    rows: [usize; 2],
    coordinates: [&'a [usize]; 2],
    entries: [&'a [f64]; 2],
    size: usize,
}

impl Pair<'_> {
    fn write_with<const L: usize>(&self, right: usize, out: &mut [f64]) {
        match right {
            1 => self.write::<L, 1>(out),
            2 => self.write::<L, 2>(out),
            _ => self.write::<L, 3>(out),
        }
    }

    /// Writes the block of the product that belongs to both, and its mirror image.
    fn write<const L: usize, const R: usize>(&self, out: &mut [f64]) {
        let [left, right] = self.coordinates;
        let (x, y) = (
            self.entries[0].as_chunks::<L>().0,
            self.entries[1].as_chunks::<R>().0,
        );
        let mut sums = [[0.0; R]; L];
        let (mut i, mut j) = (0, 0);
        // Coordinates ascend in both.
        while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
            if a == b {
                let (x, y) = (&x[i], &y[j]);
                for k in 0..L {
                    for l in 0..R {
                        sums[k][l] += x[k] * y[l];
                    }
                }
            }
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        let [row, column] = self.rows;
        for k in 0..L {
            for l in 0..R {
                out[(row + k) * self.size + column + l] = sums[k][l];
                out[(column + l) * self.size + row + k] = sums[k][l];
            }
        }
    }
}

fn block_product<const R: usize>(
    coordinates: &[usize],
    entries: &[f64],
    x: &[f64],
    out: &mut [f64],
) {
    let mut sums = [0.0; R];
    for (&i, column) in coordinates.iter().zip(entries.as_chunks::<R>().0) {
        let x = x[i];
        for k in 0..R {
            sums[k] += column[k] * x;
        }
    }
    out.copy_from_slice(&sums);
}

fn block_transposed<const R: usize>(
    coordinates: &[usize],
    entries: &[f64],
    y: &[f64],
    out: &mut [f64],
) {
    let y: [f64; R] = std::array::from_fn(|k| y[k]);
    for (&i, column) in coordinates.iter().zip(entries.as_chunks::<R>().0) {
        let mut sum = 0.0;
        for k in 0..R {
            sum += column[k] * y[k];
        }
        out[i] += sum;
    }
}

fn block_gram<const R: usize>(
    coordinates: &[usize],
    entries: &[f64],
    chosen: usize,
    n: usize,
    out: &mut [f64],
) {
    let columns = entries.as_chunks::<R>().0;
    for (k, (&i, column)) in coordinates.iter().zip(columns).enumerate() {
        let left: [f64; R] = std::array::from_fn(|k| if k < chosen { column[k] } else { 0.0 });
        let target = &mut out[i * n..(i + 1) * n];
        for (&j, right) in coordinates[..=k].iter().zip(columns) {
            let mut sum = 0.0;
            for k in 0..R {
                sum += left[k] * right[k];
            }
            target[j] += sum;
        }
    }
}
