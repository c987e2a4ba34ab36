//! Contact-space inverse inertia of held contacts by its factor, and impulses of least norm that stop
//! some of its rows.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | M = L D Lᵀ | (model) | mass matrix and its articulated-body factor |
//! | Y = C L⁻ᵀ D^(−1/2) | `factor` | r × n, each row with the columns of its contact's support |
//! | C | (contacts) | rows of normals and tangents, r of them, n coordinates |
//! | Λ, b, a = b + G Λ | `impulse`, `free`, `velocity` | impulses, contact velocities without and with them |
//! | G = Y Yᵀ | `matrix` | Delassus matrix C M⁻¹ Cᵀ, built when a method asks for it |
//! | U | `stuck` | rows that the impulses stop: so many of each contact, from its normal on |
//! | N = Y_Uᵀ Y_U | `inverse` | n × n |
//!
//! With more rows than coordinates the least-norm solution of G_UU Λ = −b_U is Λ = −Y N⁺ N⁺ Yᵀ b: a
//! factor of size n in place of one of size r, and nothing of G.

mod islands;

use nalgebra::DMatrix;

pub(crate) use self::islands::Island;
use self::islands::Islands;

use super::FrictionRows;
use super::natural_map::update_stiffness;
use super::row_layout::{ContactRows, RowLayout};
use crate::numerics::{SemidefiniteFactor, add_columns, add_scaled, make_room};

/// Solutions of least norm are refined until this share of the largest free velocity is left, a thousand
/// roundings, or so many times.
const EXACT: f64 = 1e-13;
const PASSES: usize = 3;

/// G of the held contacts, and memory for what is computed with it.
#[derive(Debug, Clone, Default)]
pub struct Delassus {
    layout: RowLayout,
    factor: ContactRows,
    n: usize,
    matrix: DMatrix<f64>,
    matrix_is_built: bool,
    /// How often the factor was overwritten.
    generation: u64,
    /// k_n and k_t of each group, for the generation that it belongs to.
    stiffness: Vec<[f64; 2]>,
    stiffness_generation: u64,
    stuck: Vec<usize>,
    /// The same as a list of rows.
    stuck_rows: Vec<usize>,
    method: Option<Method>,
    /// N or G_UU.
    stopped: Vec<f64>,
    inverse: SemidefiniteFactor,
    coordinates: Vec<f64>,
    right: Vec<f64>,
    response: Vec<f64>,
    islands: Islands,
}

/// Which matrix is factorised for the equations of the stuck rows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Method {
    /// N.
    Coordinates,
    /// G_UU.
    Rows,
}

impl Delassus {
    /// G = Y Yᵀ of a dense factor Y (r × n) whose rows are those of `contacts`, in their order.
    #[must_use]
    pub fn from_factor(factor: &DMatrix<f64>, contacts: &[FrictionRows]) -> Self {
        let mut delassus = Self::default();
        let all: Vec<usize> = (0..factor.ncols()).collect();
        delassus.clear(factor.ncols());
        for c in contacts {
            delassus.push(*c, &all, None);
        }
        delassus.allocate();
        for (i, c) in contacts.iter().enumerate() {
            let columns = delassus.factor_rows_mut(i).chunks_exact_mut(c.height());
            for (j, column) in columns.enumerate() {
                for (k, entry) in column.iter_mut().enumerate() {
                    *entry = factor[(c.row + k, j)];
                }
            }
        }
        delassus
    }

    /// Memory for a matrix beside another, whose numbers are others.
    pub(crate) fn beside() -> Self {
        Self {
            generation: 1 << 63,
            ..Self::default()
        }
    }

    /// Makes room for the rows of the same contacts as `other`.
    pub(crate) fn lay_out_like(&mut self, other: &Self) {
        self.layout.copy(&other.layout);
        self.n = other.n;
        self.allocate();
    }

    /// Forgets all contacts; the robot has n coordinates.
    pub(crate) fn clear(&mut self, n: usize) {
        self.layout.clear();
        self.n = n;
    }

