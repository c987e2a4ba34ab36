//! `carom orbit`: the periodic orbit of a scenario, its multipliers, and whether it has any.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use carom::files::write_whole;
use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{
    BifurcationKind, Differentiability, Orbit, OrbitError, Scan, ScanRange, find_orbit, scan,
};
use clap::Args;

use super::arguments::Shared;
use super::exit;
use super::exit::{CommandResult, ExitStatus};
use super::text::table;

/// Find the periodic orbit of a scenario's [orbit], its period, Floquet multipliers and differentiability
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct OrbitCommand {
    /// Scenario file (TOML) with a table [orbit]; its initial state is the guess
    scenario: PathBuf,

    /// Override one key of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    /// Follow the orbit over a key of the scenario, and locate where its stability changes
    #[arg(long, value_name = "KEY=FROM:TO:N", value_parser = ScanRange::parse)]
    scan: Option<ScanRange>,

    /// Periods that the motion runs before the search begins
    #[arg(long, value_name = "PERIODS", default_value_t = 0)]
    settle: usize,

    /// Also write the answer into DIR/orbit.json; a scan into DIR/orbit.csv and DIR/bifurcations.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom orbit robots/compass/gait_long.toml
  carom orbit robots/compass/gait_long.toml --json --out out/walk
  carom orbit robots/compass/gait_long.toml --scan robot.mass_scale.hip=1:3:9 --out out/scan

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
            exit::answer(&report(&orbit))?;
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
    /// The orbit over a parameter.
    fn follow(&self, name: &str, range: &ScanRange, shared: &Shared) -> CommandResult {
        let scenario =
            |more: &[String]| Scenario::read(&self.scenario, &[&self.overrides, more].concat());
        let answer = scan(name, &scenario, range, self.settle)?;
        let bifurcations = format!("{}\n", serde_json::to_string(&answer.bifurcations)?);
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&answer)?))?;
        } else {
            exit::answer(&branch(&answer))?;
        }
        if let Some(folder) = &self.out {
            let files = [
                ("orbit.csv", csv(&answer)?),
                ("bifurcations.json", bifurcations),
            ];
            let files = [0, 1].map(|k| (files[k].0, files[k].1.as_str()));
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

fn branch(answer: &Scan) -> String {
    let mut rows = vec![
        [
            "parameter",
            "period s",
            "largest multiplier",
            "modulus",
            "return map",
        ]
        .map(str::to_string)
        .to_vec(),
    ];
    for point in &answer.points {
        let orbit = &point.orbit;
        let (multiplier, modulus) = match orbit.multipliers.first() {
            Some([re, im]) => (
                format!("{re:.9} {im:+.9} i"),
                format!("{:.9}", re.hypot(*im)),
            ),
            None => ("-".to_string(), "-".to_string()),
        };
        let parameter = format!("{}", point.parameter);
        rows.push(vec![
            parameter,
            format!("{:.9}", orbit.period_s),
            multiplier,
            modulus,
            kind(orbit).to_string(),
        ]);
    }
    let mut text = table(&rows);
    for found in &answer.bifurcations {
        let what = match found.kind {
            BifurcationKind::PeriodDoubling => "period doubling",
            BifurcationKind::Fold => "a multiplier passes 1",
            BifurcationKind::NeimarkSacker => "Neimark-Sacker",
        };
        text += &format!(
            "{what} at {} = {:.9}, period {:.9} s\n",
            answer.key, found.parameter, found.period_s
        );
    }
    text
}

fn kind(orbit: &Orbit) -> &'static str {
    orbit.differentiability.map_or("", Differentiability::word)
}

/// A row an orbit: parameter, period, state, multipliers, stability, differentiability.
fn csv(answer: &Scan) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let most = answer
        .points
        .iter()
        .map(|p| p.orbit.multipliers.len())
        .max();
    if let Some(first) = answer.points.first() {
        let state = &first.orbit.state;
        let mut header = vec!["parameter".to_string(), "period_s".to_string()];
        header.extend(state.q.keys().map(|name| format!("q_{name}")));
        header.extend(state.v.keys().map(|name| format!("v_{name}")));
        for k in 0..most.unwrap_or(0) {
            header.extend([format!("multiplier_{k}_re"), format!("multiplier_{k}_im")]);
        }
        header.extend(["stable", "differentiability"].map(str::to_string));
        writer.write_record(&header)?;
    }
    for point in &answer.points {
        let orbit = &point.orbit;
        let mut row = vec![point.parameter.to_string(), orbit.period_s.to_string()];
        let values = orbit.state.q.values().chain(orbit.state.v.values());
        row.extend(values.map(f64::to_string));
        for k in 0..most.unwrap_or(0) {
            match orbit.multipliers.get(k) {
                Some(parts) => row.extend(parts.map(|x| x.to_string())),
                None => row.extend([String::new(), String::new()]),
            }
        }
        row.push(
            orbit
                .stable
                .map_or(String::new(), |stable| stable.to_string()),
        );
        row.push(kind(orbit).to_string());
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
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
        Some(Differentiability::Differentiable) => "differentiable",
        Some(Differentiability::Piecewise) => "piecewise differentiable: no multipliers",
        Some(Differentiability::Discontinuous) => {
            "discontinuous: no multipliers, and nothing is said of stability"
        }
        None => "not looked at: this is no orbit",
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
