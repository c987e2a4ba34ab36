//! Declared discs on corners of boxes that lie inside of their rims.

use carom::hybrid::Unwatched;
use carom::scenario::{Experiment, Scenario};

const PLATE: &str = r#"<robot name="plate"><link name="plate"><inertial><mass value="1"/>
    <inertia ixx="0.0025" iyy="0.0025" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
/// Half of the post's edge, and its height \[m\].
const POST: [f64; 2] = [0.02, 0.3];
/// Of the disc \[m\].
const RADIUS: f64 = 0.1;

/// Coordinates of the plate, in a place of the world and turned, after some time \[s\].
fn fallen(position: [f64; 3], quaternion: [f64; 4], thickness: &str, seconds: f64) -> Vec<f64> {
    let [half, top] = POST;
    let kind = if thickness.is_empty() {
        "kind = \"disc\", axis = [0.0, 0.0, 1.0]"
    } else {
        "kind = \"arc\", axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], start = 0.0, end = 6.283185307179586"
    };
    let scenario = format!(
        "time_step = 1e-3\nduration = {seconds}\n[robot]\nfile = \"plate.urdf\"\nbase = \"floating\"\n\
         [initial.base]\nposition = {position:?}\nquaternion = {quaternion:?}\n\
         [impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.5\n\
         site = [{{ name = \"disc\", link = \"plate\", radius = {RADIUS}, {kind}{thickness} }}]\n\
         [[terrain]]\nkind = \"box\"\nname = \"post\"\nmin = [-{half}, -{half}, 0.0]\nmax = [{half}, {half}, {top}]\n"
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
