//! All solutions of the inelastic impact of one contact under Coulomb-like friction: the impulse lies in the
//! friction cone and, when sliding, directly opposes the sliding velocity after the impact (\[PER\] Fig. 1).
//!
//! Unlike the maximally dissipative solution there may be several, even a continuum, and a solution with
//! impulse may stand beside none at all.
//!
//! | symbol | meaning |
//! |---|---|
//! | u = (cos α, sin α) | direction of the friction impulse |
//! | f(α) | A_nn + μ (A_nt, A_no)·u, so that f x_n = b_n while the contact keeps zero normal velocity |
//! | H(α) | b_n u^⊥·(a_t + μ A_T u) − f u^⊥·b_t, zero where friction is parallel to the sliding velocity |

use nalgebra::{Matrix3, Vector2, Vector3};
use serde::Serialize;

use super::ContactBlock;
use super::quartic::real_roots;

/// What happens at the contact in one Coulomb solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CoulombKind {
    /// No impulse: the contact separates, or neither separates nor collides.
    NoImpulse,
    /// Normal impulse alone, in a contact without friction.
    Frictionless,
    /// All contact motion stops.
    Stick,
    /// On the boundary of the cone, against the remaining sliding velocity.
    Slide,
    /// Every convex combination of no impulse and this one is a sliding solution too.
    SlideFamily,
}

/// One Coulomb solution of a single contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoulombSolution {
    /// What happens at the contact.
    pub kind: CoulombKind,
    /// Impulse along the normal and the tangents (N s).
    pub impulse: Vector3<f64>,
    /// Contact velocity afterwards (m/s).
    pub velocity: Vector3<f64>,
    /// Change of kinetic energy (J).
    pub objective: f64,
}

/// A sliding velocity below this share of the one before is none.
const NO_SLIDING: f64 = 1e-12;

/// All Coulomb solutions of one contact, from the least dissipative to the most.
///
/// The block's entries must be finite, its friction not negative and A_nn positive; where the block is singular
/// the sticking impulse is not unique and none is listed.
#[must_use]
pub fn coulomb_solutions(block: &ContactBlock) -> Vec<CoulombSolution> {
    let mut found = Vec::new();
    for_each_solution(block, |solution| found.push(solution));
    found.sort_by(|x, y| y.objective.total_cmp(&x.objective));
    found
}

/// The same one by one, in no order.
pub(in crate::impact) fn for_each_solution(
    block: &ContactBlock,
    mut found: impl FnMut(CoulombSolution),
) {
    let mut add = |kind, impulse: Vector3<f64>| {
        found(CoulombSolution {
            kind,
            impulse,
            velocity: block.velocity_after(&impulse),
            objective: block.energy_change(&impulse),
        });
    };
    let scale = block.velocity.norm();
    let opposed = |x: &Vector3<f64>, u: Vector2<f64>| {
        let v = block.velocity_after(x);
        x[0] > 0.0 && v[1] * u[0] + v[2] * u[1] < -NO_SLIDING * scale
    };
    let a = &block.delassus;
    let b = -block.velocity;
    let (ann, bn) = (a[(0, 0)], b[0]);
    let mu = block.friction;
    if bn <= 0.0 {
        add(CoulombKind::NoImpulse, Vector3::zeros());
    }
    if block.tangents == 0 || mu == 0.0 {
        if bn > 0.0 {
            add(CoulombKind::Frictionless, Vector3::new(bn / ann, 0.0, 0.0));
        }
        return;
    }
    let stick = sticking_impulse(block);
    if let Some(x) = stick {
        add(CoulombKind::Stick, x);
    }
    if bn != 0.0 {
        for u in parallel_directions(block).into_iter().flatten() {
            let f = ann + mu * (a[(1, 0)] * u[0] + a[(2, 0)] * u[1]);
            let x = (bn / f) * Vector3::new(1.0, mu * u[0], mu * u[1]);
            if x[0] > 0.0 && x[0].is_finite() {
                let x = polished(block, x);
                if opposed(&x, u) {
                    add(CoulombKind::Slide, x);
                }
            }
        }
    } else {
        for u in asymptotes(block).into_iter().flatten() {
            let w = Vector3::new(1.0, mu * u[0], mu * u[1]);
            let response = a * w;
            let aside = Vector2::new(-u[1], u[0]);
            let turning = aside[0] * response[1] + aside[1] * response[2];
            let wanted = aside[0] * b[1] + aside[1] * b[2];
            let noise = 1e-12 * response.norm();
            if turning.abs() > noise {
                let x = (wanted / turning) * w;
                if opposed(&x, u) {
                    add(CoulombKind::Slide, x);
                }
            } else if wanted.abs() <= 1e-12 * scale {
                // Any impulse on the ray is opposed to the sliding velocity, until that vanishes.
                let normal = w.dot(&b) / w.dot(&response);
                if normal > 0.0 {
                    add(CoulombKind::SlideFamily, normal * w);
                }
            }
        }
    }
}

/// A⁻¹ b if it lies in the friction cone and pushes.
fn sticking_impulse(block: &ContactBlock) -> Option<Vector3<f64>> {
    let a = block.padded();
    let x = a.cholesky()?.solve(&-block.velocity);
    // The Cholesky factor of a singular matrix may exist by rounding: then its solution is noise.
    let condition = inverse_condition(&a);
    let inside = x[0] > 0.0 && x[1].hypot(x[2]) <= block.friction * x[0] * (1.0 + 1e-14);
    (condition > 1e-14 && inside).then_some(x)
}

