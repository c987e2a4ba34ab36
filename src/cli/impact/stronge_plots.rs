//! Pictures of one frictional impact: hodograph, impulses, and a bundle of hodographs ([JW] Figs. 4 to 8).

use std::error::Error;
use std::f64::consts::TAU;

use carom::impact::stronge::{InvariantKind, StrongeCurve};
use carom::impact::{ImpactError, ImpactProblem, PreImpact, Stronge};
use nalgebra::DVector;

use super::super::figure::plane_figure::{Layer, PlaneFigure, Shape};

/// Hodographs of a bundle, as many as in [JW] Fig. 6.
const BUNDLE: usize = 15;
const SAMPLES: usize = 201;

/// File names and SVG texts.
pub fn draw(
    law: &mut Stronge,
    problem: &ImpactProblem,
    curve: &StrongeCurve,
) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let tangents = problem.contact_space().contacts[0].tangents;
    let mut plots = vec![("impulses.svg".to_string(), impulses(curve, tangents)?)];
    match tangents {
        2 => {
            plots.push(("hodograph.svg".to_string(), hodograph(curve)?));
            plots.push(("bundle.svg".to_string(), bundle(law, problem, curve)?));
        }
        1 => plots.push(("hodograph.svg".to_string(), planar_hodograph(curve)?)),
        _ => {}
    }
    Ok(plots)
}

/// Places of the events with their letters: c end of compression, r end of restitution, s sticking, l start on
/// an invariant direction.
fn notes(curve: &StrongeCurve, place: impl Fn(usize) -> [f64; 2]) -> Vec<(String, [f64; 2])> {
    let samples = curve.samples.iter().enumerate();
    samples
        .filter_map(|(i, s)| Some((s.event?.to_string(), place(i))))
        .collect()
}

fn event_layer(notes: &[(String, [f64; 2])]) -> Layer {
    let places = notes.iter().map(|(_, place)| *place).collect();
    Layer::named("events c, r, s, l", 6, Shape::Circles, places)
}

/// The invariant directions as rays of the given length.
fn invariant_layers(curve: &StrongeCurve, length: f64) -> Vec<Layer> {
    [
        (InvariantKind::Centripetal, "centripetal direction", 0),
        (InvariantKind::Centrifugal, "centrifugal direction", 1),
    ]
    .into_iter()
    .flat_map(|(kind, name, colour)| {
        let rays = curve
            .invariant_directions
            .iter()
            .filter(move |d| d.kind == kind);
        rays.enumerate().map(move |(i, d)| Layer {
            name: (i == 0).then(|| name.to_string()),
            colour,
            shape: Shape::Dashed,
            points: vec![[0.0, 0.0], [length * d.angle.cos(), length * d.angle.sin()]],
        })
    })
    .collect()
}

fn path(curve: &StrongeCurve) -> Vec<[f64; 2]> {
    curve.samples.iter().map(|s| s.sliding_velocity).collect()
}

fn longest(points: &[[f64; 2]]) -> f64 {
    points
        .iter()
        .fold(0.0, |m, p| f64::max(m, p[0].hypot(p[1])))
}

fn hodograph(curve: &StrongeCurve) -> Result<String, Box<dyn Error>> {
    let gamma = path(curve);
    let notes = notes(curve, |i| curve.samples[i].sliding_velocity);
    let mut layers = invariant_layers(curve, 1.1 * longest(&gamma));
    layers.push(Layer::named(
        "start",
        6,
        Shape::Crosses,
        gamma[..1].to_vec(),
    ));
    layers.push(Layer::named("hodograph", 2, Shape::Line, gamma));
    layers.push(event_layer(&notes));
    PlaneFigure {
        title: "Hodograph: sliding velocity during the impact".to_string(),
        axes: [
            "sliding velocity along the first tangent (m/s)".to_string(),
            "along the second tangent (m/s)".to_string(),
        ],
        equal: true,
        layers,
        notes,
    }
    .draw()
}

