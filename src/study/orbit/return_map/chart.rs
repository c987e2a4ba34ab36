//! Coordinates of the states on the section: what is free where contacts are held.
//!
//! Held contacts keep their gaps at zero and, where they stick, their points at rest. Of the coordinates x = (δ, v), δ the
//! displacement from a reference configuration (positions; for a floating base the way of its origin in the world and the
//! rotation vector in its own frame), elimination with pivoting chooses which of them those conditions determine; the
//! others, without those along which the motion may drift, are the chart. A contact that has just struck and rebounds, where
//! the section is that, is closed as well; its rate is free.

use std::f64::consts::TAU;

use nalgebra::{DMatrix, DVector, Quaternion, UnitQuaternion, Vector3};

use crate::contact::Contacts;
use crate::dynamics::Kinematics;
use crate::model::{Base, JointKind, Model};
use crate::study::orbit::OrbitError;

/// A pivot below this share of the first is a condition that others imply.
const DEPENDENT: f64 = 1e-9;
/// Conditions are met to this [m, m/s].
const MET: f64 = 1e-14;
/// Newton iterations towards the conditions.
const ITERATIONS: usize = 30;
const NUDGE: f64 = 1e-6;
/// The heading of a floating base among the entries of δ: its turn about its own vertical axis.
pub(in crate::study::orbit) const HEADING: usize = 5;

pub(in crate::study::orbit) struct Chart<'a> {
    model: &'a Model,
    contacts: &'a Contacts,
    kinematics: Kinematics<f64>,
    /// Contacts that are held, and whether they stick.
    held: Vec<(usize, bool)>,
    /// A contact that is closed and not held.
    struck: Option<usize>,
    reference: (Vec<f64>, Vec<f64>),
    /// Entries of δ and of v that conditions determine.
    bound: [Vec<usize>; 2],
    /// Entries of δ and of v in the chart.
    free: [Vec<usize>; 2],
    /// Entries of δ along which the motion may drift.
    drift: Vec<usize>,
    /// Whether the heading may drift: states are turned about the vertical to that of the reference.
    turns: bool,
}

impl<'a> Chart<'a> {
    /// A chart around a state, where `struck` has just struck; `drift` are entries of δ, `bound` those of δ and v that conditions determine, where they are
    /// chosen already.
    pub fn new(
        model: &'a Model,
        contacts: &'a Contacts,
        held: Vec<(usize, bool)>,
        struck: Option<usize>,
        (q, v): (&[f64], &[f64]),
        drift: &[usize],
        bound: Option<&[Vec<usize>; 2]>,
    ) -> Self {
        let mut chart = Self {
            model,
            contacts,
            kinematics: Kinematics::new(model),
            struck: struck.filter(|i| held.iter().all(|(other, _)| other != i)),
            held,
            reference: (q.to_vec(), v.to_vec()),
            bound: [Vec::new(), Vec::new()],
            free: [Vec::new(), Vec::new()],
            drift: drift.to_vec(),
            turns: model.base() == Base::Floating && drift.contains(&HEADING),
        };
        let n = model.dof();
        chart.bound = bound.cloned().unwrap_or_else(|| {
            let place = vec![0.0; n];
            let positions = chart.slopes(&place, v, 0);
            let velocities = chart.slopes(&place, v, 1);
            [
                pivots(positions, |k| drift.contains(&k)),
                pivots(velocities, |_| false),
            ]
        });
        let free = |bound: &[usize], drift: &[usize]| {
            let entries = (0..n).filter(|k| !bound.contains(k) && !drift.contains(k));
            entries.collect::<Vec<_>>()
        };
        chart.free = [free(&chart.bound[0], drift), free(&chart.bound[1], &[])];
        chart
    }

