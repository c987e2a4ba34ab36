//! Several shots: the period cut into segments, and Newton's method on the states at all of them.
//!
//! ```text
//! φ_k(y_k) − y_{k+1} = 0,   k = 0 … N − 2,       φ_{N−1}(y_{N−1}) − y_0 = 0
//! ```
//!
//! y_0 is the point on the section, the others are states at the ends of whole steps, so that the shots put together are the
//! one shot of the return map. Each is on a chart of its own: what is held there, at rest where it sticks. What one shot loses
//! over the period, e^{λT} of an error, every one of N shots loses to e^{λT/N}; and a guess need not lead anywhere near the
//! section by itself. Derivatives of the segments are those of the motion, or differences where it has none.

use nalgebra::{DMatrix, DVector};

use super::{CLOSED, COARSE, Found, Search, scales, size};
use crate::hybrid::State;
use crate::study::orbit::return_map::{Chart, ReturnMap, directions, on_chart};
use crate::study::orbit::{OrbitError, STICKS};

/// Newton iterations at most.
const ITERATIONS: usize = 40;
/// A step is halved so often before the search gives up.
const HALVINGS: usize = 8;
/// After so many iterations the residual is down to this share, or the search gives up.
const PATIENCE: usize = 5;
const GAIN: f64 = 0.5;
/// Residual at which the shots count as one.
const MET: f64 = 1e-11;

/// A state at which the period is cut.
struct Cut<'a> {
    /// From the section \[s\], a whole number of steps.
    time: f64,
    chart: Chart<'a>,
    /// What is held there; on the section what the state says.
    like: Option<State>,
}

/// Where the states between are looked for first.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Guess {
    /// Along the motion from the section.
    Motion,
    /// At rest in the state on the section.
    Still,
}

/// The motions from all cuts.
struct Shots {
    /// φ(y) − y of the next cut.
    missed: DVector<f64>,
    residual: f64,
    slope: Option<DMatrix<f64>>,
}

