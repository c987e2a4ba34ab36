//! `carom compare`: every law that covers a problem, side by side.

use std::error::Error;
use std::path::PathBuf;

use carom::impact::ImpactStatus;
use carom::impact::routh::RouthReport;
use carom::laws::{ImpactAnswer, ImpactFile, LawRegistry, LawSetting, NamedImpulse, OutcomeAnswer};
use carom::scenario::{Experiment, Scenario};
use carom::study::granular::GranularScenario;
use carom::study::{ComparedLaw, FirstImpactError, LawComparison, first_impact};
use clap::Args;

use super::arguments::Shared;
use super::granular;
use super::law_options::LawOptions;
use super::terminal::exit;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::text::{largest, number, range, table, vector};

/// Solve one impact problem by every law that covers it, side by side
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Compare {
    /// Problem file (JSON), - for standard input, or a scenario (TOML), whose first impact is compared
    file: PathBuf,

    /// Override one key of the scenario, for example impact.law=stronge; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    #[command(flatten)]
    options: LawOptions,
}

const EXAMPLE: &str = "\
Example:
  carom compare cradle.json
  carom compare robots/trex/drop.toml
  carom compare robots/trex/drop.toml --set initial.base.z=0.4

On a scenario, laws without friction solve the impact without it, and its own law has the settings of its [impact]. A scenario of particles runs under each of their laws.
Every law lists all the outcomes it can. An option is given to each law that has it.
Exit codes: 0 done, 2 bad input.";

impl Compare {
    /// Reads, solves by every law and prints.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let settings = self.options.settings();
        let laws = LawRegistry::standard();
        let has_a_law = |s: &&LawSetting| laws.entries().iter().any(|e| s.is_known_to(e));
        if let Some(lost) = settings.iter().find(|s| !has_a_law(s)) {
            return Err(format!("{}: no law has such a parameter", lost.written).into());
        }
        let is_scenario = self.file.extension().is_some_and(|e| e == "toml");
        if is_scenario && let Some(particles) = GranularScenario::read(&self.file, &self.overrides)?
        {
            if let Some(lost) = settings.first() {
                let name = self.file.display();
                return Err(
                    format!("{}: {name} has its settings in the file", lost.written).into(),
                );
            }
            return granular::compare(&self.file.display().to_string(), &particles, shared);
        }
        if let (false, Some(set)) = (is_scenario, self.overrides.first()) {
            return Err(format!(
                "--set {set}: {} is a problem and no scenario; --param gives a law its parameters",
                self.file.display()
            )
            .into());
        }
        let comparison = if is_scenario {
            self.compare_scenario(&laws, &settings)?
        } else {
            let file = ImpactFile::read(&self.file)?;
            self.compare(&laws, &file, &settings)
                .map_err(|error| format!("{}: {error}", file.file))?
        };
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&comparison)?))?;
        } else {
            exit::answer(&report(&comparison))?;
        }
        Ok(ExitStatus::Done)
    }

    /// Runs a scenario to its first impact and compares the laws there.
    fn compare_scenario(
        &self,
        laws: &LawRegistry,
        settings: &[LawSetting],
    ) -> Result<LawComparison, Box<dyn Error>> {
        let name = self.file.display().to_string();
        let experiment = Experiment::new(&name, Scenario::read(&self.file, &self.overrides)?)?;
        let impact = first_impact(&experiment).map_err(|error| match error {
            FirstImpactError::Scenario(error) => error.to_string(),
            other => format!("{name}: {other}"),
        })?;
        let with_friction = &impact.with_friction;
        self.options.check_contacts(laws.entries(), with_friction)?;
        let title = format!("{name}, first impact at {:.6} s", impact.time);
        let of = &experiment.scenario.impact;
        Ok(LawComparison::of_scenario(
            laws, settings, &title, of, &impact,
        )?)
    }

    fn compare(
        &self,
        laws: &LawRegistry,
        file: &ImpactFile,
        settings: &[LawSetting],
    ) -> Result<LawComparison, String> {
        let [named] = file.problems.as_slice() else {
            let count = file.problems.len();
            return Err(format!("holds {count} problems; compare takes one"));
        };
        let problem = named.problem.as_ref().map_err(ToString::to_string)?;
        self.options.check_contacts(laws.entries(), problem)?;
        LawComparison::of_problem(laws, settings, &named.name, problem)
    }
}

