//! The linearised equations of one end of a held-contact step.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | δx | n numbers | change of a velocity |
//! | A | [`HeldStage::matrix`], n × n | Newton matrix, with what friction of sliding contacts adds |
//! | c_i | `impulse_directions` | how a unit of impulse i pushes |
//! | b_i | `conditions` | how condition i changes with x |
//! | δρ, δγ | | changes of what pushes otherwise and of the conditions |
//!
//! A δx = δρ + Σ c_i δΛ_i and b_i · δx = δγ_i have the solution δx = X δρ + Y δγ with
//! S = (b_i · A⁻¹ c_j), Y = A⁻¹ C S⁺ and X = A⁻¹ − Y B A⁻¹. Redundant contacts make S singular: δΛ is
//! that of least norm, on which δx does not depend unless contacts slide in different directions, and
//! conditions that contradict each other are met by least squares.

use nalgebra::{DMatrix, DVector};

use crate::friction::HeldMode;
use crate::numerics::{DenseInverse, PseudoInverse, add_product, add_product_transposed};

/// A contact at one end of the step: along its normal and its tangents, n numbers each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactEquations<'a> {
    pub mode: HeldMode,
    /// 0 to 2.
    pub tangents: usize,
    pub friction: f64,
    /// λ, the normal impulse.
    pub normal_impulse: f64,
    /// Sliding velocity that friction opposes, in the tangents.
    pub slip: [f64; 2],
    /// Whether that is the slip of these conditions, so that friction turns with it.
    pub turns: bool,
    /// How impulses push.
    pub impulses: [&'a [f64]; 3],
    /// How the gap (as a velocity) and the slips change with x, with the configuration and with time.
    pub conditions: [&'a [f64]; 3],
    pub by_configuration: [&'a [f64]; 3],
    pub by_time: [f64; 3],
}

/// What pushes apart from impulses, −∂ρ/∂q (n × n) and −∂ρ/∂h (n).
#[derive(Debug)]
pub(crate) struct Load<'a> {
    pub by_configuration: &'a mut [f64],
    pub by_time: &'a mut [f64],
}

/// Equations of one end; owns its memory.
#[derive(Debug, Clone)]
pub(crate) struct HeldStage {
    /// A, to be filled before [`HeldStage::solve`].
    pub matrix: DMatrix<f64>,
    /// X, n × n.
    pub by_load: DMatrix<f64>,
    /// Y, column after column of n.
    by_condition: Vec<f64>,
    /// c_i and b_i one after another, n numbers each.
    impulse_directions: Vec<f64>,
    conditions: Vec<f64>,
    /// −∂γ_i/∂q, likewise, and −∂γ_i/∂h.
    conditions_by_configuration: Vec<f64>,
    conditions_by_time: Vec<f64>,
    inverse: DMatrix<f64>,
    solver: DenseInverse,
    contact_inverse: PseudoInverse,
    /// B, column after column, A⁻¹ C and B A⁻¹.
    condition_matrix: Vec<f64>,
    response: Vec<f64>,
    condition_response: Vec<f64>,
}

impl HeldStage {
    /// Memory for n unknowns; grows with the number of contacts.
    pub fn new(n: usize) -> Self {
        Self {
            matrix: DMatrix::zeros(n, n),
            by_load: DMatrix::zeros(n, n),
            by_condition: Vec::new(),
            impulse_directions: Vec::new(),
            conditions: Vec::new(),
            conditions_by_configuration: Vec::new(),
            conditions_by_time: Vec::new(),
            inverse: DMatrix::zeros(n, n),
            solver: DenseInverse::new(n),
            contact_inverse: PseudoInverse::default(),
            condition_matrix: Vec::new(),
            response: Vec::new(),
            condition_response: Vec::new(),
        }
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.impulse_directions.clear();
        self.conditions.clear();
        self.conditions_by_configuration.clear();
        self.conditions_by_time.clear();
    }

    /// Adds the equations of a contact in its mode to these and to `load`.
    pub fn add(&mut self, contact: &ContactEquations<'_>, load: &mut Load<'_>) {
        match contact.mode {
            HeldMode::Open => {}
            HeldMode::Stick => {
                for k in 0..=contact.tangents {
                    self.impulse_directions
                        .extend_from_slice(contact.impulses[k]);
                    self.push_condition(contact, k);
                }
            }
            HeldMode::Slide(last) => {
                let [x, y] = contact.slip;
                let speed = x.hypot(y);
                // A contact on the edge of its cone that does not slip keeps the direction it has.
                let [x, y] = if speed > 0.0 {
                    [x / speed, y / speed]
                } else {
                    last
                };
                let [normal, tangents @ ..] = contact.impulses;
                let start = self.impulse_directions.len();
                self.impulse_directions.extend_from_slice(normal);
                let pushed = &mut self.impulse_directions[start..];
                for (tangent, along) in tangents.iter().zip([x, y]).take(contact.tangents) {
                    for (push, t) in pushed.iter_mut().zip(*tangent) {
                        *push -= contact.friction * along * t;
                    }
                }
                self.push_condition(contact, 0);
                if contact.tangents == 2 && contact.turns && speed > 0.0 {
                    let weight = contact.friction * contact.normal_impulse / speed;
                    self.add_turning(contact, [-y, x], weight, load);
                }
            }
        }
    }

    /// Adds that coordinate `at` of x stays what it is.
    pub fn hold_coordinate(&mut self, at: usize) {
        let n = self.matrix.nrows();
        for rows in [&mut self.impulse_directions, &mut self.conditions] {
            let first = rows.len();
            rows.resize(first + n, 0.0);
            rows[first + at] = 1.0;
        }
        let rows = self.conditions_by_configuration.len() + n;
        self.conditions_by_configuration.resize(rows, 0.0);
        self.conditions_by_time.push(0.0);
    }

    fn push_condition(&mut self, contact: &ContactEquations<'_>, k: usize) {
        self.conditions.extend_from_slice(contact.conditions[k]);
        self.conditions_by_configuration
            .extend_from_slice(contact.by_configuration[k]);
        self.conditions_by_time.push(contact.by_time[k]);
    }

    /// Friction turns with the slip: across it, it changes by μ λ/‖s‖ times the change of the slip.
    fn add_turning(
        &mut self,
        contact: &ContactEquations<'_>,
        across: [f64; 2],
        weight: f64,
        load: &mut Load<'_>,
    ) {
        let n = self.matrix.nrows();
        let along = |rows: &[&[f64]; 3], i: usize| across[0] * rows[1][i] + across[1] * rows[2][i];
        let time = across[0] * contact.by_time[1] + across[1] * contact.by_time[2];
        let matrix = self.matrix.as_mut_slice().chunks_exact_mut(n);
        let by_configuration = load.by_configuration.chunks_exact_mut(n);
        for (j, (by_velocity, by_configuration)) in matrix.zip(by_configuration).enumerate() {
            let velocity = weight * along(&contact.conditions, j);
            let configuration = weight * along(&contact.by_configuration, j);
            for i in 0..n {
                let push = along(&contact.impulses, i);
                by_velocity[i] += velocity * push;
                by_configuration[i] += configuration * push;
            }
        }
        for (i, by_time) in load.by_time.iter_mut().enumerate() {
            *by_time += weight * time * along(&contact.impulses, i);
        }
    }

    /// X and Y. False when A is singular.
    pub fn solve(&mut self) -> bool {
        let n = self.matrix.nrows();
        if !self.solver.invert(&self.matrix, &mut self.inverse) {
            return false;
        }
        let inverse = self.inverse.as_slice();
        let size = self.conditions_by_time.len();
        for buffer in [
            &mut self.response,
            &mut self.condition_response,
            &mut self.condition_matrix,
            &mut self.by_condition,
        ] {
            buffer.clear();
            buffer.resize(n * size, 0.0);
        }
        let response = &mut self.response;
        add_product(n, 1.0, inverse, &self.impulse_directions, response);
        for (i, condition) in self.conditions.chunks_exact(n).enumerate() {
            for (j, x) in condition.iter().enumerate() {
                self.condition_matrix[j * size + i] = *x;
            }
        }
        let conditions = &self.condition_matrix;
        let delassus = self.contact_inverse.matrix_mut(size);
        delassus.fill(0.0);
        add_product(size, 1.0, conditions, response, delassus);
        self.contact_inverse.factor();
        self.contact_inverse
            .multiply_left(n, response, &mut self.by_condition);
        add_product(size, 1.0, conditions, inverse, &mut self.condition_response);
        let by_load = self.by_load.as_mut_slice();
        by_load.copy_from_slice(inverse);
        add_product(
            n,
            -1.0,
            &self.by_condition,
            &self.condition_response,
            by_load,
        );
        true
    }

    /// ∂x/∂q = −X ∂ρ/∂q − Y ∂γ/∂q with `load` = −∂ρ/∂q (n × n).
    pub fn respond(&self, load: &[f64], out: &mut [f64]) {
        let n = self.matrix.nrows();
        out.fill(0.0);
        add_product(n, -1.0, self.by_load.as_slice(), load, out);
        let conditions = &self.conditions_by_configuration;
        add_product_transposed(n, -1.0, &self.by_condition, conditions, out);
    }

    /// ∂x/∂h, likewise.
    pub fn respond_by_time(&self, load: &[f64], out: &mut [f64]) {
        let n = self.matrix.nrows();
        out.fill(0.0);
        add_product(n, -1.0, self.by_load.as_slice(), load, out);
        add_product(n, -1.0, &self.by_condition, &self.conditions_by_time, out);
    }

    /// Number of conditions.
    pub fn conditions(&self) -> usize {
        self.conditions_by_time.len()
    }

    /// ∂x = −X ∂r − Y ∂γ for changes of what the equations leave (n) and of the conditions.
    pub fn respond_to(&self, left: &[f64], conditions: &[f64]) -> DVector<f64> {
        let n = self.matrix.nrows();
        let mut out = vec![0.0; n];
        add_product(n, -1.0, self.by_load.as_slice(), left, &mut out);
        add_product(n, -1.0, &self.by_condition, conditions, &mut out);
        DVector::from(out)
    }
}
