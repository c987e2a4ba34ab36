//! Newton on the return map, and its derivative by extrapolated differences.
//!
//! ```text
//! F(z) = P(z) − z,    (DP − 1) Δz = −F
//! D_1(ε) = (P(z + ε e) − P(z − ε e)) / 2ε,   D_2(ε) = (4 D_1(ε/2) − D_1(ε))/3,   D_3(ε) = (16 D_2(ε/2) − D_2(ε))/15
//! ```
//!
//! D_3 is wrong by O(ε⁶), and by the noise of P (events are located to 1e-12 m) over ε. |D_3 − D_2| bounds the former.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

mod joined;
mod several;

use super::OrbitError;
use super::return_map::{Chart, ReturnMap, Stride, differentiated, is_hidden};
use crate::numerics::drawn_out;
use crate::scenario::{Experiment, OrbitEntry};

/// Newton iterations at most.
const ITERATIONS: usize = 40;
/// A step is halved so often before the search gives up.
const HALVINGS: usize = 12;
/// Differences while the orbit is looked for.
pub(super) const COARSE: f64 = 1e-5;
/// The largest of those of the derivative that is reported, one after the other.
const WIDTHS: [f64; 3] = [1e-3, 2e-4, 4e-5];
/// An error that no other width need better.
const ENOUGH: f64 = 1e-8;
/// Share of a derivative by which differences along one direction may miss it.
const TRUSTED: f64 = 1e-4;
/// What held contacts may be off at the end of an orbit that is one [m, m/s].
pub(super) const ELSEWHERE: f64 = 1e-6;
/// Segments of a period that are tried where one shot does not find an orbit.
const SEGMENTS: usize = 8;
/// What is called an orbit: residual beside coordinates of order one.
pub(crate) const CLOSED: f64 = 1e-9;

/// What a second period may be off: its steps begin elsewhere where the first is no whole number of them, and what the first
/// has missed has grown.
const REPEATED: f64 = 1e-3;

/// An experiment's return map on a chart, asked by several threads.
pub(super) struct Search<'a> {
    pub experiment: &'a Experiment,
    pub entry: &'a OrbitEntry,
    pub held: Vec<(usize, bool)>,
    pub reference: (Vec<f64>, Vec<f64>),
    pub drift: Vec<usize>,
    /// Entries of δ and of v that conditions determine, where another chart has chosen them.
    pub bound: Option<[Vec<usize>; 2]>,
}

/// Where a search ended.
pub(crate) struct Found {
    pub z: DVector<f64>,
    pub residual: f64,
    pub iterations: usize,
    /// Shots that the period was cut into.
    pub segments: usize,
    pub stride: Stride,
}

