//! A robot at a moment of a run as SVG: faces from far to near, the ground below, what is held.
//!
//! [`draw_picture`] takes the row of `series.csv` next to a time (s) and one of the [`PictureView`]s. Faces are sorted by
//! their middles, so bodies that go through each other are drawn one over the other. Source: none.
//!
//! # Example
//!
//! ```
//! use carom::files::{OutputFolder, RUN_OUTPUT};
//! use carom::record::{Recorder, Run, RunSeries};
//! use carom::scenario::{Experiment, Scenario};
//! use carom::views::picture::{PictureView, draw_picture};
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/ball/bounce.toml");
//! let scenario = Scenario::read(&file, &["duration=0.5".to_string()])?;
//! let experiment = Experiment::new("bounce", scenario)?;
//! let folder = std::env::temp_dir().join(format!("carom-picture-page-{}", std::process::id()));
//! let held = OutputFolder::hold(&folder, &RUN_OUTPUT)?;
//! let mut recorder = Recorder::create(&experiment, held, |_| ControlFlow::Continue(()))?;
//! let mut run = Run::new(&experiment)?;
//! run.complete(&mut recorder)?;
//! let end = run.state().clone();
//! recorder.finish(run.simulation(), &end, None)?.publish()?;
//! let series = RunSeries::read(&folder.join("series.csv"))?;
//! let svg = draw_picture(&experiment, &series, 0.4, PictureView::OBLIQUE, (320.0, 240.0));
//! assert!(svg.ok_or("no configuration")?.starts_with("<svg"));
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod faces;

use nalgebra::Vector3;
use plotters::style::RGBColor;

use crate::contact::{Drawn, Terrain};
use crate::dynamics::Kinematics;
use crate::model::Model;
use crate::record::RunSeries;
use crate::scenario::Experiment;
use crate::views::plots::{Stroke, SvgCanvas};
use crate::views::replay::{ReplayScene, VisualMeshes, drawn_shapes};
use faces::{Faces, box_faces, height_faces, shape_faces};

/// Meshes become coarser until their packed text would take this many bytes: some thousand faces.
const MESH_BYTES: usize = 100_000;
const MARGIN: f64 = 0.06;
const GRID_LINES: i32 = 16;
const TONES: [RGBColor; 4] = [
    RGBColor(134, 147, 163),
    RGBColor(176, 160, 136),
    RGBColor(147, 167, 158),
    RGBColor(166, 152, 178),
];
const STONE: RGBColor = RGBColor(214, 220, 227);
const HELD: RGBColor = RGBColor(0, 158, 115);

/// From where the robot is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureView {
    /// Direction of the eye about z, from the x axis \[rad\].
    pub azimuth: f64,
    /// Its height above the horizon \[rad\].
    pub elevation: f64,
}

impl PictureView {
    /// From the right, ahead and a little above, as the replay begins.
    pub const OBLIQUE: Self = Self {
        azimuth: -1.05,
        elevation: 0.3,
    };
    /// Along y.
    pub const SIDE: Self = Self {
        azimuth: -std::f64::consts::FRAC_PI_2,
        elevation: 0.0,
    };
    /// Against x.
    pub const FRONT: Self = Self {
        azimuth: 0.0,
        elevation: 0.0,
    };
    /// From above.
    pub const TOP: Self = Self {
        azimuth: -std::f64::consts::FRAC_PI_2,
        elevation: std::f64::consts::FRAC_PI_2,
    };
}

/// A parallel projection.
struct Camera {
    right: Vector3<f64>,
    up: Vector3<f64>,
    to_eye: Vector3<f64>,
    scale: f64,
    /// Where the origin is \[px\].
    origin: (f64, f64),
}

impl Camera {
    fn new(view: PictureView) -> Self {
        let (sa, ca) = view.azimuth.sin_cos();
        let (se, ce) = view.elevation.sin_cos();
        Self {
            right: Vector3::new(-sa, ca, 0.0),
            up: Vector3::new(-se * ca, -se * sa, ce),
            to_eye: Vector3::new(ce * ca, ce * sa, se),
            scale: 1.0,
            origin: (0.0, 0.0),
        }
    }

    fn project(&self, x: &Vector3<f64>) -> (f64, f64) {
        (
            self.origin.0 + self.scale * x.dot(&self.right),
            self.origin.1 - self.scale * x.dot(&self.up),
        )
    }

