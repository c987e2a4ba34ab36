//! Published numbers, recomputed: what a paper prints, what is right where it errs, and what this library computes.
//!
//! | item | what is recomputed |
//! |---|---|
//! | `cradle`, `billiards`, `trex` | \[SM\] Fig. 2, Fig. 5, Table I and Fig. 8: energies, indeterminacy over the angle, the two orders over a fall |
//! | `stronge` | \[JW\] eq. 15, Figs. 4, 7, 10 |
//! | `max-dissipation` | \[PER\] Table 1 |
//! | `plus` | \[USD\] Fig. 10: intervals of the brick's impact |
//! | `rocking-block` | \[HP\] §4.3, Table 3, Fig. 12, beside the compliant block |
//!
//! Each [`PublishedNumber`] has the printed value, the corrected one with its reason where the paper is wrong, ours,
//! and the tolerance that the printed digits allow. A number that nobody printed has no verdict but must be finite.
//! Curves are given as points with their axes and units.
//!
//! An example: the printed digits of TREX's initial stance (\[SM\] Table I) close the gaps to 1.3 mm only, so the
//! numbers to meet are those of the stance as printed and, beside it, of the stance that closes them.
//!
//! Limits: agreement with a paper is agreement with its model. Tolerances come from printed digits and figures, not
//! from this library's own accuracy.
//!
//! # Example
//!
//! ```
//! use carom::reproduce::{ITEMS, reproduce};
//!
//! assert!(ITEMS.iter().any(|(name, _)| *name == "max-dissipation"));
//! let (numbers, _) = reproduce(Some("max-dissipation"));
//! assert!(!numbers.is_empty());
//! for number in &numbers {
//!     assert!(number.agrees(), "{}: {} beside {:?}", number.source, number.ours, number.printed);
//! }
//! ```

mod compliant;
mod fall;
mod laws;
mod propagative;
mod sets;
mod two_bodies;

use std::fmt::Display;

use serde::Serialize;

/// What a row can be held against.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// A number, within its tolerance.
    Number,
    /// A statement in words: ours must be above the first and below the second number.
    Qualitative {
        /// Lower end.
        above: f64,
        /// Upper end.
        below: f64,
    },
    /// The paper shows it without a number.
    NotPrinted,
    /// What it was computed from was computed back from the printed number.
    ComputedBack,
}

/// One number of a paper beside ours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedNumber {
    /// Item that it belongs to, one of [`ITEMS`].
    pub item: &'static str,
    /// Paper and place.
    pub source: &'static str,
    /// What it is, with its unit.
    pub quantity: String,
    /// What it can be held against.
    pub standing: Standing,
    /// What the paper prints; `None` where it prints no number.
    pub printed: Option<f64>,
    /// What is right, where it differs from what is printed, with the reason in `note`.
    pub corrected: Option<f64>,
    /// What this library computes; not a number where it failed.
    pub ours: f64,
    /// Largest admissible distance between ours and the corrected (or printed) number.
    pub tolerance: f64,
    /// Remark.
    pub note: &'static str,
    /// Why ours could not be computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl PublishedNumber {
    /// Whether nothing is wrong with it: ours is within the tolerance, or within what is stated in words; what is not
    /// printed or was computed back need only have been computed.
    #[must_use]
    pub fn agrees(&self) -> bool {
        if self.failure.is_some() || !self.ours.is_finite() {
            return false;
        }
        match self.standing {
            Standing::Number => {
                let wanted = self.corrected.or(self.printed);
                wanted.is_some_and(|wanted| (self.ours - wanted).abs() <= self.tolerance)
            }
            Standing::Qualitative { above, below } => self.ours > above && self.ours < below,
            Standing::NotPrinted | Standing::ComputedBack => true,
        }
    }

    /// What it is in a word or two: `ok` for a number within its tolerance and nothing else.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match (self.agrees(), self.standing) {
            (false, _) if self.failure.is_some() || !self.ours.is_finite() => "FAILED",
            (false, _) => "OFF",
            (true, Standing::Number) => "ok",
            (true, Standing::Qualitative { .. }) => "qualitative",
            (true, Standing::NotPrinted) => "not printed",
            (true, Standing::ComputedBack) => "computed back",
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
            standing: Standing::Number,
            printed: Some(printed),
            corrected: None,
            ours,
            tolerance,
            note: "",
            failure: None,
        }
    }

    /// What a paper shows without a number.
    fn not_printed(
        item: &'static str,
        source: &'static str,
        quantity: impl Into<String>,
        ours: f64,
        note: &'static str,
    ) -> Self {
        Self {
            standing: Standing::NotPrinted,
            printed: None,
            note,
            ..Self::printed(item, source, quantity, 0.0, ours, 0.0)
        }
    }

    /// What could not be computed.
    fn failed(
        item: &'static str,
        source: &'static str,
        quantity: impl Into<String>,
        reason: impl Display,
    ) -> Self {
        Self {
            printed: None,
            failure: Some(reason.to_string()),
            ..Self::printed(item, source, quantity, 0.0, f64::NAN, 0.0)
        }
    }

    fn corrected(mut self, value: f64, tolerance: f64, note: &'static str) -> Self {
        self.standing = Standing::Number;
        self.corrected = Some(value);
        self.tolerance = tolerance;
        self.note = note;
        self
    }

    fn qualitative(mut self, above: f64, below: f64, note: &'static str) -> Self {
        self.standing = Standing::Qualitative { above, below };
        self.note = note;
        self
    }

    fn computed_back(mut self, note: &'static str) -> Self {
        self.standing = Standing::ComputedBack;
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
        "impacts of two bodies ([JW] eq. 15, Figs. 4, 7, 10, Table 1)",
    ),
    (
        "max-dissipation",
        "Coulomb and maximally dissipative solutions ([PER] Table 1)",
    ),
    ("plus", "intervals of the brick's impact ([USD] Fig. 10)"),
    (
        "rocking-block",
        "the rocking block ([HP] §2.2.2, §4.3, Figs. 7, 8, 12)",
    ),
    (
        "sets",
        "the examples of set-valued impacts ([HP] §5.4, Table 3)",
    ),
];