    /// The robot.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.free[0].len() + self.free[1].len()
    }

    /// Entries of δ and of v that conditions determine.
    pub fn bound(&self) -> &[Vec<usize>; 2] {
        &self.bound
    }

    /// Names of the coordinates: `q_` and `v_` with those of the robot.
    pub fn names(&self) -> Vec<String> {
        let names = self.model.coordinate_names();
        let of = |letter: &str, entries: &[usize]| -> Vec<String> {
            let named = entries.iter().map(|&k| {
                // The way and the turn of a floating base have no names among its positions.
                format!("{letter}_{}", names[k])
            });
            named.collect()
        };
        [of("q", &self.free[0]), of("v", &self.free[1])].concat()
    }

    /// The state with these coordinates.
    pub fn state(&mut self, z: &[f64]) -> Result<(Vec<f64>, Vec<f64>), OrbitError> {
        let mut place = vec![0.0; self.model.dof()];
        let mut v = self.reference.1.clone();
        let (positions, rates) = z.split_at(self.free[0].len());
        for (&k, &x) in self.free[0].iter().zip(positions) {
            place[k] = x;
        }
        for (&k, &x) in self.free[1].iter().zip(rates) {
            v[k] = x;
        }
        for kind in 0..2 {
            self.meet(&mut place, &mut v, kind)?;
        }
        Ok((self.moved(&place), v))
    }

    /// The coordinates of a state near the reference.
    pub fn coordinates(&self, q: &[f64], v: &[f64]) -> DVector<f64> {
        let mut place = self.displacement(q);
        if self.turns {
            let (turned, _) = self.without_heading(q);
            place[3..6].copy_from_slice(turned.as_slice());
        }
        let positions = self.free[0].iter().map(|&k| place[k]);
        let rates = self.free[1].iter().map(|&k| v[k]);
        DVector::from_iterator(self.len(), positions.chain(rates))
    }

    /// Displacement δ of a configuration from the reference.
    pub fn displacement(&self, q: &[f64]) -> Vec<f64> {
        let from = &self.reference.0;
        let mut place = vec![0.0; self.model.dof()];
        for body in self.model.bodies() {
            let (iq, iv) = (body.q_index, body.v_index);
            if body.kind == JointKind::Floating {
                for k in 0..3 {
                    place[iv + k] = q[iq + k] - from[iq + k];
                }
                let turned = rotation(&from[iq..]).inverse() * rotation(&q[iq..]);
                let axis = turned.scaled_axis();
                place[iv + 3..iv + 6].copy_from_slice(axis.as_slice());
            } else {
                let turns = body.kind == JointKind::Revolute && body.limits.position.is_none();
                let way = q[iq] - from[iq];
                // A joint that turns on and on is where it was after a whole turn.
                place[iv] = if turns {
                    way - TAU * (way / TAU).round()
                } else {
                    way
                };
            }
        }
        place
    }

    /// How far apart two states are in what the conditions determine [m, rad, m/s, rad/s]: nothing on an orbit, however
    /// near its coordinates are.
    pub fn apart(&self, (q, v): (&[f64], &[f64]), (there, moving): (&[f64], &[f64])) -> f64 {
        let places = [q, there].map(|q| {
            let mut place = self.displacement(q);
            if self.turns {
                let (turned, _) = self.without_heading(q);
                place[3..6].copy_from_slice(turned.as_slice());
            }
            place
        });
        let bound = (self.bound[0].iter()).filter(|k| !self.drift.contains(k));
        let positions = bound.map(|&k| places[0][k] - places[1][k]);
        let rates = self.bound[1].iter().map(|&k| v[k] - moving[k]);
        positions.chain(rates).fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    /// How far a floating base has turned about the vertical since the reference \[rad\].
    pub fn heading(&self, q: &[f64]) -> f64 {
        self.without_heading(q).1
    }

    /// The turn of a floating base from the reference, in its own frame, after it was turned back about the vertical of the
    /// world so far that nothing of it is about its own vertical; and how far that is.
    fn without_heading(&self, q: &[f64]) -> (Vector3<f64>, f64) {
        let (from, to) = (rotation(&self.reference.0), rotation(q));
        let mut heading = 0.0;
        let mut turned = Vector3::zeros();
        // The slope is −1 but for the tilt of the reference.
        for _ in 0..ITERATIONS {
            let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -heading);
            turned = (from.inverse() * back * to).scaled_axis();
            heading += turned.z;
            if turned.z.abs() <= MET {
                break;
            }
        }
        (turned, heading)
    }

    fn moved(&self, place: &[f64]) -> Vec<f64> {
        let mut q = self.reference.0.clone();
        for body in self.model.bodies() {
            let (iq, iv) = (body.q_index, body.v_index);
            if body.kind == JointKind::Floating {
                for k in 0..3 {
                    q[iq + k] += place[iv + k];
                }
                let turn = UnitQuaternion::from_scaled_axis(Vector3::from_column_slice(
                    &place[iv + 3..iv + 6],
                ));
                let turned = rotation(&q[iq..]) * turn;
                let c = turned.quaternion().coords;
                q[iq + 3..iq + 7].copy_from_slice(c.as_slice());
            } else {
                q[iq] += place[iv];
            }
        }
        q
    }

    /// Gaps of closed contacts (kind 0), or their normal and, where they stick, tangential velocities (kind 1).
    fn conditions(&mut self, place: &[f64], v: &[f64], kind: usize) -> Vec<f64> {
        let q = self.moved(place);
        self.kinematics.update_placements(self.model, &q);
        if kind == 0 {
            let closed = self.held.iter().map(|(i, _)| *i).chain(self.struck);
            return closed
                .map(|i| self.contacts.mechanical_gap(&self.kinematics, i))
                .collect();
        }
        self.kinematics.update_twists(self.model, v);
        let mut rates = Vec::new();
        for (i, sticks) in &self.held {
            if self.contacts.is_limit(*i) {
                rates.push(self.contacts.gap_rate(&self.kinematics, *i));
                continue;
            }
            let frame = self.contacts.frame(&self.kinematics, *i);
            rates.push(frame.rate(&self.kinematics));
            if *sticks {
                let slip = frame.slip(&self.kinematics);
                rates.extend_from_slice(&slip[..self.contacts.tangent_count(*i)]);
            }
        }
        rates
    }

    /// Derivatives of the conditions: of kind 0 with respect to δ, of kind 1 (which are linear in it) to v.
    fn slopes(&mut self, place: &[f64], v: &[f64], kind: usize) -> DMatrix<f64> {
        let n = self.model.dof();
        let rows = self.conditions(place, v, kind).len();
        let mut slopes = DMatrix::zeros(rows, n);
        for k in 0..n {
            let ends = [-NUDGE, NUDGE].map(|nudge| {
                let (mut place, mut v) = (place.to_vec(), v.to_vec());
                if kind == 0 {
                    place[k] += nudge;
                } else {
                    v[k] += nudge;
                }
                self.conditions(&place, &v, kind)
            });
            for row in 0..rows {
                slopes[(row, k)] = (ends[1][row] - ends[0][row]) / (2.0 * NUDGE);
            }
        }
        slopes
    }

    /// Newton on the bound entries until the conditions are met.
    fn meet(&mut self, place: &mut [f64], v: &mut [f64], kind: usize) -> Result<(), OrbitError> {
        let mut left = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let found = DVector::from(self.conditions(place, v, kind));
            let now = if found.is_empty() { 0.0 } else { found.amax() };
            if now <= MET || now >= left && now < 1e-11 {
                return Ok(());
            }
            left = now;
            let all = self.slopes(place, v, kind);
            let bound = self.bound[kind].clone();
            let own = all.select_columns(&bound);
            let step = own.svd(true, true).solve(&found, 1e-12);
            let Ok(step) = step else {
                return Err(OrbitError::OffSection { left });
            };
            for (&k, x) in bound.iter().zip(step.iter()) {
                if kind == 0 {
                    place[k] -= x;
                } else {
                    v[k] -= x;
                }
            }
        }
        if left < 1e-10 {
            return Ok(());
        }
        Err(OrbitError::OffSection { left })
    }
}

pub(super) fn rotation(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]))
}

/// Columns that elimination with full pivoting chooses, those of `last` only where no others are left.
fn pivots(mut rows: DMatrix<f64>, last: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut used = vec![false; rows.nrows()];
    let scale = if rows.is_empty() { 0.0 } else { rows.amax() };
    for late in [false, true] {
        loop {
            let mut best = (DEPENDENT * scale, None);
            for row in (0..rows.nrows()).filter(|r| !used[*r]) {
                for column in (0..rows.ncols()).filter(|c| last(*c) == late && !chosen.contains(c))
                {
                    if rows[(row, column)].abs() > best.0 {
                        best = (rows[(row, column)].abs(), Some((row, column)));
                    }
                }
            }
            let Some((row, column)) = best.1 else {
                break;
            };
            used[row] = true;
            chosen.push(column);
            let pivot = rows.row(row).into_owned();
            for other in (0..rows.nrows()).filter(|r| !used[*r]) {
                let share = rows[(other, column)] / pivot[column];
                for k in 0..rows.ncols() {
                    rows[(other, k)] -= share * pivot[k];
                }
            }
        }
    }
    chosen.sort_unstable();
    chosen
}
