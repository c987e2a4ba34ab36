//! Derivatives of a step with held contacts by dual numbers, to check the analytic ones against.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | z = (v̄, Λ, w, Λ′) | unknowns | mean velocity, impulses at the start, velocity M⁻¹p₁ at the end, impulses there |
//! | θ = (q₀, p₀, u, h) | arguments | a floating body's part of q₀ changes by its body twist |
//! | R(z, θ) = 0 | `HeldStep::residual` | the equations of the step, those of its contacts in their modes |
//!
//! By the implicit function theorem δz = −R_z⁺ R_θ δθ, with the columns of R_z and R_θ from dual
//! numbers. Redundant contacts make R_z singular in Λ and Λ′ alone: the least-norm solution leaves
//! v̄, w and so (q₁, p₁) what they are.

use nalgebra::{DMatrix, DVector};
use num_dual::{Dual64, DualNum};

use crate::contact::ContactFrame;
use crate::discrete::StepError;
use crate::discrete::held::{CornerDisplacement, HeldContact};
use crate::discrete::linearization::HeldStep;
use crate::discrete::midpoint::{Midpoint, tangent};
use crate::dynamics::{ArticulatedFactor, Kinematics, LagrangianTerms};
use crate::friction::HeldMode;
use crate::model::Model;
use crate::numerics::LeastSquares;
use crate::spatial::lift;

/// Singular values below this share of the largest are rounding.
const RANK: f64 = 1e-11;

/// Arguments and unknowns as dual numbers.
struct Point {
    configuration: Vec<Dual64>,
    start_momentum: Vec<Dual64>,
    applied: Vec<Dual64>,
    h: Dual64,
    mean: Vec<Dual64>,
    start_impulse: Vec<Dual64>,
    end: Vec<Dual64>,
    end_impulse: Vec<Dual64>,
}

/// Memory of one evaluation.
struct Workspace {
    midpoint: Midpoint<Dual64>,
    before: Kinematics<Dual64>,
    after: Kinematics<Dual64>,
    terms: LagrangianTerms<Dual64>,
    row: Vec<Dual64>,
    moved: Vec<Dual64>,
}

/// Derivatives by dual numbers.
pub(crate) struct DualDerivatives {
    /// As [`HeldStep::derivatives`].
    pub matrix: DMatrix<f64>,
    /// For each column the largest entry of R_z δz + R_θ δθ over that of R_θ. Where it is not rounding,
    /// redundant contacts cannot keep what their modes say.
    pub contradictions: Vec<f64>,
    /// Largest singular value of R_z over the least that is not rounding.
    pub condition: f64,
}

