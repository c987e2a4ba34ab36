//! `carom design`: geometry, masses and stance that make an impact's outcome unique.

use std::fs;
use std::path::{Path, PathBuf};

use carom::design::{
    DesignSettings, DesignSolution, DesignStatus, MapAxis, Method, StartRecord, best_start,
    design_map, solve_start,
};
use carom::study::{BeforeAfter, DesignReport, DesignStudy, DropEvidence, write_whole};
use clap::Args;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::arguments::Shared;
use super::exit::{self, CommandResult, ExitStatus};
use super::text::{number, table};
use super::{design_map_plot, design_plots};

/// Tune a robot and its stance until simultaneous impacts have one outcome
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Design {
    /// Design file (TOML): robot, free parameters and coordinates, contacts that touch
    file: PathBuf,

    /// Folder for design.json, robot.urdf and plots [default: out/<name of the file>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Also draw cosines and indeterminacy over two free variables
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1)]
    map: Vec<String>,

    /// Points along each side of the map
    #[arg(long, value_name = "N", default_value_t = 41)]
    map_points: usize,

    /// Go on with the starting points that an interrupted run left in its checkpoint
    #[arg(long)]
    resume: bool,
}

const EXAMPLE: &str = "\
Example:
  carom design robots/trex/design.toml --out out/trex --map base.pitch,phi_A

