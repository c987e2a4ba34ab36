//! Declared discs on corners of boxes that lie inside of their rims.

use carom::hybrid::Unwatched;
use carom::scenario::{Experiment, Scenario};

use crate::loose::random;

const PLATE: &str = r#"<robot name="plate"><link name="plate"><inertial><mass value="1"/>
    <inertia ixx="0.0025" iyy="0.0025" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
/// Half of the post's edge, and its height \[m\].
const POST: [f64; 2] = [0.02, 0.3];
/// Of the disc \[m\].
const RADIUS: f64 = 0.1;

/// Coordinates of the plate, in a place of the world and turned, after some time \[s\].
fn fallen(position: [f64; 3], quaternion: [f64; 4], thickness: &str, seconds: f64) -> Vec<f64> {
    let [half, top] = POST;
    let post = format!(
        "[[terrain]]\nkind = \"box\"\nname = \"post\"\nmin = [-{half}, -{half}, 0.0]\nmax = [{half}, {half}, {top}]\n"
    );
    fallen_on(&post, (position, quaternion), thickness, seconds)
}

fn fallen_on(
    post: &str,
    (position, quaternion): ([f64; 3], [f64; 4]),
    thickness: &str,
    seconds: f64,
) -> Vec<f64> {
    let kind = if thickness.is_empty() {
        "kind = \"disc\", axis = [0.0, 0.0, 1.0]"
    } else {
        "kind = \"arc\", axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], start = 0.0, end = 6.283185307179586"
    };
    let scenario = format!(
        "time_step = 1e-3\nduration = {seconds}\n[robot]\nfile = \"plate.urdf\"\nbase = \"floating\"\n\
         [initial.base]\nposition = {position:?}\nquaternion = {quaternion:?}\n\
         [impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.5\n\
         site = [{{ name = \"disc\", link = \"plate\", radius = {RADIUS}, {kind}{thickness} }}]\n{post}"
    );
    let scenario = Scenario::parse("plate.toml", &scenario, &[]).expect("it is a scenario");
    let experiment = Experiment::with_robot("plate.toml", scenario, PLATE);
    let mut simulation = experiment
        .expect("it can be made")
        .simulation()
        .expect("it starts");
    simulation
        .run_until(seconds, &mut Unwatched)
        .expect("it goes on");
    simulation.state().q.clone()
}

/// Its rim is nowhere near the post: it comes down on one corner after the other, by either side, and lies on all four.
#[test]
fn a_plate_comes_to_lie_on_a_post_that_is_smaller_than_it() {
    for (turned, thickness) in [
        ([0.02, 0.03, 0.0], ""),
        ([0.999, 0.02, 0.03], ""),
        ([0.02, 0.03, 0.0], ", thickness = 0.004"),
    ] {
        let [x, y, z] = turned;
        let w = (1.0 - f64::hypot(x, y).hypot(z).powi(2)).sqrt();
        let q = fallen([0.005, 0.0, POST[1] + 0.02], [x, y, z, w], thickness, 1.0);
        let raised = if thickness.is_empty() { 0.0 } else { 0.004 };
        // Closed contacts are closed to 1e-9 m.
        assert!((q[2] - POST[1] - raised).abs() <= 1e-9, "{q:?}");
        // Level: the corners are 4 cm apart, each known to 1e-9 m.
        let level = (q[3].hypot(q[4])).min(q[5].hypot(q[6]));
        assert!(level <= 1e-7, "{q:?}");
    }
}

/// On edge, its plane 1 mm beside a face of the post, nothing is in its way: after half a second it is ½ g t² lower.
#[test]
fn a_plate_falls_past_a_post() {
    let turned = std::f64::consts::FRAC_1_SQRT_2;
    let place = [POST[0] + 0.001, 0.0, 0.5];
    let q = fallen(place, [0.0, turned, 0.0, turned], "", 0.5);
    // The midpoint rule is exact for a parabola; 500 steps solved to 1e-10 of the momentum.
    assert!((q[2] - (0.5 - 0.5 * 9.81 * 0.25)).abs() < 1e-8, "{q:?}");
}

