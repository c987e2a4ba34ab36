//! Robots dropped at random: a test of whole runs. A quadruped, a hexapod and a humanoid fall with random attitudes,
//! velocities, joint positions, friction 0 to 2 and restitution 0 to 0.9, half of them with dry friction in the joints,
//! half limp and half held by servos. Exits with 1 when a run stops early or exceeds a bound.
//!
//! ```text
//! cargo run --release --example 10_random_drops -- [--robot quadruped|hexapod|humanoid]... [--count 200] [--seconds 2]
//!     [--seed 1] [--jobs 1] [--limit 60] [--law max-dissipation] [--only K] [--quiet]
//! ```
//!
//! What may be gained and how deep a contact may be is explained in `observer.rs`.

mod draw;
mod observer;

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use carom::record::{Run, RunEnd};

use draw::{Drop, draw};
use observer::Observer;

/// Any error.
type Anything = Box<dyn Error + Send + Sync>;

/// Name, scenario with its contact sites.
const ROBOTS: [(&str, &str); 3] = [
    ("quadruped", "robots/quadruped/collapse.toml"),
    ("hexapod", "robots/rhex/tripod.toml"),
    ("humanoid", "robots/humanoid/fall.toml"),
];
/// No gap may be below minus this [m].
const DEEPEST: f64 = 1e-9;

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
    let mut observer = Observer::new(options.limit, &experiment);
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
        creep: observer.creep(),
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
