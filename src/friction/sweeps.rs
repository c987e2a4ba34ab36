//! Block Gauss-Seidel: every group in turn, its normal and then its friction. It settles slowly, but each
//! sweep lowers what is violated also where Newton's method is caught between modes, and what it comes
//! near tells the modes.

use nalgebra::DMatrix;

use super::natural_map::Point;
use super::{FrictionRows, FrictionRule};

/// Rounds of normal and friction impulse within one group.
const ROUNDS: usize = 2;

/// Improves `impulse` by a number of sweeps; `velocity` is kept that with these impulses.
pub(super) fn sweep(
    count: usize,
    delassus: &DMatrix<f64>,
    groups: &[FrictionRows],
    rules: &[FrictionRule],
    impulse: &mut [f64],
    velocity: &mut [f64],
) {
    for _ in 0..count {
        for (group, rule) in groups.iter().zip(rules) {
            if *rule == FrictionRule::Off {
                continue;
            }
            let diagonal = |row: usize| delassus[(row, row)];
            // A disc step with the sum of the stiffnesses never overshoots.
            let tangential: f64 = (0..group.tangents)
                .map(|t| diagonal(group.tangent(t)))
                .sum();
            let normal = if group.normal {
                diagonal(group.row)
            } else {
                0.0
            };
            for _ in 0..ROUNDS {
                if group.normal && normal > 0.0 {
                    let at = group.row;
                    let next = (impulse[at] - velocity[at] / normal).max(0.0);
                    apply(delassus, at, next - impulse[at], impulse, velocity);
                }
                if group.tangents == 0 || tangential <= 0.0 {
                    break;
                }
                let radius = group.radius(group.normal_of(impulse));
                let next = match rule {
                    FrictionRule::Along(s) => s.map(|s| -s * radius),
                    _ => {
                        let point = Point::of(
                            group,
                            [normal.max(f64::MIN_POSITIVE), tangential],
                            impulse,
                            velocity,
                        );
                        let length = point.length() / tangential;
                        let share = if length > radius {
                            radius / length
                        } else {
                            1.0
                        };
                        [1, 2].map(|t| point.z[t] / tangential * share)
                    }
                };
                for t in 0..group.tangents {
                    let at = group.tangent(t);
                    apply(delassus, at, next[t] - impulse[at], impulse, velocity);
                }
            }
        }
    }
}

fn apply(g: &DMatrix<f64>, row: usize, delta: f64, impulse: &mut [f64], velocity: &mut [f64]) {
    if delta != 0.0 {
        impulse[row] += delta;
        for (v, a) in velocity.iter_mut().zip(g.column(row).iter()) {
            *v += a * delta;
        }
    }
}
