//! Semismooth Newton steps on the natural map, each the exact solution of guessed modes.
//!
//! From impulses Λ the map tells a branch for every group; the equations of these branches are linear,
//! their solution is the Newton step, and where its own branches are the same ones it is the solution.
//! Velocities are affine in the impulses, so a shorter step costs no product with G. ε = 0 would make
//! equations of redundant contacts singular; with the anchor at Λ it moves no solution.

use nalgebra::DMatrix;

use super::mode_system::{Branch, ModeEquations, ModeSystem};
use super::natural_map::Point;
use super::{FrictionRows, FrictionRule};
use crate::numerics::{add_columns, larger};

const ITERATIONS: usize = 25;
/// Steps after which a good residual is taken that none of them has made smaller than this share of it.
const PATIENCE: usize = 2;
const SHRINKS: f64 = 0.5;
/// Steps after which a residual that none of them has made smaller than that share is the best there is from here: what
/// drifts along redundant contacts never comes back.
const HOPELESS: usize = 8;
const HALVINGS: usize = 7;
/// What linear equations may leave of what the map may.
const LEFT: f64 = 0.01;
const LEAST_SHARE: f64 = 1.0 / 64.0;
/// A step may raise the merit above the last value as long as it stays below the largest of these
/// many: on a piecewise smooth map a strict descent stalls at the seams.
const MEMORY: usize = 4;

/// What stays the same during an iteration.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub delassus: &'a DMatrix<f64>,
    /// Number of this matrix.
    pub generation: u64,
    pub free: &'a [f64],
    pub groups: &'a [FrictionRows],
    pub rules: &'a [FrictionRule],
    pub stiffness: &'a [[f64; 2]],
    /// Residuals below this end the iteration \[m/s\].
    pub exact: f64,
    /// Residuals below this end it when they no longer fall \[m/s\].
    pub enough: f64,
    /// ε and Λ* of a proximal step: then a has ε(Λ − Λ*) added.
    pub proximal: Option<(f64, &'a [f64])>,
    /// Whether redundant contacts share loads by the impulses of least norm, else nearly as before.
    pub shares: bool,
}

impl Setting<'_> {
    /// Writes a = b + GΛ.
    pub fn velocity(&self, impulse: &[f64], out: &mut [f64]) {
        out.copy_from_slice(self.free);
        add_columns(out, self.delassus.as_slice(), impulse);
        if let Some((epsilon, anchor)) = self.proximal {
            for ((o, x), centre) in out.iter_mut().zip(impulse).zip(anchor) {
                *o += epsilon * (x - centre);
            }
        }
    }

    /// Largest |F| and ‖F‖².
    pub fn residual(&self, impulse: &[f64], velocity: &[f64]) -> (f64, f64) {
        let (mut largest, mut square) = (0.0_f64, 0.0);
        let all = self.groups.iter().zip(self.rules).zip(self.stiffness);
        for ((group, rule), k) in all {
            let point = Point::of(group, *k, impulse, velocity);
            for x in &point.residual(group, rule, impulse) {
                largest = larger(largest, x.abs());
                square += x * x;
            }
        }
        // A maximum passes over what is not a number.
        (
            if square.is_nan() {
                f64::INFINITY
            } else {
                largest
            },
            square,
        )
    }

    /// The branches that impulses and velocities lie on.
    pub fn branches(&self, impulse: &[f64], velocity: &[f64], out: &mut Vec<Branch>) {
        out.clear();
        let all = self.groups.iter().zip(self.rules).zip(self.stiffness);
        out.extend(all.map(|((group, rule), k)| {
            let point = Point::of(group, *k, impulse, velocity);
            if !point.presses(group) {
                return Branch::Open;
            }
            if let FrictionRule::Along(s) = rule {
                return Branch::Slide(s.map(|s| -s), 0.0);
            }
            let length = point.length();
            if !group.rubs() || length <= point.radius {
                return Branch::Stick;
            }
            let d = [point.z[1] / length, point.z[2] / length];
            // On a disc of no size friction follows any turn.
            let turning =
                point.stiffness[1] * (length - point.radius) / point.radius.max(1e-12 * length);
            Branch::Slide(d, turning)
        }));
    }
}

/// Memory of the iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct Newton {
    /// Solutions of mode equations that may still be tried, if they are limited.
    pub budget: Option<usize>,
    system: ModeSystem,
    branches: Vec<Branch>,
    target: Vec<f64>,
    target_velocity: Vec<f64>,
    trial: Vec<f64>,
    trial_velocity: Vec<f64>,
    best: Vec<f64>,
    best_velocity: Vec<f64>,
}

impl Newton {
    /// Whether contacts were redundant in the last equations for the matrix of this number, as far as that can be told at once.
    pub fn may_be_redundant(&self, generation: u64) -> bool {
        self.system.may_be_redundant(generation)
    }

