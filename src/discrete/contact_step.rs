//! One step with held contacts: contact impulses and friction at both ends of the step.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | φ_i, Dφ_i, T_i | frames of `Contacts` | gap, normal row, tangent rows of held contact i |
//! | Λ = (λ_i, τ_i) | `start_impulse` | impulses at q₀ \[N s\] |
//! | Λ′ = (λ′_i, τ′_i) | `end_impulse` | impulses at q₁ \[N s\] |
//! | C | rows (normals and tangents), r × n | at q₀, at the midpoint and at q₁ |
//! | P, F, v̄ | `midpoint`, `v` | momentum and force of the [`Midpoint`], mean velocity |
//! | b | `free` | contact velocities without impulses \[m/s\] |
//!
//! Start: p₀ + C(q₀)ᵀΛ = P − (h/2)F with 0 ≤ λ ⊥ φ(q₁) ≥ 0 and friction on the slip T(q̄)v̄. End:
//! p₁ = P + (h/2)F + C(q₁)ᵀΛ′ with 0 ≤ λ′ ⊥ Dφ(q₁)M⁻¹p₁ ≥ 0 and friction on T(q₁)M⁻¹p₁. Gaps are
//! zero on the level of positions, so they do not drift; both halves carry friction, because half
//! of a resting body's weight appears at each end.
//!
//! The outer iteration is the quasi-Newton iteration of a free step (M with the load of dampers and
//! springs at joints); inside, the impulses solve the contact problem on the Delassus matrix
//! C M⁻¹ Cᵀ of the first midpoint.

mod rows;

use rows::Moment;

use super::contact_rows::ContactRows;
use super::friction::SLOW;
use super::friction_problem::SETTLED;
use super::residual::carry_to_end;
use super::{
    Delassus, FrictionSolver, HeldContact, HeldMode, Midpoint, StepError, StepReport, StepSettings,
};
use crate::contact::{ContactFrame, Contacts};
use crate::dynamics::{ArticulatedFactor, Kinematics, Support, passive_load};
use crate::model::Model;

/// Largest error of the contact conditions that a step may end with, as a share of the speeds in the
/// contact problem. Solutions are exact to rounding but for a few that no method at hand finds: feet
/// that slip by less than this where only a great impulse could stop them. What is left is reported.
const CONTACT_TOLERANCE: f64 = 1e-6;

/// Corrections below this share of the momentum that no longer shrink are rounding.
const STALL: f64 = 1e-9;

/// From this iteration on contact impulses are looked for near those of the iteration before.
const SETTLING_ITERATION: usize = 8;

/// Gaps that redundant contacts cannot close together to better than this \[m\] are closed: a tenth of
/// what a held contact may have.
const GAP_RESOLUTION: f64 = 1e-10;

/// Contact velocities at the end that redundant contacts cannot stop together to better than this \[m/s\]
/// are stopped; the next step closes the gap that they would make.
const VELOCITY_RESOLUTION: f64 = 1e-7;

/// Rounding of a gap beside coordinates of order one \[m\].
const GAP_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Steps with held contacts; owns all memory for one model and set of contacts.
#[derive(Debug, Clone)]
pub struct ContactStepper {
    /// Settings of the root finding.
    pub settings: StepSettings,
    /// The evaluated midpoint of the last step.
    pub midpoint: Midpoint<f64>,
    /// Energy that friction took in the last step \[J\], ≤ 0.
    pub friction_work: f64,
    factor: ArticulatedFactor<f64>,
    kinematics: Kinematics<f64>,
    solver: FrictionSolver,
    /// The contacts that everything below is laid out for.
    held: Vec<usize>,
    /// Where the last step ended; empty when it failed. `end` and `kinematics` are those there.
    end_configuration: Vec<f64>,
    /// Of each held contact, and of as many as there ever were.
    supports: Vec<Support>,
    delassus: Delassus,
    start: ContactRows,
    middle: ContactRows,
    end: ContactRows,
    free: Vec<f64>,
    /// Contact velocities, r.
    rates: Vec<f64>,
    /// Those of the mean velocity at the midpoint, r.
    mean_rates: Vec<f64>,
    impulse: Vec<f64>,
    modes: Vec<HeldMode>,
    /// The held contacts at q₁.
    end_frames: Vec<ContactFrame<f64>>,
    load: Vec<f64>,
    residual: Vec<f64>,
    remaining: Vec<f64>,
    correction: Vec<f64>,
}

