//! Many simulations at once, each from a row of states under a row of efforts.

use std::sync::Mutex;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::background::stoppable;
use super::event::unique;
use super::exchange::{Answered, argument, read_array, tuple};
use super::making::{Parts, Recipe, step};
use crate::hybrid::{BatchError, Event, Simulated, Simulation, run_batch};
use crate::stop::StopFlag;

/// Steps between two looks whether to stop.
const STEPS_PER_LOOK: usize = 16;

/// How one row ended.
struct Row {
    steps: usize,
    stopped: Option<String>,
    events: Vec<Event>,
}

/// The numbers that are given and asked for; shapes are checked.
struct Wanted<'a> {
    recipe: &'a Recipe,
    /// (batch, nq + nv).
    start: &'a [f64],
    /// (batch, steps, n or the number of actuated joints).
    control: Option<(&'a [f64], usize)>,
    actuated: Vec<usize>,
    seeds: Option<&'a [u64]>,
    steps: usize,
    stop: &'a StopFlag,
}

/// Where a row is written.
struct Written<'a> {
    state: &'a mut [f64],
    forces: &'a mut [f64],
}

impl Wanted<'_> {
    fn width(&self) -> usize {
        self.recipe.model.configuration_len() + self.recipe.model.dof()
    }

    fn row(&self, i: usize, out: &mut Written<'_>) -> Row {
        let mut row = Row {
            steps: 0,
            stopped: None,
            events: Vec::new(),
        };
        let nq = self.recipe.model.configuration_len();
        let (q, v) = self.start[i * self.width()..][..self.width()].split_at(nq);
        let seed = self.seeds.map(|seeds| seeds[i]);
        let mut simulation = match self.recipe.simulation(q, v, seed, true) {
            Ok(simulation) => simulation,
            Err(error) => {
                row.stopped = Some(error.to_string());
                return row;
            }
        };
        let mut efforts = vec![0.0; self.recipe.model.dof()];
        while row.steps < self.steps {
            if row.steps.is_multiple_of(STEPS_PER_LOOK) && self.stop.is_raised() {
                return row;
            }
            let applied = self.applied(i, row.steps, &mut efforts);
            let done = step(&mut simulation, applied.then_some(&efforts[..]))
                .and_then(|()| self.write(&mut simulation, row.steps, out));
            row.events.extend(simulation.take_events());
            if let Err(error) = done {
                row.stopped = Some(error.to_string());
                return row;
            }
            row.steps += 1;
        }
        row
    }

    /// Efforts of a step; false where there are none.
    fn applied(&self, i: usize, step: usize, efforts: &mut [f64]) -> bool {
        let Some((control, width)) = self.control else {
            return false;
        };
        let given = &control[(i * self.steps + step) * width..][..width];
        if width == efforts.len() {
            efforts.copy_from_slice(given);
        } else {
            for (&place, effort) in self.actuated.iter().zip(given) {
                efforts[place] = *effort;
            }
        }
        true
    }

    fn write(
        &self,
        simulation: &mut Simulation,
        step: usize,
        out: &mut Written<'_>,
    ) -> Result<(), crate::hybrid::SimulationError> {
        let nq = self.recipe.model.configuration_len();
        let state = &mut out.state[step * self.width()..][..self.width()];
        state[nq..].copy_from_slice(simulation.velocity()?);
        state[..nq].copy_from_slice(&simulation.state().q);
        if !out.forces.is_empty() {
            let h = simulation.settings().time_step;
            let count = 3 * self.recipe.contacts.len();
            let forces = out.forces[step * count..][..count].iter_mut();
            let impulses = simulation.held_impulses().iter().flatten();
            for (force, impulse) in forces.zip(impulses) {
                *force = impulse / h;
            }
        }
        Ok(())
    }
}

