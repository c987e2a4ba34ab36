//! The derivative of the return map from one motion, by the derivatives of its pieces and events.
//!
//! ```text
//! DP = D(coordinates) · swap · D(section) · Φ · D(state)          Φ: the run's own derivative (room `hybrid`)
//! ```
//!
//! Maps between coordinates and states cost no motion and are smooth: central differences drawn out to zero are exact to
//! 1e-11. Where Φ does not exist ([`LinearizeError`]) the search takes differences of the map instead.

use nalgebra::{DMatrix, DVector, Vector3};

use super::chart::{Chart, rotation};
use super::{ReturnMap, Stride};
use crate::hybrid::LinearizeError;
use crate::model::{JointKind, Model};
use crate::numerics::drawn_out_derivative;
use crate::study::orbit::OrbitError;

/// Differences of coordinates [m, rad, m/s, rad/s].
const WIDTH: f64 = 1e-3;

/// The map at a point with its derivative; no derivative where the motion has none that is known.
pub(in crate::study::orbit) fn differentiated(
    map: &mut ReturnMap,
    chart: &mut Chart<'_>,
    z: &DVector<f64>,
) -> Result<(DVector<f64>, Option<DMatrix<f64>>), OrbitError> {
    let (q, v) = chart.state(z.as_slice())?;
    let start = directions(chart, z)?;
    let (stride, end) = map.differentiated(&q, &v, start)?;
    let image = chart.coordinates(&stride.q, &stride.v);
    let slope = end.map(|end| on_chart(chart, (&stride.q, &stride.v), &end));
    Ok((image, slope.transpose()?))
}

/// Changes (δq, δv) of a state, as columns, in the coordinates of a chart.
pub(in crate::study::orbit) fn on_chart(
    chart: &Chart<'_>,
    (q, v): (&[f64], &[f64]),
    changes: &DMatrix<f64>,
) -> Result<DMatrix<f64>, OrbitError> {
    let model = chart.model();
    let columns: Vec<DVector<f64>> = changes
        .column_iter()
        .map(|column| {
            let (turn, push) = column.as_slice().split_at(model.dof());
            slope_of(column.amax(), |e| {
                let mut moved = q.to_vec();
                model.integrate(q, turn, e, &mut moved);
                let v = v.iter().zip(push).map(|(v, push)| v + e * push);
                Ok(chart.coordinates(&moved, &v.collect::<Vec<_>>()))
            })
        })
        .collect::<Result<_, OrbitError>>()?;
    Ok(DMatrix::from_columns(&columns))
}

/// (δq, δv) by the coordinates.
pub(in crate::study::orbit) fn directions(
    chart: &mut Chart<'_>,
    z: &DVector<f64>,
) -> Result<DMatrix<f64>, OrbitError> {
    let (q, _) = chart.state(z.as_slice())?;
    let columns: Vec<DVector<f64>> = (0..z.len())
        .map(|k| {
            slope_of(1.0, |e| {
                let mut moved = z.clone();
                moved[k] += e;
                let (there, v) = chart.state(moved.as_slice())?;
                let twist = twist_between(chart.model(), &q, &there);
                Ok(DVector::from([twist, v].concat()))
            })
        })
        .collect::<Result<_, OrbitError>>()?;
    Ok(DMatrix::from_columns(&columns))
}

/// Derivative at 0 of f along something of this size.
fn slope_of(
    size: f64,
    f: impl FnMut(f64) -> Result<DVector<f64>, OrbitError>,
) -> Result<DVector<f64>, OrbitError> {
    drawn_out_derivative(WIDTH / size.max(f64::MIN_POSITIVE), f).map(|(slope, _)| slope)
}

/// The change of configuration that leads from one to another near it: joint by joint, of a floating base its body twist
/// to third order in its turn.
fn twist_between(model: &Model, from: &[f64], to: &[f64]) -> Vec<f64> {
    let mut twist = vec![0.0; model.dof()];
    for body in model.bodies() {
        let (iq, iv) = (body.q_index, body.v_index);
        if body.kind != JointKind::Floating {
            twist[iv] = to[iq] - from[iq];
            continue;
        }
        let turn = rotation(&from[iq..]);
        let way = Vector3::from_fn(|k, _| to[iq + k] - from[iq + k]);
        let moved = turn.inverse() * way;
        let turned = (turn.inverse() * rotation(&to[iq..])).scaled_axis();
        // A twist moves along a screw: half of its turn is taken back.
        let along = moved - 0.5 * turned.cross(&moved);
        twist[iv..iv + 3].copy_from_slice(along.as_slice());
        twist[iv + 3..iv + 6].copy_from_slice(turned.as_slice());
    }
    twist
}

impl ReturnMap {
    /// As [`ReturnMap::apply`], and what becomes of `directions` (δq, δv) until there, 2n × m.
    pub fn differentiated(
        &mut self,
        q: &[f64],
        v: &[f64],
        directions: DMatrix<f64>,
    ) -> Result<(Stride, Option<DMatrix<f64>>), OrbitError> {
        self.carried = Some(directions);
        let done = self.apply(q, v);
        let carried = self.carried.take();
        Ok((done?, carried))
    }

    /// Carries the directions over the stride just done, which ended at the section or not; drops them where they have no
    /// derivative.
    pub(super) fn carry(&mut self, at_section: bool) -> Result<(), OrbitError> {
        let Some(directions) = self.carried.take() else {
            return Ok(());
        };
        let run = match self.simulation().recorded_derivative(&directions) {
            Ok(run) => run,
            Err(LinearizeError::Simulation(error)) => return Err(error.into()),
            Err(_) => return Ok(()),
        };
        let mut end = run.transition;
        if !at_section {
            self.carried = Some(end);
            return Ok(());
        }
        if let Some((slopes, by_time)) = self.slopes_of_crossing(&end, run.rate.as_ref())? {
            let Some(rate) = &run.rate else {
                return Ok(());
            };
            end += rate * (slopes / -by_time);
        }
        for [a, b] in self.swapped_rows() {
            end.swap_rows(a, b);
        }
        self.carried = Some(end);
        Ok(())
    }
}
