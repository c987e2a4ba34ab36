//! A run of a granular scenario, its files and its key figures.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::GranularScenario;
use crate::comparison::granular::{ChannelReport, ChannelSample, FlowProfile, run};
use crate::files::{OutputFileError, write_whole};
use crate::record::RunStatus;
use crate::scenario::{ScenarioError, hexadecimal};

/// A granular run: what it was asked and what it gave.
#[derive(Debug, Clone, PartialEq)]
pub struct GranularRun {
    /// The scenario.
    pub scenario: GranularScenario,
    /// Key figures, series and profile.
    pub report: ChannelReport,
}

/// The content of `summary.json` of a granular run. Means are over the time after `output.settling_time`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GranularSummary<'a> {
    /// `completed`.
    pub status: RunStatus,
    /// What the scenario says it shows.
    pub description: &'a str,
    /// Name of the law.
    pub law: &'a str,
    /// Steps done.
    pub steps: usize,
    /// Time reached \[s\].
    pub time_s: f64,
    /// Time it took \[s\].
    pub wall_time_s: f64,
    /// Simulated time over wall time.
    pub real_time_factor: f64,
    /// The key figures.
    #[serde(flatten)]
    pub figures: &'a ChannelReport,
    /// Version of the program.
    pub version: &'static str,
    /// SHA-256 of the resolved scenario.
    pub scenario_hash: String,
}

impl GranularRun {
    /// Runs a scenario; `file` is what messages call it and `progress` is told every row of the series.
    ///
    /// # Errors
    /// A number out of range.
    pub fn new(
        file: &str,
        scenario: GranularScenario,
        progress: impl FnMut(&ChannelSample),
    ) -> Result<Self, ScenarioError> {
        let settings = scenario.settings(file)?;
        let report = run(&settings, progress)
            .map_err(|error| ScenarioError::value(file, "channel", error.to_string()))?;
        Ok(Self { scenario, report })
    }

    /// The summary.
    ///
    /// # Errors
    /// A scenario that TOML cannot write.
    pub fn summary(&self) -> Result<GranularSummary<'_>, toml::ser::Error> {
        let r = &self.report;
        let time = r.steps as f64 * self.scenario.time_step;
        Ok(GranularSummary {
            status: RunStatus::Completed,
            description: &self.scenario.description,
            law: &self.scenario.impact.law,
            steps: r.steps,
            time_s: time,
            wall_time_s: r.wall_time_s,
            real_time_factor: time / r.wall_time_s.max(f64::MIN_POSITIVE),
            figures: r,
            version: env!("CARGO_PKG_VERSION"),
            scenario_hash: hexadecimal(Sha256::new_with_prefix(self.scenario.to_toml()?)),
        })
    }

    /// Writes `scenario.toml`, `series.csv` and `profile.csv` into a folder, which must exist.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_tables(&self, folder: &Path) -> Result<(), OutputFileError> {
        let text = self.scenario.to_toml().map_err(io::Error::other);
        write_whole(&folder.join("series.csv"), |w| {
            write_series(&self.report.samples, w)
        })?;
        write_whole(&folder.join("profile.csv"), |w| {
            write_profile(&self.report.profile, self.scenario.channel.size, w)
        })?;
        write_whole(&folder.join("scenario.toml"), |w| {
            w.write_all(text?.as_bytes())
        })
    }

    /// Writes `summary.json`, the last file of the run.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_summary(&self, folder: &Path) -> Result<(), OutputFileError> {
        let summary = self.summary().map_err(io::Error::other);
        write_whole(&folder.join("summary.json"), |w| {
            serde_json::to_writer_pretty(&mut *w, &summary?)?;
            writeln!(w)
        })
    }
}

fn write_series(samples: &[ChannelSample], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "time_s",
        "particles",
        "contacts",
        "contacts_per_particle",
        "penetration_m",
        "kinetic_J",
        "sweeps",
    ])?;
    for s in samples {
        csv.write_record([
            format!("{:?}", s.time_s),
            s.particles.to_string(),
            s.contacts.to_string(),
            format!("{:?}", s.contacts_per_particle()),
            format!("{:?}", s.penetration_m),
            format!("{:?}", s.kinetic_energy),
            s.sweeps.to_string(),
        ])?;
    }
    csv.flush()
}

/// One row a cell, by the cell's centre.
fn write_profile(profile: &FlowProfile, size: [f64; 3], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["x_m", "y_m", "particles", "speed_m_s", "spin_rad_s"])?;
    let ny = profile.speed.len();
    for (j, speeds) in profile.speed.iter().enumerate() {
        for (i, speed) in speeds.iter().enumerate() {
            let centre = |k: usize, n: usize, extent: f64| (k as f64 + 0.5) / n as f64 * extent;
            csv.write_record([
                format!("{:?}", centre(i, speeds.len(), size[0])),
                format!("{:?}", centre(j, ny, size[1])),
                profile.particles[j][i].to_string(),
                format!("{speed:?}"),
                format!("{:?}", profile.spin[j][i]),
            ])?;
        }
    }
    csv.flush()
}
