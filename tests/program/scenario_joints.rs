//! What a scenario says of joints in place of the robot's file.

use carom::scenario::{Experiment, Scenario, ScenarioError};

/// Three links: `hip` has limits, damping and friction, `wheel` has none, `foot` is fixed.
const ROBOT: &str = r#"<robot name="leg">
<link name="world"/>
<link name="thigh"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="rim"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="sole"/>
<joint name="hip" type="revolute"><parent link="world"/><child link="thigh"/><axis xyz="0 1 0"/>
<limit lower="-0.5" upper="0.7" effort="3" velocity="4"/><dynamics damping="0.25" friction="0.125"/></joint>
<joint name="wheel" type="continuous"><parent link="thigh"/><child link="rim"/><axis xyz="0 1 0"/></joint>
<joint name="foot" type="fixed"><parent link="thigh"/><child link="sole"/></joint>
</robot>"#;

fn experiment(robot: &str) -> Result<Experiment, ScenarioError> {
    let text = format!(
        "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"leg.urdf\"\n{robot}\n[contact]\nrestitution = 1.0\n"
    );
    let scenario = Scenario::parse("leg.toml", &text, &[])?;
    Experiment::with_robot("leg.toml", scenario, ROBOT)
}

#[track_caller]
fn refused(robot: &str, parts: &[&str]) {
    let message = experiment(robot).unwrap_err().to_string();
    for part in parts {
        assert!(
            message.contains(part),
            "{message:?} should contain {part:?}"
        );
    }
}

#[test]
fn a_table_for_a_joint_overrides_the_file_and_what_it_leaves_out_stays() {
    let experiment = experiment(
        "[robot.joint.hip]\narmature = 0.5\ndamping = 2.0\nrestitution = 0.3\n[robot.joint.wheel]\nfriction = 0.75",
    )
    .unwrap();
    let bodies = experiment.model.bodies();
    let hip = &bodies[experiment.model.joint("hip").unwrap().body];
    let wheel = &bodies[experiment.model.joint("wheel").unwrap().body];
    assert_eq!([hip.armature, hip.damping, hip.friction], [0.5, 2.0, 0.125]);
    assert_eq!([wheel.armature, wheel.friction], [0.0, 0.75]);
    assert_eq!(hip.limits.position, Some((-0.5, 0.7)));
    assert_eq!(experiment.limit_restitution, Some(vec![0.3, 0.0]));
}

#[test]
fn limits_are_on_unless_switched_off_and_then_the_model_says_so() {
    let on = experiment("").unwrap();
    assert_eq!(on.limit_restitution, Some(vec![0.0, 0.0]));
    assert_eq!(on.model.bodies()[0].limits.position, Some((-0.5, 0.7)));
    let off = experiment("limits = false").unwrap();
    assert_eq!(off.limit_restitution, None);
    let limits = &off.model.bodies()[0].limits;
    assert_eq!((limits.position, limits.effort), (None, Some(3.0)));
    assert!(off.model.warnings().iter().any(|w| w.contains("limits")));
    // A robot beyond its limits may start when they are off.
    let beyond = |switch: &str| experiment(&format!("{switch}\n[initial.joints]\nhip = 0.9"));
    assert!(beyond("limits = false").unwrap().simulation().is_ok());
    assert!(beyond("").unwrap().simulation().is_err());
}

#[test]
fn the_resolved_scenario_writes_every_joint_and_runs_the_same_robot() {
    for robot in [
        "",
        "limits = false",
        "[robot.joint.hip]\narmature = 0.5\nrestitution = 0.3",
    ] {
        let first = experiment(robot).unwrap();
        let text = first.resolved().to_toml().unwrap();
        let again = Scenario::parse("resolved.toml", &text, &[]).unwrap();
        let again = Experiment::with_robot("resolved.toml", again, ROBOT).unwrap();
        assert_eq!(first.model, again.model, "{text}");
        assert_eq!(first.limit_restitution, again.limit_restitution);
        assert_eq!(text, again.resolved().to_toml().unwrap());
        let table: toml::Table = toml::from_str(&text).unwrap();
        let hip = &table["robot"]["joint"]["hip"];
        assert_eq!(hip["damping"].as_float(), Some(0.25));
        assert_eq!(hip["friction"].as_float(), Some(0.125));
        assert!(hip["armature"].is_float());
        assert!(table["robot"]["limits"].is_bool());
    }
}

/// Two fingers of a gripper: `right` mimics `left` with ratio −0.5, and both have damping and friction.
const GRIPPER: &str = r#"<robot name="gripper">
<link name="palm"/>
<link name="one"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="two"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="left" type="continuous"><parent link="palm"/><child link="one"/><axis xyz="0 1 0"/>
<dynamics damping="0.25" friction="0.125"/></joint>
<joint name="right" type="revolute"><parent link="palm"/><child link="two"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="1" friction="0.5"/><mimic joint="left" multiplier="-0.5"/></joint>
</robot>"#;