impl Search<'_> {
    /// Another of the same, to be changed.
    pub(super) fn same(&self) -> Search<'_> {
        Search {
            experiment: self.experiment,
            entry: self.entry,
            held: self.held.clone(),
            reference: self.reference.clone(),
            drift: self.drift.clone(),
            bound: self.bound.clone(),
        }
    }

    pub fn chart(&self) -> Chart<'_> {
        Chart::new(
            &self.experiment.model,
            &self.experiment.contacts,
            self.held.clone(),
            self.struck(),
            (&self.reference.0, &self.reference.1),
            &self.drift,
            self.bound.as_ref(),
        )
    }

    /// The contact that has just struck on a section by impacts, as it is called after places have changed.
    fn struck(&self) -> Option<usize> {
        let name = self.entry.section.impact.as_ref()?;
        let mut swaps = self.entry.symmetry.swap.iter();
        let name = swaps
            .find_map(|[a, b]| {
                let other = |own, other| (own == name).then_some(other);
                other(a, b).or(other(b, a))
            })
            .unwrap_or(name);
        let contacts = &self.experiment.contacts;
        (0..contacts.len()).find(|&i| contacts.name(i) == name)
    }

    /// The map at one point.
    pub fn at(&self, z: &DVector<f64>) -> Result<(DVector<f64>, Stride), OrbitError> {
        let mut map = ReturnMap::new(self.experiment, self.entry)?;
        image(&mut map, &mut self.chart(), z)
    }

    /// The map at several points, by as many threads as there are.
    pub fn at_all(&self, points: &[DVector<f64>]) -> Vec<Result<DVector<f64>, OrbitError>> {
        let evaluated = points.par_iter().map_init(
            || (ReturnMap::new(self.experiment, self.entry), self.chart()),
            |(map, chart), z| match map {
                Ok(map) => image(map, chart, z).map(|(image, _)| image),
                Err(error) => Err(error.clone()),
            },
        );
        evaluated.collect()
    }

    /// The map at one point, and its derivative where the motion has one that is known.
    fn at_exactly(
        &self,
        z: &DVector<f64>,
    ) -> Result<(DVector<f64>, Option<DMatrix<f64>>), OrbitError> {
        let mut map = ReturnMap::new(self.experiment, self.entry)?;
        differentiated(&mut map, &mut self.chart(), z)
    }

    /// How far a derivative is from differences along one direction.
    fn discrepancy(&self, z: &DVector<f64>, slope: &DMatrix<f64>) -> Result<f64, OrbitError> {
        let scale = scales(z);
        // Signs that no symmetry shares.
        let direction = DVector::from_fn(z.len(), |k, _| {
            scale[k] * if (k * k + k) / 2 % 2 == 0 { 1.0 } else { -0.7 }
        });
        let mut best = f64::INFINITY;
        // What a steep map makes of wide differences is far from the orbit.
        let steep = slope.amax().max(1.0);
        for width in WIDTHS.into_iter().chain(WIDTHS.map(|w| w / steep)) {
            let shares = [1.0, -1.0, 0.5, -0.5, 0.25, -0.25];
            let points = shares.map(|share| z + &direction * (width * share));
            let images: Result<Vec<DVector<f64>>, _> = self.at_all(&points).into_iter().collect();
            let Ok(images) = images else {
                continue;
            };
            let difference =
                |k: usize| (&images[2 * k] - &images[2 * k + 1]) / (2.0 * width * shares[2 * k]);
            let [third, _] = drawn_out(&[difference(0), difference(1), difference(2)]);
            best = best.min((third - slope * &direction).amax());
            if best < ENOUGH {
                break;
            }
        }
        Ok(best)
    }

    /// DP by central differences.
    pub fn slope(&self, z: &DVector<f64>, width: f64) -> Result<DMatrix<f64>, OrbitError> {
        let n = z.len();
        let scale = scales(z);
        let points: Vec<DVector<f64>> = (0..2 * n)
            .map(|i| {
                let mut moved = z.clone();
                let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
                moved[i / 2] += sign * width * scale[i / 2];
                moved
            })
            .collect();
        let images = self.at_all(&points).into_iter();
        let images: Vec<DVector<f64>> = images.collect::<Result<_, _>>()?;
        let mut slope = DMatrix::zeros(n, n);
        for k in 0..n {
            let difference = (&images[2 * k] - &images[2 * k + 1]) / (2.0 * width * scale[k]);
            slope.set_column(k, &difference);
        }
        Ok(slope)
    }

    /// DP, and how far it may be off. That of the motion's pieces and events, where it exists and differences along one
    /// direction agree; else differences along all: of the widths that are tried, that of the least error. A wide one may reach motions
    /// that do not return, a narrow one drowns in what the events are located to.
    pub fn derivative(&self, z: &DVector<f64>) -> Result<(DMatrix<f64>, f64), OrbitError> {
        if let (_, Some(slope)) = self.at_exactly(z)? {
            let error = self.discrepancy(z, &slope)?;
            if error < TRUSTED * slope.amax().max(1.0) {
                return Ok((slope, error));
            }
        }
        let mut best: Option<(DMatrix<f64>, f64)> = None;
        let mut failure = None;
        for width in WIDTHS {
            match self.drawn_out(z, width) {
                Ok((slope, error)) => {
                    if best.as_ref().is_none_or(|(_, known)| error < *known) {
                        best = Some((slope, error));
                    }
                }
                Err(error) => failure = Some(error),
            }
            if best.as_ref().is_some_and(|(_, error)| *error < ENOUGH) {
                break;
            }
        }
        best.ok_or_else(|| failure.unwrap_or(OrbitError::NoReturn { time: 0.0 }))
    }

    fn drawn_out(&self, z: &DVector<f64>, width: f64) -> Result<(DMatrix<f64>, f64), OrbitError> {
        let slope = |share: f64| self.slope(z, width * share);
        let [third, second] = drawn_out(&[slope(1.0)?, slope(0.5)?, slope(0.25)?]);
        let error = (&third - second).amax();
        Ok((third, error))
    }

    /// An orbit from `z`: by Newton's method, where that does not find one also on jumps of the map, and by several shots;
    /// by those alone where the scenario asks for them.
    pub fn solve(&self, z: DVector<f64>) -> Result<Found, OrbitError> {
        if let Some(segments) = self.entry.shooting.filter(|n| *n > 1)
            && let Some(found) = self.by_segments(&z, segments)?
        {
            return Ok(found);
        }
        let ended = self.solve_at_once(z.clone());
        let missed = ended.as_ref().is_ok_and(|found| found.residual > CLOSED)
            || matches!(
                ended,
                Err(OrbitError::NoReturn { .. } | OrbitError::Simulation(_))
            );
        if missed
            && self.entry.shooting.is_none()
            && let Some(found) = self.by_segments(&z, SEGMENTS)?
        {
            return Ok(found);
        }
        ended
    }

    /// An orbit from `z` by one shot.
    pub fn solve_at_once(&self, z: DVector<f64>) -> Result<Found, OrbitError> {
        let ended = self.newton(z)?;
        if ended.residual <= CLOSED {
            return Ok(ended);
        }
        Ok(self.on_a_jump(&ended)?.unwrap_or(ended))
    }

    /// Damped Newton from `z`.
    pub(super) fn newton(&self, mut z: DVector<f64>) -> Result<Found, OrbitError> {
        let (mut image, mut stride) = self.at(&z)?;
        let mut residual = size(&(&image - &z), &z);
        let mut iterations = 0;
        while iterations < ITERATIONS {
            iterations += 1;
            let width = COARSE.min(1e-2 * residual.max(1e-3));
            let slope = match self.at_exactly(&z)? {
                (_, Some(slope)) => slope,
                (_, None) => self.slope(&z, width)?,
            };
            let n = z.len();
            let step = (slope - DMatrix::identity(n, n)).svd(true, true);
            let Ok(step) = step.solve(&(&z - &image), 1e-11) else {
                break;
            };
            let mut better = None;
            let mut share = 1.0;
            for _ in 0..HALVINGS {
                let tried = &z + &step * share;
                if let Ok((at, there)) = self.at(&tried) {
                    let left = size(&(&at - &tried), &tried);
                    if left < residual {
                        better = Some((tried, at, there, left));
                        break;
                    }
                }
                share *= 0.5;
            }
            let Some((tried, at, there, left)) = better else {
                break;
            };
            let before = residual;
            (z, image, stride, residual) = (tried, at, there, left);
            // Round-off: what Newton gains no more.
            if residual < 1e-12 || (residual < CLOSED && residual > 0.3 * before) {
                break;
            }
        }
        // What is held at the end is what was held at the start.
        let apart = self.apart(&z, &stride)?;
        if apart > ELSEWHERE {
            residual = residual.max(apart);
        }
        if residual <= CLOSED && is_hidden(self.experiment) {
            self.check_repeated(&z)?;
        }
        Ok(Found {
            z,
            residual,
            iterations,
            segments: 1,
            stride,
        })
    }

    /// Follows an orbit for another period, its clock going on.
    fn check_repeated(&self, z: &DVector<f64>) -> Result<(), OrbitError> {
        let mut map = ReturnMap::new(self.experiment, self.entry)?;
        let mut chart = self.chart();
        let (q, v) = chart.state(z.as_slice())?;
        let Some(again) = map.repeated(&q, &v)? else {
            return Ok(());
        };
        let apart = size(&(chart.coordinates(&again.q, &again.v) - z), z);
        if apart > REPEATED {
            return Err(OrbitError::NotRepeated {
                period: again.time,
                apart,
            });
        }
        Ok(())
    }

    /// [`Chart::apart`] of a point and of the end of the motion from there.
    pub(super) fn apart(&self, z: &DVector<f64>, stride: &Stride) -> Result<f64, OrbitError> {
        let mut chart = self.chart();
        let (q, v) = chart.state(z.as_slice())?;
        Ok(chart.apart((&q, &v), (&stride.q, &stride.v)))
    }
}

pub(super) fn image(
    map: &mut ReturnMap,
    chart: &mut Chart<'_>,
    z: &DVector<f64>,
) -> Result<(DVector<f64>, Stride), OrbitError> {
    let (q, v) = chart.state(z.as_slice())?;
    let stride = map.apply(&q, &v)?;
    Ok((chart.coordinates(&stride.q, &stride.v), stride))
}

/// Sizes of coordinates: their own, at least one.
pub(super) fn scales(z: &DVector<f64>) -> DVector<f64> {
    z.map(|x| x.abs().max(1.0))
}

/// The largest of a difference, beside coordinates of order one.
pub(super) fn size(difference: &DVector<f64>, z: &DVector<f64>) -> f64 {
    difference.component_div(&scales(z)).amax()
}
