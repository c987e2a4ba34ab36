//! The linearised midpoint equations: how the momenta at both ends of a step change with its arguments.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | δq | n numbers | a change of coordinates; of a floating body, its body twist (so for q₀ and for q₁) |
//! | A, B, b | δq̄ = A δq₀ + B δv̄ + b δh | I, (h/2) I, v̄/2 for joints |
//! | A₁, H₁, b₁ | δq₁ = A₁ δq₀ + H₁ δv̄ + b₁ δh | I, h I, v̄ for joints |
//! | L₀, R₀, L₁, R₁ | δp₀ = L₀ δP − R₀ δF + …, δp₁ = L₁ δP + R₁ δF + … | I, (h/2) I for joints |
//! | J, K, s | δp₀ = J δv̄ + K δq₀ − R₀ δu + s δh | J is the Newton matrix of the step |
//! | E, G, e | δp₁ = E δv̄ + G δq₀ + R₁ δu + e δh | |
//!
//! All parts are analytic (the derivatives of P and F in [`MidpointJacobian`]), but for how the end
//! momenta of a floating body depend on its own twist ([`FloatingStep`]), which takes dual numbers.

use nalgebra::{Const, DMatrix, DVector, Matrix6, U1, Vector6};
use num_dual::{Derivative, DualSVec64};

use super::block_diagonal::BlockDiagonal;
use crate::discrete::midpoint::{FloatingStep, Midpoint, MidpointJacobian};
use crate::model::{JointKind, Model};
use crate::numerics::add_product;
use crate::spatial::{Force, Motion, lift};

/// A number with its derivatives by the six numbers of a twist.
type Dual6 = DualSVec64<6>;

/// The linearised equations of one step; owns its memory.
#[derive(Debug, Clone)]
pub(crate) struct StepLinearization {
    /// J, n × n.
    pub newton: DMatrix<f64>,
    /// K, n × n.
    pub start_by_configuration: DMatrix<f64>,
    /// s, n.
    pub start_by_time: DVector<f64>,
    /// E, n × n.
    pub end: DMatrix<f64>,
    /// G, n × n.
    pub end_by_configuration: DMatrix<f64>,
    /// e, n.
    pub end_by_time: DVector<f64>,
    /// A, B, A₁ and H₁.
    pub middle_by_start: BlockDiagonal,
    pub middle_by_velocity: BlockDiagonal,
    pub end_by_start: BlockDiagonal,
    pub end_by_velocity: BlockDiagonal,
    /// b and b₁, n.
    pub middle_by_time: DVector<f64>,
    pub end_place_by_time: DVector<f64>,
    /// R₀ and R₁.
    pub by_force: [BlockDiagonal; 2],
    parts: MidpointJacobian,
    ends: EndMaps,
    momentum: DMatrix<f64>,
    force: DMatrix<f64>,
    momentum_by_time: DVector<f64>,
    force_by_time: DVector<f64>,
}

/// How the momenta at both ends follow from P and F.
#[derive(Debug, Clone, Default)]
struct EndMaps {
    /// h/2.
    half: f64,
    floating: Vec<FloatingEnds>,
}

/// For a floating body: L, R, and the derivatives by its own twist and by h.
#[derive(Debug, Clone)]
struct FloatingEnds {
    at: usize,
    l: [Matrix6<f64>; 2],
    r: [Matrix6<f64>; 2],
    by_twist: [Matrix6<f64>; 2],
    by_time: [Vector6<f64>; 2],
}

impl StepLinearization {
    /// Memory for one model.
    pub fn new(model: &Model) -> Self {
        let n = model.dof();
        let square = || DMatrix::zeros(n, n);
        let column = || DVector::zeros(n);
        let identity = BlockDiagonal::identity;
        Self {
            newton: square(),
            start_by_configuration: square(),
            start_by_time: column(),
            end: square(),
            end_by_configuration: square(),
            end_by_time: column(),
            middle_by_start: identity(),
            middle_by_velocity: identity(),
            end_by_start: identity(),
            end_by_velocity: identity(),
            middle_by_time: column(),
            end_place_by_time: column(),
            by_force: [identity(), identity()],
            parts: MidpointJacobian::new(model),
            ends: EndMaps::default(),
            momentum: square(),
            force: square(),
            momentum_by_time: column(),
            force_by_time: column(),
        }
    }

