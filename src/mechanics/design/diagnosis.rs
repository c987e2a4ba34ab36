//! Why a problem has no answer: what nothing free changes, what is out of reach, and how many wishes are
//! independent.

use nalgebra::DVector;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::progress::Watch;
use super::quantity::Role;
use super::{DesignError, DesignProblem, DesignSettings, Quantity};
use super::{Found, Residuals};

impl DesignProblem {
    /// The point to start from: `z`, or a point near it when some derivative vanishes exactly at `z` (two
    /// normals on one line). What nothing free changes anywhere near is an error.
    pub(super) fn influence(
        &self,
        z: &DVector<f64>,
        settings: &DesignSettings,
    ) -> Result<DVector<f64>, DesignError> {
        let rows = Residuals::wanted(self);
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

    /// Why the rows of an iteration have no root.
    pub(super) fn unreachable(&self, found: &Found, settings: &DesignSettings) -> DesignError {
        let worst = found.worst;
        if !found.stalled && found.total >= settings.max_iterations {
            return DesignError::NotConverged {
                iterations: found.total,
                residual: worst.residual,
            };
        }
        DesignError::Unreachable {
            quantity: self.describe(&self.quantities()[worst.quantity]),
            value: worst.value,
            target: worst.target,
            at_bounds: self.at_bounds(&found.z),
        }
    }

    /// Why the constraints alone have no root; contacts are tried one by one, so that those are named that
    /// cannot touch even alone.
    pub(super) fn unreachable_constraints(
        &self,
        found: &Found,
        begin: &DVector<f64>,
        settings: &DesignSettings,
        watch: Watch<'_>,
    ) -> DesignError {
        let worst = &self.quantities()[found.worst.quantity];
        let Quantity::Gap { stance, .. } = worst else {
            return self.unreachable(found, settings);
        };
        let anchor = DVector::zeros(begin.len());
        let mut all = Vec::new();
        let mut alone = Vec::new();
        for (i, target) in Residuals::constraints(self).rows {
            let Quantity::Gap {
                stance: of,
                contact,
                ..
            } = &self.quantities()[i]
            else {
                continue;
            };
            if of != stance {
                continue;
            }
            let name = format!("\"{}\"", self.contact_name(*contact));
            let rows = Residuals {
                problem: self,
                rows: vec![(i, target)],
                slack: Vec::new(),
            };
            match self.nearest(rows, &anchor, begin, settings, watch) {
                Ok(single) if single.root => {}
                _ => alone.push(name.clone()),
            }
            all.push(name);
        }
        let together = alone.is_empty();
        let names = if together { all } else { alone };
        let contacts = match names.len() {
            1 => format!("contact {}", names[0]),
            _ => format!("contacts {}", names.join(" and ")),
        };
        DesignError::CannotTouch {
            contacts,
            together,
            quantity: self.describe(worst),
            value: found.worst.value,
            at_bounds: self.at_bounds(&found.z),
        }
    }

    pub(super) fn at_bounds(&self, z: &DVector<f64>) -> Vec<String> {
        let bounds = self.scaled_bounds();
        let names = self.variables().iter().enumerate();
        names
            .filter(|(i, _)| bounds.at_bound(z, *i))
            .map(|(_, v)| v.name.clone())
            .collect()
    }

    /// Rank of the wanted quantities' derivatives along motions that keep the constraints, and how many are
    /// wanted. Variables at a bound count as fixed.
    pub(super) fn rank(&self, z: &DVector<f64>) -> Result<(usize, usize), DesignError> {
        let rows = Residuals::wanted(self);
        let mut free = rows.derivatives(z)?;
        let bounds = self.scaled_bounds();
        for k in 0..free.ncols() {
            if bounds.at_bound(z, k) {
                free.column_mut(k).fill(0.0);
            }
        }
        for mut row in free.row_iter_mut() {
            let norm = row.norm();
            if norm > 1e-12 {
                row /= norm;
            }
        }
        let constraints: Vec<usize> = (0..free.nrows())
            .filter(|&i| {
                let role = self.quantities()[rows.rows[i].0].role();
                matches!(role, Role::Constraint(_))
            })
            .collect();
        // The rank of all rows less that of the constraints.
        let rank = free.rank(1e-8) - free.select_rows(&constraints).rank(1e-8);
        Ok((rank, free.nrows() - constraints.len()))
    }
}
