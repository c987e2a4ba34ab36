//! What ships and what runs write is valid under the schemas; what is valid is read.

use std::fs;
use std::path::{Path, PathBuf};

use carom::control::Gait;
use carom::scenario::{Experiment, RobotState, Scenario};
use carom::schema::FileKind;
use carom::study::granular::GranularScenario;
use serde_json::{Value, json};

use super::support::{Validator, json_of};

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    fn into(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                into(&path, extension, found);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    into(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
        extension,
        &mut found,
    );
    found.sort();
    found
}

/// By what only files of the kind have.
fn kind_of(text: &str) -> FileKind {
    if text.contains("\nsubject =") {
        FileKind::Sweep
    } else if text.contains("[[parameter]]") && text.contains("\n[orbit]") {
        FileKind::OrbitDesign
    } else if text.contains("[[stance]]") {
        FileKind::Design
    } else if text.contains("\"time-stepping\"") {
        FileKind::Granular
    } else if text.contains("duty_factor =") && !text.contains("[robot]") {
        FileKind::Gait
    } else {
        FileKind::Scenario
    }
}

#[test]
fn every_shipped_file_is_valid() {
    let validators = FileKind::ALL.map(|kind| (kind, Validator::new(kind)));
    let mut counts = [0; FileKind::ALL.len()];
    let mut check = |file: &Path, kind: FileKind, value: &Value| {
        let (_, validator) = validators.iter().find(|(k, _)| *k == kind).unwrap();
        let defect = validator.defect(value);
        assert_eq!(defect, None, "{} as {}", file.display(), kind.name());
        counts[FileKind::ALL.iter().position(|k| *k == kind).unwrap()] += 1;
    };
    for file in files("robots", "toml")
        .into_iter()
        .chain(files("examples", "toml"))
    {
        let text = fs::read_to_string(&file).unwrap();
        let kind = kind_of(&text);
        check(&file, kind, &json_of(&text));
        // What editors read in the first line, if it is there.
        if let Some(named) = text.lines().next().unwrap().strip_prefix("#:schema ") {
            let schema = file.parent().unwrap().join(named).canonicalize().unwrap();
            assert!(
                schema.ends_with(format!("robots/schema/{}.schema.json", kind.name())),
                "{named}"
            );
        }
    }
    for file in files("examples/impacts", "json") {
        let value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        check(&file, FileKind::Impact, &value);
    }
    let least = [26, 1, 4, 1, 1, 4, 8, 0];
    assert!(
        counts.iter().zip(least).all(|(n, least)| *n >= least),
        "{counts:?}"
    );
}

/// The scenario of a run states every default: what editors are told of them is what they are.
#[test]
fn every_resolved_scenario_is_valid() {
    let validator = Validator::new(FileKind::Scenario);
    let mut count = 0;
    for file in files("robots", "toml")
        .into_iter()
        .chain(files("examples", "toml"))
    {
        let text = fs::read_to_string(&file).unwrap();
        if kind_of(&text) != FileKind::Scenario {
            continue;
        }
        let scenario = Scenario::read(&file, &[]).unwrap();
        let experiment = Experiment::new(&file.display().to_string(), scenario).unwrap();
        let resolved = experiment.resolved().to_toml().unwrap();
        assert_eq!(
            validator.defect(&json_of(&resolved)),
            None,
            "{}",
            file.display()
        );
        count += 1;
    }
    assert!(count >= 26, "{count}");
}

#[test]
fn infinity_is_a_threshold() {
    let text = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"a.urdf\"\n[stepper]\nswitch_threshold = inf\n";
    assert!(Scenario::parse("a.toml", text, &[]).is_ok());
    assert_eq!(
        Validator::new(FileKind::Scenario).defect(&json_of(text)),
        None
    );
}

