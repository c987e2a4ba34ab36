//! Robots from files: what URDF says, what it leaves out, and what is refused by name.

use std::path::Path;

use carom::dynamics::{Kinematics, mass_matrix};
use carom::model::urdf::{LoadOptions, load, load_with_text, parse};
use carom::model::{Base, Geometry, Mimic, Model, ModelError};
use carom::spatial::rotation_from_rpy;
use nalgebra::{Matrix3, Vector3};

use crate::folder::Folder;

const WORLD: &str = r#"<link name="world"/>"#;
const INERTIAL: &str = r#"<inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1.5" iyz="0" izz="2"/></inertial>"#;

fn arm(inside: &str) -> String {
    format!("<link name=\"arm\">{inside}</link>")
}

fn hinge(inside: &str) -> String {
    format!(
        "<joint name=\"hinge\" type=\"revolute\"><parent link=\"world\"/><child link=\"arm\"/>{inside}</joint>"
    )
}

fn robot(parts: &[&str]) -> String {
    format!("<robot name=\"r\">\n{}\n</robot>\n", parts.join("\n"))
}

fn build(text: &str) -> Result<Model, ModelError> {
    parse(text, "r.urdf")?.build()
}

/// Refused with all these parts in the message, which names the file.
#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = build(text).unwrap_err().to_string();
    assert!(message.starts_with("r.urdf"), "{message}");
    for part in parts {
        assert!(
            message.contains(part),
            "{message:?} should contain {part:?}"
        );
    }
}

#[track_caller]
fn warned(model: &Model, part: &str) {
    let found = model.warnings().iter().any(|w| w.contains(part));
    assert!(found, "{:?} should contain {part:?}", model.warnings());
}

fn inertia_along_joint(model: &Model) -> f64 {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &model.neutral_configuration());
    mass_matrix(model, &kinematics)[(0, 0)]
}

#[test]
fn axis_is_x_when_the_tag_is_absent_and_of_any_length_when_not() {
    let of = |joint: &str| {
        let text = robot(&[WORLD, &arm(INERTIAL), &hinge(joint)]);
        inertia_along_joint(&build(&text).unwrap())
    };
    assert_eq!(of(""), 1.0);
    assert_eq!(of("<axis xyz=\"0 2e-3 0\"/>"), 1.5);
    // Half way between y and z: the mean of both moments.
    assert!((of("<axis xyz=\"0 5 5\"/>") - 1.75).abs() < 1e-15);
}

