//! One step with held contacts: contact impulses and friction at both ends of the step.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | φ_i, Dφ_i, T_i | frames of `Contacts` | gap, normal row, tangent rows of held contact i |
//! | Λ = (λ_i, τ_i) | `start_impulse` | impulses at q₀ \[N s\] |
//! | Λ′ = (λ′_i, τ′_i) | `end_impulse` | impulses at q₁ \[N s\] |
//! | C | rows (normals and tangents), r × n | at q₀, at the midpoint and at q₁ |
//!
//! Start: p₀ + C(q₀)ᵀΛ = P − (h/2)F with 0 ≤ λ ⊥ φ(q₁) ≥ 0 and friction on the slip T(q̄)v̄. End:
//! p₁ = P + (h/2)F + C(q₁)ᵀΛ′ with 0 ≤ λ′ ⊥ Dφ(q₁)M⁻¹p₁ ≥ 0 and friction on T(q₁)M⁻¹p₁. Gaps are
//! zero on the level of positions, so they do not drift; both halves carry friction, because half
//! of a resting body's weight appears at each end.
//!
//! The outer iteration is the quasi-Newton iteration of a free step (M with the load of dampers and
//! springs at joints); inside, the impulses solve the contact problem on the Delassus matrix
//! C M⁻¹ Cᵀ of the first midpoint.

use nalgebra::DMatrix;

use super::{FrictionSolver, HeldMode, HeldRows, Midpoint, StepError, StepReport, StepSettings};
use crate::contact::Contacts;
use crate::dynamics::{ArticulatedFactor, Kinematics, passive_load};
use crate::model::{JointKind, Model};
use crate::numerics::dot;
use crate::spatial::{Force, Motion, exp};

/// Largest error of the contact conditions that a step may end with, as a share of the speeds in the
/// contact problem. Solutions are exact to rounding but for a few that no method at hand finds: feet
/// that slip by less than this where only a great impulse could stop them. What is left is reported.
const CONTACT_TOLERANCE: f64 = 1e-6;

/// Corrections below this share of the momentum that no longer shrink are rounding.
const STALL: f64 = 1e-9;

/// From this iteration on contact impulses are looked for near those of the iteration before.
const SETTLING_ITERATION: usize = 8;

/// Rounding of a gap beside coordinates of order one \[m\].
const GAP_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A contact that is held closed, and what it did in the last step.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeldContact {
    /// Index into the [`Contacts`].
    pub contact: usize,
    /// Modes at the start and at the end of the last step: the first guess for the next one.
    pub modes: [HeldMode; 2],
    /// Impulse at the start of the last step: normal, then tangents \[N s\].
    pub start_impulse: [f64; 3],
    /// Impulse at the end of the last step \[N s\].
    pub end_impulse: [f64; 3],
    /// Gap at the end of the last step \[m\].
    pub gap: f64,
    /// Normal velocity at the end of the last step \[m/s\].
    pub normal_velocity: f64,
    /// Sliding velocity at the end of the last step, in its tangents \[m/s\]; `None` when it is not
    /// that of the present moment: the contact has just closed, or an impact changed it.
    pub slip: Option<[f64; 2]>,
}

impl HeldContact {
    /// A contact that has just closed.
    #[must_use]
    pub fn new(contact: usize) -> Self {
        Self {
            contact,
            modes: [HeldMode::Stick; 2],
            start_impulse: [0.0; 3],
            end_impulse: [0.0; 3],
            gap: 0.0,
            normal_velocity: 0.0,
            slip: None,
        }
    }

    /// Sum of the impulses of the last step: normal, then tangents \[N s\].
    #[must_use]
    pub fn impulse(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| self.start_impulse[k] + self.end_impulse[k])
    }
}

/// Rows of all held contacts at one configuration.
#[derive(Debug, Clone, Default)]
struct RowBlock {
    n: usize,
    /// r × n, row after row.
    rows: Vec<f64>,
}

