//! Scenes: objects beside a robot, and links of a robot that touch each other.

use carom::dynamics::Support;
use carom::hybrid::{EventKind, Simulation, Unwatched};
use carom::record::Run;
use carom::scenario::{Exclusion, Experiment, Scenario};

use crate::loose::{GROUND, by_law, run};

/// Two arms with spheres for hands, hinged beside each other on a fixed trunk; they swing across x.
const CLAPPER: &str = r#"<robot name="clapper">
  <link name="trunk"><collision><geometry><box size="0.1 0.2 0.1"/></geometry></collision></link>
  <link name="left_arm">
    <inertial><origin xyz="0 0 -0.3"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="right_arm">
    <inertial><origin xyz="0 0 -0.3"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <joint name="left" type="continuous"><parent link="trunk"/><child link="left_arm"/><origin xyz="0 0.2 0"/><axis xyz="1 0 0"/></joint>
  <joint name="right" type="continuous"><parent link="trunk"/><child link="right_arm"/><origin xyz="0 -0.2 0"/><axis xyz="1 0 0"/></joint>
</robot>"#;

/// A scenario of that robot without gravity.
fn scene(tables: &str) -> Result<Experiment, String> {
    scene_of(CLAPPER, tables)
}

fn scene_of(robot: &str, tables: &str) -> Result<Experiment, String> {
    let text = format!(
        "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"robot.urdf\"\ngravity = [0.0, 0.0, 0.0]\n{tables}"
    );
    let scenario = Scenario::parse("scene.toml", &text, &[]).map_err(|e| e.to_string())?;
    Experiment::with_robot("scene.toml", scenario, robot).map_err(|e| e.to_string())
}

fn refusal(tables: &str) -> String {
    scene(tables).expect_err("it is refused")
}

/// Angles of both arms after a second in which they swing towards each other at 1 rad/s.
fn swung(contact: &str) -> [f64; 2] {
    let tables = format!("{contact}\n[initial.velocities]\nleft = -1.0\nright = 1.0\n");
    let mut simulation = scene(&tables).unwrap().simulation().unwrap();
    simulation.run_until(1.0, &mut Unwatched).unwrap();
    let q = &simulation.state().q;
    [q[0], q[1]]
}

#[test]
fn hands_that_clap_bounce_where_links_touch_each_other() {
    // The hands meet where 0.2 − 0.3 sin θ = 0.05, at 30 degrees, and go back as fast as they came.
    let turned = 1.0 - 2.0 * std::f64::consts::FRAC_PI_6;
    let apart = |[left, right]: [f64; 2], expected: f64| {
        (left - expected).abs().max((right + expected).abs())
    };
    for contact in [
        "[contact]\nself = true",
        "[contact]\nself = [[\"left_arm\", \"right_arm\"]]",
    ] {
        // Rates that are constant; roundings of 1000 steps, each solved to 1e-10.
        assert!(apart(swung(contact), turned) < 1e-8, "{contact}");
    }
    for contact in [
        "",
        "[contact]\nself = true\nexclude = [[\"right_arm\", \"left_arm\"]]",
        "[contact]\nself = [[\"left_arm\", \"trunk\"]]",
    ] {
        assert!(apart(swung(contact), -1.0) < 1e-8, "{contact}");
    }
}

#[test]
fn every_pair_of_bodies_says_why_it_does_not_touch() {
    let pairs = |tables: &str| scene(tables).unwrap().body_pairs;
    assert!(pairs("").is_empty());
    let all = pairs("[contact]\nself = true");
    let found: Vec<_> = all
        .iter()
        .map(|p| (p.bodies.join("-"), p.excluded, p.contacts))
        .collect();
    assert_eq!(
        found,
        [
            ("world-left_arm".to_string(), Some(Exclusion::Neighbours), 0),
            (
                "world-right_arm".to_string(),
                Some(Exclusion::Neighbours),
                0
            ),
            ("left_arm-right_arm".to_string(), None, 1),
        ]
    );
    let folded = pairs("[contact]\nself = true\n[initial.joints]\nleft = -0.6\nright = 0.6");
    assert_eq!(folded[2].excluded, Some(Exclusion::Overlap));
    let listed = pairs("[contact]\nself = true\nexclude = [[\"left_arm\", \"right_arm\"]]");
    assert_eq!(listed[2].excluded, Some(Exclusion::Listed));
    let error = refusal("[contact]\nexclude = [[\"left_am\", \"right_arm\"]]");
    assert!(
        error.contains("contact.exclude[0]") && error.contains("left_arm"),
        "{error}"
    );
    let error = refusal("[contact]\nself = [[\"left_arm\", \"left_arm\"]]");
    assert!(
        error.contains("contact.self[0]") && error.contains("one body"),
        "{error}"
    );
}

