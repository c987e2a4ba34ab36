//! Pictures of orbits and branches: multipliers, phase portraits, bifurcation diagrams.

use std::error::Error;
use std::f64::consts::TAU;

use carom::model::{JointKind, Model};
use carom::study::orbit::{BifurcationKind, Orbit, OrbitPiece, Scan, ScanPoint};

use crate::cli::figure::plane_figure::{Layer, PlaneFigure, Shape};

/// File name and SVG text.
pub type Picture = (String, String);

const CIRCLE_POINTS: usize = 72;

fn unit_circle() -> Layer {
    let point = |k: usize| {
        let angle = TAU * k as f64 / CIRCLE_POINTS as f64;
        [angle.cos(), angle.sin()]
    };
    Layer::named(
        "unit circle",
        6,
        Shape::Line,
        (0..=CIRCLE_POINTS).map(point).collect(),
    )
}

/// Multipliers of one orbit in the complex plane; none without a derivative.
pub fn multipliers(orbit: &Orbit) -> Result<Option<Picture>, Box<dyn Error>> {
    if orbit.multipliers.is_empty() {
        return Ok(None);
    }
    let inside = |m: &&[f64; 2]| m[0].hypot(m[1]) < 1.0;
    let all = || orbit.multipliers.iter();
    let [within, beyond]: [Vec<[f64; 2]>; 2] = [
        all().filter(inside).copied().collect(),
        all().filter(|m| !inside(m)).copied().collect(),
    ];
    let mut layers = vec![unit_circle()];
    for (name, colour, points) in [("inside", 0, within), ("outside or on it", 1, beyond)] {
        if !points.is_empty() {
            layers.push(Layer::named(name, colour, Shape::Crosses, points));
        }
    }
    let figure = PlaneFigure {
        title: "Multipliers".to_string(),
        axes: ["real part", "imaginary part"].map(str::to_string),
        equal: true,
        layers,
        notes: Vec::new(),
    };
    Ok(Some(("multipliers.svg".to_string(), figure.draw()?)))
}

/// A phase portrait of every coordinate that does not drift, with its jumps.
pub fn portraits(
    model: &Model,
    drift: &[String],
    pieces: &[OrbitPiece],
) -> Result<Vec<Picture>, Box<dyn Error>> {
    let mut pictures = Vec::new();
    for body in model.bodies() {
        let names = [
            &model.configuration_names()[body.q_index],
            &model.coordinate_names()[body.v_index],
        ];
        if body.kind == JointKind::Floating || drift.contains(names[0]) {
            continue;
        }
        let [unit, rate] = match body.kind {
            JointKind::Prismatic => ["m", "m/s"],
            _ => ["rad", "rad/s"],
        };
        let curve = |piece: &OrbitPiece| {
            let points = piece.q.iter().zip(&piece.v);
            points
                .map(|(q, v)| [q[body.q_index], v[body.v_index]])
                .collect::<Vec<_>>()
        };
        let curves: Vec<Vec<[f64; 2]>> = pieces.iter().map(curve).collect();
        let start = curves.iter().flatten().next().copied();
        let mut layers = Vec::new();
        for (k, points) in curves.iter().enumerate() {
            layers.push(Layer {
                name: (k == 0).then(|| "motion".to_string()),
                colour: 0,
                shape: Shape::Line,
                points: points.clone(),
            });
        }
        let ends = curves.windows(2).filter_map(|pair| {
            let (from, to) = (*pair[0].last()?, *pair[1].first()?);
            // What the strike leaves as it is has no jump.
            ((from[1] - to[1]).abs() > 1e-9).then(|| vec![from, to])
        });
        for (k, points) in ends.enumerate() {
            layers.push(Layer {
                name: (k == 0).then(|| "jump at an impact".to_string()),
                colour: 1,
                shape: Shape::Dashed,
                points,
            });
        }
        if let Some(start) = start {
            layers.push(Layer::named("section", 2, Shape::Circles, vec![start]));
        }
        let moves = curves.iter().flatten();
        if moves.clone().all(|p| Some(*p) == start) {
            continue;
        }
        let figure = PlaneFigure {
            title: format!("Orbit: {}", names[0]),
            axes: [
                format!("{} [{unit}]", names[0]),
                format!("rate of {} [{rate}]", names[0]),
            ],
            equal: false,
            layers,
            notes: Vec::new(),
        };
        pictures.push((format!("phase_{}.svg", plain(names[0])), figure.draw()?));
    }
    Ok(pictures)
}