impl RowBlock {
    fn resize(&mut self, r: usize, n: usize) {
        self.n = n;
        self.rows.resize(r * n, 0.0);
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.n..(i + 1) * self.n]
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.rows[i * self.n..(i + 1) * self.n]
    }

    /// Rows times x.
    fn product(&self, i: usize, x: &[f64]) -> f64 {
        dot(self.row(i), x)
    }

    /// out += rowsᵀ y.
    fn add_transposed(&self, y: &[f64], out: &mut [f64]) {
        for (i, &f) in y.iter().enumerate() {
            if f != 0.0 {
                for (o, a) in out.iter_mut().zip(self.row(i)) {
                    *o += a * f;
                }
            }
        }
    }

    /// Writes the rows of the held contacts and their gaps.
    fn fill(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        kinematics: &Kinematics<f64>,
        held: &[HeldContact],
        layout: &[HeldRows],
        gaps: &mut [f64],
    ) {
        for ((h, rows), gap) in held.iter().zip(layout).zip(gaps) {
            let frame = contacts.frame(kinematics, h.contact);
            *gap = frame.gap;
            frame.row(model, kinematics, &frame.normal, self.row_mut(rows.row));
            for t in 0..rows.tangents {
                frame.row(
                    model,
                    kinematics,
                    &frame.tangents[t],
                    self.row_mut(rows.row + 1 + t),
                );
            }
        }
    }
}

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
    layout: Vec<HeldRows>,
    /// Bodies that each held contact moves, each before its parent.
    paths: Vec<Vec<usize>>,
    start: RowBlock,
    middle: RowBlock,
    end: RowBlock,
    delassus: DMatrix<f64>,
    response: RowBlock,
    free: Vec<f64>,
    impulse: Vec<f64>,
    modes: Vec<HeldMode>,
    gaps: Vec<f64>,
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
            layout: Vec::new(),
            paths: Vec::new(),
            start: RowBlock::default(),
            middle: RowBlock::default(),
            end: RowBlock::default(),
            delassus: DMatrix::zeros(0, 0),
            response: RowBlock::default(),
            free: Vec::new(),
            impulse: Vec::new(),
            modes: Vec::new(),
            gaps: Vec::new(),
            load: vec![0.0; n],
            residual: vec![0.0; n],
            remaining: vec![0.0; n],
            correction: vec![0.0; n],
        }
    }

    /// Advances (`q0`, `p0`) by `h` with the contacts in `held` closed; arguments and results
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
        self.resize(model, contacts, held);
        self.kinematics.update_placements(model, q0);
        self.start.fill(
            model,
            contacts,
            &self.kinematics,
            held,
            &self.layout,
            &mut self.gaps,
        );
        self.update_slip(model, held, p0)?;
        self.warm_start(held, 0);
        let mut report = self.solve_start(model, contacts, held, q0, p0, applied, h, v, q1)?;
        for (h, rows) in held.iter_mut().zip(&self.layout) {
            h.start_impulse = slots(&self.impulse, rows);
        }
        for ((h, mode), gap) in held.iter_mut().zip(&self.modes).zip(&self.gaps) {
            h.modes[0] = *mode;
            h.gap = *gap;
        }
        self.friction_work = self.slip_work(held, v);
        self.midpoint.end_momentum(model, v, h, p1);
        self.remove_residual(model, v, h, p1);
        self.warm_start(held, 1);
        let violation = self.solve_end(model, contacts, held, p1)?;
        report.contact_violation = report.contact_violation.max(violation);
        self.friction_work += self.slip_work(held, v);
        Ok(report)
    }

    fn resize(&mut self, model: &Model, contacts: &Contacts, held: &[HeldContact]) {
        self.layout.clear();
        let mut r = 0;
        for h in held {
            let friction = contacts.friction(h.contact);
            let tangents = if friction > 0.0 {
                contacts.tangent_count(h.contact)
            } else {
                0
            };
            self.layout.push(HeldRows {
                row: r,
                tangents,
                friction,
            });
            r += 1 + tangents;
        }
        self.paths
            .resize(held.len().max(self.paths.len()), Vec::new());
        for (h, path) in held.iter().zip(&mut self.paths) {
            moved_bodies(model, contacts.bodies(h.contact), path);
        }
        // Entries beside a contact's path are never written.
        self.response.rows.fill(0.0);
        let n = model.dof();
        for block in [
            &mut self.start,
            &mut self.middle,
            &mut self.end,
            &mut self.response,
        ] {
            block.resize(r, n);
        }
        if self.delassus.nrows() != r {
            self.delassus.resize_mut(r, r, 0.0);
        }
        self.free.resize(r, 0.0);
        self.impulse.resize(r, 0.0);
        self.modes.resize(held.len(), HeldMode::Stick);
        self.gaps.resize(held.len(), 0.0);
    }

    /// Sliding velocities at the start where the last step does not say them. `kinematics` stands at
    /// q₀ and `start` holds its rows.
    fn update_slip(
        &mut self,
        model: &Model,
        held: &mut [HeldContact],
        p0: &[f64],
    ) -> Result<(), StepError> {
        let unknown = |(h, rows): (&HeldContact, &HeldRows)| rows.tangents > 0 && h.slip.is_none();
        if !held.iter().zip(&self.layout).any(unknown) {
            return Ok(());
        }
        self.factor.factor(model, &self.kinematics)?;
        self.factor
            .solve(model, &self.kinematics, p0, &mut self.correction);
        for (h, rows) in held.iter_mut().zip(&self.layout) {
            let mut slip = [0.0; 2];
            for (t, x) in slip.iter_mut().enumerate().take(rows.tangents) {
                *x = self.start.product(rows.row + 1 + t, &self.correction);
            }
            h.slip = Some(slip);
        }
        Ok(())
    }

    /// Modes and impulses of the last step's start (0) or end (1).
    fn warm_start(&mut self, held: &[HeldContact], end: usize) {
        for ((h, rows), mode) in held.iter().zip(&self.layout).zip(&mut self.modes) {
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

    /// Delassus matrix C M⁻¹ Cᵀ of `middle` (or `end`) rows with the factor at hand: half a solve for
    /// each row, along the path of its contact only.
    fn build_delassus(&mut self, model: &Model, at_end: bool) {
        let (rows, kinematics) = if at_end {
            (&self.end, &self.kinematics)
        } else {
            (&self.middle, &self.midpoint.kinematics)
        };
        for (contact, path) in self.layout.iter().zip(&self.paths) {
            for i in contact.row..=contact.row + contact.tangents {
                let response = self.response.row_mut(i);
                self.factor
                    .half_solve(model, kinematics, path, rows.row(i), response);
            }
        }
        for i in 0..self.free.len() {
            for j in 0..=i {
                let value = self.response.product(i, self.response.row(j));
                self.delassus[(i, j)] = value;
                self.delassus[(j, i)] = value;
            }
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
            self.middle.fill(
                model,
                contacts,
                &self.midpoint.kinematics,
                held,
                &self.layout,
                &mut self.gaps,
            );
            if iteration == 0 {
                self.build_delassus(model, false);
            }
            model.integrate(q0, v, h, q1);
            self.kinematics.update_placements(model, q1);
            for (held, gap) in held.iter().zip(&mut self.gaps) {
                *gap = contacts.gap(&self.kinematics, held.contact);
            }
            self.correct(model);
            // b: contact velocities that the correction without impulses would leave.
            for (rows, gap) in self.layout.iter().zip(&self.gaps) {
                // In a step that an event has cut very short, rounding of a gap over h is no speed.
                self.free[rows.row] = if gap.abs() <= rounding { 0.0 } else { gap / h };
                for t in rows.row + 1..=rows.row + rows.tangents {
                    self.free[t] = self.middle.product(t, v);
                }
            }
            for i in 0..self.free.len() {
                self.free[i] -= self.middle.product(i, &self.correction);
            }
            for (column, x) in self.delassus.column_iter().zip(&self.impulse) {
                for (free, g) in self.free.iter_mut().zip(column.iter()) {
                    *free -= g * x;
                }
            }
            // Where there are several solutions the iteration settles on the one it came near.
            let solve = if iteration < SETTLING_ITERATION {
                FrictionSolver::solve
            } else {
                FrictionSolver::solve_near
            };
            let violation = solve(
                &mut self.solver,
                &self.delassus,
                &self.free,
                &self.layout,
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
            residual: report.residual,
        })
    }

    /// Correction M⁻¹(r − CᵀΛ) of the mean velocity for the current impulses.
    fn correct(&mut self, model: &Model) {
        self.remaining.copy_from_slice(&self.residual);
        for x in &mut self.impulse {
            *x = -*x;
        }
        self.start
            .add_transposed(&self.impulse, &mut self.remaining);
        for x in &mut self.impulse {
            *x = -*x;
        }
        self.factor.solve(
            model,
            &self.midpoint.kinematics,
            &self.remaining,
            &mut self.correction,
        );
    }

    /// Takes the root finding's residual out of the end momentum, as a free step does.
    fn remove_residual(&self, model: &Model, v: &[f64], h: f64, p1: &mut [f64]) {
        for body in model.bodies() {
            let at = body.v_index;
            if body.kind != JointKind::Floating {
                p1[at] -= self.remaining[at];
                continue;
            }
            let step = exp(&Motion::from_slice(&v[at..at + 6]).scale(h));
            let carried = step.force_to_child(&Force::from_slice(&self.remaining[at..at + 6]));
            for k in 0..6 {
                p1[at + k] -= carried.component(k);
            }
        }
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
        self.end.fill(
            model,
            contacts,
            &self.kinematics,
            held,
            &self.layout,
            &mut self.gaps,
        );
        self.build_delassus(model, true);
        self.factor
            .solve(model, &self.kinematics, p1, &mut self.correction);
        for i in 0..self.free.len() {
            self.free[i] = self.end.product(i, &self.correction);
        }
        let violation = self.solver.solve(
            &self.delassus,
            &self.free,
            &self.layout,
            &mut self.modes,
            &mut self.impulse,
        );
        if violation > CONTACT_TOLERANCE {
            return Err(StepError::ContactsNotConverged {
                iterations: 0,
                residual: violation,
            });
        }
        self.end.add_transposed(&self.impulse, p1);
        let after =
            |s: &Self, row: usize| s.free[row] + dot(s.delassus.column(row).as_slice(), &s.impulse);
        for (i, rows) in self.layout.iter().enumerate() {
            held[i].modes[1] = self.modes[i];
            held[i].end_impulse = slots(&self.impulse, rows);
            held[i].normal_velocity = after(self, rows.row);
            let slip = [0, 1].map(|t| {
                if t < rows.tangents {
                    after(self, rows.row + 1 + t)
                } else {
                    0.0
                }
            });
            held[i].slip = Some(slip);
        }
        Ok(violation)
    }

    /// Work of the friction impulses at hand. They act while the slip goes from that of the step's
    /// end at which they act, `held.slip`, to that of the midpoint, so their work is that on the
    /// mean: exact for constant friction and for a slip that one impulse stops.
    fn slip_work(&self, held: &[HeldContact], v: &[f64]) -> f64 {
        let mut work = 0.0;
        for (h, rows) in held.iter().zip(&self.layout) {
            let slip = h.slip.unwrap_or_default();
            for t in 0..rows.tangents {
                let row = rows.row + 1 + t;
                work += 0.5 * self.impulse[row] * (slip[t] + self.middle.product(row, v));
            }
        }
        work
    }
}

fn slots(impulse: &[f64], rows: &HeldRows) -> [f64; 3] {
    let mut out = [0.0; 3];
    out[..=rows.tangents].copy_from_slice(&impulse[rows.row..=rows.row + rows.tangents]);
    out
}

/// The ancestors of two bodies and these themselves, children first.
fn moved_bodies(model: &Model, bodies: [Option<usize>; 2], path: &mut Vec<usize>) {
    path.clear();
    let [mut a, mut b] = bodies;
    // Parents have lower indices, so the larger of the two is never an ancestor of the other.
    while let Some(next) = a.max(b) {
        path.push(next);
        let parent = model.bodies()[next].parent;
        if a == Some(next) {
            a = parent;
        }
        if b == Some(next) {
            b = parent;
        }
    }
}
