//! `carom inspect`: what a robot is, and its dynamics in one state.

pub mod report;

use std::path::PathBuf;

use carom::model::{Base, urdf};
use carom::scenario::{Inspection, RobotState};
use clap::Args;

use super::arguments::Shared;
use super::exit;
use super::exit::{CommandResult, ExitStatus};
use super::robot_options::RobotOptions;

/// Say what a robot is: mass, joints, contact sites; with a state also M(q), gravity and energies
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Inspect {
    /// Robot file: URDF, or xacro
    robot: PathBuf,

    /// State file (JSON): base, joints and velocities; what it leaves out is zero
    #[arg(long, value_name = "STATE.json")]
    state: Option<PathBuf>,

    #[command(flatten)]
    options: RobotOptions,

    /// Let $(env NAME) of a xacro file read variables of the environment
    #[arg(long)]
    allow_env: bool,
}

const EXAMPLE: &str = "\
Example:
  carom inspect robots/anymal_b/anymal.urdf --base floating
  echo '{\"joints\": {\"joint1\": 0.3}, \"velocities\": {\"joint1\": 1}}' > state.json
  carom inspect robots/chain/chain4.urdf --state state.json --json

Without --base the root link is held as the state file says, or else fixed. A planar base moves in the x-z plane and turns by the pitch about +y. Gravity is 9.81 m/s² along -z.
Exit codes: 0 done, 2 bad input.";

impl Inspect {
    /// Loads, computes and prints.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let state = self.state.as_deref().map(RobotState::read).transpose()?;
        let options = self.options.load_options(self.allow_env);
        let base = self
            .options
            .base
            .map(Base::from)
            .or_else(|| state.as_ref().and_then(RobotState::base))
            .unwrap_or(Base::Fixed);
        let model = urdf::load(&self.robot, &options)?
            .base(base)
            .mimic(self.options.mimic())
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
