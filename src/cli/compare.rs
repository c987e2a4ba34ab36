//! `carom compare`: every law that covers a problem, side by side.

use std::path::PathBuf;

use carom::impact::{ImpactLaw, ImpactProblem, ImpactStatus};
use carom::study::{ImpactAnswer, ImpactFile, LAWS, NamedProblem, check_friction};
use clap::Args;
use serde::Serialize;

use super::arguments::Shared;
use super::exit::{self, CommandResult, ExitStatus};
use super::law_options::LawOptions;
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
Exit codes: 0 done, 2 bad input, 3 a budget ran out.";

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
        let mut laws = self.laws()?;
        let file = ImpactFile::read(&self.file)?;
        let [named] = file.problems.as_slice() else {
            return Err(format!(
                "{}: holds {} problems; compare takes one",
                file.file,
                file.problems.len()
            )
            .into());
        };
        let comparison =
            compare(&mut laws, named, &self.options).map_err(|e| format!("{}: {e}", file.file))?;
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&comparison)?))?;
        } else {
            exit::answer(&report(&comparison))?;
        }
        Ok(comparison.status())
    }

    /// All laws, set up to tell as much as they can. A setting that no law accepts is an error.
    fn laws(&self) -> Result<Vec<Box<dyn ImpactLaw>>, String> {
        let mut laws: Vec<_> = LAWS.iter().map(|entry| entry.build()).collect();
        for law in &mut laws {
            // A law that has nothing to enumerate refuses, and needs no telling.
            let _ = law.set_parameter("all", "true");
        }
        for setting in self.options.settings() {
            let mut refusals = Vec::new();
            for law in &mut laws {
                if let Err(refusal) = law.set_parameter(&setting.name, &setting.value) {
                    refusals.push(refusal.to_string());
                }
            }
            if refusals.len() == laws.len() {
                return Err(format!(
                    "{}: no law accepts it: {}",
                    setting.written,
                    refusals.join("; ")
                ));
            }
        }
        Ok(laws)
    }
}

fn compare(
    laws: &mut [Box<dyn ImpactLaw>],
    named: &NamedProblem,
    options: &LawOptions,
) -> Result<Comparison, String> {
    let problem = named.problem.as_ref().map_err(ToString::to_string)?;
    let sequence = options.sequence_parameter(problem)?;
    let mut entries = Vec::with_capacity(laws.len());
    for law in laws {
        if let Some(sequence) = &sequence {
            // Only the laws that follow a sequence take it.
            let _ = law.set_parameter("sequence", sequence);
        }
        entries.push(apply(&mut **law, &named.name, problem));
    }
    Ok(Comparison {
        name: named.name.clone(),
        laws: entries,
    })
}

fn apply(law: &mut dyn ImpactLaw, name: &str, problem: &ImpactProblem) -> Entry {
    let answer = check_friction(law, problem)
        .and_then(|()| law.resolve(problem))
        .and_then(|resolution| ImpactAnswer::new(name, problem, resolution));
    match answer {
        Ok(answer) => Entry::Applied {
            applicable: true,
            answer: Box::new(answer),
        },
        Err(error) => Entry::NotApplied {
            law: law.name(),
            applicable: false,
            reason: error.to_string(),
        },
    }
}

impl Comparison {
    fn status(&self) -> ExitStatus {
        let stopped = |entry: &Entry| match entry {
            Entry::Applied { answer, .. } => answer.status != ImpactStatus::Resolved,
            Entry::NotApplied { .. } => false,
        };
        if self.laws.iter().any(stopped) {
            ExitStatus::StoppedEarly
        } else {
            ExitStatus::Done
        }
    }
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
