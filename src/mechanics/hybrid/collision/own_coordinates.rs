//! Coordinates that take no part in an impact: those that latches hold, and those of bodies beside it.

use nalgebra::{DMatrix, DVector};

use super::Closed;
use crate::impact::{ContactImpulse, Outcome};

/// Part of the coordinates, of which alone the problem is: their p, M and rows. What latches hold is at rest, and what they
/// take of p is the rest of M v⁺; bodies that have nothing to do with the impact go on as before.
#[derive(Debug, Clone)]
pub(super) struct OwnCoordinates {
    /// Those of the problem, ascending.
    pub free: Vec<usize>,
    /// Those of bodies beside it.
    beside: Vec<usize>,
    /// Whether latches hold any.
    is_locked: bool,
    /// M, n × n.
    mass: DMatrix<f64>,
    /// p and v before, n each.
    before: [DVector<f64>; 2],
    /// Kinetic energy of the bodies beside it \[J\].
    energy_beside: f64,
    /// Energy that is lost where what moved before is caught \[J\].
    pub lost: f64,
    /// Of what is caught the limit as a contact, its coordinate and its sign.
    pub caught: Vec<(usize, usize, f64)>,
    /// Rows of each contact of the problem, n each.
    pub rows: Vec<Vec<DVector<f64>>>,
}

impl OwnCoordinates {
    /// `island` are the coordinates that have to do with the impact, ascending; p and v (n) are those before. `None` where
    /// all take part.
    pub fn new(
        mass: &DMatrix<f64>,
        [p, v]: [&[f64]; 2],
        island: &[usize],
        closed: Closed<'_>,
    ) -> Option<Self> {
        let is_own = |k: &usize| island.binary_search(k).is_ok();
        let locked = island.iter().filter(|k| closed.locked.contains(k)).count();
        if locked == 0 && island.len() == p.len() {
            return None;
        }
        let beside: Vec<usize> = (0..p.len()).filter(|k| !is_own(k)).collect();
        let caught = closed.caught.iter();
        let mut own = Self {
            free: (island.iter().copied())
                .filter(|k| !closed.locked.contains(k))
                .collect(),
            energy_beside: beside.iter().map(|&k| 0.5 * p[k] * v[k]).sum(),
            beside,
            is_locked: locked > 0,
            mass: mass.clone(),
            before: [p, v].map(DVector::from_column_slice),
            lost: 0.0,
            caught: caught
                .map(|latch| (latch.stop, latch.limit.coordinate, latch.limit.sign))
                .collect(),
            rows: Vec::new(),
        };
        // What was at rest before loses nothing.
        if !own.caught.is_empty() {
            let energy = |which: &[usize]| {
                let p = own.before[0].select_rows(which);
                let factor = part(mass, which).cholesky();
                factor.map_or(f64::NAN, |factor| 0.5 * p.dot(&factor.solve(&p)))
            };
            own.lost = (energy(island) - energy(&own.free)).max(0.0);
        }
        Some(own)
    }

    /// M of the problem.
    pub fn free_mass(&self) -> DMatrix<f64> {
        part(&self.mass, &self.free)
    }

    /// Numbers of the problem among those of all coordinates, which are `others` of the bodies beside it and zero where
    /// latches hold.
    fn spread(&self, x: &DVector<f64>, others: &DVector<f64>) -> DVector<f64> {
        let mut all = DVector::zeros(self.mass.nrows());
        for (&k, x) in self.free.iter().zip(x.iter()) {
            all[k] = *x;
        }
        for &k in &self.beside {
            all[k] = others[k];
        }
        all
    }

    /// M v, and what it was before of the bodies beside the impact.
    fn momentum_of(&self, v: &DVector<f64>) -> DVector<f64> {
        let mut p = &self.mass * v;
        for &k in &self.beside {
            p[k] = self.before[0][k];
        }
        p
    }

    /// The momentum of all coordinates with this one of the problem, those that are held at rest.
    pub fn borne(&self, momentum: &DVector<f64>) -> DVector<f64> {
        let [p, v] = &self.before;
        match self
            .is_locked
            .then(|| self.free_mass().cholesky())
            .flatten()
        {
            Some(factor) => self.momentum_of(&self.spread(&factor.solve(momentum), v)),
            None => self.spread(momentum, p),
        }
    }

    /// An outcome of the problem as one of all coordinates, with the impulses of limits where something is caught.
    pub fn leave(&self, outcome: &mut Outcome) {
        let [p, v] = &self.before;
        outcome.velocity = self.spread(&outcome.velocity, v);
        outcome.momentum = if self.is_locked {
            self.momentum_of(&outcome.velocity)
        } else {
            self.spread(&outcome.momentum, p)
        };
        outcome.energy.before += self.lost + self.energy_beside;
        outcome.energy.after += self.energy_beside;
        let mut given = &outcome.momentum - p;
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

/// The entries of a matrix in these rows and columns.
fn part(mass: &DMatrix<f64>, which: &[usize]) -> DMatrix<f64> {
    mass.select_rows(which).select_columns(which)
}
