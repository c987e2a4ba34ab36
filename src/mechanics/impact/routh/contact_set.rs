//! A sampled post-impact set: extents, fractions, hulls, nets, CSV.

use std::io::Write;
use std::sync::Arc;

use serde::Serialize;

use super::extent_refinement::ExtremeSample;
use super::planar_hull::{PlanarHull, planar_hull};
use super::sampler::SampleStatus;
use super::set_summary::{SetExtents, SetSummary};
use crate::impact::{ContactRows, ImpactProblem};

/// Contact velocities below this fraction of the largest pre-impact one (each in its own kinetic
/// unit, |a_i|/√G_ii) count as zero when samples are counted at rest or sticking.
const AT_REST: f64 = 1e-8;

/// A run of consecutive samples, as one task returns it.
#[derive(Debug, Clone)]
pub(crate) struct SampleBlock {
    pub(crate) velocities: Vec<f64>,
    pub(crate) impulses: Vec<f64>,
    pub(crate) lcps: Vec<u32>,
    pub(crate) status: Vec<SampleStatus>,
}

/// Size of an ε-net after a number of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NetSize {
    /// Samples seen.
    pub samples: usize,
    /// Samples in the net.
    pub points: usize,
}

/// Samples of the outcomes of one impact, seen from its contacts.
///
/// Rows are those of [`ContactSpace`](crate::impact::ContactSpace): for each contact its normal, then its
/// tangents. All statistics are over the samples in the set, that is, those that terminated.
#[derive(Debug, Clone, PartialEq)]
pub struct PostImpactSet {
    /// Seed the samples were drawn with.
    pub seed: u64,
    /// h \[N s\].
    pub step: f64,
    /// Time it took to draw the samples.
    pub wall_time_s: f64,
    names: Vec<Arc<str>>,
    contacts: Vec<ContactRows>,
    /// Natural size of each row: the largest pre-impact velocity, in kinetic units.
    row_unit: Vec<f64>,
    rows: usize,
    velocities: Vec<f64>,
    impulses: Vec<f64>,
    lcps: Vec<u32>,
    status: Vec<SampleStatus>,
    extremes: Vec<ExtremeSample>,
    extent_samples: usize,
}

impl PostImpactSet {
    pub(crate) fn new(
        problem: &ImpactProblem,
        seed: u64,
        step: f64,
        blocks: &[SampleBlock],
    ) -> Self {
        let space = problem.contact_space();
        let r = space.rows();
        let root = |i: usize| space.delassus[(i, i)].sqrt();
        let unit = (0..r).fold(0.0, |m: f64, i| m.max(space.velocity[i].abs() / root(i)));
        Self {
            seed,
            step,
            wall_time_s: 0.0,
            names: problem.names().to_vec(),
            contacts: space.contacts.clone(),
            row_unit: (0..r).map(|i| unit * root(i)).collect(),
            rows: r,
            velocities: blocks.iter().flat_map(|b| &b.velocities).copied().collect(),
            impulses: blocks.iter().flat_map(|b| &b.impulses).copied().collect(),
            lcps: blocks.iter().flat_map(|b| &b.lcps).copied().collect(),
            status: blocks.iter().flat_map(|b| &b.status).copied().collect(),
            extremes: Vec::new(),
            extent_samples: 0,
        }
    }

    pub(crate) fn set_extremes(&mut self, extremes: Vec<ExtremeSample>, wanted: usize) {
        self.extremes = extremes;
        self.extent_samples = wanted;
    }

    /// Natural size of a row's velocity [m/s]: the largest pre-impact one in kinetic units.
    pub(crate) fn row_unit(&self, row: usize) -> f64 {
        self.row_unit[row]
    }

    /// Number of samples drawn.
    #[must_use]
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// True when no sample was drawn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// Number of rows of a sample.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How sample `i` ended.
    #[must_use]
    pub fn status(&self, i: usize) -> SampleStatus {
        self.status[i]
    }

    /// LCPs that sample `i` took.
    #[must_use]
    pub fn lcps(&self, i: usize) -> usize {
        self.lcps[i] as usize
    }

    /// Contact velocities of sample `i` \[m/s\], r.
    #[must_use]
    pub fn velocity(&self, i: usize) -> &[f64] {
        &self.velocities[i * self.rows..(i + 1) * self.rows]
    }