fn report(comparison: &LawComparison) -> String {
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
            ComparedLaw::Applied { answer, .. } => rows.push(row(answer)),
            ComparedLaw::NotApplied { law, reason, .. } => {
                rows.push(vec![law.to_string(), "-".to_string()]);
                missing.push(format!("  {law}: {reason}\n"));
            }
        }
    }
    let mut text = format!("{}\n\n{}", comparison.name, table(&rows));
    let listed = outcomes(comparison);
    if listed.len() > 1 {
        text.push_str("\nEvery outcome where there are several:\n");
        text.push_str(&table(&listed));
    }
    if !missing.is_empty() {
        text.push_str("\nNot applicable:\n");
        text.push_str(&missing.concat());
    }
    text
}

/// Outcomes of one law beyond these are left to `--json`.
const SHOWN_OUTCOMES: usize = 6;

/// The outcomes of every law that has several, one a row below a heading. Samples of a set are left out.
fn outcomes(comparison: &LawComparison) -> Vec<Vec<String>> {
    let heading = ["law", "sequence", "energy after/before", "impulses [N s]"];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    for entry in &comparison.laws {
        let ComparedLaw::Applied { answer, .. } = entry else {
            continue;
        };
        let report = answer.details.get::<RouthReport>();
        let is_set = report.is_some_and(|report| report.set.is_some());
        if answer.outcomes.len() < 2 || is_set {
            continue;
        }
        for outcome in answer.outcomes.iter().take(SHOWN_OUTCOMES) {
            let sequence = match &outcome.sequence {
                Some(sequence) if sequence.len() <= 8 => sequence.join(" "),
                Some(sequence) => format!("{} … ({})", sequence[..6].join(" "), sequence.len()),
                None => "-".to_string(),
            };
            let impulses: Vec<String> = outcome.impulses.iter().map(impulse).collect();
            rows.push(vec![
                answer.law.to_string(),
                sequence,
                number(energy_ratio(outcome), 1.0),
                impulses.join(", "),
            ]);
        }
        let more = answer.outcomes.len().saturating_sub(SHOWN_OUTCOMES);
        if more > 0 {
            let rest = format!("… and {more} more (all of them with --json)");
            rows.push(vec![answer.law.to_string(), rest]);
        }
    }
    rows
}

/// A contact's impulse: normal, then tangential in brackets.
fn impulse(contact: &NamedImpulse) -> String {
    let parts = &contact.impulse;
    let scale = largest(parts.tangential.iter().copied().chain([parts.normal]));
    let normal = number(parts.normal, scale);
    let name = &contact.contact;
    match parts.tangential.as_slice() {
        [] => format!("{name} {normal}"),
        [one] => format!("{name} {normal} ({})", number(*one, scale)),
        several => format!("{name} {normal} {}", vector(several, scale)),
    }
}

fn energy_ratio(outcome: &OutcomeAnswer) -> f64 {
    let energy = outcome.kinetic_energy;
    if energy.before > 0.0 {
        energy.after / energy.before
    } else {
        1.0
    }
}

fn row(answer: &ImpactAnswer) -> Vec<String> {
    let unique = match answer.unique {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    };
    let mark = match answer.status {
        ImpactStatus::NotTerminated => " (stopped)",
        ImpactStatus::Capped => " (capped)",
        _ => "",
    };
    let ratios = answer.outcomes.iter().map(energy_ratio);
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