    /// Linearises the step of length `h` with the mean velocity `v` (n) and the middle `midpoint`.
    pub fn update(&mut self, model: &Model, midpoint: &Midpoint<f64>, v: &[f64], h: f64) {
        let q = &midpoint.configuration;
        self.parts.update(model, &midpoint.kinematics, q, v);
        let bodies = model.bodies().iter();
        let floating = bodies.filter(|body| body.kind == JointKind::Floating);
        let ends = &mut self.ends;
        ends.half = 0.5 * h;
        ends.floating.clear();
        ends.floating
            .extend(floating.map(|body| FloatingEnds::new(body.v_index, midpoint, v, h)));
        for (side, map) in self.by_force.iter_mut().enumerate() {
            map.set(0.5 * h, ends.floating.iter().map(|f| (f.at, f.r[side])));
        }
        self.place(v, h);
        self.differentiate_by_time(midpoint);
        self.differentiate_by_configuration();
        self.differentiate_by_velocity();
    }

    /// A, B, A₁, H₁, b and b₁.
    fn place(&mut self, v: &[f64], h: f64) {
        for (i, v) in v.iter().enumerate() {
            self.middle_by_time[i] = 0.5 * v;
            self.end_place_by_time[i] = *v;
        }
        let zero = Motion::zero();
        let floating = &self.ends.floating;
        let mean = |at: usize| Motion::from_slice(&v[at..at + 6]);
        let fill =
            |out: &mut BlockDiagonal,
             joint: f64,
             map: fn(&FloatingStep<f64>, &Motion<f64>, f64) -> Motion<f64>| {
                let block = |f: &FloatingEnds| {
                    let step = FloatingStep::new(&mean(f.at).scale(h));
                    (f.at, motion_columns(|unit| map(&step, unit, h)))
                };
                out.set(joint, floating.iter().map(block));
            };
        fill(&mut self.middle_by_start, 1.0, |step, x, _| {
            step.vary_middle(x, &Motion::zero())
        });
        fill(&mut self.end_by_start, 1.0, |step, x, _| {
            step.vary_end(x, &Motion::zero())
        });
        fill(&mut self.middle_by_velocity, 0.5 * h, |step, x, h| {
            step.vary_middle(&Motion::zero(), &x.scale(h))
        });
        fill(&mut self.end_by_velocity, h, |step, x, h| {
            step.vary_end(&Motion::zero(), &x.scale(h))
        });
        let (middle, end) = (&mut self.middle_by_time, &mut self.end_place_by_time);
        for f in floating {
            let mean = mean(f.at);
            let step = FloatingStep::new(&mean.scale(h));
            let own = f.at..f.at + 6;
            step.vary_middle(&zero, &mean)
                .write(&mut middle.as_mut_slice()[own.clone()]);
            step.vary_end(&zero, &mean)
                .write(&mut end.as_mut_slice()[own]);
        }
    }

    /// q₀ and v̄ fixed, q̄ changes by b δh.
    fn differentiate_by_time(&mut self, midpoint: &Midpoint<f64>) {
        let n = self.newton.nrows();
        let b = self.middle_by_time.as_slice();
        let (p, w) = (&mut self.momentum_by_time, &mut self.force_by_time);
        for (parts, change) in [
            (&self.parts.momentum_configuration, &mut *p),
            (&self.parts.force_configuration, &mut *w),
        ] {
            change.as_mut_slice().fill(0.0);
            add_product(n, 1.0, parts.as_slice(), b, change.as_mut_slice());
        }
        let (start, end) = (&mut self.start_by_time, &mut self.end_by_time);
        let ends = &self.ends;
        ends.combine(
            n,
            p.as_slice(),
            w.as_slice(),
            start.as_mut_slice(),
            end.as_mut_slice(),
        );
        // And the weights of F change themselves.
        for (i, force) in midpoint.force.iter().enumerate() {
            if !ends.is_floating(i) {
                start[i] -= 0.5 * force;
                end[i] += 0.5 * force;
            }
        }
        for f in &ends.floating {
            for (i, (s, e)) in f.by_time[0].iter().zip(&f.by_time[1]).enumerate() {
                start[f.at + i] += s;
                end[f.at + i] += e;
            }
        }
    }

    fn differentiate_by_configuration(&mut self) {
        let n = self.newton.nrows();
        for (parts, change) in [
            (&self.parts.momentum_configuration, &mut self.momentum),
            (&self.parts.force_configuration, &mut self.force),
        ] {
            change.as_mut_slice().copy_from_slice(parts.as_slice());
            self.middle_by_start
                .multiply_right(n, change.as_mut_slice());
        }
        self.ends.combine(
            n,
            self.momentum.as_slice(),
            self.force.as_slice(),
            self.start_by_configuration.as_mut_slice(),
            self.end_by_configuration.as_mut_slice(),
        );
    }