impl ContactStepper {
    /// Memory for one model; grows with the number of held contacts.
    #[must_use]
    pub fn new(model: &Model, settings: StepSettings) -> Self {
        let n = model.dof();
        Self {
            settings,
            midpoint: Midpoint::new(model),
            friction_work: 0.0,
            factor: ArticulatedFactor::new(model),
            kinematics: Kinematics::new(model),
            solver: FrictionSolver::default(),
            held: Vec::new(),
            end_configuration: Vec::with_capacity(model.configuration_len()),
            supports: Vec::new(),
            delassus: Delassus::default(),
            start: ContactRows::default(),
            middle: ContactRows::default(),
            end: ContactRows::default(),
            free: Vec::new(),
            rates: Vec::new(),
            mean_rates: Vec::new(),
            impulse: Vec::new(),
            modes: Vec::new(),
            end_frames: Vec::new(),
            load: vec![0.0; n],
            residual: vec![0.0; n],
            remaining: vec![0.0; n],
            correction: vec![0.0; n],
        }
    }

    /// Advances (`q0`, `p0`) by `h` with the contacts in `held` closed; model and contacts are the same in
    /// every step, because rows of the last one may serve again; arguments and results
    /// otherwise as in [`FreeStepper::step`](super::FreeStepper::step). `held` receives modes,
    /// impulses, gaps and normal velocities.
    ///
    /// # Errors
    /// Those of a free step, and [`StepError::ContactsNotConverged`].
    pub fn step(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        held: &mut [HeldContact],
        q0: &[f64],
        p0: &[f64],
        applied: &[f64],
        h: f64,
        v: &mut [f64],
        q1: &mut [f64],
        p1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        self.begin(model, contacts, held, q0);
        // What counts at the start is the gap that a velocity leaves over the step.
        self.solver.slow = SLOW.max(GAP_RESOLUTION / (SETTLED * h.abs()));
        self.update_slip(model, held, p0)?;
        self.warm_start(held, 0);
        let mut report = self.solve_start(model, contacts, held, q0, p0, applied, h, v, q1)?;
        self.record(held, 0);
        for (held, frame) in held.iter_mut().zip(&self.end_frames) {
            held.gap = frame.gap;
        }
        self.friction_work = self.slip_work(held);
        self.midpoint.end_momentum(model, v, h, p1);
        carry_to_end(model, v, h, &self.remaining, p1);
        self.warm_start(held, 1);
        self.solver.slow = VELOCITY_RESOLUTION / SETTLED;
        let violation = self.solve_end(model, contacts, held, p1)?;
        report.contact_violation = report.contact_violation.max(violation);
        self.friction_work += self.slip_work(held);
        self.end_configuration.extend_from_slice(q1);
        Ok(report)
    }

    /// Modes and impulses of the last step's start (0) or end (1).
    fn warm_start(&mut self, held: &[HeldContact], end: usize) {
        let contacts = self.delassus.contacts();
        for ((h, rows), mode) in held.iter().zip(contacts).zip(&mut self.modes) {
            *mode = h.modes[end];
            let impulse = if end == 0 {
                &h.start_impulse
            } else {
                &h.end_impulse
            };
            self.impulse[rows.row..=rows.row + rows.tangents]
                .copy_from_slice(&impulse[..=rows.tangents]);
        }
    }

    /// Hands modes and impulses of the step's start (0) or end (1) over.
    fn record(&self, held: &mut [HeldContact], end: usize) {
        let contacts = self.delassus.contacts();
        for ((h, rows), mode) in held.iter_mut().zip(contacts).zip(&self.modes) {
            h.record(end, *mode, rows, &self.impulse);
        }
    }

    fn solve_start(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        held: &[HeldContact],
        q0: &[f64],
        p0: &[f64],
        applied: &[f64],
        h: f64,
        v: &mut [f64],
        q1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        passive_load(model, h, &mut self.load);
        let mut report = StepReport::default();
        let mut sizes = [f64::INFINITY; 2];
        let mut violation = f64::INFINITY;
        let gravity2 = model.gravity().norm_squared() * model.mass();
        let rounding = GAP_ROUNDING * q0.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for iteration in 0..=self.settings.max_iterations {
            self.midpoint.evaluate(model, q0, v, applied, h);
            self.midpoint
                .start_momentum(model, v, h, &mut self.residual);
            for (r, p) in self.residual.iter_mut().zip(p0) {
                *r -= p;
            }
            self.factor
                .factor_loaded(model, &self.midpoint.kinematics, Some(&self.load))?;
            self.fill(model, contacts, held, Moment::Middle);
            if iteration == 0 {
                self.update_delassus(model, false);
            }
            model.integrate(q0, v, h, q1);
            self.kinematics.update_placements(model, q1);
            let frames = held
                .iter()
                .map(|h| contacts.frame(&self.kinematics, h.contact));
            self.end_frames.clear();
            self.end_frames.extend(frames);
            self.correct(model);
            self.update_free(v, h, rounding);
            // Where there are several solutions the iteration settles on the one it came near.
            let solve = if iteration < SETTLING_ITERATION {
                FrictionSolver::solve
            } else {
                FrictionSolver::solve_near
            };
            violation = solve(
                &mut self.solver,
                &mut self.delassus,
                &self.free,
                &mut self.modes,
                &mut self.impulse,
            );
            self.correct(model);
            let size2: f64 = self
                .remaining
                .iter()
                .zip(&self.correction)
                .map(|(r, d)| r * d)
                .sum();
            let momentum2: f64 = self
                .midpoint
                .momentum
                .iter()
                .zip(&*v)
                .map(|(p, v)| p * v)
                .sum();
            let scale2 = momentum2.max(h * h * gravity2);
            let below_rounding = v
                .iter()
                .zip(&self.correction)
                .all(|(x, d)| d.abs() <= 4.0 * f64::EPSILON * x.abs());
            report.residual = (size2.abs() / scale2.max(f64::MIN_POSITIVE)).sqrt();
            if !report.residual.is_finite() {
                return Err(StepError::NotFinite { step: h });
            }
            // Stalled at rounding: the correction no longer shrinks and is below any tolerance.
            let stalled = report.residual >= 0.5 * sizes[0] && report.residual < STALL;
            let done =
                report.residual <= 0.01 * self.settings.tolerance || below_rounding || stalled;
            if done && violation <= CONTACT_TOLERANCE {
                report.contact_violation = violation;
                return Ok(report);
            }
            sizes = [report.residual, sizes[0]];
            for (x, d) in v.iter_mut().zip(&self.correction) {
                *x -= d;
            }
            report.iterations += 1;
        }
        Err(StepError::ContactsNotConverged {
            iterations: report.iterations,
            residual: report.residual.max(violation),
        })
    }