/// As descriptions have them in place of nothing: other shapes pass through, and it is said.
#[test]
fn shapes_without_volume_are_touched_by_nothing() {
    let flat = CLAPPER.replacen("<sphere radius=\"0.05\"/>", "<sphere radius=\"0\"/>", 1);
    let tables = "[contact]\nself = true\n[initial.velocities]\nleft = -1.0\nright = 1.0\n";
    let clapping = |robot: &str| scene_of(robot, tables).unwrap();
    let remark = |scene: &Experiment| scene.remarks().join(" ");
    let [whole, point] = [clapping(CLAPPER), clapping(&flat)];
    assert!(!remark(&whole).contains("volume"), "{}", remark(&whole));
    let said = remark(&point);
    assert!(
        said.contains("volume") && said.contains("\"left_arm\""),
        "{said}"
    );
    // The point in place of one hand meets the other where 0.4 − 0.6 sin θ = 0.05.
    let mut simulation = point.simulation().unwrap();
    simulation.run_until(1.0, &mut Unwatched).unwrap();
    let met = (0.35f64 / 0.6).asin();
    assert!((simulation.state().q[0] - (1.0 - 2.0 * met)).abs() < 1e-8);
}

/// A shaft in the middle of a ring, two links on, as of a wrist: neither's side, rims or ends are in the other.
#[test]
fn a_shaft_through_a_ring_overlaps_it() {
    let link = |name: &str, shape: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial>{shape}</link>"
        )
    };
    let cylinder = |radius: f64, length: f64, height: f64| {
        format!(
            "<collision><origin xyz=\"0.01 0 {height}\"/><geometry><cylinder radius=\"{radius}\" length=\"{length}\"/></geometry></collision>"
        )
    };
    let turns = |parent: &str, child: &str| {
        format!(
            "<joint name=\"{child}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"1 0 0\"/></joint>"
        )
    };
    let pairs = |height: f64| {
        let robot = [
            "<robot name=\"wrist\"><link name=\"trunk\"/>".to_string(),
            link("ring", &cylinder(0.1, 0.1, 0.0)),
            link("cross", ""),
            link("shaft", &cylinder(0.03, 0.4, height)),
            turns("trunk", "ring"),
            turns("ring", "cross"),
            turns("cross", "shaft"),
            "</robot>".to_string(),
        ]
        .concat();
        let text = "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"wrist.urdf\"\n\
                    [contact]\nself = true\ncollisions = [\"cylinder\"]\n";
        let scenario = Scenario::parse("wrist.toml", text, &[]).unwrap();
        let experiment = Experiment::with_robot("wrist.toml", scenario, &robot).unwrap();
        let pairs = experiment.body_pairs.into_iter();
        let of_shaft = pairs.filter(|p| p.bodies.join("-") == "ring-shaft");
        of_shaft.map(|p| p.excluded).collect::<Vec<_>>()
    };
    assert_eq!(pairs(0.0), [Some(Exclusion::Overlap)]);
    // Up to where it stands on the ring: 0.05 + 0.2 m.
    assert_eq!(pairs(0.249), [Some(Exclusion::Overlap)]);
    assert_eq!(pairs(0.251), [None]);
}

