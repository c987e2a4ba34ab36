//! Impulses of held contacts: normal complementarity and dry friction on a Delassus matrix.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | G | `delassus` | contact-space inverse inertia, r × r, symmetric positive semidefinite |
//! | b | `free` | contact velocities without impulses, r |
//! | Λ = (λ, τ) | `impulse` | normal and tangential impulses, r |
//! | a = b + G Λ | (inside) | contact velocities |
//!
//! Each contact satisfies 0 ≤ λ ⊥ a_n ≥ 0; for its λ the friction impulse dissipates most on the
//! disc ‖τ‖ ≤ μ λ: a_t = 0 inside, otherwise τ = −μ λ a_t/‖a_t‖ (theory of held contacts; \[PER\] §2).
//!
//! An active-set iteration over modes (open, stick, slide) starts from the modes of the last step
//! and solves each guess by least squares of least norm, so that redundant contacts share their load
//! evenly. When it does not settle, a few planar contacts are tried in every combination of modes;
//! otherwise block Gauss-Seidel finds the modes and the iteration polishes its result.

use nalgebra::DMatrix;

use crate::numerics::LeastSquares;

/// Rows and friction of one held contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldRows {
    /// Row of the normal; the tangents follow it.
    pub row: usize,
    /// Number of tangent rows, 0 to 2.
    pub tangents: usize,
    /// Coefficient of friction μ.
    pub friction: f64,
}

/// What a held contact does.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum HeldMode {
    /// No impulse.
    Open,
    /// Neither separates nor slips.
    Stick,
    /// Slips in this direction (unit, in the tangent rows).
    Slide([f64; 2]),
}

/// Solves for the impulses of held contacts. Owns its memory.
#[derive(Debug, Clone, Default)]
pub struct FrictionSolver {
    system: LeastSquares,
    unknowns: Vec<(usize, usize)>,
    velocity: Vec<f64>,
    trial: Vec<f64>,
    candidate: Vec<HeldMode>,
}

/// Guesses of modes before Gauss-Seidel is asked.
const ACTIVE_SET_ROUNDS: usize = 40;
/// Sweeps of Gauss-Seidel between attempts to polish.
const SWEEPS: usize = 200;
/// Attempts of Gauss-Seidel and polishing.
const ATTEMPTS: usize = 10;
/// Relative slack of the sign conditions: far above the rounding of the least-squares solve (1e-13)
/// and far below anything a step of 1e-9 m could show.
const SLACK: f64 = 1e-11;
/// Combinations of modes that may be tried: those of six sliding contacts.
const MOST_COMBINATIONS: usize = 4096;
/// What one contact can do in a plane; without friction only the first and the last.
const PLANAR_MODES: [HeldMode; 4] = [
    HeldMode::Stick,
    HeldMode::Slide([1.0, 0.0]),
    HeldMode::Slide([-1.0, 0.0]),
    HeldMode::Open,
];
const FRICTIONLESS_MODES: [HeldMode; 2] = [HeldMode::Stick, HeldMode::Open];