#[test]
fn inertia_is_turned_by_its_own_origin() {
    let rpy = [0.3, -0.8, 1.9];
    let text = robot(&[
        WORLD,
        &arm(
            r#"<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.8 1.9"/><mass value="2"/>
            <inertia ixx="1" ixy="0.1" ixz="-0.2" iyy="1.5" iyz="0.05" izz="2"/></inertial>"#,
        ),
        &hinge(r#"<axis xyz="0 0 1"/>"#),
    ]);
    let model = build(&text).unwrap();
    let i = Matrix3::new(1.0, 0.1, -0.2, 0.1, 1.5, 0.05, -0.2, 0.05, 2.0);
    let turn = rotation_from_rpy(&rpy);
    let expected = (turn * i * turn.transpose())[(2, 2)] + 2.0 * (0.01 + 0.04);
    assert!((inertia_along_joint(&model) - expected).abs() < 1e-15);
}

#[test]
fn fixed_joints_are_merged_wherever_they_are() {
    let text = robot(&[
        WORLD,
        &arm(INERTIAL),
        r#"<link name="tool"><inertial><mass value="3"/>
           <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
           <link name="tip"/>
           <joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/>
             <origin xyz="0 0.5 0"/><axis xyz="0 0 0"/></joint>
           <joint name="frame" type="fixed"><parent link="tool"/><child link="tip"/></joint>"#,
        &hinge(""),
    ]);
    let model = build(&text).unwrap();
    assert_eq!(model.dof(), 1);
    assert_eq!(model.mass(), 5.0);
    assert!((inertia_along_joint(&model) - (1.0 + 3.0 * 0.25)).abs() < 1e-15);
    let tip = model.link("tip").unwrap();
    assert_eq!(tip.body, Some(0));
    warned(&model, "massless: \"tip\"");
}

#[test]
fn limits_and_dynamics_are_read_and_zeros_state_nothing() {
    let of = |kind: &str, inside: &str| {
        let joint = hinge(inside).replace("revolute", kind);
        build(&robot(&[WORLD, &arm(INERTIAL), &joint])).unwrap()
    };
    let full = r#"<limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="5" friction="6"/>"#;
    let model = of("revolute", full);
    let body = &model.bodies()[0];
    assert_eq!(body.limits.position, Some((-1.0, 2.0)));
    assert_eq!(body.limits.effort, Some(3.0));
    assert_eq!(body.limits.velocity, Some(4.0));
    assert_eq!((body.damping, body.friction), (5.0, 6.0));
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());

    let limits = |model: &Model| model.bodies()[0].limits;
    assert_eq!(limits(&of("continuous", full)).position, None);
    assert_eq!(limits(&of("prismatic", full)).position, Some((-1.0, 2.0)));
    let one_sided = of("revolute", r#"<limit upper="2"/>"#);
    assert_eq!(limits(&one_sided).position, Some((0.0, 2.0)));
    assert_eq!(limits(&one_sided).velocity, None);
    let open = of(
        "revolute",
        r#"<limit lower="-inf" upper="1" effort="inf" velocity="inf"/>"#,
    );
    assert_eq!(limits(&open).position, Some((f64::NEG_INFINITY, 1.0)));
    assert_eq!(limits(&open).effort, None);
    let zeros = of(
        "revolute",
        r#"<limit lower="0" upper="0" effort="0" velocity="0"/>"#,
    );
    assert_eq!(limits(&zeros), carom::model::JointLimits::default());
    warned(
        &zeros,
        "joint \"hinge\" moves without bounds: its <limit> gives no range",
    );
    warned(&of("revolute", ""), "it has no <limit>");
}

#[test]
fn collision_and_visual_primitives_are_kept_and_meshes_are_not_needed() {
    let text = robot(&[
        WORLD,
        &arm(&format!(
            r#"{INERTIAL}
            <visual><geometry><mesh filename="package://nowhere/a.stl" scale="1 1 1 1"/></geometry>
              <material><texture/></material></visual>
            <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
            <collision name="foot"><origin xyz="0 0 -1" rpy="0 0 0.5"/>
              <geometry><sphere radius="0.02"/></geometry></collision>
            <collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
            <collision><geometry><capsule radius="0.1" length="3"/></geometry></collision>
            <collision><geometry><mesh filename="meshes/b.stl"/></geometry></collision>
            <collision><geometry><plane normal="0 0 1"/></geometry></collision>"#
        )),
        &hinge(""),
    ]);
    let model = build(&text).unwrap();
    let shapes: Vec<(Geometry, bool)> = model
        .shapes()
        .iter()
        .map(|s| (s.geometry, s.collision))
        .collect();
    assert_eq!(
        shapes,
        [
            (Geometry::Box([1.0, 2.0, 3.0]), false),
            (Geometry::Sphere(0.02), true),
            (Geometry::Cylinder(0.1, 2.0), true),
            (Geometry::Capsule(0.1, 3.0), true),
        ]
    );
    let foot = &model.shapes()[1];
    assert_eq!(model.links()[foot.link].name, "arm");
    assert_eq!(foot.pose.translation, Vector3::new(0.0, 0.0, -1.0));
    assert_eq!(foot.pose.rotation, rotation_from_rpy(&[0.0, 0.0, 0.5]));
    warned(&model, "a collision mesh is not found");
    warned(
        &model,
        "scale=\"1 1 1 1\" must be three finite numbers; the mesh is left out",
    );
    warned(
        &model,
        "link \"arm\": a collision element without a known shape",
    );
}

#[test]
fn what_cannot_be_simulated_is_refused_with_a_remedy() {
    let with = |kind: &str, inside: &str| {
        let joint = hinge(inside).replace("revolute", kind);
        robot(&[WORLD, &arm(INERTIAL), &joint])
    };
    refused(
        &with("hinge", ""),
        &["r.urdf:5", "\"hinge\"", "unknown variant `hinge`"],
    );
    refused(
        &with("revolute", "<axis xyz=\"0 0 0\"/>"),
        &["r.urdf:5", "\"hinge\"", "zero length"],
    );
    refused(
        &with("revolute", r#"<limit lower="2" upper="1"/>"#),
        &["r.urdf:5", "\"hinge\"", "lower limit is 2"],
    );
    for (attribute, place) in [("effort", "effort limit"), ("velocity", "speed limit")] {
        refused(
            &with("revolute", &format!(r#"<limit {attribute}="-5"/>"#)),
            &[
                "r.urdf:5",
                "\"hinge\"",
                place,
                "-5",
                "at least 0",
                "leave it out",
            ],
        );
    }
    refused(
        &with("revolute", r#"<dynamics damping="-1"/>"#),
        &["r.urdf:5", "\"hinge\"", "damping is -1", "at least 0"],
    );
}

#[test]
fn trees_that_are_none_are_refused_by_name() {
    let link = |name: &str| arm(INERTIAL).replace("arm", name);
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let (a, b, c) = (link("a"), link("b"), link("c"));
    let ab = joint("ab", "a", "b");
    refused(
        &robot(&[
            &a,
            &b,
            &c,
            &ab,
            &joint("ac", "a", "c"),
            &joint("bc", "b", "c"),
        ]),
        &["\"c\"", "\"ac\"", "\"bc\"", "closed loops", "r.urdf:"],
    );
    refused(
        &robot(&[&a, &b, &ab, &joint("ba", "b", "a")]),
        &["ab", "ba", "cycle"],
    );
    refused(&robot(&[&a, &b, &c, &ab]), &["a, c", "no parent"]);
    refused(&robot(&[&a, &b, &b, &ab]), &["two links", "\"b\""]);
    refused(
        &robot(&[&a, &b, &c, &ab, &joint("ab", "a", "c")]),
        &["two joints", "\"ab\""],
    );
    refused(
        &robot(&[&a, &b, &joint("ab", "a", "bb")]),
        &["joint \"ab\"", "child link \"bb\"", "did you mean \"b\""],
    );
    refused(&robot(&[]), &["no links"]);
    // As one of the coordinates of a floating base is called, which a fixed one has not.
    let called = robot(&[&a, &b, &joint("base.x", "a", "b")]);
    let on = |base: Base| parse(&called, "r.urdf").unwrap().base(base).build();
    let message = on(Base::Floating).unwrap_err().to_string();
    assert!(
        message.contains("two coordinates are named \"base.x\""),
        "{message}"
    );
    assert!(on(Base::Fixed).is_ok());
    refused(&robot(&["<link/>"]), &["r.urdf:2", "a link without a name"]);
}

#[test]
fn massless_subtree_that_moves_is_refused_by_its_path() {
    let text = robot(&[
        WORLD,
        &arm(INERTIAL),
        &hinge(""),
        r#"<link name="wrist"/><link name="finger"/>
           <joint name="turn" type="continuous"><parent link="arm"/><child link="wrist"/></joint>
           <joint name="bend" type="fixed"><parent link="wrist"/><child link="finger"/></joint>"#,
    ]);
    refused(
        &text,
        &["\"arm\"", "\"wrist\"", "\"turn\"", "no mass", "<inertial>"],
    );
    // A rotor gives the joint an inertia.
    let geared = parse(&text, "r.urdf").unwrap();
    let geared = geared
        .adjust_joint("turn", |joint| joint.armature(0.01))
        .unwrap();
    assert_eq!(geared.build().unwrap().dof(), 2);
    // A massless link between two joints is a universal joint, not an error.
    let universal = text.replace(
        "<link name=\"finger\"/>",
        &arm(INERTIAL).replace("arm", "finger"),
    );
    assert_eq!(
        build(&universal.replace("fixed", "continuous"))
            .unwrap()
            .dof(),
        3
    );

    let frame = parse(&robot(&[WORLD]), "r.urdf").unwrap();
    assert!(frame.clone().build().is_ok());
    for base in [Base::Planar, Base::Floating] {
        let message = frame.clone().base(base).build().unwrap_err().to_string();
        assert!(
            message.contains("link \"world\" (joint \"base\")"),
            "{message}"
        );
    }
}

#[test]
fn inertias_with_negative_energy_are_refused_and_other_slips_are_not() {
    let moments = |ixx: f64, iyy: f64, izz: f64| {
        format!(
            r#"<inertial><mass value="1"/><inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>"#
        )
    };
    let pendulum = |inertial: &str| robot(&[WORLD, &arm(inertial), &hinge("")]);
    // No rigid body has it, but every motion costs energy with it.
    let implausible = build(&pendulum(&moments(1.0, 1.0, 2.5))).unwrap();
    warned(
        &implausible,
        "\"arm\": no rigid body has this inertia (principal moment 2.5e0 kg m² exceeds the sum of the other two, 2e0 kg m²); it is used as it stands, since no motion has negative energy",
    );
    let negative = moments(1.0, -1.0, 1.0);
    refused(
        &pendulum(&negative),
        &["r.urdf:3", "\"arm\"", "negative", "correct its <inertia>"],
    );
    // What cannot move enters no equation.
    let stand = WORLD.replace("/>", &format!(">{negative}</link>"));
    let standing = build(&robot(&[&stand, &arm(INERTIAL), &hinge("")])).unwrap();
    warned(&standing, "\"world\": no rigid body has this inertia");
    warned(&standing, "the link cannot move");
    // Welded to a body that outweighs it, it is part of one that has a positive inertia.
    let welded = format!(
        "<link name=\"tip\">{}</link><joint name=\"weld\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tip\"/></joint>",
        moments(0.9, -0.9, 0.9)
    );
    warned(
        &build(&robot(&[WORLD, &arm(INERTIAL), &hinge(""), &welded])).unwrap(),
        "\"tip\": no rigid body",
    );
    let massless = moments(1.0, 1.0, 1.0).replace("mass value=\"1\"", "mass value=\"0\"");
    refused(&pendulum(&massless), &["\"arm\"", "no mass"]);
    refused(
        &pendulum(&INERTIAL.replace("value=\"2\"", "value=\"-2\"")),
        &["r.urdf:3", "\"arm\"", "mass is -2", "at least 0"],
    );
    refused(
        &pendulum(&moments(1e308, 1e308, 1e308)),
        &["\"arm\"", "finite"],
    );
    // 4 % beyond the triangle inequality, as in published robots, is used and warned of.
    warned(
        &build(&pendulum(&moments(1.0, 1.0, 2.09))).unwrap(),
        "\"arm\": no rigid body",
    );
    // Thin rods and plates lie on the boundary; printed digits may fall beyond it.
    for inertial in [moments(0.0, 1.0, 1.0), moments(0.333, 0.667, 1.001)] {
        assert_eq!(
            build(&pendulum(&inertial)).unwrap().warnings().len(),
            1,
            "{inertial}"
        );
    }
    // Six equal entries, as some exporters write for frames of negligible mass.
    let frame = r#"<link name="frame"><inertial><mass value="1e-6"/>
        <inertia ixx="1e-6" ixy="1e-6" ixz="1e-6" iyy="1e-6" iyz="1e-6" izz="1e-6"/></inertial></link>
        <joint name="weld" type="fixed"><parent link="arm"/><child link="frame"/></joint>"#;
    let model = build(&robot(&[WORLD, &arm(INERTIAL), &hinge(""), frame])).unwrap();
    warned(&model, "\"frame\": no rigid body");
}

#[test]
fn a_mass_without_inertia_is_a_point() {
    let point = arm(r#"<inertial><origin xyz="0 0.5 0"/><mass value="2"/></inertial>"#);
    let model = build(&robot(&[WORLD, &point, &hinge("")])).unwrap();
    assert_eq!(inertia_along_joint(&model), 2.0 * 0.25);
    warned(
        &model,
        "\"arm\": its <inertial> has a mass and no <inertia>",
    );
}

#[test]
fn commas_between_numbers_count_as_spaces() {
    let placed = |xyz: &str| {
        let joint = hinge(&format!(r#"<origin xyz="{xyz}" rpy="0,0.5, 0"/>"#));
        build(&robot(&[WORLD, &arm(INERTIAL), &joint])).unwrap()
    };
    let (commas, spaces) = (placed("0.25, 0.5 1"), placed("0.25 0.5 1"));
    assert_eq!(commas.bodies(), spaces.bodies());
    assert_eq!(commas.bodies()[0].placement.translation.y, 0.5);
    warned(
        &commas,
        "r.urdf:5: joint \"hinge\", <origin xyz=\"0.25, 0.5 1\">: commas",
    );
}

#[test]
fn extensions_need_not_declare_their_prefix() {
    let joint = hinge(r#"<limit drake:acceleration="2" lower="-1" upper="1"/><sim:motor/>"#);
    let model = build(&robot(&[WORLD, &arm(INERTIAL), &joint])).unwrap();
    assert_eq!(model.bodies()[0].limits.position, Some((-1.0, 1.0)));
}

#[test]
fn numbers_that_are_none_are_refused_with_line_and_element() {
    let pendulum = robot(&[WORLD, &arm(INERTIAL), &hinge("<axis xyz=\"0 1 0\"/>")]);
    for (from, to, parts) in [
        (
            "mass value=\"2\"",
            "mass value=\"NaN\"",
            ["r.urdf:3", "<mass value=\"NaN\">", "finite"],
        ),
        (
            "mass value=\"2\"",
            "mass value=\"inf\"",
            ["r.urdf:3", "\"arm\"", "finite"],
        ),
        (
            "mass value=\"2\"",
            "mass value=\"2kg\"",
            ["r.urdf:3", "2kg", "not a number"],
        ),
        (
            "mass value=\"2\"",
            "mass value=\"\"",
            ["r.urdf:3", "0 values", "1 number"],
        ),
        (
            "ixx=\"1\"",
            "ixx=\"1e999\"",
            ["r.urdf:4", "<inertia ixx", "finite"],
        ),
        (
            "xyz=\"0 1 0\"",
            "xyz=\"0 1\"",
            ["r.urdf:5", "2 values", "3 numbers"],
        ),
        (
            "xyz=\"0 1 0\"",
            "xyz=\"0 1 0 x\"",
            ["r.urdf:5", "4 values", "3 numbers"],
        ),
        (
            "xyz=\"0 1 0\"",
            "xyz=\"0 one 0\"",
            ["r.urdf:5", "\"hinge\"", "one is not a number"],
        ),
        (
            "ixx=\"1\" ",
            "",
            ["r.urdf:3", "\"arm\"", "missing field `ixx`"],
        ),
        (
            "<mass value=\"2\"/>",
            "",
            ["r.urdf:3", "\"arm\"", "missing field `mass`"],
        ),
        (
            "<parent link=\"world\"/>",
            "",
            ["r.urdf:5", "\"hinge\"", "missing field `parent`"],
        ),
        (
            "type=\"revolute\"",
            "",
            ["r.urdf:5", "\"hinge\"", "missing field `type`"],
        ),
    ] {
        assert!(pendulum.contains(from), "{from}");
        refused(&pendulum.replacen(from, to, 1), &parts);
    }
}

#[test]
fn misspelt_elements_are_pointed_out() {
    let text = robot(&[
        WORLD,
        &arm(&format!("{INERTIAL}<colision/><self_collide/>")),
        &hinge(r#"<limit uper="1"/><gear/>"#),
    ]);
    let model = build(&text).unwrap();
    warned(
        &model,
        "r.urdf:4: link \"arm\": <colision> is ignored; did you mean <collision>?",
    );
    warned(
        &model,
        "r.urdf:5: joint \"hinge\": attribute uper of <limit> is ignored",
    );
    assert!(
        !model
            .warnings()
            .iter()
            .any(|w| w.contains("gear") || w.contains("self_collide"))
    );
}

#[test]
fn files_that_are_no_urdf_say_so() {
    for (text, parts) in [
        ("", &["no XML element"][..]),
        ("robot: arm", &["no XML element"]),
        ("<sdf><model/></sdf>", &["<sdf>", "SDFormat", "<robot>"]),
        ("<mujoco/>", &["MJCF"]),
        ("<html></html>", &["<html>", "<robot>"]),
        ("<robot>\n<link name=\"a\">\n</robot>", &["line 3", "link"]),
        ("<robot>", &["never closed"]),
        ("{\"robot\": 1}", &["no XML element"]),
    ] {
        let mut all = vec!["is not a URDF robot"];
        all.extend(parts);
        refused(text, &all);
    }
    let missing = load(Path::new("no/such/robot.urdf"), &LoadOptions::default()).unwrap_err();
    assert!(
        missing
            .to_string()
            .contains("cannot read no/such/robot.urdf"),
        "{missing}"
    );
    assert!(load(Path::new("."), &LoadOptions::default()).is_err());
    let nowhere = load(Path::new("package://a/b.urdf"), &LoadOptions::default()).unwrap_err();
    assert!(
        matches!(nowhere, ModelError::Unreadable { .. }),
        "{nowhere}"
    );
}

#[test]
fn odd_encodings_are_read() {
    let folder = Folder::new("encodings");
    let plain = robot(&[WORLD, "<!-- caf\u{e9} -->", &arm(INERTIAL), &hinge("")]);
    let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
    let with_mark = format!("\u{feff}<?xml version=\"1.0\"?>\n{plain}");
    for (name, bytes) in [("latin.urdf", latin), ("mark.urdf", with_mark.into_bytes())] {
        let path = folder.write(name, bytes);
        let model = load(&path, &LoadOptions::default())
            .unwrap()
            .build()
            .unwrap();
        assert_eq!(model.dof(), 1, "{name}");
    }
}

#[test]
fn packages_are_found_without_ros() {
    let folder = Folder::new("packages");
    let body = arm(&format!(
        "{INERTIAL}<visual><geometry><mesh filename=\"package://mine/a.stl\"/></geometry></visual>"
    ));
    let path = folder.write("robots/r.urdf", robot(&[WORLD, &body, &hinge("")]));
    folder.write("elsewhere/a.stl", "solid");
    let warnings = |packages| {
        let options = LoadOptions {
            packages,
            ..LoadOptions::default()
        };
        let model = load(&path, &options).unwrap().build().unwrap();
        model.warnings().join("\n")
    };
    assert!(warnings(vec![]).contains("not found"));
    let named = vec![("mine".to_string(), folder.path("elsewhere"))];
    assert!(!warnings(named).contains("not found"));
    folder.write("mine/a.stl", "solid");
    assert!(
        !warnings(vec![]).contains("not found"),
        "walking up finds the sibling folder"
    );
}

const XACRO: &str = r#"<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2"/>
  <xacro:property name="length" value="${2 * 0.25}"/>
  <xacro:macro name="rod" params="name">
    <link name="${name}"><inertial><origin xyz="${length} 0 0"/><mass value="$(arg mass)"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  </xacro:macro>
  <link name="world"/>
  <xacro:rod name="arm"/>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

#[test]
#[cfg(feature = "xacro")]
fn xacro_is_expanded() {
    let folder = Folder::new("xacro");
    let path = folder.write("r.urdf.xacro", XACRO);
    let inertia = |options: &LoadOptions| {
        let model = load(&path, options).unwrap().build().unwrap();
        inertia_along_joint(&model)
    };
    assert_eq!(inertia(&LoadOptions::default()), 1.0 + 2.0 * 0.25);
    let heavier = LoadOptions {
        xacro_arguments: vec![("mass".to_string(), "4".to_string())],
        ..LoadOptions::default()
    };
    assert_eq!(inertia(&heavier), 1.0 + 4.0 * 0.25);

    let refused = |name: &str, text: String, parts: &[&str]| {
        let path = folder.write(name, text);
        let error = load(&path, &LoadOptions::default()).and_then(|b| b.build());
        let message = error.unwrap_err().to_string();
        for part in parts.iter().chain([&name]) {
            assert!(
                message.contains(part),
                "{message:?} should contain {part:?}"
            );
        }
    };
    refused(
        "undefined.xacro",
        XACRO.replace("2 * 0.25", "2 * nothing"),
        &["nothing"],
    );
    refused(
        "negative.xacro",
        XACRO.replace("default=\"2\"", "default=\"-2\""),
        &["arm", "-2"],
    );
    let include = "<xacro:include filename=\"$(find nowhere)/a.xacro\"/>";
    let finding = XACRO.replace("<link name=\"world\"/>", include);
    refused("find.xacro", finding, &["--package nowhere=DIR"]);
    refused(
        "broken.xacro",
        XACRO.replace("</robot>", ""),
        &["never closed"],
    );
}

/// The text of the robot is hashed with its scenario and written beside its run: it is the same every time.
#[test]
#[cfg(feature = "xacro")]
fn expanded_xacro_keeps_attributes_in_the_order_of_the_file() {
    let folder = Folder::new("order");
    let path = folder.write("r.urdf.xacro", XACRO);
    let (_, text) = load_with_text(&path, &LoadOptions::default()).unwrap();
    let inertia = r#"<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>"#;
    assert!(text.contains(inertia), "{text}");
}

#[test]
#[cfg(not(feature = "xacro"))]
fn xacro_is_refused_with_the_command_that_expands_it() {
    let folder = Folder::new("no-xacro");
    for name in ["r.urdf.xacro", "r.urdf"] {
        let path = folder.write(name, XACRO);
        let message = load(&path, &LoadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("`xacro ") && message.contains("r.urdf`"),
            "{message}"
        );
    }
}

#[test]
fn xacro_text_is_recognised_without_its_extension() {
    refused(XACRO, &["xacro", "expand"]);
    let unused = robot(&[WORLD]).replace("name=\"r\"", "name=\"r\" xmlns:xacro=\"x\"");
    assert!(build(&unused).is_ok());
}

#[test]
fn no_text_makes_the_loader_panic() {
    let text = std::fs::read_to_string("robots/cradle/three.urdf").unwrap();
    let whole = text.len();
    for cut in (0..whole)
        .step_by(7)
        .filter(|cut| text.is_char_boundary(*cut))
    {
        let _ = build(&text[..cut]);
    }
    let mut random = carom::model::sample::Uniform::new(7);
    let noise = [
        "<", ">", "\"", "/", "&", "&lt;", "&x;", "=", " ", "-1", "NaN", "<!--", "]]>", "\u{0}", "é",
    ];
    for _ in 0..1500 {
        let mut broken = text.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(broken.len());
            let end = at + random.below(12);
            if broken.is_char_boundary(at) && broken.is_char_boundary(end) {
                broken.replace_range(at..end, noise[random.below(noise.len())]);
            }
        }
        if let Ok(model) = build(&broken) {
            assert!(model.mass().is_finite());
        }
    }
}

/// A slide and joints that mimic others.
fn imitators(joints: &[(&str, &str)]) -> String {
    let mut text = "<robot name=\"r\">\n<link name=\"world\"/>\n".to_string();
    for (name, inside) in joints {
        text += &format!(
            "<link name=\"of_{name}\">{}</link>\n<joint name=\"{name}\" type=\"prismatic\"><parent link=\"world\"/><child link=\"of_{name}\"/><axis xyz=\"0 0 2\"/>{inside}</joint>\n",
            INERTIAL.replace('\n', " ")
        );
    }
    text + "</robot>\n"
}

#[test]
fn mimic_joints_share_a_coordinate_or_move_freely_or_not_at_all() {
    let text = imitators(&[
        ("a", r#"<mimic joint="b" multiplier="2" offset="0.5"/>"#),
        ("b", r#"<mimic joint="c" multiplier="-3" offset="0.25"/>"#),
        ("c", r#"<limit lower="-1" upper="1"/>"#),
        ("d", r#"<mimic joint="c"/>"#),
        (
            "still",
            r#"<mimic joint="c" multiplier="0" offset="0.125"/>"#,
        ),
    ]);
    let built = |mimic: Mimic| {
        parse(&text, "r.urdf")
            .unwrap()
            .mimic(mimic)
            .build()
            .unwrap()
    };
    let height = |model: &Model, q: &[f64], link: &str| {
        let mut kinematics = Kinematics::new(model);
        kinematics.update_placements(model, q);
        let link = model.link(link).unwrap();
        kinematics.world_point(link.body, &link.pose.translation).z
    };
    let coupled = build(&text).unwrap();
    assert_eq!(coupled.coordinate_names(), ["c"]);
    // a = 2 b + 0.5 and b = −3 c + 0.25.
    let followers: Vec<_> = coupled
        .following_bodies()
        .map(|(body, f)| (body.joint.as_str(), f.leader, f.ratio, f.offset))
        .collect();
    let expected = [
        ("a", 2, -6.0, 1.0),
        ("b", 2, -3.0, 0.25),
        ("d", 2, 1.0, 0.0),
    ];
    assert_eq!(followers, expected);
    for (link, z) in [
        ("of_a", 0.4),
        ("of_b", -0.05),
        ("of_c", 0.1),
        ("of_d", 0.1),
        ("of_still", 0.125),
    ] {
        assert!((height(&coupled, &[0.1], link) - z).abs() < 1e-15, "{link}");
    }
    warned(
        &coupled,
        "mimic joints are locked, what they mimic does not move: \"still\"",
    );
    let free = built(Mimic::Free);
    assert_eq!(free.coordinate_names(), ["a", "b", "c", "d", "still"]);
    warned(&free, "mimic joints move on their own");
    let fixed = built(Mimic::Fixed);
    assert_eq!(fixed.coordinate_names(), ["c"]);
    assert_eq!(fixed.following_bodies().count(), 0);
    for (link, z) in [("of_a", 1.0), ("of_b", 0.25), ("of_c", 0.1), ("of_d", 0.0)] {
        assert!((height(&fixed, &[0.1], link) - z).abs() < 1e-15, "{link}");
    }
    warned(
        &fixed,
        "mimic joints are locked, as asked for: \"a\", \"b\"",
    );
    // Limits that no position satisfies are those of one who copied the leader's.
    let crossed = imitators(&[
        ("a", r#"<limit lower="0" upper="0.04"/>"#),
        (
            "b",
            r#"<mimic joint="a" multiplier="-1"/><limit lower="0" upper="0.04"/>"#,
        ),
    ]);
    let model = build(&crossed).unwrap();
    assert_eq!(model.bodies()[0].limits.position, Some((0.0, 0.04)));
    warned(&model, "joint \"b\" mimics \"a\", but no position");
}

#[test]
fn mimic_joints_that_follow_nothing_are_refused_with_line_and_remedy() {
    let lost = imitators(&[("left", ""), ("b", r#"<mimic joint="lefft"/>"#)]);
    refused(
        &lost,
        &["r.urdf:6", "\"b\"", "did you mean \"left\"", "mimic = free"],
    );
    let circle = imitators(&[
        ("a", r#"<mimic joint="b"/>"#),
        ("b", r#"<mimic joint="c"/>"#),
        ("c", r#"<mimic joint="b"/>"#),
    ]);
    refused(&circle, &["r.urdf:4", "a -> b -> c -> b", "mimic = free"]);
    let free = parse(&circle, "r.urdf").unwrap().mimic(Mimic::Free);
    assert_eq!(free.build().unwrap().dof(), 3);
    let infinite = imitators(&[("a", ""), ("b", r#"<mimic joint="a" multiplier="1e999"/>"#)]);
    refused(&infinite, &["r.urdf:6", "multiplier", "finite"]);
}
