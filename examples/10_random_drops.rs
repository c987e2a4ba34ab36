//! Robots dropped at random: a test of whole runs. A quadruped, a hexapod and a humanoid fall with random attitudes,
//! velocities, joint positions, friction 0 to 2 and restitution 0 to 0.9, half of them with dry friction in the joints,
//! half limp and half held by servos. Exits with 1 when a run stops early or exceeds a bound.
//!
//! ```text
//! cargo run --release --example 10_random_drops -- [--robot quadruped|hexapod|humanoid]... [--count 200] [--seconds 2]
//!     [--seed 1] [--jobs 1] [--limit 60] [--law max-dissipation] [--only K] [--quiet]
//! ```
//!
//! **Energy.** What a run may gain is kinetic plus potential energy less the actuators' work, E. The midpoint scheme keeps
//! a nearby energy H̃ = E + O(h²) where nothing dissipates, and where something does, H̃ falls. Backward error analysis gives
//! the difference as h²/24 times second derivatives of the energy along the motion (Hairer, Lubich and Wanner, *Geometric
//! Numerical Integration*, IX.3): its parts are h² aᵀM a/24 with the acceleration a, and the second derivatives of M and V
//! times the velocity squared, which are at most ω² times the kinetic energy T for a motion that turns at the rate ω. So
//! |H̃ − E| ≤ h² (aᵀM a + 2 ω² T)/24 at every step, and E may rise above its running minimum by twice the largest of
//! these. An event may turn one such difference into a lasting one; each step with events adds twice the difference of
//! the step before it. What is left beyond that is a gain that the scheme does not explain.
//!
//! **Penetration.** Contacts count as closed below 1e-9 m: no gap may be below −1e-9 m at the end of a step.

use std::error::Error;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use carom::dynamics::{Kinematics, mass_matrix};
use carom::hybrid::{Event, Simulation, SimulationError, StepSummary};
use carom::model::sample::Uniform;
use carom::study::{
    ControllerEntry, Experiment, Run, RunEnd, Scenario, ServoEntry, Watcher, law_by_name,
};

type Anything = Box<dyn Error + Send + Sync>;

/// Name, scenario with its contact sites.
const ROBOTS: [(&str, &str); 3] = [
    ("quadruped", "robots/quadruped/collapse.toml"),
    ("hexapod", "robots/rhex/tripod.toml"),
    ("humanoid", "robots/humanoid/fall.toml"),
];
const DEEPEST: f64 = 1e-9;
/// Rounding of energies and of solved steps, as a share of the largest energy.
const ROUNDING: f64 = 1e-9;
/// Speeds below this are rest [rad/s or m/s], when they last for the rest of the run [s].
const REST: f64 = 1e-3;
const RESTING_TIME: f64 = 0.2;
/// Frequency of the servos [rad/s]: stiff enough to hold a limb, slow enough for any step of a millisecond.
const SERVO_RATE: f64 = 60.0;

struct Options {
    robots: Vec<&'static str>,
    count: usize,
    seconds: f64,
    seed: u64,
    jobs: usize,
    limit: Duration,
    law: String,
    only: Option<usize>,
    quiet: bool,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Anything> {
        let mut options = Self {
            robots: Vec::new(),
            count: 200,
            seconds: 2.0,
            seed: 1,
            jobs: 1,
            limit: Duration::from_secs(60),
            law: "max-dissipation".to_string(),
            only: None,
            quiet: false,
        };
        while let Some(word) = words.next() {
            if word == "--quiet" {
                options.quiet = true;
                continue;
            }
            let value = words
                .next()
                .ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--robot" => {
                    let known = ROBOTS.iter().find(|r| r.0 == value);
                    let names = ROBOTS.map(|r| r.0).join(", ");
                    let known =
                        known.ok_or_else(|| format!("no robot {value}; there are {names}"))?;
                    options.robots.push(known.0);
                }
                "--count" => options.count = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--jobs" => options.jobs = value.parse::<usize>()?.max(1),
                "--limit" => options.limit = Duration::try_from_secs_f64(value.parse()?)?,
                "--law" => options.law = value,
                "--only" => options.only = Some(value.parse()?),
                _ => return Err(format!("no option {word}; see the head of the file").into()),
            }
        }
        if options.robots.is_empty() {
            options.robots = ROBOTS.map(|r| r.0).to_vec();
        }
        Ok(options)
    }
}

/// One drawn experiment.
struct Drop {
    experiment: Experiment,
    label: String,
}