/// A name that a file may have.
fn plain(name: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || "._-".contains(c);
    name.chars()
        .map(|c| if keep(c) { c } else { '_' })
        .collect()
}

/// A place on the branch: its length there, and what is drawn of it.
struct Place {
    arc: f64,
    parameter: f64,
    /// Whether it is stable; none where that is not known, and at a bifurcation.
    stable: Option<bool>,
    /// It belongs to both sides.
    joint: bool,
    height: f64,
}

/// One diagram for each coordinate of the section, one of the period, and the way of the multipliers.
pub fn branch(model: &Model, scan: &Scan) -> Result<Vec<Picture>, Box<dyn Error>> {
    let mut pictures = Vec::new();
    let Some(first) = scan.points.first() else {
        return Ok(pictures);
    };
    for name in &first.orbit.coordinates {
        let unit = unit_of(model, name);
        let height = |orbit: &Orbit| orbit.section_point.get(name).copied();
        let at = |bifurcation: usize| {
            let state = &scan.bifurcations[bifurcation].state;
            let (kind, own) = name.split_at(2);
            let table = if kind == "q_" { &state.q } else { &state.v };
            table.get(own).copied()
        };
        let axis = format!("{name} on the section [{unit}]");
        let figure = diagram(scan, &axis, &height, &at);
        pictures.push((format!("bifurcation_{}.svg", plain(name)), figure.draw()?));
    }
    let period = |orbit: &Orbit| Some(orbit.period_s);
    let at = |k: usize| Some(scan.bifurcations[k].period_s);
    let lengths = scan.points.iter().map(|p| p.orbit.period_s);
    let (low, high) = lengths.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    // A forced orbit has the period of its force.
    if high - low > 1e-9 * high {
        let figure = diagram(scan, "period [s]", &period, &at);
        pictures.push(("bifurcation_period.svg".to_string(), figure.draw()?));
    }
    let at = |k: usize| {
        let [re, im] = scan.bifurcations[k].multiplier;
        Some(re.hypot(im))
    };
    if scan.points.iter().any(|p| !p.orbit.multipliers.is_empty()) {
        let figure = diagram(
            scan,
            "largest modulus of a multiplier",
            &Orbit::largest_multiplier,
            &at,
        );
        pictures.push(("bifurcation_modulus.svg".to_string(), figure.draw()?));
        pictures.push(("multipliers.svg".to_string(), way(scan).draw()?));
    }
    Ok(pictures)
}

/// The unit of a coordinate of the section.
pub fn unit_of(model: &Model, name: &str) -> &'static str {
    let (kind, own) = name.split_at(2);
    let names = [model.configuration_names(), model.coordinate_names()];
    let of = model.bodies().iter().find(|body| {
        let index = [body.q_index, body.v_index];
        (0..2).any(|k| names[k].get(index[k]).is_some_and(|n| n == own))
    });
    let slides = match of {
        Some(body) if body.kind != JointKind::Floating => body.kind == JointKind::Prismatic,
        // The way and the turn of a floating base.
        _ => !own.contains(".w"),
    };
    match (kind == "q_", slides) {
        (true, true) => "m",
        (true, false) => "rad",
        (false, true) => "m/s",
        (false, false) => "rad/s",
    }
}

type Height<'a> = &'a dyn Fn(&Orbit) -> Option<f64>;

