//! What is wrong with a scenario, a robot or a controller.

use super::support::{Folder, ROBOT, SCENARIO, column, json, refused, shipped, simulate, text};

#[test]
fn what_is_wrong_with_a_scenario_is_said_in_one_message_and_nothing_is_written() {
    let folder = Folder::new("scenario");
    folder.write("robot.urdf", ROBOT);
    let good = folder.write("good.toml", SCENARIO);
    assert!(simulate(&good, &folder.path("good"), &[]).status.success());
    refused(
        &folder,
        &folder.path("none.toml"),
        &[],
        &["none.toml", "cannot be read"],
    );
    for (old, new, words) in [
        (
            "file = \"robot.urdf\"",
            "file = \"robots.urdf\"",
            vec!["robots.urdf", "cannot read"],
        ),
        (
            "duration = 0.1",
            "duratoin = 0.1",
            vec!["case.toml:2", "duratoin", "\"duration\""],
        ),
        (
            "law = \"propagative\"",
            "law = \"propagativ\"",
            vec!["impact.law", "\"propagative\""],
        ),
        (
            "law = \"propagative\"",
            "law = \"plastic\"\norder = \"index\"",
            vec!["impact.order", "plastic", "remove"],
        ),
        (
            "law = \"propagative\"",
            "law = \"plastic\"\nparameters = { max_reflections = 3 }",
            vec!["max_reflections", "tolerance"],
        ),
        (
            "law = \"propagative\"\n[contact]",
            "law = \"plastic\"\n[contact]\nrestitution = 0.5",
            vec!["restitution", "plastic"],
        ),
        (
            "law = \"propagative\"\n[contact]",
            "law = \"plastic\"\n[contact]\nrestitution = 1.0",
            vec!["contact.restitution", "plastic", "remove the key"],
        ),
        (
            "law = \"propagative\"\n[contact]",
            "law = \"max-dissipation\"\n[[terrain]]\nkind = \"plane\"\nname = \"step\"\npoint = [0.0, 0.0, -9.0]\n\
             restitution = 1.0\n[contact]",
            vec!["terrain[0] \"step\".restitution", "max-dissipation"],
        ),
        (
            "time_step = 1e-3",
            "time_step = nan",
            vec!["time_step", "positive"],
        ),
        (
            "time_step = 1e-3",
            "time_step = -1e-3",
            vec!["time_step", "positive"],
        ),
        (
            "friction = 0.0",
            "friction = -0.1",
            vec!["friction", "-0.1"],
        ),
        ("friction = 0.0", "friction = nan", vec!["friction", "NaN"]),
        ("-2.0]", "0.25]", vec!["\"tip\"", "2.5e-1 m below"]),
        ("link = \"arm\"", "link = \"arn\"", vec!["arn", "\"arm\""]),
        ("hinge = 0.0", "hinge = nan", vec!["hinge", "finite"]),
        ("hinge = 0.0", "hing = 0.0", vec!["hing", "\"hinge\""]),
    ] {
        let text = SCENARIO.replace(old, new);
        assert_ne!(text, SCENARIO, "{old}");
        let case = folder.write("case.toml", &text);
        refused(&folder, &case, &[], &words);
    }
    refused(
        &folder,
        &good,
        &["--set", "impact.ordr=index"],
        &["--set", "ordr", "\"order\""],
    );
    refused(
        &folder,
        &good,
        &["--set", "time_step=0"],
        &["time_step", "positive"],
    );
    refused(&folder, &good, &["--set", "time_step"], &["key=value"]);
    refused(&folder, &good, &["--until=-1"], &["--until"]);
}

#[test]
fn what_is_wrong_with_a_robot_is_said_in_one_message_and_nothing_is_written() {
    let folder = Folder::new("robot");
    let scenario = folder.write("case.toml", SCENARIO);
    let second = r#"<link name="two"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"#;
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/></joint>"#
        )
    };
    for (old, new, words) in [
        (ROBOT, "once upon a time".to_string(), vec!["robot.urdf"]),
        (ROBOT, "<sdf/>".to_string(), vec!["robot.urdf", "SDF"]),
        ("mass value=\"1\"", "mass value=\"-1\"".to_string(), vec!["\"arm\"", "mass", "-1"]),
        ("mass value=\"1\"", "mass value=\"nan\"".to_string(), vec!["\"arm\"", "mass"]),
        ("axis xyz=\"0 1 0\"", "axis xyz=\"0 0 0\"".to_string(), vec!["\"hinge\"", "axis"]),
        ("</robot>", format!("{second}{}</robot>", joint("hinge", "arm", "two")), vec!["\"hinge\""]),
        ("</robot>", format!("{second}</robot>"), vec!["two"]),
        ("</robot>", format!("{second}{}{}</robot>", joint("a", "arm", "two"), joint("b", "two", "arm")), vec!["arm"]),
        // A point mass on its own axis turns without resistance.
        (
            ROBOT,
            r#"<robot name="arm"><link name="world"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"#.to_string(),
            vec!["\"hinge\" can move without inertia"],
        ),
    ] {
        let text = ROBOT.replace(old, &new);
        assert_ne!(text, ROBOT, "{old}");
        folder.write("robot.urdf", &text);
        refused(&folder, &scenario, &[], &words);
    }
}

#[test]
fn a_wedged_ball_is_refused() {
    let folder = Folder::new("wedged");
    let ball = shipped("ball/ball.urdf");
    let scenario = folder.write(
        "wedged.toml",
        format!(
            "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = {:?}\nbase = \"floating\"\n\
             [initial.base]\nposition = [0.0, 0.0, 0.1]\ntwist = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]\n\
             [[terrain]]\nkind = \"plane\"\nname = \"floor\"\n\
             [[terrain]]\nkind = \"plane\"\nname = \"ceiling\"\npoint = [0.0, 0.0, 0.2]\nnormal = [0.0, 0.0, -1.0]\n",
            ball
        ),
    );
    refused(&folder, &scenario, &[], &["ball@floor", "ball@ceiling"]);
}

#[test]
fn a_controller_that_fails_stops_the_run_and_what_was_computed_is_kept() {
    let folder = Folder::new("nan");
    folder.write("robot.urdf", ROBOT);
    // At 0.05 s the feed-forward begins to grow beyond all numbers against an infinite stiffness. The servo is sampled:
    // inside the step it would have no answer of its own that could fail.
    let text = format!(
        "{SCENARIO}[controller]\nkind = \"servo\"\nsampling_period = 1e-3\n[[controller.joint]]\nname = \"hinge\"\nstiffness = 1e308\n\
         target = [[0.05, 0.0], [0.05, 1e308]]\nfeed_forward = [[0.05, 0.0], [0.05, -1e308]]\n"
    )
    .replace("file = \"robot.urdf\"", "file = \"robot.urdf\"\ngravity = [0.0, 0.0, 0.0]");
    let scenario = folder.write("case.toml", &text);
    let out = folder.path("out");
    let run = simulate(&scenario, &out, &["--json"]);
    assert_eq!(run.status.code(), Some(3), "{}", self::text(&run.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(printed["status"], "stopped");
    assert_eq!(printed, json(&out.join("summary.json")));
    assert_eq!(printed["steps"], 50);
    let message = self::text(&run.stderr);
    assert!(
        message.contains("hinge") && message.contains("not finite"),
        "{message}"
    );
    let times = column(&out.join("series.csv"), "time_s");
    assert_eq!(times.last().unwrap().parse::<f64>().unwrap(), 0.05);
    assert_eq!(times.len(), 6);
}