fn draw(robot: &str, index: usize, options: &Options) -> Result<Drop, Anything> {
    let place = ROBOTS.iter().position(|r| r.0 == robot).unwrap_or_default();
    let mut random =
        Uniform::new(options.seed ^ ((place as u64 + 1) << 56) ^ ((index as u64) << 24));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(ROBOTS[place].1);
    let mut scenario = Scenario::read(&file, &[])?;
    scenario.duration = options.seconds;
    scenario.impact.law.clone_from(&options.law);
    scenario.controller = ControllerEntry::None;
    scenario.locomotion = None;
    let [friction, restitution, dry, limp] = [(); 4].map(|()| random.unit());
    scenario.contact.friction = 2.0 * friction;
    let law = law_by_name(&options.law)?.build();
    scenario.contact.restitution = if law.properties().restitution {
        0.9 * restitution
    } else {
        0.0
    };
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
        scenario.contact.restitution,
    );
    let name = file.display().to_string();
    let mut experiment = Experiment::new(&name, scenario)?;
    if dry {
        let text = with_dry_friction(&experiment.robot_text, torque);
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
    let high = experiment.simulation()?;
    let lowest = high.gaps().iter().copied().fold(f64::INFINITY, f64::min);
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
            name: body.joint.clone(),
            stiffness: inertia * SERVO_RATE * SERVO_RATE,
            damping: inertia * SERVO_RATE,
            target: None,
            feed_forward: Default::default(),
            effort_limit: None,
        }
    });
    ControllerEntry::Servo {
        joint: joint.collect(),
    }
}

/// Looks at every step.
struct Observer {
    begun: Instant,
    limit: Duration,
    time_step: f64,
    momentum: Vec<f64>,
    velocity: Vec<f64>,
    lowest: f64,
    rise: f64,
    /// Largest |H̃ − E| of a step, that of the last step without events, and what events may have added.
    swing: f64,
    last_swing: f64,
    added: f64,
    largest_energy: f64,
    deepest: f64,
    /// Horizontal and vertical way of the base while everything was at rest, and since when.
    creep: f64,
    base: [f64; 3],
    resting_since: Option<f64>,
    events: usize,
    out_of_time: bool,
}

impl Observer {
    fn new(limit: Duration, time_step: f64) -> Self {
        Self {
            begun: Instant::now(),
            limit,
            time_step,
            momentum: Vec::new(),
            velocity: Vec::new(),
            lowest: f64::INFINITY,
            rise: 0.0,
            swing: 0.0,
            last_swing: 0.0,
            added: 0.0,
            largest_energy: 0.0,
            deepest: 0.0,
            creep: 0.0,
            base: [0.0; 3],
            resting_since: None,
            events: 0,
            out_of_time: false,
        }
    }

    fn look(&mut self, simulation: &mut Simulation, events: usize) -> Result<(), SimulationError> {
        let energies = simulation.energies()?;
        let energy = energies.kinetic + energies.potential - energies.work.actuators;
        self.lowest = self.lowest.min(energy);
        self.rise = self.rise.max(energy - self.lowest);
        self.largest_energy = self.largest_energy.max(energy.abs()).max(energies.kinetic);
        let gaps = simulation.gaps().iter();
        self.deepest = gaps.fold(self.deepest, |deepest, gap| deepest.max(-gap));
        let velocity = simulation.velocity()?.to_vec();
        let state = simulation.state();
        if events > 0 {
            self.added += 2.0 * self.last_swing;
        } else if !self.velocity.is_empty() {
            let changes = state.p.iter().zip(&self.momentum);
            let changes = changes.zip(velocity.iter().zip(&self.velocity));
            let accelerated: f64 = changes.map(|((p, p0), (v, v0))| (p - p0) * (v - v0)).sum();
            let turn = velocity[3..].iter().fold(0.0_f64, |w, x| w.max(x.abs()));
            let turned = (turn * self.time_step).powi(2) * 2.0 * energies.kinetic;
            self.last_swing = (accelerated.abs() + turned) / 24.0;
            self.swing = self.swing.max(self.last_swing);
        }
        let base = [state.q[0], state.q[1], state.q[2]];
        if velocity.iter().all(|x| x.abs() < REST) {
            if self.resting_since.is_none() {
                self.resting_since = Some(state.time);
                self.creep = 0.0;
            } else {
                let way = base.iter().zip(&self.base).map(|(x, y)| (x - y).powi(2));
                self.creep += way.sum::<f64>().sqrt();
            }
        } else {
            self.resting_since = None;
        }
        self.base = base;
        self.momentum.clone_from(&state.p);
        self.velocity = velocity;
        Ok(())
    }

    fn bound(&self) -> f64 {
        2.0 * self.swing + self.added + ROUNDING * self.largest_energy
    }
}

