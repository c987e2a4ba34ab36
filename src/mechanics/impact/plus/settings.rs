//! Settings of the law and the velocity-dependent coefficient of restitution.

use std::f64::consts::FRAC_PI_2;

use crate::impact::LawSettings;
use crate::impact::settings::{NumberRange, SettingKey};

/// Settings of [`Plus`](super::Plus), each under the key of its own name. The defaults are those of \[USD\] Table A1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlusSettings {
    /// Approach speed below which a contact does not rebound \[m/s\]. Default 0.01.
    pub v_capture: f64,
    /// Approach speed from which the coefficient of restitution has its minimum, the contact's `restitution`
    /// \[m/s\]. Default 0.1.
    pub v_plastic: f64,
    /// Sliding speed below which a contact may roll \[m/s\]. Default 0.1.
    pub v_transition: f64,
    /// Largest turn of a sliding direction in one interval \[rad\], in (0, π/2). Default 0.01.
    pub theta_max: f64,
    /// Shortest interval, as a fraction of what is left of the round, in (0, 1\]. Default 1e-6 (the paper gives none).
    pub alpha_min: f64,
    /// Whether contacts join one after the other as they are driven together. Without it every contact takes part
    /// in one compression and one expansion, with the restitution of the fastest approach: the model that the
    /// paper contrasts its own with (Fig. 14, row C). Default true.
    pub propagation: bool,
    /// Relative size of round-off: velocities below `tolerance` times the largest contact velocity before the
    /// impact are zero, impulses accordingly; in (0, 0.01). Default 1e-10.
    pub tolerance: f64,
    /// Rounds after which the impact counts as not terminated. Default 10 000.
    pub max_rounds: usize,
    /// Intervals after which the impact counts as not terminated. Default 100 000.
    pub max_intervals: usize,
}

impl Default for PlusSettings {
    fn default() -> Self {
        Self {
            v_capture: 0.01,
            v_plastic: 0.1,
            v_transition: 0.1,
            theta_max: 0.01,
            alpha_min: 1e-6,
            propagation: true,
            tolerance: 1e-10,
            max_rounds: 10_000,
            max_intervals: 100_000,
        }
    }
}

impl PlusSettings {
    /// The coefficient of restitution of \[USD\] Fig. 2: 0 below `v_capture`; from there it falls linearly, on
    /// the line from 1 at rest, to `minimum` at `v_plastic`, and stays there.
    ///
    /// `approach` is −v_z \[m/s\].
    #[must_use]
    pub fn restitution(&self, minimum: f64, approach: f64) -> f64 {
        if approach < self.v_capture {
            0.0
        } else if approach >= self.v_plastic {
            minimum
        } else {
            1.0 - (1.0 - minimum) * approach / self.v_plastic
        }
    }
}

type Key = SettingKey<PlusSettings>;

impl LawSettings for PlusSettings {
    const LAW: &'static str = "plus";
    const SUMMARY: &'static str =
        "rounds of compression and expansion with friction (Uchida, Sherman & Delp)";

    const KEYS: &'static [Key] = &[
        Key::number(
            "v_capture",
            "approach speed below which a contact does not rebound",
            NumberRange::at_least(0.0),
            |s| &mut s.v_capture,
        )
        .in_unit("m/s"),
        Key::number(
            "v_plastic",
            "approach speed from which restitution has its minimum",
            NumberRange::at_least(0.0),
            |s| &mut s.v_plastic,
        )
        .in_unit("m/s"),
        Key::number(
            "v_transition",
            "sliding speed below which a contact may roll",
            NumberRange::at_least(0.0),
            |s| &mut s.v_transition,
        )
        .in_unit("m/s"),
        Key::number(
            "theta_max",
            "largest turn of a sliding direction in one interval",
            NumberRange::above(0.0).and_below(FRAC_PI_2),
            |s| &mut s.theta_max,
        )
        .in_unit("rad"),
        Key::number(
            "alpha_min",
            "shortest interval as a share of what is left of the round",
            NumberRange::above(0.0).up_to(1.0),
            |s| &mut s.alpha_min,
        ),
        Key::switch(
            "propagation",
            "contacts join one after the other as they are driven together",
            |s| &mut s.propagation,
        ),
        Key::number(
            "tolerance",
            "relative size of round-off",
            NumberRange::above(0.0).and_below(1e-2),
            |s| &mut s.tolerance,
        ),
        Key::count(
            "max_rounds",
            "rounds after which the impact has not terminated",
            [0, u64::MAX],
            |s| &mut s.max_rounds,
        ),
        Key::count(
            "max_intervals",
            "intervals after which the impact has not terminated",
            [0, u64::MAX],
            |s| &mut s.max_intervals,
        ),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitution_follows_the_curve() {
        let p = PlusSettings::default();
        // Zero below capture, on the line through (0, 1) and (v_plastic, e_min), then e_min.
        for (approach, expected) in [
            (0.0, 0.0),
            (0.00999, 0.0),
            (0.01, 1.0 - 0.6 * 0.1),
            (0.05, 1.0 - 0.6 * 0.5),
            (0.1, 0.4),
            (8.0, 0.4),
        ] {
            let e = p.restitution(0.4, approach);
            assert!((e - expected).abs() < 1e-15, "{approach}: {e}");
        }
        // A plastic speed of zero means e_min at every speed above capture.
        let constant = PlusSettings {
            v_plastic: 0.0,
            v_capture: 0.0,
            ..p
        };
        assert_eq!(constant.restitution(0.4, 0.0), 0.4);
    }
}