/// Fingers of a hand on a wrist, which close on each other by one coordinate: nothing moves them across each other, neither the wrist
/// that carries both nor roundings of the directions in which they close.
const HAND: &str = r#"<robot name="hand"><link name="trunk"/>
  <link name="palm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.02 0.02 0.05"/></geometry></collision></link>
  <link name="right"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.02 0.02 0.05"/></geometry></collision></link>
  <joint name="wrist" type="continuous"><parent link="trunk"/><child link="palm"/><origin rpy="0.3 0.2 0.1"/><axis xyz="0.48 0.6 0.64"/></joint>
  <joint name="left" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0.02 0"/><axis xyz="0 1 0"/>
    <limit lower="-0.02" upper="0.02" effort="100" velocity="10"/></joint>
  <joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 -0.02 0"/><axis xyz="0 1 0"/>
    <limit lower="-0.02" upper="0.02" effort="100" velocity="10"/><mimic joint="left" multiplier="-1"/></joint>
</robot>"#;

fn hand(tables: &str) -> Experiment {
    let contact = "[contact]\nself = true\ncollisions = [\"box\"]\nfriction = 1.0\n[impact]\nlaw = \"max-dissipation\"\n";
    scene_of(HAND, &[contact, tables].concat()).unwrap()
}

#[test]
fn friction_has_no_rows_where_no_joint_moves_links_across_each_other() {
    // A tenth of a nanometre apart: the wrist would move their nearest points by that across each other.
    let tables = "[initial.joints]\nleft = -0.00999999995\nwrist = 0.7\n";
    let simulation = hand(tables).simulation().unwrap();
    let (model, contacts) = (simulation.model(), simulation.contacts());
    let kinematics = simulation.kinematics();
    let near = (0..contacts.len()).filter(|&i| contacts.is_present(kinematics, i));
    let mut looked_at = 0;
    for i in near {
        let frame = contacts.frame(kinematics, i);
        if frame.limit.is_some() {
            continue;
        }
        let support = Support::new(model, frame.bodies);
        let mut rows = vec![f64::NAN; 3 * support.coordinates().len()];
        frame.support_rows(model, kinematics, &support, 2, &mut rows);
        for (column, &coordinate) in rows.chunks_exact(3).zip(support.coordinates()) {
            // Both fingers close at the rate of the one coordinate.
            let closing = if coordinate == 1 { 2.0 } else { 0.0 };
            assert!((column[0] - closing).abs() < 1e-14, "{column:?}");
            assert_eq!(column[1..], [0.0; 2]);
        }
        looked_at += 1;
    }
    assert!(looked_at >= 4, "{looked_at}");
}

/// Pressed by 10 N along the coordinate of both, less what turning about the wrist opens them by: Σ N = (10 − 2 m r ω² (1 − c²))/2,
/// c = 0.6 the share of the axis along the fingers' way, r = 1 cm.
#[test]
fn fingers_that_close_press_by_what_closes_them() {
    let experiment = hand(
        "[initial.joints]\nleft = -0.005\n[initial.velocities]\nwrist = 20.0\n[controller]\nkind = \"servo\"\n\
         joint = [{ name = \"left\", stiffness = 0.0, feed_forward = -10.0 }, { name = \"wrist\", stiffness = 0.0 }]\n",
    );
    let mut run = Run::new(&experiment).unwrap();
    run.advance(200, &mut Unwatched).unwrap();
    let simulation = run.simulation();
    let rate = simulation.velocity().unwrap()[0];
    let held = &simulation.state().held;
    let pressed: f64 = held.iter().filter_map(|h| h.normal_force()).sum();
    let expected = 0.5 * (10.0 - 2.0 * 0.1 * 0.01 * rate * rate * 0.64);
    // The force of a step of order two, turned by hω = 0.02 in it.
    assert!(
        (pressed - expected).abs() < 1e-4 * expected,
        "{pressed} {expected}"
    );
    assert!(held.iter().all(|h| h.impulse()[1..] == [0.0; 2]));
}