impl HeldStep<'_> {
    pub(crate) fn dual_derivatives(&self) -> Result<DualDerivatives, StepError> {
        let n = self.model.dof();
        let point = self.point()?;
        let r = point.start_impulse.len();
        let unknowns = 2 * (n + r);
        let arguments = 3 * n + 1;
        let mut work = Workspace {
            midpoint: Midpoint::new(self.model),
            before: Kinematics::new(self.model),
            after: Kinematics::new(self.model),
            terms: LagrangianTerms::new(self.model),
            row: vec![Dual64::from(0.0); n],
            moved: point.configuration.clone(),
        };
        let columns: Vec<_> = (0..unknowns + arguments)
            .map(|k| {
                let (residual, momentum) = self.residual(&point.turned(self.model, k), &mut work);
                (epsilons(&residual), epsilons(&momentum))
            })
            .collect();
        let system = DMatrix::from_fn(unknowns, unknowns, |i, j| columns[j].0[i]);
        let singular = system.singular_values();
        let least = singular.iter().filter(|s| **s > RANK * singular[0]);
        let condition = singular[0] / least.fold(f64::INFINITY, |m, s| m.min(*s));
        let by_arguments = columns[unknowns..]
            .iter()
            .flat_map(|(residual, _)| residual);
        let largest = by_arguments.fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut result = DMatrix::zeros(2 * n, arguments);
        let mut contradictions = Vec::new();
        let mut solver = LeastSquares::default();
        for j in 0..arguments {
            solver.reset(unknowns);
            for (k, (residual, _)) in columns[..unknowns].iter().enumerate() {
                solver.column_mut(k).copy_from_slice(residual);
            }
            let (by_argument, p1) = &columns[unknowns + j];
            for (right, r) in solver.rhs_mut().iter_mut().zip(by_argument) {
                *right = -r;
            }
            solver.solve();
            let z = DVector::from_column_slice(solver.solution());
            let by_argument = DVector::from_column_slice(by_argument);
            let left = (&system * &z + &by_argument).amax();
            contradictions.push(left / largest);
            let mut column = result.column_mut(j);
            for (i, p) in p1.iter().enumerate() {
                column[n + i] = *p;
            }
            for (x, (_, by_unknown)) in z.iter().zip(&columns) {
                for (i, p) in by_unknown.iter().enumerate() {
                    column[n + i] += p * x;
                }
            }
            let turned = point.turned(self.model, unknowns + j);
            let change = self.configuration_change(turned, &z.as_slice()[..n]);
            for (i, x) in change.iter().enumerate() {
                column[i] = *x;
            }
        }
        Ok(DualDerivatives {
            matrix: result,
            contradictions,
            condition,
        })
    }

    fn point(&self) -> Result<Point, StepError> {
        let constant = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
        let n = self.model.dof();
        let mut q1 = self.configuration.to_vec();
        self.model.integrate(
            self.configuration,
            self.mean_velocity,
            self.time_step,
            &mut q1,
        );
        let mut kinematics = Kinematics::new(self.model);
        kinematics.update_placements(self.model, &q1);
        let mut factor = ArticulatedFactor::new(self.model);
        factor.factor(self.model, &kinematics)?;
        let mut end = vec![0.0; n];
        factor.solve(self.model, &kinematics, self.end_momentum, &mut end);
        let impulses = |pick: fn(&HeldContact) -> &[f64; 3]| -> Vec<f64> {
            let rows = self.held.iter().map(|h| (h, self.tangents(h)));
            rows.flat_map(|(h, t)| pick(h)[..=t].to_vec()).collect()
        };
        Ok(Point {
            configuration: constant(self.configuration),
            start_momentum: constant(&vec![0.0; n]),
            applied: constant(self.applied),
            h: Dual64::from(self.time_step),
            mean: constant(self.mean_velocity),
            start_impulse: constant(&impulses(|h| &h.start_impulse)),
            end: constant(&end),
            end_impulse: constant(&impulses(|h| &h.end_impulse)),
        })
    }

    /// R and p₁. The value of p₀ itself is left out: only derivatives are read.
    fn residual(&self, at: &Point, work: &mut Workspace) -> (Vec<Dual64>, Vec<Dual64>) {
        let model = self.model;
        let n = model.dof();
        work.midpoint
            .evaluate(model, &at.configuration, &at.mean, &at.applied, at.h);
        work.before.update_placements(model, &at.configuration);
        model.integrate(&at.configuration, &at.mean, at.h, &mut work.moved);
        work.after.update_placements(model, &work.moved);
        work.after.update_twists(model, &at.end);
        work.terms.update(model, &work.after);
        let (mut start, mut p1) = (vec![lift(0.0); n], vec![lift(0.0); n]);
        let midpoint = &work.midpoint;
        midpoint.start_momentum(model, &at.mean, at.h, &mut start);
        midpoint.end_momentum(model, &at.mean, at.h, &mut p1);
        for (r, p) in start.iter_mut().zip(&at.start_momentum) {
            *r -= *p;
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let frames = |at: &Kinematics<Dual64>| -> Vec<ContactFrame<Dual64>> {
            let held = self.held.iter();
            held.map(|held| self.contacts.frame(at, held.contact))
                .collect()
        };
        let after_frames = frames(&work.after);
        let gaps: Vec<f64> = frames(&work.before).iter().map(|f| f.gap.re).collect();
        let beyond: Vec<Dual64> = frames(&work.midpoint.kinematics)
            .iter()
            .zip(&after_frames)
            .map(|(middle, after)| {
                let kinematics = &work.midpoint.kinematics;
                middle.row(model, kinematics, &middle.normal, &mut work.row);
                after.gap / at.h - product(&work.row, &at.mean)
            })
            .collect();
        let mut offset = 0;
        for (slot, held) in self.held.iter().enumerate() {
            let tangents = self.tangents(held);
            let rows = offset..=offset + tangents;
            offset += 1 + tangents;
            let friction = self.contacts.friction(held.contact);
            let mut slips = [[Dual64::from(0.0); 2]; 2];
            let before = self.contacts.frame(&work.before, held.contact);
            let middle = self.contacts.frame(&work.midpoint.kinematics, held.contact);
            let after = self.contacts.frame(&work.after, held.contact);
            let mut normal_velocity = Dual64::from(0.0);
            for (k, row) in rows.clone().enumerate() {
                let direction = |frame: &ContactFrame<Dual64>| {
                    if k == 0 {
                        frame.normal
                    } else {
                        frame.tangents[k - 1]
                    }
                };
                before.row(model, &work.before, &direction(&before), &mut work.row);
                add(&work.row, -at.start_impulse[row], &mut start);
                after.row(model, &work.after, &direction(&after), &mut work.row);
                add(&work.row, at.end_impulse[row], &mut p1);
                let rate = product(&work.row, &at.end);
                if k == 0 {
                    normal_velocity = rate;
                    continue;
                }
                slips[1][k - 1] = rate;
                let kinematics = &work.midpoint.kinematics;
                middle.row(model, kinematics, &direction(&middle), &mut work.row);
                slips[0][k - 1] = product(&work.row, &at.mean);
            }
            let corner = CornerDisplacement::of(&after_frames, &gaps, slot, |j| beyond[j]);
            if let Some(corner) = corner {
                corner.add_to_slip(&after.tangents, &mut slips[0][..tangents]);
            }
            let impulse = &at.start_impulse[rows.clone()];
            conditions(
                self.mode(held, 0),
                after.gap,
                &slips[0],
                friction,
                impulse,
                &mut first,
            );
            let impulse = &at.end_impulse[rows];
            let keeps = self.keeps_direction(held, slips[0].map(|s| s.re));
            conditions(
                self.mode(held, usize::from(!keeps)),
                normal_velocity,
                &slips[usize::from(!keeps)],
                friction,
                impulse,
                &mut second,
            );
        }
        let end = work.terms.momentum.iter().zip(&p1).map(|(m, p)| *m - *p);
        let mut residual = start;
        residual.extend(first);
        residual.extend(end);
        residual.extend(second);
        (residual, p1)
    }

    /// δq₁ for the argument that `turned` carries and the change `mean` of v̄.
    fn configuration_change(&self, turned: Point, mean: &[f64]) -> Vec<f64> {
        let mut v = turned.mean;
        for (v, change) in v.iter_mut().zip(mean) {
            v.eps = *change;
        }
        let mut q1 = turned.configuration.clone();
        self.model
            .integrate(&turned.configuration, &v, turned.h, &mut q1);
        tangent(self.model, &q1)
    }
}

