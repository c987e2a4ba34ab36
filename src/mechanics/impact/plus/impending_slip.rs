//! Impending slip: friction opposes the sliding velocity at the end of the interval, which the
//! impulse decides (\[USD\] (2.9), second case).
//!
//! Newton's method with the analytic Jacobian and a halving line search on
//!
//! ```text
//! velocity rows:   A_i π + v_i = 0
//! friction rows:   π_xy + μ π_z u/|u| = 0,   u = v_xy + A_xy π
//! ```
//!
//! finds the directions u/|u|, started from friction against the rejected rolling impulse. Where that fails,
//! it is led to the solution through u/√(u² + ε²) with ε falling from the largest velocity to zero. The impulse itself is then the minimum-norm solution with these
//! directions, so that it lies on the cone exactly.

use super::interval::{Compliance, Interval, PlusMode, PlusPhase};

const ITERATIONS: usize = 40;
const HALVINGS: usize = 40;
/// Below this fraction of the largest velocity at the start, the end velocity has no direction: other points
/// hold this one still, and friction keeps opposing what the rejected rolling impulse opposed.
const STILL: f64 = 1e-8;
/// Residual of a solution, as a fraction of the largest velocity at the start.
const CONVERGED: f64 = 1e-9;
/// Ratio of successive softnesses of friction when Newton's method is led to the solution.
const SHARPENING: f64 = 0.2;

impl Interval {
    /// Directions and impulse for the current sets. The directions of points in impending slip
    /// hold the initial guess.
    pub(super) fn solve(&mut self, a: Compliance) {
        self.solve_linear(a);
        if !self.mode.contains(&PlusMode::ImpendingSlip) {
            return;
        }
        if self.find_directions(a) {
            self.solve_linear(a);
        }
    }

    /// Returns whether any direction moved.
    fn find_directions(&mut self, a: Compliance) -> bool {
        self.unknowns.clear();
        for (k, contact) in a.contacts.iter().enumerate() {
            if self.mode[k] == PlusMode::Inactive {
                continue;
            }
            if self.phase[k] == PlusPhase::Compressing {
                self.unknowns.push((k, contact.normal));
            }
            if matches!(self.mode[k], PlusMode::Rolling | PlusMode::ImpendingSlip) {
                self.unknowns.extend(contact.tangent_rows().map(|t| (k, t)));
            }
        }
        self.residual.clear();
        self.residual.resize(self.unknowns.len(), 0.0);
        self.guess.copy_from_slice(&self.direction);
        self.start.copy_from_slice(&self.impulse);

        let found = CONVERGED * self.scales.velocity;
        if self.newton(a, 0.0) <= found {
            return self.direction != self.guess;
        }
        self.direction.copy_from_slice(&self.guess);
        self.impulse.copy_from_slice(&self.start);
        let mut softness = self.scales.velocity;
        let mut error = f64::INFINITY;
        while softness > STILL * self.scales.velocity {
            error = self.newton(a, softness);
            softness *= SHARPENING;
        }
        self.trial.copy_from_slice(&self.impulse);
        self.guess.copy_from_slice(&self.direction);
        self.store_directions(a);
        std::mem::swap(&mut self.guess, &mut self.direction);
        let sharp = self.newton(a, 0.0);
        if sharp > found && sharp > error {
            // No slip satisfies the equations: the other points hold these still, with less than full friction.
            std::mem::swap(&mut self.guess, &mut self.direction);
        }
        true
    }

    /// Newton's method from the current impulse, with friction along u/√(u² + softness²). Returns the norm of the residual.
    fn newton(&mut self, a: Compliance, softness: f64) -> f64 {
        self.softness = softness;
        self.trial.copy_from_slice(&self.impulse);
        self.turn_directions(a);
        let mut error = self.slip_residual(a);
        let enough = 1e-3 * self.scales.velocity_tolerance;
        for _ in 0..ITERATIONS {
            if error <= enough {
                break;
            }
            self.solve_newton_step(a);
            let mut fraction = 1.0;
            let mut accepted = false;
            for _ in 0..HALVINGS {
                self.move_along_step(a, fraction);
                let trial_error = self.slip_residual(a);
                if trial_error < error {
                    error = trial_error;
                    accepted = true;
                    break;
                }
                fraction *= 0.5;
            }
            if !accepted {
                break;
            }
            self.impulse.copy_from_slice(&self.trial);
            self.turn_directions(a);
        }
        error
    }

    /// End velocity u of a contact under the trial impulse, and √(u² + softness²).
    fn end_velocity(&self, a: Compliance, k: usize) -> ([f64; 2], f64) {
        let mut u = [0.0; 2];
        for (i, t) in a.contacts[k].tangent_rows().enumerate() {
            u[i] = self.velocity[t] + a.product(t, &self.trial);
        }
        (u, u[0].hypot(u[1]).hypot(self.softness))
    }

    /// Whether an end velocity of this length has a direction.
    fn slips(&self, length: f64) -> bool {
        self.softness > 0.0 || length > STILL * self.scales.velocity
    }

    /// The direction friction opposes under the trial impulse.
    fn end_direction(&self, a: Compliance, k: usize) -> [f64; 2] {
        let (u, length) = self.end_velocity(a, k);
        if self.slips(length) {
            return [u[0] / length, u[1] / length];
        }
        let mut kept = [0.0; 2];
        for (i, t) in a.contacts[k].tangent_rows().enumerate() {
            kept[i] = self.direction[t];
        }
        kept
    }

