//! Tiles of 4 × 4 numbers, of which small dense matrices are made: loops of four have no ends to look for and fill the
//! vectors of every processor, where columns of a dozen numbers are over before they begin.

/// Numbers along an edge of a tile.
pub(super) const EDGE: usize = 4;

/// Four numbers.
pub(super) type Line = [f64; EDGE];

/// Column after column.
pub(super) type Tile = [Line; EDGE];

/// The tiles of a k × k matrix, column of tiles after column of tiles; what is beyond its last row and column is zero, with
/// `padding` on the diagonal.
pub(super) fn cut(matrix: &[f64], k: usize, padding: f64, tiles: &mut Vec<Tile>) {
    let n = k.div_ceil(EDGE);
    tiles.resize(n * n, [[0.0; EDGE]; EDGE]);
    if k == 0 {
        return;
    }
    for (j, column) in matrix.chunks_exact(k).enumerate() {
        let own = &mut tiles[j / EDGE * n..(j / EDGE + 1) * n];
        let (whole, rest) = column.as_chunks::<EDGE>();
        for (tile, line) in own.iter_mut().zip(whole) {
            tile[j % EDGE] = *line;
        }
        if !rest.is_empty() {
            own[n - 1][j % EDGE] = padded(rest);
        }
    }
    for j in k..n * EDGE {
        for tile in &mut tiles[(n - 1) * n..] {
            tile[j % EDGE] = [0.0; EDGE];
        }
        tiles[n * n - 1][j % EDGE][j % EDGE] = padding;
    }
}

/// The lines of x, the last one filled with zeros.
pub(super) fn cut_vector(x: &[f64], lines: &mut Vec<Line>) {
    let (whole, rest) = x.as_chunks::<EDGE>();
    lines.clear();
    lines.extend_from_slice(whole);
    if !rest.is_empty() {
        lines.push(padded(rest));
    }
}

/// Less than a line, and zeros: a copy of unknown length would be a call.
#[inline(always)]
fn padded(x: &[f64]) -> Line {
    match *x {
        [a] => [a, 0.0, 0.0, 0.0],
        [a, b] => [a, b, 0.0, 0.0],
        [a, b, c] => [a, b, c, 0.0],
        _ => [0.0; EDGE],
    }
}

/// The first entries of the lines.
pub(super) fn join_vector(lines: &[Line], x: &mut [f64]) {
    for (x, entry) in x.iter_mut().zip(lines.as_flattened()) {
        *x = *entry;
    }
}

/// x ← L⁻¹ x with the lower triangle of n × n tiles, those on its diagonal by `solve`.
#[inline(always)]
pub(super) fn substitute_lower(
    tiles: &[Tile],
    n: usize,
    lines: &mut [Line],
    solve: impl Fn(&Tile, &mut Line),
) {
    for (j, column) in tiles.chunks_exact(n.max(1)).enumerate() {
        let (known, rest) = lines[j..].split_at_mut(1);
        solve(&column[j], &mut known[0]);
        for (line, tile) in rest.iter_mut().zip(&column[j + 1..]) {
            subtract_columns(line, tile, &known[0]);
        }
    }
}

/// C −= A B.
pub(super) fn subtract_product(c: &mut Tile, a: &Tile, b: &Tile) {
    for (c, b) in c.iter_mut().zip(b) {
        subtract_columns(c, a, b);
    }
}

/// C −= A Bᵀ.
pub(super) fn subtract_product_transposed(c: &mut Tile, a: &Tile, b: &Tile) {
    for (j, c) in c.iter_mut().enumerate() {
        subtract_columns(c, a, &[b[0][j], b[1][j], b[2][j], b[3][j]]);
    }
}

/// c −= A b.
#[inline(always)]
pub(super) fn subtract_columns(c: &mut Line, a: &Tile, b: &Line) {
    for (a, b) in a.iter().zip(b) {
        subtract(c, a, *b);
    }
}

/// c −= Aᵀ b.
#[inline(always)]
pub(super) fn subtract_rows(c: &mut Line, a: &Tile, b: &Line) {
    for (c, a) in c.iter_mut().zip(a) {
        *c -= (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
    }
}

/// c −= factor · a.
#[inline(always)]
pub(super) fn subtract(c: &mut Line, a: &Line, factor: f64) {
    for (c, a) in c.iter_mut().zip(a) {
        *c -= factor * a;
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Tile, cut, cut_vector, subtract_product, subtract_product_transposed, subtract_rows,
    };

    fn tile(start: i32) -> Tile {
        std::array::from_fn(|j| {
            std::array::from_fn(|i| f64::from((start + 3 * i as i32 + 7 * j as i32) % 11 - 5))
        })
    }

    /// Small whole numbers, exact in any order.
    #[test]
    fn products_are_those_of_their_entries() {
        let (a, b, c) = (tile(1), tile(4), tile(8));
        let (mut plain, mut transposed, mut rows) = (c, c, c);
        subtract_product(&mut plain, &a, &b);
        subtract_product_transposed(&mut transposed, &a, &b);
        for (rows, b) in rows.iter_mut().zip(&b) {
            subtract_rows(rows, &a, b);
        }
        for i in 0..4 {
            for j in 0..4 {
                let sum = |term: &dyn Fn(usize) -> f64| (0..4).map(term).sum::<f64>();
                assert_eq!(plain[j][i], c[j][i] - sum(&|p| a[p][i] * b[j][p]));
                assert_eq!(transposed[j][i], c[j][i] - sum(&|p| a[p][i] * b[p][j]));
                assert_eq!(rows[j][i], c[j][i] - sum(&|p| a[i][p] * b[j][p]));
            }
        }
    }

    #[test]
    fn what_is_cut_is_padded() {
        let mut tiles = vec![[[9.0; 4]; 4]; 4];
        cut(
            &(0..25).map(f64::from).collect::<Vec<_>>(),
            5,
            3.0,
            &mut tiles,
        );
        for j in 0..8 {
            for i in 0..8 {
                let wanted = match (i < 5 && j < 5, i == j) {
                    (true, _) => f64::from(5 * j + i),
                    (false, true) => 3.0,
                    (false, false) => 0.0,
                };
                let found =
                    tiles[j as usize / 4 * 2 + i as usize / 4][j as usize % 4][i as usize % 4];
                assert_eq!(found, wanted, "({i}, {j})");
            }
        }
        let mut lines = vec![[9.0; 4]];
        cut_vector(&[1.0, 2.0, 3.0, 4.0, 5.0], &mut lines);
        assert_eq!(lines, [[1.0, 2.0, 3.0, 4.0], [5.0, 0.0, 0.0, 0.0]]);
    }
}
