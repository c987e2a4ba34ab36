//! Iterating to the nearest root, with contacts that must stay open taken in where they would not.

use argmin::core::Executor;
use nalgebra::DVector;

use super::minimum_norm::{MinimumNormNewton, SolverState};
use super::residuals::{Residuals, typed};
use crate::design::progress::Watch;
use crate::design::quantity::Role;
use crate::design::{DesignError, DesignProblem, DesignSettings};

/// Where an iteration to the nearest root ended.
#[doc(hidden)]
pub struct Found {
    pub(crate) z: DVector<f64>,
    pub(crate) root: bool,
    pub(crate) worst: Worst,
    /// Steps to any root, and in all.
    pub(crate) iterations: usize,
    pub(crate) total: usize,
    pub(crate) stalled: bool,
    pub(crate) path: Vec<Vec<f64>>,
}

/// The row that misses most.
#[derive(Clone, Copy)]
pub(crate) struct Worst {
    /// Index of the quantity.
    pub(crate) quantity: usize,
    pub(crate) residual: f64,
    pub(crate) value: f64,
    pub(crate) target: f64,
}

impl DesignProblem {
    /// Iterates from `begin` to the root of `rows` nearest to `anchor`.
    pub(crate) fn nearest(
        &self,
        mut rows: Residuals<'_>,
        anchor: &DVector<f64>,
        begin: &DVector<f64>,
        settings: &DesignSettings,
        watch: Watch<'_>,
    ) -> Result<Found, DesignError> {
        let n = self.variables().len();
        let mut begin = rows.extended(begin)?;
        let anchor = anchor.clone().resize_vertically(begin.len(), 0.0);
        let (mut iterations, mut total) = (0, 0);
        let mut path = Vec::new();
        // First to any near root by plain steps of minimum norm, which converge quadratically; then, with the
        // anchor at the start, along the roots to the nearest.
        let mut follow = true;
        loop {
            let mut solver = MinimumNormNewton::new(
                anchor.clone(),
                rows.bounds(),
                settings.tolerance,
                settings.stationarity,
                watch,
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
            let pressed = self.most_pressed(&values, &rows);
            if let (true, Some(row)) = (root, pressed) {
                rows.rows.push(row);
                begin = z;
                continue;
            }
            let slack = || rows.slack[at - rows.rows.len()];
            let (quantity, target) = rows
                .rows
                .get(at)
                .copied()
                .unwrap_or_else(|| (slack().quantity, slack().target));
            return Ok(Found {
                z: z.rows(0, n).into_owned(),
                root,
                worst: Worst {
                    quantity,
                    residual: residual[at].abs(),
                    value: values[quantity],
                    target,
                },
                iterations,
                total,
                stalled: result.solver.stalled,
                path,
            });
        }
    }

    /// The contact farthest below its least gap that is not yet a row.
    fn most_pressed(&self, values: &DVector<f64>, rows: &Residuals<'_>) -> Option<(usize, f64)> {
        let quantities = self.quantities().iter().enumerate();
        let pressed = quantities.filter_map(|(i, quantity)| match quantity.role() {
            Role::AtLeast(least) if values[i] < least - 1e-12 => {
                Some((i, least, values[i] - least))
            }
            _ => None,
        });
        pressed
            .filter(|(i, ..)| rows.rows.iter().all(|(row, _)| row != i))
            .min_by(|a, b| a.2.total_cmp(&b.2))
            .map(|(i, least, _)| (i, least))
    }
}
