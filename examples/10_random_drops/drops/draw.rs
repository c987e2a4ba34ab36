//! Draws a robot, its surroundings and its state.

use std::path::Path;

use carom::dynamics::{Kinematics, mass_matrix};
use carom::laws::LawRegistry;
use carom::model::sample::Uniform;
use carom::scenario::{ControllerEntry, Experiment, Scenario, ServoEntry};

use super::{Anything, ROBOTS, Settings};

/// Frequency of the servos [rad/s]: stiff enough to hold a limb, slow enough for any step of a millisecond.
const SERVO_RATE: f64 = 60.0;

/// One drawn experiment.
pub struct Drop {
    pub experiment: Experiment,
    /// What was drawn, in words.
    pub label: String,
}

/// Drop number `index` of a robot: the same for the same seed.
pub fn draw(robot: &str, index: usize, settings: &Settings) -> Result<Drop, Anything> {
    let place = ROBOTS.iter().position(|r| r.0 == robot).unwrap_or_default();
    let mut random =
        Uniform::new(settings.seed ^ ((place as u64 + 1) << 56) ^ ((index as u64) << 24));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(ROBOTS[place].1);
    let mut scenario = Scenario::read(&file, &[])?;
    scenario.duration = settings.seconds;
    scenario.impact.law.clone_from(&settings.law);
    scenario.controller = ControllerEntry::None;
    scenario.locomotion = None;
    let [friction, restitution, dry, limp] = [(); 4].map(|()| random.unit());
    scenario.contact.friction = 2.0 * friction;
    let law = LawRegistry::standard().get(&settings.law)?.build()?;
    let restitution = if law.properties().restitution {
        0.9 * restitution
    } else {
        0.0
    };
    scenario.contact.restitution = Some(restitution);
    let (dry, limp) = (dry < 0.5, limp < 0.5);
    let torque = random.between(0.02, 0.5);
    let label = format!(
        "{}{}, friction {:.3}, restitution {:.3}",
        if limp { "limp" } else { "servo" },
        if dry {
            format!(", dry {torque:.3} N m")
        } else {
            String::new()
        },
        scenario.contact.friction,
        restitution,
    );
    let name = file.display().to_string();
    let mut experiment = Experiment::new(&name, scenario)?;
    if dry {
        let text = with_dry_friction(experiment.robot_text(), torque);
        experiment = Experiment::with_robot(&name, experiment.scenario, &text)?;
    }
    draw_state(&mut experiment, &mut random)?;
    if !limp {
        experiment.scenario.controller = servos(&experiment);
    }
    Ok(Drop { experiment, label })
}

/// The robot's text with dry friction in every joint that moves.
fn with_dry_friction(text: &str, friction: f64) -> String {
    let dynamics = format!("<dynamics damping=\"0\" friction=\"{friction}\"/>");
    let joints = text.split_inclusive("</joint>").map(|part| {
        let moves = part.contains("<axis") && !part.contains("<dynamics");
        match part.strip_suffix("</joint>") {
            Some(joint) if moves => format!("{joint}{dynamics}</joint>"),
            _ => part.to_string(),
        }
    });
    joints.collect()
}

/// Any attitude, joints within their limits, the lowest site up to 0.3 m above the ground.
fn draw_state(experiment: &mut Experiment, random: &mut Uniform) -> Result<(), Anything> {
    let model = experiment.model.clone();
    let [a, b, c] = [(); 3].map(|()| random.unit());
    let (b, c) = (std::f64::consts::TAU * b, std::f64::consts::TAU * c);
    let (low, high) = ((1.0 - a).sqrt(), a.sqrt());
    let attitude = [low * b.sin(), low * b.cos(), high * c.sin(), high * c.cos()];
    let q = &mut experiment.q;
    q.fill(0.0);
    q[3..7].copy_from_slice(&attitude);
    for body in model.bodies().iter().filter(|b| b.q_index >= 7) {
        let (lower, upper) = body.limits.position.unwrap_or((-3.0, 3.0));
        let middle = 0.5 * (lower + upper);
        q[body.q_index] = middle + 0.49 * (upper - lower) * random.between(-1.0, 1.0);
    }
    for (i, rate) in experiment.v.iter_mut().enumerate() {
        let scale = [2.0, 4.0, 3.0][(i / 3).min(2)];
        *rate = random.between(-scale, scale);
    }
    experiment.q[2] = 10.0;
    let mut high = experiment.simulation()?;
    let gaps = high.gaps().iter().enumerate();
    let heights = gaps.filter(|(i, _)| experiment.contacts.terrain_of(*i).is_some());
    let lowest = heights.map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
    experiment.q[2] += random.between(1e-3, 0.3) - lowest;
    Ok(())
}

/// Servos that hold every joint where it starts, by its inertia there with all others free.
fn servos(experiment: &Experiment) -> ControllerEntry {
    let model = &experiment.model;
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &experiment.q);
    let inverse = mass_matrix(model, &kinematics).cholesky();
    let inverse = inverse.map(|factor| factor.inverse());
    let joints = model.bodies().iter().filter(|b| b.q_index >= 7);
    let joint = joints.map(|body| {
        let i = body.v_index;
        let inertia = inverse.as_ref().map_or(0.0, |m| 1.0 / m[(i, i)]);
        ServoEntry {
            name: Some(body.joint.clone()),
            stiffness: Some(inertia * SERVO_RATE * SERVO_RATE),
            damping: Some(inertia * SERVO_RATE),
            ..ServoEntry::default()
        }
    });
    ControllerEntry::Servo {
        joint: joint.collect(),
        default: None,
        sampling_period: None,
    }
}