fn inverse_condition(a: &Matrix3<f64>) -> f64 {
    let eigenvalues = a.symmetric_eigenvalues();
    eigenvalues.min() / eigenvalues.max()
}

/// Directions u with H(α) = 0.
fn parallel_directions(block: &ContactBlock) -> [Option<Vector2<f64>>; 4] {
    let mut found = [None; 4];
    if block.tangents == 1 {
        found[..2].copy_from_slice(&[1.0, -1.0].map(|u| Some(Vector2::new(u, 0.0))));
        return found;
    }
    let a = &block.delassus;
    let mu = block.friction;
    let (bn, b1, b2) = (-block.velocity[0], -block.velocity[1], -block.velocity[2]);
    let (a1, a2) = (a[(1, 0)], a[(2, 0)]);
    let half = 0.5 * mu;
    let constant = -half * (a1 * b2 - a2 * b1);
    let first = (bn * a2 - a[(0, 0)] * b2, a[(0, 0)] * b1 - bn * a1);
    let second = (
        mu * bn * a[(1, 2)] - half * (a1 * b2 + a2 * b1),
        half * (bn * (a[(2, 2)] - a[(1, 1)]) - (a2 * b2 - a1 * b1)),
    );
    let h = |alpha: f64| {
        let (s, c) = alpha.sin_cos();
        let (s2, c2) = (2.0 * alpha).sin_cos();
        constant + first.0 * c + first.1 * s + second.0 * c2 + second.1 * s2
    };
    // The direction opposite to the reference is at infinity in the half tangent, so it must not be a root: H
    // has at most four, one of nine directions is far from all.
    let reference = (0..9)
        .map(|i| 2.0 * std::f64::consts::PI * f64::from(i) / 9.0)
        .max_by(|x, y| h(*x).abs().total_cmp(&h(*y).abs()))
        .unwrap_or(0.0)
        - std::f64::consts::PI;
    let turn = |(x, y): (f64, f64), angle: f64| {
        let (s, c) = angle.sin_cos();
        (x * c + y * s, y * c - x * s)
    };
    let (p, q) = turn(first, reference);
    let (r, s) = turn(second, 2.0 * reference);
    let quartic = [
        constant + p + r,
        2.0 * q + 4.0 * s,
        2.0 * constant - 6.0 * r,
        2.0 * q - 4.0 * s,
        constant - p + r,
    ];
    let (sin, cos) = reference.sin_cos();
    let roots = real_roots(&quartic);
    for (found, t) in found.iter_mut().zip(roots.as_slice()) {
        let d = 1.0 + t * t;
        let (c, s) = ((1.0 - t * t) / d, 2.0 * t / d);
        *found = Some(Vector2::new(c * cos - s * sin, s * cos + c * sin));
    }
    found
}

/// Directions u with f(α) = 0: along them the cone lies in the plane of zero normal velocity.
fn asymptotes(block: &ContactBlock) -> [Option<Vector2<f64>>; 2] {
    let a = &block.delassus;
    let coupling = Vector2::new(a[(1, 0)], a[(2, 0)]);
    let size = coupling.norm();
    let reach = block.friction * size;
    // Equality is decided to rounding, here and below.
    if reach < a[(0, 0)] * (1.0 - 1e-14) || size == 0.0 {
        return [None; 2];
    }
    let axis = coupling / size;
    let cosine = (-a[(0, 0)] / reach).max(-1.0);
    let sine = ((1.0 - cosine) * (1.0 + cosine)).sqrt();
    // In the plane the ray is a line of the cone only when the two are parallel.
    if sine <= 1e-7 {
        return [Some(-axis), None];
    }
    if block.tangents == 1 {
        return [None; 2];
    }
    let aside = Vector2::new(-axis[1], axis[0]);
    [sine, -sine].map(|sine| Some(cosine * axis + sine * aside))
}

/// Newton's method on the two conditions in the tangential impulse itself, which stays well determined where
/// the angle is not (close to the asymptotes of a hyperbola).
fn polished(block: &ContactBlock, x: Vector3<f64>) -> Vector3<f64> {
    if block.tangents != 2 {
        return x;
    }
    let a = &block.delassus;
    let mu = block.friction;
    let b = -block.velocity;
    let mut y = Vector2::new(x[1], x[2]);
    let coupling = Vector2::new(a[(1, 0)], a[(2, 0)]) / a[(0, 0)];
    let reduced = nalgebra::Matrix2::new(
        a[(1, 1)] - a[(1, 0)] * coupling[0],
        a[(1, 2)] - a[(1, 0)] * coupling[1],
        a[(2, 1)] - a[(2, 0)] * coupling[0],
        a[(2, 2)] - a[(2, 0)] * coupling[1],
    );
    let right = Vector2::new(b[1], b[2]) - b[0] * coupling;
    for _ in 0..3 {
        let radius = y.norm();
        let v = reduced * y - right;
        let cone = radius - mu * (b[0] / a[(0, 0)] - coupling.dot(&y));
        let parallel = y[0] * v[1] - y[1] * v[0];
        let jacobian = nalgebra::Matrix2::new(
            y[0] / radius + mu * coupling[0],
            y[1] / radius + mu * coupling[1],
            v[1] + y[0] * reduced[(1, 0)] - y[1] * reduced[(0, 0)],
            y[0] * reduced[(1, 1)] - v[0] - y[1] * reduced[(0, 1)],
        );
        let Some(step) = jacobian.lu().solve(&Vector2::new(cone, parallel)) else {
            break;
        };
        if step.norm().is_nan() || step.norm() > 0.1 * radius {
            break;
        }
        y -= step;
    }
    Vector3::new(y.norm() / mu, y[0], y[1])
}
