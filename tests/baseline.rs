//! Baselines and controllers of other programs, as a user meets them.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use carom::control::{Controller, Observation};
use carom::study::{Baseline, BaselineOptions, Experiment, Expression, Scenario, Trace};

/// A folder of its own for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("carom-baseline-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn carom() -> Command {
    Command::new(env!("CARGO_BIN_EXE_carom"))
}

fn record(scenario: &Path, out: &Path, options: &[&str]) -> Output {
    let mut command = carom();
    command.args(["baseline", "record"]).arg(scenario);
    command
        .arg("--out")
        .arg(out)
        .args(options)
        .output()
        .unwrap()
}

fn verify(file: &Path, options: &[&str]) -> Output {
    let mut command = carom();
    command.args(["baseline", "verify"]).arg(file);
    command.args(options).output().unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped(name: &str) -> PathBuf {
    root().join("robots").join(name)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn assert_done(output: &Output) {
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

/// TREX until shortly after its first impacts.
const SHORT: &[&str] = &["--set", "duration=0.3"];

#[test]
fn what_has_not_changed_has_no_difference_and_the_same_bytes() {
    let folder = Folder::new("same");
    let (first, second) = (folder.path("a.toml"), folder.path("b.toml"));
    assert_done(&record(&shipped("trex/drop.toml"), &first, SHORT));
    assert_done(&record(&shipped("trex/drop.toml"), &second, SHORT));
    let bytes = fs::read(&first).unwrap();
    assert!(bytes == fs::read(&second).unwrap());
    let same = verify(&first, &[]);
    assert_done(&same);
    assert!(text(&same.stdout).contains("no difference"));
    // Nothing to accept: the file stays as it is, to the byte.
    assert_done(&verify(&first, &["--update"]));
    assert!(bytes == fs::read(&first).unwrap());
    // The robot is found from where the file lies, wherever the program is called.
    let elsewhere = carom()
        .current_dir(&folder.0)
        .args(["baseline", "verify", "a.toml"])
        .output()
        .unwrap();
    assert_done(&elsewhere);
}

#[test]
fn a_gain_changed_by_5_percent_is_noticed_at_its_first_impact() {
    let folder = Folder::new("gain");
    let file = folder.path("drop.toml");
    assert_done(&record(&shipped("trex/drop.toml"), &file, SHORT));
    let recorded: toml::Table = toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let report = folder.path("report.xml");
    let junit = format!("{}", report.display());
    let changed = verify(
        &file,
        &["--set", "controller.stiffness=1.05", "--junit", &junit],
    );
    assert_eq!(changed.status.code(), Some(1));
    let told = text(&changed.stdout);
    assert!(
        told.contains("the first differing event is number"),
        "{told}"
    );
    // Both sides of it, as the program's JSON names them, are events of two separate runs.
    let json = verify(&file, &["--set", "controller.stiffness=1.05", "--json"]);
    assert_eq!(json.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let order = &json["events"]["order"];
    let number = order["event"].as_u64().unwrap() as usize;
    let stored = &recorded["events"]["list"].as_array().unwrap()[number - 1];
    assert_eq!(
        stored["time_s"].as_float(),
        order["recorded"]["time_s"].as_f64()
    );
    assert_eq!(order["recorded"]["kind"], "impact");
    assert_eq!(order["now"]["kind"], "impact");
    let out = folder.path("out");
    let mut simulate = carom();
    simulate.arg("simulate").arg(shipped("trex/drop.toml"));
    simulate.arg("--out").arg(&out).args(SHORT);
    simulate.args([
        "--set",
        "controller.stiffness=1.05",
        "--set",
        "output.plots=false",
    ]);
    assert_done(&simulate.output().unwrap());
    let events = fs::read_to_string(out.join("events.csv")).unwrap();
    let row: Vec<&str> = events.lines().nth(number).unwrap().split(',').collect();
    assert_eq!(row[0].parse::<f64>().ok(), order["now"]["time_s"].as_f64());
    // Metrics and series follow.
    assert!(told.contains("peak_effort: was"), "{told}");
    assert!(told.contains("  series\n"), "{told}");
    let report = fs::read_to_string(report).unwrap();
    for part in [
        "<testcase classname=\"baseline.run\" name=\"status\"/>",
        "<testcase classname=\"baseline.events\" name=\"order\">",
        "<failure message=\"the first differing event",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn the_ambiguous_impact_is_named_when_the_order_of_two_contacts_is_swapped() {
    let folder = Folder::new("order");
    let file = folder.path("drop.toml");
    assert_done(&record(&shipped("trex/drop.toml"), &file, SHORT));
    let swapped = verify(&file, &["--set", "impact.order=index"]);
    assert_eq!(swapped.status.code(), Some(1));
    let told = text(&swapped.stdout);
    for part in [
        "the first differing event is number 1 at 0.186",
        "was impact of foot_A, tail in the sequence tail foot_A",
        "is impact of foot_A, tail in the sequence foot_A tail",
        "this impact is ambiguous",
        "2 outcomes",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // Accepted after review: it says what it changes, keeps tolerances that were edited, and holds then.
    let edited = fs::read_to_string(&file)
        .unwrap()
        .replace("time_tolerance_s = 1e-6", "time_tolerance_s = 0.125");
    fs::write(&file, edited).unwrap();
    let updated = verify(&file, &["--set", "impact.order=index", "--update"]);
    assert_done(&updated);
    assert!(text(&updated.stdout).contains("this impact is ambiguous"));
    assert_done(&verify(&file, &[]));
    let now = fs::read_to_string(&file).unwrap();
    assert!(now.contains("order = \"index\"") && now.contains("time_tolerance_s = 0.125"));
}

#[test]
fn seeds_of_a_set_valued_law_part_at_the_first_impact_by_its_impulses() {
    let folder = Folder::new("seeds");
    let file = folder.path("routh.toml");
    let options = ["--set", "duration=0.2", "--set", "impact.law=routh"];
    let seeds = ["--set", "baseline.robust.seeds=2"];
    let recorded = record(
        &shipped("trex/drop.toml"),
        &file,
        &[&options[..], &seeds].concat(),
    );
    assert_done(&recorded);
    let told = text(&recorded.stdout);
    let sentence = "orders and seeds alone: the spread starts at event 1 at 0.186";
    assert!(told.contains(sentence), "{told}");
    assert!(told.contains("2 of 2 runs part"), "{told}");
    assert!(told.contains("with other impulses in run 1"), "{told}");
    // Another seed is another run, and the impact that begins it is named.
    let other = verify(&file, &["--skip-robust", "--set", "impact.seed=5"]);
    assert_eq!(other.status.code(), Some(1));
    let told = text(&other.stdout);
    assert!(
        told.contains("impulses: impact number 1 at 0.186"),
        "{told}"
    );
}

/// The scenario of TREX with robust runs: three orders, perturbed stance, mass and friction.
fn robust(folder: &Folder, draws: u64) -> PathBuf {
    let scenario = fs::read_to_string(shipped("trex/drop.toml")).unwrap();
    let robot = shipped("trex/trex_optimized.urdf");
    let scenario = scenario
        .replace("trex_optimized.urdf", &robot.display().to_string())
        .replace("duration = 2.0", "duration = 0.22");
    folder.write(
        "robust.toml",
        &format!(
            "{scenario}
[baseline.robust]
orders = [\"index\"]
seeds = 1
draws = {draws}
seed = 7
[[baseline.robust.perturb]]
key = \"initial.joints.gamma_B\"
uniform = 0.01
[[baseline.robust.perturb]]
key = \"initial.base.z\"
uniform = 0.005
[[baseline.robust.perturb]]
key = \"robot.mass_scale.tail\"
normal = 0.02
[[baseline.robust.perturb]]
key = \"contact.friction\"
normal = 0.05
relative = true
"
        ),
    )
}

#[test]
fn robust_runs_have_the_same_bytes_on_1_2_and_4_threads_and_name_their_worst_case() {
    let folder = Folder::new("threads");
    let scenario = robust(&folder, 9);
    let files = ["1", "2", "4"].map(|jobs| {
        let file = folder.path(&format!("{jobs}.toml"));
        assert_done(&record(&scenario, &file, &["--jobs", jobs]));
        fs::read(&file).unwrap()
    });
    assert!(files[0] == files[1] && files[0] == files[2]);
    let table: toml::Table = toml::from_str(&text(&files[0])).unwrap();
    let report = table["robust"].as_table().unwrap();
    assert_eq!(report["runs"].as_integer(), Some(30));
    // Orders alone part at the ambiguous landing.
    let by_order = report["spread_by_order"].as_table().unwrap();
    assert_eq!(by_order["event"].as_integer(), Some(1));
    assert_eq!(by_order["ambiguous"].as_bool(), Some(true));
    assert_eq!(by_order["contacts"].as_array().unwrap().len(), 2);
    // The worst run alone, with the keys that the baseline tells, comes to the worst value.
    let peak = report["metrics"]["peak_effort"].as_table().unwrap();
    let worst = peak["highest_set"].as_array().unwrap();
    assert!(!worst.is_empty());
    let mut options = Vec::new();
    for set in worst {
        options.extend(["--set", set.as_str().unwrap()]);
    }
    options.extend(["--set", "baseline={}"]);
    let alone = folder.path("alone.toml");
    assert_done(&record(&scenario, &alone, &options));
    let alone: toml::Table = toml::from_str(&fs::read_to_string(&alone).unwrap()).unwrap();
    assert_eq!(
        alone["metrics"]["peak_effort"]["value"].as_float(),
        peak["max"].as_float()
    );
    // The bands hold for what was recorded, and not for a controller four times as stiff.
    let file = folder.path("2.toml");
    assert_done(&verify(&file, &[]));
    let stiff = verify(&file, &["--set", "controller.stiffness=4.0", "--jobs", "2"]);
    assert_eq!(stiff.status.code(), Some(1));
    let told = text(&stiff.stdout);
    assert!(told.contains("peak_effort: outside of the band"), "{told}");
}

#[test]
fn a_killed_process_loses_nothing_that_was_finished() {
    let folder = Folder::new("killed");
    let scenario = robust(&folder, 39);
    let whole = folder.path("whole.toml");
    assert_done(&record(&scenario, &whole, &[]));
    let resumed = folder.path("resumed.toml");
    let finished = folder.path(".resumed.toml.runs");
    let mut child = carom()
        .args(["baseline", "record"])
        .arg(&scenario)
        .arg("--out")
        .arg(&resumed)
        .args(["--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || {
        fs::read_to_string(&finished)
            .unwrap_or_default()
            .lines()
            .count()
    };
    let begun = Instant::now();
    while lines() < 20 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = lines();
    assert!((20..121).contains(&kept), "{kept}");
    assert!(!resumed.exists());
    // The process may have been killed in the middle of a line.
    let mut torn = fs::read(&finished).unwrap();
    torn.extend_from_slice(b"{\"index\": 3, \"over");
    fs::write(&finished, torn).unwrap();
    // Of another scenario they are refused, and stay.
    let other = record(&scenario, &resumed, &["--resume", "--set", "duration=0.2"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("--resume"));
    assert!(lines() >= kept && !resumed.exists());
    assert_done(&record(&scenario, &resumed, &["--resume", "--jobs", "1"]));
    assert!(fs::read(&whole).unwrap() == fs::read(&resumed).unwrap());
    assert!(!finished.exists());
}

#[test]
fn bad_input_is_told_with_its_place_and_nothing_is_written() {
    let folder = Folder::new("bad");
    let file = folder.path("x.toml");
    let ball = shipped("ball/bounce.toml");
    for (set, part) in [
        ("baseline.metrics.m=last(q_base.w)", "did you mean"),
        ("baseline.metrics.m=q_base.z", "reduce it by one of"),
        ("baseline.metrics.m=max(", "ends at place 5"),
        ("baseline.toleranc=1", "did you mean \"tolerance\""),
        ("baseline.tolerance=-1.0", "at least 0"),
        ("baseline.samples=0", "at least 1"),
        ("impact.order=all", "a baseline follows one order"),
        (
            "baseline.robust={orders=[\"indx\"]}",
            "did you mean \"index\"",
        ),
        ("baseline.robust={draws=3}", "nothing to draw"),
        (
            "baseline.robust={seeds=9000000000000000000}",
            "runs are too many",
        ),
        (
            "baseline.robust={draws=3, perturb=[{key=\"contact.frictoin\", normal=1.0}]}",
            "no number at \"contact.frictoin\"",
        ),
        (
            "baseline.robust={draws=3, perturb=[{key=\"contact.friction\"}]}",
            "either uniform",
        ),
        (
            "baseline.robust={draws=1, perturb=[{key=\"robot.mass_scale.bal\", normal=0.1}]}",
            "did you mean \"ball\"",
        ),
        ("robot.mass_scale.bal=2.0", "did you mean \"ball\""),
        ("robot.mass_scale.ball=-2.0", "at least 0"),
    ] {
        let output = record(&ball, &file, &["--set", set]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{set}: {told}");
        assert!(told.contains(part), "{set}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "{set}");
    }
    let missing = verify(&file, &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("baseline record"));
    assert_done(&record(&ball, &file, &["--set", "duration=0.1"]));
    let good = fs::read_to_string(&file).unwrap();
    for (from, to, part) in [
        ("format = 1", "format = 9", "it is 9"),
        ("format = 1", "form = 1", "there is none"),
        ("[events]", "[evets]", "x.toml:"),
        ("every = ", "every = -", "x.toml:"),
        ("time_tolerance_s = ", "time_tolerance_s = -", "at least 0"),
    ] {
        assert!(good.contains(from));
        fs::write(&file, good.replacen(from, to, 1)).unwrap();
        let output = verify(&file, &[]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{to}: {told}");
        assert!(told.contains(part), "{to}: {told}");
    }
}

/// Holds the first joint of the chain.
fn hold(stiffness: f64) -> impl Fn(&Experiment) -> Box<dyn Controller> + Sync {
    move |_| {
        Box::new(move |o: &Observation<'_>, efforts: &mut [f64]| {
            efforts[0] = -stiffness * o.q[0] - o.v[0];
        })
    }
}

#[test]
fn a_rust_test_asserts_a_baseline_of_its_own_controller() {
    let folder = Folder::new("assert");
    let file = folder.path("chain.toml");
    let scenario = shipped("chain/chain4.toml");
    let controller = hold(100.0);
    let options = BaselineOptions {
        controller: Some(&controller),
        ..BaselineOptions::default()
    };
    let short = ["duration=0.2".to_string()];
    let read = Scenario::read(&scenario, &short).unwrap();
    let recorded = Baseline::record(&scenario, read, &options).unwrap();
    recorded.write(&file).unwrap();
    carom::assert_baseline!(file, controller = hold(100.0));
    let told = std::panic::catch_unwind(|| carom::assert_baseline!(file, controller = hold(105.0)))
        .unwrap_err();
    let told = told.downcast_ref::<String>().unwrap();
    assert!(told.contains("q_joint1: at"), "{told}");
    assert!(told.contains("CAROM_UPDATE_BASELINES=1"), "{told}");
    // Without the controller the chain just falls.
    assert!(std::panic::catch_unwind(|| carom::assert_baseline!(file)).is_err());
    let longer = ["duration=0.1"];
    assert!(std::panic::catch_unwind(|| carom::assert_baseline!(file, set = longer)).is_err());
}

/// A body that slides along x and z without turning, pushed by a constant force, on rough ground.
fn slider(folder: &Folder, force: f64, speed: f64, friction: f64) -> Trace {
    let inertial = |mass: f64| {
        format!(
            "<inertial><mass value=\"{mass}\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/><limit lower=\"-9\" upper=\"9\" effort=\"99\" velocity=\"99\"/></joint>"
        )
    };
    folder.write(
        "slider.urdf",
        &format!(
            "<robot name=\"slider\"><link name=\"world\"/><link name=\"rail\">{}</link><link name=\"body\">{}</link>{}{}</robot>",
            inertial(0.5),
            inertial(0.5),
            joint("x", "world", "rail", "1 0 0"),
            joint("z", "rail", "body", "0 0 1")
        ),
    );
    let scenario = folder.write(
        "slider.toml",
        &format!(
            "time_step = 1e-3\nduration = 0.5\n[robot]\nfile = \"slider.urdf\"\n\
             [initial.velocities]\nx = {speed:?}\n[contact]\nfriction = {friction:?}\n\
             [[contact.site]]\nname = \"toe\"\nlink = \"body\"\nkind = \"point\"\n\
             [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n\
             [controller]\nkind = \"servo\"\n[[controller.joint]]\nname = \"x\"\nstiffness = 0.0\nfeed_forward = {force:?}\n"
        ),
    );
    let read = Scenario::read(&scenario, &[]).unwrap();
    Trace::run(&Experiment::new("slider", read).unwrap(), None).unwrap()
}

#[test]
fn work_and_slip_of_a_sliding_body_are_those_of_the_textbook() {
    let folder = Folder::new("slider");
    let metric =
        |trace: &Trace, text: &str| Expression::parse(text).unwrap().evaluate(trace).unwrap();
    // Thrown at 1 m/s, it stops after v²/(2 µ' g) where friction carries the body's weight, half of
    // the mass: deceleration µ g/2.
    let thrown = slider(&folder, 0.0, 1.0, 0.5);
    let stop = 1.0 / (2.0 * 0.25 * 9.81);
    let (way, slip) = (
        metric(&thrown, "last(q_x)"),
        metric(&thrown, "last(slip_toe_m)"),
    );
    // The step of the stop is not resolved: v h there is at most µ g h²/2 = 2.5e-6 m.
    assert!((way - stop).abs() < 2.5e-6, "{way} {stop}");
    // Slip is summed with the speed at the end of each step: the sum misses at most v h in all.
    assert!((slip - stop).abs() < 1e-3, "{slip} {stop}");
    assert_eq!(metric(&thrown, "last(work_positive_J)"), 0.0);
    // Pushed forward, all work is positive, and it is force times way.
    let pushed = slider(&folder, 4.0, 0.0, 0.0);
    let (work, way) = (
        metric(&pushed, "last(work_positive_J)"),
        metric(&pushed, "last(q_x)"),
    );
    assert!((work - 4.0 * way).abs() < 1e-12, "{work} {way}");
    assert!((work - metric(&pushed, "last(work_actuators_J)")).abs() < 1e-12);
    assert_eq!(metric(&pushed, "max(abs(effort_x))"), 4.0);
    // ½ a t² with a = F/m, exact for the midpoint rule.
    assert!((way - 0.5 * 4.0 * 0.25).abs() < 1e-12, "{way}");
    // Braked, the work is negative and no positive work is counted until it turns at t = v/a = 0.25 s.
    let braked = slider(&folder, -4.0, 1.0, 0.0);
    let back = 0.5 * 4.0 * 0.25 * 0.25;
    let positive = metric(&braked, "last(work_positive_J)");
    assert!((positive - 4.0 * back).abs() < 1e-12, "{positive}");
    assert!(metric(&braked, "last(work_actuators_J)").abs() < 1e-12);
}

/// The scenario of the example with another program.
fn external(folder: &Folder, command: &str) -> PathBuf {
    let example = fs::read_to_string(root().join("examples/external_controller.toml")).unwrap();
    let robot = shipped("chain/chain4.urdf");
    let scenario = example
        .replace("../robots/chain/chain4.urdf", &robot.display().to_string())
        .replace("[\"python3\", \"external_controller.py\"]", command);
    folder.write("scenario.toml", &scenario)
}

fn simulate(scenario: &Path, out: &Path, options: &[&str]) -> Output {
    let mut command = carom();
    command.arg("simulate").arg(scenario).arg("--out").arg(out);
    command.args(options).output().unwrap()
}

#[test]
fn a_controller_in_python_runs_to_the_same_bits_as_the_same_law_in_carom() {
    let folder = Folder::new("python");
    let short = ["--set", "duration=0.1"];
    let example = root().join("examples/external_controller.toml");
    let python = folder.path("python");
    assert_done(&simulate(&example, &python, &short));
    let servo: Vec<String> = (1..=4)
        .map(|i| format!("{{ name = \"joint{i}\", stiffness = 400.0, damping = 40.0 }}"))
        .collect();
    let set = format!(
        "controller={{ kind = \"servo\", joint = [{}] }}",
        servo.join(", ")
    );
    let own = folder.path("own");
    assert_done(&simulate(
        &example,
        &own,
        &[&short[..], &["--set", &set]].concat(),
    ));
    let series = |out: &Path| fs::read(out.join("series.csv")).unwrap();
    assert!(series(&python) == series(&own));
    // The resolved scenario finds the program from its own folder.
    let again = folder.path("again");
    assert_done(&simulate(&python.join("scenario.toml"), &again, &[]));
    assert!(series(&python) == series(&again));
    // In parallel every run has a program of its own.
    let files = ["1", "2"].map(|jobs| {
        let file = folder.path(&format!("{jobs}.toml"));
        let robust =
            "baseline.robust={draws=3, perturb=[{key=\"initial.joints.joint1\", uniform=0.1}]}";
        let options = ["--set", "duration=0.02", "--set", robust, "--jobs", jobs];
        assert_done(&record(&example, &file, &options));
        assert_done(&verify(&file, &[]));
        fs::read(&file).unwrap()
    });
    assert!(files[0] == files[1]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_ends_when_carom_is_killed() {
    let folder = Folder::new("orphan");
    let program = fs::read_to_string(root().join("examples/external_controller.py")).unwrap();
    let program = program.replace(
        "    target = None\n",
        "    target = None\n    open(\"pid\", \"w\").write(str(__import__(\"os\").getpid()))\n",
    );
    folder.write("wrong.py", &program);
    let scenario = external(&folder, "[\"python3\", \"wrong.py\"]");
    let mut child = carom()
        .arg("simulate")
        .arg(&scenario)
        .arg("--out")
        .arg(folder.path("out"))
        .args(["--set", "duration=1e5"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let wait = |done: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !done() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        done()
    };
    let pid = || fs::read_to_string(folder.path("pid")).unwrap_or_default();
    assert!(wait(&|| !pid().is_empty()));
    assert!(Path::new("/proc").join(pid()).exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(wait(&|| !Path::new("/proc").join(pid()).exists()));
}

#[test]
fn what_a_program_does_wrong_is_told_with_its_line() {
    let folder = Folder::new("wrong");
    let greet = "import sys, json, time, os\n\
                 say = lambda s: print(s, flush=True)\n\
                 open('pid', 'w').write(str(os.getpid()))\n\
                 sys.stdin.readline()\n";
    let ready = "say('{\"type\": \"ready\"}')\nsys.stdin.readline()\n";
    let efforts =
        |list: &str| format!("{ready}say('{{\"type\": \"efforts\", \"efforts\": {list}}}')\n");
    let cases: [(String, &str); 9] = [
        ("say('hello')\n".into(), "line 1: it is not an answer"),
        (
            "sys.exit('no such robot')\n".into(),
            "before it wrote line 1; its last words: no such robot",
        ),
        (
            format!("{ready}sys.exit(3)\n"),
            "(exit status: 3) before it wrote line 2",
        ),
        // It neither answers nor ends when its input is closed.
        (
            format!("{ready}time.sleep(600)\n"),
            "has not written line 2 after 4 s",
        ),
        (efforts("[1, 2, 3]"), "line 2: 3 efforts for 4 joints"),
        (
            efforts("[1, 2, NaN, 4]"),
            "line 2: NaN and infinity are no numbers of JSON",
        ),
        (
            efforts("[1, 2, null, 4]"),
            "line 2: the effort of joint \"joint3\" is not a finite number",
        ),
        (
            "say('{\"type\": \"error\", \"reason\": \"I know no chain\"}')\n".into(),
            "line 1: it refuses: I know no chain",
        ),
        (
            format!(
                "{}say('{{\"type\": \"ready\"}}')\ntime.sleep(600)\n",
                efforts("[0, 0, 0, 0]")
            ),
            "line 3: the answer to state is",
        ),
    ];
    for (i, (program, part)) in cases.iter().enumerate() {
        folder.write("wrong.py", &format!("{greet}{program}"));
        let scenario = external(&folder, "[\"python3\", \"wrong.py\"]");
        let out = folder.path(&format!("out{i}"));
        let output = simulate(
            &scenario,
            &out,
            &[
                "--set",
                if part.contains("after 4 s") {
                    "controller.timeout_s=4.0"
                } else {
                    "controller.timeout_s=60.0"
                },
            ],
        );
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{part}: {told}");
        assert!(told.contains(part), "{part}: {told}");
        assert!(told.contains("`python3 wrong.py`"), "{told}");
        let summary = fs::read_to_string(out.join("summary.json")).unwrap();
        assert!(summary.contains("\"stopped\""));
        // The program does not outlive the run.
        #[cfg(target_os = "linux")]
        {
            let pid = fs::read_to_string(folder.path("pid")).unwrap();
            assert!(!Path::new("/proc").join(pid).exists(), "{part}");
        }
    }
    for (command, part) in [
        ("[\"./no-such-program\"]", "./no-such-program"),
        ("[\"no-such-program-at-all\"]", "no-such-program-at-all"),
        ("[]", "command is empty"),
    ] {
        let scenario = external(&folder, command);
        let output = simulate(&scenario, &folder.path("none"), &[]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {told}");
        assert!(told.contains(part), "{told}");
        assert!(!folder.path("none").exists());
    }
}
