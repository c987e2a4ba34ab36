//! Settings of the propagative law.

use super::EnumerationBudget;
use crate::impact::settings::{KeyRole, NumberRange, SettingKey};
use crate::impact::{LawSettings, ReflectionOrder};

/// Settings of [`Propagative`](crate::impact::Propagative) (\[SM\] §III).
#[derive(Debug, Clone, PartialEq)]
pub struct PropagativeSettings {
    /// Order of reflections of a single run. Key `order`.
    pub order: ReflectionOrder,
    /// Seed of the random order. Every impact starts from it. Key `seed`.
    pub seed: u64,
    /// Report every outcome with all its sequences instead of the one of `order`. Key `all`.
    pub all: bool,
    /// A contact is violated when ⟨p, û⟩ < −tolerance · s, where s is the contact's own scale: the largest of the
    /// terms that its velocity is the sum of, and of the unit velocities of the contacts coupled to it; a pure number in
    /// \[0, 0.1\]. Default 1e-10. Key `tolerance`.
    pub tolerance: f64,
    /// Largest distance of a cosine from −cos(π/m) that a certificate accepts, in \[0, 0.1\]. Default 1e-9. Key
    /// `angle_tolerance`.
    pub angle_tolerance: f64,
    /// Reflections after which a single run is reported as not terminated. Default 10 000 000. Key `max_reflections`.
    pub max_reflections: u64,
    /// What the enumeration behind the verdict may spend. Keys `max_states`, `max_words`, `max_seconds`. Without `all` the
    /// momenta explored also take at most 96 MiB.
    pub budget: EnumerationBudget,
}

impl Default for PropagativeSettings {
    fn default() -> Self {
        Self {
            order: ReflectionOrder::default(),
            seed: 0,
            all: false,
            tolerance: 1e-10,
            angle_tolerance: 1e-9,
            max_reflections: 10_000_000,
            budget: EnumerationBudget::default(),
        }
    }
}

type Key = SettingKey<PropagativeSettings>;

impl LawSettings for PropagativeSettings {
    const LAW: &'static str = "propagative";
    const SUMMARY: &'static str =
        "every contact reflects the momentum in turn, until none is violated (Seghete & Murphey)";

    const KEYS: &'static [Key] = &[
        Key::word(
            "order",
            "which violated contact is reflected next",
            &ReflectionOrder::NAMES,
            |s| s.order.name(),
            |s, i| s.order = ReflectionOrder::ALL[i],
        )
        .with_role(KeyRole::Order),
        Key::seed("seed of the random order", |s| &mut s.seed),
        Key::switch(
            "all",
            "every outcome with all its sequences instead of one",
            |s| &mut s.all,
        )
        .listing_all_by("true"),
        Key::number(
            "tolerance",
            "share of a contact's scale below which it is not violated",
            NumberRange::between(0.0, 0.1),
            |s| &mut s.tolerance,
        ),
        Key::number(
            "angle_tolerance",
            "largest error of a cosine that a certificate accepts",
            NumberRange::between(0.0, 0.1),
            |s| &mut s.angle_tolerance,
        ),
        Key::whole(
            "max_reflections",
            "reflections after which a run has not terminated",
            [1, u64::MAX],
            |s| &mut s.max_reflections,
        ),
        Key::count(
            "max_states",
            "momenta that an enumeration explores",
            [1, u64::MAX],
            |s| &mut s.budget.states,
        ),
        Key::count(
            "max_words",
            "sequences that an enumeration lists",
            [1, u64::MAX],
            |s| &mut s.budget.words,
        ),
        Key::seconds(
            "max_seconds",
            "wall time of an enumeration",
            NumberRange::above(0.0).up_to(1e9),
            |s| &mut s.budget.wall_time,
        ),
    ];
}
