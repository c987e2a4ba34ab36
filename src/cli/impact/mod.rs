//! `carom impact`: one impact problem, or an array of them, solved by one law.

pub mod report;
pub mod series_options;
pub mod set_plots;
pub mod stronge_plots;

use std::path::PathBuf;

use carom::impact::settings::LawKey;
use carom::impact::{ImpactLaw, ImpactStatus};
use carom::laws::{
    FailedAnswer, ImpactAnswer, ImpactFile, LawEntry, LawRegistry, NamedProblem, OutcomeAnswer,
    answer, unused_restitution,
};
use clap::Args;
use serde::Serialize;

use super::arguments::Shared;
use super::terminal::exit;
use super::terminal::exit::{CommandResult, ExitStatus};

use super::law_options::LawOptions;
use super::terminal::text::table;
use series_options::SeriesOptions;

/// Solve an impact problem, or an array of them, by one law
#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Impact {
    /// Problem file (JSON), or - for standard input
    file: PathBuf,

    /// The impact law, one of those listed below
    #[arg(long, value_name = "LAW")]
    law: String,

    #[command(flatten)]
    options: LawOptions,

    #[command(flatten)]
    series: SeriesOptions,
}

fn help() -> String {
    format!(
        "\
Laws, each with the names and values of --param:
{}
Example: three equal balls in a row, the first one moving, in every order of collisions
  echo '{{\"mass_matrix\": [[1,0,0],[0,1,0],[0,0,1]], \"velocity\": [1,0,0],
         \"contacts\": [{{\"name\": \"AB\", \"normal\": [-1,1,0]}}, {{\"name\": \"BC\", \"normal\": [0,-1,1]}}]}}' |
  carom impact - --law propagative --all

Exit codes: 0 done, 2 bad input (in an array the good problems are answered), 3 a budget ran out or a file cannot be written.",
        law_list()
    )
}

/// What each law is, and a line for each of its keys: unit, meaning, values, default.
fn law_list() -> String {
    let rows: Vec<Vec<String>> = LawRegistry::standard()
        .entries()
        .iter()
        .flat_map(|law| {
            let heading = vec![format!("  {}", law.name), law.summary.to_string()];
            std::iter::once(heading).chain(law.keys().iter().map(key_row))
        })
        .collect();
    table(&rows)
}

fn key_row(key: &LawKey) -> Vec<String> {
    let default = match key.default.as_str() {
        "" => String::new(),
        default => format!("; default {default}"),
    };
    vec![
        format!("    {}", key.name),
        format!("{}: {}{default}", key.meaning, key.wanted()),
    ]
}

/// Answer of one problem of the file.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Solved {
        #[serde(flatten)]
        answer: Box<ImpactAnswer>,
        #[serde(skip)]
        speed_before: f64,
    },
    Failed(FailedAnswer),
}

impl Impact {
    /// Reads, solves and prints.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let laws = LawRegistry::standard();
        let entry = laws.get(&self.law)?;
        let mut law = self.options.build(entry)?;
        self.series.check_law(&*law, &self.options)?;
        let file = ImpactFile::read(&self.file)?;
        let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", file.file);
        self.series.check_file(&file).map_err(|e| in_file(&e))?;

        let mut answers = Vec::with_capacity(file.problems.len());
        for problem in &file.problems {
            if let (Ok(posed), false) = (&problem.problem, shared.quiet)
                && let Some(note) = unused_restitution(&*law, posed)
            {
                exit::note(&format!("{}: {}: {note}", file.file, problem.name));
            }
            match self.solve(entry, &mut *law, problem) {
                Ok(answer) => {
                    if let Ok(posed) = &problem.problem {
                        let written = self.series.write(&mut *law, posed);
                        written.map_err(|error| match error.is::<exit::NotWritten>() {
                            true => error,
                            false => in_file(&error).into(),
                        })?;
                    }
                    answers.push(answer);
                }
                Err(error) if file.is_array => {
                    exit::complain(&format_args!("{}: {}: {error}", file.file, problem.name));
                    answers.push(Answer::Failed(FailedAnswer {
                        name: problem.name.clone(),
                        error,
                    }));
                }
                Err(error) => return Err(in_file(&error).into()),
            }
        }

        if shared.json {
            exit::answer(&json(&answers, file.is_array)?)?;
        } else {
            exit::answer(&report(&answers))?;
        }
        Ok(status(&answers, self.options.wants_all()))
    }

    fn solve(
        &self,
        entry: &LawEntry,
        law: &mut dyn ImpactLaw,
        named: &NamedProblem,
    ) -> Result<Answer, String> {
        let problem = named.problem.as_ref().map_err(ToString::to_string)?;
        let laws = std::slice::from_ref(entry);
        self.options.check_contacts(laws, problem)?;
        let answer = answer(law, &named.name, problem).map_err(|e| e.to_string())?;
        Ok(Answer::Solved {
            answer: Box::new(answer),
            speed_before: problem.velocity().amax(),
        })
    }
}

/// One document; the answers of an array stand on lines of their own.
fn json(answers: &[Answer], is_array: bool) -> serde_json::Result<String> {
    let lines = answers
        .iter()
        .map(serde_json::to_string)
        .collect::<serde_json::Result<Vec<String>>>()?
        .join(",\n");
    Ok(match (is_array, lines.is_empty()) {
        (true, true) => "[]\n".to_string(),
        (true, false) => format!("[\n{lines}\n]\n"),
        (false, _) => format!("{lines}\n"),
    })
}

fn report(answers: &[Answer]) -> String {
    let reports: Vec<String> = answers
        .iter()
        .map(|answer| match answer {
            Answer::Solved {
                answer,
                speed_before,
            } => report::report(answer, *speed_before),
            Answer::Failed(failed) => format!("{}: not solved\n  {}\n", failed.name, failed.error),
        })
        .collect();
    reports.join("\n")
}

/// A set of samples of which some did not terminate is complete: the fraction is part of the answer.
/// An enumeration that was cut short matters where the enumeration is what was asked for.
fn status(answers: &[Answer], enumerated: bool) -> ExitStatus {
    let failed = |answer: &Answer| matches!(answer, Answer::Failed(_));
    let stopped = |answer: &Answer| match answer {
        Answer::Solved { answer, .. } => {
            let capped = enumerated && answer.status == ImpactStatus::Capped;
            let unfinished = |o: &OutcomeAnswer| o.status == ImpactStatus::NotTerminated;
            capped || answer.outcomes.iter().any(unfinished)
        }
        Answer::Failed(_) => false,
    };
    if answers.iter().any(failed) {
        ExitStatus::BadInput
    } else if answers.iter().any(stopped) {
        ExitStatus::StoppedEarly
    } else {
        ExitStatus::Done
    }
}