/// What a follower adds to its leader (ratio² of damping and armature, |ratio| of friction) is added once, however
/// often the scenario is written and read.
#[test]
fn the_resolved_scenario_has_the_leaders_own_numbers() {
    let read = |text: &str| {
        let scenario = Scenario::parse("gripper.toml", text, &[]).unwrap();
        Experiment::with_robot("gripper.toml", scenario, GRIPPER).unwrap()
    };
    let written = "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"gripper.urdf\"\n\
                   [robot.joint.left]\narmature = 0.125\n[robot.joint.right]\narmature = 0.5\n";
    let first = read(written);
    let left = &first.model.bodies()[first.model.joint("left").unwrap().body];
    // 0.25 + 1/4, 0.125 + 0.5/2, 0.125 + 0.5/4: all exact.
    assert_eq!(
        [left.damping, left.friction, left.armature],
        [0.5, 0.375, 0.25]
    );
    let text = first.resolved().to_toml().unwrap();
    let again = read(&text);
    assert_eq!(first.model, again.model, "{text}");
    assert_eq!(first.hash().unwrap(), again.hash().unwrap());
    assert_eq!(text, again.resolved().to_toml().unwrap());
    let table: toml::Table = toml::from_str(&text).unwrap();
    let left = &table["robot"]["joint"]["left"];
    assert_eq!(left["damping"].as_float(), Some(0.25));
    assert_eq!(left["friction"].as_float(), Some(0.125));
    assert_eq!(left["armature"].as_float(), Some(0.125));
}

#[test]
fn what_is_wrong_with_a_joint_is_said_by_its_key() {
    refused(
        "[robot.joint.hop]\ndamping = 1.0",
        &["robot.joint.hop", "did you mean \"hip\""],
    );
    refused(
        "[robot.joint.foot]\ndamping = 1.0",
        &["robot.joint.foot", "fixed"],
    );
    refused(
        "[robot.joint.hip]\ndamping = -1.0",
        &["robot.joint.hip.damping", "-1", "at least 0"],
    );
    refused(
        "[robot.joint.hip]\narmature = inf",
        &["robot.joint.hip.armature", "finite"],
    );
    refused(
        "[robot.joint.hip]\nfriction = nan",
        &["robot.joint.hip.friction", "at least 0"],
    );
    refused(
        "[robot.joint.hip]\nrestitution = 1.5",
        &["robot.joint.hip.restitution", "between 0 and 1"],
    );
    refused(
        "[robot.joint.wheel]\nrestitution = 0.5",
        &["robot.joint.wheel.restitution", "no position limits"],
    );
    refused(
        "[robot.joint.hip]\nstiffness = 1.0",
        &["leg.toml", "stiffness", "damping"],
    );
}

/// A wheel on an axle that slides with it down a slope.
const WHEEL: &str = r#"<robot name="wheel">
<link name="world"/>
<link name="rail"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="fork"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="rim"><inertial><mass value="2"/><inertia ixx="0.3" iyy="0.25" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="along" type="prismatic"><parent link="world"/><child link="rail"/><axis xyz="1 0 0"/></joint>
<joint name="above" type="prismatic"><parent link="rail"/><child link="fork"/><axis xyz="0 0 1"/></joint>
<joint name="axle" type="continuous"><parent link="fork"/><child link="rim"/><axis xyz="0 1 0"/></joint>
</robot>"#;

/// M ẍ = M g sin θ − F and (I + a) ẍ/r = F r.
#[test]
fn a_wheel_whose_axle_has_a_rotor_rolls_down_with_the_sum_of_both_inertias() {
    let (mass, inertia, radius, steps, h) = (4.0, 0.25, 0.5, 200, 0.01);
    let [down, press] = [0.98, 9.75];
    for armature in [0.0, 0.05, 1.5] {
        let text = format!(
            "time_step = {h}\nduration = 2.0\n[robot]\nfile = \"wheel.urdf\"\ngravity = [{down}, 0.0, -{press}]\n\
             [robot.joint.axle]\narmature = {armature}\n[initial.joints]\nabove = {radius}\n\
             [contact]\nfriction = 1.0\nrestitution = 0.0\n\
             [[contact.site]]\nname = \"tread\"\nlink = \"rim\"\nkind = \"disc\"\naxis = [0.0, 1.0, 0.0]\nradius = {radius}\n\
             [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n[impact]\nlaw = \"plastic\"\n"
        );
        let scenario = Scenario::parse("wheel.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("wheel.toml", scenario, WHEEL).unwrap();
        let mut simulation = experiment.simulation().unwrap();
        for _ in 0..steps {
            simulation.step(&[0.0; 3]).unwrap();
        }
        let time = f64::from(steps) * h;
        let acceleration = mass * down / (mass + (inertia + armature) / (radius * radius));
        let path = 0.5 * acceleration * time * time;
        let q = &simulation.state().q;
        // The step is exact for constant accelerations: what its residual tolerance leaves, every step.
        let bound = 1e-10 * path;
        assert!((q[0] - path).abs() <= bound, "{armature}: {} {path}", q[0]);
        assert!((q[2] - path / radius).abs() <= bound / radius);
    }
}

/// A law without restitution does nothing with that of a limit, whichever it is, and says so.
#[test]
fn a_restitution_of_limits_that_the_law_does_not_use_is_refused() {
    let text = "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"leg.urdf\"\n[robot.joint.hip]\nrestitution = 1.0\n\
                [impact]\nlaw = \"max-dissipation\"\n[contact]\nrestitution = 0.0\n";
    let build = |text: &str| {
        let scenario = Scenario::parse("leg.toml", text, &[])?;
        Experiment::with_robot("leg.toml", scenario, ROBOT)
    };
    let message = build(text).unwrap_err().to_string();
    for part in [
        "robot.joint.hip.restitution",
        "max-dissipation",
        "remove the key",
    ] {
        assert!(message.contains(part), "{message:?}");
    }
    assert!(build(&text.replace("max-dissipation", "stronge")).is_ok());
}
