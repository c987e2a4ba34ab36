//! Controllers that are programs of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use super::support::{Folder, assert_done, carom, record, root, shipped, text, verify};

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
    // A program is asked at the beginning of every step; a servo acts inside it unless it is sampled as often.
    let set = format!(
        "controller={{ kind = \"servo\", sampling_period = 1e-3, joint = [{}] }}",
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
                "{}sys.stdin.readline()\nsay('{{\"type\": \"ready\"}}')\ntime.sleep(600)\n",
                efforts("[0, 0, 0, 0]")
            ),
            "line 3: the answer to state is",
        ),
    ];
    for (i, (program, part)) in cases.iter().enumerate() {
        folder.write("wrong.py", format!("{greet}{program}"));
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

/// Python that answers every message as the example does, with a change.
fn changed_program(folder: &Folder, from: &str, to: &str) -> PathBuf {
    let program = fs::read_to_string(root().join("examples/external_controller.py")).unwrap();
    assert!(program.contains(from));
    folder.write("wrong.py", program.replace(from, to));
    external(folder, "[\"python3\", \"wrong.py\"]")
}

#[test]
fn a_line_that_nobody_asked_for_is_an_error_and_does_not_shift_the_answers() {
    let answered =
        "answer({\"type\": \"efforts\", \"number\": message[\"number\"], \"efforts\": efforts})";
    let plain = "answer({\"type\": \"efforts\", \"efforts\": efforts})";
    for (to, part) in [
        // With numbers the second line is known for what it is even if it comes late.
        (format!("{answered}\n        {answered}"), "line"),
        (
            "answer({\"type\": \"efforts\", \"number\": 1, \"efforts\": efforts})".to_string(),
            "it answers message 1, not message 2",
        ),
        // Without them it is known where it waits.
        (
            format!("print('{{\"type\": \"efforts\", \"efforts\": [0, 0, 0, 0]}}'); {plain}"),
            "nobody asked for this line",
        ),
    ] {
        let folder = Folder::new("surplus");
        let scenario = changed_program(&folder, answered, &to);
        let out = folder.path("out");
        let output = simulate(&scenario, &out, &["--set", "duration=0.2"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{to}: {told}");
        assert!(
            told.contains("wrong.py") && told.contains(part),
            "{to}: {told}"
        );
    }
    // A program that knows nothing of numbers is answered as before.
    let folder = Folder::new("numberless");
    let scenario = changed_program(&folder, answered, plain);
    let out = folder.path("out");
    assert_done(&simulate(&scenario, &out, &["--set", "duration=0.05"]));
}
