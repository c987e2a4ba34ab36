//! Energies, the motion of the base, and joints over time.

use nalgebra::{Quaternion, UnitQuaternion};

use crate::model::{Base, Body, JointKind};
use crate::record::RunSeries;
use crate::scenario::{Experiment, RobotEntry, joints};

use super::data::thinned;
use super::panel::{Curve, Figure, Look, Panel};

/// Heights and joint positions below this are rounding in a picture \[m or rad\].
const LEAST_SPAN: f64 = 1e-6;

/// The terms of the ledger, and their balance on an axis of its own: it is many orders smaller.
pub(crate) fn energy(series: &RunSeries) -> Figure {
    let terms = [
        ("kinetic_J", "kinetic"),
        ("potential_J", "potential"),
        ("work_actuators_J", "work of actuators"),
        ("work_dissipative_J", "work of dissipation"),
        ("work_impacts_J", "change in impacts"),
        ("work_captured_J", "change in captures"),
        ("work_surfaces_J", "work of moving surfaces"),
    ];
    let curve = |(i, (column, name)): (usize, (&str, &str))| {
        let values = series.column(column)?;
        Some(line(series, name, values, 0.0, i))
    };
    let balance = series.column("energy_residual_J").map(|values| {
        let start = values.first().copied().unwrap_or_default();
        line(series, "balance", values, start, 0)
    });
    let panel = |title: &str, curves| Panel {
        title: title.to_string(),
        axis: "energy (J)".to_string(),
        zero: true,
        curves,
        ..Panel::default()
    };
    Figure::stacked(vec![
        panel(
            "Energy",
            terms.into_iter().enumerate().filter_map(curve).collect(),
        ),
        panel(
            "Kinetic and potential energy less all work, change since the start",
            balance.into_iter().collect(),
        ),
    ])
}

fn line(series: &RunSeries, name: &str, values: &[f64], offset: f64, color: usize) -> Curve {
    Curve {
        name: name.to_string(),
        points: thinned(series.times(), values, offset),
        look: Look::Line(color),
    }
}

/// Place, attitude and velocities of bases that move.
pub(crate) fn base(experiment: &Experiment, series: &RunSeries) -> Option<Figure> {
    let robots = experiment.scenario.robot.iter();
    let mut of_robots: Vec<_> = robots
        .filter_map(|robot| Some(base_panels(robot, series)?.into_iter()))
        .collect();
    let columns = of_robots.len();
    // Robots beside each other.
    let mut panels = Vec::new();
    loop {
        let before = panels.len();
        panels.extend(of_robots.iter_mut().filter_map(Iterator::next));
        if panels.len() == before {
            break;
        }
    }
    (!panels.is_empty()).then(|| Figure {
        heading: "The base".to_string(),
        columns,
        panels,
        common_legend: false,
        legend_of: 0,
    })
}

fn base_panels(robot: &RobotEntry, series: &RunSeries) -> Option<Vec<Panel>> {
    let column = |start: &str, name: &str| {
        let name = format!("{start}_{}", robot.in_scene(&format!("base.{name}")));
        series.column(&name).map(<[f64]>::to_vec)
    };
    let (q, v) = (
        |name: &str| column("q", name),
        |name: &str| column("v", name),
    );
    let group = |title: &str, axis: &str, parts: Vec<(&str, Option<Vec<f64>>)>| {
        let curves = parts
            .into_iter()
            .enumerate()
            .filter_map(|(i, (name, values))| Some(line(series, name, &values?, 0.0, i)));
        Panel {
            title: match &robot.name {
                Some(name) => format!("{name}: {title}"),
                None => title.to_string(),
            },
            axis: axis.to_string(),
            least_span: LEAST_SPAN,
            curves: curves.collect(),
            ..Panel::default()
        }
    };
    let degrees = |values: Option<Vec<f64>>| -> Option<Vec<f64>> {
        values.map(|values| values.into_iter().map(f64::to_degrees).collect())
    };
    match robot.base {
        Base::Fixed => None,
        Base::Planar => Some(vec![
            group(
                "Position",
                "position (m)",
                vec![("x", q("x")), ("z", q("z"))],
            ),
            group(
                "Attitude",
                "angle (°)",
                vec![("pitch", degrees(q("pitch")))],
            ),
            group(
                "Velocity",
                "velocity (m/s)",
                vec![("x", v("vx")), ("z", v("vz"))],
            ),
            group(
                "Angular velocity",
                "rate (rad/s)",
                vec![("pitch", v("wpitch"))],
            ),
        ]),
        Base::Floating => {
            let [roll, pitch, yaw] = attitude(["qx", "qy", "qz", "qw"].map(q))?;
            Some(vec![
                group(
                    "Position",
                    "position (m)",
                    vec![("x", q("x")), ("y", q("y")), ("z", q("z"))],
                ),
                group(
                    "Attitude, by roll about x, then pitch, then yaw",
                    "angle (°)",
                    vec![
                        ("roll", Some(roll)),
                        ("pitch", Some(pitch)),
                        ("yaw", Some(yaw)),
                    ],
                ),
                group(
                    "Velocity in the frame of the base",
                    "velocity (m/s)",
                    vec![
                        ("forward x", v("vx")),
                        ("left y", v("vy")),
                        ("up z", v("vz")),
                    ],
                ),
                group(
                    "Angular velocity in the frame of the base",
                    "rate (rad/s)",
                    vec![("x", v("wx")), ("y", v("wy")), ("z", v("wz"))],
                ),
            ])
        }
    }
}

