//! Defaults and patterns for joints: what they mean is what the joints spelled out mean.

use carom::hybrid::Unwatched;
use carom::scenario::{Experiment, Scenario, ScenarioError};

/// A row of two-joint arms on one rail, each with a `hip` and a `knee`; the knees of the outer ones have limits.
fn robot() -> String {
    let inertial = "<inertial><origin xyz=\"0 0 -0.1\"/><mass value=\"1\"/>\
                    <inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let mut text = String::from("<robot name=\"arms\"><link name=\"world\"/>");
    for side in ["left", "right"] {
        text += &format!(
            "<link name=\"{side}_thigh\">{inertial}</link><link name=\"{side}_shank\">{inertial}</link>\
             <joint name=\"{side}_hip\" type=\"continuous\"><parent link=\"world\"/><child link=\"{side}_thigh\"/>\
             <axis xyz=\"0 1 0\"/></joint>\
             <joint name=\"{side}_knee\" type=\"revolute\"><parent link=\"{side}_thigh\"/><child link=\"{side}_shank\"/>\
             <origin xyz=\"0 0 -0.2\"/><axis xyz=\"0 1 0\"/><limit lower=\"-2\" upper=\"2\" effort=\"9\" velocity=\"9\"/>\
             </joint>"
        );
    }
    text + "</robot>"
}

const HEAD: &str = "time_step = 1e-3\nduration = 0.2\n[robot]\nfile = \"arms.urdf\"\n\
                    [initial.joints]\nleft_hip = 0.3\nright_knee = -0.4\n";

fn experiment(tables: &str, set: &[&str]) -> Result<Experiment, ScenarioError> {
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    let scenario = Scenario::parse("arms.toml", &format!("{HEAD}{tables}"), &set)?;
    Experiment::with_robot("arms.toml", scenario, &robot())
}

/// The bits of the configuration at the end.
fn end(experiment: &Experiment) -> Vec<u64> {
    let controller = experiment.controller().unwrap();
    let mut simulation = experiment
        .simulation()
        .unwrap()
        .driven_by(controller.as_ref());
    simulation
        .run_until(experiment.scenario.duration, &mut Unwatched)
        .unwrap();
    let q = &simulation.state().q;
    q.iter().map(|x| x.to_bits()).collect()
}

/// Both are one experiment: the same text when resolved, the same hash, the same bits.
#[track_caller]
fn same(short: (&str, &[&str]), spelled: &str) {
    let short = experiment(short.0, short.1).unwrap();
    let spelled = experiment(spelled, &[]).unwrap();
    let text = |experiment: &Experiment| experiment.resolved().to_toml().unwrap();
    assert_eq!(text(&short), text(&spelled));
    assert_eq!(short.hash().unwrap(), spelled.hash().unwrap());
    assert_eq!(end(&short), end(&spelled));
    // What is written runs again.
    let again = Scenario::parse("scenario.toml", &text(&short), &[]).unwrap();
    let again = Experiment::with_robot("scenario.toml", again, &robot()).unwrap();
    assert_eq!(text(&again), text(&short));
    assert_eq!(end(&again), end(&short));
}

#[track_caller]
fn refused(tables: &str, set: &[&str], parts: &[&str]) {
    let message = experiment(tables, set).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{message:?} has no {part:?}");
    }
}

const SPELLED: &str = "[controller]\nkind = \"servo\"\njoint = [\n\
    { name = \"left_hip\", stiffness = 20.0, damping = 0.5, effort_limit = 5.0 },\n\
    { name = \"left_knee\", stiffness = 8.0, damping = 0.5, target = 0.1, effort_limit = 5.0 },\n\
    { name = \"right_hip\", stiffness = 20.0, damping = 0.5, effort_limit = 5.0 },\n\
    { name = \"right_knee\", stiffness = 7.0, damping = 0.25, target = 0.1, effort_limit = 5.0 },\n]\n";

const SHORT: &str = "[controller]\nkind = \"servo\"\njoint = [\n\
    { name = \"right_knee\", stiffness = 7.0, damping = 0.25 },\n\
    { joints = \"*_knee\", stiffness = 8.0, target = 0.1 },\n]\n\
    [controller.default]\nstiffness = 20.0\ndamping = 0.5\neffort_limit = 5.0\n";

#[test]
fn a_default_and_patterns_are_the_joints_spelled_out() {
    same((SHORT, &[]), SPELLED);
    // In whatever order: the most specific entry counts, and one with more letters is more specific.
    let ordered = "[controller]\nkind = \"servo\"\njoint = [\n\
        { joints = \"*\", stiffness = 20.0, damping = 0.5, effort_limit = 5.0 },\n\
        { joints = \"*_knee\", stiffness = 8.0, target = 0.1 },\n\
        { joints = \"right_kn??\", stiffness = 7.0, damping = 0.25 },\n]\n";
    same((ordered, &[]), SPELLED);
}

#[test]
fn only_joints_with_an_entry_are_driven_without_a_default() {
    let knees =
        "[controller]\nkind = \"servo\"\njoint = [{ joints = \"*_knee\", stiffness = 3.0 }]\n";
    let spelled = "[controller]\nkind = \"servo\"\njoint = [\n\
        { name = \"left_knee\", stiffness = 3.0 }, { name = \"right_knee\", stiffness = 3.0 }]\n";
    same((knees, &[]), spelled);
}

#[test]
fn lists_of_names_take_patterns() {
    let spin = |joints: &str| {
        format!(
            "[controller]\nkind = \"hold-then-spin\"\njoints = [{joints}]\nstiffness = 1.0\ndamping = 0.1\nrate = 1.0\n"
        )
    };
    same(
        (&spin("\"*_hip\""), &[]),
        &spin("\"left_hip\", \"right_hip\""),
    );
    refused(
        &spin("\"*_hop\""),
        &[],
        &[
            "arms.toml: controller",
            "*_hop",
            "\"left_hip\", \"right_hip\"",
        ],
    );
}