/// A quantity over the parameter: stable orbits solid, unstable ones dashed, those without a derivative as dots.
fn diagram(
    scan: &Scan,
    axis: &str,
    height: Height<'_>,
    at: &dyn Fn(usize) -> Option<f64>,
) -> PlaneFigure {
    let mut places: Vec<Place> = Vec::new();
    let mut add = |point: &ScanPoint| {
        if let Some(y) = height(&point.orbit) {
            places.push(Place {
                arc: point.arc_length,
                parameter: point.parameter,
                stable: point.orbit.stable,
                joint: false,
                height: y,
            });
        }
    };
    scan.path.iter().for_each(&mut add);
    scan.points.iter().for_each(&mut add);
    for (k, found) in scan.bifurcations.iter().enumerate() {
        if let Some(y) = at(k) {
            places.push(Place {
                arc: found.arc_length,
                parameter: found.parameter,
                stable: None,
                joint: true,
                height: y,
            });
        }
    }
    places.sort_by(|a, b| a.arc.total_cmp(&b.arc));
    let mut layers: Vec<Layer> = Vec::new();
    let style = |stable: Option<bool>| match stable {
        Some(true) => ("stable", 0, Shape::Line),
        Some(false) => ("unstable", 1, Shape::Dashed),
        None => ("not decided", 6, Shape::Dots),
    };
    let mut open: Option<(Option<bool>, Vec<[f64; 2]>)> = None;
    let mut pieces: Vec<(Option<bool>, Vec<[f64; 2]>)> = Vec::new();
    let mut last: Option<[f64; 2]> = None;
    for place in &places {
        let point = [place.parameter, place.height];
        match &mut open {
            Some((_, points)) if place.joint => points.push(point),
            Some((stable, points)) if *stable == place.stable => points.push(point),
            _ if place.joint => {}
            _ => {
                pieces.extend(open.take());
                let joined = last.into_iter().chain([point]).collect();
                open = Some((place.stable, joined));
            }
        }
        last = Some(point);
    }
    pieces.extend(open);
    // Stable ones first in the legend.
    pieces.sort_by_key(|(stable, _)| match stable {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    });
    for (stable, points) in pieces {
        let (name, colour, shape) = style(stable);
        let known = layers
            .iter()
            .any(|l: &Layer| l.name.as_deref() == Some(name));
        layers.push(Layer {
            name: (!known).then(|| name.to_string()),
            colour,
            shape,
            points,
        });
    }
    for (kind, name, colour, shape) in MARKERS {
        let found = scan.bifurcations.iter().enumerate();
        let points = found
            .filter(|(_, b)| b.kind == kind)
            .filter_map(|(k, b)| Some([b.parameter, at(k)?]));
        let points: Vec<[f64; 2]> = points.collect();
        if !points.is_empty() {
            layers.push(Layer::named(name, colour, shape, points));
        }
    }
    PlaneFigure {
        title: format!("Orbits over {}", scan.key),
        axes: [scan.key.clone(), axis.to_string()],
        equal: false,
        layers,
        notes: Vec::new(),
    }
}

const MARKERS: [(BifurcationKind, &str, usize, Shape); 4] = [
    (BifurcationKind::Fold, "fold", 2, Shape::Circles),
    (
        BifurcationKind::PeriodDoubling,
        "period doubling",
        3,
        Shape::Squares,
    ),
    (
        BifurcationKind::NeimarkSacker,
        "Neimark-Sacker",
        4,
        Shape::Triangles,
    ),
    (
        BifurcationKind::BranchPoint,
        "branch point",
        6,
        Shape::Crosses,
    ),
];

/// The multipliers of all orbits of a branch in the complex plane.
fn way(scan: &Scan) -> PlaneFigure {
    let all = scan.path.iter().chain(&scan.points);
    let points = all.flat_map(|p| p.orbit.multipliers.iter().copied());
    let mut layers = vec![
        unit_circle(),
        Layer::named("along the branch", 0, Shape::Dots, points.collect()),
    ];
    for (kind, name, colour, shape) in MARKERS {
        let found = scan.bifurcations.iter().filter(|b| b.kind == kind);
        let points: Vec<[f64; 2]> = found.map(|b| b.multiplier).collect();
        if !points.is_empty() {
            layers.push(Layer::named(name, colour, shape, points));
        }
    }
    PlaneFigure {
        title: "Multipliers along the branch".to_string(),
        axes: ["real part", "imaginary part"].map(str::to_string),
        equal: true,
        layers,
        notes: Vec::new(),
    }
}
