//! From a problem to a design: the nearest root, the best compromise, and why not.

use argmin::core::Executor;
use nalgebra::DVector;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::compromise::compromise;
use super::minimum_norm::{MinimumNormNewton, SolverState};
use super::residuals::{Residuals, typed};
use super::{DesignError, DesignProblem, Quantity};

/// What is asked of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The nearest root; the best compromise where there is none.
    #[default]
    Auto,
    /// The nearest root, or an error.
    Nearest,
    /// The best compromise.
    Compromise,
}

/// Settings of the solvers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DesignSettings {
    /// Root or compromise.
    pub method: Method,
    /// Largest gap \[m\] and error of a cosine at a root.
    pub tolerance: f64,
    /// Step, in units of the scales, below which the distance counts as stationary.
    pub stationarity: f64,
    /// Newton steps before giving up.
    pub max_iterations: usize,
    /// Weight of the squared distance to the start in a compromise.
    pub stay: f64,
}

impl Default for DesignSettings {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            tolerance: 1e-12,
            stationarity: 1e-7,
            max_iterations: 200,
            stay: 1e-8,
        }
    }
}

/// How a design ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesignStatus {
    /// Every gap and cosine is at its target, and no root is nearer to the start.
    Converged,
    /// Gaps are closed, the cosines are a least-squares compromise.
    Compromise,
}

/// A design.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignSolution {
    /// Root or compromise.
    pub status: DesignStatus,
    /// Values of all variables.
    pub variables: Vec<f64>,
    /// Newton steps until every gap and cosine was at its target; all steps of a compromise.
    pub iterations: usize,
    /// Further steps along the set of such designs to the one nearest to the start.
    pub refinements: usize,
    /// Distance to the start in units of the scales.
    pub distance: f64,
    /// Values of all variables after each step of the nearest-root iteration, the start first.
    pub path: Vec<Vec<f64>>,
    /// Variables that stand at a bound.
    pub at_bounds: Vec<String>,
    /// Rank of the wanted cosines' derivatives along motions that keep the gaps closed.
    pub rank: usize,
    /// Number of wanted cosines.
    pub wanted: usize,
    /// Why the targets are not reached; `None` at a root.
    pub reason: Option<DesignError>,
}

impl DesignProblem {
    /// The design nearest to the start.
    ///
    /// # Errors
    /// Gaps that cannot close, quantities that nothing free changes, a robot that cannot be built; with
    /// [`Method::Nearest`] also cosines that cannot reach their targets.
    pub fn solve(&self, settings: &DesignSettings) -> Result<DesignSolution, DesignError> {
        self.solve_from(&self.start(), settings)
    }

    /// The design nearest to the start of the problem that is found by iterating from `x`.
    ///
    /// # Errors
    /// As [`DesignProblem::solve`].
    pub fn solve_from(
        &self,
        x: &[f64],
        settings: &DesignSettings,
    ) -> Result<DesignSolution, DesignError> {
        let anchor = DVector::zeros(x.len());
        let begin = self.influence(&self.scaled(x), settings)?;
        if settings.method != Method::Compromise {
            let rows = Residuals::wanted(self, false);
            let found = self.nearest(rows, &anchor, &begin, settings)?;
            if found.root {
                return self.solution(DesignStatus::Converged, found, None);
            }
            let reason = self.unreachable(&found, settings);
            // If the gaps alone do not close there is no stance to compromise on.
            let gaps = self.nearest(Residuals::wanted(self, true), &anchor, &begin, settings)?;
            if !gaps.root {
                return Err(self.unreachable(&gaps, settings));
            }
            if settings.method == Method::Nearest {
                return Err(reason);
            }
            let from = if found.worst.1 < 1.0 {
                &found.z
            } else {
                &gaps.z
            };
            return self.compromised(&anchor, from.clone(), settings, Some(reason));
        }
        self.compromised(&anchor, begin, settings, None)
    }

