//! The options that set up an impact law, shared by the commands that resolve one impact.

use carom::files::did_you_mean;
use carom::impact::{ImpactLaw, ImpactProblem};
use carom::laws::{LawEntry, LawSetting};
use clap::Args;

/// Options of the impact laws. One that the chosen law does not have is an error.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of the law")]
pub struct LawOptions {
    /// Which contact acts next: most-violated, least-violated, index or random (propagative, max-dissipation);
    /// contacts by name in a cyclic order, A,B (sequential, stronge); or all: every outcome that the law can list
    #[arg(long, value_name = "ORDER")]
    pub order: Option<String>,

    /// The same as --order all
    #[arg(long)]
    all: bool,

    /// Number of samples of the set of outcomes (routh)
    #[arg(long, value_name = "N")]
    pub samples: Option<String>,

    /// Largest normal impulse of one increment, N s (routh; stronge with an Euler solver)
    #[arg(long, value_name = "H")]
    pub step: Option<String>,

    /// Largest number of increments of a sample (routh)
    #[arg(long, value_name = "K")]
    pub max_steps: Option<String>,

    /// Seed of what is drawn at random
    #[arg(long, value_name = "S")]
    pub seed: Option<String>,

    /// Number of threads; the answer does not depend on it (routh)
    #[arg(long, value_name = "J")]
    pub jobs: Option<String>,

    /// The same as --order A,B
    #[arg(long, value_name = "A,B")]
    pub sequence: Option<String>,

    /// A parameter of the law, for example tolerance=1e-10; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    pub parameters: Vec<(String, String)>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("expected NAME=VALUE, for example tolerance=1e-10".to_string()),
    }
}

impl LawOptions {
    /// Whether every outcome is asked for.
    pub fn wants_all(&self) -> bool {
        self.all || self.order.as_deref() == Some("all")
    }

    /// The settings other than "all", in the order in which they are applied.
    pub fn settings(&self) -> Vec<LawSetting> {
        let order = self.order.clone().filter(|order| order != "all");
        let (named, chosen): (Option<_>, Option<_>) = match order {
            Some(order) if order.contains(',') => (Some(order), None),
            order => (None, order),
        };
        let options = [
            ("--order", "order", chosen),
            ("--order", "sequence", named),
            ("--samples", "samples", self.samples.clone()),
            ("--step", "step", self.step.clone()),
            ("--max-steps", "max_steps", self.max_steps.clone()),
            ("--seed", "seed", self.seed.clone()),
            ("--jobs", "jobs", self.jobs.clone()),
            ("--sequence", "sequence", self.sequence.clone()),
        ];
        let options = options.into_iter().filter_map(|(written, name, value)| {
            Some(LawSetting {
                written: written.to_string(),
                name: name.to_string(),
                value: value?,
            })
        });
        let parameters = self.parameters.iter().map(|(name, value)| LawSetting {
            written: format!("--param {name}"),
            name: name.clone(),
            value: value.clone(),
        });
        options.chain(parameters).collect()
    }

    /// The law with these settings.
    ///
    /// # Errors
    /// The law does not have a setting, or the value is out of range.
    pub fn build(&self, entry: &LawEntry) -> Result<Box<dyn ImpactLaw>, String> {
        let mut draft = entry.draft();
        if self.wants_all() {
            LawSetting::exhaustive(entry)
                .ok_or_else(|| {
                    format!(
                        "--order all: law \"{}\" has nothing to enumerate",
                        entry.name
                    )
                })?
                .give_to(&mut draft)?;
        }
        for setting in self.settings() {
            if !setting.is_known_to(entry) {
                return Err(setting.unknown_to(entry));
            }
            setting.give_to(&mut draft)?;
        }
        draft.build().map_err(|error| error.to_string())
    }

    /// Checks that contacts that a setting names are contacts of the problem. A value that stands for every order of
    /// the contacts in one of the laws names none.
    ///
    /// # Errors
    /// The problem has no contact of a name.
    pub fn check_contacts(&self, laws: &[LawEntry], problem: &ImpactProblem) -> Result<(), String> {
        let known: Vec<&str> = problem.names().iter().map(|name| &**name).collect();
        let is_known = |name: &str| known.contains(&name) || name.parse::<usize>().is_ok();
        for setting in self.settings() {
            let mut taking = laws.iter().filter(|law| setting.is_known_to(law));
            let Some(mut names) = taking
                .try_fold(None, |_, law| setting.named_contacts(law).map(Some))
                .flatten()
            else {
                continue;
            };
            if let Some(unknown) = names.find(|name| !is_known(name)) {
                return Err(format!(
                    "{}: there is no contact \"{unknown}\"{}; the contacts are {}",
                    setting.written,
                    did_you_mean(unknown, known.iter().copied()),
                    known.join(", ")
                ));
            }
        }
        Ok(())
    }
}