/// Roll, pitch and yaw of a floating base \[°\], yaw and roll without jumps by a turn.
fn attitude(parts: [Option<Vec<f64>>; 4]) -> Option<[Vec<f64>; 3]> {
    let [Some(x), Some(y), Some(z), Some(w)] = parts else {
        return None;
    };
    let mut angles = [Vec::new(), Vec::new(), Vec::new()];
    let mut before = [0.0; 3];
    for i in 0..x.len() {
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w[i], x[i], y[i], z[i]));
        let (roll, pitch, yaw) = turn.euler_angles();
        let now = [roll, pitch, yaw].map(f64::to_degrees);
        for k in 0..3 {
            let turns = if i > 0 {
                ((before[k] - now[k]) / 360.0).round()
            } else {
                0.0
            };
            before[k] = now[k] + 360.0 * turns;
            angles[k].push(before[k]);
        }
    }
    Some(angles)
}

/// A panel of each joint's position, with its limits where it comes near them.
pub(crate) fn joint_positions(experiment: &Experiment, series: &RunSeries) -> Option<Figure> {
    let panels = joints(&experiment.model).filter_map(|body| {
        let values = series.column(&format!("q_{}", body.joint))?;
        let bounds = body
            .limits
            .position
            .map_or(Vec::new(), |(low, high)| vec![low, high]);
        let note = match body.limits.position {
            Some((low, high)) => format!("{low:.3} to {high:.3}"),
            None => String::new(),
        };
        Some(joint_panel(
            body,
            note,
            if slides(body) { "m" } else { "rad" },
            bounds,
            |name| line(series, name, values, 0.0, 0),
        ))
    });
    multiples("Joint positions; dashed: limits", panels.collect())
}

/// A panel of each joint's effort beside its limit; none of a robot that nobody drives.
pub(crate) fn joint_efforts(experiment: &Experiment, series: &RunSeries) -> Option<Figure> {
    let panels = joints(&experiment.model).filter_map(|body| {
        let values = series.column(&format!("effort_{}", body.joint))?;
        let peak = values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let limit = body.limits.effort;
        let note = match limit {
            Some(limit) if limit > 0.0 => {
                let share = 100.0 * peak / limit;
                let digits = if share < 10.0 { 1 } else { 0 };
                format!("{share:.digits$} % of {limit}")
            }
            _ => "no limit".to_string(),
        };
        let bounds = limit.map_or(Vec::new(), |limit| vec![-limit, limit]);
        Some(joint_panel(
            body,
            note,
            if slides(body) { "N" } else { "N m" },
            bounds,
            |name| line(series, name, values, 0.0, 0),
        ))
    });
    multiples(
        "Efforts of the joints; dashed: limits of the robot's file",
        panels.collect(),
    )
}

fn slides(body: &Body) -> bool {
    body.kind == JointKind::Prismatic
}

fn joint_panel(
    body: &Body,
    note: String,
    axis: &str,
    bounds: Vec<f64>,
    curve: impl Fn(&str) -> Curve,
) -> Panel {
    Panel {
        title: body.joint.clone(),
        note,
        axis: axis.to_string(),
        least_span: LEAST_SPAN,
        bounds,
        curves: vec![curve(&body.joint)],
        ..Panel::default()
    }
}

/// Small panels, three beside each other; few of them are larger.
fn multiples(heading: &str, panels: Vec<Panel>) -> Option<Figure> {
    (!panels.is_empty()).then(|| Figure {
        heading: heading.to_string(),
        columns: panels.len().clamp(1, 3),
        panels,
        common_legend: false,
        legend_of: 0,
    })
}
