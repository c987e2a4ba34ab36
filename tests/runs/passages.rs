//! What goes through something thin within a step, from any phase of the step.

use carom::scenario::{Experiment, Scenario};

/// Whether a scene without weight has an impact in eight steps of 10 ms.
fn strikes(robot: &str, tables: &str) -> bool {
    let text = format!(
        "time_step = 0.01\nduration = 0.08\nrobot = {{ file = \"r.urdf\", gravity = [0.0, 0.0, 0.0], base = \"floating\" }}\n\
         impact = {{ law = \"propagative\" }}\ncontact = {{ friction = 0.0, restitution = 1.0, collisions = [\"sphere\"] }}\n{tables}"
    );
    let scenario = Scenario::parse("thin.toml", &text, &[]).expect("it is a scenario");
    let experiment = Experiment::with_robot("thin.toml", scenario, robot);
    let mut simulation = (experiment.expect("it can be made").simulation()).expect("it starts");
    for _ in 0..8 {
        simulation.advance().expect("it goes on");
    }
    simulation.state().impacts > 0
}

/// A ball of 2 cm that goes 40 cm in a step, at a wall of 2 cm.
#[test]
fn no_ball_passes_a_wall() {
    let ball = r#"<robot name="ball"><link name="ball"><inertial><mass value="1"/>
        <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><sphere radius="0.01"/></geometry></collision></link></robot>"#;
    for phase in 0..20 {
        let x = -1.5 + 0.02 * f64::from(phase);
        let tables = format!(
            "[initial.base]\nposition = [{x:?}, 0.0, 0.0]\ntwist = [40.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n\
             [[terrain]]\nkind = \"box\"\nname = \"wall\"\nmin = [0.0, -1.0, -1.0]\nmax = [0.02, 1.0, 1.0]\n"
        );
        assert!(strikes(ball, &tables), "{x}");
    }
}

/// Upright cans of 6 cm of which one goes 30 cm in a step, past the middle of the other by a third of their radius.
#[test]
fn no_can_passes_a_can_beside_it() {
    let bystander = r#"<robot name="far"><link name="far"><inertial><mass value="1"/>
        <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    for phase in 0..20 {
        let x = -1.2 + 0.015 * f64::from(phase);
        let can = |name: &str, position: [f64; 3], speed: f64| {
            format!(
                "[[object]]\nname = \"{name}\"\nkind = \"cylinder\"\nradius = 0.03\nlength = 0.12\nmass = 1.0\n\
                 position = {position:?}\nvelocity = [{speed:?}, 0.0, 0.0]\n"
            )
        };
        let own = can("own", [x, 0.0, 0.0], 30.0);
        let other = can("other", [0.0, 0.009, 0.03], 0.0);
        let far = "[initial.base]\nposition = [0.0, 0.0, 9.0]\n";
        assert!(strikes(bystander, &[far, &own, &other].concat()), "{x}");
    }
}
