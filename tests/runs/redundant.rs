//! Loads that redundant contacts may share in many ways, where friction lets the motion depend on the way.

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::hybrid::{Simulation, Unwatched};
use carom::impact::MaxDissipation;
use carom::model::{Base, Link, ModelBuilder};
use carom::scenario::{Experiment, Scenario};
use nalgebra::{Matrix3, Matrix3x4, Vector3, Vector4};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.3;
const MASS: f64 = 2.0;
/// Edges of the box \[m\].
const SIZE: [f64; 3] = [0.3, 0.3, 0.1];
/// Corners of its lower face, of which no three are in a line.
const CORNERS: [[f64; 2]; 4] = [[0.15, 0.15], [-0.15, 0.15], [-0.15, -0.15], [0.15, -0.15]];
/// Velocity \[m/s\] and spin \[rad/s\] at the start.
const START: [f64; 3] = [0.5, 0.2, 10.0];
/// Before it stops \[s\].
const DURATION: f64 = 0.25;

/// Accelerations of a box that slides flat, with its loads those of least norm that carry its weight and the moments of its
/// friction: A N = (m g, 0, 0).
fn acceleration([_, _, yaw]: [f64; 3], [x, y, spin]: [f64; 3]) -> [f64; 3] {
    let (sin, cos) = yaw.sin_cos();
    let arms = CORNERS.map(|[a, b]| [cos * a - sin * b, sin * a + cos * b]);
    let friction = arms.map(|[a, b]| {
        let slip = [x - spin * b, y + spin * a];
        slip.map(|v| -FRICTION * v / slip[0].hypot(slip[1]))
    });
    let height = 0.5 * SIZE[2];
    let moments = Matrix3x4::from_fn(|row, i| match row {
        0 => 1.0,
        1 => arms[i][1] + height * friction[i][1],
        _ => -height * friction[i][0] - arms[i][0],
    });
    let square: Matrix3<f64> = moments * moments.transpose();
    let weight = Vector3::new(MASS * GRAVITY, 0.0, 0.0);
    let loads: Vector4<f64> = moments.transpose() * square.lu().solve(&weight).unwrap();
    let mut out = [0.0; 3];
    for i in 0..4 {
        let push = friction[i].map(|f| f * loads[i]);
        out[0] += push[0];
        out[1] += push[1];
        out[2] += arms[i][0] * push[1] - arms[i][1] * push[0];
    }
    let inertia = MASS * (SIZE[0] * SIZE[0] + SIZE[1] * SIZE[1]) / 12.0;
    [out[0] / MASS, out[1] / MASS, out[2] / inertia]
}

/// Place, yaw and their rates at the end, by Runge and Kutta's method of order four.
fn exact() -> [f64; 3] {
    let steps = 2000;
    let h = DURATION / f64::from(steps);
    let (mut q, mut v) = ([0.0; 3], START);
    let ahead = |x: [f64; 3], rate: [f64; 3], h: f64| std::array::from_fn(|i| x[i] + h * rate[i]);
    for _ in 0..steps {
        let (v1, a1) = (v, acceleration(q, v));
        let v2: [f64; 3] = ahead(v, a1, 0.5 * h);
        let a2 = acceleration(ahead(q, v1, 0.5 * h), v2);
        let v3: [f64; 3] = ahead(v, a2, 0.5 * h);
        let a3 = acceleration(ahead(q, v2, 0.5 * h), v3);
        let v4: [f64; 3] = ahead(v, a3, h);
        let a4 = acceleration(ahead(q, v3, h), v4);
        for i in 0..3 {
            q[i] += h / 6.0 * (v1[i] + 2.0 * (v2[i] + v3[i]) + v4[i]);
            v[i] += h / 6.0 * (a1[i] + 2.0 * (a2[i] + a3[i]) + a4[i]);
        }
    }
    q
}

/// Place and yaw at the end in steps of h, the corners in this order.
fn run(h: f64, order: [usize; 4]) -> [f64; 3] {
    let model = ModelBuilder::new("box")
        .base(Base::Floating)
        .link(Link::new("box").solid_box(MASS, SIZE, Vector3::zeros()))
        .build()
        .unwrap();
    let material = Material::new(FRICTION, 0.0);
    let site = |i: usize| {
        let at = [CORNERS[i][0], CORNERS[i][1], -0.5 * SIZE[2]];
        Site::point(&model, &format!("corner{i}"), "box", at, material).unwrap()
    };
    let ground = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    let sites = order.map(site).to_vec();
    let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).unwrap();
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .time_step(h)
        .position("base.z", 0.5 * SIZE[2])
        .rate("base.vx", START[0])
        .rate("base.vy", START[1])
        .rate("base.wz", START[2])
        .build()
        .unwrap();
    simulation.run_until(DURATION, &mut Unwatched).unwrap();
    let q = &simulation.state().q;
    let turned = q[5].atan2(q[6]) * 2.0;
    [q[0], q[1], turned]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max)
}

