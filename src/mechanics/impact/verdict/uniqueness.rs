//! Whether an impact has one outcome: yes, no, or not decided, and on what grounds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// One outcome: the law has decided it.
    #[serde(rename = "yes")]
    Unique,
    /// At least two outcomes are known.
    #[serde(rename = "no")]
    Ambiguous,
    /// The law cannot tell.
    Undecided,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 3] = [Self::Unique, Self::Ambiguous, Self::Undecided];

    /// The word that files use: the answer to "is the outcome unique?".
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unique => "yes",
            Self::Ambiguous => "no",
            Self::Undecided => "undecided",
        }
    }

    /// The verdict of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.word() == word)
    }
}

/// Why an outcome is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ground {
    /// No contact approaches: nothing happens.
    NothingStrikes,
    /// The contact normals allow one outcome whatever the momentum.
    Certificate,
    /// Every order in which the contacts can act was followed, and all end alike.
    EveryOrderAgrees,
    /// Every solution of the law's equations was found, and there is one.
    OnlySolution,
    /// The law's equations have one solution for every such impact (a projection, a single contact).
    Function,
}

/// Why it is not known whether an outcome is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Doubt {
    /// The budget ran out before every outcome was found.
    BudgetSpent,
    /// The outcome is one draw of a set.
    OneDraw,
    /// One order of contacts was followed, others may end elsewhere.
    OneOrder,
    /// The outcome is one solution of equations that may have others.
    OneSolution,
    /// The law stopped before its end condition was reached.
    NotTerminated,
}

/// What a law knows about the number of outcomes of one impact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Uniqueness {
    /// There is one outcome.
    Unique {
        /// Why.
        why: Ground,
    },
    /// There are several.
    Ambiguous {
        /// How many distinct ones are known, at least 2.
        outcomes: usize,
        /// Whether these are all.
        complete: bool,
        /// ξ: largest distance between two of them over ‖p⁻‖, kinetic metric.
        indeterminacy: f64,
    },
    /// The law cannot tell.
    Undecided {
        /// Why not.
        why: Doubt,
    },
}

impl Uniqueness {
    /// Unique on these grounds.
    #[must_use]
    pub fn unique(why: Ground) -> Self {
        Self::Unique { why }
    }

    /// Not decided for this reason.
    #[must_use]
    pub fn undecided(why: Doubt) -> Self {
        Self::Undecided { why }
    }

    /// The verdict over a list of `outcomes` distinct outcomes that are ξ = `indeterminacy` apart: several are
    /// ambiguous, one is what `single` says.
    #[must_use]
    pub fn counted(outcomes: usize, complete: bool, indeterminacy: f64, single: Self) -> Self {
        if outcomes > 1 {
            Self::Ambiguous {
                outcomes,
                complete,
                indeterminacy,
            }
        } else {
            single
        }
    }

    /// The answer in one word.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Unique { .. } => Verdict::Unique,
            Self::Ambiguous { .. } => Verdict::Ambiguous,
            Self::Undecided { .. } => Verdict::Undecided,
        }
    }

    /// True or false when it is decided.
    #[must_use]
    pub fn decided(&self) -> Option<bool> {
        match self {
            Self::Unique { .. } => Some(true),
            Self::Ambiguous { .. } => Some(false),
            Self::Undecided { .. } => None,
        }
    }

    /// How many distinct outcomes are known, at least 1.
    #[must_use]
    pub fn outcomes(&self) -> usize {
        match self {
            Self::Ambiguous { outcomes, .. } => *outcomes,
            Self::Unique { .. } | Self::Undecided { .. } => 1,
        }
    }

    /// Whether there are no outcomes beside those that are known.
    #[must_use]
    pub fn complete(&self) -> bool {
        match self {
            Self::Unique { .. } => true,
            Self::Ambiguous { complete, .. } => *complete,
            Self::Undecided { .. } => false,
        }
    }

    /// Whether the count of outcomes ran out of its budget.
    #[must_use]
    pub fn capped(&self) -> bool {
        matches!(
            self,
            Self::Ambiguous {
                complete: false,
                ..
            } | Self::Undecided {
                why: Doubt::BudgetSpent
            }
        )
    }

    /// ξ over the outcomes that are known; 0 for one.
    #[must_use]
    pub fn indeterminacy(&self) -> f64 {
        match self {
            Self::Ambiguous { indeterminacy, .. } => *indeterminacy,
            Self::Unique { .. } | Self::Undecided { .. } => 0.0,
        }
    }

    /// The number of outcomes as tables write it: `>=N` where there may be more.
    #[must_use]
    pub fn count_text(&self) -> String {
        let bound = if self.complete() { "" } else { ">=" };
        format!("{bound}{}", self.outcomes())
    }
}

impl fmt::Display for Uniqueness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unique { why } => match why {
                Ground::NothingStrikes => "unique: no contact approaches",
                Ground::Certificate => "unique: the contact normals allow one outcome",
                Ground::EveryOrderAgrees => "unique: every order of the contacts ends alike",
                Ground::OnlySolution => "unique: the law's equations have one solution",
                Ground::Function => "unique: the law has one outcome for every such impact",
            },
            Self::Ambiguous { .. } => "ambiguous: there are several outcomes",
            Self::Undecided { why } => match why {
                Doubt::BudgetSpent => {
                    "undecided: the budget ran out before every outcome was found"
                }
                Doubt::OneDraw => "undecided: the outcome is one draw of a set",
                Doubt::OneOrder => "undecided: one order of the contacts was followed",
                Doubt::OneSolution => {
                    "undecided: the outcome is one solution, others were not looked for"
                }
                Doubt::NotTerminated => "undecided: the law stopped before its end",
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_and_no_doubt_counts_as_unique() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_word(verdict.word()), Some(verdict));
            let text = serde_json::to_string(&verdict).unwrap();
            assert_eq!(text, format!("\"{}\"", verdict.word()));
        }
        let doubt = Uniqueness::undecided(Doubt::OneDraw);
        assert_eq!((doubt.decided(), doubt.count_text()), (None, ">=1".into()));
        let several = Uniqueness::counted(3, true, 0.5, doubt);
        assert_eq!(several.decided(), Some(false));
        assert_eq!(several.count_text(), "3");
        let text = serde_json::to_string(&several).unwrap();
        assert_eq!(serde_json::from_str::<Uniqueness>(&text).unwrap(), several);
    }
}
