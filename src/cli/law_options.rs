//! The options that set up an impact law, shared by the commands that resolve one impact.

use carom::impact::{ImpactLaw, ImpactProblem};
use carom::study::did_you_mean;
use clap::Args;

/// Options of the impact laws. One that the chosen law does not have is an error.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of the law")]
pub struct LawOptions {
    /// Which violated contact acts next: most-violated, least-violated, index or random (propagative)
    #[arg(long, value_name = "ORDER")]
    pub order: Option<String>,

    /// Every admissible sequence instead of one (propagative); every solution (anitescu-potra)
    #[arg(long)]
    pub all: bool,

    /// Number of samples of the set of outcomes (routh)
    #[arg(long, value_name = "N")]
    pub samples: Option<String>,

    /// Largest normal impulse of one increment, N s (routh)
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

    /// Contacts in the cyclic order in which they are resolved, by name (sequential)
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

/// One setting of a law and the words on the command line it came from.
#[derive(Debug, Clone)]
pub struct Setting {
    /// As the user wrote it, for messages: `--samples`, `--param theta_max`.
    pub written: String,
    /// The law's name for it.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl LawOptions {
    /// The settings that do not depend on the problem, in the order in which they are applied.
    pub fn settings(&self) -> Vec<Setting> {
        let options = [
            ("--order", "order", self.order.clone()),
            ("--all", "all", self.all.then(|| "true".to_string())),
            ("--samples", "samples", self.samples.clone()),
            ("--step", "step", self.step.clone()),
            ("--max-steps", "max_steps", self.max_steps.clone()),
            ("--seed", "seed", self.seed.clone()),
            ("--jobs", "jobs", self.jobs.clone()),
        ];
        let options = options.into_iter().filter_map(|(written, name, value)| {
            Some(Setting {
                written: written.to_string(),
                name: name.to_string(),
                value: value?,
            })
        });
        let parameters = self.parameters.iter().map(|(name, value)| Setting {
            written: format!("--param {name}"),
            name: name.clone(),
            value: value.clone(),
        });
        options.chain(parameters).collect()
    }

    /// Gives the law the settings that do not depend on the problem.
    ///
    /// # Errors
    /// The law does not have a setting, or the value is out of range.
    pub fn configure(&self, law: &mut dyn ImpactLaw) -> Result<(), String> {
        for setting in self.settings() {
            law.set_parameter(&setting.name, &setting.value)
                .map_err(|error| format!("{}: {error}", setting.written))?;
        }
        Ok(())
    }

    /// The value of the parameter `sequence` for this problem: indices of the named contacts.
    ///
    /// # Errors
    /// The problem has no contact of a name.
    pub fn sequence_parameter(&self, problem: &ImpactProblem) -> Result<Option<String>, String> {
        let Some(sequence) = &self.sequence else {
            return Ok(None);
        };
        let indices: Vec<String> = contact_indices(sequence, problem)?
            .iter()
            .map(usize::to_string)
            .collect();
        Ok(Some(indices.join(",")))
    }
}

fn contact_indices(sequence: &str, problem: &ImpactProblem) -> Result<Vec<usize>, String> {
    let names = problem.names();
    sequence
        .split(',')
        .map(str::trim)
        .map(|wanted| {
            names
                .iter()
                .position(|name| &**name == wanted)
                .ok_or_else(|| {
                    let known: Vec<&str> = names.iter().map(|name| &**name).collect();
                    format!(
                        "--sequence: there is no contact \"{wanted}\"{}; the contacts are {}",
                        did_you_mean(wanted, known.iter().copied()),
                        known.join(", ")
                    )
                })
        })
        .collect()
}
