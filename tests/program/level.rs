//! Upright bodies that push each other over on one floor: what touches is on a level with the ends of what it touches, and a lean of a
//! thousandth says which edge or face that is from then on.
#![cfg(feature = "cli")]

use std::fs;

use crate::cli_simulate::support::{json, simulate, text};
use crate::folder::Folder;

/// Half a metre long, on the floor.
const WALL: &str =
    r#"{ kind = "box", name = "wall", min = [-0.8, -0.5, 0.0], max = [-0.6, 0.5, 0.2] }"#;

/// A box as high as the wall meets its upright end with a face, and its lower edge goes on; of two boxes the edge of one is on a face of
/// the other, with both ends; a can has both rims on a face of a box that is pushed towards it, or on one that pushes it.
#[test]
fn what_is_pushed_over_goes_into_nothing() {
    let slides = [
        (
            "max-dissipation",
            5e-4,
            0.0,
            r#"{ name = "a", kind = "box", mass = 3.0, position = [0.4, -0.0278, 0.1], size = [0.08, 0.12, 0.2], velocity = [-2.84, -0.338, 0.0], spin = [0.0, 0.0, 2.513] },
               { name = "b", kind = "cylinder", mass = 3.0, position = [-0.4, -0.0153, 0.075], radius = 0.04, length = 0.15, velocity = [1.71, 0.0, 0.0] }"#,
        ),
        (
            "plastic",
            1e-3,
            0.55,
            r#"{ name = "a", kind = "box", mass = 1.0, position = [0.4, 0.0151, 0.075], size = [0.12, 0.08, 0.15], rpy = [0.0, 0.0, 0.5371], velocity = [-2.819, 0.0, 0.0], spin = [0.0, 0.0, 0.233] },
               { name = "b", kind = "box", mass = 3.0, position = [-0.2, 0.3336, 0.075], size = [0.08, 0.08, 0.15], velocity = [1.47, -2.546, 0.0] },
               { name = "c", kind = "box", mass = 1.0, position = [-0.2, -0.3497, 0.05], size = [0.12, 0.12, 0.1], velocity = [1.2, 2.079, 0.0] }"#,
        ),
        (
            "anitescu-potra",
            1e-3,
            0.0,
            r#"{ name = "a", kind = "capsule", mass = 3.0, position = [0.4, 0.0005, 0.1], radius = 0.04, length = 0.12, rpy = [0.0, 0.0, 0.1101], velocity = [-0.659, 0.0, 0.0], spin = [0.0, 0.0, 1.468] },
               { name = "b", kind = "box", mass = 3.0, position = [0.0, 0.4026, 0.075], size = [0.08, 0.12, 0.15], rpy = [0.0, 0.0, -1.01], velocity = [0.0, -1.115, 0.0] },
               { name = "c", kind = "cylinder", mass = 3.0, position = [-0.4, -0.0052, 0.075], radius = 0.04, length = 0.15, velocity = [0.567, 0.0, 0.0], spin = [0.0, 0.0, -4.357] },
               { name = "d", kind = "capsule", mass = 1.0, position = [0.0, -0.412, 0.05], radius = 0.04, length = 0.02, rpy = [0.0, 0.0, 0.3179], velocity = [0.0, 1.544, 0.0] }"#,
        ),
        (
            "routh",
            1e-3,
            0.0,
            r#"{ name = "a", kind = "box", mass = 3.0, position = [0.4, -0.0103, 0.1], size = [0.08, 0.12, 0.2], rpy = [0.0, 0.0, 1.5707963267948966], velocity = [-2.43, 0.0, 0.0], spin = [0.0, 0.0, 0.748] },
               { name = "b", kind = "cylinder", mass = 1.0, position = [0.0, 0.3827, 0.05], radius = 0.04, length = 0.1, rpy = [0.0, 0.0, 1.5707963267948966], velocity = [0.0, -3.174, 0.0], spin = [0.0, 0.0, 1.358] },
               { name = "c", kind = "box", mass = 3.0, position = [-0.4, -0.0287, 0.05], size = [0.12, 0.08, 0.1], velocity = [2.436, 0.0, 0.0] },
               { name = "d", kind = "box", mass = 1.0, position = [0.0, -0.4091, 0.05], size = [0.08, 0.12, 0.1], rpy = [0.0, 0.0, 1.5707963267948966], velocity = [0.0, 1.265, 0.0], spin = [0.0, 0.0, -1.936] }"#,
        ),
    ];
    let folder = Folder::new("level");
    folder.write(
        "none.urdf",
        r#"<robot name="none"><link name="nothing"/></robot>"#,
    );
    for (law, step, friction, bodies) in slides {
        let scenario = folder.write(
            "level.toml",
            format!(
                "time_step = {step:?}\nduration = 0.7\nrobot = {{ file = \"none.urdf\" }}\nimpact = {{ law = \"{law}\" }}\n\
                 contact = {{ friction = {friction:?} }}\nobject = [{bodies}]\n\
                 terrain = [{{ kind = \"plane\", name = \"ground\" }}, {WALL}]\noutput = {{ plots = false, replay = false }}\n"
            ),
        );
        let out = folder.path("out");
        let run = simulate(&scenario, &out, &[]);
        assert_eq!(run.status.code(), Some(0), "{law}: {}", text(&run.stderr));
        let depth = json(&out.join("summary.json"))["max_penetration_m"].as_f64();
        assert!(depth.is_some_and(|depth| depth <= 1e-9), "{law}: {depth:?}");
        fs::remove_dir_all(out).unwrap();
    }
}
