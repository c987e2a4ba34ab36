use nalgebra::{Matrix2, Vector2, Vector3};

use super::heights::Height;
use super::spline::{natural_coefficients, weights};
use super::{Proximity, SmoothSurface};
use crate::contact::ContactError;
use crate::contact::error::{check_finite, check_range};
use crate::files::brief;

/// Most nodes of a field.
const MOST_NODES: usize = 2_000_000;
/// Places along a side of a cell at which its curvature is looked at.
const LOOKS: usize = 4;

/// Heights at the nodes of a grid, interpolated by a tensor product of natural cubic splines: a surface z = f(x, y) of
/// class C² that goes through every height, also across the borders of its cells.
///
/// Beyond the outermost nodes the spline's coefficients are continued by the outermost one: a slope levels off within
/// two cells, and from there on the surface is constant across the border, C² all the way. Straight slopes and planes of
/// the grid are reproduced exactly, since natural splines keep straight lines.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    origin: [f64; 2],
    cell: [f64; 2],
    nodes: [usize; 2],
    /// (nodes + 2 along x) × (nodes + 2 along y), x fastest.
    coefficients: Vec<f64>,
}

impl HeightField {
    /// From rows of heights \[m\]: entry i of row j is at x = origin₀ + i cell₀, y = origin₁ + j cell₁ \[m\].
    ///
    /// # Errors
    /// [`ContactError::HeightGrid`] for rows of different lengths, fewer than two nodes along a side or more than two
    /// million; [`ContactError::BadNumber`] for numbers that are not finite and cells that are not positive.
    pub fn new(origin: [f64; 2], cell: [f64; 2], rows: &[Vec<f64>]) -> Result<Self, ContactError> {
        let columns = rows.first().map_or(0, Vec::len);
        let wrong = |reason: String| Err(ContactError::HeightGrid { reason });
        if let Some(j) = rows.iter().position(|row| row.len() != columns) {
            return wrong(format!(
                "row {} has {} heights, the first row {columns}; give every row as many",
                j + 1,
                rows[j].len()
            ));
        }
        if columns < 2 || rows.len() < 2 {
            return wrong(format!(
                "{columns} x {} heights span no cell; give at least 2 x 2",
                rows.len()
            ));
        }
        if columns.saturating_mul(rows.len()) > MOST_NODES {
            return wrong(format!(
                "{columns} x {} heights are more than {MOST_NODES}; use larger cells",
                rows.len()
            ));
        }
        check_finite("height field: origin", &origin)?;
        check_range("height field: cell", &cell, "finite and positive", |x| {
            x > 0.0
        })?;
        for (j, row) in rows.iter().enumerate() {
            check_finite(&format!("height field: height of row {}", j + 1), row)?;
        }
        // Along x row by row, then along y column by column.
        let width = columns + 2;
        let along_x: Vec<Vec<f64>> = rows.iter().map(|row| natural_coefficients(row)).collect();
        let mut coefficients = vec![0.0; width * (rows.len() + 2)];
        for i in 0..width {
            let column: Vec<f64> = along_x.iter().map(|row| row[i]).collect();
            for (j, c) in natural_coefficients(&column).into_iter().enumerate() {
                coefficients[j * width + i] = c;
            }
        }
        Ok(Self {
            origin,
            cell,
            nodes: [columns, rows.len()],
            coefficients,
        })
    }