impl Search<'_> {
    /// An orbit from `z` by so many segments, confirmed by one shot; `None` where there is none.
    pub(super) fn by_segments(
        &self,
        z: &DVector<f64>,
        segments: usize,
    ) -> Result<Option<Found>, OrbitError> {
        let mut map = ReturnMap::new(self.experiment, self.entry)?;
        let Some(returns) = map.returns() else {
            return Ok(None);
        };
        for guess in [Guess::Motion, Guess::Still] {
            // A guess whose motion does not come back has no period to cut, unless the section says one.
            let Ok((cuts, begin)) = self.cuts(&mut map, z, (segments, returns), guess) else {
                continue;
            };
            let Some((point, iterations)) = self.meet(&mut map, cuts, begin, returns)? else {
                continue;
            };
            // What is left is that of the last digits.
            let Ok(found) = self.newton(point) else {
                continue;
            };
            if found.residual <= CLOSED {
                return Ok(Some(Found {
                    iterations: iterations + found.iterations,
                    segments,
                    ..found
                }));
            }
        }
        Ok(None)
    }

    /// Where the period is cut, and the guesses there one after the other.
    fn cuts(
        &self,
        map: &mut ReturnMap,
        z: &DVector<f64>,
        (segments, returns): (usize, usize),
        guess: Guess,
    ) -> Result<(Vec<Cut<'_>>, DVector<f64>), OrbitError> {
        let mut first = self.chart();
        let (q, v) = first.state(z.as_slice())?;
        let period = match self.entry.section.period {
            Some(period) => period * returns as f64,
            None => map.part((0.0, &q, &v), None, None, returns)?.time,
        };
        let h = self.experiment.scenario.time_step;
        let steps = (period / h).floor();
        let mut cuts = vec![Cut {
            time: 0.0,
            chart: first,
            like: None,
        }];
        let mut begin: Vec<f64> = z.as_slice().to_vec();
        let (mut time, mut at, mut moving) = (0.0, q, v);
        for k in 1..segments {
            let next = (steps * k as f64 / segments as f64).floor() * h;
            if next <= time {
                continue;
            }
            if guess == Guess::Motion {
                let like = cuts.last().and_then(|cut| cut.like.as_ref());
                let part = map.part((time, &at, &moving), like, Some(next), returns)?;
                (at, moving) = (part.q, part.v);
            } else {
                map.held(&at, &moving)?;
            }
            time = next;
            let held = map.held_now()?.into_iter();
            let like = Some(map.simulation().state().clone());
            let chart = Chart::new(
                &self.experiment.model,
                &self.experiment.contacts,
                held.map(|(i, slip)| (i, slip < STICKS)).collect(),
                None,
                (&at, &moving),
                &self.drift,
                None,
            );
            begin.extend(chart.coordinates(&at, &moving).iter());
            cuts.push(Cut { time, chart, like });
        }
        Ok((cuts, DVector::from(begin)))
    }

    /// Damped Newton on all states; the point on the section, and how many iterations it took.
    fn meet(
        &self,
        map: &mut ReturnMap,
        mut cuts: Vec<Cut<'_>>,
        mut y: DVector<f64>,
        returns: usize,
    ) -> Result<Option<(DVector<f64>, usize)>, OrbitError> {
        let Ok(mut now) = self.shoot(map, &mut cuts, &y, returns, true) else {
            return Ok(None);
        };
        let first = cuts[0].chart.len();
        let mut before = f64::INFINITY;
        for iteration in 1..=ITERATIONS {
            if now.residual <= MET {
                return Ok(Some((y.rows(0, first).into_owned(), iteration)));
            }
            let Some(slope) = now.slope.take() else {
                return Ok(None);
            };
            let Ok(step) = slope.svd(true, true).solve(&-&now.missed, 1e-12) else {
                return Ok(None);
            };
            let mut better = None;
            let mut share = 1.0;
            for _ in 0..HALVINGS {
                let tried = &y + &step * share;
                if let Ok(there) = self.shoot(map, &mut cuts, &tried, returns, false)
                    && there.residual < now.residual
                {
                    better = Some(tried);
                    break;
                }
                share *= 0.5;
            }
            let Some(tried) = better else {
                let met = now.residual <= CLOSED;
                return Ok(met.then(|| (y.rows(0, first).into_owned(), iteration)));
            };
            y = tried;
            let Ok(next) = self.shoot(map, &mut cuts, &y, returns, true) else {
                return Ok(None);
            };
            now = next;
            if iteration % PATIENCE == 0 {
                if now.residual > GAIN * before {
                    return Ok(None);
                }
                before = now.residual;
            }
        }
        Ok(None)
    }

    /// The motions from the states y.
    fn shoot(
        &self,
        map: &mut ReturnMap,
        cuts: &mut [Cut<'_>],
        y: &DVector<f64>,
        returns: usize,
        with_slope: bool,
    ) -> Result<Shots, OrbitError> {
        let sizes: Vec<usize> = cuts.iter().map(|cut| cut.chart.len()).collect();
        let count = cuts.len();
        let added = |at: &mut usize, n: usize| {
            *at += n;
            Some(*at - n)
        };
        let places: Vec<usize> = sizes.iter().copied().scan(0, added).collect();
        // Rows of a segment are those of where it ends.
        let ends = (0..count).map(|k| sizes[(k + 1) % count]);
        let rows: Vec<usize> = ends.scan(0, added).collect();
        let mut missed = DVector::zeros(y.len());
        let mut slope = DMatrix::zeros(y.len(), y.len());
        let mut residual = 0.0_f64;
        for k in 0..count {
            let next = (k + 1) % count;
            let own = y.rows(places[k], sizes[k]).into_owned();
            let to = y.rows(places[next], sizes[next]).into_owned();
            let until = (next > 0).then(|| cuts[next].time);
            let (image, block) = segment(map, cuts, (k, next), (&own, until, returns), with_slope)?;
            let gap = &image - &to;
            residual = residual.max(size(&gap, &to));
            missed.rows_mut(rows[k], sizes[next]).copy_from(&gap);
            if let Some(block) = block {
                let shape = (sizes[next], sizes[k]);
                slope
                    .view_mut((rows[k], places[k]), shape)
                    .copy_from(&block);
                for j in 0..sizes[next] {
                    slope[(rows[k] + j, places[next] + j)] -= 1.0;
                }
            }
        }
        Ok(Shots {
            missed,
            residual,
            slope: with_slope.then_some(slope),
        })
    }
}

/// The end of one segment on the chart of the next cut, and its derivative.
fn segment(
    map: &mut ReturnMap,
    cuts: &mut [Cut<'_>],
    (k, next): (usize, usize),
    (y, until, returns): (&DVector<f64>, Option<f64>, usize),
    with_slope: bool,
) -> Result<(DVector<f64>, Option<DMatrix<f64>>), OrbitError> {
    let time = cuts[k].time;
    let (q, v) = cuts[k].chart.state(y.as_slice())?;
    if with_slope {
        map.carried = Some(directions(&mut cuts[k].chart, y)?);
    }
    let done = map.part((time, &q, &v), cuts[k].like.as_ref(), until, returns);
    let carried = map.carried.take();
    let stride = done?;
    let image = cuts[next].chart.coordinates(&stride.q, &stride.v);
    if !with_slope {
        return Ok((image, None));
    }
    if let Some(end) = carried {
        let block = on_chart(&cuts[next].chart, (&stride.q, &stride.v), &end)?;
        return Ok((image, Some(block)));
    }
    let mut block = DMatrix::zeros(image.len(), y.len());
    let scale = scales(y);
    for j in 0..y.len() {
        let width = COARSE * scale[j];
        let mut ends = Vec::with_capacity(2);
        for side in [width, -width] {
            let mut moved = y.clone();
            moved[j] += side;
            let (q, v) = cuts[k].chart.state(moved.as_slice())?;
            let stride = map.part((time, &q, &v), cuts[k].like.as_ref(), until, returns)?;
            ends.push(cuts[next].chart.coordinates(&stride.q, &stride.v));
        }
        block.set_column(j, &((&ends[0] - &ends[1]) / (2.0 * width)));
    }
    Ok((image, Some(block)))
}
