//! Kinds of terrain in scenario files: what they become, what they refuse, what a resolved scenario keeps.

use carom::contact::{Surface, Terrain};
use carom::scenario::{Experiment, Scenario};
use nalgebra::Vector3;

use crate::folder::Folder;

const BALL: &str = include_str!("../../robots/ball/ball.urdf");

fn scenario(terrain: &str) -> Scenario {
    let text = format!(
        "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"ball.urdf\"\nbase = \"floating\"\n\
         [initial.base]\nposition = [0.0, 0.0, 5.0]\n[contact]\nfriction = 0.4\nrestitution = 0.2\n{terrain}"
    );
    Scenario::parse("case.toml", &text, &[]).unwrap()
}

fn terrains(terrain: &str) -> Vec<Terrain> {
    let experiment = Experiment::with_robot("case", scenario(terrain), BALL).unwrap();
    experiment.contacts.terrains().to_vec()
}

fn refused(terrain: &str) -> String {
    Experiment::with_robot("case", scenario(terrain), BALL)
        .unwrap_err()
        .to_string()
}

fn bounds(terrain: &Terrain) -> [Vector3<f64>; 2] {
    let Surface::Box { min, max } = terrain.surface else {
        panic!("{terrain} is no box");
    };
    [min, max]
}

fn close(a: Vector3<f64>, b: [f64; 3]) -> bool {
    (a - Vector3::from(b)).amax() < 1e-12
}

#[test]
fn stairs_are_boxes_side_by_side() {
    let flight = terrains(
        "[[terrain]]\nkind = \"stairs\"\nname = \"stairs\"\nstart = [1.0, 2.0, 0.5]\ncount = 3\nrise = 0.1\n\
         run = 0.3\nwidth = 1.0\nlanding = 2.0\ndirection = \"-y\"\nfriction = 0.9\n",
    );
    let names: Vec<&str> = flight.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["stairs.1", "stairs.2", "stairs.3"]);
    let [min, max] = bounds(&flight[1]);
    assert!(close(min, [0.5, 1.4, 0.5]) && close(max, [1.5, 1.7, 0.7]));
    let [min, max] = bounds(&flight[2]);
    assert!(close(min, [0.5, -0.6, 0.5]) && close(max, [1.5, 1.4, 0.8]));
    assert_eq!(
        (flight[0].material.friction, flight[0].material.restitution),
        (0.9, 0.2)
    );
}

#[test]
fn a_slope_rises_in_its_direction() {
    let angle = 0.3_f64;
    let slope = terrains(&format!(
        "[[terrain]]\nkind = \"slope\"\nname = \"slope\"\nangle = {angle}\ndirection = 1.0\n"
    ));
    let Surface::Plane { normal, .. } = slope[0].surface else {
        panic!("{}", slope[0]);
    };
    // A metre along the direction is tan(angle) higher.
    let uphill = Vector3::new(1.0_f64.cos(), 1.0_f64.sin(), angle.tan());
    assert!(normal.dot(&uphill).abs() < 1e-15 && normal.z > 0.0);
}

#[test]
fn a_ramp_goes_from_one_level_to_the_other() {
    for (direction, sign, axis) in [
        ("x", 1.0, 0),
        ("-x", -1.0, 0),
        ("y", 1.0, 1),
        ("-y", -1.0, 1),
    ] {
        let ramp = terrains(&format!(
            "[[terrain]]\nkind = \"ramp\"\nname = \"ramp\"\nstart = [1.0, 2.0, 0.5]\nangle = -0.2\nlength = 2.0\n\
             direction = \"{direction}\"\nrounding = 0.2\nmotion = {{ velocity = [0.3, 0.0, 0.0] }}\n"
        ));
        let Surface::Heights(field) = &ramp[0].surface else {
            panic!("{}", ramp[0]);
        };
        let at = |along: f64| {
            let mut place = [1.0, 2.0];
            place[axis] += sign * along;
            place[1 - axis] += 7.0;
            field.at(place[0], place[1])
        };
        let slope = -0.2_f64.tan();
        // Between the bends the spline is straight but for what they leave: a kink of the second derivative
        // tan/rounding falls by 0.27 a cell of 0.025 m.
        for (along, height) in [
            (-5.0, 0.5),
            (-0.4, 0.5),
            (1.0, 0.5 + slope),
            (2.4, 0.5 + 2.0 * slope),
            (9.0, 0.5 + 2.0 * slope),
        ] {
            assert!(
                (at(along).value - height).abs() < 1e-6,
                "{direction} {along}: {}",
                at(along).value
            );
        }
        assert!((at(1.0).gradient[axis] - sign * slope).abs() < 1e-6);
        assert_eq!(at(1.0).gradient[1 - axis], 0.0);
        assert_eq!(ramp[0].velocity, Vector3::new(0.3, 0.0, 0.0));
    }
}

