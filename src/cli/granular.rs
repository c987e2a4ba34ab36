//! Granular scenarios on the command line: one run, or both laws side by side.

use std::error::Error;
use std::path::Path;

use carom::comparison::granular::ChannelSample;
use carom::files::{OutputFolder, RUN_OUTPUT};
use carom::study::granular::{GRANULAR_LAWS, GranularRun, GranularScenario, draw_granular_plots};
use indicatif::ProgressBar;

use super::arguments::Shared;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::interrupt::Held;
use super::terminal::text::table;
use super::terminal::{exit, interrupt, progress};

/// Runs a scenario into a folder and reports.
pub fn simulate(
    file: &Path,
    scenario: GranularScenario,
    folder: &Path,
    shared: &Shared,
) -> CommandResult {
    let name = file.display().to_string();
    scenario.settings(&name)?;
    let held = OutputFolder::hold(folder, &RUN_OUTPUT)?;
    held.check([file])?;
    interrupt::hold(Held::Folder(held));
    interrupt::advise("; nothing was written");
    let bar = progress_bar(&scenario, shared);
    let run = GranularRun::new(&name, scenario, |sample| tell(&bar, sample))?;
    bar.finish_and_clear();
    let writing = interrupt::writing();
    if let Held::Folder(folder) = &*writing {
        folder.clear().map_err(exit::not_written)?;
    }
    run.write_tables(folder).map_err(exit::not_written)?;
    draw_granular_plots(&run, folder).map_err(exit::not_written)?;
    run.write_summary(folder).map_err(exit::not_written)?;
    if shared.json {
        exit::answer(&format!("{}\n", serde_json::to_string(&run.summary()?)?))?;
    } else {
        let title = &run.scenario.description;
        let mut text = format!("{title}\n{}", key_figures(std::slice::from_ref(&run)));
        text.push_str(&format!("files  {}\n", folder.display()));
        exit::answer(&text)?;
    }
    Ok(ExitStatus::Done)
}

/// Runs a scenario under every law of particles at once and prints the key figures side by side.
pub fn compare(file: &str, scenario: &GranularScenario, shared: &Shared) -> CommandResult {
    let bar = progress_bar(scenario, shared);
    let under = |law: &str, watched: bool| {
        let mut scenario = scenario.clone();
        scenario.impact.law = law.to_string();
        GranularRun::new(file, scenario, |sample| {
            if watched {
                tell(&bar, sample);
            }
        })
    };
    let runs = std::thread::scope(|scope| {
        let threads: Vec<_> = GRANULAR_LAWS
            .iter()
            .enumerate()
            .map(|(i, (law, _))| {
                let under = &under;
                scope.spawn(move || under(law, i == 0))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(run) => run.map_err(Box::<dyn Error>::from),
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect::<Result<Vec<GranularRun>, _>>()
    })?;
    bar.finish_and_clear();
    if shared.json {
        let summaries = runs
            .iter()
            .map(GranularRun::summary)
            .collect::<Result<Vec<_>, _>>()?;
        let document = serde_json::json!({"name": file, "laws": summaries});
        exit::answer(&format!("{document}\n"))?;
    } else {
        exit::answer(&format!("{file}\n\n{}", key_figures(&runs)))?;
    }
    Ok(ExitStatus::Done)
}

/// The quantities of Table 2 of the paper on channel flow, a column a run.
fn key_figures(runs: &[GranularRun]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: &dyn Fn(&GranularRun) -> String| {
        let values = runs.iter().map(value);
        rows.push(std::iter::once(name.to_string()).chain(values).collect());
    };
    row("law", &|r| r.scenario.impact.law.clone());
    row("particles, mean", &|r| {
        format!("{:.2}", r.report.particles_mean)
    });
    row("solid volume fraction", &|r| {
        format!("{:.2} %", 100.0 * r.report.solid_volume_fraction)
    });
    row("contacts, mean", &|r| {
        format!("{:.2}", r.report.contacts_mean)
    });
    row("contacts per particle", &|r| {
        format!("{:.4}", r.report.contacts_per_particle)
    });
    row("largest penetration", &|r| {
        format!(
            "{:.2} um ({:.3} % of the diameter)",
            1e6 * r.report.max_penetration_m,
            100.0 * r.report.max_penetration_share
        )
    });
    row("peak speed of the profile", &|r| {
        format!("{:.3} m/s", r.report.peak_speed_m_s)
    });
    row("in, out, escaped", &|r| {
        let r = &r.report;
        format!("{}, {}, {}", r.inflow, r.outflow, r.escaped)
    });
    row("sweeps a step, mean", &|r| {
        format!("{:.2}", r.report.sweeps_mean)
    });
    row("steps, not converged", &|r| {
        format!("{}, {}", r.report.steps, r.report.unconverged_steps)
    });
    row("wall time", &|r| format!("{:.1} s", r.report.wall_time_s));
    table(&rows)
}

fn progress_bar(scenario: &GranularScenario, shared: &Shared) -> ProgressBar {
    // In microseconds of simulated time.
    progress::bar(Some((scenario.duration * 1e6) as u64), "", shared)
}

fn tell(bar: &ProgressBar, sample: &ChannelSample) {
    bar.set_position((sample.time_s * 1e6) as u64);
}