/// The same post as a body that stands on the ground and is tied to it by its weight: what the plate does to it is some micrometres at
/// most, and it comes to lie on all four corners as well.
#[test]
fn a_plate_comes_to_lie_on_a_loose_post() {
    let [half, top] = POST;
    let post = format!(
        "[[terrain]]\nkind = \"plane\"\nname = \"ground\"\n[[object]]\nkind = \"box\"\nname = \"post\"\nmass = 100.0\n\
         size = [{:?}, {:?}, {top:?}]\nposition = [0.0, 0.0, {:?}]\n",
        2.0 * half,
        2.0 * half,
        0.5 * top
    );
    for turned in [[0.02, 0.03, 0.0], [0.999, 0.02, 0.03]] {
        let [x, y, z] = turned;
        let w = (1.0 - f64::hypot(x, y).hypot(z).powi(2)).sqrt();
        let start = ([0.005, 0.0, top + 0.02], [x, y, z, w]);
        let q = fallen_on(&post, start, "", 1.0);
        // Closed contacts are closed to 1e-9 m, those of the plate and those of the post.
        assert!((q[2] - top).abs() <= 2e-9, "{q:?}");
        let level = (q[3].hypot(q[4])).min(q[5].hypot(q[6]));
        assert!(level <= 2e-7, "{q:?}");
    }
}

/// Without weight a disc flies at a box that nothing moves, in the world or of 1e9 kg: the same strikes on corners inside of its rim, and
/// its energy stays, by a law that keeps it, but for what steps of order two miss, and a share of 1e-9 that moves the box.
#[test]
fn a_corner_of_a_heavy_body_is_one_of_the_world() {
    let scenario = |box_: &str| {
        format!(
            "time_step = 1e-3\nduration = 0.6\n[robot]\nfile = \"plate.urdf\"\nbase = \"floating\"\ngravity = [0.0, 0.0, 0.0]\n\
             [initial.base]\nposition = [0.0, 0.0, 0.3]\nquaternion = [0.1, 0.1, 0.1, 0.9848857801796105]\n\
             twist = [0.1, 0.05, -1.0, 0.5, 1.0, 2.0]\n[impact]\nlaw = \"propagative\"\n[contact]\nfriction = 0.0\n\
             restitution = 1.0\nsite = [{{ name = \"disc\", link = \"plate\", radius = {RADIUS}, kind = \"disc\", axis = [0, 0, 1] }}]\n{box_}"
        )
    };
    let terrain = "[[terrain]]\nkind = \"box\"\nname = \"post\"\nmin = [-0.02, -0.02, -0.1]\nmax = [0.03, 0.02, 0.1]\n";
    let loose = "[[object]]\nkind = \"box\"\nname = \"post\"\nmass = 1e9\nsize = [0.05, 0.04, 0.2]\nposition = [0.005, 0.0, 0.0]\n";
    let [mut fixed, mut loose] = [terrain, loose].map(|box_| {
        let scenario =
            Scenario::parse("plate.toml", &scenario(box_), &[]).expect("it is a scenario");
        let experiment = Experiment::with_robot("plate.toml", scenario, PLATE);
        (experiment.expect("it can be made").simulation()).expect("it starts")
    });
    let before = fixed.energies().expect("there is one").kinetic;
    let mut impacts = 0;
    for step in 0..600 {
        impacts += fixed.advance().expect("it goes on").pieces - 1;
        loose.advance().expect("it goes on");
        let [one, other] = [&fixed, &loose].map(|simulation| simulation.state().q[..7].to_vec());
        let apart = one.iter().zip(&other).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 1e-6, "{step}: {one:?} {other:?}");
    }
    assert!(impacts > 1, "{impacts}");
    let after = fixed.energies().expect("there is one").kinetic;
    assert!((after - before).abs() < 1e-5 * before, "{after} {before}");
}

