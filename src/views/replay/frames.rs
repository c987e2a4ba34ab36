//! Configurations over time for a replay, with the forces of held contacts.

use serde::Serialize;

use crate::contact::ContactFrame;
use crate::dynamics::Kinematics;
use crate::files::{pack_f32, pack_f64};
use crate::record::{EventRow, RunSeries};
use crate::scenario::Experiment;

/// Frames a second of simulated time, as many as a screen shows.
const FRAMES_PER_SECOND: f64 = 60.0;
/// Frames of a short run, which is looked at in slow motion.
const FEWEST_FRAMES: f64 = 1200.0;
/// Frames of a long run; with more, the file would grow without use.
const MOST_FRAMES: f64 = 12_000.0;

/// A force that would accelerate the robot by less is rounding \[m/s²\].
const ROUNDING_ACCELERATION: f64 = 1e-8;

/// Frames of a replay. The moments of events are always among them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReplayFrames {
    /// Times \[s\], packed.
    pub times: String,
    /// Configurations, one after the other, packed.
    pub q: String,
    /// Forces of held contacts, packed: for each the frame, the contact, the point \[m\], the mean force on the site over
    /// the row that the frame is in \[N\], and the unit normal, eleven numbers together.
    pub loads: String,
}

impl ReplayFrames {
    /// Takes frames from the rows of a run and its events.
    #[must_use]
    pub fn new(experiment: &Experiment, series: &RunSeries, events: &[EventRow]) -> Self {
        let columns: Vec<&[f64]> = (experiment.model.configuration_names().iter())
            .filter_map(|name| series.column(&format!("q_{name}")))
            .collect();
        let row = |i: usize| columns.iter().map(|c| c[i]).collect::<Vec<f64>>();
        let rows = chosen_rows(series.times());
        let mut frames: Vec<(f64, Vec<f64>)> = rows
            .into_iter()
            .map(|i| (series.times()[i], row(i)))
            .collect();
        let moments = events.iter().filter(|e| e.q.len() == columns.len());
        frames.extend(moments.map(|e| (e.time, e.q.clone())));
        // Stable: of one moment, the row stands before the events, which have the same configuration.
        frames.sort_by(|a, b| a.0.total_cmp(&b.0));
        frames.dedup_by(|a, b| a.0 == b.0);
        let loads = loads(experiment, series, &frames);
        Self {
            times: pack_f64(frames.iter().map(|f| f.0)),
            q: pack_f32(frames.iter().flat_map(|f| f.1.iter().copied())),
            loads: pack_f32(loads.into_iter().flatten()),
        }
    }
}

/// Rows at least a frame apart, with the first and the last; all of them when there are few.
fn chosen_rows(times: &[f64]) -> Vec<usize> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Vec::new();
    };
    let duration = last - first;
    let spacing = (1.0 / FRAMES_PER_SECOND)
        .min(duration / FEWEST_FRAMES)
        .max(duration / MOST_FRAMES);
    let mut rows = Vec::new();
    let mut next = *first;
    for (i, time) in times.iter().enumerate() {
        // A row that is early by a rounding is the one that is due.
        if *time >= next - 1e-6 * spacing || i + 1 == times.len() {
            rows.push(i);
            next = time + spacing;
        }
    }
    rows
}

fn loads(
    experiment: &Experiment,
    series: &RunSeries,
    frames: &[(f64, Vec<f64>)],
) -> Vec<[f64; 11]> {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let forces: Vec<[Option<&[f64]>; 3]> = (0..contacts.len())
        .map(|i| {
            let column =
                |what: &str| series.column(&format!("force_{}_{what}_N", contacts.name(i)));
            [column("n"), column("t1").or(column("t")), column("t2")]
        })
        .collect();
    let mut kinematics = Kinematics::<f64>::new(model);
    let least = ROUNDING_ACCELERATION * model.mass();
    let mut loads = Vec::new();
    let mut row = 0;
    for (k, (time, q)) in frames.iter().enumerate() {
        while row + 1 < series.times().len() && series.times()[row] < *time {
            row += 1;
        }
        let mut placed = false;
        for (i, columns) in forces.iter().enumerate() {
            let force = columns.map(|column| column.map_or(0.0, |values| values[row]));
            if force.iter().all(|x| x.abs() <= least) {
                continue;
            }
            if !placed {
                kinematics.clock.time = *time;
                kinematics.update_placements(model, q);
                placed = true;
            }
            let frame = contacts.frame(&kinematics, i);
            let (point, force) = in_world(&frame, force);
            let [x, y, z] = point;
            let [fx, fy, fz] = force;
            let [nx, ny, nz]: [f64; 3] = frame.normal.into();
            loads.push([k as f64, i as f64, x, y, z, fx, fy, fz, nx, ny, nz]);
        }
    }
    loads
}

/// Point of a contact \[m\] and a vector that is given by its components along normal and tangents.
pub(crate) fn in_world(frame: &ContactFrame<f64>, components: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let [normal, first, second] = components;
    let vector = frame.normal * normal + frame.tangents[0] * first + frame.tangents[1] * second;
    (frame.points[0].into(), vector.into())
}
