//! Periodic orbits against closed forms and published values.

use std::path::{Path, PathBuf};

use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{
    BifurcationKind, Differentiability, Orbit, OrbitError, ScanRange, find_orbit, scan,
};

use crate::folder::Folder;
use crate::shipped::shipped;

fn orbit_of(file: &Path, overrides: &[&str]) -> Orbit {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    let scenario = Scenario::read(file, &overrides).unwrap();
    let experiment = Experiment::new(&file.display().to_string(), scenario).unwrap();
    find_orbit(&experiment, 0).unwrap()
}

/// What is so of the walker at every order and step: orbits are those of the discrete motion.
fn quick() -> [String; 2] {
    ["stepper.order=2", "time_step=4e-3"].map(str::to_string)
}

fn moduli(orbit: &Orbit) -> Vec<f64> {
    orbit
        .multipliers
        .iter()
        .map(|[re, im]| re.hypot(*im))
        .collect()
}

/// The multipliers are those of the walker with m = 1, m_H = 2 on 0.03 rad in 130-bit arithmetic, to what differences of the
/// map allow: events are located to 1e-12 m, over widths of 2.5e-4 and less.
#[test]
fn the_compass_walker_has_a_stable_and_an_unstable_gait() {
    for (name, period, wanted, stable) in [
        (
            "compass/gait_short.toml",
            0.600400012,
            [3.0969387707, 0.5275871786, 0.0846726215],
            false,
        ),
        (
            "compass/gait_long.toml",
            0.715314985,
            [0.5939444349, 0.5939444349, 0.1717334083],
            true,
        ),
    ] {
        // From a per cent beside it.
        let moved = ["initial.velocities.trailing=-0.66"];
        let beside: &[&str] = if stable { &moved[..0] } else { &[] };
        let orbit = orbit_of(&shipped(name), beside);
        assert!(orbit.found, "{name} {}", orbit.residual);
        assert_eq!(
            orbit.differentiability,
            Some(Differentiability::Differentiable)
        );
        assert_eq!(orbit.stable, Some(stable));
        assert!((orbit.period_s - period).abs() < 1e-8);
        for (found, wanted) in moduli(&orbit).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-6, "{name} {found} {wanted}");
        }
        // What gravity gives on the way down is what impacts take.
        assert!((orbit.cost_of_transport.unwrap() - 0.03_f64.sin()).abs() < 1e-8);
        // A foot that must not strike goes below the ground, and that is told.
        assert!(orbit.scuffing.unwrap().1 > 1e-5);
    }
}

/// A bar on two feet under the force that a table of amplitude 6 mm at 5 Hz would make, seen from the table. It strikes once
/// a period; with restitution 0.8 it comes down with 1.09 m/s.
fn bar(folder: &Folder, inertia: f64, height: f64, restitution: f64, spring: f64) -> PathBuf {
    let urdf = format!(
        r#"<robot name="bar"><link name="world"/>
        <link name="slide"><inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="bar"><inertial><mass value="1"/>
          <inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="z" type="prismatic"><parent link="world"/><child link="slide"/><axis xyz="0 0 1"/>
          <limit lower="-9" upper="9" effort="1e3" velocity="1e3"/></joint>
        <joint name="pitch" type="continuous"><parent link="slide"/><child link="bar"/><axis xyz="0 -1 0"/></joint></robot>"#
    );
    let force = 0.006 * (10.0 * std::f64::consts::PI).powi(2);
    let (z, v) = (0.030166112086555 + height, -0.87153567172014);
    let scenario = format!(
        r#"time_step = 1e-3
duration = 2.0
[robot]
file = "bar.urdf"
[initial]
joints = {{ z = {z}, pitch = 0.0 }}
velocities = {{ z = {v} }}
[stepper]
order = 6
[impact]
law = "propagative"
[contact]
restitution = {restitution}
capture_speed = 0.0
site = [
  {{ name = "A", link = "bar", kind = "point", position = [-0.2, 0.0, {below}] }},
  {{ name = "B", link = "bar", kind = "point", position = [0.2, 0.0, {below}] }},
]
[[terrain]]
kind = "plane"
name = "ground"
[[spring]]
joint = "pitch"
stiffness = {spring}
[controller]
kind = "servo"
joint = [{{ name = "z", stiffness = 0.0, feed_forward = {{ sine = {{ amplitude = {force}, frequency_Hz = 5.0 }} }} }}]
[orbit]
section = {{ period = 0.2 }}
"#,
        below = -height
    );
    folder.write("bar.urdf", urdf);
    folder.write("bar.toml", scenario)
}

#[test]
fn orthogonal_feet_level_with_the_centre_have_multipliers() {
    let folder = Folder::new("orbit-smooth");
    let orbit = orbit_of(&bar(&folder, 0.04, 0.0, 0.8, 1.5), &[]);
    assert!(orbit.found);
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Differentiable)
    );
    assert_eq!(orbit.simultaneous.len(), 1);
    assert!(orbit.simultaneous[0].jump.values().all(|x| *x < 1e-11));
    // Two independent balls: the determinant of each block is e².
    let product: f64 = moduli(&orbit).iter().product();
    assert!((product - 0.8_f64.powi(4)).abs() < 1e-5, "{product}");
    assert_eq!(orbit.stable, Some(true));
}