    /// Keeps the directions of Coulomb friction up to date, which a point that comes to stand still needs.
    fn turn_directions(&mut self, a: Compliance) {
        if self.softness == 0.0 {
            self.store_directions(a);
        }
    }

    /// Stores the directions under the trial impulse.
    fn store_directions(&mut self, a: Compliance) {
        for (k, contact) in a.contacts.iter().enumerate() {
            if self.mode[k] == PlusMode::ImpendingSlip {
                let direction = self.end_direction(a, k);
                for (i, t) in contact.tangent_rows().enumerate() {
                    self.direction[t] = direction[i];
                }
            }
        }
    }

    /// Residual at the trial impulse, friction rows scaled to velocities; returns its norm.
    fn slip_residual(&mut self, a: Compliance) -> f64 {
        let mut squared = 0.0;
        for i in 0..self.unknowns.len() {
            let (k, row) = self.unknowns[i];
            let contact = &a.contacts[k];
            let value = if self.is_friction_row(a, k, row) {
                let direction = self.end_direction(a, k)[row - contact.normal - 1];
                self.scales.compliance
                    * (self.trial[row] + contact.friction * self.trial[contact.normal] * direction)
            } else {
                self.velocity[row] + a.product(row, &self.trial)
            };
            self.residual[i] = value;
            squared += value * value;
        }
        squared.sqrt()
    }

    fn is_friction_row(&self, a: Compliance, k: usize, row: usize) -> bool {
        self.mode[k] == PlusMode::ImpendingSlip && row != a.contacts[k].normal
    }

    /// Minimum-norm Newton step at the current impulse, left in the system's solution.
    fn solve_newton_step(&mut self, a: Compliance) {
        let n = self.unknowns.len();
        self.trial.copy_from_slice(&self.impulse);
        self.slip_residual(a);
        self.system.reset(n);
        for i in 0..n {
            self.system.rhs_mut()[i] = -self.residual[i];
        }
        for j in 0..n {
            let on_cone = matches!(
                self.mode[self.unknowns[j].0],
                PlusMode::Sliding | PlusMode::Frictionless
            );
            self.assemble_column(a, j, on_cone);
        }
        for i in 0..n {
            let (k, row) = self.unknowns[i];
            if self.is_friction_row(a, k, row) {
                self.differentiate_friction_row(a, i);
            }
        }
        self.system.solve();
    }

    /// Row i of the Jacobian: δπ_t + μ ŝ_t δπ_z + μ π_z/|u| (I − ŝŝᵀ)_t A_xy δπ, in velocity units. The row and its
    /// right-hand side are scaled down when the last term is large: a slow slip must not
    /// make the other rows look dependent.
    fn differentiate_friction_row(&mut self, a: Compliance, i: usize) {
        let (k, row) = self.unknowns[i];
        let contact = a.contacts[k];
        let component = row - contact.normal - 1;
        let (_, length) = self.end_velocity(a, k);
        let s = self.end_direction(a, k);
        let turning = if self.slips(length) {
            contact.friction * self.impulse[contact.normal] / length
        } else {
            0.0
        };
        let scale = 1.0 / (1.0 + turning.abs() * self.scales.compliance);
        self.system.rhs_mut()[i] *= scale;
        for j in 0..self.unknowns.len() {
            let (other, column) = self.unknowns[j];
            let mut value = 0.0;
            if turning != 0.0 {
                for (c, t) in contact.tangent_rows().enumerate() {
                    let identity = f64::from(u8::from(c == component));
                    let projector = identity - s[component] * s[c];
                    value += turning * projector * self.answer(a, t, j);
                }
            }
            if other == k && column == row {
                value += 1.0;
            } else if other == k && column == contact.normal {
                value += contact.friction * s[component];
            }
            self.system.column_mut(j)[i] = value * self.scales.compliance * scale;
        }
    }

    /// Velocity answer of row i to unknown j.
    fn answer(&self, a: Compliance, i: usize, j: usize) -> f64 {
        let (k, column) = self.unknowns[j];
        let a_i = a.row(i, self.velocity.len());
        if !matches!(self.mode[k], PlusMode::Sliding | PlusMode::Frictionless) {
            return a_i[column];
        }
        let contact = &a.contacts[k];
        let friction: f64 = contact
            .tangent_rows()
            .map(|t| contact.friction * self.direction[t] * a_i[t])
            .sum();
        (a_i[column] - friction) * self.normal_share(a, k)
    }

    /// trial = impulse + fraction · step.
    fn move_along_step(&mut self, a: Compliance, fraction: f64) {
        self.trial.copy_from_slice(&self.impulse);
        for j in 0..self.unknowns.len() {
            let (k, row) = self.unknowns[j];
            let step = fraction * self.system.solution()[j];
            if matches!(self.mode[k], PlusMode::Sliding | PlusMode::Frictionless) {
                let normal = step * self.normal_share(a, k);
                self.trial[row] += normal;
                let contact = &a.contacts[k];
                for t in contact.tangent_rows() {
                    self.trial[t] -= contact.friction * normal * self.direction[t];
                }
            } else {
                self.trial[row] += step;
            }
        }
    }
}
