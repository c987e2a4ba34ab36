//! The intervals of an impact, one by one.

use std::io::Write;
use std::sync::Arc;

use nalgebra::DVector;

use super::interval::{Interval, PlusMode, PlusPhase};
use super::rounds::Observer;
use crate::impact::{ContactImpulse, ContactRows, split_impulse};

impl PlusPhase {
    /// Name in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compressing => "compressing",
            Self::Expanding => "expanding",
            Self::Observing => "observing",
        }
    }
}

impl PlusMode {
    /// Name in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Frictionless => "frictionless",
            Self::Sliding => "sliding",
            Self::Rolling => "rolling",
            Self::ImpendingSlip => "impending-slip",
        }
    }
}

/// One contact during one interval.
#[derive(Debug, Clone, PartialEq)]
pub struct PlusPoint {
    /// Its part in the round.
    pub phase: PlusPhase,
    /// What it did in the tangent plane.
    pub mode: PlusMode,
    /// Impulse applied in the interval \[N s\].
    pub impulse: ContactImpulse,
    /// Contact velocity at the end of the interval: normal, then tangents \[m/s\].
    pub velocity: Vec<f64>,
}

/// One interval of an impact.
#[derive(Debug, Clone, PartialEq)]
pub struct PlusInterval {
    /// Round it belongs to, from 1.
    pub round: usize,
    /// Fraction of the computed impulse that was applied, in (0, 1].
    pub alpha: f64,
    /// Every contact, in the order of the problem.
    pub points: Vec<PlusPoint>,
}

/// How an impact was resolved: what Figs. 8 to 10, 12 and Table 2 of \[USD\] are drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct PlusTrace {
    /// Contact names, in the order of the problem.
    pub contacts: Vec<Arc<str>>,
    /// Intervals in the order in which they were applied.
    pub intervals: Vec<PlusInterval>,
}

impl PlusTrace {
    /// Number of rounds.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.intervals.last().map_or(0, |interval| interval.round)
    }

    /// Writes one row for each contact of each interval, with a header.
    ///
    /// Columns: `round`, `interval` (both from 1), `alpha`, `contact`, `phase`, `mode`, then the impulse of the
    /// interval (`impulse_n_Ns`, `impulse_t1_Ns`, `impulse_t2_Ns`) and the contact velocity at its end
    /// (`velocity_n_m_per_s`, `velocity_t1_m_per_s`, `velocity_t2_m_per_s`). Tangents that a contact does not
    /// have are empty.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, writer: impl Write) -> csv::Result<()> {
        let mut table = csv::Writer::from_writer(writer);
        table.write_record([
            "round",
            "interval",
            "alpha",
            "contact",
            "phase",
            "mode",
            "impulse_n_Ns",
            "impulse_t1_Ns",
            "impulse_t2_Ns",
            "velocity_n_m_per_s",
            "velocity_t1_m_per_s",
            "velocity_t2_m_per_s",
        ])?;
        for (number, interval) in self.intervals.iter().enumerate() {
            for (name, point) in self.contacts.iter().zip(&interval.points) {
                let text = |x: Option<&f64>| x.map_or_else(String::new, f64::to_string);
                table.write_record([
                    interval.round.to_string(),
                    (number + 1).to_string(),
                    interval.alpha.to_string(),
                    name.to_string(),
                    point.phase.as_str().to_string(),
                    point.mode.as_str().to_string(),
                    point.impulse.normal.to_string(),
                    text(point.impulse.tangential.first()),
                    text(point.impulse.tangential.get(1)),
                    text(point.velocity.first()),
                    text(point.velocity.get(1)),
                    text(point.velocity.get(2)),
                ])?;
            }
        }
        table.flush()?;
        Ok(())
    }
}

/// Records every interval of a run.
pub(super) struct Recorder<'a> {
    pub(super) layout: &'a [ContactRows],
    pub(super) intervals: Vec<PlusInterval>,
}

impl Observer for Recorder<'_> {
    fn interval(&mut self, round: usize, alpha: f64, interval: &Interval, step: &[f64]) {
        let impulses = split_impulse(self.layout, &DVector::from_column_slice(step));
        let points = impulses
            .into_iter()
            .zip(self.layout)
            .enumerate()
            .map(|(k, (impulse, contact))| PlusPoint {
                phase: interval.phase[k],
                mode: interval.mode[k],
                impulse,
                velocity: interval.velocity[contact.rows()].to_vec(),
            })
            .collect();
        self.intervals.push(PlusInterval {
            round,
            alpha,
            points,
        });
    }
}
