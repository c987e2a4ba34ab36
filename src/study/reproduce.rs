//! Published numbers of the literature, recomputed.
//!
//! Each [`PublishedNumber`] holds what a paper prints, what this library computes, and the tolerance
//! that the printed digits allow. Where a paper is wrong, the number that ours must meet is the
//! corrected one, and the note says what was corrected.

mod compliant;
mod fall;
mod laws;
mod propagative;

use serde::Serialize;

use crate::impact::ImpactError;

/// One number of a paper beside ours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedNumber {
    /// Item that it belongs to, one of [`ITEMS`].
    pub item: &'static str,
    /// Paper and place.
    pub source: &'static str,
    /// What it is, with its unit.
    pub quantity: String,
    /// What the paper prints; `None` where it prints no number.
    pub printed: Option<f64>,
    /// What is right, where it differs from what is printed, with the reason in `note`.
    pub corrected: Option<f64>,
    /// What this library computes.
    pub ours: f64,
    /// Largest admissible distance between ours and the corrected (or printed) number.
    pub tolerance: f64,
    /// Remark.
    pub note: &'static str,
}

impl PublishedNumber {
    /// Whether ours is within the tolerance; numbers that nobody printed always are.
    #[must_use]
    pub fn agrees(&self) -> bool {
        match self.corrected.or(self.printed) {
            Some(wanted) => (self.ours - wanted).abs() <= self.tolerance,
            None => self.ours.is_finite(),
        }
    }

    /// What a paper prints and we meet.
    fn printed(
        item: &'static str,
        source: &'static str,
        quantity: impl Into<String>,
        printed: f64,
        ours: f64,
        tolerance: f64,
    ) -> Self {
        Self {
            item,
            source,
            quantity: quantity.into(),
            printed: Some(printed),
            corrected: None,
            ours,
            tolerance,
            note: "",
        }
    }

    fn corrected(mut self, value: f64, tolerance: f64, note: &'static str) -> Self {
        self.corrected = Some(value);
        self.tolerance = tolerance;
        self.note = note;
        self
    }

    fn unprinted(mut self, note: &'static str) -> Self {
        self.printed = None;
        self.note = note;
        self
    }
}

/// A curve of a paper's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedCurve {
    /// Item that it belongs to.
    pub item: &'static str,
    /// What the figure shows.
    pub title: String,
    /// Axis labels with units.
    pub axes: [&'static str; 2],
    /// Named series of points.
    pub series: Vec<(String, Vec<[f64; 2]>)>,
}

/// Names of the items and what each is.
pub const ITEMS: &[(&str, &str)] = &[
    (
        "cradle",
        "energies of Newton's cradle over restitution and speed ([SM] Fig. 2)",
    ),
    (
        "billiards",
        "indeterminacy of the billiard break over the angle ([SM] Fig. 5)",
    ),
    (
        "trex",
        "gaps, kinetic cosines and indeterminacy of TREX ([SM] Table I, Fig. 8)",
    ),
    (
        "stronge",
        "impact of an icosahedron and a tetrahedron ([JW] eq. 15, Figs. 4, 7, 10)",
    ),
    (
        "max-dissipation",
        "Coulomb and maximally dissipative solutions ([PER] Table 1)",
    ),
    ("plus", "intervals of the brick's impact ([USD] Fig. 10)"),
    (
        "rocking-block",
        "the rocking block ([HP] §4.3, Table 3, Fig. 12)",
    ),
];

/// Numbers and curves of one item, or of all when `item` is `None`.
///
/// # Errors
/// A law that fails on a published problem.
pub fn reproduce(
    item: Option<&str>,
) -> Result<(Vec<PublishedNumber>, Vec<PublishedCurve>), ImpactError> {
    let wanted = |name: &str| item.is_none_or(|i| i == name);
    let mut numbers = Vec::new();
    let mut curves = Vec::new();
    if wanted("cradle") {
        propagative::cradle(&mut numbers, &mut curves)?;
    }
    if wanted("billiards") {
        propagative::billiards(&mut numbers, &mut curves)?;
    }
    if wanted("trex") {
        propagative::trex(&mut numbers)?;
        fall::figure_8(&mut numbers, &mut curves);
    }
    if wanted("stronge") {
        laws::stronge(&mut numbers)?;
    }
    if wanted("max-dissipation") {
        laws::max_dissipation(&mut numbers);
    }
    if wanted("plus") {
        laws::plus(&mut numbers)?;
    }
    if wanted("rocking-block") {
        laws::rocking_block(&mut numbers)?;
        compliant::figure_12(&mut numbers, &mut curves)?;
    }
    Ok((numbers, curves))
}

#[cfg(test)]
mod tests {
    use super::{ITEMS, reproduce};

    #[test]
    fn every_item_has_numbers_and_all_agree() {
        let (numbers, curves) = reproduce(None).unwrap();
        for (item, _) in ITEMS {
            assert!(
                numbers.iter().any(|n| n.item == *item),
                "{item} has no numbers"
            );
        }
        for n in &numbers {
            assert!(n.agrees(), "{n:?}");
        }
        assert!(
            curves
                .iter()
                .all(|c| c.series.iter().all(|(_, points)| points.len() > 2))
        );
    }
}
