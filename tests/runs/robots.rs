//! Several robots in one scene: momenta that stay when they collide, each its own run where they are far apart, their names.

use carom::dynamics::spatial_momentum;
use carom::hybrid::{Simulation, Unwatched};
use carom::scenario::{Experiment, Scenario};

/// A trunk with a ball on a hinged arm.
const MACE: &str = r#"<robot name="mace">
  <link name="trunk">
    <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.3 0.3 0.2"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><origin xyz="0.4 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.4 0 0"/><geometry><sphere radius="0.08"/></geometry></collision>
  </link>
  <joint name="swing" type="revolute"><parent link="trunk"/><child link="arm"/><origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="50" velocity="100"/><dynamics damping="0.05"/></joint>
</robot>"#;

fn experiment(text: &str, robots: usize) -> Result<Experiment, String> {
    let scenario = Scenario::parse("scene.toml", text, &[]).map_err(|e| e.to_string())?;
    Experiment::with_robots("scene.toml", scenario, &vec![MACE; robots]).map_err(|e| e.to_string())
}

fn refusal(text: &str, robots: usize) -> String {
    experiment(text, robots).expect_err("it is refused")
}

/// One robot of a scene (`prefix` is `robot.`), or the only one, with a servo and a spring.
fn robot(
    table: &str,
    prefix: &str,
    name: &str,
    position: [f64; 3],
    twist: [f64; 6],
    swing: f64,
) -> String {
    format!(
        "{table}\n{name}file = \"mace.urdf\"\nbase = \"floating\"\ngravity = [0.0, 0.0, 0.0]\nposition = {position:?}\n\
         [{prefix}initial.base]\ntwist = {twist:?}\n[{prefix}initial.joints]\nswing = {swing:?}\n\
         [{prefix}controller]\nkind = \"servo\"\n\
         joint = [{{ name = \"swing\", stiffness = 20.0, damping = 0.5, target = {{ sine = {{ mean = 0.1, amplitude = 0.3, \
         frequency_Hz = 2.0, phase = 0.0 }} }} }}]\n\
         [[{prefix}spring]]\njoint = \"swing\"\nstiffness = 3.0\nrest = 0.2\n"
    )
}

const TOP: &str = "time_step = 1e-3\nduration = 1.0\n[stepper]\ntolerance = 1e-13\n";

fn momentum(simulation: &mut Simulation) -> [f64; 6] {
    simulation.velocity().unwrap();
    let total = spatial_momentum(simulation.model(), simulation.kinematics());
    let entries = total.linear.iter().chain(total.angular.iter());
    let entries: Vec<f64> = entries.copied().collect();
    entries.try_into().unwrap()
}

#[test]
fn two_robots_that_collide_without_gravity_keep_their_momentum() {
    let text = format!(
        "{TOP}[impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.4\nrestitution = 0.0\n{}{}",
        robot(
            "[[robot]]",
            "robot.",
            "name = \"a\"\n",
            [0.0; 3],
            [0.6, 0.0, 0.0, 0.0, 0.2, 0.5],
            0.4
        ),
        robot(
            "[[robot]]",
            "robot.",
            "name = \"b\"\n",
            [1.1, 0.15, 0.03],
            [-0.8, 0.0, 0.0, 0.3, 0.0, 0.0],
            -0.3
        ),
    );
    let experiment = experiment(&text, 2).unwrap();
    let controller = experiment.controller().unwrap();
    let mut simulation = experiment.simulation().unwrap().with_controller(controller);
    let before = momentum(&mut simulation);
    let mut most = 0.0_f64;
    for _ in 0..1000 {
        simulation.advance().unwrap();
        let now = momentum(&mut simulation);
        for (a, b) in now.iter().zip(before) {
            most = most.max((a - b).abs());
        }
    }
    assert!(simulation.state().impacts > 0);
    // 1000 steps, each solved to 1e-13 of momenta of order one in eight and eight coordinates, with lever arms of
    // order one: internal forces cancel but for that.
    assert!(most < 1000.0 * 14.0 * 1e-13, "{most:e}");
    // It is not that nothing moved from one to the other.
    let v = simulation.velocity().unwrap();
    assert!((v[0] - 0.6).abs() > 0.05, "{}", v[0]);
}

