//! First derivatives of a free step: of (q₁, p₁) by (q₀, p₀), the applied forces u and h.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | δq | n numbers | a change of coordinates; of a floating body, its body twist (so for q₀ and for q₁) |
//! | A, B, b | δq̄ = A δq₀ + B δv̄ + b δh | I, (h/2) I, v̄/2 for joints |
//! | L₀, R₀, L₁, R₁ | δp₀ = L₀ δP − R₀ δF + …, δp₁ = L₁ δP + R₁ δF + … | I, (h/2) I for joints |
//! | J, K | δp₀ = J δv̄ + K δq₀ − R₀ δu + … | J is the Newton matrix of the step |
//!
//! The step solves p₀(v̄, q₀, u, h) = p₀, so δv̄ = J⁻¹ (δp₀ − K δq₀ + R₀ δu − r_h δh), and q₁ and p₁ are
//! functions of the same arguments. All parts are analytic
//! (the derivatives of P and F in [`MidpointJacobian`]), but for how the end momenta of a floating
//! body depend on its own twist, which takes dual numbers.

use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use num_dual::Dual64;

use super::midpoint::{floating_end_momentum, floating_start_momentum};
use super::midpoint_jacobian::MidpointJacobian;
use super::{Midpoint, StepError};
use crate::model::{JointKind, Model};
use crate::numerics::DenseLu;
use crate::spatial::{Force, Motion, dexp, exp, lift};

/// Derivatives of one free step; owns its memory. Rows are those of the result, columns those of the
/// argument; configurations change by n numbers, for a floating body its body twist.
#[derive(Debug, Clone)]
pub struct StepDerivatives {
    /// ∂q₁/∂q₀, n × n.
    pub configuration_by_configuration: DMatrix<f64>,
    /// ∂q₁/∂p₀, n × n.
    pub configuration_by_momentum: DMatrix<f64>,
    /// ∂q₁/∂u, n × n, u the generalized forces applied during the step.
    pub configuration_by_force: DMatrix<f64>,
    /// ∂q₁/∂h, n.
    pub configuration_by_time: DVector<f64>,
    /// ∂p₁/∂q₀, n × n.
    pub momentum_by_configuration: DMatrix<f64>,
    /// ∂p₁/∂p₀, n × n.
    pub momentum_by_momentum: DMatrix<f64>,
    /// ∂p₁/∂u, n × n.
    pub momentum_by_force: DMatrix<f64>,
    /// ∂p₁/∂h, n.
    pub momentum_by_time: DVector<f64>,
    parts: MidpointJacobian,
    lu: DenseLu,
    /// J, then p₁'s derivative by v̄.
    newton: DMatrix<f64>,
    end: DMatrix<f64>,
    /// K, then p₁'s derivative by q₀ with v̄ fixed.
    start_by_configuration: DMatrix<f64>,
    end_by_configuration: DMatrix<f64>,
    inverse: DMatrix<f64>,
    mean_by_configuration: DMatrix<f64>,
    mean_by_force: DMatrix<f64>,
    mean_by_time: DVector<f64>,
    start_by_time: DVector<f64>,
}

/// Blocks of a floating body in the tables above.
struct FloatingBlocks {
    at: usize,
    a: Matrix6<f64>,
    b: Matrix6<f64>,
    a1: Matrix6<f64>,
    h1: Matrix6<f64>,
    l: [Matrix6<f64>; 2],
    r: [Matrix6<f64>; 2],
    by_twist: [Matrix6<f64>; 2],
    by_time: [Vector6<f64>; 2],
}