#[test]
fn stepping_stones_are_drawn_the_same_from_the_same_seed() {
    let text = "[[terrain]]\nkind = \"stepping-stones\"\nname = \"stone\"\nstart = [0.0, -1.0, 0.0]\ncount = [3, 2]\n\
                size = [0.3, 0.2, 0.5]\ngap = [0.1, 0.2]\nvariation = 0.05\nseed = 7\n";
    let stones = terrains(text);
    assert_eq!((stones.len(), stones[5].name.as_str()), (6, "stone.6"));
    assert_eq!(stones, terrains(text));
    assert_ne!(stones, terrains(&text.replace("seed = 7", "seed = 8")));
    for (k, stone) in stones.iter().enumerate() {
        let [min, max] = bounds(stone);
        let middle = (min + max) * 0.5;
        let [i, j] = [(k % 3) as f64, (k / 3) as f64];
        assert!((middle.x - 0.4 * i).abs() < 1e-12 && (middle.y + 1.0 - 0.4 * j).abs() < 1e-12);
        assert!(max.z.abs() <= 0.05 && ((max.z - min.z) - 0.5).abs() < 1e-12);
    }
}

#[test]
fn heights_come_from_rows_files_and_expressions() {
    let folder = Folder::new("terrain-heights");
    let csv = folder.path("heights.csv");
    std::fs::write(&csv, "# metres\n0.0, 0.1,0.2\n0.5,0.6, 0.7\n").unwrap();
    let field = |source: &str| {
        let text = format!(
            "[[terrain]]\nkind = \"height-field\"\nname = \"field\"\norigin = [1.0, 2.0]\ncell = 0.5\n{source}\n"
        );
        let terrain = terrains(&text);
        match &terrain[0].surface {
            Surface::Heights(field) => field.as_ref().clone(),
            _ => panic!("{}", terrain[0]),
        }
    };
    let rows = field("heights = [[0.0, 0.1, 0.2], [0.5, 0.6, 0.7]]");
    assert_eq!(
        rows,
        field(&format!("file = {:?}", csv.display().to_string()))
    );
    assert!((rows.at(2.0, 2.5).value - 0.7).abs() < 1e-15);
    let expression = field("expression = \"0.2 * (x - 1) + (y - 2)\"\nsize = [1.0, 0.5]");
    assert_eq!(expression.nodes(), [3, 2]);
    assert!((expression.at(2.0, 2.5).value - 0.7).abs() < 1e-15);
}

/// A resolved scenario needs no file but the robot's, and reads back to the same.
#[test]
fn a_resolved_scenario_holds_the_heights_of_its_file() {
    let folder = Folder::new("terrain-resolved");
    std::fs::write(folder.path("heights.csv"), "0,0.125\n0.25,0.5\n").unwrap();
    std::fs::write(folder.path("ball.urdf"), BALL).unwrap();
    let text = "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"ball.urdf\"\nbase = \"floating\"\n\
                [initial.base]\nposition = [0.0, 0.0, 5.0]\n[[terrain]]\nkind = \"height-field\"\nname = \"field\"\n\
                cell = 0.5\nfile = \"heights.csv\"\n";
    let path = folder.path("case.toml");
    std::fs::write(&path, text).unwrap();
    let experiment = Experiment::new("case", Scenario::read(&path, &[]).unwrap()).unwrap();
    let resolved = experiment.resolved().to_toml().unwrap();
    assert!(
        resolved.contains("0.125") && !resolved.contains("heights.csv"),
        "{resolved}"
    );
    let again = Scenario::parse("resolved", &resolved, &[]).unwrap();
    let again = Experiment::with_robot("resolved", again, BALL).unwrap();
    assert_eq!(again.contacts, experiment.contacts);
    assert_eq!(again.hash().unwrap(), experiment.hash().unwrap());
}

