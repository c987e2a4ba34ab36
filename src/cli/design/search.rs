//! The search of `carom design`: starting points or a swarm, with progress, checkpoint and resume.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use carom::design::{
    DesignError, DesignSettings, DesignSolution, Progress, Stage, StartRecord, Swarm, best_start,
    solve_numbered, solve_start,
};
use carom::study::design::DesignStudy;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::terminal::{exit, interrupt};

/// What is searched, and where its checkpoint lies.
pub struct Search<'a> {
    pub study: &'a DesignStudy,
    pub settings: &'a DesignSettings,
    pub out: &'a Path,
    pub resume: bool,
    pub silent: bool,
}

/// The starts tried and the best design, or why there is none.
type Answer = Result<(Vec<StartRecord>, DesignSolution), DesignError>;

/// What is done already, for `--resume`.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// Of the design file's contents and the starting robot.
    fingerprint: String,
    starts: Vec<StartRecord>,
    swarm: Option<Swarm>,
}

impl Search<'_> {
    /// Searches; the checkpoint is written after every start and generation and removed in the end.
    pub fn run(&self) -> Result<Answer, Box<dyn Error>> {
        let solver = &self.study.design.solver;
        let problem = &self.study.problem;
        if solver.swarm().is_none() && solver.starts() == 1 {
            if self.resume {
                let reason =
                    "this design has one starting point, so a run of it leaves no checkpoint";
                return Err(format!("--resume: {reason}").into());
            }
            let bar = self.bar(None);
            let watch = |progress: Progress| {
                bar.inc(1);
                bar.set_message(message(progress));
            };
            let solved = problem.solve_from(&problem.start(), self.settings, &watch);
            bar.finish_and_clear();
            return Ok(solved.map(|solution| (Vec::new(), solution)));
        }
        let mut checkpoint = self.checkpoint()?;
        let found = match solver.swarm() {
            Some((particles, generations)) => {
                self.by_swarm(&mut checkpoint, particles, generations)?
            }
            None => self.by_starts(&mut checkpoint, solver.starts())?,
        };
        // Nothing is left to go on with.
        let _ = fs::remove_file(self.file());
        interrupt::advise("; nothing was written");
        Ok(found.map(|solution| (checkpoint.starts, solution)))
    }

    fn by_starts(
        &self,
        checkpoint: &mut Checkpoint,
        starts: u64,
    ) -> Result<Result<DesignSolution, DesignError>, Box<dyn Error>> {
        let seed = self.study.design.solver.seed;
        let bar = self.bar(Some(starts));
        let watch = |progress: Progress| bar.set_message(message(progress));
        let solve = |start| solve_start(&self.study.problem, self.settings, seed, start, &watch);
        let done = checkpoint.starts.len() as u64;
        bar.set_position(done);
        for start in done..starts {
            checkpoint.starts.push(solve(start).0);
            self.save(checkpoint)?;
            bar.inc(1);
        }
        let best = best_start(&checkpoint.starts).map_or(0, |r| r.start);
        // Run again from the best start: the same bits as the first time.
        let solved = solve(best).1;
        bar.finish_and_clear();
        Ok(solved)
    }

    fn by_swarm(
        &self,
        checkpoint: &mut Checkpoint,
        particles: usize,
        generations: u64,
    ) -> Result<Result<DesignSolution, DesignError>, Box<dyn Error>> {
        let (problem, settings) = (&self.study.problem, self.settings);
        let seed = self.study.design.solver.seed;
        let mut swarm = match checkpoint.swarm.take() {
            Some(swarm) => swarm,
            None => Swarm::new(problem, settings, particles, seed)?,
        };
        let bar = self.bar(Some(generations));
        bar.set_position(swarm.generation());
        while swarm.generation() < generations {
            swarm.advance(problem, settings)?;
            bar.inc(1);
            bar.set_message(format!("least cost {:.2e}", swarm.cost()));
            checkpoint.swarm = Some(swarm.clone());
            self.save(checkpoint)?;
        }
        let watch = |progress: Progress| bar.set_message(message(progress));
        let solve = |start: u64| {
            let from = match start {
                0 => problem.start(),
                _ => swarm.best(problem),
            };
            solve_numbered(problem, settings, start, from, &watch)
        };
        let (here, there) = (solve(0), solve(1));
        checkpoint.starts = vec![here.0, there.0];
        let best = best_start(&checkpoint.starts).map_or(0, |r| r.start);
        bar.finish_and_clear();
        Ok(if best == 0 { here.1 } else { there.1 })
    }

    /// A bar for a known number of rounds, a spinner that counts steps without one.
    fn bar(&self, rounds: Option<u64>) -> ProgressBar {
        if self.silent {
            return ProgressBar::hidden();
        }
        let (bar, template) = match rounds {
            Some(rounds) => (
                ProgressBar::new(rounds),
                "{wide_bar} {pos}/{len} {eta} {msg}",
            ),
            None => (ProgressBar::new_spinner(), "{spinner} step {pos}: {msg}"),
        };
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }

    fn file(&self) -> PathBuf {
        self.out.join("checkpoint.json")
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), Box<dyn Error>> {
        let _writing = interrupt::writing();
        exit::write_text(&self.file(), &serde_json::to_string(checkpoint)?)?;
        interrupt::advise("; what is searched so far is kept: go on with --resume");
        Ok(())
    }

    /// That of an interrupted run of the same design, when asked for, else a fresh one.
    fn checkpoint(&self) -> Result<Checkpoint, Box<dyn Error>> {
        let start = self.study.problem.start();
        let count = self.study.problem.parameter_count();
        let mut hash = Sha256::new();
        hash.update(toml::to_string(&self.study.design)?);
        hash.update(self.study.robot.text(&start[..count])?);
        let fingerprint: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        let file = self.file();
        if !self.resume || !file.exists() {
            return Ok(Checkpoint {
                fingerprint,
                starts: Vec::new(),
                swarm: None,
            });
        }
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
        let stored: Checkpoint = serde_json::from_str(&text)
            .map_err(|error| format!("{}: is no checkpoint: {error}", file.display()))?;
        if stored.fingerprint != fingerprint {
            let reason = "belongs to another design file or robot; run without --resume";
            return Err(format!("{}: {reason}", file.display()).into());
        }
        Ok(stored)
    }
}

fn message(progress: Progress) -> String {
    let stage = match progress.stage {
        Stage::Root => "to a root",
        Stage::Nearest => "to the nearest",
        Stage::Compromise => "weighing",
    };
    format!("{stage}, largest residual {:.2e}", progress.residual)
}