#[test]
fn robots_far_apart_move_as_each_alone() {
    let starts = [
        ([0.0; 3], [0.6, 0.0, 0.1, 0.0, 0.2, 0.5], 0.4),
        ([100.0, 3.0, 0.5], [-0.2, 0.3, 0.0, 0.3, 0.0, -0.4], -0.3),
    ];
    let both = format!(
        "{TOP}{}{}",
        robot(
            "[[robot]]",
            "robot.",
            "name = \"a\"\n",
            starts[0].0,
            starts[0].1,
            starts[0].2
        ),
        robot(
            "[[robot]]",
            "robot.",
            "name = \"b\"\n",
            starts[1].0,
            starts[1].1,
            starts[1].2
        ),
    );
    let end = |text: &str, robots: usize| {
        let experiment = experiment(text, robots).unwrap();
        let controller = experiment.controller().unwrap();
        let mut simulation = experiment.simulation().unwrap().with_controller(controller);
        simulation.run_until(1.0, &mut Unwatched).unwrap();
        let v = simulation.velocity().unwrap().to_vec();
        (simulation.state().q.clone(), v)
    };
    let (q, v) = end(&both, 2);
    for (i, (position, twist, swing)) in starts.into_iter().enumerate() {
        let alone = format!("{TOP}{}", robot("[robot]", "", "", position, twist, swing));
        let (own_q, own_v) = end(&alone, 1);
        let there = q[8 * i..8 * (i + 1)].iter().chain(&v[7 * i..7 * (i + 1)]);
        let most = own_q
            .iter()
            .chain(&own_v)
            .zip(there)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        // Both runs solve each of 1000 steps to 1e-13 of momenta of order one (kg m/s), an error of at most 1e-13/0.01
        // of a rate by the least inertia, 0.01 kg m²; errors grow no faster than in a second of a damped swing at
        // √(23/0.1) 1/s, and rates of order one move positions by their sum. Roundings of 100 m are 1e-14 a step.
        let bound = 1000.0 * 2.0 * 1e-13 / 0.01;
        assert!(most < bound, "robot {i}: {most:e} of {bound:e}");
    }
}

#[test]
fn names_of_a_scene_begin_with_the_robots_and_the_resolved_scenario_repeats_it() {
    let text = format!(
        "{TOP}{}[[robot.site]]\nname = \"hand\"\nlink = \"arm\"\nkind = \"sphere\"\nradius = 0.08\nposition = [0.4, 0.0, 0.0]\n{}\
         [[terrain]]\nkind = \"plane\"\nname = \"wall\"\npoint = [-3.0, 0.0, 0.0]\nnormal = [1.0, 0.0, 0.0]\n\
         [[object]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 0.1\nmass = 1.0\nposition = [0.0, 5.0, 0.0]\n",
        robot(
            "[[robot]]",
            "robot.",
            "name = \"a\"\n",
            [0.0; 3],
            [0.0; 6],
            0.4
        ),
        robot(
            "[[robot]]",
            "robot.",
            "name = \"b\"\n",
            [2.0, 0.0, 0.0],
            [0.0; 6],
            -0.3
        ),
    );
    let experiment = experiment(&text, 2).unwrap();
    let model = &experiment.model;
    assert_eq!(
        [0, 7, 8, 15, 16].map(|i| model.configuration_names()[i].as_str()),
        ["a.base.x", "a.swing", "b.base.x", "b.swing", "ball.x"]
    );
    assert_eq!(model.coordinate_names()[13], "b.swing");
    assert!(model.link("b.arm").is_ok() && model.link("arm").is_err());
    let names: Vec<&str> = (0..experiment.contacts.len())
        .map(|i| experiment.contacts.name(i))
        .collect();
    for name in ["a.hand", "a.hand@b.trunk_box", "a.hand@ball"] {
        assert!(names.contains(&name), "{name} of {names:?}");
    }
    assert!(
        !names
            .iter()
            .any(|name| name.starts_with("a.") && name.contains("@a.")),
        "{names:?}"
    );
    let pairs: Vec<String> = experiment
        .body_pairs
        .iter()
        .map(|p| p.bodies.join("-"))
        .collect();
    assert!(pairs.contains(&"a.arm-b.trunk".to_string()), "{pairs:?}");
    assert!(!pairs.contains(&"a.trunk-a.arm".to_string()), "{pairs:?}");
    let resolved = experiment.resolved().to_toml().unwrap();
    let again = Scenario::parse("again.toml", &resolved, &[]).unwrap();
    assert_eq!(again.to_toml().unwrap(), resolved);
    let files: Vec<(String, &str)> = experiment.robot_files().collect();
    assert_eq!(files[1].0, "robot_2.urdf");
    let again = Experiment::with_robots("again.toml", again, &[files[0].1, files[1].1]).unwrap();
    assert_eq!(again.hash(), experiment.hash());
    let end = |experiment: &Experiment| {
        let controller = experiment.controller().unwrap();
        let mut simulation = experiment.simulation().unwrap().with_controller(controller);
        simulation.run_until(0.1, &mut Unwatched).unwrap();
        simulation.state().q.clone()
    };
    assert_eq!(end(&again), end(&experiment));
}