#[test]
fn an_object_has_its_coordinates_and_strikes_the_robot() {
    // A ball of 1 kg flies at the left hand; the arm has 0.01 + 0.3² = 0.1 kg m² about its hinge, 1/0.9 kg at the hand.
    let experiment = scene(
        "[[object]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 0.1\nmass = 1.0\n\
         position = [0.0, 0.8, -0.3]\nvelocity = [0.0, -2.0, 0.0]\n",
    )
    .unwrap();
    let model = &experiment.model;
    assert_eq!(
        model.configuration_names()[2..6],
        ["ball.x", "ball.y", "ball.z", "ball.qx"]
    );
    assert_eq!(model.coordinate_names()[3], "ball.vy");
    let mut simulation = experiment.simulation().unwrap();
    simulation.run_until(0.4, &mut Unwatched).unwrap();
    let v = simulation.velocity().unwrap().to_vec();
    // Restitution 1 along the line of centres, which is level.
    let hand = 0.1 / 0.09;
    let ball = -2.0 * (1.0 - hand) / (1.0 + hand);
    let arm = -2.0 * 2.0 / (1.0 + hand) / 0.3;
    assert!((v[3] - ball).abs() < 1e-9, "{} {ball}", v[3]);
    assert!((v[0] - arm).abs() < 1e-9, "{} {arm}", v[0]);
    // The resolved scenario is the same experiment.
    let text = experiment.resolved().to_toml().unwrap();
    let again = Scenario::parse("again.toml", &text, &[]).unwrap();
    let again = Experiment::with_robot("again.toml", again, CLAPPER).unwrap();
    assert_eq!(again.hash(), experiment.hash());
    assert_eq!(again.contacts.len(), experiment.contacts.len());
}

