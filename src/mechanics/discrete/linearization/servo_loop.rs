//! Servos inside a step, as its derivatives see them: δu = −k δq̄ − d δv̄ with δq̄ = (δq₀ + δq₁)/2 and δv̄ = (δq₁ − δq₀)/h.

use nalgebra::DMatrix;

use crate::discrete::StepError;
use crate::dynamics::ServoEffort;

/// Lets servos answer: `derivatives` of (q₁, p₁), 2n × m with (q₀, p₀) the first 2n columns, become those with
/// δu + S₀ δq₀ + S₁ δq₁ in place of δu. `forces` (2n × n) are those by u, `servos` the slopes at the middle, each with its
/// entry of the velocity, h the length of the step \[s\].
///
/// # Errors
/// [`StepError::SingularJacobian`] where δq₁ does not follow.
pub(crate) fn close_loop(
    forces: &DMatrix<f64>,
    servos: impl Iterator<Item = (usize, ServoEffort)>,
    h: f64,
    derivatives: &mut DMatrix<f64>,
) -> Result<(), StepError> {
    let n = forces.ncols();
    let mut answer = DMatrix::zeros(2 * n, n);
    for (at, slopes) in servos {
        let by_start = -0.5 * slopes.stiffness + slopes.damping / h;
        let by_end = -0.5 * slopes.stiffness - slopes.damping / h;
        let mut start = derivatives.column_mut(at);
        start.axpy(by_start, &forces.column(at), 1.0);
        let mut end = answer.column_mut(at);
        end.axpy(by_end, &forces.column(at), 1.0);
    }
    // δq₁ answers to itself.
    let loops = DMatrix::identity(n, n) - answer.rows(0, n);
    let moved = loops
        .lu()
        .solve(&derivatives.rows(0, n))
        .ok_or(StepError::SingularJacobian)?;
    let mut rest = derivatives.rows_mut(n, n);
    rest += answer.rows(n, n) * &moved;
    derivatives.rows_mut(0, n).copy_from(&moved);
    Ok(())
}
