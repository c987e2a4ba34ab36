//! Two moments between which something that is watched passes zero, brought together.

/// The last moment known to be open and the first known to be closed, with what is watched there, where that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bracket {
    open: (f64, Option<f64>),
    closed: (f64, Option<f64>),
    /// What was found last at the first and at the second.
    found: [Option<f64>; 2],
    /// Whether it is negative at the second.
    pub closed_is_certain: bool,
    /// Whether the last trial moved the first.
    opened_last: Option<bool>,
    /// Value and rate at the start of what rises there first, so that it is near zero there without passing it.
    rising: Option<(f64, f64)>,
}

impl Bracket {
    /// Between the moment `open` with the value there and `closed`, of which nothing is known yet.
    pub fn new(open: f64, value: f64, closed: f64, closed_is_certain: bool) -> Self {
        Self {
            open: (open, Some(value).filter(|value| *value > 0.0)),
            closed: (closed, None),
            found: [None; 2],
            closed_is_certain,
            opened_last: None,
            rising: None,
        }
    }

    /// What is watched begins at time 0 with this value and rate.
    pub fn leaving(self, value: f64, rate: f64) -> Self {
        Self {
            rising: (rate > 0.0).then_some((value, rate)),
            ..self
        }
    }

    /// Whether a value is that of something which still rises as it does at the start: a parabola is past its highest
    /// point when its mean rate is below half of the first.
    pub fn still_rises(&self, time: f64, value: f64) -> bool {
        let rising = self.rising;
        rising.is_some_and(|(start, rate)| value - start >= 0.5 * rate * time)
    }

    /// The last moment known to be open.
    pub fn open(&self) -> f64 {
        self.open.0
    }

    /// The first known, or thought, to be closed.
    pub fn closed(&self) -> f64 {
        self.closed.0
    }

    /// How far they are apart.
    pub fn width(&self) -> f64 {
        self.closed.0 - self.open.0
    }

    /// Whether there is no moment between them.
    pub fn is_shut(&self) -> bool {
        self.width() <= 2.0 * f64::EPSILON * self.closed.0
    }

    /// Whether a moment is between them.
    pub fn holds(&self, time: f64) -> bool {
        time > self.open.0 && time < self.closed.0
    }

    /// Takes in a moment between them. An end that stays twice counts half as much (Illinois): a chord between ends, one
    /// of which never moves, would come near a bend from one side only.
    pub fn narrow(&mut self, time: f64, value: f64) {
        let opens = value > 0.0;
        let (end, other) = if opens {
            (&mut self.open, &mut self.closed)
        } else {
            self.closed_is_certain = true;
            (&mut self.closed, &mut self.open)
        };
        *end = (time, Some(value));
        self.found[usize::from(!opens)] = Some(value);
        if self.opened_last == Some(opens) {
            other.1 = other.1.map(|value| 0.5 * value);
        }
        self.opened_last = Some(opens);
    }

    /// Whether more is between them than the speed `fastest` takes it in that time: it jumps.
    pub fn jumps(&self, fastest: f64) -> bool {
        let [Some(above), Some(below)] = self.found else {
            return false;
        };
        above - below > fastest * self.width()
    }

    /// Whether the chord is a parabola: from the start, at which it rises, to a moment that was found closed.
    pub fn is_under_parabola(&self) -> bool {
        self.rising.is_some() && self.open.0 == 0.0 && self.closed.1.is_some()
    }

    /// Half way between them.
    pub fn middle(&self) -> f64 {
        0.5 * (self.open.0 + self.closed.0)
    }