#[test]
fn objects_fall_on_terrain_and_on_each_other_and_what_is_excluded_does_not_touch() {
    let ground = "[[terrain]]\nkind = \"plane\"\nname = \"ground\"\npoint = [0.0, 0.0, -1.0]\n";
    let text = format!(
        "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"clapper.urdf\"\n\
         [contact]\nrestitution = 0.0\nfriction = 0.5\nEXCLUDE\n[impact]\nlaw = \"max-dissipation\"\n{ground}\
         [[object]]\nname = \"crate\"\nkind = \"box\"\nsize = [0.4, 0.4, 0.2]\ndensity = 200.0\nposition = [2.0, 0.0, -0.9]\n\
         [[object]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 0.1\nmass = 1.0\nposition = [2.0, 0.0, -0.6]\n\
         [[object]]\nname = \"ghost\"\nkind = \"cylinder\"\nradius = 0.1\nlength = 0.1\nmass = 1.0\ncollides = false\n"
    );
    let end = |exclude: &str| {
        let text = text.replace("EXCLUDE", exclude);
        let scenario = Scenario::parse("scene.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("scene.toml", scenario, CLAPPER).unwrap();
        assert!((experiment.model.mass() - (2.0 + 6.4 + 2.0)).abs() < 1e-12);
        let mut simulation = experiment.simulation().unwrap();
        simulation.run_until(1.0, &mut Unwatched).unwrap();
        let q = &simulation.state().q;
        // Heights of crate, ball and ghost.
        [q[4], q[11], q[18]]
    };
    let fallen = -0.5 * 9.81;
    let [crate_z, ball, ghost] = end("");
    assert!(
        (crate_z + 0.9).abs() < 1e-8 && (ball + 0.7).abs() < 1e-8,
        "{crate_z} {ball}"
    );
    assert!((ghost - fallen).abs() < 1e-9, "{ghost}");
    let [_, ball, _] = end("exclude = [[\"ball\", \"crate\"]]");
    assert!((ball + 0.9).abs() < 1e-8, "{ball}");
}

#[test]
fn objects_that_cannot_be_are_refused_by_place_and_remedy() {
    let object = |keys: &str| refusal(&format!("[[object]]\nname = \"ball\"\n{keys}"));
    for (keys, parts) in [
        (
            "kind = \"sphere\"\nmass = 1.0",
            "object[0] \"ball\": an object of kind \"sphere\" needs radius",
        ),
        (
            "kind = \"sphere\"\nradius = 1.0\nlength = 1.0\nmass = 1.0",
            "has no length; remove the key",
        ),
        (
            "kind = \"sphere\"\nradius = 0.1",
            "give it a mass or a density",
        ),
        (
            "kind = \"sphere\"\nradius = 0.1\nmass = 1.0\ndensity = 1.0",
            "remove one of the two",
        ),
        (
            "kind = \"sphere\"\nradius = -0.1\nmass = 1.0",
            "\"ball\".radius: it is -0.1",
        ),
        (
            "kind = \"box\"\nsize = [1.0, 0.0, 1.0]\nmass = 1.0",
            "\"ball\".size: it is 0",
        ),
        (
            "kind = \"sphere\"\nradius = 0.1\nmass = 1.0\nspin = [nan, 0.0, 0.0]",
            "\"ball\".spin: NaN",
        ),
        (
            "kind = \"sphere\"\nradius = 0.1\nmass = 1.0\nfriction = -1.0",
            "friction is -1",
        ),
        ("kind = \"cone\"\nradius = 0.1\nmass = 1.0", "cone"),
    ] {
        let error = object(keys);
        assert!(error.contains(parts), "{keys}: {error}");
    }
    let keys = "kind = \"sphere\"\nradius = 0.1\nmass = 1.0\nposition = [9.0, 0.0, 0.0]";
    for name in ["base", "world", "a.b", "a/b", " "] {
        let error = refusal(&format!("[[object]]\nname = \"{name}\"\n{keys}"));
        assert!(error.contains("is no name of an object"), "{error}");
    }
    let error = refusal(&format!("[[object]]\nname = \"left_arm\"\n{keys}"));
    assert!(
        error.contains("two links are named \"left_arm\""),
        "{error}"
    );
    let inside = "kind = \"sphere\"\nradius = 0.1\nmass = 1.0\nposition = [0.0, 0.2, -0.3]";
    let experiment = scene(&format!("[[object]]\nname = \"ball\"\n{inside}")).unwrap();
    let error = experiment.simulation().err().unwrap().to_string();
    assert!(error.contains("left_arm@ball"), "{error}");
}

/// Boxes as scenes of their own, without a robot to speak of.
fn loose(tables: &str) -> Experiment {
    by_law("max-dissipation", tables)
}

/// Thrown along the ground against its lean, a rod with friction 2 jams as it lands, over both lower corners at once. The law `plus`
/// brings its impacts to an end, and none gives energy.
#[test]
fn a_rod_that_jams_as_it_lands_goes_on_by_the_law_plus() {
    let tables = format!(
        "[contact]\nfriction = 2.0\nrestitution = 0.0\n{GROUND}[[object]]\nname = \"rod\"\nkind = \"box\"\nmass = 1.0\n\
         size = [0.02, 0.02, 0.6]\nposition = [0.0, 0.0, 0.32]\nrpy = [0.0, 0.5, 0.0]\nvelocity = [-3.0, 0.0, -0.5]\n"
    );
    let mut simulation = by_law("plus", &tables).simulation().unwrap();
    let [_, depth] = run(&mut simulation, 300);
    assert!(depth > -1e-9, "{depth}");
    let events = simulation.take_events();
    let impacts = events.iter().filter(|e| e.kind == EventKind::Impact);
    assert!(impacts.count() >= 2);
    assert!(events.iter().all(|e| e.note.is_none()));
}

/// A ball that slides off a ledge falls, also where a step ends at the edge to rounding: speeds of whole fractions, and
/// others. Without friction nothing is lost but what a step of order two misses on the way round the edge, of radius r: a share
/// of (v h/r)².
#[test]
fn a_ball_that_passes_an_edge_falls() {
    for speed in [1.0, 0.5, 0.513, 0.25, 0.9371, 2.0, 0.8] {
        let experiment = loose(&format!(
            "[contact]\nfriction = 0.0\nrestitution = 0.0\n[[object]]\nname = \"b\"\nkind = \"sphere\"\nmass = 1.0\n\
             radius = 0.1\nposition = [0.0, 0.0, 0.1]\nvelocity = [{speed:?}, 0.0, 0.0]\n[[terrain]]\nkind = \"box\"\n\
             name = \"t\"\nmin = [-0.5, -0.5, -0.2]\nmax = [0.1, 0.5, 0.0]\n"
        ));
        let mut simulation = experiment.simulation().unwrap();
        let total = |simulation: &mut Simulation| {
            let energies = simulation.energies().unwrap();
            energies.kinetic + energies.potential
        };
        let before = total(&mut simulation);
        simulation.run_until(1.0, &mut Unwatched).unwrap();
        let q = &simulation.state().q;
        assert!(q[2] < -0.5, "{speed}: {q:?}");
        assert!(simulation.state().held.is_empty(), "{speed}");
        let after = total(&mut simulation);
        let missed = (speed * 1e-3 / 0.1_f64).powi(2) * before;
        assert!((after - before).abs() < missed, "{speed}: {before} {after}");
    }
}

/// Equal boxes on each other, their edges the same to rounding, and shifted along one of them: they stand where they are put,
/// also when the upper one falls by a centimetre.
#[test]
fn equal_boxes_stand_on_each_other() {
    for (shift, turn, drop) in [
        (0.0, 0.0, 0.0),
        (0.03, 0.0, 0.0),
        (0.0, 0.3, 0.0),
        (0.05, 0.0, 0.01),
    ] {
        let place = |x: f64, z: f64| {
            format!(
                "[{:?}, {:?}, {z:?}]",
                x * f64::cos(turn),
                x * f64::sin(turn)
            )
        };
        let cube = |name: &str, at: String| {
            format!(
                "[[object]]\nname = \"{name}\"\nkind = \"box\"\nmass = 1.0\nsize = [0.2, 0.2, 0.2]\nposition = {at}\n\
                 rpy = [0.0, 0.0, {turn:?}]\n"
            )
        };
        let boxes = [
            cube("a", place(0.0, 0.1)),
            cube("b", place(shift, 0.3 + drop)),
        ]
        .concat();
        let experiment = loose(&format!(
            "[contact]\nfriction = 0.5\nrestitution = 0.0\n{boxes}[[terrain]]\nkind = \"plane\"\nname = \"ground\"\n"
        ));
        let mut simulation = experiment.simulation().unwrap();
        simulation.run_until(0.5, &mut Unwatched).unwrap();
        let q = &simulation.state().q;
        let heights = [q[2], q[9]];
        assert!(
            (heights[0] - 0.1).abs() < 1e-9 && (heights[1] - 0.3).abs() < 1e-9,
            "{shift} {turn} {drop}: {q:?}"
        );
    }
}

/// Two fingers that one coordinate moves close on a ball that lies off their middle: it comes to lie there, held from both sides by
/// the effort that closes them.
#[test]
fn a_gripper_with_coupled_fingers_centres_what_it_holds() {
    const GRIPPER: &str = r#"<robot name="gripper"><link name="palm"/>
      <link name="left"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><box size="0.05 0.02 0.05"/></geometry></collision></link>
      <link name="right"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><box size="0.05 0.02 0.05"/></geometry></collision></link>
      <joint name="close" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0.03 0"/><axis xyz="0 -1 0"/>
        <limit lower="-0.01" upper="0.02" effort="100" velocity="10"/></joint>
      <joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 -0.03 0"/><axis xyz="0 -1 0"/>
        <limit lower="-0.02" upper="0.02" effort="100" velocity="10"/><mimic joint="close" multiplier="-1"/></joint>
    </robot>"#;
    let tables = "[impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.0\n\
        [[object]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 0.01\nmass = 0.05\nposition = [0.0, 0.004, 0.0]\n\
        [controller]\nkind = \"servo\"\njoint = [{ name = \"close\", stiffness = 0.0, feed_forward = 3.0 }]\n";
    let mut run = Run::new(&scene_of(GRIPPER, tables).unwrap()).unwrap();
    run.advance(1000, &mut Unwatched).unwrap();
    let state = run.simulation().state();
    let q = &state.q;
    // Faces start 2 cm from the middle; closed contacts are closed to 1e-9 m.
    assert!((q[0] - 0.01).abs() <= 1e-9 && q[2].abs() <= 1e-9, "{q:?}");
    let forces: Vec<f64> = state.held.iter().filter_map(|h| h.normal_force()).collect();
    // An effort of 3 N on a coordinate that moves both fingers by as much: half of it on each, solved to 1e-10 of the momenta.
    assert_eq!(forces.len(), 2, "{forces:?}");
    assert!(forces.iter().all(|f| (f - 1.5).abs() < 1e-6), "{forces:?}");
}