    /// Contact impulses of sample `i` \[N s\], r, if they were kept.
    #[must_use]
    pub fn impulse(&self, i: usize) -> Option<&[f64]> {
        self.impulses.get(i * self.rows..(i + 1) * self.rows)
    }

    /// Number of samples in the set.
    #[must_use]
    pub fn in_set(&self) -> usize {
        self.status.iter().filter(|s| s.in_set()).count()
    }

    /// Samples in the set, by their velocities.
    pub fn members(&self) -> impl Iterator<Item = (usize, &[f64])> {
        (0..self.len())
            .filter(|&i| self.status[i].in_set())
            .map(|i| (i, self.velocity(i)))
    }

    /// Fraction of samples that ended with this status.
    #[must_use]
    pub fn fraction(&self, status: SampleStatus) -> f64 {
        let count = self.status.iter().filter(|&&s| s == status).count();
        ratio(count, self.len())
    }

    /// Mean number of LCPs of a sample.
    #[must_use]
    pub fn lcps_per_sample(&self) -> f64 {
        let total: u64 = self.lcps.iter().map(|&n| u64::from(n)).sum();
        if self.is_empty() {
            return 0.0;
        }
        total as f64 / self.len() as f64
    }

    /// Least and largest velocity of a row \[m/s\] in the set and in its refinement
    /// ([`RouthSettings::extent_samples`](super::RouthSettings::extent_samples)); `None` for an empty set.
    #[must_use]
    pub fn extent(&self, row: usize) -> Option<(f64, f64)> {
        let of_row = self.extremes.iter().filter(|e| e.row == row);
        let refined = of_row.map(|e| e.velocity[row]);
        let (low, high) = self.sampled_extent(row)?;
        Some(refined.fold((low, high), |(a, b), x| (a.min(x), b.max(x))))
    }

    /// Least and largest velocity of a row that a directed search found \[m/s\], whatever their probability: a
    /// lower bound of the supremum; `None` without a search.
    #[must_use]
    pub fn reach(&self, row: usize) -> Option<(f64, f64)> {
        let end = |largest: bool| {
            let mut of_row = self.extremes.iter().filter(|e| e.row == row);
            of_row.find(|e| e.largest == largest).map(|e| e.reach)
        };
        (self.extent_samples > 0).then_some((end(false)?, end(true)?))
    }

    /// Least and largest velocity of a row among the samples alone \[m/s\].
    #[must_use]
    pub fn sampled_extent(&self, row: usize) -> Option<(f64, f64)> {
        let mut values = self.members().map(|(_, v)| v[row]);
        let first = values.next()?;
        Some(values.fold((first, first), |(a, b), x| (a.min(x), b.max(x))))
    }

    /// The samples that have the least and the largest velocity of each row.
    #[must_use]
    pub fn extremes(&self) -> &[ExtremeSample] {
        &self.extremes
    }

    /// Fraction of the set in which no contact separates: every normal velocity is zero.
    #[must_use]
    pub fn rest_fraction(&self) -> f64 {
        self.fraction_of_members(|v| {
            let mut normals = self.contacts.iter().map(|c| c.normal);
            normals.all(|n| v[n].abs() <= AT_REST * self.row_unit[n])
        })
    }

    /// Fraction of the set in which no contact point moves at all.
    #[must_use]
    pub fn stick_fraction(&self) -> f64 {
        self.fraction_of_members(|v| {
            v.iter()
                .zip(&self.row_unit)
                .all(|(x, unit)| x.abs() <= AT_REST * unit)
        })
    }

    /// Fraction of the set in which the contact separates.
    #[must_use]
    pub fn separation_fraction(&self, contact: usize) -> f64 {
        let n = self.contacts[contact].normal;
        self.fraction_of_members(|v| v[n] > AT_REST * self.row_unit[n])
    }

    fn fraction_of_members(&self, holds: impl Fn(&[f64]) -> bool) -> f64 {
        ratio(
            self.members().filter(|(_, v)| holds(v)).count(),
            self.in_set(),
        )
    }

    /// Convex hull of the set, refinement included, in the plane of two rows.
    #[must_use]
    pub fn hull(&self, horizontal: usize, vertical: usize) -> PlanarHull {
        let refined = self.extremes.iter().map(|e| e.velocity.as_slice());
        let all = self.members().map(|(_, v)| v).chain(refined);
        planar_hull(all.map(|v| [v[horizontal], v[vertical]]))
    }

