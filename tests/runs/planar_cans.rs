//! Upright cylinders of robots that move in a plane: their rims leave it, and touch all the same.

use carom::scenario::{Experiment, Scenario};

/// A can whose axis is in the plane of motion.
fn can(base: &str, terrain: &str, start: &str) -> Experiment {
    let text = format!(
        "time_step = 1e-3\nduration = 1.0\nrobot = {{ file = \"can.urdf\", base = \"{base}\" }}\n\
         impact = {{ law = \"plastic\" }}\ncontact = {{ friction = 0.5, collisions = [\"cylinder\"] }}\n\
         [initial.base]\n{start}[[terrain]]\nname = \"ground\"\n{terrain}"
    );
    let robot = r#"<robot name="can"><link name="can"><inertial><mass value="1"/>
        <inertia ixx="6e-3" iyy="6e-3" izz="5e-3" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link></robot>"#;
    let scenario = Scenario::parse("can.toml", &text, &[]).expect("it is a scenario");
    Experiment::with_robot("can.toml", scenario, robot).expect("it can be made")
}

/// In the plane of motion it does what it does in space, to what contacts are closed to.
#[test]
fn a_can_in_a_plane_falls_as_it_does_in_space() {
    let plane = "kind = \"plane\"\n";
    let slope = "kind = \"slope\"\nangle = 0.1\n";
    let stone = "kind = \"box\"\nmin = [-1.0, -1.0, -1.0]\nmax = [0.05, 1.0, 0.0]\n";
    let field = "kind = \"height-field\"\norigin = [-1.0, -1.0]\nsize = [2.0, 2.0]\ncell = 0.25\nexpression = \"0.1*x\"\n";
    // Tipped over an edge it rocks after its second strike on a point of its rim that is fixed or its lowest, micrometres apart.
    for (terrain, pitch, steps) in [
        (plane, 0.0, 300),
        (plane, 0.2, 300),
        (slope, 0.0, 300),
        (stone, 0.0, 300),
        (stone, 0.1, 100),
        (field, 0.0, 300),
    ] {
        let (s, c) = f64::sin_cos(0.5 * pitch);
        let planar = can(
            "planar",
            terrain,
            &format!("x = 0.0\nz = 0.13\npitch = {pitch:?}\n"),
        );
        let floating =
            format!("position = [0.0, 0.0, 0.13]\nquaternion = [0.0, {s:?}, 0.0, {c:?}]\n");
        let floating = can("floating", terrain, &floating);
        let [mut planar, mut floating] =
            [planar, floating].map(|own| own.simulation().expect("it starts"));
        let mut held = false;
        for step in 0..steps {
            planar.advance().expect("it goes on");
            floating.advance().expect("it goes on");
            let [own, other] = [&planar.state().q, &floating.state().q];
            held |= !planar.state().held.is_empty();
            let turned = 2.0 * other[4].atan2(other[6]);
            let apart = (own[0] - other[0]).abs().max((own[1] - other[2]).abs());
            let apart = apart.max((own[2] - turned).abs());
            assert!(apart < 1e-9, "{terrain}{pitch} {step}: {own:?} {other:?}");
        }
        assert!(held, "{terrain}{pitch}");
    }
}

/// On a rod along z it falls by g t²/2 until its end is on the ground, and stays there.
#[test]
fn a_piston_stays_above_the_ground() {
    let robot = r#"<robot name="piston"><link name="base"/><link name="can"><inertial><mass value="1"/>
        <inertia ixx="6e-3" iyy="6e-3" izz="5e-3" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
        <joint name="z" type="prismatic"><parent link="base"/><child link="can"/><axis xyz="0 0 1"/>
        <limit lower="-9" upper="9" effort="1" velocity="9"/></joint></robot>"#;
    let text = "time_step = 1e-3\nduration = 1.0\nrobot = { file = \"piston.urdf\" }\ninitial = { joints = { z = 0.15 } }\n\
        impact = { law = \"plastic\" }\ncontact = { friction = 0.5, collisions = [\"cylinder\"] }\n\
        terrain = [{ kind = \"plane\", name = \"ground\" }]\n";
    let scenario = Scenario::parse("piston.toml", text, &[]).expect("it is a scenario");
    let experiment = Experiment::with_robot("piston.toml", scenario, robot);
    let mut simulation = (experiment.expect("it can be made").simulation()).expect("it starts");
    let strike = (2.0 * 0.05_f64 / 9.81).sqrt();
    for _ in 0..300 {
        simulation.advance().expect("it goes on");
        let state = simulation.state();
        let fallen = 0.15 - 0.5 * 9.81 * state.time * state.time;
        let expected = if state.time < strike { fallen } else { 0.1 };
        // Steps are solved to 1e-10 of their momentum, contacts are closed to 1e-9 m.
        assert!(
            (state.q[0] - expected).abs() < 1e-8,
            "{} {}",
            state.time,
            state.q[0]
        );
    }
}
