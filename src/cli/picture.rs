//! `carom picture`: a robot at a moment of its run, as a drawing.

use std::path::PathBuf;

use carom::record::RunSeries;
use carom::scenario::{Experiment, Scenario};
use carom::views::picture::{PictureView, draw_picture};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::arguments::Shared;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::{exit, interrupt};

const SIZE: (f64, f64) = (720.0, 540.0);

/// Draw the robot of a run at one time as SVG
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Picture {
    /// Folder that `carom simulate` wrote
    #[arg(value_name = "RUN")]
    folder: PathBuf,

    /// The time (s); the row of series.csv that is nearest is drawn [default: the end]
    #[arg(long, value_name = "T")]
    time: Option<f64>,

    /// From where
    #[arg(long, value_enum, default_value_t = From::Oblique)]
    from: From,

    /// The robot's own file, whose folder holds its meshes [default: robot.urdf of the run, with packages of the scenario]
    #[arg(long, value_name = "FILE")]
    robot: Option<PathBuf>,

    /// The drawing [default: picture.svg in the folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    Oblique,
    Side,
    Front,
    Top,
}

const EXAMPLE: &str = "\
Example:
  carom simulate robots/quadruped/stand.toml --out out/stand
  carom picture out/stand
  carom picture out/stand --time 0.25 --from side --out doc/stand.svg

Exit codes: 0 done, 2 the folder is not one of results, 3 the picture cannot be written.";

#[derive(Serialize)]
struct Answer<'a> {
    picture: &'a std::path::Path,
}

impl Picture {
    /// Reads the run and writes the drawing.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        if self.time.is_some_and(|time| !time.is_finite()) {
            return Err("--time must be a number of seconds".into());
        }
        let file = self.folder.join("scenario.toml");
        let mut scenario = Scenario::read(&file, &[])?;
        if let Some(robot) = &self.robot {
            if scenario.robot.len() > 1 {
                return Err("--robot is the file of one robot, and the run has several".into());
            }
            scenario.robot.first_mut().file.clone_from(robot);
        }
        let experiment = Experiment::new(&file.display().to_string(), scenario)?;
        let table = self.folder.join("series.csv");
        let series = RunSeries::read(&table)?;
        let time = self.time.unwrap_or(series.last_time());
        let view = match self.from {
            From::Oblique => PictureView::OBLIQUE,
            From::Side => PictureView::SIDE,
            From::Front => PictureView::FRONT,
            From::Top => PictureView::TOP,
        };
        let picture = draw_picture(&experiment, &series, time, view, SIZE).ok_or_else(|| {
            let table = table.display();
            format!(
                "{table}: it holds no configuration of robot \"{}\"",
                experiment.model.name()
            )
        })?;
        let default = self.folder.join("picture.svg");
        let out = self.out.as_ref().unwrap_or(&default);
        let _writing = interrupt::writing();
        exit::write_text(out, &picture)?;
        let text = match shared.json {
            true => serde_json::to_string(&Answer { picture: out })?,
            false => out.display().to_string(),
        };
        exit::answer(&format!("{text}\n"))?;
        Ok(ExitStatus::Done)
    }
}
