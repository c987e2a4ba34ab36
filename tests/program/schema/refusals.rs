//! Broken scenarios, each with one slip: the schema refuses them, and so does the program.

use carom::scenario::{Experiment, Scenario};
use carom::schema::FileKind;

use super::support::{Validator, json_of};

const ROBOT: &str = r#"<robot name="leg">
<link name="world"/>
<link name="thigh"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hip" type="revolute"><parent link="world"/><child link="thigh"/><origin xyz="0 0 2"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="3" velocity="4"/></joint>
</robot>"#;

const GOOD: &str = r#"description = "A leg"
time_step = 1e-3
duration = 0.1

[robot]
file = "leg.urdf"
base = "fixed"
gravity = [0.0, 0.0, -9.81]

[robot.joint.hip]
damping = 0.5

[initial.joints]
hip = 0.25

[impact]
law = "propagative"
order = "index"

[impact.parameters]
tolerance = 1e-9

[contact]
friction = 0.5
restitution = 0.5
combination = "minimum"

[[contact.site]]
name = "toe"
link = "thigh"
kind = "sphere"
radius = 0.1

[[terrain]]
kind = "plane"
name = "ground"

[[spring]]
joint = "hip"
stiffness = 2.0

[controller]
kind = "servo"

[[controller.joint]]
name = "hip"
stiffness = 10.0

[stepper]
order = 2
tolerance = 1e-10

[output]
every = 10
plots = false

[baseline.robust]
draws = 2

[[baseline.robust.perturb]]
key = "contact.friction"
uniform = 0.1
"#;

/// What is replaced, and by what.
const SLIPS: [(&str, &str); 38] = [
    // A value of another kind.
    ("time_step = 1e-3", "time_step = \"1e-3\""),
    ("plots = false", "plots = \"no\""),
    ("every = 10", "every = \"ten\""),
    ("hip = 0.25", "hip = true"),
    ("gravity = [0.0, 0.0, -9.81]", "gravity = -9.81"),
    ("gravity = [0.0, 0.0, -9.81]", "gravity = [0.0, -9.81]"),
    (
        "[robot.joint.hip]\ndamping = 0.5",
        "[robot.joint]\nhip = 0.5",
    ),
    (
        "[[terrain]]\nkind = \"plane\"",
        "[terrain]\nkind = \"plane\"",
    ),
    ("[[controller.joint]]", "[controller.joint]"),
    ("every = 10", "every = 2.5"),
    // A key that there is not.
    ("duration = 0.1", "duration = 0.1\nlength = 0.1"),
    ("every = 10", "evry = 10"),
    ("friction = 0.5", "frictoin = 0.5"),
    ("stiffness = 10.0", "stifness = 10.0"),
    ("[initial.joints]", "[initial.joint]"),
    ("tolerance = 1e-9", "tolerence = 1e-9"),
    // Another spelling.
    ("base = \"fixed\"", "base = \"Fixed\""),
    ("combination = \"minimum\"", "combination = \"min\""),
    ("kind = \"sphere\"", "kind = \"ball\""),
    ("kind = \"plane\"", "kind = \"plain\""),
    ("kind = \"servo\"", "kind = \"pd\""),
    ("law = \"propagative\"", "law = \"propogative\""),
    ("order = \"index\"", "order = \"first\""),
    ("every = 10", "export = [\"csv\"]"),
    // Out of range.
    ("time_step = 1e-3", "time_step = 0.0"),
    ("duration = 0.1", "duration = -0.1"),
    ("every = 10", "every = 0"),
    ("restitution = 0.5", "restitution = 1.5"),
    ("friction = 0.5", "friction = -0.5"),
    ("order = 2", "order = 3"),
    ("damping = 0.5", "damping = -0.5"),
    // Something is missing.
    ("duration = 0.1\n", ""),
    ("file = \"leg.urdf\"\n", ""),
    ("radius = 0.1\n", ""),
    ("joint = \"hip\"\n", ""),
    // A key of something else.
    ("radius = 0.1", "radius = 0.1\nsize = [1.0, 1.0, 1.0]"),
    (
        "name = \"ground\"",
        "name = \"ground\"\nmin = [0.0, 0.0, 0.0]",
    ),
    ("kind = \"servo\"", "kind = \"servo\"\ngait = \"tripod\""),
];

/// Why the program refuses a scenario, if it does.
fn refusal(text: &str) -> Option<String> {
    let scenario = match Scenario::parse("leg.toml", text, &[]) {
        Ok(scenario) => scenario,
        Err(error) => return Some(error.to_string()),
    };
    let experiment = match Experiment::with_robot("leg.toml", scenario, ROBOT) {
        Ok(experiment) => experiment,
        Err(error) => return Some(error.to_string()),
    };
    experiment.simulation().err().map(|error| error.to_string())
}

#[test]
fn the_scenario_without_a_slip_is_taken() {
    assert_eq!(refusal(GOOD), None);
    let defect = Validator::new(FileKind::Scenario).defect(&json_of(GOOD));
    assert_eq!(defect, None);
}

#[test]
fn broken_scenarios_are_refused_by_schema_and_program() {
    let validator = Validator::new(FileKind::Scenario);
    for (from, to) in SLIPS {
        assert_eq!(
            GOOD.matches(from).count().min(1),
            1,
            "{from:?} is not there"
        );
        let broken = GOOD.replacen(from, to, 1);
        assert!(
            refusal(&broken).is_some(),
            "the program takes {to:?} for {from:?}"
        );
        assert!(
            validator.defect(&json_of(&broken)).is_some(),
            "the schema takes {to:?} for {from:?}"
        );
    }
}

/// Twice a key in one place is no TOML at all; and a robot's names are only known with it.
#[test]
fn keys_that_exclude_each_other_are_refused_by_schema_and_program() {
    let validator = Validator::new(FileKind::Scenario);
    for (from, to) in [
        ("uniform = 0.1", "uniform = 0.1\nnormal = 0.1"),
        (
            "name = \"hip\"\nstiffness",
            "name = \"hip\"\njoints = \"h*\"\nstiffness",
        ),
        (
            "joint = \"hip\"\nstiffness",
            "joint = \"hip\"\nrest_length = 0.1\nstiffness",
        ),
    ] {
        assert!(GOOD.contains(from));
        let broken = GOOD.replacen(from, to, 1);
        let defect = validator.defect(&json_of(&broken));
        assert!(defect.is_some(), "the schema takes {to:?}");
        // What is perturbed is looked at by `carom baseline` alone.
        assert!(
            refusal(&broken).is_some() || to.contains("normal"),
            "{to:?}"
        );
    }
}
