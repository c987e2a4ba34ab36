//! Stand, walk, stop: when the clock of a gait runs, and how legs get from standing to it and back.
//!
//! ```text
//! stand ── start ── legs move to their places ── clock speeds up ── walks ── slows down ── legs return ── stand
//!                   shift                        ramp                       ramp           shift
//! ```
//!
//! Every part is a closed form of the time alone, continuous in the leg's angle, so that a run that
//! is taken up again continues to the same bits.

use std::f64::consts::TAU;

use super::BuehlerClock;

/// When to walk, and how fast to begin and end. Times in \[s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkTimes {
    /// Duration of a stride.
    pub period: f64,
    /// Clock in cycles when it starts.
    pub start_phase: f64,
    /// When the legs begin to move to their places.
    pub start: f64,
    /// When the clock begins to slow down, or later: it stops after a whole number of cycles.
    pub stop: Option<f64>,
    /// Time from standing to the gait's first places, and back.
    pub shift: f64,
    /// Time from rest to the clock's full speed, and back.
    pub ramp: f64,
}

/// What the legs do at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum WalkStage {
    /// They stand.
    Stand,
    /// They move to their places: share of the way and its rate \[1/s\].
    Shift(f64, f64),
    /// The clock runs: cycles and their rate \[1/s\].
    Walk(f64, f64),
    /// They return to standing after so many whole cycles: share of the way and its rate \[1/s\].
    Return(f64, f64, f64),
    /// They stand again, so many whole cycles later.
    Stopped(f64),
}

impl WalkTimes {
    /// The stage at a time \[s\].
    #[must_use]
    pub fn at(&self, time: f64) -> WalkStage {
        let since = time - self.start;
        if since < 0.0 {
            return WalkStage::Stand;
        }
        if since < self.shift {
            let (share, rate) = ease(since / self.shift);
            return WalkStage::Shift(share, rate / self.shift);
        }
        let clock = since - self.shift;
        let Some((slowing, cycles)) = self.end() else {
            let (cycles, rate) = self.running(clock);
            return WalkStage::Walk(cycles, rate);
        };
        if clock < slowing {
            let (cycles, rate) = self.running(clock);
            return WalkStage::Walk(cycles, rate);
        }
        if clock < slowing + self.ramp {
            let left = slowing + self.ramp - clock;
            let rate = left / (self.ramp * self.period);
            let cycles = self.start_phase + cycles - 0.5 * left * rate;
            return WalkStage::Walk(cycles, rate);
        }
        let returning = clock - slowing - self.ramp;
        if returning < self.shift {
            let (share, rate) = ease(returning / self.shift);
            return WalkStage::Return(cycles, share, rate / self.shift);
        }
        WalkStage::Stopped(cycles)
    }

    /// The first time after `time` \[s\] at which another stage begins, or the clock has come to its speed; infinite when
    /// there is none.
    pub(super) fn next_stage(&self, time: f64) -> f64 {
        let clock = self.start + self.shift;
        let end = self.end().map(|(slowing, _)| {
            let slows = clock + slowing;
            [slows, slows + self.ramp, slows + self.ramp + self.shift]
        });
        let begin = [self.start, clock, clock + self.ramp];
        let all = begin.into_iter().chain(end.into_iter().flatten());
        all.filter(|stage| *stage > time)
            .fold(f64::INFINITY, f64::min)
    }

    /// When the clock comes to so many cycles \[s\], infinite when it never does.
    fn when(&self, cycles: f64) -> f64 {
        let passed = (cycles - self.start_phase).max(0.0);
        // From rest, half of a ramp has this much.
        let of_ramp = |cycles: f64| (2.0 * cycles * self.ramp * self.period).sqrt();
        let whole_ramp = 0.5 * self.ramp / self.period;
        let clock = if passed < whole_ramp {
            of_ramp(passed)
        } else {
            passed * self.period + 0.5 * self.ramp
        };
        let clock = match self.end() {
            Some((slowing, _)) if clock <= slowing => clock,
            Some((_, all)) if passed > all => f64::INFINITY,
            Some((slowing, all)) => slowing + self.ramp - of_ramp(all - passed),
            None => clock,
        };
        self.start + self.shift + clock
    }