Writes design.json, robot.urdf (the tuned robot, plain) and plots/*.svg.
Exit codes: 0 done, 1 the wanted cosines or gaps cannot be reached, 2 bad input.";

/// Starting points already tried, for `--resume`.
#[derive(Debug, Serialize, Deserialize)]
struct Checkpoint {
    /// Of the design file's contents and the starting robot.
    fingerprint: String,
    starts: Vec<StartRecord>,
}

impl Design {
    /// Reads, solves, and only then writes.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let study = DesignStudy::read(&self.file)?;
        if !(self.map.is_empty() || self.map.len() == 2) {
            return Err(format!("--map {}: name two variables, A,B", self.map.join(",")).into());
        }
        if self.map_points < 2 {
            return Err("--map-points: at least 2".into());
        }
        let out = self.out.clone().unwrap_or_else(|| {
            let stem = self.file.file_stem().unwrap_or_default();
            Path::new("out").join(stem)
        });
        let settings = study.design.solver.settings();
        let (records, solved) = match self.search(&study, &settings, &out, shared)? {
            Ok(found) => found,
            Err(error) => {
                exit::complain(&study.failed(error));
                return Ok(ExitStatus::CheckFailed);
            }
        };
        let mut report = study.report(&solved, records)?;
        let runs = [study.problem.start(), solved.variables.clone()]
            .map(|x| study.drop_in_both_orders(&x).transpose());
        if let [Some(before), Some(after)] = &runs {
            report.drop = Some(BeforeAfter {
                before: DropEvidence::new(before),
                after: DropEvidence::new(after),
            });
        }
        let map = self.map_of(&study, &solved, &settings)?;
        let urdf = study
            .robot
            .text(&solved.variables[..study.problem.parameter_count()])?;
        let mut distance = None;
        let mut plots = design_plots::draw(&study, &solved)?;
        if let [Some(Ok((_, before))), Some(Ok((_, after)))] = &runs {
            plots.push((
                "momentum_distance.svg".to_string(),
                design_plots::momentum_distance(before, after)?,
            ));
            distance = Some(design_plots::momentum_distance_csv(before, after));
        }
        if let Some(map) = &map {
            plots.extend(design_map_plot::draw(&study, map)?);
        }
        fs::create_dir_all(out.join("plots"))
            .map_err(|error| format!("{}: cannot be created: {error}", out.display()))?;
        let json = serde_json::to_string_pretty(&report)?;
        write(&out.join("robot.urdf"), &urdf)?;
        for (name, svg) in &plots {
            write(&out.join("plots").join(name), svg)?;
        }
        if let Some(map) = &map {
            write(&out.join("map.csv"), &design_map_plot::csv(map))?;
        }
        if let Some(csv) = &distance {
            write(&out.join("momentum_distance.csv"), csv)?;
        }
        write(&out.join("design.json"), &format!("{json}\n"))?;
        if shared.json {
            exit::answer(&format!("{json}\n"))?;
        } else {
            exit::answer(&text(&study, &report))?;
        }
        let failed =
            solved.status == DesignStatus::Compromise && settings.method != Method::Compromise;
        Ok(if failed {
            ExitStatus::CheckFailed
        } else {
            ExitStatus::Done
        })
    }

    /// Solves from every starting point that the checkpoint does not hold yet.
    #[allow(clippy::type_complexity)]
    fn search(
        &self,
        study: &DesignStudy,
        settings: &DesignSettings,
        out: &Path,
        shared: &Shared,
    ) -> Result<
        Result<(Vec<StartRecord>, DesignSolution), carom::design::DesignError>,
        Box<dyn std::error::Error>,
    > {
        let solver = &study.design.solver;
        if solver.starts == 1 {
            let solved = study.problem.solve(settings);
            return Ok(solved.map(|solution| (Vec::new(), solution)));
        }
        let file = out.join("checkpoint.json");
        let mut checkpoint = self.checkpoint(study, &file)?;
        let bar = if shared.quiet || shared.json {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(solver.starts)
        };
        bar.set_position(checkpoint.starts.len() as u64);
        for start in checkpoint.starts.len() as u64..solver.starts {
            let (record, _) = solve_start(&study.problem, settings, solver.seed, start);
            checkpoint.starts.push(record);
            fs::create_dir_all(out)
                .map_err(|error| format!("{}: cannot be created: {error}", out.display()))?;
            write(&file, &serde_json::to_string(&checkpoint)?)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let best = best_start(&checkpoint.starts).map_or(0, |r| r.start);
        // Run again from the best start: the same bits as the first time.
        let (_, solved) = solve_start(&study.problem, settings, solver.seed, best);
        let _ = fs::remove_file(&file);
        Ok(solved.map(|solution| (checkpoint.starts, solution)))
    }

    fn checkpoint(
        &self,
        study: &DesignStudy,
        file: &Path,
    ) -> Result<Checkpoint, Box<dyn std::error::Error>> {
        let start = study.problem.start();
        let robot = study
            .robot
            .text(&start[..study.problem.parameter_count()])?;
        let mut hash = Sha256::new();
        hash.update(toml::to_string(&study.design)?);
        hash.update(robot);
        let fingerprint: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        let fresh = Checkpoint {
            fingerprint: fingerprint.clone(),
            starts: Vec::new(),
        };
        if !self.resume || !file.exists() {
            return Ok(fresh);
        }
        let stored: Checkpoint = serde_json::from_str(&fs::read_to_string(file)?)
            .map_err(|error| format!("{}: is no checkpoint: {error}", file.display()))?;
        if stored.fingerprint != fingerprint {
            let reason = "belongs to another design file or robot; run without --resume";
            return Err(format!("{}: {reason}", file.display()).into());
        }
        Ok(stored)
    }

    fn map_of(
        &self,
        study: &DesignStudy,
        solved: &DesignSolution,
        settings: &DesignSettings,
    ) -> Result<Option<carom::design::DesignMap>, Box<dyn std::error::Error>> {
        let [first, second] = self.map.as_slice() else {
            return Ok(None);
        };
        let axis = |name: &String| {
            let variables = study.problem.variables();
            let found = variables.iter().position(|v| v.name == *name);
            // Without bounds: half a scale to both sides of the design.
            let (from, to) = found.map_or((0.0, 1.0), |i| {
                let (v, x) = (&variables[i], solved.variables[i]);
                let low = if v.lower.is_finite() {
                    v.lower
                } else {
                    x - 0.5 * v.scale
                };
                let high = if v.upper.is_finite() {
                    v.upper
                } else {
                    x + 0.5 * v.scale
                };
                (low, high)
            });
            MapAxis {
                variable: name.clone(),
                from,
                to,
                points: self.map_points,
            }
        };
        let axes = [axis(first), axis(second)];
        let map = design_map(&study.problem, &solved.variables, axes, settings);
        Ok(Some(map.map_err(|error| format!("--map: {error}"))?))
    }
}

fn write(path: &Path, text: &str) -> Result<(), carom::study::OutputFileError> {
    write_whole(path, |file| file.write_all(text.as_bytes()))
}

/// The table before and after.
fn text(study: &DesignStudy, report: &DesignReport) -> String {
    let mut rows = vec![["", "before", "after"].map(str::to_string).to_vec()];
    let mut row =
        |name: String, before: String, after: String| rows.push(vec![name, before, after]);
    for (before, after) in report.cosines.before.iter().zip(&report.cosines.after) {
        let [a, b] = &before.contacts;
        let stance = if study.problem.stances().len() > 1 {
            format!("{}: ", before.stance)
        } else {
            String::new()
        };
        row(
            format!("cosine {stance}{a}, {b}"),
            exact(before.cosine),
            exact(after.cosine),
        );
    }
    for (name, before) in &report.gaps_m.before {
        let after = report.gaps_m.after.get(name).copied().unwrap_or(f64::NAN);
        row(format!("gap {name} [m]"), exact(*before), exact(after));
    }
    let optional = |x: Option<f64>| x.map_or("-".to_string(), exact);
    let open = &report.smallest_open_gap_m;
    row(
        "smallest open gap [m]".to_string(),
        optional(open.before),
        optional(open.after),
    );
    row(
        "indeterminacy xi".to_string(),
        optional(report.xi.before),
        optional(report.xi.after),
    );
    let margin = &report.margin;
    row(
        "margin to another sequence".to_string(),
        optional(margin.before),
        optional(margin.after),
    );
    row(
        "mass [kg]".to_string(),
        exact(report.mass_kg.before),
        exact(report.mass_kg.after),
    );
    if let Some(drop) = &report.drop {
        row(
            "xi, landing closed".to_string(),
            optional(drop.before.xi_closed),
            optional(drop.after.xi_closed),
        );
        row(
            "orders apart by, landing".to_string(),
            optional(drop.before.distance_after_landing),
            optional(drop.after.distance_after_landing),
        );
        let time = |e: &DropEvidence| {
            e.parting.as_ref().map_or("never".to_string(), |p| {
                format!("{} ({})", exact(p.time_s), p.contacts.join(", "))
            })
        };
        row(
            "orders part at [s]".to_string(),
            time(&drop.before),
            time(&drop.after),
        );
    }
    for (name, value) in &report.parameters {
        let unit = study
            .robot
            .units()
            .find(|(n, _)| n == name)
            .map_or("", |(_, unit)| unit);
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" [{unit}]")
        };
        row(
            format!("{name}{unit}"),
            exact(value.before),
            exact(value.after),
        );
    }
    for (name, value) in &report.coordinates {
        row(name.clone(), exact(value.before), exact(value.after));
    }
    let status = match report.status {
        DesignStatus::Converged => "converged",
        DesignStatus::Compromise => "compromise",
    };
    let mut text = format!(
        "{}\n{status} after {} steps and {} to the nearest, {} from the start\n\n{}",
        report.description,
        report.iterations,
        report.refinements,
        number(report.distance, 1.0),
        table(&rows)
    );
    if !report.at_bounds.is_empty() {
        text.push_str(&format!("\nat a bound: {}\n", report.at_bounds.join(", ")));
    }
    if let Some(reason) = &report.reason {
        text.push_str(&format!(
            "\nnot all targets can be reached: {reason}\nrank {} of {} wanted cosines\n",
            report.rank, report.wanted
        ));
    }
    text
}

fn exact(value: f64) -> String {
    number(value, 0.0)
}
