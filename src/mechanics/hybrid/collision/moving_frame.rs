//! Impacts on surfaces that move, as the surfaces see them.

use nalgebra::{DMatrix, DVector};

use crate::impact::{Contact, ContactImpulse, ImpactProblem, Outcome};
use crate::numerics::LeastSquares;

/// Share of the velocities of the surfaces and of what strikes them that no motion may miss: what nearly redundant contacts leave
/// is far below, what the robot cannot follow is of order one.
const MISSED: f64 = 1e-6;
/// Mass of surfaces that a robot cannot go along with, beside what their contacts feel of it: their velocities change by its
/// inverse, and energies lose as many digits.
const HEAVY: f64 = 1e9;

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
///
/// Where there is none, as of a box across two belts, w − C δ is the velocity of surfaces that are one more coordinate of the
/// problem, with a mass beside which that of the robot is next to nothing.
#[derive(Debug, Clone)]
pub(super) struct MovingFrame {
    /// Of each contact along its normal and its tangents \[m/s\].
    pub drives: Vec<[f64; 3]>,
    /// δ, n.
    pub velocity: DVector<f64>,
    /// M δ, n.
    pub momentum: DVector<f64>,
    /// What δ misses of each row of the problem, if that is more than rounding.
    beyond: Option<Beyond>,
}

/// Surfaces as a coordinate.
#[derive(Debug, Clone)]
struct Beyond {
    /// Their largest velocity \[m/s\].
    speed: f64,
    mass: f64,
    /// Entries in the rows of each contact, normal and tangents.
    rows: Vec<[f64; 3]>,
}

impl MovingFrame {
    pub fn new(problem: &ImpactProblem, drives: Vec<[f64; 3]>) -> Self {
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
        let mut lightest = 0.0_f64;
        for (mut row, wanted) in rows.row_iter_mut().zip(scaled.iter_mut()) {
            let length = row.norm();
            lightest = lightest.max(length * length);
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
        let missed = problem.rows() * &velocity - &wanted;
        let speed = missed.amax();
        let is_beyond = speed > MISSED * wanted.amax().max(space.velocity.amax());
        let beyond = is_beyond.then(|| Beyond {
            speed,
            mass: HEAVY / lightest,
            rows: (space.contacts.iter())
                .map(|contact| {
                    let mut own = [0.0; 3];
                    for (entry, row) in own.iter_mut().zip(contact.rows()) {
                        *entry = missed[row] / speed;
                    }
                    own
                })
                .collect(),
        });
        Self {
            drives,
            momentum,
            velocity,
            beyond,
        }
    }

    /// The problem as the surfaces see it, of the mass matrix, the momentum and the contacts of the one at hand.
    pub fn enter(
        &self,
        mut mass: DMatrix<f64>,
        momentum: DVector<f64>,
        contacts: &mut [Contact],
    ) -> (DMatrix<f64>, DVector<f64>) {
        let mut momentum = momentum - &self.momentum;
        let Some(beyond) = &self.beyond else {
            return (mass, momentum);
        };
        let n = momentum.len();
        mass = mass.resize(n + 1, n + 1, 0.0);
        mass[(n, n)] = beyond.mass;
        momentum = momentum.push(beyond.mass * beyond.speed);
        for (contact, entries) in contacts.iter_mut().zip(&beyond.rows) {
            let rows = std::iter::once(&mut contact.normal).chain(&mut contact.tangents);
            for (row, entry) in rows.zip(entries) {
                *row = std::mem::take(row).push(*entry);
            }
        }
        (mass, momentum)
    }

    /// A velocity of the robot as the surfaces see it.
    pub fn relative(&self, velocity: &DVector<f64>) -> DVector<f64> {
        let own = velocity - &self.velocity;
        match &self.beyond {
            None => own,
            Some(beyond) => own.push(beyond.speed),
        }
    }

    /// The momentum of the robot of one of the problem.
    pub fn at_rest(&self, momentum: &DVector<f64>) -> DVector<f64> {
        momentum.rows(0, self.momentum.len()) + &self.momentum
    }

    /// An outcome as the world sees it.
    pub fn leave(&self, outcome: &mut Outcome) {
        let energy = |p: &DVector<f64>, v: &DVector<f64>| 0.5 * p.dot(v);
        let relative = &outcome.energy;
        let change = relative.after - relative.before;
        let work: f64 = (outcome.impulses.iter().zip(&self.drives))
            .map(drive_work)
            .sum();
        outcome.momentum = self.at_rest(&outcome.momentum);
        outcome.velocity = outcome.velocity.rows(0, self.velocity.len()) + &self.velocity;
        let after = energy(&outcome.momentum, &outcome.velocity);
        outcome.energy.before = after - change - work;
        outcome.energy.after = after;
    }
}
