//! What a step's equations leave when something of the robot or of its contacts is another: how its end changes with
//! parameters.
//!
//! With the symbols of [`HeldDerivatives`], at a solution (v̄, Λ, w, Λ′) and constant (q₀, p₀, u, h),
//!
//! ```text
//! r₀ = p₀⁻(v̄) − C₀ᵀΛ          γ₀: gaps at q₁ over h, slips at the midpoint
//! r₁ = M w − p̃ − C₁ᵀΛ′        γ₁: normal velocities, slips of w
//!
//! ∂v̄ = −X₀ ∂r₀ − Y₀ ∂γ₀,      ∂w = −X₁ ∂r₁ − Y₁ ∂γ₁,      ∂p₁ = (∂p₁/∂v̄) ∂v̄ + M ∂w + ∂(M w)
//! ```
//!
//! p₀⁻ the start momentum that belongs to v̄. Friction that slides is put in, with the slip that it opposes.

use nalgebra::DVector;

use crate::contact::{ContactFrame, Contacts};
use crate::discrete::held::{CornerDisplacement, rubbing_joints};
use crate::discrete::linearization::{HeldDerivatives, HeldStep};
use crate::discrete::midpoint::Midpoint;
use crate::dynamics::{Kinematics, LagrangianTerms};
use crate::friction::HeldMode;
use crate::model::Model;
use crate::numerics::dot;

/// r₀, r₁ and M w, n each, then γ₀ and γ₁, of a robot at the solution of a step.
pub(crate) struct StepEquations {
    values: DVector<f64>,
}

/// What a contact does at one end of the step, its friction put in.
struct Push<'a> {
    mode: HeldMode,
    friction: f64,
    impulse: &'a [f64; 3],
    slip: [f64; 2],
}

impl Push<'_> {
    /// Impulse along the normal and the first `tangents` tangents.
    fn impulse(&self, tangents: usize) -> [f64; 3] {
        let mut impulse = match self.mode {
            HeldMode::Open => [0.0; 3],
            HeldMode::Stick => *self.impulse,
            HeldMode::Slide(last) => {
                let [x, y] = self.slip;
                let speed = x.hypot(y);
                let along = if speed > 0.0 {
                    [x / speed, y / speed]
                } else {
                    last
                };
                let normal = self.impulse[0];
                let rubbing = along.map(|s| -self.friction * normal * s);
                [normal, rubbing[0], rubbing[1]]
            }
        };
        impulse[1 + tangents..].fill(0.0);
        impulse
    }

    /// What vanishes for it, to the end of `out`.
    fn conditions(&self, closing: f64, tangents: usize, out: &mut Vec<f64>) {
        match self.mode {
            HeldMode::Open => {}
            HeldMode::Stick => {
                out.push(closing);
                out.extend_from_slice(&self.slip[..tangents]);
            }
            HeldMode::Slide(_) => out.push(closing),
        }
    }
}

