//! Branches of periodic orbits and orbits of many starts, against closed forms.
//!
//! A ball with restitution e on a table that shakes as A sin ωt, of period T, strikes it once a period at the phase φ where
//! the table has the velocity c = Aω cos φ = (gT/2)(1 − e)/(1 + e): it leaves with gT/2, comes back with −gT/2, and
//! gT/2 − c = e (gT/2 + c). So F = Aω² is at least F₀ = πg(1 − e)/(1 + e), with a fold there. With S = ± √(F² − F₀²), the
//! acceleration of the table against gravity, the map has determinant e² and trace 1 + e² − (1 + e)² S/g, and −1 is a
//! multiplier where that is −(1 + e²).

use std::f64::consts::PI;
use std::path::Path;

use carom::scenario::{Experiment, Scenario, ScenarioError};
use carom::study::orbit::{
    BifurcationKind, FoundOrbits, OrbitError, Scan, ScanRange, find_orbits, scan,
};

use crate::folder::Folder;
use crate::shipped::shipped;

const G: f64 = 9.81;
const E: f64 = 0.8;
const T: f64 = 0.2;
const AMPLITUDE: &str = "controller.joint.0.feed_forward.sine.amplitude";

fn branch(file: &Path, range: &str, overrides: &[&str]) -> Scan {
    let own: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    let made = |more: &[String]| -> Result<Experiment, ScenarioError> {
        Experiment::new(
            "scan.toml",
            Scenario::read(file, &[&own[..], more].concat())?,
        )
    };
    let range = ScanRange::parse(range).unwrap();
    scan(&made, &range, 0).unwrap()
}

/// F at the fold.
fn least() -> f64 {
    PI * G * (1.0 - E) / (1.0 + E)
}

fn trace(force: f64, stable: bool) -> f64 {
    let curvature = (force * force - least() * least()).sqrt();
    let sign = if stable { 1.0 } else { -1.0 };
    1.0 + E * E - (1.0 + E).powi(2) * sign * curvature / G
}

/// State on the section, where ωt = π: the strike was τ ago, and the ball has flown since.
fn closed_form(force: f64, stable: bool) -> [f64; 2] {
    let omega = 2.0 * PI / T;
    let amplitude = force / (omega * omega);
    let angle = (least() / force).acos() * if stable { 1.0 } else { -1.0 };
    let flown = (PI - angle) / omega;
    let height = amplitude * angle.sin() + 0.5 * G * T * flown - 0.5 * G * flown * flown;
    [height, 0.5 * G * T - G * flown + amplitude * omega]
}

#[test]
fn a_bouncing_ball_has_a_fold_with_both_sides() {
    let scan = branch(
        &shipped("ball/table.toml"),
        &format!("{AMPLITUDE}=6:3:4"),
        &[],
    );
    assert_eq!(scan.ended, None);
    let values: Vec<(f64, usize)> = scan
        .points
        .iter()
        .map(|p| (p.parameter, p.branch))
        .collect();
    assert_eq!(
        values,
        [(6.0, 0), (5.0, 0), (4.0, 0), (4.0, 1), (5.0, 1), (6.0, 1)]
    );
    for point in &scan.points {
        let stable = point.branch == 0;
        let orbit = &point.orbit;
        assert!(orbit.found && orbit.stable == Some(stable));
        let [z, v] = closed_form(point.parameter, stable);
        // Order 6 in steps of 1/200 of the period: ωh = 0.031, errors of (ωh)⁶ = 1e-9 of the forces.
        assert!(
            (orbit.state.q["z"] - z).abs() < 1e-8,
            "{z} {:?}",
            orbit.state
        );
        assert!(
            (orbit.state.v["z"] - v).abs() < 1e-7,
            "{v} {:?}",
            orbit.state
        );
        // DP is drawn out to 1e-8 or what events are located to over the width.
        let wanted = trace(point.parameter, stable);
        let found: f64 = orbit.multipliers.iter().map(|m| m[0]).sum();
        assert!((found - wanted).abs() < 1e-5, "{found} {wanted}");
    }
    let [fold] = &scan.bifurcations[..] else {
        panic!("{:?}", scan.bifurcations);
    };
    assert_eq!((fold.kind, fold.branch), (BifurcationKind::Fold, 0));
    assert!(
        (fold.parameter - least()).abs() < 1e-6 * least(),
        "{} {}",
        fold.parameter,
        least()
    );
    assert!((fold.multiplier[0] - 1.0).abs() < 1e-3);
}