    /// b: contact velocities that the correction without impulses would leave.
    fn update_free(&mut self, v: &[f64], h: f64, rounding: f64) {
        let layout = self.delassus.layout();
        self.middle.product(layout, v, &mut self.mean_rates);
        self.free.copy_from_slice(&self.mean_rates);
        for (rows, frame) in layout.contacts().iter().zip(&self.end_frames) {
            let gap = frame.gap;
            // In a step that an event has cut very short, rounding of a gap over h is no speed.
            self.free[rows.row] = if gap.abs() <= rounding { 0.0 } else { gap / h };
        }
        self.middle
            .product(layout, &self.correction, &mut self.rates);
        subtract(&mut self.free, &self.rates);
        self.delassus.product(&self.impulse, &mut self.rates);
        subtract(&mut self.free, &self.rates);
    }

    /// Correction M⁻¹(r − CᵀΛ) of the mean velocity for the current impulses.
    fn correct(&mut self, model: &Model) {
        for (negative, x) in self.rates.iter_mut().zip(&self.impulse) {
            *negative = -x;
        }
        self.remaining.copy_from_slice(&self.residual);
        self.start
            .add_transposed(self.delassus.layout(), &self.rates, &mut self.remaining);
        self.factor.solve(
            model,
            &self.midpoint.kinematics,
            &self.remaining,
            &mut self.correction,
        );
    }

    fn solve_end(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        held: &mut [HeldContact],
        p1: &mut [f64],
    ) -> Result<f64, StepError> {
        // `kinematics` stands at q₁ since the last iteration.
        self.factor.factor(model, &self.kinematics)?;
        self.fill(model, contacts, held, Moment::End);
        self.update_delassus(model, true);
        self.factor
            .solve(model, &self.kinematics, p1, &mut self.correction);
        self.end
            .product(self.delassus.layout(), &self.correction, &mut self.free);
        let violation = self.solver.solve(
            &mut self.delassus,
            &self.free,
            &mut self.modes,
            &mut self.impulse,
        );
        if violation > CONTACT_TOLERANCE {
            return Err(StepError::ContactsNotConverged {
                iterations: 0,
                residual: violation,
            });
        }
        self.end
            .add_transposed(self.delassus.layout(), &self.impulse, p1);
        self.record(held, 1);
        for (h, rows) in held.iter_mut().zip(self.delassus.contacts()) {
            h.normal_velocity = self.solver.velocity()[rows.row];
            h.slip = Some(rows.tangential(self.solver.velocity()));
        }
        Ok(violation)
    }

    /// Work of the friction impulses at hand. They act while the slip goes from that of the step's
    /// end at which they act, `held.slip`, to that of the midpoint, so their work is that on the
    /// mean: exact for constant friction and for a slip that one impulse stops.
    fn slip_work(&self, held: &[HeldContact]) -> f64 {
        let mut work = 0.0;
        for (h, rows) in held.iter().zip(self.delassus.contacts()) {
            let slip = h.slip.unwrap_or_default();
            let middle = rows.tangential(&self.mean_rates);
            let pull = rows.tangential(&self.impulse);
            for t in 0..rows.tangents {
                work += 0.5 * pull[t] * (slip[t] + middle[t]);
            }
        }
        work
    }
}

fn subtract(from: &mut [f64], x: &[f64]) {
    for (from, x) in from.iter_mut().zip(x) {
        *from -= x;
    }
}