    /// Cycles and rate of a clock that has run for a time without being stopped.
    fn running(&self, clock: f64) -> (f64, f64) {
        if clock < self.ramp {
            let rate = clock / (self.ramp * self.period);
            return (self.start_phase + 0.5 * clock * rate, rate);
        }
        let cycles = (clock - 0.5 * self.ramp) / self.period;
        (self.start_phase + cycles, 1.0 / self.period)
    }

    /// When the clock begins to slow down, counted from its start, and the whole number of cycles at
    /// which it stops: the first that it can reach from full speed.
    fn end(&self) -> Option<(f64, f64)> {
        let stop = (self.stop? - self.start - self.shift).max(self.ramp);
        // From rest to rest the ramps cost one ramp of cruising: slowing at t ends at t/period.
        let cycles = (stop / self.period - 1e-9).ceil();
        Some((cycles * self.period, cycles))
    }
}

/// Smooth step 3x² − 2x³ and its slope.
fn ease(x: f64) -> (f64, f64) {
    (x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x))
}

/// One leg over a whole walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegProgram {
    clock: BuehlerClock,
    phase: f64,
    stand: f64,
    start_phase: f64,
    /// From standing to its first place \[rad\].
    shift: f64,
    /// From its last place back to standing \[rad\].
    back: f64,
}

impl LegProgram {
    /// A leg that stands at the angle `stand` \[rad\] and walks by a clock, `phase` ahead of it.
    ///
    /// A leg that begins in its slow phase goes to its place the short way, on the ground, and back
    /// the same way; one that begins in the fast phase swings there in the direction of walking, and
    /// on round when it returns.
    #[must_use]
    pub fn new(clock: BuehlerClock, phase: f64, stand: f64, start_phase: f64) -> Self {
        let first = start_phase + phase;
        let apart = (clock.at(first).0 - stand).rem_euclid(TAU);
        let (shift, back) = if clock.is_slow(first) {
            let near = if apart > 0.5 * TAU {
                apart - TAU
            } else {
                apart
            };
            (near, -near)
        } else {
            (apart, TAU - apart)
        };
        Self {
            clock,
            phase,
            stand,
            start_phase,
            shift,
            back,
        }
    }

    /// The first time after `time` \[s\] at which the leg's clock is at a corner, infinite when it comes to none.
    pub(super) fn next_corner(&self, times: &WalkTimes, time: f64) -> f64 {
        let cycles = match times.at(time) {
            WalkStage::Stand | WalkStage::Shift(..) => self.start_phase,
            WalkStage::Walk(cycles, _) => cycles,
            WalkStage::Return(..) | WalkStage::Stopped(_) => return f64::INFINITY,
        };
        let corners = self.clock.corners_from(cycles + self.phase);
        let corners = corners.filter(|c| c - self.phase >= self.start_phase);
        let moments = corners.map(|c| times.when(c - self.phase));
        moments
            .filter(|moment| *moment > time)
            .fold(f64::INFINITY, f64::min)
    }

