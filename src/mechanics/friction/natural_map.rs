//! The conditions of contacts and dry friction as the root of one piecewise smooth map.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | Λ = (λ, τ) | `impulse` | normal and friction impulses, r |
//! | a | `velocity` | velocities with these impulses, r |
//! | k_n, k_t | `stiffness` | largest diagonal entry of G of the normal and of the tangents |
//! | z = kΛ − a | [`Point::z`] | |
//! | ρ | [`Point::radius`] | radius of the friction disc, as a velocity |
//!
//! The conditions 0 ≤ λ ⊥ a_n ≥ 0 and "τ dissipates most on the disc of radius μλ" are F = 0 with
//!
//! ```text
//! F_n = k_n λ − max(0, z_n),      F_t = k_t τ − P(z_t, ρ),      ρ = k_t (μ max(0, z_n)/k_n + limit)
//! ```
//!
//! where P(·, ρ) projects onto the disc of radius ρ (Alart and Curnier, 1991). F is a velocity, its root
//! does not depend on k, and the branch that z lies on is the mode of the group.

use super::{FrictionResiduals, FrictionRows, FrictionRule};
use crate::numerics::larger;

/// What the map says of one group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// Normal, then tangents.
    pub z: [f64; 3],
    /// k_n and k_t.
    pub stiffness: [f64; 2],
    /// ρ.
    pub radius: f64,
}

impl Point {
    #[inline(always)]
    pub fn of(
        group: &FrictionRows,
        stiffness: [f64; 2],
        impulse: &[f64],
        velocity: &[f64],
    ) -> Self {
        let ([normal, tangent], a) = (stiffness, group.entries(velocity));
        let x = group.entries(impulse);
        let z = [
            normal * x[0] - a[0],
            tangent * x[1] - a[1],
            tangent * x[2] - a[2],
        ];
        let pressing = larger(0.0, z[0]) / normal;
        Self {
            z,
            stiffness,
            radius: tangent * (group.friction * pressing + group.limit),
        }
    }

    pub fn length(&self) -> f64 {
        // Velocities are nowhere near where their squares end, and `hypot` takes as long as all the rest of the map.
        (self.z[1] * self.z[1] + self.z[2] * self.z[2]).sqrt()
    }

    /// Whether the group takes impulses.
    pub fn presses(&self, group: &FrictionRows) -> bool {
        !group.normal || self.z[0] > 0.0
    }

    /// F of one group: normal, then tangents.
    #[inline(always)]
    pub fn residual(&self, group: &FrictionRows, rule: &FrictionRule, impulse: &[f64]) -> [f64; 3] {
        if *rule == FrictionRule::Off {
            return [0.0; 3];
        }
        let [normal, tangent] = self.stiffness;
        let x = group.entries(impulse);
        let wanted = match rule {
            FrictionRule::Along(s) => s.map(|s| -s * self.radius),
            _ => self.projected(group.tangents),
        };
        let pressing = normal * x[0] - larger(0.0, self.z[0]);
        let along = [0, 1].map(|t| tangent * x[1 + t] - wanted[t]);
        match group.tangents {
            0 => [pressing, 0.0, 0.0],
            1 => [pressing, along[0], 0.0],
            _ => [pressing, along[0], along[1]],
        }
    }

    /// P(z_t, ρ). Most groups need no root: joints, contacts that stick, and open ones.
    #[inline]
    fn projected(&self, tangents: usize) -> [f64; 2] {
        let [_, x, y] = self.z;
        if tangents < 2 {
            // What is not a number stays one.
            let within = if x > self.radius {
                self.radius
            } else if x < -self.radius {
                -self.radius
            } else {
                x
            };
            return [within, 0.0];
        }
        if x * x + y * y <= self.radius * self.radius {
            return [x, y];
        }
        if self.radius == 0.0 {
            return [0.0; 2];
        }
        let share = self.radius / self.length();
        [x * share, y * share]
    }
}

/// Share of k_t below which k_n is none of its own: what rounding leaves of a normal that next to nothing moves would
/// otherwise be an impulse without bound, and friction with it.
const LEAST_NORMAL: f64 = 1e-10;

/// Writes k of every group from the diagonal of G; a row that nothing moves has no scale of its own.
pub(super) fn update_stiffness(
    groups: &[FrictionRows],
    diagonal: impl Fn(usize) -> f64,
    out: &mut Vec<[f64; 2]>,
) {
    let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
    out.clear();
    out.extend(groups.iter().map(|g| {
        let normal = if g.normal { diagonal(g.row) } else { 0.0 };
        let tangents = (0..g.tangents).map(|t| diagonal(g.tangent(t)));
        let tangent = tangents.fold(0.0, f64::max);
        [
            positive(normal.max(LEAST_NORMAL * tangent)),
            positive(tangent),
        ]
    }));
}

/// The conditions one by one.
pub(super) fn residuals(
    groups: &[FrictionRows],
    rules: &[FrictionRule],
    stiffness: &[[f64; 2]],
    impulse: &[f64],
    velocity: &[f64],
) -> FrictionResiduals {
    let mut worst = FrictionResiduals::default();
    for ((group, rule), k) in groups.iter().zip(rules).zip(stiffness) {
        let [n, x, y] = Point::of(group, *k, impulse, velocity).residual(group, rule, impulse);
        worst.slip = larger(larger(worst.slip, x.abs()), y.abs());
        if group.normal && *rule != FrictionRule::Off {
            if velocity[group.row] < 0.0 {
                worst.normal = larger(worst.normal, n.abs());
            } else {
                worst.complementarity = larger(worst.complementarity, n.abs());
            }
        }
    }
    worst
}

/// The largest |F|, and the largest F²/k: twice the energy of the impulse that would mend it in its row alone.
pub(super) fn kinetic_residual(
    groups: &[FrictionRows],
    rules: &[FrictionRule],
    stiffness: &[[f64; 2]],
    [impulse, velocity]: [&[f64]; 2],
) -> (f64, f64) {
    let (mut largest, mut square) = (0.0, 0.0);
    for ((group, rule), k) in groups.iter().zip(rules).zip(stiffness) {
        let point = Point::of(group, *k, impulse, velocity);
        let left = point.residual(group, rule, impulse);
        for (x, k) in left.iter().zip([k[0], k[1], k[1]]) {
            largest = larger(largest, x.abs());
            square = larger(square, x * x / k);
        }
    }
    (largest, square)
}

#[cfg(test)]
mod tests {
    use super::{Point, update_stiffness};
    use crate::friction::{FrictionRows, FrictionRule};

    /// Two fingers that one joint moves touch side by side: along the normal they only move by rounding. What that approaches with
    /// is no reason to press, and to stick.
    #[test]
    fn a_normal_that_nothing_moves_does_not_hold_what_slides() {
        let group = FrictionRows::contact(0, 2, 1.0);
        let diagonal = [3e-24, 60.0, 60.0];
        let mut stiffness = Vec::new();
        update_stiffness(&[group], |row| diagonal[row], &mut stiffness);
        let velocity = [-1e-15, -0.15, 0.0];
        let point = Point::of(&group, stiffness[0], &[0.0; 3], &velocity);
        let left = point.residual(&group, &FrictionRule::Coulomb, &[0.0; 3]);
        // The disc has the radius k_t a_n / k_n, at most 1e-15 / 1e-10.
        assert!(left.iter().all(|x| x.abs() <= 1e-5), "{left:?}");
    }
}
