//! `carom inspect`: what a robot or a scenario is, and its dynamics in one state.

pub mod report;

use std::error::Error;
use std::path::PathBuf;

use carom::model::{Base, urdf};
use carom::scenario::{Experiment, Inspection, RobotState, Scenario};
use clap::Args;

use super::arguments::Shared;
use super::robot_options::RobotOptions;
use super::terminal::exit;
use super::terminal::exit::{CommandResult, ExitStatus};

/// Say what a robot is: mass, joints, contact sites; with a state also M(q), gravity and energies; of a scenario also its
/// terrain and what can touch what
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Inspect {
    /// Robot file: URDF, or xacro; or a scenario (TOML)
    robot: PathBuf,

    /// State file (JSON): base, joints and velocities; what it leaves out is zero
    #[arg(long, value_name = "STATE.json")]
    state: Option<PathBuf>,

    /// Override one key of a scenario, for example initial.base.z=0.4; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    #[command(flatten)]
    options: RobotOptions,
}

const EXAMPLE: &str = "\
Example:
  carom inspect robots/anymal_b/anymal.urdf --base floating
  echo '{\"joints\": {\"joint1\": 0.3}, \"velocities\": {\"joint1\": 1}}' > state.json
  carom inspect robots/chain/chain4.urdf --state state.json --json
  carom inspect robots/rhex/tripod_step.toml
  carom inspect robots/trex/drop.toml --set initial.base.z=0.4

Without --base the root link is held as the state file says, or else fixed. A planar base moves in the x-z plane and turns by the pitch about +y. Gravity is 9.81 m/s² along -z. A scenario says all that itself, and where it starts; it takes no options.
Exit codes: 0 done, 2 bad input.";

impl Inspect {
    /// Loads, computes and prints.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let inspection = match self.robot.extension().is_some_and(|end| end == "toml") {
            true => self.scenario()?,
            false => self.robot()?,
        };
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&inspection)?))?;
        } else {
            exit::answer(&report::report(&inspection))?;
        }
        Ok(ExitStatus::Done)
    }

    fn scenario(&self) -> Result<Inspection, Box<dyn Error>> {
        let words = self.options.words();
        let state = self.state.as_ref().map(|_| "--state".to_string());
        if let Some(word) = words.into_iter().next().or(state) {
            let file = self.robot.display();
            return Err(format!(
                "{word} is for a robot's file; {file} is a scenario and says it itself"
            )
            .into());
        }
        let experiment = Experiment::new(
            &self.robot.display().to_string(),
            Scenario::read(&self.robot, &self.overrides)?,
        )?;
        Ok(Inspection::of_scenario(&experiment)?)
    }

    fn robot(&self) -> Result<Inspection, Box<dyn Error>> {
        if let Some(set) = self.overrides.first() {
            let file = self.robot.display();
            return Err(format!("--set {set}: {file} is a robot's file and no scenario").into());
        }
        let state = self.state.as_deref().map(RobotState::read).transpose()?;
        let options = self.options.load_options();
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
        Ok(match &state {
            None => Inspection::new(&model),
            Some(state) => {
                let (q, v) = state.of(&model)?;
                Inspection::in_state(&model, &q, &v)?
            }
        })
    }
}
