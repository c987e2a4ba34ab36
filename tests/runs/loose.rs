//! Loose objects without a robot: scenes of them, and a run that is watched.

use carom::hybrid::Simulation;
use carom::scenario::{Experiment, Scenario};
use nalgebra::{Quaternion, UnitQuaternion};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub const GROUND: &str = "[[terrain]]\nkind = \"plane\"\nname = \"ground\"\n";

/// Random numbers between -1 and 1.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    move || (generator.next_u64() >> 11) as f64 * 0.5_f64.powi(52) - 1.0
}

/// How a free body is turned, by its coordinates.
pub fn turn(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]))
}

pub fn experiment(friction: f64, tables: &str) -> Experiment {
    under(9.81, friction, tables)
}

/// The same under a weight per mass \[m/s²\].
pub fn under(weight: f64, friction: f64, tables: &str) -> Experiment {
    let gravity = format!("gravity = [0.0, 0.0, {:?}]\n", -weight);
    let contact = format!("[contact]\nfriction = {friction:?}\nrestitution = 0.0\n");
    built(
        1e-3,
        &gravity,
        "max-dissipation",
        &[&contact, tables].concat(),
    )
}

/// What these tables say, in steps of this length \[s\].
pub fn stepped(step: f64, tables: &str) -> Experiment {
    built(step, "", "plastic", tables)
}

/// The same under a weight per mass of one.
pub fn stepped_in_little_weight(step: f64, tables: &str) -> Experiment {
    built(step, "gravity = [0.0, 0.0, -1.0]\n", "plastic", tables)
}

/// What these tables say, by a law.
pub fn by_law(law: &str, tables: &str) -> Experiment {
    built(1e-3, "", law, tables)
}

fn built(step: f64, robot: &str, law: &str, tables: &str) -> Experiment {
    let text = format!(
        "time_step = {step:?}\nduration = 1.0\n[robot]\nfile = \"none.urdf\"\n{robot}[impact]\nlaw = \"{law}\"\n{tables}"
    );
    let scenario = Scenario::parse("loose.toml", &text, &[]).unwrap();
    let none = "<robot name=\"none\"><link name=\"nothing\"/></robot>";
    Experiment::with_robot("loose.toml", scenario, none).unwrap()
}

pub fn stone(name: &str, min: [f64; 3], max: [f64; 3]) -> String {
    format!("[[terrain]]\nkind = \"box\"\nname = \"{name}\"\nmin = {min:?}\nmax = {max:?}\n")
}

pub fn energy(simulation: &mut Simulation) -> f64 {
    let energies = simulation.energies().unwrap();
    energies.kinetic + energies.potential
}

pub fn deepest(simulation: &Simulation) -> f64 {
    let (contacts, kinematics) = (simulation.contacts(), simulation.kinematics());
    let there = (0..contacts.len()).filter(|&i| contacts.is_present(kinematics, i));
    there.fold(0.0, |deepest: f64, i| {
        deepest.min(contacts.gap(kinematics, i))
    })
}

/// What a step of order two misses of the energy of one joule of a body that turns or falls by θ in it is of the order θ³: at
/// 20 rad/s and a millisecond 1e-5.
pub const RISE: f64 = 1e-5;

/// Runs for a while in which energy never rises by more than a step misses, and says how it changed and how deep
/// anything was in anything.
pub fn run(simulation: &mut Simulation, steps: usize) -> [f64; 2] {
    let start = energy(simulation);
    let (mut now, mut depth) = (start, 0.0_f64);
    for k in 0..steps {
        simulation
            .advance()
            .unwrap_or_else(|error| panic!("step {k}: {error}"));
        let next = energy(simulation);
        assert!(next < now + RISE, "step {k}: {now} {next}");
        now = next;
        depth = depth.min(deepest(simulation));
    }
    [now - start, depth]
}
