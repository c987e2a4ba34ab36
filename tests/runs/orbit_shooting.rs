//! Orbits that one shot does not find from where it starts, and several shots do.

use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{Orbit, find_orbit};

use crate::folder::Folder;

/// A point mass of 1 kg, 1 m above its hinge, under a torque of 1 N m at 0.25 Hz. Near upright it falls over with λ = √9.81
/// 1/s: an error grows by e^{4λ} = 2.8e5 in a period.
fn upright(folder: &Folder, name: &str, [angle, rate]: [f64; 2], shooting: Option<usize>) -> Orbit {
    folder.write(
        "pendulum.urdf",
        r#"<robot name="pendulum"><link name="world"/>
        <link name="rod"><inertial><origin xyz="0 0 1"/><mass value="1"/>
          <inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"#,
    );
    let shooting = shooting.map_or(String::new(), |n| format!("shooting = {n}\n"));
    let file = folder.write(
        name,
        format!(
            r#"time_step = 1e-2
duration = 10.0
[robot]
file = "pendulum.urdf"
base = "fixed"
[initial]
joints = {{ hinge = {angle} }}
velocities = {{ hinge = {rate} }}
[stepper]
order = 6
[controller]
kind = "servo"
joint = [{{ name = "hinge", stiffness = 0.0, damping = 0.0, feed_forward = {{ sine = {{ amplitude = 1.0, frequency_Hz = 0.25 }} }} }}]
[orbit]
section = {{ period = 4.0 }}
{shooting}"#
        ),
    );
    let scenario = Scenario::read(&file, &[]).unwrap();
    find_orbit(&Experiment::new(name, scenario).unwrap(), 0).unwrap()
}

/// The orbit is odd about a quarter of the period, so θ(0) = 0 and what is left is the rate there. Linearised, θ = −A sin ωt with
/// A = τ/(ml²(ω² + λ²)); the cubic of the sine changes that by some A² = 0.7 %.
#[test]
fn several_shots_find_what_one_does_not() {
    let folder = Folder::new("orbit-shooting");
    let far = [0.3, 0.0];
    let once = upright(&folder, "once.toml", far, Some(1));
    assert!(!once.found, "{:?}", once.section_point);
    let several = upright(&folder, "several.toml", far, Some(8));
    assert!(several.found, "{}", several.residual);
    assert_eq!(several.shooting_segments, 8);
    let omega = 0.5 * std::f64::consts::PI;
    let linear = -omega / (omega * omega + 9.81);
    assert!(several.state.q["hinge"].abs() < 1e-8);
    assert!((several.state.v["hinge"] / linear - 1.0).abs() < 1e-2);
    // Without damping the map keeps areas: the smaller multiplier is the inverse of the larger, as far as entries of DP of that
    // size, exact to 1e-11, know it. The larger one is near e^{λT}.
    let [large, small] = [several.multipliers[0][0], several.multipliers[1][0]];
    assert!(
        (small - 1.0 / large).abs() < 1e-11 * large,
        "{large} {small}"
    );
    assert!((large.ln() / (4.0 * 9.81_f64.sqrt()) - 1.0).abs() < 1e-2);

    // From beside it the same. One shot, whose end is known to 2.7e5 roundings, may or may not close it.
    let beside = upright(&folder, "beside.toml", [0.0, linear], Some(8));
    assert!(beside.found);
    for (name, value) in &beside.section_point {
        let apart = (several.section_point[name] - value).abs();
        assert!(apart < 1e-10, "{name} {apart}");
    }
}

/// Cut by itself where one shot fails.
#[test]
fn a_period_is_cut_where_one_shot_finds_nothing() {
    let folder = Folder::new("orbit-cut");
    let found = upright(&folder, "alone.toml", [0.3, 0.0], None);
    assert!(found.found && found.shooting_segments > 1);
}

/// With a foot that stands throughout, and a section at its strike.
#[test]
fn the_compass_gait_is_the_same_by_several_shots() {
    let file =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/compass/gait_short.toml");
    let gait = |keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_string()).collect();
        let scenario = Scenario::read(&file, &keys).unwrap();
        find_orbit(&Experiment::new("gait", scenario).unwrap(), 0).unwrap()
    };
    let (once, several) = (gait(&[]), gait(&["orbit.shooting=5"]));
    assert!(once.found && several.found);
    assert_eq!((once.shooting_segments, several.shooting_segments), (1, 5));
    for (name, value) in &once.section_point {
        let apart = (several.section_point[name] - value).abs();
        assert!(apart < 1e-10, "{name} {apart}");
    }
}
