//! The commands in the README run to their end, and print what it says.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::folder::Folder;

const README: &str = include_str!("../../README.md");

/// A command that runs this test.
const THIS_TEST: &str = "cargo test --features mcap,parquet";
/// Commands that end with another code than 0, and why.
const OTHER_CODES: [(&str, i32); 2] = [
    // Stopped early, as asked.
    ("--until", 3),
    // Another controller than the one that was recorded.
    ("baseline verify", 1),
];
/// The longest commands take some 30 s in a test build on one busy core; one that takes this long hangs.
const LONGEST: Duration = Duration::from_secs(900);

/// A command of the README and what it shows of its output.
struct Shown {
    command: &'static str,
    output: String,
}

/// The commands in the blocks of each section.
fn sections() -> Vec<Vec<Shown>> {
    let mut sections = Vec::new();
    for section in README.split("\n## ") {
        let mut shown: Vec<Shown> = Vec::new();
        let blocks = section.split("```console\n").skip(1);
        for line in blocks.flat_map(|block| block.split("```").next().unwrap().lines()) {
            match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown {
                    command,
                    output: String::new(),
                }),
                None => {
                    let output = &mut shown.last_mut().unwrap().output;
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
        sections.push(shown);
    }
    sections
}

/// The arguments of `carom` in a command of the README.
fn arguments(command: &str) -> Vec<&str> {
    let built = command.strip_prefix("cargo run --release -- ");
    let of = built.or_else(|| command.strip_prefix("carom ")).unwrap();
    of.split_whitespace().collect()
}

/// Runs a command in a folder; it is ended where it hangs.
fn run(command: &str, folder: &Path) -> Output {
    let [out, err] = ["stdout", "stderr"].map(|name| folder.join(name));
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments(command))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{command} has not ended after {LONGEST:?}");
        }
        thread::sleep(Duration::from_millis(5));
    };
    Output {
        status,
        stdout: fs::read(out).unwrap(),
        stderr: fs::read(err).unwrap(),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every command as it stands, none shortened: those of a section in their order in a folder that has what a clone has,
/// sections beside each other. On a busy machine with two cores the test takes 40 s: the batch of 1000 runs 28 s, the
/// design's map 19 s, the two gaits 9 s each, the published numbers 5 s, all others together 10 s.
#[test]
fn every_command_of_the_readme_runs_to_its_end() {
    let folder = Folder::new("readme");
    let sections: Vec<Vec<Shown>> = sections()
        .into_iter()
        .filter(|shown| !shown.is_empty())
        .collect();
    let count: usize = sections.iter().map(Vec::len).sum();
    assert!(count >= 20, "{count} commands");
    let blocks = README.matches("\n$ ").count();
    assert_eq!(count, blocks, "commands that stand in no block");
    thread::scope(|scope| {
        for (i, shown) in sections.iter().enumerate() {
            let folder = folder.path(&i.to_string());
            scope.spawn(move || {
                for name in ["robots", "examples"] {
                    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
                    copy(&from, &folder.join(name));
                }
                for Shown { command, output } in shown {
                    if *command == THIS_TEST {
                        continue;
                    }
                    let begun = Instant::now();
                    let ended = run(command, &folder);
                    println!("{:6.1} s  {command}", begun.elapsed().as_secs_f64());
                    let other = OTHER_CODES.iter().find(|(part, _)| command.contains(part));
                    let told = String::from_utf8_lossy(&ended.stderr);
                    assert_eq!(
                        ended.status.code(),
                        Some(other.map_or(0, |(_, code)| *code)),
                        "{command}: {told}"
                    );
                    if !output.is_empty() {
                        assert_eq!(told, "", "{command}");
                        assert_eq!(String::from_utf8_lossy(&ended.stdout), *output, "{command}");
                    }
                }
            });
        }
    });
}

#[test]
fn impacts_and_comparisons_are_shown_with_their_output() {
    let sections = sections();
    let shown = sections.iter().flatten();
    let impacts = shown.filter(|shown| {
        ["carom impact", "carom compare"]
            .iter()
            .any(|name| shown.command.starts_with(name))
    });
    let mut count = 0;
    for Shown { command, output } in impacts {
        assert!(!output.is_empty(), "{command}");
        count += 1;
    }
    assert!(count >= 3, "{count}");
}