impl StepEquations {
    /// Of `model` and `contacts` in place of those of the step, under `applied` (n); `end_velocity` is w.
    pub fn new(
        step: &HeldStep<'_>,
        model: &Model,
        contacts: &Contacts,
        applied: &[f64],
        end_velocity: &[f64],
    ) -> Self {
        let n = model.dof();
        let (q0, v, h) = (step.configuration, step.mean_velocity, step.time_step);
        let mut midpoint = Midpoint::<f64>::new(model);
        midpoint.evaluate(model, q0, v, applied, h);
        let mut before = Kinematics::new(model);
        before.update_placements(model, q0);
        let mut q1 = q0.to_vec();
        model.integrate(q0, v, h, &mut q1);
        let mut after = Kinematics::new(model);
        after.update_placements(model, &q1);
        after.update_twists(model, end_velocity);
        let mut terms = LagrangianTerms::new(model);
        terms.update(model, &after);

        let mut start = vec![0.0; n];
        let mut end = vec![0.0; n];
        midpoint.start_momentum(model, v, h, &mut start);
        midpoint.end_momentum(model, v, h, &mut end);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let frames = |at: &Kinematics<f64>| -> Vec<ContactFrame<f64>> {
            let held = step.held.iter();
            held.map(|held| contacts.held_frame(at, held.contact, held.place()))
                .collect()
        };
        let [first_frames, middle_frames, last_frames] =
            [&before, &midpoint.kinematics, &after].map(frames);
        let start_gaps: Vec<f64> = first_frames.iter().map(|frame| frame.gap).collect();
        let beyond = |j: usize| {
            let mut normal = vec![0.0; n];
            let middle = &middle_frames[j];
            middle.row(model, &midpoint.kinematics, &middle.normal, &mut normal);
            last_frames[j].gap / h - dot(&normal, v)
        };
        for (slot, held) in step.held.iter().enumerate() {
            let tangents = step.tangents(held);
            let rows = |frame: &ContactFrame<f64>, at: &Kinematics<f64>| -> Vec<Vec<f64>> {
                frame.rows(model, at, tangents).collect()
            };
            let slip = |frame: &ContactFrame<f64>, rows: &[Vec<f64>], v: &[f64]| {
                let drive = frame.drive();
                let mut slip = [0.0; 2];
                for (t, row) in rows[1..].iter().enumerate() {
                    slip[t] = dot(row, v) - drive[t];
                }
                slip
            };
            let at_start = rows(&first_frames[slot], &before);
            let (middle, last) = (middle_frames[slot], last_frames[slot]);
            let at_middle = rows(&middle, &midpoint.kinematics);
            let at_end = rows(&last, &after);
            let mut slips = [
                slip(&middle, &at_middle, v),
                slip(&last, &at_end, end_velocity),
            ];
            let corner = CornerDisplacement::of(&last_frames, &start_gaps, slot, beyond);
            if let Some(corner) = corner {
                corner.add_to_slip(&last.tangents, &mut slips[0][..tangents]);
            }
            let friction = contacts.friction(held.contact);
            let own = usize::from(!step.keeps_direction(held, slips[0]));
            let [opens, closes] =
                [(0, &held.start_impulse), (own, &held.end_impulse)].map(|(end, impulse)| Push {
                    mode: step.mode(held, end),
                    friction,
                    impulse,
                    slip: slips[end],
                });
            subtract(&at_start, &opens.impulse(tangents), &mut start);
            opens.conditions(last.gap / h, tangents, &mut first);
            let back = closes.impulse(tangents).map(|x| -x);
            subtract(&at_end, &back, &mut end);
            closes.conditions(dot(&at_end[0], end_velocity), tangents, &mut second);
        }
        // Of a joint that slides half the friction acts at each end; one that sticks keeps its rate, whatever else.
        for ((_, at, friction), joint) in rubbing_joints(model).zip(step.joints) {
            let half = 0.5 * h.abs() * friction;
            let impulse = |end: usize| match joint.modes[end] {
                HeldMode::Slide(_) => half * joint.impulses[end].signum(),
                _ => joint.impulses[end],
            };
            start[at] -= impulse(0);
            end[at] += impulse(1);
            for (end, conditions) in [&mut first, &mut second].into_iter().enumerate() {
                if joint.modes[end] == HeldMode::Stick {
                    conditions.push(0.0);
                }
            }
        }
        let momentum = &terms.momentum;
        let left = momentum.iter().zip(&end).map(|(m, p)| m - p);
        let values = start.iter().copied().chain(left);
        let values = values.chain(momentum.iter().copied());
        let values: Vec<f64> = values.chain(first).chain(second).collect();
        Self {
            values: DVector::from(values),
        }
    }

    /// The numbers, for differences.
    pub fn into_values(self) -> DVector<f64> {
        self.values
    }
}

impl HeldDerivatives {
    /// ∂(q₁, p₁), 2n, for the change of [`StepEquations`] at the step of the last [`HeldDerivatives::update`].
    pub(crate) fn respond(&mut self, change: &DVector<f64>) -> DVector<f64> {
        let n = self.end_velocity.len();
        let (start, rest) = change.as_slice().split_at(n);
        let (end, rest) = rest.split_at(n);
        let (inertia, rest) = rest.split_at(n);
        let (first, second) = rest.split_at(self.start.conditions());
        let mean = self.start.respond_to(start, first);
        let velocity = self.end.respond_to(end, second);
        let momentum = &self.by_mean * &mean
            + &self.end_parts.mass * velocity
            + DVector::from_column_slice(inertia);
        let mut moved = mean;
        self.linear
            .end_by_velocity
            .multiply_left(n, moved.as_mut_slice());
        DVector::from_iterator(2 * n, moved.iter().chain(&momentum).copied())
    }

    /// w, the velocity at the end of the step of the last [`HeldDerivatives::update`].
    pub(crate) fn end_velocity(&self) -> &[f64] {
        &self.end_velocity
    }
}

/// Takes what impulses push from `out`.
fn subtract(rows: &[Vec<f64>], impulse: &[f64; 3], out: &mut [f64]) {
    for (row, x) in rows.iter().zip(impulse) {
        for (out, entry) in out.iter_mut().zip(row) {
            *out -= x * entry;
        }
    }
}
