//! `carom orbit`: periodic orbits of a scenario, their multipliers, and whether they have any.

mod basin_map;
mod folder;
mod page;
mod pictures;
pub(in crate::cli) mod report;
mod tables;

use std::path::PathBuf;

use carom::laws::LawRegistry;
use carom::scenario::{Experiment, ExperimentCache, Scenario};
use carom::study::orbit::{
    Basin, Orbit, OrbitError, ScanRange, basin, experiment_of, find_orbit, find_orbits, scan,
};
use clap::Args;

use super::arguments::Shared;
use super::terminal::exit;
use super::terminal::exit::{CommandResult, ExitStatus};

/// Periods after which a motion of the basin map is undecided.
const BASIN_PERIODS: usize = 200;

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

    /// Map where motions go over two coordinates of the section (give it twice); into DIR/basin.svg, basin.csv, basin.json
    #[arg(long, value_name = "COORDINATE=FROM:TO:N", conflicts_with = "scan", requires = "out", value_parser = ScanRange::parse)]
    basin: Vec<ScanRange>,

    /// Periods that the motion runs before the search begins
    #[arg(long, value_name = "PERIODS", default_value_t = 0)]
    settle: usize,

    /// Also write the answer into DIR, with pictures, a page (orbit.html) and the run of a period with a replay that repeats
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom orbit robots/compass/gait_long.toml
  carom orbit robots/compass/gait_long.toml --json --out out/walk
  carom orbit robots/compass/gait_long.toml --scan robot.mass_scale.hip=1:3:9 --out out/scan
  carom orbit robots/compass/gait_long.toml --starts 20 --seed 1
  carom orbit robots/compass/gait_long.toml --out out/basin --basin q_leading=0.19:0.27:9 --basin v_trailing=-0.8:-0.3:9

The section is just after a contact strikes, every period of a force or schedule, or where a coordinate passes a value:
  [orbit]
  section = { impact = \"foot\" }      # or { period = 0.6 }, or { crossing = \"q_hip\", value = 0.0, direction = \"rising\" }
  symmetry = { swap = [[\"left\", \"right\"]], drift = [\"base.x\"] }
  strides = 1
  free = [\"robot.mass_scale.hip\"]     # keys of the scenario, found with the orbit so that it has what is
  wanted = { speed_m_s = 0.25 }        # wanted: speed_m_s, period_s, advance_base.x, cost_of_transport, ...
DIR holds orbit.json (of --starts also orbits.json), phase_*.svg, multipliers.svg, orbit.html and run/replay.html; of a scan
orbit.csv, bifurcations.json, changes.json, bifurcation_*.svg, multipliers.svg and orbit.html.
Exit codes: 0 found, 1 not found (where the search ended is printed), 2 bad input, 3 found, but DIR cannot be written.";

impl OrbitCommand {
    /// Searches, prints and writes.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let name = self.scenario.display().to_string();
        if let Some(range) = &self.scan {
            return self.follow(&name, range, shared);
        }
        let axes: Option<&[ScanRange; 2]> = match self.basin.as_slice() {
            [] => None,
            two => Some(two.try_into().map_err(|_| {
                "--basin is given twice, for the two coordinates of the map".to_string()
            })?),
        };
        let scenario = Scenario::read(&self.scenario, &self.overrides)?;
        let experiment = Experiment::new(&name, scenario)?;
        match self.starts {
            Some(starts) => self.look_around(&experiment, starts as usize, axes, shared),
            None => self.look(&experiment, axes, shared),
        }
    }

    /// One orbit.
    fn look(
        &self,
        experiment: &Experiment,
        axes: Option<&[ScanRange; 2]>,
        shared: &Shared,
    ) -> CommandResult {
        let orbit = match find_orbit(experiment, self.settle) {
            Ok(orbit) => orbit,
            Err(
                error @ (OrbitError::NoReturn { .. }
                | OrbitError::Simulation(_)
                | OrbitError::NotRepeated { .. }
                | OrbitError::NotAsWanted { .. }),
            ) => {
                exit::complain(&format!("{}: {error}", experiment.file));
                return Ok(ExitStatus::CheckFailed);
            }
            Err(error) => return Err(error.into()),
        };
        let experiment = &experiment_of(experiment, &orbit)?;
        let orbits: Vec<&Orbit> = [&orbit].into_iter().filter(|orbit| orbit.found).collect();
        let map = mapped(experiment, &orbits, axes)?;
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&orbit)?))?;
        } else {
            exit::answer(&report::report(&orbit))?;
        }
        if let Some(path) = &self.out {
            folder::write_orbits(path, experiment, Some(&orbit), None, map.as_ref())
                .map_err(exit::not_written)?;
        }
        Ok(status(orbit.found))
    }

    /// Distinct orbits from many starts.
    fn look_around(
        &self,
        experiment: &Experiment,
        starts: usize,
        axes: Option<&[ScanRange; 2]>,
        shared: &Shared,
    ) -> CommandResult {
        let answer = find_orbits(experiment, self.settle, starts, self.seed)?;
        let orbits: Vec<&Orbit> = answer.orbits.iter().map(|found| &found.orbit).collect();
        let map = mapped(experiment, &orbits, axes)?;
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&report::orbits(&answer))?;
        }
        let first = orbits.first().copied();
        if let Some(path) = &self.out {
            folder::write_orbits(path, experiment, first, Some(&answer), map.as_ref())
                .map_err(exit::not_written)?;
        }
        Ok(status(first.is_some()))
    }

    /// The orbit over a parameter.
    fn follow(&self, name: &str, range: &ScanRange, shared: &Shared) -> CommandResult {
        let (laws, cache) = (LawRegistry::standard(), ExperimentCache::default());
        let made = |more: &[String]| {
            let scenario = Scenario::read(&self.scenario, &[&self.overrides, more].concat())?;
            Experiment::cached(name, scenario, &laws, &cache)
        };
        let answer = scan(&made, range, self.settle)?;
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&report::branch(&answer))?;
        }
        if let Some(path) = &self.out {
            let experiment = made(&[])?;
            folder::write_branch(path, &experiment, &answer).map_err(exit::not_written)?;
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

fn mapped(
    experiment: &Experiment,
    orbits: &[&Orbit],
    axes: Option<&[ScanRange; 2]>,
) -> Result<Option<Basin>, OrbitError> {
    match axes {
        Some(axes) if !orbits.is_empty() => {
            basin(experiment, orbits, axes, BASIN_PERIODS).map(Some)
        }
        _ => Ok(None),
    }
}

fn status(found: bool) -> ExitStatus {
    if found {
        ExitStatus::Done
    } else {
        ExitStatus::CheckFailed
    }
}
