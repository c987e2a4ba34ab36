//! Block Gauss-Seidel: every group in turn, its normal and then its friction. It settles slowly, but each
//! sweep lowers what is violated also where Newton's method is caught between modes, and what it comes
//! near tells the modes.

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::natural_map::Point;
use super::single_contact::single_contact;
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
            if let Some(next) = single(delassus, group, rule, impulse, velocity) {
                for (k, x) in next.iter().enumerate().take(group.height()) {
                    let at = group.row + k;
                    apply(delassus, at, x - impulse[at], impulse, velocity);
                }
                continue;
            }
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

/// The exact impulses of a contact in space by itself; `None` for other groups, and where its own matrix
/// is singular.
fn single(
    g: &DMatrix<f64>,
    group: &FrictionRows,
    rule: &FrictionRule,
    impulse: &[f64],
    velocity: &[f64],
) -> Option<[f64; 3]> {
    if !group.normal || group.tangents != 2 || *rule != FrictionRule::Coulomb || !group.rubs() {
        return None;
    }
    let n = group.row;
    let w = Matrix3::from_fn(|i, j| g[(n + i, n + j)]);
    let own = Vector3::from_fn(|i, _| impulse[n + i]);
    let free = Vector3::from_fn(|i, _| velocity[n + i]) - w * own;
    single_contact(&w, &free, group.friction).map(Into::into)
}

fn apply(g: &DMatrix<f64>, row: usize, delta: f64, impulse: &mut [f64], velocity: &mut [f64]) {
    if delta != 0.0 {
        impulse[row] += delta;
        for (v, a) in velocity.iter_mut().zip(g.column(row).iter()) {
            *v += a * delta;
        }
    }
}
