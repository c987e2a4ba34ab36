//! Rows of all held contacts at one configuration, each with the columns of its support only.

use std::ops::Range;

use super::HeldRows;

/// Where the rows of each contact stand, and which coordinates their columns are.
#[derive(Debug, Clone, Default)]
pub(super) struct RowLayout {
    contacts: Vec<HeldRows>,
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
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.blocks.clear();
        self.coordinates.clear();
        self.rows = 0;
        self.entries = 0;
    }

    /// Adds a contact whose rows have these coordinates as columns.
    pub(super) fn push(&mut self, tangents: usize, friction: f64, coordinates: &[usize]) {
        self.contacts.push(HeldRows {
            row: self.rows,
            tangents,
            friction,
        });
        let first = self.coordinates.len();
        self.coordinates.extend_from_slice(coordinates);
        let size = (1 + tangents) * coordinates.len();
        self.blocks.push(Block {
            entries: self.entries..self.entries + size,
            coordinates: first..self.coordinates.len(),
        });
        self.rows += 1 + tangents;
        self.entries += size;
    }

    pub(super) fn contacts(&self) -> &[HeldRows] {
        &self.contacts
    }

    /// Number of rows r.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Contacts, the coordinates of their columns and where their entries are.
    fn blocks(&self) -> impl Iterator<Item = (&HeldRows, &[usize], Range<usize>)> {
        self.contacts.iter().zip(&self.blocks).map(|(c, block)| {
            let coordinates = &self.coordinates[block.coordinates.clone()];
            (c, coordinates, block.entries.clone())
        })
    }
}

/// The entries of one matrix of this layout, r × n: those of one contact column after column, so that a
/// coordinate's entries in its rows stand together.
#[derive(Debug, Clone, Default)]
pub(super) struct ContactRows {
    entries: Vec<f64>,
}

impl ContactRows {
    pub(super) fn resize(&mut self, layout: &RowLayout) {
        self.entries.resize(layout.entries, 0.0);
    }

    /// The columns of one contact's rows, one after the other.
    pub(super) fn block(&self, layout: &RowLayout, contact: usize) -> &[f64] {
        &self.entries[layout.blocks[contact].entries.clone()]
    }

    pub(super) fn block_mut(&mut self, layout: &RowLayout, contact: usize) -> &mut [f64] {
        &mut self.entries[layout.blocks[contact].entries.clone()]
    }

    /// out (r) ← rows × x (n).
    pub(super) fn product(&self, layout: &RowLayout, x: &[f64], out: &mut [f64]) {
        for (c, coordinates, entries) in layout.blocks() {
            let out = &mut out[c.row..=c.row + c.tangents];
            let entries = &self.entries[entries];
            match c.tangents {
                0 => block_product::<1>(coordinates, entries, x, out),
                1 => block_product::<2>(coordinates, entries, x, out),
                _ => block_product::<3>(coordinates, entries, x, out),
            }
        }
    }

    /// out (n) += rowsᵀ y (r).
    pub(super) fn add_transposed(&self, layout: &RowLayout, y: &[f64], out: &mut [f64]) {
        for (c, coordinates, entries) in layout.blocks() {
            let y = &y[c.row..=c.row + c.tangents];
            let entries = &self.entries[entries];
            match c.tangents {
                0 => block_transposed::<1>(coordinates, entries, y, out),
                1 => block_transposed::<2>(coordinates, entries, y, out),
                _ => block_transposed::<3>(coordinates, entries, y, out),
            }
        }
    }

    /// Adds the lower triangle of Σ yᵢᵀ yᵢ over the first `chosen` rows of each contact to `out` (n × n,
    /// row after row).
    pub(super) fn add_gram(&self, layout: &RowLayout, chosen: &[usize], n: usize, out: &mut [f64]) {
        for ((c, coordinates, entries), &chosen) in layout.blocks().zip(chosen) {
            let entries = &self.entries[entries];
            match c.tangents {
                0 => block_gram::<1>(coordinates, entries, chosen, n, out),
                1 => block_gram::<2>(coordinates, entries, chosen, n, out),
                _ => block_gram::<3>(coordinates, entries, chosen, n, out),
            }
        }
    }

    /// Writes one row of a contact to `out` (n), which must be zero beside its columns.
    pub(super) fn scatter(&self, layout: &RowLayout, contact: usize, row: usize, out: &mut [f64]) {
        let block = &layout.blocks[contact];
        let coordinates = &layout.coordinates[block.coordinates.clone()];
        let height = 1 + layout.contacts[contact].tangents;
        let columns = self.entries[block.entries.clone()].chunks_exact(height);
        for (&i, column) in coordinates.iter().zip(columns) {
            out[i] = column[row];
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
