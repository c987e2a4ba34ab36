//! Pictures of a design: cosines along the way, convergence, and both stances ([SM] Fig. 7).

use std::error::Error;

use carom::design::{DesignSolution, Quantity};
use carom::dynamics::Kinematics;
use carom::model::{Geometry, Model};
use carom::study::{DesignStudy, DistanceCurve, with_dark_colours};
use nalgebra::Vector3;
use plotters::prelude::*;

const SIZE: (u32, u32) = (800, 560);

/// Points along the straight way from the start to the design.
const WAY: usize = 40;

/// File names and SVG texts.
pub fn draw(
    study: &DesignStudy,
    solution: &DesignSolution,
) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut plots = vec![
        ("cosine_path.svg".to_string(), cosine_path(study, solution)?),
        ("convergence.svg".to_string(), convergence(study, solution)?),
    ];
    for (s, stance) in study.problem.stances().iter().enumerate() {
        let safe: String = stance
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        plots.push((format!("stance_{safe}.svg"), stances(study, solution, s)?));
    }
    Ok(plots)
}

/// The wanted quantities: labels and deviations at a point.
fn deviations(study: &DesignStudy, x: &[f64], gaps: bool) -> Option<Vec<f64>> {
    let values = study.problem.values(x).ok()?;
    let pick = |(quantity, value): (&Quantity, &f64)| match quantity {
        Quantity::Cosine { .. } if !gaps => Some(*value),
        Quantity::Cosine { target, .. } => Some(value - target),
        Quantity::Gap { closed: true, .. } if gaps => Some(*value),
        Quantity::Gap { .. } => None,
    };
    Some(
        study
            .problem
            .quantities()
            .iter()
            .zip(values.iter())
            .filter_map(pick)
            .collect(),
    )
}

fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return 0.0..1.0;
    }
    let margin = 0.08 * (high - low).max(1e-12);
    low - margin..high + margin
}

fn cosine_path(study: &DesignStudy, solution: &DesignSolution) -> Result<String, Box<dyn Error>> {
    let start = study.problem.start();
    let mut curves: Vec<Vec<(f64, f64)>> = Vec::new();
    for i in 0..=WAY {
        let s = i as f64 / WAY as f64;
        let between = start.iter().zip(&solution.variables);
        let x: Vec<f64> = between.map(|(a, b)| a + s * (b - a)).collect();
        // A robot between two robots may not exist.
        let Some(values) = deviations(study, &x, false) else {
            continue;
        };
        curves.resize(values.len(), Vec::new());
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.push((s, value));
        }
    }
    let y = range(curves.iter().flatten().map(|p| p.1).chain([0.0]));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption("Kinetic cosine of the contact normals", ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..1.0, y)?;
        chart
            .configure_mesh()
            .x_desc("way from the start (0) to the design (1)")
            .y_desc("cosine")
            .y_label_formatter(&|v| format!("{v:.1e}"))
            .draw()?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 0.0)], BLACK.mix(0.5)))?;
        for (i, curve) in curves.into_iter().enumerate() {
            chart.draw_series(LineSeries::new(curve, Palette99::pick(i).stroke_width(2)))?;
        }
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

