//! `carom inspect`: what a robot is, and its dynamics in one state.

pub mod report;

use std::path::PathBuf;

use carom::model::{Base, Mimic, urdf};
use carom::scenario::{Inspection, RobotState};
use clap::{Args, ValueEnum};

use super::arguments::Shared;
use super::exit;
use super::exit::{CommandResult, ExitStatus};

/// Say what a robot is: mass, joints, contact sites; with a state also M(q), gravity and energies
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Inspect {
    /// Robot file: URDF, or xacro
    robot: PathBuf,

    /// How the root link is held [default: what the state speaks of, otherwise fixed]
    #[arg(long, value_enum)]
    base: Option<BaseOption>,

    /// What becomes of joints that mimic others
    #[arg(long, value_enum, default_value_t = MimicOption::Coupled)]
    mimic: MimicOption,

    /// State file (JSON): base, joints and velocities; what it leaves out is zero
    #[arg(long, value_name = "STATE.json")]
    state: Option<PathBuf>,

    /// Folder of a package, for package://NAME/... and $(find NAME); may be given several times
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = name_and_value)]
    packages: Vec<(String, String)>,

    /// Argument of a xacro file; may be given several times
    #[arg(long = "xacro-argument", value_name = "NAME=VALUE", value_parser = name_and_value)]
    xacro_arguments: Vec<(String, String)>,

    /// Let $(env NAME) of a xacro file read variables of the environment
    #[arg(long)]
    allow_env: bool,
}

const EXAMPLE: &str = "\
Example:
  carom inspect robots/anymal_b/anymal.urdf --base floating
  echo '{\"joints\": {\"joint1\": 0.3}, \"velocities\": {\"joint1\": 1}}' > state.json
  carom inspect robots/chain/chain4.urdf --state state.json --json

A planar base moves in the x-z plane and turns by the pitch about +y. Gravity is 9.81 m/s² along -z.
Exit codes: 0 done, 2 bad input.";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BaseOption {
    /// The root link is part of the world
    Fixed,
    /// The root link moves in the x-z plane
    Planar,
    /// The root link moves freely
    Floating,
}

impl From<BaseOption> for Base {
    fn from(option: BaseOption) -> Self {
        match option {
            BaseOption::Fixed => Self::Fixed,
            BaseOption::Planar => Self::Planar,
            BaseOption::Floating => Self::Floating,
        }
    }
}

/// What becomes of joints that mimic others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MimicOption {
    /// One coordinate moves a joint and all that mimic it
    Coupled,
    /// Each has a coordinate of its own
    Free,
    /// They are locked where they stand with all coordinates at zero
    Fixed,
}

impl From<MimicOption> for Mimic {
    fn from(option: MimicOption) -> Self {
        match option {
            MimicOption::Coupled => Self::Coupled,
            MimicOption::Free => Self::Free,
            MimicOption::Fixed => Self::Fixed,
        }
    }
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_string(), value.to_string()))
        }
        _ => Err("write it as NAME=VALUE".to_string()),
    }
}

impl Inspect {
    /// Loads, computes and prints.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let state = self.state.as_deref().map(RobotState::read).transpose()?;
        let options = urdf::LoadOptions {
            packages: self
                .packages
                .iter()
                .map(|(name, folder)| (name.clone(), PathBuf::from(folder)))
                .collect(),
            xacro_arguments: self.xacro_arguments.clone(),
            environment: self.allow_env,
        };
        let base = self
            .base
            .map(Base::from)
            .or_else(|| state.as_ref().and_then(RobotState::base))
            .unwrap_or(Base::Fixed);
        let model = urdf::load(&self.robot, &options)?
            .base(base)
            .mimic(self.mimic.into())
            .build()?;
        let inspection = match &state {
            None => Inspection::new(&model),
            Some(state) => {
                let (q, v) = state.of(&model)?;
                Inspection::in_state(&model, &q, &v)?
            }
        };
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&inspection)?))?;
        } else {
            exit::answer(&report::report(&inspection))?;
        }
        Ok(ExitStatus::Done)
    }
}
