//! Series that an impact can leave in a file beside its answer: the curve of a single frictional
//! impact, the samples of a set.

use std::any::Any;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use carom::files::write_whole;
use carom::impact::routh::{RouthSettings, sample_set};
use carom::impact::{ImpactLaw, ImpactProblem, Routh, Stronge};
use carom::laws::ImpactFile;
use clap::Args;

use super::super::law_options::LawOptions;
use super::super::terminal::exit::NotWritten;
use super::super::terminal::{exit, interrupt};
use super::{set_plots, stronge_plots};

/// Samples of a curve; events come in addition.
const CURVE_SAMPLES: usize = 401;

/// Files beside the answer.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Files beside the answer")]
pub struct SeriesOptions {
    /// Write the course of the impact, hodograph and impulses, as CSV (stronge, one contact)
    #[arg(long = "curve-csv", alias = "curve", value_name = "FILE")]
    curve: Option<PathBuf>,

    /// Write every sample as CSV (routh, with --samples)
    #[arg(long = "samples-csv", alias = "keep", value_name = "FILE")]
    keep: Option<PathBuf>,

    /// Draw pictures (SVG) into a folder: hodograph and impulses (stronge, one contact), the set in planes of
    /// contact velocities (routh, with --samples)
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

impl SeriesOptions {
    /// Checks what can be known before anything is solved.
    ///
    /// # Errors
    /// The law leaves no such series.
    pub fn check_law(&self, law: &dyn ImpactLaw, options: &LawOptions) -> Result<(), String> {
        let (known, name): (&dyn Any, &str) = (law, law.name());
        let (curve, set) = (known.is::<Stronge>(), known.is::<Routh>());
        if self.curve.is_some() && !curve {
            return Err(format!(
                "--curve-csv: law \"{name}\" has no curve; stronge has"
            ));
        }
        if self.keep.is_some() && !set {
            return Err(format!(
                "--samples-csv: law \"{name}\" draws no samples; routh does"
            ));
        }
        if self.plots.is_some() && !(curve || set) {
            return Err(format!(
                "--plots: law \"{name}\" draws nothing; stronge and routh do"
            ));
        }
        let wanted = if self.keep.is_some() {
            "--samples-csv"
        } else {
            "--plots"
        };
        let samples = self.keep.is_some() || (self.plots.is_some() && set);
        if samples && options.samples.is_none() {
            return Err(format!(
                "{wanted}: say how many samples to draw with --samples"
            ));
        }
        Ok(())
    }

    /// Checks that there is one problem to write about.
    ///
    /// # Errors
    /// The file holds more than one problem, or none.
    pub fn check_file(&self, file: &ImpactFile) -> Result<(), String> {
        let wanted = self.curve.is_some() || self.keep.is_some() || self.plots.is_some();
        match file.problems.len() {
            1 => Ok(()),
            count if wanted => Err(format!(
                "holds {count} problems; --curve-csv, --samples-csv and --plots write about one"
            )),
            _ => Ok(()),
        }
    }

    /// Writes the series of a solved problem.
    ///
    /// # Errors
    /// The law refuses, or the file cannot be written.
    pub fn write(
        &self,
        law: &mut dyn ImpactLaw,
        problem: &ImpactProblem,
    ) -> Result<(), Box<dyn Error>> {
        let law: &mut dyn Any = law;
        let plots = if let Some(stronge) = law.downcast_mut::<Stronge>() {
            self.write_curve(stronge, problem)?
        } else if let Some(routh) = law.downcast_ref::<Routh>() {
            self.write_set(routh, problem)?
        } else {
            Vec::new()
        };
        let _writing = interrupt::writing();
        if let Some(folder) = &self.plots {
            exit::make_folder(folder)?;
            for (name, svg) in &plots {
                exit::write_text(&folder.join(name), svg)?;
            }
        }
        Ok(())
    }

    /// The course of a single impact: its file, and its pictures by name.
    fn write_curve(
        &self,
        law: &mut Stronge,
        problem: &ImpactProblem,
    ) -> Result<Pictures, Box<dyn Error>> {
        if self.curve.is_none() && self.plots.is_none() {
            return Ok(Vec::new());
        }
        let curve = law.curve(problem, CURVE_SAMPLES)?;
        let pictures = match self.plots {
            Some(_) => stronge_plots::draw(law, problem, &curve)?,
            None => Vec::new(),
        };
        if let Some(path) = &self.curve {
            write_csv(path, |out| curve.write_csv(out))?;
        }
        Ok(pictures)
    }

    /// The samples of a set: their file, and its pictures by name.
    fn write_set(&self, law: &Routh, problem: &ImpactProblem) -> Result<Pictures, Box<dyn Error>> {
        if self.keep.is_none() && self.plots.is_none() {
            return Ok(Vec::new());
        }
        let settings = RouthSettings {
            keep_impulses: self.keep.is_some(),
            ..law.settings().clone()
        };
        let set = sample_set(problem, &settings)?;
        let pictures = match self.plots {
            Some(_) => set_plots::draw(problem, &set)?,
            None => Vec::new(),
        };
        if let Some(path) = &self.keep {
            write_csv(path, |out| set.write_csv(out))?;
        }
        Ok(pictures)
    }
}

/// File names and SVG texts.
type Pictures = Vec<(String, String)>;

fn write_csv(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> Result<(), csv::Error>,
) -> Result<(), NotWritten> {
    let _writing = interrupt::writing();
    write_whole(path, |out| write(out).map_err(io::Error::from)).map_err(exit::not_written)
}
