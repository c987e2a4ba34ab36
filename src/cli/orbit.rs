//! `carom orbit`: the periodic orbit of a scenario, its multipliers, and whether it has any.

use std::fmt::Write;
use std::path::PathBuf;

use carom::files::write_whole;
use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{Differentiability, Orbit, OrbitError, find_orbit};
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

    /// Also write the answer into DIR/orbit.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom orbit robots/compass/walk.toml
  carom orbit robots/compass/walk.toml --json --out out/walk

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
        let scenario = Scenario::read(&self.scenario, &self.overrides)?;
        let experiment = Experiment::new(&name, scenario)?;
        let orbit = match find_orbit(&experiment) {
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
            exit::answer(&report(&orbit))?;
        }
        if let Some(folder) = &self.out {
            let file = folder.join("orbit.json");
            let written = std::fs::create_dir_all(folder)
                .map_err(|error| format!("{}: {error}", folder.display()))
                .and_then(|()| {
                    write_whole(&file, |out| out.write_all(json.as_bytes()))
                        .map_err(|error| error.to_string())
                });
            if let Err(error) = written {
                exit::complain(&error);
                return Ok(ExitStatus::StoppedEarly);
            }
        }
        Ok(if orbit.found {
            ExitStatus::Done
        } else {
            ExitStatus::CheckFailed
        })
    }
}

fn report(orbit: &Orbit) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = lines(&mut text, orbit);
    text
}

fn lines(out: &mut String, orbit: &Orbit) -> std::fmt::Result {
    writeln!(
        out,
        "status            {} after {} Newton iterations; a return differs by {:.1e}",
        orbit.status, orbit.iterations, orbit.residual
    )?;
    writeln!(
        out,
        "period            {} s in {} strides",
        orbit.period_s, orbit.strides
    )?;
    for (name, way) in &orbit.advance {
        writeln!(out, "advance           {way} along {name}")?;
    }
    for (name, value) in &orbit.section_point {
        writeln!(out, "section           {name} = {value}")?;
    }
    let word = match orbit.differentiability {
        Differentiability::Differentiable => "differentiable",
        Differentiability::Piecewise => "piecewise differentiable: no multipliers",
        Differentiability::Discontinuous => {
            "discontinuous: no multipliers, and nothing is said of stability"
        }
    };
    writeln!(out, "return map        {word}")?;
    for [re, im] in &orbit.multipliers {
        let imaginary = if *im == 0.0 {
            String::new()
        } else {
            format!(" {im:+.9} i")
        };
        writeln!(
            out,
            "multiplier        {re:.9}{imaginary}   (modulus {:.9})",
            re.hypot(*im)
        )?;
    }
    let verdict = match orbit.stable {
        Some(true) => "stable",
        Some(false) => "unstable",
        None => "not decided",
    };
    writeln!(out, "stability         {verdict}")?;
    for strike in &orbit.simultaneous {
        writeln!(
            out,
            "at once           {} at {} s",
            strike.contacts.join(", "),
            strike.time_s
        )?;
        for order in &strike.orders {
            writeln!(
                out,
                "  {} first: {}",
                order.order.join(", "),
                order.sequence.join(" ")
            )?;
        }
        let largest = strike.jump.values().copied().fold(0.0, f64::max);
        writeln!(out, "  velocities after differ by up to {largest:.3e}")?;
    }
    writeln!(
        out,
        "energy            {} J lost in impacts, {} J supplied",
        orbit.energy_lost_J, orbit.energy_supplied_J
    )?;
    if let Some(cost) = orbit.cost_of_transport {
        writeln!(out, "cost of transport {cost}")?;
    }
    if let Some((name, depth)) = &orbit.scuffing {
        writeln!(
            out,
            "scuffing          {name} passes {depth} m below the ground where it must not strike"
        )?;
    }
    for event in &orbit.events {
        writeln!(
            out,
            "event             {:.9} s {} {}",
            event.time_s,
            event.kind,
            event.contacts.join(", ")
        )?;
    }
    Ok(())
}