fn planar_hodograph(curve: &StrongeCurve) -> Result<String, Box<dyn Error>> {
    let place = |i: usize| {
        let s = &curve.samples[i];
        [s.normal_impulse, s.sliding_velocity[0]]
    };
    let notes = notes(curve, place);
    let line = (0..curve.samples.len()).map(place).collect();
    PlaneFigure {
        title: "Sliding velocity during the impact".to_string(),
        axes: [
            "normal impulse (N s)".to_string(),
            "sliding velocity (m/s)".to_string(),
        ],
        equal: false,
        layers: vec![
            Layer::named("sliding velocity", 2, Shape::Line, line),
            event_layer(&notes),
        ],
        notes,
    }
    .draw()
}

fn impulses(curve: &StrongeCurve, tangents: usize) -> Result<String, Box<dyn Error>> {
    let samples = &curve.samples;
    let mut layers = Vec::new();
    let mut notes_ = Vec::new();
    for t in 0..tangents.max(1) {
        let along = |i: usize| {
            let s = &samples[i];
            [s.normal_impulse, s.tangential_impulse[t]]
        };
        let name = ["along the first tangent", "along the second tangent"][t];
        let line = (0..samples.len()).map(along).collect();
        layers.push(Layer::named(name, 2 * t, Shape::Line, line));
        // Sticking impulses advance along the line of sticking through the impulse of event s.
        let stick = (0..samples.len()).find(|&i| samples[i].event == Some('s'));
        if let (Some(i), Some(slope)) = (stick, curve.sticking_slope) {
            let [iz, it] = along(i);
            let through = |x: f64| [x, it + slope[t] * (x - iz)];
            let end = samples.last().map_or(iz, |s| s.normal_impulse);
            layers.push(Layer {
                name: (t == 0).then(|| "line of sticking".to_string()),
                colour: 3,
                shape: Shape::Dashed,
                points: vec![through(0.0), through(end)],
            });
        }
        notes_.extend(notes(curve, along));
    }
    layers.push(event_layer(&notes_));
    PlaneFigure {
        title: "Impulse curve".to_string(),
        axes: [
            "normal impulse (N s)".to_string(),
            "tangential impulse (N s)".to_string(),
        ],
        equal: false,
        layers,
        notes: notes_,
    }
    .draw()
}

/// The same impact begun with sliding velocities of one length in all directions.
fn bundle(
    law: &mut Stronge,
    problem: &ImpactProblem,
    curve: &StrongeCurve,
) -> Result<String, Box<dyn Error>> {
    let gamma = path(curve);
    let speed = gamma[0][0].hypot(gamma[0][1]);
    let speed = if speed > 0.0 { speed } else { longest(&gamma) };
    if speed == 0.0 {
        return hodograph(curve);
    }
    let mut layers = Vec::new();
    let mut far: f64 = speed;
    for k in 0..BUNDLE {
        let angle = TAU * k as f64 / BUNDLE as f64;
        let turned = sliding(problem, [speed * angle.cos(), speed * angle.sin()])?;
        let line = path(&law.curve(&turned, SAMPLES)?);
        far = far.max(longest(&line));
        layers.push(Layer {
            name: (k == 0).then(|| "hodographs".to_string()),
            colour: 2,
            shape: Shape::Line,
            points: line,
        });
    }
    layers.extend(invariant_layers(curve, 1.1 * far));
    PlaneFigure {
        title: format!("{BUNDLE} hodographs from one sliding speed"),
        axes: [
            "sliding velocity along the first tangent (m/s)".to_string(),
            "along the second tangent (m/s)".to_string(),
        ],
        equal: true,
        layers,
        notes: Vec::new(),
    }
    .draw()
}

/// The same contact with another sliding velocity before the impact.
fn sliding(problem: &ImpactProblem, gamma: [f64; 2]) -> Result<ImpactProblem, ImpactError> {
    let space = problem.contact_space();
    let wanted = DVector::from_vec(vec![space.velocity[0], gamma[0], gamma[1]]);
    let impulse = space
        .delassus
        .clone()
        .cholesky()
        .ok_or_else(|| ImpactError::Unsupported {
            law: "stronge",
            reason: "the contact's rows are not independent".to_string(),
        })?
        .solve(&(wanted - &space.velocity));
    ImpactProblem::new(
        problem.mass_matrix().clone(),
        PreImpact::Momentum(problem.momentum_after(&impulse)),
        &[problem.contact(0)],
    )
}
