//! Held-contact impulses for guessed modes: open, stick or slide, mended until they fit.
//!
//! Each guess is solved by least squares of least norm, so that redundant contacts share their load
//! evenly.

use super::Delassus;
use super::friction_problem::{HeldMode, HeldRows, SETTLED, SLACK, Speeds};
use crate::numerics::LeastSquares;

/// Guesses of modes before another method is asked.
const ACTIVE_SET_ROUNDS: usize = 12;
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

/// Memory of the mode iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct ModeIteration {
    system: LeastSquares,
    /// Contact and row of each impulse that is looked for: those of sliding follow their normal one.
    unknowns: Vec<(usize, usize)>,
    /// How many rows of each contact stand still, from its normal on.
    stuck: Vec<usize>,
    /// Contact velocities with the impulses solved for last (r).
    pub(super) velocity: Vec<f64>,
    candidate: Vec<HeldMode>,
}

impl ModeIteration {
    /// Solves for guessed modes and mends them until they fit. False when they do not settle.
    pub(super) fn active_set(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speeds: Speeds,
    ) -> bool {
        for _ in 0..ACTIVE_SET_ROUNDS {
            self.solve_modes(delassus, free, modes, impulse, speeds);
            if !mend_modes(
                &self.velocity,
                delassus.contacts(),
                impulse,
                modes,
                speeds.free,
            ) {
                return self.is_solved(speeds);
            }
        }
        false
    }

    /// Whether the rows that should stand still do: least squares leaves the rest of equations that
    /// contradict each other, such as six feet that all roll and all stay closed.
    fn is_solved(&self, speeds: Speeds) -> bool {
        self.unknowns
            .iter()
            .all(|&(_, row)| self.velocity[row].abs() <= SETTLED * speeds.scale())
    }

    /// Tries all combinations of modes of planar contacts and takes the first that fits. The
    /// active-set iteration can go in circles where friction couples strongly to the normal
    /// direction; this cannot. False when there is none, or too many to try.
    pub(super) fn every_combination(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speeds: Speeds,
    ) -> bool {
        let choices = |c: &HeldRows| -> &[HeldMode] {
            if c.rubs() {
                &PLANAR_MODES
            } else {
                &FRICTIONLESS_MODES
            }
        };
        let contacts = delassus.contacts();
        if contacts.iter().any(|c| c.tangents > 1 && c.rubs()) {
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
            candidate.extend(delassus.contacts().iter().map(|c| {
                let choices = choices(c);
                let mode = choices[rest % choices.len()];
                rest /= choices.len();
                mode
            }));
            modes.copy_from_slice(&candidate);
            self.solve_modes(delassus, free, modes, impulse, speeds);
            let contacts = delassus.contacts();
            // Modes that need no mending fit.
            if !mend_modes(
                &self.velocity,
                contacts,
                impulse,
                &mut candidate,
                speeds.free,
            ) && self.is_solved(speeds)
            {
                found = true;
                break;
            }
        }
        self.candidate = candidate;
        found
    }

    /// Least-norm impulses for fixed modes, and the velocities that they leave.
    fn solve_modes(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &[HeldMode],
        impulse: &mut [f64],
        speeds: Speeds,
    ) {
        self.velocity.resize(free.len(), 0.0);
        self.unknowns.clear();
        for (i, (c, mode)) in delassus.contacts().iter().zip(modes).enumerate() {
            let count = match mode {
                HeldMode::Slide(_) => 1,
                _ => stuck_rows(c, mode),
            };
            self.unknowns
                .extend((c.row..c.row + count).map(|row| (i, row)));
        }
        if modes.iter().all(|mode| !matches!(mode, HeldMode::Slide(_))) {
            let rows = delassus.contacts().iter().zip(modes);
            self.stuck.clear();
            self.stuck.extend(rows.map(|(c, mode)| stuck_rows(c, mode)));
            // Rounding may be larger than the signs of velocities may bear.
            let error = delassus.stop(&self.stuck, free, speeds.free, impulse, &mut self.velocity);
            if error <= 0.01 * SLACK * speeds.free {
                return;
            }
        }
        self.solve_with_slip(delassus, free, modes, impulse);
        delassus.velocity(free, impulse, &mut self.velocity);
    }

    /// The equations of all unknowns, whose matrix is not symmetric where friction follows the normal
    /// impulse.
    fn solve_with_slip(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &[HeldMode],
        impulse: &mut [f64],
    ) {
        let (g, contacts) = delassus.matrix();
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
            *w = -free[row];
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
}

/// Rows of a contact that does not slide whose velocity its impulses stop.
fn stuck_rows(c: &HeldRows, mode: &HeldMode) -> usize {
    match mode {
        HeldMode::Open => 0,
        _ if c.rubs() => 1 + c.tangents,
        _ => 1,
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
            HeldMode::Stick if c.rubs() => {
                let t = c.tangential(impulse);
                let length = t[0].hypot(t[1]);
                if length > c.friction * impulse[n] + SLACK * strength {
                    *mode = HeldMode::Slide([-t[0] / length, -t[1] / length]);
                    changed = true;
                }
            }
            HeldMode::Stick => {}
            HeldMode::Slide(s) => {
                let a = c.tangential(velocity);
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
pub(super) fn classify(
    velocity: &[f64],
    contacts: &[HeldRows],
    impulse: &[f64],
    modes: &mut [HeldMode],
    speed: f64,
) {
    for (c, mode) in contacts.iter().zip(modes.iter_mut()) {
        let a = c.tangential(velocity);
        let t = c.tangential(impulse);
        let slip = a[0].hypot(a[1]);
        let at_limit = t[0].hypot(t[1]) >= c.friction * impulse[c.row] * (1.0 - 1e-6);
        *mode = if impulse[c.row] <= 0.0 {
            HeldMode::Open
        } else if c.rubs() && at_limit && slip > 1e-9 * speed {
            HeldMode::Slide([a[0] / slip, a[1] / slip])
        } else {
            HeldMode::Stick
        };
    }
}
