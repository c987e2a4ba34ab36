//! Impacts on surfaces that move, as the surfaces see them.

use nalgebra::DVector;

use crate::impact::{ContactImpulse, ImpactError, ImpactProblem, Outcome};
use crate::numerics::LeastSquares;

/// Share of the velocities of the surfaces and of what strikes them that no motion may miss: what nearly redundant contacts leave
/// is far below, what the robot cannot follow is of order one.
const MISSED: f64 = 1e-6;

/// Work of a surface that moves by the impulse on it \[J\].
pub(super) fn drive_work((impulse, drive): (&ContactImpulse, &[f64; 3])) -> f64 {
    let [along_normal, tangential @ ..] = drive;
    let pairs = impulse.tangential.iter().zip(tangential);
    impulse.normal * along_normal + pairs.map(|(x, w)| x * w).sum::<f64>()
}

/// A motion δ that goes with the surfaces of all contacts: C δ = w (of belts N δ = 0), the smallest in the kinetic metric. Laws
/// know of velocities only what the rows say, so that the impact of v on surfaces that move is that of v − δ on surfaces
/// at rest, with the same impulses:
///
/// ```text
/// v⁺ = v⁺′ + δ,      E⁺ − E⁻ = (E⁺′ − E⁻′) + δ·CᵀΛ,      δ·CᵀΛ = Σ w·Λ    the work of the surfaces
/// ```
#[derive(Debug, Clone)]
pub(super) struct MovingFrame {
    /// Of each contact along its normal and its tangents \[m/s\].
    pub drives: Vec<[f64; 3]>,
    /// δ, n.
    pub velocity: DVector<f64>,
    /// M δ, n.
    pub momentum: DVector<f64>,
}

impl MovingFrame {
    pub fn new(problem: &ImpactProblem, drives: Vec<[f64; 3]>) -> Result<Self, ImpactError> {
        let space = problem.contact_space();
        let mut wanted = DVector::zeros(space.rows());
        for (contact, drive) in space.contacts.iter().zip(&drives) {
            for (row, drive) in contact.rows().zip(drive) {
                wanted[row] = *drive;
            }
        }
        // Rows in coordinates in which the mass is one, each of length one: those of joints beside those of a whole robot differ by
        // orders of magnitude. Redundant contacts (four feet on a belt) make them dependent.
        let root = problem.mass_root();
        let mut rows = problem.rows().transpose();
        root.solve_lower_triangular_mut(&mut rows);
        let mut rows = rows.transpose();
        let mut scaled = wanted.clone();
        for (mut row, wanted) in rows.row_iter_mut().zip(scaled.iter_mut()) {
            let length = row.norm();
            if length > 0.0 {
                row /= length;
                *wanted /= length;
            }
        }
        let (height, width) = rows.shape();
        let mut least = LeastSquares::default();
        least.reset(height.max(width));
        for (j, column) in rows.column_iter().enumerate() {
            least.column_mut(j)[..height].copy_from_slice(column.as_slice());
        }
        least.rhs_mut()[..height].copy_from_slice(scaled.as_slice());
        least.solve();
        let unit = DVector::from_column_slice(&least.solution()[..width]);
        let momentum = &root * &unit;
        let velocity = problem.solve_mass(&momentum);
        let missed = (problem.rows() * &velocity - &wanted).amax();
        if missed > MISSED * wanted.amax().max(space.velocity.amax()) {
            return Err(ImpactError::OutOfRange {
                place: "the velocity of the moving surfaces that no motion of the robot follows"
                    .to_string(),
                value: missed,
                range: "zero: contacts that are closed at once must stand on surfaces that the robot could go along with",
            });
        }
        Ok(Self {
            drives,
            momentum,
            velocity,
        })
    }

    /// An outcome as the world sees it.
    pub fn leave(&self, outcome: &mut Outcome) {
        let energy = |p: &DVector<f64>, v: &DVector<f64>| 0.5 * p.dot(v);
        let relative = &outcome.energy;
        let change = relative.after - relative.before;
        let after = energy(
            &(&outcome.momentum + &self.momentum),
            &(&outcome.velocity + &self.velocity),
        );
        let work: f64 = (outcome.impulses.iter().zip(&self.drives))
            .map(drive_work)
            .sum();
        outcome.energy.before = after - change - work;
        outcome.energy.after = after;
        outcome.momentum += &self.momentum;
        outcome.velocity += &self.velocity;
    }
}