    /// The heights of a function f(x, y) at so many nodes along x and y.
    ///
    /// # Errors
    /// As [`HeightField::new`].
    pub fn of_function(
        origin: [f64; 2],
        cell: [f64; 2],
        nodes: [usize; 2],
        f: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, ContactError> {
        if nodes[0].saturating_mul(nodes[1]) > MOST_NODES {
            let reason = format!(
                "{} x {} heights are more than {MOST_NODES}; use larger cells",
                nodes[0], nodes[1]
            );
            return Err(ContactError::HeightGrid { reason });
        }
        let at = |k: usize, i: usize| origin[k] + i as f64 * cell[k];
        let mut rows = vec![Vec::with_capacity(nodes[0]); nodes[1]];
        for (j, row) in rows.iter_mut().enumerate() {
            for i in 0..nodes[0] {
                let [x, y] = [at(0, i), at(1, j)];
                let height = f(x, y);
                if !height.is_finite() {
                    let (x, y) = (brief(x), brief(y));
                    let reason = format!(
                        "the height at x = {x}, y = {y} is {height}, it must be finite there"
                    );
                    return Err(ContactError::HeightGrid { reason });
                }
                row.push(height);
            }
        }
        Self::new(origin, cell, &rows)
    }

    /// x and y of the first node \[m\].
    #[must_use]
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// Distances between neighbouring nodes along x and y \[m\].
    #[must_use]
    pub fn cell(&self) -> [f64; 2] {
        self.cell
    }

    /// Number of nodes along x and y.
    #[must_use]
    pub fn nodes(&self) -> [usize; 2] {
        self.nodes
    }

    /// Height with its derivatives at a place \[m\].
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> Height {
        let [(i, wx), (j, wy)] = [(0, x), (1, y)].map(|(k, x)| {
            let last = self.nodes[k] as f64 + 2.0;
            let u = ((x - self.origin[k]) / self.cell[k]).clamp(-3.0, last);
            (u.floor(), weights(u - u.floor()))
        });
        // Indices of the four coefficients along an axis; those beyond the outermost are equal to it.
        let index = |first: f64, k: usize| {
            let first = first as isize;
            let last = self.nodes[k] as isize + 1;
            [0, 1, 2, 3].map(|m| (first + m).clamp(0, last) as usize)
        };
        let (columns, rows) = (index(i, 0), index(j, 1));
        let width = self.nodes[0] + 2;
        // Differences to one of them keep level ground exactly level.
        let level = self.coefficients[rows[1] * width + columns[1]];
        let mut sums = [[0.0; 3]; 3];
        for (b, &row) in rows.iter().enumerate() {
            let mut along = [0.0; 3];
            for (a, &column) in columns.iter().enumerate() {
                let c = self.coefficients[row * width + column] - level;
                for (sum, w) in along.iter_mut().zip(&wx) {
                    *sum += w[a] * c;
                }
            }
            for (order, w) in wy.iter().enumerate() {
                for (sum, along) in sums[order].iter_mut().zip(along) {
                    *sum += w[b] * along;
                }
            }
        }
        let [p, q] = self.cell;
        let twist = sums[1][1] / (p * q);
        Height {
            value: level + sums[0][0],
            gradient: Vector2::new(sums[0][1] / p, sums[1][0] / q),
            hessian: Matrix2::new(sums[0][2] / (p * p), twist, twist, sums[2][0] / (q * q)),
        }
    }

    /// Where a valley inside of the grid is so narrow that a ball of this radius \[m\] does not fit, with its curvature
    /// \[1/m\]; looked for at sixteen places of every cell that could be so.
    pub(crate) fn too_narrow(&self, radius: f64) -> Option<([f64; 2], f64)> {
        let cells = self.nodes.map(|n| n as isize - 1);
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                if radius * self.most_curved(i, j) < 1.0 {
                    continue;
                }
                for look in 0..LOOKS * LOOKS {
                    let [a, b] = [look % LOOKS, look / LOOKS].map(|k| k as f64 / LOOKS as f64);
                    let x = self.origin[0] + (i as f64 + a) * self.cell[0];
                    let y = self.origin[1] + (j as f64 + b) * self.cell[1];
                    let curvature = self.at(x, y).valley();
                    if radius * curvature >= 1.0 {
                        return Some(([x, y], curvature));
                    }
                }
            }
        }
        None
    }

    /// A bound of the largest eigenvalue of ∇²f within a cell, and so of the curvature of valleys there: second
    /// derivatives of a B-spline are means of the second differences of its coefficients.
    fn most_curved(&self, i: isize, j: isize) -> f64 {
        let width = self.nodes[0] + 2;
        let last = self.nodes.map(|n| n as isize + 1);
        let c = |a: isize, b: isize| {
            let (a, b) = ((i + a).clamp(0, last[0]), (j + b).clamp(0, last[1]));
            self.coefficients[b as usize * width + a as usize]
        };
        let [p, q] = self.cell;
        let (mut xx, mut yy, mut xy) = (0.0_f64, 0.0_f64, 0.0_f64);
        for b in 0..4 {
            for a in 0..4 {
                if (1..3).contains(&a) {
                    xx = xx.max((c(a - 1, b) - 2.0 * c(a, b) + c(a + 1, b)) / (p * p));
                }
                if (1..3).contains(&b) {
                    yy = yy.max((c(a, b - 1) - 2.0 * c(a, b) + c(a, b + 1)) / (q * q));
                }
                if a < 3 && b < 3 {
                    let twist = c(a + 1, b + 1) - c(a, b + 1) - c(a + 1, b) + c(a, b);
                    xy = xy.max(twist.abs() / (p * q));
                }
            }
        }
        0.5 * (xx + yy) + (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt()
    }
}

impl SmoothSurface for HeightField {
    fn proximity(&self, point: &Vector3<f64>) -> Proximity {
        Proximity::of_heights(point, |x, y| self.at(x, y))
    }
}
