//! A post-impact set in numbers, as answers print it.

use serde::{Serialize, Serializer};

use crate::impact::ContactRows;

/// Fractions, extents and times of a [`PostImpactSet`](super::PostImpactSet).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetSummary {
    /// Samples drawn.
    pub samples: usize,
    /// Seed they were drawn with.
    pub seed: u64,
    /// h \[N s\].
    #[serde(rename = "step_Ns")]
    pub step: f64,
    /// Fraction of samples that terminated.
    pub terminated: f64,
    /// Fraction that a last small step ended.
    pub forced: f64,
    /// Fraction whose LCP was not solved.
    pub unsolved: f64,
    /// Mean number of LCPs of a sample.
    pub lcp_per_sample: f64,
    /// Extents of the set.
    #[serde(flatten)]
    pub extents: SetExtents,
    /// Number of samples that the extents stand for.
    pub extents_of_samples: usize,
    /// Extents of the samples alone.
    pub sampled: SetExtents,
    /// How far a directed search gets.
    pub directed: SetExtents,
    /// Fraction of outcomes at rest.
    pub rest_fraction: f64,
    /// Fraction of outcomes in which a contact with friction sticks.
    pub stick_fraction: f64,
    /// Fraction of outcomes in which each contact separates.
    pub separation_fraction: Vec<f64>,
    /// Time it took to draw the samples \[s\].
    pub wall_time_s: f64,
}

/// Least and largest velocities of the contacts \[m/s\].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetExtents {
    /// Along the normals.
    pub normal_velocity: NormalExtents,
    /// Along the tangents.
    pub tangential_velocity: TangentialExtents,
}

/// Least and largest normal velocity of each contact \[m/s\]; `None` for a set without samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NormalExtents {
    /// Least.
    pub min: Vec<Option<f64>>,
    /// Largest.
    pub max: Vec<Option<f64>>,
}

/// Least and largest tangential velocity of each contact \[m/s\].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TangentialExtents {
    /// Least.
    pub min: Vec<TangentialEnd>,
    /// Largest.
    pub max: Vec<TangentialEnd>,
}

/// One end of the tangential velocities of a contact, as many as it has tangents. In answers one is a number, two
/// are a pair, none is null.
#[derive(Debug, Clone, PartialEq)]
pub struct TangentialEnd(pub Vec<Option<f64>>);

impl Serialize for TangentialEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [] => serializer.serialize_none(),
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl SetExtents {
    /// Arranges the range of every row by contact.
    pub(crate) fn by_contact(contacts: &[ContactRows], ranges: &[Option<(f64, f64)>]) -> Self {
        type End = fn((f64, f64)) -> f64;
        let normal = |end: End| contacts.iter().map(|c| ranges[c.normal].map(end)).collect();
        let tangential = |end: End| {
            let ends = contacts
                .iter()
                .map(|c| c.tangent_rows().map(|row| ranges[row].map(end)));
            ends.map(|ends| TangentialEnd(ends.collect())).collect()
        };
        let (least, largest): (End, End) = (|range| range.0, |range| range.1);
        Self {
            normal_velocity: NormalExtents {
                min: normal(least),
                max: normal(largest),
            },
            tangential_velocity: TangentialExtents {
                min: tangential(least),
                max: tangential(largest),
            },
        }
    }
}