/// Numbers and curves of one item, or of all when `item` is `None`.
#[must_use]
pub fn reproduce(item: Option<&str>) -> (Vec<PublishedNumber>, Vec<PublishedCurve>) {
    let mut numbers = Vec::new();
    let mut curves = Vec::new();
    for (name, _) in ITEMS {
        if item.is_some_and(|wanted| wanted != *name) {
            continue;
        }
        let done = match *name {
            "cradle" => propagative::cradle(&mut numbers, &mut curves),
            "billiards" => propagative::billiards(&mut numbers, &mut curves),
            "trex" => propagative::trex(&mut numbers).map(|()| {
                fall::figure_8(&mut numbers, &mut curves);
            }),
            "stronge" => two_bodies::stronge(&mut numbers),
            "max-dissipation" => {
                laws::max_dissipation(&mut numbers);
                Ok(())
            }
            "plus" => laws::plus(&mut numbers),
            "rocking-block" => laws::rocking_block(&mut numbers)
                .and_then(|()| compliant::figure_12(&mut numbers, &mut curves)),
            _ => sets::examples(&mut numbers),
        };
        // What a law refuses is missing from the item.
        if let Err(error) = done {
            numbers.push(PublishedNumber::failed(
                name,
                "",
                "the rest of this item",
                error,
            ));
        }
    }
    (numbers, curves)
}

#[cfg(test)]
mod tests {
    use super::{PublishedNumber, Standing};

    #[test]
    fn what_cannot_fail_is_not_ok_and_what_failed_fails() {
        let row = PublishedNumber::printed("plus", "", "", 1.0, 1.0, 0.0);
        assert_eq!(row.verdict(), "ok");
        let failed = PublishedNumber::failed("plus", "", "", "no reason");
        assert_eq!((failed.agrees(), failed.verdict()), (false, "FAILED"));
        for standing in [
            Standing::Number,
            Standing::NotPrinted,
            Standing::ComputedBack,
        ] {
            let lost = PublishedNumber {
                ours: f64::NAN,
                tolerance: f64::INFINITY,
                standing,
                ..row.clone()
            };
            assert_eq!((lost.agrees(), lost.verdict()), (false, "FAILED"));
        }
        let words = row.clone().qualitative(0.0, 1.0, "");
        assert_eq!(words.verdict(), "OFF");
        let shown = PublishedNumber::not_printed("plus", "", "", 1.0, "");
        assert_eq!(shown.verdict(), "not printed");
        assert_eq!(row.computed_back("").verdict(), "computed back");
    }
}
