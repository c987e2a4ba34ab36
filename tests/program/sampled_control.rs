//! Controllers of a scenario that are asked once in a period and held in between.

use std::convert::Infallible;
use std::ops::ControlFlow;

use carom::hybrid::{Event, Simulation, StepSummary, Watcher};
use carom::record::{Run, RunEnd};
use carom::scenario::{Experiment, Scenario, ScenarioError};

/// A wheel of inertia 1 kg m² on a fixed axle.
const ROBOT: &str = r#"<robot name="wheel">
<link name="world"/>
<link name="rim"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="continuous"><parent link="world"/><child link="rim"/><axis xyz="0 1 0"/></joint>
</robot>"#;

const STIFFNESS: f64 = 30.0;
const DAMPING: f64 = 2.0;
const TARGET: f64 = 0.5;

fn experiment(controller: &str) -> Result<Experiment, ScenarioError> {
    let text = format!(
        "time_step = 1e-3\nduration = 0.05\n[robot]\nfile = \"wheel.urdf\"\n[controller]\n{controller}"
    );
    let scenario = Scenario::parse("wheel.toml", &text, &[])?;
    Experiment::with_robot("wheel.toml", scenario, ROBOT)
}

fn servo(more: &str) -> String {
    format!(
        "kind = \"servo\"\n{more}\njoint = [{{ name = \"axle\", stiffness = {STIFFNESS}, damping = {DAMPING}, target = {TARGET} }}]"
    )
}

/// Effort of every step, and angle and rate at its beginning.
#[derive(Default)]
struct Efforts {
    state: [f64; 2],
    steps: Vec<(f64, [f64; 2])>,
}

impl Watcher<Infallible> for Efforts {
    fn start(&mut self, simulation: &mut Simulation) -> Result<(), Infallible> {
        let rate = simulation.velocity().unwrap()[0];
        self.state = [simulation.state().q[0], rate];
        Ok(())
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        _: &StepSummary,
        _: &[Event],
    ) -> Result<ControlFlow<()>, Infallible> {
        self.steps.push((simulation.efforts()[0], self.state));
        self.start(simulation)?;
        Ok(ControlFlow::Continue(()))
    }
}

fn efforts(controller: &str) -> Vec<(f64, [f64; 2])> {
    let experiment = experiment(controller).unwrap();
    let mut run = Run::new(&experiment).unwrap();
    let mut efforts = Efforts::default();
    let steps = experiment.scenario.steps();
    assert_eq!(run.advance(steps, &mut efforts).unwrap(), RunEnd::Reached);
    efforts.steps
}

#[test]
fn a_sampled_servo_holds_what_it_asked_for_at_the_beginning_of_its_period() {
    let steps = efforts(&servo("sampling_period = 0.005"));
    for period in steps.chunks(5) {
        let (_, [angle, rate]) = period[0];
        let asked = STIFFNESS * (TARGET - angle) - DAMPING * rate;
        for (effort, _) in period {
            assert!((effort - asked).abs() < 1e-12, "{effort} {asked}");
        }
    }
    // Without a period it acts in the middle of every step.
    let steps = efforts(&servo(""));
    assert!(steps.windows(2).all(|pair| pair[1].0 < pair[0].0));
}

#[test]
fn holding_then_spinning_can_be_sampled_too() {
    let kind = "kind = \"hold-then-spin\"\njoints = [\"axle\"]\nstiffness = 30.0\ndamping = 2.0\nrate = 1.0\nsampling_period = 0.005";
    let controller = experiment(kind).unwrap().controller().unwrap();
    assert!(controller.drive().is_none());
}

#[test]
fn the_period_is_written_out_and_must_be_positive() {
    let written = experiment(&servo("sampling_period = 0.005")).unwrap();
    let text = written.resolved().to_toml().unwrap();
    assert!(text.contains("sampling_period = 0.005"), "{text}");
    let again = Scenario::parse("again.toml", &text, &[]).unwrap();
    assert_eq!(again.controller, written.resolved().controller);
    let refused = experiment(&servo("sampling_period = 0.0"))
        .and_then(|experiment| experiment.controller().map(|_| ()))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("sampling_period is 0"), "{refused}");
}
