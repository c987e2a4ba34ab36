//! Writes a drop as files, so that `carom simulate` runs it alone.

use std::fs;
use std::path::Path;

use carom::scenario::Experiment;
use toml::{Table, Value};

use super::Anything;

/// Writes `<name>.toml` and `<name>.urdf` into a folder that exists: the scenario with its robot and the state it starts from.
pub fn keep(folder: &Path, name: &str, experiment: &Experiment) -> Result<(), Anything> {
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    let robot = format!("{name}.urdf");
    write(&robot, experiment.robot_text())?;
    let mut scenario: Table = experiment.scenario.to_toml()?.parse()?;
    if let Some(Value::Table(entry)) = scenario.get_mut("robot") {
        entry.insert("file".to_string(), Value::String(robot));
    }
    scenario.insert("initial".to_string(), Value::Table(initial(experiment)));
    write(&format!("{name}.toml"), &toml::to_string(&scenario)?)?;
    Ok(())
}

/// The table `[initial]` of the state of a robot with a floating base.
fn initial(experiment: &Experiment) -> Table {
    let (q, v) = (&experiment.q, &experiment.v);
    let list = |numbers: &[f64]| Value::Array(numbers.iter().map(|x| Value::Float(*x)).collect());
    let base = Table::from_iter([
        ("position".to_string(), list(&q[..3])),
        ("quaternion".to_string(), list(&q[3..7])),
        ("twist".to_string(), list(&v[..6])),
    ]);
    let bodies = experiment.model.bodies().iter().filter(|b| b.q_index >= 7);
    let (mut joints, mut velocities) = (Table::new(), Table::new());
    for body in bodies {
        joints.insert(body.joint.clone(), Value::Float(q[body.q_index]));
        velocities.insert(body.joint.clone(), Value::Float(v[body.v_index]));
    }
    Table::from_iter([
        ("base".to_string(), Value::Table(base)),
        ("joints".to_string(), Value::Table(joints)),
        ("velocities".to_string(), Value::Table(velocities)),
    ])
}