    /// Shows all points in the middle of a picture.
    fn fit<'a>(&mut self, points: impl Iterator<Item = &'a Vector3<f64>>, size: (f64, f64)) {
        let empty = [f64::INFINITY, f64::NEG_INFINITY];
        let (x, y) = points.fold((empty, empty), |(x, y), p| {
            let (a, b) = (p.dot(&self.right), p.dot(&self.up));
            ([x[0].min(a), x[1].max(a)], [y[0].min(b), y[1].max(b)])
        });
        let span = |range: [f64; 2]| (range[1] - range[0]).max(1e-6);
        let room = 1.0 - 2.0 * MARGIN;
        self.scale = (room * size.0 / span(x)).min(room * size.1 / span(y));
        self.origin = (
            0.5 * size.0 - self.scale * 0.5 * (x[0] + x[1]),
            0.5 * size.1 + self.scale * 0.5 * (y[0] + y[1]),
        );
    }
}

/// The robot at the row of a run that is nearest to `time` \[s\], in a picture of a size in pixels; `None` where the table
/// holds no configuration of it.
#[must_use]
pub fn draw_picture(
    experiment: &Experiment,
    series: &RunSeries,
    time: f64,
    view: PictureView,
    size: (f64, f64),
) -> Option<String> {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let row = (0..series.times().len()).min_by(|a, b| {
        let far = |i: usize| (series.times()[i] - time).abs();
        far(*a).total_cmp(&far(*b))
    })?;
    let q: Vec<f64> = (model.configuration_names().iter())
        .map(|name| series.column(&format!("q_{name}")).map(|c| c[row]))
        .collect::<Option<_>>()?;
    let mut kinematics = Kinematics::<f64>::new(model);
    kinematics.update_placements(model, &q);

    let mut robot = Faces::default();
    add_robot(
        &mut robot,
        model,
        &ReplayScene::new(model, contacts),
        &kinematics,
    );
    let mut camera = Camera::new(view);
    camera.fit(robot.points(), size);
    let held = (0..contacts.len()).filter_map(|i| {
        let force = series.column(&format!("force_{}_n_N", contacts.name(i)))?;
        (force[row] > 0.0).then(|| contacts.frame(&kinematics, i).points[0])
    });
    let held: Vec<Vector3<f64>> = held.collect();

    let mut canvas = SvgCanvas::new(size.0, size.1);
    let reach = 0.75 * (size.0 + size.1) / camera.scale;
    let middle = robot.middle();
    for drawn in contacts.terrains().iter().filter_map(Terrain::drawn) {
        match drawn {
            Drawn::Box { min, max } => robot.add(box_faces(&min, &max), STONE),
            Drawn::Heights(field) => robot.add(height_faces(&field, &middle, 0.5 * reach), STONE),
            Drawn::HalfSpace { point, normal } => {
                let normal = normal.normalize();
                if normal.dot(&camera.to_eye) > -1e-9 {
                    draw_plane(&mut canvas, &camera, (&point, &normal), &middle, reach);
                    robot.draw_shadow(&mut canvas, &camera, (&point, &normal));
                }
            }
            _ => {}
        }
    }
    robot.draw(&mut canvas, &camera);
    for point in &held {
        let edge = Stroke {
            color: RGBColor(255, 255, 255),
            width: 1.2,
            ..Stroke::curve(0)
        };
        canvas.circle(camera.project(point), 4.0, HELD, Some(edge));
    }
    Some(canvas.finish())
}

