//! Robots dropped at random: a test of whole runs. A quadruped, a hexapod and a humanoid fall with random attitudes,
//! velocities, joint positions, friction 0 to 2 and restitution 0 to 0.9, half of them with dry friction in the joints,
//! half limp and half held by servos. Exits with 1 when a run stops early or exceeds a bound.
//!
//! `--help` tells the options. `--keep` writes what goes wrong as scenarios for `carom simulate`. What may be gained and how
//! deep a contact may be is explained in `drops/observer.rs`.

mod drops;

use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use drops::{Anything, Outcome, ROBOTS, Settings, drop_one};

const USAGE: &str = "\
cargo run --release --example 10_random_drops -- [--robot quadruped|hexapod|humanoid]... [--count 200] [--seconds 2]
    [--seed 1] [--jobs 1] [--limit 60] [--law max-dissipation] [--only K] [--keep FOLDER] [--quiet]";

struct Options {
    robots: Vec<&'static str>,
    count: usize,
    jobs: usize,
    settings: Settings,
    only: Option<usize>,
    quiet: bool,
}

impl Options {
    /// `None` where only help is asked for.
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Self>, Anything> {
        let mut options = Self {
            robots: Vec::new(),
            count: 200,
            jobs: 1,
            settings: Settings::default(),
            only: None,
            quiet: false,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quiet" => {
                    options.quiet = true;
                    continue;
                }
                _ => {}
            }
            let value = words.next().ok_or_else(|| {
                format!("{word}: no such option, or its value is missing\n{USAGE}")
            })?;
            match word.as_str() {
                "--robot" => {
                    let known = ROBOTS.iter().find(|r| r.0 == value);
                    let names = ROBOTS.map(|r| r.0).join(", ");
                    let known =
                        known.ok_or_else(|| format!("no robot {value}; there are {names}"))?;
                    options.robots.push(known.0);
                }
                "--count" => options.count = number(&word, &value)?,
                "--seconds" => options.settings.seconds = number(&word, &value)?,
                "--seed" => options.settings.seed = number(&word, &value)?,
                "--jobs" => options.jobs = number::<usize>(&word, &value)?.max(1),
                "--limit" => {
                    let limit = Duration::try_from_secs_f64(number(&word, &value)?);
                    options.settings.limit = limit.map_err(|e| format!("{word} {value}: {e}"))?;
                }
                "--keep" => options.settings.keep = Some(value.into()),
                "--law" => options.settings.law = value,
                "--only" => options.only = Some(number(&word, &value)?),
                _ => return Err(format!("no option {word}\n{USAGE}").into()),
            }
        }
        if options.robots.is_empty() {
            options.robots = ROBOTS.map(|r| r.0).to_vec();
        }
        Ok(Some(options))
    }
}

fn number<T: FromStr<Err: Display>>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|e| format!("{option} {value}: {e}"))
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
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => {
            eprintln!("{error}");
            return Ok(ExitCode::from(2));
        }
    };
    if let Some(folder) = &options.settings.keep {
        // Before anything runs that could not be kept.
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("--keep {}: {error}", folder.display()))?;
    }
    let indices = options.only.map_or(0..options.count, |k| k..k + 1);
    let robots = options.robots.iter();
    let drops: Vec<(&'static str, usize)> = robots
        .flat_map(|robot| indices.clone().map(|k| (*robot, k)))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| -> Result<(), Anything> {
        let work = || -> Result<(), Anything> {
            while let Some(&(robot, index)) = drops.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = drop_one(robot, index, &options.settings)?;
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
    Ok(ExitCode::from(u8::from(
        found.iter().any(Outcome::is_wrong),
    )))
}
