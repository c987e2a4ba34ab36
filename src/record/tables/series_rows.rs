//! The rows of `series.csv`.

use serde::{Deserialize, Serialize};
use std::io;

use super::csv_fields::csv_line;
use crate::contact::Contacts;
use crate::files::push_fields;
use crate::hybrid::{Simulation, SimulationError};
use crate::model::Model;
use crate::scenario::{Experiment, joints};

/// Impulses of held contacts since the last row of the series, saved with a run that is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldInterval {
    start: f64,
    impulses: Vec<[f64; 3]>,
}

impl HeldInterval {
    /// Nothing yet, from `time` \[s\] on.
    #[must_use]
    pub fn new(contacts: &Contacts, time: f64) -> Self {
        Self {
            start: time,
            impulses: vec![[0.0; 3]; contacts.len()],
        }
    }

    /// Takes in the last step.
    pub fn step(&mut self, simulation: &Simulation) {
        let last = simulation.held_impulses();
        for &i in simulation.pressed() {
            for (sum, x) in self.impulses[i].iter_mut().zip(last[i]) {
                *sum += x;
            }
        }
    }

    /// Number of contacts.
    pub(crate) fn contacts(&self) -> usize {
        self.impulses.len()
    }

    /// Whether all its numbers are.
    pub(crate) fn is_finite(&self) -> bool {
        self.start.is_finite() && self.impulses.iter().flatten().all(|x| x.is_finite())
    }

    fn restart(&mut self, time: f64) {
        self.start = time;
        self.impulses.fill([0.0; 3]);
    }

    /// Mean force of contact i until `time` \[N\].
    fn mean_force(&self, i: usize, component: usize, time: f64) -> f64 {
        let elapsed = time - self.start;
        if elapsed > 0.0 {
            self.impulses[i][component] / elapsed
        } else {
            0.0
        }
    }
}

/// Names of the tangential columns of a contact: none without friction, `t` in a plane, otherwise
/// `t1` and `t2`.
fn tangent_names(contacts: &Contacts, i: usize) -> &'static [&'static str] {
    match (contacts.friction(i) > 0.0, contacts.tangent_count(i)) {
        (false, _) => &[],
        (true, 1) => &["t"],
        (true, _) => &["t1", "t2"],
    }
}

/// Names of the columns of the series.
#[must_use]
pub fn series_names(model: &Model, contacts: &Contacts) -> Vec<String> {
    let mut names = vec!["time_s".to_string()];
    names.extend(model.configuration_names().iter().map(|n| format!("q_{n}")));
    names.extend(model.coordinate_names().iter().map(|n| format!("v_{n}")));
    names.extend(
        [
            "kinetic_J",
            "potential_J",
            "work_actuators_J",
            "work_dissipative_J",
            "work_impacts_J",
            "work_captured_J",
        ]
        .map(str::to_string),
    );
    if contacts.has_moving_surface() {
        names.push("work_surfaces_J".to_string());
    }
    names.push("energy_residual_J".to_string());
    for i in contacts.listed() {
        names.push(format!("gap_{}_m", contacts.name(i)));
        names.push(format!("force_{}_n_N", contacts.name(i)));
    }
    for i in contacts.listed() {
        for t in tangent_names(contacts, i) {
            names.push(format!("force_{}_{t}_N", contacts.name(i)));
        }
    }
    names
}

/// Names of the columns of efforts, one of each joint \[N m or N\].
pub fn effort_names(model: &Model) -> impl Iterator<Item = String> {
    joints(model).map(|body| format!("effort_{}", body.joint))
}

/// Header of the series of an experiment; efforts are in it where somebody drives joints.
///
/// # Errors
/// None: it is written to memory.
pub fn series_header(experiment: &Experiment) -> io::Result<Vec<u8>> {
    let model = &experiment.model;
    let mut names = series_names(model, &experiment.contacts);
    if is_driven(experiment) {
        names.extend(effort_names(model));
    }
    csv_line(names)
}

fn is_driven(experiment: &Experiment) -> bool {
    experiment.scenario.is_driven()
}

/// What the rows of one run have in common.
#[derive(Debug, Clone, Default)]
pub(in crate::record) struct RowBasis {
    /// Energy balance at the start of the run \[J\]; that of the first row if nothing else is known.
    start: Option<f64>,
    /// The contacts that have columns, with the number of their tangential ones; known with the first row.
    listed: Option<Vec<(usize, usize)>>,
}

/// Values of the columns of the series, appended to `row`; forces are means over the time since the
/// last row. `energy_residual_J` is the energy balance (energy less all work) less that at the start of the run.
///
/// # Errors
/// A singular mass matrix.
pub(in crate::record) fn series_values(
    simulation: &mut Simulation,
    interval: &mut HeldInterval,
    basis: &mut RowBasis,
    row: &mut Vec<f64>,
) -> Result<(), SimulationError> {
    let energies = simulation.energies()?;
    let balance = energies.balance();
    let time = simulation.time();
    let contacts = simulation.contacts();
    row.push(time);
    row.extend_from_slice(&simulation.state().q);
    row.extend_from_slice(simulation.known_velocity());
    row.extend([
        energies.kinetic,
        energies.potential,
        energies.work.actuators,
        energies.work.dissipative,
        energies.work.impacts,
        energies.work.captured,
    ]);
    if contacts.has_moving_surface() {
        row.push(energies.work.surfaces);
    }
    row.push(balance - *basis.start.get_or_insert(balance));
    let listed = basis.listed.get_or_insert_with(|| {
        (contacts.listed())
            .map(|i| (i, tangent_names(contacts, i).len()))
            .collect()
    });
    for &(i, _) in listed.iter() {
        row.extend([simulation.reported_gap(i), interval.mean_force(i, 0, time)]);
    }
    for &(i, tangents) in listed.iter() {
        row.extend((0..tangents).map(|t| interval.mean_force(i, 1 + t, time)));
    }
    interval.restart(time);
    Ok(())
}

/// Rows of the series as text, in buffers that every row uses again.
#[derive(Debug, Clone, Default)]
pub struct SeriesRow {
    basis: RowBasis,
    /// Velocities of the joints whose efforts are written.
    driven: Vec<usize>,
    values: Vec<f64>,
    text: Vec<u8>,
}

impl SeriesRow {
    /// Rows of a run whose energy balance began at `start` \[J\]; that of the first row where it is `None`.
    #[must_use]
    pub fn measured_from(start: Option<f64>) -> Self {
        let basis = RowBasis {
            start,
            listed: None,
        };
        Self {
            basis,
            ..Self::default()
        }
    }

    /// With the columns that [`series_header`] gives the experiment.
    #[must_use]
    pub(crate) fn with_efforts(mut self, experiment: &Experiment) -> Self {
        if is_driven(experiment) {
            self.driven = joints(&experiment.model).map(|body| body.v_index).collect();
        }
        self
    }

    /// The energy balance at the start of the run \[J\], once a row was made.
    #[must_use]
    pub fn start(&self) -> Option<f64> {
        self.basis.start
    }

    /// The row at the present moment, with its line end: its columns in the shortest numbers that read back to the
    /// same bits.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn text(
        &mut self,
        simulation: &mut Simulation,
        interval: &mut HeldInterval,
    ) -> Result<&[u8], SimulationError> {
        self.values.clear();
        self.text.clear();
        series_values(simulation, interval, &mut self.basis, &mut self.values)?;
        let efforts = simulation.efforts();
        self.values.extend(self.driven.iter().map(|v| efforts[*v]));
        push_fields(&self.values, &mut self.text);
        self.text.pop();
        self.text.push(b'\n');
        Ok(&self.text)
    }
}