impl StepDerivatives {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let n = model.dof();
        let square = || DMatrix::zeros(n, n);
        let column = || DVector::zeros(n);
        Self {
            configuration_by_configuration: square(),
            configuration_by_momentum: square(),
            configuration_by_force: square(),
            configuration_by_time: column(),
            momentum_by_configuration: square(),
            momentum_by_momentum: square(),
            momentum_by_force: square(),
            momentum_by_time: column(),
            parts: MidpointJacobian::new(model),
            lu: DenseLu::new(n),
            newton: square(),
            end: square(),
            start_by_configuration: square(),
            end_by_configuration: square(),
            inverse: square(),
            mean_by_configuration: square(),
            mean_by_force: square(),
            mean_by_time: column(),
            start_by_time: column(),
        }
    }

    /// Differentiates the step of length `h` whose solution is the mean velocity `v` (n) and whose
    /// evaluated middle is `midpoint`: those of a [`FreeStepper`](super::FreeStepper) after a step.
    ///
    /// # Errors
    /// [`StepError::SingularJacobian`] when the step's equation does not determine v̄.
    pub fn update(
        &mut self,
        model: &Model,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
    ) -> Result<(), StepError> {
        let q = &midpoint.configuration;
        self.parts.update(model, &midpoint.kinematics, q, v);
        let floating = model
            .bodies()
            .iter()
            .find(|body| body.kind == JointKind::Floating)
            .map(|body| floating_blocks(body.v_index, midpoint, v, h));
        self.combine(midpoint, v, h, floating.as_ref());
        if !self.lu.invert(&self.newton, &mut self.inverse) {
            return Err(StepError::SingularJacobian);
        }
        self.chain(v, h, floating.as_ref());
        Ok(())
    }

    /// J, K and their counterparts at the end.
    fn combine(
        &mut self,
        midpoint: &Midpoint<f64>,
        v: &[f64],
        h: f64,
        floating: Option<&FloatingBlocks>,
    ) {
        let half = 0.5 * h;
        let n = v.len();
        let base = floating.map_or(0..0, |f| f.at..f.at + 6);
        // Derivatives of P and F by h, with q₀ and v̄ fixed.
        let (mut p_time, mut f_time) = (
            std::mem::take(&mut self.start_by_time),
            std::mem::take(&mut self.momentum_by_time),
        );
        p_time.fill(0.0);
        f_time.fill(0.0);
        for j in 0..n {
            let rate = 0.5 * v[j];
            for i in 0..n {
                p_time[i] += self.parts.momentum_configuration[(i, j)] * rate;
                f_time[i] += self.parts.force_configuration[(i, j)] * rate;
            }
        }
        for j in 0..n {
            if base.contains(&j) {
                continue;
            }
            for i in 0..n {
                let (pq, fq) = (
                    self.parts.momentum_configuration[(i, j)],
                    self.parts.force_configuration[(i, j)],
                );
                let pv = self.parts.mass[(i, j)] + half * pq;
                let fv = half * (self.parts.force_velocity[(i, j)] + half * fq);
                self.newton[(i, j)] = pv - fv;
                self.end[(i, j)] = pv + fv;
                self.start_by_configuration[(i, j)] = pq - half * fq;
                self.end_by_configuration[(i, j)] = pq + half * fq;
            }
        }
        for i in 0..n {
            let force = 0.5 * midpoint.force[i];
            self.mean_by_time[i] = p_time[i] + half * f_time[i] + force;
        }
        if let Some(f) = floating {
            self.combine_floating(midpoint, h, f, &p_time, &f_time);
        }
        for i in (0..n).filter(|i| !base.contains(i)) {
            p_time[i] -= half * f_time[i] + 0.5 * midpoint.force[i];
        }
        if let Some(f) = floating {
            let at = f.at;
            let p: Vector6<f64> = p_time.fixed_rows::<6>(at).into();
            let w: Vector6<f64> = f_time.fixed_rows::<6>(at).into();
            p_time
                .fixed_rows_mut::<6>(at)
                .copy_from(&(f.l[0] * p - f.r[0] * w + f.by_time[0]));
        }
        self.start_by_time = p_time;
        self.momentum_by_time = f_time;
    }

    /// Columns and rows of the floating body.
    fn combine_floating(
        &mut self,
        midpoint: &Midpoint<f64>,
        h: f64,
        f: &FloatingBlocks,
        p_time: &DVector<f64>,
        f_time: &DVector<f64>,
    ) {
        let half = 0.5 * h;
        let at = f.at;
        let n = midpoint.force.len();
        let parts = &self.parts;
        // Columns: δq̄ = A δq₀ + B δξ, and joints as before.
        let (p_base, f_base) = (
            parts.momentum_configuration.fixed_columns::<6>(at),
            parts.force_configuration.fixed_columns::<6>(at),
        );
        let by_joint = |m: &DMatrix<f64>, q: &DMatrix<f64>| m + q * half;
        let mut pv = by_joint(&parts.mass, &parts.momentum_configuration);
        let mut fv = by_joint(&parts.force_velocity, &parts.force_configuration);
        let mut pq = parts.momentum_configuration.clone();
        let mut fq = parts.force_configuration.clone();
        pv.fixed_columns_mut::<6>(at)
            .copy_from(&(parts.mass.fixed_columns::<6>(at) + p_base * f.b));
        fv.fixed_columns_mut::<6>(at)
            .copy_from(&(parts.force_velocity.fixed_columns::<6>(at) + f_base * f.b));
        pq.fixed_columns_mut::<6>(at).copy_from(&(p_base * f.a));
        fq.fixed_columns_mut::<6>(at).copy_from(&(f_base * f.a));
        let targets = [
            (&mut self.newton, &pv, &fv, -1.0, 0, true),
            (&mut self.end, &pv, &fv, 1.0, 1, true),
            (&mut self.start_by_configuration, &pq, &fq, -1.0, 0, false),
            (&mut self.end_by_configuration, &pq, &fq, 1.0, 1, false),
        ];
        for (target, p, w, sign, side, by_velocity) in targets {
            for j in 0..n {
                for i in (0..n).filter(|i| !(at..at + 6).contains(i)) {
                    target[(i, j)] = p[(i, j)] + sign * half * w[(i, j)];
                }
            }
            let rows = f.l[side] * p.fixed_rows::<6>(at) + f.r[side] * w.fixed_rows::<6>(at) * sign;
            target.fixed_rows_mut::<6>(at).copy_from(&rows);
            if by_velocity {
                let mut block = target.fixed_view_mut::<6, 6>(at, at);
                block += f.by_twist[side];
            }
        }
        let p: Vector6<f64> = p_time.fixed_rows::<6>(at).into();
        let w: Vector6<f64> = f_time.fixed_rows::<6>(at).into();
        self.mean_by_time
            .fixed_rows_mut::<6>(at)
            .copy_from(&(f.l[1] * p + f.r[1] * w + f.by_time[1]));
    }

    /// Everything by the chain rule through v̄. `mean_by_time` holds ∂p₁/∂h with v̄ fixed on entry.
    fn chain(&mut self, v: &[f64], h: f64, floating: Option<&FloatingBlocks>) {
        let half = 0.5 * h;
        let n = v.len();
        self.inverse.mul_to(
            &self.start_by_configuration,
            &mut self.mean_by_configuration,
        );
        self.mean_by_configuration.neg_mut();
        self.mean_by_force.copy_from(&self.inverse);
        self.mean_by_force *= half;
        if let Some(f) = floating {
            let columns = self.inverse.fixed_columns::<6>(f.at) * f.r[0];
            self.mean_by_force
                .fixed_columns_mut::<6>(f.at)
                .copy_from(&columns);
        }
        std::mem::swap(&mut self.momentum_by_time, &mut self.mean_by_time);
        self.mean_by_time
            .gemv(-1.0, &self.inverse, &self.start_by_time, 0.0);
        self.momentum_by_time
            .gemv(1.0, &self.end, &self.mean_by_time, 1.0);
        self.end
            .mul_to(&self.inverse, &mut self.momentum_by_momentum);
        self.momentum_by_configuration
            .copy_from(&self.end_by_configuration);
        self.momentum_by_configuration
            .gemm(1.0, &self.end, &self.mean_by_configuration, 1.0);
        self.end
            .mul_to(&self.mean_by_force, &mut self.momentum_by_force);
        self.configuration_by_configuration
            .copy_from(&self.mean_by_configuration);
        self.configuration_by_momentum.copy_from(&self.inverse);
        self.configuration_by_force.copy_from(&self.mean_by_force);
        self.configuration_by_time.copy_from(&self.mean_by_time);
        for matrix in [
            &mut self.configuration_by_configuration,
            &mut self.configuration_by_momentum,
            &mut self.configuration_by_force,
        ] {
            scale_rows(matrix, h, floating);
        }
        self.configuration_by_time *= h;
        if let Some(f) = floating {
            let rows = f.h1 * self.mean_by_time.fixed_rows::<6>(f.at);
            self.configuration_by_time
                .fixed_rows_mut::<6>(f.at)
                .copy_from(&rows);
            let mut block = self
                .configuration_by_configuration
                .fixed_view_mut::<6, 6>(f.at, f.at);
            block += f.a1;
            let mut block = self.momentum_by_force.fixed_view_mut::<6, 6>(f.at, f.at);
            block += f.r[1];
        }
        for i in 0..n {
            self.configuration_by_time[i] += v[i];
            if floating.is_none_or(|f| !(f.at..f.at + 6).contains(&i)) {
                self.configuration_by_configuration[(i, i)] += 1.0;
                self.momentum_by_force[(i, i)] += half;
            }
        }
    }
}