    fn compromised(
        &self,
        anchor: &DVector<f64>,
        from: DVector<f64>,
        settings: &DesignSettings,
        reason: Option<DesignError>,
    ) -> Result<DesignSolution, DesignError> {
        let (z, steps) = compromise(self, anchor, from, settings.stay, 1e-9)?;
        // From the compromise as anchor: the smallest change that closes the gaps to round-off.
        let mut closed = self.nearest(Residuals::wanted(self, true), &z, &z, settings)?;
        if !closed.root {
            return Err(self.unreachable(&closed, settings));
        }
        closed.iterations += steps;
        closed.total += steps;
        let values = self.values(&self.unscaled(&closed.z))?;
        let error = |(quantity, value): (&Quantity, &f64)| match quantity {
            Quantity::Cosine { target, .. } => (value - target).abs(),
            Quantity::Gap { .. } => 0.0,
        };
        let largest = self
            .quantities()
            .iter()
            .zip(values.iter())
            .map(error)
            .fold(0.0, f64::max);
        let status = if largest <= settings.tolerance {
            DesignStatus::Converged
        } else {
            DesignStatus::Compromise
        };
        self.solution(status, closed, reason)
    }

    /// Iterates to the nearest root of `rows`; contacts that must stay open and would not become rows.
    fn nearest(
        &self,
        mut rows: Residuals<'_>,
        anchor: &DVector<f64>,
        begin: &DVector<f64>,
        settings: &DesignSettings,
    ) -> Result<Found, DesignError> {
        let mut begin = begin.clone();
        let (mut iterations, mut total) = (0, 0);
        let mut path = Vec::new();
        // First to any near root by plain steps of minimum norm, which converge quadratically; then, with the
        // anchor at the start, along the roots to the nearest.
        let mut follow = true;
        loop {
            let mut solver = MinimumNormNewton::new(
                anchor.clone(),
                self.scaled_bounds(),
                settings.tolerance,
                settings.stationarity,
            );
            solver.follow = follow;
            let limit = settings.max_iterations.saturating_sub(total).max(1) as u64;
            let result = Executor::new(rows.clone(), solver)
                .configure(|state: SolverState| state.param(begin.clone()).max_iters(limit))
                .ctrlc(false)
                .run()
                .map_err(typed)?;
            total += result.state.iter as usize;
            if follow {
                iterations = total;
            }
            path.extend(result.solver.path.iter().map(|z| self.unscaled(z)));
            let z = result.state.param.clone().unwrap_or_else(|| begin.clone());
            let residual = rows.values(&z)?;
            let at = residual.iamax();
            let values = self.values(&self.unscaled(&z))?;
            let root = residual[at].abs() <= settings.tolerance;
            if follow {
                follow = false;
                // A failed first stage leaves the second to start afresh.
                if root {
                    begin = z;
                }
                continue;
            }
            let pressed = |(i, q): (usize, &Quantity)| match q {
                Quantity::Gap {
                    closed: false,
                    least,
                    ..
                } if values[i] < least - 1e-12 => Some((i, *least, values[i] - least)),
                _ => None,
            };
            let mut shut: Vec<_> = self
                .quantities()
                .iter()
                .enumerate()
                .filter_map(pressed)
                .collect();
            shut.retain(|(i, ..)| rows.rows.iter().all(|(row, _)| row != i));
            shut.sort_by(|a, b| a.2.total_cmp(&b.2));
            if let (true, Some((i, least, _))) = (root, shut.first()) {
                rows.rows.push((*i, *least));
                begin = z;
                continue;
            }
            return Ok(Found {
                z,
                root,
                worst: (
                    rows.rows[at].0,
                    residual[at].abs(),
                    values[rows.rows[at].0],
                    rows.rows[at].1,
                ),
                iterations,
                total,
                stalled: result.solver.stalled,
                path,
            });
        }
    }

