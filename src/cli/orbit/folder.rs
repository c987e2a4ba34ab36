//! What `carom orbit --out DIR` leaves: answers as files, pictures, a page, and a run of a period with its replay.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use carom::files::{OutputFolder, RUN_OUTPUT, write_whole};
use carom::record::{Recorder, Run, RunEnd, RunTables};
use carom::scenario::Experiment;
use carom::study::orbit::{Basin, FoundOrbits, Orbit, Scan, on_orbit, orbit_motion};
use carom::views::replay::write_replay;

use super::page::OrbitPage;
use super::pictures::{self, Picture};
use super::{basin_map, tables};

const PAGE: &str = "orbit.html";
/// The folder of the run of one period.
const RUN: &str = "run";

type Done = Result<(), Box<dyn Error>>;

/// Writes texts into a folder, each file whole or not at all.
fn put(folder: &Path, files: &[(&str, &str)]) -> Done {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in files {
        write_whole(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

fn put_pictures(folder: &Path, pictures: &[Picture]) -> Done {
    let files = pictures
        .iter()
        .map(|(name, svg)| (name.as_str(), svg.as_str()));
    put(folder, &files.collect::<Vec<_>>())
}

/// A scan: table, bifurcations, changes, diagrams, page.
pub fn write_branch(folder: &Path, experiment: &Experiment, scan: &Scan) -> Done {
    let bifurcations = format!("{}\n", serde_json::to_string(&scan.bifurcations)?);
    let changes = format!("{}\n", serde_json::to_string(&scan.changes)?);
    let table = tables::csv(scan)?;
    let files = [
        ("orbit.csv", table.as_str()),
        ("bifurcations.json", &bifurcations),
        ("changes.json", &changes),
    ];
    put(folder, &files)?;
    let pictures = pictures::branch(&experiment.model, scan)?;
    put_pictures(folder, &pictures)?;
    let mut page = OrbitPage::new(&experiment.scenario.description);
    page.branch(scan);
    page.show(&pictures);
    Ok(page.write(&folder.join(PAGE), &format!("Orbits over {}", scan.key))?)
}

/// One orbit, or those of many starts with the first of them, and where motions go.
pub fn write_orbits(
    folder: &Path,
    experiment: &Experiment,
    orbit: Option<&Orbit>,
    starts: Option<&FoundOrbits>,
    basin: Option<&Basin>,
) -> Done {
    let mut page = OrbitPage::new(&experiment.scenario.description);
    if let Some(found) = starts {
        put(
            folder,
            &[(
                "orbits.json",
                &format!("{}\n", serde_json::to_string(found)?),
            )],
        )?;
        page.orbits(found);
    }
    if let Some(orbit) = orbit {
        put(
            folder,
            &[(
                "orbit.json",
                &format!("{}\n", serde_json::to_string(orbit)?),
            )],
        )?;
        page.orbit(orbit);
    }
    let mut drawn = Vec::new();
    if let Some(orbit) = orbit.filter(|orbit| orbit.found) {
        let entry = experiment.scenario.orbit.as_ref();
        let drift = entry.map_or(&[][..], |entry| &entry.symmetry.drift);
        let motion = orbit_motion(experiment, orbit)?;
        drawn.extend(pictures::portraits(&experiment.model, drift, &motion)?);
        drawn.extend(pictures::multipliers(orbit)?);
        write_period(&folder.join(RUN), experiment, orbit)?;
        page.replay = Some("run/replay.html");
    }
    if let Some(basin) = basin {
        let units = [0, 1].map(|k| pictures::unit_of(&experiment.model, &basin.axes[k]));
        drawn.push(("basin.svg".to_string(), basin_map::draw(basin, units)));
        let json = format!("{}\n", serde_json::to_string(basin)?);
        put(
            folder,
            &[("basin.csv", &basin_map::csv(basin)), ("basin.json", &json)],
        )?;
        page.basin(basin);
    }
    put_pictures(folder, &drawn)?;
    page.show(&drawn);
    if orbit.is_none() {
        return Ok(());
    }
    let title = format!("Periodic orbit of {}", experiment.model.name());
    Ok(page.write(&folder.join(PAGE), &title)?)
}

/// The run of one closed period, with a replay that repeats it.
fn write_period(folder: &Path, experiment: &Experiment, orbit: &Orbit) -> Done {
    let mut own = on_orbit(experiment, orbit);
    own.scenario.output.every = 1;
    let mut run = Run::new(&own)?;
    let held = OutputFolder::hold(folder, &RUN_OUTPUT)?;
    held.check(own.scenario.paths())?;
    let mut recorder = Recorder::create(&own, held, |_| ControlFlow::Continue(()))?;
    let reason = match run.complete(&mut recorder)? {
        RunEnd::Failed(error) => Some(error.to_string()),
        _ => None,
    };
    let boundary = run.state().clone();
    let ended = recorder.finish(run.simulation(), &boundary, reason)?;
    let tables = RunTables::read(folder)?;
    write_replay(&own, &tables, folder, &ended.summary, true)?;
    ended.publish()?;
    Ok(())
}
