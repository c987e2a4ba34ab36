//! `carom compare`: every law that covers a problem, side by side.

use std::path::PathBuf;

use carom::impact::{ImpactError, ImpactProblem, ImpactStatus};
use carom::study::{self, ImpactAnswer, ImpactFile, LAWS, LawEntry};
use clap::Args;
use serde::Serialize;

use super::arguments::Shared;
use super::exit::{self, CommandResult, ExitStatus};
use super::law_options::{LawOptions, Setting};
use super::text::{largest, range, table};

/// Solve one impact problem by every law that covers it, side by side
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Compare {
    /// Problem file (JSON), or - for standard input
    file: PathBuf,

    #[command(flatten)]
    options: LawOptions,
}

const EXAMPLE: &str = "\
Example:
  carom compare cradle.json

Every law lists all the outcomes it can. An option is given to each law that has it.
Exit codes: 0 done, 2 bad input.";

/// All laws on one problem.
#[derive(Debug, Serialize)]
struct Comparison {
    name: String,
    laws: Vec<Entry>,
}

/// One law on the problem.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Entry {
    Applied {
        applicable: bool,
        #[serde(flatten)]
        answer: Box<ImpactAnswer>,
    },
    NotApplied {
        law: &'static str,
        applicable: bool,
        reason: String,
    },
}

impl Compare {
    /// Reads, solves by every law and prints.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let settings = self.options.settings();
        let has_a_law = |s: &&Setting| LAWS.iter().any(|entry| s.is_known_to(entry));
        if let Some(lost) = settings.iter().find(|s| !has_a_law(s)) {
            return Err(format!("{}: no law has such a parameter", lost.written).into());
        }
        let file = ImpactFile::read(&self.file)?;
        let comparison = self
            .compare(&file, &settings)
            .map_err(|error| format!("{}: {error}", file.file))?;
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&comparison)?))?;
        } else {
            exit::answer(&report(&comparison))?;
        }
        Ok(ExitStatus::Done)
    }

    fn compare(&self, file: &ImpactFile, settings: &[Setting]) -> Result<Comparison, String> {
        let [named] = file.problems.as_slice() else {
            let count = file.problems.len();
            return Err(format!("holds {count} problems; compare takes one"));
        };
        let problem = named.problem.as_ref().map_err(ToString::to_string)?;
        self.options.check_sequence(problem)?;
        let laws = LAWS
            .iter()
            .map(|entry| apply(entry, settings, &named.name, problem))
            .collect::<Result<_, String>>()?;
        Ok(Comparison {
            name: named.name.clone(),
            laws,
        })
    }
}

/// One law on the problem, telling as much as it can: a law that declines to list every outcome of
/// so large a problem gives the outcome of its default order.
fn apply(
    entry: &LawEntry,
    settings: &[Setting],
    name: &str,
    problem: &ImpactProblem,
) -> Result<Entry, String> {
    let build = || {
        let mut law = entry.build();
        for setting in settings.iter().filter(|s| s.is_known_to(entry)) {
            setting.give_to(&mut *law)?;
        }
        Ok::<_, String>(law)
    };
    let mut law = build()?;
    let mut answer = None;
    if let Some(all) = exhaustive(entry, settings) {
        all.give_to(&mut *law)?;
        answer = study::answer(&mut *law, name, problem).ok();
        law = build()?;
    }
    let answer = answer.map_or_else(|| study::answer(&mut *law, name, problem), Ok);
    Ok(match answer {
        Ok(answer) => Entry::Applied {
            applicable: true,
            answer: Box::new(answer),
        },
        Err(error) => Entry::NotApplied {
            law: entry.name,
            applicable: false,
            reason: match error {
                ImpactError::Unsupported { reason, .. } => reason,
                other => other.to_string(),
            },
        },
    })
}

/// The setting that lists every outcome, or a set of samples, unless the user has set it.
fn exhaustive(entry: &LawEntry, settings: &[Setting]) -> Option<Setting> {
    const SAMPLES: &str = "4096";
    let samples = || {
        entry.parameters.contains(&"samples").then(|| Setting {
            written: "--samples".to_string(),
            name: "samples".to_string(),
            value: SAMPLES.to_string(),
        })
    };
    Setting::exhaustive(entry)
        .or_else(samples)
        .filter(|all| settings.iter().all(|given| given.name != all.name))
}

fn report(comparison: &Comparison) -> String {
    let heading = [
        "law",
        "outcomes",
        "unique",
        "energy after/before",
        "normal impulses [N s]",
    ];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    let mut missing = Vec::new();
    for entry in &comparison.laws {
        match entry {
            Entry::Applied { answer, .. } => rows.push(row(answer)),
            Entry::NotApplied { law, reason, .. } => {
                rows.push(vec![law.to_string(), "-".to_string()]);
                missing.push(format!("  {law}: {reason}\n"));
            }
        }
    }
    let mut text = format!("{}\n\n{}", comparison.name, table(&rows));
    if !missing.is_empty() {
        text.push_str("\nNot applicable:\n");
        text.push_str(&missing.concat());
    }
    text
}

fn row(answer: &ImpactAnswer) -> Vec<String> {
    let unique = match answer.unique {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    };
    let mark = match answer.status {
        ImpactStatus::Resolved => "",
        ImpactStatus::NotTerminated => " (stopped)",
        ImpactStatus::Capped => " (capped)",
    };
    let ratios = answer.outcomes.iter().map(|outcome| {
        let energy = outcome.kinetic_energy;
        if energy.before > 0.0 {
            energy.after / energy.before
        } else {
            1.0
        }
    });
    vec![
        answer.law.to_string(),
        format!("{}{mark}", answer.outcomes.len()),
        unique.to_string(),
        range(ratios, 1.0),
        normal_impulses(answer),
    ]
}

fn normal_impulses(answer: &ImpactAnswer) -> String {
    let Some(first) = answer.outcomes.first() else {
        return "-".to_string();
    };
    let all = || answer.outcomes.iter().flat_map(|outcome| &outcome.impulses);
    let scale = largest(all().map(|contact| contact.impulse.normal));
    let parts: Vec<String> = (0..first.impulses.len())
        .map(|i| {
            let values = answer
                .outcomes
                .iter()
                .filter_map(|outcome| outcome.impulses.get(i))
                .map(|contact| contact.impulse.normal);
            format!("{} {}", first.impulses[i].contact, range(values, scale))
        })
        .collect();
    parts.join(", ")
}