/// Shapes, meshes, sticks and arcs at their places.
fn add_robot(robot: &mut Faces, model: &Model, scene: &ReplayScene, kinematics: &Kinematics<f64>) {
    let tone = |body: Option<usize>| TONES[branch(model, body) % TONES.len()];
    let color = |given: Option<[f64; 3]>, body| match given {
        Some(rgb) => {
            let [r, g, b] = rgb.map(|x| (255.0 * x).round() as u8);
            RGBColor(r, g, b)
        }
        None => tone(body),
    };
    let meshes = VisualMeshes::read(model).simplified(MESH_BYTES);
    let meshed = |link: usize| meshes.placed.iter().any(|(_, mesh)| mesh.link == link);
    for shape in drawn_shapes(model).filter(|s| !(s.collision && meshed(s.link))) {
        let link = &model.links()[shape.link];
        let pose = link.pose.compose(&shape.pose);
        let world = |x: &Vector3<f64>| {
            kinematics.world_point(link.body, &(pose.rotation * x + pose.translation))
        };
        let faces = shape_faces(&shape.geometry).map(&world);
        robot.add(faces, color(shape.color, link.body));
    }
    for (index, placed) in &meshes.placed {
        let link = &model.links()[placed.link];
        let pose = link.pose.compose(&placed.pose);
        let colored = &meshes.meshes[*index];
        let points = (colored.mesh.vertices.iter()).map(|x| {
            let x = pose.rotation * Vector3::from(*x) + pose.translation;
            kinematics.world_point(link.body, &x)
        });
        let start = robot.add_points(points);
        for (i, triangle) in colored.mesh.triangles.iter().enumerate() {
            let own = colored.colors.iter().find(|(range, _)| range.contains(&i));
            let color = color(own.map(|(_, rgb)| *rgb).or(placed.color), link.body);
            robot.add_triangle(triangle.map(|k| start + k as usize), color);
        }
    }
    for stick in &scene.sticks {
        let ends = [stick.from, stick.to].map(|x| kinematics.world_point(stick.body, &x.into()));
        robot.add_line(ends, tone(stick.body));
    }
    let bare = |body: Option<usize>| {
        !(model.links().iter().enumerate()).any(|(i, link)| {
            link.body == body && (meshed(i) || model.shapes().iter().any(|s| s.link == i))
        })
    };
    for site in scene
        .sites
        .iter()
        .filter(|site| site.kind == "arc" && bare(site.body))
    {
        let [first, last] = site.range;
        let [a, b] = site.axes.map(Vector3::from);
        let at = |k: i32| {
            let (s, c) = (first + (last - first) * f64::from(k) / 24.0).sin_cos();
            let x = Vector3::from(site.center) + (a * c + b * s) * site.radius;
            kinematics.world_point(site.body, &x)
        };
        for k in 0..24 {
            robot.add_line([at(k), at(k + 1)], tone(site.body));
        }
    }
}

/// Which branch of the tree a body belongs to: 0 for the trunk, others counted.
fn branch(model: &Model, body: Option<usize>) -> usize {
    let bodies = model.bodies();
    let children = |i: usize| bodies.iter().filter(move |b| b.parent == Some(i)).count();
    let mut at = body;
    let mut below = None;
    // Up to the first body from which several hang.
    while let Some(i) = at {
        if children(i) > 1 && bodies[i].inertia.mass > 0.0 {
            break;
        }
        (below, at) = (at, bodies[i].parent);
    }
    match (at, below) {
        (Some(root), Some(own)) => {
            let mut siblings = (0..bodies.len()).filter(|i| bodies[*i].parent == Some(root));
            1 + siblings.position(|i| i == own).unwrap_or(0) % (TONES.len() - 1)
        }
        _ => 0,
    }
}

/// A grid around the robot, fixed in the world.
fn draw_plane(
    canvas: &mut SvgCanvas,
    camera: &Camera,
    (point, normal): (&Vector3<f64>, &Vector3<f64>),
    middle: &Vector3<f64>,
    reach: f64,
) {
    let helper = Vector3::ith(normal.iamin(), 1.0);
    let first = (helper - normal * helper.dot(normal)).normalize();
    let second = normal.cross(&first);
    let rough = 2.0 * reach / f64::from(GRID_LINES);
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let step = steps.into_iter().find(|s| *s >= rough).unwrap_or(rough);
    let offset = middle - point;
    let centre = [offset.dot(&first), offset.dot(&second)].map(|x| (x / step).round());
    let count = (reach / step).ceil();
    let at = |a: f64, b: f64| camera.project(&(point + (first * a + second * b) * step));
    for k in 0..=(2.0 * count) as i32 {
        let k = f64::from(k) - count;
        let [a, b] = centre;
        for ends in [
            [at(a + k, b - count), at(a + k, b + count)],
            [at(a - count, b + k), at(a + count, b + k)],
        ] {
            canvas.line(ends, Stroke::faint(0.13));
        }
    }
}