#[test]
fn its_period_doubles_where_the_closed_form_says() {
    let scan = branch(
        &shipped("ball/table.toml"),
        &format!("{AMPLITUDE}=9:11:3"),
        &[],
    );
    let doubled = 2.0 * G * (1.0 + E * E) / (1.0 + E).powi(2);
    let wanted = least().hypot(doubled);
    let [found] = &scan.bifurcations[..] else {
        panic!("{:?}", scan.bifurcations);
    };
    assert_eq!(found.kind, BifurcationKind::PeriodDoubling);
    assert!(
        (found.parameter - wanted).abs() < 1e-6 * wanted,
        "{} {wanted}",
        found.parameter
    );
    assert!((found.multiplier[0] + 1.0).abs() < 1e-5);
    let stable: Vec<_> = scan.points.iter().map(|p| p.orbit.stable).collect();
    assert_eq!(stable, [Some(true), Some(true), Some(false)]);
}

/// A mass on a spring that a force of 5 Hz drives: the multipliers are exp((−c/2 ± i √(k − c²/4)) T), and on the circle where
/// the damping c is zero.
#[test]
fn a_pair_leaves_the_circle_where_damping_changes_its_sign() {
    let folder = Folder::new("orbit-pair");
    let urdf = std::fs::read_to_string(shipped("ball/rail.urdf")).unwrap();
    folder.write("rail.urdf", urdf);
    let file = folder.write(
        "mass.toml",
        r#"time_step = 1e-3
duration = 2.0
[robot]
file = "rail.urdf"
gravity = [0.0, 0.0, 0.0]
[stepper]
order = 6
[controller]
kind = "servo"
joint = [{ name = "z", stiffness = 60.0, damping = 0.2, feed_forward = { sine = { amplitude = 1.0, frequency_Hz = 5.0 } } }]
[orbit]
section = { period = 0.2 }
"#,
    );
    let scan = branch(&file, "controller.joint.0.damping=0.4:-0.5:4", &[]);
    let [found] = &scan.bifurcations[..] else {
        panic!("{:?}", scan.bifurcations);
    };
    assert_eq!(found.kind, BifurcationKind::NeimarkSacker);
    assert!(found.parameter.abs() < 1e-6, "{}", found.parameter);
    let [re, im] = found.multiplier;
    let angle = 60.0_f64.sqrt() * T;
    assert!((im.atan2(re) - angle).abs() < 1e-6);
}