#[test]
fn a_robot_stands_where_its_place_says() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let text = format!(
        "{TOP}[robot]\nfile = \"mace.urdf\"\nbase = \"BASE\"\nposition = [1.0, 2.0, 3.0]\nrpy = [0.0, 0.0, {quarter:?}]\n"
    );
    for base in ["fixed", "planar", "floating"] {
        let experiment = experiment(&text.replace("BASE", base), 1).unwrap();
        let mut simulation = experiment.simulation().unwrap();
        simulation.velocity().unwrap();
        let arm = experiment.model.link("arm").unwrap();
        let world = simulation.kinematics().world[arm.body.unwrap()].compose(&arm.pose);
        // The hinge is 0.1 m along the trunk's x, which looks along y.
        let off = (world.translation - nalgebra::Vector3::new(1.0, 2.1, 3.0)).norm();
        assert!(off < 1e-15 * 8.0, "{base}: {off:e}");
    }
}

#[test]
fn a_fixed_robot_can_be_struck_by_another() {
    // The mace flies at the fixed trunk of the other and bounces off its face at x = 5 − 0.15, as fast as it came.
    let text = "time_step = 1e-3\nduration = 1.0\n[contact]\ncollisions = [\"sphere\"]\nsurfaces = [\"box\"]\n\
        [[robot]]\nname = \"a\"\nfile = \"mace.urdf\"\nbase = \"floating\"\ngravity = [0.0, 0.0, 0.0]\nposition = [4.0, 0.0, 0.0]\n\
        [robot.initial.base]\ntwist = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n\
        [[robot]]\nname = \"b\"\nfile = \"mace.urdf\"\nposition = [5.0, 0.0, 0.0]\n[robot.initial.joints]\nswing = 1.0\n";
    let experiment = experiment(text, 2).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    simulation.run_until(0.5, &mut Unwatched).unwrap();
    assert_eq!(simulation.state().impacts, 1);
    let v = simulation.velocity().unwrap();
    // Without friction, along the line of all centres: the whole robot turns round.
    assert!((v[0] + 1.0).abs() < 1e-8, "{}", v[0]);
}

#[test]
fn scenes_that_cannot_be_are_refused_by_place_and_remedy() {
    let two = |a: &str, b: &str, rest: &str| {
        refusal(
            &format!(
                "{TOP}{rest}[[robot]]\nfile = \"m.urdf\"\n{a}\n[[robot]]\nfile = \"m.urdf\"\n{b}\n"
            ),
            2,
        )
    };
    let (a, b) = ("name = \"a\"", "name = \"b\"");
    for (message, parts) in [
        (two("", "", ""), ["robot[0]", "give each a name"]),
        (two(a, "", ""), ["robot[1]", "give each a name"]),
        (two(a, a, ""), ["robot[1] \"a\"", "two robots of this name"]),
        (
            two(a, "name = \"b.c\"", ""),
            ["robot[1]", "no name of a robot"],
        ),
        (
            two(a, "name = \"b\"\ngravity = [0.0, 0.0, -1.6]", ""),
            ["robot[1] \"b\"", "state it in the first alone"],
        ),
        (
            two(a, b, "[initial.joints]\nswing = 0.1\n"),
            ["initial", "[robot.initial]"],
        ),
        (
            two(a, b, "[[spring]]\njoint = \"swing\"\nstiffness = 1.0\n"),
            ["spring", "[[robot.spring]]"],
        ),
        (
            two(a, &format!("{b}\n[robot.initial.joints]\nswin = 0.1"), ""),
            ["robot[1] \"b\".initial", "did you mean \"swing\""],
        ),
        (
            two(
                a,
                &format!(
                    "{b}\n[robot.controller]\nkind = \"servo\"\njoint = [{{ name = \"swin\", stiffness = 1.0 }}]"
                ),
                "",
            ),
            ["robot[1] \"b\".controller", "swing"],
        ),
        (
            two(
                &format!(
                    "{a}\n[robot.controller]\nkind = \"servo\"\ndefault = {{ stiffness = 1.0 }}"
                ),
                &format!(
                    "{b}\n[robot.controller]\nkind = \"servo\"\nsampling_period = 1e-2\ndefault = {{ stiffness = 1.0 }}"
                ),
                "",
            ),
            ["robot", "sampling_period"],
        ),
        (
            two(
                &format!(
                    "{a}\n[robot.controller]\nkind = \"servo\"\ndefault = {{ stiffness = 1.0 }}"
                ),
                b,
                "[controller]\nkind = \"servo\"\ndefault = { stiffness = 1.0 }\n",
            ),
            ["controller", "[robot.controller]"],
        ),
        (
            refusal(
                &format!("{TOP}[robot]\nfile = \"m.urdf\"\n[robot.initial.joints]\nswing = 0.1\n"),
                1,
            ),
            ["robot.initial", "[initial]"],
        ),
    ] {
        for part in parts {
            assert!(message.contains(part), "{message}: {part}");
        }
    }
}
