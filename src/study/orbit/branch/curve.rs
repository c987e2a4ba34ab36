//! A curve of fixed points z = P(z; s) in (z, s): its direction, and points on it that meet one linear condition.
//!
//! ```text
//! G(z, s) = P(z; s) − z = 0,    n · (z, s) = d          bordered Newton: [DP − 1, P_s; n] Δ = −[G; n · (z, s) − d]
//! [DP − 1, P_s; b] t = (0, …, 0, 1),  |t| = 1            direction t, b the one before
//! ```
//!
//! The bordered matrix is regular where DP − 1 is not: at a fold, where the parameter turns. Lengths are those of
//! (z/w, s) with a weight w. Slopes cost many images, so Newton goes on with that of the last point and corrects it by
//! Broyden's rank-one updates; where that is too slow it takes a new one.

use nalgebra::{DMatrix, DVector};

use crate::study::orbit::OrbitError;
use crate::study::orbit::search::{CLOSED, scales};

/// Newton iterations at most.
const ITERATIONS: usize = 16;
/// A residual that has not fallen to this share of the last asks for a new slope.
const SLOW: f64 = 0.3;
/// What is sharp enough, beside coordinates of order one.
const SHARP: f64 = 1e-12;
/// Half width of the difference in the share of the range.
const NUDGE: f64 = 1e-5;

/// A family of maps over the share s of a parameter's range, 0 to 1.
pub(in crate::study::orbit) trait Family {
    /// P(z; s).
    fn image(&self, z: &DVector<f64>, share: f64) -> Result<DVector<f64>, OrbitError>;
    /// DP at (z; s).
    fn slope(&self, z: &DVector<f64>, share: f64) -> Result<DMatrix<f64>, OrbitError>;
}

/// A point (z, s).
#[derive(Debug, Clone, PartialEq)]
pub(in crate::study::orbit) struct Place {
    pub z: DVector<f64>,
    pub share: f64,
}

impl Place {
    /// The point so far along a direction.
    pub fn moved(&self, direction: &Place, by: f64) -> Self {
        Self {
            z: &self.z + &direction.z * by,
            share: self.share + direction.share * by,
        }
    }
}

/// The slope [DP, P_s] at a point.
#[derive(Debug, Clone)]
pub(in crate::study::orbit) struct Slope {
    pub map: DMatrix<f64>,
    pub share: DVector<f64>,
}

/// The condition n · (z, s) = d.
#[derive(Debug, Clone)]
pub(in crate::study::orbit) struct Condition {
    normal: Place,
    value: f64,
}

impl Condition {
    /// The share is this.
    pub fn at_share(share: f64, n: usize) -> Self {
        let normal = Place {
            z: DVector::zeros(n),
            share: 1.0,
        };
        Self {
            normal,
            value: share,
        }
    }

    /// In the plane across `normal` (in lengths of `curve`) through a point.
    pub fn across<F: Family>(curve: &Curve<'_, F>, normal: &Place, through: &Place) -> Self {
        let normal = Place {
            z: &normal.z / (curve.weight * curve.weight),
            share: normal.share,
        };
        let value = normal.z.dot(&through.z) + normal.share * through.share;
        Self { normal, value }
    }

    fn left(&self, at: &Place) -> f64 {
        self.normal.z.dot(&at.z) + self.normal.share * at.share - self.value
    }
}

/// Why there is no further point.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::study::orbit) enum Stuck {
    /// Other contacts are held on the section, or a strike is there: the next points are of another chart.
    OffChart(String),
    /// Anything else, in words.
    Because(String),
}

impl From<String> for Stuck {
    fn from(reason: String) -> Self {
        Self::Because(reason)
    }
}

impl From<OrbitError> for Stuck {
    fn from(error: OrbitError) -> Self {
        match error {
            OrbitError::OtherSection | OrbitError::Simulation(_) => {
                Self::OffChart(error.to_string())
            }
            other => Self::Because(other.to_string()),
        }
    }
}

/// A point on the curve, and what it took.
pub(in crate::study::orbit) struct Met {
    pub place: Place,
    pub iterations: usize,
}

/// A family with the weight of its coordinates.
pub(in crate::study::orbit) struct Curve<'a, F> {
    pub family: &'a F,
    pub weight: f64,
}

