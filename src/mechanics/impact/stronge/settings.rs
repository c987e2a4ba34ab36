//! Settings of the law.

use crate::impact::LawSettings;
use crate::impact::settings::{NumberRange, SettingKey};

/// How the impulse of a single contact is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrongeSolver {
    /// Quadrature and closed forms: exact to round-off.
    Exact,
    /// Euler's method with a fixed step to the end, no closed forms (NI of \[JW\] Table 1).
    NumericalIntegration,
    /// Euler's method with a fixed step, closed forms after events s and l (FS).
    FixedStep,
    /// Euler's method with the step (36) of \[JW\], closed forms after events s and l (VS).
    VariableStep,
}

impl StrongeSolver {
    /// All solvers.
    pub const ALL: [Self; 4] = [
        Self::Exact,
        Self::NumericalIntegration,
        Self::FixedStep,
        Self::VariableStep,
    ];

    /// Their names on the command line and in scenarios.
    pub const NAMES: [&'static str; 4] = ["exact", "ni", "fs", "vs"];

    /// The name on the command line: `exact`, `ni`, `fs`, `vs`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Settings of [`Stronge`](super::Stronge). The defaults of the tolerances are those of \[JW\].
#[derive(Debug, Clone, PartialEq)]
pub struct StrongeSettings {
    /// How the impulse is computed; the exact one unless the paper's Euler integrations are wanted for comparison. Key
    /// `solver`.
    pub solver: StrongeSolver,
    /// Step of the normal impulse of NI and FS \[N s\], above 0; `None` (`auto`): a hundredth of the frictionless
    /// impulse. Key `step`.
    pub step: Option<f64>,
    /// |sin| of the angle between γ and γ' below which the paper's event l happens, in \[0, 1\]. The event label and the
    /// Euler solvers use it, the exact impulse never. Default 0.035. Key `tolerance_l`.
    pub tolerance_l: f64,
    /// Sliding speed below which the paper's event s happens \[m/s\], at least 0; used as `tolerance_l` is. Default
    /// 0.012. Key `tolerance_s`.
    pub tolerance_s: f64,
    /// Contacts by name or index in the cyclic order in which they are treated as single impacts (\[JW\] §7), swept
    /// until none approaches. Empty, [`ImpactLaw::resolve`](crate::impact::ImpactLaw::resolve) tries every order of up
    /// to four contacts, and [`ImpactLaw::impulse`](crate::impact::ImpactLaw::impulse) takes them in input order. Key
    /// `sequence`.
    pub sequence: Vec<String>,
}

impl Default for StrongeSettings {
    fn default() -> Self {
        Self {
            solver: StrongeSolver::Exact,
            step: None,
            tolerance_l: 0.035,
            tolerance_s: 0.012,
            sequence: Vec::new(),
        }
    }
}

type Key = SettingKey<StrongeSettings>;

impl LawSettings for StrongeSettings {
    const LAW: &'static str = "stronge";
    const SUMMARY: &'static str =
        "single contacts with friction and energetic restitution (Jia & Wang)";

    const KEYS: &'static [Key] = &[
        Key::word(
            "solver",
            "exact, or an Euler integration of the paper",
            &StrongeSolver::NAMES,
            |s| s.solver.name(),
            |s, i| s.solver = StrongeSolver::ALL[i],
        ),
        Key::open_number(
            "step",
            "normal impulse of a step of an Euler integration",
            NumberRange::above(0.0),
            "auto",
            |s| &mut s.step,
        )
        .in_unit("N s"),
        Key::number(
            "tolerance_l",
            "sine of the angle below which a label says straight sliding",
            NumberRange::between(0.0, 1.0),
            |s| &mut s.tolerance_l,
        ),
        Key::number(
            "tolerance_s",
            "sliding speed below which a label says that sliding stops",
            NumberRange::at_least(0.0),
            |s| &mut s.tolerance_s,
        )
        .in_unit("m/s"),
        Key::contacts(
            "sequence",
            "cyclic order of the single impacts",
            |s| s.sequence.clone(),
            |s, words| s.sequence = words,
        ),
    ];
}
