//! The commands in the README print what it says.
#![cfg(feature = "cli")]

use std::process::Command;

const README: &str = include_str!("../../README.md");

/// Commands that solve impacts, with the output that the README shows.
fn shown_commands() -> Vec<(&'static str, String)> {
    let mut shown: Vec<(&str, String)> = Vec::new();
    let blocks = README.split("```console\n").skip(1);
    for block in blocks.map(|block| block.split("```").next().unwrap()) {
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => shown.push((command, String::new())),
                None => {
                    let output = &mut shown.last_mut().unwrap().1;
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    shown.retain(|(command, _)| {
        ["carom impact", "carom compare"]
            .iter()
            .any(|name| command.starts_with(name))
    });
    shown
}

#[test]
fn impact_commands_of_the_readme_print_what_it_shows() {
    let shown = shown_commands();
    assert!(shown.len() >= 3, "{shown:?}");
    for (command, expected) in shown {
        let output = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(command.split_whitespace().skip(1))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{command}"
        );
    }
}
