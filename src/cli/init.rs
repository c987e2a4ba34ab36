//! `carom init`: a scenario for a robot of which nothing but its file is known.

use std::path::{Path, PathBuf};

use carom::scenario::starter::{Starter, StarterController};
use clap::{Args, ValueEnum};

use super::arguments::Shared;
use super::robot_options::RobotOptions;
use super::terminal::exit;
use super::terminal::exit::{CommandResult, ExitStatus};

/// Write a scenario for a robot's file: contact sites, standing height, servos for all joints
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Init {
    /// Robot file: URDF, or xacro
    robot: PathBuf,

    /// The scenario; without it the text is printed
    #[arg(long, value_name = "SCENARIO.toml")]
    out: Option<PathBuf>,

    /// Replace a file that is there
    #[arg(long)]
    force: bool,

    /// Who drives the joints
    #[arg(long, value_enum, default_value_t = ControllerOption::Servo)]
    controller: ControllerOption,

    #[command(flatten)]
    options: RobotOptions,
}

const EXAMPLE: &str = "\
Example:
  carom init robots/quadruped/a1.urdf --out a1.toml
  carom simulate a1.toml
  carom init robots/quadruped/a1.urdf --controller gait --out a1_walks.toml

A robot that several limbs of start at its root link gets a floating base, another one a fixed base; --base says it. All
collision shapes become contact sites. The robot starts with every joint at zero, or as near as its limits allow; if it
would tip over like that, the joints lean until its centre of mass is over what touches the ground. Servos are stiff enough
to carry it. With --controller gait, limbs with a joint about the lateral axis (y) whose feet are lowest are legs: two joints
of each follow sines within their limits, legs of one joint without limits turn by a Buehler clock. A robot without
collision shapes gets contact sites at points of its visual shapes then. `carom simulate ROBOT.urdf` does the same without writing the scenario.
Exit codes: 0 done, 2 bad input (nothing is written), 3 the scenario cannot be written.";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ControllerOption {
    /// Servos hold the pose
    Servo,
    /// Its legs walk slowly
    Gait,
    /// Nobody; the robot falls limp
    None,
}

impl Init {
    /// Chooses, writes and says what was chosen.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let mut options = self.options.starter_options();
        options.controller = match self.controller {
            ControllerOption::Servo => StarterController::Servo,
            ControllerOption::Gait => StarterController::Gait,
            ControllerOption::None => StarterController::None,
        };
        let folder = self.out.as_ref().map(|file| match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        });
        if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(format!("{}: there is no such folder", folder.display()).into());
        }
        if let Some(file) = self.out.as_deref().filter(|file| file.exists())
            && !self.force
        {
            let there = format!("{}: is there already; --force replaces it", file.display());
            return Err(there.into());
        }
        let starter = Starter::new(&self.robot, folder.as_deref(), &options)?;
        let Some(file) = &self.out else {
            if shared.json {
                exit::answer(&format!("{}\n", serde_json::to_string(&starter)?))?;
            } else {
                exit::answer(&starter.text)?;
            }
            notes(&starter, shared);
            return Ok(ExitStatus::Done);
        };
        exit::write_text(file, &starter.text)?;
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&starter)?))?;
        } else {
            exit::answer(&report(&starter, file))?;
        }
        notes(&starter, shared);
        Ok(ExitStatus::Done)
    }
}

fn report(starter: &Starter, file: &Path) -> String {
    format!(
        "{}: {}\nrun it: carom simulate {}\n",
        file.display(),
        starter.choices(),
        file.display()
    )
}

/// Warnings that the robot's file gives reason for.
pub fn notes(starter: &Starter, shared: &Shared) {
    if !shared.quiet {
        for warning in &starter.warnings {
            exit::note(warning);
        }
    }
}