    fn unreachable(&self, found: &Found, settings: &DesignSettings) -> DesignError {
        let (row, residual, value, target) = found.worst;
        if !found.stalled && found.total >= settings.max_iterations {
            return DesignError::NotConverged {
                iterations: found.total,
                residual,
            };
        }
        DesignError::Unreachable {
            quantity: self.describe(&self.quantities()[row]),
            value,
            target,
            at_bounds: self.at_bounds(&found.z),
        }
    }

    fn at_bounds(&self, z: &DVector<f64>) -> Vec<String> {
        let bounds = self.scaled_bounds();
        let names = self.variables().iter().enumerate();
        names
            .filter(|(i, _)| bounds.at_bound(z, *i))
            .map(|(_, v)| v.name.clone())
            .collect()
    }

    /// The point to start from: `z`, or a point near it when some derivative vanishes exactly at `z` (two
    /// normals on one line). What nothing free changes anywhere near is an error.
    fn influence(
        &self,
        z: &DVector<f64>,
        settings: &DesignSettings,
    ) -> Result<DVector<f64>, DesignError> {
        let rows = Residuals::wanted(self, false);
        let bounds = self.scaled_bounds();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(0x6361_726f_6d21);
        let mut dead = Vec::new();
        for attempt in 0..4 {
            let mut point = z.clone();
            if attempt > 0 {
                for x in point.iter_mut() {
                    let unit = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                    *x += 0.02 * (2.0 * unit - 1.0);
                }
                point = bounds.clip(&point);
            }
            let residual = rows.values(&point)?;
            let jacobian = rows.derivatives(&point)?;
            let is_dead =
                |i: usize| jacobian.row(i).amax() <= 1e-9 && residual[i].abs() > settings.tolerance;
            let now: Vec<usize> = (0..rows.rows.len()).filter(|&i| is_dead(i)).collect();
            if now.is_empty() {
                return Ok(point);
            }
            dead = now;
        }
        let (i, target) = rows.rows[dead[0]];
        let names: Vec<&str> = self.variables().iter().map(|v| v.name.as_str()).collect();
        Err(DesignError::NoInfluence {
            quantity: self.describe(&self.quantities()[i]),
            value: self.values(&self.unscaled(z))?[i],
            target,
            free: names.join(", "),
        })
    }

    fn solution(
        &self,
        status: DesignStatus,
        found: Found,
        reason: Option<DesignError>,
    ) -> Result<DesignSolution, DesignError> {
        let jacobian = Residuals::wanted(self, false).derivatives(&found.z)?;
        let bounds = self.scaled_bounds();
        let mut free = jacobian.clone();
        for k in 0..free.ncols() {
            if bounds.at_bound(&found.z, k) {
                free.column_mut(k).fill(0.0);
            }
        }
        let gaps = Residuals::wanted(self, true).rows.len();
        let wanted = free.nrows() - gaps;
        for mut row in free.row_iter_mut() {
            let norm = row.norm();
            if norm > 1e-12 {
                row /= norm;
            }
        }
        // Each stance lists its gaps before its cosines; the rank of all rows less that of the gaps.
        let is_gap = |i: &usize| {
            matches!(
                self.quantities()[Residuals::wanted(self, false).rows[*i].0],
                Quantity::Gap { .. }
            )
        };
        let gap_rows: Vec<usize> = (0..free.nrows()).filter(is_gap).collect();
        let rank = free.rank(1e-8) - free.select_rows(&gap_rows).rank(1e-8);
        Ok(DesignSolution {
            status,
            variables: self.unscaled(&found.z),
            iterations: found.iterations,
            refinements: found.total - found.iterations,
            distance: found.z.norm(),
            path: found.path,
            at_bounds: self.at_bounds(&found.z),
            rank,
            wanted,
            reason: (status == DesignStatus::Compromise)
                .then_some(reason)
                .flatten(),
        })
    }
}

/// Where an iteration to the nearest root ended.
struct Found {
    z: DVector<f64>,
    root: bool,
    /// Quantity, residual, value and target of the row that misses most.
    worst: (usize, f64, f64, f64),
    iterations: usize,
    total: usize,
    stalled: bool,
    path: Vec<Vec<f64>>,
}