#[test]
fn normals_that_turn_with_the_bar_make_a_kink() {
    let folder = Folder::new("orbit-kink");
    let orbit = orbit_of(&bar(&folder, 0.04, 0.1, 0.8, 2.0), &[]);
    assert!(orbit.found);
    assert_eq!(orbit.differentiability, Some(Differentiability::Piecewise));
    assert_eq!((orbit.stable, orbit.multipliers.len()), (None, 0));
    // By mirror symmetry the pieces differ by the sign of what couples pitch to height.
    let slope = |side: &str| {
        let limit = orbit
            .limits
            .iter()
            .find(|l| l.along == "q_pitch" && l.side == side);
        limit.unwrap().derivative.clone()
    };
    let (right, left) = (slope("positive"), slope("negative"));
    assert!((right[0] + left[0]).abs() < 1e-6 && right[0].abs() > 0.01);
    assert!((right[1] - left[1]).abs() < 1e-6);
}

/// A uniform bar: the kinetic cosine of its normals is −1/2. One reflection at a time with e = 0.8 from u = 1.09 m/s,
/// straight down, are A, B and A again, which leave a pitch rate of −0.073575 rad/s, and the other sign for B first.
#[test]
fn a_uniform_bar_that_loses_energy_jumps() {
    let folder = Folder::new("orbit-jump");
    let orbit = orbit_of(
        &bar(&folder, 0.04 / 3.0, 0.0, 0.8, 1.5),
        &["initial.joints.z=0.0301"],
    );
    assert!(orbit.found);
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Discontinuous)
    );
    assert_eq!((orbit.stable, orbit.multipliers.len()), (None, 0));
    let strike = &orbit.simultaneous[0];
    let ends: Vec<f64> = strike
        .orders
        .iter()
        .map(|o| o.velocity_after["pitch"])
        .collect();
    assert_eq!(strike.orders[0].sequence, ["A", "B", "A"]);
    // The orbit's speed is known to what its residual is, 1e-12.
    assert!(
        (ends[0] + 0.073575).abs() < 1e-10 && (ends[0] + ends[1]).abs() < 1e-10,
        "{ends:?}"
    );
    assert!((strike.jump["pitch"] - (ends[1] - ends[0])).abs() < 1e-11);
}

/// On level ground nothing replaces what impacts take: the walker does not come to its next step.
#[test]
fn a_motion_that_does_not_come_back_is_told() {
    let level = ["robot.gravity.0=0.0", "duration=1.5"].map(str::to_string);
    let level = [&level[..], &quick()].concat();
    let scenario = Scenario::read(&shipped("compass/gait_long.toml"), &level).unwrap();
    let experiment = Experiment::new("level.toml", scenario).unwrap();
    let error = find_orbit(&experiment, 40).unwrap_err();
    assert!(matches!(error, OrbitError::NoReturn { .. }), "{error}");
    assert!(!find_orbit(&experiment, 0).unwrap().found);
}

/// Down a steeper slope the long gait doubles its period: its multiplier passes −1, and is there what the location says.
#[test]
fn a_period_doubling_is_located() {
    let file = shipped("compass/gait_long.toml");
    let made = |more: &[String]| {
        let scenario = Scenario::read(&file, &[&quick()[..], more].concat())?;
        Experiment::new("gait_long.toml", scenario)
    };
    let range = ScanRange::parse("robot.gravity.0=0.42:0.77:6").unwrap();
    let branch = scan(&made, &range, 0).unwrap();
    assert_eq!((branch.points.len(), branch.ended), (6, None));
    assert_eq!(branch.bifurcations.len(), 1);
    let found = &branch.bifurcations[0];
    assert_eq!(found.kind, BifurcationKind::PeriodDoubling);
    // Located to 1e-7 of the scan, 3.5e-8, where the multiplier changes by some −8 for 1 m/s².
    assert!((found.multiplier[0] + 1.0).abs() < 1e-6, "{found:?}");
    let stable: Vec<_> = branch
        .points
        .iter()
        .map(|point| point.orbit.stable)
        .collect();
    assert_eq!((stable[0], stable[5]), (Some(true), Some(false)));
    assert!(found.parameter > 0.7 && found.parameter < 0.77);
}

#[test]
fn a_scan_that_is_none_is_refused() {
    for text in [
        "hip",
        "hip=1:2",
        "hip=1:2:1",
        "hip=a:2:3",
        "hip=1:inf:3",
        "hip=1:2:x",
    ] {
        assert!(ScanRange::parse(text).is_err(), "{text}");
    }
}

