//! The options that set up an impact law, shared by the commands that resolve one impact.

use carom::impact::{ImpactLaw, ImpactProblem};
use carom::study::{LawEntry, LawSetting, did_you_mean};
use clap::Args;

/// Options of the impact laws. One that the chosen law does not have is an error.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of the law")]
pub struct LawOptions {
    /// Which violated contact acts next: most-violated, least-violated, index or random (propagative)
    #[arg(long, value_name = "ORDER")]
    pub order: Option<String>,

    /// Every outcome instead of one: all admissible sequences (propagative), all solutions
    /// (anitescu-potra), all orders (sequential)
    #[arg(long)]
    pub all: bool,

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

    /// Contacts by name in the cyclic order in which they are resolved (sequential, stronge)
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
    /// The settings other than `--all`, in the order in which they are applied.
    pub fn settings(&self) -> Vec<LawSetting> {
        let options = [
            ("--order", "order", self.order.clone()),
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

    /// Gives the law its settings.
    ///
    /// # Errors
    /// The law does not have a setting, or the value is out of range.
    pub fn configure(&self, entry: &LawEntry, law: &mut dyn ImpactLaw) -> Result<(), String> {
        if self.all {
            LawSetting::exhaustive(entry)
                .ok_or_else(|| format!("--all: law \"{}\" has nothing to enumerate", entry.name))?
                .give_to(law)?;
        }
        for setting in self.settings() {
            if !setting.is_known_to(entry) {
                return Err(setting.unknown_to(entry));
            }
            setting.give_to(law)?;
        }
        Ok(())
    }

    /// Checks that the contacts of a given sequence are contacts of the problem.
    ///
    /// # Errors
    /// The problem has no contact of a name.
    pub fn check_sequence(&self, problem: &ImpactProblem) -> Result<(), String> {
        let known: Vec<&str> = problem.names().iter().map(|name| &**name).collect();
        let settings = self.settings();
        let given = settings
            .iter()
            .filter(|s| s.name == "sequence" && s.value.trim() != "all");
        for setting in given {
            let is_known = |name: &str| known.contains(&name) || name.parse::<usize>().is_ok();
            let mut words = setting.value.split(',').map(str::trim);
            if let Some(unknown) = words.find(|name| !is_known(name)) {
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