/// Rolls out a batch and returns arrays, for `carom.rollout`.
///
/// # Errors
/// Shapes that do not fit each other, a scenario that is wrong. A row that stops says so and ends no other.
#[pyfunction]
#[pyo3(signature = (
    source, state0, control, steps, settings, contacts, law, time_step, threads, seeds, forces
))]
pub fn rollout<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    state0: &Bound<'py, PyAny>,
    control: Option<&Bound<'py, PyAny>>,
    steps: Option<usize>,
    settings: Option<&Bound<'py, PyDict>>,
    contacts: Option<&Bound<'py, PyDict>>,
    law: Option<&Bound<'py, PyAny>>,
    time_step: Option<f64>,
    threads: Option<usize>,
    seeds: Option<Vec<u64>>,
    forces: bool,
) -> Answered<Bound<'py, PyDict>> {
    let parts = Parts {
        contacts,
        law,
        time_step,
    };
    let recipe = Recipe::new(source, settings, &parts)?;
    let width = recipe.model.configuration_len() + recipe.model.dof();
    let (shape, start) = read_array(state0, "state0")?;
    if shape.len() != 2 || shape[1] != width {
        return Err(argument(format!(
            "state0: its shape is {}, it must be (nbatch, {width}): configuration, then velocity",
            tuple(&shape)
        )));
    }
    let batch = shape[0];
    if threads.is_some_and(|threads| !(1..=1024).contains(&threads)) {
        return Err(argument("threads must be from 1 to 1024"));
    }
    if seeds.as_ref().is_some_and(|seeds| seeds.len() != batch) {
        return Err(argument(format!("seeds: there must be {batch} of them")));
    }
    let actuated = recipe.model.joint_coordinates();
    let control = control.map(|control| read_array(control, "control"));
    let control = control.transpose()?;
    let steps = match (&control, steps) {
        (Some((shape, _)), steps) => {
            let widths = [recipe.model.dof(), actuated.len()];
            let fits = shape.len() == 3 && shape[0] == batch && widths.contains(&shape[2]);
            if !fits || steps.is_some_and(|steps| steps != shape[1]) {
                return Err(argument(format!(
                    "control: its shape is {}, it must be ({batch}, nstep, {}) or ({batch}, nstep, {}) for the actuated joints",
                    tuple(shape),
                    widths[0],
                    widths[1]
                )));
            }
            shape[1]
        }
        (None, Some(steps)) => steps,
        (None, None) => return Err(argument("without control, steps must be given")),
    };
    let sizes = [batch, steps, width.max(3 * recipe.contacts.len())];
    let size = sizes.iter().try_fold(8_usize, |all, &n| all.checked_mul(n));
    if size.is_none_or(|size| size > isize::MAX as usize / 8) {
        return Err(argument(format!(
            "{batch} rows of {steps} steps are too many"
        )));
    }
    let mut state = filled(batch * steps * width)?;
    let force_width = if forces { 3 * recipe.contacts.len() } else { 0 };
    let mut force = filled(batch * steps * force_width)?;
    let ended = stoppable(py, |stop| {
        let wanted = Wanted {
            recipe: &recipe,
            start: &start,
            control: control.as_ref().map(|(shape, all)| (&all[..], shape[2])),
            actuated,
            seeds: seeds.as_deref(),
            steps,
            stop,
        };
        let mut states = state.chunks_mut((steps * width).max(1));
        let mut all_forces = force.chunks_mut((steps * force_width).max(1));
        let written: Vec<Mutex<Written<'_>>> = (0..batch)
            .map(|_| {
                Mutex::new(Written {
                    state: states.next().unwrap_or_default(),
                    forces: all_forces.next().unwrap_or_default(),
                })
            })
            .collect();
        run_batch::<Row, BatchError>(batch, threads, |i| {
            // Each is asked for once.
            let mut out = written[i].lock().unwrap_or_else(|held| held.into_inner());
            let row = wanted.row(i, &mut out);
            let simulated = Simulated {
                steps: row.steps as u64,
                time: 0.0,
            };
            Ok((row, simulated))
        })
    })??;
    let answer = PyDict::new(py);
    let shaped =
        |values: Vec<f64>, shape: &[usize]| PyArray1::from_vec(py, values).reshape(shape.to_vec());
    answer.set_item("state", shaped(state, &[batch, steps, width])?)?;
    if forces {
        let shape = [batch, steps, recipe.contacts.len(), 3];
        answer.set_item("forces", shaped(force, &shape)?)?;
    }
    let rows = &ended.results;
    let count = rows.iter().map(|row| row.steps as i64);
    answer.set_item("steps", PyArray1::from_iter(py, count))?;
    let stopped: Vec<_> = rows.iter().map(|row| row.stopped.as_deref()).collect();
    answer.set_item("stopped", stopped)?;
    answer.set_item("events", events(py, &recipe, rows)?)?;
    answer.set_item("nq", recipe.model.configuration_len())?;
    Ok(answer)
}

/// Numbers that are not there yet, as many as fit into memory.
fn filled(count: usize) -> Answered<Vec<f64>> {
    let mut all = Vec::new();
    all.try_reserve_exact(count)
        .map_err(|_| argument(format!("there is no memory for {count} numbers")))?;
    all.resize(count, f64::NAN);
    Ok(all)
}

/// The events of all rows as columns.
fn events<'py>(py: Python<'py>, recipe: &Recipe, rows: &[Row]) -> Answered<Bound<'py, PyDict>> {
    let all = || {
        let rows = rows.iter().enumerate();
        rows.flat_map(|(i, row)| row.events.iter().map(move |event| (i, event)))
    };
    let names = |which: &[usize]| recipe.contacts.names_of(which);
    let table = PyDict::new(py);
    let batch = all().map(|(i, _)| i as i64);
    table.set_item("batch", PyArray1::from_iter(py, batch))?;
    let times = all().map(|(_, event)| event.time);
    table.set_item("time", PyArray1::from_iter(py, times))?;
    let kinds: Vec<_> = all().map(|(_, event)| event.kind.word()).collect();
    table.set_item("kind", kinds)?;
    let contacts: Vec<_> = all().map(|(_, event)| names(&event.contacts)).collect();
    table.set_item("contacts", contacts)?;
    let impacts = || all().map(|(_, event)| event.impact.as_ref());
    let sequences = impacts().map(|impact| impact.map(|impact| names(&impact.sequence)));
    table.set_item("sequence", sequences.collect::<Vec<_>>())?;
    let verdicts: Vec<_> = all().map(|(_, event)| unique(event)).collect();
    table.set_item("unique", verdicts)?;
    let outcomes = impacts().map(|impact| impact.map(|impact| impact.uniqueness.outcomes()));
    table.set_item("outcomes", outcomes.collect::<Vec<_>>())?;
    let apart = impacts().map(|impact| impact.map(|impact| impact.uniqueness.indeterminacy()));
    table.set_item("indeterminacy", apart.collect::<Vec<_>>())?;
    let normal = |impulses: &Vec<[f64; 3]>| impulses.iter().map(|x| x[0]).collect::<Vec<f64>>();
    let impulses = impacts().map(|impact| impact.map(|impact| normal(&impact.impulses)));
    table.set_item("normal_impulses", impulses.collect::<Vec<_>>())?;
    Ok(table)
}