    /// Where the chord between them passes zero; half way where it is not known, or rounds to an end. From a start at which
    /// it rises a parabola takes the place of the chord, which would come back to the start.
    pub fn chord(&self) -> f64 {
        if let (Some((start, rate)), 0.0, Some(below)) = (self.rising, self.open.0, self.closed.1) {
            let bend = (start + rate * self.closed.0 - below) / self.closed.0.powi(2);
            let time = (rate + (rate * rate + 4.0 * bend * start).max(0.0).sqrt()) / (2.0 * bend);
            return if self.holds(time) {
                time
            } else {
                self.middle()
            };
        }
        let (Some(above), Some(below)) = (self.open.1, self.closed.1) else {
            return self.middle();
        };
        let time = self.open.0 + above / (above - below) * self.width();
        if self.holds(time) {
            time
        } else {
            self.middle()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bracket;

    /// Trials until |f| ≤ 1e-12.
    fn trials(f: impl Fn(f64) -> f64) -> usize {
        let mut bracket = Bracket::new(0.0, f(0.0), 1.0, true);
        bracket.narrow(1.0, f(1.0));
        for trial in 1..100 {
            let time = bracket.chord();
            let value = f(time);
            if value.abs() <= 1e-12 {
                return trial;
            }
            bracket.narrow(time, value);
        }
        100
    }

    /// A line takes one trial. Where slopes differ by a factor of 64, chords first miss a bend by that factor, which
    /// halving an end that stays makes up for in log2 64 = 6 pairs of trials; then their order is 1.44, which takes 6 to 8
    /// more from a tenth to 1e-12. Halving alone takes 40.
    #[test]
    fn bends_are_found_by_chords() {
        assert_eq!(trials(|t| 0.3 - t), 1);
        for bend in [0.1, 0.35, 0.8] {
            let steepens = |t: f64| 1.0 - t - 63.0 * (t - bend).max(0.0);
            let flattens = |t: f64| 1.0 - bend - t + 63.0 * (bend / 64.0 - t).max(0.0);
            let found = [trials(steepens), trials(flattens)];
            assert!(
                found.iter().all(|trials| *trials <= 20),
                "{bend}: {found:?}"
            );
        }
    }

    /// A parabola that rises from the located tolerance, or from below it, takes one trial; another bend (a cube, a quarter of
    /// the square) makes it miss by a share of that size, which shrinks by as much in each.
    #[test]
    fn what_rises_first_is_found_behind_its_highest_point() {
        for start in [7e-17, -4e-13, 2e-12] {
            for cube in [0.0, 0.25] {
                let f = |t: f64| start + 1e-3 * t - 2e-3 * t * t * (1.0 + cube * t);
                let mut bracket = Bracket::new(0.0, start, 1.0, true).leaving(start, 1e-3);
                bracket.narrow(1.0, f(1.0));
                let mut trials = 1;
                let mut time = bracket.chord();
                while f(time).abs() > 1e-12 {
                    assert!(!bracket.still_rises(time, f(time)), "{start} {time}");
                    bracket.narrow(time, f(time));
                    time = bracket.chord();
                    trials += 1;
                }
                assert!((0.4..0.51).contains(&time), "{start} {cube}: {time}");
                assert!(
                    trials <= if cube == 0.0 { 1 } else { 12 },
                    "{start} {cube}: {trials}"
                );
                assert!(bracket.still_rises(1e-9, f(1e-9)));
            }
        }
    }

    /// Known to jump once both sides were seen and are nearer than the speed allows; what is steep is not.
    #[test]
    fn jumps_are_told_from_slopes() {
        for (steepness, jumps) in [(0.0, true), (1e3, false)] {
            let f = |t: f64| {
                let bent = if steepness > 0.0 {
                    steepness * (t - 0.3).max(0.0)
                } else {
                    f64::from(u8::from(t > 0.3))
                };
                0.5 - t - bent
            };
            let mut bracket = Bracket::new(0.0, f(0.0), 1.0, true);
            for _ in 0..30 {
                let time = bracket.middle();
                bracket.narrow(time, f(time));
            }
            assert_eq!(bracket.jumps(1e4), jumps);
        }
    }

    #[test]
    fn an_end_that_is_closed_at_the_start_has_no_chord() {
        let mut bracket = Bracket::new(0.0, -1e-13, 1.0, true);
        bracket.narrow(0.5, -1.0);
        assert_eq!((bracket.chord(), bracket.middle()), (0.25, 0.25));
        assert!(bracket.holds(0.25) && !bracket.holds(0.5) && !bracket.is_shut());
    }
}