/// Rows times h, those of the floating body times h dexp.
fn scale_rows(matrix: &mut DMatrix<f64>, h: f64, floating: Option<&FloatingBlocks>) {
    let rows = floating.map(|f| f.h1 * matrix.fixed_rows::<6>(f.at));
    *matrix *= h;
    if let (Some(f), Some(rows)) = (floating, rows) {
        matrix.fixed_rows_mut::<6>(f.at).copy_from(&rows);
    }
}

fn floating_blocks(at: usize, midpoint: &Midpoint<f64>, v: &[f64], h: f64) -> FloatingBlocks {
    let xi = Motion::from_slice(&v[at..at + 6]);
    let mu = Force::from_slice(&midpoint.momentum[at..at + 6]);
    let wrench = Force::from_slice(&midpoint.force[at..at + 6]);
    let turn = xi.scale(h);
    let (back, half_back) = (turn.scale(-1.0), turn.scale(-0.5));
    let motions = |map: &dyn Fn(&Motion<f64>) -> Motion<f64>| {
        columns(|unit| {
            let image = map(&Motion::from_slice(unit));
            std::array::from_fn(|i| image.component(i))
        })
    };
    let forces = |map: &dyn Fn(&Force<f64>) -> Force<f64>| {
        columns(|unit| {
            let image = map(&Force::from_slice(unit));
            std::array::from_fn(|i| image.component(i))
        })
    };
    let (half_step, step) = (exp(&turn.scale(0.5)), exp(&turn));
    let zero = Force::zero();
    let dual = |unit: &[f64], rate: f64, end: bool| -> [f64; 6] {
        let mut a = [Dual64::from(0.0); 6];
        for (k, x) in a.iter_mut().enumerate() {
            *x = Dual64::new(turn.component(k), unit[k]);
        }
        let a = Motion::from_slice(&a);
        let constant = |f: &Force<f64>| {
            let x: [Dual64; 6] = std::array::from_fn(|k| lift(f.component(k)));
            Force::from_slice(&x)
        };
        let (mu, wrench, h) = (constant(&mu), constant(&wrench), Dual64::new(h, rate));
        let p = if end {
            floating_end_momentum(&a, &mu, &wrench, h)
        } else {
            floating_start_momentum(&a, &mu, &wrench, h)
        };
        std::array::from_fn(|k| p.component(k).eps)
    };
    let by_twist = [false, true].map(|end| columns(|unit| dual(unit, 0.0, end)) * h);
    let rates: [f64; 6] = std::array::from_fn(|k| xi.component(k));
    let by_time = [false, true].map(|end| Vector6::from_column_slice(&dual(&rates, 1.0, end)));
    FloatingBlocks {
        at,
        a: motions(&|x| half_step.motion_to_child(x)),
        b: motions(&|x| dexp(&half_back, x).scale(0.5 * h)),
        a1: motions(&|x| step.motion_to_child(x)),
        h1: motions(&|x| dexp(&back, x).scale(h)),
        l: [
            forces(&|x| floating_start_momentum(&turn, x, &zero, h)),
            forces(&|x| floating_end_momentum(&turn, x, &zero, h)),
        ],
        r: [
            forces(&|x| floating_start_momentum(&turn, &zero, x, h).scale(-1.0)),
            forces(&|x| floating_end_momentum(&turn, &zero, x, h)),
        ],
        by_twist,
        by_time,
    }
}

/// The matrix of a linear map of six numbers.
fn columns(map: impl Fn(&[f64]) -> [f64; 6]) -> Matrix6<f64> {
    let mut matrix = Matrix6::zeros();
    for k in 0..6 {
        let mut unit = [0.0; 6];
        unit[k] = 1.0;
        matrix.set_column(k, &Vector6::from_column_slice(&map(&unit)));
    }
    matrix
}
