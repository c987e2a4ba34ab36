//! `carom design`: geometry, masses and stance that make an impact's outcome unique.

pub mod map_plot;
pub mod orbit;
pub mod pictures;
pub mod plots;
pub mod search;
pub mod text;

use std::path::{Path, PathBuf};

use carom::design::{DesignSettings, DesignSolution, DesignStatus, MapAxis, Method, design_map};
use carom::files::{DESIGN_OUTPUT, OutputFolder};
use carom::scenario::ROBOT_FILE;
use carom::study::design::{BeforeAfter, DesignStudy, DropEvidence, DropRun};
use carom::study::orbit_design::OrbitDesignFile;
use clap::Args;

use super::arguments::Shared;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::interrupt::Held;
use super::terminal::{exit, interrupt};
use search::Search;

/// Tune a robot and its stance or orbit until simultaneous impacts have one outcome
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Design {
    /// Design file (TOML): robot, free parameters and coordinates, contacts that touch
    file: PathBuf,

    /// Folder for design.json, robot.urdf and plots [default: out/ROBOT-NAME, where the file is NAME.toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Override one key of the design file, for example solver.starts=4; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

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
  carom design robots/trex/design.toml --set solver.starts=8
  carom design robots/bar/design.toml --out out/bar && carom orbit out/bar/scenario.toml

Writes design.json, robot.urdf (the tuned robot, plain), plots/*.svg, and for a robot that falls the simulated drops
before and after: momentum_distance.csv, drop_before and drop_after (carom simulate DIR/drop_after/scenario.toml). Of a
file with a table [orbit]: the robot tuned on that periodic orbit, and scenario.toml, which carom orbit takes.
Exit codes: 0 done, 1 the wanted cosines or gaps cannot be reached, 2 bad input, 3 a file cannot be written.";

impl Design {
    /// Reads, solves, and only then writes.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        if OrbitDesignFile::is_one(&self.file) {
            return self.run_on_orbit(shared);
        }
        let study = DesignStudy::read(&self.file, &self.overrides)?;
        if !(self.map.is_empty() || self.map.len() == 2) {
            return Err(format!("--map {}: name two variables, A,B", self.map.join(",")).into());
        }
        if self.map_points < 2 {
            return Err("--map-points: at least 2".into());
        }
        let out = self.out.clone().unwrap_or_else(|| default_folder(&study));
        let settings = study.design.solver.settings();
        let held = OutputFolder::hold(&out, &DESIGN_OUTPUT)?;
        held.check([&self.file, &study.design.robot.file])?;
        interrupt::hold(Held::Folder(held));
        interrupt::advise("; nothing was written");
        let search = Search {
            study: &study,
            settings: &settings,
            out: &out,
            resume: self.resume,
            silent: shared.quiet || shared.json,
        };
        let (records, solved) = match search.run()? {
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
        let mut plots = plots::draw(&study, &solved)?;
        if let [Some(Ok(before)), Some(Ok(after))] = &runs {
            plots.push((
                "momentum_distance.svg".to_string(),
                plots::momentum_distance(&before.curve, &after.curve)?,
            ));
            distance = Some(plots::momentum_distance_csv(&before.curve, &after.curve));
        }
        if let Some(map) = &map {
            plots.extend(map_plot::draw(&study, map, &solved.variables));
        }
        let json = serde_json::to_string_pretty(&report)?;
        let writing = interrupt::writing();
        if let Held::Folder(folder) = &*writing {
            folder.clear().map_err(exit::not_written)?;
        }
        exit::make_folder(&out.join("plots"))?;
        for (name, svg) in &plots {
            exit::write_text(&out.join("plots").join(name), svg)?;
        }
        if let Some(map) = &map {
            exit::write_text(&out.join("map.csv"), &map_plot::csv(map))?;
        }
        if let Some(csv) = &distance {
            exit::write_text(&out.join("momentum_distance.csv"), csv)?;
        }
        for (name, run) in ["drop_before", "drop_after"].iter().zip(&runs) {
            if let Some(Ok(run)) = run {
                write_drop(&out.join(name), run)?;
            }
        }
        exit::write_text(&out.join("robot.urdf"), &urdf)?;
        // Last: it says that the others are whole.
        exit::write_text(&out.join(DESIGN_OUTPUT.summary), &format!("{json}\n"))?;
        if shared.json {
            exit::answer(&format!("{json}\n"))?;
        } else {
            exit::answer(&text::text(&study, &report))?;
        }
        let failed =
            solved.status == DesignStatus::Compromise && settings.method != Method::Compromise;
        Ok(if failed {
            ExitStatus::CheckFailed
        } else {
            ExitStatus::Done
        })
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
                let or = |bound: f64, near: f64| if bound.is_finite() { bound } else { near };
                (
                    or(v.lower, x - 0.5 * v.scale),
                    or(v.upper, x + 0.5 * v.scale),
                )
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

/// `out/<robot>-<file>`: files of several robots are called design.toml.
fn default_folder(study: &DesignStudy) -> PathBuf {
    folder_of(&study.robot_name, Path::new(&study.file))
}

fn folder_of(robot: &str, file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default();
    let robot: String = robot
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    Path::new("out").join(format!("{robot}-{}", stem.to_string_lossy()))
}

/// A drop as a scenario that runs again: `carom simulate DIR/scenario.toml`.
fn write_drop(folder: &Path, run: &DropRun) -> Result<(), Box<dyn std::error::Error>> {
    exit::make_folder(folder)?;
    let scenario = run.experiment.resolved().to_toml()?;
    exit::write_text(&folder.join("scenario.toml"), &scenario)?;
    exit::write_text(&folder.join(ROBOT_FILE), run.experiment.robot_text())?;
    Ok(())
}