fn convergence(study: &DesignStudy, solution: &DesignSolution) -> Result<String, Box<dyn Error>> {
    let residual = |(i, x): (usize, &Vec<f64>)| {
        let largest = deviations(study, x, true)?
            .into_iter()
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        Some((i as f64, largest.max(1e-18).log10()))
    };
    let points: Vec<(f64, f64)> = solution
        .path
        .iter()
        .enumerate()
        .filter_map(residual)
        .collect();
    let last = solution.path.len().saturating_sub(1).max(1) as f64;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption("Largest residual (gaps in m, cosines)", ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..last, range(points.iter().map(|p| p.1)))?;
        chart
            .configure_mesh()
            .x_desc("step")
            .y_desc("log10 of the residual")
            .draw()?;
        chart.draw_series(LineSeries::new(
            points.iter().copied(),
            BLUE.stroke_width(2),
        ))?;
        chart.draw_series(points.iter().map(|p| Circle::new(*p, 3, BLUE.filled())))?;
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

/// Closed outlines and lines of a robot in the x-z plane.
fn outlines(model: &Model, q: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    let mut lines = Vec::new();
    let mut drawn = vec![false; model.links().len()];
    for visual_only in [true, false] {
        for shape in model.shapes() {
            let link = &model.links()[shape.link];
            // Visual shapes where there are any, else collision shapes.
            if shape.collision == visual_only || (!visual_only && drawn[shape.link]) {
                continue;
            }
            let place = link.pose.compose(&shape.pose);
            let at = |x: f64, y: f64, z: f64| {
                let p = kinematics.world_point(link.body, &place.point(&Vector3::new(x, y, z)));
                (p.x, p.z)
            };
            let line = match shape.geometry {
                Geometry::Sphere(r) => {
                    let (x, z) = at(0.0, 0.0, 0.0);
                    (0..=48)
                        .map(|i| f64::from(i) * std::f64::consts::TAU / 48.0)
                        .map(|a| (x + r * a.cos(), z + r * a.sin()))
                        .collect()
                }
                Geometry::Box([a, b, c]) => {
                    let corner = |i: usize| {
                        let sign = |bit: usize| if i & bit == 0 { -0.5 } else { 0.5 };
                        at(a * sign(1), b * sign(2), c * sign(4))
                    };
                    hull((0..8).map(corner).collect())
                }
                Geometry::Cylinder(_, length) | Geometry::Capsule(_, length) => {
                    vec![at(0.0, 0.0, -0.5 * length), at(0.0, 0.0, 0.5 * length)]
                }
            };
            if visual_only {
                drawn[shape.link] = true;
            }
            lines.push(line);
        }
    }
    lines
}

/// Convex hull, closed (Andrew's monotone chain).
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut chain: Vec<(f64, f64)> = Vec::new();
        for p in points {
            while let [.., a, b] = chain.as_slice() {
                if (b.0 - a.0) * (p.1 - a.1) > (b.1 - a.1) * (p.0 - a.0) {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

fn stances(
    study: &DesignStudy,
    solution: &DesignSolution,
    stance: usize,
) -> Result<String, Box<dyn Error>> {
    let problem = &study.problem;
    let mut drawings = Vec::new();
    for x in [problem.start(), solution.variables.clone()] {
        let robot = problem.robot(&x)?;
        let q = problem.configuration(&robot.model, &x, stance);
        let mut kinematics = Kinematics::new(&robot.model);
        kinematics.update_placements(&robot.model, &q);
        let marks: Vec<(f64, f64)> = problem
            .touching(stance)
            .iter()
            .map(|&c| robot.contacts.frame(&kinematics, c).points[0])
            .map(|p| (p.x, p.z))
            .collect();
        drawings.push((outlines(&robot.model, &q), marks));
    }
    let points = || {
        let lines = drawings
            .iter()
            .flat_map(|(lines, _)| lines.iter().flatten());
        lines.chain(drawings.iter().flat_map(|(_, marks)| marks))
    };
    let (x, y) = (range(points().map(|p| p.0)), range(points().map(|p| p.1)));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        // Equal lengths on both axes.
        let (wide, high) = (f64::from(SIZE.0) - 108.0, f64::from(SIZE.1) - 100.0);
        let scale = ((x.end - x.start) / wide).max((y.end - y.start) / high);
        let middle = (0.5 * (x.start + x.end), 0.5 * (y.start + y.end));
        let x = middle.0 - 0.5 * scale * wide..middle.0 + 0.5 * scale * wide;
        let y = middle.1 - 0.5 * scale * high..middle.1 + 0.5 * scale * high;
        let ground = [(x.start, 0.0), (x.end, 0.0)];
        let title = format!(
            "{}: start (grey) and design",
            problem.stances()[stance].name
        );
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(84)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc("x [m]")
            .y_desc("z [m]")
            .disable_mesh()
            .draw()?;
        chart.draw_series(LineSeries::new(ground, BLACK.stroke_width(1)))?;
        let colors = [RGBColor(160, 160, 160), RGBColor(20, 70, 160)];
        for ((lines, marks), color) in drawings.into_iter().zip(colors) {
            for line in lines {
                chart.draw_series(LineSeries::new(line, color.stroke_width(2)))?;
            }
            chart.draw_series(marks.into_iter().map(|p| Circle::new(p, 5, color.filled())))?;
        }
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

/// log10 of the distance of two orders of reflection over time, start and design ([SM] Fig. 8).
pub fn momentum_distance(
    before: &DistanceCurve,
    after: &DistanceCurve,
) -> Result<String, Box<dyn Error>> {
    let curves = [before, after].map(|curve| {
        let samples = curve.samples.iter().filter(|s| s.distance.is_finite());
        let points = samples.map(|s| (s.time_s, s.distance.max(1e-18).log10()));
        points.collect::<Vec<(f64, f64)>>()
    });
    let end = curves.iter().flatten().map(|p| p.0).fold(1e-3, f64::max);
    let y = range(curves.iter().flatten().map(|p| p.1));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(
                "Distance of two orders of reflection: start (grey) and design",
                ("sans-serif", 20),
            )
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..end, y)?;
        chart
            .configure_mesh()
            .x_desc("time [s]")
            .y_desc("log10 of the distance of the momenta over their norm")
            .draw()?;
        let colors = [RGBColor(160, 160, 160), RGBColor(20, 70, 160)];
        for (curve, color) in curves.into_iter().zip(colors) {
            chart.draw_series(LineSeries::new(curve, color.stroke_width(2)))?;
        }
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}

/// The same as numbers.
pub fn momentum_distance_csv(before: &DistanceCurve, after: &DistanceCurve) -> String {
    let mut text = "design,time_s,distance\n".to_string();
    for (name, curve) in [("before", before), ("after", after)] {
        for sample in &curve.samples {
            text.push_str(&format!("{name},{},{}\n", sample.time_s, sample.distance));
        }
    }
    text
}
