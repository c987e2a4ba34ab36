use nalgebra::{Matrix2, Vector2, Vector3};

use super::heights::Height;
use super::spline::{natural_coefficients, own_coefficients, weights};
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
    /// No slope is steeper.
    steepest: f64,
    /// No valley is more curved \[1/m\].
    most_curved: f64,
}

impl HeightField {
    /// From rows of heights \[m\]: entry i of row j is at x = origin₀ + i cell₀, y = origin₁ + j cell₁ \[m\].
    ///
    /// # Errors
    /// [`ContactError::HeightGrid`] for rows of different lengths, fewer than two nodes along a side or more than two
    /// million; [`ContactError::BadNumber`] for numbers that are not finite and cells that are not positive.
    pub fn new(origin: [f64; 2], cell: [f64; 2], rows: &[Vec<f64>]) -> Result<Self, ContactError> {
        Self::with_coefficients(origin, cell, rows, natural_coefficients)
    }

    fn with_coefficients(
        origin: [f64; 2],
        cell: [f64; 2],
        rows: &[Vec<f64>],
        to_coefficients: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<Self, ContactError> {
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
        let along_x: Vec<Vec<f64>> = rows.iter().map(|row| to_coefficients(row)).collect();
        let mut coefficients = vec![0.0; width * (rows.len() + 2)];
        for i in 0..width {
            let column: Vec<f64> = along_x.iter().map(|row| row[i]).collect();
            for (j, c) in to_coefficients(&column).into_iter().enumerate() {
                coefficients[j * width + i] = c;
            }
        }
        // Derivatives of a B-spline are means of the differences of its coefficients.
        let differences = |step: usize| {
            let pairs = coefficients.iter().zip(&coefficients[step..]);
            pairs.map(|(a, b)| (b - a).abs())
        };
        let ends_row = |k: usize| (k + 1).is_multiple_of(width);
        let along_x = differences(1).enumerate().filter(|(k, _)| !ends_row(*k));
        let along_x = along_x.fold(0.0, |most: f64, (_, d)| most.max(d));
        let along_y = differences(width).fold(0.0, f64::max);
        let steepest = (along_x / cell[0]).hypot(along_y / cell[1]);
        let mut field = Self {
            origin,
            cell,
            nodes: [columns, rows.len()],
            coefficients,
            steepest,
            most_curved: 0.0,
        };
        let curved = field.cells().map(|(i, j)| field.curvature_bound(i, j));
        field.most_curved = curved.fold(0.0, f64::max);
        Ok(field)
    }

    /// The lower left nodes of the cells, row by row.
    fn cells(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let [columns, rows] = self.nodes.map(|n| n as isize - 1);
        (0..rows).flat_map(move |j| (0..columns).map(move |i| (i, j)))
    }

    /// No point of the surface is nearer to a point \[m\] outside, nor to any of the box around it by so much along the axes;
    /// not positive where that is not known. On a slope of at most L a height H above it is H/√(1 + L²) away.
    pub(crate) fn distance_bound(&self, point: &Vector3<f64>, half: &Vector3<f64>) -> f64 {
        let above = point.z - self.at(point.x, point.y).value;
        let reach = half.z + self.steepest * half.xy().norm();
        (above - reach) / 1.0_f64.hypot(self.steepest)
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
        Self::new(origin, cell, &heights(origin, cell, nodes, f)?)
    }

    /// The same with the heights as coefficients, so that it does not go through them where they bend but is as straight as they are
    /// where four in a row are: a spline through them swings about what is straight, less and less, for many cells beside a bend.
    ///
    /// # Errors
    /// As [`HeightField::new`].
    #[doc(hidden)]
    pub fn near_function(
        origin: [f64; 2],
        cell: [f64; 2],
        nodes: [usize; 2],
        f: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, ContactError> {
        let rows = heights(origin, cell, nodes, f)?;
        Self::with_coefficients(origin, cell, &rows, own_coefficients)
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

    /// The first of the four coefficients along an axis that count at x, and their weights.
    #[inline]
    fn along(&self, axis: usize, x: f64) -> (isize, [[f64; 4]; 3]) {
        let last = self.nodes[axis] as f64 + 2.0;
        let u = ((x - self.origin[axis]) / self.cell[axis]).clamp(-3.0, last);
        let towards_zero = u as isize;
        let first = towards_zero - isize::from(towards_zero as f64 > u);
        (first, weights(u - first as f64))
    }

    /// Four rows of four coefficients; those beyond the outermost are equal to it.
    #[inline]
    fn block(&self, left: isize, low: isize) -> [[f64; 4]; 4] {
        let [width, height] = self.nodes.map(|n| n as isize + 2);
        let mut block = [[0.0; 4]; 4];
        let inside = 0 <= left && left + 4 <= width && 0 <= low && low + 4 <= height;
        if inside {
            let rows = self.coefficients[(low * width + left) as usize..].chunks(width as usize);
            for (row, all) in block.iter_mut().zip(rows) {
                row.copy_from_slice(&all[..4]);
            }
        } else {
            for (b, row) in block.iter_mut().enumerate() {
                let up = (low + b as isize).clamp(0, height - 1);
                for (a, c) in row.iter_mut().enumerate() {
                    let across = (left + a as isize).clamp(0, width - 1);
                    *c = self.coefficients[(up * width + across) as usize];
                }
            }
        }
        block
    }

    /// Height with its derivatives at a place \[m\].
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> Height {
        let ((left, wx), (low, wy)) = (self.along(0, x), self.along(1, y));
        let block = self.block(left, low);
        // Weights add up to one, those of derivatives to zero: differences to one row and one column, of which level ground
        // has none. Along y first: of each order of derivative the four columns at once.
        let middle = block[1];
        let mut along = [middle, [0.0; 4], [0.0; 4]];
        for b in [0, 2, 3] {
            let row = &block[b];
            for (sums, w) in along.iter_mut().zip(&wy) {
                for ((sum, c), m) in sums.iter_mut().zip(row).zip(&middle) {
                    *sum += w[b] * (c - m);
                }
            }
        }
        let sum = |across: usize, up: usize| {
            let (w, c) = (&wx[across], &along[up]);
            let from = |k: usize| w[k] * (c[k] - c[1]);
            from(0) + from(2) + from(3)
        };
        let [p, q] = self.cell;
        let twist = sum(1, 1) / (p * q);
        Height {
            value: along[0][1] + sum(0, 0),
            gradient: Vector2::new(sum(1, 0) / p, (along[1][1] + sum(0, 1)) / q),
            hessian: Matrix2::new(
                sum(2, 0) / (p * p),
                twist,
                twist,
                (along[2][1] + sum(0, 2)) / (q * q),
            ),
        }
    }

    /// Where a valley inside of the grid is so narrow that a ball of this radius \[m\] does not fit, with its curvature
    /// \[1/m\]; looked for at sixteen places of every cell that could be so.
    pub(crate) fn too_narrow(&self, radius: f64) -> Option<([f64; 2], f64)> {
        if radius * self.most_curved < 1.0 {
            return None;
        }
        let narrow = self
            .cells()
            .filter(|&(i, j)| radius * self.curvature_bound(i, j) >= 1.0);
        for (i, j) in narrow {
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
        None
    }

    /// A bound of the largest eigenvalue of ∇²f within a cell, and so of the curvature of valleys there: second
    /// derivatives of a B-spline are means of the second differences of its coefficients.
    fn curvature_bound(&self, i: isize, j: isize) -> f64 {
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

/// Rows of the heights of a function at the nodes of a grid.
fn heights(
    origin: [f64; 2],
    cell: [f64; 2],
    nodes: [usize; 2],
    f: impl Fn(f64, f64) -> f64,
) -> Result<Vec<Vec<f64>>, ContactError> {
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
                let reason =
                    format!("the height at x = {x}, y = {y} is {height}, it must be finite there");
                return Err(ContactError::HeightGrid { reason });
            }
            row.push(height);
        }
    }
    Ok(rows)
}

impl SmoothSurface for HeightField {
    fn proximity(&self, point: &Vector3<f64>) -> Proximity {
        Proximity::of_heights(point, |x, y| self.at(x, y))
    }
}
