//! Dampers that are fast beside the stages of a step of high order.

use carom::scenario::{Experiment, Scenario};

/// Two wheels that know nothing of each other.
const WHEELS: &str = r#"<robot name="wheels"><link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="free" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="driven" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/></joint>
</robot>"#;

/// A wheel that only a damper acts on comes to rest, whatever the damper of another wheel takes meanwhile: stages that run
/// backwards would multiply its rate by (1 + a)/(1 − a), a = γ h c/2I, which is above 30 for some of these.
#[test]
fn a_damped_wheel_slows_down_in_every_order() {
    for order in [2, 4, 6, 8] {
        for damper in [3.0, 29.0, 35.0, 500.0] {
            let text = format!(
                "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"wheels.urdf\"\n[initial]\n\
                 velocities = {{ free = 1e-3, driven = 10.0 }}\n[controller]\nkind = \"servo\"\n\
                 joint = [{{ name = \"driven\", stiffness = 0.0, feed_forward = 5.0 }}]\n\
                 [[spring]]\njoint = \"free\"\ndamping = {damper:?}\n\
                 [[spring]]\njoint = \"driven\"\ndamping = 0.5\n[stepper]\norder = {order}\n"
            );
            let scenario = Scenario::parse("wheels.toml", &text, &[]).unwrap();
            let experiment = Experiment::with_robot("wheels.toml", scenario, WHEELS).unwrap();
            let mut simulation = experiment.simulation().unwrap();
            let mut before = 1e-3;
            for step in 0..100 {
                simulation.advance().unwrap();
                let rate = simulation.velocity().unwrap()[0].abs();
                // It may swing to the other side of zero, no farther out.
                assert!(rate <= before, "{order} {damper} {step}: {before} {rate}");
                before = rate;
            }
        }
    }
}