#[test]
fn a_key_of_a_joint_that_a_pattern_covers_can_be_set() {
    let set = &["controller.joint.left_knee.stiffness=102"];
    let spelled = SPELLED.replace("stiffness = 8.0", "stiffness = 102.0");
    same((SHORT, set), &spelled);
    same((SPELLED, set), &spelled);
    // By its place, by its pattern, and where there is a default alone.
    let by_pattern = &["controller.joint.*_knee.stiffness=102"];
    same((SHORT, by_pattern), &spelled);
    same((SHORT, &["controller.joint.1.stiffness=102"]), &spelled);
    let all =
        "[controller]\nkind = \"servo\"\n[controller.default]\nstiffness = 20.0\ndamping = 0.5\n";
    let one = format!("{all}[[controller.joint]]\nname = \"left_knee\"\nstiffness = 102.0\n");
    same((all, set), &one);
    same(
        (all, &["controller.default.damping=0.25"]),
        &all.replace("0.5", "0.25"),
    );
    // What nothing covers is a slip.
    let knees =
        "[controller]\nkind = \"servo\"\njoint = [{ joints = \"*_knee\", stiffness = 3.0 }]\n";
    refused(
        knees,
        &["controller.joint.left_hip.stiffness=1"],
        &["no entry \"left_hip\""],
    );
    refused(
        all,
        &["controller.joint.left_kne.stiffness=1"],
        &["left_kne", "did you mean \"left_knee\""],
    );
}

#[test]
fn tables_of_joints_take_patterns() {
    let spelled = "[robot.joint.left_hip]\ndamping = 0.5\n[robot.joint.right_hip]\ndamping = 0.5\narmature = 0.25\n\
                   [robot.joint.left_knee]\ndamping = 0.5\nrestitution = 0.5\n\
                   [robot.joint.right_knee]\ndamping = 0.75\nrestitution = 0.5\n";
    let short = "[robot.joint.\"*\"]\ndamping = 0.5\nrestitution = 0.5\n[robot.joint.\"right_h*\"]\narmature = 0.25\n\
                 [robot.joint.right_knee]\ndamping = 0.75\n";
    same((short, &[]), spelled);
    let set = &["robot.joint.right_knee.damping=0.75"];
    same(
        (
            &short.replace("[robot.joint.right_knee]\ndamping = 0.75\n", ""),
            set,
        ),
        spelled,
    );
}

#[test]
fn what_is_wrong_with_a_pattern_is_said() {
    let servo = |joint: &str| format!("[controller]\nkind = \"servo\"\njoint = [{joint}]\n");
    let clash =
        "{ joints = \"*_knee\", stiffness = 1.0 }, { joints = \"left_*\", stiffness = 2.0 }";
    refused(
        &servo(clash),
        &[],
        &[
            "\"left_knee\"",
            "\"*_knee\"",
            "\"left_*\"",
            "stiffness",
            "equally specific",
        ],
    );
    // They agree, or the joint itself is named.
    experiment(&servo(&clash.replace("2.0", "1.0")), &[]).unwrap();
    let named = format!("{clash}, {{ name = \"left_knee\", stiffness = 3.0 }}");
    experiment(&servo(&named), &[]).unwrap();
    refused(
        &servo("{ joints = \"*_kne\", stiffness = 1.0 }"),
        &[],
        &[
            "arms.toml: controller",
            "\"*_kne\" fits no joint",
            "\"left_knee\", \"right_knee\"",
        ],
    );
    refused(
        &servo("{ name = \"*_knee\", stiffness = 1.0 }"),
        &[],
        &["joints = \"*_knee\""],
    );
    refused(
        &servo("{ joints = \"*_knee\", name = \"left_knee\", stiffness = 1.0 }"),
        &[],
        &["joint[0]", "either name", "or joints"],
    );
    refused(
        &servo("{ stiffness = 1.0 }"),
        &[],
        &["joint[0]", "either name"],
    );
    refused(
        &servo("{ joints = \"*_knee\", damping = 1.0 }"),
        &[],
        &["\"left_knee\" has no stiffness", "controller.default"],
    );
    refused(
        &servo(
            "{ joints = \"*_knee\", stiffness = 1.0 }, { name = \"left_hop\", stiffness = 1.0 }",
        ),
        &[],
        &["left_hop", "did you mean \"left_hip\""],
    );
    refused(
        "[controller]\nkind = \"servo\"\n",
        &[],
        &["drives no joint", "controller.default"],
    );
    let joints = |tables: &str, parts: &[&str]| refused(tables, &[], parts);
    joints(
        "[robot.joint.\"*_kne\"]\ndamping = 1.0\n",
        &["robot.joint.*_kne", "fits no joint", "\"left_knee\""],
    );
    joints(
        "[robot.joint.\"*_hip\"]\nrestitution = 0.5\n",
        &[
            "robot.joint.*_hip",
            "none of the joints has position limits",
        ],
    );
    joints(
        "[robot.joint.\"*_knee\"]\ndamping = -1.0\n",
        &["robot.joint.*_knee.damping", "-1"],
    );
    joints(
        "[robot.joint.\"*_knee\"]\ndamping = 1.0\n[robot.joint.\"left_*\"]\ndamping = 2.0\n",
        &[
            "robot.joint.left_knee",
            "\"*_knee\"",
            "\"left_*\"",
            "damping",
        ],
    );
}