    /// The impulses of given branches, with the velocities that they leave; false when they are singular.
    pub fn solve_branches(
        &mut self,
        setting: &Setting<'_>,
        branches: &[Branch],
        epsilon: f64,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> bool {
        self.budget = self.budget.map(|left| left.saturating_sub(1));
        self.target.clear();
        self.target.extend_from_slice(impulse);
        let equations = ModeEquations {
            delassus: setting.delassus,
            free: setting.free,
            groups: setting.groups,
            rules: setting.rules,
            branches,
            epsilon: setting.proximal.map_or(epsilon, |(epsilon, _)| epsilon),
            anchor: setting.proximal.map_or(&self.target, |(_, anchor)| anchor),
            refined: setting.proximal.is_none(),
            shares: setting.shares,
            exact: LEFT * setting.exact,
            stiffness: setting
                .stiffness
                .iter()
                .fold(f64::INFINITY, |m, k| if k[1] < m { k[1] } else { m }),
            generation: setting.generation,
        };
        if !self.system.solve(&equations, impulse, velocity) {
            impulse.copy_from_slice(&self.target);
            setting.velocity(impulse, velocity);
            return false;
        }
        if setting.proximal.is_some() {
            setting.velocity(impulse, velocity);
        }
        true
    }

    /// Improves `impulse` (`velocity` is that with it). Returns the largest |F| that is left.
    pub fn solve(
        &mut self,
        setting: &Setting<'_>,
        epsilon: f64,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> f64 {
        let residual = setting.residual(impulse, velocity);
        self.solve_from(residual, setting, epsilon, impulse, velocity)
    }

    /// The same where what [`Setting::residual`] says of them is known.
    pub fn solve_from(
        &mut self,
        (mut largest, square): (f64, f64),
        setting: &Setting<'_>,
        epsilon: f64,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> f64 {
        let mut recent = [0.0_f64; MEMORY];
        recent[0] = square;
        let mut best = largest;
        let mut shrunk = 0;
        let mut is_kept = false;
        for iteration in 1..=ITERATIONS {
            let stays = iteration - shrunk > PATIENCE && best <= setting.enough;
            let drifts = iteration - shrunk > HOPELESS;
            if largest <= setting.exact || stays || drifts || self.budget == Some(0) {
                break;
            }
            if !is_kept {
                self.keep(impulse, velocity);
                is_kept = true;
            }
            setting.branches(impulse, velocity, &mut self.branches);
            let r = impulse.len();
            for buffer in [
                &mut self.trial,
                &mut self.trial_velocity,
                &mut self.target_velocity,
            ] {
                buffer.resize(r, 0.0);
            }
            let branches = std::mem::take(&mut self.branches);
            self.trial.copy_from_slice(impulse);
            let mut end = std::mem::take(&mut self.trial);
            let mut end_velocity = std::mem::take(&mut self.target_velocity);
            let solved =
                self.solve_branches(setting, &branches, epsilon, &mut end, &mut end_velocity);
            self.branches = branches;
            let merit = recent.iter().fold(0.0_f64, |m, x| m.max(*x));
            let step = solved
                .then(|| self.search(setting, [impulse, velocity], [&end, &end_velocity], merit))
                .flatten();
            self.trial = end;
            self.target_velocity = end_velocity;
            // A proximal step goes on over a small hump: its map is regular.
            let step = step.or_else(|| {
                let share = setting.proximal.filter(|_| solved).map(|_| LEAST_SHARE)?;
                self.target.clear();
                self.target.extend_from_slice(impulse);
                blend(share, &self.trial, &mut self.target);
                self.trial_velocity.clear();
                self.trial_velocity.extend_from_slice(velocity);
                blend(share, &self.target_velocity, &mut self.trial_velocity);
                let (largest, square) = setting.residual(&self.target, &self.trial_velocity);
                Some((share, largest, square))
            });
            let Some((share, now, square)) = step else {
                break;
            };
            blend(share, &self.trial, impulse);
            blend(share, &self.target_velocity, velocity);
            largest = now;
            recent[iteration % MEMORY] = square;
            if largest < SHRINKS * best {
                shrunk = iteration;
            }
            if largest < best {
                best = largest;
                is_kept = false;
            }
        }
        if best < largest {
            impulse.copy_from_slice(&self.best);
            velocity.copy_from_slice(&self.best_velocity);
        }
        best
    }

    fn keep(&mut self, impulse: &[f64], velocity: &[f64]) {
        self.best.clear();
        self.best.extend_from_slice(impulse);
        self.best_velocity.clear();
        self.best_velocity.extend_from_slice(velocity);
    }

    /// The share of the way from the first pair to the second at which the merit falls below the given
    /// one, with the largest |F| and the merit there.
    fn search(
        &mut self,
        setting: &Setting<'_>,
        from: [&[f64]; 2],
        to: [&[f64]; 2],
        merit: f64,
    ) -> Option<(f64, f64, f64)> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let (largest, square) = if share == 1.0 {
                setting.residual(to[0], to[1])
            } else {
                self.target.clear();
                self.target.extend_from_slice(from[0]);
                blend(share, to[0], &mut self.target);
                self.trial_velocity.clear();
                self.trial_velocity.extend_from_slice(from[1]);
                blend(share, to[1], &mut self.trial_velocity);
                setting.residual(&self.target, &self.trial_velocity)
            };
            if square <= (1.0 - 1e-4 * share) * merit || largest <= setting.exact {
                return Some((share, largest, square));
            }
            share *= 0.5;
        }
        None
    }
}

/// x ← x + share (to − x), exactly `to` for a share of 1.
fn blend(share: f64, to: &[f64], x: &mut [f64]) {
    if share == 1.0 {
        x.copy_from_slice(to);
        return;
    }
    for (x, to) in x.iter_mut().zip(to) {
        *x += share * (to - *x);
    }
}
