//! Bare arcs of wire that fall over and come to lie on the ground, all of them at once.
#![cfg(feature = "cli")]

use std::fs;

use crate::cli_simulate::support::{json, simulate, text};
use crate::folder::Folder;

/// How an arc of radius 0.1 m and 1 kg begins, as texts of the scenario.
struct Fall {
    centre: &'static str,
    arc: &'static str,
    friction: &'static str,
    position: &'static str,
    quaternion: &'static str,
    twist: &'static str,
}

/// Their lowest points run round the rim and past its ends, or jump across the part of the circle that is not there. Every step is
/// solved a few times, the work of all that happens is told, and nothing sinks in.
#[test]
fn arcs_that_fall_flat_come_to_lie() {
    let falls = [
        Fall {
            centre: "0 0.03 0",
            arc: "start = 0.0, end = 3.141592653589793",
            friction: "0.37777020602109623",
            position: "[0,0,0.000429524182236804]",
            quaternion: "[0.0003446355632781812,0.0008694131422225471,0,0.9999995626734627]",
            twist: "[0,0,0,0.05437522274493789,1.102329140062206,-1.997535759120888]",
        },
        Fall {
            centre: "0 0.03 0",
            arc: "start = 0.0, end = 3.141592653589793",
            friction: "0.47907980936080946",
            position: "[0,0,0.0014199929103107356]",
            quaternion: "[0.00221341972850327,-0.0034169190980911984,0,0.9999917126841515]",
            twist: "[0,0,0,-0.43902287988497957,0.6366154118110621,-0.07637095101540092]",
        },
        Fall {
            centre: "-0.0459104 -0.012098 0",
            arc: "start = 2.70762717984909, end = 5.849219833438883",
            friction: "0",
            position: "[0,0,0.0019744783817701745]",
            quaternion: "[0.0010924219198513764, -0.0034346114972345315, 0.8910588952260743, 0.45387339126313625]",
            twist: "[-0.25151121169019935, 0.03256228090697166, 0.06999002561017109, -2.96138967551326, 0.016692480313250435, 2.3897878201916285]",
        },
        Fall {
            centre: "0.03818 -0.0129039 0",
            arc: "start = 0.14796285373318918, end = 3.2895555073229823",
            friction: "0",
            position: "[0,0,0.0008666535146373486]",
            quaternion: "[-9.98768072232612e-05, -0.00019060916870418585, -0.01124228615510961, 0.9999367803490252]",
            twist: "[0.20584375734804178, 0.013679586457761905, 0.2668204530745473, 1.3214434253521388, -2.398587793496831, 0.05356234298681084]",
        },
        Fall {
            centre: "0.0399988 0.017877 0",
            arc: "start = 2.4406449850273013, end = 6.4779391985184684",
            friction: "0",
            position: "[0,0,0.0879282601379933]",
            quaternion: "[0.29426145675553095, -0.10038585716879263, 0.867293781743963, 0.38876004282443233]",
            twist: "[0.17270891440395109, 0.048996900169417434, 0.07202052423391708, -2.449147834388313, -2.11307505490589, -0.6514802669633135]",
        },
    ];
    let folder = Folder::new("arcs");
    for (k, fall) in falls.iter().enumerate() {
        folder.write(
            "arc.urdf",
            format!(
                r#"<robot name="arc"><link name="arc"><inertial><origin xyz="{}"/><mass value="1"/>
                <inertia ixx="0.002" iyy="0.002" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#,
                fall.centre
            ),
        );
        let scenario = folder.write(
            "arc.toml",
            format!(
                "time_step = 1e-3\nduration = 0.5\nrobot = {{ file = \"arc.urdf\", base = \"floating\" }}\n\
                 impact = {{ law = \"max-dissipation\" }}\n\
                 initial.base = {{ position = {}, quaternion = {}, twist = {} }}\n\
                 terrain = [{{ kind = \"plane\", name = \"ground\" }}]\noutput = {{ plots = false, replay = false }}\n\
                 [contact]\nfriction = {}\nsite = [{{ name = \"rim\", kind = \"arc\", link = \"arc\", \
                 position = [0, 0, 0], axes = [[1, 0, 0], [0, 1, 0]], radius = 0.1, {} }}]\n",
                fall.position, fall.quaternion, fall.twist, fall.friction, fall.arc
            ),
        );
        let out = folder.path("out");
        let run = simulate(&scenario, &out, &[]);
        assert_eq!(run.status.code(), Some(0), "{k}: {}", text(&run.stderr));
        let summary = json(&out.join("summary.json"));
        let number = |at: &str| summary.pointer(at).and_then(|x| x.as_f64()).unwrap();
        assert!(number("/max_penetration_m") <= 1e-9, "{k}: {summary}");
        // What is struck at once is known to the tilt at which the lowest point is given up, the rest to the order of the step.
        let missed = number("/energy/max_residual_J") / number("/energy/initial_J");
        assert!(missed < 5e-3, "{k}: {missed:e}");
        assert!(
            number("/solver/step_solves") < 10.0 * number("/steps"),
            "{k}: {summary}"
        );
        fs::remove_dir_all(out).unwrap();
    }
}