/// The walk goes on along a line but for what its lateral asymmetry turns it by, which is no coordinate of the orbit.
/// Contraction is strong: perturbations are down to a tenth after one stride.
#[test]
fn the_tripod_of_the_hexapod_is_an_orbit() {
    let orbit = orbit_of(&shipped("rhex/tripod_orbit.toml"), &[]);
    assert!(
        orbit.found && orbit.stable == Some(true),
        "{}",
        orbit.residual
    );
    assert!(moduli(&orbit)[0] < 0.1, "{:?}", orbit.multipliers);
    assert_eq!(orbit.trivial.len(), 3);
    let [x, y, heading] = ["base.x", "base.y", "heading"].map(|name| orbit.advance[name]);
    assert!(x > 0.25 && y.abs() < 1e-2 * x && heading.abs() < 1e-2);
    let alone = Scenario::read(
        &shipped("rhex/tripod_orbit.toml"),
        &["orbit.symmetry.drift=[\"heading\"]".to_string()],
    );
    let experiment = Experiment::new("alone", alone.unwrap()).unwrap();
    let refused = find_orbit(&experiment, 0).unwrap_err().to_string();
    assert!(refused.contains("add base.x and base.y"), "{refused}");
}

/// A bar whose pitch swings once in the time between its strikes, so that both feet come down together again: what the
/// order of the law makes of them leads back to itself, what the other order makes does not. The orbit is there on the
/// jump alone. Its state is that of an independent computation in 130-bit arithmetic.
#[test]
fn an_orbit_that_exists_on_a_jump_alone_is_found() {
    let folder = Folder::new("orbit-jump");
    let file = bar(&folder, 0.034, 0.0, 1.0, 33.630184375468524);
    let force = 0.012 * (10.0 * std::f64::consts::PI).powi(2);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace(
        "[[spring]]\n",
        "[[spring]]\njoint = \"z\"\nstiffness = 0.0\ndamping = 0.5\n[[spring]]\ndamping = 0.1\n",
    );
    std::fs::write(&file, text).unwrap();
    let near = [
        format!("controller.joint.0.feed_forward.sine.amplitude={force}"),
        "initial.joints.z=0.0474".to_string(),
        "initial.joints.pitch=-0.0126".to_string(),
        "initial.velocities.z=-0.886".to_string(),
        "initial.velocities.pitch=0.043".to_string(),
    ];
    let near: Vec<&str> = near.iter().map(String::as_str).collect();
    let orbit = orbit_of(&file, &near);
    assert!(orbit.found, "{}", orbit.residual);
    let wanted = [
        ("q_z", 0.047282861022024315),
        ("q_pitch", -0.012601782055484035),
        ("v_z", -0.88809416241674),
        ("v_pitch", 0.04303475716203877),
    ];
    for (name, value) in wanted {
        let found = orbit.section_point[name];
        assert!((found - value).abs() < 1e-8, "{name}: {found} {value}");
    }
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Discontinuous)
    );
    assert!(orbit.multipliers.is_empty() && orbit.stable.is_none());
}

/// The hip's mass for which the walker steps as long and as fast as with another one is that mass: orbits are periodic to
/// 1e-10, and numbers of them wanted to 1e-9 of their size.
#[test]
fn a_key_is_found_with_the_orbit_that_has_a_wanted_step() {
    let file = shipped("compass/gait_long.toml");
    let [order, step] = &quick();
    let heavier = orbit_of(&file, &["robot.mass_scale.hip=1.4", order, step]);
    let speed = heavier.advance["hip_x"] / heavier.period_s;
    for (name, wanted) in [("period_s", heavier.period_s), ("speed_m_s", speed)] {
        let found = orbit_of(
            &file,
            &[
                order,
                step,
                "robot.mass_scale.hip=1.0",
                "orbit.free=[\"robot.mass_scale.hip\"]",
                &format!("orbit.wanted.{name}={wanted:?}"),
            ],
        );
        let mass = found.free["robot.mass_scale.hip"];
        assert!((mass - 1.4).abs() < 1e-6, "{name}: {mass}");
        assert!((found.period_s - heavier.period_s).abs() < 1e-8);
    }
}

#[test]
fn what_no_orbit_has_is_told() {
    let refusal = |overrides: &[&str]| {
        let overrides = overrides.iter().map(ToString::to_string);
        let overrides: Vec<String> = overrides.chain(quick()).collect();
        let path = shipped("compass/gait_long.toml");
        let scenario = Scenario::read(&path, &overrides).map_err(|e| e.to_string())?;
        let experiment = Experiment::new("gait", scenario).map_err(|e| e.to_string())?;
        find_orbit(&experiment, 0).map_err(|e| e.to_string())
    };
    let free = "orbit.free=[\"robot.mass_scale.hip\"]";
    let mass = "robot.mass_scale.hip=1.0";
    for (overrides, part) in [
        (vec![free, mass], "1 keys are free and 0 numbers wanted"),
        (
            vec![free, mass, "orbit.wanted.sped=1"],
            "an orbit has speed_m_s, period_s",
        ),
        (
            vec![free, "orbit.wanted.speed_m_s=1"],
            "no number \"robot.mass_scale.hip\"",
        ),
        (
            // Walkers without mass take long to fall.
            vec![free, mass, "orbit.wanted.speed_m_s=30", "duration=2"],
            "no values of orbit.free give speed_m_s = 30",
        ),
    ] {
        let told = refusal(&overrides).unwrap_err();
        assert!(told.contains(part), "{overrides:?}: {told}");
    }
}
