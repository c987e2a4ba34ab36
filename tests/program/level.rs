//! Upright bodies that push each other over on one floor: what touches is on a level with the ends of what it touches, and a lean of a
//! thousandth says which edge or face that is from then on.
#![cfg(feature = "cli")]

use crate::cli_simulate::support::{json, simulate, text};
use crate::folder::Folder;

/// Half a metre long, on the floor.
const WALL: &str =
    r#"{ kind = "box", name = "wall", min = [-0.8, -0.5, 0.0], max = [-0.6, 0.5, 0.2] }"#;

const GROUND: &str = r#"{ kind = "plane", name = "ground" }"#;

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
    for (law, step, friction, bodies) in slides {
        let contact = format!("friction = {friction:?}");
        let terrain = format!("{GROUND}, {WALL}");
        assert_apart(
            "level",
            &scenario([law, &contact, bodies, &terrain], [step, 0.7]),
        );
    }
}

/// A ball tips one of two that stand a hair apart against the other: a face, nearly a face and upright edges against a can, and two
/// boxes, turned, of which the edge of one leans against the upper end of the other.
#[test]
fn what_is_tipped_goes_into_nothing() {
    let scenes = [
        (
            "routh",
            0.001,
            "friction = 0.91",
            r#"{ name = "box", kind = "box", mass = 1.0, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 0.0] },
               { name = "other", kind = "cylinder", mass = 0.3, position = [0.080001, 0.0, 0.075], radius = 0.04, length = 0.15 },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.07613652457, -0.01307056493, 0.08459217819], radius = 0.03, velocity = [1.416915848, 0.0, 0.0] }"#,
        ),
        (
            "anitescu-potra",
            0.001,
            "friction = 0.0",
            r#"{ name = "box", kind = "box", mass = 1.0, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 0.7854190442] },
               { name = "other", kind = "cylinder", mass = 3.0, position = [0.09666854248, -0.006508092381, 0.075], radius = 0.04, length = 0.15 },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.1031526383, -0.01876762718, 0.1140643614], radius = 0.03, velocity = [2.453749371, 0.0, 0.0] }"#,
        ),
        (
            "propagative",
            0.004,
            "friction = 0.186, restitution = 0.372",
            r#"{ name = "box", kind = "box", mass = 0.3, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 5.055452167e-05] },
               { name = "other", kind = "cylinder", mass = 0.3, position = [0.08001202213, 0.006380890931, 0.075], radius = 0.04, length = 0.15 },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.08714953531, -0.01664951347, 0.1169808362], radius = 0.03, velocity = [1.37965759, 0.0, 0.0] }"#,
        ),
        (
            "plastic",
            0.0005,
            "friction = 0.181",
            r#"{ name = "box", kind = "box", mass = 1.0, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, -1.129140878e-05] },
               { name = "other", kind = "box", mass = 3.0, position = [0.09624753586, -0.005303245216, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, -0.5688256606] },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.08862266164, 0.001787552297, 0.1237965785], radius = 0.03, velocity = [0.6916972323, 0.0, 0.0] }"#,
        ),
        (
            "stronge",
            0.001,
            "friction = 0.0, restitution = 0.0",
            r#"{ name = "box", kind = "box", mass = 1.0, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 0.1895965557] },
               { name = "other", kind = "box", mass = 1.0, position = [0.1043902643, 0.01452628453, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 0.7853981634] },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.09212151656, 0.01586428193, 0.05690874625], radius = 0.03, velocity = [2.955627406, 0.0, 0.0] }"#,
        ),
        (
            "anitescu-potra",
            0.0005,
            "friction = 0.435",
            r#"{ name = "box", kind = "box", mass = 1.0, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 0.7853981634] },
               { name = "other", kind = "cylinder", mass = 3.0, position = [0.09666854249, -0.01773704643, 0.075], radius = 0.04, length = 0.15 },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.1052296461, 0.003373040128, 0.108220592], radius = 0.03, velocity = [1.375340949, 0.0, 0.0] }"#,
        ),
        (
            "sequential",
            0.004,
            "friction = 0.0",
            r#"{ name = "box", kind = "box", mass = 0.3, position = [0.0, 0.0, 0.075], size = [0.08, 0.08, 0.15], rpy = [0.0, 0.0, 0.7844323183] },
               { name = "other", kind = "cylinder", mass = 0.3, position = [0.09666851611, 0.003136004673, 0.075], radius = 0.04, length = 0.15 },
               { name = "ball", kind = "sphere", mass = 0.5, position = [-0.09725148907, -0.006748995583, 0.08610279545], radius = 0.03, velocity = [1.347350521, 0.0, 0.0] }"#,
        ),
    ];
    for (law, step, contact, bodies) in scenes {
        assert_apart(
            "tipped",
            &scenario([law, contact, bodies, GROUND], [step, 0.25]),
        );
    }
}

fn scenario([law, contact, bodies, terrain]: [&str; 4], [time_step, duration]: [f64; 2]) -> String {
    format!(
        "time_step = {time_step:?}\nduration = {duration:?}\nrobot = {{ file = \"none.urdf\" }}\nimpact = {{ law = \"{law}\" }}\n\
         contact = {{ {contact} }}\nobject = [{bodies}]\nterrain = [{terrain}]\noutput = {{ plots = false, replay = false }}\n"
    )
}

/// Runs it to its end, and nothing is in anything by more than closed contacts may be.
fn assert_apart(name: &str, scenario: &str) {
    let folder = Folder::new(name);
    folder.write(
        "none.urdf",
        r#"<robot name="none"><link name="nothing"/></robot>"#,
    );
    let path = folder.write("level.toml", scenario);
    let out = folder.path("out");
    let run = simulate(&path, &out, &[]);
    assert_eq!(
        run.status.code(),
        Some(0),
        "{scenario}: {}",
        text(&run.stderr)
    );
    let depth = json(&out.join("summary.json"))["max_penetration_m"].as_f64();
    assert!(
        depth.is_some_and(|depth| depth <= 1e-9),
        "{scenario}: {depth:?}"
    );
}