    /// How an ε-net of the set grows with the number of samples: after 1, 2, 4, … samples (and all of
    /// them) the number of samples that are farther than ε from every earlier one kept. Growth that
    /// stops says that the set is covered to ε. Distances are Euclidean over the rows, each in units of
    /// the impact (max_j |a_j|/√G_jj · √G_ii), so ε is a pure number. Stops at `limit` kept samples.
    #[must_use]
    pub fn net_growth(&self, epsilon: f64, limit: usize) -> Vec<NetSize> {
        let mut kept: Vec<usize> = Vec::new();
        let mut growth = Vec::new();
        let far = |a: &[f64], b: &[f64]| {
            let pairs = a.iter().zip(b).zip(&self.row_unit);
            let square = |((x, y), unit): ((&f64, &f64), &f64)| ((x - y) / unit).powi(2);
            pairs.map(square).sum::<f64>() > epsilon * epsilon
        };
        for i in 0..self.len() {
            let v = self.velocity(i);
            if self.status[i].in_set() && kept.iter().all(|&k| far(self.velocity(k), v)) {
                kept.push(i);
            }
            let samples = i + 1;
            if samples.is_power_of_two() || samples == self.len() || kept.len() == limit {
                growth.push(NetSize {
                    samples,
                    points: kept.len(),
                });
            }
            if kept.len() == limit {
                break;
            }
        }
        growth
    }

    /// The summary that answers print: fractions, extents and time.
    #[must_use]
    pub fn summary(&self) -> SetSummary {
        let extents = |of: &dyn Fn(usize) -> Option<(f64, f64)>| {
            let ranges: Vec<_> = (0..self.rows).map(of).collect();
            SetExtents::by_contact(&self.contacts, &ranges)
        };
        let contacts = 0..self.contacts.len();
        SetSummary {
            samples: self.len(),
            seed: self.seed,
            step: self.step,
            terminated: self.fraction(SampleStatus::Terminated),
            forced: self.fraction(SampleStatus::Forced),
            unsolved: self.fraction(SampleStatus::Unsolved),
            lcp_per_sample: self.lcps_per_sample(),
            extents: extents(&|row| self.extent(row)),
            extents_of_samples: self.extent_samples.max(self.len()),
            sampled: extents(&|row| self.sampled_extent(row)),
            directed: extents(&|row| self.reach(row)),
            rest_fraction: self.rest_fraction(),
            stick_fraction: self.stick_fraction(),
            separation_fraction: contacts.map(|c| self.separation_fraction(c)).collect(),
            wall_time_s: self.wall_time_s,
        }
    }

    /// Writes one line per sample: number, whether it terminated, LCPs, contact velocities and, when
    /// kept, impulses.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), csv::Error> {
        let mut out = csv::Writer::from_writer(writer);
        let mut header = vec![
            "sample".to_string(),
            "status".to_string(),
            "lcps".to_string(),
        ];
        let mut name_rows = |prefix: &str, unit: &str| {
            for (contact, name) in self.contacts.iter().zip(&self.names) {
                header.push(format!("{prefix}_{name}_n_{unit}"));
                for t in 0..contact.tangents {
                    let suffix = if contact.tangents > 1 {
                        (t + 1).to_string()
                    } else {
                        String::new()
                    };
                    header.push(format!("{prefix}_{name}_t{suffix}_{unit}"));
                }
            }
        };
        name_rows("velocity", "m_per_s");
        if !self.impulses.is_empty() {
            name_rows("impulse", "Ns");
        }
        out.write_record(&header)?;
        let mut record: Vec<String> = Vec::with_capacity(header.len());
        for i in 0..self.len() {
            record.clear();
            let status = match self.status[i] {
                SampleStatus::Terminated => "terminated",
                SampleStatus::Forced => "forced",
                SampleStatus::NotTerminated => "not-terminated",
                SampleStatus::Unsolved => "unsolved",
            };
            record.extend([i.to_string(), status.to_string(), self.lcps[i].to_string()]);
            let impulse = self.impulse(i).unwrap_or_default();
            record.extend(self.velocity(i).iter().chain(impulse).map(f64::to_string));
            out.write_record(&record)?;
        }
        out.flush()?;
        Ok(())
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