impl Watcher<SimulationError> for Observer {
    fn start(&mut self, simulation: &mut Simulation) -> Result<(), SimulationError> {
        self.look(simulation, 0)
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        _summary: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, SimulationError> {
        self.events += events.len();
        self.look(simulation, events.len())?;
        if self.begun.elapsed() > self.limit {
            self.out_of_time = true;
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What became of one drop.
struct Outcome {
    robot: &'static str,
    index: usize,
    label: String,
    stopped: Option<String>,
    out_of_time: bool,
    time: f64,
    rise: f64,
    bound: f64,
    deepest: f64,
    creep: Option<f64>,
    events: usize,
    wall: f64,
}

impl Outcome {
    fn exceeds(&self) -> bool {
        // What is not a number exceeds everything.
        !(self.rise <= self.bound && self.deepest <= DEEPEST)
    }

    fn line(&self) -> String {
        let end = match &self.stopped {
            Some(reason) => format!("STOPPED {reason}"),
            None if self.out_of_time => format!("out of time at {:.3} s", self.time),
            None => "done".to_string(),
        };
        let creep = self.creep.map_or("moving".into(), |x| format!("{x:.1e}"));
        format!(
            "{:9} {:4}  rise {:8.1e} of {:8.1e} J  deepest {:7.1e} m  creep {creep:>7}  {:6} events {:8.2} s  {}{end}  ({})",
            self.robot,
            self.index,
            self.rise,
            self.bound,
            self.deepest,
            self.events,
            self.wall,
            if self.exceeds() { "EXCEEDS " } else { "" },
            self.label,
        )
    }
}

fn drop_one(robot: &'static str, index: usize, options: &Options) -> Result<Outcome, Anything> {
    let Drop { experiment, label } = draw(robot, index, options)?;
    let mut observer = Observer::new(options.limit, experiment.scenario.time_step);
    let steps = experiment.scenario.steps();
    let run = catch_unwind(AssertUnwindSafe(|| -> Result<_, Anything> {
        let mut run = Run::new(&experiment)?;
        let end = run.advance(steps, &mut observer)?;
        Ok((end, run.state().time))
    }));
    let (stopped, time) = match run {
        Ok(Ok((RunEnd::Failed(reason), time))) => (Some(reason.to_string()), time),
        Ok(Ok((_, time))) => (None, time),
        Ok(Err(reason)) => (Some(reason.to_string()), f64::NAN),
        Err(_) => (Some("it panicked".to_string()), f64::NAN),
    };
    let long = |since: f64| time - since >= RESTING_TIME;
    Ok(Outcome {
        robot,
        index,
        label,
        stopped,
        out_of_time: observer.out_of_time,
        time,
        rise: observer.rise,
        bound: observer.bound(),
        deepest: observer.deepest,
        creep: (observer.resting_since.is_some_and(long)).then_some(observer.creep),
        events: observer.events,
        wall: observer.begun.elapsed().as_secs_f64(),
    })
}

fn summarize(robot: &str, outcomes: &[&Outcome]) {
    let count = |which: fn(&Outcome) -> bool| outcomes.iter().filter(|o| which(o)).count();
    let largest = |what: fn(&Outcome) -> f64| outcomes.iter().map(|o| what(o)).fold(0.0, f64::max);
    let mut walls: Vec<f64> = outcomes.iter().map(|o| o.wall).collect();
    walls.sort_by(f64::total_cmp);
    let simulated: f64 = outcomes
        .iter()
        .map(|o| o.time)
        .filter(|t| t.is_finite())
        .sum();
    println!(
        "{robot}: {} drops, {} stopped early, {} out of time, {} above a bound; rise at most {:.2} of its bound, penetration \
         {:.1e} m, creep {:.1e} m ({} came to rest); wall time {:.2} s in the middle, {:.2} s at most, {:.2} times real time",
        outcomes.len(),
        count(|o| o.stopped.is_some()),
        count(|o| o.out_of_time),
        count(Outcome::exceeds),
        largest(|o| o.rise / o.bound),
        largest(|o| o.deepest),
        largest(|o| o.creep.unwrap_or_default()),
        count(|o| o.creep.is_some()),
        walls.get(walls.len() / 2).copied().unwrap_or_default(),
        walls.last().copied().unwrap_or_default(),
        simulated / walls.iter().sum::<f64>().max(f64::MIN_POSITIVE),
    );
}

fn main() -> Result<ExitCode, Anything> {
    let options = Options::parse(std::env::args().skip(1))?;
    let indices = options.only.map_or(0..options.count, |k| k..k + 1);
    let robots = options.robots.iter();
    let drops: Vec<(&'static str, usize)> = robots
        .flat_map(|robot| indices.clone().map(|k| (*robot, k)))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| -> Result<(), Anything> {
        let work = || -> Result<(), Anything> {
            while let Some(&(robot, index)) = drops.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = drop_one(robot, index, &options)?;
                if !options.quiet {
                    println!("{}", outcome.line());
                }
                found.lock().map_err(|_| "a thread panicked")?.push(outcome);
            }
            Ok(())
        };
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })?;
    let found = found.into_inner()?;
    for robot in &options.robots {
        let own: Vec<&Outcome> = found.iter().filter(|o| o.robot == *robot).collect();
        summarize(robot, &own);
    }
    let wrong = |o: &Outcome| o.stopped.is_some() || o.out_of_time || o.exceeds();
    Ok(ExitCode::from(u8::from(found.iter().any(wrong))))
}
