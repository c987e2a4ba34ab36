//! Products with the rows of one group, whose number is known when compiled.

/// The rows of one group times x.
pub(super) fn block_product<const R: usize>(
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

/// Adds the transposed rows of one group times y.
pub(super) fn block_transposed<const R: usize>(
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

/// Adds the products of the columns of one group, of its first `chosen` rows.
pub(super) fn block_gram<const R: usize>(
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
        for (&j, right) in coordinates[k..].iter().zip(&columns[k..]) {
            let mut sum = 0.0;
            for k in 0..R {
                sum += left[k] * right[k];
            }
            target[j] += sum;
        }
    }
}