    /// Adds a contact whose rows of Y have these coordinates as columns, or a joint of the coordinate `joint`.
    pub(crate) fn push(&mut self, rows: FrictionRows, coordinates: &[usize], joint: Option<usize>) {
        self.layout.push(rows, coordinates, joint);
    }

    /// Sets the limits of the groups from `first` on.
    pub(crate) fn set_joint_limits(&mut self, first: usize, limits: impl Iterator<Item = f64>) {
        self.layout.set_limits(first, limits);
    }

    /// Makes room for the rows of all contacts.
    pub(crate) fn allocate(&mut self) {
        let r = self.layout.rows();
        self.factor.resize(&self.layout);
        // Entries of contacts without common coordinates stay zero.
        self.matrix.resize_mut(r, r, 0.0);
        self.matrix.fill(0.0);
        self.coordinates.resize(self.n, 0.0);
        self.response.resize(r, 0.0);
        self.reserve();
        self.forget();
        self.find_islands();
    }

    /// Makes room for what is computed with all rows stuck, so that the first time at which they are needs none.
    fn reserve(&mut self) {
        let (r, groups) = (self.layout.rows(), self.layout.groups().len());
        let k = r.min(self.n);
        make_room(&mut self.stiffness, groups);
        make_room(&mut self.stuck, groups);
        make_room(&mut self.stuck_rows, r);
        make_room(&mut self.stopped, k * k);
        make_room(&mut self.right, k);
        self.inverse.reserve(k);
    }

    /// The rows of Y of one contact, column after column, to be overwritten.
    pub(crate) fn factor_rows_mut(&mut self, contact: usize) -> &mut [f64] {
        self.forget();
        self.factor.block_mut(&self.layout, contact)
    }

    /// Largest diagonal entries of G of the normal and of the tangents of each group.
    pub(crate) fn stiffness(&mut self) -> &[[f64; 2]] {
        if self.stiffness_generation != self.generation {
            self.build_matrix();
            let matrix = &self.matrix;
            let groups = self.layout.groups();
            update_stiffness(groups, |row| matrix[(row, row)], &mut self.stiffness);
            self.stiffness_generation = self.generation;
        }
        &self.stiffness
    }

    /// Number of the matrix at hand; another one has another number.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Makes it another matrix with the same entries: factors of modes that belong to the old number do not serve it.
    pub(crate) fn renumber(&mut self) {
        let before = self.generation;
        self.generation += 1;
        self.stiffness_generation += 1;
        self.renumber_islands(before);
    }

    fn forget(&mut self) {
        self.generation += 1;
        self.matrix_is_built = false;
        self.method = None;
    }

    pub(crate) fn layout(&self) -> &RowLayout {
        &self.layout
    }

    pub(crate) fn groups(&self) -> &[FrictionRows] {
        self.layout.groups()
    }

    /// out ← G Λ (both r).
    pub(crate) fn product(&mut self, impulse: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_product(impulse, out);
    }

    fn add_product(&mut self, impulse: &[f64], out: &mut [f64]) {
        if self.islands.are_there() {
            // G is mostly zero.
            self.coordinates.fill(0.0);
            (self.factor).add_transposed(&self.layout, impulse, &mut self.coordinates);
            (self.factor).product(&self.layout, &self.coordinates, &mut self.response);
            return add_scaled(out, 1.0, &self.response);
        }
        self.build_matrix();
        add_columns(out, self.matrix.as_slice(), impulse);
    }

    /// out ← b + G Λ (all r).
    pub(crate) fn velocity(&mut self, free: &[f64], impulse: &[f64], out: &mut [f64]) {
        out.copy_from_slice(free);
        self.add_product(impulse, out);
    }

    /// G, and the contacts whose rows it has.
    pub(crate) fn matrix(&mut self) -> (&DMatrix<f64>, &[FrictionRows]) {
        self.build_matrix();
        (&self.matrix, self.layout.groups())
    }

    fn build_matrix(&mut self) {
        if self.matrix_is_built {
            return;
        }
        self.factor
            .product_with_itself(&self.layout, self.matrix.as_mut_slice());
        self.matrix_is_built = true;
    }

