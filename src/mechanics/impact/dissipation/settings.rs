//! Settings of the maximum dissipation law.

use crate::impact::settings::{KeyRole, NumberRange, SettingKey};
use crate::impact::{LawSettings, ReflectionOrder};

/// Settings of [`MaxDissipation`](crate::impact::MaxDissipation) (\[PER\] §3.1).
#[derive(Debug, Clone, PartialEq)]
pub struct MaxDissipationSettings {
    /// Estimated distance from the fixed point, as a residual (a pure number in \[0, 0.1\]), at which sweeps stop.
    /// Default 1e-12. Key `tolerance`.
    pub tolerance: f64,
    /// Most sweeps over several contacts, at least 1. Default 10 000. Key `max_sweeps`.
    pub max_sweeps: usize,
    /// Whether sweeps start from the impulse of the last impact with as many rows. Default false. Key `warm_start`.
    pub warm_start: bool,
    /// How a sweep goes through the contacts: as they are listed (`Index`, the default), or by their closing speeds
    /// before the impact. Key `order`.
    pub order: ReflectionOrder,
    /// Seed of the random order. Key `seed`.
    pub seed: u64,
}

impl Default for MaxDissipationSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            max_sweeps: 10_000,
            warm_start: false,
            order: ReflectionOrder::Index,
            seed: 0,
        }
    }
}

type Key = SettingKey<MaxDissipationSettings>;

impl LawSettings for MaxDissipationSettings {
    const LAW: &'static str = "max-dissipation";
    const SUMMARY: &'static str =
        "inelastic impact with friction that dissipates most (Preclik, Eibl & Ruede)";

    const KEYS: &'static [Key] = &[
        Key::number(
            "tolerance",
            "residual at which sweeps stop",
            NumberRange::between(0.0, 0.1),
            |s| &mut s.tolerance,
        ),
        Key::count(
            "max_sweeps",
            "most sweeps over several contacts",
            [1, u64::MAX],
            |s| &mut s.max_sweeps,
        ),
        Key::switch(
            "warm_start",
            "sweeps start from the impulse of the last impact",
            |s| &mut s.warm_start,
        ),
        Key::word(
            "order",
            "how a sweep goes through the contacts",
            &ReflectionOrder::NAMES,
            |s| s.order.name(),
            |s, i| s.order = ReflectionOrder::ALL[i],
        )
        .with_role(KeyRole::Order),
        Key::seed("seed of the random order", |s| &mut s.seed),
    ];
}