/// Balls, capsules and cans come down inside of the rim of a fixed disc that lies level as they do on the ground: the same strikes, slides
/// and rolls, in numbers of order one that are computed alike.
#[test]
fn what_is_round_comes_to_lie_on_a_disc_as_on_the_ground() {
    let robot = r#"<robot name="plate"><link name="plate"/></robot>"#;
    for object in [
        "kind = \"sphere\"\nradius = 0.05\n",
        "kind = \"capsule\"\nradius = 0.03\nlength = 0.1\n",
        "kind = \"cylinder\"\nradius = 0.04\nlength = 0.1\n",
    ] {
        let run = |site: &str, ground: &str| {
            let text = format!(
                "time_step = 1e-3\nduration = 0.6\nrobot = {{ file = \"plate.urdf\", base = \"fixed\" }}\n\
                 impact = {{ law = \"max-dissipation\" }}\n[contact]\nfriction = 0.5\n{site}\n{ground}\
                 [[object]]\nname = \"thing\"\nmass = 0.7\nposition = [0.1, 0.05, 0.12]\nrpy = [0.9, 0.3, 0.2]\n\
                 velocity = [0.5, 0.2, 0.0]\nspin = [1.0, -2.0, 0.5]\n{object}"
            );
            let scenario = Scenario::parse("plate.toml", &text, &[]).expect("it is a scenario");
            let experiment = Experiment::with_robot("plate.toml", scenario, robot);
            let simulation = experiment.expect("it can be made").simulation();
            let mut simulation = simulation.expect("it starts");
            (simulation.run_until(0.6, &mut Unwatched)).expect("it goes on");
            simulation.state().q.clone()
        };
        let disc = "site = [{ name = \"disc\", link = \"plate\", kind = \"disc\", radius = 1.0, axis = [0, 0, 1] }]";
        let on_disc = run(disc, "");
        let on_ground = run("", "[[terrain]]\nkind = \"plane\"\nname = \"ground\"\n");
        let apart = on_disc.iter().zip(&on_ground).map(|(a, b)| (a - b).abs());
        assert!(
            apart.fold(0.0, f64::max) < 1e-12,
            "{object}: {on_disc:?} {on_ground:?}"
        );
        assert!(on_ground[2] < 0.1, "{on_ground:?}");
    }
}

/// Cans thrown at a free disc without weight: nothing is lost or gained by a law that keeps the energy, but for what steps of order two
/// miss, and nothing goes in.
#[test]
fn a_can_thrown_at_a_disc_bounces_off() {
    let mut next = random(12);
    let mut struck = 0;
    for _ in 0..12 {
        let [y, z] = [0.08 * next(), 0.08 * next()];
        let speed = 2.0 + next();
        let [roll, pitch, yaw] = [0; 3].map(|_| 3.0 * next());
        let [wx, wy, wz] = [0; 3].map(|_| 3.0 * next());
        let text = format!(
            "time_step = 1e-3\nduration = 0.4\n[robot]\nfile = \"plate.urdf\"\nbase = \"floating\"\ngravity = [0.0, 0.0, 0.0]\n\
             [initial.base]\nposition = [0.0, 0.0, 0.0]\nquaternion = [0.0, 0.7071067811865476, 0.0, 0.7071067811865476]\n\
             twist = [0.0, 0.0, 0.0, {wx:?}, {wy:?}, {wz:?}]\n[impact]\nlaw = \"propagative\"\n[contact]\nfriction = 0.0\n\
             restitution = 1.0\nsite = [{{ name = \"disc\", link = \"plate\", radius = 0.15, kind = \"disc\", axis = [0, 0, 1] }}]\n\
             [[object]]\nkind = \"cylinder\"\nname = \"can\"\nradius = 0.06\nlength = 0.1\nmass = 0.5\nposition = [0.3, {y:?}, {z:?}]\n\
             rpy = [{roll:?}, {pitch:?}, {yaw:?}]\nvelocity = [-{speed:?}, 0.0, 0.0]\nspin = [{wz:?}, {wx:?}, {wy:?}]\n"
        );
        let scenario = Scenario::parse("plate.toml", &text, &[]).expect("it is a scenario");
        let experiment = Experiment::with_robot("plate.toml", scenario, PLATE);
        let simulation = experiment.expect("it can be made").simulation();
        let mut simulation = simulation.expect("it starts");
        let before = simulation.energies().expect("there is one").kinetic;
        (simulation.run_until(0.4, &mut Unwatched)).expect("it goes on");
        let after = simulation.energies().expect("there is one").kinetic;
        // (ω h)² of some thousandths, of what turns.
        assert!(
            (after - before).abs() < 1e-5 * before,
            "{after} {before}: {text}"
        );
        struck += usize::from(simulation.state().p[0].abs() > 1e-3);
    }
    assert!(struck > 6, "{struck}");
}