impl<F: Family> Curve<'_, F> {
    /// Length of (z/w, s).
    pub fn length(&self, of: &Place) -> f64 {
        (of.z.norm() / self.weight).hypot(of.share)
    }

    /// Product of two directions in that length.
    pub fn product(&self, a: &Place, b: &Place) -> f64 {
        a.z.dot(&b.z) / (self.weight * self.weight) + a.share * b.share
    }

    /// P_s, from inside of the range.
    pub fn change(&self, at: &Place) -> Result<DVector<f64>, OrbitError> {
        let value = |by: f64| self.family.image(&at.z, at.share + by);
        let inwards = if at.share < NUDGE {
            NUDGE
        } else if at.share > 1.0 - NUDGE {
            -NUDGE
        } else {
            return Ok((value(NUDGE)? - value(-NUDGE)?) / (2.0 * NUDGE));
        };
        let (near, far) = (value(inwards)?, value(2.0 * inwards)?);
        Ok((near * 4.0 - far - value(0.0)? * 3.0) / (2.0 * inwards))
    }

    /// DP and P_s, the former if it is not known yet.
    pub fn slope(&self, at: &Place, known: Option<&DMatrix<f64>>) -> Result<Slope, OrbitError> {
        let map = match known {
            Some(map) => map.clone(),
            None => self.family.slope(&at.z, at.share)?,
        };
        Ok(Slope {
            map,
            share: self.change(at)?,
        })
    }

    /// The direction of the curve, of length one, on the side of `before`; none where the curve has several.
    pub fn direction(&self, slope: &Slope, before: &Place) -> Option<Place> {
        let n = slope.share.len();
        let border = Place {
            z: &before.z / (self.weight * self.weight),
            share: before.share,
        };
        let matrix = self.bordered(slope, &border);
        let mut right = DVector::zeros(n + 1);
        right[n] = 1.0;
        let solved = matrix.svd(true, true).solve(&right, 1e-13).ok()?;
        let found = self.unscaled(&solved);
        let length = self.length(&found);
        (length.is_finite() && length > 0.0).then(|| Place {
            z: found.z / length,
            share: found.share / length,
        })
    }

    /// Determinant of [(DP − 1) w, P_s; t/w]: zero where branches meet, not at a fold.
    pub fn border_determinant(&self, slope: &Slope, direction: &Place) -> f64 {
        let border = Place {
            z: &direction.z / (self.weight * self.weight),
            share: direction.share,
        };
        self.bordered(slope, &border).determinant()
    }

    /// Newton from a guess to the point of the curve that meets a condition, or why it does not get there.
    pub fn meet(&self, guess: &Place, condition: &Condition, slope: &Slope) -> Result<Met, Stuck> {
        let mut here = guess.clone();
        let mut slope = slope.clone();
        let mut gap = self.gap(&here)?;
        let mut residual = size(&gap, &here.z);
        let mut fresh = false;
        for iterations in 0..ITERATIONS {
            if residual < SHARP && condition.left(&here).abs() < SHARP {
                return Ok(Met {
                    place: here,
                    iterations,
                });
            }
            let n = gap.len();
            let mut right = DVector::zeros(n + 1);
            right.rows_mut(0, n).copy_from(&(-&gap));
            right[n] = -condition.left(&here);
            let matrix = self.bordered(&slope, &condition.normal);
            let step = matrix.svd(true, true).solve(&right, 1e-13);
            let step = step.map_err(str::to_string)?;
            let step = self.unscaled(&step);
            let there = here.moved(&step, 1.0);
            let next = self.gap(&there);
            let left = next
                .as_ref()
                .map_or(f64::INFINITY, |gap| size(gap, &there.z));
            if left > residual && residual < CLOSED && condition.left(&here).abs() < CLOSED {
                // Round-off.
                return Ok(Met {
                    place: here,
                    iterations,
                });
            }
            // A motion that does not return leaves nothing that is smaller.
            let slow = left.is_nan() || left >= SLOW * residual;
            if slow && iterations > 0 && !fresh {
                slope = self.slope(&here, None)?;
                fresh = true;
                continue;
            }
            fresh = false;
            let next = next?;
            // Broyden: the least change with which the slope explains the step.
            let explained = (&slope.map * &step.z - &step.z) + &slope.share * step.share;
            let missed = (&next - &gap) - explained;
            let weight = self.weight * self.weight;
            let squared = step.z.norm_squared() / weight + step.share * step.share;
            if squared > 0.0 {
                slope.map += &missed * (step.z.transpose() / (weight * squared));
                slope.share += &missed * (step.share / squared);
            }
            (here, gap, residual) = (there, next, left);
        }
        let met = residual <= CLOSED && condition.left(&here).abs() <= CLOSED;
        let found = Met {
            place: here,
            iterations: ITERATIONS,
        };
        if met {
            return Ok(found);
        }
        let reason = "beside the last orbit none is found";
        Err(format!("{reason}, the residual is {residual:.1e}").into())
    }

    fn gap(&self, at: &Place) -> Result<DVector<f64>, OrbitError> {
        Ok(self.family.image(&at.z, at.share)? - &at.z)
    }

    /// [(DP − 1) w, P_s; n w], for unknowns (z/w, s).
    fn bordered(&self, slope: &Slope, border: &Place) -> DMatrix<f64> {
        let n = slope.share.len();
        let mut matrix = DMatrix::zeros(n + 1, n + 1);
        let inner = (&slope.map - DMatrix::identity(n, n)) * self.weight;
        matrix.view_mut((0, 0), (n, n)).copy_from(&inner);
        matrix.view_mut((0, n), (n, 1)).copy_from(&slope.share);
        let row = border.z.transpose() * self.weight;
        matrix.view_mut((n, 0), (1, n)).copy_from(&row);
        matrix[(n, n)] = border.share;
        matrix
    }

    fn unscaled(&self, scaled: &DVector<f64>) -> Place {
        let n = scaled.len() - 1;
        Place {
            z: scaled.rows(0, n) * self.weight,
            share: scaled[n],
        }
    }
}

fn size(gap: &DVector<f64>, z: &DVector<f64>) -> f64 {
    gap.component_div(&scales(z)).amax()
}
