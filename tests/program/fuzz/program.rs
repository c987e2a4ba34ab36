//! Changed files, read by the program: its exit code is one of those it has, its words are one paragraph that a terminal
//! shows, and nothing is written where the input is bad.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::mutation::{Random, mutate};
use super::targets::{Bench, Kind};
use crate::folder::Folder;

/// Longest time of one call.
const LONGEST: Duration = Duration::from_secs(60);

#[test]
fn the_program_survives_changed_files() {
    let count = std::env::var("CAROM_FUZZ_PROGRAM").map_or(3, |text| text.parse().unwrap());
    let bench = Bench::new();
    let folder = Folder::new("fuzz-program");
    for (kind, texts) in &bench.seeds {
        let (file, arguments): (&str, &[&str]) = match kind {
            Kind::Urdf => ("fuzz.urdf", &["inspect"]),
            Kind::Xacro => ("fuzz.xacro", &["inspect", "--json"]),
            Kind::Impact => ("fuzz.json", &["impact", "--law", "propagative"]),
            Kind::Baseline => ("fuzz.toml", &["baseline", "verify"]),
            Kind::State => ("fuzz.json", &["inspect", "--state"]),
            _ => continue,
        };
        let mut random = Random(7 + *kind as u64);
        for _ in 0..count {
            let text = mutate(&texts[random.below(texts.len())], &texts[0], &mut random);
            let path = folder.write(file, &text);
            let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
            command.args(arguments).arg(&path).current_dir(&folder.0);
            if *kind == Kind::State {
                command.arg(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/robots/rhex/rhex.urdf"
                ));
            }
            let output = run(command.stdin(Stdio::null()));
            let told = String::from_utf8(output.stderr).unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            let code = output.status.code();
            assert!(
                matches!(code, Some(0..=3)),
                "{kind:?} {code:?}: {told}\n{text}"
            );
            assert!(!told.contains("panicked"), "{kind:?}: {told}\n{text}");
            let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(
                !told.contains(obeyed) && !said.contains(obeyed),
                "{told}{said}"
            );
            if code == Some(2) {
                let mut lines = told.lines();
                assert!(lines.all(|line| line.starts_with("error: ")), "{told}");
                assert!(told.contains("fuzz"), "{kind:?}: {told}");
            }
            fs::remove_file(&path).unwrap();
            let left = fs::read_dir(&folder.0).unwrap().count();
            assert_eq!(left, 0, "{kind:?}: something was written");
        }
    }
}

fn run(command: &mut Command) -> std::process::Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (out, err) = (thread::spawn(|| all(out)), thread::spawn(|| all(err)));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("{command:?} takes longer than {LONGEST:?}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    std::process::Output {
        status,
        stdout: out.join().unwrap(),
        stderr: err.join().unwrap(),
    }
}

fn all(mut from: impl std::io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes
}
