//! Pictures of the robot at the start and in the design, seen from the side ([SM] Fig. 7).

use std::error::Error;

use carom::design::DesignSolution;
use carom::dynamics::Kinematics;
use carom::model::{Geometry, Model};
use carom::study::design::DesignStudy;
use carom::views::plots::{PALETTE, with_dark_colours};
use nalgebra::Vector3;
use plotters::prelude::*;

use super::super::figure::draw_legend;
use super::plots::range;

const SIZE: (u32, u32) = (860, 600);

/// Pixels of margins, labels and title.
const FRAME: (f64, f64) = (24.0 + 84.0, 24.0 + 46.0 + 30.0);

const START: RGBColor = RGBColor(150, 150, 150);

/// A robot in a stance.
struct Drawing {
    /// Closed outlines (bodies) and open lines (rods).
    lines: Vec<Vec<(f64, f64)>>,
    /// Contacts that are to touch.
    marks: Vec<(f64, f64)>,
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
                // A shape that this picture does not know is not drawn.
                _ => continue,
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

/// Both robots in one stance, x to the right and z up, at one scale.
pub fn stance_picture(
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
        let contacts = problem.touching(stance).iter();
        drawings.push(Drawing {
            lines: outlines(&robot.model, &q),
            marks: contacts
                .map(|&c| robot.contacts.frame(&kinematics, c).points[0])
                .map(|p| (p.x, p.z))
                .collect(),
        });
    }
    let points = || {
        let lines = drawings.iter().flat_map(|d| d.lines.iter().flatten());
        lines.chain(drawings.iter().flat_map(|d| &d.marks))
    };
    let (x, y) = (range(points().map(|p| p.0)), range(points().map(|p| p.1)));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        // Equal lengths on both axes.
        let (wide, high) = (f64::from(SIZE.0) - FRAME.0, f64::from(SIZE.1) - FRAME.1);
        let scale = ((x.end - x.start) / wide).max((y.end - y.start) / high);
        let around = |r: std::ops::Range<f64>, pixels: f64| {
            let middle = 0.5 * (r.start + r.end);
            middle - 0.5 * scale * pixels..middle + 0.5 * scale * pixels
        };
        let (x, y) = (around(x, wide), around(y, high));
        let ground = [(x.start, 0.0), (x.end, 0.0)];
        let mut chart = ChartBuilder::on(&area)
            .caption(&problem.stances()[stance].name, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(84)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc("x [m]")
            .y_desc("z [m]")
            .disable_mesh()
            .draw()?;
        chart.draw_series(LineSeries::new(ground, BLACK.stroke_width(1)))?;
        let named = [("start", START), ("design", PALETTE[0])];
        for (drawing, (name, colour)) in drawings.into_iter().zip(named) {
            for line in drawing.lines {
                let closed = line.len() > 2 && line.first() == line.last();
                if closed {
                    chart.draw_series([Polygon::new(line.clone(), colour.mix(0.12))])?;
                }
                chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
            }
            let marks = drawing.marks.into_iter();
            chart
                .draw_series(marks.map(|p| Circle::new(p, 5, colour.filled())))?
                .label(name)
                .legend(move |p| Circle::new((p.0 + 10, p.1), 5, colour.filled()));
        }
        draw_legend(&mut chart)?;
        area.present()?;
    }
    Ok(with_dark_colours(&svg))
}