impl FrictionSolver {
    /// Finds `impulse` (r) and `modes` (one a contact; starting guess on entry). Returns the largest
    /// violation left, as a share of the largest free velocity; 0 when an active set fits exactly.
    pub fn solve(
        &mut self,
        delassus: &DMatrix<f64>,
        free: &[f64],
        contacts: &[HeldRows],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> f64 {
        let r = free.len();
        self.velocity.resize(r, 0.0);
        self.trial.resize(r, 0.0);
        let speed = free.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if speed == 0.0 {
            impulse.fill(0.0);
            return 0.0;
        }
        if self.active_set(delassus, free, contacts, modes, impulse, speed) {
            return 0.0;
        }
        if self.every_combination(delassus, free, contacts, modes, impulse, speed) {
            return 0.0;
        }
        let mut violation = f64::INFINITY;
        for _ in 0..ATTEMPTS {
            violation = self.gauss_seidel(delassus, free, contacts, impulse, speed);
            classify(&self.velocity, contacts, impulse, modes, speed);
            self.trial[..r].copy_from_slice(&impulse[..r]);
            if self.active_set(delassus, free, contacts, modes, impulse, speed) {
                return 0.0;
            }
            impulse[..r].copy_from_slice(&self.trial[..r]);
            if violation <= SLACK {
                break;
            }
        }
        classify(&self.velocity, contacts, impulse, modes, speed);
        violation
    }

    /// Solves for guessed modes and mends them until they fit. False when they do not settle.
    fn active_set(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speed: f64,
    ) -> bool {
        for _ in 0..ACTIVE_SET_ROUNDS {
            self.solve_modes(g, b, contacts, modes, impulse);
            multiply(g, b, impulse, &mut self.velocity);
            if !mend_modes(&self.velocity, contacts, impulse, modes, speed) {
                return true;
            }
        }
        false
    }

    /// Tries all combinations of modes of planar contacts and takes the first that fits. The
    /// active-set iteration can go in circles where friction couples strongly to the normal
    /// direction; this cannot. False when there is none, or too many to try.
    fn every_combination(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speed: f64,
    ) -> bool {
        let choices = |c: &HeldRows| -> &[HeldMode] {
            if c.tangents > 0 && c.friction > 0.0 {
                &PLANAR_MODES
            } else {
                &FRICTIONLESS_MODES
            }
        };
        if contacts.iter().any(|c| c.tangents > 1 && c.friction > 0.0) {
            return false;
        }
        let count = contacts.iter().try_fold(1_usize, |product, c| {
            product
                .checked_mul(choices(c).len())
                .filter(|n| *n <= MOST_COMBINATIONS)
        });
        let Some(count) = count else {
            return false;
        };
        let mut candidate = std::mem::take(&mut self.candidate);
        let mut found = false;
        for combination in 0..count {
            let mut rest = combination;
            candidate.clear();
            candidate.extend(contacts.iter().map(|c| {
                let choices = choices(c);
                let mode = choices[rest % choices.len()];
                rest /= choices.len();
                mode
            }));
            modes.copy_from_slice(&candidate);
            self.solve_modes(g, b, contacts, modes, impulse);
            multiply(g, b, impulse, &mut self.velocity);
            // Modes that need no mending fit.
            if !mend_modes(&self.velocity, contacts, impulse, &mut candidate, speed) {
                found = true;
                break;
            }
        }
        self.candidate = candidate;
        found
    }

    /// Least-norm impulses for fixed modes.
    fn solve_modes(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        modes: &[HeldMode],
        impulse: &mut [f64],
    ) {
        self.unknowns.clear();
        for (i, (c, mode)) in contacts.iter().zip(modes.iter()).enumerate() {
            match mode {
                HeldMode::Open => {}
                HeldMode::Stick => {
                    let rows = c.row..=c.row + if c.friction > 0.0 { c.tangents } else { 0 };
                    self.unknowns.extend(rows.map(|row| (i, row)));
                }
                HeldMode::Slide(_) => self.unknowns.push((i, c.row)),
            }
        }
        let k = self.unknowns.len();
        self.system.reset(k);
        for (j, &(i, row)) in self.unknowns.iter().enumerate() {
            let c = &contacts[i];
            let column = self.system.column_mut(j);
            for (entry, &(_, at)) in column.iter_mut().zip(&self.unknowns) {
                *entry = g[(at, row)];
            }
            if let (HeldMode::Slide(s), true) = (modes[i], row == c.row) {
                for t in 0..c.tangents {
                    let pull = -c.friction * s[t];
                    for (entry, &(_, at)) in column.iter_mut().zip(&self.unknowns) {
                        *entry += pull * g[(at, c.row + 1 + t)];
                    }
                }
            }
        }
        for (w, &(_, row)) in self.system.rhs_mut().iter_mut().zip(&self.unknowns) {
            *w = -b[row];
        }
        if k > 0 {
            self.system.solve();
        }
        impulse.fill(0.0);
        for (x, &(i, row)) in self.system.solution().iter().zip(&self.unknowns) {
            impulse[row] = *x;
            if let HeldMode::Slide(s) = modes[i] {
                let c = &contacts[i];
                for t in 0..c.tangents {
                    impulse[c.row + 1 + t] = -c.friction * x * s[t];
                }
            }
        }
    }

    /// Block Gauss-Seidel: each contact in turn, normal then friction. Returns the violation left.
    fn gauss_seidel(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        impulse: &mut [f64],
        speed: f64,
    ) -> f64 {
        let mut change = 0.0;
        for _ in 0..SWEEPS {
            change = 0.0_f64;
            for c in contacts {
                let velocity = |row: usize, impulse: &[f64]| {
                    (0..b.len()).fold(b[row], |sum, j| sum + g[(row, j)] * impulse[j])
                };
                let n = c.row;
                let diagonal = g[(n, n)];
                if diagonal <= 0.0 {
                    continue;
                }
                let normal = (impulse[n] - velocity(n, impulse) / diagonal).max(0.0);
                change = change.max((normal - impulse[n]).abs() * diagonal);
                impulse[n] = normal;
                let limit = c.friction * normal;
                if c.tangents == 0 || c.friction == 0.0 {
                    continue;
                }
                // A disc step with the block's largest stiffness never overshoots.
                let stiffness = (0..c.tangents)
                    .map(|t| g[(n + 1 + t, n + 1 + t)])
                    .sum::<f64>();
                if stiffness <= 0.0 {
                    continue;
                }
                let mut next = [0.0; 2];
                for t in 0..c.tangents {
                    next[t] = impulse[n + 1 + t] - velocity(n + 1 + t, impulse) / stiffness;
                }
                let length = next[0].hypot(next[1]);
                let shrink = if length > limit { limit / length } else { 1.0 };
                for t in 0..c.tangents {
                    let value = next[t] * shrink;
                    change = change.max((value - impulse[n + 1 + t]).abs() * stiffness);
                    impulse[n + 1 + t] = value;
                }
            }
            if change <= 0.01 * SLACK * speed {
                break;
            }
        }
        multiply(g, b, impulse, &mut self.velocity);
        change / speed
    }
}

/// a = b + G Λ.
fn multiply(g: &DMatrix<f64>, b: &[f64], impulse: &[f64], out: &mut [f64]) {
    for (row, a) in out.iter_mut().enumerate() {
        *a = (0..b.len()).fold(b[row], |sum, j| sum + g[(row, j)] * impulse[j]);
    }
}

/// Changes modes that contradict the solution; true when one was changed.
fn mend_modes(
    velocity: &[f64],
    contacts: &[HeldRows],
    impulse: &[f64],
    modes: &mut [HeldMode],
    speed: f64,
) -> bool {
    let strength = impulse.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut changed = false;
    // Of several pulling contacts only the strongest lets go: it may have been pulling the others.
    let pulling = contacts
        .iter()
        .zip(modes.iter())
        .enumerate()
        .filter(|(_, (_, mode))| **mode != HeldMode::Open)
        .map(|(i, (c, _))| (impulse[c.row], i))
        .filter(|(x, _)| *x < -SLACK * strength)
        .min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, i)) = pulling {
        modes[i] = HeldMode::Open;
        return true;
    }
    for (c, mode) in contacts.iter().zip(modes.iter_mut()) {
        let n = c.row;
        match *mode {
            HeldMode::Open => {
                if velocity[n] < -SLACK * speed {
                    *mode = HeldMode::Stick;
                    changed = true;
                }
            }
            HeldMode::Stick if c.tangents > 0 && c.friction > 0.0 => {
                let t = tangential(impulse, c);
                let length = t[0].hypot(t[1]);
                if length > c.friction * impulse[n] + SLACK * strength {
                    *mode = HeldMode::Slide([-t[0] / length, -t[1] / length]);
                    changed = true;
                }
            }
            HeldMode::Stick => {}
            HeldMode::Slide(s) => {
                let a = tangential(velocity, c);
                let along = a[0] * s[0] + a[1] * s[1];
                let across = a[0] * s[1] - a[1] * s[0];
                if along < -SLACK * speed {
                    *mode = HeldMode::Stick;
                    changed = true;
                } else if across.abs() > SLACK * speed.max(along) {
                    let length = a[0].hypot(a[1]);
                    *mode = HeldMode::Slide([a[0] / length, a[1] / length]);
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Modes that an approximate solution suggests.
fn classify(
    velocity: &[f64],
    contacts: &[HeldRows],
    impulse: &[f64],
    modes: &mut [HeldMode],
    speed: f64,
) {
    for (c, mode) in contacts.iter().zip(modes.iter_mut()) {
        let a = tangential(velocity, c);
        let t = tangential(impulse, c);
        let slip = a[0].hypot(a[1]);
        let at_limit = t[0].hypot(t[1]) >= c.friction * impulse[c.row] * (1.0 - 1e-6);
        *mode = if impulse[c.row] <= 0.0 {
            HeldMode::Open
        } else if c.tangents > 0 && c.friction > 0.0 && at_limit && slip > 1e-9 * speed {
            HeldMode::Slide([a[0] / slip, a[1] / slip])
        } else {
            HeldMode::Stick
        };
    }
}

fn tangential(x: &[f64], c: &HeldRows) -> [f64; 2] {
    [
        if c.tangents > 0 { x[c.row + 1] } else { 0.0 },
        if c.tangents > 1 { x[c.row + 2] } else { 0.0 },
    ]
}