#[cfg(feature = "png")]
#[test]
fn pictures_are_grey_values_between_two_heights() {
    let folder = Folder::new("terrain-picture");
    for (bits, data, top) in [
        (
            png::BitDepth::Eight,
            vec![0, 51, 255, 0, 0, 0],
            51.0 / 255.0,
        ),
        (
            png::BitDepth::Sixteen,
            vec![0, 0, 1, 2, 255, 255, 0, 0, 0, 0, 0, 0],
            258.0 / 65535.0,
        ),
    ] {
        let path = folder.path("heights.png");
        let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 3, 2);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(bits);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&data)
            .unwrap();
        let terrain = terrains(&format!(
            "[[terrain]]\nkind = \"height-field\"\nname = \"field\"\ncell = 1.0\nrange = [-1.0, 3.0]\nfile = {:?}\n",
            path.display().to_string()
        ));
        let Surface::Heights(field) = &terrain[0].surface else {
            panic!("{}", terrain[0]);
        };
        // The upper line of the picture is the row of largest y.
        assert!((field.at(1.0, 1.0).value - (4.0 * top - 1.0)).abs() < 1e-14);
        assert!((field.at(2.0, 1.0).value - 3.0).abs() < 1e-14);
        assert!((field.at(2.0, 0.0).value + 1.0).abs() < 1e-14);
    }
}

#[test]
fn what_would_be_ignored_or_cannot_be_built_is_refused_by_name() {
    let field = |keys: &str| {
        refused(&format!(
            "[[terrain]]\nkind = \"height-field\"\nname = \"field\"\ncell = 0.5\n{keys}\n"
        ))
    };
    for (keys, expected) in [
        ("", "one of heights, file and expression"),
        (
            "heights = [[0.0, 0.0], [0.0, 0.0]]\nexpression = \"x\"",
            "heights and expression are given",
        ),
        ("expression = \"x\"", "size"),
        ("expression = \"x + z\"\nsize = [1.0, 1.0]", "z"),
        ("expression = \"1 / x\"\nsize = [1.0, 1.0]", "height"),
        ("heights = [[0.0, 0.0], [0.0]]", "row 2"),
        (
            "heights = [[0.0, 0.0], [0.0, 0.0]]\nrange = [0.0, 1.0]",
            "range is for a .png",
        ),
        (
            "heights = [[0.0, 0.0], [0.0, 0.0]]\nsize = [0.0, 1.0]",
            "remove the key size",
        ),
        ("file = \"heights.txt\"", "neither .csv nor .png"),
        ("file = \"missing.csv\"", "missing.csv"),
        // A crease that the ball of 0.1 m does not fit into.
        (
            "heights = [[3.0, 0.0, 3.0], [3.0, 0.0, 3.0]]",
            "does not fit",
        ),
    ] {
        let message = field(keys);
        assert!(message.contains(expected), "{keys}: {message}");
    }
    let stairs = refused(
        "[[terrain]]\nkind = \"stairs\"\nname = \"s\"\ncount = 0\nrise = 0.1\nrun = 0.3\nwidth = 1.0\n",
    );
    assert!(
        stairs.contains("terrain[0] \"s\"") && stairs.contains("between 1 and"),
        "{stairs}"
    );
    let slope = refused("[[terrain]]\nkind = \"slope\"\nname = \"s\"\nangle = 20.0\n");
    assert!(slope.contains("radians"), "{slope}");
}
