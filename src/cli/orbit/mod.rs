//! `carom orbit`: the periodic orbit of a scenario, its multipliers, and whether it has any.

mod report;
mod tables;

use std::path::{Path, PathBuf};

use carom::files::write_whole;
use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{OrbitError, ScanRange, find_orbit, find_orbits, scan};
use clap::Args;

use super::arguments::Shared;
use super::exit;
use super::exit::{CommandResult, ExitStatus};

/// Find the periodic orbit of a scenario's [orbit], its period, Floquet multipliers and differentiability
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct OrbitCommand {
    /// Scenario file (TOML) with a table [orbit]; its initial state is the guess
    scenario: PathBuf,

    /// Override one key of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    /// Follow the orbit over a key of the scenario, through folds, and locate where its stability or its kind changes
    #[arg(long, value_name = "KEY=FROM:TO:N", value_parser = ScanRange::parse)]
    scan: Option<ScanRange>,

    /// Look from so many starts, drawn around the initial state, and tell every distinct orbit once
    #[arg(long, value_name = "N", conflicts_with = "scan", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    starts: Option<u64>,

    /// Seed of the draws of --starts
    #[arg(long, value_name = "S", default_value_t = 0, requires = "starts")]
    seed: u64,

    /// Periods that the motion runs before the search begins
    #[arg(long, value_name = "PERIODS", default_value_t = 0)]
    settle: usize,

    /// Also write the answer into DIR/orbit.json, of --starts into DIR/orbits.json, of a scan into DIR/orbit.csv, bifurcations.json and changes.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom orbit robots/compass/gait_long.toml
  carom orbit robots/compass/gait_long.toml --json --out out/walk
  carom orbit robots/compass/gait_long.toml --scan robot.mass_scale.hip=1:3:9 --out out/scan
  carom orbit robots/compass/gait_long.toml --starts 20 --seed 1

The section is just after a contact strikes, every period of a force or schedule, or where a coordinate passes a value:
  [orbit]
  section = { impact = \"foot\" }      # or { period = 0.6 }, or { crossing = \"q_hip\", value = 0.0, direction = \"rising\" }
  symmetry = { swap = [[\"left\", \"right\"]], drift = [\"base.x\"] }
  strides = 1
Exit codes: 0 found, 1 not found (where the search ended is printed), 2 bad input, 3 found, but DIR cannot be written.";

impl OrbitCommand {
    /// Searches, prints and writes.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let name = self.scenario.display().to_string();
        if let Some(range) = &self.scan {
            return self.follow(&name, range, shared);
        }
        let scenario = Scenario::read(&self.scenario, &self.overrides)?;
        let experiment = Experiment::new(&name, scenario)?;
        if let Some(starts) = self.starts {
            return self.look_around(&experiment, starts as usize, shared);
        }
        let orbit = match find_orbit(&experiment, self.settle) {
            Ok(orbit) => orbit,
            Err(error @ (OrbitError::NoReturn { .. } | OrbitError::Simulation(_))) => {
                exit::complain(&format!("{name}: {error}"));
                return Ok(ExitStatus::CheckFailed);
            }
            Err(error) => return Err(error.into()),
        };
        let json = format!("{}\n", serde_json::to_string(&orbit)?);
        if shared.json {
            exit::answer(&json)?;
        } else {
            exit::answer(&report::report(&orbit))?;
        }
        if let Some(folder) = &self.out
            && let Err(error) = write_into(folder, &[("orbit.json", &json)])
        {
            exit::complain(&error);
            return Ok(ExitStatus::StoppedEarly);
        }
        Ok(if orbit.found {
            ExitStatus::Done
        } else {
            ExitStatus::CheckFailed
        })
    }
}

impl OrbitCommand {
    /// Distinct orbits from many starts.
    fn look_around(
        &self,
        experiment: &Experiment,
        starts: usize,
        shared: &Shared,
    ) -> CommandResult {
        let answer = find_orbits(experiment, self.settle, starts, self.seed)?;
        let json = format!("{}\n", serde_json::to_string(&answer)?);
        if shared.json {
            exit::answer(&json)?;
        } else {
            exit::answer(&report::orbits(&answer))?;
        }
        let first = answer
            .orbits
            .first()
            .map(|found| serde_json::to_string(&found.orbit));
        if let Some(folder) = &self.out {
            let first = first.transpose()?.map(|text| format!("{text}\n"));
            let files = [("orbits.json", Some(&json)), ("orbit.json", first.as_ref())];
            let files: Vec<(&str, &str)> = (files.into_iter())
                .filter_map(|(name, text)| Some((name, text?.as_str())))
                .collect();
            if let Err(error) = write_into(folder, &files) {
                exit::complain(&error);
                return Ok(ExitStatus::StoppedEarly);
            }
        }
        Ok(if answer.orbits.is_empty() {
            ExitStatus::CheckFailed
        } else {
            ExitStatus::Done
        })
    }

    /// The orbit over a parameter.
    fn follow(&self, name: &str, range: &ScanRange, shared: &Shared) -> CommandResult {
        let scenario =
            |more: &[String]| Scenario::read(&self.scenario, &[&self.overrides, more].concat());
        let answer = scan(name, &scenario, range, self.settle)?;
        let bifurcations = format!("{}\n", serde_json::to_string(&answer.bifurcations)?);
        let changes = format!("{}\n", serde_json::to_string(&answer.changes)?);
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&report::branch(&answer))?;
        }
        if let Some(folder) = &self.out {
            let files = [
                ("orbit.csv", tables::csv(&answer)?),
                ("bifurcations.json", bifurcations),
                ("changes.json", changes),
            ];
            let files = [0, 1, 2].map(|k| (files[k].0, files[k].1.as_str()));
            if let Err(error) = write_into(folder, &files) {
                exit::complain(&error);
                return Ok(ExitStatus::StoppedEarly);
            }
        }
        if let Some((parameter, reason)) = &answer.ended {
            exit::complain(&format!(
                "the branch ends at {} = {parameter}: {reason}",
                answer.key
            ));
            return Ok(ExitStatus::CheckFailed);
        }
        Ok(ExitStatus::Done)
    }
}

/// Writes files into a folder, each whole or not at all.
fn write_into(folder: &Path, files: &[(&str, &str)]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in files {
        let file = folder.join(name);
        write_whole(&file, |out| out.write_all(text.as_bytes())).map_err(|e| e.to_string())?;
    }
    Ok(())
}
