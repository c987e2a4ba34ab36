//! `carom design` of an orbit: the scenario of the file instead of a stance.

use std::path::{Path, PathBuf};

use carom::design::Progress;
use carom::files::{DESIGN_OUTPUT, OutputFolder};
use carom::study::design::BeforeAfter;
use carom::study::orbit::Orbit;
use carom::study::orbit_design::{OrbitDesignReport, OrbitDesignStudy};
use indicatif::{ProgressBar, ProgressStyle};

use super::super::arguments::Shared;
use super::super::orbit::report::{kind, stability};
use super::super::terminal::exit::{self, CommandResult, ExitStatus};
use super::super::terminal::interrupt::{self, Held};
use super::super::terminal::text::{number, table};
use super::{Design, folder_of};

impl Design {
    /// Solves, and only then writes.
    pub fn run_on_orbit(&self, shared: &Shared) -> CommandResult {
        for (given, option) in [(!self.map.is_empty(), "--map"), (self.resume, "--resume")] {
            if given {
                return Err(format!("{option}: it is for designs of stances; remove it").into());
            }
        }
        let study = OrbitDesignStudy::read(&self.file, &self.overrides)?;
        let out = self.out.clone().unwrap_or_else(|| default_folder(&study));
        let held = OutputFolder::hold(&out, &DESIGN_OUTPUT)?;
        held.check([&self.file, &study.design.orbit.scenario])?;
        interrupt::hold(Held::Folder(held));
        interrupt::advise("; nothing was written");
        let bar = bar(shared.quiet || shared.json);
        let watch = |progress: Progress| {
            bar.inc(1);
            bar.set_message(format!("largest residual {:.2e}", progress.residual));
        };
        let solved = study.solve(&watch);
        bar.finish_and_clear();
        let solved = match solved {
            Ok(solved) => solved,
            Err(error) => {
                use carom::study::orbit_design::OrbitDesignError as E;
                if matches!(error, E::File(_) | E::NothingWanted { .. }) {
                    return Err(error.into());
                }
                exit::complain(&format!("{}: {error}", study.file));
                return Ok(ExitStatus::CheckFailed);
            }
        };
        let json = serde_json::to_string_pretty(&solved.report)?;
        let scenario = solved.experiment.resolved().to_toml()?;
        let writing = interrupt::writing();
        if let Held::Folder(folder) = &*writing {
            folder.clear().map_err(exit::not_written)?;
        }
        exit::make_folder(&out)?;
        exit::write_text(&out.join("scenario.toml"), &scenario)?;
        for (name, robot) in solved.experiment.robot_files() {
            exit::write_text(&out.join(name), robot)?;
        }
        // Last: it says that the others are whole.
        exit::write_text(&out.join(DESIGN_OUTPUT.summary), &format!("{json}\n"))?;
        if shared.json {
            exit::answer(&format!("{json}\n"))?;
        } else {
            exit::answer(&text(&study, &solved.report))?;
        }
        Ok(if solved.reached {
            ExitStatus::Done
        } else {
            ExitStatus::CheckFailed
        })
    }
}

fn default_folder(study: &OrbitDesignStudy) -> PathBuf {
    let scenario = study.design.orbit.scenario.file_stem().unwrap_or_default();
    folder_of(&scenario.to_string_lossy(), Path::new(&study.file))
}

fn bar(silent: bool) -> ProgressBar {
    if silent {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    match ProgressStyle::with_template("{spinner} step {pos}: {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The table before and after.
fn text(study: &OrbitDesignStudy, report: &OrbitDesignReport) -> String {
    let mut rows = vec![["", "before", "after"].map(str::to_string).to_vec()];
    let mut row = |name: &str, value: BeforeAfter<String>| {
        rows.push(vec![name.to_string(), value.before, value.after]);
    };
    let exact = |x: f64| number(x, 0.0);
    let optional = |x: Option<f64>| x.map_or("-".to_string(), exact);
    for strike in &report.strikes {
        for cosine in &strike.cosines {
            let [a, b] = &cosine.contacts;
            row(
                &format!("cosine {a}, {b}"),
                each(&cosine.cosine, |c| exact(*c)),
            );
        }
        let apart = |gaps: &Vec<f64>| gaps.iter().fold(0.0_f64, |m, gap| m.max(gap.abs()));
        let name = format!("gaps of {} [m]", strike.contacts.join(", "));
        row(&name, each(&strike.gaps_m, |gaps| exact(apart(gaps))));
    }
    let orbit = &report.orbit;
    row("return map", each(orbit, |o| kind(o).to_string()));
    row(
        "velocities after differ by",
        each(orbit, |o| optional(jump(o))),
    );
    row("stability", each(orbit, |o| stability(o).to_string()));
    row(
        "largest multiplier",
        each(orbit, |o| optional(o.largest_multiplier())),
    );
    row("period [s]", each(orbit, |o| exact(o.period_s)));
    row("energy lost [J]", each(orbit, |o| exact(o.energy_lost_J)));
    row(
        "cost of transport",
        each(orbit, |o| optional(o.cost_of_transport)),
    );
    row("speed [m/s]", each(orbit, |o| optional(o.speed())));
    let units = study.family.units();
    for (variable, unit) in study.family.variables().iter().zip(units) {
        let name = if unit.is_empty() {
            variable.name.clone()
        } else {
            format!("{} [{unit}]", variable.name)
        };
        row(
            &name,
            each(&report.parameters[&variable.name], |x| exact(*x)),
        );
    }
    let mut text = format!(
        "{}\n{} after {} steps and {} to the nearest, {} from the start; {} orbits\n\n{}",
        report.description,
        report.status,
        report.iterations,
        report.refinements,
        number(report.distance, 1.0),
        report.orbits,
        table(&rows)
    );
    if !report.at_bounds.is_empty() {
        text.push_str(&format!("\nat a bound: {}\n", report.at_bounds.join(", ")));
    }
    if report.status != "converged" {
        text.push_str(&format!(
            "\n{:e} is left of gaps and cosines\n",
            report.residual
        ));
    }
    text
}

fn each<T>(pair: &BeforeAfter<T>, say: impl Fn(&T) -> String) -> BeforeAfter<String> {
    BeforeAfter {
        before: say(&pair.before),
        after: say(&pair.after),
    }
}

/// How far separate impacts in different orders lie apart; none where contacts strike one by one.
fn jump(orbit: &Orbit) -> Option<f64> {
    let jumps = orbit.simultaneous.iter().flat_map(|s| s.jump.values());
    jumps.copied().reduce(f64::max)
}