    /// Wanted angle \[rad\] and its rate \[rad/s\].
    #[must_use]
    pub fn at(&self, stage: WalkStage) -> (f64, f64) {
        let placed = self.stand + self.shift;
        match stage {
            WalkStage::Stand => (self.stand, 0.0),
            WalkStage::Shift(share, rate) => (self.stand + share * self.shift, rate * self.shift),
            WalkStage::Walk(cycles, rate) => {
                let (angle, slope) = self.clock.at(cycles + self.phase);
                let first = self.clock.at(self.start_phase + self.phase).0;
                (placed + (angle - first), slope * rate)
            }
            WalkStage::Return(cycles, share, rate) => {
                (placed + TAU * cycles + share * self.back, rate * self.back)
            }
            WalkStage::Stopped(cycles) => (placed + TAU * cycles + self.back, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: WalkTimes = WalkTimes {
        period: 0.5,
        start_phase: 0.25,
        start: 1.0,
        stop: Some(4.3),
        shift: 0.3,
        ramp: 0.4,
    };
    const CLOCK: BuehlerClock = BuehlerClock {
        duty_factor: 0.55,
        sweep: 0.9,
        offset: -0.2,
    };

    #[test]
    fn angles_are_continuous_with_the_stated_rates_from_standing_to_standing() {
        for phase in [0.0, 0.2, 0.5, 0.77] {
            let leg = LegProgram::new(CLOCK, phase, -0.1, TIMES.start_phase);
            let dt = 1e-4;
            let mut before = leg.at(TIMES.at(0.0));
            assert_eq!(before, (-0.1, 0.0));
            for i in 1..=80_000 {
                let now = leg.at(TIMES.at(f64::from(i) * dt));
                // The fastest part turns by (2π − 0.9)/0.45/0.5 = 24 rad/s; corners of the clock lie
                // within one step, where the rate is between those of both ends.
                let (slow, fast) = (before.1.min(now.1) - 0.05, before.1.max(now.1) + 0.05);
                let change = (now.0 - before.0) / dt;
                assert!(change >= slow && change <= fast, "{phase} {i} {change}");
                before = now;
            }
            let turns = (before.0 + 0.1) / TAU;
            assert!((turns - turns.round()).abs() < 1e-12 && before.1 == 0.0);
        }
    }

    /// Between two jumps that are told the rate changes by no more than the ramps bring about.
    #[test]
    fn the_rate_jumps_where_it_is_said_to() {
        for phase in [0.0, 0.2, 0.5, 0.77] {
            let leg = LegProgram::new(CLOCK, phase, -0.1, TIMES.start_phase);
            let rate = |time: f64| leg.at(TIMES.at(time)).1;
            let (mut time, mut jumps) = (0.0, 0);
            while time < 8.0 {
                let corner = leg.next_corner(&TIMES, time);
                let next = corner.min(TIMES.next_stage(time));
                assert!(next > time);
                let end = next.min(8.0);
                // Between corners the rate is linear, or a parabola while a leg moves to its place: with a slope of at most
                // (2π − 0.9)/0.45/0.5/0.4 = 60 rad/s², or 6 · 2π/0.3² = 419 rad/s².
                let width = 1e-4;
                let mut at = time + 1e-9;
                while at + width < end {
                    assert!(
                        (rate(at + width) - rate(at)).abs() <= 420.0 * width,
                        "{phase} {at}"
                    );
                    at += width;
                }
                let jump = (rate(next + 1e-9) - rate(next - 1e-9)).abs();
                jumps += i32::from(next == corner && jump > 1.0);
                time = next;
            }
            // Two corners a cycle of six, of which one or the other is where the clock hardly turns.
            assert!((10..=13).contains(&jumps), "{phase} {jumps}");
        }
    }

    #[test]
    fn the_clock_stops_after_a_whole_number_of_cycles() {
        let WalkStage::Stopped(cycles) = TIMES.at(100.0) else {
            panic!("still walking");
        };
        // (4.3 − 1.0 − 0.3)/0.5.
        assert_eq!(cycles, 6.0);
        let endless = WalkTimes {
            stop: None,
            ..TIMES
        };
        // Full speed after the ramp, which costs half its time.
        let WalkStage::Walk(cycles, rate) = endless.at(101.3) else {
            panic!("not walking");
        };
        assert!((cycles - 0.25 - (100.0 - 0.2) / 0.5).abs() < 1e-12);
        assert_eq!(rate, 2.0);
    }
}