impl Point {
    /// The point with a unit derivative in unknown or argument k: z, then θ.
    fn turned(&self, model: &Model, k: usize) -> Self {
        let n = self.mean.len();
        let mut point = Self {
            configuration: self.configuration.clone(),
            start_momentum: self.start_momentum.clone(),
            applied: self.applied.clone(),
            h: self.h,
            mean: self.mean.clone(),
            start_impulse: self.start_impulse.clone(),
            end: self.end.clone(),
            end_impulse: self.end_impulse.clone(),
        };
        let mut index = k;
        let mut seeded = false;
        for values in [
            &mut point.mean,
            &mut point.start_impulse,
            &mut point.end,
            &mut point.end_impulse,
        ] {
            match values.get_mut(index) {
                Some(value) if !seeded => {
                    value.eps = 1.0;
                    seeded = true;
                }
                _ => index = index.saturating_sub(values.len()),
            }
        }
        if seeded {
            return point;
        }
        if index < n {
            let mut direction = vec![Dual64::from(0.0); n];
            direction[index].eps = 1.0;
            let from = &self.configuration;
            model.integrate(from, &direction, lift(1.0), &mut point.configuration);
        } else if index < 2 * n {
            point.start_momentum[index - n].eps = 1.0;
        } else if index < 3 * n {
            point.applied[index - 2 * n].eps = 1.0;
        } else {
            point.h.eps = 1.0;
        }
        point
    }
}

/// The equations of one contact in its mode: `closing` is what vanishes along the normal.
fn conditions(
    mode: HeldMode,
    closing: Dual64,
    slip: &[Dual64; 2],
    friction: f64,
    impulse: &[Dual64],
    out: &mut Vec<Dual64>,
) {
    let tangents = impulse.len() - 1;
    match mode {
        HeldMode::Open => out.extend_from_slice(impulse),
        HeldMode::Stick => {
            out.push(closing);
            out.extend_from_slice(&slip[..tangents]);
        }
        HeldMode::Slide(direction) => {
            out.push(closing);
            let length = (slip[0] * slip[0] + slip[1] * slip[1]).sqrt();
            for t in 0..tangents {
                // A contact on the edge of its cone that does not slip keeps the direction it has.
                let along = if length.re > 0.0 {
                    slip[t] / length
                } else {
                    Dual64::from(direction[t])
                };
                out.push(impulse[1 + t] + along * impulse[0] * friction);
            }
        }
    }
}

fn add(row: &[Dual64], factor: Dual64, out: &mut [Dual64]) {
    for (o, x) in out.iter_mut().zip(row) {
        *o += *x * factor;
    }
}

fn product(row: &[Dual64], x: &[Dual64]) -> Dual64 {
    row.iter()
        .zip(x)
        .fold(Dual64::from(0.0), |sum, (a, b)| sum + *a * *b)
}

fn epsilons(x: &[Dual64]) -> Vec<f64> {
    x.iter().map(|x| x.eps).collect()
}