    fn differentiate_by_velocity(&mut self) {
        let n = self.newton.nrows();
        let parts = &self.parts;
        for (by_configuration, direct, change) in [
            (
                &parts.momentum_configuration,
                &parts.mass,
                &mut self.momentum,
            ),
            (
                &parts.force_configuration,
                &parts.force_velocity,
                &mut self.force,
            ),
        ] {
            let change = change.as_mut_slice();
            change.copy_from_slice(by_configuration.as_slice());
            self.middle_by_velocity.multiply_right(n, change);
            for (x, y) in change.iter_mut().zip(direct.as_slice()) {
                *x += y;
            }
        }
        self.ends.combine(
            n,
            self.momentum.as_slice(),
            self.force.as_slice(),
            self.newton.as_mut_slice(),
            self.end.as_mut_slice(),
        );
        for f in &self.ends.floating {
            for (target, by_twist) in [&mut self.newton, &mut self.end]
                .into_iter()
                .zip(&f.by_twist)
            {
                let mut block = target.fixed_view_mut::<6, 6>(f.at, f.at);
                block += by_twist;
            }
        }
    }
}

impl EndMaps {
    /// Whether a coordinate is one of a floating body.
    fn is_floating(&self, i: usize) -> bool {
        self.floating.iter().any(|f| (f.at..f.at + 6).contains(&i))
    }

    /// L₀ P − R₀ F and L₁ P + R₁ F of changes of P and F, n × m each.
    fn combine(
        &self,
        n: usize,
        momentum: &[f64],
        force: &[f64],
        start: &mut [f64],
        end: &mut [f64],
    ) {
        let pairs = momentum.iter().zip(force);
        for ((p, w), (s, e)) in pairs.zip(start.iter_mut().zip(&mut *end)) {
            *s = p - self.half * w;
            *e = p + self.half * w;
        }
        for f in &self.floating {
            let starts = (0..momentum.len()).step_by(n).map(|first| first + f.at);
            for at in starts {
                let p = Vector6::from_column_slice(&momentum[at..at + 6]);
                let w = Vector6::from_column_slice(&force[at..at + 6]);
                start[at..at + 6].copy_from_slice((f.l[0] * p - f.r[0] * w).as_slice());
                end[at..at + 6].copy_from_slice((f.l[1] * p + f.r[1] * w).as_slice());
            }
        }
    }
}

impl FloatingEnds {
    fn new(at: usize, midpoint: &Midpoint<f64>, v: &[f64], h: f64) -> Self {
        let mean = Vector6::from_column_slice(&v[at..at + 6]);
        let wrench = Vector6::from_column_slice(&midpoint.force[at..at + 6]);
        let step = Motion::from_slice((mean * h).as_slice());
        let ends = FloatingStep::new(&step);
        let none = Force::zero();
        let l = [
            force_columns(|x| ends.start_momentum(x, &none)),
            force_columns(|x| ends.end_momentum(x, &none)),
        ];
        let by_impulse = [
            force_columns(|x| ends.start_momentum(&none, x)),
            force_columns(|x| ends.end_momentum(&none, x)),
        ];
        let momentum = &midpoint.momentum[at..at + 6];
        let by_step = differentiate_by_step(&step, momentum, (wrench * h).as_slice());
        Self {
            at,
            l,
            r: [by_impulse[0] * -h, by_impulse[1] * h],
            by_twist: by_step.map(|m| m * h),
            by_time: [0, 1].map(|end| by_step[end] * mean + by_impulse[end] * wrench),
        }
    }
}

/// Derivatives of the momenta at both ends by h v̄, with μ and h F fixed.
fn differentiate_by_step(
    step: &Motion<f64>,
    momentum: &[f64],
    impulse: &[f64],
) -> [Matrix6<f64>; 2] {
    let varied: [Dual6; 6] = std::array::from_fn(|k| {
        let mut unit = Vector6::zeros();
        unit[k] = 1.0;
        Dual6::new(step.component(k), Derivative::some(unit))
    });
    let constant = |x: &[f64]| -> Force<Dual6> {
        let lifted: [Dual6; 6] = std::array::from_fn(|k| lift(x[k]));
        Force::from_slice(&lifted)
    };
    let step = FloatingStep::new(&Motion::from_slice(&varied));
    let (momentum, impulse) = (constant(momentum), constant(impulse));
    let ends = [
        step.start_momentum(&momentum, &impulse),
        step.end_momentum(&momentum, &impulse),
    ];
    ends.map(|p| {
        let gradient = |k: usize| p.component(k).eps.unwrap_generic(Const::<6>, U1);
        Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(gradient)).transpose()
    })
}

fn motion_columns(map: impl Fn(&Motion<f64>) -> Motion<f64>) -> Matrix6<f64> {
    columns(|unit| {
        let image = map(&Motion::from_slice(unit));
        std::array::from_fn(|i| image.component(i))
    })
}

fn force_columns(map: impl Fn(&Force<f64>) -> Force<f64>) -> Matrix6<f64> {
    columns(|unit| {
        let image = map(&Force::from_slice(unit));
        std::array::from_fn(|i| image.component(i))
    })
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