    /// Impulses of least norm that bring the velocities of the first `stuck` rows of each contact from b
    /// to zero; the others are zero. `speed` is the largest |b|, and `velocity` receives b + G Λ. Returns its
    /// largest entry in a stuck row, what rounding or contradicting rows have left, infinite if it is not a
    /// number.
    pub(crate) fn stop(
        &mut self,
        stuck: &[usize],
        free: &[f64],
        speed: f64,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> f64 {
        let method = match self.method {
            Some(method) if self.stuck == stuck => method,
            _ => self.factorise(stuck),
        };
        impulse.fill(0.0);
        velocity.copy_from_slice(free);
        let mut error = f64::INFINITY;
        for _ in 0..PASSES {
            match method {
                Method::Coordinates => self.stop_by_coordinates(velocity, impulse),
                Method::Rows => self.stop_by_rows(velocity, impulse),
            }
            self.velocity(free, impulse, velocity);
            error = self.largest_stuck(velocity);
            if error <= EXACT * speed {
                break;
            }
        }
        error
    }

    /// Largest velocity of a stuck row, infinite if there is one that is not a number.
    fn largest_stuck(&self, velocity: &[f64]) -> f64 {
        self.stuck_rows.iter().fold(0.0, |m: f64, &row| {
            let speed = velocity[row].abs();
            if speed.is_nan() {
                f64::INFINITY
            } else {
                speed.max(m)
            }
        })
    }

    fn factorise(&mut self, stuck: &[usize]) -> Method {
        self.stuck.clear();
        self.stuck.extend_from_slice(stuck);
        self.stuck_rows.clear();
        for (c, &count) in self.layout.groups().iter().zip(stuck) {
            self.stuck_rows.extend(c.row..c.row + count);
        }
        let (k, n) = (self.stuck_rows.len(), self.n);
        let method = if k > n {
            self.stopped.clear();
            self.stopped.resize(n * n, 0.0);
            (self.factor).add_gram(&self.layout, stuck, n, &mut self.stopped);
            self.inverse.factor(&self.stopped, n);
            Method::Coordinates
        } else {
            self.build_matrix();
            if k == self.layout.rows() {
                self.inverse.factor(self.matrix.as_slice(), k);
            } else {
                self.stopped.resize(k * k, 0.0);
                copy_rows(&self.matrix, &self.stuck_rows, &mut self.stopped);
                self.inverse.factor(&self.stopped, k);
            }
            Method::Rows
        };
        self.method = Some(method);
        method
    }

    /// Λ −= G_UU⁺ a over the stuck rows.
    fn stop_by_rows(&mut self, velocity: &[f64], impulse: &mut [f64]) {
        self.right.clear();
        let stuck = self.stuck_rows.iter().map(|&row| velocity[row]);
        self.right.extend(stuck);
        self.inverse.solve(&mut self.right);
        for (&row, x) in self.stuck_rows.iter().zip(&self.right) {
            impulse[row] -= x;
        }
    }

    /// Λ −= Y N⁺ N⁺ Yᵀ a over the stuck rows.
    fn stop_by_coordinates(&mut self, velocity: &[f64], impulse: &mut [f64]) {
        self.response.fill(0.0);
        for &row in &self.stuck_rows {
            self.response[row] = velocity[row];
        }
        self.coordinates.fill(0.0);
        self.factor
            .add_transposed(&self.layout, &self.response, &mut self.coordinates);
        self.inverse.solve(&mut self.coordinates);
        self.inverse.solve(&mut self.coordinates);
        self.factor
            .product(&self.layout, &self.coordinates, &mut self.response);
        for &row in &self.stuck_rows {
            impulse[row] -= self.response[row];
        }
    }
}

/// The lower triangle, column after column, of the chosen rows and columns.
fn copy_rows(matrix: &DMatrix<f64>, chosen: &[usize], out: &mut [f64]) {
    let (r, k) = (matrix.nrows(), chosen.len());
    let columns = matrix.as_slice();
    for (i, &row) in chosen.iter().enumerate() {
        let column = &columns[row * r..(row + 1) * r];
        let entries = &mut out[i * k + i..(i + 1) * k];
        for (entry, &at) in entries.iter_mut().zip(&chosen[i..]) {
            *entry = column[at];
        }
    }
}
