//! Coordinates that latches hold during an impact.

use nalgebra::{DMatrix, DVector};

use super::Closed;
use crate::impact::{ContactImpulse, Outcome};

/// Coordinates that latches hold are none of the problem: the rest of p, M and the rows makes it. What the latches take of p
/// is the rest of M v⁺.
#[derive(Debug, Clone)]
pub(super) struct LockedCoordinates {
    /// The others, ascending.
    pub free: Vec<usize>,
    /// M, n × n.
    mass: DMatrix<f64>,
    /// p before, n.
    before: DVector<f64>,
    /// Energy that is lost where what moved before is caught \[J\].
    pub lost: f64,
    /// Of what is caught the limit as a contact, its coordinate and its sign.
    pub caught: Vec<(usize, usize, f64)>,
    /// Rows of each contact of the problem, n each.
    pub rows: Vec<Vec<DVector<f64>>>,
}

impl LockedCoordinates {
    pub fn new(mass: &DMatrix<f64>, p: &[f64], closed: Closed<'_>) -> Option<Self> {
        if closed.locked.is_empty() {
            return None;
        }
        let free: Vec<usize> = (0..p.len())
            .filter(|k| !closed.locked.contains(k))
            .collect();
        let caught = closed.caught.iter();
        let mut locks = Self {
            free,
            mass: mass.clone(),
            before: DVector::from_column_slice(p),
            lost: 0.0,
            caught: caught
                .map(|latch| (latch.stop, latch.limit.coordinate, latch.limit.sign))
                .collect(),
            rows: Vec::new(),
        };
        // What was at rest before loses nothing.
        if !locks.caught.is_empty() {
            let energy = |mass: DMatrix<f64>, p: &DVector<f64>| {
                let velocity = mass.cholesky().map(|factor| factor.solve(p));
                velocity.map_or(f64::NAN, |v| 0.5 * p.dot(&v))
            };
            let after = energy(locks.free_mass(), &locks.reduced(&locks.before));
            locks.lost = (energy(mass.clone(), &locks.before) - after).max(0.0);
        }
        Some(locks)
    }

    /// M of the problem.
    pub fn free_mass(&self) -> DMatrix<f64> {
        self.mass.select_rows(&self.free).select_columns(&self.free)
    }

    /// Numbers of the problem among those of all coordinates.
    fn spread(&self, x: &DVector<f64>) -> DVector<f64> {
        let mut all = DVector::zeros(self.mass.nrows());
        for (&k, x) in self.free.iter().zip(x.iter()) {
            all[k] = *x;
        }
        all
    }

    /// The momentum of all coordinates with this one of the problem, those that are held at rest.
    pub fn borne(&self, momentum: &DVector<f64>) -> DVector<f64> {
        match self.free_mass().cholesky() {
            Some(factor) => &self.mass * self.spread(&factor.solve(momentum)),
            None => self.spread(momentum),
        }
    }

    /// An outcome of the problem as one of all coordinates, with the impulses of limits where something is caught.
    pub fn leave(&self, outcome: &mut Outcome) {
        outcome.velocity = self.spread(&outcome.velocity);
        outcome.momentum = &self.mass * &outcome.velocity;
        outcome.energy.before += self.lost;
        let mut given = &outcome.momentum - &self.before;
        for (rows, impulse) in self.rows.iter().zip(&outcome.impulses) {
            let parts = std::iter::once(&impulse.normal).chain(&impulse.tangential);
            for (row, part) in rows.iter().zip(parts) {
                given -= row * *part;
            }
        }
        let caught = self.caught.iter().map(|&(_, at, sign)| ContactImpulse {
            normal: sign * given[at],
            tangential: Vec::new(),
        });
        outcome.impulses.extend(caught);
    }

    /// Numbers of all coordinates in those of the problem.
    pub fn reduced(&self, x: &DVector<f64>) -> DVector<f64> {
        x.select_rows(&self.free)
    }
}
