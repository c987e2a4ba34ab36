//! `carom compare`: every law that covers a problem, side by side.

use std::path::PathBuf;

use carom::impact::{ImpactLaw, ImpactProblem, ImpactStatus};
use carom::study::{self, ImpactAnswer, ImpactFile, LAWS, NamedProblem};
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

    /// All laws, set up to tell as much as they can.
    fn laws(&self) -> Result<Vec<Box<dyn ImpactLaw>>, String> {
        let settings = self.options.settings();
        if let Some(lost) = settings
            .iter()
            .find(|setting| !LAWS.iter().any(|entry| setting.is_known_to(entry)))
        {
            return Err(format!("{}: no law has such a parameter", lost.written));
        }
        let mut laws = Vec::with_capacity(LAWS.len());
        for entry in LAWS {
            let mut law = entry.build();
            for setting in exhaustive().iter().chain(&settings) {
                if setting.is_known_to(entry) {
                    setting.give_to(&mut *law)?;
                }
            }
            laws.push(law);
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
    options.check_sequence(problem)?;
    Ok(Comparison {
        name: named.name.clone(),
        laws: laws
            .iter_mut()
            .map(|law| apply(&mut **law, &named.name, problem))
            .collect(),
    })
}

/// Where a law can list all outcomes, it does; options given by the user come after and win.
fn exhaustive() -> [Setting; 1] {
    [Setting {
        written: "--all".to_string(),
        name: "all".to_string(),
        value: "true".to_string(),
    }]
}

fn apply(law: &mut dyn ImpactLaw, name: &str, problem: &ImpactProblem) -> Entry {
    match study::answer(law, name, problem) {
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