/// Readers that are written by hand, and their schemas, take the same.
#[test]
fn schemas_written_by_hand_take_what_is_read() {
    let head = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"a.urdf\"\n";
    let gait = "{ period = 0.5, duty_factor = 0.5, sweep = 0.5, offset = 0.0, leg = [{ name = \"a\", phase = 0.0 }] }";
    let scenarios = Validator::new(FileKind::Scenario);
    for (value, read) in [
        ("\"tripod\"", true),
        ("\"my.toml\"", true),
        (gait, true),
        ("{ period = 0.5 }", false),
        (&gait.replace("phase", "phasse"), false),
        ("3", false),
        ("[\"tripod\"]", false),
        ("true", false),
    ] {
        let text = format!(
            "{head}[controller]\nkind = \"gait\"\ngait = {value}\nstiffness = 1.0\ndamping = 0.1\nleg = []\n"
        );
        assert_eq!(
            Scenario::parse("a.toml", &text, &[]).is_ok(),
            read,
            "{value}"
        );
        assert_eq!(scenarios.defect(&json_of(&text)).is_none(), read, "{value}");
    }
    let states = Validator::new(FileKind::State);
    for (value, read) in [
        (json!({}), true),
        (
            json!({"base": {"x": 1, "pitch": 0.5}, "joints": {"a": 1.0}}),
            true,
        ),
        (
            json!({"base": {"position": [0, 0, 1]}, "velocities": {}}),
            true,
        ),
        (json!({"base": {"position": [0, 0]}}), false),
        (json!({"base": [0, 0, 1]}), false),
        (json!({"base": {"y": 1}}), false),
        (json!({"joints": {"a": "1"}}), false),
        (json!({"joints": [1.0]}), false),
        (json!({"joint": {}}), false),
        (json!([{}, {}, {}]), false),
        (json!(3), false),
    ] {
        assert_eq!(
            RobotState::parse("s", &value.to_string()).is_ok(),
            read,
            "{value}"
        );
        assert_eq!(states.defect(&value).is_none(), read, "{value}");
    }
    let problems = Validator::new(FileKind::Impact);
    let good = json!({"mass_matrix": [[1.0]], "velocity": [-1], "contacts": [{"normal": [1.0]}]});
    let with = |key: &str, value: Value| {
        let mut changed = good.clone();
        changed[key] = value;
        changed
    };
    for (value, read) in [
        (good.clone(), true),
        (json!([good, good]), true),
        (with("momentum", json!([1.0])), false),
        (with("mass_matrix", json!([])), false),
        (with("mass_matrix", json!([["1"]])), false),
        (with("contacts", json!([[[1.0]]])), false),
        (
            with("contacts", json!([{"normal": [1.0], "friction": -0.5}])),
            false,
        ),
        (
            with("contacts", json!([{"normal": [1.0], "restitution": 1.5}])),
            false,
        ),
        (with("mass", json!(1.0)), false),
        (json!({"mass_matrix": [[1.0]], "contacts": []}), false),
    ] {
        let problem = carom::laws::ImpactFile::parse("p", &value.to_string());
        let fine = problem.is_ok_and(|file| file.problems.iter().all(|p| p.problem.is_ok()));
        assert_eq!(fine, read, "{value}");
        assert_eq!(problems.defect(&value).is_none(), read, "{value}");
    }
}

/// Files of other kinds with a slip each.
#[test]
fn slips_in_other_files_are_refused_by_schema_and_reader() {
    let read =
        |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let granular = read("robots/granular/channel.toml");
    let gait = read("robots/rhex/gaits/tripod.toml");
    let design = read("robots/trex/design.toml");
    for (kind, text, from, to) in [
        (
            FileKind::Granular,
            &granular,
            "friction = 0.4",
            "friction = -0.4",
        ),
        (
            FileKind::Granular,
            &granular,
            "\"max-dissipation\"",
            "\"max-disipation\"",
        ),
        (FileKind::Granular, &granular, "spacing =", "spaceing ="),
        (
            FileKind::Granular,
            &granular,
            "time_step = 4e-5",
            "time_step = 0.0",
        ),
        (FileKind::Gait, &gait, "period =", "periods ="),
        (FileKind::Gait, &gait, "period =", "period = 0.0 #"),
        (
            FileKind::Gait,
            &gait,
            "duty_factor =",
            "duty_factor = 1.5 #",
        ),
        (
            FileKind::Design,
            &design,
            "touch = [\"foot_A\", \"tail\"]",
            "touch = \"foot_A\"",
        ),
        (FileKind::Design, &design, "drop_height", "dropheight"),
        (
            FileKind::Design,
            &design,
            "[drop]",
            "[solver]\nmethod = \"best\"\n[drop]",
        ),
        (
            FileKind::Design,
            &design,
            "[drop]",
            "[solver]\ntolerance = 0.0\n[drop]",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let broken = text.replacen(from, to, 1);
        let parsed = match kind {
            FileKind::Granular => GranularScenario::parse("f", &broken, &[]).is_ok(),
            FileKind::Gait => {
                let gait = toml::from_str::<Gait>(&broken);
                gait.is_ok_and(|gait| gait.validate("f").is_ok())
            }
            _ => carom::study::design::DesignFile::parse("f", &broken, &[]).is_ok(),
        };
        assert!(!parsed, "{to} is read");
        let defect = Validator::new(kind).defect(&json_of(&broken));
        assert!(defect.is_some(), "{to} is valid");
    }
}