/// Four corners carry the box with one load to choose. Loads that are kept from step to step drift along (1, -1, 1, -1), further
/// with shorter steps.
#[test]
fn a_box_that_spins_and_slides_on_four_corners_shares_its_load_by_least_norm() {
    let exact = exact();
    let errors = [2e-3, 1e-3, 5e-4].map(|h| distance(run(h, [0, 1, 2, 3]), exact));
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.6..4.4).contains(&ratio), "{errors:?}");
    }
}

/// What a frictional problem may leave of its conditions, 1e-9 of its velocities, over all steps and half of the way.
#[test]
fn the_order_of_corners_moves_a_spinning_box_by_what_steps_leave_only() {
    let h = 1e-3;
    let one = run(h, [0, 1, 2, 3]);
    let fastest = START[0].hypot(START[1]) + START[2] * SIZE[0].hypot(SIZE[1]) / 2.0;
    let bound = DURATION / h * 1e-9 * fastest * 0.5 * DURATION;
    for order in [[1, 2, 3, 0], [3, 1, 0, 2]] {
        let moved = distance(one, run(h, order));
        assert!(moved < bound, "{order:?}: {moved:e} beside {bound:e}");
    }
}

/// A box at rest on a slope across its edges, with 2 % more friction than that is steep: loads of least norm leave the cones of the two
/// corners that press least, others do not. Nothing moves.
#[test]
fn a_box_stays_where_some_share_of_its_load_lets_it() {
    let robot = r#"<robot name="box"><link name="box"><inertial><mass value="3.1354391842877454"/>
        <inertia ixx="0.02960127896883887" iyy="0.030035046621236183" izz="0.02409521077649627" ixy="0" ixz="0" iyz="0"/>
        </inertial></link></robot>"#;
    let pull = [-0.899_881_146_848_952_5_f64, 3.533_587_577_441_259_4];
    let weight = 9.107_147_926_495_903;
    let friction = 1.02 * pull[0].hypot(pull[1]) / weight;
    let [x, y] = pull;
    let size = [
        0.216_653_727_332_926_9,
        0.212_787_958_974_628_2,
        0.260_790_614_399_394_16,
    ];
    let height = 0.5 * size[2];
    let text = format!(
        "time_step = 1e-3\nduration = 0.2\nimpact = {{ law = \"max-dissipation\" }}\n\
         robot = {{ file = \"box.urdf\", base = \"floating\", gravity = [{x:?}, {y:?}, -{weight:?}] }}\n\
         initial = {{ base = {{ position = [0.0, 0.0, {height:?}] }} }}\n[contact]\nfriction = {friction:?}\n\
         site = [{{ name = \"box\", link = \"box\", kind = \"box\", size = {size:?} }}]\n\
         [[terrain]]\nname = \"ground\"\nkind = \"plane\"\n"
    );
    let scenario = Scenario::parse("box.toml", &text, &[]).unwrap();
    let experiment = Experiment::with_robot("box.toml", scenario, robot).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    let start = simulation.state().q.clone();
    simulation.run_until(0.2, &mut Unwatched).unwrap();
    let moved = simulation.state().q.iter().zip(&start);
    let moved = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // Theory: at most 1e-9 m in ten seconds; the velocity that steps are solved to is below 1e-13 m/s here.
    assert!(moved < 1e-12, "{moved}");
}

/// Six legs that stand begin to walk, in the world as it is and turned about the vertical: the same forces of which several would do, and
/// the same motion until legs strike that are on a level but for rounding.
#[test]
fn a_walk_begins_alike_however_the_world_is_turned() {
    let run = |sets: &[&str]| {
        let experiment = crate::shipped::experiment("rhex/tripod.toml", sets);
        let mut simulation = experiment.simulation().unwrap();
        simulation.run_until(0.6, &mut Unwatched).unwrap();
        let state = simulation.state();
        state.q[7..].to_vec()
    };
    let straight = run(&["contact.restitution=0"]);
    let turned = run(&[
        "contact.restitution=0",
        "initial.base.quaternion=[0.0, 0.0, 0.479425538604203, 0.8775825618903728]",
    ]);
    let apart = straight.iter().zip(&turned).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    // Rounding, which the contacts that slip meanwhile have made larger; one branch beside another is 1e-6 rad away after some steps.
    assert!(apart < 1e-8, "{apart}");
}
