//! The Buehler clock: where a leg of a wheel-like walker should be at every moment of a stride.
//!
//! A leg turns once a stride. For the share `d` of the stride, its **slow phase**, it passes the
//! ground and turns through the sweep φ; in the **fast phase** it goes the rest of the way round:
//!
//! ```text
//! α(k + s) = α₀ + 2πk + φ s/d                                        |s| ≤ d/2
//! α(k + s) = α₀ + 2πk ± φ/2 + (2π − φ)(s ∓ d/2)/(1 − d)              d/2 < |s| ≤ 1/2
//! ```
//!
//! with k whole and −1/2 ≤ s < 1/2. α is continuous, grows by 2π a cycle, and stands at the offset α₀
//! in the middle of the slow phase. (Saranli, Buehler and Koditschek, "RHex: A simple and highly
//! mobile hexapod robot", 2001, §3.)
//!
//! | symbol | here |
//! |---|---|
//! | d | `duty_factor` |
//! | φ | `sweep` |
//! | α₀ | `offset` |
//! | k + s | `cycles` |

use std::f64::consts::TAU;

/// The clock of one leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuehlerClock {
    /// Share of the cycle that the slow phase takes, between 0 and 1.
    pub duty_factor: f64,
    /// Angle turned through in the slow phase \[rad\], between 0 and 2π.
    pub sweep: f64,
    /// Angle in the middle of the slow phase \[rad\].
    pub offset: f64,
}

impl BuehlerClock {
    /// Angle \[rad\] and its change per cycle \[rad\] after `cycles`. At the two corners of the clock
    /// the change is that of the slow phase.
    #[must_use]
    pub fn at(&self, cycles: f64) -> (f64, f64) {
        let whole = (cycles + 0.5).floor();
        let s = cycles - whole;
        let Self {
            duty_factor: d,
            sweep,
            offset,
        } = *self;
        let base = offset + TAU * whole;
        if s.abs() <= 0.5 * d {
            return (base + sweep * s / d, sweep / d);
        }
        let fast = (TAU - sweep) / (1.0 - d);
        let edge = (0.5 * d).copysign(s);
        (base + (0.5 * sweep).copysign(s) + fast * (s - edge), fast)
    }

    /// The first corners of the clock from `cycles` on, some cycles of them, in no order.
    pub(super) fn corners_from(&self, cycles: f64) -> impl Iterator<Item = f64> {
        let edges = [-0.5, 0.5].map(|side| side * self.duty_factor);
        let next = move |edge: f64| {
            let first = (cycles - edge).floor();
            (0..3).map(move |k| first + f64::from(k) + edge)
        };
        edges.into_iter().flat_map(next)
    }

    /// Whether the slow phase is on after `cycles`.
    #[must_use]
    pub fn is_slow(&self, cycles: f64) -> bool {
        (cycles - (cycles + 0.5).floor()).abs() <= 0.5 * self.duty_factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: BuehlerClock = BuehlerClock {
        duty_factor: 0.4,
        sweep: 1.1,
        offset: -0.3,
    };

    #[test]
    fn a_cycle_is_one_turn_and_the_middle_of_the_slow_phase_stands_at_the_offset() {
        for k in [-2.0, 0.0, 3.0] {
            assert_eq!(CLOCK.at(k).0, -0.3 + TAU * k);
            for s in [0.0, 0.11, 0.2, 0.37, 0.5, 0.83] {
                let turn = CLOCK.at(k + s + 1.0).0 - CLOCK.at(k + s).0;
                // A few roundings of angles below 8 turns.
                assert!((turn - TAU).abs() < 1e-13, "{k} {s} {turn}");
            }
        }
    }

    #[test]
    fn the_angle_is_continuous_and_its_rates_are_those_of_the_two_phases() {
        let corners = [-0.5, -0.2, 0.2, 0.5];
        for corner in corners {
            let (before, after) = (CLOCK.at(corner - 1e-9).0, CLOCK.at(corner + 1e-9).0);
            // The fast phase turns by 8.6 rad a cycle.
            assert!((after - before).abs() < 2e-8, "{corner}");
        }
        assert_eq!(CLOCK.at(0.1).1, 1.1 / 0.4);
        assert_eq!(CLOCK.at(0.3).1, (TAU - 1.1) / 0.6);
        let edges = [CLOCK.at(-0.2).0, CLOCK.at(0.2).0];
        assert!((edges[1] - edges[0] - 1.1).abs() < 1e-15);
    }

    #[test]
    fn the_slow_phase_takes_its_share_of_the_cycle() {
        let n = 1000;
        let slow = (0..n)
            .filter(|i| CLOCK.is_slow((f64::from(*i) + 0.5) / f64::from(n)))
            .count();
        assert_eq!(slow, 400);
    }
}