/// A hopper whose leg a sine drives. A phase of the sine moves the cut along one and the same orbit, from the flight over the
/// strike of the foot into its stand and back: the chart is another there, and the multipliers are not. They are those of
/// order 4, wrong by some 10⁻⁶ in steps of 1/40 of the period.
#[test]
fn a_branch_goes_on_where_the_foot_of_a_hopper_is_held() {
    let folder = Folder::new("orbit-hopper");
    let link = |name: &str, mass: f64| {
        format!(
            r#"<link name="{name}"><inertial><mass value="{mass}"/>
            <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let joint = |name: &str, parent: &str, child: &str, up: i32| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 {up}"/>
            <limit lower="-9" upper="9" effort="1e3" velocity="1e3"/></joint>"#
        )
    };
    folder.write(
        "hopper.urdf",
        format!(
            r#"<robot name="hopper"><link name="world"/>{}{}{}{}</robot>"#,
            link("body", 1.0),
            link("foot", 0.2),
            joint("z", "world", "body", 1),
            joint("leg", "body", "foot", -1)
        ),
    );
    let file = folder.write(
        "hopper.toml",
        r#"time_step = 1e-2
duration = 2.0
[robot]
file = "hopper.urdf"
[initial]
joints = { z = 0.5097235066251162, leg = 0.46810084064924584 }
velocities = { z = -0.9552200697458665, leg = 0.07535829694602249 }
[stepper]
order = 4
[impact]
law = "max-dissipation"
[contact]
restitution = 0.0
friction = 0.0
site = [{ name = "foot", link = "foot", kind = "point", position = [0.0, 0.0, 0.0] }]
[[terrain]]
kind = "plane"
name = "ground"
[controller]
kind = "servo"
joint = [{ name = "leg", stiffness = 400.0, damping = 6.0, target = { sine = { mean = 0.5, amplitude = -0.03, frequency_Hz = 2.5, phase = 1.8 } } }]
[orbit]
section = { period = 0.4 }
"#,
    );
    let scan = branch(&file, "controller.joint.0.target.sine.phase=1.8:5.3:5", &[]);
    assert_eq!(scan.ended, None);
    assert_eq!((scan.points.len(), scan.bifurcations.len()), (5, 0));
    let sizes: Vec<usize> = scan
        .points
        .iter()
        .map(|p| p.orbit.multipliers.len())
        .collect();
    // The foot strikes at the phase 2.305 and leaves at 4.938.
    assert_eq!(sizes, [4, 2, 2, 2, 4]);
    for point in &scan.points {
        let [re, im] = point.orbit.multipliers[0];
        // 0.4990534 in 130-bit arithmetic; moments of release are known to a step's interpolation.
        assert!((re.hypot(im) - 0.4990534).abs() < 1e-4, "{re} {im}");
    }
    assert_eq!(scan.changes.len(), 2, "{:?}", scan.changes);
    for (change, wanted) in scan.changes.iter().zip([2.3054, 4.9383]) {
        let off = (change.parameter - wanted).abs();
        // Moments of release are known to a step's interpolation; a step over a change is at most half of the distance of two values.
        assert!(off <= change.within + 1e-3, "{} {wanted}", change.parameter);
        assert!(change.within <= 3.5 / 4.0 * 0.25);
    }
}

fn around(
    file: &Path,
    starts: usize,
    seed: u64,
    overrides: &[&str],
) -> Result<FoundOrbits, OrbitError> {
    let own: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    let scenario = Scenario::read(file, &own)?;
    find_orbits(&Experiment::new("starts.toml", scenario)?, 0, starts, seed)
}

/// Both orbits of the ball are found from around one of them, and the answer is the same on one thread and on three.
#[test]
fn many_starts_find_the_stable_and_the_unstable_orbit() {
    let file = shipped("ball/table.toml");
    let wide = ["orbit.spread.q_z=0.03", "orbit.spread.v_z=1.5"];
    let [found, again] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool.unwrap().install(|| around(&file, 12, 5, &wide));
        found.unwrap()
    });
    assert_eq!(again, found);
    let counted: usize = found.orbits.iter().map(|o| o.starts).sum();
    assert_eq!(counted + found.not_converged + found.not_returned, 12);
    assert_eq!(found.orbits[0].first_start, 0);
    let force = 5.921762640653615;
    for stable in [true, false] {
        let [z, v] = closed_form(force, stable);
        let own = found.orbits.iter().filter(|o| {
            let state = &o.orbit.state;
            (state.q["z"] - z).abs() < 1e-7 && (state.v["z"] - v).abs() < 1e-6
        });
        let own: Vec<_> = own.collect();
        assert_eq!(own.len(), 1, "once, {stable}");
        assert_eq!(own[0].orbit.stable, Some(stable));
    }
}

#[test]
fn starts_that_cannot_be_drawn_are_refused() {
    let file = shipped("ball/table.toml");
    let said = |starts, set: &[&str]| around(&file, starts, 0, set).unwrap_err().to_string();
    assert!(said(0, &[]).contains("there are 0 of them, between 1 and 100000 are taken"));
    let unknown = said(2, &["orbit.spread.q_zz=0.1"]);
    assert!(
        unknown.contains(
            "the section has no coordinate \"q_zz\" (did you mean \"q_z\"?); it has q_z, v_z"
        ),
        "{unknown}"
    );
    assert!(said(2, &["orbit.spread.q_z=-1.0"]).contains("orbit.spread.q_z"));
}
