//! Outputs that cannot be written: the input was good, which exit code 2 would deny.

use std::fs;

use super::support::{CHANNEL, Folder, carom, done, path, shipped, text};

/// Arguments of a command, with OUT for an output and RUN, BASELINE and PROBLEM for what is there, and below OUT what is
/// in the way: a folder in place of a file, or, where it ends with `!`, a file in place of a folder.
const COMMANDS: [(&str, &str); 17] = [
    ("init ROBOTS/ball/ball.urdf --force --out OUT", ""),
    (
        "baseline record ROBOTS/ball/bounce.toml --set duration=0.1 --out OUT",
        "",
    ),
    ("baseline verify BASELINE --junit OUT", ""),
    ("picture RUN --out OUT", ""),
    ("report RUN RUN --out OUT", ""),
    ("schema --out OUT", ""),
    ("schema --page --out OUT", ""),
    ("impact PROBLEM --law stronge --curve-csv OUT", ""),
    ("impact PROBLEM --law stronge --plots OUT", "!"),
    ("reproduce plus --out OUT", "!"),
    (
        "simulate ROBOTS/ball/bounce.toml --set duration=0.1 --batch 2 --out OUT",
        "batch.csv",
    ),
    (
        "simulate ROBOTS/ball/bounce.toml --set duration=0.1 --out OUT",
        "!",
    ),
    ("simulate CHANNEL --out OUT", "plots!"),
    ("design ROBOTS/trex/design.toml --out OUT", "plots!"),
    ("design ROBOTS/bar/design.toml --out OUT", "scenario.toml"),
    (
        "orbit ROBOTS/compass/gait_short.toml --out OUT",
        "orbit.json",
    ),
    ("orbit ROBOTS/compass/gait_short.toml --out OUT", "!"),
];

const PROBLEM: &str = r#"{"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [1, 0, -1],
    "contacts": [{"name": "A", "normal": [0, 0, 1], "tangents": [[1, 0, 0], [0, 1, 0]], "friction": 0.3}]}"#;

#[test]
fn an_output_that_cannot_be_written_is_no_bad_input() {
    let folder = Folder::new("unwritable");
    let (run, baseline) = (path(&folder, "run"), path(&folder, "b.toml"));
    let ball = [&shipped("ball/bounce.toml"), "--set", "duration=0.1"];
    done(&[&["simulate"], &ball[..], &["--out", &run]].concat());
    done(&[&["baseline", "record"], &ball[..], &["--out", &baseline]].concat());
    folder.write("problem.json", PROBLEM);
    folder.write("channel.toml", CHANNEL);
    for (i, (command, in_the_way)) in COMMANDS.iter().enumerate() {
        let out = path(&folder, &format!("out{i}"));
        let place = format!("{out}/{in_the_way}");
        match place.strip_suffix('!') {
            Some(file) => {
                let file = file.trim_end_matches('/');
                fs::create_dir_all(std::path::Path::new(file).parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            None => fs::create_dir_all(format!("{place}/x")).unwrap(),
        }
        let arguments = command
            .replace("ROBOTS", &shipped(""))
            .replace("BASELINE", &baseline)
            .replace("PROBLEM", &path(&folder, "problem.json"))
            .replace("CHANNEL", &path(&folder, "channel.toml"))
            .replace("RUN", &run)
            .replace("OUT", &out);
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let ended = carom(&arguments);
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{command}: {told}");
        assert!(
            told.contains("error: ") && told.contains(&format!("out{i}")),
            "{told}"
        );
    }
}
